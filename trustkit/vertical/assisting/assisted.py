"""Assisted learning, round by round: residuals go out, outputs come back, an ensemble grows by one model a party."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from trustkit.metrics.evaluate import softmax
from trustkit.records import Seen, State, Tick
from trustkit.threads import one_thread
from trustkit.vertical.assisting.learners import LocalLearners
from trustkit.vertical.assisting.merging import opened
from trustkit.vertical.channel import Channel
from trustkit.vertical.defences.residual_noise import LabelNoise, spent_by
from trustkit.vertical.networks.losses import slope
from trustkit.vertical.table import ColumnTable

__all__ = ["AssistedTrainer", "Merge", "prior"]

_CHUNK = 8192
_LEAST = 0.5

Merge = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray, Tick], tuple[np.ndarray, float]]
"""From outputs (K, n, c), or their sum (1, n, c), residual (n, c), ensemble (n, c), labels (n,) and a tick: weights
(K,) or (1,), and the rate η."""


def prior(table: ColumnTable, width: int) -> np.ndarray:
    """Return the scores that an ensemble starts from.

    Parameters
    ----------
    table : ColumnTable
        Whose training labels count.
    width : int
        c: how many scores a row has inside.

    Returns
    -------
    (c,) float64 array
        Logarithms of the classes' shares, a class without rows counted as half a row; with two classes and one score
        their difference; for a regression the mean.
    """
    if not table.classes:
        return np.array([table.y.mean()])
    counts = np.maximum(np.bincount(table.y, minlength=table.classes), _LEAST)
    shares = np.log(counts / counts.sum())
    return shares if width == table.classes else np.diff(shares)


@dataclass(frozen=True, eq=False)
class AssistedTrainer:
    """An ensemble of the parties' own models; implements `trustkit.records.Trainer`. A round adds one model a party.

    Parameters
    ----------
    learners : LocalLearners
        The parties' networks, and how they are fitted.
    table : ColumnTable
        Who holds which columns of the training and test rows.
    merge : callable
        How the first party puts outputs together, a `Merge`.
    scale : float
        The residual is the negative gradient of the loss times this.
    in_turn : bool
        Whether a party fits what the one before left over, instead of all the same residual.
    seed : int
        The experiment's seed.
    facts : mapping
        See `trustkit.records.Trainer`; evaluation_bytes is what a round's evaluation would send besides.
    noise : LabelNoise, optional
        On residuals, before anything is made of them; none by default. With noise the ensemble starts from 0, since a
        prior is made of labels.
    """

    learners: LocalLearners
    table: ColumnTable
    merge: Merge
    scale: float
    in_turn: bool
    seed: int
    facts: Mapping[str, Any]
    noise: LabelNoise | None = None

    @property
    def first(self) -> np.ndarray:
        """(c,): the scores that the ensemble starts from."""
        width = self.learners.outputs
        return prior(self.table, width) if self.noise is None else np.zeros(width)

    def start(self) -> State:
        """Return the state before the first round.

        Returns
        -------
        mapping
            rounds, (), how many were played; scores (n, c) and test (n', c), the ensemble on training and test rows.
            Round t adds models_t, (P₁ + … + P_K,), all parties' networks; weights_t, (K,); rate_t, ().
        """
        scores, test = (np.tile(self.first, (y.size, 1)).astype(np.float32) for y in (self.table.y, self.table.y_test))
        return {"rounds": np.array(0), "scores": scores, "test": test}

    def step(self, state: State, index: int, tick: Tick) -> tuple[State, Seen]:
        """Play a round: residuals out, one model a party, outputs back, a step of the ensemble, evaluation.

        Parameters
        ----------
        state : mapping
            The state before; not changed.
        index : int
            The round, from 1.
        tick : callable
            Called before each batch of each party; may raise `trustkit.records.Stopped`.

        Returns
        -------
        state, seen
            The state after, and what was seen.
        """
        wire, y = Channel(self.table.parties), self.table.y
        wrong = slope(opened(state["scores"].astype(float), self.table.classes), y)[:, -self.learners.outputs :]
        residual = (-self.scale * wrong).astype(np.float32)
        residual = residual if self.noise is None else self.noise(residual, index)
        models, outputs = self._asked(residual, index, tick, wire)
        weights, rate = self.merge(outputs, residual, state["scores"], y, tick)
        scores = _grown(state["scores"], outputs, weights, rate)
        weights = np.array(np.broadcast_to(weights, self.table.parties))
        test = _grown(state["test"], self._tested(models, tick), weights, rate)
        after = {
            **state, "rounds": np.array(index), "scores": scores, "test": test,
            f"models_{index}": np.concatenate(models), f"weights_{index}": weights, f"rate_{index}": np.array(rate),
        }  # fmt: skip
        told = self.table.told(opened(after["test"], self.table.classes))
        return after, self.table.seen(told, wire, spent_by(self.noise, index))

    def _asked(
        self, residual: np.ndarray, index: int, tick: Tick, wire: Channel
    ) -> tuple[list[np.ndarray], np.ndarray]:
        """Let every party fit a model; return the models, which stay there, and the outputs, or in turn their sum."""
        models, outputs, left, parties = [], [], residual, self.table.parties
        for k in range(parties):
            got = left if self.in_turn else wire.pass_on(0, k, "residual", residual)
            x = self.learners.cut(k, self.table.X)
            models.append(self.learners.fit(k, x, got, self.seed, index, tick))
            said = self.learners.told(k, models[k], x)
            if self.in_turn:
                left = wire.pass_on(k, (k + 1) % parties, "residual", got - said)
            else:
                outputs.append(wire.pass_on(k, 0, "prediction", said))
        return models, np.stack(outputs or [residual - left])

    def _tested(self, models: list[np.ndarray], tick: Tick) -> np.ndarray:
        """Return every party's outputs on its columns of the test rows."""
        said = []
        for k, model in enumerate(models):
            tick()
            said.append(self.learners.told(k, model, self.learners.cut(k, self.table.X_test)))
        return np.stack(said)

    def _parts(self, state: State) -> Iterator[tuple[int, float, np.ndarray]]:
        """Go through all models: whose, what it counts, its numbers."""
        ends = np.cumsum(self.learners.sizes)[:-1]
        for t in range(1, int(state["rounds"]) + 1):
            models = np.split(state[f"models_{t}"], ends)
            for k, model in enumerate(models):
                yield k, float(state[f"rate_{t}"] * state[f"weights_{t}"][k]), model

    def logits(self, state: State, X: np.ndarray) -> np.ndarray:
        """Return unnormalised scores of the ensemble, or its numbers.

        Parameters
        ----------
        state : mapping
            Any state of this trainer.
        X : (n, m) float array
            Scaled rows, all columns.

        Returns
        -------
        (n, C) float array
            One score a class.
        """
        parts = [self.learners.cut(k, X) for k in range(self.table.parties)]
        scores = np.tile(self.first, (len(X), 1))
        for k, weight, model in self._parts(state):
            scores += weight * self.learners.told(k, model, parts[k])
        return self.table.told(opened(scores, self.table.classes))

    def predict(self, state: State, X: np.ndarray) -> np.ndarray:
        """Return class probabilities of the ensemble, or the numbers of a regression.

        Parameters
        ----------
        state : mapping
            Any state of this trainer.
        X : (n, m) float array
            Scaled rows, all columns.

        Returns
        -------
        (n, C) float array
            In [0, 1], adding up to 1 by row; for a regression (n, 1) in the target's unit.
        """
        scores = self.logits(state, X)
        return softmax(scores) if self.table.classes else scores

    def gradient(self, state: State, X: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return the gradient by each row of its logits weighted by ``weights``.

        Parameters
        ----------
        state : mapping
            Any state of this trainer.
        X : (n, m) float array
            Scaled rows, all columns.
        weights : (n, C) float array
            How much each logit of each row counts.

        Returns
        -------
        (n, m) float array
            Σ_c weights[i, c] ∂z_c(x_i)/∂x_i; 0 in columns that nobody owns.
        """
        import torch

        slopes = np.zeros((len(X), self.table.features))
        inner = np.asarray(weights, self.learners.dtype)[:, -self.learners.outputs :]
        with one_thread():
            for at in range(0, len(X), _CHUNK):
                rows = slice(at, at + _CHUNK)
                parts = [self.learners.cut(k, X[rows]).requires_grad_() for k in range(self.table.parties)]
                wanted = torch.tensor(inner[rows])
                for k, weight, model in self._parts(state):
                    said = self.learners.say(k, model, parts[k])
                    found = torch.autograd.grad((said * wanted).sum(), parts[k])[0]
                    slopes[rows, list(self.table.columns[k])] += weight * found.numpy()
        return slopes * self.table.span


def _grown(scores: np.ndarray, outputs: np.ndarray, weights: np.ndarray, rate: float) -> np.ndarray:
    """Return F + η Σ_k w_k f_k."""
    return np.asarray(scores + rate * np.tensordot(weights, outputs, axes=1), np.float32)
