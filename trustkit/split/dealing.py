"""How rows are dealt: cell by cell in given shares, a few moved so that nobody goes short, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from trustkit.catalogue import SPLITS, Interval, Use
from trustkit.data import Dataset
from trustkit.metrics.heterogeneity import label_distribution

__all__ = ["Alpha", "Clients", "MinRows", "asked_for", "cells", "deal", "filled", "report", "skew", "top_up"]

Clients = Annotated[int, Interval(2, 100), "clients"]
Alpha = Annotated[float, Interval(0.01, 100, log=True), "small: clients differ more"]
MinRows = Annotated[int, Interval(1, 1000), "training rows that every client gets at least"]


def asked_for(name: str, data: Dataset, labels: bool = False, **args: Any) -> Use:
    """Check what was asked for, before any work starts.

    Parameters
    ----------
    name : str
        An entry of ``SPLITS``.
    data : Dataset
        Whose rows are to be divided.
    labels : bool
        Whether the split needs classes.
    **args
        The user parameters; ``min_rows`` or ``shards_per_party`` say how many training rows each party needs.

    Returns
    -------
    Use
        The entry with all its parameters.

    Raises
    ------
    ValueError, TypeError
        If a parameter is out of range, the rows are too few, or the target has no classes.
    """
    if labels and data.task == "regression":
        raise ValueError(
            f"{name} divides rows by their class, but {data.name} has a number as its target (a regression)"
        )
    asked = Use(name, SPLITS[name].arguments(args))
    train = int((~data.held_out).sum())
    least = asked.args.get("min_rows", asked.args.get("shards_per_party", 1))
    if asked.args["parties"] * least > train:
        raise ValueError(
            f"parties must be at most {train // least}, so that each gets at least {least} of the {train:,} "
            f"training rows of {data.name}, got {asked.args['parties']}"
        )
    return asked


def cells(data: Dataset) -> np.ndarray:
    """Number the combinations of class and training or held-out.

    Parameters
    ----------
    data : Dataset
        With C classes.

    Returns
    -------
    (n,) int array
        Of each row: its class in 0 … C−1, and C more if it is held out.
    """
    return np.asarray(data.y + len(data.classes) * data.held_out)


def filled(data: Dataset, owner: np.ndarray, args: Mapping[str, Any], chance: np.ndarray) -> tuple[np.ndarray, int]:
    """Give every client at least ``min_rows`` training rows, and a held-out row if there are as many as clients.

    Parameters
    ----------
    data : Dataset
        Whose rows are divided.
    owner : (n,) int array
        The party of each row; changed.
    args : mapping
        parties and min_rows.
    chance : (n,) float array
        As for `top_up`.

    Returns
    -------
    owner : (n,) int array
        The same array.
    moved : int
        How many rows were moved.
    """
    K = args["parties"]
    moved = top_up(owner, ~data.held_out, K, args["min_rows"], chance)
    if data.held_out.sum() >= K:
        moved += top_up(owner, data.held_out, K, 1, chance)
    return owner, moved


def deal(cell: np.ndarray, shares: np.ndarray, chance: np.ndarray) -> np.ndarray:
    """Divide the rows of each cell among the parties.

    Parameters
    ----------
    cell : (n,) int array
        The cell of each row, 0 … C−1.
    shares : (C, K) float array
        What part of a cell each party gets; each line adds up to 1, or is 0 throughout: then nobody gets the cell.
    chance : (n,) float array
        Numbers in [0, 1) that order the rows of a cell.

    Returns
    -------
    (n,) int array
        The party of each row, −1 for nobody. Counts differ from shares of a cell by less than one row.

    Examples
    --------
    >>> deal(np.array([0, 0, 0, 0, 1]), np.array([[0.5, 0.5], [0, 1]]), np.array([0.1, 0.9, 0.5, 0.2, 0.3])).tolist()
    [0, 1, 1, 0, 1]
    """
    C, K = shares.shape
    size = np.bincount(cell, minlength=C)
    given = shares.sum(axis=1) > 0
    cuts = np.rint(np.cumsum(shares, axis=1) * size[:, None]).astype(np.int64)
    cuts[:, -1] = np.where(given, size, 0)
    counts = np.diff(cuts, axis=1, prepend=0, append=size[:, None])
    owner = np.empty(cell.size, np.int64)
    owner[np.argsort(cell + chance)] = np.repeat(np.tile([*range(K), -1], C), counts.ravel())
    return owner


def top_up(owner: np.ndarray, rows: np.ndarray, parties: int, least: int, chance: np.ndarray) -> int:
    """Move rows from the largest party to those that have too few, in place.

    Parameters
    ----------
    owner : (n,) int array
        The party of each row; changed.
    rows : (n,) bool array
        Which rows count (training rows, or held-out rows).
    parties : int
        K.
    least : int
        Rows that every party is to have, at least 0; ``parties · least`` at most the number of rows with an owner.
    chance : (n,) float array
        Orders the rows of a party: the last ones leave it first.

    Returns
    -------
    int
        How many rows were moved.

    Examples
    --------
    >>> owner = np.array([0, 0, 0, 1])
    >>> top_up(owner, np.ones(4, bool), 2, 2, np.arange(4) / 4), owner.tolist()
    (1, [0, 0, 1, 1])
    """
    moved = 0
    sizes = np.bincount(owner[rows & (owner >= 0)], minlength=parties)
    while sizes.min() < least:
        poor, rich = int(sizes.argmin()), int(sizes.argmax())
        give = min(least - sizes[poor], sizes[rich] - least)
        own = np.flatnonzero(rows & (owner == rich))
        owner[own[np.argsort(chance[own])[-give:]]] = poor
        sizes[poor] += give
        sizes[rich] -= give
        moved += int(give)
    return moved


def skew(data: Dataset, owner: np.ndarray, parties: int) -> float | None:
    """Measure how far the parties' labels are from the labels of all.

    Parameters
    ----------
    data : Dataset
        With labels.
    owner : (n,) int array
        The party of each row; −1 for nobody.
    parties : int
        K.

    Returns
    -------
    float or None
        In [0, 1]: the total variation distance between a party's distribution of labels over its training rows and that
        of all parties together, averaged over the parties that have rows. None for a regression.

    Examples
    --------
    >>> from trustkit.data import Provenance
    >>> data = Dataset("d", np.eye(4), np.array([0, 0, 1, 1]), tuple("abcd"), ("no", "yes"), Provenance("me", "CC0"))
    >>> skew(data, np.array([0, 0, 1, 1]), 2), skew(data, np.array([0, 1, 0, 1]), 2)
    (0.5, 0.0)
    """
    if data.task == "regression":
        return None
    counts = label_distribution(data.y, np.where(data.held_out, -1, owner), parties, len(data.classes))
    own = counts[counts.sum(axis=1) > 0]
    together = counts.sum(axis=0) / max(counts.sum(), 1)
    distance = np.abs(own / own.sum(axis=1, keepdims=True) - together).sum(axis=1) / 2
    return float(distance.mean()) if distance.size else float("nan")


def report(data: Dataset, owner: np.ndarray, parties: int, seed: int, **more: Any) -> dict[str, Any]:
    """Return what every row split reports.

    Parameters
    ----------
    data : Dataset
        Whose rows were divided.
    owner : (n,) int array
        The party of each row; −1 for nobody.
    parties : int
        K.
    seed : int
        Noted down.
    **more
        Further entries.

    Returns
    -------
    dict
        counts (K,) of training rows, test_counts (K,) of held-out rows, label_skew as `skew` gives it,
        seed, and the rest.
    """
    counts, test_counts = (
        np.bincount(owner[(owner >= 0) & part], minlength=parties).tolist() for part in (~data.held_out, data.held_out)
    )
    return {
        "counts": counts,
        "test_counts": test_counts,
        "label_skew": skew(data, owner, parties),
        "seed": int(seed),
        **more,
    }
