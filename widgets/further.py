"""Arguments of an experiment that no slider moves: which there are, and when a control drops them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from trustkit import Experiment
from trustkit.catalogue import ALGORITHMS, ATTACKS, DATASETS, FAULTS, MODELS, PRIVACY, SPLITS

__all__ = ["DROPS", "Arguments", "kept", "rest_of"]

DROPS = {
    "rows": {
        "data": ("data__", "split__"),
        "rows_split": ("split__",),
        "strategy": ("algorithm__",),
        "model": ("model__",),
        "level": ("privacy__",),
        "epsilon": ("privacy__noise",),
        "attack": ("attack__",),
        "faults": ("faults__",),
    },
    "columns": {
        "table": ("data__", "split__"),
        "columns_split": ("split__",),
        "joint": ("algorithm__",),
        "guard": ("privacy__",),
    },
}
"""By axis: what a change of a control drops of the further arguments, by the start of their names."""

Arguments = tuple[tuple[str, Any], ...]
"""Further arguments by name."""


def kept(more: Arguments, drops: Mapping[str, tuple[str, ...]], moved: Collection[str]) -> Arguments:
    """Return the further arguments that stay when controls move.

    Parameters
    ----------
    more : tuple of (str, object)
        Further arguments, as ``("algorithm__lr", 0.1)``.
    drops : mapping of str to tuple of str
        One axis of `DROPS`.
    moved : collection of str
        The controls.

    Returns
    -------
    tuple of (str, object)
        Sorted.

    Examples
    --------
    >>> kept((("model__hidden", (5,)), ("algorithm__lr", 0.1)), DROPS["rows"], ["model"])
    (('algorithm__lr', 0.1),)
    """
    starts = tuple(start for name in moved for start in drops.get(name, ()))
    return tuple(sorted((key, value) for key, value in more if not key.startswith(starts)))


def rest_of(experiment: Experiment) -> dict[str, Any]:
    """Return the arguments of an experiment that no slider moves and that are not the defaults anyway.

    Parameters
    ----------
    experiment : Experiment
        Any.

    Returns
    -------
    dict
        By part and name, as ``algorithm__lr``.

    Examples
    --------
    >>> rest_of(Experiment("digits", "iid", "fedavg", "logistic", attack="label_flip").change(algorithm__lr=0.5))
    {'algorithm__lr': 0.5}
    """
    parts = {
        "data": (DATASETS, experiment.data),
        "split": (SPLITS, experiment.split),
        "algorithm": (ALGORITHMS, experiment.algorithm),
        "model": (MODELS, experiment.model),
        "privacy": (PRIVACY, experiment.privacy),
        "attack": (ATTACKS, experiment.attack),
        "faults": (FAULTS, experiment.faults),
    }
    moved = {"split": {"alpha", "beta", "parties"}}
    if experiment.axis == "rows":  # across columns a form has all of a mechanism
        moved["privacy"] = {"epsilon", "level"}
    return {
        f"{part}__{name}": value
        for part, (catalogue, used) in parts.items()
        if used is not None
        for name, value in used.args.items()
        if name not in moved.get(part, ()) and value != catalogue[used.name].arguments({})[name]
    }
