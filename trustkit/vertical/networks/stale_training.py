"""C-VFL, round by round: compressed messages once a batch, then steps of every party beside stale embeddings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from trustkit.metrics.evaluate import softmax
from trustkit.records import Seen, State, Tick
from trustkit.rng import stream
from trustkit.threads import one_thread
from trustkit.vertical.channel import Channel
from trustkit.vertical.networks.adam import adam
from trustkit.vertical.networks.compress import Squeeze
from trustkit.vertical.networks.layers import chain, length
from trustkit.vertical.networks.losses import bounded, loss
from trustkit.vertical.networks.network import SplitNetwork
from trustkit.vertical.overheard import Heard, by_row
from trustkit.vertical.table import ColumnTable

if TYPE_CHECKING:
    import torch

__all__ = ["StaleTrainer"]


@dataclass(frozen=True, eq=False)
class StaleTrainer:
    """C-VFL bound to its data; implements `trustkit.records.Trainer`. A round is one epoch.

    Parameters
    ----------
    network : SplitNetwork
        Sizes.
    table : ColumnTable
        Who holds which columns.
    squeeze : Squeeze
        What is sent of an embedding and of the upper layers.
    local_steps : int
        Steps on each batch, Q.
    lr : float
        Adam's.
    batch : int
        Rows in a step.
    seed : int
        The experiment's seed.
    facts : mapping
        See `trustkit.records.Trainer`; evaluation_bytes is what a round's evaluation would send besides.
    device : str
        Where all parties train, see `trustkit.devices.device_named`; messages and evaluation are on the processor.
    """

    network: SplitNetwork
    table: ColumnTable
    squeeze: Squeeze
    local_steps: int
    lr: float
    batch: int
    seed: int
    facts: Mapping[str, Any]
    device: str = "cpu"

    def start(self) -> State:
        """Return the state before the first round.

        Returns
        -------
        mapping
            params, and the mean and square of every Adam, (P,) each; steps, (); last, (K, width): the last gradient
            of each party by its last offsets.
        """
        params = self.network.init(self.seed)
        last = np.zeros((self.table.parties, self.network.local[-1]), params.dtype)
        return {"params": params, "mean": np.zeros_like(params), "square": np.zeros_like(params),
                "last": last, "steps": np.array(0)}  # fmt: skip

    def step(self, state: State, index: int, tick: Tick) -> tuple[State, Seen]:
        """Play a round: one epoch over the training rows, then evaluation.

        Parameters
        ----------
        state : mapping
            The state before; not changed.
        index : int
            The round, from 1.
        tick : callable
            Called before each embedding, each array made smaller, each local step; may raise `Stopped`.

        Returns
        -------
        state, seen
            The state after, and what was seen.
        """
        wire = Channel(self.table.parties)
        with one_thread():
            after = self._epoch(state, index, tick, wire)
        return after, self.table.seen(self.logits(after, self.table.X_test, tick), wire)

    def _epoch(self, state: State, index: int, tick: Tick, wire: Channel) -> State:
        import torch

        after = {name: torch.tensor(values, device=self.device) for name, values in state.items()}
        order = stream(self.seed, index, "batches").permutation(self.table.y.size)
        parts, y = [part.to(self.device) for part in self.network.cut(self.table.X[order])], self.table.y[order]
        labels = torch.tensor(y if self.table.classes else y.astype(self.network.dtype), device=self.device)
        leaves = self.network.leaves(after["params"])
        dithers = [stream(self.seed, index, "dither", k) for k in range(len(parts) + 1)]
        for k in range(1, len(parts)) if index == 1 else ():
            wire.count(0, k, "label", self.table.y.nbytes)
        for rows in (slice(start, start + self.batch) for start in range(0, len(order), self.batch)):
            cut = [part[rows] for part in parts]
            joined, upper = self.exchange(leaves, cut, after, wire, dithers, tick)
            self._turns(leaves, cut, labels[rows], joined, upper, after, tick)
            after["steps"] += self.local_steps
        return {name: values.cpu().numpy() for name, values in after.items()}

    def overheard(self, state: State, rows: np.ndarray, index: int) -> list[Heard]:
        """Return what would cross the wire for some training rows, by the protocol that trains.

        Parameters
        ----------
        state : mapping
            Any state of this trainer; nothing is learnt.
        rows : (n,) int array
            Training rows, in batches as they come.
        index : int
            The round, from 1, whose dither is drawn anew.

        Returns
        -------
        list of Heard
            One message a sender, receiver and kind, opened; line i is about ``rows[i]``. What comes down is the
            embeddings of all parties side by side.
        """
        import torch

        wire = Channel(self.table.parties, heard=[])
        held = {name: torch.tensor(values) for name, values in state.items()}
        dithers = [stream(self.seed, index, "dither", "overheard", k) for k in range(self.table.parties + 1)]
        parts = self.network.cut(self.table.X[rows])
        with one_thread():
            leaves = self.network.leaves(held["params"])
            for batch in (slice(start, start + self.batch) for start in range(0, len(rows), self.batch)):
                self.exchange(leaves, [part[batch] for part in parts], held, wire, dithers)
        return by_row([each for each in wire.heard or [] if each.kind == "embedding"], len(rows))

    def exchange(
        self, leaves: list[torch.Tensor], parts: Sequence[torch.Tensor], after: Mapping[str, torch.Tensor],
        wire: Channel, dithers: Sequence[np.random.Generator], tick: Tick = lambda: None,
    ) -> tuple[torch.Tensor, list[torch.Tensor]]:  # fmt: skip
        """Play a batch's messages: compressed embeddings up, upper layers and the others' embeddings down.

        Parameters
        ----------
        leaves : list of torch.Tensor
            The network's arrays.
        parts : sequence of torch.Tensor
            Each party's columns of the batch.
        after : mapping
            The state as far as it has come; its last gradients choose dimensions.
        wire : Channel
            Counts what is sent.
        dithers : sequence of numpy.random.Generator
            K + 1: what each party shares with all others, and the upper layers' last.
        tick : callable
            Called before each party's embedding.

        Returns
        -------
        joined : torch.Tensor
            What everybody now holds of the embeddings, (b, K · width), opened.
        upper : list of torch.Tensor
            What everybody now holds of the upper layers, opened.
        """
        import torch

        network, parties = self.network, range(len(parts))
        sent, sizes = [], []
        with torch.no_grad():
            for k in parties:
                tick()
                embedding = network.embedded(network.part(leaves, k), parts[k]).cpu()
                last = after["last"][k].cpu().numpy() if int(after["steps"]) else None
                arrived, size = self.squeeze.embedding(embedding, last, dithers[k])
                sent.append(wire.send(k, 0, "embedding", arrived, size))
                sizes.append(size)
            packed = []
            for array in network.part(leaves, len(parts)):
                tick()
                packed.append(self.squeeze.array(array.cpu(), dithers[-1]))
        joined, here = torch.cat(sent, dim=1), leaves[0].device
        for k in parties[1:]:
            for arrived, size in packed:
                wire.send(0, k, "model", arrived, size)
            wire.send(0, k, "embedding", joined, sum(sizes) - sizes[k])  # its own it has
        return joined.to(here), [arrived.to(here) for arrived, _ in packed]

    def _turns(
        self, leaves: list[torch.Tensor], parts: Sequence[torch.Tensor], labels: torch.Tensor,
        joined: torch.Tensor, upper: list[torch.Tensor], after: dict[str, torch.Tensor], tick: Tick,
    ) -> None:  # fmt: skip
        """Let each party step beside what the others sent, then the upper layers; changes parameters in place."""
        import torch

        width, total = self.network.local[-1], chain(upper[:2], joined)
        for k, x in enumerate(parts):
            owned, mine = self.network.part(leaves, k), slice(k * width, (k + 1) * width)
            block = upper[0][:, mine]
            others = total - joined[:, mine] @ block.T
            for step in range(self.local_steps):
                tick()
                first = others + self.network.embedded(owned, x) @ block.T
                scores = chain(upper[2:], first.relu()) if upper[2:] else first
                grads = torch.autograd.grad(loss(scores, labels, bound=True), owned)
                self._move(k, grads, after, step)
            after["last"][k] = grads[-1]
        own_upper = self.network.part(leaves, len(parts))
        for step in range(self.local_steps):
            tick()
            wrong = loss(chain(own_upper, joined), labels, bound=True)
            self._move(len(parts), torch.autograd.grad(wrong, own_upper), after, step)

    def _move(self, party: int, grads: Sequence[torch.Tensor], after: Mapping[str, torch.Tensor], step: int) -> None:
        """Let one party, or with ``party`` = K the upper layers, take a step of their own Adam."""
        import torch

        here = slice(self._borders[party], self._borders[party + 1])
        flat = torch.cat([grad.reshape(-1) for grad in grads])
        params, mean, square = (after[name][here] for name in ("params", "mean", "square"))
        adam(params, mean, square, flat, int(after["steps"]) + step + 1, self.lr, 0.0)

    @cached_property
    def _borders(self) -> list[int]:
        """Where each party's own parameters begin, those of the upper layers, and the end."""
        each = 2 * len(self.network.local)
        inner = [length(self.network.shapes[: each * k]) for k in range(self.table.parties + 1)]
        return [*inner, self.network.parameters]

    def logits(self, state: State, X: np.ndarray, tick: Tick = lambda: None) -> np.ndarray:
        """Return unnormalised scores of the joint model on whole embeddings, or its numbers.

        Parameters
        ----------
        state : mapping
            Any state of this trainer.
        X : (n, m) float array
            Scaled rows, all columns.
        tick : callable
            Called between pieces.

        Returns
        -------
        (n, C) float array
            One score a class.
        """
        scores = self.network.logits(state["params"], X, tick)
        return scores if self.table.classes else self.table.told(bounded(scores))

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
            Adding up to 1 by row; for a regression (n, 1) in the target's unit.
        """
        return softmax(self.logits(state, X)) if self.table.classes else self.logits(state, X)

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
        if not self.table.classes:
            share = bounded(self.network.logits(state["params"], X))
            weights = weights * share * (1 - share) * self.table.span
        return self.network.gradient(state["params"], X, weights)
