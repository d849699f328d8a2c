"""Catalogues: named functions whose signatures are forms, checks and documentation at once.

An entry's *user parameters* are the parameters of its function that have a default, except ``seed``; whatever has no
default (``data``, ``n_features``, …) and the seed are supplied by the caller. A parameter is described once, in the
signature: ``beta: Annotated[float, Interval(0, 1), "target correlation"] = 0.5`` is the check, the slider, the flag and the doc.

The catalogues themselves live here, empty; the module of each thing enters it where it is defined.
"""

from __future__ import annotations

import difflib
import inspect
import math
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from trustkit.jsonfile import canonical

__all__ = [
    "ALGORITHMS", "DATASETS", "MODELS", "PANELS", "PRIVACY", "SPLITS",
    "Catalogue", "Entry", "Interval", "Parameter", "Use", "use",
]  # fmt: skip


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
class Use:
    """The name of a catalogue entry together with arguments for it: ``use("dirichlet", parties=10, alpha=0.5)``."""

    name: str
    args: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        frozen = {key: tuple(value) if isinstance(value, list) else value for key, value in sorted(self.args.items())}
        object.__setattr__(self, "args", types.MappingProxyType(frozen))

    def __hash__(self) -> int:
        return hash((self.name, canonical(self.args)))

    def __repr__(self) -> str:
        inner = "".join(f", {key}={list(v) if isinstance(v, tuple) else v!r}" for key, v in self.args.items())
        return f"use({self.name!r}{inner})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Use, (self.name, dict(self.args))

    def with_args(self, **changes: Any) -> Use:
        """Return the same use with some arguments replaced.

        Parameters
        ----------
        **changes
            New values by parameter name.

        Returns
        -------
        Use
            A new value; this one is unchanged.

        Examples
        --------
        >>> use("dirichlet", alpha=0.5).with_args(alpha=1.0)
        use('dirichlet', alpha=1.0)
        """
        return Use(self.name, {**self.args, **changes})

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"name": …, **args}``, ready for JSON and TOML.

        Returns
        -------
        dict
            Lists instead of tuples.

        Examples
        --------
        >>> use("mlp", hidden=[64]).to_dict()
        {'name': 'mlp', 'hidden': [64]}
        """
        return {"name": self.name, **{k: list(v) if isinstance(v, tuple) else v for k, v in self.args.items()}}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Use:
        """Read what `to_dict` wrote.

        Parameters
        ----------
        content : mapping
            A ``name`` and arguments.

        Returns
        -------
        Use
            The use.

        Raises
        ------
        ValueError
            If there is no name.

        Examples
        --------
        >>> Use.from_dict({"name": "mlp", "hidden": [64]})
        use('mlp', hidden=[64])
        """
        args = dict(content)
        name = args.pop("name", None)
        if not isinstance(name, str):
            raise ValueError(f"a use needs a name, got {dict(content)!r}")
        return cls(name, args)


def use(name: str, /, **args: Any) -> Use:
    """Name a catalogue entry and give it arguments.

    Parameters
    ----------
    name : str
        The entry's name.
    **args
        Arguments by parameter name; lists become tuples.

    Returns
    -------
    Use
        Checked later, by the catalogue that it is looked up in.

    Examples
    --------
    >>> use("dirichlet", parties=10, alpha=0.5)
    use('dirichlet', alpha=0.5, parties=10)
    """
    return Use(name, args)


@dataclass(frozen=True)
class Parameter:
    """One user parameter of an entry, read off its signature: name, type, default, range or choices, one line of text."""

    name: str
    type: Any
    default: Any
    interval: Interval | None
    choices: tuple[Any, ...] | None
    about: str

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
                raise ValueError(f"{self.name} must be one of {', '.join(map(str, self.choices))}, got {value!r}")
            return value
        if isinstance(value, (list, tuple)):
            inner = [typing.get_args(kind)[0] for kind in kinds if typing.get_origin(kind) in (list, tuple)]
            if not inner:
                raise TypeError(f"{self.name} must be {_spell(kinds)}, got {value!r}")
            return tuple(self._scalar(item, [inner[0]]) for item in value)
        return self._scalar(value, [kind for kind in kinds if typing.get_origin(kind) not in (list, tuple)])

    def _scalar(self, value: Any, kinds: list[Any]) -> Any:
        if isinstance(value, bool) and bool not in kinds:
            raise TypeError(f"{self.name} must be {_spell(kinds)}, got {value!r}")
        for kind in (bool, int, float, str):
            if kind in kinds and (isinstance(value, kind) or (kind is float and isinstance(value, int))):
                value = kind(value)
                break
        else:
            if int in kinds and isinstance(value, float) and value.is_integer():
                value = int(value)
            elif hasattr(value, "item") and getattr(value, "shape", None) == ():
                return self._scalar(value.item(), kinds)
            else:
                raise TypeError(f"{self.name} must be {_spell(kinds)}, got {value!r}")
        if self.interval is not None and isinstance(value, (int, float)) and value not in self.interval:
            raise ValueError(f"{self.name} must be {self.interval}, got {value!r}")
        return value


def _alternatives(kind: Any) -> list[Any]:
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        return [part for option in typing.get_args(kind) for part in _alternatives(option)]
    return [kind]


def _spell(kinds: list[Any]) -> str:
    words = {int: "a whole number", float: "a number", str: "text", bool: "true or false", type(None): "nothing"}
    return " or ".join(words.get(kind, str(kind).replace("tuple", "list")) for kind in kinds)


@dataclass(frozen=True)
class Entry:
    """A named function of a catalogue; ``axis`` is "rows", "columns" or empty, ``title`` is what a menu shows."""

    name: str
    function: Callable[..., Any]
    title: str
    axis: str = ""

    @property
    def about(self) -> str:
        """The first line of the function's docstring."""
        return (inspect.getdoc(self.function) or "").split("\n", 1)[0]

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The user parameters, in the order of the signature."""
        hints = typing.get_type_hints(self.function, include_extras=True)
        found = []
        for name, raw in inspect.signature(self.function).parameters.items():
            if raw.default is inspect.Parameter.empty or name == "seed":
                continue
            kind, extras = hints.get(name, str), ()
            if typing.get_origin(kind) is typing.Annotated:
                kind, *extras = typing.get_args(kind)
            interval = next((e for e in extras if isinstance(e, Interval)), None)
            about = next((e for e in extras if isinstance(e, str)), "")
            choices = typing.get_args(kind) if typing.get_origin(kind) is typing.Literal else None
            found.append(Parameter(name, kind, raw.default, interval, choices, about))
        return tuple(found)

    def arguments(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Check arguments against the signature and fill in the defaults.

        Parameters
        ----------
        given : mapping
            Arguments by name.

        Returns
        -------
        dict
            Every user parameter with its value.

        Raises
        ------
        TypeError, ValueError
            If one is unknown, of a wrong type or out of range; the message names entry, parameter, rule and value.
        """
        known = {parameter.name: parameter for parameter in self.parameters}
        for name in given:
            if name not in known:
                raise ValueError(f"{self.name} has no parameter {name!r}; it takes {', '.join(known) or 'none'}")
        try:
            return {name: p.check(given[name]) if name in given else p.default for name, p in known.items()}
        except (TypeError, ValueError) as error:
            raise type(error)(f"{self.name}: {error}") from None


