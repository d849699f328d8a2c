"""What one thing of an experiment may become: values to choose from, or a range, as the catalogues allow."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from trustkit.catalogue import Catalogue, Parameter, Use
from trustkit.experiment import _CATALOGUES, Experiment

__all__ = ["Varied", "parameter", "varied_of"]

_UNSET = ("privacy", "attack", "faults")
"""Parts that an experiment may lack."""


@dataclass(frozen=True)
class Varied:
    """One thing that may change: its name, and either the values to choose from or the ends of a range.

    Parameters
    ----------
    name : str
        As in `Experiment.change`.
    options : tuple
        Values to choose from; empty for a range.
    low, high : float
        Ends of the range.
    log : bool
        Whether its middle is the geometric mean.
    whole : bool
        Whether its numbers are whole.
    """

    name: str
    options: tuple[Any, ...] = ()
    low: float = 0.0
    high: float = 1.0
    log: bool = False
    whole: bool = False

    @property
    def size(self) -> float:
        """How many values there are; infinity for a range of any numbers."""
        if self.options:
            return len(self.options)
        return self.high - self.low + 1 if self.whole else math.inf

    @property
    def values(self) -> tuple[Any, ...]:
        """All values, if they can be counted."""
        return self.options or tuple(range(int(self.low), int(self.high) + 1))

    def value(self, place: float) -> Any:
        """Return the value at a place.

        Parameters
        ----------
        place : float
            Number of an option; for a range in [0, 1].

        Returns
        -------
        object
            A number of a range has two digits, so that it can be read.

        Examples
        --------
        >>> Varied("privacy__epsilon", low=0.5, high=20, log=True).value(0.5)
        3.2
        """
        if self.options:
            return self.options[int(place)]
        number = self.low + place * (self.high - self.low)
        if self.log:
            number = self.low * (self.high / self.low) ** place
        number = round(number) if self.whole else float(f"{number:.2g}")
        return min(max(number, int(self.low) if self.whole else self.low), int(self.high) if self.whole else self.high)

    def place(self, value: Any) -> float:
        """Return where a value lies.

        Parameters
        ----------
        value : object
            Any.

        Returns
        -------
        float
            Number of the option, the first if it is none; for a range in [0, 1], the middle if it is no number.

        Examples
        --------
        >>> Varied("rounds", low=5, high=25, whole=True).place(10)
        0.25
        """
        if self.options:
            return self.options.index(value) if value in self.options else 0
        if isinstance(value, bool) or not isinstance(value, (int, float)) or self.high <= self.low:
            return 0.5
        held = min(max(float(value), self.low), self.high)
        if self.log:
            return math.log(held / self.low) / math.log(self.high / self.low)
        return (held - self.low) / (self.high - self.low)


def parameter(part: str, entry: str, argument: str) -> Parameter | None:
    """Find a parameter of a catalogue's entry.

    Parameters
    ----------
    part : str
        Of an experiment, which has a catalogue.
    entry : str
        A name in it.
    argument : str
        The parameter's name.

    Returns
    -------
    Parameter or None
        ``None`` if the entry takes no such argument.
    """
    return next((p for p in _CATALOGUES[part][entry].parameters if p.name == argument), None)


def varied_of(start: Experiment, name: str, value: Any, wanted: Mapping[str, Any]) -> Varied:
    """Read off the catalogues what values one thing may take.

    Parameters
    ----------
    start : Experiment
        Where a search starts from.
    name : str
        As in `Experiment.change`.
    value : list, tuple or None
        Values to choose from; two numbers (low, high) for a range; or ``None`` for all that the catalogue allows.
    wanted : mapping
        All things that may vary, by name: an argument may be that of an entry that ``start`` does not use.

    Returns
    -------
    Varied
        Checked.

    Raises
    ------
    KeyError, TypeError, ValueError
        If the name is unknown, or a value or range does not fit.
    """
    part, _, argument = name.partition("__")
    parts = [each.name for each in fields(Experiment)]
    if part not in parts:
        raise ValueError(f"an experiment has no part {part!r}; it has {', '.join(parts)}")
    if part in ("data", "seed"):
        why = "seeds=3 repeats each run" if part == "seed" else "accuracy on other data is not comparable"
        raise ValueError(f"vary must leave the {part} as it is, since {why}; got {name}")
    if argument:
        return _argument_of(start, name, value, wanted)
    if part in _CATALOGUES:
        return Varied(name, _entries(start, part, value))
    if part == "secure":
        options = _checked_options(name, [False, True] if value is None else value)
        return Varied(name, tuple(start.change(secure=each).secure for each in options))
    if value is None:
        value = (max(1, start.rounds // 4), 2 * start.rounds) if part == "rounds" else (0.1, 1.0)
    if not _two_numbers(value):
        return Varied(
            name, tuple(getattr(start.change(**{part: each}), part) for each in _checked_options(name, value))
        )
    low, high = _ends(name, value)
    for end in (low, high):
        start.change(**{part: int(end) if part == "rounds" and float(end).is_integer() else end})
    return Varied(name, (), low, high, whole=part == "rounds")


def _entries(start: Experiment, part: str, value: Any) -> tuple[Any, ...]:
    """The uses or names that a part may be, each checked."""
    catalogue: Catalogue = _CATALOGUES[part]
    if value is None:
        value = [name for name, entry in catalogue.items() if entry.axis in ("", start.axis)]
        value = [None, *value] if part in _UNSET else value
    for each in _checked_options(part, value):
        if each is None and part not in _UNSET:
            raise ValueError(f"{part} must be given, got None")
        if each is not None:
            catalogue.complete(Use(each) if isinstance(each, str) else each)
    return tuple(catalogue.complete(each) if isinstance(each, Use) else each for each in value)


def _argument_of(start: Experiment, name: str, value: Any, wanted: Mapping[str, Any]) -> Varied:
    """An argument of a part, described by the first entry in question that takes it."""
    part, _, argument = name.partition("__")
    if part not in _CATALOGUES:
        raise ValueError(f"{part} takes no arguments, got {name}")
    options = _entries(start, part, wanted[part]) if part in wanted else (getattr(start, part),)
    names = [each.name if isinstance(each, Use) else each for each in options if each is not None]
    found = next((p for entry in names if (p := parameter(part, entry, argument)) is not None), None)
    if found is None:
        reason = f"{', '.join(names)} takes no {argument}" if names else f"{part} is not set"
        raise ValueError(f"{name} has no effect: {reason}")
    if value is None:
        value = _whole_range(name, found)
    if not _two_numbers(value):
        return Varied(name, tuple(found.check(each) for each in _checked_options(name, value)))
    low, high = _ends(name, value)
    found.check(low), found.check(high)
    interval = found.interval
    return Varied(name, (), low, high, bool(interval and interval.log and low > 0), "float" not in str(found.type))


def _whole_range(name: str, parameter: Parameter) -> Any:
    if parameter.choices is not None:
        return list(parameter.choices)
    if parameter.type is bool:
        return [False, True]
    if parameter.interval is None or math.isinf(parameter.interval.high):
        raise ValueError(f"{name} has no upper end in the catalogue, so vary must give its range or values, got None")
    return parameter.interval.low, parameter.interval.high


def _checked_options(name: str, value: Any) -> list[Any]:
    if isinstance(value, str) or not isinstance(value, (list, tuple, range, np.ndarray)) or not len(value):
        raise ValueError(f"{name} must vary over a list of values or a range (low, high), got {value!r}")
    return list(value)


def _two_numbers(value: Any) -> bool:
    plain = isinstance(value, tuple) and len(value) == 2
    return plain and all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in value)


def _ends(name: str, value: tuple[float, float]) -> tuple[float, float]:
    if not value[0] < value[1]:
        raise ValueError(f"{name} must vary from a lower to a higher number, got {value!r}")
    return value
