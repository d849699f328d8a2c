"""Merges that withstand malicious clients: pure functions of a stack (m, P), and what they need of a round.

f is the number of malicious clients that a rule is to withstand, ⌊share·m⌋ of the m in a round. Rows that are not
finite are left out before anything is computed, and do not count among the m.
"""

from __future__ import annotations

import numpy as np

from trustkit.horizontal.aggregate import even_mean, finite

__all__ = ["PAIRS", "bulyan", "enough", "filtered_mean", "krum", "krum_order", "multi_krum"]

PAIRS = 3.0
"""Numbers that Krum and its kin hold at once for every two clients: distances, and what they are made and ranked by."""

_LARGEST = 1e100


def _malicious(clients: int, share: float) -> int:
    return int(round(share * clients, 9))  # 0.29 · 100 is 28.999… in binary


def enough(name: str, share: float, factor: int, clients: int) -> None:
    """Refuse a round with too few clients for a rule.

    Parameters
    ----------
    name : str
        The rule's.
    share : float
        In [0, 0.5): the share of malicious clients to withstand.
    factor : int
        2 for Krum, 4 for Bulyan.
    clients : int
        How many a round has, m.

    Raises
    ------
    ValueError
        If m < factor·f + 3.

    Examples
    --------
    >>> enough("Bulyan", 0.2, 4, 10)
    Traceback (most recent call last):
    ValueError: Bulyan must have at least 4f + 3 clients in a round to withstand f of them, 11 for f = 2, got 10
    """
    f = _malicious(clients, share)
    if clients < factor * f + 3:
        raise ValueError(
            f"{name} must have at least {factor}f + 3 clients in a round to withstand f of them, "
            f"{factor * f + 3} for f = {f}, got {clients}"
        )


