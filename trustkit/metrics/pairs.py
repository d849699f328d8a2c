"""Group fairness of one set of predictions as a ratio, and as a pair: who is worse off, and by how much."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from trustkit.metrics.counting import count_clients
from trustkit.metrics.gaps import Rate, gaps_from_counts, why_undefined
from trustkit.metrics.groups import group_counts

__all__ = ["Pair", "demographic_parity_ratio", "equal_opportunity_ratio", "equalized_odds_ratio", "worse_off"]


class Pair(NamedTuple):
    """Who is better and worse off, by which gap; the values are empty and the gap is NaN for the reason given."""

    better: str
    worse: str
    gap: float
    reason: str


def demographic_parity_ratio(pred: Any, sensitive: Any, *, min_group: int = 0) -> float:
    """Return the smallest selection rate over the groups divided by the largest.

    Parameters
    ----------
    pred : (n,) array of 0/1 or bool
        Predicted labels; 1 is favourable.
    sensitive : (n,) array of anything sortable
        The protected attribute; rows where it is None or NaN are left out.
    min_group : int
        Groups with fewer rows than this are left out, at least 0.

    Returns
    -------
    float
        In [0, 1], 1 is best; NaN when fewer than two groups are left, or when nobody is selected.

    Raises
    ------
    ValueError
        If a label is not 0 or 1, or if the lengths differ.

    Notes
    -----
    min over g of P(pred = 1 | A = g), divided by the same max.

    Source
    ------
    fairlearn's ``demographic_parity_ratio``; with two groups the disparate impact or its inverse, whichever is smaller.

    Deviations
    ----------
    A single group gives NaN, where fairlearn gives 1.

    Examples
    --------
    >>> demographic_parity_ratio([1, 1, 1, 0], ["a", "a", "b", "b"])
    0.5
    """
    return float(gaps_from_counts(group_counts(pred, pred, sensitive), "selection", min_group).ratio)


def equal_opportunity_ratio(pred: Any, y: Any, sensitive: Any, *, min_group: int = 0) -> float:
    """Return the smallest true positive rate over the groups divided by the largest.

    Parameters
    ----------
    pred, y : (n,) array of 0/1 or bool
        Predicted and true labels; 1 is favourable.
    sensitive : (n,) array of anything sortable
        The protected attribute; rows where it is None or NaN are left out.
    min_group : int
        Groups with fewer favourable-label rows than this are left out, at least 0.

    Returns
    -------
    float
        In [0, 1], 1 is best; NaN when fewer than two groups are left, or when all rates are 0.

    Raises
    ------
    ValueError
        If a label is not 0 or 1, or if the lengths differ.

    Notes
    -----
    min over g of P(pred = 1 | y = 1, A = g), divided by the same max.

    Source
    ------
    fairlearn's ``equal_opportunity_ratio``.

    Deviations
    ----------
    A group without favourable labels is left out, where fairlearn takes its rate as 0.

    Examples
    --------
    >>> equal_opportunity_ratio([1, 1, 1, 0], [1, 1, 1, 1], ["a", "a", "b", "b"])
    0.5
    """
    return float(gaps_from_counts(group_counts(pred, y, sensitive), "tpr", min_group).ratio)


def equalized_odds_ratio(pred: Any, y: Any, sensitive: Any, *, min_group: int = 0) -> float:
    """Return the smaller of the ratios of true and of false positive rates.

    Parameters
    ----------
    pred, y : (n,) array of 0/1 or bool
        Predicted and true labels; 1 is favourable.
    sensitive : (n,) array of anything sortable
        The protected attribute; rows where it is None or NaN are left out.
    min_group : int
        Groups with fewer rows of the label that a rate is taken over than this are left out of its ratio, at least 0.

    Returns
    -------
    float
        In [0, 1], 1 is best; the one ratio that is defined if the other is not; NaN when neither is.

    Raises
    ------
    ValueError
        If a label is not 0 or 1, or if the lengths differ.

    Notes
    -----
    The smaller of min/max of P(pred = 1 | y = 1, A = g) and of P(pred = 1 | y = 0, A = g) over g.

    Source
    ------
    fairlearn's ``equalized_odds_ratio``.

    Deviations
    ----------
    fairlearn gives NaN where one of the ratios is 0/0; ours is then the other one.

    Examples
    --------
    >>> equalized_odds_ratio([1, 1, 0, 1, 0, 1], [1, 1, 0, 1, 1, 0], list("aaabbb"))
    0.0
    """
    return float(gaps_from_counts(group_counts(pred, y, sensitive), "odds", min_group).ratio)


def worse_off(pred: Any, sensitive: Any, y: Any = None, *, rate: Rate = "selection", min_group: int = 0) -> Pair:
    """Name the group with the smallest rate and the group with the largest.

    Parameters
    ----------
    pred : (n,) array of 0/1 or bool
        Predicted labels; 1 is favourable.
    sensitive : (n,) array of anything sortable, or Coded
        The protected attribute, or the `intersection` of several; rows where it is missing are left out.
    y : (n,) array of 0/1 or bool, optional
        True labels; needed for every rate but "selection".
    rate : {"selection", "tpr", "fpr", "odds", "accuracy", "f1"}
        What is compared.
    min_group : int
        Groups with fewer of the rows that the rate is taken over are left out, at least 0.

    Returns
    -------
    Pair
        Of several groups with an equal rate the first by value; the same value twice where all rates are equal.

    Raises
    ------
    ValueError
        If labels are needed and missing, a label is not 0 or 1, or lengths differ.

    Notes
    -----
    The ordered pair (i, j) with the largest r_i − r_j.

    Source
    ------
    FeDa4Fair (Heilmann et al. 2025), value bias: j is the disadvantaged value.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> worse_off([1, 1, 1, 0], ["a", "a", "b", "b"])
    Pair(better='a', worse='b', gap=0.5, reason='')
    """
    if y is None and rate != "selection":
        raise ValueError(f"y must be given for the rate {rate!r}, got None")
    rows = np.zeros(np.size(pred), int)
    counted = count_clients(pred, pred if y is None else y, rows, {"": sensitive}, clients=1)[""]
    counts, values = counted.counts[0], counted.values
    found = gaps_from_counts(counts, rate, min_group)
    reason = str(why_undefined(counts, rate, min_group))
    if reason:
        return Pair("", "", float("nan"), reason)
    return Pair(values[int(found.better)], values[int(found.worse)], float(found.gap), "")
