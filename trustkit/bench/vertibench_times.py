"""Table 6: seconds that training takes to simulate here, and apart from them a model of the network's time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from trustkit.bench.vertibench_pictures import time_bars
from trustkit.bench.vertibench_printed import HOURS, SHAPES, TITLES
from trustkit.bench.vertibench_runs import Job, Outcome
from trustkit.bench.vertibench_settings import METHODS
from trustkit.bench.vertibench_sheet import Cell, Part, Place, Plan, Sheet
from trustkit.bench.vertibench_table2 import jobs_of

__all__ = ["LINK", "TIMES", "Link", "network_seconds"]

_COLUMN = "α = 1"
_APART = "another machine, 2 EPYC 7543 and 4 A100"


@dataclass(frozen=True)
class Link:
    """A network between parties: bits a second that the first party receives or sends, and seconds a message needs."""

    bandwidth: float = 1e9
    latency: float = 0.001


LINK = Link()
"""A local network: 1 Gbit/s each way, a millisecond."""


def network_seconds(run: Outcome, link: Link = LINK) -> float:
    """Model the time that a run's messages would take between machines.

    Parameters
    ----------
    run : Outcome
        Whose messages were counted.
    link : Link
        The network.

    Returns
    -------
    float
        Seconds of all rounds.

    Notes
    -----
    8·(largest bytes that a party received + largest that one sent) / bandwidth + trips · latency. Parties send at the
    same time, and nothing is computed meanwhile. Trips one after the other: a batch of SplitNN or C-VFL has 2; a round
    of GAL has 2; a round of trees has 1 for the gradients and, for each level, 4 (histograms, the split, its rows back
    and on). Evaluation is left out.

    Examples
    --------
    >>> run = Outcome({"algorithm": {"name": "gal"}}, (0.5,), (1.0,), 1.0, 100, 20, 2.0,
    ...               {"residual": ((1e6, 0.0), (0.0, 1e6)), "prediction": ((0.0, 1e6), (1e6, 0.0))})
    >>> round(network_seconds(run), 3)
    0.018
    """
    sizes, algorithm = run.sizes, run.experiment["algorithm"]
    trips = {
        "gal": 2, "fedtree": 1 + 4 * algorithm.get("depth", 6),
        **dict.fromkeys(("splitnn", "cvfl"), 2 * math.ceil(run.rows / algorithm.get("batch", 128))),
    }[algorithm["name"]] * len(run.accuracy)  # fmt: skip
    return float(8 * (sizes["max_in"] + sizes["max_out"]) / link.bandwidth + trips * link.latency)


def _jobs(plan: Plan) -> list[Job]:
    """List those runs of Table 2 at α = 1, which it then shares."""
    return [job for job in jobs_of(plan) if job.place[2] == _COLUMN and job.place[3] == plan.seeds[0]]


def _sheets(plan: Plan, outcomes: Mapping[Place, Outcome]) -> tuple[Sheet, ...]:
    rows: list[tuple[Cell, ...]] = []
    for name in SHAPES:
        for method in [*plan.methods, "secureboost", "pivot"]:
            key = METHODS[method].printed if method in METHODS else method
            runs = [outcomes[place] for seed in plan.seeds
                    if (place := (name, method, _COLUMN, seed)) in outcomes]  # fmt: skip
            hours = HOURS[name].get(key)
            if runs or (hours is not None and name == "letter"):
                title = METHODS[method].title if method in METHODS else TITLES[method]
                rows.append((name, title, *_measured(runs, method), hours))
    heads = ("data", "algorithm", "rows", "rounds", "CPU seconds", "network seconds, modelled",
             "rounds of the paper", "CPU seconds for these", "printed hours (other machine)")  # fmt: skip
    notes = (
        "CPU seconds: one core of this machine, training all parties one after the other, with an evaluation a round; "
        "the mean over seeds. Rounds of the paper: extended in proportion to rounds, not to rows.",
        f"Seconds of the network are modelled, not measured: {LINK.bandwidth / 1e9:g} Gbit/s each way at the first "
        f"party, {1000 * LINK.latency:g} ms a message, nothing computed meanwhile.",
        f"Printed hours are the paper's estimates, of {_APART}, in the original sizes; they are laid beside and not "
        "compared.",
        "FedTree is trained in one place and its messages counted. SecureBoost and Pivot are not played here.",
    )  # fmt: skip
    return (Sheet("table6", "Table 6: time of training, and of the network apart", heads, tuple(rows), notes, 3),)


def _measured(runs: list[Outcome], method: str) -> tuple[Cell, ...]:
    """Return data rows, rounds, both kinds of seconds, and what the paper's rounds would take."""
    if not runs:
        return None, None, None, None, None, None
    rounds, whole = len(runs[0].accuracy), METHODS[method].whole
    seconds = float(np.mean([run.seconds for run in runs]))
    network = float(np.mean([network_seconds(run) for run in runs]))
    said = f"{runs[0].rows:,}" + (" (synthetic)" if runs[0].synthetic else "")
    return said, rounds, seconds, network, whole, seconds / rounds * whole


TIMES = Part("Table 6", _jobs, _sheets, time_bars)
"""Time by data set and algorithm."""
