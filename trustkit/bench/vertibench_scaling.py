"""Figure 7: accuracy with 2 to 2,048 parties on a table like gisette."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from trustkit.bench.vertibench_pictures import scaling_lines
from trustkit.bench.vertibench_printed import ALGORITHMS, SCALING
from trustkit.bench.vertibench_runs import Job, Outcome
from trustkit.bench.vertibench_settings import METHODS, Size, experiment
from trustkit.bench.vertibench_sheet import Cell, Part, Place, Plan, Sheet
from trustkit.bench.vertibench_sources import source_of
from trustkit.catalogue import use

__all__ = ["MOST", "PARTIES", "SCALING_PART"]

PARTIES = (2, 8, 32, 128, 512, 2048)
_QUICK = (2, 8, 32)

MOST: Mapping[str, int] = {"splitnn": 2048, "fedtree": 2048, "gal": 2048, "cvfl": 32}
"""Parties at most. Each of C-VFL's parties steps on the upper layers of all, so its time grows as the square of K."""

_EPOCHS = 50
"""Of C-VFL at most, where the paper has 200, for its time."""


def _jobs(plan: Plan) -> list[Job]:
    """List runs by parties, the few first."""
    seeds = plan.seeds[:1] if plan.quick else plan.seeds
    found = []
    for parties in _QUICK if plan.quick else PARTIES:
        for method in ALGORITHMS:
            if method in plan.methods and parties <= MOST[method]:
                found += [_job(plan, method, parties, seed) for seed in seeds]
    return found


def _job(plan: Plan, method: str, parties: int, seed: int) -> Job:
    source = source_of("gisette", seed, plan.quick, plan.folder)
    data = use("gisette_synthetic", rows=6000) if source is None else source.data
    rows, columns = (400, 1000) if plan.quick and source is not None and source.synthetic else (4800, 5000)
    size: Size = "whole" if not plan.quick else "small" if source is None or source.synthetic else "quick"
    wanted = experiment(method, "gisette", data, use("importance", parties=parties, alpha=1.0), seed, size,
                        most=_EPOCHS if method == "cvfl" else None)  # fmt: skip
    if method == "splitnn" and parties >= 2048:
        wanted = wanted.change(algorithm__lr=1e-4)
    words = f"{parties:,} parties, {METHODS[method].title}, seed {seed}"
    return Job(("gisette", method, parties, seed), words, wanted, (rows, columns, parties, 1))


def _sheets(plan: Plan, outcomes: Mapping[Place, Outcome]) -> tuple[Sheet, ...]:
    rows: list[tuple[Cell, ...]] = []
    for method in ALGORITHMS:
        for parties in PARTIES:
            runs = [outcomes[place] for seed in plan.seeds
                    if (place := ("gisette", method, parties, seed)) in outcomes]  # fmt: skip
            if not runs:
                continue
            ours = [run.score for run in runs]
            rows.append((METHODS[method].title, parties, "gisette_synthetic" if runs[0].synthetic else "gisette",
                         len(runs[0].accuracy), len(ours), float(np.mean(ours)),
                         float(np.std(ours, ddof=1)) if len(ours) > 1 else None,
                         100 * SCALING["gisette", method][parties]))  # fmt: skip
    heads = ("algorithm", "parties", "data", "rounds", "seeds", "ours", "± ours", "printed, gisette")
    notes = ("Accuracy in per cent, split by importance with α = 1.",
             "On the stand-in, nothing is to be concluded about gisette: what can be compared is how accuracy goes "
             "with the number of parties.",
             f"C-VFL is played with up to {MOST['cvfl']} parties: each party steps on the upper layers of all.",
             "SplitNN's rate is 1e-3, and 1e-4 with 2,048 parties, as the authors had it.")  # fmt: skip
    return (Sheet("figure7", "Figure 7: accuracy by parties", heads, tuple(rows), notes),)


SCALING_PART = Part("Figure 7", _jobs, _sheets, scaling_lines)
"""Accuracy by number of parties."""
