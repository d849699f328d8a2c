"""Catalogues: named functions whose signatures are forms, checks and documentation at once.

An entry's *user parameters* are the parameters of its function that have a default, except ``seed`` and ``progress``;
these two and whatever has no default (``data``, ``n_features``, …) are supplied by the caller. A parameter is described
once, in the signature: ``beta: Annotated[float, Interval(0, 1), "correlation"] = 0.5`` is the check, the slider, the
flag and the doc.

The catalogues themselves live here, empty; the module of each thing enters it where it is defined.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from trustkit.parameters import Interval, Parameter, parameters_of
from trustkit.shown import shown
from trustkit.uses import Use, use

__all__ = [
    "ALGORITHMS", "ATTACKS", "DATASETS", "FAULTS", "MODELS", "PANELS", "PRIVACY", "SPLITS",
    "Catalogue", "Entry", "Interval", "Parameter", "Use", "use",
]  # fmt: skip


_Function = TypeVar("_Function", bound=Callable[..., Any])


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
        return parameters_of(self.function)

    @property
    def reads(self) -> bool:
        """Whether it reads a file that somebody must have; such functions are called ``read_…``."""
        return self.function.__name__.startswith("read_")

    @cached_property
    def tells(self) -> bool:
        """Whether the function takes a ``progress`` to tell how far it is."""
        return "progress" in inspect.signature(self.function).parameters

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
                raise ValueError(f"{self.name} has no parameter {shown(name)}; it takes {', '.join(known) or 'none'}")
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

    def enter(self, name: str, *, title: str = "", axis: str = "") -> Callable[[_Function], _Function]:
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

        def keep(function: _Function) -> _Function:
            old = self._entries.get(name)
            if old is not None and _home(old.function) != _home(function):
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
            close = difflib.get_close_matches(str(name)[:80], self._entries, n=1)
            hint = f"did you mean {close[0]!r}? " if close else ""
            raise KeyError(f"there is no {self.thing} {shown(name)}; {hint}known are {', '.join(self._entries)}")
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


def _home(function: Callable[..., Any]) -> tuple[str, str]:
    return function.__module__, function.__qualname__


DATASETS = Catalogue("data set")
SPLITS = Catalogue("split")
MODELS = Catalogue("model")
ALGORITHMS = Catalogue("algorithm")
PRIVACY = Catalogue("privacy mechanism")
ATTACKS = Catalogue("attack")
FAULTS = Catalogue("kind of fault")
PANELS = Catalogue("panel")
