"""Dirichlet shares that move smoothly with their concentration, and columns dealt by them."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaincinv, gammaln

from trustkit.rng import stream

__all__ = ["deal_columns", "dirichlet_shares"]


def dirichlet_shares(alpha: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
    """Turn uniform numbers into Dirichlet shares.

    Parameters
    ----------
    alpha : (K,) float array
        Concentrations, above 0.
    uniforms : (…, K) float array
        Independent uniform numbers in [0, 1].

    Returns
    -------
    (…, K) float array
        Shares, at least 0, that add up to 1 along the last axis; finite for any α.

    Notes
    -----
    Shares are gamma variables divided by their sum; a gamma variable of shape α is the α-quantile function at a uniform
    number. Far down, where the quantile is below the smallest float, its logarithm is (ln u + ln Γ(α + 1))/α.

    Source
    ------
    The textbook construction of the Dirichlet distribution.

    Deviations
    ----------
    None. With the uniform numbers fixed, the shares are a continuous function of α, so a slider moves them smoothly.

    Examples
    --------
    >>> dirichlet_shares(np.array([1.0, 1.0]), np.array([0.5, 0.5]))
    array([0.5, 0.5])
    >>> dirichlet_shares(np.full(3, 1e-3), np.array([0.2, 0.5, 0.3])).round(9)
    array([0., 1., 0.])
    """
    uniforms = np.clip(uniforms, 1e-300, 1 - 1e-16)
    value = gammaincinv(alpha, uniforms)
    low = (np.log(uniforms) + gammaln(np.add(alpha, 1.0))) / alpha
    logs = np.where(value > 1e-280, np.log(np.maximum(value, 1e-300)), low)
    weights = np.exp(logs - logs.max(axis=-1, keepdims=True))
    shares: np.ndarray = weights / weights.sum(axis=-1, keepdims=True)
    return shares


def deal_columns(
    columns: int, parties: int, alpha: float | tuple[float, ...], allow_empty: bool, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Deal columns to parties in Dirichlet shares.

    Parameters
    ----------
    columns : int
        m, at least K.
    parties : int
        K, at least 2.
    alpha : float or tuple of K floats
        Concentrations in [0.001, 1000]: one for all, or one each.
    allow_empty : bool
        If False, one column at random goes to each party, whatever its share.
    seed : int
        Any integer.

    Returns
    -------
    owner : (m,) int array
        The party of each column, 0 … K−1.
    shares : (K,) float array
        Those drawn; at least 0, adding up to 1.

    Raises
    ------
    ValueError
        If α has another length than K, or one is outside [0.001, 1000].

    Source
    ------
    VertiBench (Wu et al. 2023), Algorithm 5.

    Examples
    --------
    >>> owner, shares = deal_columns(6, 3, 100.0, False, seed=0)
    >>> np.bincount(owner).min() >= 1, round(float(shares.sum()), 9)
    (np.True_, 1.0)
    """
    weights = np.atleast_1d(np.asarray(alpha, float))
    if weights.size not in (1, parties):
        raise ValueError(f"alpha must be one number or one for each of the {parties} parties, got {weights.size}")
    if not (weights >= 1e-3).all() or not (weights <= 1000).all():
        odd = weights[~((weights >= 1e-3) & (weights <= 1000))][0]
        raise ValueError(f"alpha must be between 0.001 and 1000 for each party, got {odd:g}")
    uniforms = stream(seed, "importance", "shares").random(parties)
    shares = dirichlet_shares(np.broadcast_to(weights, (parties,)), uniforms)
    owner = np.searchsorted(np.cumsum(shares)[:-1], stream(seed, "importance", "columns").random(columns), side="right")
    if not allow_empty:
        owner[stream(seed, "importance", "first").choice(columns, parties, replace=False)] = np.arange(parties)
    return owner, shares
