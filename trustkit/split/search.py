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
from trustkit.split.extremes import POLISHED, every, extremes
from trustkit.split.scores import Scorer, scorer
from trustkit.split.seats import canonical_owner, count_divisions, member_table, owner_vector, swap_path

__all__ = ["Bounds", "Reached", "bounds", "reach"]

ENUMERATED = 50_000  # at most this many distinct divisions are all tried
PATHS = 4  # paths that are bisected for a target beyond 64 columns
EFFORT = 20_000_000  # bounds the steps of annealing for a target beyond 64 columns: cubes of block sizes
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
    Up to 50,000 distinct divisions are all tried; of more, the best are looked for as
    `trustkit.split.extremes.extremes` says.

    Source
    ------
    VertiBench (Wu et al. 2023), Algorithm 1, lines 3 and 4.

    Deviations
    ----------
    The paper searches with a genetic algorithm (BRKGA). β is relative to the bounds, so it depends on how good they
    are: the values of `min` and `max` belong to every β.

    Examples
    --------
    >>> corr = np.eye(4)
    >>> corr[0, 1] = corr[1, 0] = 0.9
    >>> found = bounds(corr, [2, 2])
    >>> found.owner_min.tolist(), round(found.max, 4), found.exact
    ([0, 0, 1, 1], 0.3182, True)
    """
    corr, sizes = np.ascontiguousarray(corr, dtype=float), tuple(int(size) for size in sizes)
    if corr.shape != (sum(sizes), sum(sizes)) or len(sizes) < 2 or min(sizes) < 1:
        raise ValueError(f"sizes must be at least 2 and add up to the {len(corr)} columns of corr, got {list(sizes)}")
    key = (blake2b(corr.tobytes()).digest(), sizes, seed, definition)
    if key not in _KNOWN:
        begin, score = time.perf_counter(), scorer(corr, sizes, definition)
        table = None
        if count_divisions(sizes) <= ENUMERATED:
            table = every(score, tick)
            least, greatest = table[0][table[1].argmin()], table[0][table[1].argmax()]
            evaluations = len(table[0])
        else:
            least, greatest, evaluations = extremes(score, stream(seed, "split", "bounds"), tick)
        least, greatest = canonical_owner(least, sizes), canonical_owner(greatest, sizes)
        for owner in (least, greatest):
            owner.setflags(write=False)
        low, high = icor(corr, least, definition), icor(corr, greatest, definition)
        while len(_KNOWN) >= REMEMBERED:
            _KNOWN.pop(next(iter(_KNOWN)), None)
        spent = time.perf_counter() - begin
        _KNOWN[key] = Bounds(low, high, least, greatest, evaluations, table is not None, spent, table)
    return _KNOWN[key]


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
    then |Icor − target| is annealed. Beyond 64 columns the nearest of four paths is taken, and annealed the less, the
    larger the blocks are.

    Source
    ------
    VertiBench (Wu et al. 2023), Algorithm 1, lines 5 to 7.

    Deviations
    ----------
    The authors' package searches again for β = 0 and β = 1 and may miss them; here they are the bounds' own divisions.

    Examples
    --------
    >>> corr = np.eye(4)
    >>> corr[0, 1] = corr[1, 0] = 0.9
    >>> reach(corr, [2, 2], 0.0, bounds(corr, [2, 2])).owner.tolist()
    [0, 0, 1, 1]
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
    """Bisect paths of swaps between the bounds; unless blocks are large, anneal the distance to the target then."""
    sizes, m = score.sizes.tolist(), int(score.sizes.sum())
    small = m <= POLISHED
    enough = width * (1e-4 if small else 2e-3)
    near, off, scored = bounds.owner_min, np.inf, 0
    for _ in range(1 if small else PATHS):
        path = list(swap_path(bounds.owner_min, bounds.owner_max, sizes, rng.permutation(m).tolist()))
        low, high = 0, len(path) - 1
        while high - low > 1 and off > enough:
            tick()
            middle = (low + high) // 2
            value = float(score.terms(member_table(path[middle], sizes)[None]).sum())
            scored += 1
            if abs(value - target) < off:
                near, off = path[middle], abs(value - target)
            low, high = (middle, high) if value <= target else (low, middle)
    effort = 120 if small else min(120, EFFORT // ((2 * len(sizes) - 3) * score.depth[0] ** 3))
    if effort > 0 and off > enough:
        members = np.repeat(member_table(near, sizes)[None], 16 if small else 4, axis=0)
        heat = width * np.geomspace(0.02, 2e-4, effort)
        found = anneal(score, members, lambda value: np.abs(value - target), heat, rng, tick, enough)
        near, scored = owner_vector(found.members[found.energy.argmin()], m), scored + found.evaluations
    return canonical_owner(near, sizes), scored
