"""The ends of the range of Icor: by trying every division, or by descent and annealing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from trustkit.split.anneal import anneal
from trustkit.split.scores import Scorer
from trustkit.split.seats import all_divisions, member_table, owner_vector
from trustkit.split.surrogate import Squares, calibration, descend

__all__ = ["POLISHED", "every", "extremes"]

DIRECT = 20  # up to so many columns are annealed with exact scores from random starts
POLISHED = 64  # up to so many columns are annealed with exact scores at all
CHAINS = 24, 48  # that seek the two ends, up to 64 columns: the greatest Icor is the harder one to find
HALVED = 5, 11, 18  # kicks before which, up to 64 columns, the worse half of the chains is given up
KICKS = 28, 22  # descents from a disturbed division, at most: up to 64 columns, and beyond
EFFORT = 6_000_000_000  # bounds the exact scores of kicks: steps for all of them
SAMPLED = 64  # pairs of parties that the stand-in is first held against
STEPS = 1500  # of a descent, at most
GATHERED = 1_000_000  # steps times parties, at most


def every(score: Scorer, tick: Callable[[float], None]) -> tuple[np.ndarray, np.ndarray]:
    """Score every distinct division.

    Parameters
    ----------
    score : Scorer
        Scores divisions.
    tick : callable
        Told now and then which part is done (0 … 1); may raise to stop.

    Returns
    -------
    owners : (N, m) int array
        As `trustkit.split.seats.all_divisions` lists them.
    values : (N,) float array
        Their Icor.

    Examples
    --------
    >>> from trustkit.split.scores import scorer
    >>> every(scorer(np.eye(4), [2, 2]), lambda done: None)[1]
    array([0., 0., 0.])
    """
    sizes = score.sizes.tolist()
    owners = all_divisions(sizes)
    values = np.empty(len(owners))
    for start in range(0, len(owners), 2000):
        tick(start / len(owners))
        some = slice(start, start + 2000)
        values[some] = score.terms(member_table(owners[some], sizes)).sum(axis=1)
    return owners, values


def extremes(
    score: Scorer, rng: np.random.Generator, tick: Callable[[float], None]
) -> tuple[np.ndarray, np.ndarray, int]:
    """Look for divisions of very low and very high Icor.

    Parameters
    ----------
    score : Scorer
        Scores divisions.
    rng : numpy.random.Generator
        Draws starts and swaps.
    tick : callable
        Told now and then which part is done (0 … 1); may raise to stop.

    Returns
    -------
    least, greatest : (m,) int array
        Owner vectors.
    scored : int
        How many divisions were scored exactly.

    Notes
    -----
    Up to 20 columns, chains are annealed with exact scores from random divisions. Beyond, a random division descends
    with the stand-in `trustkit.split.surrogate`; then, again and again, a few percent of its columns are swapped at
    random, it descends, and the result is kept if its exact score is no worse. Up to 64 columns the worse half of the
    divisions is given up now and then, and the best are annealed with exact scores as well. Temperatures are in units
    of the standard deviation of Icor over random divisions.

    Examples
    --------
    >>> from trustkit.rng import stream
    >>> from trustkit.split.scores import scorer
    >>> corr = np.eye(4)
    >>> corr[0, 1] = corr[1, 0] = 0.9
    >>> least, greatest, _ = extremes(scorer(corr, [2, 2]), stream(0), lambda done: None)
    >>> bool(least[0] == least[1]), bool(greatest[0] == greatest[1])
    (True, False)
    """
    sizes, m = score.sizes.tolist(), int(score.sizes.sum())
    if m <= DIRECT:
        lower, upper = 8, 24
        members = member_table(_random(score, lower + upper, rng), sizes)
        unit, scored, begin = float(score.terms(members).sum(axis=1).std()), lower + upper, 0.0
        heat = np.geomspace(0.6, 6e-3, 320)
    else:
        chains = CHAINS if m <= POLISHED else (int(np.clip(500 // m, 1, 8)), int(np.clip(1500 // m, 1, 24)))
        chains = (1, 1) if score.estimates else chains
        begin = 0.6 if m <= POLISHED else 1.0
        owners, energy, seekers, scored, unit = _climb(score, chains, rng, lambda done: tick(begin * done))
        low, high = np.argsort(energy[:seekers]), seekers + np.argsort(energy[seekers:])
        if m > POLISHED:
            return owners[low[0]], owners[high[0]], scored
        lower, upper, steps = (2, 4, 1000) if m <= POLISHED // 2 else (1, 2, 400)
        members = member_table(owners[np.concatenate([low[:lower], high[:upper]])], sizes)
        heat = np.geomspace(0.05, 1e-3, steps)
    sign = np.repeat([1.0, -1.0], [lower, upper])
    found = anneal(
        score, members, lambda icor: sign * icor, unit * heat, rng, lambda done: tick(begin + done * (1 - begin))
    )
    least, greatest = int(found.energy[:lower].argmin()), lower + int(found.energy[lower:].argmin())
    return owner_vector(found.members[least], m), owner_vector(found.members[greatest], m), scored + found.evaluations


def _tell(tick: Callable[[float], None], begin: float, length: float, done: float) -> None:
    tick(begin + length * done)


def _random(score: Scorer, count: int, rng: np.random.Generator) -> np.ndarray:
    """Return (count, m) random owner vectors."""
    return rng.permuted(np.tile(np.repeat(np.arange(score.sizes.size), score.sizes), (count, 1)), axis=1)


def _climb(
    score: Scorer, chains: tuple[int, int], rng: np.random.Generator, tick: Callable[[float], None]
) -> tuple[np.ndarray, np.ndarray, int, int, float]:
    """Descend to both ends from random divisions, then from disturbed ones.

    Returns the best division of each chain that is left (first those that seek the least Icor), their energies, how
    many seek the least, how many divisions were scored, and the standard deviation of Icor at the start (0 if the start
    was not scored).
    """
    m, sign, pairs = int(score.sizes.sum()), np.repeat([1.0, -1.0], chains), np.arange(score.left.size)
    kicks = 0 if score.estimates else min(KICKS[m > POLISHED], EFFORT // score.work)
    most = min(STEPS, GATHERED // score.sizes.size)
    steps, short = int(np.clip(0.3 * m, 40, most)), int(np.clip(m // 8, 6, 20))
    whole = steps + kicks * short

    def exact(owners: np.ndarray) -> np.ndarray:
        return score.terms(member_table(owners, score.sizes.tolist()))

    owners = _random(score, sum(chains), rng)
    state, unit = Squares(score, owners, np.ones(sum(chains))), 0.0
    if m <= POLISHED:
        unit = float(exact(owners).sum(axis=1).std())
    if score.has_inner:
        some = np.unique(np.linspace(0, pairs.size - 1, 1 if score.estimates else SAMPLED).astype(int))
        state.ratio = calibration(state, some, score.pairs(member_table(owners, score.sizes.tolist()), some))
        state.renew()
    descend(state, sign, steps, rng, lambda done: tick(done * steps / whole))
    if not kicks and chains == (1, 1):  # there is nothing to choose from
        return state.owner, np.zeros(2), 1, 0, unit
    owners, terms = state.owner, exact(state.owner)
    scored = len(owners) * (1 + (m <= POLISHED))
    energy, ratio = sign * terms.sum(axis=1), calibration(state, pairs, terms[:, : pairs.size])
    for kick, part in enumerate(np.geomspace(0.08, 0.03, kicks).tolist()):
        if m <= POLISHED and kick in HALVED:
            kept = np.concatenate([_better(energy, sign > 0), _better(energy, sign < 0)])
            owners, energy, ratio, sign = owners[kept], energy[kept], ratio[kept], sign[kept]
        few = max(1, int(part * m))
        moved = rng.permuted(np.tile(np.arange(m), (len(owners), 1)), axis=1)[:, : 2 * few]
        disturbed = owners.copy()
        np.put_along_axis(disturbed, moved, np.take_along_axis(owners, np.roll(moved, few, axis=1), axis=1), axis=1)
        state = Squares(score, disturbed, ratio)
        descend(state, sign, short, rng, partial(_tell, tick, (steps + kick * short) / whole, short / whole))
        terms, scored = exact(state.owner), scored + len(owners)
        after = sign * terms.sum(axis=1)
        kept = after <= energy
        owners, energy = np.where(kept[:, None], state.owner, owners), np.where(kept, after, energy)
        ratio = np.where(kept, calibration(state, pairs, terms[:, : pairs.size]), ratio)
    return owners, energy, int(np.count_nonzero(sign > 0)), scored, unit


def _better(energy: np.ndarray, those: np.ndarray) -> np.ndarray:
    """The better half of some chains, in their order."""
    chains = np.flatnonzero(those)
    return np.sort(chains[np.argsort(energy[chains], kind="stable")[: -(-chains.size // 2)]])
