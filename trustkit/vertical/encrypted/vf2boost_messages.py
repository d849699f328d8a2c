"""Gradients under encryption as VF2Boost sends them: in several scales, in pieces, many bins in one number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from trustkit.records import Tick
from trustkit.vertical.boosted.bins import Binned
from trustkit.vertical.channel import Channel
from trustkit.vertical.encrypted.encrypted_sums import FRACTION, Sums, added, empty_sums, every_one, laid, real
from trustkit.vertical.encrypted.packing import capacity, fixed, packed, unpacked, width_for
from trustkit.vertical.encrypted.paillier import Cipher, Key

__all__ = ["Woven", "slot_width", "woven"]

_STEP = 4
"""Bits from one exponent to the next."""


@dataclass(frozen=True, eq=False)
class Woven:
    """One round of VF2Boost's messages; a `trustkit.vertical.boosted.covers.Cover`.

    Parameters
    ----------
    key : Key
        The first party's.
    rows : (C, n) array of locked numbers
        g and h of each row, scaled by its exponent.
    exponent : (C, n) int array
        Known to all: row i has 40 + 4·exponent bits behind the point.
    exponents : int
        How many there are.
    width : int
        Bits of a slot; a bin has two.
    root : tuple of sums
        Each party's sums of all rows, added up while rows arrived; empty for the first party.
    tick : callable
        Called between small steps.
    fresh : bool
        Whether parties put noise of their own onto what they send.
    """

    key: Key
    rows: np.ndarray
    exponent: np.ndarray
    exponents: int
    width: int
    root: tuple[Sums, ...]
    tick: Tick
    fresh: bool = False

    @property
    def bins(self) -> int:
        """How many bins share a locked number."""
        return capacity(self.key.lock.bits, 2 * self.width)

    def gradients(self, g: np.ndarray, h: np.ndarray, party: int, wire: Channel) -> np.ndarray:
        """Send a party the key's public half, and the locked gradients with one byte for each exponent.

        Parameters
        ----------
        g, h : (C, n) float32 array
            Not sent.
        party : int
            Who gets them.
        wire : Channel
            Counts "key" and "encrypted gradient".

        Returns
        -------
        (C, n) array of locked numbers
            What the party holds.
        """
        wire.count(0, party, "key", self.key.lock.bits // 8)
        wire.count(0, party, "encrypted gradient", g.size * (self.key.lock.size + 1))
        return self.rows

    def histogram(
        self, held: np.ndarray, own: Binned, at: np.ndarray, nodes: int, width: int, party: int, wire: Channel
    ) -> list[Cipher]:
        """Add up by node, bin and exponent, scale each sum once, weave many bins into one number, and send those.

        Parameters
        ----------
        held : (C, n) array of locked numbers
            What `gradients` gave.
        own : Binned
            The party's columns.
        at : (C, n) int array
            The node that a row of a tree is counted in; −1 for none.
        nodes, width : int
            How many nodes; bins a column at most.
        party : int
            Who adds up.
        wire : Channel
            Counts "encrypted histogram".

        Returns
        -------
        list of locked numbers
            ⌈nodes · T / bins⌉ of them, for T bins of the party.
        """
        lock = self.key.lock
        if nodes == len(at) and (at == np.arange(nodes)[:, None]).all():
            sums = self.root[party]
        else:
            sums = empty_sums(lock, own, nodes, self.exponents)
            added(sums, lock, held, self.exponent, own, at, slice(0, at.shape[1]), self.tick)
        cells = [self._merged(ciphers) for node in sums for ciphers in zip(*node, strict=True)]
        message = []
        for i in range(0, len(cells), self.bins):
            self.tick()
            joined = lock.abreast(cells[i : i + self.bins], 2 * self.width)
            message.append(lock.fresh(joined) if self.fresh else joined)
        wire.count(party, 0, "encrypted histogram", len(message) * lock.size)
        return message

    def _merged(self, ciphers: tuple[Cipher, ...]) -> Cipher:
        """Bring a bin's sums to the finest exponent and add them."""
        lock, top = self.key.lock, self.exponents - 1
        self.tick()
        scaled = (c if e == top or c == 1 else lock.times(c, 1 << (_STEP * (top - e))) for e, c in enumerate(ciphers))
        return lock.total(scaled)

    def opened(self, message: list[Cipher], own: Binned, nodes: int, width: int) -> np.ndarray:
        """Unlock the sums.

        Parameters
        ----------
        message : list of locked numbers
            As sent.
        own : Binned
            Whose columns these are; only the number of bins is looked at.
        nodes, width : int
            As in `histogram`.

        Returns
        -------
        (nodes, m_k, width, 2) float64 array
            Sums of g and h; 0 in cells that are no bin.
        """
        return laid(self._pairs(message, nodes * int(own.counts.sum())), own, nodes, width)

    def _pairs(self, message: list[Cipher], cells: int) -> Iterator[tuple[float, float]]:
        fraction = FRACTION + _STEP * (self.exponents - 1)
        for i, cipher in enumerate(message):
            self.tick()
            here = min(self.bins, cells - i * self.bins)
            numbers = unpacked(self.key.opened(cipher), self.width, 2 * here)
            for h, g in zip(numbers[::2], numbers[1::2], strict=True):
                yield real(g, fraction), real(h, fraction)


