"""Table 7: each party alone beside SplitNN of all, on six natural views of handwritten digits, and on Satellite."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from trustkit.bench.vertibench_pictures import solo_bars
from trustkit.bench.vertibench_printed import SATELLITE
from trustkit.bench.vertibench_runs import Job, Outcome
from trustkit.bench.vertibench_satellite import satellite_of
from trustkit.bench.vertibench_sheet import Cell, Part, Place, Plan, Sheet
from trustkit.catalogue import Use, use
from trustkit.experiment import Experiment

__all__ = ["SOLO"]

_VIEWS = ("fou", "fac", "kar", "pix", "zer", "mor")
_ROUNDS, _QUICK = 50, 10
_SIZE = (1600, 649, 6, 10)


def _jobs(plan: Plan) -> list[Job]:
    """List the six parties and SplitNN, by seed, and Satellite's parties where the user has the files."""
    found, rounds = [], _QUICK if plan.quick else _ROUNDS
    satellite = satellite_of(plan.folder)
    for seed in plan.seeds[:1] if plan.quick else plan.seeds:
        data = use("redrawn", of="mfeat", draw=seed)
        for label, algorithm in _ways([f"{view} alone" for view in _VIEWS]).items():
            wanted = Experiment(data, "by_views", algorithm, rounds=rounds, seed=seed)
            found.append(Job(("mfeat", label, "by views", seed), f"mfeat, {label}, seed {seed}", wanted, _SIZE))
        if satellite is None:
            continue
        for label, algorithm in _ways(_places(satellite[1][2])).items():
            wanted = Experiment(satellite[0], "by_views", algorithm, rounds=rounds, seed=seed)
            words = f"Satellite, {label}, seed {seed}"
            found.append(Job(("satellite", label, "by views", seed), words, wanted, satellite[1]))
    return found


def _places(parties: int) -> list[str]:
    return [f"place {k} alone" for k in range(parties)]


def _ways(labels: list[str]) -> dict[str, Use]:
    """Return how each party trains alone, and how all do together."""
    return {**{label: use("solo", party=k) for k, label in enumerate(labels)}, "SplitNN": use("splitnn")}


def _sheets(plan: Plan, outcomes: Mapping[Place, Outcome]) -> tuple[Sheet, ...]:
    rows: list[tuple[Cell, ...]] = []
    for name, label in dict.fromkeys(place[:2] for place in outcomes if place[2] == "by views"):
        ours = [outcomes[place].score for seed in plan.seeds
                if (place := (name, label, "by views", seed)) in outcomes]  # fmt: skip
        if ours:
            rounds = len(outcomes[name, label, "by views", plan.seeds[0]].accuracy)
            rows.append((label, name, rounds, len(ours), float(np.mean(ours)),
                         float(np.std(ours, ddof=1)) if len(ours) > 1 else None))  # fmt: skip
    alone = [100 * value for label, value in SATELLITE.items() if label != "SplitNN"]
    gain = 100 * SATELLITE["SplitNN"] - float(np.mean(alone))
    heads = ("who", "data", "rounds", "seeds", "accuracy", "± accuracy")
    notes = (
        f"The paper's table is of Satellite, other data: 16 parties alone {min(alone):.1f} to {max(alone):.1f} %, on "
        f"average {np.mean(alone):.1f} %, SplitNN of them {100 * SATELLITE['SplitNN']:.1f} %, {gain:.1f} points more.",
        "mfeat stands in its place: 2,000 digits seen in six ways. A party alone trains SplitNN's local and upper "
        "layers on its own columns; only party 0 holds labels in truth.",
        "Satellite itself is played where --data has a folder satellite with a file for each party. Each party has the "
        "local layers of an MLP, as the paper's text says of this table; the authors' code has ResNet-18 there.",
    )  # fmt: skip
    return (Sheet("table7", "Table 7: parties alone, and together", heads, tuple(rows), notes),)


SOLO = Part("Table 7", _jobs, _sheets, solo_bars)
"""Accuracy of parties alone and of all."""
