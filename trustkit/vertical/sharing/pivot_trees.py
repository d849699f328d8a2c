"""Growing trees of nodes that nobody can look into: locked instance sets in, published splits out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from trustkit.records import Tick
from trustkit.rng import stream
from trustkit.vertical.boosted.bins import Binned
from trustkit.vertical.boosted.histograms import Rules
from trustkit.vertical.boosted.trees import Trees, bare
from trustkit.vertical.channel import Channel
from trustkit.vertical.encrypted.cost_estimate import facts_of_hidden_work
from trustkit.vertical.encrypted.jointkey import joint_key
from trustkit.vertical.encrypted.packing import capacity, fixed, packed
from trustkit.vertical.encrypted.paillier import Cipher
from trustkit.vertical.sharing.hidden_instance_sets import Hidden
from trustkit.vertical.sharing.secretsplits import Scale, best_split, leaf_weights, scale_of
from trustkit.vertical.sharing.shares import Ring, Talk

__all__ = ["FRACTION", "Candidates", "HiddenExchange", "candidates_of", "facts_of_hiding"]


FRACTION = 30
"""Bits behind the point: rounding a gradient is off by at most 2^−31, and a product of five sums stays short."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """All splits that a node may have, by column and bin.

    Parameters
    ----------
    column, bin, owner : (T,) int array
        Ascending in column, then in bin; whose the column is.
    place : (T,) int array
        Where each one's bin is among the parties' bins, one party after the other.
    """

    column: np.ndarray
    bin: np.ndarray
    owner: np.ndarray
    place: np.ndarray

    def left(self, sums: np.ndarray) -> np.ndarray:
        """Add up each column's bins from the first one on.

        Parameters
        ----------
        sums : (K, T, 2) array of int objects
            Shares of the sums in each bin, party by party.

        Returns
        -------
        (K, T, 2) array of int objects
            Shares of the sums on the left of each split.
        """
        ordered = sums[:, self.place]
        starts = np.flatnonzero(self.bin == 0).tolist()
        parts = [ordered[:, a:b].cumsum(axis=1) for a, b in zip(starts, [*starts[1:], None], strict=True)]
        return np.concatenate(parts, axis=1)


def candidates_of(parties: Sequence[Binned]) -> Candidates:
    """List all splits.

    Parameters
    ----------
    parties : sequence of Binned
        Every party's columns.

    Returns
    -------
    Candidates
        The last bin of a column too, whose right side is empty.
    """
    lines = [(int(j), b, k) for k, own in enumerate(parties)
             for j, count in zip(own.columns, own.counts, strict=True) for b in range(int(count))]  # fmt: skip
    column, bins, owner = np.array(lines).T
    place = np.lexsort((bins, column))
    return Candidates(column[place], bins[place], owner[place], place)


@dataclass(frozen=True, eq=False)
class _Node:
    """A node: its tree and slot, [α], shares of the sums in every bin (if it is to be split) and of its own sums."""

    tree: int
    slot: int
    mask: list[Cipher]
    sums: np.ndarray
    total: np.ndarray


@dataclass(frozen=True, eq=False)
class _Round:
    """What stays the same while the trees of a round grow; ``numbers`` are the first party's."""

    hidden: Hidden
    numbers: Sequence[Sequence[int]]
    parties: Sequence[Binned]
    candidates: Candidates
    scale: Scale

    def roots(self) -> Iterator[_Node]:
        """Lock everybody in, once for all trees, and add up."""
        mask, first = self.hidden.everybody(len(self.numbers[0])), self.candidates
        own = first.place[first.column == first.column[0]]
        for tree in range(len(self.numbers)):
            sums = self._sums(mask, tree)
            yield _Node(tree, 0, mask, sums, np.asarray(self.hidden.talk.ring.reduced(sums[:, own].sum(axis=1))))

    def _sums(self, mask: list[Cipher], tree: int) -> np.ndarray:
        return self.hidden.sums(self.hidden.weighted(mask, self.numbers[tree]), self.parties)

    def split(self, node: _Node, trees: Trees, *, last: bool) -> list[_Node]:
        """Find the best split of a node, write it down and return the children, or nothing."""
        ring, splits = self.hidden.talk.ring, self.candidates
        left = np.asarray(ring.reduced(splits.left(node.sums)))
        best = best_split(self.hidden.talk, left, node.total, self.scale)
        if best < 0:
            return []
        column, bins, owner = int(splits.column[best]), int(splits.bin[best]), int(splits.owner[best])
        trees.feature[node.tree, node.slot], trees.bin[node.tree, node.slot] = column, bins
        own = self.parties[owner]
        goes = own.codes[:, np.searchsorted(own.columns, column)] <= bins
        masks = self.hidden.divided(node.mask, goes, owner)
        totals = left[:, best], np.asarray(ring.reduced(node.total - left[:, best]))
        near = node.sums if last else self._sums(masks[0], node.tree)
        sums = near, near if last else np.asarray(ring.reduced(node.sums - near))
        slot = 2 * node.slot + 1
        return [_Node(node.tree, slot + side, masks[side], sums[side], totals[side]) for side in (0, 1)]


