"""What is handed in, held against conditions: each says itself in words, whether it is met, and by how much not."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from trustkit.experiment import Experiment
from trustkit.facts import facts_of
from trustkit.frontier import differences
from trustkit.lesson import Checked, Goal, verdict_of
from trustkit.quantities import QUANTITIES, Seen
from trustkit.records import RunRecord
from trustkit.rounds import partition_of
from trustkit.trust import TrustReport, assess

__all__ = ["Found", "Judge", "Page", "amount", "foretold", "held_share", "reached", "seen_of"]


@runtime_checkable
class Page(Protocol):
    """What a `trustkit.widgets.Lab` shows of itself here."""

    experiment: Experiment | None
    outcome: Any
    baseline: Any
    profile: str

    def report(self, outcome: Any = None) -> TrustReport | None:
        """Assess a result with the weights of the controls."""


@dataclass(frozen=True)
class Found:
    """A condition in words, whether it is met (``None``: not known), and what there is, or what is missing."""

    said: str
    met: bool | None
    now: str = ""


_NOTHING = "nothing was handed in"

Judge = Callable[[Any], tuple[Found, ...]]
"""Takes what is handed in; an exercise has one."""


def amount(value: float) -> str:
    """Write a number as verdicts do.

    Parameters
    ----------
    value : float
        Any.

    Returns
    -------
    str
        Whole numbers as such, others with three digits behind the point, or more of them if it is small.

    Examples
    --------
    >>> amount(20.0), amount(0.7736), amount(0.0004), amount(float("inf"))
    ('20', '0.774', '0.0004', '∞')
    """
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if value == round(value):
        return f"{value:.0f}"
    return f"{value:.3f}" if abs(value) >= 0.0005 else f"{value:.1g}"


def seen_of(tried: Any) -> Seen:
    """Return what there is to read numbers off.

    Parameters
    ----------
    tried : Page, Experiment, RunRecord or None
        A page's state; what is asked for; or what was played, which is scored by profile "paper".

    Returns
    -------
    Seen
        Empty for ``None``.

    Raises
    ------
    TypeError
        If it is something else.
    """
    if tried is None:
        return Seen()
    if isinstance(tried, Experiment):
        return Seen(tried)
    if isinstance(tried, RunRecord):
        return Seen(tried.experiment, tried, assess(facts_of(tried)) if len(tried) else None)
    if isinstance(tried, Page):
        record = None if tried.outcome is None else tried.outcome.record
        return Seen(tried.experiment, record, tried.report())
    raise TypeError(f"what is checked must be a Lab, an Experiment or a RunRecord, got {type(tried).__name__}")


def held_share(experiment: Experiment) -> float | None:
    """Return the share of importance that the largest party holds.

    Parameters
    ----------
    experiment : Experiment
        Any; only its data, split and seed matter.

    Returns
    -------
    float or None
        In [0, 1], measured on the columns that were dealt, not the share that was drawn; ``None`` if the split does not
        measure it.
    """
    held = partition_of(experiment).achieved.get("importance")
    return None if held is None else float(max(held))


def reached(
    goals: Sequence[Goal],
    start: Experiment | None = None,
    free: Collection[str] = (),
    held_above: float | None = None,
) -> Judge:
    """Return a judge of goals, of what may change beside them, and of a party's importance.

    Parameters
    ----------
    goals : sequence of Goal
        All have to be met.
    start : Experiment, optional
        What must not change but in its free parts.
    free : collection of str
        Parts of an experiment, as ``"split"``.
    held_above : float, optional
        The share of importance that the largest party has to exceed, in [0, 1].

    Returns
    -------
    callable
        Takes a page, an experiment or a record.
    """

    def judge(tried: Any) -> tuple[Found, ...]:
        seen = seen_of(tried)
        found = [_line(check, tried is None) for check in verdict_of(goals, seen).checks]
        if held_above is not None:
            found.insert(0, _held(seen.experiment, held_above))
        if start is not None:
            found.append(_unchanged(seen.experiment, start, free))
        return tuple(found)

    return judge


def _line(check: Checked, empty: bool) -> Found:
    if check.met is None:
        return Found(check.goal.said, None, _NOTHING if empty else check.why)
    return Found(check.goal.said, check.met, f"it is {amount(check.value or 0.0)}{_away(check)}")


def _away(check: Checked) -> str:
    """Say how far a value is from the line that it misses."""
    goal, value = check.goal, check.value
    if check.met or value is None:
        return ""
    if goal.at_least is not None and value < goal.at_least:
        return f", {amount(goal.at_least - value)} too little"
    return f", {amount(value - goal.at_most)} too much" if goal.at_most is not None else ""


def _held(experiment: Experiment | None, line: float) -> Found:
    said = f"largest party's importance, as measured, above {line:g}"
    if experiment is None:
        return Found(said, None, _NOTHING)
    value = held_share(experiment)
    if value is None:
        return Found(said, None, "this split does not measure it, take the split by both (α, β)")
    away = "" if value > line else f", {amount(line - value)} too little"
    return Found(said, value > line, f"it is {amount(value)}{away}")


def _unchanged(experiment: Experiment | None, start: Experiment, free: Collection[str]) -> Found:
    said = f"nothing else changed than {', '.join(free)}"
    if experiment is None:
        return Found(said, None, _NOTHING)
    if experiment.axis != start.axis:
        return Found(said, False, f"{start.axis} were divided, now {experiment.axis} are")
    moved = differences(start.change(**{part: getattr(experiment, part) for part in free}), experiment)
    return Found(said, not moved, "; ".join(moved))


def foretold(predicted: Mapping[str, float], seen: Seen) -> tuple[str, ...]:
    """Say how far predictions are from what came.

    Parameters
    ----------
    predicted : mapping of str to float
        By name of `trustkit.quantities.QUANTITIES`.
    seen : Seen
        What there is.

    Returns
    -------
    tuple of str
        A sentence for each; a prediction is neither right nor wrong.

    Raises
    ------
    KeyError
        If there is no such quantity.
    """
    said = []
    for name, guess in predicted.items():
        (check,) = verdict_of([Goal(name, at_least=float(guess))], seen).checks
        title = QUANTITIES[name].title
        if check.value is None or math.isnan(check.value):
            said.append(f"you predicted {title} {amount(guess)}; {check.why or 'it is not known yet'}")
        else:
            said.append(f"you predicted {title} {amount(guess)}; it is {amount(check.value)}, "
                        f"{amount(abs(check.value - guess))} away")  # fmt: skip
    return tuple(said)
