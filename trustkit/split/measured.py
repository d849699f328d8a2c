"""What the column splits measure: the correlation of the columns, and of the parties that hold them."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from trustkit.data import Dataset
from trustkit.metrics.correlation import icor
from trustkit.metrics.pairwise import Missing, column_report, spearman

__all__ = ["WIDE", "column_correlation", "measured", "varied_correlation", "width"]

WIDE = 4000
"""Beyond so many columns, correlations are float32, and Icor is measured only where it is asked for."""

_SEEN: WeakKeyDictionary[Dataset, dict[str, np.ndarray]] = WeakKeyDictionary()


def _train(data: Any) -> Any:
    """Return the rows that count: of an array all, of a data set those for training."""
    return data.X[~data.held_out] if isinstance(data, Dataset) else data


def column_correlation(data: Any, missing: Missing = "refuse") -> np.ndarray:
    """Spearman's rank correlation of the columns, over the training rows only.

    Parameters
    ----------
    data : Dataset, or (n, m) float array or SciPy sparse array
        Of an array all rows count. A sparse table stays sparse.
    missing : {"refuse", "rows", "mean"}
        What is done about missing values: an error, rows left out, or the column's mean rank in their place.

    Returns
    -------
    (m, m) float array
        As `trustkit.metrics.spearman` gives it: float64, or float32 for more than 4,000 columns, exact to about 1e-6
        then. Of a data set it is read-only, and remembered as long as the data set lives.

    Raises
    ------
    ValueError
        If a value is infinite, or missing and refused, or there are fewer than 2 training rows.

    Examples
    --------
    >>> column_correlation(np.array([[1.0, 9.0], [2.0, 8.0], [3.0, 5.0]]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    dtype = np.float32 if width(data) > WIDE else np.float64
    if not isinstance(data, Dataset):
        return spearman(data, missing, dtype)
    seen = _SEEN.get(data, {})
    if missing not in seen:
        corr = spearman(_train(data), missing, dtype)
        corr.setflags(write=False)
        seen = _SEEN.setdefault(data, seen)
        seen[missing] = corr
    return seen[missing]


def varied_correlation(data: Any) -> np.ndarray:
    """Correlate columns of which at least one varies, as β is not defined otherwise.

    Parameters
    ----------
    data : Dataset, or (n, m) float array or SciPy sparse array
        As for `column_correlation`.

    Returns
    -------
    (m, m) float array
        As `column_correlation` gives it.

    Raises
    ------
    ValueError
        If all columns are constant, or as for `column_correlation`.

    Examples
    --------
    >>> varied_correlation(np.array([[1.0, 5.0], [2.0, 5.0]])).tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """
    corr = column_correlation(data)
    if not corr.diagonal().any():
        raise ValueError(f"data must have a column that varies, got {len(corr)} constant ones: β is not defined")
    return corr


def width(data: Any) -> int:
    """Count the columns.

    Parameters
    ----------
    data : Dataset, or (n, m) array or SciPy sparse array
        A table.

    Returns
    -------
    int
        m.

    Raises
    ------
    ValueError
        If an array is not a table.

    Examples
    --------
    >>> width(np.zeros((3, 2)))
    2
    """
    X = data.X if isinstance(data, Dataset) else data if hasattr(data, "tocsr") else np.asarray(data)
    if X.ndim != 2:
        raise ValueError(f"data must be a table of rows and columns, got shape {X.shape}")
    return int(X.shape[1])


def measured(data: Any, owner: np.ndarray, K: int, seed: int) -> dict[str, Any]:
    """Measure a division of columns, for `Partition.achieved`.

    Parameters
    ----------
    data : Dataset, or (n, m) float array or SciPy sparse array
        Whose columns are divided.
    owner : (m,) int array
        The party of each column, 0 … K−1; −1 for nobody.
    K : int
        Parties.
    seed : int
        Noted down.

    Returns
    -------
    dict
        counts (K,); icor by the paper's definition, NaN if fewer than two parties have columns and None (not known)
        beyond 4,000 columns, whose correlations take long; definition; constant, the number of columns with one value
        only, which correlate with nothing; seed.

    Raises
    ------
    ValueError
        If a value is infinite, there are fewer than 2 training rows, or up to 4,000 columns a value is missing.

    Examples
    --------
    >>> measured(np.array([[1.0, 1, 2], [2, 2, 1], [3, 3, 0]]), np.array([0, 0, 1]), 2, seed=0)["counts"]
    [2, 1]
    """
    counts = np.bincount(owner[owner >= 0], minlength=K).tolist()
    if width(data) > WIDE:
        value, constant = None, column_report(_train(data)).constant.size
    else:
        corr = column_correlation(data)
        value, constant = icor(corr, owner), int(np.count_nonzero(corr.diagonal() == 0))
    return {"counts": counts, "icor": value, "definition": "paper", "constant": constant, "seed": int(seed)}