@dataclass(frozen=True)
class HiddenExchange:
    """Growth level by level under a new joint key each round; a `trustkit.vertical.boosted.exchange.Grower`.

    Parameters
    ----------
    depth : int
        Splits on the longest path.
    lr : float
        What leaf weights are multiplied by.
    rules : Rules
        What makes a split worth it.
    key_bits : int
        Length of n.
    seed : int
        The experiment's seed: draws masks and the dealer's numbers.
    heard : list, optional
        Takes down everything that is opened.
    """

    depth: int
    lr: float
    rules: Rules
    key_bits: int
    seed: int
    heard: list[np.ndarray] | None = None

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
            Called before each locked number and at each opening.
        index : int
            The round.

        Returns
        -------
        trees, leaf
            C trees, and (C, n): the slot of the leaf of each row, which the first party learns.
        """
        scale = self.scale(g.shape[1], float(max(np.abs(g).max(), h.max())))
        talk = Talk(Ring(scale.ring_bits, len(parties)), stream(self.seed, index, "dealer"), wire, tick, self.heard)
        hidden = Hidden(joint_key(self.key_bits, len(parties)), talk, scale.value_bits,
                        stream(self.seed, index, "masks"), wire, tick)  # fmt: skip
        talk.dealt(3 * self.key_bits // 8)
        numbers = [_pairs(*sides, hidden.width) for sides in zip(g, h, strict=True)]
        inside = _Round(hidden, numbers, parties, candidates_of(parties), scale)
        trees, leaves = bare(len(g), self.depth), list[_Node]()
        level = list(inside.roots())
        for depth in range(self.depth):
            below: list[_Node] = []
            for node in level:
                children = inside.split(node, trees, last=depth == self.depth - 1)
                (below if children else leaves).extend(children or [node])
            level = below
        leaves += level
        weights = leaf_weights(talk, np.stack([node.total for node in leaves], axis=1), scale)
        for node, weight in zip(leaves, weights.astype(np.float32), strict=True):
            trees.weight[node.tree, node.slot] = weight * np.float32(self.lr)
        return trees, np.stack([self._ends(tree, leaves, hidden) for tree in range(len(g))])

    def scale(self, rows: int, largest: float) -> Scale:
        """Choose lengths by what the first party may tell: 1, or the next power of 2 above what it has.

        Parameters
        ----------
        rows : int
            n.
        largest : float
            Largest magnitude of g and h.

        Returns
        -------
        Scale
            For `FRACTION` bits behind the point.
        """
        return scale_of(self.rules, rows, max(1.0, 2.0 ** math.ceil(math.log2(largest))), FRACTION)

    def _ends(self, tree: int, leaves: Sequence[_Node], hidden: Hidden) -> np.ndarray:
        mine = [node for node in leaves if node.tree == tree]
        return hidden.leaves([node.mask for node in mine], [node.slot for node in mine], self.depth)


def _pairs(g: np.ndarray, h: np.ndarray, width: int) -> list[int]:
    return [packed(pair, width) for pair in zip(fixed(h, FRACTION), fixed(g, FRACTION), strict=True)]


def facts_of_hiding(grow: HiddenExchange, parties: Sequence[Binned], trees: int) -> dict[str, Any]:
    """Say what a round takes at most.

    Parameters
    ----------
    grow : HiddenExchange
        How trees grow.
    parties : sequence of Binned
        Every party's columns.
    trees : int
        How many a round grows.

    Returns
    -------
    dict
        What `trustkit.vertical.encrypted.cost_estimate.facts_of_hidden_work` gives, and what is opened, in words.
    """
    rows, scale = len(parties[0].codes), grow.scale(len(parties[0].codes), 1.0)
    width = scale.value_bits + 40 + len(parties).bit_length() + 1
    per = capacity(grow.key_bits, 2 * width)
    pieces = sum(-(-int(own.counts.sum()) // per) for own in parties)
    return {**facts_of_hidden_work(rows, pieces, len(parties), trees, grow.depth, grow.key_bits),
            "opened": "splits and leaf weights to all, the leaf of each training row to the first party"}  # fmt: skip
