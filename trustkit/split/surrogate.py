"""A cheap stand-in for Icor, made of sums of squared correlations, with which many columns are annealed at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from trustkit.split.scores import Scorer

__all__ = ["warm"]

CANDIDATES = 16  # columns of each of two parties that one step considers for a swap
CALIBRATIONS = 8  # how often the stand-in is held against the exact score
SAMPLED = 20_000  # entries of a Gram matrix, over all pairs of parties that it is held against


@dataclass(frozen=True, eq=False)
class _Chains:
    """R divisions and their sums of squared correlations; the arrays are updated in place."""

    members: np.ndarray  # (R, K, k) columns of each party, filled up with m
    squares: np.ndarray  # (m + 1, m + 1) squared correlations
    by_column: np.ndarray  # (R, K, m + 1): of a column with all columns of a party
    by_pair: np.ndarray  # (R, K, K): between all columns of two parties
    alive: np.ndarray  # (R, K): the trace, columns of a party that are not constant


def _start(score: Scorer, members: np.ndarray) -> _Chains:
    squares = score.table**2
    R, K, _ = members.shape
    owned = np.zeros((R, K, len(squares)))
    owned[np.arange(R)[:, None, None], np.arange(K)[:, None], members] = 1.0
    owned[:, :, -1] = 0.0
    by_column = owned @ squares
    return _Chains(members.copy(), squares, by_column, by_column @ owned.swapaxes(1, 2), owned @ np.diag(score.table))


def _root(values: np.ndarray) -> np.ndarray:
    return np.asarray(np.sqrt(np.maximum(values, 0.0)))


def _ratio(score: Scorer, chains: _Chains) -> np.ndarray:
    """Return for each chain how much of sqrt(‖B‖²) is left in sqrt(‖B‖² − N²/d), on average over pairs of parties."""
    few = int(np.clip(SAMPLED // score.depth[0] ** 2, 2, 64))
    which = np.unique(np.linspace(0, score.left.size - 1, few).astype(int))
    rough = score.weight[which] * _root(chains.by_pair[:, score.left[which], score.right[which]])
    total = rough.sum(axis=1)
    exact = score.pairs(chains.members, which).sum(axis=1)
    return np.asarray(np.divide(exact, total, out=np.ones_like(total), where=total > 0))


def _gains(
    score: Scorer, weight: np.ndarray, chains: _Chains, p: int, q: int, a: np.ndarray, b: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return what pairs of parties, and what parties, would add if a (R, i) of p and b (R, j) of q were swapped.

    Both answers are (R, i, j); what pairs add has yet to be multiplied by `_ratio`.
    """
    S, row = chains.squares, np.arange(len(a))[:, None]
    shift = chains.by_column[row, :, b][:, None] - chains.by_column[row, :, a][:, :, None]  # (R, i, j, K)
    twice = S[a, a][:, :, None] + S[b, b][:, None, :] - 2 * S[a[:, :, None], b[:, None, :]]
    of_p, of_q = (chains.by_pair[:, None, None, party] for party in (p, q))
    between = of_p[..., q] + shift[..., q] - shift[..., p] - twice
    pairs = weight[p, q] * (_root(between) - _root(of_p[..., q]))
    others = [k for k in range(score.sizes.size) if k not in (p, q)]
    for party, old, sign in ((p, of_p, 1), (q, of_q, -1)):
        pairs += (_root(old[..., others] + sign * shift[..., others]) - _root(old[..., others])) @ weight[party, others]
    inners = np.zeros_like(pairs)
    if score.has_inner:
        alive = np.diag(S)
        gained = alive[b][:, None, :] - alive[a][:, :, None]
        for party, old, sign in ((p, of_p, 1), (q, of_q, -1)):
            d, count = score.sizes[party], chains.alive[:, None, None, party]
            new = old[..., party] + 2 * sign * shift[..., party] + twice
            inners -= score.inner[party] * _root(new - (count + sign * gained) ** 2 / d)
            inners += score.inner[party] * _root(old[..., party] - count**2 / d)
    return pairs, inners


