"""What the VertiBench paper prints of its benchmark: Table 2, Figures 3, 6 and 7, Tables 4, 6 and 7."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from trustkit.catalogue import Use, use

__all__ = [
    "ACCURACY", "ALGORITHMS", "COLUMNS", "HOURS", "SATELLITE", "SCALING", "SHAPES", "TITLES", "TRAFFIC", "Printed",
    "Shape", "split_of",
]  # fmt: skip

ALGORITHMS = ("splitnn", "gal", "fedtree", "cvfl")
"""Those of Table 2, in its order."""

TITLES: Mapping[str, str] = {"splitnn": "SplitNN", "gal": "GAL", "fedtree": "FedTree", "cvfl": "C-VFL",
                             "secureboost": "SecureBoost", "pivot": "Pivot"}  # fmt: skip
"""What the paper calls them."""

COLUMNS: Mapping[str, tuple[str, float]] = {
    "α = 0.1": ("importance", 0.1), "α = 1": ("importance", 1.0), "α = 10": ("importance", 10.0),
    "α = 100": ("importance", 100.0), "β = 0": ("correlation", 0.0), "β = 0.3": ("correlation", 0.3),
    "β = 0.6": ("correlation", 0.6), "β = 1": ("correlation", 1.0),
}  # fmt: skip
"""The columns of Table 2: which split, and its number."""


@dataclass(frozen=True)
class Printed:
    """A number and how it spreads over five seeds, in per cent: accuracy, or 100 · RMSE of labels on [0, 1]."""

    mean: float
    spread: float


@dataclass(frozen=True)
class Shape:
    """A data set as Table 4 has it: rows, columns, outputs (1 for two classes and for a regression)."""

    rows: int
    columns: int
    outputs: int
    regression: bool = False


SHAPES: Mapping[str, Shape] = {
    "covtype": Shape(581_012, 54, 7), "msd": Shape(463_715, 90, 1, True), "gisette": Shape(60_000, 5_000, 1),
    "realsim": Shape(72_309, 20_958, 1), "epsilon": Shape(400_000, 2_000, 1), "letter": Shape(15_000, 16, 26),
    "radar": Shape(325_834, 174, 7),
}  # fmt: skip
"""Table 4; of gisette the files have 6,000 training rows, from which the paper's bytes follow, and not 60,000."""

