"""`compare_algorithms`: the same columns under one algorithm after the other, and along a series of splits."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from typing import Literal

from trustkit.catalogue import ALGORITHMS, SPLITS, Use, use
from trustkit.comparison.crossing import Crossing, Place
from trustkit.comparison.kept import play_all
from trustkit.experiment import Experiment
from trustkit.records import Progress
from trustkit.rounds import build, partition_of

__all__ = ["ALONG", "FAMILIES", "YARDSTICKS", "compare_algorithms", "crossed"]

ALONG: Mapping[str, tuple[float, ...]] = {"alpha": (0.1, 1.0, 10.0, 100.0), "beta": (0.0, 0.3, 0.6, 1.0)}
"""The values of VertiBench's experiments, by the parameter of the split that they are given to."""

FAMILIES: tuple[frozenset[str], ...] = (
    frozenset({"splitnn", "solo", "pooled"}),
    frozenset({"gal", "al"}),
    frozenset({"fedtree", "secureboost", "vf2boost", "pivot", "solo_trees", "pooled_trees"}),
)
"""Algorithms whose parameters of one name mean the same: the experiment's own are given to its whole family."""

YARDSTICKS = ("solo", "pooled", "solo_trees", "pooled_trees")
"""No federation: one party alone, or all columns at one place."""

_SPLIT_BY = {"alpha": "importance", "beta": "correlation"}

Along = Literal["", "alpha", "beta"]


def crossed(
    experiment: Experiment, algorithms: Iterable[str | Use], along: Along = "", values: Collection[float] = ()
) -> dict[Place, Experiment]:
    """Return the experiments of algorithms times splits, without playing them.

    Parameters
    ----------
    experiment : Experiment
        Over columns: data, split, rounds and seed of all.
    algorithms : iterable of str or Use
        Over columns, each once. A name takes the arguments of the experiment's own algorithm, as far as it is of its
        family (`FAMILIES`) and has them too, else its defaults. Yardsticks send nothing, so they have no privacy
        mechanism.
    along : {"", "alpha", "beta"}
        What of the split is varied; by default nothing. Where the experiment's split has no such parameter, columns are
        dealt by importance (α) or correlation (β) to as many parties.
    values : collection of float
        By default those of VertiBench's experiments, `ALONG`.

    Returns
    -------
    dict of (str, float or None) to Experiment
        By algorithm and value, all algorithms of the first value first.

    Raises
    ------
    KeyError
        If an algorithm is unknown.
    ValueError
        If the experiment or an algorithm is not over columns, one is named twice, there is none, or nothing such as
        ``along`` can be varied.

    Examples
    --------
    >>> base = Experiment("wine", use("importance", parties=2), use("fedtree", depth=3))
    >>> found = crossed(base, ["fedtree", "pooled_trees", "gal"], along="alpha", values=[1.0])
    >>> [(name, value, each.algorithm.args.get("depth")) for (name, value), each in found.items()]
    [('fedtree', 1.0, 3), ('pooled_trees', 1.0, 3), ('gal', 1.0, None)]
    """
    if experiment.axis != "columns":
        raise ValueError(f"algorithms are compared over columns, got an experiment over {experiment.axis}")
    wanted = _labelled(experiment, algorithms)
    if along and along not in ALONG:
        raise ValueError(f"splits are varied along {', '.join(ALONG)}, got {along!r}")
    if not along:
        return {(name, None): _by(experiment, each) for name, each in wanted.items()}
    splits = {float(value): _split(experiment, along, float(value)) for value in values or ALONG[along]}
    return {(name, value): _by(experiment.change(split=split), each)
            for value, split in splits.items() for name, each in wanted.items()}  # fmt: skip


