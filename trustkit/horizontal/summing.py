"""Sums as secure aggregation gives them, without the masks: simulated, and the same to the last bit.

Masks cancel exactly modulo the size of a word, so the sum of the words is that of the masked words. A training that is
simulated in one process leaves them out for speed; `trustkit.horizontal.secure.secure_sum` is the protocol itself.
"""

from __future__ import annotations

import numpy as np

from trustkit.horizontal.fixedpoint import Bits, decode, encode

__all__ = ["FRACTION", "MINIMUM", "secure_mean", "secure_total", "word_sum"]

FRACTION = 32
"""Binary digits after the point of what clients send in training."""

MINIMUM = 3
"""The least number of clients in a sum."""


def word_sum(
    values: np.ndarray, *, minimum: int = MINIMUM, delivered: np.ndarray | None = None, fraction: int = 0,
    bits: Bits = 64,
) -> np.ndarray:  # fmt: skip
    """Add up the clients' vectors as fixed-point words: simulated secure aggregation, without the masks.

    Parameters
    ----------
    values : (K, n) array
        One client's vector a row.
    minimum : int
        The least number of clients in a sum, at least 2: fewer are refused.
    delivered : (K,) bool array, optional
        Whose vector arrived; all by default.
    fraction : int
        Binary digits after the point, 0 to 52; 0 for whole numbers.
    bits : {32, 64}
        Width of a word.

    Returns
    -------
    (n,) int64 or float64 array
        Bit for bit what `trustkit.horizontal.secure.secure_sum` returns.

    Raises
    ------
    ValueError
        If too few clients delivered, the sum could overflow, or a number is out of range or not finite.

    Examples
    --------
    >>> word_sum(np.array([[1, -2], [3, 4], [5, 6]])).tolist()
    [9, 8]
    """
    words = encode(values, fraction=fraction, bits=bits)
    alive = np.ones(len(words), bool) if delivered is None else np.asarray(delivered, bool)
    if alive.shape != (len(words),):
        raise ValueError(f"delivered must have one entry for each of the {len(words)} clients, got shape {alive.shape}")
    if minimum < 2:
        raise ValueError(f"minimum must be at least 2, got {minimum!r}")
    if alive.sum() < minimum:
        raise ValueError(f"a secure sum must have at least {minimum} clients, got {alive.sum()}")
    return decode(words[alive].sum(axis=0, dtype=words.dtype), fraction=fraction)


def secure_total(weights: np.ndarray, stack: np.ndarray) -> np.ndarray:
    """Add up what clients send, each its vector times its own weight, through simulated secure aggregation.

    Parameters
    ----------
    weights : (m,) float array
        One a client.
    stack : (m, P) float array
        One row a client, m at least 3.

    Returns
    -------
    (P,) float64 array
        Σ_k a_k x_k, off by at most m · 2^−33.

    Raises
    ------
    ValueError
        If there are fewer than three clients, a number is not finite, or the sum could leave the range ±2^31.

    Notes
    -----
    Each client rounds a_k x_k to a multiple of 2^−32; the words are added as `word_sum` does.

    Examples
    --------
    >>> secure_total(np.array([1.0, 2.0, 1.0]), np.array([[0.5], [0.25], [-1.0]])).tolist()
    [0.0]
    """
    return word_sum(np.asarray(weights, float)[:, None] * stack, fraction=FRACTION)


def secure_mean(stack: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Average the clients, each counted by its weight, through simulated secure aggregation.

    Parameters
    ----------
    stack : (m, P) float array
        One row a client, m at least 3.
    weights : (m,) float array
        Whole numbers of at least 1, such as rows.

    Returns
    -------
    (P,) float array
        The mean, in the type of the stack, off by at most 2^−33 before it is rounded to that type.

    Raises
    ------
    ValueError
        If there are fewer than three clients, a number is not finite, or the sum could leave the range ±2^31.

    Notes
    -----
    Σ_k n_k x_k / Σ_k n_k: clients send n_k x_k and n_k, the server divides one sum by the other. The sums are off by
    at most m · 2^−33, and Σ_k n_k is at least m.

    Source
    ------
    McMahan et al. (2017), Algorithm 1; Bonawitz et al. (2017), "Practical secure aggregation for privacy-preserving
    machine learning", for the sum.

    Deviations
    ----------
    Simulated: words are added without masks, which gives the same words.

    Examples
    --------
    >>> secure_mean(np.array([[0.0], [4.0], [2.0]]), np.array([3.0, 1.0, 1.0])).tolist()
    [1.2]
    """
    return np.asarray(secure_total(weights, stack) / weights.sum(), stack.dtype)
