"""How much an update tells of the rows behind it, in nats: an estimate from samples, and a bound from the noise."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from trustkit.metrics.ranks import centred_ranks
from trustkit.rng import stream

__all__ = ["gaussian_leakage_bound", "leakage_estimate"]

_SHIFTS = 16  # how often every row is paired with another row's update
_SIZE = math.sqrt(2 / math.pi)  # the mean size of a standard normal number
_RIDGES = (1e-4, 1e-2)  # how strongly a critic is kept small: the better of two


def gaussian_leakage_bound(dimensions: int, sensitivity: float, sigma: float, releases: int = 1) -> float:
    """Bound the mutual information between an update and its rows, where Gaussian noise is added to the update.

    Parameters
    ----------
    dimensions : int
        Length of the update, d, at least 1.
    sensitivity : float
        Its largest Euclidean norm, S, at least 0: the clipping norm.
    sigma : float
        Standard deviation σ of the noise in every coordinate, at least 0.
    releases : int
        How many updates the adversary sees, T, at least 0.

    Returns
    -------
    float
        In nats, at least 0; infinite without noise, 0 if nothing can be in the update.

    Raises
    ------
    ValueError
        If a number is out of range.

    Notes
    -----
    T · (d/2) log(1 + S² / (dσ²)), the capacity of T uses of d parallel Gaussian channels under the power S². It grows
    with d towards T · S² / (2σ²). A bound: no distribution of the rows and no adversary exceeds it.

    Source
    ------
    Cover and Thomas (2006), "Elements of information theory", sections 9.1 and 9.4; FederatedTrust (Sánchez Sánchez et
    al. 2024), "Information Leakage Risk", which names mutual information.

    Deviations
    ----------
    The paper asks for an estimate by H-MINE in every round; a bound costs nothing and cannot be too small.

    Examples
    --------
    >>> round(gaussian_leakage_bound(1, sensitivity=1.0, sigma=1.0), 6)
    0.346574
    """
    if dimensions < 1:
        raise ValueError(f"dimensions must be at least 1, got {dimensions!r}")
    for what, number in (("sensitivity", sensitivity), ("sigma", sigma), ("releases", releases)):
        if not number >= 0:
            raise ValueError(f"{what} must be at least 0, got {number!r}")
    if sensitivity == 0 or releases == 0:
        return 0.0
    if sigma == 0:
        return math.inf
    return releases * dimensions / 2 * math.log1p((sensitivity / sigma) ** 2 / dimensions)


def _scores(values: np.ndarray) -> np.ndarray:
    """Return each column's normal scores: ranks, spread like a normal distribution."""
    from scipy.special import ndtri

    return np.asarray(ndtri(0.5 + centred_ranks(values.T).T / len(values)))


def _projected(values: np.ndarray, dimensions: int) -> np.ndarray:
    """Return the principal components (n, ≤ dimensions) that vary."""
    centred = values - values.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    kept = min(dimensions, int((sizes > 1e-9 * max(sizes.max(initial=0.0), 1e-300)).sum()))
    return np.asarray(left[:, :kept] * sizes[:kept])


