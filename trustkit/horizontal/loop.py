"""Local training of one client after the other, for convolutional networks.

On a processor this beats stacking them: one client's images already fill the caches. There is no loader, no optimiser
object and no copied module; parameters are leaf tensors that a step moves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from trustkit.horizontal.convnet import Convnet
from trustkit.horizontal.noise import add_gaussian
from trustkit.horizontal.plan import Bend, Cohort, Local
from trustkit.records import Tick
from trustkit.rng import stream
from trustkit.threads import one_thread

if TYPE_CHECKING:
    import torch

__all__ = ["slopes", "train"]


def train(
    model: Convnet, params: np.ndarray, X: np.ndarray, y: np.ndarray, cohort: Cohort, local: Local, tick: Tick, *,
    anchor: np.ndarray | None = None, drift: np.ndarray | None = None, counts: np.ndarray | None = None,
    bend: Bend | None = None,
) -> np.ndarray:  # fmt: skip
    """Train every client of a cohort, from the same parameters or from its own.

    Parameters
    ----------
    model : Convnet
        Sizes.
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
    The same steps as `trustkit.horizontal.stacked.train`.

    Source
    ------
    FedAvg: McMahan et al. (2017), Algorithm 1. FedProx: Li et al. (2020), Algorithm 2. Clipping and noise: Abadi et
    al. (2016), Algorithm 1.

    Deviations
    ----------
    None.
    """
    trained = np.empty((len(cohort.clients), model.parameters), model.dtype)
    starts = np.broadcast_to(params, trained.shape)
    pulled = starts if anchor is None else np.broadcast_to(anchor, trained.shape)
    with one_thread():
        for place, client in enumerate(cohort.clients):
            generator = stream(cohort.seed, cohort.index, "noise", int(client))
            own = model.unpack(drift[place]) if drift is not None else None
            trained[place] = _client(
                model, starts[place], pulled[place], own, counts, X, y, cohort, place, local, tick, generator,
                bend,
            )  # fmt: skip
    return trained


def _client(
    model: Convnet, params: np.ndarray, anchor: np.ndarray, drift: list[torch.Tensor] | None,
    counts: np.ndarray | None, X: np.ndarray, y: np.ndarray, cohort: Cohort, place: int, local: Local,
    tick: Tick, generator: np.random.Generator, bend: Bend | None,
) -> np.ndarray:  # fmt: skip
    """Train one client and return its parameters (P,)."""
    import torch

    leaves = [tensor.requires_grad_() for tensor in model.unpack(params)]
    anchors = model.unpack(anchor) if local.mu else []
    for step in range(int(cohort.steps[place])):
        tick()
        rows = cohort.rows[step, place]
        rows, size = rows[rows >= 0], float(cohort.denominators[step, place])
        images, labels = model.images(X[rows]), torch.from_numpy(y[rows])
        weights = None if counts is None else torch.from_numpy(counts[rows].astype(model.dtype))
        if local.clip is None:
            loss = _loss(model, leaves, images, labels, weights) / size if bend is None else _bent(
                model.forward(leaves, images), y[rows], weights, rows, size, bend, place
            )  # fmt: skip
            grads = list(torch.autograd.grad(loss, leaves))
        else:
            grads = _clipped(model, leaves, images, labels, weights, local.clip, size)
            if local.noise:
                grads = _noisy(model, grads, local.noise * local.clip / size, generator)
        with torch.no_grad():
            for at, (leaf, grad) in enumerate(zip(leaves, grads, strict=True)):
                step_by = grad + local.mu * (leaf - anchors[at]) if local.mu else grad
                leaf.sub_(step_by if drift is None else step_by + drift[at], alpha=local.lr)
    return _flat(leaves)


def _loss(
    model: Convnet, leaves: list[torch.Tensor], images: torch.Tensor, labels: torch.Tensor,
    weights: torch.Tensor | None,
) -> torch.Tensor:  # fmt: skip
    """Return the sum of the rows' losses, each times what it counts."""
    from torch.nn.functional import cross_entropy

    logits = model.forward(leaves, images)
    if weights is None:
        return cross_entropy(logits, labels, reduction="sum")
    return (cross_entropy(logits, labels, reduction="none") * weights).sum()


