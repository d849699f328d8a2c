"""Boosting over columns, round by round: one tree an output, grown by whichever exchange an algorithm has."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from trustkit.metrics.evaluate import softmax
from trustkit.records import Seen, State, Tick
from trustkit.vertical.boosted.bins import Binned, coded
from trustkit.vertical.boosted.exchange import Grower
from trustkit.vertical.boosted.trees import Trees, bare, leaves_of, slots
from trustkit.vertical.channel import Channel
from trustkit.vertical.defences.residual_noise import LabelNoise, spent_by
from trustkit.vertical.table import ColumnTable

__all__ = ["BoostTrainer", "derivatives", "facts_of_trees"]

_SMALLEST = np.float32(1.1754944e-38)
_LEAST = np.float32(1e-16)


def derivatives(margins: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return first and second derivatives of each row's loss by its margins, rounded where XGBoost rounds.

    Parameters
    ----------
    margins : (n, C) float32 array
        One column for two classes or a regression.
    target : (n,) array
        Class numbers (int) or numbers (float).

    Returns
    -------
    tuple of (C, n) float32 array
        g and h. Squared error: z − y and 1. Two classes: p − y and p (1 − p). More: p_c − 1[y = c] and
        2 p_c (1 − p_c), twice the diagonal of the Hessian.

    Examples
    --------
    >>> g, h = derivatives(np.zeros((1, 1), np.float32), np.array([1]))
    >>> g.item(), h.item()
    (-0.5, 0.25)
    """
    one, z = np.float32(1), np.ascontiguousarray(margins.T)
    if np.issubdtype(target.dtype, np.floating):
        g = z - target.astype(np.float32)
        return g, np.ones_like(g)
    if len(z) == 1:
        p = one / (_exp(np.minimum(-z, np.float32(88.7))) + one + _LEAST)
        return p - target.astype(np.float32), np.maximum(p * (one - p), _LEAST)
    raised, total = _exp(z - np.maximum(z.max(axis=0), _SMALLEST)), np.zeros(target.size)
    for each in raised:  # in float64 and in this order, as XGBoost adds
        total += each
    p = raised / total.astype(np.float32)
    h = np.maximum(np.float32(2) * p * (one - p), _LEAST)
    p[target, np.arange(target.size)] -= one
    return p, h


def _exp(x: np.ndarray) -> np.ndarray:
    """Return e^x in float32, rounded once, as the C library does."""
    raised: np.ndarray = np.exp(x, dtype=np.float64).astype(np.float32)
    return raised


