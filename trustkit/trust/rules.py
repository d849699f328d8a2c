"""Normalisers that are values: what they have in common, and how their numbers are checked."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

__all__ = ["Rule", "keep", "number", "numbers", "positive", "scores", "words_of"]


class Rule:
    """A normaliser that is a value: two of the same kind and numbers are equal, and it says in words what it does."""

    undefined: ClassVar[float] = 0.0
    """The score of a value that is not defined, under a profile that scores what is missing 0."""

    @property
    def words(self) -> str:
        """What the rule does, as half a sentence."""
        raise NotImplementedError

    def __call__(self, value: float) -> float:
        raise NotImplementedError


def number(name: str, value: Any) -> float:
    """Return a finite number, or say what is wrong with it.

    Parameters
    ----------
    name : str
        For the message.
    value : object
        What was given.

    Returns
    -------
    float
        The number.

    Raises
    ------
    TypeError, ValueError
        If it is no number, or not finite.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} must be a number, got {value!r:.60}")
    if not math.isfinite(value):
        raise ValueError(f"{name} must be finite, got {value!r}")
    return float(value)


def numbers(name: str, values: Any) -> tuple[float, ...]:
    """Return a list of finite numbers, or say what is wrong with it.

    Parameters
    ----------
    name : str
        For the message.
    values : object
        What was given.

    Returns
    -------
    tuple of float
        The numbers.

    Raises
    ------
    TypeError, ValueError
        If it is no list, or an entry is no finite number.
    """
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise TypeError(f"{name} must be a list of numbers, got {values!r:.60}")
    return tuple(number(name, value) for value in values)


def scores(name: str, values: Any) -> tuple[float, ...]:
    """Return a list of scores in [0, 1], or say what is wrong with it.

    Parameters
    ----------
    name : str
        For the message.
    values : object
        What was given.

    Returns
    -------
    tuple of float
        The scores.

    Raises
    ------
    TypeError, ValueError
        If it is no list, or an entry is no number in [0, 1].
    """
    checked = numbers(name, values)
    for score in checked:
        if not 0 <= score <= 1:
            raise ValueError(f"{name} must lie between 0 and 1, got {score:g}")
    return checked


def keep(rule: Rule, **values: Any) -> None:
    """Store checked values in a frozen rule.

    Parameters
    ----------
    rule : Rule
        Being made.
    **values
        By field.
    """
    for name, value in values.items():
        object.__setattr__(rule, name, value)


def positive(name: str, value: Any) -> float:
    """Return a finite number above 0, or say what is wrong with it.

    Parameters
    ----------
    name : str
        For the message.
    value : object
        What was given.

    Returns
    -------
    float
        The number.

    Raises
    ------
    TypeError, ValueError
        If it is no finite number above 0.
    """
    checked = number(name, value)
    if checked <= 0:
        raise ValueError(f"{name} must be above 0, got {checked:g}")
    return checked


def words_of(normaliser: Callable[[float], float]) -> str:
    """Say what a normaliser does.

    Parameters
    ----------
    normaliser : callable
        A `Rule`, or a function whose docstring says it.

    Returns
    -------
    str
        Half a sentence, without a full stop.

    Examples
    --------
    >>> from trustkit.trust.normalise import capped
    >>> words_of(capped)
    'score a non-negative number by itself up to 1: min(1, x)'
    """
    if isinstance(normaliser, Rule):
        return normaliser.words
    name = getattr(normaliser, "__name__", type(normaliser).__name__)
    first = (normaliser.__doc__ or name).strip().split("\n")[0].rstrip(".")
    return first[0].lower() + first[1:]
