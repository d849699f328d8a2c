"""Clients that keep a model of their own: what such algorithms share, and how those models are evaluated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trustkit.horizontal.convnet import Convnet
from trustkit.horizontal.models import Dense
from trustkit.horizontal.trainer import RowTrainer
from trustkit.records import State

__all__ = ["UNACCOUNTED", "Personal", "own_logits"]

UNACCOUNTED = dict.fromkeys(
    ("example", "client"), "its clients keep models of their own, which the accountant does not count"
)
"""Levels of privacy that personal models are refused, and why."""


def own_logits(model: Dense | Convnet, models: np.ndarray, X: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Score each client's rows by its own model.

    Parameters
    ----------
    model : Dense or Convnet
        Sizes.
    models : (K, P) float array
        One model a client.
    X : (N, m) float array
        All rows, sorted by client.
    offsets : (K + 1,) int array
        Client k owns rows ``offsets[k]:offsets[k + 1]``.

    Returns
    -------
    (N, C) float array
        Unnormalised scores.

    Notes
    -----
    One product of matrices after the other: for 100 clients as fast as stacked ones, which need padding and a copy of
    the rows.
    """
    classes = model.sizes[-1] if isinstance(model, Dense) else model.classes
    scores = np.empty((len(X), classes), model.dtype)
    for k in np.flatnonzero(np.diff(offsets)):
        rows = slice(offsets[k], offsets[k + 1])
        scores[rows] = model.logits(models[k], X[rows])
    return scores


@dataclass(frozen=True, eq=False)
class Personal(RowTrainer):
    """A trainer whose clients keep a model each, by which they are evaluated; the global one serves everybody else."""

    _kept = 1
    _personal = True
    _refuses = UNACCOUNTED

    def start(self) -> State:
        """Return the state before the first round.

        Returns
        -------
        mapping
            As in FedAvg, and personal (K, P), all at the global start.
        """
        state = super().start()
        return {**state, "personal": np.tile(state["params"], (self.train.sizes.size, 1))}

    def _scores(self, state: State) -> np.ndarray:
        """Score by the clients' own models; who has not trained yet uses the global one."""
        models = np.where(self._served(state)[:, None], state["personal"], state["params"])
        return own_logits(self.model, models, np.asarray(self.test.X), self.test.offsets)
