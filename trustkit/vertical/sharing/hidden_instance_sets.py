"""Instance sets that nobody sees: a locked 0 or 1 for each row, sums under the lock, and sums as shares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from trustkit.records import Tick
from trustkit.vertical.boosted.bins import Binned
from trustkit.vertical.channel import Channel
from trustkit.vertical.encrypted.encrypted_sums import added, empty_sums
from trustkit.vertical.encrypted.jointkey import JointKey
from trustkit.vertical.encrypted.packing import capacity, packed, unpacked
from trustkit.vertical.encrypted.paillier import Cipher
from trustkit.vertical.sharing.shares import Talk

__all__ = ["Hidden"]

_HIDING = 40
"""Bits by which a mask is longer than what it hides: a look at the sum is worth 2^−40."""


@dataclass(frozen=True, eq=False)
class Hidden:
    """Parties who compute on locked instance sets.

    Parameters
    ----------
    joint : JointKey
        Nobody's.
    talk : Talk
        The same parties, computing with shares.
    value_bits : int
        Length of any sum of g or h, the sign's bit included.
    own : numpy.random.Generator
        The parties' own randomness, which masks come from.
    wire : Channel
        Counts what is sent.
    tick : callable
        Called before each locked number.
    """

    joint: JointKey
    talk: Talk
    value_bits: int
    own: np.random.Generator
    wire: Channel
    tick: Tick

    @property
    def parties(self) -> int:
        """How many there are, K."""
        return len(self.joint.parts)

    @property
    def width(self) -> int:
        """Bits of a slot that holds a sum and the masks of all parties."""
        return self.value_bits + _HIDING + self.parties.bit_length() + 1

    def everybody(self, rows: int) -> list[Cipher]:
        """Let the first party lock a 1 for each row, and send them to all others.

        Parameters
        ----------
        rows : int
            n.

        Returns
        -------
        list of locked numbers
            [α], n of them.
        """
        return self._sent([self._locked(1) for _ in range(rows)], 0, "encrypted mask")

    def divided(self, mask: list[Cipher], left: np.ndarray, owner: int) -> tuple[list[Cipher], list[Cipher]]:
        """Let the owner of a split say under lock and key who goes left.

        Parameters
        ----------
        mask : list of locked numbers
            [α] of the node.
        left : (n,) bool array
            What the owner sees in its column, of all rows.
        owner : int
            Whose column it is; it sends [left · α] to all others.

        Returns
        -------
        tuple of list
            [left · α], with fresh noise, and [α] ⊖ [left · α].
        """
        import gmpy2

        lock = self.joint.lock
        kept = [cipher * self._locked(0) % lock.square if goes else self._locked(0)
                for cipher, goes in zip(mask, left.tolist(), strict=True)]  # fmt: skip
        rest = [c * gmpy2.invert(k, lock.square) % lock.square for c, k in zip(mask, kept, strict=True)]
        return self._sent(kept, owner, "encrypted mask"), rest

    def weighted(self, mask: list[Cipher], numbers: Sequence[int]) -> list[Cipher]:
        """Let the first party multiply a locked instance set by its rows' derivatives, and send that to all others.

        Parameters
        ----------
        mask : list of locked numbers
            [α].
        numbers : sequence of int
            r: h and g of each row in two slots.

        Returns
        -------
        list of locked numbers
            r ⊗ [α], with fresh noise.
        """
        lock = self.joint.lock
        found = [lock.times(c, r) * self._locked(0) % lock.square for c, r in zip(mask, numbers, strict=True)]
        return self._sent(found, 0, "encrypted gradient")

    def sums(self, rows: list[Cipher], parties: Sequence[Binned]) -> np.ndarray:
        """Let every party add all rows up by bin, in or out of the node, and turn the sums into shares.

        Parameters
        ----------
        rows : list of locked numbers
            What `weighted` gave.
        parties : sequence of Binned
            Every party's columns.

        Returns
        -------
        (K, T, 2) array of int objects
            Shares of g's and h's sums in every bin, party by party.
        """
        lock, nobody = self.joint.lock, np.zeros((1, len(rows)), np.int64)
        line = np.empty((1, len(rows)), object)
        line[0] = rows
        found = []
        for k, own in enumerate(parties):
            cells = empty_sums(lock, own, 1)
            added(cells, lock, line, nobody, own, nobody, slice(0, len(rows)), self.tick)
            found.append(self._shared(cells[0][0], k))
        return np.concatenate(found, axis=1)

    def _shared(self, cells: list[Cipher], owner: int) -> np.ndarray:
        """Turn locked pairs (K, T, 2) into shares: masked by all, opened to the first party, and unmasked in shares."""
        ring, per = self.talk.ring, capacity(self.joint.lock.bits, 2 * self.width)
        shares = np.concatenate([self._unlocked(cells[i : i + per], owner) for i in range(0, len(cells), per)], axis=1)
        zeros = np.zeros(shares.shape[1:], dtype=object)
        self.talk.dealt(zeros.size * ring.size)
        return np.asarray(ring.reduced(shares + ring.shared(zeros, self.talk.dealer)))[:, :, ::-1]

    def _unlocked(self, cells: list[Cipher], owner: int) -> np.ndarray:
        lock = self.joint.lock
        masks = np.empty((self.parties, 2 * len(cells)), object)
        for index in np.ndindex(*masks.shape):
            masks[index] = int.from_bytes(self.own.bytes((self.value_bits + _HIDING) // 8), "little")
        hidden = [self._locked(packed(line.tolist(), self.width)) for line in masks]
        for k in range(self.parties):
            if k != owner:
                self.wire.count(k, owner, "encrypted share mask", lock.size)
                self.wire.count(owner, k, "masked histogram", lock.size)
        opened = self._opened(lock.total([lock.abreast(cells, 2 * self.width), *hidden]))
        shares = -masks
        shares[0] += np.array(unpacked(opened, self.width, 2 * len(cells)), object)
        self.talk.noted(shares[0] + masks[0])
        return shares.reshape(self.parties, len(cells), 2)

    def leaves(self, masks: Sequence[list[Cipher]], slots: Sequence[int], depth: int) -> np.ndarray:
        """Tell the first party, and nobody else, in which leaf each row of a tree has ended.

        Parameters
        ----------
        masks : sequence of list of locked numbers
            [α] of each leaf of the tree.
        slots : sequence of int
            The leaves' slots.
        depth : int
            Of the tree.

        Returns
        -------
        (n,) int array
            Σ slot · α.
        """
        lock, width = self.joint.lock, depth + 3
        rows = [self._numbered(ciphers, slots) for ciphers in zip(*masks, strict=True)]
        per, found = capacity(lock.bits, width), list[int]()
        for i in range(0, len(rows), per):
            here = rows[i : i + per]
            found += unpacked(self._opened(lock.abreast(here, width)), width, len(here))
        return np.array(found)

    def _numbered(self, ciphers: Sequence[Cipher], slots: Sequence[int]) -> Cipher:
        self.tick()
        lock = self.joint.lock
        return lock.total(lock.times(cipher, slot) for cipher, slot in zip(ciphers, slots, strict=True))

    def _opened(self, cipher: Cipher) -> int:
        """Let all parties do their part, and the first one put the parts together."""
        parts = []
        for k in range(self.parties):
            self.tick()
            parts.append(self.joint.part(cipher, k))
            if k:
                self.wire.count(k, 0, "partial decryption", self.joint.lock.size)
        return self.joint.joined(parts)

    def _locked(self, value: int) -> Cipher:
        self.tick()
        return self.joint.lock.locked(value)

    def _sent(self, ciphers: list[Cipher], sender: int, kind: str) -> list[Cipher]:
        """Send locked numbers to everybody else."""
        for k in range(self.parties):
            if k != sender:
                self.wire.count(sender, k, kind, len(ciphers) * self.joint.lock.size)
        return ciphers
