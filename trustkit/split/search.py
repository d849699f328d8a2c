"""The search behind the correlation split: the least and the greatest Icor, and a division that reaches a β between."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Literal

import numpy as np

from trustkit.metrics.correlation import Definition
from trustkit.records import Progress
from trustkit.rng import stream
from trustkit.split.brkga import brkga_extremes, brkga_target, require_pymoo
from trustkit.split.extremes import every, extremes
from trustkit.split.scores import ESTIMATED, scorer
from trustkit.split.seats import canonical_owner, count_divisions
from trustkit.split.target import Ends, approach, measured_icor

__all__ = ["Bounds", "Method", "Reached", "bounds", "reach", "ticker"]

Method = Literal["annealing", "brkga"]

ENUMERATED = 50_000  # at most this many distinct divisions are all tried
LISTED = 2_000_000  # owners of columns in the list of them, at most
REMEMBERED = 64  # results of `bounds` that are kept


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
    approximated : str, optional
        What was estimated, in a sentence; None if nothing was.
    """

    min: float
    max: float
    owner_min: np.ndarray
    owner_max: np.ndarray
    evaluations: int
    exact: bool
    seconds: float
    table: tuple[np.ndarray, np.ndarray] | None = field(default=None, repr=False)
    approximated: str | None = None

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

    def target(self, beta: float) -> float:
        """Return the Icor that lies at β between the bounds.

        Parameters
        ----------
        beta : float
            In [0, 1].

        Returns
        -------
        float
            (1 − β)·min + β·max.
        """
        return (1 - beta) * self.min + beta * self.max


@dataclass(frozen=True, eq=False)
class Reached:
    """A division found for a β: its (m,) owner vector, its Icor, how many divisions were scored, and for how long."""

    owner: np.ndarray
    icor: float
    evaluations: int
    seconds: float = 0.0


_KNOWN: dict[tuple[bytes, tuple[int, ...], int, str, str], Bounds] = {}


def ticker(progress: Progress | None, stage: str) -> Callable[[float], None]:
    """Return what a stage of a search tells how much of it is done.

    Parameters
    ----------
    progress : callable or None
        The caller's.
    stage : str
        Its name.

    Returns
    -------
    callable
        From a fraction 0 … 1 to nothing; without a caller's it does nothing.
    """
    return (lambda done: None) if progress is None else (lambda done: progress(stage, float(done)))


