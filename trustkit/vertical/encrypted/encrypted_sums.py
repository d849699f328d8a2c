"""Adding up what one cannot read: sums of locked numbers by node and bin."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from trustkit.records import Tick
from trustkit.vertical.boosted.bins import Binned
from trustkit.vertical.encrypted.paillier import Cipher, Key, Lock

__all__ = ["FRACTION", "Sums", "added", "empty_sums", "every_one", "laid", "real"]

FRACTION = 40
"""Bits behind the point of a locked number: rounding a gradient is off by at most 2^−41, adding is exact."""

Sums = list[list[list[Cipher]]]
"""Locked sums by node, exponent and bin."""


def every_one(numbers: Iterable[int], shape: tuple[int, ...], key: Key, tick: Tick) -> np.ndarray:
    """Lock numbers, one after the other.

    Parameters
    ----------
    numbers : iterable of int
        Of any sign.
    shape : tuple of int
        Of the result.
    key : Key
        The first party's.
    tick : callable
        Called before each number.

    Returns
    -------
    array of locked numbers
        Of that shape.
    """
    found = np.empty(int(np.prod(shape)), object)
    for i, number in enumerate(numbers):
        tick()
        found[i] = key.locked(number)
    return found.reshape(shape)


def real(number: int, fraction: int) -> float:
    """Read a fixed-point number.

    Parameters
    ----------
    number : int
        Of any length.
    fraction : int
        Bits behind the point.

    Returns
    -------
    float
        number / 2^fraction, rounded once.
    """
    return float(np.ldexp(float(number), -fraction))


def empty_sums(lock: Lock, own: Binned, nodes: int, exponents: int = 1) -> Sums:
    """Return sums of no rows.

    Parameters
    ----------
    lock : Lock
        Under which they are.
    own : Binned
        A party's columns.
    nodes : int
        How many.
    exponents : int
        How many sums a bin has.

    Returns
    -------
    list of list of list
        By node, exponent and bin: locked zeros.
    """
    return [[[lock.nothing] * int(own.counts.sum()) for _ in range(exponents)] for _ in range(nodes)]


def added(
    sums: Sums, lock: Lock, rows: np.ndarray, exponent: np.ndarray, own: Binned, at: np.ndarray, part: slice,
    tick: Tick,
) -> None:  # fmt: skip
    """Add locked rows to the bins that they are in, in place.

    Parameters
    ----------
    sums : list of list of list
        By node, exponent and bin; changed.
    lock : Lock
        Whose sums these are.
    rows : (C, n) array of locked numbers
        By tree and row.
    exponent : (C, n) int array
        To which of a bin's sums a row belongs.
    own : Binned
        The party's columns.
    at : (C, n) int array
        The node that a row of a tree is counted in; −1 for none.
    part : slice
        Which rows have arrived.
    tick : callable
        Called before each row.
    """
    first = np.cumsum(own.counts) - own.counts
    cells = own.codes[part].astype(np.int64) + first
    start, square = part.start, lock.square
    for tree in range(len(at)):
        for i in np.flatnonzero(at[tree, part] >= 0):
            tick()
            row = start + int(i)
            cipher, line = rows[tree, row], sums[at[tree, row]][exponent[tree, row]]
            for cell in cells[i].tolist():
                line[cell] = line[cell] * cipher % square


def laid(pairs: Iterator[tuple[float, float]], own: Binned, nodes: int, width: int) -> np.ndarray:
    """Lay sums out by column.

    Parameters
    ----------
    pairs : iterator of tuple of float
        Sums of g and h, node by node and bin by bin.
    own : Binned
        Whose columns these are.
    nodes, width : int
        How many nodes, and bins a column at most.

    Returns
    -------
    (nodes, m_k, width, 2) float64 array
        0 in cells that are no bin.
    """
    found = np.zeros((nodes, own.counts.size, width, 2))
    found[:, own.real(width)] = np.array(list(pairs)).reshape(nodes, -1, 2)
    return found
