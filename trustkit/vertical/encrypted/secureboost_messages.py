"""Gradients under Paillier's encryption: parties add up what they cannot read, the first party reads the sums."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from trustkit.records import Tick
from trustkit.vertical.boosted.bins import Binned
from trustkit.vertical.channel import Channel
from trustkit.vertical.encrypted.encrypted_sums import FRACTION, Sums, added, empty_sums, every_one, laid, real
from trustkit.vertical.encrypted.packing import fixed, packed, unpacked, width_for
from trustkit.vertical.encrypted.paillier import Key

__all__ = ["Sealed", "sealed"]


@dataclass(frozen=True, eq=False)
class Sealed:
    """One round of SecureBoost's messages; a `trustkit.vertical.boosted.covers.Cover`.

    Parameters
    ----------
    key : Key
        The first party's.
    rows : tuple of (C, n) arrays of locked numbers
        g and h of each row in one number, or two arrays of g and h.
    width : int
        Bits from h's place to g's where they share a number.
    tick : callable
        Called between small steps.
    fresh : bool
        Whether parties put noise of their own onto each sum that they send.
    """

    key: Key
    rows: tuple[np.ndarray, ...]
    width: int
    tick: Tick
    fresh: bool = False

    def gradients(self, g: np.ndarray, h: np.ndarray, party: int, wire: Channel) -> tuple[np.ndarray, ...]:
        """Send a party the key's public half and the locked gradients.

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
        tuple of (C, n) arrays of locked numbers
            What the party holds.
        """
        lock = self.key.lock
        wire.count(0, party, "key", lock.bits // 8)
        wire.count(0, party, "encrypted gradient", len(self.rows) * g.size * lock.size)
        return self.rows

    def histogram(
        self, held: tuple[np.ndarray, ...], own: Binned, at: np.ndarray, nodes: int, width: int, party: int,
        wire: Channel,
    ) -> list[Sums]:  # fmt: skip
        """Add up locked gradients by node, column and bin, and send the locked sums.

        Parameters
        ----------
        held : tuple of (C, n) arrays of locked numbers
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
        list of list of list of list
            One or two sums by node and bin.
        """
        lock, found = self.key.lock, []
        for rows in held:
            sums = empty_sums(lock, own, nodes)
            added(sums, lock, rows, np.zeros(at.shape, np.int64), own, at, slice(0, at.shape[1]), self.tick)
            found.append(self._freshened(sums) if self.fresh else sums)
        wire.count(party, 0, "encrypted histogram", len(held) * nodes * int(own.counts.sum()) * lock.size)
        return found

    def _freshened(self, sums: Sums) -> Sums:
        """Change the looks of every sum, so that it does not tell which rows' locked numbers were multiplied."""
        for line in (line for node in sums for line in node):
            for cell, cipher in enumerate(line):
                self.tick()
                line[cell] = self.key.lock.fresh(cipher)
        return sums

    def opened(self, message: list[Sums], own: Binned, nodes: int, width: int) -> np.ndarray:
        """Unlock the sums.

        Parameters
        ----------
        message : list
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
        return laid(self._pairs(message, nodes), own, nodes, width)

    def _pairs(self, message: list[Sums], nodes: int) -> Iterator[tuple[float, float]]:
        for node in range(nodes):
            for ciphers in zip(*(sums[node][0] for sums in message), strict=True):
                self.tick()
                values = [self.key.opened(cipher) for cipher in ciphers]
                h, g = unpacked(values[0], self.width, 2) if len(values) == 1 else reversed(values)
                yield real(g, FRACTION), real(h, FRACTION)


def sealed(g: np.ndarray, h: np.ndarray, key: Key, together: bool, tick: Tick, fresh: bool = False) -> Sealed:
    """Lock the gradients of a round as SecureBoost does.

    Parameters
    ----------
    g, h : (C, n) float32 array
        First and second derivatives.
    key : Key
        The first party's.
    together : bool
        Whether g and h of a row share a locked number.
    tick : callable
        Called before each number.
    fresh : bool
        Whether parties put noise of their own onto each sum that they send.

    Returns
    -------
    Sealed
        With C n locked numbers, or twice as many.
    """
    width = width_for(g.shape[1], float(max(np.abs(g).max(), h.max())), FRACTION)
    sides = [fixed(side.ravel(), FRACTION) for side in (h, g)]
    numbers = [[packed(pair, width) for pair in zip(*sides, strict=True)]] if together else sides[::-1]
    return Sealed(key, tuple(every_one(line, g.shape, key, tick) for line in numbers), width, tick, fresh)
