"""How a server makes one vector of the clients' vectors: pure functions of a stack (m, P)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

__all__ = ["Aggregate", "median", "trimmed_mean", "weighted_mean"]

Aggregate = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""From the clients' parameters (m, P) and weights (m,) to one vector (P,)."""


def weighted_mean(stack: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Average the clients, each counted by its weight.

    Parameters
    ----------
    stack : (m, P) float array
        One row a client, m at least 1.
    weights : (m,) float array
        Non-negative, not all 0; only their ratios matter.

    Returns
    -------
    (P,) float array
        The mean.

    Notes
    -----
    Σ_k n_k w_k / Σ_k n_k.

    Source
    ------
    McMahan et al. (2017), Algorithm 1.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> weighted_mean(np.array([[0.0], [4.0]]), np.array([3.0, 1.0])).tolist()
    [1.0]
    """
    return np.asarray((weights / weights.sum()).astype(stack.dtype) @ stack)


def median(stack: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Take the median of each coordinate.

    Parameters
    ----------
    stack : (m, P) float array
        One row a client, m at least 1.
    weights : (m,) float array
        Not used: every client counts the same.

    Returns
    -------
    (P,) float array
        The middle value; of an even number the mean of the two middle ones.

    Notes
    -----
    Sorting whole columns is several times faster than selecting, because numpy sorts in vector instructions.

    Source
    ------
    Yin et al. (2018), "Byzantine-robust distributed learning", Definition 1.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> median(np.array([[0.0], [1.0], [99.0]]), np.ones(3)).tolist()
    [1.0]
    """
    ordered = np.sort(stack, axis=0)
    m = len(ordered)
    return np.asarray((ordered[(m - 1) // 2] + ordered[m // 2]) / 2)


def trimmed_mean(stack: np.ndarray, weights: np.ndarray, share: float) -> np.ndarray:
    """Average each coordinate without its largest and smallest values.

    Parameters
    ----------
    stack : (m, P) float array
        One row a client, m at least 1.
    weights : (m,) float array
        Not used: every client counts the same.
    share : float
        In [0, 0.5): which share of the clients to leave out at either end, rounded down to a number of clients.

    Returns
    -------
    (P,) float array
        The mean of what remains.

    Notes
    -----
    With g = ⌊share·m⌋, the mean of the values ranked g + 1 … m − g.

    Source
    ------
    Yin et al. (2018), "Byzantine-robust distributed learning", Definition 2.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> trimmed_mean(np.array([[0.0], [1.0], [2.0], [99.0]]), np.ones(4), share=0.25).tolist()
    [1.5]
    """
    drop = int(round(share * len(stack), 9))  # 0.29 · 100 is 28.999… in binary
    return np.asarray(np.sort(stack, axis=0)[drop : len(stack) - drop].mean(axis=0))
