"""Empirical robustness: rows are changed on purpose, by little, until the model misreads them."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from trustkit.metrics.defence import attack_success_rate
from trustkit.metrics.robustness import Gradient, Logits
from trustkit.rng import stream

__all__ = ["Attacked", "Norm", "empirical_robustness", "fgsm", "pgd"]

Norm = Literal["linf", "l2"]
"""What measures a change of a row: its largest coordinate, or its Euclidean length."""

Bound = float | np.ndarray | None


class Attacked(NamedTuple):
    """What an attack on rows achieved; each in [0, 1], NaN where no row counts."""

    clean: float
    robust: float
    success: float


def _rows(X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    rows, label = np.asarray(X, float), np.asarray(y)
    if rows.ndim != 2:
        raise ValueError(f"X must be a matrix of rows, got shape {rows.shape}")
    if label.shape != rows.shape[:1]:
        raise ValueError(f"y must have one class for each of the {len(rows)} rows, got shape {label.shape}")
    return rows, label


def _check(epsilon: float, norm: str) -> None:
    if not epsilon >= 0:
        raise ValueError(f"epsilon must be at least 0, got {epsilon!r}")
    if norm not in ("linf", "l2"):
        raise ValueError(f"norm must be 'linf' or 'l2', got {norm!r}")


def _steepest(logits: Logits, gradient: Gradient, X: np.ndarray, y: np.ndarray, norm: Norm) -> np.ndarray:
    """Return the unit step (n, m) along which each row's loss grows most; 0 where the loss is flat."""
    scores = np.array(logits(X), float)
    if scores.ndim != 2 or scores.shape[1] < 2:
        raise ValueError(f"logits must give a matrix with at least 2 classes, got shape {scores.shape}")
    own = np.arange(len(y)), y
    scores[own] = -np.inf
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))  # of the other classes, divided by 1 − p_y
    weights /= weights.sum(axis=1, keepdims=True)
    weights[own] = -1.0
    slope = np.asarray(gradient(X, weights), float)
    if norm == "linf":
        return np.asarray(np.sign(slope))
    length = np.linalg.norm(slope, axis=1, keepdims=True)
    return np.asarray(np.divide(slope, length, out=np.zeros_like(slope), where=length > 0))


def _within(change: np.ndarray, epsilon: float, norm: Norm) -> np.ndarray:
    """Return the nearest changes of at most ε."""
    if norm == "linf":
        return np.asarray(np.clip(change, -epsilon, epsilon))
    length = np.linalg.norm(change, axis=1, keepdims=True)
    return np.asarray(change * np.minimum(1.0, epsilon / np.maximum(length, 1e-300)))


def _clipped(X: np.ndarray, low: Bound, high: Bound) -> np.ndarray:
    return X if low is None and high is None else np.clip(X, low, high)


def fgsm(
    logits: Logits, gradient: Gradient, X: np.ndarray, y: np.ndarray, *, epsilon: float = 0.1, norm: Norm = "linf",
    low: Bound = None, high: Bound = None,
) -> np.ndarray:  # fmt: skip
    """Change each row by one step along the gradient of its loss.

    Parameters
    ----------
    logits : callable
        From rows (n, m) to unnormalised scores (n, C), C ≥ 2.
    gradient : callable
        From rows (n, m) and weights (n, C) to the gradient (n, m) of Σ_c weights · logits by each row.
    X : (n, m) float array
        The rows, in the units that the model takes (scaled features).
    y : (n,) int array
        Their true classes.
    epsilon : float
        The size ε of the change in the units of X, at least 0.
    norm : {"linf", "l2"}
        What ε measures: the largest coordinate of the change, or its length.
    low, high : float or (m,) float array, optional
        The data's range: changed rows are cut to it.

    Returns
    -------
    (n, m) float array
        The changed rows, at most ε from X. A row whose loss is flat stays as it is.

    Raises
    ------
    ValueError
        If ε is negative, the norm is unknown, or a shape does not fit.

    Notes
    -----
    x + ε sign(g) for the largest coordinate, x + ε g/‖g‖₂ for the length, with g = ∇ₓ of the cross entropy. On a linear
    model with two classes the first changes the prediction exactly when the margin is below ε‖w₁ − w₀‖₁.

    Source
    ------
    Goodfellow, Shlens and Szegedy (2015), "Explaining and harnessing adversarial examples", section 4. FederatedTrust
    (Sánchez Sánchez et al. 2024), "Empirical Robustness".

    Deviations
    ----------
    The gradient is divided by 1 − p_y, which changes no direction: it does not vanish where the model is sure.

    Examples
    --------
    >>> W = np.array([[1.0, -1.0], [2.0, -2.0]])
    >>> fgsm(lambda X: X @ W, lambda X, c: c @ W.T, np.array([[0.5, 0.5]]), np.array([0]), epsilon=0.25).tolist()
    [[0.25, 0.25]]
    """
    _check(epsilon, norm)
    rows, label = _rows(X, y)
    return _clipped(rows + epsilon * _steepest(logits, gradient, rows, label, norm), low, high)


