"""How evenly clients are served, chosen and rewarded: one row of numbers for each of the three."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from trustkit.metrics.heterogeneity import (
    coefficient_of_variation,
    entropy,
    gini,
    jain_index,
    worst_share_mean,
)

__all__ = ["ClientSummary", "SelectionFairness", "client_summary", "contribution_fairness", "selection_fairness"]


class ClientSummary(NamedTuple):
    """Numbers about K clients' values: how large they are and how far apart; NaN where undefined."""

    defined: int
    mean: float
    weighted_mean: float
    variance: float
    variation: float
    smallest: float
    largest: float
    worst: float
    best: float
    jain: float
    gini: float
    uniformity: float
    cosine: float


class SelectionFairness(NamedTuple):
    """How often clients took part: ``times`` (K,), and how even that is; ``longest_wait`` in rounds."""

    times: np.ndarray
    jain: float
    gini: float
    variation: float
    spread: int
    never: float
    longest_wait: int


def client_summary(values: Any, weights: Any = None, share: float = 0.1) -> ClientSummary:
    """Summarise one number a client, for example accuracies.

    Parameters
    ----------
    values : (K,) float array
        At least 0; NaN, for clients without a value, is left out.
    weights : (K,) float array, optional
        For the weighted mean, at least 0, for example rows; by default all equal.
    share : float
        Of the clients that count as worst and as best, above 0 and at most 1.

    Returns
    -------
    ClientSummary
        ``worst`` and ``best``: means of the ⌈share · K⌉ smallest and largest values.

    Raises
    ------
    ValueError
        If a value or weight is negative, lengths differ, or the share is out of range.

    Notes
    -----
    variance with divisor K; variation σ/μ; uniformity: the entropy of a/Σa over log K; cosine: Σa/√(K Σa²), of the
    values and a vector of ones. Jain's index is 1/(1 + variation²): values near each other give almost 1, however
    large the gaps between groups are inside each client.

    Source
    ------
    Li et al. 2020 (q-FFL): variance, worst and best 10 %, cosine, entropy; Jain, Chiu and Hawe 1984; Gini 1912.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> found = client_summary([0.9, 0.8, 0.7, float("nan")], weights=[1, 1, 2, 5])
    >>> found.defined, round(found.mean, 3), round(found.weighted_mean, 3), found.worst
    (3, 0.8, 0.775, 0.7)
    """
    array = np.asarray(values, dtype=float)
    weight = np.ones(array.shape) if weights is None else np.asarray(weights, dtype=float)
    if array.ndim != 1 or weight.shape != array.shape:
        raise ValueError(f"values and weights must be vectors of one length, got {array.shape} and {weight.shape}")
    if (weight < 0).any():
        raise ValueError(f"weights must be at least 0, got {weight.min():g}")
    known = ~np.isnan(array)
    array, weight = array[known], weight[known]
    worst, best = worst_share_mean(array, share), -worst_share_mean(-array, share)
    index, inequality, variation = jain_index(array), gini(array), coefficient_of_variation(array)
    if not array.size:
        return ClientSummary(0, *[math.nan] * 12)
    mass = float(weight.sum())
    weighted = float((array * weight).sum() / mass) if mass > 0 else math.nan
    uniform = entropy(array, base=array.size) if array.size > 1 else math.nan
    return ClientSummary(array.size, float(array.mean()), weighted, float(array.var()), variation, float(array.min()),
                         float(array.max()), worst, best, index, inequality, uniform, math.sqrt(index))  # fmt: skip


def selection_fairness(selected: Any) -> SelectionFairness:
    """Say how evenly clients were chosen to take part.

    Parameters
    ----------
    selected : (T, K) bool array
        Who took part in which round.

    Returns
    -------
    SelectionFairness
        ``times`` (K,) rounds; Jain's index, Gini's coefficient and the coefficient of variation of them; ``spread``,
        largest minus smallest; ``never``, the share of clients that never took part; ``longest_wait``, the most rounds
        in a row that some client was left out. NaN for indices of nothing.

    Raises
    ------
    ValueError
        If it is no matrix.

    Notes
    -----
    See `jain_index`, `gini` and `coefficient_of_variation`.

    Source
    ------
    Huang et al. 2020 (RBCS-F) for the view of selection as a fairness of its own.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> found = selection_fairness([[1, 0], [1, 0], [0, 1]])
    >>> found.times.tolist(), found.jain, found.longest_wait
    ([2, 1], 0.9, 2)
    """
    took = np.asarray(selected)
    if took.ndim != 2:
        raise ValueError(f"selected must be a matrix of rounds and clients, got shape {took.shape}")
    took = took.astype(bool)
    times = took.sum(axis=0)
    rounds = np.arange(1, len(took) + 1)[:, None]
    waits = rounds - np.maximum.accumulate(np.where(took, rounds, 0), axis=0) if took.size else np.zeros((1, 1), int)
    return SelectionFairness(times, jain_index(times), gini(times), coefficient_of_variation(times),
                             int(np.ptp(times)) if times.size else 0,
                             float((times == 0).mean()) if times.size else math.nan, int(waits.max()))  # fmt: skip


def contribution_fairness(contribution: Any, reward: Any) -> float:
    """Return how well rewards follow contributions.

    Parameters
    ----------
    contribution : (K,) float array
        For example Shapley values; NaN is left out.
    reward : (K,) float array
        For example each client's final accuracy, or its gain over training alone; NaN is left out.

    Returns
    -------
    float
        In [−1, 1], 1 is best; NaN with fewer than two clients, or when either is the same for all.

    Raises
    ------
    ValueError
        If the lengths differ.

    Notes
    -----
    Pearson's correlation of the two.

    Source
    ------
    Lyu et al. 2020 (CFFL), collaborative fairness.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> round(contribution_fairness([0.1, 0.2, 0.3], [0.7, 0.8, 0.9]), 6)
    1.0
    """
    given, got = np.asarray(contribution, dtype=float), np.asarray(reward, dtype=float)
    if given.ndim != 1 or given.shape != got.shape:
        raise ValueError(f"contribution and reward must be vectors of one length, got {given.shape} and {got.shape}")
    known = ~np.isnan(given) & ~np.isnan(got)
    given, got = given[known], got[known]
    if given.size < 2 or np.ptp(given) == 0 or np.ptp(got) == 0:
        return math.nan
    given, got = given - given.mean(), got - got.mean()
    return float(np.clip(given @ got / math.sqrt(float(given @ given) * float(got @ got)), -1, 1))
