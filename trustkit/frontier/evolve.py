"""NSGA-II over names and numbers: single changes of the start first, then random combinations, then generations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from typing import Any

import numpy as np

from trustkit.frontier.points import COSTS, Point
from trustkit.frontier.space import Space
from trustkit.frontier.trials import Trials
from trustkit.frontier.varied import Varied
from trustkit.rng import stream

__all__ = ["evolve", "require_pymoo"]

_IDLE = 10
"""So many generations without anything to try end a search."""

_TRIES = 16
"""So often a single change is drawn until it is one that was not seen."""

_Places = dict[str, Any]


def require_pymoo() -> None:
    """Check that pymoo is there.

    Raises
    ------
    ValueError
        If it is not; the sentence says how to get it.
    """
    try:
        import pymoo.algorithms.moo.nsga2  # noqa: F401
    except ImportError:
        raise ValueError(
            "a search needs pymoo (pip install 'trustkit[search]'), unless all combinations can be tried"
        ) from None


def evolve(trials: Trials, objectives: Sequence[str], seed: int) -> None:
    """Try configurations until the budget is spent, or nothing is left to try.

    Parameters
    ----------
    trials : Trials
        Tries them, and keeps what they gave.
    objectives : sequence of str
        What is compared by.
    seed : int
        Any integer.

    Raises
    ------
    ValueError
        If pymoo is not installed.
    """
    require_pymoo()
    from pymoo.core.evaluator import Evaluator
    from pymoo.problems.static import StaticProblem

    space = trials.space
    size = max(4, min(40, trials.most // 4))
    first = _first(trials, size, seed)
    algorithm = _nsga(trials, len(objectives), first, size, int(stream(seed, "frontier", "nsga").integers(2**31)))
    idle = 0
    while trials.left > 0 and idle < _IDLE:
        asked = algorithm.ask()
        if asked is None or not len(asked):
            return
        before = len(trials.points)
        found = trials.take([space.at(each.X) for each in asked])
        idle = idle + 1 if len(trials.points) == before else 0
        F = np.array([_costs(point, objectives) for point in found])
        unfit = np.isnan(F).any(axis=1)
        G = unfit[:, None].astype(float)
        Evaluator().eval(StaticProblem(algorithm.problem, F=np.where(unfit[:, None], 0.0, F), G=G), asked)
        algorithm.tell(infills=asked)


def _costs(point: Point | None, objectives: Sequence[str]) -> list[float]:
    """The objectives, less is better; NaN for what was not tried."""
    if point is None:
        return [np.nan] * len(objectives)
    return [point.values[name] if name in COSTS else -point.values[name] for name in objectives]


def _first(trials: Trials, size: int, seed: int) -> list[_Places]:
    """Single changes of the start, at most a third of the budget, then random places."""
    space, found, idle = trials.space, list[_Places](), 0
    seen = {space.start.key}
    for places in cycle([_singles(space, each, seed) for each in space.varied]):
        if len(found) >= trials.most // 3 or idle >= len(space.varied):
            break
        idle += 1
        for one in islice(places, _TRIES):
            experiment = trials.experiment(space.at(one))
            if experiment is not None and experiment.key not in seen:
                seen.add(experiment.key)
                found.append(one)
                idle = 0
                break
    draw = stream(seed, "frontier", "random")
    return found + [{each.name: int(draw.integers(len(each.options))) if each.options else float(draw.random())
                     for each in space.varied} for _ in range(size)]  # fmt: skip


def _singles(space: Space, varied: Varied, seed: int) -> Iterator[_Places]:
    """Change one thing, over and over: options in random order, places of a range at random."""
    start, draw = space.places(), stream(seed, "frontier", "single", varied.name)
    options = cycle(draw.permutation(len(varied.options)).tolist())
    while True:
        yield {**start, varied.name: next(options) if varied.options else float(draw.random())}


def _nsga(trials: Trials, objectives: int, first: list[_Places], size: int, seed: int) -> Any:
    """NSGA-II, set up to be asked and told."""
    from pymoo.algorithms.moo.nsga2 import NSGA2, binary_tournament
    from pymoo.core.duplicate import ElementwiseDuplicateElimination
    from pymoo.core.mixed import MixedVariableMating
    from pymoo.core.population import Population
    from pymoo.core.problem import Problem
    from pymoo.core.termination import NoTermination
    from pymoo.core.variable import Choice, Real
    from pymoo.operators.selection.tournament import TournamentSelection

    space = trials.space

    class Alike(ElementwiseDuplicateElimination):  # type: ignore[misc,unused-ignore]
        """Two combinations that mean the same experiment."""

        def is_equal(self, a: Any, b: Any) -> bool:
            one, other = (trials.experiment(space.at(each.X)) for each in (a, b))
            return one is not None and other is not None and one.key == other.key

    alike = Alike()
    names = {each.name: Choice(options=list(range(len(each.options)))) if each.options else Real(bounds=(0.0, 1.0))
             for each in space.varied}  # fmt: skip
    mating = MixedVariableMating(selection=TournamentSelection(func_comp=binary_tournament), eliminate_duplicates=alike)
    algorithm = NSGA2(pop_size=size, sampling=Population.new(X=first), mating=mating, eliminate_duplicates=alike)
    problem = Problem(vars=names, n_obj=objectives, n_ieq_constr=1)
    algorithm.setup(problem, termination=NoTermination(), seed=seed, verbose=False)
    return algorithm
