"""What the column splits measure: the correlation of the columns, and of the parties that hold them."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from trustkit.data import Dataset
from trustkit.metrics.correlation import icor, spearman

__all__ = ["column_correlation", "measured", "width"]

_SEEN: WeakKeyDictionary[Dataset, np.ndarray] = WeakKeyDictionary()


def column_correlation(data: Dataset | np.ndarray) -> np.ndarray:
    """Spearman's rank correlation of the columns, over the training rows only.

    Parameters
    ----------
    data : Dataset or (n, m) float array
        Of an array all rows count.

    Returns
    -------
    (m, m) float array
        As `trustkit.metrics.spearman` gives it; read-only, and remembered as long as the data set lives.

    Raises
    ------
    ValueError
        If a value is missing or infinite, or there are fewer than 2 training rows.

    Examples
    --------
    >>> column_correlation(np.array([[1.0, 9.0], [2.0, 8.0], [3.0, 5.0]]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    if not isinstance(data, Dataset):
        return spearman(data)
    if data not in _SEEN:
        corr = spearman(data.X[~data.held_out])
        corr.setflags(write=False)
        _SEEN[data] = corr
    return _SEEN[data]


def width(data: Dataset | np.ndarray) -> int:
    """Count the columns.

    Parameters
    ----------
    data : Dataset or (n, m) array
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
    X = data.X if isinstance(data, Dataset) else np.asarray(data)
    if X.ndim != 2:
        raise ValueError(f"data must be a table of rows and columns, got shape {X.shape}")
    return int(X.shape[1])


def measured(data: Dataset | np.ndarray, owner: np.ndarray, K: int, seed: int) -> dict[str, Any]:
    """Measure a division of columns, for `Partition.achieved`.

    Parameters
    ----------
    data : Dataset or (n, m) float array
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
        counts (K,), icor by the paper's definition (NaN if fewer than two parties have columns), definition, seed.

    Examples
    --------
    >>> measured(np.array([[1.0, 1, 2], [2, 2, 1], [3, 3, 0]]), np.array([0, 0, 1]), 2, seed=0)["counts"]
    [2, 1]
    """
    counts = np.bincount(owner[owner >= 0], minlength=K).tolist()
    return {"counts": counts, "icor": icor(column_correlation(data), owner), "definition": "paper", "seed": int(seed)}
