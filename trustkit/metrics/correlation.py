"""Correlation between parties that hold columns: VertiBench's Pcor and Icor, on top of `pairwise`."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from trustkit.metrics.pairwise import pearson, spearman

__all__ = ["icor", "mcor", "pcor", "pcor_matrix", "pearson", "spearman"]

Definition = Literal["paper", "package"]


def _check(definition: str) -> None:
    if definition not in get_args(Definition):
        raise ValueError(f"definition must be 'paper' or 'package', got {definition!r}")


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
    >>> round(pcor(np.ones((5, 5)), "package"), 4), round(pcor(np.ones((5, 5))), 4), pcor(np.eye(5))
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
