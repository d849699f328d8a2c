"""The ends of the range of Icor: by trying every division, or by annealing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from trustkit.split.anneal import anneal
from trustkit.split.scores import Scorer
from trustkit.split.seats import all_divisions, member_table, owner_vector
from trustkit.split.surrogate import warm

__all__ = ["POLISHED", "every", "extremes"]

DIRECT = 20  # up to so many columns are annealed with exact scores from random starts
POLISHED = 64  # up to so many columns are annealed with exact scores at all


def every(score: Scorer, tick: Callable[[], None]) -> tuple[np.ndarray, np.ndarray]:
    """Score every distinct division.

    Parameters
    ----------
    score : Scorer
        Scores divisions.
    tick : callable
        Called now and then; may raise to stop.

    Returns
    -------
    owners : (N, m) int array
        As `trustkit.split.seats.all_divisions` lists them.
    values : (N,) float array
        Their Icor.

    Examples
    --------
    >>> from trustkit.split.scores import scorer
    >>> every(scorer(np.eye(4), [2, 2]), lambda: None)[1]
    array([0., 0., 0.])
    """
    sizes = score.sizes.tolist()
    owners = all_divisions(sizes)
    values = np.empty(len(owners))
    for start in range(0, len(owners), 2000):
        tick()
        some = slice(start, start + 2000)
        values[some] = score.terms(member_table(owners[some], sizes)).sum(axis=1)
    return owners, values


def extremes(score: Scorer, rng: np.random.Generator, tick: Callable[[], None]) -> tuple[np.ndarray, np.ndarray, int]:
    """Look for divisions of very low and very high Icor.

    Parameters
    ----------
    score : Scorer
        Scores divisions.
    rng : numpy.random.Generator
        Draws starts and swaps.
    tick : callable
        Called now and then; may raise to stop.

    Returns
    -------
    least, greatest : (m,) int array
        Owner vectors.
    scored : int
        How many divisions were scored exactly.

    Notes
    -----
    Chains start at random divisions. Up to 20 columns they are annealed with exact scores; from there on with the
    surrogate, whose best chains are annealed further with exact scores up to 64 columns. Temperatures are in units of
    the standard deviation of Icor over random divisions.

    Examples
    --------
    >>> from trustkit.rng import stream
    >>> from trustkit.split.scores import scorer
    >>> corr = np.eye(4)
    >>> corr[0, 1] = corr[1, 0] = 0.9
    >>> least, greatest, _ = extremes(scorer(corr, [2, 2]), stream(0), lambda: None)
    >>> bool(least[0] == least[1]), bool(greatest[0] == greatest[1])
    (True, False)
    """
    sizes, m = score.sizes.tolist(), int(score.sizes.sum())
    lower, upper = (8, 24) if m <= DIRECT else (24, 24) if m <= POLISHED else (4, 4)
    flat = np.repeat(np.arange(len(sizes)), sizes)
    members = member_table(np.array([rng.permutation(flat) for _ in range(lower + upper)]), sizes)
    sign = np.repeat([1.0, -1.0], [lower, upper])
    energy = sign * score.terms(members).sum(axis=1)
    unit, scored = float(np.std(energy * sign)) + 1e-300, lower + upper
    if m > DIRECT:
        steps = max(500, 4 * m)
        warmed = warm(score, members, sign, unit * np.geomspace(0.1, 1e-2, steps), rng, tick)
        after = sign * score.terms(warmed).sum(axis=1)
        members[after < energy] = warmed[after < energy]
        energy, scored = np.minimum(energy, after), scored + lower + upper
    if m <= POLISHED:
        heat = np.geomspace(0.6, 6e-3, 440) if m <= DIRECT else np.geomspace(0.05, 1e-3, 2000)
        if m > DIRECT:  # the greatest Icor is the harder one to find
            best = np.concatenate([np.argsort(energy[:lower])[:2], lower + np.argsort(energy[lower:])[:4]])
            members, sign, lower = members[best], sign[best], 2
        found = anneal(score, members, lambda value: sign * value, unit * heat, rng, tick)
        members, energy, scored = found.members, found.energy, scored + found.evaluations
    least, greatest = int(energy[:lower].argmin()), lower + int(energy[lower:].argmin())
    return owner_vector(members[least], m), owner_vector(members[greatest], m), scored
