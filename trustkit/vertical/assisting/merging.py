"""How the first party puts other parties' outputs together: weights that add up to 1, and the best length of a step."""

from __future__ import annotations

import numpy as np

from trustkit.metrics.evaluate import softmax
from trustkit.records import Tick
from trustkit.threads import one_blas_thread
from trustkit.vertical.networks.adam import adam
from trustkit.vertical.networks.losses import slope

__all__ = ["assistance", "best_rate", "opened"]

_LONGEST = 300.0
_PRODUCTS = 2**32
"""Numbers multiplied between two ticks: a tenth of a second."""
_STEPS, _LR, _DECAY = 100, 0.1, 5e-4


def assistance(outputs: np.ndarray, residual: np.ndarray, tick: Tick = lambda: None) -> np.ndarray:
    """Fit weights to parties' outputs, so that their weighted sum comes close to what they were fitted to.

    Parameters
    ----------
    outputs : (K, n, c) float array
        What each party said.
    residual : (n, c) float array
        What it was to say.
    tick : callable
        Called before each look at a part of the rows.

    Returns
    -------
    (K,) float64 array
        Positive weights that add up to 1.

    Notes
    -----
    w = softmax(θ), where θ starts with ones and takes 100 steps of Adam (step size 0.1, weight decay 0.0005) on the
    mean of (Σ_k w_k f_k − r)², all rows at once. That is wᵀGw − 2 bᵀw + a constant, with G = f fᵀ/(n c) and
    b = f r/(n c): the rows are read once.

    Source
    ------
    Diao, Ding and Tarokh (2022), "GAL: gradient assisted learning", the assistance weights; steps as in
    VertiBench's code.

    Deviations
    ----------
    VertiBench's set of parameters names batches of 1024 rows; its code, as this, uses all rows in each step.

    Examples
    --------
    >>> said = np.array([[[1.0], [0.0]], [[0.0], [1.0]]])
    >>> assistance(said, np.array([[0.5], [0.5]])).tolist()
    [0.5, 0.5]
    """
    import torch

    flat, wanted, parties = outputs.reshape(len(outputs), -1), residual.reshape(-1), len(outputs)
    gram, pull, part = np.zeros((parties, parties)), np.zeros(parties), max(1, _PRODUCTS // parties**2)
    with one_blas_thread():
        for at in range(0, wanted.size, part):
            tick()
            here = flat[:, at : at + part]
            gram += here @ here.T / residual.size
            pull += here @ wanted[at : at + part] / residual.size
    theta = torch.ones(parties, dtype=torch.float64)
    mean, square = torch.zeros_like(theta), torch.zeros_like(theta)
    for steps in range(1, _STEPS + 1):
        w = softmax(theta.numpy()[None])[0]
        by_w = 2 * (gram @ w - pull)
        adam(theta, mean, square, torch.tensor(w * (by_w - w @ by_w)), steps, _LR, _DECAY)
    return np.asarray(softmax(theta.numpy()[None])[0])


def opened(scores: np.ndarray, classes: int) -> np.ndarray:
    """Turn the one score of two classes into two logits; leave others as they are.

    Parameters
    ----------
    scores : (n, c) float array
        Inside: one number a row for two classes or a regression, else one a class.
    classes : int
        C; 0 for a regression.

    Returns
    -------
    (n, C) or (n, 1) float array
        Outside: logits (0, z), or the same.

    Examples
    --------
    >>> opened(np.array([[1.5]]), 2).tolist()
    [[0.0, 1.5]]
    """
    alone = classes == 2 and scores.shape[1] == 1
    return np.concatenate([np.zeros_like(scores), scores], axis=1) if alone else scores


def best_rate(scores: np.ndarray, direction: np.ndarray, y: np.ndarray, classes: int, tick: Tick) -> float:
    """Search along a direction for the smallest mean loss.

    Parameters
    ----------
    scores, direction : (n, c) float array
        F, and what is to be added a multiple of.
    y : (n,) array
        Class numbers (int), or numbers (float).
    classes : int
        C; 0 for a regression.
    tick : callable
        Called before each look at the rows.

    Returns
    -------
    float
        η ≥ 0: where the slope of the loss L(y, F + η d) is 0. 0 if the loss grows from the start; 300 if it still falls
        there.

    Notes
    -----
    The loss is convex in η, so its slope Σ_i ⟨∂L/∂F_i, d_i⟩ has one zero, which Brent's method finds.

    Source
    ------
    Diao, Ding and Tarokh (2022), "GAL: gradient assisted learning", the assistance rate.

    Deviations
    ----------
    The authors' code takes ten L-BFGS steps from 1 and uses |η|, at most 300; here η is exact and is 0 where the
    direction does not help.

    Examples
    --------
    >>> best_rate(np.zeros((2, 1)), np.ones((2, 1)), np.array([1.0, 3.0]), 0, lambda: None)
    2.0
    """
    from scipy.optimize import brentq

    start, along = opened(scores.astype(float), classes), opened(direction.astype(float), classes)

    def falls(rate: float) -> float:
        tick()
        return float(np.sum(slope(start + rate * along, y) * along) / len(y))

    if falls(0.0) >= 0:
        return 0.0
    high = 1.0
    while falls(high) < 0:
        if high >= _LONGEST:
            return _LONGEST
        high = min(4 * high, _LONGEST)
    return float(brentq(falls, 0.0, high, xtol=1e-12, rtol=1e-12))
