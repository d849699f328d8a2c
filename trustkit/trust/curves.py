"""Normalisers that are curves through two or one given points: straight, logarithmic, capped, or without an end."""

from __future__ import annotations

import math
from dataclasses import dataclass

from trustkit.trust.normalise import identity
from trustkit.trust.rules import Rule, keep, number, positive

__all__ = ["Capped", "Linear", "Log", "Reciprocal", "Saturating"]


@dataclass(frozen=True)
class Linear(Rule):
    """Straight from the value that scores 0 to the value that scores 1, whichever is larger.

    Parameters
    ----------
    zero, one : float
        Different values; beyond them the score stays 0 or 1.

    Raises
    ------
    TypeError, ValueError
        If one is no finite number, or both are equal.

    Examples
    --------
    >>> Linear(zero=795, one=20)(407.5)
    0.5
    """

    zero: float
    one: float

    def __post_init__(self) -> None:
        keep(self, zero=number("zero", self.zero), one=number("one", self.one))
        if self.zero == self.one:
            raise ValueError(f"zero and one must differ, got {self.zero:g} for both")

    @property
    def words(self) -> str:
        """What the rule does."""
        return f"straight from 0 at {self.zero:g} to 1 at {self.one:g}"

    def __call__(self, value: float) -> float:
        return identity((value - self.zero) / (self.one - self.zero))


@dataclass(frozen=True)
class Log(Rule):
    """As `Linear`, on the logarithm of the value: each factor of ten counts the same.

    Parameters
    ----------
    zero, one : float
        Different values above 0.

    Raises
    ------
    TypeError, ValueError
        If one is no finite number above 0, or both are equal.

    Examples
    --------
    >>> Log(zero=1, one=10_000)(100)
    0.5
    """

    zero: float
    one: float

    def __post_init__(self) -> None:
        keep(self, zero=positive("zero", self.zero), one=positive("one", self.one))
        if self.zero == self.one:
            raise ValueError(f"zero and one must differ, got {self.zero:g} for both")

    @property
    def words(self) -> str:
        """What the rule does."""
        return f"on the logarithm, straight from 0 at {self.zero:g} to 1 at {self.one:g}"

    def __call__(self, value: float) -> float:
        if value <= 0:
            return float(self.one < self.zero)
        zero = math.log(self.zero)  # a ratio of the smallest and the largest numbers would vanish
        return identity((math.log(value) - zero) / (math.log(self.one) - zero))


@dataclass(frozen=True)
class Capped(Rule):
    """The value over a limit, up to 1.

    Parameters
    ----------
    limit : float
        Above 0; the value from which the score is 1.

    Raises
    ------
    TypeError, ValueError
        If it is no finite number above 0.

    Examples
    --------
    >>> Capped(limit=4)(1.0)
    0.25
    """

    limit: float = 1.0

    def __post_init__(self) -> None:
        keep(self, limit=positive("limit", self.limit))

    @property
    def words(self) -> str:
        """What the rule does."""
        return "the value itself, up to 1" if self.limit == 1 else f"the value over {self.limit:g}, up to 1"

    def __call__(self, value: float) -> float:
        return identity(value / self.limit)


@dataclass(frozen=True)
class Saturating(Rule):
    """Rising without end: x / (x + half).

    Parameters
    ----------
    half : float
        Above 0; the value that scores one half.

    Raises
    ------
    TypeError, ValueError
        If it is no finite number above 0.

    Examples
    --------
    >>> Saturating()(3.0)
    0.75
    """

    half: float = 1.0

    def __post_init__(self) -> None:
        keep(self, half=positive("half", self.half))

    @property
    def words(self) -> str:
        """What the rule does."""
        return f"x / (x + {self.half:g})"

    def __call__(self, value: float) -> float:
        return 1.0 if value == math.inf else max(0.0, value) / (max(0.0, value) + self.half)


@dataclass(frozen=True)
class Reciprocal(Rule):
    """Falling without end: half / (half + x).

    Parameters
    ----------
    half : float
        Above 0; the value that scores one half.

    Raises
    ------
    TypeError, ValueError
        If it is no finite number above 0.

    Examples
    --------
    >>> Reciprocal()(3.0)
    0.25
    """

    half: float = 1.0

    def __post_init__(self) -> None:
        keep(self, half=positive("half", self.half))

    @property
    def words(self) -> str:
        """What the rule does."""
        return "1 / (1 + x)" if self.half == 1 else f"{self.half:g} / ({self.half:g} + x)"

    def __call__(self, value: float) -> float:
        return self.half / (self.half + max(0.0, value))
