"""Bias on purpose: favourable rows of chosen groups are dropped, or their labels flipped, until gaps are as asked.

What is changed is the training rows. Whatever is held out, is held out before: its labels stay as they came, and what
the same shares would have done to them is kept beside them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np

from trustkit.data import Dataset
from trustkit.metrics.coding import Coded
from trustkit.partition import Partition
from trustkit.records import Progress
from trustkit.rng import stream
from trustkit.split.closedforms import OutOfReachError, solve
from trustkit.split.dealing import report
from trustkit.split.injection import Injection, Reached, Target, label_gap, reached
from trustkit.split.searched import Measure, searched
from trustkit.split.tables import Cohort, attribute_codes, check_clients

__all__ = ["Method", "Operation", "inject_bias"]

Operation = Literal["drop", "flip", "drop_then_flip"]
Method = Literal["exact", "grid", "bisect"]

_SWEEPS = 20
"""So often the targets of one client are met in turn before they are given up."""


def inject_bias(
    data: Dataset,
    partition: Partition,
    targets: Target | Sequence[Target],
    *,
    operation: Operation = "drop",
    method: Method = "exact",
    by_dropping: float = 0.5,
    measure: Measure | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Injection:
    """Drop favourable rows, or flip favourable labels, until clients have the gaps that are asked for.

    Parameters
    ----------
    data : Dataset
        With classes and protected attributes; divided into training and held-out rows already (`hold_out` does it).
    partition : Partition
        Over rows.
    targets : Target or sequence of Target
        Who is to have what gap: ``[Target(range(10), "sex", 0.2), Target(range(10, 20), "race", 0.2, value=4)]``.
        A client may have several with ``method="exact"``; they are then met in turn until all hold.
    operation : {"drop", "flip", "drop_then_flip"}
        What is done to favourable rows of the groups whose rate is to fall.
    method : {"exact", "grid", "bisect"}
        "exact": closed forms set the gap of the labels. "grid": FeDa4Fair's search, the first of the shares 0.1, 0.2,
        …, 0.9 whose gap will do, always of the rows as they came. "bisect": the number of rows whose measured gap is
        nearest.
    by_dropping : float
        With "drop_then_flip", which part of the way down a rate is gone by dropping, in [0, 1].
    measure : callable, optional
        ``measure(client, rows, y)`` with the client's training rows that are left (r,) and the labels of all rows (n,)
        returns its gap, for example of a model trained on them. For "grid" (there by default the gap of the labels) and
        "bisect", which needs it.
    seed : int
        Which rows go, any integer. A wider gap takes the rows of a narrower one and some more.
    progress : callable, optional
        Told "injecting bias" and what part of the clients is done, 0 … 1; may raise `trustkit.records.Stopped`.

    Returns
    -------
    Injection
        Changed data, partition, labels both clean and biased, and tables of what was done and reached.

    Raises
    ------
    ValueError, TypeError
        If a parameter is out of range or a target out of reach; the message names client and group, and the largest gap
        that can be reached.
    KeyError
        If there is no such attribute.

    Notes
    -----
    A group of n rows, k of them favourable, with rate r = k/n, gets the rate r' by dropping d = (r − r')/(r (1 − r'))
    or flipping f = 1 − r'/r of its favourable rows, rounded to whole rows; an exact gap is met within one row of the
    smallest group compared. The gap of a model's predictions follows only loosely: for that there is "bisect".

    Source
    ------
    FeDa4Fair (Heilmann et al. 2025): dropping and flipping favourable rows of one group, dropping first.

    Deviations
    ----------
    The authors search shares on a grid and act on whole files before these are divided; here closed forms are the
    default, and held-out rows keep their labels.

    Examples
    --------
    >>> from trustkit.data import Provenance
    >>> y, sex = np.tile([1, 1, 0, 0, 0], 40), np.repeat(["f", "m"], 100)
    >>> made = Provenance("made up", "CC0", synthetic=True)
    >>> data = Dataset("d", np.zeros((200, 1)), y, ("a",), ("no", "yes"), made, sensitive={"sex": sex})
    >>> done = inject_bias(data, Partition("rows", np.zeros(200, int), 1), Target(0, "sex", 0.15, value="f"))
    >>> round(done.targets[0].achieved, 9), done.steps[0].dropped
    (0.15, 20)
    """
    wanted = (targets,) if isinstance(targets, Target) else tuple(targets)
    _settings_fit(data, partition, operation, method, by_dropping, measure)
    coded = {name: attribute_codes(data, name) for name in dict.fromkeys(each.attribute for each in wanted)}
    plans = _plans(partition.parties, wanted, coded, several=method == "exact")
    cohort = Cohort(data, partition, stream(seed, "inject_bias").random(data.y.size))
    mix = {"drop": 1.0, "flip": 0.0}.get(operation, float(by_dropping))
    for k, mine in plans.items():
        for target in mine:
            _fits(cohort, k, target, coded[target.attribute])
            if method == "exact":
                _solved(cohort.table(k, coded[target.attribute]), k, target, coded[target.attribute], mix)
    results: list[Reached] = []
    for done, (k, mine) in enumerate(plans.items()):
        if progress is not None:
            progress("injecting bias", done / len(plans))
        if method == "exact":
            results += _met(cohort, k, mine, coded, mix)
        else:
            results += [searched(cohort, k, mine[0], coded[mine[0].attribute], mix, method, measure)]
    if progress is not None:
        progress("injecting bias", 1.0)
    settings = {"operation": operation, "method": method, "by_dropping": mix, "seed": int(seed)}
    return _injection(data, partition, cohort, results, settings)


def _settings_fit(
    data: Dataset, partition: Partition, operation: str, method: str, by_dropping: float, measure: Measure | None
) -> None:
    check_clients(data, partition)
    for what, value, known in (("operation", operation, get_args(Operation)), ("method", method, get_args(Method))):
        if value not in known:
            raise ValueError(f"{what} must be one of {', '.join(known)}, got {value!r}")
    if operation != "drop" and data.task != "binary":
        raise ValueError(f"flipping needs 2 classes, got the {len(data.classes)} of {data.name}; drop rows instead")
    if not 0 <= by_dropping <= 1:
        raise ValueError(f"by_dropping must be between 0 and 1, got {by_dropping!r}")
    if method == "bisect" and measure is None:
        raise ValueError("bisect needs a measure, got None; exact sets the gap of the labels")
    if method == "exact" and measure is not None:
        raise ValueError(f"exact sets the gap of the labels and takes no measure, got {measure!r}")


def _plans(
    parties: int, targets: Sequence[Target], coded: dict[str, Coded], several: bool
) -> dict[int, tuple[Target, ...]]:
    """Return the targets by client."""
    plans: dict[int, tuple[Target, ...]] = {}
    if not targets:
        raise ValueError("targets must be at least 1, got none")
    for target in targets:
        values = coded[target.attribute].values
        if target.value is not None and target.value not in values:
            raise ValueError(f"{target.attribute} must be one of {', '.join(values)}, got {target.value!r}")
        for k in target.clients:
            if not 0 <= k < parties:
                raise ValueError(f"clients of a target must be between 0 and {parties - 1}, got {k}")
            if any(each.attribute == target.attribute for each in plans.get(k, ())):
                raise ValueError(f"client {k} must have one target for {target.attribute}, got two")
            if k in plans and not several:
                raise ValueError(f"a search takes one target a client, got several for client {k}")
            plans[k] = (*plans.get(k, ()), target)
    return dict(sorted(plans.items()))


def _low(target: Target, coded: Coded) -> int | None:
    return None if target.value is None else coded.values.index(target.value)


def _fits(cohort: Cohort, k: int, target: Target, coded: Coded) -> None:
    """Raise if a client lacks the groups of a target."""
    table = cohort.table(k, coded)
    present = np.flatnonzero(table.sum(axis=1))
    name = target.attribute
    if present.size < 2:
        raise ValueError(f"client {k} must have training rows of at least 2 values of {name}, got {present.size}")
    low = _low(target, coded)
    if low is not None and low not in present:
        raise ValueError(f"client {k} must have training rows of {name} {target.value}, got none")


def _solved(table: np.ndarray, k: int, target: Target, coded: Coded, mix: float) -> tuple[np.ndarray, np.ndarray]:
    try:
        return solve(table.sum(axis=1), table[:, 1], target.gap, _low(target, coded), target.at_most, mix)
    except OutOfReachError as error:
        group = coded.values[error.group]
        size, favourable = table[error.group].sum(), table[error.group, 1]
        why = f"{favourable} of its {size} training rows of {target.attribute} {group} are favourable"
        end = f"at {'least' if error.least else 'most'} {max(error.end, 0.0):.3g}"
        raise ValueError(
            f"client {k} can reach a gap of {end} for {target.attribute}, since {why}, got {target.gap:g}"
        ) from None


def _met(cohort: Cohort, k: int, targets: Sequence[Target], coded: dict[str, Coded], mix: float) -> list[Reached]:
    """Meet the targets of one client, in turn until nothing changes."""
    earlier = [cohort.table(k, coded[target.attribute]) for target in targets]
    for _ in range(_SWEEPS):
        changed = 0
        for target in targets:
            groups = coded[target.attribute]
            table = cohort.table(k, groups)
            try:
                changed += cohort.change(k, target.attribute, groups, *_solved(table, k, target, groups, mix))
            except ValueError:  # it could be met, before another target was
                raise _together(k, targets, target, label_gap(target, table, groups.values)[0]) from None
        if len(targets) == 1 or not changed:
            break
    results = [
        reached(k, target, was, cohort.table(k, coded[target.attribute]), coded[target.attribute].values)
        for target, was in zip(targets, earlier, strict=True)
    ]
    for target, each in zip(targets, results, strict=True):
        over = each.achieved - each.asked
        if over > each.rounding + 1e-9 or (-over > each.rounding + 1e-9 and not each.at_most):
            raise _together(k, targets, target, each.achieved)
    return results


def _together(k: int, targets: Sequence[Target], missed: Target, got: float) -> ValueError:
    names = " and ".join(target.attribute for target in targets)
    return ValueError(
        f"client {k} must be able to meet its targets for {names} together, in at most {_SWEEPS} turns, "
        f"got a gap of {got:.3g} for {missed.attribute} instead of {missed.gap:g}"
    )


def _injection(
    data: Dataset, partition: Partition, cohort: Cohort, results: list[Reached], settings: dict[str, Any]
) -> Injection:
    left_out = ~cohort.alive & (partition.owner >= 0)
    owner = np.where(left_out & ~data.held_out, -1, partition.owner)
    y = np.where(data.held_out, data.y, cohort.y)
    flipped = int((y != data.y).sum())
    told = {**settings, "dropped": int((left_out & ~data.held_out).sum()), "flipped": flipped}
    source = data.provenance.source + " (rows or labels changed on purpose)"
    changed = dataclasses.replace(
        data, y=y, notes={**data.notes, "bias": told}, provenance=dataclasses.replace(data.provenance, source=source)
    )
    measured = report(changed, owner, partition.parties, partition.achieved.get("seed", 0))
    achieved = {**partition.achieved, **measured, "unused": int((owner < 0).sum()), "bias": told,
                "gaps": [dataclasses.asdict(each) for each in results]}  # fmt: skip
    return Injection(
        changed, Partition("rows", owner, partition.parties, None, achieved), data.y, cohort.y, left_out,
        tuple(cohort.steps), tuple(results), settings,
    )  # fmt: skip