def _bent(
    logits: torch.Tensor, y: np.ndarray, weights: torch.Tensor | None, rows: np.ndarray, size: float, bend: Bend,
    place: int,
) -> torch.Tensor:  # fmt: skip
    """Return a number whose gradient by the logits is that of the bent loss."""
    import torch

    chances = torch.softmax(logits.detach(), 1).numpy()
    errors = chances.copy()
    errors[np.arange(y.size), y] -= 1
    errors *= (1 if weights is None else weights.numpy()[:, None]) / size
    bend(errors[None], chances[None], rows[None], slice(place, place + 1))
    return (logits * torch.from_numpy(errors)).sum()


def slopes(
    model: Convnet, stack: np.ndarray, X: np.ndarray, y: np.ndarray, cohort: Cohort, step: int, out: np.ndarray
) -> None:
    """Compute the mean gradient of each client's batch in one step.

    Parameters
    ----------
    model : Convnet
        Sizes.
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
    out : (m, P) float array
        Receives the gradients.
    """
    import torch

    with one_thread():
        for place, params in enumerate(stack):
            rows = cohort.rows[step, place]
            rows = rows[rows >= 0]
            leaves = [tensor.requires_grad_() for tensor in model.unpack(params)]
            loss = _loss(model, leaves, model.images(X[rows]), torch.from_numpy(y[rows]), None)
            grads = torch.autograd.grad(loss / float(cohort.denominators[step, place]), leaves)
            out[place] = _flat(list(grads))


def _flat(tensors: list[torch.Tensor]) -> np.ndarray:
    return np.concatenate([tensor.detach().contiguous().numpy().ravel() for tensor in tensors])


def _clipped(
    model: Convnet, leaves: list[torch.Tensor], images: torch.Tensor, labels: torch.Tensor,
    weights: torch.Tensor | None, clip: float, size: float,
) -> list[torch.Tensor]:  # fmt: skip
    """Return the sum of the rows' gradients, each cut to norm ``clip``, divided by ``size``.

    One pass gives the slopes at the layers' outputs. With them the norm of a linear layer's gradient, an outer product,
    is the product of two norms; only those of the small convolutions are made row by row.
    """
    import torch

    fixed = [leaf.detach() for leaf in leaves]
    if not len(images):
        return [torch.zeros_like(leaf) for leaf in fixed]
    kept: list[tuple[torch.Tensor, torch.Tensor]] = []
    logits = model.forward(fixed, images.requires_grad_(), kept)
    loss = torch.nn.functional.cross_entropy(logits, labels, reduction="sum")
    slopes = torch.autograd.grad(loss, [z for _, z in kept])
    squares, by_row = torch.zeros(len(images), dtype=logits.dtype), []
    with torch.no_grad():
        for (x, _), slope in zip(kept, slopes, strict=True):
            if x.ndim == 4:
                own = model.by_row(x, slope), slope.sum((2, 3))
                squares += own[0].square().sum((1, 2)) + own[1].square().sum(1)
            else:
                own = x, slope
                squares += slope.square().sum(1) * (1 + x.square().sum(1))
            by_row.append(own)
        factors = clip / squares.sqrt().clamp(min=clip) / size
        factors = factors if weights is None else factors * weights
        sums: list[torch.Tensor] = []
        for weight, (first, second) in zip(fixed[::2], by_row, strict=True):
            if first.ndim == 3:
                sums += [torch.tensordot(factors, first, dims=([0], [0])).reshape(weight.shape), factors @ second]
            else:
                sums += [(factors[:, None] * second).T @ first, factors @ second]
    return sums


def _noisy(
    model: Convnet, grads: list[torch.Tensor], scale: float, generator: np.random.Generator
) -> list[torch.Tensor]:
    flat = _flat(grads)
    add_gaussian(flat[None], np.array([scale]), generator)
    return model.unpack(flat)
