"""Whether a written report still holds for facts that are measured anew: number by number, within a tolerance."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from trustkit.trust.assessment import assess
from trustkit.trust.factsheet import FactSheet
from trustkit.trust.fields import EXAMINED, FIELDS
from trustkit.trust.profiles import Profile
from trustkit.trust.report import TrustReport
from trustkit.trust.tree import check_weights

__all__ = ["ABSOLUTE", "RELATIVE", "Line", "Same", "State", "carried", "fact_lines", "facts_in", "has_weights_of",
           "score_lines"]  # fmt: skip

RELATIVE, ABSOLUTE = 1e-6, 1e-9
"""Two numbers agree if they differ by at most the larger of this share of the larger one, and this."""

State = Literal["holds", "changed", "machine", "stated", "examined"]

_MACHINE = ("s", "gCO2", "gCO2/kWh", "points/W", "Wh", "kWh", "J", "W")
"""Units of what the machine decides, not the experiment: another machine, or hour, gives another value."""

_COVERAGE = "robustness/test_coverage"
"""Handed to an examination, not found by it."""

_NUMBERS = ("flag", "count", "number", "counts", "numbers")


@dataclass(frozen=True)
class Line:
    """One number: its name, what was reported, what there is now, and whether that holds.

    ``state`` is "machine" for what depends on the machine, "stated" for what a person stated, and "examined" for what
    an examination found that was not taken again: none of them is compared.
    """

    name: str
    was: Any
    now: Any
    state: State


@dataclass(frozen=True)
class Same:
    """Whether two values agree: numbers within ``max(relative · larger, absolute)``, everything else exactly."""

    relative: float = RELATIVE
    absolute: float = ABSOLUTE

    def __call__(self, was: Any, now: Any) -> bool:
        if isinstance(was, (list, tuple)) and isinstance(now, (list, tuple)):
            return len(was) == len(now) and all(map(self, was, now))
        if not (_is_number(was) and _is_number(now)):
            return type(was) is type(now) and bool(was == now)
        both = math.isnan(was) and math.isnan(now)
        return both or math.isclose(was, now, rel_tol=self.relative, abs_tol=self.absolute)

    def line(self, name: str, was: Any, now: Any) -> Line:
        """Compare two values.

        Parameters
        ----------
        name : str
            What they are values of.
        was, now : object
            Numbers, flags, lists of numbers, or None.

        Returns
        -------
        Line
            With state "holds" or "changed".

        Examples
        --------
        >>> Same(relative=1e-6).line("accuracy", 0.5, 0.50000001).state
        'holds'
        """
        return Line(name, was, now, "holds" if self(was, now) else "changed")

    def arrays(self, name: str, was: np.ndarray, now: np.ndarray | None) -> Line:
        """Compare two arrays.

        Parameters
        ----------
        name : str
            What they are values of.
        was, now : array
            Numbers of any shape; None if there is none.

        Returns
        -------
        Line
            With how many values there were, and the largest difference.

        Examples
        --------
        >>> Same().arrays("loss", np.zeros(3), np.ones(3)).now
        'largest difference 1'
        """
        many = f"{was.size:,} values"
        if now is None or was.shape != now.shape:
            return Line(name, many, "another shape", "changed")
        a, b = np.asarray(was, float), np.asarray(now, float)
        equal = (a == b) | (np.isnan(a) & np.isnan(b))
        with np.errstate(invalid="ignore", over="ignore"):
            gap = np.where(equal, 0.0, np.abs(a - b))
            near = gap <= np.maximum(self.relative * np.maximum(np.abs(a), np.abs(b)), self.absolute)
        near = equal | (near & np.isfinite(gap))
        words = f"largest difference {np.max(gap, initial=0.0):.3g}"
        return Line(name, many, words, "holds" if bool(np.all(near)) else "changed")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _comparable(path: str) -> bool:
    """Whether a fact is a number that the experiment decides."""
    field = FIELDS[path]
    return field.kind in _NUMBERS and field.unit not in _MACHINE and field.section != "log"


def carried(old: Mapping[str, Any], measured: FactSheet) -> FactSheet:
    """Return what a person stated or the machine decided as it was, with everything else as it is measured.

    Parameters
    ----------
    old : mapping of str to object
        Facts by ``section/name``.
    measured : FactSheet
        The same run's, measured anew.

    Returns
    -------
    FactSheet
        The facts of ``old``, no others.

    Examples
    --------
    >>> old = {"project/purpose": "teaching", "performance/test_acc_avg": 0.9}
    >>> dict(carried(old, FactSheet({"performance/test_acc_avg": 0.8, "data/rows": 5})).values)
    {'project/purpose': 'teaching', 'performance/test_acc_avg': 0.8}
    """
    kept = {path: measured.values[path] if _comparable(path) and path in measured else value
            for path, value in old.items()}  # fmt: skip
    return FactSheet(kept)


def facts_in(report: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the facts that a report tells of by itself: what its metrics read.

    Parameters
    ----------
    report : mapping
        The content of a report's JSON.

    Returns
    -------
    dict, dict
        Values by ``section/name``; and a stand-in for each list, of which a report says the length only.
    """
    found = {path: value for line in report["metrics"] for path, value in dict(line.get("inputs") or {}).items()
             if path in FIELDS and value is not None}  # fmt: skip
    lists: dict[str, Any] = {}
    for path in found:
        if FIELDS[path].kind in ("ids", "texts", "counts", "numbers"):
            lists[path] = ("not known",) if FIELDS[path].kind == "texts" else None
    return {path: value for path, value in found.items() if path not in lists}, lists


