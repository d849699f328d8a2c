"""How unequal a list of numbers is, and how labels are spread over clients."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

__all__ = [
    "coefficient_of_variation", "entropy", "gini", "jain_index", "label_distribution", "worst_share_mean",
]  # fmt: skip


def _defined(values: Any, what: str, *, negative: bool = False) -> np.ndarray:
    array: np.ndarray = np.asarray(values, dtype=float)
    if array.ndim != 1:
        raise ValueError(f"{what} must be a vector, got shape {array.shape}")
    array = np.asarray(array[~np.isnan(array)])
    if not negative and (array < 0).any():
        raise ValueError(f"{what} must be at least 0, got {array.min():g}")
    return array


def entropy(p: Any, base: float = 2) -> float:
    """Return the entropy of a distribution.

    Parameters
    ----------
    p : (C,) array
        Probabilities or counts, at least 0; they are divided by their sum.
    base : float
        Of the logarithm, above 0: 2 for bits; C gives a number in [0, 1]. Base 1 with one outcome gives 0.

    Returns
    -------
    float
        From 0 (one outcome) to log C (all equal); NaN when the sum is 0.

    Raises
    ------
    ValueError
        If a probability is negative, or if the base is not positive.

    Notes
    -----
    −Σ p log p.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), equation 1.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> entropy([0.5, 0.25, 0.25])
    1.5
    >>> entropy([10, 10, 10, 10], base=4)
    1.0
    """
    if not base > 0:
        raise ValueError(f"base must be above 0, got {base!r}")
    weights = _defined(p, "p")
    if not weights.sum() > 0:
        return float("nan")
    shares = weights[weights > 0] / weights.sum()
    nats = float(-(shares * np.log(shares)).sum())
    if shares.size == 1:
        return 0.0
    return nats / math.log(base) if base != 1 else float("nan")


def coefficient_of_variation(x: Any) -> float:
    """Return the standard deviation divided by the mean.

    Parameters
    ----------
    x : (K,) array
        Any numbers, for example participation rates; NaN is left out.

    Returns
    -------
    float
        0 when all are equal; for K non-negative numbers at most √(K − 1); NaN when the mean is 0 or nothing is left.

    Raises
    ------
    ValueError
        If x is not a vector.

    Notes
    -----
    σ / μ, with the population standard deviation (divisor K).

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), equation 6.

    Deviations
    ----------
    The authors' code returns 0 where all values are 0; ours NaN, since nothing was measured to be even.

    Examples
    --------
    >>> coefficient_of_variation([1, 1, 3, 3])
    0.5
    """
    values = _defined(x, "x", negative=True)
    mean = values.mean() if values.size else 0.0
    return float(values.std() / mean) if mean != 0 else float("nan")


def jain_index(x: Any) -> float:
    """Return Jain's fairness index.

    Parameters
    ----------
    x : (K,) array
        Numbers of at least 0; NaN is left out.

    Returns
    -------
    float
        From 1/K (one has all) to 1 (all equal); NaN when all are 0 or nothing is left.

    Raises
    ------
    ValueError
        If a number is negative.

    Notes
    -----
    (Σx)² / (K Σx²) = 1 / (1 + CV²).

    Source
    ------
    Jain, Chiu and Hawe 1984.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> jain_index([1, 1, 0, 0])
    0.5
    """
    values = _defined(x, "x")
    square = float((values**2).sum())
    return float(values.sum() ** 2 / (values.size * square)) if square > 0 else float("nan")


def gini(x: Any) -> float:
    """Return the Gini coefficient.

    Parameters
    ----------
    x : (K,) array
        Numbers of at least 0; NaN is left out.

    Returns
    -------
    float
        From 0 (all equal) to 1 − 1/K (one has all); NaN when all are 0 or nothing is left.

    Raises
    ------
    ValueError
        If a number is negative.

    Notes
    -----
    Σ_i (2i − K − 1) x_(i) / (K Σx), with x sorted upwards and i from 1.

    Source
    ------
    Gini 1912.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> gini([0, 0, 0, 1])
    0.75
    """
    values = np.sort(_defined(x, "x"))
    total, size = float(values.sum()), values.size
    return float(((2 * np.arange(1, size + 1) - size - 1) * values).sum() / (size * total)) if total > 0 else math.nan


def label_distribution(y: Any, owner: Any, clients: int, classes: int) -> np.ndarray:
    """Count the rows of every class at every client.

    Parameters
    ----------
    y : (n,) int array
        Classes 0 … C−1.
    owner : (n,) int array
        Clients 0 … K−1; −1 for rows that nobody has.
    clients : int
        K, at least 1.
    classes : int
        C, at least 1.

    Returns
    -------
    (K, C) int array
        Rows by client and class.

    Raises
    ------
    ValueError
        If a class or a client is out of range, or if the lengths differ.

    Examples
    --------
    >>> label_distribution([0, 1, 1, 0], [0, 0, 1, -1], clients=2, classes=2).tolist()
    [[1, 1], [0, 1]]
    """
    label, own = np.asarray(y), np.asarray(owner)
    if label.shape != own.shape or label.ndim != 1:
        raise ValueError(f"y and owner must be vectors of one length, got shapes {label.shape} and {own.shape}")
    for what, values, low, high in (("y", label, 0, classes), ("owner", own, -1, clients)):
        if values.size and (values.min() < low or values.max() >= high):
            raise ValueError(f"{what} must lie in {low} … {high - 1}, got {values.min()} … {values.max()}")
    held = own >= 0
    cells = own[held].astype(int) * classes + label[held].astype(int)
    return np.bincount(cells, minlength=clients * classes).reshape(clients, classes)


def worst_share_mean(values: Any, share: float = 0.1) -> float:
    """Return the mean of the lowest values.

    Parameters
    ----------
    values : (K,) array
        For example accuracies by client; NaN is left out.
    share : float
        Which part of the values, above 0 and at most 1; rounded up to whole values.

    Returns
    -------
    float
        The mean of the ⌈share · K⌉ lowest; NaN when nothing is left.

    Raises
    ------
    ValueError
        If the share is not in (0, 1].

    Notes
    -----
    (1/c) Σ of the c lowest values, c = ⌈share · K⌉.

    Source
    ------
    Li et al. 2020, q-FFL, "worst 10 %".

    Deviations
    ----------
    None.

    Examples
    --------
    >>> worst_share_mean([0.9, 0.25, 0.8, 0.75], share=0.5)
    0.5
    """
    if not 0 < share <= 1:
        raise ValueError(f"share must be above 0 and at most 1, got {share!r}")
    array = np.sort(_defined(values, "values", negative=True))
    count = math.ceil(round(share * array.size, 9))
    return float(array[:count].mean()) if count else float("nan")
