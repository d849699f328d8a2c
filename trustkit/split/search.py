"""The search behind the correlation split: the least and the greatest Icor, and a division that reaches a β between."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np

from trustkit.metrics.correlation import Definition, icor
from trustkit.rng import stream
from trustkit.split.anneal import anneal
from trustkit.split.scores import Scorer, scorer
from trustkit.split.seats import all_divisions, canonical_owner, count_divisions, member_table, swap_path
from trustkit.split.surrogate import warm

__all__ = ["Bounds", "Reached", "bounds", "reach"]

ENUMERATED = 50_000  # at most this many distinct divisions are all tried
DIRECT = 20  # up to so many columns are annealed with exact scores from random starts
POLISHED = 64  # up to so many columns are improved with exact scores after the surrogate
REMEMBERED = 64  # results of `bounds` that are kept


def _pass() -> None:
    """Do nothing."""


@dataclass(frozen=True, eq=False)
class Bounds:
    """The least and the greatest Icor found for given party sizes.

    Parameters
    ----------
    min, max : float
        Icor.
    owner_min, owner_max : (m,) int array
        Divisions that have it.
    evaluations : int
        Divisions that were scored.
    exact : bool
        True if every distinct division was tried, so that the bounds are certain; otherwise they are the best found.
    seconds : float
        How long the search took.
    table : tuple of (N, m) int array and (N,) float array, optional
        All divisions and their Icor, if every one was tried.
    """

    min: float
    max: float
    owner_min: np.ndarray
    owner_max: np.ndarray
    evaluations: int
    exact: bool
    seconds: float
    table: tuple[np.ndarray, np.ndarray] | None = field(default=None, repr=False)

    def beta(self, value: float) -> float:
        """Return where an Icor lies between the bounds.

        Parameters
        ----------
        value : float
            Icor.

        Returns
        -------
        float
            0 at the least and 1 at the greatest; NaN if all divisions have the same Icor.
        """
        width = self.max - self.min
        return (value - self.min) / width if width > 1e-9 else float("nan")


@dataclass(frozen=True, eq=False)
class Reached:
    """A division found for a β: its (m,) owner vector, its Icor, and how many divisions were scored."""

    owner: np.ndarray
    icor: float
    evaluations: int


_KNOWN: dict[tuple[bytes, tuple[int, ...], int, str], Bounds] = {}


def bounds(
    corr: np.ndarray,
    sizes: Sequence[int],
    seed: int = 0,
    definition: Definition = "paper",
    tick: Callable[[], None] = _pass,
) -> Bounds:
    """Find the least and the greatest Icor that parties of given sizes can have.

    Parameters
    ----------
    corr : (m, m) float array
        Correlations of the columns in [−1, 1]: symmetric, without negative eigenvalues.
    sizes : sequence of int
        Columns of each of the K ≥ 2 parties, each at least 1; they add up to m.
    seed : int
        Seed of the search.
    definition : {"paper", "package"}
        As for `trustkit.metrics.icor`.
    tick : callable
        Called now and then; may raise to stop.

    Returns
    -------
    Bounds
        Remembered: the same question costs nothing the second time.

    Raises
    ------
    ValueError
        If the sizes do not fit the matrix.

    Notes
    -----
    Up to 50,000 distinct divisions are all tried. Otherwise chains are annealed: up to 20 columns with exact scores; from
    there on with a surrogate, whose best results are improved with exact scores up to 64 columns.

    Source
    ------
    VertiBench (Wu et al. 2023), Algorithm 1, lines 3 and 4.

    Deviations
    ----------
    The paper searches with a genetic algorithm (BRKGA). β is relative to the bounds, so it depends on how good they are:
    the values of `min` and `max` belong to every β.

    Examples
    --------
    >>> found = bounds(np.kron(np.eye(2), np.ones((2, 2))), [2, 2])
    >>> found.owner_min.tolist(), found.owner_max.tolist(), found.exact
    ([0, 0, 1, 1], [0, 1, 0, 1], True)
    """
    corr, sizes = np.ascontiguousarray(corr, dtype=float), tuple(int(size) for size in sizes)
    if corr.shape != (sum(sizes), sum(sizes)) or len(sizes) < 2 or min(sizes) < 1:
        raise ValueError(f"sizes must be at least 2 and add up to the {len(corr)} columns of corr, got {list(sizes)}")
    key = (blake2b(corr.tobytes()).digest(), sizes, seed, definition)
    if key not in _KNOWN:
        begin, score = time.perf_counter(), scorer(corr, sizes, definition)
        table = None
        if count_divisions(sizes) <= ENUMERATED:
            table = _every(score, sizes, tick)
            least, greatest = table[0][table[1].argmin()], table[0][table[1].argmax()]
            evaluations = len(table[0])
        else:
            least, greatest, evaluations = _extremes(score, stream(seed, "split", "bounds"), tick)
        ends = [canonical_owner(owner, sizes) for owner in (least, greatest)]
        for owner in ends:
            owner.setflags(write=False)
        low, high = (icor(corr, owner, definition) for owner in ends)
        while len(_KNOWN) >= REMEMBERED:
            _KNOWN.pop(next(iter(_KNOWN)), None)
        spent = time.perf_counter() - begin
        _KNOWN[key] = Bounds(low, high, *ends, evaluations, table is not None, spent, table)
    return _KNOWN[key]


def _every(score: Scorer, sizes: Sequence[int], tick: Callable[[], None]) -> tuple[np.ndarray, np.ndarray]:
    """Return every distinct division and its Icor."""
    owners = all_divisions(sizes)
    values = np.empty(len(owners))
    for start in range(0, len(owners), 2000):
        tick()
        some = slice(start, start + 2000)
        values[some] = score.terms(_members(owners[some], sizes)).sum(axis=1)
    return owners, values


def _members(owners: np.ndarray, sizes: Sequence[int]) -> np.ndarray:
    """Return `member_table` of each of (N, m) owner vectors, at once."""
    N, m = owners.shape
    table = np.full((N, len(sizes), max(sizes)), m)
    in_order = np.argsort(owners, axis=1, kind="stable")
    for k, end in enumerate(np.cumsum(sizes).tolist()):
        table[:, k, : sizes[k]] = in_order[:, end - sizes[k] : end]
    return table


def _owner(members: np.ndarray, m: int) -> np.ndarray:
    owner = np.zeros(m + 1, np.int64)
    owner[members] = np.arange(len(members))[:, None]
    return owner[:m]


def _extremes(
    score: Scorer, rng: np.random.Generator, tick: Callable[[], None]
) -> tuple[np.ndarray, np.ndarray, int]:
    """Return divisions of very low and very high Icor, and how many were scored exactly."""
    sizes, m = score.sizes.tolist(), int(score.sizes.sum())
    lower, upper = (8, 24) if m <= DIRECT else (24, 24) if m <= POLISHED else (4, 4)
    flat = np.repeat(np.arange(len(sizes)), sizes)
    members = _members(np.array([rng.permutation(flat) for _ in range(lower + upper)]), sizes)
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
    return _owner(members[least], m), _owner(members[greatest], m), scored


def reach(
    corr: np.ndarray,
    sizes: Sequence[int],
    beta: float,
    bounds: Bounds,
    seed: int = 0,
    definition: Definition = "paper",
    tick: Callable[[], None] = _pass,
) -> Reached:
    """Find a division whose Icor lies at β between the bounds.

    Parameters
    ----------
    corr : (m, m) float array
        Correlations of the columns in [−1, 1]: symmetric, without negative eigenvalues.
    sizes : sequence of int
        Columns of each of the K ≥ 2 parties, each at least 1; they add up to m.
    beta : float
        In [0, 1]: 0 for the least, 1 for the greatest Icor.
    bounds : Bounds
        Of the same matrix, sizes and definition.
    seed : int
        Seed of the search.
    definition : {"paper", "package"}
        As for `trustkit.metrics.icor`.
    tick : callable
        Called now and then; may raise to stop.

    Returns
    -------
    Reached
        The nearest of all divisions if every one was tried, otherwise the nearest found.

    Raises
    ------
    ValueError
        If β is outside [0, 1].

    Notes
    -----
    The target is (1 − β)·min + β·max. A path of swaps leads from one bound to the other and is bisected for the target;
    then |Icor − target| is annealed.

    Source
    ------
    VertiBench (Wu et al. 2023), Algorithm 1, lines 5 to 7.

    Deviations
    ----------
    The authors' package searches again for β = 0 and β = 1 and may miss them; here they are the bounds' own divisions.

    Examples
    --------
    >>> corr = np.kron(np.eye(2), np.ones((2, 2)))
    >>> reach(corr, [2, 2], 1.0, bounds(corr, [2, 2])).owner.tolist()
    [0, 1, 0, 1]
    """
    if not 0 <= beta <= 1:
        raise ValueError(f"beta must be between 0 and 1, got {beta}")
    width = bounds.max - bounds.min
    if beta == 0 or width <= 1e-9:
        return Reached(bounds.owner_min, bounds.min, 0)
    if beta == 1:
        return Reached(bounds.owner_max, bounds.max, 0)
    target = (1 - beta) * bounds.min + beta * bounds.max
    if bounds.table is not None:
        owner, scored = bounds.table[0][np.abs(bounds.table[1] - target).argmin()], 0
    else:
        score = scorer(corr, sizes, definition)
        rng = stream(seed, "split", "reach", repr(float(beta)))
        owner, scored = _approach(score, target, width, bounds, rng, tick)
    return Reached(owner, icor(corr, owner, definition), scored)


def _approach(
    score: Scorer, target: float, width: float, bounds: Bounds, rng: np.random.Generator, tick: Callable[[], None]
) -> tuple[np.ndarray, int]:
    """Bisect a path of swaps between the bounds, then anneal the distance to the target."""
    sizes, m = score.sizes.tolist(), int(score.sizes.sum())
    path = list(swap_path(bounds.owner_min, bounds.owner_max, sizes))
    low, high, scored, near, off = 0, len(path) - 1, 0, path[0], np.inf
    while high - low > 1:
        tick()
        middle = (low + high) // 2
        value = float(score.terms(member_table(path[middle], sizes)[None]).sum())
        scored += 1
        if abs(value - target) < off:
            near, off = path[middle], abs(value - target)
        low, high = (middle, high) if value <= target else (low, middle)
    small = m <= POLISHED
    chains, steps, enough = (16, 120, 1e-4) if small else (4, 120 if m <= 256 else 30, 2e-3)
    if off > enough * width:
        members = np.repeat(member_table(near, sizes)[None], chains, axis=0)
        heat = width * np.geomspace(0.02, 2e-4, steps)
        found = anneal(score, members, lambda value: np.abs(value - target), heat, rng, tick, enough * width)
        near, scored = _owner(found.members[found.energy.argmin()], m), scored + found.evaluations
    return canonical_owner(near, sizes), scored
