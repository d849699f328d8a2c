"""Plain local steps for the oracles of algorithms: one client, one batch, one autograd call after the other."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

from tests.horizontal.naive_loop import _batches, flat_of, load, module_of, never
from trustkit.data import Dataset, FederatedDataset, Provenance
from trustkit.horizontal.plan import select
from trustkit.horizontal.trainer import RowTrainer
from trustkit.partition import Partition
from trustkit.records import Seen, State
from trustkit.rng import stream

__all__ = ["descend", "even", "mean_of", "played", "present", "slope"]


def even(clients: int = 4, rows: int = 20, features: int = 5, classes: int = 3) -> FederatedDataset:
    """Make clients of equal training size, with five more rows each to test on."""
    generator, total = stream(3, "even"), clients * (rows + 5)
    X = generator.standard_normal((total, features))
    y = (X @ generator.standard_normal((features, classes))).argmax(axis=1)
    data = Dataset("even", X, y, tuple(f"x{i}" for i in range(features)), tuple("abcdef"[:classes]),
                   Provenance("made here", "none"), held_out=np.arange(total) % (rows + 5) >= rows,
                   sensitive={"group": np.where(np.arange(total) % 3 == 0, "u", "v")})  # fmt: skip
    return FederatedDataset(data, Partition("rows", np.repeat(np.arange(clients), rows + 5), clients))


def played(trainer: RowTrainer, rounds: int) -> tuple[State, Seen]:
    """Return the last state and what was seen in the last round."""
    state = trainer.start()
    for index in range(1, rounds + 1):
        state, seen = trainer.step(state, index, never)
    return state, seen


def present(trainer: RowTrainer, index: int) -> list[int]:
    """Return the clients of a round under random selection."""
    return [int(k) for k in select(trainer.seed, index, np.flatnonzero(trainer.train.sizes), trainer.share)]


def slope(trainer: RowTrainer, w: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return the gradient of the mean loss of some training rows."""
    module = module_of(trainer.model)
    load(trainer.model, module, w)
    X, y = torch.tensor(trainer.train.X[rows]), torch.tensor(trainer.train.y[rows])
    loss = torch.nn.functional.cross_entropy(module(X), y)
    return flat_of(trainer.model, torch.autograd.grad(loss, list(module.parameters())))


def descend(
    trainer: RowTrainer, start: np.ndarray, index: int, client: int,
    more: Callable[[np.ndarray], np.ndarray | float] = lambda w: 0.0,
) -> tuple[np.ndarray, int]:  # fmt: skip
    """Train one client from somewhere, adding to each gradient; return where it ends and its steps."""
    w, batches = start.copy(), _batches(trainer, index, client)
    for rows in batches:
        w = w - trainer.local.lr * (slope(trainer, w, rows) + more(w))
    return w, len(batches)


def mean_of(trainer: RowTrainer, clients: list[int], models: list[np.ndarray]) -> np.ndarray:
    """Average models by the clients' training rows."""
    rows = trainer.train.sizes[clients]
    return np.asarray(sum(n * w for n, w in zip(rows, models, strict=True)) / rows.sum())
