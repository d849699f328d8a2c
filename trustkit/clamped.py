"""An experiment from elsewhere, brought into the range of the controls; what reads files is refused."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from trustkit.catalogue import (
    ALGORITHMS,
    ATTACKS,
    DATASETS,
    FAULTS,
    MODELS,
    PRIVACY,
    SPLITS,
    Entry,
    Interval,
    Parameter,
)
from trustkit.datasets.sampled import options_of
from trustkit.experiment import Experiment
from trustkit.uses import Use

__all__ = ["ALPHA", "EPSILON", "PARTIES", "PARTS", "clamped", "made_of"]

PARTS: Mapping[str, Interval] = {
    "rounds": Interval(1, 200),
    "participation": Interval(0.05, 1),
    "seed": Interval(-(2**53), 2**53),
}
"""Ranges of the numbers of an experiment."""

ALPHA, EPSILON = Interval(0.01, 100), Interval(0.1, 50)
PARTIES = {"rows": Interval(2, 100), "columns": Interval(2, 16)}
"""Ranges of sliders; another argument has the range that its entry states."""

_CATALOGUES = {"data": DATASETS, "split": SPLITS, "algorithm": ALGORITHMS, "model": MODELS, "privacy": PRIVACY,
               "attack": ATTACKS, "faults": FAULTS}  # fmt: skip
_WORDS = ("of", "group", "attribute", "value", "positive")
"""Free text of a data set that names no file: of these a column, a value, or another data set."""

_LONGEST = 64


def clamped(content: Mapping[str, Any]) -> tuple[Experiment, tuple[str, ...]]:
    """Read an experiment from elsewhere, with every number in the range of its control.

    Parameters
    ----------
    content : mapping
        As `Experiment.to_dict` writes it, or somebody else.

    Returns
    -------
    experiment : Experiment
        Checked.
    notes : tuple of str
        What was brought into range, as ``"rounds 5000 → 200"``.

    Raises
    ------
    KeyError, TypeError, ValueError
        If a name is unknown, a number is none, values do not fit together, or a file would be read.

    Examples
    --------
    >>> content = Experiment("wine", "iid", model="logistic").to_dict()
    >>> clamped({**content, "rounds": 5000})[1]
    ('rounds 5000 → 200',)
    """
    notes: list[str] = []
    parts: dict[str, Any] = {}
    for name, value in content.items():
        if name in _CATALOGUES:
            parts[name] = _part(name, value, notes).to_dict()
        else:
            parts[name] = _within(name, value, PARTS[name], notes) if name in PARTS else value
    return Experiment.from_dict(parts), tuple(notes)


def _part(part: str, value: Any, notes: list[str]) -> Use:
    """Return a part of an experiment with its numbers in range."""
    if not isinstance(value, Mapping):
        raise TypeError(f"{part} must be a name with arguments, got {_short(value)}")
    used = Use.from_dict(value)
    entry = _CATALOGUES[part][used.name]
    known = {parameter.name: parameter for parameter in entry.parameters}
    if part == "data":
        _no_files(entry, used)
    args = {}
    for name, given in used.args.items():
        interval = _range(entry, part, known.get(name))
        args[name] = _every(f"{part} {name}", given, interval, notes)
    return Use(used.name, args)


def _range(entry: Entry, part: str, parameter: Parameter | None) -> Interval | None:
    """Return the range of a slider that stands for a parameter, else the parameter's own."""
    name = "" if parameter is None else parameter.name
    if part == "split" and name == "parties":
        return PARTIES.get(entry.axis)
    sliders = {("split", "alpha"): ALPHA, ("privacy", "epsilon"): EPSILON}
    own = None if parameter is None else parameter.interval
    if (part, name) not in sliders or (part == "privacy" and entry.axis == "columns"):
        return own
    slider = sliders[part, name]
    return slider if own is None else Interval(max(slider.low, own.low), min(slider.high, own.high))


def _every(where: str, value: Any, interval: Interval | None, notes: list[str]) -> Any:
    if isinstance(value, (list, tuple)):
        if len(value) > _LONGEST:
            raise ValueError(f"{where} must have at most {_LONGEST} values, got {len(value)}")
        if where == "split parties":  # how many columns each party has: no number of parties
            return tuple(value)
        return tuple(_within(where, item, interval, notes) for item in value)
    return _within(where, value, interval, notes)


def _within(where: str, value: Any, interval: Interval | None, notes: list[str]) -> Any:
    """Return a number in its range; what is no number is left to the catalogue, which says what it must be."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    if isinstance(value, float) and math.isnan(value):
        raise ValueError(f"{where} must be a number, got NaN")
    if interval is None or value in interval:
        return value
    end = interval.low if value < interval.low else interval.high
    whole = float(end).is_integer() and not (isinstance(value, float) and math.isfinite(value))
    notes.append(f"{where} {_short(value)} → {end:g}")
    return int(end) if whole else float(end)


def made_of(used: Use) -> Use | None:
    """Return the data set that another is made of.

    Parameters
    ----------
    used : Use
        A data set.

    Returns
    -------
    Use or None
        ``None`` if it is made of none, or it cannot be read of which.

    Examples
    --------
    >>> made_of(Use("sampled", {"of": "adult", "options": ""}))
    use('adult')
    """
    of = used.args.get("of")
    try:
        return Use(of, options_of(used.args.get("options", ""))) if of is not None and of in DATASETS else None
    except (AttributeError, TypeError, ValueError):
        return None


def _no_files(entry: Entry, used: Use) -> None:
    """Refuse a data set that would read a file, also one that another is made of: a link opens on anybody's machine."""
    of, inner = used.args.get("of"), made_of(used)
    if entry.reads or (isinstance(of, str) and of in DATASETS and DATASETS[of].reads):
        raise ValueError(f"the data set {used.name} reads a file, which a link cannot carry")
    for parameter in entry.parameters:
        given = used.args.get(parameter.name, parameter.default)
        if parameter.name == "options" and inner is not None:
            _no_files(DATASETS[inner.name], inner)
        elif _is_path(parameter) and given != parameter.default:
            raise ValueError(f"the data set {used.name} would read {parameter.name}, which a link cannot carry")


def _is_path(parameter: Parameter) -> bool:
    """Whether a parameter is free text that may lead to a file."""
    text = parameter.type is str or "PathLike" in str(parameter.type)
    return text and parameter.choices is None and parameter.name not in _WORDS


def _short(value: Any) -> str:
    try:
        return f"{value:.6g}" if isinstance(value, (int, float)) else repr(value)[:40]
    except OverflowError:
        return "a very large number"
