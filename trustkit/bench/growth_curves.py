"""What is measured as it grows: 21 pieces of work over clients, columns, parties and rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from trustkit.bench import growth_work as works
from trustkit.bench.growth_work import COLUMNS, ROWS, WIDE, Work
from trustkit.catalogue import use

__all__ = ["AXES", "CURVES", "QUICK", "Curve", "Place"]

Place = tuple[str, str]
"""An axis and a name on it."""

AXES: Mapping[str, tuple[tuple[int, ...], str]] = {
    "clients": (
        (10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000),
        f"{works.ROWS_A_CLIENT} rows a client, a fifth of them to test on; {COLUMNS} columns",
    ),
    "columns": ((16, 50, 160, 500, 1600, 5000, 10_000, 20_000), f"{ROWS:,} rows; 4 parties where there are parties"),
    "parties": ((2, 8, 32, 128, 512, 2048), f"{ROWS:,} rows; {WIDE:,} columns, whoever has them"),
    "rows": ((1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000), f"{COLUMNS} columns; 10 clients, or 4 parties"),
}
"""Sizes along each axis, and what stays as it is."""

QUICK: Mapping[str, int] = {"clients": 1000, "columns": 500, "parties": 32, "rows": 30_000}
"""The largest size of the quick mode."""


@dataclass(frozen=True)
class Curve:
    """One piece of work along one axis.

    Parameters
    ----------
    axis, name : str
        Where it is.
    title : str
        What is done.
    make : callable
        From a size to the work, ready to be done.
    expected : float or None
        The exponent that the algorithm has for large sizes; None where there is no single one.
    because : str
        Why that one.
    once : bool
        Whether its result is remembered, so that only the first time counts.
    """

    axis: str
    name: str
    title: str
    make: Callable[[int], Work]
    expected: float | None
    because: str
    once: bool = False

    @property
    def sizes(self) -> tuple[int, ...]:
        """All sizes, the least first."""
        return AXES[self.axis][0]


def _clients() -> tuple[Curve, ...]:
    once_each = "every client's rows are gone over once"
    return (
        Curve("clients", "fedavg", "a round of FedAvg", partial(works.among, "fedavg"), 1, once_each),
        Curve("clients", "fedmedian", "a round of FedMedian", partial(works.among, "fedmedian"), 1,
              "K models are sorted, coordinate by coordinate"),
        Curve("clients", "krum", "a round of Krum", partial(works.among, "krum"), 2,
              "every model is compared with every other"),
        Curve("clients", "fairness", "demographic disparity of every client", works.disparities, 1, once_each),
        Curve("clients", "report", "fact sheet and trust report of a run", works.reported, 1,
              "facts are sums over clients"),
    )  # fmt: skip


def _columns() -> tuple[Curve, ...]:
    return (
        Curve("columns", "spearman", "rank correlation of all columns", partial(works.ranked, ROWS), 2,
              "every column is multiplied with every other"),
        Curve("columns", "icor", "Icor of one division", partial(works.divided, 4), 3,
              "singular values of blocks whose sides are a quarter of the columns"),
        Curve("columns", "beta", "search for β = 0.5", works.searched, None,
              "as Icor at first; above some hundred columns norms are estimated, and their number is bounded", True),
        Curve("columns", "splitnn", "an epoch of SplitNN", partial(works.across, use("splitnn"), 4), 1,
              "first layers are as wide as their inputs"),
        Curve("columns", "fedtree", "a tree of FedTree", partial(works.across, use("fedtree"), 4), 1,
              "a histogram a column"),
    )  # fmt: skip


def _parties() -> tuple[Curve, ...]:
    def training(name: str) -> Callable[[int], Work]:
        return partial(works.across, use(name), columns=WIDE)

    return (
        Curve("parties", "icor", "Icor of one division", partial(works.divided, columns=WIDE), None,
              "K²/2 blocks of (m/K)²: fewer operations with more parties, until there are so many small blocks"),
        Curve("parties", "alpha", "a split by importance, and what it reports", works.weighed, None,
              "dealing grows with columns, not with parties; α̂ and Icor of the result do not stay as they are", True),
        Curve("parties", "splitnn", "an epoch of SplitNN", training("splitnn"), 1,
              "an upper layer and an optimiser's step for each party"),
        Curve("parties", "gal", "a round of GAL", training("gal"), 1, "a local model a party"),
        Curve("parties", "cvfl", "an epoch of C-VFL", training("cvfl"), 2,
              "each party steps on the upper layers of all"),
        Curve("parties", "fedtree", "a tree of FedTree", training("fedtree"), 0,
              "the columns are the same; it is trained in one place and its messages counted"),
    )  # fmt: skip


def _rows() -> tuple[Curve, ...]:
    def training(name: str) -> Callable[[int], Work]:
        return partial(works.across, use(name), 4, COLUMNS)

    return (
        Curve("rows", "dirichlet", "a label-skewed split", works.dealt, 1, "every row is dealt once"),
        Curve("rows", "fedavg", "a round of FedAvg", partial(works.among, "fedavg", 10), 1, "one pass over all rows"),
        Curve("rows", "splitnn", "an epoch of SplitNN", training("splitnn"), 1, "one pass, batch by batch"),
        Curve("rows", "fedtree", "a tree of FedTree", training("fedtree"), 1, "one pass a level"),
        Curve("rows", "spearman", "rank correlation of all columns", partial(works.ranked, columns=COLUMNS), 1,
              "n log n to rank, n to multiply"),
    )  # fmt: skip


CURVES: Mapping[Place, Curve] = {
    (curve.axis, curve.name): curve for curve in (*_clients(), *_columns(), *_parties(), *_rows())
}
"""By axis and name."""
