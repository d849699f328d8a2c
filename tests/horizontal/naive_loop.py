"""The plainest federated loop there is, as an oracle: modules, autograd, one client and one row after the other."""

from __future__ import annotations

import copy
from itertools import pairwise
from typing import Any

import numpy as np
import torch

from trustkit.data import Dataset, FederatedDataset, Provenance
from trustkit.horizontal.convnet import Convnet
from trustkit.horizontal.models import Dense
from trustkit.horizontal.noise import add_gaussian
from trustkit.horizontal.plan import steps_of
from trustkit.horizontal.trainer import RowTrainer
from trustkit.partition import Partition
from trustkit.rng import stream

__all__ = ["module_of", "naive_run", "never", "play", "toy"]


def never() -> None:
    """Never stop."""


def toy(clients: int = 6, rows: int = 240, features: int = 5, classes: int = 3, image: Any = None) -> FederatedDataset:
    """Make clients of unequal size, of which the last has no rows, with a quarter of the rows held out."""
    generator = stream(7, "toy")
    X = generator.standard_normal((rows, features))
    y = (X @ generator.standard_normal((features, classes))).argmax(axis=1)
    share = np.arange(1, clients) / np.arange(1, clients).sum()
    owner = generator.choice(clients - 1, rows, p=share)
    held_out = generator.random(rows) < 0.25
    columns, names = tuple(f"x{i}" for i in range(features)), tuple("abcdefghij"[:classes])
    data = Dataset(
        "toy", X, y, columns, names, Provenance("made here", "none"),
        sensitive={"group": np.where(generator.random(rows) < 0.4, "u", "v")}, held_out=held_out, image=image,
    )  # fmt: skip
    return FederatedDataset(data, Partition("rows", owner, clients))


def play(trainer: RowTrainer, rounds: int) -> np.ndarray:
    """Return the parameters after some rounds."""
    state = trainer.start()
    for index in range(1, rounds + 1):
        state, _ = trainer.step(state, index, never)
    return np.asarray(state["params"])


def module_of(model: Dense | Convnet) -> torch.nn.Module:
    """Build the same network out of PyTorch's own layers."""
    layers: list[torch.nn.Module] = []
    if isinstance(model, Dense):
        for inputs, outputs in pairwise(model.sizes):
            layers += [torch.nn.Linear(inputs, outputs), torch.nn.ReLU()]
        return torch.nn.Sequential(*layers[:-1]).double()
    depth, height, width = model.image
    layers.append(torch.nn.Unflatten(1, model.image))
    for wider in model.channels:
        layers += [torch.nn.Conv2d(depth, wider, 5, padding=2), torch.nn.ReLU(), torch.nn.MaxPool2d(2)]
        depth, height, width = wider, height // 2, width // 2
    layers.append(torch.nn.Flatten())
    size = depth * height * width
    if model.hidden:
        layers += [torch.nn.Linear(size, model.hidden), torch.nn.ReLU()]
    return torch.nn.Sequential(*layers, torch.nn.Linear(model.hidden or size, model.classes)).double()


def _transposed(model: Dense | Convnet, tensor: torch.Tensor) -> torch.Tensor:
    return tensor.T if isinstance(model, Dense) and tensor.dim() == 2 else tensor


def load(model: Dense | Convnet, module: torch.nn.Module, flat: np.ndarray) -> None:
    """Put a flat vector into a module."""
    start = 0
    with torch.no_grad():
        for tensor in module.parameters():
            target = _transposed(model, tensor)
            target.copy_(torch.tensor(flat[start : start + tensor.numel()]).reshape(target.shape))
            start += tensor.numel()


def flat_of(model: Dense | Convnet, tensors: Any) -> np.ndarray:
    """Read tensors of a module's shapes into a flat vector."""
    return np.concatenate([_transposed(model, t.detach()).contiguous().numpy().ravel() for t in tensors])


def _batches(trainer: RowTrainer, index: int, client: int) -> list[np.ndarray]:
    """Redraw a client's batches from its stream, without the engine's plan."""
    low, high = trainer.train.offsets[client : client + 2]
    size, local = int(high - low), trainer.local
    generator = stream(trainer.seed, index, "client", client)
    if local.sampling == "poisson":
        steps = local.epochs * -(-size // local.batch)
        taken = generator.random((steps, size)) < min(1.0, local.batch / size)
        return [low + np.flatnonzero(row) for row in taken]
    orders = [generator.permutation(size) for _ in range(local.epochs)]
    return [low + order[at : at + local.batch] for order in orders for at in range(0, size, local.batch)]


def _gradient(trainer: RowTrainer, module: torch.nn.Module, rows: np.ndarray) -> np.ndarray:
    """Return the sum of the rows' gradients, each by itself and clipped if asked."""
    model, local = trainer.model, trainer.local
    total = np.zeros(model.parameters)
    for row in rows:
        x, y = torch.tensor(trainer.train.X[[row]]), torch.tensor(trainer.train.y[[row]])
        loss = torch.nn.functional.cross_entropy(module(x), y)
        grad = flat_of(model, torch.autograd.grad(loss, list(module.parameters())))
        if local.clip is not None:
            grad = grad * min(1.0, local.clip / np.linalg.norm(grad))
        total += grad
    return total


def _noise(trainer: RowTrainer, index: int, client: int, scales: list[float]) -> list[np.ndarray]:
    """Redraw the noise of a client's steps.

    The client loop has a stream for each client; the stacked engine one for each step, whose rows are the clients that
    still train, those with most steps first.
    """
    size, counts = trainer.model.parameters, steps_of(trainer.train.sizes, trainer.local)
    if isinstance(trainer.model, Convnet):
        generator, drawn = stream(trainer.seed, index, "noise", client), []
        for scale in scales:
            drawn.append(np.zeros((1, size)))
            add_gaussian(drawn[-1], np.array([scale]), generator)
        return [rows[0] for rows in drawn]
    drawn = []
    for step, scale in enumerate(scales):
        training = sorted(np.flatnonzero(counts > step), key=lambda k: (-counts[k], k))
        rows = np.zeros((len(training), size))
        add_gaussian(rows, np.full(len(training), scale), stream(trainer.seed, index, "noise", "step", step))
        drawn.append(rows[[int(k) for k in training].index(client)])
    return drawn


def _client(trainer: RowTrainer, params: np.ndarray, index: int, client: int) -> np.ndarray:
    local, size = trainer.local, int(trainer.train.sizes[client])
    w, module = params.copy(), copy.deepcopy(module_of(trainer.model))
    batches = _batches(trainer, index, client)
    divisors = [min(local.batch, size) if local.sampling == "poisson" else len(rows) for rows in batches]
    scales = [local.noise * (local.clip or 0.0) / divisor for divisor in divisors]
    noise = _noise(trainer, index, client, scales)
    for rows, divisor, extra in zip(batches, divisors, noise, strict=True):
        load(trainer.model, module, w)
        grad = _gradient(trainer, module, rows) / divisor + extra
        w = w - local.lr * (grad + local.mu * (w - params))
    return w


def naive_run(trainer: RowTrainer, rounds: int) -> np.ndarray:
    """Play FedAvg or FedProx on all clients with rows, and return the parameters."""
    params = trainer.model.init(trainer.seed)
    clients = [int(k) for k in np.flatnonzero(trainer.train.sizes)]
    for index in range(1, rounds + 1):
        weights = trainer.train.sizes[clients] if trainer.ledger is None else np.ones(len(clients))
        trained = [_client(trainer, params, index, k) for k in clients]
        params = sum(w * u for w, u in zip(weights / weights.sum(), trained, strict=True))
    return np.asarray(params)
