"""Numbers that nobody holds: every party has a share, any K − 1 shares say nothing, and all of them add up.

Sums of shared numbers need no word between the parties; a product needs one exchange and a triple that a dealer handed
out before (Beaver 1991).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from trustkit.records import Tick
from trustkit.vertical.channel import Channel

__all__ = ["Ring", "Talk"]


@dataclass(frozen=True)
class Ring:
    """Whole numbers modulo 2^bits, shared by addition; those of the upper half stand for negative ones.

    Parameters
    ----------
    bits : int
        A multiple of 8.
    parties : int
        K, at least 2.
    """

    bits: int
    parties: int

    @property
    def size(self) -> int:
        """Bytes of one share."""
        return self.bits // 8

    def reduced(self, values: Any) -> Any:
        """Bring numbers into [0, 2^bits).

        Parameters
        ----------
        values : int or array of int objects
            Any numbers.

        Returns
        -------
        int or array of int objects
            Modulo 2^bits.
        """
        return values & ((1 << self.bits) - 1)

    def signed(self, values: np.ndarray) -> np.ndarray:
        """Read the upper half as negative numbers.

        Parameters
        ----------
        values : array of int objects
            In [0, 2^bits).

        Returns
        -------
        array of int objects
            In [−2^(bits − 1), 2^(bits − 1)).
        """
        half = 1 << (self.bits - 1)
        return np.asarray(self.reduced(values + half) - half)

    def drawn(self, shape: tuple[int, ...], generator: np.random.Generator) -> np.ndarray:
        """Draw uniform numbers.

        Parameters
        ----------
        shape : tuple of int
            How many.
        generator : numpy.random.Generator
            Where from.

        Returns
        -------
        array of int objects
            In [0, 2^bits).
        """
        count, size = int(np.prod(shape)), self.size
        raw = generator.bytes(count * size)
        found = np.empty(count, object)
        found[:] = [int.from_bytes(raw[at : at + size], "little") for at in range(0, count * size, size)]
        return found.reshape(shape)

    def shared(self, values: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        """Cut numbers into shares.

        Parameters
        ----------
        values : array of int objects
            Any shape.
        generator : numpy.random.Generator
            Where the randomness comes from.

        Returns
        -------
        (K, …) array of int objects
            Uniform each, also any K − 1 of them together; they add up to the values modulo 2^bits.

        Examples
        --------
        >>> ring, values = Ring(64, 3), np.array([5, -7], object)
        >>> ring.joined(ring.shared(values, np.random.Generator(np.random.Philox(key=1)))).tolist()
        [5, -7]
        """
        others = self.drawn((self.parties - 1, *values.shape), generator)
        return np.asarray(np.concatenate([self.reduced(values - others.sum(axis=0))[None], others]))

    def joined(self, shares: np.ndarray) -> np.ndarray:
        """Add shares up.

        Parameters
        ----------
        shares : (K, …) array of int objects
            One part each.

        Returns
        -------
        (…) array of int objects
            The numbers, signed.
        """
        return self.signed(self.reduced(shares.sum(axis=0)))


@dataclass(frozen=True, eq=False)
class Talk:
    """Parties that compute with shares, and the wire that their words cross.

    Parameters
    ----------
    ring : Ring
        Of the shares.
    dealer : numpy.random.Generator
        The randomness of the dealer, who hands out triples before, hears nothing and is no party.
    wire : Channel
        Counts what parties tell one another as "opening", and what the dealer hands out as "dealt".
    tick : callable
        Called at each opening; may raise `trustkit.records.Stopped`.
    heard : list of numpy.ndarray, optional
        Takes down everything that is opened, in order, for whoever studies what a party could see.
    """

    ring: Ring
    dealer: np.random.Generator
    wire: Channel
    tick: Tick
    heard: list[np.ndarray] | None = None

    def opened(self, shares: np.ndarray) -> np.ndarray:
        """Make shared numbers known to all: shares go to the first party, their sum comes back.

        Parameters
        ----------
        shares : (K, …) array of int objects
            What to open.

        Returns
        -------
        (…) array of int objects
            In [0, 2^bits).
        """
        self.counted(shares[0].size * self.ring.size)
        told = np.asarray(self.ring.reduced(shares.sum(axis=0)))
        self.noted(told)
        return told

    def noted(self, told: np.ndarray) -> None:
        """Take down what was opened.

        Parameters
        ----------
        told : array
            Numbers or bits.
        """
        if self.heard is not None:
            self.heard.append(told)

    def counted(self, size: int) -> None:
        """Count one opening.

        Parameters
        ----------
        size : int
            Bytes of one party's share.
        """
        self.tick()
        for k in range(1, self.ring.parties):
            self.wire.count(k, 0, "opening", size)
            self.wire.count(0, k, "opening", size)

    def dealt(self, size: int) -> None:
        """Count what the dealer hands out.

        Parameters
        ----------
        size : int
            Bytes for each party.
        """
        for k in range(self.ring.parties):
            self.wire.count(self.ring.parties, k, "dealt", size)

    def offset(self, shares: np.ndarray, number: Any) -> np.ndarray:
        """Add a public number.

        Parameters
        ----------
        shares : (K, …) array of int objects
            Shared numbers; not changed.
        number : int or array of int objects
            What all parties know.

        Returns
        -------
        (K, …) array of int objects
            The first party's share takes it.
        """
        moved = shares.copy()
        moved[0] = self.ring.reduced(moved[0] + number)
        return moved

    def times(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Multiply shared numbers.

        Parameters
        ----------
        x, y : (K, …) array of int objects
            Of one shape.

        Returns
        -------
        (K, …) array of int objects
            Shares of the products modulo 2^bits.

        Notes
        -----
        The dealer shares a, b and c = a b. Parties open d = x − a and e = y − b, which are uniform, and take
        x y = c + d b + e a + d e.

        Source
        ------
        Beaver (1991), "Efficient multiparty protocols using circuit randomization".
        """
        ring, shape = self.ring, x[0].shape
        a, b = ring.drawn(shape, self.dealer), ring.drawn(shape, self.dealer)
        parts = [ring.shared(values, self.dealer) for values in (a, b, ring.reduced(a * b))]
        self.dealt(3 * a.size * ring.size)
        d, e = self.opened(np.stack([x - parts[0], y - parts[1]], axis=1))
        return self.offset(np.asarray(ring.reduced(parts[2] + d * parts[1] + e * parts[0])), d * e)
