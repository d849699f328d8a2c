"""CLEVER: an estimate of the smallest change of a row that changes what a model predicts for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from trustkit.rng import stream

__all__ = ["Gradient", "Logits", "clever"]

Logits = Callable[[np.ndarray], np.ndarray]
"""From rows (n, m) to unnormalised scores (n, C)."""

Gradient = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""From rows (n, m) and weights (n, C) to the gradient (n, m) of the weighted scores by each row."""

_REACH = 1.0  # how far above the largest sample, in sample ranges, the end point is looked for


def _ball(rng: np.random.Generator, points: int, dimensions: int, radius: float) -> np.ndarray:
    """Draw points (points, dimensions) evenly from a ball around 0."""
    direction = rng.standard_normal((points, dimensions))
    length = radius * rng.random(points) ** (1 / dimensions)
    return np.asarray(direction * (length / np.linalg.norm(direction, axis=1))[:, None])


def _shape(z: np.ndarray) -> np.ndarray:
    """Solve for the likeliest Weibull shape, at least 1, of the samples z > 0 along the last axis."""
    log = np.log(z)
    log -= log.max(axis=-1, keepdims=True)
    mean = log.mean(axis=-1)
    shape = np.clip(1.28 / np.maximum(log.std(axis=-1), 1e-12), 1.0, 1e4)
    for _ in range(12):  # Newton's method for 1/k = Σ zᵏ log z / Σ zᵏ − mean log z
        power = np.exp(shape[..., None] * log)
        total = power.sum(axis=-1)
        first, second = (power * log).sum(axis=-1) / total, (power * log * log).sum(axis=-1) / total
        off = 1 / shape - first + mean
        shape = np.clip(shape + off / (1 / shape**2 + second - first**2), 1.0, 1e4)
    return np.asarray(shape)


def _profile(z: np.ndarray) -> np.ndarray:
    """Mean log likelihood of Weibull samples z along the last axis, at the best scale and shape."""
    shape, log = _shape(z), np.log(z)
    top = log.max(axis=-1)
    power = np.log(np.mean(np.exp(shape[..., None] * (log - top[..., None])), axis=-1)) + shape * top
    return np.asarray(np.log(shape) - power + (shape - 1) * log.mean(axis=-1) - 1)


def _end_points(maxima: np.ndarray) -> np.ndarray:
    """Fit a reverse Weibull distribution to each row of maxima (T, B) and return its upper end (T,)."""
    top = np.asarray(maxima.max(axis=1))
    width = top - maxima.min(axis=1)
    spread = width > 1e-9 * np.abs(top)
    ends = top.copy()
    if not spread.any():
        return ends
    gaps, width = (top[:, None] - maxima)[spread] / width[spread, None], width[spread]
    low, high = np.full(width.size, np.log(1e-4)), np.full(width.size, np.log(_REACH))
    for points in (48, 12, 12):
        at = np.linspace(low, high, points, axis=1)
        best = _profile(gaps[:, None, :] + np.exp(at)[:, :, None]).argmax(axis=1)
        rows = np.arange(width.size)
        low, high = at[rows, np.maximum(best - 1, 0)], at[rows, np.minimum(best + 1, points - 1)]
        found = np.exp(at[rows, best])
    ends[spread] += found * width
    return ends


def _end_points_art(maxima: np.ndarray) -> np.ndarray:
    from scipy.optimize import fmin
    from scipy.stats import weibull_min

    def quiet(function: Any, start: Any, args: Any, **_: Any) -> Any:
        return fmin(function, start, args=args, disp=False)

    optimizer: Any = quiet
    return np.array([-weibull_min.fit(-row, 1.0, optimizer=optimizer)[1] for row in maxima])


