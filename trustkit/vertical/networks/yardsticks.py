"""Yardsticks beside a federation: one party by itself, or all columns at one place; nothing is sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from trustkit import memory
from trustkit.records import Seen, State, Tick
from trustkit.vertical.networks.network import SplitNetwork
from trustkit.vertical.networks.split_training import SplitTrainer
from trustkit.vertical.table import ColumnTable

__all__ = ["AloneTrainer", "alone"]


@dataclass(frozen=True, eq=False)
class AloneTrainer:
    """SplitNN's network over one set of columns, which nobody shares; implements `trustkit.records.Trainer`.

    Parameters
    ----------
    inner : SplitTrainer
        Bound to one party, who has these columns and the labels.
    members : (K,) bool array
        Whose columns they are.
    facts : mapping
        See `trustkit.records.Trainer`; federated is False.
    """

    inner: SplitTrainer
    members: np.ndarray
    facts: Mapping[str, Any]

    def start(self) -> State:
        """Return the state before the first round.

        Returns
        -------
        mapping
            As `SplitTrainer` has it.
        """
        return self.inner.start()

    def step(self, state: State, index: int, tick: Tick) -> tuple[State, Seen]:
        """Play a round: one epoch over the training rows, then evaluation.

        Parameters
        ----------
        state : mapping
            The state before; not changed.
        index : int
            The round, from 1.
        tick : callable
            Called before each batch; may raise `trustkit.records.Stopped`.

        Returns
        -------
        state, seen
            The state after, and what was seen: those whose columns were used, and 0 bytes for everybody.
        """
        after, seen = self.inner.step(state, index, tick)
        nothing = np.zeros(self.members.size)
        return after, replace(seen, selected=self.members.copy(), bytes_up=nothing, bytes_down=nothing.copy())

    def predict(self, state: State, X: np.ndarray) -> np.ndarray:
        """Return class probabilities, or the numbers of a regression.

        Parameters
        ----------
        state : mapping
            Any state of this trainer.
        X : (n, m) float array
            Scaled rows, all columns; foreign ones are not looked at.

        Returns
        -------
        (n, C) float array
            In [0, 1], adding up to 1 by row; for a regression (n, 1) in the target's unit.
        """
        return self.inner.predict(state, X)

    def logits(self, state: State, X: np.ndarray) -> np.ndarray:
        """Return unnormalised scores, or the numbers of a regression.

        Parameters
        ----------
        state : mapping
            Any state of this trainer.
        X : (n, m) float array
            Scaled rows, all columns; foreign ones are not looked at.

        Returns
        -------
        (n, C) float array
            One score a class.
        """
        return self.inner.logits(state, X)

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
            Σ_c weights[i, c] ∂z_c(x_i)/∂x_i; 0 in foreign columns.
        """
        return self.inner.gradient(state, X, weights)


def alone(
    table: ColumnTable, members: tuple[int, ...], *, local: tuple[int, ...], top: tuple[int, ...], lr: float,
    weight_decay: float, batch: int, seed: int,
) -> AloneTrainer:  # fmt: skip
    """Bind SplitNN's network to the columns of some parties, as if they were one.

    Parameters
    ----------
    table : ColumnTable
        All parties' data.
    members : tuple of int
        Whose columns are used.
    local, top : tuple of int
        Widths below and above what would be sent.
    lr, weight_decay : float
        Adam's.
    batch : int
        Rows in a step.
    seed : int
        The experiment's seed.

    Returns
    -------
    AloneTrainer
        Ready to start.

    Raises
    ------
    ValueError
        If ``local`` is empty, or the network will not fit into memory.
    """
    if not local:
        raise ValueError("local must name at least one width, got none")
    own = tuple(sorted(column for k in members for column in table.columns[k]))
    network = SplitNetwork((own,), table.features, tuple(local), tuple(top), table.outputs)
    memory.fits(f"a network over {len(own):,} columns", network.needs(min(batch, len(table.y))))
    facts = {
        "parameters": network.parameters, "tensors": len(network.shapes), "model_bytes": 4 * network.parameters,
        "evaluation_bytes": 0, "federated": False,
    }  # fmt: skip
    inner = SplitTrainer(network, replace(table, columns=(own,)), lr, weight_decay, batch, seed, facts)
    return AloneTrainer(inner, np.isin(np.arange(table.parties), members), facts)
