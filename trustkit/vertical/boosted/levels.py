"""One level of all trees of a round: its nodes, who is in them, and who may say where they go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from trustkit.vertical.boosted.bins import Binned
from trustkit.vertical.boosted.compiled_loops import ask, compiled, move
from trustkit.vertical.boosted.histograms import Splits
from trustkit.vertical.channel import Channel

__all__ = ["Layout", "Level", "told"]


@dataclass(frozen=True, eq=False)
class Layout:
    """Which party's columns stand where in a node's histogram: in the order of the table.

    Parameters
    ----------
    parties : tuple of Binned
        Every party's columns.
    columns : (m,) int array
        Columns of the table, ascending.
    owner : (m,) int array
        Who holds each.
    places : tuple of (m_k,) int array
        Where each party's columns are among them.
    real : (m, B) bool array
        Which cells are bins.
    """

    parties: tuple[Binned, ...]
    columns: np.ndarray
    owner: np.ndarray
    places: tuple[np.ndarray, ...]
    real: np.ndarray

    @classmethod
    def of(cls, parties: Sequence[Binned]) -> Layout:
        """Lay the columns of all parties out.

        Parameters
        ----------
        parties : sequence of Binned
            Every party's columns.

        Returns
        -------
        Layout
            Of their union.
        """
        columns = np.sort(np.concatenate([own.columns for own in parties]))
        places = tuple(np.searchsorted(columns, own.columns) for own in parties)
        width = max(int(own.counts.max()) for own in parties)
        real, owner = np.zeros((columns.size, width), bool), np.zeros(columns.size, int)
        for k, own in enumerate(parties):
            real[places[k]], owner[places[k]] = own.real(width), k
        return cls(tuple(parties), columns, owner, places, real)


@dataclass(frozen=True, eq=False)
class Level:
    """The nodes of one level of all trees.

    Parameters
    ----------
    tree, slot : (N,) int array
        Which tree a node is in, and at which slot.
    at : (C, n) int32 array
        The node of each row of each tree; −1 for rows that ended in a leaf above.
    total : (N, 2) float64 array
        Sums of g and h of each node's rows.
    asked : (N,) bool array
        Whose histograms are added up; the others are what is left of their parent's.
    """

    tree: np.ndarray
    slot: np.ndarray
    at: np.ndarray
    total: np.ndarray
    asked: np.ndarray

    @classmethod
    def root(cls, trees: int, rows: int) -> Level:
        """Put every row of every tree into that tree's only node.

        Parameters
        ----------
        trees, rows : int
            How many there are.

        Returns
        -------
        Level
            Its sums are not known yet.
        """
        at = np.repeat(np.arange(trees, dtype=np.int32)[:, None], rows, axis=1)
        return cls(np.arange(trees), np.zeros(trees, int), at, np.zeros((trees, 2)), np.ones(trees, bool))

    def counted(self) -> np.ndarray:
        """Return the number, among nodes asked for, of each row's node.

        Returns
        -------
        (C, n) int32 array
            −1 for rows that are not counted.
        """
        number = np.append(np.where(self.asked, np.cumsum(self.asked) - 1, -1), -1).astype(np.int32)
        return np.asarray(number[self.at])

    def below(self, splits: Splits, leaf: np.ndarray, owner: np.ndarray, answers: Sequence[np.ndarray]) -> Level:
        """Move on to the children.

        Parameters
        ----------
        splits : Splits
            Of every node.
        leaf : (C, n) int32 array
            The leaf's slot is written for rows that stay.
        owner : (N,) int array
            Whose answer holds a node's rows.
        answers : sequence of (L_k,) uint8 array
            Each party's bits: 1 goes right; rows by tree, then in their own order.

        Returns
        -------
        Level
            Two nodes for each split.
        """
        split, light = splits.column >= 0, _light(splits)
        number = np.where(split, np.cumsum(split) - 1, -1)
        starts = 8 * np.cumsum([0, *(bits.size for bits in answers[:-1])])
        at = np.empty_like(self.at)
        loop = compiled(move, 4 * self.at.size) or _move
        loop(self.at, number, owner, self.slot, np.concatenate(answers), starts, at, leaf)
        return replace(
            self, tree=np.repeat(self.tree[split], 2), at=at,
            slot=np.stack([2 * self.slot[split] + 1, 2 * self.slot[split] + 2], axis=1).ravel(),
            total=np.stack([splits.left[split], splits.right[split]], axis=1).reshape(-1, 2),
            asked=np.stack([~light[split], light[split]], axis=1).ravel(),
        )  # fmt: skip


def _light(splits: Splits) -> np.ndarray:
    """Say where the right child is the one that is added up: where less curvature is there, as XGBoost has it."""
    return np.asarray(splits.right[:, 1] < splits.left[:, 1])


def told(level: Level, layout: Layout, splits: Splits, wire: Channel, last: bool) -> list[np.ndarray]:
    """Tell the parties what is split, and hear from the owners who goes right.

    Parameters
    ----------
    level : Level
        Whose nodes are split.
    layout : Layout
        Who holds which column.
    splits : Splits
        Of every node.
    wire : Channel
        Counts "split", 16 bytes a node, and "instance set", one bit a row.
    last : bool
        Whether no histograms follow, so that only owners need to know.

    Returns
    -------
    list of (L_k,) uint8 array
        Each party's answer.
    """
    split, light = splits.column >= 0, _light(splits)
    owner = np.where(split, layout.owner[splits.column], -1)
    answers, rows = [], []
    for k, own in enumerate(layout.parties):
        mine = owner == k
        if k and (mine if last else split).any():
            lines = np.stack([np.where(mine, splits.column, -1), np.where(mine, splits.bin, -1), light], axis=1)
            told_of = np.flatnonzero(mine if last else split)
            wire.pass_on(0, k, "split", np.column_stack([told_of, lines[told_of]]).astype(np.int32))
        inner = np.where(mine, np.searchsorted(layout.places[k], splits.column), -1)
        bits, count = _answer(own.codes, level.at, inner, splits.bin)
        answers.append(wire.pass_on(k, 0, "instance set", bits) if count else bits)
        rows.append(count)
    for k in range(1, len(rows)):
        if not last and sum(rows) > rows[k]:  # what the others said is passed on
            wire.count(0, k, "instance set", -(-(sum(rows) - rows[k]) // 8))
    return answers


def _answer(codes: np.ndarray, at: np.ndarray, column: np.ndarray, bins: np.ndarray) -> tuple[np.ndarray, int]:
    """Return a party's bits, and how many there are."""
    if (column < 0).all():
        return np.zeros(0, np.uint8), 0
    column = np.append(column, -1)  # what rows that are in no node find at −1
    loop = compiled(ask, 4 * at.size)
    if loop is not None:
        bits = np.zeros(-(-at.size // 8), np.uint8)
        count = int(loop(codes, at, column, bins, bits))
        return bits[: -(-count // 8)], count
    inner = column[at]
    _, row = inside = np.nonzero(inner >= 0)
    right = codes[row, inner[inside]] > bins[at[inside]]
    return np.packbits(right), right.size


def _move(
    at: np.ndarray, number: np.ndarray, owner: np.ndarray, slot: np.ndarray, bits: np.ndarray, cursor: np.ndarray,
    below: np.ndarray, leaf: np.ndarray,
) -> None:  # fmt: skip
    """Do what `trustkit.vertical.boosted.compiled_loops.move` does."""
    below[:] = -1
    goes = np.append(number, -1)[at] >= 0
    stays = (at >= 0) & ~goes
    leaf[stays] = slot[at[stays]]
    node = at[goes]
    every, right = np.unpackbits(bits), np.zeros(node.size, np.uint8)
    for k, start in enumerate(cursor):
        mine = owner[node] == k
        right[mine] = every[start : start + np.count_nonzero(mine)]
    below[goes] = 2 * number[node] + right