def compare_algorithms(
    experiment: Experiment, algorithms: Iterable[str | Use] = ("splitnn", "fedtree", "gal", "solo", "pooled"),
    along: Along = "", values: Collection[float] = (), folder: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Crossing:  # fmt: skip
    """Play algorithms over columns on the same split, or on a series of splits.

    Parameters
    ----------
    experiment : Experiment
        Over columns: data, split, rounds and seed of all.
    algorithms : iterable of str or Use
        As `crossed` takes them.
    along : {"", "alpha", "beta"}
        What of the split is varied; by default nothing.
    values : collection of float
        By default those of VertiBench's experiments.
    folder : path-like, optional
        Where each run is kept as soon as it is finished; a comparison that was ended goes on from there.
    progress : callable, optional
        Told what is played and how much is done, 0 … 1; it may raise `trustkit.records.Stopped`.

    Returns
    -------
    Crossing
        By algorithm and value. What the data do not allow is in it with the reason.

    Raises
    ------
    KeyError, ValueError
        As `crossed`.

    Notes
    -----
    A round is a pass over the rows for a network, one tree a class for boosted trees, and one assistance, with many
    local passes, for GAL and AL. Compare algorithms by what they reach or by what they send, not round by round.

    Examples
    --------
    >>> found = compare_algorithms(Experiment("wine", use("uniform", parties=2), rounds=1, algorithm="fedtree"),
    ...                            ["fedtree", "solo_trees"])
    >>> found.frame()["algorithm"].tolist(), bool(found.frame()["sent"][1] == 0)
    (['fedtree', 'solo_trees'], True)
    """
    wanted = crossed(experiment, algorithms, along, values)
    refused = {place: _refusal(each) for place, each in wanted.items()}
    todo = {each.key: each for place, each in wanted.items() if not refused[place]}
    order = list(todo.values())

    def tell(done: int, part: float) -> None:
        if progress is not None and done < len(order):
            progress(ALGORITHMS[order[done].algorithm.name].title, (done + part) / len(order))

    found = {record.experiment.key: record for record in play_all(order, folder, None, tell)}
    if progress is not None:
        progress("compared", 1.0)
    records = {place: found[each.key] for place, each in wanted.items() if not refused[place]}
    return Crossing(wanted, records, {place: why for place, why in refused.items() if why}, along)


def _by(experiment: Experiment, algorithm: Use) -> Experiment:
    """Return the same under an algorithm; a yardstick sends nothing that a mechanism could be put on."""
    if algorithm.name in YARDSTICKS and experiment.privacy is not None:
        return experiment.change(algorithm=algorithm, privacy=None)
    return experiment.change(algorithm=algorithm)


def _labelled(experiment: Experiment, algorithms: Iterable[str | Use]) -> dict[str, Use]:
    found: dict[str, Use] = {}
    for each in algorithms:
        name = each if isinstance(each, str) else each.name
        entry = ALGORITHMS[name]
        if entry.axis != "columns":
            raise ValueError(f"algorithms must be over columns, got {name!r} over {entry.axis}")
        if name in found:
            raise ValueError(f"algorithms must each be named once, got {name!r} twice")
        found[name] = _given(experiment.algorithm, name) if isinstance(each, str) else each
    if not found:
        raise ValueError("algorithms must be at least one, got none")
    return found


def _given(own: Use, name: str) -> Use:
    """Return an algorithm with what it shares with the experiment's own."""
    if name == own.name:
        return own
    if not any({name, own.name} <= family for family in FAMILIES):
        return use(name)
    takes = {parameter.name for parameter in ALGORITHMS[name].parameters}
    return use(name, **{key: value for key, value in own.args.items() if key in takes})


def _split(experiment: Experiment, along: str, value: float) -> Use:
    own = experiment.split
    if along in {parameter.name for parameter in SPLITS[own.name].parameters}:
        return use(own.name, **{**own.args, along: value})
    parties = own.args.get("parties") or partition_of(experiment).parties
    return use(_SPLIT_BY[along], parties=parties, **{along: value})


def _refusal(experiment: Experiment) -> str:
    try:
        build(experiment)
    except ValueError as error:
        return str(error)
    return ""
