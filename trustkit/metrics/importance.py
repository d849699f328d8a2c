"""How much each column, and each party, tells about the target."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from trustkit.rng import stream

__all__ = ["linear_importance", "party_importance", "shapley_cmi"]

EXACT = 10  # up to so many columns all their subsets are measured


def linear_importance(weights: np.ndarray, X: np.ndarray, background: np.ndarray) -> np.ndarray:
    """Return the mean absolute Shapley value of each column of a linear model.

    Parameters
    ----------
    weights : (m,) or (m, C) float array
        Of the m columns, for one output or each of C.
    X : (n, m) float array
        The rows to explain, n ≥ 1.
    background : (B, m) float array
        Rows that stand for "column not known", B ≥ 1.

    Returns
    -------
    (m,) float array
        At least 0, in units of the output; with several outputs, the mean over them.

    Raises
    ------
    ValueError
        If shapes do not fit or there is no row.

    Notes
    -----
    Mean over rows of |w_j (x_j − b̄_j)|, with b̄ the mean of the background.

    Source
    ------
    Lundberg and Lee 2017 (SHAP), Corollary 1: the Shapley values of a linear model of independent columns.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> linear_importance(np.array([2.0, -1.0]), np.array([[1.0, 1.0], [3.0, 0.0]]), np.zeros((1, 2)))
    array([4. , 0.5])
    """
    weights, X, background = (np.asarray(each, dtype=float) for each in (weights, X, background))
    if X.ndim != 2 or background.ndim != 2 or background.shape[1] != X.shape[1] or not len(X) or not len(background):
        raise ValueError(f"X and background must be rows of equal length, got shapes {X.shape} and {background.shape}")
    if weights.ndim not in (1, 2) or len(weights) != X.shape[1]:
        raise ValueError(f"weights must have one row for each of the {X.shape[1]} columns, got shape {weights.shape}")
    size = np.abs(weights).reshape(len(weights), -1).mean(axis=1)
    return np.asarray(size * np.abs(X - background.mean(axis=0)).mean(axis=0))


def party_importance(importance: np.ndarray, owner: np.ndarray, parties: int | None = None) -> np.ndarray:
    """Return the importance of each party: the sum over its columns.

    Parameters
    ----------
    importance : (m,) float array
        Of each column, finite, in any unit.
    owner : (m,) int array
        The party of each column, 0 … K−1; −1 for nobody.
    parties : int, optional
        K, more than the highest party in `owner`, which is the last by default.

    Returns
    -------
    (K,) float array
        In the unit of the importance; 0 for a party without columns.

    Raises
    ------
    ValueError
        If lengths do not fit, an importance is not finite, or there are more parties in `owner` than K.

    Notes
    -----
    Σ φ_j over the columns j of the party.

    Source
    ------
    VertiBench (Wu et al. 2023), Theorem 1 and section 5.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> party_importance(np.array([1.0, 2.0, 4.0]), np.array([0, 1, 0]), parties=3)
    array([5., 2., 0.])
    """
    importance, owner = np.asarray(importance, dtype=float), np.asarray(owner)
    if importance.ndim != 1 or owner.shape != importance.shape:
        raise ValueError(
            f"importance and owner must have one value a column, got shapes {importance.shape} and {owner.shape}"
        )
    if not np.isfinite(importance).all():
        raise ValueError(f"importance must be finite, got {importance[~np.isfinite(importance)][0]}")
    highest = int(owner.max(initial=-1))
    if parties is not None and highest >= parties:
        raise ValueError(f"parties must be more than the highest party {highest} in owner, got {parties}")
    held = owner >= 0
    return np.bincount(owner[held], importance[held], minlength=highest + 1 if parties is None else parties)


def shapley_cmi(X: Any, y: np.ndarray, bins: int = 4, permutations: int = 100, seed: int = 0) -> np.ndarray:
    """Return the Shapley value of each column in the game whose payoff is the information about the target.

    Parameters
    ----------
    X : (n, m) array or SciPy sparse array
        Finite numbers, n ≥ 1. A column of more than `bins` different values is cut at its quantiles.
    y : (n,) array
        The target: labels as they are; floats of more than `bins` different values are cut at their quantiles.
    bins : int
        At least 2.
    permutations : int
        Orders of the columns that are drawn if there are more than 10, at least 1.
    seed : int
        The orders follow from it.

    Returns
    -------
    (m,) float array
        At least 0 but for rounding, in bits. They add up to what all columns together tell about the target.

    Raises
    ------
    ValueError
        If shapes do not fit, a number is not finite, or `bins` or `permutations` is too small.

    Notes
    -----
    With v(S) = I(X_S; y), φ_j is the mean of v(S ∪ j) − v(S) = I(X_j; y | X_S) over all orders of the columns, S being
    those before j. Up to 10 columns all 2^m subsets are measured; with more, the given number of random orders.

    Entropies are those of the counts in the table. That makes v(S) too large, by about (c − a − b + 1)/(2n ln 2) bits,
    with a, b and c the numbers of different values of X_S, of y and of both together. A column that tells nothing gets
    more than 0; and once every row is different, further columns get nothing. Few bins and few columns keep it small.

    Source
    ------
    Han et al. 2021, Shapley-CMI, cited in section 4.2 of VertiBench (Wu et al. 2023).

    Deviations
    ----------
    Han et al. compute it between parties under encryption; this is the quantity alone, by column.

    Examples
    --------
    >>> a, b = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> shapley_cmi(np.column_stack([a, b, a * 0]), a ^ b)
    array([0.5, 0.5, 0. ])
    """
    for what, value, least in (("bins", bins, 2), ("permutations", permutations, 1)):
        if value < least:
            raise ValueError(f"{what} must be at least {least}, got {value}")
    X, y = X.tocsc() if hasattr(X, "tocsc") else np.asarray(X), np.asarray(y)
    if X.ndim != 2 or y.shape != X.shape[:1] or not y.size:
        raise ValueError(f"X and y must have one row each for at least one row, got shapes {X.shape} and {y.shape}")
    target = _coded(y, bins) if y.dtype.kind == "f" else np.unique(y, return_inverse=True)[1]
    columns = [_coded(_column(X, j), bins) for j in range(X.shape[1])]
    game = _Game(columns, target)
    return game.exact() if len(columns) <= EXACT else game.sampled(permutations, seed)


def _column(X: Any, j: int) -> np.ndarray:
    column = X[:, [j]]
    return np.asarray(column.toarray() if hasattr(column, "toarray") else column, dtype=float).ravel()


def _coded(values: np.ndarray, bins: int) -> np.ndarray:
    """Number the different values of a column, or if they are many, the parts between its quantiles."""
    if not np.isfinite(values).all():
        raise ValueError("X and y must hold finite numbers only, got missing or infinite ones")
    different, codes = np.unique(values, return_inverse=True)
    if different.size <= bins:
        return codes
    cuts = np.quantile(values, np.arange(1, bins) / bins)
    return np.unique(np.searchsorted(cuts, values, side="left"), return_inverse=True)[1]


class _Game:
    """Columns as small whole numbers, and what sets of them tell about a target."""

    def __init__(self, columns: list[np.ndarray], target: np.ndarray) -> None:
        self.columns, self.target = columns, target
        self.sizes = [int(column.max()) + 1 for column in columns]
        self.classes = int(target.max()) + 1
        self.nothing = np.zeros(target.size, np.int64)

    def add(self, cells: np.ndarray, j: int) -> np.ndarray:
        """Number the cells that a column cuts the cells of a set into."""
        joint = cells * self.sizes[j] + self.columns[j]
        return np.asarray((np.bincount(joint) > 0).cumsum()[joint] - 1)

    def value(self, cells: np.ndarray) -> tuple[float, bool]:
        """Return I(cells; target) in bits, and whether that is all there is to know."""
        own, joint = np.bincount(cells), np.bincount(cells * self.classes + self.target)
        found = _entropy(own) + _entropy(np.bincount(self.target)) - _entropy(joint)
        return max(found, 0.0), np.count_nonzero(joint) == own.size

    def exact(self) -> np.ndarray:
        """Return the Shapley values from the values of all subsets."""
        m = len(self.columns)
        values = np.zeros(1 << m)
        for subset, cells in self._subsets(0, self.nothing, 0):
            values[subset] = self.value(cells)[0]
        subsets = np.arange(1 << m)
        sizes = sum((subsets >> j) & 1 for j in range(m))
        weights = np.array([1 / (m * math.comb(m - 1, size)) for size in range(m)])
        result = np.zeros(m)
        for j in range(m):
            without = subsets[(subsets >> j) & 1 == 0]
            result[j] = weights[np.asarray(sizes)[without]] @ (values[without | (1 << j)] - values[without])
        return result

    def _subsets(self, subset: int, cells: np.ndarray, first: int) -> Iterator[tuple[int, np.ndarray]]:
        """Yield the sets that add columns from the first on, and their cells, keeping one branch in memory."""
        for j in range(first, len(self.columns)):
            more = self.add(cells, j)
            yield subset | (1 << j), more
            yield from self._subsets(subset | (1 << j), more, j + 1)

    def sampled(self, permutations: int, seed: int) -> np.ndarray:
        """Return the mean gain of each column over random orders."""
        m = len(self.columns)
        total = np.zeros(m)
        for order in stream(seed, "shapley cmi").permuted(np.tile(np.arange(m), (permutations, 1)), axis=1).tolist():
            cells, before = self.nothing, 0.0
            for j in order:
                cells = self.add(cells, j)
                after, done = self.value(cells)
                total[j] += after - before
                before = after
                if done:
                    break
        return total / permutations


def _entropy(counts: np.ndarray) -> float:
    """Return the entropy in bits of counts."""
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log2(shares)).sum())
