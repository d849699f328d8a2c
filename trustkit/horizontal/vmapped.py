"""Local training of many clients at once by PyTorch, for any model and device: one gradient, mapped over clients.

The engine of graphics cards. On a processor the engines written by hand are faster; there it is their check.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from trustkit.devices import device_named
from trustkit.horizontal.convnet import Convnet
from trustkit.horizontal.models import Dense
from trustkit.horizontal.noise import add_gaussian
from trustkit.horizontal.plan import Bend, Cohort, Local
from trustkit.records import Tick
from trustkit.rng import stream
from trustkit.threads import one_thread

if TYPE_CHECKING:
    import torch

__all__ = ["Rows", "gradients", "train"]

NUMBERS = 1 << 26
"""Numbers of single rows' gradients that clipping holds at a time: 256 MB of 4-byte floats."""


class Rows:
    """Training rows on a device, moved there once.

    Parameters
    ----------
    X : (N, m) float array
        All training rows, in the model's dtype.
    y : (N,) int array
        Their classes.
    device : str
        As `trustkit.devices.device_named` takes it.

    Raises
    ------
    ValueError
        If there is no such device.
    """

    def __init__(self, X: np.ndarray, y: np.ndarray, device: str) -> None:
        import torch

        self.device = device_named(device)
        self.X = torch.from_numpy(np.ascontiguousarray(X)).to(self.device)
        self.y = torch.from_numpy(np.ascontiguousarray(y)).to(self.device)


