"""What attackers learn with: ridge regression, softmax regression and a small network, by NumPy and SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from trustkit.rng import stream

__all__ = ["learnt_classes", "learnt_network", "learnt_ridge"]

_RIDGES = np.logspace(-8, 4, 13)
_UNITS, _PULL, _ROUNDS, _MOST = 32, 1.0, 80, 300


def learnt_ridge(x: Any, y: Any, asked: Any) -> np.ndarray:
    """Fit ridge regression, its strength chosen for each output by leave-one-out, and predict.

    Parameters
    ----------
    x : (n, w) float array
        What is known, n at least 2.
    y : (n, m) float array
        What is to be told from it.
    asked : (k, w) float array
        What is asked.

    Returns
    -------
    (k, m) float array
        Predictions.

    Notes
    -----
    With centred x = U S Vᵀ the fit keeps s²/(s² + α) of each direction; a row's error without it is its residual over
    1 − h, where h = 1/n + Σ u² s²/(s² + α). α is of 13 powers of ten from 1e-8 to 1e4.

    Source
    ------
    Hoerl and Kennard (1970); Golub, Heath and Wahba (1979) for the choice.

    Deviations
    ----------
    None; the numbers are those of scikit-learn's ``RidgeCV`` with one strength a target.

    Examples
    --------
    >>> learnt_ridge([[0.0], [1.0], [2.0]], [[1.0], [3.0], [5.0]], [[10.0]]).round(4).tolist()
    [[21.0]]
    """
    known, wanted, points = (np.asarray(values, float) for values in (x, y, asked))
    centre, level = known.mean(axis=0), wanted.mean(axis=0)
    left, sizes, right = np.linalg.svd(known - centre, full_matrices=False)
    inner, scores, slopes = left.T @ (wanted - level), [], []
    for strength in _RIDGES:
        share = sizes**2 / (sizes**2 + strength)
        rest = wanted - level - left @ (share[:, None] * inner)
        leverage = 1 / len(known) + left**2 @ share
        scores.append(((rest / np.maximum(1 - leverage, 1e-12)[:, None]) ** 2).mean(axis=0))
        slopes.append(right.T @ ((sizes / (sizes**2 + strength))[:, None] * inner))
    best = np.argmin(scores, axis=0)
    chosen = np.stack([slopes[at][:, target] for target, at in enumerate(best)], axis=1)
    return np.asarray((points - centre) @ chosen + level)


def learnt_classes(x: Any, y: Any, asked: Any) -> np.ndarray:
    """Fit softmax regression and name classes.

    Parameters
    ----------
    x : (n, w) float array
        What is known.
    y : (n,) array
        Its classes, at least two different ones.
    asked : (k, w) float array
        What is asked.

    Returns
    -------
    (k,) array
        The most likely class of each row.

    Notes
    -----
    Least Σ −log p(y) + ‖W‖²/2, offsets without a pull, by L-BFGS.

    Source
    ------
    Multinomial logistic regression; scikit-learn's ``LogisticRegression`` with C = 1.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> learnt_classes([[-1.0], [1.0]], ["a", "b"], [[-3.0], [0.5]]).tolist()
    ['a', 'b']
    """
    from scipy.optimize import minimize
    from scipy.special import log_softmax

    known, points = (np.hstack([values, np.ones((len(values), 1))]) for values in map(np.asarray, (x, asked)))
    classes, code = np.unique(np.asarray(y), return_inverse=True)
    told, shape = np.eye(classes.size)[code], (known.shape[1], classes.size)
    pull = np.ones(shape)
    pull[-1] = 0.0

    def wrong(flat: np.ndarray) -> tuple[float, np.ndarray]:
        weights = flat.reshape(shape)
        logs = log_softmax(known @ weights, axis=1)
        slope = known.T @ (np.exp(logs) - told) + pull * weights
        return float(-(told * logs).sum() + (pull * weights**2).sum() / 2), slope.ravel()

    found = minimize(wrong, np.zeros(np.prod(shape)), jac=True, method="L-BFGS-B", options={"maxiter": _MOST})
    return np.asarray(classes[(points @ found.x.reshape(shape)).argmax(axis=1)])


def learnt_network(x: Any, y: Any, asked: Any, seed: int = 0) -> np.ndarray:
    """Fit a network with 32 hidden units and predict.

    Parameters
    ----------
    x : (n, w) float array
        What is known, standardised.
    y : (n, m) float array
        What is to be told from it, standardised.
    asked : (k, w) float array
        What is asked.
    seed : int
        The start follows from it.

    Returns
    -------
    (k, m) float array
        Predictions.

    Notes
    -----
    ReLU units; least Σ (y − ŷ)² / 2n + ‖W‖²/2n by 80 steps of L-BFGS from Glorot's uniform start.

    Source
    ------
    Glorot and Bengio (2010) for the start; scikit-learn's ``MLPRegressor`` has the same loss.

    Deviations
    ----------
    Whole batches and no early stop: an attacker with some hundred pairs needs neither.

    Examples
    --------
    >>> line = np.linspace(-2, 2, 400)[:, None]
    >>> bool(np.abs(learnt_network(line, np.abs(line) - 1, line) - np.abs(line) + 1).mean() < 0.05)
    True
    """
    from scipy.optimize import minimize

    known, wanted, points = (np.asarray(values, float) for values in (x, y, asked))
    rows, sizes = len(known), ((known.shape[1], _UNITS), (_UNITS, wanted.shape[1]))
    drawn, cut = stream(seed, "learnt network"), sizes[0][0] * _UNITS
    start = [drawn.uniform(-1, 1, size) * np.sqrt(6 / sum(size)) for size in sizes]
    flat = np.concatenate([start[0].ravel(), np.zeros(_UNITS), start[1].ravel(), np.zeros(wanted.shape[1])])

    def parts(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        first, low, second, high = np.split(values, [cut, cut + _UNITS, values.size - wanted.shape[1]])
        return first.reshape(sizes[0]), low, second.reshape(sizes[1]), high

    def wrong(values: np.ndarray) -> tuple[float, np.ndarray]:
        first, low, second, high = parts(values)
        hidden = np.maximum(known @ first + low, 0)
        rest = hidden @ second + high - wanted
        back = rest @ second.T * (hidden > 0)
        slopes = known.T @ back + _PULL * first, back.sum(0), hidden.T @ rest + _PULL * second, rest.sum(0)
        value = ((rest**2).sum() + _PULL * ((first**2).sum() + (second**2).sum())) / (2 * rows)
        return float(value), np.concatenate([slope.ravel() for slope in slopes]) / rows

    found = minimize(wrong, flat, jac=True, method="L-BFGS-B", options={"maxiter": _ROUNDS})
    first, low, second, high = parts(found.x)
    return np.asarray(np.maximum(points @ first + low, 0) @ second + high)
