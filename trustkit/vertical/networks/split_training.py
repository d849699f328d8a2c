"""SplitNN, round by round: embeddings go up, gradients come down, and every byte is counted."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from trustkit.metrics.evaluate import softmax
from trustkit.records import Seen, State, Tick
from trustkit.rng import stream
from trustkit.threads import one_thread
from trustkit.vertical.channel import Channel
from trustkit.vertical.defences.column_noise import ColumnLedger
from trustkit.vertical.defences.message_noise import Shield, clipped
from trustkit.vertical.networks.adam import adam
from trustkit.vertical.networks.layers import back, forth
from trustkit.vertical.networks.losses import mean_slope
from trustkit.vertical.networks.network import SplitNetwork
from trustkit.vertical.overheard import Heard, by_row
from trustkit.vertical.table import ColumnTable

if TYPE_CHECKING:
    import torch

__all__ = ["SplitTrainer"]

_HALVE_EVERY = 10


@dataclass(frozen=True, eq=False)
class SplitTrainer:
    """SplitNN bound to its data; implements `trustkit.records.Trainer`. A round is one epoch.

    Parameters
    ----------
    network : SplitNetwork
        Sizes.
    table : ColumnTable
        Who holds which columns of the training and test rows.
    lr, weight_decay : float
        Adam's.
    batch : int
        Rows in a step.
    seed : int
        The experiment's seed.
    facts : mapping
        See `trustkit.records.Trainer`; evaluation_bytes is what a round's evaluation would send besides.
    ledger : ColumnLedger, optional
        Whose noise goes onto messages; none by default.
    keep : float
        In (0, 1]: the share of the entries of each row's gradient that is sent back, the largest ones.
    device : str
        Where all parties train, as `trustkit.devices.device_named` takes it. Evaluation stays on the processor.
    """

    network: SplitNetwork
    table: ColumnTable
    lr: float
    weight_decay: float
    batch: int
    seed: int
    facts: Mapping[str, Any]
    ledger: ColumnLedger | None = None
    keep: float = 1.0
    device: str = "cpu"

    def start(self) -> State:
        """Return the state before the first round.

        Returns
        -------
        mapping
            params, and Adam's mean and square, (P,) each; steps, ().
        """
        params = self.network.init(self.seed)
        return {"params": params, "mean": np.zeros_like(params), "square": np.zeros_like(params), "steps": np.array(0)}

    def step(self, state: State, index: int, tick: Tick) -> tuple[State, Seen]:
        """Play a round: one epoch over the training rows, then evaluation.

        Parameters
        ----------
        state : mapping
            The state before; not changed.
        index : int
            The round, from 1.
        tick : callable
            Called at each party's part of a batch, and in evaluation; may raise `trustkit.records.Stopped`.

        Returns
        -------
        state, seen
            The state after, and what was seen.
        """
        wire = Channel(len(self.network.columns))
        with one_thread():
            after = self._epoch(state, index, tick, wire)
        epsilon = math.inf if self.ledger is None else self.ledger.spent(index)
        scores = self.table.told(self.network.logits(after["params"], self.table.X_test, tick))
        return after, self.table.seen(scores, wire, epsilon)

    def _epoch(self, state: State, index: int, tick: Tick, wire: Channel) -> State:
        import torch

        params, mean, square = (torch.tensor(state[name], device=self.device) for name in ("params", "mean", "square"))
        steps, lr = int(state["steps"]), self.lr * 0.5 ** ((index - 1) // _HALVE_EVERY)
        leaves = self.network.leaves(params)
        order = stream(self.seed, index, "batches").permutation(self.table.y.size)
        parts = [part.to(self.device) for part in self.network.cut(self.table.X[order])]
        labels = self._target(order).to(self.device)
        shield = Shield(self.ledger, self.keep, stream(self.seed, index, "noise"))
        grad = torch.empty_like(params)
        into = self.network.leaves(grad)
        for start in range(0, len(order), self.batch):
            rows = slice(start, start + self.batch)
            self.exchange(leaves, [part[rows] for part in parts], labels[rows], wire, shield, tick, into)
            steps += 1
            adam(params, mean, square, grad, steps, lr, self.weight_decay)
        params, mean, square = (values.cpu() for values in (params, mean, square))
        return {"params": params.numpy(), "mean": mean.numpy(), "square": square.numpy(), "steps": np.array(steps)}

    def _target(self, rows: np.ndarray) -> torch.Tensor:
        """Return labels: class numbers, or numbers in the network's own precision."""
        import torch

        y = self.table.y[rows]
        return torch.tensor(y if self.table.classes else y.astype(self.network.dtype))

    def overheard(self, state: State, rows: np.ndarray, index: int) -> list[Heard]:
        """Return what would cross the wire for some training rows, by the protocol that trains.

        Parameters
        ----------
        state : mapping
            Any state of this trainer; nothing is learnt.
        rows : (n,) int array
            Training rows, in batches as they come.
        index : int
            The round, from 1, whose noise is drawn anew.

        Returns
        -------
        list of Heard
            One message a sender, receiver and kind; line i is about ``rows[i]``.
        """
        import torch

        wire = Channel(self.table.parties, heard=[])
        shield = Shield(self.ledger, self.keep, stream(self.seed, index, "noise", "overheard"))
        parts, labels = self.network.cut(self.table.X[rows]), self._target(rows)
        with one_thread():
            leaves = self.network.leaves(torch.tensor(state["params"]))
            for start in range(0, len(rows), self.batch):
                batch = slice(start, start + self.batch)
                self.exchange(leaves, [part[batch] for part in parts], labels[batch], wire, shield)
        return by_row(wire.heard or [], len(rows))

    def exchange(
        self, leaves: list[torch.Tensor], parts: list[torch.Tensor], labels: torch.Tensor, wire: Channel,
        shield: Shield | None = None, tick: Tick = lambda: None, into: Sequence[torch.Tensor] | None = None,
    ) -> Sequence[torch.Tensor]:  # fmt: skip
        """Play one step of the protocol: embeddings up, gradients down.

        Parameters
        ----------
        leaves : list of torch.Tensor
            The network's arrays.
        parts : list of torch.Tensor
            Each party's columns of the batch.
        labels : torch.Tensor
            The batch's labels, which only the first party sees.
        wire : Channel
            Counts what is sent.
        shield : Shield, optional
            What is done to messages before they leave; by default nothing.
        tick : callable
            Called before each party's part, on the way up and on the way down.
        into : sequence of torch.Tensor, optional
            Where gradients are written, shaped as ``leaves``; by default they are new.

        Returns
        -------
        sequence of torch.Tensor
            The gradient of the mean loss by each leaf.
        """
        import torch

        shield = shield or Shield(None, 1.0, stream(self.seed, "noise"))
        grads = [torch.empty_like(leaf) for leaf in leaves] if into is None else into
        layers, found = ([self.network.part(each, k) for k in range(len(parts) + 1)] for each in (leaves, grads))
        with torch.no_grad():
            arrived, made = [], []
            for k, part in enumerate(parts):
                tick()
                embedding, read = forth(layers[k], part)
                arrived.append(wire.send(k, 0, "embedding", shield.embedding(embedding) if k else embedding))
                made.append((embedding, read))
            scores, read = forth(layers[-1], torch.cat(arrived, dim=1))
            told = shield.slopes(mean_slope(scores, labels))
            _, below = back(layers[-1], read, told, through=True, into=found[-1])
            for k, slope in enumerate(below.chunk(len(parts), dim=1)):
                tick()
                kept, size = shield.returned(slope) if k else (slope, None)
                returned = wire.send(0, k, "gradient", kept, size)
                if k and shield.hides_features:
                    for place, own in zip(found[k], _hidden(layers[k], *made[k], returned, shield), strict=True):
                        place.copy_(own)
                else:
                    back(layers[k], made[k][1], returned, into=found[k])
        return grads

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
        return self.table.told(self.network.logits(state["params"], X))

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
        return self.network.gradient(state["params"], X, weights) * np.float32(self.table.span)


def _hidden(
    owned: Sequence[torch.Tensor], embedding: torch.Tensor, inputs: Sequence[torch.Tensor], returned: torch.Tensor,
    shield: Shield,
) -> list[torch.Tensor]:  # fmt: skip
    """Return the gradients by a party's own layers where its embedding was cut and noise goes onto its steps."""
    import torch

    if shield.clip is not None:
        with torch.enable_grad():
            leaf = embedding.requires_grad_()
            (returned,) = torch.autograd.grad(clipped(leaf, shield.clip), leaf, returned)
    return shield.own(owned, inputs[0], returned)