def pgd(
    logits: Logits, gradient: Gradient, X: np.ndarray, y: np.ndarray, *, epsilon: float = 0.1, norm: Norm = "linf",
    steps: int = 20, step: float | None = None, random_start: bool = False, low: Bound = None, high: Bound = None,
    seed: int = 0,
) -> np.ndarray:  # fmt: skip
    """Change each row by many small steps along the gradient of its loss, never further than ε.

    Parameters
    ----------
    logits : callable
        From rows (n, m) to unnormalised scores (n, C), C ≥ 2.
    gradient : callable
        From rows (n, m) and weights (n, C) to the gradient (n, m) of Σ_c weights · logits by each row.
    X : (n, m) float array
        The rows, in the units that the model takes (scaled features).
    y : (n,) int array
        Their true classes.
    epsilon : float
        The size ε of the change in the units of X, at least 0.
    norm : {"linf", "l2"}
        What ε measures: the largest coordinate of the change, or its length.
    steps : int
        How many steps, at least 1.
    step : float, optional
        The size of one step in the units of X, above 0; by default 2.5 ε / steps.
    random_start : bool
        Whether to start anywhere in the allowed range instead of at the row.
    low, high : float or (m,) float array, optional
        The data's range: changed rows are cut to it.
    seed : int
        The random start follows from it.

    Returns
    -------
    (n, m) float array
        The rows after the last step, at most ε from X.

    Raises
    ------
    ValueError
        If a number is out of range, the norm is unknown, or a shape does not fit.

    Notes
    -----
    x ← Π(x + a·s), where s is the step of `fgsm` with size 1, a the step size, and Π takes the nearest point of the
    data's range, then of the ball of radius ε around the row.

    Source
    ------
    Madry et al. (2018), "Towards deep learning models resistant to adversarial attacks", section 2.1.

    Deviations
    ----------
    As in `fgsm`. A random start in the Euclidean ball is uniform in direction and in length.

    Examples
    --------
    >>> W = np.array([[1.0, -1.0], [2.0, -2.0]])
    >>> found = pgd(lambda X: X @ W, lambda X, c: c @ W.T, np.array([[0.5, 0.5]]), np.array([0]), epsilon=0.25)
    >>> found.round(12).tolist()
    [[0.25, 0.25]]
    """
    _check(epsilon, norm)
    if steps < 1:
        raise ValueError(f"steps must be at least 1, got {steps!r}")
    if step is not None and not step > 0:
        raise ValueError(f"step must be above 0, got {step!r}")
    rows, label = _rows(X, y)
    size = 2.5 * epsilon / steps if step is None else step
    change = np.zeros_like(rows)
    if random_start:
        rng = stream(seed, "pgd")
        change = rng.uniform(-1, 1, rows.shape)
        if norm == "l2":
            length = np.linalg.norm(change := rng.standard_normal(rows.shape), axis=1, keepdims=True)
            change = change / length * rng.random((len(rows), 1))
        change = epsilon * change
    for _ in range(steps):
        at = _clipped(rows + change, low, high)
        at = _clipped(at + size * _steepest(logits, gradient, at, label, norm), low, high)
        change = _within(at - rows, epsilon, norm)
    return _clipped(rows + change, low, high)


def empirical_robustness(
    logits: Logits, gradient: Gradient, X: np.ndarray, y: np.ndarray, *, epsilon: float = 0.1, norm: Norm = "linf",
    attack: Literal["fgsm", "pgd"] = "pgd", steps: int = 20, low: Bound = None, high: Bound = None,
) -> Attacked:  # fmt: skip
    """Attack rows and count how many are still classified rightly.

    Parameters
    ----------
    logits : callable
        From rows (n, m) to unnormalised scores (n, C), C ≥ 2.
    gradient : callable
        From rows (n, m) and weights (n, C) to the gradient (n, m) of Σ_c weights · logits by each row.
    X : (n, m) float array
        Test rows, in the units that the model takes (scaled features).
    y : (n,) int array
        Their true classes.
    epsilon : float
        The size ε of the change in the units of X, at least 0.
    norm : {"linf", "l2"}
        What ε measures: the largest coordinate of the change, or its length.
    attack : {"fgsm", "pgd"}
        One step, or many; see `fgsm` and `pgd`.
    steps : int
        How many steps of "pgd", at least 1.
    low, high : float or (m,) float array, optional
        The data's range: changed rows are cut to it.

    Returns
    -------
    Attacked
        clean: accuracy before; robust: accuracy at ε, the share of rows that are right both before and after;
        success: the share of right rows that become wrong. NaN without rows.

    Raises
    ------
    ValueError
        If a number is out of range, a name is unknown, or a shape does not fit.

    Notes
    -----
    robust = clean · (1 − success). An attack that fails proves nothing: the robust accuracy is an upper bound of the
    accuracy under the worst change of size ε.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), "Empirical Robustness"; Madry et al. (2018), equation 2.1.

    Deviations
    ----------
    The paper names the metric and gives no formula for attacks on rows.

    Examples
    --------
    >>> W = np.array([[1.0, -1.0], [2.0, -2.0]])
    >>> X, y = np.array([[0.5, 0.5], [0.1, 0.0]]), np.array([0, 0])
    >>> empirical_robustness(lambda X: X @ W, lambda X, c: c @ W.T, X, y, epsilon=0.25)
    Attacked(clean=1.0, robust=0.5, success=0.5)
    """
    if attack not in ("fgsm", "pgd"):
        raise ValueError(f"attack must be 'fgsm' or 'pgd', got {attack!r}")
    if attack == "fgsm":
        changed = fgsm(logits, gradient, X, y, epsilon=epsilon, norm=norm, low=low, high=high)
    else:
        changed = pgd(logits, gradient, X, y, epsilon=epsilon, norm=norm, steps=steps, low=low, high=high)
    rows, label = _rows(X, y)
    if not len(label):
        return Attacked(float("nan"), float("nan"), float("nan"))
    before, after = np.asarray(logits(rows)).argmax(axis=1), np.asarray(logits(changed)).argmax(axis=1)
    right = before == label
    return Attacked(
        float(right.mean()), float((right & (after == label)).mean()), attack_success_rate(before, after, label)
    )
