"""Table 7: each party alone beside SplitNN of all, on six natural views of handwritten digits."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from trustkit.bench.vertibench_pictures import solo_bars
from trustkit.bench.vertibench_printed import SATELLITE
from trustkit.bench.vertibench_runs import Job, Outcome
from trustkit.bench.vertibench_sheet import Cell, Part, Place, Plan, Sheet
from trustkit.catalogue import Use, use
from trustkit.experiment import Experiment

__all__ = ["SOLO"]

_VIEWS = ("fou", "fac", "kar", "pix", "zer", "mor")
_ROUNDS, _QUICK = 50, 10
_SIZE = (1600, 649, 6, 10)


def _jobs(plan: Plan) -> list[Job]:
    """List the six parties and SplitNN, by seed."""
    ways: dict[str, Use] = {f"{view} alone": use("solo", party=k) for k, view in enumerate(_VIEWS)}
    ways["SplitNN"] = use("splitnn")
    found = []
    for seed in plan.seeds[:1] if plan.quick else plan.seeds:
        for label, algorithm in ways.items():
            wanted = Experiment(use("redrawn", of="mfeat", draw=seed), "by_views", algorithm,
                                rounds=_QUICK if plan.quick else _ROUNDS, seed=seed)  # fmt: skip
            found.append(Job(("mfeat", label, "by views", seed), f"mfeat, {label}, seed {seed}", wanted, _SIZE))
    return found


def _sheets(plan: Plan, outcomes: Mapping[Place, Outcome]) -> tuple[Sheet, ...]:
    rows: list[tuple[Cell, ...]] = []
    for label in (*(f"{view} alone" for view in _VIEWS), "SplitNN"):
        runs = [outcomes[place] for seed in plan.seeds
                if (place := ("mfeat", label, "by views", seed)) in outcomes]  # fmt: skip
        if runs:
            ours = [run.score for run in runs]
            rows.append((label, "mfeat", len(runs[0].accuracy), len(ours), float(np.mean(ours)),
                         float(np.std(ours, ddof=1)) if len(ours) > 1 else None))  # fmt: skip
    alone = [100 * value for label, value in SATELLITE.items() if label != "SplitNN"]
    gain = 100 * SATELLITE["SplitNN"] - float(np.mean(alone))
    heads = ("who", "data", "rounds", "seeds", "accuracy", "± accuracy")
    notes = (
        f"The paper's table is of Satellite, other data: 16 parties alone {min(alone):.1f} to {max(alone):.1f} %, on "
        f"average {np.mean(alone):.1f} %, SplitNN of them {100 * SATELLITE['SplitNN']:.1f} %, {gain:.1f} points more.",
        "mfeat stands in its place: 2,000 digits seen in six ways. A party alone trains SplitNN's local and upper "
        "layers on its own columns; only party 0 holds labels in truth.",
        "Satellite itself, 16 images of 158 × 158 × 13 a place, is not played: there each party has a convolutional "
        "network, and SplitNN here has none.",
    )  # fmt: skip
    return (Sheet("table7", "Table 7: parties alone, and together", heads, tuple(rows), notes),)


SOLO = Part("Table 7", _jobs, _sheets, solo_bars)
"""Accuracy of parties alone and of all."""
