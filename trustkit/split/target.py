"""A division whose Icor is a given one: a path between the bounds is searched, then columns are swapped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from trustkit.metrics.correlation import Definition, icor
from trustkit.split.anneal import anneal
from trustkit.split.extremes import DIRECT, POLISHED
from trustkit.split.scores import Scorer
from trustkit.split.seats import member_table, owner_vector, swap_steps, swapped
from trustkit.split.surrogate import CANDIDATES, Squares, calibration

__all__ = ["Ends", "approach", "measured_icor", "value"]

NUDGES = 20  # single swaps that are tried, beyond 20 columns
STEPS = 120, 400  # of the annealings at the end, up to 64 columns, and of a last one if they leave a gap
GAP = 1e-3  # of the range


@dataclass(frozen=True, eq=False)
class Ends:
    """Two divisions, as (m,) owner vectors, and their Icor, ``low`` at most ``high``."""

    least: np.ndarray
    greatest: np.ndarray
    low: float
    high: float


def value(score: Scorer, owner: np.ndarray) -> tuple[float, np.ndarray]:
    """Score one division.

    Parameters
    ----------
    score : Scorer
        Scores divisions.
    owner : (m,) int array
        The party of each column, 0 … K−1.

    Returns
    -------
    icor : float
        The sum of the terms.
    terms : (P + K,) float array
        First the pairs of parties, then the parties.

    Examples
    --------
    >>> from trustkit.split.scores import scorer
    >>> value(scorer(np.eye(4), [2, 2]), np.array([0, 0, 1, 1]))[0]
    0.0
    """
    terms = score.terms(member_table(owner, score.sizes.tolist())[None])[0]
    return float(terms.sum()), terms


def measured_icor(score: Scorer, owner: np.ndarray, definition: Definition) -> float:
    """Measure a division that was found: by `trustkit.metrics.icor`, unless its blocks are so large as to be estimated.

    Parameters
    ----------
    score : Scorer
        Scores divisions.
    owner : (m,) int array
        The party of each column, 0 … K−1.
    definition : {"paper", "package"}
        That of the scorer.

    Returns
    -------
    float
        Icor.

    Examples
    --------
    >>> from trustkit.split.scores import scorer
    >>> measured_icor(scorer(np.eye(4), [2, 2]), np.array([0, 0, 1, 1]), "paper")
    0.0
    """
    return value(score, owner)[0] if score.estimates else icor(score.corr, owner, definition)


def approach(
    score: Scorer, goal: float, ends: Ends, rng: np.random.Generator, tick: Callable[[float], None]
) -> tuple[np.ndarray, float, int]:
    """Look for a division whose Icor is near a given one.

    Parameters
    ----------
    score : Scorer
        Scores divisions.
    goal : float
        Icor, between the ends.
    ends : Ends
        The divisions of least and greatest Icor.
    rng : numpy.random.Generator
        Draws the path and the swaps.
    tick : callable
        Told now and then which part is done (0 … 1); may raise to stop.

    Returns
    -------
    owner : (m,) int array
        The nearest division met.
    icor : float
        Its Icor, as scored.
    scored : int
        How many divisions were scored.

    Notes
    -----
    A path of swaps leads from one end to the other. Its place for the goal is bracketed by interpolation and bisection
    in turn. Beyond 20 columns single swaps follow, of which the stand-in `trustkit.split.surrogate` says that they add
    what is missing. Up to 64 columns |Icor − goal| is annealed then, at most twice. Every stage stops, and the next
    ones are left out, when at most 5·10⁻⁴ of the range is missing; up to 20 columns, 10⁻⁴ of it. If more than 10⁻³ is
    missing even so, as where copies of columns make Icor jump, it is annealed once more, hotter and longer.

    Examples
    --------
    >>> from trustkit.rng import stream
    >>> from trustkit.split.scores import scorer
    >>> corr = np.eye(4)
    >>> corr[0, 1] = corr[1, 0] = 0.9
    >>> ends = Ends(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), 0.0, 0.3182)
    >>> round(approach(scorer(corr, [2, 2]), 0.3, ends, stream(0), lambda done: None)[1], 4)
    0.3182
    """
    sizes, m = score.sizes.tolist(), int(score.sizes.sum())
    width = ends.high - ends.low
    enough = width * (1e-4 if m <= DIRECT else 5e-4)
    near, off, scored = _along(score, goal, ends, enough, rng, lambda done: tick(done / 2))
    if m > DIRECT and abs(off) > enough:
        near, off, more = _nudge(score, goal, near, off, enough, rng, lambda done: tick(0.5 + done / 4))
        scored += more
    if m > POLISHED or abs(off) <= enough:
        return near, goal - off, scored
    missing = abs(off)
    for heat, steps, limit in ((0.02, STEPS[0], enough), (0.005, STEPS[0], enough), (0.05, STEPS[1], GAP * width)):
        if missing <= limit:
            break
        members = np.repeat(member_table(near, sizes)[None], 16, axis=0)
        cooling = np.geomspace(heat * width, 1e-4 * width, steps)
        found = anneal(score, members, lambda icor: np.abs(icor - goal), cooling, rng, lambda done: tick(0.75), enough)
        best = int(found.energy.argmin())
        near, missing, scored = owner_vector(found.members[best], m), found.energy[best], scored + found.evaluations
    return near, value(score, near)[0], scored


def _along(
    score: Scorer, goal: float, ends: Ends, enough: float, rng: np.random.Generator, tick: Callable[[float], None]
) -> tuple[np.ndarray, float, int]:
    """Search the path between the ends; return the nearest division, what it lacks, and how many were scored."""
    steps = swap_steps(ends.least, ends.greatest, score.sizes.tolist(), rng.permutation(ends.least.size).tolist())
    low, high, at_low, at_high = 0, len(steps), ends.low, ends.high
    near, off, scored = (
        (ends.least, goal - at_low, 0) if goal - at_low < at_high - goal else (ends.greatest, goal - at_high, 0)
    )
    while high - low > 1 and abs(off) > enough:
        tick(scored / (scored + 4))
        part = (goal - at_low) / (at_high - at_low) if scored % 2 == 0 and at_high > at_low else 0.5
        middle = min(max(low + 1, round(low + part * (high - low))), high - 1)
        owner = swapped(ends.least, steps[:middle])
        icor = value(score, owner)[0]
        scored += 1
        if abs(icor - goal) < abs(off):
            near, off = owner, goal - icor
        if icor <= goal:
            low, at_low = middle, icor
        else:
            high, at_high = middle, icor
    return near, off, scored


def _nudge(
    score: Scorer,
    goal: float,
    near: np.ndarray,
    off: float,
    enough: float,
    rng: np.random.Generator,
    tick: Callable[[float], None],
) -> tuple[np.ndarray, float, int]:
    """Swap two columns at a time, so that what is missing is added; return as `_along` does."""
    scored, pairs = 0, np.arange(score.left.size)
    state = Squares(score, near[None], np.ones(1))
    if score.has_inner:
        state.ratio = calibration(state, pairs, value(score, near)[1][None, : pairs.size])
        state.renew()
        scored = 1
    for _ in range(NUDGES if not score.estimates else 2):  # an estimate takes long, and is no better than that
        tick(scored / (NUDGES + 1))
        chosen = rng.choice(near.size, min(near.size // 2, CANDIDATES), replace=False)
        gains = state.gains(chosen)[0]
        a, b = np.unravel_index(np.abs(gains - off).argmin(), gains.shape)
        if abs(off) <= enough or state.owner[0, chosen[a]] == state.owner[0, chosen[b]]:
            break
        pair = np.zeros(1, int), chosen[[a]], chosen[[b]]
        state.swap(*pair)
        icor = value(score, state.owner[0])[0]
        scored += 1
        if abs(icor - goal) < abs(off):
            near, off = state.owner[0].copy(), goal - icor
        else:
            state.swap(*pair)
    return near, off, scored
