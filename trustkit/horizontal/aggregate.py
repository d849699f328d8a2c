"""How a server makes one vector of the clients' vectors: pure functions of a stack (m, P)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

__all__ = ["Aggregate", "even_mean", "finite", "median", "trimmed_mean", "weighted_mean"]

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


def finite(stack: np.ndarray) -> np.ndarray:
    """Leave out the clients whose models are not finite, as every robust rule does first.

    Parameters
    ----------
    stack : (m, P) float array
        One row a client.

    Returns
    -------
    (k, P) float array
        The rows without NaN and infinity; all of them if there is no such row.

    Examples
    --------
    >>> finite(np.array([[1.0], [np.nan], [3.0]])).tolist()
    [[1.0], [3.0]]
    """
    with np.errstate(invalid="ignore", over="ignore"):
        total = stack.sum(dtype=float)
    if np.isfinite(total):
        return stack
    whole = np.isfinite(stack).all(axis=1)
    return stack[whole] if whole.any() else stack


def even_mean(rows: np.ndarray) -> np.ndarray:
    """Average rows, each counting the same; a sum that would leave the range of float32 is made in float64.

    Parameters
    ----------
    rows : (m, P) float array
        At least one.

    Returns
    -------
    (P,) float array
        In the dtype of the rows.

    Examples
    --------
    >>> even_mean(np.array([[3e38], [3e38]], np.float32)).tolist() == [float(np.float32(3e38))]
    True
    """
    with np.errstate(over="ignore", invalid="ignore"):
        mean = rows.mean(axis=0)
        if not np.isfinite(mean).all():
            mean = (rows / len(rows)).sum(axis=0, dtype=float)
    return np.asarray(mean, rows.dtype)


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
        The middle value; of an even number the mean of the two middle ones. Rows that are not `finite` do not count.

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
    ordered = np.sort(finite(stack), axis=0)
    m = len(ordered)
    return np.asarray(ordered[(m - 1) // 2] / 2 + ordered[m // 2] / 2)  # no sum leaves the range of float32


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
        The mean of what remains. Rows that are not `finite` do not count among the m.

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
    stack = finite(stack)
    drop = int(round(share * len(stack), 9))  # 0.29 · 100 is 28.999… in binary
    return even_mean(np.sort(stack, axis=0)[drop : len(stack) - drop])
