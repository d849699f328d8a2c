"""How long trees under encryption take, estimated before they grow: counts of what is done, and seconds of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from trustkit import memory
from trustkit.vertical.boosted.bins import Binned
from trustkit.vertical.encrypted.paillier import SHORTEST

__all__ = ["OBJECT", "Work", "facts_of_work", "holds_locked", "makespan", "work_of"]

_LOCK, _OPEN, _ADD, _SHIFT, _FRESH = 3.0e-3, 2.6e-3, 3.5e-5, 1.8e-5, 7.8e-3
"""Seconds of one step with a key of 2,048 bits, measured with GMP on one core; see `Work.seconds` for other lengths."""

OBJECT = 56
"""Bytes that a GMP number takes in Python besides its digits."""


@dataclass(frozen=True)
class Work:
    """What a round takes at most.

    Parameters
    ----------
    encryptions, additions, openings : int
        Numbers locked by the first party; locked numbers added by the others; locked numbers opened by the first party.
    shifts : int
        Squarings of locked numbers, by which bins are put side by side.
    freshenings : int
        Locked zeros that the others make and add to what they send.
    """

    encryptions: int
    additions: int
    openings: int
    shifts: int = 0
    freshenings: int = 0

    def seconds(self, key_bits: int) -> tuple[float, float, float]:
        """Estimate what the work takes on one core.

        Parameters
        ----------
        key_bits : int
            Length of n.

        Returns
        -------
        tuple of float
            Seconds of locking, of adding, shifting and freshening, and of opening: locking, opening and freshening grow
            with the cube of the key's length, the rest with its square.

        Examples
        --------
        >>> [round(part, 2) for part in Work(1000, 1000, 1000).seconds(1024)]
        [0.38, 0.01, 0.33]
        """
        by = key_bits / 2048
        adding = (self.additions * _ADD + self.shifts * _SHIFT) * by**2 + self.freshenings * _FRESH * by**3
        return self.encryptions * _LOCK * by**3, adding, self.openings * _OPEN * by**3


def work_of(
    parties: Sequence[Binned], trees: int, depth: int, numbers: int = 1, bins: int = 1, width: int = 0, *,
    fresh: bool = False,
) -> Work:  # fmt: skip
    """Count what a round of trees takes at most.

    Parameters
    ----------
    parties : sequence of Binned
        Every party's columns; the first one's are added up in the clear.
    trees : int
        How many a round grows.
    depth : int
        Splits on the longest path.
    numbers : int
        Locked numbers a row: 1 or 2.
    bins : int
        How many bins share a locked number when they are sent.
    width : int
        Bits that a bin takes there.
    fresh : bool
        Whether noise is put onto every locked number that is sent back, so that all must be opened.

    Returns
    -------
    Work
        As if every node of every tree were split; of two children one is added up, which has half of the rows. A bin
        without rows need not be opened unless it shares its number with others.

    Examples
    --------
    >>> import numpy as np
    >>> party = Binned(np.array([0]), (np.arange(4, dtype=np.float32),), np.zeros((10, 1), np.uint8))
    >>> work_of([party, party], trees=3, depth=2)
    Work(encryptions=30, additions=45, openings=24, shifts=0, freshenings=0)
    """
    rows = len(parties[0].codes)
    columns = sum(own.columns.size for own in parties[1:])
    cells = sum(int(own.counts.sum()) for own in parties[1:])
    nodes = [1, *(min(2 ** (level - 1), max(rows // 2, 1)) for level in range(1, depth))]
    filled = [min(count * cells, columns * (rows if level == 0 else rows // 2)) for level, count in enumerate(nodes)]
    sent = numbers * trees * sum(nodes) * cells
    opened = numbers * trees * sum(filled) if bins == 1 and not fresh else -(-sent // bins)
    additions = numbers * trees * columns * (rows + rows * (depth - 1) // 2)
    return Work(numbers * trees * rows, additions, opened, sent * width if bins > 1 else 0, opened if fresh else 0)


def holds_locked(name: str, work: Work, key_bits: int) -> None:
    """Refuse more locked numbers than memory can hold.

    Parameters
    ----------
    name : str
        What a message calls the algorithm.
    work : Work
        Of a round: the rows' numbers, and those sent back, of which half belong to the last level.
    key_bits : int
        Length of n.

    Raises
    ------
    ValueError
        If they will not fit.
    """
    held = work.encryptions + work.openings // 2
    memory.fits(f"{name} with {held:,} locked numbers", held * (2 * key_bits // 8 + OBJECT))


def facts_of_work(work: Work, key_bits: int) -> dict[str, Any]:
    """Say what a round takes.

    Parameters
    ----------
    work : Work
        At most.
    key_bits : int
        Length of n.

    Returns
    -------
    dict
        key_bits; encryptions_a_round, openings_a_round and estimated_seconds_a_round, all at most, since trees that
        stop growing early take less; and encryption, a sentence.
    """
    words = "short: for teaching only, it hides nothing from whoever tries" if key_bits < SHORTEST else "as in use"
    return {
        "key_bits": key_bits, "encryptions_a_round": work.encryptions, "openings_a_round": work.openings,
        "estimated_seconds_a_round": sum(work.seconds(key_bits)), "encryption": f"Paillier, {key_bits} bits, {words}",
    }  # fmt: skip


def makespan(stages: Sequence[float], pieces: int) -> float:
    """Return how long work takes that goes through stages in pieces, each stage busy with another piece.

    Parameters
    ----------
    stages : sequence of float
        Seconds of each stage for all the work.
    pieces : int
        At least 1; 1 is one stage after the other.

    Returns
    -------
    float
        (Σ s + (pieces − 1) max s) / pieces seconds: pieces are alike, and nobody waits for anything else.

    Examples
    --------
    >>> makespan([4.0, 2.0], 1), makespan([4.0, 2.0], 4)
    (6.0, 4.5)
    """
    return (sum(stages) + (pieces - 1) * max(stages)) / pieces


def facts_of_hidden_work(rows: int, pieces: int, parties: int, trees: int, depth: int, key_bits: int) -> dict[str, Any]:
    """Say what a round takes whose instance sets are hidden.

    Parameters
    ----------
    rows : int
        n.
    pieces : int
        Locked numbers that hold the sums in all bins of one node.
    parties : int
        K.
    trees : int
        How many a round grows.
    depth : int
        Splits on the longest path.
    key_bits : int
        Length of n.

    Returns
    -------
    dict
        As `facts_of_work`, of all parties together, as if every node of every tree were split; here nobody has the key,
        so locking takes 3.7 times and opening K · 8.5 times as long. Work on shares comes on top.
    """
    inner = min(2**depth - 1, max(rows - 1, 1))
    added = 1 + min(2 ** (depth - 1) - 1, max(rows - 1, 1))
    locks = rows + trees * (rows * (added + inner) + parties * pieces * added)
    opens = parties * trees * (pieces * added + 1)
    facts = facts_of_work(Work(locks, 0, opens), key_bits)
    locking, _, opening = Work(locks, 0, opens).seconds(key_bits)
    return {**facts, "estimated_seconds_a_round": 3.7 * locking + 8.5 * opening}
