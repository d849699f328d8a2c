"""Correlation between columns, and between parties that hold columns (VertiBench's Pcor and Icor)."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

__all__ = ["icor", "mcor", "pcor", "pcor_matrix", "pearson", "spearman"]

Definition = Literal["paper", "package"]


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


def _check(definition: str) -> None:
    if definition not in get_args(Definition):
        raise ValueError(f"definition must be 'paper' or 'package', got {definition!r}")


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
    ranks = np.empty(by_column.shape)
    np.put_along_axis(ranks, order, np.repeat(middle, lengths).reshape(ordered.shape), axis=1)
    return ranks - (n - 1) / 2


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


def pcor(block: np.ndarray, definition: Definition = "paper") -> float:
    """Correlation between two parties: how unequal the singular values of their correlation block are.

    Parameters
    ----------
    block : (a, b) float array
        Correlations in [−1, 1] between the a columns of one party and the b columns of another (or of the same).
    definition : {"paper", "package"}
        The formula of the paper or that of its authors' package.

    Returns
    -------
    float
        At least 0; NaN if a party has no column. Not bounded by 1 for a block that is not square.

    Raises
    ------
    ValueError
        If the block is not a matrix or the definition is unknown.

    Notes
    -----
    With d = min(a, b) singular values σ of mean σ̄ and SS = Σ(σ − σ̄)²:
    "paper" is sqrt(SS)/d, "package" is sqrt(SS/(d − 1))/sqrt(d), and 0 for d = 1.

    Source
    ------
    VertiBench (Wu et al. 2023), equation 2.

    Deviations
    ----------
    The authors' package takes the sample standard deviation and divides by sqrt(d); that is ``definition="package"``,
    larger than the paper's by sqrt(d/(d − 1)). Both are exact: no truncated decomposition.

    Examples
    --------
    >>> pcor(np.ones((5, 5)), "package"), round(pcor(np.ones((5, 5))), 4), pcor(np.eye(5))
    (1.0, 0.8944, 0.0)
    """
    _check(definition)
    block = np.asarray(block, dtype=float)
    if block.ndim != 2:
        raise ValueError(f"block must be a matrix, got shape {block.shape}")
    d = min(block.shape)
    if d == 0:
        return float("nan")
    values = np.linalg.svd(block, compute_uv=False)
    squares = float(np.sum((values - values.mean()) ** 2))
    if definition == "paper":
        return float(np.sqrt(squares) / d)
    return float(np.sqrt(squares / (d * (d - 1)))) if d > 1 else 0.0


def _blocks(corr: np.ndarray, owner: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    corr, owner = np.asarray(corr, dtype=float), np.asarray(owner)
    if corr.ndim != 2 or corr.shape[0] != corr.shape[1]:
        raise ValueError(f"corr must be a square matrix, got shape {corr.shape}")
    if owner.shape != corr.shape[:1]:
        raise ValueError(f"owner must name the party of each of the {len(corr)} columns, got shape {owner.shape}")
    return corr, owner


def pcor_matrix(
    corr: np.ndarray, owner: np.ndarray, definition: Definition = "paper", parties: int | None = None
) -> np.ndarray:
    """Pcor of every two parties; on the diagonal that of a party with itself.

    Parameters
    ----------
    corr : (m, m) float array
        Correlations of the columns, in [−1, 1], symmetric.
    owner : (m,) int array
        The party of each column, 0 … K−1; −1 for nobody.
    definition : {"paper", "package"}
        As for `pcor`.
    parties : int, optional
        K, at least 1; by default the highest party in `owner` is the last.

    Returns
    -------
    (K, K) float array
        Symmetric; NaN in the row and column of a party without columns.

    Raises
    ------
    ValueError
        If shapes do not fit or the definition is unknown.

    Notes
    -----
    Entry (i, j) is ``pcor(corr[columns of i, columns of j])``.

    Source
    ------
    VertiBench (Wu et al. 2023), equation 2.

    Deviations
    ----------
    As for `pcor`.

    Examples
    --------
    >>> pcor_matrix(np.ones((4, 4)), np.array([0, 0, 1, 1]), "package")
    array([[1., 1.],
           [1., 1.]])
    """
    corr, owner = _blocks(corr, owner)
    K = int(owner.max(initial=-1)) + 1 if parties is None else parties
    own = [np.flatnonzero(owner == k) for k in range(K)]
    table = np.empty((K, K))
    for i in range(K):
        for j in range(i + 1):
            table[i, j] = table[j, i] = pcor(corr[np.ix_(own[i], own[j])], definition)
    return table


def icor(corr: np.ndarray, owner: np.ndarray, definition: Definition = "paper") -> float:
    """Inter-party correlation of a division of columns.

    Parameters
    ----------
    corr : (m, m) float array
        Correlations of the columns, in [−1, 1], symmetric.
    owner : (m,) int array
        The party of each column, 0 … K−1; −1 for nobody.
    definition : {"paper", "package"}
        The formula of the paper or that of its authors' package.

    Returns
    -------
    float
        "paper": at least 0; "package": of either sign. NaN if fewer than two parties have columns.

    Raises
    ------
    ValueError
        If shapes do not fit or the definition is unknown.

    Notes
    -----
    "paper": the mean of Pcor(i, j) over ordered pairs i ≠ j. "package": the mean of Pcor(i, j) − Pcor(i, i) over them.

    Source
    ------
    VertiBench (Wu et al. 2023), equation 3.

    Deviations
    ----------
    The authors' package subtracts the correlation inside the parties; that is ``definition="package"``. A party without
    columns has no Pcor and is left out of the mean; neither the paper nor the package covers that case.

    Examples
    --------
    >>> icor(np.ones((4, 4)), np.array([0, 0, 1, 1])) == pcor(np.ones((2, 2)))
    True
    >>> icor(np.ones((4, 4)), np.array([0, 0, 1, 1]), "package")
    0.0
    """
    _check(definition)
    corr, owner = _blocks(corr, owner)
    present, compact = np.unique(owner[owner >= 0], return_inverse=True)
    K = present.size
    if K < 2:
        return float("nan")
    own = [np.flatnonzero(owner >= 0)[compact == k] for k in range(K)]
    inter = sum(pcor(corr[np.ix_(own[i], own[j])], definition) for i in range(K) for j in range(i))
    inner = sum(pcor(corr[np.ix_(one, one)], definition) for one in own) if definition == "package" else 0.0
    return float(2 * inter / (K * (K - 1)) - inner / K)


def mcor(corr: np.ndarray) -> float:
    """Multiway correlation of a set of columns.

    Parameters
    ----------
    corr : (d, d) float array
        A correlation matrix: symmetric, in [−1, 1], without negative eigenvalues.

    Returns
    -------
    float
        In [0, 1]: 0 for independent columns, 1 for identical ones; NaN for fewer than two columns.

    Raises
    ------
    ValueError
        If the matrix is not square.

    Notes
    -----
    The sample standard deviation of the eigenvalues, divided by sqrt(d). Equal to ``pcor(corr, "package")``, because
    the singular values of such a matrix are its eigenvalues.

    Source
    ------
    Taylor (2020), "A multi-way correlation coefficient"; the measure that VertiBench (Wu et al. 2023) extends.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> mcor(np.eye(3)), round(mcor(np.ones((3, 3))), 6)
    (0.0, 1.0)
    """
    corr, _ = _blocks(corr, np.zeros(len(corr), int))
    d = len(corr)
    return float(np.linalg.eigvalsh(corr).std(ddof=1) / np.sqrt(d)) if d > 1 else float("nan")
