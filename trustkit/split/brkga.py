"""The paper's own search for divisions: a genetic algorithm with biased random keys, by pymoo."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from trustkit.rng import stream
from trustkit.split.scores import Scorer
from trustkit.split.seats import member_table

__all__ = ["brkga_extremes", "brkga_target", "require_pymoo"]

GENERATIONS = 100
WIDE = {"n_elites": 200, "n_offsprings": 700, "n_mutants": 100, "bias": 0.7}
NARROW = {"n_elites": 20, "n_offsprings": 70, "n_mutants": 10, "bias": 0.7}


def brkga_extremes(
    score: Scorer, seed: int, tick: Callable[[float], None], generations: int = GENERATIONS
) -> tuple[np.ndarray, np.ndarray, int]:
    """Look for divisions of very low and very high Icor with biased random keys.

    Parameters
    ----------
    score : Scorer
        Scores divisions.
    seed : int
        Any integer.
    tick : callable
        Told after each generation which part is done (0 … 1); may raise to stop.
    generations : int
        For each end, at least 1.

    Returns
    -------
    least, greatest : (m,) int array
        Owner vectors.
    scored : int
        How many divisions were scored.

    Raises
    ------
    ValueError
        If pymoo is not installed.

    Notes
    -----
    A division is m keys in [−1, 1]. In the order of the keys, the first columns go to the first party, and so on. A
    generation keeps 200 elites, crosses them to 700 offspring that take a key from the better parent with probability
    0.7, and adds 100 mutants.

    Source
    ------
    VertiBench (Wu et al. 2023), Algorithm 1, lines 3 and 4, with the settings of the authors' package.

    Deviations
    ----------
    Parties may have any sizes. Repeated keys are dropped, where the authors' package drops repeated orders of columns.
    """
    ends, path = ("n_gen", generations), (seed, "split", "brkga")
    least, some = _evolve(
        score, np.positive, stream(*path, "least"), WIDE, ends, lambda done: tick(done / 2), generations
    )
    greatest, more = _evolve(
        score, np.negative, stream(*path, "greatest"), WIDE, ends, lambda done: tick(0.5 + done / 2), generations
    )
    return least, greatest, some + more


def brkga_target(
    score: Scorer, goal: float, seed: int, tick: Callable[[float], None], generations: int = GENERATIONS
) -> tuple[np.ndarray, int]:
    """Look for a division whose Icor is near a given one, with biased random keys.

    Parameters
    ----------
    score : Scorer
        Scores divisions.
    goal : float
        Icor.
    seed : int
        Any integer.
    tick : callable
        Told after each generation which part is done (0 … 1); may raise to stop.
    generations : int
        At most, at least 1.

    Returns
    -------
    owner : (m,) int array
        The nearest division found.
    scored : int
        How many divisions were scored.

    Raises
    ------
    ValueError
        If pymoo is not installed.

    Notes
    -----
    As for `brkga_extremes`, with 20 elites, 70 offspring and 10 mutants. It ends early when |Icor − goal| has changed
    by less than 10⁻⁴ over 10 generations.

    Source
    ------
    VertiBench (Wu et al. 2023), Algorithm 1, lines 5 to 7, with the settings of the authors' package.

    Deviations
    ----------
    As for `brkga_extremes`.
    """
    require_pymoo()
    from pymoo.termination.default import DefaultSingleObjectiveTermination

    ends = DefaultSingleObjectiveTermination(ftol=1e-4, period=10, n_max_gen=generations)
    rng = stream(seed, "split", "brkga", "target", repr(goal))
    return _evolve(score, lambda icor: np.abs(icor - goal), rng, NARROW, ends, tick, generations)


def require_pymoo() -> None:
    """Check that pymoo is there.

    Raises
    ------
    ValueError
        If it is not; the sentence says how to get it.
    """
    try:
        import pymoo.algorithms.soo.nonconvex.brkga  # noqa: F401
    except ImportError:
        raise ValueError(
            "method must be 'annealing' unless pymoo is there (pip install 'trustkit[brkga]'), got 'brkga'"
        ) from None


def _evolve(
    score: Scorer,
    energy: Callable[[np.ndarray], np.ndarray],
    rng: np.random.Generator,
    settings: dict[str, Any],
    ends: Any,
    tick: Callable[[float], None],
    generations: int,
) -> tuple[np.ndarray, int]:
    """Return the division of least energy, and how many were scored."""
    require_pymoo()
    from pymoo.algorithms.soo.nonconvex.brkga import BRKGA
    from pymoo.core.problem import Problem

    m, sizes = int(score.sizes.sum()), score.sizes.tolist()
    seats = np.repeat(np.arange(len(sizes)), sizes)

    def owners(keys: np.ndarray) -> np.ndarray:
        owner = np.empty(keys.shape, np.int64)
        np.put_along_axis(owner, np.argsort(keys, axis=1, kind="stable"), np.broadcast_to(seats, keys.shape), axis=1)
        return owner

    class Division(Problem):  # type: ignore[misc,unused-ignore]
        """Keys in, energy out."""

        def __init__(self) -> None:
            super().__init__(n_var=m, n_obj=1, xl=-1.0, xu=1.0)

        def _evaluate(self, x: np.ndarray, out: dict[str, Any], *_: Any, **__: Any) -> None:
            out["F"] = energy(score.terms(member_table(owners(x), sizes)).sum(axis=1))[:, None]

    algorithm = BRKGA(**settings)
    algorithm.setup(Division(), termination=ends, seed=int(rng.integers(2**31)), verbose=False)
    while algorithm.has_next():
        algorithm.next()
        tick(min(1.0, algorithm.n_gen / generations))
    return owners(algorithm.opt[0].X[None])[0], int(algorithm.evaluator.n_eval)
