"""`compare_strategies`: the same clients and seeds under one strategy after the other; `lineup`: what it plays."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from trustkit.catalogue import ALGORITHMS, Use
from trustkit.comparison.adjusted import adjust_thresholds
from trustkit.comparison.kept import play_all
from trustkit.comparison.result import Comparison, Outcome
from trustkit.experiment import Experiment
from trustkit.horizontal.thresholds import Goal
from trustkit.records import Progress, RunRecord
from trustkit.rounds import build, data_of

if TYPE_CHECKING:
    from concurrent.futures import Executor

__all__ = ["STRATEGIES", "THRESHOLDS", "compare_strategies", "lineup"]

STRATEGIES = (
    "fedavg", "qfedavg", "afl", "gifair", "fairfed", "fedfb", "puffle", "reweighing", "ditto", "thresholds",
)  # fmt: skip
"""What is compared by default; "thresholds" is the experiment's own algorithm with thresholds by group afterwards."""

THRESHOLDS = "thresholds"
"""No training of its own: the experiment's algorithm, with thresholds by group and client on its final model."""

_CARRIED = ("lr", "epochs", "batch", "selector")


@dataclass(frozen=True)
class _Strategy:
    """An experiment to play, and which rates are brought together afterwards."""

    experiment: Experiment
    goal: Goal | None = None


def compare_strategies(
    experiment: Experiment, strategies: Iterable[str | Use] | Mapping[str, str | Use] = STRATEGIES,
    seeds: Iterable[int] = range(3), attribute: str | None = None, folder: str | os.PathLike[str] | None = None,
    progress: Progress | None = None, executor: Executor | None = None,
) -> Comparison:  # fmt: skip
    """Play strategies over the same seeds, and measure accuracy, gaps between groups, and traffic.

    Parameters
    ----------
    experiment : Experiment
        Over rows: what all have in common. A strategy that says nothing else of step size, passes, batches and selector
        takes those of its algorithm.
    strategies : iterable of str or Use, or mapping of str to str or Use
        Algorithms over rows, labelled by their names or as the mapping says; "thresholds" (with ``goal="parity"`` or
        "opportunity") is the experiment's own algorithm with `adjust_thresholds` afterwards.
    seeds : iterable of int
        At least one, each once; a seed's split is the same for all strategies.
    attribute : str, optional
        The protected attribute that gaps are about, and that strategies care for; by default the data set's first.
    folder : path-like, optional
        Where each run is kept as soon as it is finished; a comparison that was ended goes on from there.
    progress : callable, optional
        Told what is played and how much is done, 0 … 1; it may raise `trustkit.records.Stopped`.
    executor : concurrent.futures.Executor, optional
        Where runs are played; by default here. The numbers are the same.

    Returns
    -------
    Comparison
        By strategy and seed. A strategy that the data do not allow is in it with the reason.

    Raises
    ------
    KeyError, TypeError
        If a strategy is unknown, or is no name.
    ValueError
        If the data have no such attribute, clients hold columns, labels or seeds repeat, or there is none.
    """
    name, numbers, wanted = _asked(experiment, strategies, seeds, attribute)
    runs = _runs(wanted, numbers)
    refused = {each.key: _refusal(each) for each in runs.values()}
    todo = {each.key: each for each in runs.values() if not refused[each.key]}
    users: dict[str, list[tuple[str, int]]] = {key: [] for key in refused}
    for place, each in runs.items():
        users[each.key].append(place)
    outcomes = {place: Outcome(refused=refused[each.key]) for place, each in runs.items()}
    order = list(todo.values())

    def tell(done: int, part: float) -> None:
        if progress is not None and done < len(order):
            label, seed = users[order[done].key][0]
            progress(f"{label}, seed {seed}", (done + part) / len(order))

    for each, record in zip(order, play_all(order, folder, executor, tell), strict=True):
        for place in users[each.key]:
            outcomes[place] = _outcome(record, wanted[place[0]].goal, name)
    if progress is not None:
        progress("compared", 1.0)
    found = {label: tuple(outcomes[label, seed] for seed in numbers) for label in wanted}
    return Comparison(experiment, name, numbers, found)