def train(
    model: Dense | Convnet, params: np.ndarray, rows: Rows, cohort: Cohort, local: Local, tick: Tick, *,
    anchor: np.ndarray | None = None, drift: np.ndarray | None = None, counts: np.ndarray | None = None,
    bend: Bend | None = None,
) -> np.ndarray:  # fmt: skip
    """Train every client of a cohort, from the same parameters or from its own.

    Parameters
    ----------
    model : Dense or Convnet
        Sizes.
    params : (P,) or (clients, P) float array
        Where they start; not changed.
    rows : Rows
        All training rows, on the device that computes.
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
    bend : None
        What depends on a whole batch has no gradient here.

    Returns
    -------
    (clients, P) float array
        Each client's parameters afterwards, in the cohort's order: those of `trustkit.horizontal.stacked.train` and
        `trustkit.horizontal.loop.train` to about 1e-5 of their size in 4-byte floats, with the same batches and noise.

    Raises
    ------
    ValueError
        If ``bend`` is given.

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
    import torch

    if bend is not None:
        raise ValueError("device must be none with a loss that depends on a whole batch, got one")
    shape = (len(cohort.clients), model.parameters)

    def placed(values: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(np.array(values, model.dtype)).to(rows.device)

    stack = placed(np.broadcast_to(params, shape))
    pulled = stack.clone() if anchor is None else placed(np.broadcast_to(anchor, shape))
    extra = None if drift is None else placed(drift)
    worth = None if counts is None else placed(counts)
    noise = None if local.clip is None or not local.noise else _Noise(model, cohort, local.noise * local.clip)
    with one_thread():
        for step in range(cohort.rows.shape[0]):
            tick()
            active = cohort.active(step)
            here = stack[:active]
            change = gradients(model, here, rows, cohort, step, local.clip, worth)
            if noise is not None:
                change += placed(noise.draw(step, active))
            if local.mu:
                change += local.mu * (here - pulled[:active])
            if extra is not None:
                change += extra[:active]
            here.sub_(change, alpha=local.lr)
    return np.asarray(stack.cpu().numpy())


def gradients(
    model: Dense | Convnet, stack: torch.Tensor, rows: Rows, cohort: Cohort, step: int, clip: float | None = None,
    worth: torch.Tensor | None = None,
) -> torch.Tensor:  # fmt: skip
    """Compute the mean gradient of each client's batch in one step, each row's clipped first if asked.

    Parameters
    ----------
    model : Dense or Convnet
        Sizes.
    stack : (m, P) torch.Tensor
        The parameters of the clients that still train.
    rows : Rows
        All training rows.
    cohort : Cohort
        Who trains, on which rows.
    step : int
        From 0.
    clip : float, optional
        Largest norm of one row's gradient.
    worth : (N,) torch.Tensor, optional
        What each row counts; 1 by default.

    Returns
    -------
    (m, P) torch.Tensor
        On the same device.
    """
    import torch
    from torch.func import grad, vmap

    active = len(stack)
    numbers = torch.from_numpy(cohort.rows[step, :active]).to(rows.device)
    sizes = torch.from_numpy(np.array(cohort.denominators[step, :active])).to(stack)
    at = numbers.clamp(min=0)
    X, y = rows.X[at], rows.y[at]
    weights = (numbers >= 0).to(stack.dtype) / sizes[:, None]
    if worth is not None:
        weights = weights * worth[at]
    loss = _loss(model)
    if clip is None:
        mean = vmap(grad(lambda flat, X, y, w: (loss(flat, X, y) * w).sum()))
        return torch.as_tensor(mean(stack, X, y, weights))
    single = vmap(grad(lambda flat, x, label: loss(flat, x[None], label[None]).sum()), in_dims=(None, 0, 0))

    def clipped(flat: torch.Tensor, X: torch.Tensor, y: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        own = single(flat, X, y)
        return torch.as_tensor((w * clip / own.norm(dim=1).clamp(min=clip)) @ own)

    together = max(1, NUMBERS // (X.shape[1] * stack.shape[1]))
    return torch.as_tensor(vmap(clipped, chunk_size=together)(stack, X, y, weights))


def _loss(model: Dense | Convnet) -> Callable[[Any, Any, Any], torch.Tensor]:
    """Return the losses (B,) of a batch by one flat vector of parameters."""
    from torch.nn.functional import cross_entropy

    forward = _dense(model) if isinstance(model, Dense) else _convolved(model)
    return lambda flat, X, y: cross_entropy(forward(flat, X), y, reduction="none")


def _dense(model: Dense) -> Callable[[torch.Tensor, torch.Tensor], torch.Tensor]:
    def forward(flat: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        start, last = 0, len(model.sizes) - 2
        for depth, (inputs, outputs) in enumerate(pairwise(model.sizes)):
            middle, end = start + inputs * outputs, start + (inputs + 1) * outputs
            x = x @ flat[start:middle].reshape(inputs, outputs) + flat[middle:end]
            x, start = x.relu() if depth < last else x, end
        return x

    return forward


def _convolved(model: Convnet) -> Callable[[torch.Tensor, torch.Tensor], torch.Tensor]:
    import torch

    sizes = [int(np.prod(shape)) for shape in model.shapes]

    def forward(flat: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        parts = [part.reshape(shape) for part, shape in zip(torch.split(flat, sizes), model.shapes, strict=True)]
        return model.forward(parts, x.reshape(-1, *model.image))

    return forward


class _Noise:
    """The draws of the engine that trains this model on a processor: the same noise, whatever the device."""

    def __init__(self, model: Dense | Convnet, cohort: Cohort, size: float) -> None:
        self.model, self.cohort, self.size = model, cohort, size
        self.own = [] if isinstance(model, Dense) else [
            stream(cohort.seed, cohort.index, "noise", int(client)) for client in cohort.clients
        ]  # fmt: skip

    def draw(self, step: int, active: int) -> np.ndarray:
        """Return the noise of one step (active, P)."""
        drawn = np.zeros((active, self.model.parameters), self.model.dtype)
        scale = self.size / self.cohort.denominators[step, :active]
        if not self.own:
            add_gaussian(drawn, scale, stream(self.cohort.seed, self.cohort.index, "noise", "step", step))
        for place, generator in enumerate(self.own[:active]):
            add_gaussian(drawn[place : place + 1], scale[place : place + 1], generator)
        return drawn