def _features(x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Return what the critic adds up: products of two coordinates, and of their sizes across the sides."""
    joined = np.hstack([x, z])
    first, second = np.triu_indices(joined.shape[1])
    wide, tall = np.abs(x) - _SIZE, np.abs(z) - _SIZE
    across = [(a[:, :, None] * b[:, None, :]).reshape(len(x), -1) for a, b in ((wide, z), (x, tall), (wide, tall))]
    return np.hstack([joined[:, first] * joined[:, second], *across])


def _pairs(x: np.ndarray, z: np.ndarray, shifts: np.ndarray) -> np.ndarray:
    """Return the features of rows with other rows' updates."""
    return np.vstack([_features(x, np.roll(z, shift, axis=0)) for shift in shifts])


def _bound(theta: np.ndarray, joint: np.ndarray, apart: np.ndarray) -> float:
    """Return Donsker and Varadhan's value of a linear critic."""
    critic = apart @ theta
    peak = float(critic.max())
    return float(joint.mean(axis=0) @ theta) - peak - math.log(float(np.exp(critic - peak).mean()))


def leakage_estimate(rows: Any, updates: Any, *, dimensions: int = 3, seed: int = 0) -> float:
    """Estimate from samples how much updates tell of the rows behind them.

    Parameters
    ----------
    rows : (n, p) float array
        What went into each of n updates, for example a batch's mean row and its labels; n at least 50.
    updates : (n, q) float array
        The updates, in the same order.
    dimensions : int
        To how many principal components either side is cut, at least 1.
    seed : int
        Which half of the samples fits, and which pairs are compared, follows from it.

    Returns
    -------
    float
        In nats, at least 0; 0 also where either side is constant.

    Raises
    ------
    ValueError
        If a shape does not fit, a number is not finite, or there are too few samples.

    Notes
    -----
    I ≥ E_joint[T] − log E_apart[exp T] for every critic T. T is a weighted sum of products of the normal scores of both
    sides and of their sizes, fitted by logistic regression of pairs against strangers, which is convex; it is fitted on
    one half of the samples and measured on the other, and the halves change places. What comes out is an estimate of a
    lower bound, not a bound: sampling error may lift it, and what the projection or the critic cannot see is missing.
    It has no meaning far above log n.

    Source
    ------
    Donsker and Varadhan (1983); Belghazi et al. (2018), "Mutual information neural estimation"; Liu et al. (2021),
    "Quantitative metric for privacy leakage in federated learning" (H-MINE), named by FederatedTrust (Sánchez Sánchez
    et al. 2024), "Information Leakage Risk".

    Deviations
    ----------
    H-MINE and MINE train networks in every round; ours fits a convex critic on a few principal components. Projecting
    and ranking lose information, never add any.

    Examples
    --------
    >>> x = stream(0, "example").standard_normal((400, 2))
    >>> round(leakage_estimate(x[:, :1], x[:, 1:]), 1), leakage_estimate(x[:, :1], x[:, :1]) > 1
    (0.0, True)
    """
    given, sent = (np.asarray(values, float) for values in (rows, updates))
    for what, values in (("rows", given), ("updates", sent)):
        if values.ndim != 2 or len(values) != len(given):
            raise ValueError(f"{what} must be a matrix with one row a sample, got shape {values.shape}")
        if not np.isfinite(values).all():
            raise ValueError(f"{what} must be finite, got NaN or infinity")
    if len(given) < 50:
        raise ValueError(f"rows must have at least 50 samples, got {len(given)}")
    if dimensions < 1:
        raise ValueError(f"dimensions must be at least 1, got {dimensions!r}")
    x, z = _projected(given, dimensions), _projected(sent, dimensions)
    if not (x.size and z.size):
        return 0.0
    x, z = _scores(x), _scores(z)
    rng = stream(seed, "leakage")
    order = rng.permutation(len(x))
    halves = order[: len(x) // 2], order[len(x) // 2 :]
    shifts = [1 + rng.permutation(len(half) - 1)[:_SHIFTS] for half in halves]
    parts = [(_features(x[h], z[h]), _pairs(x[h], z[h], s)) for h, s in zip(halves, shifts, strict=True)]
    return max(0.0, *(sum(_bound(_fitted(*parts[i], ridge), *parts[1 - i]) for i in (0, 1)) / 2 for ridge in _RIDGES))


def _fitted(joint: np.ndarray, apart: np.ndarray, ridge: float) -> np.ndarray:
    """Return the weights by which logistic regression tells pairs from strangers: an estimate of the density ratio."""
    from scipy.optimize import minimize
    from scipy.special import expit

    joint, apart = (np.hstack([block, np.ones((len(block), 1))]) for block in (joint, apart))

    def loss(theta: np.ndarray) -> tuple[float, np.ndarray]:
        near, far = joint @ theta, apart @ theta
        value = np.logaddexp(0, -near).mean() + np.logaddexp(0, far).mean() + ridge * theta @ theta
        slope = expit(far) @ apart / len(apart) - expit(-near) @ joint / len(joint)
        return float(value), slope + 2 * ridge * theta

    return np.asarray(minimize(loss, np.zeros(joint.shape[1]), jac=True, method="L-BFGS-B").x[:-1])
