"""Correlation between parties that hold columns: VertiBench's Pcor and Icor, on top of `pairwise`."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from trustkit.metrics.blocks import block_spread, spreads
from trustkit.metrics.pairwise import pearson, spearman

__all__ = ["icor", "mcor", "pcor", "pcor_matrix", "pearson", "spearman"]

Definition = Literal["paper", "package"]


def _check(definition: str, components: int | None) -> None:
    if definition not in get_args(Definition):
        raise ValueError(f"definition must be 'paper' or 'package', got {definition!r}")
    if components is not None and components < 1:
        raise ValueError(f"components must be at least 1, got {components}")


def _scaled(spread: np.ndarray, d: np.ndarray, definition: str) -> np.ndarray:
    """Return Pcor from Σ(σ − σ̄)² over d singular values."""
    below = d if definition == "paper" else np.sqrt(np.maximum(d * (d - 1.0), 1.0))
    return np.asarray(np.sqrt(spread) / np.maximum(below, 1))


def pcor(block: np.ndarray, definition: Definition = "paper", components: int | None = None) -> float:
    """Correlation between two parties: how unequal the singular values of their correlation block are.

    Parameters
    ----------
    block : (a, b) float array
        Correlations in [−1, 1] between the a columns of one party and the b columns of another (or of the same).
    definition : {"paper", "package"}
        The formula of the paper or that of its authors' package.
    components : int, optional
        At least 1: only so many singular values of a block, the largest ones, are found, and the others taken as 0.
        By default all are.

    Returns
    -------
    float
        At least 0; NaN if a party has no column. Not bounded by 1 for a block that is not square.

    Raises
    ------
    ValueError
        If the block is not a matrix of finite numbers, or the definition or the number of components is none.

    Notes
    -----
    With d = min(a, b) singular values σ of mean σ̄ and SS = Σ(σ − σ̄)²:
    "paper" is sqrt(SS)/d, "package" is sqrt(SS/(d − 1))/sqrt(d), and 0 for d = 1.

    With fewer components than d, SS is biased. As long as at least half of d are kept, Pcor comes out too large: the
    zeros lie further from the mean than what they replace. With fewer it usually does as well, but it comes out too
    small where large singular values are cut off.

    Source
    ------
    VertiBench (Wu et al. 2023), equation 2.

    Deviations
    ----------
    The authors' package takes the sample standard deviation and divides by sqrt(d); that is ``definition="package"``,
    larger than the paper's by sqrt(d/(d − 1)). The paper truncates the decomposition of large blocks without saying
    where, the package to 400 components; here that is done only if asked for.

    Examples
    --------
    >>> round(pcor(np.ones((5, 5)), "package"), 4), round(pcor(np.ones((5, 5))), 4), pcor(np.eye(5))
    (1.0, 0.8944, 0.0)
    """
    _check(definition, components)
    block = np.asarray(block, dtype=float)
    if block.ndim != 2:
        raise ValueError(f"block must be a matrix, got shape {block.shape}")
    if not np.isfinite(block).all():
        raise ValueError("block must hold finite numbers only, got missing or infinite ones")
    d = min(block.shape)
    return float(_scaled(block_spread(block[None], components)[0], np.asarray(d), definition)) if d else float("nan")


def _blocks(corr: np.ndarray, owner: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    corr, owner = np.asarray(corr), np.asarray(owner)
    if corr.dtype not in (np.float64, np.float32):
        corr = corr.astype(float)
    if corr.ndim != 2 or corr.shape[0] != corr.shape[1]:
        raise ValueError(f"corr must be a square matrix, got shape {corr.shape}")
    if owner.shape != corr.shape[:1]:
        raise ValueError(f"owner must name the party of each of the {len(corr)} columns, got shape {owner.shape}")
    return corr, owner


def pcor_matrix(
    corr: np.ndarray,
    owner: np.ndarray,
    definition: Definition = "paper",
    parties: int | None = None,
    components: int | None = None,
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
        K, more than the highest party in `owner`, which is the last by default.
    components : int, optional
        As for `pcor`.

    Returns
    -------
    (K, K) float array
        Symmetric; NaN in the row and column of a party without columns.

    Raises
    ------
    ValueError
        If shapes do not fit, a correlation is missing, or the definition or the number of components is none.

    Notes
    -----
    Entry (i, j) is ``pcor(corr[columns of i, columns of j])``. The diagonal needs no decomposition: the singular values
    of a correlation matrix add up to its trace.

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
    _check(definition, components)
    corr, owner = _blocks(corr, owner)
    K = int(owner.max(initial=-1)) + 1 if parties is None else parties
    if owner.max(initial=-1) >= K:
        raise ValueError(f"parties must be more than the highest party {owner.max()} in owner, got {K}")
    return _table(corr, [np.flatnonzero(owner == k) for k in range(K)], definition, True, components)


def _table(corr: np.ndarray, own: list[np.ndarray], definition: str, inner: bool, components: int | None) -> np.ndarray:
    """Return Pcor of every two parties, given their columns."""
    sizes = np.array([part.size for part in own])
    return _scaled(spreads(corr, own, inner, components), np.minimum.outer(sizes, sizes), definition)


def icor(corr: np.ndarray, owner: np.ndarray, definition: Definition = "paper", components: int | None = None) -> float:
    """Inter-party correlation of a division of columns.

    Parameters
    ----------
    corr : (m, m) float array
        Correlations of the columns, in [−1, 1], symmetric.
    owner : (m,) int array
        The party of each column, 0 … K−1; −1 for nobody.
    definition : {"paper", "package"}
        The formula of the paper or that of its authors' package.
    components : int, optional
        As for `pcor`.

    Returns
    -------
    float
        "paper": at least 0; "package": of either sign. NaN if fewer than two parties have columns.

    Raises
    ------
    ValueError
        If shapes do not fit, a correlation is missing, or the definition or the number of components is none.

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
    _check(definition, components)
    corr, owner = _blocks(corr, owner)
    own = [np.flatnonzero(owner == k) for k in np.unique(owner[owner >= 0])]
    K = len(own)
    if K < 2:
        return float("nan")
    table = _table(corr, own, definition, definition == "package", components)
    inter = float(table[np.triu_indices(K, 1)].mean())
    return inter - float(table.diagonal().mean()) if definition == "package" else inter


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
    the singular values of such a matrix are its eigenvalues λ; the deviations are found without them, because
    Σ(λ − λ̄)² = ‖C − λ̄I‖².

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
    if d < 2:
        return float("nan")
    mean = float(np.trace(corr, dtype=float)) / d
    return float(np.linalg.norm(corr - mean * np.eye(d)) / np.sqrt(d * (d - 1.0)))