_TABLE2 = {
    "covtype": {
        "splitnn": "91.2 0.4 92.1 0.2 92.1 0.3 92.1 0.1 91.7 0.3 91.8 0.2 92.1 0.1 92.3 0.2",
        "gal": "66.1 2.9 60.2 1.1 62.1 4.1 61.5 3.9 63.9 1.2 62.5 1.7 61.8 1.6 61.8 1.8",
        "fedtree": "77.9 0.1 77.8 0.2 77.8 0.1 77.8 0.1 77.9 0.1 77.9 0.2 77.8 0.1 77.8 0.1",
        "cvfl": "46.9 4.1 14.8 19.0 26.9 25.3 38.3 18.6 53.6 6.8 50.1 1.8 49.0 9.0 49.5 1.0",
    },
    "msd": {
        "splitnn": "10.1 0 10.2 0 10.1 0 10.1 0 10.2 0 10.1 0 10.2 0 10.1 0",
        "gal": "12.2 0 12.2 0 12.2 0 12.2 0 12.2 0 12.2 0 12.2 0 12.2 0",
        "fedtree": "10.4 0 10.4 0 10.4 0 10.4 0 10.4 0 10.4 0 10.4 0 10.4 0",
        "cvfl": "12.7 0 12.7 0 12.7 0 12.7 0 12.3 0 12.2 0 12.1 0.1 12.3 0",
    },
    "gisette": {
        "splitnn": "96.8 0.4 96.8 0.3 96.9 0.3 96.9 0.2 97.1 0.2 97.2 0.4 97.0 0.1 96.8 0.4",
        "gal": "94.4 1.7 95.7 0.6 96.2 0.6 96.1 0.6 96.5 0.3 96.9 0.2 96.6 0.3 96.9 0.1",
        "fedtree": "97.0 0.3 97.1 0.5 97.1 0.5 97.1 0.3 97.0 0.4 96.9 0.3 97.1 0.2 97.0 0.3",
        "cvfl": "91.0 11.5 97.8 3.4 90.1 11.8 94.0 4.0 90.1 8.8 97.6 4.1 97.6 4.1 93.6 5.2",
    },
    "realsim": {
        "splitnn": "97.1 0 97.0 0 97.0 0.1 97.1 0.1 97.0 0 97.0 0.2 97.0 0.1 97.0 0.1",
        "gal": "92.4 0.7 93.5 2.2 96.1 0.4 96.4 0.1 96.5 0.1 96.5 0 96.5 0 96.5 0.1",
        "fedtree": "85.1 0.2 85.2 0.2 85.1 0.1 85.1 0.2 85.2 0.2 85.2 0.2 85.1 0.2 85.2 0.1",
        "cvfl": "89.6 17.4 88.6 16.7 89.5 17.4 87.8 16.1 89.3 17.2 89.3 17.2 87.8 16.2 89.2 17.0",
    },
    "epsilon": {
        "splitnn": "86.3 0.1 86.2 0.1 86.3 0 86.2 0 85.9 0.1 85.9 0 86.0 0.1 86.2 0.1",
        "gal": "88.2 0.6 85.9 1.5 85.7 0.4 86.3 0.2 86.1 0 86.1 0.4 86.3 0.3 86.4 0.2",
        "fedtree": "77.2 0.1 77.3 0.1 77.2 0 77.2 0.1 77.3 0.1 77.3 0 77.3 0 77.3 0.1",
        "cvfl": "50.1 0 53.5 4.9 67.7 20.0 61.6 16.4 70.5 28.9 65.8 22.3 53.4 4.7 60.8 15.1",
    },
    "letter": {
        "splitnn": "95.5 0.3 96.0 0.3 96.1 0.2 96.0 0.3 96.3 0.2 96.0 0.3 96.2 0.3 96.1 0.2",
        "gal": "57.9 4.1 51.4 3.1 52.0 4.3 49.1 2.6 49.1 2.2 50.0 3.0 48.3 4.4 48.8 2.0",
        "fedtree": "91.7 0.3 91.9 0.4 92.0 0.3 92.0 0.3 92.0 0.2 92.0 0.2 91.9 0.4 91.9 0.3",
        "cvfl": "5.0 1.0 12.6 8.3 37.1 47.1 43.8 4.5 34.8 45.0 8.1 1.9 3.6 0.7 33.6 39.8",
    },
    "radar": {
        "splitnn": "99.7 0 99.8 0 99.8 0 99.8 0 99.8 0 99.8 0 99.8 0 99.8 0",
        "gal": "90.0 3.6 95.9 2.5 97.5 0.4 97.9 0.1 96.7 0.1 96.9 0.2 97.6 0.4 97.7 0.3",
        "fedtree": "99.3 0 99.3 0 99.3 0 99.3 0 99.3 0 99.3 0 99.3 0 99.3 0",
        "cvfl": "59.9 47.8 53.4 38.5 43.1 23.9 37.3 15.7 30.6 6.3 53.8 39.0 60.8 49.0 54.4 39.9",
    },
}  # fmt: skip


def _read(line: str) -> dict[str, Printed]:
    numbers = [float(word) for word in line.split()]
    return {name: Printed(*numbers[2 * at : 2 * at + 2]) for at, name in enumerate(COLUMNS)}


ACCURACY: Mapping[tuple[str, str], Mapping[str, Printed]] = {
    (name, algorithm): _read(line) for name, lines in _TABLE2.items() for algorithm, line in lines.items()
}
"""Table 2 by data set and algorithm."""