class Catalogue(Mapping[str, Entry]):
    """Functions by name, in the order they were entered.

    Parameters
    ----------
    thing : str
        What an entry is called in messages, for example ``"split"``.
    """

    def __init__(self, thing: str) -> None:
        self.thing = thing
        self._entries: dict[str, Entry] = {}

    def enter(self, name: str, *, title: str = "", axis: str = "") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Enter a function under a name, as a decorator.

        Parameters
        ----------
        name : str
            Unique in this catalogue.
        title : str
            What a menu shows; by default the name.
        axis : str
            ``"rows"``, ``"columns"`` or empty.

        Returns
        -------
        callable
            A decorator that returns the function unchanged.

        Raises
        ------
        ValueError
            If another function has the name already.
        """

        def keep(function: Callable[..., Any]) -> Callable[..., Any]:
            old = self._entries.get(name)
            if old is not None and old.function.__qualname__ != function.__qualname__:
                raise ValueError(f"{self.thing} {name!r} is entered already, by {old.function.__module__}")
            self._entries[name] = Entry(name, function, title or name.replace("_", " "), axis)
            return function

        return keep

    def replace(self, entry: Entry) -> None:
        """Enter an entry, in place of any that has its name.

        Parameters
        ----------
        entry : Entry
            For example a data set of the user's own, known to this process only.
        """
        self._entries[entry.name] = entry

    def __getitem__(self, name: str) -> Entry:
        if name not in self._entries:
            close = difflib.get_close_matches(str(name), self._entries, n=1)
            hint = f"did you mean {close[0]!r}? " if close else ""
            raise KeyError(f"there is no {self.thing} {name!r}; {hint}known are {', '.join(self._entries)}")
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def complete(self, wanted: Use) -> Use:
        """Check a use and fill in its defaults, so that equal meanings become equal values.

        Parameters
        ----------
        wanted : Use
            A name and some arguments.

        Returns
        -------
        Use
            The same with every user parameter.

        Raises
        ------
        KeyError, TypeError, ValueError
            If the name is unknown or an argument does not fit.
        """
        return Use(wanted.name, self[wanted.name].arguments(wanted.args))

    def call(self, wanted: Use, /, *supplied: Any, **more: Any) -> Any:
        """Call the entry that a use names.

        Parameters
        ----------
        wanted : Use
            A name and some arguments; they are checked first.
        *supplied, **more
            What the caller supplies: the parameters without default, and the seed.

        Returns
        -------
        object
            What the function returns.
        """
        entry = self[wanted.name]
        return entry.function(*supplied, **entry.arguments(wanted.args), **more)


DATASETS = Catalogue("data set")
SPLITS = Catalogue("split")
MODELS = Catalogue("model")
ALGORITHMS = Catalogue("algorithm")
PRIVACY = Catalogue("privacy mechanism")
PANELS = Catalogue("panel")