def slot_width(rows: int, largest: float, exponents: int) -> int:
    """Return how many bits a sum over rows takes in the finest scale.

    Parameters
    ----------
    rows : int
        How many numbers are added at most.
    largest : float
        Bound of their magnitudes.
    exponents : int
        How many scales there are, each 4 bits finer than the one before.

    Returns
    -------
    int
        Bits, with room for what the coarsest scale rounds up.

    Examples
    --------
    >>> slot_width(100, 1.0, 1), slot_width(100, 1.0, 4)
    (48, 60)
    """
    return width_for(rows, largest + 2.0**-FRACTION, FRACTION + _STEP * (exponents - 1))


def woven(
    g: np.ndarray, h: np.ndarray, parties: Sequence[Binned], key: Key, exponents: int, pieces: int,
    generator: np.random.Generator, tick: Tick, fresh: bool = False,
) -> Woven:  # fmt: skip
    """Lock the gradients of a round as VF2Boost does, piece by piece, while parties add up what has arrived.

    Parameters
    ----------
    g, h : (C, n) float32 array
        First and second derivatives.
    parties : sequence of Binned
        Every party's columns.
    key : Key
        The first party's.
    exponents : int
        How many scales numbers are written in.
    pieces : int
        In how many pieces rows go out; 1 is one after the other: all rows locked, then all added up.
    generator : numpy.random.Generator
        Draws the exponent of each row.
    tick : callable
        Called before each number.
    fresh : bool
        Whether parties put noise of their own onto what they send.

    Returns
    -------
    Woven
        The same, up to the noise, in however many pieces.
    """
    exponent = generator.integers(exponents, size=g.shape)
    width = slot_width(g.shape[1], float(max(np.abs(g).max(), h.max())), exponents)
    sides = [fixed(side.ravel(), (FRACTION + _STEP * exponent).ravel()) for side in (h, g)]
    numbers = np.array([packed(pair, width) for pair in zip(*sides, strict=True)], object).reshape(g.shape)
    at = np.repeat(np.arange(len(g))[:, None], g.shape[1], axis=1)
    root: list[Sums] = [[], *(empty_sums(key.lock, own, len(g), exponents) for own in parties[1:])]
    rows, ends = np.empty(g.shape, object), np.linspace(0, g.shape[1], pieces + 1).astype(int)
    for start, end in pairwise(ends):
        part = slice(int(start), int(end))
        waiting = numbers[:, part]
        rows[:, part] = every_one(waiting.ravel().tolist(), waiting.shape, key, tick)
        for k in range(1, len(parties)):
            added(root[k], key.lock, rows, exponent, parties[k], at, part, tick)
    return Woven(key, rows, exponent, exponents, width, tuple(root), tick, fresh)
