"""Dirichlet shares that move smoothly with their concentration."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaincinv, gammaln

__all__ = ["dirichlet_shares"]


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
