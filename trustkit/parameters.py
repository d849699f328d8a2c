"""Parameters, read off a signature: the type, the default, the range and one line of text."""

from __future__ import annotations

import inspect
import json
import math
import re
import types
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from trustkit.shown import shown

__all__ = ["Interval", "Parameter", "parameters_of", "spelt"]

SUPPLIED = ("seed", "progress")
"""Parameters that have a default and yet are the caller's, not the user's."""


@dataclass(frozen=True)
class Interval:
    """The allowed range of a number, and how a slider walks it.

    Parameters
    ----------
    low, high : float
        Both ends are allowed.
    log : bool
        Whether a slider is logarithmic.
    step : float, optional
        A slider's step; on a logarithmic slider in decades.
    """

    low: float
    high: float
    log: bool = False
    step: float | None = None

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        if math.isinf(self.high):
            return f"at least {self.low:g}"
        return f"between {self.low:g} and {self.high:g}"


@dataclass(frozen=True)
class Parameter:
    """One user parameter of an entry, read off its signature; ``about`` is one line of text."""

    name: str
    type: Any
    default: Any
    interval: Interval | None
    choices: tuple[Any, ...] | None
    about: str

    @property
    def optional(self) -> bool:
        """Whether ``None`` is allowed, and no text that could be mistaken for it."""
        kinds = _alternatives(self.type)
        return type(None) in kinds and str not in kinds

    def check(self, value: Any) -> Any:
        """Return the value, converted where that loses nothing, or say what is wrong with it.

        Parameters
        ----------
        value : object
            What a user gave.

        Returns
        -------
        object
            An int for an int parameter, a float for a float one, a tuple for a list one.

        Raises
        ------
        TypeError
            If the type does not fit.
        ValueError
            If it is out of range or not among the choices.
        """
        kinds = _alternatives(self.type)
        if value is None:
            if type(None) in kinds:
                return None
            raise TypeError(f"{self.name} must be given, got None")
        if self.choices is not None:
            if value not in self.choices:
                raise ValueError(f"{self.name} must be one of {', '.join(map(str, self.choices))}, got {shown(value)}")
            return value
        if isinstance(value, (list, tuple)):
            inner = [typing.get_args(kind)[0] for kind in kinds if typing.get_origin(kind) in (list, tuple)]
            if not inner:
                raise TypeError(f"{self.name} must be {_spell(kinds)}, got {shown(value)}")
            alone = any(kind in kinds for kind in (int, float))  # then the interval speaks of the number, not of items
            return tuple(self._scalar(item, [inner[0]], bounded=not alone) for item in value)
        return self._scalar(value, [kind for kind in kinds if typing.get_origin(kind) not in (list, tuple)])

    def _scalar(self, value: Any, kinds: list[Any], bounded: bool = True) -> Any:
        if isinstance(value, bool) and bool not in kinds:
            raise TypeError(f"{self.name} must be {_spell(kinds)}, got {shown(value)}")
        for kind in (bool, int, float, str):
            if kind in kinds and (isinstance(value, kind) or (kind is float and isinstance(value, int))):
                value = kind(value)
                break
        else:
            if int in kinds and isinstance(value, float) and value.is_integer():
                value = int(value)
            elif hasattr(value, "item") and getattr(value, "shape", None) == ():
                return self._scalar(value.item(), kinds, bounded)
            else:
                raise TypeError(f"{self.name} must be {_spell(kinds)}, got {shown(value)}")
        if bounded and self.interval is not None and isinstance(value, (int, float)) and value not in self.interval:
            raise ValueError(f"{self.name} must be {self.interval}, got {shown(value)}")
        return value


_NUMBER = re.compile(r"[+-]?((0|[1-9]\d*)(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)
"""What JSON calls a number, and .5, 5. and +5; no leading zeros, since 007 is a name."""


def spelt(text: str) -> Any:
    """Read a value as a person types it.

    Parameters
    ----------
    text : str
        JSON, a number as ``.5`` or ``+3``, a list as ``8,4,.5``, or any other text.

    Returns
    -------
    object
        The number, list, truth or nothing that it stands for, else the text.

    Examples
    --------
    >>> spelt(".5"), spelt("1,.5"), spelt("true"), spelt("fedavg"), spelt("a,b")
    (0.5, [1, 0.5], True, 'fedavg', 'a,b')
    """
    plain = text.strip()
    for written in (text, f"[{text}]" if "," in text else text):
        try:
            return json.loads(written)
        except json.JSONDecodeError:
            pass
    if _NUMBER.fullmatch(plain):
        return int(plain) if plain.lstrip("+-").isdigit() else float(plain)
    listed = plain[1:-1] if plain.startswith("[") and plain.endswith("]") else plain
    items = listed.split(",")
    if (len(items) > 1 or listed != plain) and all(_NUMBER.fullmatch(item.strip()) for item in items):
        return [spelt(item) for item in items]
    return text


def _alternatives(kind: Any) -> list[Any]:
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        return [part for option in typing.get_args(kind) for part in _alternatives(option)]
    return [kind]


def _spell(kinds: list[Any]) -> str:
    words = {int: "a whole number", float: "a number", str: "text", bool: "true or false", type(None): "nothing"}
    return " or ".join(words.get(kind, str(kind).replace("tuple", "list")) for kind in kinds)


def parameters_of(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    """Read the user parameters of a function: those with a default, except ``seed`` and ``progress``.

    Parameters
    ----------
    function : callable
        Annotated with types, `Interval`, and a text, as ``Annotated[float, Interval(0, 1), "correlation"]``.

    Returns
    -------
    tuple of Parameter
        In the order of the signature.

    Examples
    --------
    >>> def split(data, parties: int = 4, seed: int = 0): ...
    >>> [p.name for p in parameters_of(split)]
    ['parties']
    """
    hints = typing.get_type_hints(function, include_extras=True)
    found = []
    for name, raw in inspect.signature(function).parameters.items():
        if raw.default is inspect.Parameter.empty or name in SUPPLIED:
            continue
        kind, extras = hints.get(name, str), list[Any]()
        if typing.get_origin(kind) is typing.Annotated:
            kind, *extras = typing.get_args(kind)
        interval = next((e for e in extras if isinstance(e, Interval)), None)
        about = next((e for e in extras if isinstance(e, str)), "")
        choices = typing.get_args(kind) if typing.get_origin(kind) is typing.Literal else None
        found.append(Parameter(name, kind, raw.default, interval, choices, about))
    return tuple(found)
