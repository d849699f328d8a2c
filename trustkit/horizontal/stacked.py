"""Local training of many clients at once, for fully connected models.

All clients of a round take their first step together, then their second, and so on, as products of stacked matrices.
Clients stand in the order of their number of steps, so those that still train are always the first ones: a view.
"""

from __future__ import annotations

import numpy as np

from trustkit.horizontal.models import Dense
from trustkit.horizontal.noise import add_gaussian
from trustkit.horizontal.plan import Cohort, Local
from trustkit.records import Tick
from trustkit.rng import stream

__all__ = ["gradients", "train"]


def train(
    model: Dense, params: np.ndarray, X: np.ndarray, y: np.ndarray, cohort: Cohort, local: Local, tick: Tick
) -> np.ndarray:
    """Train every client of a cohort from the same parameters.

    Parameters
    ----------
    model : Dense
        Layer sizes.
    params : (P,) float array
        The global model; not changed.
    X : (N, m) float array
        All training rows, in the model's dtype.
    y : (N,) int array
        Their classes.
    cohort : Cohort
        Who trains, on which rows.
    local : Local
        How clients train.
    tick : callable
        Called before each step.

    Returns
    -------
    (clients, P) float array
        Each client's parameters afterwards, in the cohort's order.

    Notes
    -----
    w ← w − η·(ĝ + μ·(w − w₀)), where ĝ = (Σ_i c_i g_i + σ·C·ξ) / d: g_i a row's gradient, c_i = min(1, C/‖g_i‖) with
    clipping and 1 without, ξ standard normal, d the batch's (expected) size.

    Source
    ------
    FedAvg: McMahan et al. (2017), Algorithm 1. FedProx: Li et al. (2020), Algorithm 2. Clipping and noise: Abadi et
    al. (2016), Algorithm 1.

    Deviations
    ----------
    None.
    """
    clients = len(cohort.clients)
    stack = np.repeat(np.asarray(params, model.dtype)[None], clients, axis=0)
    grads = np.empty_like(stack)
    noisy = local.clip is not None and local.noise > 0
    for step in range(cohort.rows.shape[0]):
        tick()
        active = cohort.active(step)
        rows, sizes = cohort.rows[step, :active], cohort.denominators[step, :active]
        weights = ((rows >= 0) / sizes[:, None]).astype(model.dtype)
        here, change = stack[:active], grads[:active]
        batch = X.take(rows, axis=0, mode="clip")
        gradients(model, here, batch, y.take(rows, mode="clip"), weights, local.clip, change)
        if noisy:
            scale = local.noise * (local.clip or 0.0) / sizes
            add_gaussian(change, scale, stream(cohort.seed, cohort.index, "noise", "step", step))
        if local.mu:
            change += local.mu * (here - params)
        change *= local.lr
        here -= change
    return stack


def gradients(
    model: Dense, stack: np.ndarray, X: np.ndarray, y: np.ndarray, weights: np.ndarray, clip: float | None,
    out: np.ndarray,
) -> None:  # fmt: skip
    """Compute each client's weighted sum of its rows' gradients, each clipped first if asked.

    Parameters
    ----------
    model : Dense
        Layer sizes.
    stack : (m, P) float array
        The parameters of each client.
    X : (m, B, features) float array
        A batch for each client.
    y : (m, B) int array
        Its classes.
    weights : (m, B) float array
        What each row counts; 0 for padding.
    clip : float, optional
        Largest norm of one row's gradient.
    out : (m, P) float array
        Receives the sums.

    Notes
    -----
    Cross-entropy of softmax. A dense layer's gradient by one row is the outer product of its input and its error δ: its
    squared norm is ‖δ‖²·(‖input‖² + 1): norms are exact without any row's gradient being formed.

    Source
    ------
    Goodfellow (2015), "Efficient per-example gradient computations".

    Deviations
    ----------
    None.
    """
    layers, slots = model.layers(stack), model.layers(out)
    inputs = [X]
    for w, b in layers[:-1]:
        hidden = np.matmul(inputs[-1], w)
        hidden += b[:, None]
        inputs.append(np.maximum(hidden, 0, out=hidden))
    errors = [_output_error(np.matmul(inputs[-1], layers[-1][0]) + layers[-1][1][:, None], y)]
    if clip is None:
        errors[0] *= weights[..., None]
    for (w, _), hidden in zip(reversed(layers[1:]), reversed(inputs[1:]), strict=True):
        error = np.matmul(errors[0], w.swapaxes(1, 2))
        error *= hidden > 0
        errors.insert(0, error)
    if clip is not None:
        factors = weights * _clip_factors(inputs, errors, clip)
        for error in errors:
            error *= factors[..., None]
    for (w_slot, b_slot), hidden, error in zip(slots, inputs, errors, strict=True):
        np.matmul(hidden.swapaxes(1, 2), error, out=w_slot)
        np.sum(error, axis=1, out=b_slot)


def _output_error(logits: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return softmax minus one-hot, in place of the logits."""
    logits -= logits.max(axis=-1, keepdims=True)
    np.exp(logits, out=logits)
    logits /= logits.sum(axis=-1, keepdims=True)
    flat = logits.reshape(-1, logits.shape[-1])
    flat[np.arange(flat.shape[0]), y.ravel()] -= 1
    return logits


def _clip_factors(inputs: list[np.ndarray], errors: list[np.ndarray], clip: float) -> np.ndarray:
    """Return min(1, clip/‖g‖) for every row (m, B)."""
    squared = sum(
        np.einsum("mbi,mbi->mb", e, e) * (np.einsum("mbi,mbi->mb", x, x) + 1)
        for x, e in zip(inputs, errors, strict=True)
    )
    return np.asarray(clip / np.maximum(np.sqrt(squared), clip))
