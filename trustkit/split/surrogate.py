"""A cheap stand-in for Icor, made of sums of squared correlations, that moves many columns at a time."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np

from trustkit.split.scores import Scorer

__all__ = ["Squares", "calibration", "descend"]

CANDIDATES = 256  # columns that one step considers for a swap, each with every other
ROWS = 1 << 22  # entries of squared correlations that are held at a time


class Squares:
    """Divisions with their sums of squared correlations, changed in place by swaps.

    Parameters
    ----------
    score : Scorer
        The correlations and the sizes.
    owner : (R, m) int array
        The party of each column in R divisions, 0 … K−1; copied.
    ratio : (R,) float array
        How much of sqrt(‖B‖²) is left in sqrt(‖B‖² − N²/d), above 0; see `calibration`.
    """

    def __init__(self, score: Scorer, owner: np.ndarray, ratio: np.ndarray) -> None:
        R, m, K = *owner.shape, score.sizes.size
        self.score, self.owner, self.ratio = score, owner.copy(), ratio
        self._order = np.argsort(owner, axis=1, kind="stable")  # the columns, party by party
        self._place = np.argsort(self._order, axis=1)
        self._starts = np.concatenate([[0], np.cumsum(score.sizes)[:-1]])
        self._room: tuple[np.ndarray, ...] | None = None
        self._alive = np.diag(score.corr).astype(float)  # 0 for a constant column, else 1
        self._weight = np.zeros((K, K))
        self._weight[score.left, score.right] = self._weight[score.right, score.left] = score.weight
        self.by_column = np.zeros((R, K, m))  # of a column with all columns of a party
        step = max(1, ROWS // m)
        for chain, some in itertools.product(range(R), range(0, m, step)):
            columns = self._order[chain, some : some + step]
            parties, first = np.unique(owner[chain, columns], return_index=True)
            self.by_column[chain, parties] += np.add.reduceat(self._squares(columns), first, axis=0)
        self.between = np.zeros((R, K, K))  # between all columns of two parties
        self.slope = np.zeros((R, K, K))  # what a pair's, or a party's, sum of squares adds to Icor, per unit
        self._curve = np.zeros((R, K, K))  # what the columns' own product adds to the gain of a swap; 0 inside a party
        self.renew()

    def renew(self) -> None:
        """Add up anew what any two parties have with each other."""
        R, K = self.between.shape[:2]
        self._refresh(*np.divmod(np.arange(R * K), K))

    def _squares(self, columns: np.ndarray) -> np.ndarray:
        return np.asarray(np.square(self.score.corr[columns], dtype=float))

    def _refresh(self, chain: np.ndarray, party: np.ndarray) -> None:
        score = self.score
        step = max(1, ROWS // self.owner.shape[1])
        for some in range(0, party.size, step):
            r, k = chain[some : some + step], party[some : some + step]
            order = self._order[r]
            sums = np.add.reduceat(np.take_along_axis(self.by_column[r, k], order, axis=1), self._starts, axis=1)
            self.between[r, k] = self.between[r, :, k] = sums
            slope = self.ratio[r, None] * self._weight[k] / (2 * np.sqrt(np.maximum(sums, 1e-9)))
            if score.has_inner:
                own = np.arange(k.size)
                traces = np.add.reduceat(self._alive[order], self._starts, axis=1)[own, k]
                left = np.maximum(sums[own, k] - traces**2 / score.sizes[k], 1e-9)
                slope[own, k] = -score.inner[k] / (2 * np.sqrt(left))
            self.slope[r, k] = self.slope[r, :, k] = slope
        for some in range(0, party.size, step):
            r, k = chain[some : some + step], party[some : some + step]
            curve = self.slope[r, k, k][:, None] + np.diagonal(self.slope, axis1=1, axis2=2)[r] - self.slope[r, k]
            curve[np.arange(k.size), k] = 0.0
            self._curve[r, k] = self._curve[r, :, k] = curve

    def gains(self, chosen: np.ndarray) -> np.ndarray:
        """Return what Icor would gain, to first order in the sums, if two columns were swapped.

        Parameters
        ----------
        chosen : (s,) int array
            Columns, each once.

        Returns
        -------
        (R, s, s) float array
            Symmetric; 0 for two columns of one party, but for rounding. The next call writes over it.
        """
        R, K, s = *self.slope.shape[:2], chosen.size
        party, own, chains = self.owner[:, chosen], np.arange(s), np.arange(R)[:, None]
        alive = self._alive[chosen] ** 2
        sums, slope, gain, half, at, squares, column = self._space(R, s)
        # what column i brings along, times what that counts with the party of column j
        sums[:, :, :K] = self.by_column[:, :, chosen].swapaxes(1, 2)
        sums[:, :, K] = alive
        sums[chains, own, party] -= alive
        slope[:, :, :K] = self.slope[chains, party]
        slope[:, :, K] = slope[chains, own, party]
        slope[chains, own, party] *= 2  # inside a party each product occurs twice
        np.matmul(sums, slope.swapaxes(1, 2), out=half)
        half -= half[:, own, own][:, :, None]
        np.add(half, half.swapaxes(1, 2), out=gain)
        np.add(chosen[:, None] * self.owner.shape[1], chosen, out=column)
        self.score.corr.reshape(-1).take(column, out=squares, mode="clip")
        np.square(squares, out=squares)
        squares *= 2
        np.add(((chains * K + party) * K)[:, :, None], party[:, None, :], out=at)
        self._curve.reshape(-1).take(at, out=half, mode="clip")
        half *= squares
        gain -= half
        return gain

    def _space(self, R: int, s: int) -> tuple[np.ndarray, ...]:
        """Return arrays to work in; memory that is asked for anew in every step costs more than the arithmetic."""
        if self._room is None or self._room[2].shape != (R, s, s):
            wide, square, K = (R, s, s), (s, s), self.score.sizes.size
            both = np.empty((R, s, K + 1)), np.empty((R, s, K + 1)), np.empty(wide), np.empty(wide)
            self._room = (
                *both, np.empty(wide, np.int64), np.empty(square, self.score.corr.dtype), np.empty(square, np.int64)
            )  # fmt: skip
        return self._room

    def swap(self, chain: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
        """Swap the parties of columns, pair by pair.

        Parameters
        ----------
        chain : (n,) int array
            The division of each pair, 0 … R−1.
        a, b : (n,) int array
            Columns of different parties, each column once in a division.
        """
        p, q = self.owner[chain, a], self.owner[chain, b]
        self.owner[chain, a], self.owner[chain, b] = q, p
        at, to = self._place[chain, a], self._place[chain, b]
        self._order[chain, at], self._order[chain, to] = b, a
        self._place[chain, a], self._place[chain, b] = to, at
        K, own = self.score.sizes.size, np.arange(a.size)
        changed, where = np.unique(np.concatenate([chain * K + p, chain * K + q]), return_inverse=True)
        move = np.zeros((changed.size, a.size))
        move[where[: a.size], own] += 1.0
        move[where[a.size :], own] -= 1.0
        r, k = np.divmod(changed, K)
        self.by_column[r, k] += move @ (self._squares(b) - self._squares(a))
        self._refresh(r, k)


def calibration(state: Squares, which: np.ndarray, spreads: np.ndarray) -> np.ndarray:
    """Hold the stand-in against exact scores of some pairs of parties.

    Parameters
    ----------
    state : Squares
        R divisions.
    which : (p,) int array
        Pairs, 0 … P−1.
    spreads : (R, p) float array
        What they add to Icor, as `trustkit.split.scores.Scorer.pairs` gives it.

    Returns
    -------
    (R,) float array
        The part of sqrt(‖B‖²) that is left in sqrt(‖B‖² − N²/d), on average over the pairs; 1 if all are 0.

    Examples
    --------
    >>> from trustkit.split.scores import scorer
    >>> score, pair = scorer(np.ones((4, 4)), [2, 2]), np.array([0])
    >>> spreads = score.pairs(np.array([[[0, 1], [2, 3]]]), pair)
    >>> (calibration(Squares(score, np.array([[0, 0, 1, 1]]), np.ones(1)), pair, spreads) ** 2).round(6)
    array([0.5])
    """
    score = state.score
    between = state.between[:, score.left[which], score.right[which]]
    rough, exact = np.sqrt(np.maximum(between, 0.0)) @ score.weight[which], spreads.sum(axis=1)
    return np.asarray(np.divide(exact, rough, out=np.ones_like(rough), where=(rough > 1e-9) & (exact > 0)))


def descend(
    state: Squares, sign: np.ndarray, steps: int, rng: np.random.Generator, tick: Callable[[float], None]
) -> None:
    """Swap columns between parties so that a stand-in for Icor falls or rises.

    Parameters
    ----------
    state : Squares
        R divisions to start from; changed in place.
    sign : (R,) float array
        1 for a division that seeks the least Icor, −1 for one that seeks the greatest.
    steps : int
        How many, at least 1.
    rng : numpy.random.Generator
        Draws the columns that a step considers.
    tick : callable
        Told now and then which part is done (0 … 1); may raise to stop.

    Notes
    -----
    For a block B with d singular values of sum N, N²/d is replaced by a fixed part of ‖B‖²; then Icor needs only sums
    of squared correlations, and its gradient in them tells what a swap adds. A step considers up to 256 columns and
    swaps those pairs of them that are each other's best partner, the best pairs first, and at most a number of pairs
    that falls from 3 % of the columns to one.

    Source
    ------
    trustkit's own; the objective is that of VertiBench (Wu et al. 2023), Algorithm 1.

    Deviations
    ----------
    Inexact on purpose: results are scored exactly, and for few columns improved exactly, afterwards.

    Examples
    --------
    >>> from trustkit.rng import stream
    >>> from trustkit.split.scores import scorer
    >>> corr = np.eye(4)
    >>> corr[0, 1] = corr[1, 0] = 0.9
    >>> state = Squares(scorer(corr, [2, 2]), np.array([[0, 1, 0, 1]]), np.ones(1))
    >>> descend(state, np.ones(1), 5, stream(0), lambda done: None)
    >>> state.owner[0].tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])
    True
    """
    m = state.owner.shape[1]
    everyone = np.arange(m)
    for step, most in enumerate(np.geomspace(max(1.0, 0.03 * m), 1.0, steps).astype(int).tolist()):
        if step % 16 == 0:
            tick(step / steps)
        chosen = everyone if m <= CANDIDATES else rng.choice(m, CANDIDATES, replace=False)
        gain = state.gains(chosen)
        gain *= sign[:, None, None]
        partner = gain.argmin(axis=2)
        own = np.arange(chosen.size)
        mutual = (np.take_along_axis(partner, partner, axis=1) == own) & (own < partner)
        value = np.where(mutual, np.take_along_axis(gain, partner[:, :, None], axis=2)[:, :, 0], 0.0)
        best = np.argsort(value, axis=1, kind="stable")[:, :most]
        chain, place = np.nonzero(np.take_along_axis(value, best, axis=1) < -1e-12)
        first = best[chain, place]
        if first.size:
            state.swap(chain, chosen[first], chosen[partner[chain, first]])
        elif m <= CANDIDATES:
            break
