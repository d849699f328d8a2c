"""BlindFL, round by round: a secret-shared first layer, and Adam above it at the first party."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from trustkit.metrics.evaluate import softmax
from trustkit.records import Seen, State, Tick
from trustkit.rng import stream
from trustkit.threads import one_thread
from trustkit.vertical.channel import Channel
from trustkit.vertical.networks.adam import adam
from trustkit.vertical.networks.layers import chain, views
from trustkit.vertical.networks.losses import loss
from trustkit.vertical.networks.network import SplitNetwork
from trustkit.vertical.overheard import Heard, by_row
from trustkit.vertical.sharing.fixed_point import decoded, encoded
from trustkit.vertical.sharing.sourcelayer import STEP_BITS, Sitting, SourceLayer
from trustkit.vertical.table import ColumnTable

if TYPE_CHECKING:
    import torch

__all__ = ["BlindTrainer"]

_HALVE_EVERY = 10
_MEMORY = 0.99
_TINY = 1e-8


@dataclass(frozen=True, eq=False)
class BlindTrainer:
    """BlindFL bound to its data; implements `trustkit.records.Trainer`. A round is one epoch.

    Parameters
    ----------
    layer : SourceLayer
        The secret-shared first layer.
    network : SplitNetwork
        The same network with nothing shared: one chain over all columns that somebody owns, party by party.
    table : ColumnTable
        Who holds which columns of the training and test rows.
    source_lr : float
        Step size of the shared layer.
    lr, weight_decay : float
        Adam's, above it.
    batch : int
        Rows in a step.
    seed : int
        The experiment's seed.
    facts : mapping
        See `trustkit.records.Trainer`; evaluation_bytes is what a round's evaluation would send besides.
    """

    layer: SourceLayer
    network: SplitNetwork
    table: ColumnTable
    source_lr: float
    lr: float
    weight_decay: float
    batch: int
    seed: int
    facts: Mapping[str, Any]

    def start(self) -> State:
        """Return the state before the first round.

        Returns
        -------
        mapping
            own, kept, (Σ m_k, h) each: shares of the first layer, int64; head, mean, square, (P',) each: its offsets
            and the layers above with Adam's means; spread, (h,): running mean of the squared gradient of each unit;
            steps, ().
        """
        params = self.network.init(self.seed)
        shared = len(self.network.columns[0]) * self.layer.width
        own, kept = self.layer.deal(params[:shared].reshape(self.layer.width, -1).T)
        head = params[shared:]
        return {"own": own, "kept": kept, "head": head, "mean": np.zeros_like(head), "square": np.zeros_like(head),
                "spread": np.zeros(self.layer.width), "steps": np.array(0)}  # fmt: skip

    def step(self, state: State, index: int, tick: Tick) -> tuple[State, Seen]:
        """Play a round: one epoch over the training rows, then evaluation.

        Parameters
        ----------
        state : mapping
            The state before; not changed.
        index : int
            The round, from 1.
        tick : callable
            Called before each party's part of a batch; may raise `trustkit.records.Stopped`.

        Returns
        -------
        state, seen
            The state after, and what was seen.
        """
        wire = Channel(self.table.parties)
        if index == 1:
            self.layer.introduce(len(self.table.y), wire)
        order = stream(self.seed, index, "batches").permutation(self.table.y.size)
        with one_thread():
            sitting = self.layer.sit(self.table.X, order, wire, index, tick=tick)
            after = self._pass(state, order, sitting, index)
        scores = self.network.logits(self.opened(after), self.table.X_test, tick)
        return after, self.table.seen(self.table.told(scores), wire)

    def _pass(self, state: State, order: np.ndarray, sitting: Sitting, index: int) -> State:
        """Learn from rows in an order, batch by batch."""
        import torch

        after = {name: np.array(state[name]) for name in ("own", "kept", "spread", "steps")}
        head, mean, square = (torch.tensor(state[name]) for name in ("head", "mean", "square"))
        leaves = views(head, self.network.shapes[1:])
        y = self.table.y[order]
        labels = torch.tensor(y if self.table.classes else y.astype(self.network.dtype))
        halved = 0.5 ** ((index - 1) // _HALVE_EVERY)
        for start in range(0, len(order), self.batch):
            rows = slice(start, start + self.batch)
            after["steps"] = after["steps"] + 1
            slopes, grads = self._above(sitting.forward(after["own"], after["kept"], rows), leaves, labels[rows])
            adam(head, mean, square, grads, int(after["steps"]), self.lr * halved, self.weight_decay)
            move = encoded(self.source_lr * halved * self._levelled(slopes, after), STEP_BITS)
            sitting.backward(after["own"], after["kept"], rows, move)
        return {**after, "head": head.numpy(), "mean": mean.numpy(), "square": square.numpy()}

    def _above(
        self, sums: np.ndarray, leaves: list[torch.Tensor], labels: torch.Tensor
    ) -> tuple[np.ndarray, torch.Tensor]:
        """Run the first party's layers on the sums; return the gradients by the sums and by its own parameters."""
        import torch

        z = decoded(sums, self.layer.sum_bits)
        largest = float(np.abs(z).max())
        if largest > self.layer.limit:
            raise ValueError(f"sums of the shared layer must stay within ±{self.layer.limit:g}, got {largest:g}; a "
                             "smaller source_lr or point keeps them there")  # fmt: skip
        read = torch.tensor(z.astype(self.network.dtype), requires_grad=True)
        wrong = loss(chain(leaves[1:], (read + leaves[0]).relu()), labels)
        slopes, *grads = torch.autograd.grad(wrong, [read, *leaves])
        return slopes.numpy().astype(np.float64), torch.cat([grad.reshape(-1) for grad in grads])

    def _levelled(self, slopes: np.ndarray, after: dict[str, np.ndarray]) -> np.ndarray:
        """Divide each unit's gradient by the root of the running mean of its square, which it brings up to date."""
        after["spread"] = _MEMORY * after["spread"] + (1 - _MEMORY) * np.square(slopes).sum(axis=0)
        return np.asarray(slopes / (np.sqrt(after["spread"] / (1 - _MEMORY ** int(after["steps"]))) + _TINY))

    def overheard(self, state: State, rows: np.ndarray, index: int) -> list[Heard]:
        """Return what would cross the wire for some training rows, by the protocol that trains.

        Parameters
        ----------
        state : mapping
            Any state of this trainer; it stays as it is.
        rows : (n,) int array
            Training rows, in batches as they come.
        index : int
            The round, from 1, whose masks are drawn anew.

        Returns
        -------
        list of Heard
            One message a sender, receiver and kind; line i is about ``rows[i]``: whole numbers modulo 2^64.
        """
        wire = Channel(self.table.parties, heard=[])
        with one_thread():
            sitting = self.layer.sit(self.table.X, rows, wire, index, "overheard")
            self._pass(state, rows, sitting, index)
        return by_row(wire.heard or [], len(rows))

    def opened(self, state: State) -> np.ndarray:
        """Add the shares up: the parameters of the network that nobody holds.

        Parameters
        ----------
        state : mapping
            Any state of this trainer.

        Returns
        -------
        (P,) float array
            Of ``network``.
        """
        weights = decoded(state["own"] + state["kept"], self.layer.weight_bits)
        return np.concatenate([weights.T.ravel(), state["head"]]).astype(self.network.dtype)

    def logits(self, state: State, X: np.ndarray) -> np.ndarray:
        """Return unnormalised scores of the joint model, or its numbers.

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
        return self.table.told(self.network.logits(self.opened(state), X))

    def predict(self, state: State, X: np.ndarray) -> np.ndarray:
        """Return class probabilities of the joint model, or the numbers of a regression.

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
            Σ_c weights[i, c] ∂z_c(x_i)/∂x_i.
        """
        return self.network.gradient(self.opened(state), X, weights) * np.float32(self.table.span)
