"""A lesson: a task, controls that are hidden, goals that are checked at once, and hints, one after the other."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trustkit.quantities import QUANTITIES, Seen, quantity_named

__all__ = ["HIDABLE", "SECTIONS", "Checked", "Goal", "Lesson", "Verdict", "verdict_of"]

SECTIONS: Mapping[str, str] = {
    "overview": "Overview", "split": "Split", "correlation": "Correlation", "vertical": "Vertical", "train": "Train",
    "privacy": "Privacy", "attack": "Attack", "fairness": "Fairness", "trust": "Trust", "compare": "Compare",
    "report": "Report",
}  # fmt: skip
"""The sections of the page by name, with what they are called; a link names the one that it opens."""

HIDABLE: Mapping[str, str] = {
    "axis": "rows or columns", "data": "data set", "split": "split", "alpha": "slider α", "beta": "slider β",
    "epsilon": "slider ε", "clients": "slider K", "selection": "slider q", "rounds": "slider T",
    "level": "whom ε protects", "training": "algorithm", "model": "model", "auto": "run when a slider is let go",
    "slow": "slow motion", "step": "Step", "more": "more settings", "preset": "presets", "history": "runs so far",
    "undo": "Undo", "redo": "Redo", "reset": "Reset", "pin": "Pin", "report": "Report", "link": "Link", "code": "Code",
    "lesson": "the form for lesson links", "tour": "the first minute", "tiles": "tiles of numbers",
    "correlation-view": "correlation", "split-view": "who holds what",
    "fairness-view": "fairness by client", "training-view": "accuracy by round", "vertical-view": "across columns",
    "groups-view": "groups", "attack-view": "attacks", "scores-view": "where the score comes from",
    "replicas-view": "is it real?", "privacy-view": "privacy against utility", "compare-view": "runs compared",
    "report-view": "report and figures",
    **{f"{name}-section": f"section {title}" for name, title in SECTIONS.items() if name != "overview"},
}  # fmt: skip
"""What a lesson can hide, by name, in words; Run, Stop and the section Overview stay."""

_TASK, _HINT, _GOALS, _HINTS = 600, 300, 6, 6


@dataclass(frozen=True)
class Goal:
    """A line that a number has to reach.

    Parameters
    ----------
    metric : str
        A name of `trustkit.quantities.QUANTITIES`.
    at_least, at_most : float, optional
        Ends of the range; at least one of them.

    Raises
    ------
    KeyError
        If there is no such quantity.
    TypeError, ValueError
        If no end is given, one is not a finite number, or they leave nothing between them.

    Examples
    --------
    >>> Goal("fairness.demographic_disparity", at_most=0.05).said
    "worst client's demographic disparity at most 0.05"
    """

    metric: str
    at_least: float | None = None
    at_most: float | None = None

    def __post_init__(self) -> None:
        quantity_named(self.metric)
        for name in ("at_least", "at_most"):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))):
                raise TypeError(f"{name} of a goal must be a number, got {value!r}")
            if value is not None and not abs(value) <= 1e12:
                raise ValueError(f"{name} of a goal must be finite and at most 1e12, got {value!r}")
        if self.at_least is None and self.at_most is None:
            raise ValueError(f"a goal on {self.metric} must say at_least or at_most, got neither")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise ValueError(f"at_least must not be above at_most, got {self.at_least:g} and {self.at_most:g}")

    @property
    def said(self) -> str:
        """The goal in words."""
        ends = [("at least", self.at_least), ("at most", self.at_most)]
        return f"{QUANTITIES[self.metric].title} {' and '.join(f'{w} {v:g}' for w, v in ends if v is not None)}"

    def holds(self, value: float) -> bool:
        """Tell whether a value reaches the goal; both ends count as reached.

        Parameters
        ----------
        value : float
            Finite or infinite.

        Returns
        -------
        bool
            Whether it does.

        Examples
        --------
        >>> Goal("accuracy", at_least=0.8).holds(0.8)
        True
        """
        low = -math.inf if self.at_least is None else self.at_least
        high = math.inf if self.at_most is None else self.at_most
        return low <= value <= high

    def to_dict(self) -> dict[str, Any]:
        """Return plain values.

        Returns
        -------
        dict
            ``metric``, and the ends that are given.
        """
        ends = {"at_least": self.at_least, "at_most": self.at_most}
        return {"metric": self.metric, **{name: value for name, value in ends.items() if value is not None}}


@dataclass(frozen=True)
class Checked:
    """A goal, the value that it was held against, whether it is met (``None``: not known), and why that is so."""

    goal: Goal
    value: float | None
    met: bool | None
    why: str = ""


@dataclass(frozen=True)
class Verdict:
    """All goals of a lesson, checked."""

    checks: tuple[Checked, ...]

    @property
    def met(self) -> bool | None:
        """Whether all are met; ``None`` if one is not known and none is missed."""
        found = [check.met for check in self.checks]
        return False if False in found else None if None in found or not found else True

    @property
    def said(self) -> str:
        """The verdict in one sentence."""
        reached = sum(check.met is True for check in self.checks)
        if self.met:
            return "Goal reached." if len(self.checks) == 1 else f"All {reached} goals reached."
        why = next((check.why for check in self.checks if check.met is None and check.why), "")
        if self.met is None:
            return f"Not decided yet: {why or 'nothing is measured'}."
        return "Not reached yet." if len(self.checks) == 1 else f"{reached} of {len(self.checks)} goals reached so far."


def _check(goal: Goal, seen: Seen) -> Checked:
    quantity = QUANTITIES[goal.metric]
    if quantity.source == "run":
        if seen.record is None or not len(seen.record):
            return Checked(goal, None, None, "nothing has been trained, press Run")
        if seen.experiment is not None and seen.record.experiment != seen.experiment:
            return Checked(goal, None, None, "the controls have moved since, press Run")
        if not seen.record.complete:
            return Checked(goal, None, None, "the run is not over, press Run")
    value = quantity.read(seen)
    if value is None or math.isnan(value):
        return Checked(goal, value, None, f"{quantity.title} is not defined here")
    return Checked(goal, float(value), goal.holds(value))


def verdict_of(goals: Sequence[Goal], seen: Seen) -> Verdict:
    """Check goals against what there is.

    Parameters
    ----------
    goals : sequence of Goal
        What is to be reached.
    seen : Seen
        What the controls ask for, and the newest result. A result of other controls decides nothing.

    Returns
    -------
    Verdict
        A goal on the split or on the controls is decided without a run.

    Examples
    --------
    >>> from trustkit import Experiment, use
    >>> asked = Experiment("wine", use("iid", parties=3), model="logistic", participation=0.5)
    >>> goals = [Goal("participation", at_most=0.5), Goal("accuracy", at_least=0.8)]
    >>> [check.met for check in verdict_of(goals, Seen(asked)).checks]
    [True, None]
    """
    return Verdict(tuple(_check(goal, seen) for goal in goals))


@dataclass(frozen=True)
class Lesson:
    """What a teacher puts on a page.

    Parameters
    ----------
    task : str
        What to do, at most 600 characters.
    hidden : tuple of str
        Names of `HIDABLE`.
    goals : tuple of Goal
        At most 6; all have to be met.
    hints : tuple of str
        At most 6, each at most 300 characters.

    Raises
    ------
    KeyError
        If nothing of a name can be hidden.
    TypeError, ValueError
        If something is too long, too many or no text.
    """

    task: str = ""
    hidden: tuple[str, ...] = ()
    goals: tuple[Goal, ...] = ()
    hints: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _text("the task", self.task, _TASK)
        for name in self.hidden:
            _text("what is hidden", name, 40)
            if name not in HIDABLE:
                close = difflib.get_close_matches(name, HIDABLE, n=1, cutoff=0.8)
                hint = f"did you mean {close[0]!r}? " if close else ""
                raise KeyError(f"{name!r} cannot be hidden; {hint}what can be is {', '.join(HIDABLE)}")
        if len(self.goals) > _GOALS or len(self.hints) > _HINTS or len(self.hidden) > len(HIDABLE):
            raise ValueError(f"a lesson must have at most {_GOALS} goals and {_HINTS} hints, "
                             f"got {len(self.goals)} and {len(self.hints)}")  # fmt: skip
        for hint in self.hints:
            _text("a hint", hint, _HINT)

    def __bool__(self) -> bool:
        return bool(self.task or self.hidden or self.goals or self.hints)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values.

        Returns
        -------
        dict
            Without what is empty.
        """
        found = {"task": self.task, "hidden": list(self.hidden), "goals": [goal.to_dict() for goal in self.goals],
                 "hints": list(self.hints)}  # fmt: skip
        return {name: value for name, value in found.items() if value}

    @classmethod
    def from_dict(cls, content: Any) -> Lesson:
        """Read what `to_dict` wrote.

        Parameters
        ----------
        content : mapping
            From anywhere.

        Returns
        -------
        Lesson
            Checked.

        Raises
        ------
        KeyError, TypeError, ValueError
            If it is no lesson.
        """
        content = _mapping("a lesson", content, ("task", "hidden", "goals", "hints"))
        lists = {name: content.get(name, []) for name in ("hidden", "goals", "hints")}
        for name, value in lists.items():
            if not isinstance(value, list):
                raise TypeError(f"{name} of a lesson must be a list, got {type(value).__name__}")
        goals = [Goal(**_mapping("a goal", goal, ("metric", "at_least", "at_most"))) for goal in lists["goals"]]
        return cls(content.get("task", ""), tuple(lists["hidden"]), tuple(goals), tuple(lists["hints"]))


def _mapping(what: str, content: Any, known: tuple[str, ...]) -> dict[str, Any]:
    """Return a mapping of known keys, whose first is text and is there if it is a goal's."""
    if not isinstance(content, dict):
        raise TypeError(f"{what} must be a mapping, got {type(content).__name__}")
    for name in content:
        if name not in known:
            raise ValueError(f"{what} has no {name!r}; it has {', '.join(known)}")
    if known[0] == "metric" and not isinstance(content.get("metric"), str):
        raise TypeError(f"{what} must name a metric, got {content.get('metric')!r}")
    return content


def _text(what: str, text: Any, most: int) -> None:
    if not isinstance(text, str):
        raise TypeError(f"{what} must be text, got {type(text).__name__}")
    if len(text) > most:
        raise ValueError(f"{what} must have at most {most} characters, got {len(text)}")
