"""Bias by search: shares on a grid as FeDa4Fair has them, or the number of rows whose measured gap is nearest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from trustkit.metrics.coding import Coded
from trustkit.split.injection import Reached, Target, label_gap, reached
from trustkit.split.tables import Cohort

__all__ = ["GRID", "Measure", "searched"]

Measure = Callable[[int, np.ndarray, np.ndarray], float]
"""``measure(client, rows, y)``: the gap of a client with these training rows (r,) and labels y (n,) of all rows."""

GRID = tuple(tenths / 10 for tenths in range(1, 10))


def searched(
    cohort: Cohort, client: int, target: Target, coded: Coded, by_dropping: float, method: str,
    measure: Measure | None = None,
) -> Reached:  # fmt: skip
    """Search how much of one group has to be dropped or flipped, and do it.

    Parameters
    ----------
    cohort : Cohort
        Changed.
    client : int
        0 … K−1, with training rows of at least two groups.
    target : Target
        What gap it shall have. To widen it, rows of the worst off (or of the target's value) go; to narrow it, of the
        best off, at most until both are level.
    coded : Coded
        The attribute.
    by_dropping : float
        Which part of the rows is dropped, in [0, 1]; the others are flipped.
    method : {"grid", "bisect"}
        "grid": the first share of 0.1, 0.2, …, 0.9 that will do; "bisect": the number whose gap is nearest, or for an
        ``at_most`` the smallest that will do.
    measure : callable, optional
        What the gap is; by default that of the labels.

    Returns
    -------
    Reached
        With the measured gap.

    Raises
    ------
    ValueError
        If no share will do, or the measure gives NaN.
    """
    table = cohort.table(client, coded)
    size, good = table.sum(axis=1), table[:, 1]
    rate = np.divide(good, size, out=np.full(size.size, np.nan), where=size > 0)
    worst = int(np.nanargmin(rate)) if target.value is None else coded.values.index(target.value)
    best = int(np.nanargmax(rate))

    def measured(group: int, changed: int) -> float:
        dropped = round(changed * by_dropping)
        rows, y = cohort.favourable(cohort.rows(client), coded, group), cohort.y.copy()
        y[rows[dropped:changed]] = cohort.other
        left = cohort.rows(client)
        left = left[~np.isin(left, rows[:dropped])]
        if measure is not None:
            gap = float(measure(client, left, y))
        else:
            here = left[coded.codes[left] >= 0]
            counts = np.bincount(coded.codes[here] * 2 + (y[here] == cohort.data.positive), minlength=table.size)
            gap = label_gap(target, counts.reshape(-1, 2), coded.values)[0]
        if np.isnan(gap):
            raise ValueError(f"the measure must give a gap for client {client}, got NaN with {left.size} rows")
        return gap

    start = measured(worst, 0)
    narrow = target.at_most or (method == "bisect" and start > target.gap)
    group = best if narrow else worst
    most = int(good[group])
    if narrow:
        counts = np.arange(most + 1)  # beyond level the best off would become the worst off
        rates = (most - counts) / np.maximum(size[group] - np.rint(counts * by_dropping), 1)
        most = int(counts[rates >= rate[worst] - 1e-12].max())

    def enough(gap: float) -> bool:
        return gap <= target.gap if narrow else gap >= target.gap

    if enough(start):
        count, gap = 0, start
    else:
        find = _on_grid if method == "grid" else _nearest
        count, gap = find(lambda x: measured(group, x), enough, most, None if target.at_most else (start, target.gap))
    if count < 0:
        raise ValueError(
            f"client {client} must reach a gap of {target.gap:g} for {target.attribute} by changing favourable rows of "
            f"{coded.values[group]}, got {gap:.3g} at the most"
        )
    dropped, flipped = np.zeros(size.size, np.int64), np.zeros(size.size, np.int64)
    dropped[group] = round(count * by_dropping)
    flipped[group] = count - dropped[group]
    cohort.change(client, target.attribute, coded, dropped, flipped)
    return reached(client, target, table, cohort.table(client, coded), coded.values, gap)


def _on_grid(gap: Callable[[int], float], enough: Callable[[float], bool], most: int, exact: Any) -> tuple[int, float]:
    """Return the count of the first share that will do, −1 if none, with its gap or the last one seen."""
    seen = float("nan")
    for share in GRID:
        count = int(share * most)
        seen = gap(count)
        if enough(seen):
            return count, seen
    return -1, seen


def _nearest(
    gap: Callable[[int], float], enough: Callable[[float], bool], most: int, exact: tuple[float, float] | None
) -> tuple[int, float]:
    """Halve until one more row makes the difference; of the two return the nearer, or the one that will do."""
    low, high, at_high = 0, most, gap(most)
    at_low = exact[0] if exact else float("inf")
    if not enough(at_high):
        return -1, at_high
    while high - low > 1:
        middle = (low + high) // 2
        value = gap(middle)
        if enough(value):
            high, at_high = middle, value
        else:
            low, at_low = middle, value
    if exact and abs(at_low - exact[1]) < abs(at_high - exact[1]):
        return low, at_low
    return high, at_high
