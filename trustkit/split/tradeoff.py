"""Divisions that trade two aims against each other: correlation between parties, and shares of importance."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from trustkit.rng import stream
from trustkit.split.scores import Scorer
from trustkit.split.search import Bounds
from trustkit.split.seats import member_table, owner_vector, swapped
from trustkit.split.swaps import balance, matched, toward
from trustkit.split.target import value

__all__ = ["WEIGHTS", "Frontier", "explore"]

WEIGHTS = (0.0, 0.1, 0.3, 1.0, 3.0, 10.0, math.inf)
"""What an error of importance counts, an error of β counting 1; at infinity only importance counts."""

TIE = 1e-9
"""What the other error counts at the ends, where only one counts: the better of two equals is kept."""

ROUNDS = 3  # how often importance is balanced and the target approached again
WALKED = 2e10  # bounds the divisions that are scored on the way: cubes of block sizes
SMALL = 24  # blocks up to this size are annealed by many chains for each weight, larger ones by one
ENOUGH = 1e-3  # the sum of both errors at which large blocks are left as they are
ANNEALED = 4e8  # bounds the steps of annealing: cubes of block sizes
STEPS = 200  # of annealing, at most; with fewer than a twentieth of them it is left out


class Frontier:
    """The best division met so far for each of `WEIGHTS`.

    Parameters
    ----------
    target : float
        The Icor asked for.
    width : float
        The distance between the bounds of Icor, at least 0; with 0, β has no error.
    importance : (m,) float array
        Each column's part of all importance: at least 0, adding up to 1.
    budgets : (K,) float array
        Each party's part asked for: at least 0, adding up to 1.
    """

    def __init__(self, target: float, width: float, importance: np.ndarray, budgets: np.ndarray) -> None:
        self.target, self.width, self.importance, self.budgets = target, width, importance, budgets
        weights = np.array(WEIGHTS[1:-1])
        self._beta = np.array([1.0, *(1 / (1 + weights)), TIE])
        self._importance = np.array([TIE, *(weights / (1 + weights)), 1.0])
        self.owners = np.zeros((len(WEIGHTS), importance.size), np.int64)
        self.errors = np.full((len(WEIGHTS), 2), np.inf)
        self.energy = np.full(len(WEIGHTS), np.inf)

    def shares(self, owner: np.ndarray) -> np.ndarray:
        """Return what part of all importance each party holds.

        Parameters
        ----------
        owner : (m,) int array
            The party of each column, 0 … K−1.

        Returns
        -------
        (K,) float array
            At least 0, adding up to 1.
        """
        return np.asarray(np.bincount(owner, self.importance, minlength=self.budgets.size))

    def measure(self, icor: np.ndarray, shares: np.ndarray) -> np.ndarray:
        """Return how far divisions are from what was asked.

        Parameters
        ----------
        icor : (R,) float array
            Icor of R divisions.
        shares : (R, K) float array
            Parties' parts of all importance.

        Returns
        -------
        (R, 2) float array
            |Icor − target|/width, an error of β, and ½Σ|share − budget|, the part of all importance that is misplaced.
        """
        beta = np.abs(icor - self.target) / self.width if self.width > 0 else np.zeros(len(icor))
        return np.stack([beta, np.abs(shares - self.budgets).sum(axis=1) / 2], axis=1)

    def energies(self, errors: np.ndarray) -> np.ndarray:
        """Return what each of `WEIGHTS` makes of the two errors.

        Parameters
        ----------
        errors : (R, 2) float array
            As `measure` gives them.

        Returns
        -------
        (R, W) float array
            The two errors' mean, weighted.
        """
        return np.asarray(errors[:, :1] * self._beta + errors[:, 1:] * self._importance)

    def offer(self, owner_of: Callable[[int], np.ndarray], errors: np.ndarray) -> None:
        """Keep divisions that are better than the best so far.

        Parameters
        ----------
        owner_of : callable
            From 0 … R−1 to the (m,) owner vector of that division.
        errors : (R, 2) float array
            As `measure` gives them.
        """
        energies = self.energies(errors)
        first = energies.argmin(axis=0)
        for w in np.flatnonzero(energies.min(axis=0) < self.energy):
            at = int(first[w])
            self.owners[w], self.errors[w], self.energy[w] = owner_of(at), errors[at], energies[at, w]


def explore(
    score: Scorer, front: Frontier, start: np.ndarray, ends: Bounds, seed: int, tick: Callable[[float], None]
) -> int:
    """Look for divisions with little error of either kind.

    Parameters
    ----------
    score : Scorer
        Scores divisions.
    front : Frontier
        It keeps the best divisions that are met.
    start : (m,) int array
        The owner vector of a division near the target.
    ends : Bounds
        Divisions of the least and of the greatest Icor.
    seed : int
        Any integer.
    tick : callable
        Told now and then which part is done (0 … 1); may raise to stop.

    Returns
    -------
    int
        How many divisions were scored.

    Notes
    -----
    By turns, swaps bring the shares to the budgets, and swaps of columns of like importance lead towards the end beyond
    the target, on which way the target is looked for. Then the best division of every weight is annealed, unless blocks
    are large.
    """
    sizes, short = score.sizes.tolist(), score.depth[0]
    looks = int(np.clip(WALKED // (ROUNDS * score.work), 2, 24))
    scored, even = 0, WEIGHTS.index(1.0)

    def icor_of(owner: np.ndarray) -> float:
        nonlocal scored
        tick(min(scored / (ROUNDS * (looks + 4)), 1.0) / 2)
        scored += 1
        icor, _ = value(score, owner)
        front.offer([owner].__getitem__, front.measure(np.array([icor]), front.shares(owner)[None]))
        return icor

    here = matched(start[None], front.importance, front.budgets, sizes)[0]
    icor_of(here)
    for _ in range(ROUNDS):
        if short > SMALL and front.errors[even].sum() <= ENOUGH:
            return scored
        swaps = balance(here, front.importance, front.budgets)
        for some in np.unique(np.linspace(0, len(swaps), min(looks, 4)).astype(int))[1:-1]:
            icor_of(swapped(here, swaps[:some]))
        here = swapped(here, swaps)
        icor = icor_of(here)
        rising = icor < front.target
        goal, end = (ends.owner_max, ends.max) if rising else (ends.owner_min, ends.min)
        here = _walk(here, toward(here, goal, front.importance), (icor, end), front.target, icor_of, looks)
    copies = 4 if short <= SMALL else 1
    swap = score.work * (2 * len(sizes) - 3) / score.left.size
    steps = int(min(STEPS, ANNEALED // (copies * len(WEIGHTS) * swap)))
    if steps >= STEPS // 20:
        rng = stream(seed, "split", "joint")
        scored += _improve(score, front, rng, copies, steps, lambda part: tick((1 + part) / 2))
    return scored


def _walk(
    here: np.ndarray,
    swaps: np.ndarray,
    values: tuple[float, float],
    target: float,
    icor_of: Callable[[np.ndarray], float],
    looks: int,
) -> np.ndarray:
    """Look for the target on a way between two values of Icor; return the division nearest to it that was met."""
    (start, end), near, off = values, here, np.inf
    low, high = 0, len(swaps)
    while high - low > 1 and looks > 0:
        part = np.clip((target - start) / (end - start), 0.1, 0.9) if end != start else 0.5
        middle, looks = int(np.clip(round(low + part * (high - low)), low + 1, high - 1)), looks - 1
        owner = swapped(here, swaps[:middle])
        icor = icor_of(owner)
        if abs(icor - target) < off:
            near, off = owner, abs(icor - target)
        if (icor < target) == (values[0] < values[1]):
            low, start = middle, icor
        else:
            high, end = middle, icor
    return near


def _improve(
    score: Scorer, front: Frontier, rng: np.random.Generator, copies: int, steps: int, tick: Callable[[float], None]
) -> int:
    """Anneal the best division of every weight, every swap scored exactly; return how many were scored."""
    sizes, m = score.sizes.tolist(), front.importance.size
    members = member_table(np.repeat(front.owners, copies, axis=0), sizes)
    R, K, _ = members.shape
    chains, weight = np.arange(R), np.repeat(np.arange(len(WEIGHTS)), copies)
    terms, shares = score.terms(members), np.append(front.importance, 0.0)[members].sum(axis=2)
    now = front.energies(front.measure(terms.sum(axis=1), shares))[chains, weight]
    slack = np.geomspace(0.02, 1e-4, steps)[:, None] * rng.standard_exponential((steps, R))
    slots = rng.random((steps, R, 2))
    for step, pair in enumerate(score.draw_pairs(rng, steps).tolist()):
        if step % 16 == 0:
            tick(step / steps)
        two = np.array([score.left[pair], score.right[pair]])
        (p, q), (i, j) = two, (slots[step] * score.sizes[two]).astype(np.int64).T
        there, changed, which = members.copy(), terms.copy(), score.touched(pair)
        a, b = members[chains, p, i], members[chains, q, j]
        there[chains, p, i], there[chains, q, j] = b, a
        changed[:, which] = score.pairs(there, which)
        if score.has_inner:
            changed[:, two - K] = score.inners(there, two)
        moved, shift = shares.copy(), front.importance[b] - front.importance[a]
        moved[:, p] += shift
        moved[:, q] -= shift
        errors = front.measure(changed.sum(axis=1), moved)
        front.offer(lambda r, there=there: owner_vector(there[r], m), errors)  # type: ignore[misc]
        then = front.energies(errors)[chains, weight]
        keep = then - now <= slack[step]
        members[keep], terms[keep], shares[keep], now[keep] = there[keep], changed[keep], moved[keep], then[keep]
    return int(R * (steps + 1))
