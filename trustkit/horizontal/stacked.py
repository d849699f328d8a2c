"""Local training of many clients at once, for fully connected models.

All clients of a round take their first step together, then their second, and so on, as products of stacked matrices.
Clients stand in the order of their number of steps, so those that still train are always the first ones: a view.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from trustkit.horizontal.models import Dense
from trustkit.horizontal.noise import add_gaussian
from trustkit.horizontal.plan import Bend, Cohort, Local
from trustkit.records import Tick
from trustkit.rng import stream

__all__ = ["gradients", "slopes", "train"]


def train(
    model: Dense, params: np.ndarray, X: np.ndarray, y: np.ndarray, cohort: Cohort, local: Local, tick: Tick, *,
    anchor: np.ndarray | None = None, drift: np.ndarray | None = None, counts: np.ndarray | None = None,
    bend: Bend | None = None,
) -> np.ndarray:  # fmt: skip
    """Train every client of a cohort, from the same parameters or from its own.

    Parameters
    ----------
    model : Dense
        Layer sizes.
    params : (P,) or (clients, P) float array
        Where they start; not changed.
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
    anchor : (P,) or (clients, P) float array, optional
        What ``local.mu`` pulls to; by default where they start.
    drift : (clients, P) float array, optional
        Added to every gradient of a client.
    counts : (N,) float array, optional
        What each row counts; 1 by default.
    bend : callable, optional
        Adds to the loss what depends on a whole batch; not together with clipping.

    Returns
    -------
    (clients, P) float array
        Each client's parameters afterwards, in the cohort's order.

    Notes
    -----
    w ← w − η·(ĝ + μ·(w − a) + h), where ĝ = (Σ_i q_i c_i g_i + σ·C·ξ) / d: g_i a row's gradient, q_i what it counts,
    c_i = min(1, C/‖g_i‖) with clipping and 1 without, ξ standard normal, d the batch's (expected) size, a the anchor
    and h the drift.

    Source
    ------
    FedAvg: McMahan et al. (2017), Algorithm 1. FedProx: Li et al. (2020), Algorithm 2. Clipping and noise: Abadi et
    al. (2016), Algorithm 1.

    Deviations
    ----------
    None.
    """
    stack = np.empty((len(cohort.clients), model.parameters), model.dtype)
    stack[:] = params
    pulled = np.broadcast_to(params if anchor is None else anchor, stack.shape)
    grads = np.empty_like(stack)
    noisy = local.clip is not None and local.noise > 0
    for step in range(cohort.rows.shape[0]):
        tick()
        active = cohort.active(step)
        here, change = stack[:active], grads[:active]
        slopes(model, here, X, y, cohort, step, local.clip, change, counts, bend)
        if noisy:
            scale = local.noise * (local.clip or 0.0) / cohort.denominators[step, :active]
            add_gaussian(change, scale, stream(cohort.seed, cohort.index, "noise", "step", step))
        if local.mu:
            change += local.mu * (here - pulled[:active])
        if drift is not None:
            change += drift[:active]
        change *= local.lr
        here -= change
    return stack


def slopes(
    model: Dense, stack: np.ndarray, X: np.ndarray, y: np.ndarray, cohort: Cohort, step: int, clip: float | None,
    out: np.ndarray, counts: np.ndarray | None = None, bend: Bend | None = None,
) -> None:  # fmt: skip
    """Compute the mean gradient of each client's batch in one step.

    Parameters
    ----------
    model : Dense
        Layer sizes.
    stack : (m, P) float array
        The parameters of the clients that still train.
    X : (N, features) float array
        All training rows, in the model's dtype.
    y : (N,) int array
        Their classes.
    cohort : Cohort
        Who trains, on which rows.
    step : int
        From 0.
    clip : float, optional
        Largest norm of one row's gradient.
    out : (m, P) float array
        Receives the gradients.
    counts : (N,) float array, optional
        What each row counts; 1 by default.
    bend : callable, optional
        As for `train`.
    """
    active = len(stack)
    rows = cohort.rows[step, :active]
    weights = ((rows >= 0) / cohort.denominators[step, :active, None]).astype(model.dtype)
    if counts is not None:
        weights *= counts.take(rows, mode="clip")
    batch = X.take(rows, axis=0, mode="clip"), y.take(rows, mode="clip"), weights
    gradients(model, stack, *batch, clip, out, None if bend is None else lambda e, p: bend(e, p, rows, slice(active)))


def gradients(
    model: Dense, stack: np.ndarray, X: np.ndarray, y: np.ndarray, weights: np.ndarray, clip: float | None,
    out: np.ndarray, bend: Callable[[np.ndarray, np.ndarray], None] | None = None,
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
    bend : callable, optional
        Changes in place the loss's gradient by the logits (m, B, C), given the chances (m, B, C); not with clipping.

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
        chances = None if bend is None else _chances(errors[0], y)
        errors[0] *= weights[..., None]
        if bend is not None and chances is not None:
            bend(errors[0], chances)
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


def _chances(error: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the softmax that an output error was made of."""
    chances = error.copy()
    flat = chances.reshape(-1, chances.shape[-1])
    flat[np.arange(flat.shape[0]), y.ravel()] += 1
    return chances


def _clip_factors(inputs: list[np.ndarray], errors: list[np.ndarray], clip: float) -> np.ndarray:
    """Return min(1, clip/‖g‖) for every row (m, B)."""
    squared = sum(
        np.einsum("mbi,mbi->mb", e, e) * (np.einsum("mbi,mbi->mb", x, x) + 1)
        for x, e in zip(inputs, errors, strict=True)
    )
    return np.asarray(clip / np.maximum(np.sqrt(squared), clip))
