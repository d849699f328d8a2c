"""How unequal the singular values of the blocks of a correlation matrix are, for many blocks at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from trustkit.rng import stream

__all__ = ["block_spread", "inner_spread", "spreads"]

CELLS = 2_000_000  # numbers that are gathered from the matrix at a time
GRAM = 1024  # beyond so many singular values, they are square roots of eigenvalues
SPARSE = 256, 8  # beyond so many, Lanczos iterations find the largest ones if they are at most an eighth of all


def block_spread(blocks: np.ndarray, components: int | None = None) -> np.ndarray:
    """Return Σ(σ − σ̄)² over the singular values of each block.

    Parameters
    ----------
    blocks : (g, a, b) float array
        Finite, a and b at least 1.
    components : int, optional
        At least 1: only so many singular values, the largest ones, are found, and the others taken as 0.

    Returns
    -------
    (g,) float array
        At least 0.

    Notes
    -----
    With d = min(a, b): 0 for d = 1; for d = 2, with p, q, r the products of the two rows (or columns), the closed form
    ½ ((p − q)² + 4r²)/(p + q + 2√(pq − r²)); by singular values up to d = 1,024; beyond, by the square roots of the
    eigenvalues of the smaller Gram matrix, where small σ are in error by up to about 1e-8 of the largest one.

    Source
    ------
    VertiBench (Wu et al. 2023), equation 2 and section 4.3.

    Deviations
    ----------
    The paper decomposes all blocks alike, and large ones by truncation only.

    Examples
    --------
    >>> block_spread(np.stack([np.diag([3.0, 1.0]), np.eye(2)]))
    array([2., 0.])
    """
    d = min(blocks.shape[1:])
    if d == 1:
        return np.zeros(len(blocks))
    if components is not None and components < d:
        values = np.zeros((len(blocks), d))
        values[:, :components] = [_largest(block, components) for block in blocks]
        return _spread(values)
    if blocks.shape[1] > blocks.shape[2]:
        blocks = blocks.swapaxes(1, 2)
    if d == 2:
        p, q = np.einsum("gij,gij->ig", blocks, blocks)
        r = np.einsum("gj,gj->g", blocks[:, 0], blocks[:, 1])
        above, below = (p - q) ** 2 + 4 * r**2, p + q + 2 * np.sqrt(np.maximum(p * q - r**2, 0.0))
        return np.asarray(0.5 * np.divide(above, below, out=np.zeros_like(p), where=below > 0))
    return _spread(_values(blocks))


def _spread(values: np.ndarray) -> np.ndarray:
    """Return Σ(σ − σ̄)² of each row."""
    return np.asarray(((values - values.mean(axis=1, keepdims=True)) ** 2).sum(axis=1))


def _values(blocks: np.ndarray) -> np.ndarray:
    """Return all singular values of each block, which is not higher than wide."""
    if blocks.shape[1] <= GRAM:
        return np.asarray(np.linalg.svd(blocks, compute_uv=False))
    squares = np.stack([np.linalg.eigvalsh(block @ block.T) for block in blocks])
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)))


def _largest(block: np.ndarray, components: int) -> np.ndarray:
    """Return the largest singular values of one block."""
    d = min(block.shape)
    if d <= SPARSE[0] or components * SPARSE[1] > d:
        block = block if block.shape[0] == d else block.T
        return np.sort(_values(block[None])[0])[-components:]
    from scipy.sparse.linalg import svds

    start = stream(0, "largest singular values").standard_normal(d)
    return np.asarray(svds(block, components, v0=start, return_singular_vectors=False))


def inner_spread(blocks: np.ndarray, components: int | None = None, single: bool = False) -> np.ndarray:
    """Return Σ(σ − σ̄)² over the singular values of symmetric blocks, those of one party's columns.

    Parameters
    ----------
    blocks : (g, d, d) float array
        Finite and symmetric, d at least 1.
    components : int, optional
        As for `block_spread`.
    single : bool
        Whether the correlations were rounded to float32, so that eigenvalues of 0 may come out below it.

    Returns
    -------
    (g,) float array
        At least 0.

    Notes
    -----
    Without negative eigenvalues, the singular values are the eigenvalues λ, and Σ(λ − λ̄)² = ‖C − λ̄I‖² with
    λ̄ = trace/d: no decomposition. That is so if C + εI has a Cholesky factor, ε being rounding; otherwise σ = |λ|.

    Source
    ------
    VertiBench (Wu et al. 2023), equation 2, for a party with itself.

    Deviations
    ----------
    None: the identity is exact.

    Examples
    --------
    >>> inner_spread(np.array([[[1.0, 0.5], [0.5, 1.0]]]))
    array([0.5])
    """
    d = blocks.shape[1]
    if components is not None and components < d:
        return block_spread(blocks, components)
    ridge = d * (1.2e-7 if single else 2.3e-15) * np.abs(np.einsum("gii->gi", blocks)).max(initial=0.0)
    moved = blocks.copy()
    np.einsum("gii->gi", moved)[...] += ridge + 1e-300
    try:
        np.linalg.cholesky(moved)
    except np.linalg.LinAlgError:
        return _spread(np.abs(np.linalg.eigvalsh(blocks)))
    np.einsum("gii->gi", moved)[...] = np.einsum("gii->gi", blocks) - np.einsum("gii->g", blocks)[:, None] / d
    return np.asarray(np.einsum("gij,gij->g", moved, moved))


def _by_size(own: Sequence[np.ndarray]) -> list[tuple[np.ndarray, np.ndarray]]:
    """For each size that parties with columns have: the (g,) parties that have it, and their columns (g, size)."""
    sizes = np.array([part.size for part in own])
    found = [np.flatnonzero(sizes == size) for size in np.unique(sizes[sizes > 0])]
    return [(parties, np.stack([own[k] for k in parties.tolist()])) for parties in found]


def _gathered(corr: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield the blocks at (g, a) rows and (g, b) columns of the matrix in double precision, some at a time."""
    step = max(1, CELLS // (rows.shape[1] * columns.shape[1]))
    for start in range(0, len(rows), step):
        some = slice(start, start + step)
        blocks = np.asarray(corr[rows[some, :, None], columns[some, None, :]], dtype=float)
        if not np.isfinite(blocks).all():
            raise ValueError("corr must hold finite numbers only, got missing or infinite ones")
        yield some, blocks


def spreads(corr: np.ndarray, own: Sequence[np.ndarray], inner: bool, components: int | None = None) -> np.ndarray:
    """Return Σ(σ − σ̄)² over the singular values of the block of every two parties.

    Parameters
    ----------
    corr : (m, m) float array
        Correlations, symmetric; float32 is not copied as a whole.
    own : K sequences of (m_k,) int array
        Columns of each party.
    inner : bool
        Whether the blocks of parties with themselves are wanted, too.
    components : int, optional
        As for `block_spread`.

    Returns
    -------
    (K, K) float array
        Symmetric; NaN for a party without columns, and on the diagonal if that is not wanted.

    Raises
    ------
    ValueError
        If a correlation that counts is missing or infinite.

    Notes
    -----
    Parties of equal sizes are taken together, about two million correlations at a time.

    Source
    ------
    VertiBench (Wu et al. 2023), equation 2.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> spreads(np.ones((4, 4)), [np.array([0, 1]), np.array([2, 3])], inner=True)
    array([[2., 2.],
           [2., 2.]])
    """
    result = np.full((len(own), len(own)), np.nan)
    groups = _by_size(own)
    for i, (one, rows) in enumerate(groups):
        if inner:
            for some, blocks in _gathered(corr, rows, rows):
                result[one[some], one[some]] = inner_spread(blocks, components, corr.dtype == np.float32)
        for j, (two, columns) in enumerate(groups[i:]):
            pairs = np.triu_indices(one.size, 1) if j == 0 else np.indices((one.size, two.size)).reshape(2, -1)
            left, right = one[pairs[0]], two[pairs[1]]
            values = np.zeros(left.size)
            if rows.shape[1] > 1:  # a single singular value has no spread
                for some, blocks in _gathered(corr, rows[pairs[0]], columns[pairs[1]]):
                    values[some] = block_spread(blocks, components)
            result[left, right] = result[right, left] = values
    return result
