"""What differs between two experiments, in words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from trustkit.catalogue import Use
from trustkit.experiment import _CATALOGUES, Experiment
from trustkit.frontier.varied import parameter

__all__ = ["differences"]


def differences(start: Experiment, other: Experiment, named: Iterable[str] = ()) -> tuple[str, ...]:
    """Say in words what differs between two experiments.

    Parameters
    ----------
    start, other : Experiment
        Before and after.
    named : iterable of str
        Arguments that are said of another entry of a catalogue even where they have their default.

    Returns
    -------
    tuple of str
        One phrase for each change.

    Examples
    --------
    >>> from trustkit.preset import presets
    >>> start = presets()["start"]
    >>> differences(start, start.change(algorithm__lr=0.1, participation=1.0))
    ('algorithm lr: 0.02 → 0.1', 'participation: 0.5 → 1')
    """
    said, wanted = list[str](), set(named)
    for each in fields(Experiment):
        was, now = getattr(start, each.name), getattr(other, each.name)
        if was == now:
            continue
        if not isinstance(was, Use) or not isinstance(now, Use) or was.name != now.name:
            said.append(f"{each.name}: {_called(was)} → {_called(now)}{_also(each.name, was, now, wanted)}")
        if isinstance(was, Use) and isinstance(now, Use):
            said += [f"{each.name} {name}: {_called(was.args[name])} → {_called(value)}"
                     for name, value in now.args.items() if name in was.args and was.args[name] != value
                     if f"{each.name}__{name}" in wanted or _alike(each.name, was.name, now.name, name)]  # fmt: skip
    return tuple(said)


def _alike(part: str, was: str, now: str, argument: str) -> bool:
    """Whether an argument means the same for two entries."""
    return parameter(part, was, argument) == parameter(part, now, argument)


def _also(part: str, was: Any, now: Any, named: set[str]) -> str:
    """The arguments of another entry that have to be said: those that are varied, or not as usual."""
    if not isinstance(now, Use):
        return ""
    old = {p.name for p in _CATALOGUES[part][was.name].parameters} if isinstance(was, Use) else set()
    usual = {p.name: p.default for p in _CATALOGUES[part][now.name].parameters}
    said = [f"{name}={_called(value)}" for name, value in now.args.items()
            if name not in old and (f"{part}__{name}" in named or value != usual[name])]  # fmt: skip
    return f" ({', '.join(said)})" if said else ""


def _called(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Use):
        return value.name
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