def _distances(stack: np.ndarray) -> np.ndarray:
    """Return squared distances (m, m), symmetric to the last bit; centred first, so that little cancels."""
    centred = stack.astype(float) - np.sort(stack, axis=0)[len(stack) // 2]
    centred /= max(1.0, float(np.abs(centred).max(initial=0)) / _LARGEST)  # so that no square is infinite
    products = centred @ centred.T
    products = (products + products.T) / 2
    norms = np.diag(products)
    squared = np.maximum(norms[:, None] + norms - 2 * products, 0)
    np.fill_diagonal(squared, 0)
    return np.asarray(squared)


def _order(squared: np.ndarray, f: int) -> np.ndarray:
    """Rank clients by the sum of their m − f − 2 least distances to others; ties by the sum of all."""
    nearest = np.sort(squared, axis=1)[:, 1 : 1 + max(1, len(squared) - f - 2)]
    return np.lexsort((squared.sum(axis=1), nearest.sum(axis=1)))


def krum_order(stack: np.ndarray, share: float) -> np.ndarray:
    """Rank clients by how near their nearest neighbours are.

    Parameters
    ----------
    stack : (m, P) float array
        One row a client, m at least 1.
    share : float
        In [0, 0.5): the share of malicious clients to withstand.

    Returns
    -------
    (m,) int array
        Rows, the best first.

    Notes
    -----
    A row's score is the sum of its squared distances to the m − f − 2 rows nearest to it (at least one). Of equal
    scores, as two rows have that are each other's only neighbour, the one nearer to all rows comes first.

    Source
    ------
    Blanchard et al. (2017), "Machine learning with adversaries: Byzantine tolerant gradient descent".

    Deviations
    ----------
    The paper breaks ties by number; then the result would depend on how clients are numbered.

    Examples
    --------
    >>> krum_order(np.array([[0.0], [1.0], [1.5], [9.0]]), share=0.0).tolist()
    [1, 2, 0, 3]
    """
    return _order(_distances(stack), _malicious(len(stack), share))


def krum(stack: np.ndarray, weights: np.ndarray, share: float) -> np.ndarray:
    """Take the one client whose neighbours are nearest.

    Parameters
    ----------
    stack : (m, P) float array
        One row a client, m at least 1.
    weights : (m,) float array
        Not used: every client counts the same.
    share : float
        In [0, 0.5): the share of malicious clients to withstand.

    Returns
    -------
    (P,) float array
        One of the rows.

    Notes
    -----
    The first of `krum_order`.

    Source
    ------
    Blanchard et al. (2017), as for `krum_order`.

    Deviations
    ----------
    See `krum_order`.

    Examples
    --------
    >>> krum(np.array([[0.0], [1.0], [1.5], [9.0]]), np.ones(4), share=0.0).tolist()
    [1.0]
    """
    stack = finite(stack)
    return np.asarray(stack[krum_order(stack, share)[0]])


def multi_krum(stack: np.ndarray, weights: np.ndarray, share: float) -> np.ndarray:
    """Average the clients whose neighbours are nearest.

    Parameters
    ----------
    stack : (m, P) float array
        One row a client, m at least 1.
    weights : (m,) float array
        Not used: every client counts the same.
    share : float
        In [0, 0.5): the share of malicious clients to withstand.

    Returns
    -------
    (P,) float array
        The mean of the first m − f of `krum_order`.

    Notes
    -----
    Scores are computed once, not anew after each choice.

    Source
    ------
    Blanchard et al. (2017), the variant that averages.

    Deviations
    ----------
    See `krum_order`.

    Examples
    --------
    >>> multi_krum(np.array([[0.0], [1.0], [2.0], [99.0]]), np.ones(4), share=0.25).tolist()
    [1.0]
    """
    stack = finite(stack)
    kept = krum_order(stack, share)[: len(stack) - _malicious(len(stack), share)]
    return even_mean(stack[np.sort(kept)])


def bulyan(stack: np.ndarray, weights: np.ndarray, share: float) -> np.ndarray:
    """Choose clients by Krum, one after the other, then average each coordinate near its median.

    Parameters
    ----------
    stack : (m, P) float array
        One row a client, m at least 1.
    weights : (m,) float array
        Not used: every client counts the same.
    share : float
        In [0, 0.25): the share of malicious clients to withstand.

    Returns
    -------
    (P,) float array
        Within the range of honest values, coordinate by coordinate, if at most f of 4f + 3 clients are malicious.

    Notes
    -----
    Krum's choice is set aside m − 2f times. Of the chosen values of a coordinate, the m − 4f nearest to their median
    are averaged. These are neighbours in the order of values: of all such runs, the one whose farther end is nearest.

    Source
    ------
    El Mhamdi, Guerraoui and Rouault (2018), "The hidden vulnerability of distributed learning in Byzantium".

    Deviations
    ----------
    Towards the end fewer rows are left than Krum asks for; at least one neighbour is counted. See also `krum_order`.

    Examples
    --------
    >>> values = np.array([[1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [99.0]])
    >>> bulyan(values, np.ones(7), share=0.15).tolist()
    [4.0]
    """
    stack = finite(stack)
    m, f = len(stack), _malicious(len(stack), share)
    squared, left, chosen = _distances(stack), np.arange(m), list[int]()
    while len(chosen) < max(1, m - 2 * f):
        best = _order(squared[np.ix_(left, left)], f)[0]
        chosen.append(int(left[best]))
        left = np.delete(left, best)
    ordered = np.sort(stack[chosen], axis=0)
    keep = max(1, m - 4 * f)
    middle = ordered[(len(ordered) - 1) // 2] / 2 + ordered[len(ordered) // 2] / 2
    runs = len(ordered) - keep + 1
    with np.errstate(over="ignore"):  # infinitely far is far
        far = np.maximum(middle - ordered[:runs], ordered[keep - 1 :] - middle)
    first = far.argmin(axis=0)
    return even_mean(np.take_along_axis(ordered, first + np.arange(keep)[:, None], axis=0))


def filtered_mean(stack: np.ndarray, weights: np.ndarray, width: float) -> np.ndarray:
    """Average each coordinate without its outliers.

    Parameters
    ----------
    stack : (m, P) float array
        One row a client, m at least 1.
    weights : (m,) float array
        Not used: every client counts the same.
    width : float
        At least 1: how many standard deviations from the mean a value may lie.

    Returns
    -------
    (P,) float array
        The mean of the values that lie within.

    Notes
    -----
    Mean and standard deviation are those of all m values. No value lies more than √(m − 1) deviations from the mean, so
    no larger width leaves any out.

    Source
    ------
    RFOut-1d: Rodríguez-Barroso et al. (2022), "Backdoor attacks-resilient aggregation based on robust filtering of
    outliers in federated learning for image classification".

    Deviations
    ----------
    The rule follows the paper's published summary: client values of a coordinate are taken for Gaussian, and univariate
    outliers are filtered out.

    Examples
    --------
    >>> filtered_mean(np.array([[0.0], [1.0], [2.0], [1.0], [96.0]]), np.ones(5), width=1.5).tolist()
    [1.0]
    """
    stack = finite(stack)
    with np.errstate(over="ignore", invalid="ignore"):
        away = stack - stack.mean(axis=0)
    if not np.isfinite(away).all():  # beyond the range of float32
        away = stack - stack.mean(axis=0, dtype=float)
    peak = np.abs(away).max(axis=0)
    away /= np.where(peak > 0, peak, 1)  # so that no square is too small
    limit = width * np.sqrt(np.einsum("mp,mp->p", away, away) / len(stack))
    kept = np.abs(away) <= limit * (1 + 1e-6)  # equal values must not be lost to rounding
    total = np.where(kept, stack, 0).sum(axis=0, dtype=float if away.dtype != stack.dtype else None)
    with np.errstate(invalid="ignore"):  # if no row is finite, the mean is not defined
        return np.asarray(total / kept.sum(axis=0), stack.dtype)
