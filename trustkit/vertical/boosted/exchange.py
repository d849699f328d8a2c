"""The exchange that grows trees: gradients go out, histograms come back, the owner of a split says who goes where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from trustkit.records import Tick
from trustkit.vertical.boosted.bins import Binned
from trustkit.vertical.boosted.covers import Cover, Plain
from trustkit.vertical.boosted.histograms import Rules, best_splits, histogram, weight_of
from trustkit.vertical.boosted.levels import Layout, Level, told
from trustkit.vertical.boosted.trees import Trees, bare
from trustkit.vertical.channel import Channel

__all__ = ["Exchange", "Grower"]


class Grower(Protocol):
    """Grows the trees of one round, one for each output, and counts what crosses."""

    def __call__(
        self, g: np.ndarray, h: np.ndarray, parties: Sequence[Binned], wire: Channel, tick: Tick, index: int
    ) -> tuple[Trees, np.ndarray]:
        """Return the trees, and the slot of the leaf of each training row, (C, n).

        ``g`` and ``h`` (C, n) float32 belong to the first party; ``index`` is the round, from 1.
        """


@dataclass(frozen=True, eq=False)
class Exchange:
    """Growth level by level from every party's own histograms; a `Grower`.

    Parameters
    ----------
    depth : int
        Splits on the longest path.
    lr : float
        What leaf weights are multiplied by.
    rules : Rules
        What makes a split worth it.
    cover : Cover
        In the clear, or encrypted.
    """

    depth: int
    lr: float
    rules: Rules
    cover: Cover = field(default_factory=Plain)

    def __call__(
        self, g: np.ndarray, h: np.ndarray, parties: Sequence[Binned], wire: Channel, tick: Tick, index: int
    ) -> tuple[Trees, np.ndarray]:
        """Grow the trees of one round.

        Parameters
        ----------
        g, h : (C, n) float32 array
            First and second derivatives by output and row, which only the first party has.
        parties : sequence of Binned
            Every party's columns.
        wire : Channel
            Counts what is sent.
        tick : callable
            Called before each party's histograms.
        index : int
            The round.

        Returns
        -------
        trees, leaf
            C trees, and (C, n) int32: the slot of the leaf of each row.
        """
        layout, level = Layout.of(parties), Level.root(*g.shape)
        held: list[Any] = [(g, h), *(self.cover.gradients(g, h, k, wire) for k in range(1, len(parties)))]
        trees, leaf = bare(len(g), self.depth), np.zeros(g.shape, np.int32)
        sums, last = np.zeros(0), self.depth - 1
        for depth in range(self.depth):
            sums = _completed(level, sums, self._sums(level, layout, held, wire, tick))
            if depth == 0:  # the root's sums are those of the first column's bins, as XGBoost has them
                level = replace(level, total=sums[:, 0].cumsum(axis=1)[:, -1])
            splits = best_splits(sums, level.total, layout.real, self.rules)
            split = splits.column >= 0
            self._weigh(trees, level, ~split)
            trees.feature[level.tree[split], level.slot[split]] = layout.columns[splits.column[split]]
            trees.bin[level.tree[split], level.slot[split]] = splits.bin[split]
            answers = told(level, layout, splits, wire, depth == last)
            level, sums = level.below(splits, leaf, layout.owner[splits.column], answers), sums[split]
            if not split.any():
                return trees, leaf
        self._weigh(trees, level, np.ones(level.tree.size, bool))
        inside = level.at >= 0
        leaf[inside] = level.slot[level.at[inside]]
        return trees, leaf

    def _weigh(self, trees: Trees, level: Level, done: np.ndarray) -> None:
        """Write the weights of nodes that are leaves."""
        weight = weight_of(level.total[done], self.rules) * np.float32(self.lr)
        trees.weight[level.tree[done], level.slot[done]] = weight

    def _sums(self, level: Level, layout: Layout, held: list[Any], wire: Channel, tick: Tick) -> np.ndarray:
        """Collect every party's histograms of the nodes asked for, columns in the order of the table."""
        at, nodes, width = level.counted(), int(level.asked.sum()), layout.real.shape[1]
        sums = np.empty((nodes, *layout.real.shape, 2))
        g, h = held[0]
        for k, own in enumerate(layout.parties):
            tick()
            if k == 0:
                sums[:, layout.places[k]] = histogram(own.codes, g, h, at, nodes, width)
            else:
                message = self.cover.histogram(held[k], own, at, nodes, width, k, wire)
                sums[:, layout.places[k]] = self.cover.opened(message, own, nodes, width)
        return sums


def _completed(level: Level, above: np.ndarray, sent: np.ndarray) -> np.ndarray:
    """Return the sums of every node: those sent, and for their siblings what is left of the parent's."""
    if level.asked.all():
        return sent
    pairs = np.empty((len(above), 2, *sent.shape[1:]))
    right = level.asked[1::2].astype(int)
    rows = np.arange(len(above))
    pairs[rows, right] = sent
    np.subtract(above, sent, out=sent)
    pairs[rows, 1 - right] = sent
    return pairs.reshape(-1, *sent.shape[1:])
