"""Splits of the columns among parties that share all rows: by importance, by correlation, at random."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from trustkit.catalogue import SPLITS, Interval, Use
from trustkit.data import Dataset
from trustkit.metrics.correlation import Definition
from trustkit.partition import Partition
from trustkit.records import Progress
from trustkit.rng import stream
from trustkit.split.measured import measured, varied_correlation, width
from trustkit.split.search import Method, bounds, reach
from trustkit.split.seats import party_sizes
from trustkit.split.shares import deal_columns

__all__ = ["correlation", "icor_bounds", "importance", "uniform"]

_PARTIES = Interval(2, 2048)


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
        If a parameter is out of range, α has another length than K, or Icor cannot be measured, as there is a missing
        or infinite value or less than 2 training rows.

    Notes
    -----
    (p₁, …, p_K) ~ Dirichlet(α₁, …, α_K); each column goes to party k with probability p_k. The expected number of
    columns is m·α_k/Σα if parties may be empty (Theorem 1), otherwise 1 + (m − K)·α_k/Σα.

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
    m = width(data)
    args = SPLITS["importance"].arguments({"parties": parties, "alpha": alpha, "allow_empty": allow_empty})
    K = len(party_sizes(int(parties), m))
    owner, shares = deal_columns(m, K, args["alpha"], allow_empty, seed)
    achieved = {"shares": shares.tolist(), **measured(data, owner, K, seed)}
    return Partition("columns", owner, K, Use("importance", args), achieved)


@SPLITS.enter("correlation", title="by correlation (β)", axis="columns")
def correlation(
    data: Dataset | np.ndarray,
    parties: Annotated[int | tuple[int, ...], _PARTIES, "parties, or the columns of each"] = 4,
    beta: Annotated[float, Interval(0, 1, step=0.01), "0: correlated columns together; 1: spread out"] = 0.5,
    definition: Annotated[Definition, "how correlation between parties is measured"] = "paper",
    method: Annotated[Method, "annealing, or the paper's genetic search (slower, narrower bounds)"] = "annealing",
    seed: int = 0,
    progress: Progress | None = None,
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
    method : {"annealing", "brkga"}
        How divisions are looked for, unless they are so few that all are tried; "brkga" is the paper's genetic search
        and needs pymoo (``trustkit[brkga]``).
    seed : int
        Any integer.
    progress : callable, optional
        Told what is being looked for ("least and greatest correlation", then "target") and which part of it is done
        (0 … 1). What it raises ends the search; nothing unfinished is kept.

    Returns
    -------
    Partition
        Over columns. ``achieved``: beta and asked_beta, icor and target (the Icor aimed at), bounds [min, max],
        bounds_exact (whether every division was tried), approximated (what was estimated for very wide tables, in a
        sentence, or None), definition, method, evaluations and seconds of the whole search (remembered bounds count
        with what they took), counts (K,), seed. β is NaN if all divisions have the same Icor.

    Raises
    ------
    ValueError, TypeError
        If a parameter is out of range, a value is missing or infinite, or no column varies.

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
    >>> x, y, z = np.array([1.0, 2, 3, 4]), np.array([1.0, -1, -1, 1]), np.array([1.0, -1, 1, -1])
    >>> correlation(np.column_stack([x, x, y, z]), parties=2, beta=0.0).owner.tolist()
    [0, 0, 1, 1]
    """
    sizes = party_sizes(parties, width(data))
    given = int(parties) if isinstance(parties, (int, np.integer)) else sizes
    args = SPLITS["correlation"].arguments({"parties": given, "beta": beta, "definition": definition, "method": method})
    corr = varied_correlation(data)
    ends = bounds(corr, sizes, seed, definition, progress, method)
    found = reach(corr, sizes, args["beta"], ends, seed, definition, progress, method)
    achieved = {
        "beta": ends.beta(found.icor), "asked_beta": args["beta"], "icor": found.icor,
        "target": ends.target(args["beta"]), "bounds": [ends.min, ends.max],
        "bounds_exact": ends.exact, "approximated": ends.approximated, "definition": definition, "method": method,
        "evaluations": ends.evaluations + found.evaluations, "seconds": ends.seconds + found.seconds,
        "counts": list(sizes), "seed": int(seed),
    }  # fmt: skip
    return Partition("columns", found.owner, len(sizes), Use("correlation", args), achieved)


def icor_bounds(
    data: Dataset | np.ndarray,
    parties: int | Sequence[int] = 4,
    definition: Definition = "paper",
    seed: int = 0,
    progress: Progress | None = None,
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
    progress : callable, optional
        Told "least and greatest correlation" and which part of it is done (0 … 1); what it raises ends the search.

    Returns
    -------
    tuple of float
        (min, max), the best found; certain where all divisions can be tried, see `trustkit.split.search.bounds`.

    Raises
    ------
    ValueError
        If the parties do not fit the columns, the definition is unknown, a value is missing, or no column varies.

    Notes
    -----
    Of all divisions into parties of these sizes, the least and the greatest `trustkit.metrics.icor`.

    Source
    ------
    VertiBench (Wu et al. 2023), Algorithm 1, lines 3 and 4.

    Deviations
    ----------
    Annealing instead of a genetic search; training rows only.

    Examples
    --------
    >>> x, y = np.array([1.0, 2, 3, 4]), np.array([1.0, -1, -1, 1])
    >>> low, high = icor_bounds(np.column_stack([x, x, y, y]), parties=2, definition="package")
    >>> round(low, 6), round(high, 6)
    (-1.0, 0.0)
    """
    sizes = party_sizes(parties, width(data))
    SPLITS["correlation"].arguments({"definition": definition})
    found = bounds(varied_correlation(data), sizes, seed, definition, progress)
    return found.min, found.max


@SPLITS.enter("uniform", title="at random, equal sizes", axis="columns")
def uniform(data: Dataset | np.ndarray, parties: Annotated[int, _PARTIES, "parties"] = 4, seed: int = 0) -> Partition:
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
        If the parties do not fit the columns, or Icor cannot be measured, as for `importance`.

    Examples
    --------
    >>> uniform(np.eye(7), parties=3).sizes.tolist()
    [3, 2, 2]
    """
    args = SPLITS["uniform"].arguments({"parties": parties})
    sizes = party_sizes(int(parties), width(data))
    owner = stream(seed, "uniform").permutation(np.repeat(np.arange(len(sizes)), sizes))
    return Partition("columns", owner, len(sizes), Use("uniform", args), measured(data, owner, len(sizes), seed))
