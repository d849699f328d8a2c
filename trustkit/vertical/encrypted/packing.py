"""Several fixed-point numbers in one whole number, wide enough apart that their sums never meet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["capacity", "fixed", "packed", "unpacked", "width_for"]


def fixed(values: np.ndarray, fraction: int | np.ndarray) -> list[int]:
    """Write numbers in fixed point.

    Parameters
    ----------
    values : (n,) float array
        Finite.
    fraction : int or (n,) int array
        Bits behind the point.

    Returns
    -------
    list of int
        Rounded v · 2^fraction; a float32 of at least 2^(23 − fraction) loses nothing, none loses more than
        2^(−fraction − 1).

    Examples
    --------
    >>> fixed(np.array([0.5, -0.25]), 4), fixed(np.array([1.0]), 70) == [2**70]
    ([8, -4], True)
    """
    return [int(v) for v in np.rint(np.ldexp(np.asarray(values, np.float64), fraction)).tolist()]


def width_for(rows: int, largest: float, fraction: int) -> int:
    """Return how many bits a slot must have so that any sum over rows stays inside.

    Parameters
    ----------
    rows : int
        At least 1: how many numbers are added at most.
    largest : float
        Bound of their magnitudes.
    fraction : int
        Bits behind the point.

    Returns
    -------
    int
        Bits, the sign's included.

    Examples
    --------
    >>> width_for(100, 1.0, 40)  # 100 · 2^40 < 2^47, and a sign
    48
    """
    most = rows * (int(np.ceil(np.ldexp(max(largest, 0.0), fraction))) + 1)
    return int(most).bit_length() + 1


def capacity(key_bits: int, width: int) -> int:
    """Count the slots of a locked number.

    Parameters
    ----------
    key_bits : int
        Length of n.
    width : int
        Bits of a slot.

    Returns
    -------
    int
        So many that all of them together stay between −n/2 and n/2.

    Examples
    --------
    >>> capacity(2048, 48)
    42
    """
    return (key_bits - 2) // width


def packed(numbers: Sequence[int], width: int) -> int:
    """Put numbers into slots, the first one lowest.

    Parameters
    ----------
    numbers : sequence of int
        Of any sign, each below 2^(width − 1) in magnitude.
    width : int
        Bits of a slot.

    Returns
    -------
    int
        Σⱼ numbers[j] 2^(j·width): sums of packed numbers are packed sums.

    Examples
    --------
    >>> packed([3, -1], 8) + packed([-5, 4], 8) == packed([-2, 3], 8)
    True
    """
    total = 0
    for number in reversed(numbers):
        total = (total << width) + number
    return total


def unpacked(total: Any, width: int, count: int) -> list[int]:
    """Take numbers out of their slots.

    Parameters
    ----------
    total : int
        What `packed` gave, or a sum of such.
    width : int
        Bits of a slot.
    count : int
        How many there are.

    Returns
    -------
    list of int
        Each between −2^(width − 1) and 2^(width − 1).

    Examples
    --------
    >>> unpacked(packed([-2, 3, -128], 8), 8, 3)
    [-2, 3, -128]
    """
    numbers, half, rest = [], 1 << (width - 1), int(total)
    for _ in range(count):
        digit = ((rest + half) & ((1 << width) - 1)) - half
        numbers.append(digit)
        rest = (rest - digit) >> width
    return numbers
