"""How fast a cost grows: a straight line through the logarithms of sizes and costs, and how far points are off it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

__all__ = ["LEAST", "Slope", "slope", "upper"]

LEAST = 3
"""Points that a line is drawn through: with two it would have no residual."""


@dataclass(frozen=True)
class Slope:
    """An exponent: with twice the size, 2 to this power times the cost.

    Parameters
    ----------
    exponent : float
        Of the whole line.
    low, high : float
        The least and the largest exponent from one point to the next: wide where there is no single one.
    residual : float
        Typical factor between a point and the line, at least 1: e to the root of the mean squared difference of
        logarithms, by the degrees of freedom that are left.
    first, last : int
        Sizes.
    points : int
        How many.
    """

    exponent: float
    low: float
    high: float
    residual: float
    first: int
    last: int
    points: int


def slope(sizes: Sequence[int], costs: Sequence[float]) -> Slope | None:
    """Fit cost = c · size^exponent by least squares of logarithms.

    Parameters
    ----------
    sizes : sequence of int
        Above 0, rising.
    costs : sequence of float
        Above 0, in any unit.

    Returns
    -------
    Slope or None
        None with fewer than three points.

    Raises
    ------
    ValueError
        If there are not as many costs as sizes, a cost is not above 0, or sizes do not rise.

    Examples
    --------
    >>> found = slope([10, 100, 1000], [2.0, 200.0, 20000.0])
    >>> round(found.exponent, 6), round(found.low, 6), round(found.high, 6), round(found.residual, 6)
    (2.0, 2.0, 2.0, 1.0)
    """
    if len(sizes) != len(costs):
        raise ValueError(f"costs must be as many as the {len(sizes)} sizes, got {len(costs)}")
    if any(not cost > 0 for cost in costs):
        raise ValueError(f"costs must be above 0, got {min(costs):g}")
    if sizes and (sizes[0] < 1 or any(a >= b for a, b in pairwise(sizes))):
        raise ValueError(f"sizes must be above 0 and rise, got {', '.join(map(str, sizes))}")
    if len(sizes) < LEAST:
        return None
    x, y = np.log(np.asarray(sizes, float)), np.log(np.asarray(costs, float))
    exponent, start = np.polyfit(x, y, 1)
    off = y - (exponent * x + start)
    steps = np.diff(y) / np.diff(x)
    return Slope(
        float(exponent), float(steps.min()), float(steps.max()),
        math.exp(math.sqrt(float(off @ off) / (len(sizes) - 2))), sizes[0], sizes[-1], len(sizes),
    )  # fmt: skip


def upper(sizes: Sequence[int], costs: Sequence[float]) -> Slope | None:
    """Fit the upper half of the range only, where fixed costs weigh least.

    Parameters
    ----------
    sizes, costs
        As for `slope`.

    Returns
    -------
    Slope or None
        Of sizes from the geometric middle of the range on; None with fewer than three.

    Examples
    --------
    >>> found = upper([1, 10, 100, 1000, 10000], [1.0, 1.0, 1.0, 10.0, 100.0])
    >>> found.first, round(found.exponent, 6)
    (100, 1.0)
    """
    if not sizes:
        return None
    middle = math.sqrt(sizes[0] * sizes[-1]) * (1 - 1e-9)
    kept = [at for at, size in enumerate(sizes) if size >= middle]
    return slope([sizes[at] for at in kept], [costs[at] for at in kept])
