"""From noise to ε and back: Rényi accounting by dp-accounting, cached so that composing every round costs little."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

__all__ = ["epsilon_of", "noise_for"]

_PLAIN = (*(1 + x / 10 for x in range(1, 100)), *range(11, 64), 128, 256, 512, 1024)
_SAMPLED = (*range(2, 64), 96, 128, 192, 256, 512, 1024)
_TOLERANCE = 1e-4


@lru_cache(maxsize=512)
def _curve(noise: float, rate: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the orders α and the Rényi divergences of one release."""
    import dp_accounting
    from dp_accounting.rdp import RdpAccountant

    release = dp_accounting.GaussianDpEvent(noise)
    if rate < 1:
        release = dp_accounting.PoissonSampledDpEvent(rate, release)
    accountant = RdpAccountant(
        np.array(_SAMPLED if rate < 1 else _PLAIN), dp_accounting.NeighboringRelation.ADD_OR_REMOVE_ONE
    )
    accountant.compose(release)
    return accountant.orders, accountant.rdp


@lru_cache(maxsize=8192)
def epsilon_of(noise: float, rate: float, releases: int, delta: float) -> float:
    """Compose Gaussian releases and return their ε.

    Parameters
    ----------
    noise : float
        σ: the noise's standard deviation divided by the clipping norm; 0 for none.
    rate : float
        In (0, 1]: the probability with which Poisson sampling takes a unit into a release; 1 claims no amplification.
    releases : int
        How many are composed, T.
    delta : float
        In (0, 1): δ.

    Returns
    -------
    float
        ε ≥ 0; infinity without noise, 0 without releases.

    Notes
    -----
    Without sampling one release has Rényi divergence α/(2σ²) at order α; T of them add up. The curve T·RDP(α) becomes
    (ε, δ) at the best order. With sampling, whole orders only, whose closed form is exact.

    Source
    ------
    Mironov (2017), "Rényi differential privacy", Propositions 1 and 7; Mironov, Talwar and Zhang (2019), "Rényi
    differential privacy of the sampled Gaussian mechanism", section 3.3; conversion by Canonne, Kamath and Steinke
    (2020), Proposition 12.

    Deviations
    ----------
    The numbers are dp-accounting's. Leaving out fractional orders under sampling makes ε a few percent larger, which is
    an upper bound.

    Examples
    --------
    >>> round(epsilon_of(noise=5.0, rate=1.0, releases=10, delta=1e-5), 2)
    2.81
    """
    if releases == 0:
        return 0.0
    if noise == 0:
        return math.inf
    from dp_accounting.rdp import compute_epsilon

    orders, divergence = _curve(noise, rate)
    return float(compute_epsilon(orders, releases * divergence, delta)[0])


@lru_cache(maxsize=512)
def noise_for(epsilon: float, rate: float, releases: int, delta: float) -> float:
    """Find the least noise that keeps composed releases within ε.

    Parameters
    ----------
    epsilon : float
        Greater than 0: the ε allowed for all releases together.
    rate : float
        In (0, 1]: see `epsilon_of`.
    releases : int
        At least 1: how many are composed.
    delta : float
        In (0, 1): δ.

    Returns
    -------
    float
        σ, at most 0.01 % above the least one, never below.

    Notes
    -----
    ε falls as σ grows, so the interval is halved, on a logarithmic scale, until its ends are as near as that.

    Source
    ------
    Inverse of `epsilon_of`.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> sigma = noise_for(epsilon=6.0, rate=1.0, releases=10, delta=1e-5)
    >>> 5.99 < epsilon_of(sigma, 1.0, 10, 1e-5) <= 6.0
    True
    """
    low, high = 0.25, 1.0
    while epsilon_of(high, rate, releases, delta) > epsilon:
        low, high = high, 4 * high
    while low > 1e-3 and epsilon_of(low, rate, releases, delta) <= epsilon:
        low, high = low / 4, low
    while high / low > 1 + _TOLERANCE:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if epsilon_of(middle, rate, releases, delta) > epsilon else (low, middle)
    return high
