"""Sums of singular values: of many small blocks at once, of one large block, and estimated of one that is too large."""

from __future__ import annotations

import numpy as np

from trustkit.rng import stream

__all__ = ["nuclear_estimate", "nuclear_norms"]

LEADING = 32  # directions of large singular values that an estimate leaves nothing of to chance
PROBES = 24  # random vectors for all other directions
STEPS = 40  # Lanczos steps from each vector


def nuclear_norms(gram: np.ndarray) -> np.ndarray:
    """Add up the singular values of blocks whose Gram matrices are given.

    Parameters
    ----------
    gram : (…, d, d) float array
        B Bᵀ for each block B: symmetric, without negative eigenvalues.

    Returns
    -------
    (…) float array
        The sums of the square roots of the eigenvalues, at least 0.

    Notes
    -----
    For d = 2, (√a + √b)² = a + b + 2√(ab): trace and determinant suffice. A singular value far below the largest one,
    σ, is known to about 1e-8·σ only.

    Examples
    --------
    >>> nuclear_norms(np.array([np.diag([4.0, 9.0]), np.zeros((2, 2))])).tolist()
    [5.0, 0.0]
    """
    if gram.shape[-1] == 2:
        determinant = gram[..., 0, 0] * gram[..., 1, 1] - gram[..., 0, 1] ** 2
        return np.asarray(np.sqrt(gram[..., 0, 0] + gram[..., 1, 1] + 2 * np.sqrt(np.maximum(determinant, 0.0))))
    return np.asarray(np.sqrt(np.maximum(np.linalg.eigvalsh(gram), 0.0)).sum(axis=-1))


def nuclear_estimate(block: np.ndarray, leading: int = LEADING, probes: int = PROBES, steps: int = STEPS) -> float:
    """Estimate the sum of the singular values of a large block without decomposing it.

    Parameters
    ----------
    block : (d, b) float array
        With d ≤ b.
    leading : int
        Directions of large singular values that are taken out of the chance, at least 0.
    probes : int
        Random vectors for the rest, at least 1; always the same ones for the same d.
    steps : int
        Lanczos steps from each vector, at least 1.

    Returns
    -------
    float
        At least 0. With r the root of the sum of squares of the singular values beyond the leading ones, the standard
        error is at most about r·sqrt(2/probes).

    Notes
    -----
    The sum is the trace of A = (B Bᵀ)^½. On an orthonormal basis Q of the leading directions, found from random vectors
    by multiplying them twice with B Bᵀ, the trace is the sum of qᵀAq. Off it, it is d − leading times the mean of zᵀAz
    over random directions z. Each term is a Gauss quadrature: with θ the eigenvalues of the tridiagonal Lanczos matrix
    of B Bᵀ from a unit vector, and τ the first components of its eigenvectors, it is Σ τ²√θ.

    Source
    ------
    Stochastic Lanczos quadrature (Ubaru, Chen, Saad 2017) for the square root, with the deflation of Hutch++ (Meyer,
    Musco, Musco, Woodruff 2021).

    Deviations
    ----------
    None; every Lanczos vector is kept orthogonal to all before it.

    Examples
    --------
    >>> round(nuclear_estimate(np.eye(6, 8), leading=2), 6)
    6.0
    """
    d = len(block)
    rng, leading, steps = stream(0, "split", "nuclear", d), min(leading, d // 4), min(steps, d)
    rest = (rng.integers(0, 2, (d, probes)) * 2 - 1).astype(block.dtype)
    basis = rng.standard_normal((d, leading)).astype(block.dtype)
    for _ in range(2):
        basis = np.linalg.qr(block @ (block.T @ basis))[0]
    rest -= basis @ (basis.T @ rest)
    weight = np.concatenate([np.ones(leading), np.full(probes, (d - leading) / probes)])
    starts = np.concatenate([basis, rest / np.linalg.norm(rest, axis=0)], axis=1).T  # (v, d)
    diagonal, beside = _lanczos(block, starts, steps)
    inside, tridiagonal = np.arange(steps), np.zeros((len(starts), steps, steps))
    tridiagonal[:, inside, inside] = diagonal
    tridiagonal[:, inside[1:], inside[:-1]] = tridiagonal[:, inside[:-1], inside[1:]] = beside[:, : steps - 1]
    values, vectors = np.linalg.eigh(tridiagonal)
    return float(weight @ (vectors[:, 0, :] ** 2 * np.sqrt(np.maximum(values, 0.0))).sum(axis=1))


def _lanczos(block: np.ndarray, starts: np.ndarray, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the (v, steps) diagonals, and what is beside them, of the Lanczos matrices of B Bᵀ from v unit vectors."""
    count, d = starts.shape
    known = np.zeros((count, steps, d), block.dtype)
    known[:, 0] = starts
    diagonal, beside = np.zeros((count, steps)), np.zeros((count, steps))
    for step in range(steps):
        here = known[:, step]
        after = (here @ block) @ block.T
        diagonal[:, step] = np.einsum("vd,vd->v", here, after)
        if step + 1 == steps:
            break
        before = known[:, : step + 1]
        for _ in range(2):
            along = before @ after[:, :, None]
            after = after - (along.swapaxes(1, 2) @ before)[:, 0]
        length = np.linalg.norm(after, axis=1)
        kept = length > 1e-5 * (1 + diagonal[:, 0])
        beside[:, step] = np.where(kept, length, 0.0)
        known[:, step + 1] = np.where(kept[:, None], after / np.where(kept, length, 1.0)[:, None], 0.0)
    return diagonal, beside