def lineup(
    experiment: Experiment, strategies: Iterable[str | Use] | Mapping[str, str | Use] = STRATEGIES,
    seeds: Iterable[int] = range(3), attribute: str | None = None,
) -> dict[tuple[str, int], Experiment]:  # fmt: skip
    """Return the experiments that a comparison of strategies plays, without playing them.

    Parameters
    ----------
    experiment : Experiment
        Over rows: what all have in common.
    strategies : iterable of str or Use, or mapping of str to str or Use
        As `compare_strategies` takes them.
    seeds : iterable of int
        At least one, each once.
    attribute : str, optional
        What strategies care for that take an attribute; by default the data set's first.

    Returns
    -------
    dict of (str, int) to Experiment
        By label and seed, all strategies of the first seed first. "thresholds" is the experiment itself, so that two
        labels may stand for the same one.

    Raises
    ------
    KeyError, TypeError
        If a strategy is unknown, or is no name.
    ValueError
        If the data have no such attribute, clients hold columns, labels or seeds repeat, or there is none.

    Examples
    --------
    >>> from trustkit import Experiment, use
    >>> base = Experiment("acs_employment", use("iid", parties=3), "fedavg", "logistic", rounds=1)
    >>> found = lineup(base, ["fedavg", "fairfed"], seeds=[0, 1])
    >>> list(found), found["fairfed", 1].algorithm.args["attribute"]
    ([('fedavg', 0), ('fairfed', 0), ('fedavg', 1), ('fairfed', 1)], 'sex')
    """
    _, numbers, wanted = _asked(experiment, strategies, seeds, attribute)
    return _runs(wanted, numbers)


def _asked(
    experiment: Experiment, strategies: Iterable[str | Use] | Mapping[str, str | Use], seeds: Iterable[int],
    attribute: str | None,
) -> tuple[str, tuple[int, ...], dict[str, _Strategy]]:  # fmt: skip
    """Check what a caller asks for; return the attribute, the seeds and the strategies by label."""
    name = _attribute(experiment, attribute)
    numbers = tuple(seeds)
    if not numbers or len(set(numbers)) != len(numbers):
        raise ValueError(f"seeds must be at least one and differ, got {', '.join(map(str, numbers)) or 'none'}")
    wanted = {label: _strategy(experiment, each, name) for label, each in _labelled(strategies).items()}
    if not wanted:
        raise ValueError("strategies must be at least one, got none")
    return name, numbers, wanted


def _runs(wanted: Mapping[str, _Strategy], seeds: Iterable[int]) -> dict[tuple[str, int], Experiment]:
    return {(label, seed): each.experiment.change(seed=seed) for seed in seeds for label, each in wanted.items()}


def _attribute(experiment: Experiment, attribute: str | None) -> str:
    if experiment.axis != "rows":
        raise ValueError(f"clients must hold rows to be compared, got a split of {experiment.axis}")
    known = data_of(experiment).sensitive
    if not known:
        raise ValueError(f"data must have a protected attribute to be compared by, got {experiment.data.name} without")
    name = attribute or next(iter(known))
    if name not in known:
        raise ValueError(f"attribute must be one of {', '.join(known)}, got {name!r}")
    return name


def _labelled(strategies: Iterable[str | Use] | Mapping[str, str | Use]) -> dict[str, Use]:
    given = list(strategies.items()) if isinstance(strategies, Mapping) else [(None, each) for each in strategies]
    found: dict[str, Use] = {}
    for label, each in given:
        if not isinstance(each, (str, Use)):
            raise TypeError(f"a strategy must be a name or a use, got {each!r}")
        chosen = Use(each) if isinstance(each, str) else each
        called = label or chosen.name
        if called in found:
            raise ValueError(f"strategies must differ by name or by label, got {called!r} twice")
        found[called] = chosen
    return found


def _strategy(experiment: Experiment, wanted: Use, attribute: str) -> _Strategy:
    if wanted.name == THRESHOLDS:
        args = dict(wanted.args)
        goal: Any = args.pop("goal", "parity")
        if args or goal not in get_args(Goal):
            raise ValueError(f"thresholds takes a goal, 'parity' or 'opportunity', got {dict(wanted.args)}")
        return _Strategy(experiment, goal)
    own, known = experiment.algorithm, {parameter.name for parameter in ALGORITHMS[wanted.name].parameters}
    kept = own.args if own.name == wanted.name else {name: own.args[name] for name in _CARRIED if name in own.args}
    cares = {"attribute": attribute} if "attribute" in known else {}
    args = {name: value for name, value in {**kept, **cares}.items() if name in known}
    return _Strategy(experiment.change(algorithm=Use(wanted.name, {**args, **wanted.args})))


def _refusal(experiment: Experiment) -> str:
    try:
        build(experiment)
    except ValueError as error:
        return str(error)
    return ""


def _outcome(record: RunRecord, goal: Goal | None, attribute: str) -> Outcome:
    sent = float(record.bytes_up.sum() + record.bytes_down.sum())
    if goal is None:
        return Outcome(record.last.accuracy, record.groups, sent)
    found = adjust_thresholds(record, attribute, goal)
    return Outcome(found.accuracy, found.groups, sent)
