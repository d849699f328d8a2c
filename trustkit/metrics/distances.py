"""Distances between two distributions, outcome by outcome: no outcome is nearer to another than to a third."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.special import rel_entr

__all__ = ["hellinger", "jensen_shannon", "kl_divergence", "plain", "shares", "total_variation"]


def shares(p: Any, q: Any) -> tuple[np.ndarray, np.ndarray]:
    """Divide two distributions by their sums.

    Parameters
    ----------
    p, q : (…, C) array
        Probabilities or counts, at least 0.

    Returns
    -------
    p, q : (…, C) float array
        Each adds up to 1 along the last axis; NaN where the sum is 0.

    Raises
    ------
    ValueError
        If a number is negative or not finite, there is no outcome, or the outcomes differ in number.

    Source
    ------
    Textbook definition.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> [share.tolist() for share in shares([1, 3], [0, 0])]
    [[0.25, 0.75], [nan, nan]]
    """
    found = []
    for what, values in (("p", p), ("q", q)):
        array = np.asarray(values, dtype=float)
        if array.ndim == 0 or array.shape[-1] == 0:
            raise ValueError(f"{what} must have at least 1 outcome, got shape {array.shape}")
        odd = array[~((array >= 0) & np.isfinite(array))]
        if odd.size:
            raise ValueError(f"{what} must hold finite numbers of at least 0, got {float(odd[0]):g}")
        total = array.sum(axis=-1, keepdims=True)
        found.append(np.divide(array, total, out=np.full(array.shape, np.nan), where=total > 0))
    if found[0].shape[-1] != found[1].shape[-1]:
        raise ValueError(f"p and q must have the same outcomes, got {found[0].shape[-1]} and {found[1].shape[-1]}")
    return found[0], found[1]


def plain(values: Any) -> float | np.ndarray:
    """Return a single number as a float, and an array as it is.

    Parameters
    ----------
    values : number or array
        Of any shape.

    Returns
    -------
    float or array
        The same numbers.

    Source
    ------
    Nothing is defined by it.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> plain(np.float64(0.5)), plain(np.array([0.5]))
    (0.5, array([0.5]))
    """
    array = np.asarray(values)
    return array if array.ndim else float(array)


def hellinger(p: Any, q: Any) -> float | np.ndarray:
    """Return the Hellinger distance.

    Parameters
    ----------
    p, q : (…, C) array
        Probabilities or counts, at least 0; each is divided by its sum.

    Returns
    -------
    float or (…,) float array
        From 0 (equal) to 1 (no outcome in common); NaN where a sum is 0.

    Raises
    ------
    ValueError
        If a number is negative or not finite, or the outcomes differ in number.

    Notes
    -----
    √(½ Σ (√p − √q)²).

    Source
    ------
    Hellinger 1909.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> round(hellinger([0.5, 0.3, 0.2], [0.1, 0.1, 0.8]), 6)
    0.450764
    """
    one, other = shares(p, q)
    return plain(np.sqrt(((np.sqrt(one) - np.sqrt(other)) ** 2).sum(axis=-1) / 2))


def total_variation(p: Any, q: Any) -> float | np.ndarray:
    """Return the total variation distance: the largest difference in the probability of any event.

    Parameters
    ----------
    p, q : (…, C) array
        Probabilities or counts, at least 0; each is divided by its sum.

    Returns
    -------
    float or (…,) float array
        From 0 (equal) to 1 (no outcome in common); NaN where a sum is 0.

    Raises
    ------
    ValueError
        If a number is negative or not finite, or the outcomes differ in number.

    Notes
    -----
    ½ Σ |p − q|.

    Source
    ------
    Textbook definition.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> round(total_variation([0.5, 0.3, 0.2], [0.1, 0.1, 0.8]), 6)
    0.6
    """
    one, other = shares(p, q)
    return plain(np.abs(one - other).sum(axis=-1) / 2)


def jensen_shannon(
    p: Any, q: Any, base: float = 2.0, kind: Literal["distance", "divergence"] = "distance"
) -> float | np.ndarray:
    """Return the Jensen–Shannon distance, or its square, the divergence.

    Parameters
    ----------
    p, q : (…, C) array
        Probabilities or counts, at least 0; each is divided by its sum.
    base : float
        Of the logarithm, above 1: 2 for bits, e for nats.
    kind : {"distance", "divergence"}
        The distance is a metric; the divergence is an information in the unit of the base.

    Returns
    -------
    float or (…,) float array
        From 0 (equal). With base 2 at most 1, without further normalisation; with another base at most log 2 for the
        divergence and its root for the distance. NaN where a sum is 0.

    Raises
    ------
    ValueError
        If a number is negative or not finite, the outcomes differ in number, the base is not above 1, or the kind is
        another.

    Notes
    -----
    JSD = ½ KL(p‖m) + ½ KL(q‖m) with m = (p + q)/2; the distance is √JSD. Both distributions weigh the same.

    Source
    ------
    Lin 1991; Endres and Schindelin 2003 for the root.

    Deviations
    ----------
    None. SciPy's ``jensenshannon`` is the distance in nats unless a base is given.

    Examples
    --------
    >>> p, q = [0.5, 0.3, 0.2], [0.1, 0.1, 0.8]
    >>> round(jensen_shannon(p, q), 6), round(jensen_shannon(p, q, kind="divergence"), 6)
    (0.530824, 0.281774)
    """
    if not base > 1 or not np.isfinite(base):
        raise ValueError(f"base must be above 1 and finite, got {base!r}")
    if kind not in ("distance", "divergence"):
        raise ValueError(f"kind must be 'distance' or 'divergence', got {kind!r}")
    one, other = shares(p, q)
    middle = (one + other) / 2
    nats = (rel_entr(one, middle) + rel_entr(other, middle)).sum(axis=-1) / 2
    divergence = np.maximum(nats / np.log(base), 0.0)  # rounding may leave −1e-17
    return plain(np.sqrt(divergence) if kind == "distance" else divergence)


def kl_divergence(p: Any, q: Any, smoothing: float = 0.0, base: float = np.e) -> float | np.ndarray:
    """Return the Kullback–Leibler divergence of p from q.

    Parameters
    ----------
    p, q : (…, C) array
        Probabilities or counts, at least 0; each is divided by its sum.
    smoothing : float
        Added to every share of both before they are divided by their sums again; at least 0.
    base : float
        Of the logarithm, above 1: e for nats, 2 for bits.

    Returns
    -------
    float or (…,) float array
        At least 0, not symmetric; infinite where q lacks an outcome of p and nothing is smoothed; NaN where a sum is 0.

    Raises
    ------
    ValueError
        If a number is negative or not finite, the outcomes differ in number, the smoothing is negative or the base is
        not above 1.

    Notes
    -----
    Σ p log(p/q), with p ← (p + s)/(1 + C s) and q likewise.

    Source
    ------
    Kullback and Leibler 1951; additive smoothing.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> round(kl_divergence([0.5, 0.3, 0.2], [0.1, 0.1, 0.8]), 6)
    0.857044
    >>> kl_divergence([1, 0], [0, 1]), round(kl_divergence([1, 0], [0, 1], smoothing=0.01), 3)
    (inf, 4.525)
    """
    if not smoothing >= 0 or not np.isfinite(smoothing):
        raise ValueError(f"smoothing must be at least 0 and finite, got {smoothing!r}")
    if not base > 1 or not np.isfinite(base):
        raise ValueError(f"base must be above 1 and finite, got {base!r}")
    one, other = shares(p, q)
    one, other = ((each + smoothing) / (1 + each.shape[-1] * smoothing) for each in (one, other))
    return plain(np.maximum(rel_entr(one, other).sum(axis=-1), 0.0) / np.log(base))
