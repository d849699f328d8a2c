"""What a search may change of an experiment, and the experiments that come of it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from trustkit.catalogue import ALGORITHMS, PRIVACY, Use
from trustkit.experiment import _CATALOGUES, Experiment
from trustkit.frontier.varied import Varied, parameter, varied_of

__all__ = ["Space", "space_of"]


@dataclass(frozen=True, eq=False)
class Space:
    """An experiment and what may change of it."""

    start: Experiment
    varied: tuple[Varied, ...]

    @property
    def size(self) -> float:
        """How many combinations there are; infinity if one thing has a range of any numbers."""
        return math.prod(each.size for each in self.varied)

    def grid(self) -> Iterator[dict[str, Any]]:
        """Yield all combinations, if they can be counted.

        Yields
        ------
        dict
            Values by name.
        """
        for values in itertools.product(*(each.values for each in self.varied)):
            yield {each.name: value for each, value in zip(self.varied, values, strict=True)}

    def places(self) -> dict[str, float]:
        """Return where the start lies.

        Returns
        -------
        dict
            Places by name, as `Varied.place` gives them.
        """
        return {each.name: each.place(_current(self.start, each)) for each in self.varied}

    def at(self, places: Mapping[str, float]) -> dict[str, Any]:
        """Return the values at some places.

        Parameters
        ----------
        places : mapping of str to float
            By name.

        Returns
        -------
        dict
            Values by name.
        """
        return {each.name: each.value(places[each.name]) for each in self.varied}

    def experiment(self, values: Mapping[str, Any]) -> Experiment:
        """Return the start with other values.

        Parameters
        ----------
        values : mapping
            By name. Another entry of a catalogue keeps the arguments that both describe alike. An argument that the
            chosen entry does not take, or of a part that is unset, has no effect.

        Returns
        -------
        Experiment
            Checked.

        Raises
        ------
        KeyError, TypeError, ValueError
            If the combination does not fit.
        """
        changes = {name: _chosen(self.start, name, value) for name, value in values.items() if "__" not in name}
        for name, value in values.items():
            part, _, argument = name.partition("__")
            used = changes.get(part, getattr(self.start, part))
            if argument and used is not None and parameter(part, used.name, argument):
                changes[part] = used.with_args(**{argument: value})
        return self.start.change(**changes)


def _current(start: Experiment, varied: Varied) -> Any:
    """The start's value of a varied thing; None if it has none."""
    part, _, argument = varied.name.partition("__")
    used = getattr(start, part)
    if isinstance(used, Use):
        return used.args.get(argument) if argument else used if used in varied.options else used.name
    return None if argument else used


def _chosen(start: Experiment, part: str, value: Any) -> Any:
    """A part's value, with the start's arguments where both entries describe them alike."""
    old = getattr(start, part)
    if part not in _CATALOGUES or not isinstance(value, str):
        return value
    if not isinstance(old, Use) or old.name == value:
        return old or Use(value)
    known, new = _CATALOGUES[part][old.name].parameters, _CATALOGUES[part][value].parameters
    return Use(value, {p.name: old.args[p.name] for p in known if p in new})


def space_of(start: Experiment, vary: Mapping[str, Any] | Iterable[str] | None = None) -> Space:
    """Say what may change of an experiment.

    Parameters
    ----------
    start : Experiment
        Where it starts from.
    vary : mapping, or iterable of str, optional
        By name as in `Experiment.change`: a list of values to choose from; two numbers (low, high) for a range; or
        ``None``, as for names alone, for all that the catalogue allows. By default algorithm, selector, the Gaussian
        mechanism or none and its ε from 0.5 to 20, participation, and rounds from a quarter of the start's to twice as
        many; across columns rounds and step size.

    Returns
    -------
    Space
        Checked: every value is one that the catalogue allows.

    Raises
    ------
    KeyError, TypeError, ValueError
        If a name is unknown, there is nothing to vary, or a value or range does not fit.

    Examples
    --------
    >>> from trustkit.preset import presets
    >>> space = space_of(presets()["start"], {"algorithm": ["fedavg", "fedmedian"], "participation": (0.1, 1.0)})
    >>> space.experiment({"algorithm": "fedmedian", "participation": 0.8}).algorithm.args["lr"]
    0.02
    """
    wanted = _usual(start) if vary is None else vary if isinstance(vary, Mapping) else dict.fromkeys(vary)
    if not wanted:
        raise ValueError("vary must name at least one thing, got none")
    return Space(start, tuple(varied_of(start, name, value, wanted) for name, value in wanted.items()))


def _usual(start: Experiment) -> dict[str, Any]:
    if start.axis == "columns":
        return {"rounds": None, "algorithm__lr": None}
    private = start.privacy or Use("gaussian")
    epsilon = {} if private.args.get("noise") is not None else {"privacy__epsilon": (0.5, 20.0)}
    return {
        "algorithm": [name for name, entry in ALGORITHMS.items() if entry.axis == start.axis],
        "algorithm__selector": None,
        "privacy": [None, private if start.privacy is None else PRIVACY.complete(private)],
        **epsilon, "participation": None, "rounds": None,
    }  # fmt: skip
