"""Annealing of divisions: many chains side by side, every swap scored exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from trustkit.split.scores import Scorer

__all__ = ["Annealed", "anneal"]


@dataclass(frozen=True, eq=False)
class Annealed:
    """The best division of each chain: (R, K, k) members, (R,) energies, and how many divisions were scored."""

    members: np.ndarray
    energy: np.ndarray
    evaluations: int


def anneal(
    score: Scorer,
    members: np.ndarray,
    energy: Callable[[np.ndarray], np.ndarray],
    temperature: np.ndarray,
    rng: np.random.Generator,
    tick: Callable[[float], None],
    good_enough: float = -np.inf,
) -> Annealed:
    """Swap columns between parties so that an energy falls, with exact scores.

    Parameters
    ----------
    score : Scorer
        Scores divisions.
    members : (R, K, k) int array
        Where the R chains start; filled up with m.
    energy : callable
        From (R,) Icor to (R,) energies, lower is better.
    temperature : (steps,) float array
        Temperatures in units of energy, at least 0; every chain tries one swap a step.
    rng : numpy.random.Generator
        Draws swaps and acceptances.
    tick : callable
        Told now and then which part is done (0 … 1); may raise to stop.
    good_enough : float
        Stop when the best energy is at most this.

    Returns
    -------
    Annealed
        The best division that each chain has met.

    Notes
    -----
    Metropolis: a swap is kept if the energy rises by at most T·E, with E exponential of mean 1. All chains swap between
    the same two parties in a step, so only the blocks of those two are scored again, in one batch.

    Source
    ------
    Simulated annealing, in place of the genetic search (BRKGA) of VertiBench (Wu et al. 2023), Algorithm 1.

    Deviations
    ----------
    Another optimiser of the same objective. On the tables compared, its bounds were at least as wide as those of the
    authors' package; nothing proves it of every table.

    Examples
    --------
    >>> from trustkit.rng import stream
    >>> from trustkit.split.scores import scorer
    >>> corr = np.eye(4)
    >>> corr[0, 1] = corr[1, 0] = 0.9
    >>> start = np.array([[[0, 2], [1, 3]]])
    >>> found = anneal(scorer(corr, [2, 2]), start, lambda icor: icor, np.zeros(20), stream(0), lambda done: None)
    >>> sorted(sorted(party) for party in found.members[0].tolist())
    [[0, 1], [2, 3]]
    """
    R, K, _ = members.shape
    steps, chains = temperature.size, np.arange(R)
    slack = temperature[:, None] * rng.standard_exponential((steps, R))
    slots = rng.random((steps, R, 2))
    here, terms = members.copy(), score.terms(members)
    now = energy(terms.sum(axis=1))
    best, lowest = here.copy(), now.copy()
    for step, pair in enumerate(score.draw_pairs(rng, steps).tolist()):
        if lowest.min() <= good_enough:
            return Annealed(best, lowest, R * (step + 1))
        if step % 16 == 0:
            tick(step / steps)
        two = np.array([score.left[pair], score.right[pair]])
        (p, q), (a, b) = two, (slots[step] * score.sizes[two]).astype(np.int64).T
        there, changed, which = here.copy(), terms.copy(), score.touched(pair)
        there[chains, p, a], there[chains, q, b] = here[chains, q, b], here[chains, p, a]
        changed[:, which] = score.pairs(there, which)
        if score.has_inner:
            changed[:, two - K] = score.inners(there, two)
        then = energy(changed.sum(axis=1))
        keep = then - now <= slack[step]
        here[keep], terms[keep], now[keep] = there[keep], changed[keep], then[keep]
        better = now < lowest
        best[better], lowest[better] = here[better], now[better]
    return Annealed(best, lowest, R * (steps + 1))