def bounds(
    corr: np.ndarray,
    sizes: Sequence[int],
    seed: int = 0,
    definition: Definition = "paper",
    progress: Progress | None = None,
    method: Method = "annealing",
) -> Bounds:
    """Find the least and the greatest Icor that parties of given sizes can have.

    Parameters
    ----------
    corr : (m, m) float array
        Correlations of the columns in [−1, 1]: symmetric, without negative eigenvalues; of 4 or 8 bytes each.
    sizes : sequence of int
        Columns of each of the K ≥ 2 parties, each at least 1; they add up to m.
    seed : int
        Seed of the search.
    definition : {"paper", "package"}
        As for `trustkit.metrics.icor`.
    progress : callable, optional
        Told "least and greatest correlation" and which part of it is done; may raise to stop.
    method : {"annealing", "brkga"}
        How they are looked for; "brkga" is the paper's genetic search.

    Returns
    -------
    Bounds
        Remembered: the same question costs nothing the second time.

    Raises
    ------
    ValueError
        If the sizes do not fit the matrix, or "brkga" is asked for without pymoo.

    Notes
    -----
    Up to 50,000 distinct divisions are all tried, whatever the method; of more than 40 columns, up to 2,000,000/m. If
    there are more divisions, the best are looked for as
    `trustkit.split.extremes.extremes` or `trustkit.split.brkga.brkga_extremes` says. Where the second largest party has
    1,536 columns or more, singular values are estimated, see `trustkit.split.nuclear.nuclear_estimate`.

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
    corr, sizes = np.ascontiguousarray(corr), tuple(int(size) for size in sizes)
    if corr.shape != (sum(sizes), sum(sizes)) or len(sizes) < 2 or min(sizes) < 1:
        raise ValueError(f"sizes must be at least 2 and add up to the {len(corr)} columns of corr, got {list(sizes)}")
    if method == "brkga":
        require_pymoo()
    tick = ticker(progress, "least and greatest correlation")
    key = (blake2b(corr.data).digest(), sizes, seed, definition, method)
    if key not in _KNOWN:
        begin, score = time.perf_counter(), scorer(corr, sizes, definition)
        table = None
        if len(corr) <= LISTED // 2 and count_divisions(sizes) <= min(ENUMERATED, LISTED // len(corr)):
            table = every(score, tick)
            least, greatest = table[0][table[1].argmin()], table[0][table[1].argmax()]
            evaluations = len(table[0])
        elif method == "brkga":
            least, greatest, evaluations = brkga_extremes(score, seed, tick)
        else:
            least, greatest, evaluations = extremes(score, stream(seed, "split", "bounds"), tick)
        least, greatest = canonical_owner(least, sizes), canonical_owner(greatest, sizes)
        for owner in (least, greatest):
            owner.setflags(write=False)
        low, high = (measured_icor(score, owner, definition) for owner in (least, greatest))
        told = f"singular values between parties of {ESTIMATED:,} columns or more are estimated, and so is icor"
        spent = time.perf_counter() - begin
        while len(_KNOWN) >= REMEMBERED:
            _KNOWN.pop(next(iter(_KNOWN)), None)
        _KNOWN[key] = Bounds(
            low, high, least, greatest, evaluations, table is not None, spent, table, told if score.estimates else None
        )
    tick(1.0)
    return _KNOWN[key]


def reach(
    corr: np.ndarray,
    sizes: Sequence[int],
    beta: float,
    bounds: Bounds,
    seed: int = 0,
    definition: Definition = "paper",
    progress: Progress | None = None,
    method: Method = "annealing",
) -> Reached:
    """Find a division whose Icor lies at β between the bounds.

    Parameters
    ----------
    corr : (m, m) float array
        Correlations of the columns in [−1, 1]: symmetric, without negative eigenvalues; of 4 or 8 bytes each.
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
    progress : callable, optional
        Told "target" and which part of the search is done; may raise to stop.
    method : {"annealing", "brkga"}
        As for `bounds`.

    Returns
    -------
    Reached
        The nearest of all divisions if every one was tried, otherwise the nearest found.

    Raises
    ------
    ValueError
        If β is outside [0, 1], or "brkga" is asked for without pymoo.

    Notes
    -----
    The target is (1 − β)·min + β·max, approached as `trustkit.split.target.approach` says.

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
    tick, begin = ticker(progress, "target"), time.perf_counter()
    if beta in (0, 1) or bounds.max - bounds.min <= 1e-9:
        tick(1.0)
        least = beta < 1
        return Reached(bounds.owner_min if least else bounds.owner_max, bounds.min if least else bounds.max, 0)
    goal = bounds.target(beta)
    score = scorer(np.ascontiguousarray(corr), sizes, definition)
    scored, reached = 0, None
    if bounds.table is not None:
        owner = bounds.table[0][np.abs(bounds.table[1] - goal).argmin()]
    elif method == "brkga":
        owner, scored = brkga_target(score, goal, seed, tick)
    else:
        ends = Ends(bounds.owner_min, bounds.owner_max, bounds.min, bounds.max)
        rng = stream(seed, "split", "reach", repr(float(beta)))
        owner, reached, scored = approach(score, goal, ends, rng, tick)
    owner = canonical_owner(owner, sizes)
    if reached is None or not score.estimates:
        reached = measured_icor(score, owner, definition)
    tick(1.0)
    return Reached(owner, reached, scored, time.perf_counter() - begin)
