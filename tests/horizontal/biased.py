"""A small federation in which one group is favoured more often, in some clients more than in others."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tests.horizontal.naive_loop import load, module_of
from trustkit.data import Dataset, FederatedDataset, Provenance
from trustkit.horizontal import Convnet, Dense, RowTrainer
from trustkit.partition import Partition
from trustkit.rng import stream

__all__ = ["IMAGES", "LINEAR", "biased", "bound", "independent", "loss_of"]

LINEAR = Dense((4, 2), "float64")
IMAGES = Convnet((1, 8, 8), (2,), 0, 3, "float64")


def _federation(X: np.ndarray, y: np.ndarray, sex: np.ndarray, owner: np.ndarray, clients: int) -> FederatedDataset:
    held_out = np.zeros(y.size, bool)
    for k in range(clients):
        held_out[np.flatnonzero(owner == k)[::4]] = True
    data = Dataset("biased", X, y, tuple(f"x{i}" for i in range(X.shape[1])), ("no", "yes"),
                   Provenance("made here", "none"), sensitive={"sex": sex}, held_out=held_out)  # fmt: skip
    return FederatedDataset(data, Partition("rows", owner, clients))


def biased(clients: int = 5, rows: int = 80, even: bool = False, only_last: bool = False) -> FederatedDataset:
    """Make clients whose men are favoured the more the higher their number, or only in the last; a feature tells."""
    rng = stream(5, "biased")
    sizes = np.full(clients, rows) if even else rows + 8 * np.arange(clients)
    owner = np.repeat(np.arange(clients), sizes)
    man = rng.random(owner.size) < 0.5
    lift = np.where(man, 1.0, -1.0) * (1.6 * (owner == clients - 1) if only_last else 0.4 + owner / clients)
    X = rng.standard_normal((owner.size, 4))
    X[:, 1] += np.where(man, 1.0, -1.0)
    y = (X[:, 0] + lift + 0.7 * rng.standard_normal(owner.size) > 0).astype(int)
    return _federation(X, y, np.where(man, "m", "f"), owner, clients)


def independent(clients: int = 3, each: int = 12) -> FederatedDataset:
    """Make clients in whose training rows group and label are exactly independent."""
    rng = stream(6, "independent")
    block = np.array([(0, 0), (0, 1), (1, 0), (1, 1)])  # every fourth row is for testing, so four of each are made
    sex, y = np.tile(np.repeat(block, 4, axis=0), (clients * each // 4, 1)).T
    owner = np.repeat(np.arange(clients), y.size // clients)
    return _federation(rng.standard_normal((y.size, 4)), y, np.array(["f", "m"])[sex], owner, clients)


def bound(function: Any, fed: FederatedDataset | None = None, share: float = 1.0, **more: Any) -> Any:
    """Bind an algorithm to the biased clients, with larger steps than usual."""
    return function(fed or biased(), LINEAR, more.pop("privacy", None), share, 6, lr=0.3, batch=16, seed=4, **more)


def loss_of(trainer: RowTrainer, w: np.ndarray, k: int) -> tuple[float, np.ndarray]:
    """Return a client's mean training loss by PyTorch, and the chances of its rows."""
    rows = slice(*trainer.train.offsets[k : k + 2])
    module = module_of(trainer.model)
    load(trainer.model, module, w)
    with torch.no_grad():
        scores = module(torch.tensor(np.asarray(trainer.train.X[rows])))
        loss = torch.nn.functional.cross_entropy(scores, torch.tensor(trainer.train.y[rows]))
    return float(loss), torch.softmax(scores, 1).numpy()
