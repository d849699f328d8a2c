"""Fact sheets in another layout, and taxonomies that are tables over such a layout's fields."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from trustkit.catalogue import Interval
from trustkit.metrics.privacy import global_privacy_risk
from trustkit.trust.imports import check
from trustkit.trust.rules import Rule
from trustkit.trust.taxonomy import Metric

__all__ = ["Either", "Filled", "Listed", "Risk", "Sheet", "Table", "Value", "read"]


@dataclass(frozen=True, eq=False)
class Sheet:
    """A fact sheet of FederatedTrust's prototype or of NEBULA, as it is.

    Parameters
    ----------
    values : mapping of str to object
        By ``section/name``: text, numbers, flags. Absent or None is not known, NaN is not defined.
    """

    values: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = {path: value for path, value in self.values.items() if value is not None}
        object.__setattr__(self, "values", MappingProxyType(known))

    def __repr__(self) -> str:
        return f"Sheet({len(self.values)} facts)"

    def get(self, section: str, name: str) -> Any:
        """Return one fact's value.

        Parameters
        ----------
        section, name : str
            As in the layout.

        Returns
        -------
        object
            The value, or None if it is not known.
        """
        return self.values.get(f"{section}/{name}")


def read(source: str | os.PathLike[str] | Mapping[str, Any]) -> Sheet:
    """Read a fact sheet that FederatedTrust's prototype or NEBULA wrote.

    Parameters
    ----------
    source : path-like or mapping
        A JSON file, or its content: sections that hold facts by name. The tokens NaN that the authors write are
        read as not defined; a fact that is itself a table is left out, as their code does.

    Returns
    -------
    Sheet
        Its facts.

    Raises
    ------
    ValueError
        If it is no JSON, no fact sheet of sections, or a number in it is text, infinite or out of range.

    Examples
    --------
    >>> read({"participants": {"client_num": 10}}).get("participants", "client_num")
    10
    """
    content: Any = source
    if not isinstance(source, Mapping):
        try:
            content = json.loads(Path(source).read_text(encoding="utf-8"))
        except (ValueError, RecursionError) as error:  # the last: nested too deeply
            raise ValueError(f"{source} must be a fact sheet in JSON, got: {error}") from None
    name = "the fact sheet" if isinstance(source, Mapping) else str(source)
    if not isinstance(content, Mapping) or not all(isinstance(part, Mapping) for part in content.values()):
        raise ValueError(f"{name} must hold sections of facts by name, got {content!r:.60}")
    if "facts" in content or not content:
        raise ValueError(f"{name} must be a fact sheet of FederatedTrust's prototype or of NEBULA")
    values = {f"{section}/{fact}": value for section, named in content.items() for fact, value in named.items()
              if not isinstance(value, Mapping)}  # fmt: skip
    try:
        check(values)
    except ValueError as error:
        raise ValueError(f"{name} cannot be read: {error}") from None
    return Sheet(values)


def _number(path: str, value: Any) -> float | None:
    if value is None or value == "":  # NEBULA's ε without differential privacy
        return None
    if not isinstance(value, (int, float)):
        raise ValueError(f"{path} must be a number, got {value!r:.60}")
    return float(value)


@dataclass(frozen=True)
class Value:
    """Takes one field's number as the raw value; true is 1, false 0. ``path`` is ``section/name``."""

    path: str

    def __call__(self, sheet: Any) -> float | None:
        return _number(self.path, sheet.values.get(self.path))


@dataclass(frozen=True)
class Either:
    """Takes the first of several fields that is known as the raw value."""

    paths: tuple[str, ...]

    def __call__(self, sheet: Any) -> float | None:
        found = (_number(path, sheet.values.get(path)) for path in self.paths)
        return next((value for value in found if value is not None), None)


@dataclass(frozen=True)
class Filled:
    """Takes the share of fields that are filled: anything but an absent field and an empty text, also NaN, 0, false."""

    paths: tuple[str, ...]

    def __call__(self, sheet: Any) -> float | None:
        filled = [bool(sheet.values.get(path, "") != "") for path in self.paths]
        return sum(filled) / len(filled)


@dataclass(frozen=True)
class Listed:
    """Looks one field's text up in a list of ``marks``; ``otherwise`` is for a text that is not in it."""

    path: str
    marks: Mapping[str, float] = field(hash=False)
    otherwise: float | None

    def __call__(self, sheet: Any) -> float | None:
        name = sheet.values.get(self.path)
        mark: float | None = None if name is None else self.marks.get(str(name), self.otherwise)
        return mark


@dataclass(frozen=True)
class Risk:
    """Takes the global privacy risk from ``paths``: whether a mechanism is used, its ε, the number of clients."""

    paths: tuple[str, str, str]

    def __call__(self, sheet: Any) -> float | None:
        used, epsilon, clients = (_number(path, sheet.values.get(path)) for path in self.paths)
        if used != 1 or epsilon is None or math.isnan(epsilon):
            return 1.0
        return None if clients is None or math.isnan(clients) else global_privacy_risk(epsilon, int(clients))


class Table(dict[str, Metric]):
    """The rows of a taxonomy over a layout, by key.

    Parameters
    ----------
    source, deviations : str
        Of all rows; a row can add to the deviations.
    taken : collection of str
        Ids of pillars and notions: a metric with one of these, or with another metric's, has its pillar's before it.
    """

    def __init__(self, source: str, deviations: str, taken: Collection[str]) -> None:
        super().__init__()
        self.source, self.deviations, self.taken = source, deviations, taken

    def add(
        self,
        place: str,
        name: str,
        function: Value | Either | Filled | Listed | Risk,
        rule: Rule,
        better: Literal["higher", "lower"],
        formula: str,
        high: float = 1.0,
        unit: str = "",
        when: str = "Post-training",
        deviations: str = "",
        low: float = 0.0,
    ) -> None:
        """Add a row.

        Parameters
        ----------
        place : str
            ``pillar/notion/metric``: the ids that the authors' report has.
        name : str
            For people.
        function : Value, Either, Filled, Listed or Risk
            From a sheet to the raw value.
        rule : Rule
            From the raw value to a score.
        better : {"higher", "lower"}
            Which raw values the rule scores higher.
        formula : str
            Of the raw value, in words.
        high, low : float
            Ends of the raw value's range.
        unit : str
            Of the raw value.
        when : str
            When it becomes known.
        deviations : str
            Of this row.
        """
        pillar, notion, metric = place.split("/")
        key = f"{pillar}/{metric}" if metric in self or metric in self.taken else metric
        inputs = (function.path,) if isinstance(function, (Value, Listed)) else function.paths
        said = " ".join(text for text in (self.deviations, deviations) if text)
        self[key] = Metric(
            metric, name, pillar, notion, function, inputs, unit, Interval(low, high), better, rule, when,
            "Server", f"{name}: {formula}", formula, self.source, said,
        )  # fmt: skip
