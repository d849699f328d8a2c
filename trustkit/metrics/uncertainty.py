"""How sure a gap between groups is: resampled intervals, and the gap that chance alone would give."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from trustkit.metrics.gaps import Rate, gaps_from_counts
from trustkit.rng import stream

__all__ = ["bootstrap_interval", "chance_gap"]


def _draws_checked(draws: int) -> None:
    if draws < 1:
        raise ValueError(f"draws must be at least 1, got {draws!r}")


def bootstrap_interval(
    counts: Any, rate: Rate = "selection", *, draws: int = 1000, level: float = 0.95, seed: int = 0, min_group: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Return an interval for the gap of every client, by resampling its rows.

    Parameters
    ----------
    counts : (…, G, 2, 2) int array
        Rows by (client,) group, label is favourable, prediction is favourable.
    rate : {"selection", "tpr", "fpr", "odds", "accuracy", "f1"}
        What is compared between groups.
    draws : int
        Resamples, at least 1.
    level : float
        Share of the resamples between the ends, strictly between 0 and 1.
    seed : int
        Client k draws from ``stream(seed, "bootstrap", k)``, so others cannot change its interval.
    min_group : int
        Groups with fewer rows than this, of those that the rate is taken over, are left out; at least 0.

    Returns
    -------
    low, high : (…,) float array
        Ends in [0, 1]; NaN where the gap is undefined.

    Raises
    ------
    ValueError
        If draws or level are out of range, or as `gaps_from_counts`.

    Notes
    -----
    n_k rows drawn with replacement are a multinomial draw of the counts with probabilities counts / n_k: all draws of a
    client are taken and measured at once. The ends are the (1 ± level)/2 quantiles of the resampled gaps. A gap is a
    largest minus a smallest rate, so that resampling moves it upwards: where groups hardly differ the interval lies
    too high. `chance_gap` answers whether a gap is more than chance.

    Source
    ------
    Efron 1979, percentile interval.

    Deviations
    ----------
    Resamples in which fewer than two groups are left are passed over. Which groups are large enough is decided once,
    by the counts themselves.

    Examples
    --------
    >>> low, high = bootstrap_interval([[[14, 56], [0, 0]], [[32, 48], [0, 0]]])
    >>> bool(0 < low < 0.2 < high < 0.4)
    True
    """
    if not 0 < level < 1:
        raise ValueError(f"level must be strictly between 0 and 1, got {level!r}")
    _draws_checked(draws)
    cells = np.asarray(counts)
    found = gaps_from_counts(cells, rate, min_group)
    flat = cells.reshape(-1, *cells.shape[-3:])
    defined = np.flatnonzero(~np.isnan(found.gap).ravel())
    ends = np.full((2, len(flat)), np.nan)
    for k in defined.tolist():
        kept = _large(flat[k], rate, min_group)
        total = int(kept.sum())
        drawn = stream(seed, "bootstrap", k).multinomial(total, kept.ravel() / total, size=draws)
        gaps = gaps_from_counts(drawn.reshape(draws, *kept.shape), rate).gap
        if not np.isnan(gaps).all():
            ends[:, k] = np.nanquantile(gaps, [(1 - level) / 2, (1 + level) / 2])
    low, high = ends.reshape(2, *found.gap.shape)
    return low, high


def _large(cells: np.ndarray, rate: str, min_group: int) -> np.ndarray:
    """Return the counts (G, 2, 2) without the groups that are too small."""
    if not min_group:
        return cells
    row = {"tpr": slice(1, 2), "fpr": slice(0, 1)}.get(rate, slice(None))
    size = cells[:, row].sum(axis=(-2, -1))
    if rate == "odds":
        size = cells.sum(axis=-1).max(axis=-1)
    return np.where((size >= min_group)[:, None, None], cells, 0)


def chance_gap(
    counts: Any, rate: Literal["selection", "tpr", "fpr", "accuracy"] = "selection", *, draws: int = 1000,
    seed: int = 0, min_group: int = 0,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Say how large a gap chance alone gives groups of these sizes, and how often it reaches the one that is there.

    Parameters
    ----------
    counts : (…, G, 2, 2) int array
        Rows by (client,) group, label is favourable, prediction is favourable.
    rate : {"selection", "tpr", "fpr", "accuracy"}
        What is compared between groups.
    draws : int
        Permutations, at least 1.
    seed : int
        Client k draws from ``stream(seed, "chance", k)``.
    min_group : int
        Groups with fewer rows than this, of those that the rate is taken over, are left out; at least 0.

    Returns
    -------
    expected : (…,) float array
        The mean gap if predictions were dealt to the groups at random, in [0, 1]; NaN where the gap is undefined.
    p : (…,) float array
        In (0, 1]: the share of permutations whose gap is at least the one that is there; NaN likewise.

    Raises
    ------
    ValueError
        If draws are below 1, or the rate is another one.

    Notes
    -----
    Permuting outcomes over the rows gives each group, one after the other, a hypergeometric number of them.
    p = (1 + permutations that reach the gap)/(1 + draws). Small groups make `expected` large: a mean of clients' gaps
    has to be read beside it.

    Source
    ------
    Fisher 1935, permutation test; Phipson and Smyth 2010 for the 1 that is added.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> expected, p = chance_gap([[[1, 1], [0, 0]], [[2, 0], [0, 0]]])
    >>> round(float(expected), 1), float(p)
    (0.5, 1.0)
    """
    if rate not in ("selection", "tpr", "fpr", "accuracy"):
        raise ValueError(f"rate must be one of selection, tpr, fpr, accuracy, got {rate!r}")
    _draws_checked(draws)
    cells = np.asarray(counts)
    found = gaps_from_counts(cells, rate, min_group)
    hits, size = _outcomes(cells, rate)
    hits, size = (each.reshape(-1, cells.shape[-3]) for each in (hits, size))
    gap = found.gap.ravel()
    answers = np.full((2, gap.size), np.nan)
    for k in np.flatnonzero(~np.isnan(gap)).tolist():
        groups = (size[k] > 0) & (size[k] >= min_group)
        dealt = _dealt(int(hits[k][groups].sum()), size[k][groups], draws, stream(seed, "chance", k))
        rates = dealt / size[k][groups]
        gaps = rates.max(axis=1) - rates.min(axis=1)
        answers[:, k] = gaps.mean(), (1 + (gaps >= gap[k] - 1e-12).sum()) / (1 + draws)
    expected, p = answers.reshape(2, *found.gap.shape)
    return expected, p


def _outcomes(cells: np.ndarray, rate: str) -> tuple[np.ndarray, np.ndarray]:
    """Return how often each group had the outcome, and of how many rows."""
    if rate == "selection":
        return cells[..., 1].sum(axis=-1), cells.sum(axis=(-2, -1))
    if rate == "accuracy":
        return cells[..., 0, 0] + cells[..., 1, 1], cells.sum(axis=(-2, -1))
    row = cells[..., int(rate == "tpr"), :]
    return row[..., 1], row.sum(axis=-1)


def _dealt(hits: int, size: np.ndarray, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Deal outcomes to groups of these sizes, (draws, G)."""
    dealt = np.zeros((draws, size.size), int)
    left, rows = np.full(draws, hits), int(size.sum())
    for g, n in enumerate(size.tolist()):
        dealt[:, g] = rng.hypergeometric(left, rows - left, n)
        left, rows = left - dealt[:, g], rows - n
    return dealt