def fact_lines(old: Mapping[str, Any], measured: FactSheet, same: Same) -> Iterator[Line]:
    """Compare the facts that are numbers.

    Parameters
    ----------
    old : mapping of str to object
        Facts by ``section/name``.
    measured : FactSheet
        Measured anew.
    same : Same
        The tolerance.

    Yields
    ------
    Line
        One for each number; "examined" or "stated" if it is not among what is measured.
    """
    for path, was in old.items():
        if FIELDS[path].kind not in _NUMBERS or FIELDS[path].section == "log":
            continue
        now = measured.values.get(path)
        if now is None:
            yield Line(path, was, None, "examined" if path in EXAMINED - {_COVERAGE} else "stated")
        else:
            yield same.line(path, was, now) if _comparable(path) else Line(path, was, now, "machine")


def score_lines(report: Mapping[str, Any], facts: FactSheet, profile: Profile, same: Same) -> Iterator[Line]:
    """Compare the scores at every level, and the raw values, with those of a fact sheet.

    Parameters
    ----------
    report : mapping
        The content of a report's JSON.
    facts : FactSheet
        What is scored.
    profile : Profile
        The report's. If the profile's own weights are not those of the report, the report's are taken; then a level
        that carries nothing cannot be compared.
    same : Same
        The tolerance.

    Yields
    ------
    Line
        Trust, pillars, notions, and each metric's raw value and score.
    """
    listed = [(_key(profile, line), line) for line in report["metrics"]]
    now, carrying = assess(facts, profile), None
    if not all(Same()(line.get("weight"), _part(now, key, "weight")) for key, line in listed):
        carrying = _carrying(listed)
        now = assess(facts, profile, _weights(listed, profile, carrying))
    yield same.line("trust", report.get("score"), now.score)
    for level in ("pillars", "notions"):
        for name, was in dict(report.get(level) or {}).items():
            if carrying is None or carrying.get(name, 0.0) > 0:
                yield same.line(name, was, getattr(now, level).get(name))
    for key, line in listed:
        for part in ("raw", "score"):
            yield same.line(f"{key}, {part}", line.get(part), _part(now, key, part))


def has_weights_of(report: Mapping[str, Any], profile: Profile) -> bool:
    """Say whether a report states the weights of a profile.

    Parameters
    ----------
    report : mapping
        The content of a report's JSON.
    profile : Profile
        That it names.

    Returns
    -------
    bool
        True also for a report that states none.

    Examples
    --------
    >>> from trustkit.trust import PROFILES
    >>> has_weights_of({"weights": {"privacy": 3.0}}, PROFILES["paper"])
    False
    """
    stated = report.get("weights")
    if not isinstance(stated, Mapping):
        return True
    own = check_weights(profile.taxonomy, profile.weights)
    return set(stated) <= set(own) and all(Same()(float(stated.get(name, 1.0)), own[name]) for name in own)


_Listed = list[tuple[str, Mapping[str, Any]]]


def _key(profile: Profile, line: Mapping[str, Any]) -> str:
    """Return a metric's key in the taxonomy: its id, or behind its pillar's where another one has the same id."""
    place = line.get("pillar"), line["metric"]
    found = (key for key, row in profile.taxonomy.metrics.items() if (row.pillar, row.id) == place)
    return next(found, str(line["metric"]))


def _part(report: TrustReport, key: str, part: str) -> Any:
    return next((getattr(line, part) for line in report.metrics if line.metric == key), None)


def _carrying(listed: _Listed) -> dict[str, float]:
    """Return the share of trust that each metric, notion and pillar carries."""
    shares: dict[str, float] = {}
    for key, line in listed:
        for name in (key, line["notion"], line["pillar"]):
            shares[name] = shares.get(name, 0.0) + float(line.get("weight") or 0)
    return shares


def _weights(listed: _Listed, profile: Profile, carrying: Mapping[str, float]) -> dict[str, float]:
    """Return weights under which everything carries what the report says; what it does not list carries nothing."""
    weights = {metric: carrying.get(metric, 0.0) for metric in profile.taxonomy.metrics}
    for _, line in listed:
        weights[line["pillar"]] = carrying[line["pillar"]]
        weights[line["notion"]] = 1.0 if profile.aggregation == "flat" else carrying[line["notion"]]
    return weights
