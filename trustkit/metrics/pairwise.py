"""Correlation of every two columns of a table: Spearman's and Pearson's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from trustkit.metrics.ranks import cosines

__all__ = ["ColumnReport", "Missing", "column_report", "pearson", "spearman"]

Missing = Literal["refuse", "rows", "mean"]
"""What is done about missing values."""


@dataclass(frozen=True, eq=False)
class ColumnReport:
    """What a table holds that its correlations do not show.

    Parameters
    ----------
    rows, columns : int
        Size of the table.
    missing : int
        Missing values (NaN).
    missing_columns : (c,) int array
        Columns with missing values, ascending.
    constant : (c,) int array
        Columns whose values are all the same, or all missing, among the rows that count: they correlate with nothing.
    rule : {"refuse", "rows", "mean"}
        What is done about missing values.
    rows_used : int
        Rows that count under this rule.
    """

    rows: int
    columns: int
    missing: int
    missing_columns: np.ndarray
    constant: np.ndarray
    rule: Missing
    rows_used: int


def _table(X: Any, missing: str) -> tuple[Any, np.ndarray]:
    """Return the table, dense or sparse, and the missing values of each column."""
    if missing not in get_args(Missing):
        raise ValueError(f"missing must be 'refuse', 'rows' or 'mean', got {missing!r}")
    sparse = hasattr(X, "tocsr")
    X = X.tocsr() if sparse else np.asarray(X)
    if X.dtype.kind not in "fiub":
        try:
            X = X.astype(float)
        except (TypeError, ValueError):
            raise ValueError(f"X must hold numbers, got an array of {X.dtype}") from None
    if X.ndim != 2:
        raise ValueError(f"X must be a table of rows and columns, got shape {X.shape}")
    if X.shape[0] < 2:
        raise ValueError(f"X must have at least 2 rows to correlate columns, got {X.shape[0]}")
    values = X.data if sparse else X
    if np.isfinite(values).all():
        return X, np.zeros(X.shape[1], int)
    at = X.indices if sparse else np.broadcast_to(np.arange(X.shape[1]), X.shape)
    infinite = np.unique(at[np.isinf(values)])
    if infinite.size:
        raise ValueError(f"X must hold finite numbers only, got infinite values in {infinite.size} columns")
    return X, np.bincount(at[np.isnan(values)], minlength=X.shape[1])


def _complete(X: Any) -> np.ndarray:
    """Return the rows without a missing value."""
    if not hasattr(X, "tocsr"):
        return np.flatnonzero(~np.isnan(X).any(axis=1))
    row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    return np.setdiff1d(np.arange(X.shape[0]), row[np.isnan(X.data)])


def _ready(X: Any, missing: str) -> Any:
    """Return the rows that count, or refuse."""
    X, gaps = _table(X, missing)
    if not gaps.any() or missing == "mean":
        return X
    if missing == "refuse":
        raise ValueError(
            f"X must have no missing values, got {gaps.sum()} in {np.count_nonzero(gaps)} of {gaps.size} columns; "
            "missing='rows' leaves out rows that have any, missing='mean' puts the column's mean in their place"
        )
    rows = _complete(X)
    if rows.size < 2:
        raise ValueError(f"missing='rows' must leave at least 2 rows, got {rows.size} complete ones of {X.shape[0]}")
    return X[rows]


def _checked(dtype: type) -> type:
    if np.dtype(dtype) not in (np.float64, np.float32):
        raise ValueError(f"dtype must be numpy.float64 or numpy.float32, got {dtype!r}")
    return dtype


def column_report(X: Any, missing: Missing = "refuse") -> ColumnReport:
    """Tell what missing values and constant columns a table has.

    Parameters
    ----------
    X : (n, m) array or SciPy sparse array
        Numbers, finite or missing (NaN), at least 2 rows.
    missing : {"refuse", "rows", "mean"}
        As for `spearman`; here nothing is refused for a missing value.

    Returns
    -------
    ColumnReport
        Counts, and the columns concerned.

    Raises
    ------
    ValueError
        If X is not a table of numbers, has fewer than 2 rows, or holds infinite values.

    Examples
    --------
    >>> found = column_report(np.array([[1.0, 5, np.nan], [2, 5, 3], [3, 5, 4]]), "rows")
    >>> found.missing, found.constant.tolist(), found.rows_used
    (1, [1], 2)
    """
    X, gaps = _table(X, missing)
    n, m = X.shape
    rows = _complete(X) if missing == "rows" and gaps.any() else None
    used = X if rows is None else X[rows]
    if hasattr(used, "tocsc"):
        used = used.tocsc()  # a copy
        used.sum_duplicates()
        column = np.repeat(np.arange(m), np.diff(used.indptr))
        low, high = np.full(m, np.inf), np.full(m, -np.inf)
        np.fmin.at(low, column, used.data)
        np.fmax.at(high, column, used.data)
        zeros = np.diff(used.indptr) < used.shape[0]
        low[zeros], high[zeros] = np.minimum(low[zeros], 0), np.maximum(high[zeros], 0)
    else:
        used = used if len(used) else np.full((1, m), np.nan)  # no row is left
        low, high = np.fmin.reduce(used, axis=0), np.fmax.reduce(used, axis=0)
    return ColumnReport(
        n,
        m,
        int(gaps.sum()),
        np.flatnonzero(gaps),
        np.flatnonzero(~(high > low)),
        missing,
        n if rows is None else rows.size,
    )


def spearman(X: Any, missing: Missing = "refuse", dtype: type = np.float64) -> np.ndarray:
    """Spearman's rank correlation of every two columns.

    Parameters
    ----------
    X : (n, m) array or SciPy sparse array
        Numbers in any units, at least 2 rows. A sparse table stays sparse.
    missing : {"refuse", "rows", "mean"}
        What is done about missing values (NaN). "refuse": an error; "rows": rows with any of them are left out;
        "mean": each takes the mean rank of its column.
    dtype : {numpy.float64, numpy.float32}
        Of the result and of what it is made from; with float32, correlations are exact to about 1e-6.

    Returns
    -------
    (m, m) array
        Symmetric, in [−1, 1]. A constant column has a zero row, a zero column and a zero on the diagonal.

    Raises
    ------
    ValueError
        If X is not a table of numbers, has fewer than 2 rows, or holds infinite values, or missing ones that are
        refused; the message counts them; or if what it makes will not fit into memory.

    Notes
    -----
    The correlation of the ranks, where equal values share the average of their ranks. The ranks are made once and all
    pairs come out of one matrix product. With "mean", ranks are counted among the values that are there, and a missing
    value adds nothing to any product; the matrix stays positive semidefinite.

    Source
    ------
    VertiBench (Wu et al. 2023), section 4.3.

    Deviations
    ----------
    The authors' code drops missing values pair by pair, after which the matrix may have negative eigenvalues; here
    one of three rules holds for the whole table. Constant columns are zero throughout, as in the authors' code; the
    paper does not say.

    Examples
    --------
    >>> spearman(np.array([[1.0, 10], [2, 100], [3, 1000]]))
    array([[1., 1.],
           [1., 1.]])
    """
    return cosines(_ready(X, missing), True, _checked(dtype))


def pearson(X: Any, missing: Missing = "refuse", dtype: type = np.float64) -> np.ndarray:
    """Pearson's linear correlation of every two columns.

    Parameters
    ----------
    X : (n, m) array or SciPy sparse array
        Numbers in any units, at least 2 rows. A sparse table stays sparse.
    missing : {"refuse", "rows", "mean"}
        As for `spearman`; with "mean", a missing value takes the mean of its column.
    dtype : {numpy.float64, numpy.float32}
        Of the result and of what it is made from; with float32, correlations are exact to about 1e-6.

    Returns
    -------
    (m, m) array
        Symmetric, in [−1, 1]. A constant column has a zero row, a zero column and a zero on the diagonal.

    Raises
    ------
    ValueError
        If X is not a table of numbers, has fewer than 2 rows, or holds infinite values, or missing ones that are
        refused; the message counts them; or if what it makes will not fit into memory.

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
    return cosines(_ready(X, missing), False, _checked(dtype))
