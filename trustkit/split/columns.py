"""Splits of the columns among parties that share all rows: by importance, by correlation, by views, at random."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any
from weakref import WeakKeyDictionary

import numpy as np

from trustkit.catalogue import SPLITS, Interval, Use
from trustkit.data import Dataset, Partition
from trustkit.metrics.correlation import Definition, icor, spearman
from trustkit.rng import stream
from trustkit.split.search import Bounds, bounds, reach
from trustkit.split.seats import party_sizes
from trustkit.split.shares import dirichlet_shares

__all__ = ["by_views", "column_correlation", "correlation", "from_columns", "icor_bounds", "importance", "uniform"]

_PARTIES = Interval(2, 100)
_SEEN: WeakKeyDictionary[Dataset, np.ndarray] = WeakKeyDictionary()


def column_correlation(data: Dataset | np.ndarray) -> np.ndarray:
    """Spearman's rank correlation of the columns, over the training rows only.

    Parameters
    ----------
    data : Dataset or (n, m) float array
        Of an array all rows count.

    Returns
    -------
    (m, m) float array
        As `trustkit.metrics.spearman` gives it; read-only, and remembered as long as the data set lives.

    Raises
    ------
    ValueError
        If a value is missing or infinite, or there are fewer than 2 training rows.

    Examples
    --------
    >>> column_correlation(np.array([[1.0, 9.0], [2.0, 8.0], [3.0, 5.0]]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    if not isinstance(data, Dataset):
        return spearman(data)
    if data not in _SEEN:
        corr = spearman(data.X[~data.held_out])
        corr.setflags(write=False)
        _SEEN[data] = corr
    return _SEEN[data]


def _width(data: Dataset | np.ndarray) -> int:
    X = data.X if isinstance(data, Dataset) else np.asarray(data)
    if X.ndim != 2:
        raise ValueError(f"data must be a table of rows and columns, got shape {X.shape}")
    return int(X.shape[1])


def _measured(data: Dataset | np.ndarray, owner: np.ndarray, K: int, seed: int) -> dict[str, Any]:
    """Return what every column split reports."""
    counts = np.bincount(owner[owner >= 0], minlength=K).tolist()
    return {"counts": counts, "icor": icor(column_correlation(data), owner), "definition": "paper", "seed": int(seed)}


@SPLITS.enter("importance", title="by importance (α)", axis="columns")
def importance(
    data: Dataset | np.ndarray,
    parties: Annotated[int, _PARTIES, "parties"] = 4,
    alpha: Annotated[
        float | tuple[float, ...], Interval(0.001, 100, log=True), "small: few parties own most columns"
    ] = 1.0,
    allow_empty: Annotated[bool, "whether a party may get no column"] = False,
    seed: int = 0,
) -> Partition:
    """Deal columns at random, in shares drawn from a Dirichlet distribution.

    Parameters
    ----------
    data : Dataset or (n, m) float array
        Whose columns are divided.
    parties : int
        K, between 2 and m.
    alpha : float or sequence of K floats
        Importance of each party, in [0.001, 100]: one for all, or one each.
    allow_empty : bool
        If False, every party first gets one column, drawn at random.
    seed : int
        Any integer.

    Returns
    -------
    Partition
        Over columns. ``achieved``: shares (K,) drawn, counts (K,) of columns, icor and its definition, seed.

    Raises
    ------
    ValueError, TypeError
        If a parameter is out of range or α has another length than K.

    Notes
    -----
    (p₁, …, p_K) ~ Dirichlet(α₁, …, α_K); each column goes to party k with probability p_k. The expected number of columns
    is m·α_k/Σα if parties may be empty (Theorem 1), otherwise 1 + (m − K)·α_k/Σα.

    Source
    ------
    VertiBench (Wu et al. 2023), Algorithm 5 and Theorem 1.

    Deviations
    ----------
    Shares are drawn as quantiles, the authors' package draws them by breaking a stick: the same distribution, without
    underflow at small α. Here a slider that moves α moves columns one by one, because all random numbers stay.

    Examples
    --------
    >>> importance(np.eye(6), parties=3, alpha=100).sizes.sum().item()
    6
    """
    m = _width(data)
    args = SPLITS["importance"].arguments(
        {"parties": parties, "alpha": np.asarray(alpha, float).tolist(), "allow_empty": allow_empty}
    )
    K = len(party_sizes(int(parties), m))
    weights = np.atleast_1d(np.asarray(args["alpha"], float))
    if weights.size not in (1, K):
        raise ValueError(f"alpha must be one number or one for each of the {K} parties, got {weights.size}")
    shares = dirichlet_shares(np.broadcast_to(weights, (K,)), stream(seed, "importance", "shares").random(K))
    owner = np.searchsorted(np.cumsum(shares)[:-1], stream(seed, "importance", "columns").random(m), side="right")
    if not allow_empty:
        owner[stream(seed, "importance", "first").choice(m, K, replace=False)] = np.arange(K)
    achieved = {"shares": shares.tolist(), **_measured(data, owner, K, seed)}
    return Partition("columns", owner, K, Use("importance", args), achieved)


@SPLITS.enter("correlation", title="by correlation (β)", axis="columns")
def correlation(
    data: Dataset | np.ndarray,
    parties: Annotated[int | tuple[int, ...], _PARTIES, "parties, or the columns of each"] = 4,
    beta: Annotated[float, Interval(0, 1, step=0.01), "0: correlated columns together; 1: spread out"] = 0.5,
    definition: Annotated[Definition, "how correlation between parties is measured"] = "paper",
    seed: int = 0,
) -> Partition:
    """Divide columns so that the correlation between parties lies at β between its bounds.

    Parameters
    ----------
    data : Dataset or (n, m) float array
        Whose columns are divided; correlation is measured on training rows.
    parties : int or sequence of int
        K, between 2 and m, for sizes that differ by at most one, or the K sizes, which add up to m.
    beta : float
        In [0, 1]: 0 for the least, 1 for the greatest correlation between parties.
    definition : {"paper", "package"}
        Which Icor, as for `trustkit.metrics.icor`.
    seed : int
        Any integer.

    Returns
    -------
    Partition
        Over columns. ``achieved``: beta and asked_beta, icor, bounds [min, max], bounds_exact (whether every division was
        tried), definition, evaluations, seed. β is NaN if all divisions have the same Icor.

    Raises
    ------
    ValueError, TypeError
        If a parameter is out of range, or a value is missing or infinite.

    Notes
    -----
    The target Icor is (1 − β)·min + β·max; see `trustkit.split.search`.

    Source
    ------
    VertiBench (Wu et al. 2023), Algorithm 1.

    Deviations
    ----------
    Annealing instead of a genetic search; training rows only, where the authors' scripts use all rows; β = 0 and 1 are
    the divisions at the bounds themselves.

    Examples
    --------
    >>> x, y = np.array([1.0, 2, 3, 4]), np.array([1.0, -1, -1, 1])
    >>> correlation(np.column_stack([x, x, y, y]), parties=2, beta=0.0).owner.tolist()
    [0, 0, 1, 1]
    """
    sizes = party_sizes(parties, _width(data))
    args = SPLITS["correlation"].arguments({"beta": beta, "definition": definition})
    args["parties"] = int(parties) if isinstance(parties, (int, np.integer)) else sizes
    corr = column_correlation(data)
    ends = bounds(corr, sizes, seed, definition)
    found = reach(corr, sizes, args["beta"], ends, seed, definition)
    achieved = {
        "beta": ends.beta(found.icor), "asked_beta": args["beta"], "icor": found.icor, "bounds": [ends.min, ends.max],
        "bounds_exact": ends.exact, "definition": definition, "evaluations": ends.evaluations + found.evaluations,
        "seed": int(seed),
    }  # fmt: skip
    return Partition("columns", found.owner, len(sizes), Use("correlation", args), achieved)


def icor_bounds(
    data: Dataset | np.ndarray, parties: int | Sequence[int] = 4, definition: Definition = "paper", seed: int = 0
) -> tuple[float, float]:
    """Find the least and the greatest correlation between parties.

    Parameters
    ----------
    data : Dataset or (n, m) float array
        Whose columns are divided; correlation is measured on training rows.
    parties : int or sequence of int
        K, between 2 and m, or the K sizes, which add up to m.
    definition : {"paper", "package"}
        Which Icor, as for `trustkit.metrics.icor`.
    seed : int
        Of the search, any integer.

    Returns
    -------
    tuple of float
        (min, max), the best found; certain where all divisions can be tried, see `trustkit.split.search.bounds`.

    Raises
    ------
    ValueError
        If the parties do not fit the columns or the definition is unknown.

    Examples
    --------
    >>> x, y = np.array([1.0, 2, 3, 4]), np.array([1.0, -1, -1, 1])
    >>> low, high = icor_bounds(np.column_stack([x, x, y, y]), parties=2, definition="package")
    >>> round(low, 6), round(high, 6)
    (-1.0, 0.0)
    """
    SPLITS["correlation"].arguments({"definition": definition})
    found: Bounds = bounds(column_correlation(data), party_sizes(parties, _width(data)), seed, definition)
    return found.min, found.max


@SPLITS.enter("uniform", title="at random, equal sizes", axis="columns")
def uniform(
    data: Dataset | np.ndarray, parties: Annotated[int, _PARTIES, "parties"] = 4, seed: int = 0
) -> Partition:
    """Deal columns at random, equally many to each party.

    Parameters
    ----------
    data : Dataset or (n, m) float array
        Whose columns are divided.
    parties : int
        K, between 2 and m; the first parties get the columns left over.
    seed : int
        Any integer.

    Returns
    -------
    Partition
        Over columns. ``achieved``: counts (K,), icor and its definition, seed.

    Raises
    ------
    ValueError, TypeError
        If the parties do not fit the columns.

    Examples
    --------
    >>> uniform(np.eye(7), parties=3).sizes.tolist()
    [3, 2, 2]
    """
    args = SPLITS["uniform"].arguments({"parties": parties})
    sizes = party_sizes(int(parties), _width(data))
    owner = stream(seed, "uniform").permutation(np.repeat(np.arange(len(sizes)), sizes))
    return Partition("columns", owner, len(sizes), Use("uniform", args), _measured(data, owner, len(sizes), seed))


@SPLITS.enter("by_views", title="by natural views", axis="columns")
def by_views(data: Dataset, seed: int = 0) -> Partition:
    """Give each natural view of the data (a sensor, an institution) to one party.

    Parameters
    ----------
    data : Dataset
        With ``notes["views"]``: the name of its view for each of the m columns.
    seed : int
        Not used; every split takes one.

    Returns
    -------
    Partition
        Over columns, parties in the order in which their views first occur. ``achieved``: names (K,), counts (K,), icor
        and its definition, seed.

    Raises
    ------
    ValueError
        If the data set names no views, not one for each column, or fewer than two.

    Examples
    --------
    >>> from trustkit.data import Provenance
    >>> notes = {"views": ("photo", "photo", "sound")}
    >>> data = Dataset("d", np.eye(3), np.arange(3), ("a", "b", "c"), (), Provenance("me", "CC0"), notes=notes)
    >>> by_views(data).achieved["names"]
    ['photo', 'sound']
    """
    views = [str(view) for view in data.notes.get("views", ())]
    names = list(dict.fromkeys(views))
    if len(views) != data.X.shape[1] or len(names) < 2:
        raise ValueError(
            f"{data.name} must name at least two views, one for each of its {data.X.shape[1]} columns, "
            f"got {len(names)} views for {len(views)} columns"
        )
    owner = np.array([names.index(view) for view in views])
    achieved = {"names": names, **_measured(data, owner, len(names), seed)}
    return Partition("columns", owner, len(names), Use("by_views"), achieved)


def from_columns(data: Dataset, owners: Mapping[str, Sequence[str | int]]) -> Partition:
    """Divide columns by hand.

    Parameters
    ----------
    data : Dataset
        Whose m columns are divided.
    owners : mapping of str to sequence of str or int
        The columns of each of K ≥ 2 parties, by name or number (0 … m−1); the first party holds the target. Columns that
        are not listed belong to nobody.

    Returns
    -------
    Partition
        Over columns. ``achieved``: names (K,), counts (K,), icor and its definition, seed.

    Raises
    ------
    KeyError
        If there is no such column.
    ValueError
        If a column is listed twice, or there are fewer than two parties.

    Examples
    --------
    >>> from trustkit.data import Provenance
    >>> data = Dataset("d", np.eye(3), np.arange(3), ("a", "b", "c"), (), Provenance("me", "CC0"))
    >>> from_columns(data, {"bank": ["a"], "shop": [1, "c"]}).owner.tolist()
    [0, 1, 1]
    """
    if len(owners) < 2:
        raise ValueError(f"owners must name at least 2 parties, got {len(owners)}")
    m, owner = len(data.columns), np.full(len(data.columns), -1)
    for k, (party, columns) in enumerate(owners.items()):
        for column in columns:
            known = column in data.columns if isinstance(column, str) else 0 <= column < m
            if not known:
                raise KeyError(f"{data.name} has no column {column!r} for {party}; it has {', '.join(data.columns)}")
            index = data.columns.index(column) if isinstance(column, str) else int(column)
            if owner[index] >= 0:
                raise ValueError(f"a column must have one owner, got {data.columns[index]!r} twice, last for {party}")
            owner[index] = k
    achieved = {"names": list(owners), **_measured(data, owner, len(owners), 0)}
    return Partition("columns", owner, len(owners), None, achieved)
