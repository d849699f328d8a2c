"""Each party sorts its own columns into bins, as XGBoost does, and shows nobody where they begin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from trustkit.vertical.table import ColumnTable

__all__ = ["Binned", "binned", "coded", "cuts_of"]


@dataclass(frozen=True, eq=False)
class Binned:
    """One party's columns of the training rows, sorted into bins.

    Parameters
    ----------
    columns : (m_k,) int array
        Which columns of the table these are, ascending.
    cuts : tuple of (B_j,) float32 array
        Upper ends of each column's bins, ascending; a number belongs to the first bin whose end is above it.
    codes : (n, m_k) uint8 or uint16 array
        The bin of each number.
    """

    columns: np.ndarray
    cuts: tuple[np.ndarray, ...]
    codes: np.ndarray

    @cached_property
    def counts(self) -> np.ndarray:
        """How many bins each column has, (m_k,)."""
        return np.array([ends.size for ends in self.cuts])

    def real(self, width: int) -> np.ndarray:
        """Say which cells of a histogram of ``width`` bins a column are bins of this party.

        Parameters
        ----------
        width : int
            At least the largest number of bins of any column.

        Returns
        -------
        (m_k, width) bool array
            False beyond a column's last bin.
        """
        return np.asarray(np.arange(width) < self.counts[:, None])


def cuts_of(X: np.ndarray, bins: int) -> tuple[np.ndarray, ...]:
    """Place the ends of bins where XGBoost's ``hist`` places them.

    Parameters
    ----------
    X : (n, m_k) float32 array
        A party's columns of the training rows.
    bins : int
        At most so many a column, at least 2.

    Returns
    -------
    tuple of (B_j,) float32 array
        Upper ends of each column's bins.

    Notes
    -----
    A column's sketch looks at that column only, so parties who sketch their own columns get the cuts of one who holds
    them all.

    Examples
    --------
    >>> [ends.tolist()[:2] for ends in cuts_of(np.array([[0.0], [1.0], [2.0]], np.float32), 32)]
    [[1.0, 2.0]]
    """
    import xgboost

    first, ends = xgboost.QuantileDMatrix(X, max_bin=bins, nthread=1).get_quantile_cut()
    return tuple(np.asarray(ends[a + 1 : b], np.float32) for a, b in pairwise(first))


def coded(X: np.ndarray, cuts: Sequence[np.ndarray]) -> np.ndarray:
    """Look up the bin of each number.

    Parameters
    ----------
    X : (n, m_k) float array
        Any rows; numbers above the last end belong to the last bin.
    cuts : sequence of (B_j,) float32 array
        Upper ends of each column's bins.

    Returns
    -------
    (n, m_k) uint8 or uint16 array
        Bins from 0.

    Examples
    --------
    >>> coded(np.array([[0.5], [1.0], [9.0]]), [np.array([1.0, 2.0], np.float32)])[:, 0].tolist()
    [0, 1, 1]
    """
    wide = max((ends.size for ends in cuts), default=0) > 256
    codes = np.empty(X.shape, np.uint16 if wide else np.uint8)
    for j, ends in enumerate(cuts):
        codes[:, j] = np.minimum(np.searchsorted(ends, X[:, j].astype(np.float32), side="right"), ends.size - 1)
    return codes


def binned(table: ColumnTable, bins: int) -> tuple[Binned, ...]:
    """Let every party sort its columns into bins.

    Parameters
    ----------
    table : ColumnTable
        Who holds which columns.
    bins : int
        At most so many a column.

    Returns
    -------
    tuple of Binned
        One for each party.
    """
    found = []
    for own in table.columns:
        columns = np.sort(np.array(own))
        X = np.ascontiguousarray(table.X[:, columns])
        cuts = cuts_of(X, bins)
        found.append(Binned(columns, cuts, coded(X, cuts)))
    return tuple(found)
