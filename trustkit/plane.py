"""VertiBench's plane of column splits: how equal the parties' importance is (α̂), and how correlated they are (β̂)."""

from __future__ import annotations

from importlib import resources

import numpy as np

from trustkit import datasets, jsonfile
from trustkit.data import Dataset
from trustkit.metrics import party_importance
from trustkit.metrics.correlation import Definition
from trustkit.partition import Partition
from trustkit.plot import PlanePoint
from trustkit.records import Progress
from trustkit.split import by_views, column_importance, estimate_alpha, estimate_beta, uniform

__all__ = ["NATURAL", "held_shares", "measured_natural", "natural_points", "plane_point", "random_points"]

NATURAL = ("mfeat", "landsat", "radar_synthetic")
"""Data sets whose columns come from several sources by nature."""

_RECORDED = "natural.json"


def held_shares(importance: np.ndarray, partition: Partition) -> np.ndarray:
    """Return what share of the columns' importance each party holds.

    Parameters
    ----------
    importance : (m,) float array
        Of each column, at least 0.
    partition : Partition
        Over the m columns.

    Returns
    -------
    (K,) float array
        They add up to 1; NaN if no column has any importance.
    """
    sums = party_importance(importance, partition.owner, partition.parties)
    total = sums.sum()
    return np.asarray(sums / total if total > 0 else np.full(partition.parties, np.nan))


def plane_point(
    data: Dataset,
    partition: Partition,
    name: str = "this split",
    kind: str = "current",
    definition: Definition = "paper",
    seed: int = 0,
    progress: Progress | None = None,
) -> PlanePoint:
    """Place a column split on the plane.

    Parameters
    ----------
    data : Dataset
        With a target.
    partition : Partition
        Over its columns.
    name : str
        What the point is called.
    kind : {"current", "random", "natural"}
        How it is drawn.
    definition : {"paper", "package"}
        Of Icor, as for `trustkit.metrics.icor`.
    seed : int
        Of the search for the bounds of Icor.
    progress : callable, optional
        Told how far that search is.

    Returns
    -------
    PlanePoint
        α̂ from the variance of the parties' shares of importance (``reading="package"`` of
        `trustkit.split.estimate_alpha`: the paper's reading grows as parties become unequal, against the sense of α)
        and β̂ of `trustkit.split.estimate_beta`.
    """
    alpha = estimate_alpha(column_importance(data), partition, reading="package")
    beta = estimate_beta(data, partition, definition, seed, progress).beta
    return PlanePoint(name, kind, alpha, beta, data.provenance.synthetic)


def random_points(
    data: Dataset,
    parties: int,
    count: int = 8,
    definition: Definition = "paper",
    seed: int = 0,
    progress: Progress | None = None,
) -> tuple[PlanePoint, ...]:
    """Place random splits on the plane: what most experiments without a benchmark use.

    Parameters
    ----------
    data : Dataset
        With a target.
    parties : int
        K, between 2 and the number of columns.
    count : int
        How many splits, at least 1.
    definition : {"paper", "package"}
        Of Icor.
    seed : int
        Of the splits and of the search for the bounds of Icor.
    progress : callable, optional
        Told how far that search is.

    Returns
    -------
    tuple of PlanePoint
        Splits of equal sizes.
    """
    return tuple(
        plane_point(data, uniform(data, parties, seed + k), f"random {k + 1}", "random", definition, seed, progress)
        for k in range(count)
    )


def measured_natural(name: str) -> PlanePoint:
    """Measure where the natural parties of an embedded data set stand, which takes some seconds.

    Parameters
    ----------
    name : str
        One of `NATURAL`.

    Returns
    -------
    PlanePoint
        In the paper's definition of Icor.
    """
    data = datasets.load(name)
    return plane_point(data, by_views(data), name, "natural")


def natural_points() -> tuple[PlanePoint, ...]:
    """Return where the embedded data sets with natural parties stand, as `measured_natural` found.

    Returns
    -------
    tuple of PlanePoint
        One for each of `NATURAL`.
    """
    text = (resources.files("trustkit") / _RECORDED).read_text(encoding="utf-8")
    return tuple(
        PlanePoint(row["name"], "natural", float(row["alpha"]), float(row["beta"]), bool(row["synthetic"]))
        for row in jsonfile.loads(text)
    )
