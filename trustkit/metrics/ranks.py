"""Columns as vectors of length 1, whose products are correlations: centred ranks or values, dense or sparse."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from trustkit import memory

__all__ = ["centred_ranks", "centred_values", "cosines"]

CHUNK = 4_000_000  # numbers of a dense table that are worked on at a time
PANEL = 256  # rows of the result that are worked on at a time if the table is sparse
ENTRY = 90  # bytes held for each entry of a sparse table, measured
BESIDE = 6  # copies of the numbers that are worked on at a time, measured
FILLED = 0.1  # filled share of a sparse table from which on dense panels are quicker than sparse products


def centred_ranks(columns: np.ndarray) -> np.ndarray:
    """Return the ranks of each column less their mean; ties share the average rank.

    Parameters
    ----------
    columns : (c, n) float array
        One column of the table a row; NaN where a value is missing.

    Returns
    -------
    (c, n) float array
        In [−(n − 1)/2, (n − 1)/2]; 0 where a value is missing, and throughout for a constant column.

    Notes
    -----
    Ranks are counted among the values that are there, so that each column's sum is 0.

    Source
    ------
    Spearman 1904, with average ranks.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> centred_ranks(np.array([[7.0, 5.0, 7.0, 9.0]]))
    array([[ 0. , -1.5,  0. ,  1.5]])
    """
    n = columns.shape[1]
    order = np.argsort(columns, axis=1)  # missing values come last, each a run of its own
    ordered = np.take_along_axis(columns, order, axis=1)
    opens = np.ones(ordered.shape, bool)  # where a run of equal values begins
    opens[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    starts = np.flatnonzero(opens)
    lengths = np.diff(starts, append=opens.size)
    middle = starts % n + (lengths - 1) / 2
    ranks: np.ndarray = np.empty(columns.shape)
    np.put_along_axis(ranks, order, np.repeat(middle, lengths).reshape(ordered.shape), axis=1)
    missing = np.isnan(columns)
    ranks -= (n - 1 - missing.sum(axis=1, keepdims=True)) / 2
    ranks[missing] = 0.0
    return ranks


def centred_values(columns: np.ndarray) -> np.ndarray:
    """Return the values of each column less their mean, in units of the largest such difference.

    Parameters
    ----------
    columns : (c, n) float array
        One column of the table a row; NaN where a value is missing.

    Returns
    -------
    (c, n) float array
        In [−1, 1]; 0 where a value is missing, and throughout for a constant column.

    Notes
    -----
    (x − x̄) / max |x − x̄| over the values that are there, so that squares neither overflow nor underflow.

    Source
    ------
    The centring of Pearson's correlation.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> centred_values(np.array([[1.0, 2.0, 9.0]]))
    array([[-0.6, -0.4,  1. ]])
    """
    there = ~np.isnan(columns)
    mean = np.where(there, columns, 0.0).sum(axis=1, keepdims=True) / np.maximum(there.sum(axis=1, keepdims=True), 1)
    low = np.where(there, columns, np.inf).min(axis=1, keepdims=True)
    high = np.where(there, columns, -np.inf).max(axis=1, keepdims=True)
    centred = np.where(there & (high > low), columns - mean, 0.0)
    largest = np.abs(centred).max(axis=1, keepdims=True)
    return np.asarray(centred / np.where(largest > 0, largest, 1.0))


def cosines(X: Any, ranked: bool, dtype: type) -> np.ndarray:
    """Return the cosines of the angles between the centred columns of a table.

    Parameters
    ----------
    X : (n, m) array or SciPy sparse array
        Numbers, n ≥ 2; NaN where a value is missing, zero where a sparse table has no entry. It is not changed.
    ranked : bool
        True for ranks, False for the values themselves.
    dtype : {numpy.float64, numpy.float32}
        Of the products and of the result.

    Returns
    -------
    (m, m) array
        Symmetric, of that type, in [−1, 1]. A constant column has a zero row, a zero column and a zero on the diagonal.

    Raises
    ------
    ValueError
        If they will not fit into memory.

    Notes
    -----
    ``UᵀU``, with U the centred columns divided by their lengths. A missing value is 0 there. In a sparse table all
    zeros of a column are one tie of rank r₀, so that s = rank − r₀ is as sparse as the column; with u = √n·mean(s), the
    product of two centred columns is ``sᵀs′ − u·u′``. Where more than half of a column is filled, that difference would
    lose digits, and the column is centred in full.

    Source
    ------
    Linear algebra.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> cosines(np.array([[0.0, 3], [0, 0], [5, 0]]), True, np.float64)
    array([[ 1. , -0.5],
           [-0.5,  1. ]])
    """
    memory.fits(f"correlations of {X.shape[1]:,} columns", _needs(X, np.dtype(dtype).itemsize))
    if hasattr(X, "tocsc"):
        result = _sparse_gram(X, ranked, dtype)
    else:
        units = _units(X, ranked, dtype)
        result = np.asarray(units @ units.T)
    varies = result.diagonal() > 0.5
    np.clip(result, -1.0, 1.0, out=result)
    np.fill_diagonal(result, varies)
    return result


def _needs(X: Any, item: int) -> int:
    """Return the bytes that correlations and what they are made of take."""
    n, m = X.shape
    if hasattr(X, "tocsc"):
        return int(item * m * m + ENTRY * X.nnz)
    return int(item * m * (m + n) + 8 * BESIDE * min(CHUNK, n * m))


def _inverse(lengths: np.ndarray) -> np.ndarray:
    """Return 1/length, and 0 for a length of 0: such a column is constant."""
    return np.asarray(np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0))


def _units(X: Any, ranked: bool, dtype: type) -> np.ndarray:
    """Return the (m, n) centred columns of a table, of length 1 each."""
    n, m = X.shape
    centre = centred_ranks if ranked else centred_values
    units: np.ndarray = np.empty((m, n), dtype)
    step = max(1, CHUNK // n)
    for start in range(0, m, step):
        part = X[:, start : start + step]
        part = part.toarray() if hasattr(part, "toarray") else part
        centred = centre(np.ascontiguousarray(part.T, dtype=float))
        centred *= _inverse(np.sqrt(np.einsum("ij,ij->i", centred, centred)))[:, None]
        units[start : start + step] = centred
    return units


def _sparse_gram(X: Any, ranked: bool, dtype: type) -> np.ndarray:
    """Return the products of the centred columns of a sparse table, of length 1 each."""
    from scipy.sparse import csc_array

    n, m = X.shape
    X = csc_array(X, dtype=float, copy=True)
    X.sum_duplicates()
    X.eliminate_zeros()
    entries = np.diff(X.indptr)
    full = 2 * entries > n
    units = _units(X[:, full], ranked, dtype)
    if full.all():
        return np.asarray(units @ units.T)
    slim = X[:, ~full]
    offset = np.zeros(m, dtype)
    offset[~full] = (_shift_ranks if ranked else _shift_values)(slim)
    entries = np.where(full, n, entries)
    filled = np.repeat(full, entries)
    data: np.ndarray = np.empty(filled.size, dtype)
    rows: np.ndarray = np.empty(filled.size, X.indices.dtype)
    data[filled], data[~filled] = units.ravel(), slim.data
    rows[filled], rows[~filled] = np.tile(np.arange(n), int(full.sum())), slim.indices
    shifts = csc_array((data, rows, np.concatenate([[0], np.cumsum(entries)])), shape=(n, m))
    result: np.ndarray = np.empty((m, m), dtype)
    for start, block in (_by_panels if data.size > FILLED * n * m else _by_products)(shifts):
        some = slice(start, start + len(block))
        block -= np.outer(offset[some], offset[start:])
        result[some, start:] = block
        result[start:, some] = block.T
    return result


def _by_products(shifts: Any) -> Iterator[tuple[int, np.ndarray]]:
    """Yield slabs of the upper half of SᵀS, made by sparse products."""
    by_column, rest = shifts.T.tocsr(), shifts.tocsr()
    for start in range(0, shifts.shape[1], PANEL):
        yield start, (by_column[start : start + PANEL] @ rest).toarray()
        rest = rest[:, PANEL:]


def _by_panels(shifts: Any) -> Iterator[tuple[int, np.ndarray]]:
    """Yield slabs of the upper half of SᵀS, made by dense products of a few columns at a time."""
    m = shifts.shape[1]
    for start in range(0, m, PANEL):
        left = shifts[:, start : start + PANEL].toarray()
        others = [shifts[:, at : at + PANEL].toarray() for at in range(start + PANEL, m, PANEL)]
        yield start, np.concatenate([left.T @ left, *(left.T @ right for right in others)], axis=1)


def _shift_ranks(slim: Any) -> np.ndarray:
    """Turn the entries of columns, half full at most, into rank − r₀, divided by the length; return √n times means."""
    n, m = slim.shape
    entries = np.diff(slim.indptr)
    column, absent = np.repeat(np.arange(m), entries), n - entries
    order = np.lexsort((slim.data, column))
    ordered = slim.data[order]
    opens = np.ones(ordered.size, bool)
    opens[1:] = (ordered[1:] != ordered[:-1]) | (column[1:] != column[:-1])
    starts = np.flatnonzero(opens)
    lengths = np.diff(starts, append=opens.size)
    middle = np.repeat(starts - slim.indptr[column[starts]] + (lengths - 1) / 2, lengths)
    missing = np.isnan(slim.data)
    at_zero = np.bincount(column, slim.data < 0, m) + (absent - 1) / 2
    mean = (n - np.bincount(column, missing, m) - 1) / 2 - at_zero
    slim.data[order] = middle + np.where(ordered > 0, absent[column], 0) - at_zero[column]
    return _normalised(slim, column, missing, mean)


def _shift_values(slim: Any) -> np.ndarray:
    """Divide the entries of columns, half full at most, by the length of the centred column; return √n times means."""
    n, m = slim.shape
    column = np.repeat(np.arange(m), np.diff(slim.indptr))
    missing = np.isnan(slim.data)
    largest = np.zeros(m)
    np.maximum.at(largest, column, np.where(missing, 0.0, np.abs(slim.data)))
    slim.data *= _inverse(largest)[column]
    total = np.bincount(column, np.where(missing, 0.0, slim.data), m)
    return _normalised(slim, column, missing, total / np.maximum(n - np.bincount(column, missing, m), 1))


def _normalised(slim: Any, column: np.ndarray, missing: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """Give missing entries the mean of their column and the centred columns length 1; return √n times the means."""
    n = slim.shape[0]
    slim.data[missing] = mean[column[missing]]
    inverse = _inverse(np.sqrt(np.bincount(column, slim.data**2, mean.size) - n * mean**2))
    slim.data *= inverse[column]
    return np.asarray(mean * inverse * np.sqrt(n))