def _swap(chains: _Chains, which: np.ndarray, p: int, q: int, i: np.ndarray, j: np.ndarray) -> None:
    """Swap slot i of party p with slot j of party q in some of the chains."""
    a, b = chains.members[which, p, i], chains.members[which, q, j]
    chains.members[which, p, i], chains.members[which, q, j] = b, a
    S = chains.squares
    shift = chains.by_column[which, :, b] - chains.by_column[which, :, a]
    twice = S[a, a] + S[b, b] - 2 * S[a, b]
    table = chains.by_pair[which]
    for party, other, sign in ((p, q, 1), (q, p, -1)):
        table[:, party, :] += sign * shift
        table[:, :, party] += sign * shift
        table[:, party, party] += twice
        table[:, party, other] -= twice
        chains.by_column[which, party] += sign * (S[b] - S[a])
        chains.alive[which, party] += sign * (S[b, b] - S[a, a])
    chains.by_pair[which] = table


def _slots(rng: np.random.Generator, size: int, R: int) -> np.ndarray:
    """Return (R, c) slots of a party to consider: all if they are few, else a random run of them."""
    if size <= CANDIDATES:
        return np.broadcast_to(np.arange(size), (R, size))
    return np.asarray((rng.integers(size, size=(R, 1)) + np.arange(CANDIDATES)) % size)


def warm(
    score: Scorer,
    members: np.ndarray,
    sign: np.ndarray,
    temperature: np.ndarray,
    rng: np.random.Generator,
    tick: Callable[[], None],
) -> np.ndarray:
    """Swap columns between parties so that a stand-in for Icor falls or rises.

    Parameters
    ----------
    score : Scorer
        Scores divisions exactly; used for calibration only.
    members : (R, K, k) int array
        Where the R chains start, at most 128; filled up with m.
    sign : (R,) float array
        1 for a chain that seeks the least Icor, −1 for one that seeks the greatest.
    temperature : (steps,) float array
        Temperatures in units of Icor, above 0.
    rng : numpy.random.Generator
        Draws candidates and choices.
    tick : callable
        Called now and then; may raise to stop.

    Returns
    -------
    (R, K, k) int array
        Where the chains end.

    Notes
    -----
    For a block B with d singular values of sum N, N²/d is replaced by a fixed part of ‖B‖², measured now and then; then
    Icor needs only sums of squared correlations, which a swap changes by differences of sums that are already known. A
    step scores up to 256 swaps of two parties in every chain and draws one of them, or none, with probabilities
    proportional to exp(−ΔIcor/T).

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
    >>> start = np.array([[[0, 2], [1, 3]]])
    >>> end = warm(scorer(corr, [2, 2]), start, np.ones(1), np.full(9, 1e-6), stream(0), lambda: None)
    >>> sorted(sorted(party) for party in end[0].tolist())
    [[0, 1], [2, 3]]
    """
    R, K, _ = members.shape
    chains, row, pool = _start(score, members), np.arange(R), rng.gumbel(size=1 << 16)
    weight = np.zeros((K, K))
    weight[score.left, score.right] = weight[score.right, score.left] = score.weight
    period = max(1, temperature.size // CALIBRATIONS) if score.has_inner else temperature.size
    for step, (T, pair) in enumerate(zip(temperature, score.draw_pairs(rng, temperature.size), strict=True)):
        if step % 64 == 0:
            tick()
        if step % period == 0:
            ratio = _ratio(score, chains)
        p, q = int(score.left[pair]), int(score.right[pair])
        i, j = (_slots(rng, int(score.sizes[party]), R) for party in (p, q))
        a, b = chains.members[row[:, None], p, i], chains.members[row[:, None], q, j]
        pairs, inners = _gains(score, weight, chains, p, q, a, b)
        change = (sign[:, None, None] * (ratio[:, None, None] * pairs + inners)).reshape(R, -1)
        at = int(rng.integers(pool.size - change.size))
        noisy = change - T * pool[at : at + change.size].reshape(change.shape)
        pick = noisy.argmin(axis=1)
        go = np.flatnonzero(noisy[row, pick] < -T * rng.gumbel(size=R))
        if go.size:
            slot, other = np.divmod(pick[go], j.shape[1])
            _swap(chains, go, p, q, i[go, slot], j[go, other])
    return chains.members
