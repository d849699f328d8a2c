"""Correlation of every two columns of a table: Spearman's and Pearson's."""

from __future__ import annotations

import numpy as np

__all__ = ["pearson", "spearman"]


def _table(X: np.ndarray) -> np.ndarray:
    X = np.asarray(X, dtype=float)
    if X.ndim != 2:
        raise ValueError(f"X must be a table of rows and columns, got shape {X.shape}")
    if X.shape[0] < 2:
        raise ValueError(f"X must have at least 2 rows to correlate columns, got {X.shape[0]}")
    if not np.isfinite(X).all():
        bad = int((~np.isfinite(X)).any(axis=0).sum())
        raise ValueError(f"X must hold finite numbers only, got missing or infinite values in {bad} columns")
    return X


def _centred_ranks(X: np.ndarray) -> np.ndarray:
    """Return the (m, n) ranks of each column of X less their mean; ties share the average rank."""
    n = X.shape[0]
    by_column = np.ascontiguousarray(X.T)
    order = np.argsort(by_column, axis=1)
    ordered = np.take_along_axis(by_column, order, axis=1)
    opens = np.ones(ordered.shape, bool)  # where a run of equal values begins
    opens[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    starts = np.flatnonzero(opens)
    lengths = np.diff(starts, append=opens.size)
    middle = starts % n + (lengths - 1) / 2
    ranks: np.ndarray = np.empty(by_column.shape)
    np.put_along_axis(ranks, order, np.repeat(middle, lengths).reshape(ordered.shape), axis=1)
    ranks -= (n - 1) / 2
    return ranks


def _cosines(rows: np.ndarray, constant: np.ndarray) -> np.ndarray:
    """Return the cosines of the angles between centred rows; constant ones have cosine 0 with everything."""
    gram = rows @ rows.T
    length = np.sqrt(np.diag(gram))
    inverse = np.divide(1.0, length, out=np.zeros_like(length), where=~constant)
    corr = np.clip(gram * inverse[:, None] * inverse, -1.0, 1.0)
    np.fill_diagonal(corr, np.where(constant, 0.0, 1.0))
    return np.asarray(corr)


def spearman(X: np.ndarray) -> np.ndarray:
    """Spearman's rank correlation of every two columns.

    Parameters
    ----------
    X : (n, m) float array
        Finite, at least 2 rows, any units.

    Returns
    -------
    (m, m) float array
        Symmetric, in [−1, 1]. A constant column has a zero row, a zero column and a zero on the diagonal.

    Raises
    ------
    ValueError
        If X is not a table, has fewer than 2 rows, or holds missing or infinite values.

    Notes
    -----
    The correlation of the ranks, where equal values share the average of their ranks. The ranks are made once and all
    pairs come out of one matrix product.

    Source
    ------
    VertiBench (Wu et al. 2023), section 4.3.

    Deviations
    ----------
    The authors' code drops missing values pair by pair, after which the matrix may have negative eigenvalues; here
    missing values are refused. Constant columns are zero throughout, as in the authors' code; the paper does not say.

    Examples
    --------
    >>> spearman(np.array([[1.0, 10], [2, 100], [3, 1000]]))
    array([[1., 1.],
           [1., 1.]])
    """
    X = _table(X)
    return _cosines(_centred_ranks(X), np.ptp(X, axis=0) == 0)


def pearson(X: np.ndarray) -> np.ndarray:
    """Pearson's linear correlation of every two columns.

    Parameters
    ----------
    X : (n, m) float array
        Finite, at least 2 rows, any units.

    Returns
    -------
    (m, m) float array
        Symmetric, in [−1, 1]. A constant column has a zero row, a zero column and a zero on the diagonal.

    Raises
    ------
    ValueError
        If X is not a table, has fewer than 2 rows, or holds missing or infinite values.

    Notes
    -----
    ``cov(a, b) / (std(a) · std(b))``.

    Source
    ------
    The textbook definition; offered by the code of VertiBench (Wu et al. 2023) beside Spearman's.

    Deviations
    ----------
    Constant columns are 0 rather than undefined.

    Examples
    --------
    >>> pearson(np.array([[1.0, 3], [2, 2], [3, 1]]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    X = _table(X)
    constant = np.ptp(X, axis=0) == 0
    centred = X - X.mean(axis=0)
    largest = np.abs(centred).max(axis=0)  # no overflow and no underflow in the squares
    return _cosines((centred / np.where(largest > 0, largest, 1.0)).T, constant)