def clever(
    logits: Logits,
    gradient: Gradient,
    X: np.ndarray,
    *,
    radius: float = 2.0,
    batches: int = 50,
    batch_size: int = 100,
    pool_factor: int = 10,
    seed: int = 0,
    fit: Literal["mle", "art"] = "mle",
) -> np.ndarray:
    """Estimate for each row the smallest Euclidean change that changes its predicted class.

    Parameters
    ----------
    logits : callable
        From rows (n, m) to unnormalised scores (n, C), C ≥ 2.
    gradient : callable
        From rows (n, m) and weights (n, C) to the gradient (n, m) of Σ_c weights · logits by each row.
    X : (n, m) float array
        The rows, in the units that the model takes (scaled features).
    radius : float
        Of the ball around a row that is searched, in the units of X, above 0; no score exceeds it.
    batches : int
        How many maxima are fitted, N_b, at least 1.
    batch_size : int
        Points behind each maximum, N_s, at least 1.
    pool_factor : int
        Batches are drawn from a pool of ``pool_factor · batch_size`` points, at least 1; one pool serves all classes.
    seed : int
        The pool and the batches follow from it; a row's score does not depend on the other rows.
    fit : {"mle", "art"}
        "mle": profile likelihood over the end point, with a shape of at least 1. "art": SciPy's fit from shape 1, as
        in the Adversarial Robustness Toolbox, for comparison with published numbers.

    Returns
    -------
    (n,) float array
        In [0, radius], in the units of X; larger is more robust.

    Raises
    ------
    ValueError
        If a number is out of range, or if X is not a matrix.

    Notes
    -----
    min over classes j ≠ c of min((f_c − f_j)(x) / L_j, radius), where c is the predicted class and L_j the upper end
    of a reverse Weibull distribution fitted to batch maxima of ‖∇(f_c − f_j)‖₂ in the ball. For a linear model the
    gradient is constant and the score is the exact distance to the boundary. It is an estimate, not a certificate.

    Source
    ------
    Weng et al. 2018, CLEVER; FederatedTrust (Sánchez Sánchez et al. 2024), "Certified Robustness", Table 2.

    Deviations
    ----------
    FederatedTrust's code uses N_b = 10, N_s = 5 and one row; ours 50, 100 and as many rows as given. SciPy's fit can
    stop far from the optimum, so "mle" is the default: its shape is at least 1, where the likelihood is bounded, and
    the end point is looked for up to one range of the maxima above the largest, since beyond that samples of this size
    do not tell ends apart. Points are not clipped to a data range.

    Examples
    --------
    >>> W = np.array([[3.0, 0.0], [4.0, 0.0]])
    >>> clever(lambda X: X @ W, lambda X, weights: weights @ W.T, np.array([[1.0, 0.0], [0.1, 0.2]])).round(6).tolist()
    [0.6, 0.22]
    """
    X = np.asarray(X, dtype=float)
    if X.ndim != 2:
        raise ValueError(f"X must be a matrix of rows, got shape {X.shape}")
    if not radius > 0:
        raise ValueError(f"radius must be above 0, got {radius!r}")
    for what, number in (("batches", batches), ("batch_size", batch_size), ("pool_factor", pool_factor)):
        if number < 1:
            raise ValueError(f"{what} must be at least 1, got {number!r}")
    if fit not in ("mle", "art"):
        raise ValueError(f"fit must be 'mle' or 'art', got {fit!r}")
    if not X.size:
        return np.zeros(X.shape[0])
    points = pool_factor * batch_size
    pool = _ball(stream(seed, "clever", "pool"), points, X.shape[1], radius)
    draws = stream(seed, "clever", "batches").integers(0, points, (batches, batch_size))
    ends = _end_points if fit == "mle" else _end_points_art
    scores = np.asarray(logits(X), dtype=float)
    return np.array(
        [_score(row, score, gradient, pool, draws, ends, radius) for row, score in zip(X, scores, strict=True)]
    )


def _score(
    row: np.ndarray,
    scores: np.ndarray,
    gradient: Gradient,
    pool: np.ndarray,
    draws: np.ndarray,
    ends: Callable[[np.ndarray], np.ndarray],
    radius: float,
) -> float:
    """Return CLEVER for one row (m,) with scores (C,)."""
    predicted = int(scores.argmax())
    others = np.delete(np.arange(scores.size), predicted)
    near, slopes = row + pool, []
    weights = np.zeros((pool.shape[0], scores.size))
    for target in others:
        weights[:] = 0
        weights[:, predicted], weights[:, target] = 1, -1
        slopes.append(np.linalg.norm(gradient(near, weights), axis=1))
    lipschitz = ends(np.array(slopes, dtype=float)[:, draws].max(axis=2))
    margins = scores[predicted] - scores[others]
    reach = np.divide(margins, lipschitz, out=np.full(margins.size, np.inf), where=lipschitz > 0)
    return float(min(reach.min(), radius))
