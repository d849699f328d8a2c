"""`pareto` looks for the configurations that give most trust for least loss of accuracy and least traffic."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from trustkit.experiment import Experiment
from trustkit.frontier.evolve import evolve, require_pymoo
from trustkit.frontier.front import Front
from trustkit.frontier.points import objectives_of
from trustkit.frontier.space import space_of
from trustkit.frontier.trials import Trials
from trustkit.records import Progress
from trustkit.rounds import build
from trustkit.trust.profiles import Profile, profile_named

if TYPE_CHECKING:
    from concurrent.futures import Executor

__all__ = ["pareto"]


def pareto(
    start: Experiment,
    vary: Mapping[str, Any] | Iterable[str] | None = None,
    objectives: Sequence[str] = ("trust", "accuracy", "bytes"),
    profile: str | os.PathLike[str] | Profile = "paper",
    evaluations: int = 40,
    seed: int = 0,
    progress: Progress | None = None,
    *,
    seeds: int = 1,
    look_at: int | None = None,
    folder: str | os.PathLike[str] | None = None,
    executor: Executor | None = None,
) -> Front:
    """Search configurations for those that no other one beats in trust, accuracy and cost at once.

    Parameters
    ----------
    start : Experiment
        Where the search starts from; it is tried first.
    vary : mapping, or iterable of str, optional
        What may change, as for `trustkit.frontier.space_of`: ``{"algorithm": ["fedavg", "krum"], "participation":
        (0.1, 1.0), "privacy__epsilon": None}``. By default algorithm, selector, privacy and ε, participation, rounds.
    objectives : sequence of str
        "trust", pillars by id or "pillars" for all, "accuracy", and as costs "bytes" (sent and received by all) and
        "trainings" (rounds times clients that train). With more than four hardly any point beats another.
    profile : str, path-like or Profile
        How trust is scored.
    evaluations : int
        At most so many configurations besides the start, at least 1. If there are no more than that, all are tried.
    seed : int
        Of the search. The same seed finds the same front.
    progress : callable, optional
        Told what is done and how much of it, 0 … 1, after each round; what it raises ends the search.
    seeds : int
        At least 1: so many runs of each configuration, with the start's seed and those that follow.
    look_at : int, optional
        Held-out rows for CLEVER and Shapley values, as for `trustkit.facts_of`.
    folder : path-like, optional
        Where each finished run leaves a file; the same search goes on from there, whatever its objectives and profile.
    executor : concurrent.futures.Executor, optional
        Where runs are played; the front is the same.

    Returns
    -------
    Front
        Every point is a run that was played, never an estimate.

    Raises
    ------
    KeyError, TypeError, ValueError
        If something is unknown or does not fit, or pymoo is missing and the combinations are too many to try all.

    Notes
    -----
    Where all combinations can be tried, they are. Else a third of the evaluations change one thing of the start at a
    time, so that single changes can be told apart; then random ones, then NSGA-II with tournaments, simulated binary
    crossover and polynomial mutation for ranges, and uniform crossover for names. Combinations that an experiment
    refuses cost no evaluation; they are counted. Accuracy is that of the rows a point is chosen by.

    Source
    ------
    Deb et al. (2002), "A fast and elitist multiobjective genetic algorithm: NSGA-II", by pymoo. FederatedTrust (Sánchez
    Sánchez et al. 2024), section 7, leaves the search to future work.

    Deviations
    ----------
    Two combinations that mean the same experiment are one. Numbers of ranges are rounded to two digits.

    Examples
    --------
    >>> from trustkit import use
    >>> start = Experiment("breast_cancer", use("iid", parties=4), use("fedavg", lr=0.02), "logistic", rounds=2)
    >>> front = pareto(start, {"algorithm": ["fedavg", "fedmedian"], "participation": [0.5, 1.0]})
    >>> len(front.points), front.exhaustive
    (4, True)
    """
    chosen = profile_named(profile)
    names = objectives_of(objectives, chosen)
    most = _count("evaluations", evaluations)
    space = space_of(start, vary)
    whole = space.size <= most
    if not whole:
        require_pymoo()
    build(start)  # its refusal is the caller's
    trials = Trials(space, chosen, most, _count("seeds", seeds), look_at, folder, executor, progress)
    trials.take([{}])
    if whole:
        trials.take(list(space.grid()))
    else:
        evolve(trials, names, seed)
    trials.tell("done", 1.0)
    return Front(tuple(trials.points.values()), names, chosen, dict(trials.reasons), whole, trials.rows)


def _count(name: str, value: Any) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be a whole number, got {value!r}")
    if value < 1:
        raise ValueError(f"{name} must be at least 1, got {value}")
    return int(value)
