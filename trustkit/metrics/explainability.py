"""Which features a model's decisions rest on."""

from __future__ import annotations

from typing import Literal

import numpy as np

from trustkit.metrics.robustness import Gradient, Logits
from trustkit.rng import stream

__all__ = ["shap_importance", "shap_values"]


def _weights(scores: np.ndarray, predicted: np.ndarray, output: str) -> np.ndarray:
    """Weights (n, C) whose weighted logits have the gradient of the explained output of each row."""
    chosen = np.zeros(scores.shape)
    chosen[np.arange(scores.shape[0]), predicted] = 1.0
    if output == "margin":
        return chosen
    exponential = np.exp(scores - scores.max(axis=1, keepdims=True))
    p = exponential / exponential.sum(axis=1, keepdims=True)
    return np.asarray((chosen * p).sum(axis=1, keepdims=True) * (chosen - p))  # dp_c/dz_j = p_c (δ_cj − p_j)


def shap_values(
    logits: Logits,
    gradient: Gradient,
    X: np.ndarray,
    background: np.ndarray,
    *,
    draws: int = 50,
    seed: int = 0,
    output: Literal["probability", "margin"] = "probability",
) -> np.ndarray:
    """Attribute the predicted class's output of each row to its features, by expected gradients.

    Parameters
    ----------
    logits : callable
        From rows (n, m) to unnormalised scores (n, C).
    gradient : callable
        From rows (n, m) and weights (n, C) to the gradient (n, m) of Σ_c weights · logits by each row.
    X : (n, m) float array
        The rows to explain, in the units that the model takes.
    background : (B, m) float array
        Rows that stand for "feature not known", B ≥ 1.
    draws : int
        Points for each row, at least 1; a multiple of B uses every background row equally often.
    seed : int
        The points follow from it.
    output : {"probability", "margin"}
        What is attributed: the predicted class's softmax probability, or its unnormalised score.

    Returns
    -------
    (n, m) float array
        In units of the output. The values of a row sum to its output minus the mean output of the background, up to
        sampling error.

    Raises
    ------
    ValueError
        If a shape, a number or the output does not fit.

    Notes
    -----
    φ_i = E[(x_i − b_i) ∂f/∂x_i (b + t (x − b))], b a background row, t even in [0, 1].

    Source
    ------
    Erion et al. 2021, expected gradients; the estimator of shap's ``GradientExplainer``.

    Deviations
    ----------
    Background rows are dealt like shuffled cards instead of drawn independently, so that a linear model is attributed
    exactly when every background row is used equally often; t is stratified over a row's draws.

    Examples
    --------
    >>> W = np.array([[0.0, 1.0], [0.0, -2.0]])
    >>> linear = dict(logits=lambda X: X @ W, gradient=lambda X, weights: weights @ W.T)
    >>> shap_values(X=np.array([[3.0, 1.0]]), background=np.zeros((1, 2)), output="margin", **linear).round(6).tolist()
    [[3.0, -2.0]]
    """
    X, background = np.asarray(X, dtype=float), np.asarray(background, dtype=float)
    if X.ndim != 2 or background.ndim != 2 or background.shape[1] != X.shape[1] or not background.shape[0]:
        raise ValueError(f"X and background must be rows of equal length, got shapes {X.shape} and {background.shape}")
    if draws < 1:
        raise ValueError(f"draws must be at least 1, got {draws!r}")
    if output not in ("probability", "margin"):
        raise ValueError(f"output must be 'probability' or 'margin', got {output!r}")
    rows, size = X.shape[0], background.shape[0]
    scores = np.asarray(logits(X), dtype=float)
    predicted = scores.argmax(axis=1)
    rng = stream(seed, "expected gradients")
    decks = rng.permuted(np.tile(np.arange(size), (-(-draws // size), rows, 1)), axis=2)
    dealt = decks.transpose(0, 2, 1).reshape(-1, rows)[:draws]
    steps = (rng.permuted(np.tile(np.arange(draws), (rows, 1)), axis=1).T + rng.random((draws, rows))) / draws
    total = np.zeros(X.shape)
    for at, step in zip(dealt, steps, strict=True):
        away = X - background[at]
        points = X - (1 - step)[:, None] * away
        if output == "probability":
            scores = np.asarray(logits(points), dtype=float)
        total += away * gradient(points, _weights(scores, predicted, output))
    return total / draws


def shap_importance(
    logits: Logits,
    gradient: Gradient,
    X: np.ndarray,
    background: np.ndarray,
    *,
    draws: int = 50,
    seed: int = 0,
    output: Literal["probability", "margin"] = "probability",
) -> np.ndarray:
    """Return how much each feature moves the predicted class's output, on average over the rows.

    Parameters
    ----------
    logits : callable
        From rows (n, m) to unnormalised scores (n, C).
    gradient : callable
        From rows (n, m) and weights (n, C) to the gradient (n, m) of Σ_c weights · logits by each row.
    X : (n, m) float array
        The rows to explain, n ≥ 1, in the units that the model takes.
    background : (B, m) float array
        Rows that stand for "feature not known", B ≥ 1.
    draws : int
        Points for each row, at least 1.
    seed : int
        The points follow from it.
    output : {"probability", "margin"}
        What is attributed: the predicted class's softmax probability, or its unnormalised score.

    Returns
    -------
    (m,) float array
        At least 0, in units of the output.

    Raises
    ------
    ValueError
        If a shape, a number or the output does not fit, or if there is no row.

    Notes
    -----
    Mean over rows of |φ_i|, with φ from `shap_values`.

    Source
    ------
    Lundberg and Lee 2017 (SHAP); FederatedTrust (Sánchez Sánchez et al. 2024), "Feature Importance", Table 2.

    Deviations
    ----------
    FederatedTrust's code sums DeepExplainer's values over one batch before taking absolute values, by class or by row
    depending on the version of shap; ours is by feature.

    Examples
    --------
    >>> W = np.array([[0.0, 1.0], [0.0, -2.0]])
    >>> linear = dict(logits=lambda X: X @ W, gradient=lambda X, weights: weights @ W.T)
    >>> X = np.array([[3.0, 1.0], [5.0, 1.0]])
    >>> shap_importance(X=X, background=np.zeros((1, 2)), output="margin", **linear).round(6).tolist()
    [4.0, 2.0]
    """
    if not len(X):
        raise ValueError("X must have at least one row to explain, got none")
    values = shap_values(logits, gradient, X, background, draws=draws, seed=seed, output=output)
    return np.asarray(np.abs(values).mean(axis=0))
