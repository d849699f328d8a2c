"""What the clients of a round find when they try the model that they received on their own training rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from trustkit.metrics.evaluate import Examined, examine
from trustkit.records import State

if TYPE_CHECKING:
    from trustkit.horizontal.trainer import RowTrainer

__all__ = ["Tried", "reported", "tried"]


@dataclass(frozen=True, eq=False)
class Tried:
    """A model on the training rows of some clients.

    Parameters
    ----------
    rows : (n,) int array
        Rows of the stacked training data, client by client.
    offsets : (m + 1,) int array
        The i-th of the clients owns ``rows[offsets[i]:offsets[i + 1]]``.
    y : (n,) int array
        The classes that they train on.
    logits : (n, C) float array
        What the model says.
    """

    rows: np.ndarray
    offsets: np.ndarray
    y: np.ndarray
    logits: np.ndarray

    @property
    def owner(self) -> np.ndarray:
        """(n,) int: which of the clients has a row, 0 … m − 1."""
        return np.repeat(np.arange(self.offsets.size - 1), np.diff(self.offsets))

    @property
    def examined(self) -> Examined:
        """Accuracy and loss by client, and the predicted classes."""
        return examine(self.logits, self.y, self.offsets)


def tried(trainer: RowTrainer, state: State, clients: np.ndarray) -> Tried:
    """Try the common model on the training rows of some clients.

    Parameters
    ----------
    trainer : RowTrainer
        Whose rows and model.
    state : mapping
        What the clients received.
    clients : (m,) int array
        Who tries it.

    Returns
    -------
    Tried
        On the rows as clients train on them, poisoned ones included.
    """
    X, y = trainer._rows
    rows = np.concatenate([np.arange(*trainer.train.offsets[k : k + 2]) for k in clients])
    offsets = np.concatenate([[0], np.cumsum(trainer.train.sizes[clients])])
    return Tried(rows, offsets, y[rows], trainer.logits(state, X[rows]))


def reported(trainer: RowTrainer, state: State, clients: np.ndarray) -> np.ndarray:
    """Let clients report the loss of the model that they received.

    Parameters
    ----------
    trainer : RowTrainer
        Whose rows and model.
    state : mapping
        What the clients received, and the losses (K,) that are known.
    clients : (m,) int array
        Who reports.

    Returns
    -------
    (K,) float array
        The last known losses in nats.
    """
    losses = np.array(state["losses"])
    losses[clients] = tried(trainer, state, clients).examined.loss
    return losses