def facts_of_trees(table: ColumnTable, rounds: int, depth: int) -> dict[str, Any]:
    """Return what is known of boosted trees before they grow.

    Parameters
    ----------
    table : ColumnTable
        Who holds what.
    rounds : int
        Trees an output.
    depth : int
        Of each.

    Returns
    -------
    dict
        parameters: column, bin and weight of every slot; tensors: trees; model_bytes; evaluation_bytes: at most one
        bit a test row and inner slot of a round's trees.
    """
    trees = 1 if table.classes == 2 else table.outputs
    size = rounds * trees * slots(depth)
    return {"parameters": 3 * size, "tensors": rounds * trees, "model_bytes": 10 * size, "differentiable": False,
            "evaluation_bytes": trees * (2**depth - 1) * -(-table.y_test.size // 8)}  # fmt: skip


@dataclass(frozen=True, eq=False)
class BoostTrainer:
    """Boosted trees bound to their data; implements `trustkit.records.Trainer`. A round is one tree an output.

    Parameters
    ----------
    table : ColumnTable
        Who holds which columns of the training and test rows.
    parties : tuple of Binned
        Every party's columns of the training rows in bins.
    depth : int
        Splits on the longest path.
    grow : Grower
        How the trees of a round are grown, and what is sent for it.
    facts : mapping
        See `trustkit.records.Trainer`.
    threshold : float
        Of two classes: from this chance on the second one is predicted. Its log-odds are taken from the margin.
    noise : LabelNoise, optional
        On first derivatives, before anything is made of them; none by default.
    members : tuple of int, optional
        Who takes part; by default everybody.
    """

    table: ColumnTable
    parties: tuple[Binned, ...]
    depth: int
    grow: Grower
    facts: Mapping[str, Any]
    threshold: float = 0.5
    noise: LabelNoise | None = None
    members: tuple[int, ...] | None = None

    @property
    def trees(self) -> int:
        """How many trees a round grows: one for two classes or a regression, else C."""
        return 1 if self.table.classes == 2 else self.table.outputs

    def start(self) -> State:
        """Return the state before the first round.

        Returns
        -------
        mapping
            feature, bin and weight, (0, S) each; margins (n, C) of the training rows and test_margins (n', C), 0.
        """
        grown, table = bare(0, self.depth), self.table
        return {"feature": grown.feature, "bin": grown.bin, "weight": grown.weight,
                "margins": np.zeros((len(table.X), self.trees), np.float32),
                "test_margins": np.zeros((len(table.X_test), self.trees), np.float32)}  # fmt: skip

    def step(self, state: State, index: int, tick: Tick) -> tuple[State, Seen]:
        """Play a round: one tree an output, then evaluation.

        Parameters
        ----------
        state : mapping
            The state before; not changed.
        index : int
            The round, from 1.
        tick : callable
            Called between small steps; may raise `trustkit.records.Stopped`.

        Returns
        -------
        state, seen
            The state after, and what was seen.
        """
        tick()
        wire = Channel(self.table.parties)
        g, h = derivatives(state["margins"], self.table.y)
        g = g if self.noise is None else self.noise(g, index)
        grown, leaf = self.grow(g, h, self.parties, wire, tick, index)
        tested = leaves_of(grown, self._tested)
        after = {name: np.concatenate([state[name], getattr(grown, name)]) for name in ("feature", "bin", "weight")}
        after["margins"] = state["margins"] + np.take_along_axis(grown.weight, leaf, axis=1).T
        after["test_margins"] = state["test_margins"] + np.take_along_axis(grown.weight, tested, axis=1).T
        seen = self.table.seen(self._scores(after["test_margins"]), wire, spent_by(self.noise, index))
        if self.members is not None:
            seen = replace(seen, selected=np.isin(np.arange(self.table.parties), self.members))
        return after, seen

    @cached_property
    def _tested(self) -> np.ndarray:
        return self._codes(self.table.X_test)

    def _codes(self, X: np.ndarray) -> np.ndarray:
        """Let every party sort its columns of some rows into its bins."""
        codes = np.zeros(X.shape, np.uint16)
        for own in self.parties:
            codes[:, own.columns] = coded(X[:, own.columns], own.cuts)
        return codes

    def _scores(self, margins: np.ndarray) -> np.ndarray:
        """Return logits, two for two classes, or numbers in the target's unit."""
        odds = np.float32(math.log(self.threshold / (1 - self.threshold)))
        scores = np.hstack([np.zeros_like(margins), margins - odds]) if self.table.classes == 2 else margins
        return self.table.told(scores)

    def margins(self, state: State, X: np.ndarray) -> np.ndarray:
        """Return the sums of leaf weights.

        Parameters
        ----------
        state : mapping
            Any state of this trainer.
        X : (n, m) float array
            Scaled rows, all columns.

        Returns
        -------
        (n, C) float32 array
            One column for two classes or a regression.
        """
        codes, found = self._codes(X), np.zeros((len(X), self.trees), np.float32)
        for first in range(0, len(state["feature"]), self.trees):
            here = slice(first, first + self.trees)
            grown = Trees(state["feature"][here], state["bin"][here], state["weight"][here])
            found += np.take_along_axis(grown.weight, leaves_of(grown, codes), axis=1).T
        return found

    def logits(self, state: State, X: np.ndarray) -> np.ndarray:
        """Return unnormalised scores, or numbers.

        Parameters
        ----------
        state : mapping
            Any state of this trainer.
        X : (n, m) float array
            Scaled rows, all columns.

        Returns
        -------
        (n, C) float array
            Margins; 0 and the margin for two classes; (n, 1) in the target's unit for a regression.
        """
        return self._scores(self.margins(state, X))

    def predict(self, state: State, X: np.ndarray) -> np.ndarray:
        """Return class probabilities, or the numbers of a regression.

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
        """Return NaN: trees are steps, whose slope is not defined where they jump and 0 elsewhere.

        Parameters
        ----------
        state : mapping
            Any state of this trainer.
        X : (n, m) float array
            Scaled rows, all columns.
        weights : (n, C) float array
            Not used.

        Returns
        -------
        (n, m) float array
            NaN.
        """
        return np.full(X.shape, np.nan)