_MIB = {
    "splitnn": (66225.579, 52855.698, 683.899, 8242.007, 45593.262, 1709.747, 37139.587),
    "gal": (3723.530, 424.544, 5.493, 66.201, 366.211, 357.056, 2088.168),
    "fedtree": (7448.769, 849.503, 33.875, 228.336, 741.577, 717.285, 4181.890),
    "cvfl in an epoch": (85.476, 68.294, 1.246, 10.959, 58.961, 2.564, 48.097),
    "cvfl out an epoch": (821.712, 747.118, 9.581, 102.372, 561.252, 23.006, 461.328),
}  # fmt: skip

TRAFFIC: Mapping[str, Mapping[str, float]] = {
    what: dict(zip(SHAPES, values, strict=True)) for what, values in _MIB.items()
}
"""MiB behind Figures 3 and 6, by algorithm and data set, to three decimals: totals of 50 rounds, and of C-VFL what
the first party received and sent in an epoch. The figures themselves are drawn without numbers; these are of the
authors' plots."""

_FIGURE7: Mapping[tuple[str, str], tuple[float, ...]] = {
    ("gisette", "splitnn"): (0.968, 0.969, 0.971, 0.975, 0.976, 0.975),
    ("gisette", "fedtree"): (0.970, 0.970, 0.970, 0.971, 0.972, 0.971),
    ("gisette", "gal"): (0.943, 0.946, 0.931, 0.940, 0.909, 0.876),
    ("gisette", "cvfl"): (0.944, 0.942, 0.930, 0.940, 0.797, 0.968),
    ("realsim", "splitnn"): (0.971, 0.969, 0.968, 0.963, 0.952),
    ("realsim", "fedtree"): (0.851, 0.851, 0.851, 0.853, 0.851),
    ("realsim", "gal"): (0.960, 0.915, 0.864, 0.774, 0.692),
    ("realsim", "cvfl"): (0.972, 0.951, 0.943, 0.918, 0.884),
}  # fmt: skip

SCALING: Mapping[tuple[str, str], Mapping[int, float]] = {
    place: dict(zip((2, 8, 32, 128, 512, 2048), values, strict=False)) for place, values in _FIGURE7.items()
}
"""Figure 7, by data set, algorithm and parties, at α = 1: the means of five runs that were drawn."""

HOURS: Mapping[str, Mapping[str, float]] = {
    name: dict(zip(("splitnn", "gal", "fedtree", "secureboost", "cvfl", "pivot"), values, strict=False))
    for name, values in {
        "covtype": (0.19, 2.18, 0.076, 14.84, 1.45), "msd": (0.17, 2.01, 0.037, 0.28, 1.29),
        "gisette": (0.01, 0.03, 0.052, 0.56, 0.02, 25805.52), "realsim": (0.06, 1.40, 0.32, 1.16, 0.48),
        "epsilon": (0.15, 1.79, 0.33, 7.99, 1.11), "letter": (0.01, 0.06, 0.47, 2.69, 0.04, 6750.76),
        "radar": (0.12, 1.31, 0.21, 10.06, 0.83),
    }.items()
}  # fmt: skip
"""Table 6, hours by data set and algorithm, on 2 EPYC 7543 and 4 A100."""

_ALONE = (0.7368, 0.7310, 0.7320, 0.7289, 0.7251, 0.7167, 0.7353, 0.7256, 0.7335, 0.7154, 0.7264, 0.7169, 0.7182,
          0.7118, 0.7060, 0.7292)  # fmt: skip

SATELLITE: Mapping[str, float] = {**{f"party {k} alone": value for k, value in enumerate(_ALONE)}, "SplitNN": 0.8117}
"""Table 7: accuracy on Satellite, 16 parties, means of five runs."""


def split_of(column: str, parties: int = 4) -> Use:
    """Return the split of a column of Table 2.

    Parameters
    ----------
    column : str
        A key of `COLUMNS`.
    parties : int
        How many.

    Returns
    -------
    Use
        Of the catalogue of splits.

    Examples
    --------
    >>> dict(split_of("β = 0.6").args)
    {'beta': 0.6, 'parties': 4}
    """
    name, number = COLUMNS[column]
    return use(name, parties=parties, **{"alpha" if name == "importance" else "beta": number})
