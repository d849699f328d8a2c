"""`check`: an exercise's verdict at once, in words, with the numbers, the lines and what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from trustkit.workshop.exercises import EXERCISES
from trustkit.workshop.judging import Found, foretold, seen_of

__all__ = ["Checking", "check"]

_MARKS = {True: "✓ reached      ", False: "✗ not reached  ", None: "– not known yet"}


@dataclass(frozen=True)
class Checking:
    """A verdict on an exercise; printed, it says everything.

    Parameters
    ----------
    number, title : str
        Of the exercise.
    found : tuple of Found
        Its conditions.
    predictions : tuple of str
        What was predicted, beside what came.
    hints : tuple of str
        Those that were asked for.
    more : int
        Hints that are left.
    """

    number: str
    title: str
    found: tuple[Found, ...]
    predictions: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    more: int = 0

    @property
    def met(self) -> bool | None:
        """Whether every condition is met; ``None`` if one is not known and none is missed."""
        states = [each.met for each in self.found]
        return False if False in states else None if None in states or not states else True

    @property
    def said(self) -> str:
        """The verdict in one sentence."""
        reached, count = sum(each.met is True for each in self.found), len(self.found)
        if self.met:
            return "Done."
        if self.met is None:
            return f"Not decided yet: {next(each.now for each in self.found if each.met is None)}."
        return f"Not yet: {reached} of {count} conditions {'is' if reached == 1 else 'are'} met."

    def __repr__(self) -> str:
        lines = [f"Exercise {self.number}, {self.title}. {self.said}"]
        lines += [f"  {_MARKS[each.met]}  {each.said}{f': {each.now}' if each.now else ''}" for each in self.found]
        lines += [f"  {said[:1].upper()}{said[1:]}." for said in self.predictions]
        lines += [f"  Hint {k}: {hint}" for k, hint in enumerate(self.hints, 1)]
        if not self.met and self.more:
            lines.append(f"  hints={len(self.hints) + 1} in the call shows {'the next' if self.hints else 'one'} hint.")
        return "\n".join(lines)


def check(number: str, tried: Any = None, *, predicted: Mapping[str, float] | None = None, hints: int = 0) -> Checking:
    """Check an exercise of the workshop.

    Parameters
    ----------
    number : str
        As ``"02"`` or ``"03b"``.
    tried : object, optional
        What is handed in: the page's `trustkit.widgets.Lab`, an `Experiment` or a `RunRecord`; in 00 the code, in 03b a
        letter, in 05 also one or two mappings of weights, in 06 a folder.
    predicted : mapping of str to float, optional
        What you expected, by name of `trustkit.quantities.QUANTITIES`; shown beside what came, it decides nothing.
    hints : int
        How many hints to show, from 0.

    Returns
    -------
    Checking
        Nothing is trained for it. What has not been run is not known yet, which is no failure.

    Raises
    ------
    KeyError
        If there is no such exercise or quantity.
    TypeError, ValueError
        If what is handed in is of another kind, or hints is no whole number from 0.

    Examples
    --------
    >>> check("03b", "a").met
    False
    >>> check("03b")
    Exercise 03b, Private, and yet its indistinguishability is 0. Not decided yet: got nothing.
      – not known yet  one of a, b, c, d is chosen, and it is the reason: got nothing
      hints=1 in the call shows one hint.
    """
    if number not in EXERCISES:
        raise KeyError(f"there is no exercise {number!r}; there are {', '.join(EXERCISES)}")
    if isinstance(hints, bool) or not isinstance(hints, int) or hints < 0:
        raise ValueError(f"hints must be a whole number from 0, got {hints!r}")
    exercise = EXERCISES[number]
    said = foretold(predicted, seen_of(tried)) if predicted else ()
    shown = exercise.hints[:hints]
    return Checking(number, exercise.title, exercise.judge(tried), said, shown, len(exercise.hints) - len(shown))
