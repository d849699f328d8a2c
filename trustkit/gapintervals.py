"""95 % intervals for gaps in any rate, and for ratios of selection rates, from counts by client and group."""

from __future__ import annotations

import numpy as np

from trustkit.metrics.clients import disparity_interval
from trustkit.metrics.gaps import Rate, gaps_from_counts

__all__ = ["by_false_rate", "gap_interval", "ratio_interval"]

_ODDS: tuple[Rate, Rate] = ("tpr", "fpr")
_Z = 1.959964
"""The 97.5 % quantile of the normal distribution."""


def by_false_rate(counts: np.ndarray, min_group: int = 0) -> np.ndarray:
    """Return where the false positive rate differs more between groups than the true one.

    Parameters
    ----------
    counts : (K, G, 2, 2) int array
        Rows by client, group, favourable label and favourable prediction.
    min_group : int
        Groups with fewer rows than this, of those that the rate is taken over, are left out; at least 0.

    Returns
    -------
    (K,) bool array
        True also where the true positive rate has no gap.
    """
    true, false = (gaps_from_counts(counts, rate, min_group).gap for rate in _ODDS)
    return np.asarray((false > true) | np.isnan(true))


def gap_interval(counts: np.ndarray, rate: Rate = "selection", min_group: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return an interval for the gap of each client in a rate.

    Parameters
    ----------
    counts : (K, G, 2, 2) int array
        Rows by client, group, favourable label and favourable prediction.
    rate : {"selection", "tpr", "fpr", "odds", "accuracy"}
        What is compared; of odds the rate with the larger gap.
    min_group : int
        As in `by_false_rate`.

    Returns
    -------
    low, high : (K,) float array
        Ends in [0, 1]; NaN where the gap is undefined.

    Notes
    -----
    Newcombe's interval for two proportions, see `trustkit.metrics.disparity_interval`, of the rows that the rate is
    taken over. Which two groups are compared is picked by the data, which the interval ignores.

    Examples
    --------
    >>> low, high = gap_interval(np.array([[[[0, 0], [14, 56]], [[0, 0], [32, 48]]]]), "tpr")
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([0.0524], [0.3339])
    """
    if rate == "odds":
        true, false = (gap_interval(counts, each, min_group) for each in _ODDS)
        low, high = (np.where(by_false_rate(counts, min_group), b, a) for a, b in zip(true, false, strict=True))
        return low, high
    table = counts
    if rate != "selection":  # what is counted as a selection below is what the rate is about
        table = np.zeros_like(counts)
        if rate == "accuracy":
            table[..., 0, 1] = counts[..., 0, 0] + counts[..., 1, 1]
            table[..., 0, 0] = counts[..., 0, 1] + counts[..., 1, 0]
        else:
            table[..., 0, :] = counts[..., int(rate == "tpr"), :]
    return disparity_interval(table, min_group)


def ratio_interval(counts: np.ndarray, min_group: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return an interval for each client's smallest selection rate divided by its largest.

    Parameters
    ----------
    counts : (K, G, 2, 2) int array
        Rows by client, group, favourable label and favourable prediction.
    min_group : int
        Groups with fewer rows than this are left out; at least 0.

    Returns
    -------
    low, high : (K,) float array
        Ends in [0, 1]; NaN where there is no ratio, or it is 0.

    Notes
    -----
    exp(ln r ± 1.96 √(1/h₁ − 1/n₁ + 1/h₂ − 1/n₂)), cut at 1, with h of n rows selected in the two groups: Katz et al.
    1978, Biometrics 34. Which two groups are compared is picked by the data, which the interval ignores.

    Examples
    --------
    >>> low, high = ratio_interval(np.array([[[[14, 56], [0, 0]], [[32, 48], [0, 0]]]]))
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([0.6056], [0.9288])
    """
    gaps, size, hits = gaps_from_counts(counts, "selection", min_group), counts.sum((-2, -1)), counts[..., 1].sum(-1)
    ends = np.full((2, len(counts)), np.nan)
    for k in np.flatnonzero(gaps.ratio > 0):
        at = [gaps.worse[k], gaps.better[k]]
        half = _Z * np.sqrt((1 / hits[k, at] - 1 / size[k, at]).sum())
        ends[:, k] = gaps.ratio[k] * np.exp([-half, half])
    return ends[0], np.minimum(ends[1], 1.0)
