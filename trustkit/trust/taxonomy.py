"""The taxonomy: pillars, their notions, and the rows of the metrics, each entered beside its function.

A row's words (synopsis, formula, source, deviations) are read off the function's docstring, so that the documentation,
the tables, the tooltips and the report cannot say different things.
"""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from trustkit.catalogue import Interval
from trustkit.trust.factsheet import FactSheet
from trustkit.trust.fields import FIELDS

__all__ = [
    "EVERY_NOTION", "FURTHER", "METRICS", "NOTIONS", "PILLARS", "REFINED", "Metric", "Notion", "level_of", "metric",
]  # fmt: skip

Function = Callable[[FactSheet], float | None]
Remark = Callable[[Mapping[str, Any]], str]
_F = TypeVar("_F", bound=Function)

PILLARS: dict[str, str] = {
    "privacy": "Privacy",
    "robustness": "Robustness",
    "fairness": "Fairness",
    "explainability": "Explainability",
    "accountability": "Accountability",
    "federation": "Federation",
}
"""Names of the pillars by id, in the paper's order."""


@dataclass(frozen=True)
class Notion:
    """A notion: an aspect of a pillar, with the name that the paper gives it."""

    id: str
    pillar: str
    name: str


EVERY_NOTION: dict[str, Notion] = {
    notion.id: notion
    for notion in (
        Notion("technique", "privacy", "Privacy-preserving approaches"),
        Notion("information", "privacy", "Information gain/loss"),
        Notion("uncertainty", "privacy", "Uncertainty"),
        Notion("indistinguishability", "privacy", "Indistinguishability"),
        Notion("resilience_to_attacks", "robustness", "Resilience to attacks"),
        Notion("system_robustness", "robustness", "System-level robustness"),
        Notion("algorithm_robustness", "robustness", "Algorithm-level robustness"),
        Notion("client_reliability", "robustness", "Client and data reliability"),
        Notion("selection_fairness", "fairness", "Client selection"),
        Notion("performance_fairness", "fairness", "Performance"),
        Notion("group_fairness", "fairness", "Group-level fairness"),
        Notion("class_distribution", "fairness", "Class distribution"),
        Notion("interpretability", "explainability", "Interpretability"),
        Notion("post_hoc_methods", "explainability", "Post-hoc methods"),
        Notion("factsheet_completeness", "accountability", "FactSheet completeness"),
        Notion("monitoring", "accountability", "Monitoring"),
        Notion("client_management", "federation", "Client management"),
        Notion("model_management", "federation", "Model management"),
        Notion("optimization", "federation", "Optimization"),
    )
}
"""All notions of the paper's section 3 by id, in its order."""

NOTIONS: dict[str, Notion] = {
    id_: notion
    for id_, notion in EVERY_NOTION.items()
    if id_ not in ("information", "system_robustness", "group_fairness", "monitoring", "model_management")
}
"""Those that Table 2 has metrics for."""


@dataclass(frozen=True)
class Metric:
    """One row of the taxonomy.

    Parameters
    ----------
    id : str
        The function's name.
    name : str
        As in the paper's Table 2, or its section 3.
    pillar, notion : str
        Ids.
    function : callable
        From a fact sheet to the raw value: None if evidence is missing, NaN if it is undefined.
    inputs : tuple of str
        The facts it reads, as ``section/name``.
    unit : str
        Of the raw value; empty for a pure number.
    range : Interval
        Of the raw value.
    better : {"higher", "lower"}
        Which raw values deserve more trust.
    normalise : callable
        From the raw value to a score in [0, 1], under the profile "paper".
    when, who : str
        When it can be computed, and by whom, as in Table 2.
    synopsis, formula, source, deviations : str
        From the function's docstring.
    remark : callable, optional
        From the inputs, None where not stated, to a sentence that has to be said with the score; may be empty.
    """

    id: str
    name: str
    pillar: str
    notion: str
    function: Function
    inputs: tuple[str, ...]
    unit: str
    range: Interval
    better: Literal["higher", "lower"]
    normalise: Callable[[float], float]
    when: str
    who: str
    synopsis: str
    formula: str
    source: str
    deviations: str
    remark: Remark | None = None


METRICS: dict[str, Metric] = {}
"""Rows of Table 2, and of one's own, by id; filled by the modules of the pillars."""

FURTHER: dict[str, Metric] = {}
"""Rows by id that the paper's section 3 asks for and its Table 2 leaves out."""

REFINED: dict[str, Metric] = {}
"""Rows of Table 2 by id, where the whole taxonomy reads more facts for them than the table does."""


def _sections(text: str) -> dict[str, str]:
    """Split a numpydoc docstring into its first line ("") and its sections, each as one line of text."""
    parts = re.split(r"\n *([A-Z]\w+)\n *-{3,}\n", text.strip() + "\n")
    found = {"": parts[0].split("\n\n")[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}
    return {title: " ".join(body.split()) for title, body in found.items()}


def metric(
    notion: str,
    name: str,
    *,
    inputs: tuple[str, ...],
    range: Interval,
    better: Literal["higher", "lower"],
    normalise: Callable[[float], float],
    when: str,
    who: str,
    unit: str = "",
    remark: Remark | None = None,
    table: dict[str, Metric] = METRICS,
    instead: str | None = None,
) -> Callable[[_F], _F]:
    """Enter a function into the taxonomy, as a decorator; its docstring supplies the words of the row.

    Parameters
    ----------
    notion : str
        A key of `NOTIONS`; of `EVERY_NOTION` for a row of `FURTHER`.
    name : str
        As people call it.
    inputs : tuple of str
        The facts it reads, as ``section/name``.
    range : Interval
        Of the raw value.
    better : {"higher", "lower"}
        Which raw values deserve more trust.
    normalise : callable
        From the raw value to a score in [0, 1].
    when, who : str
        When it can be computed, and by whom.
    unit : str
        Of the raw value; empty for a pure number.
    remark : callable, optional
        From the inputs to a sentence that has to be said with the score; may be empty.
    table : dict of str to Metric
        `METRICS`, which every profile over the paper's taxonomy scores; or `FURTHER`, which only those over the whole
        one do.
    instead : str, optional
        The id of a row of Table 2 that this row takes the place of, under the same id, in the whole taxonomy only.

    Returns
    -------
    callable
        A decorator that returns the function unchanged.

    Raises
    ------
    KeyError
        If the notion, an input, or the row to take the place of is unknown.
    ValueError
        If the id is taken, by another function or as the id of a pillar or notion.
    """
    known = EVERY_NOTION if table is FURTHER else NOTIONS
    if notion not in known:
        raise KeyError(f"there is no notion {notion!r}; known are {', '.join(known)}")
    for path in inputs:
        if path not in FIELDS:
            raise KeyError(f"there is no fact {path!r}; known are {', '.join(FIELDS)}")
    if instead is not None and instead not in METRICS:
        raise KeyError(f"Table 2 has no row {instead!r}; it has {', '.join(METRICS)}")

    def keep(function: _F) -> _F:
        id_ = instead or function.__name__
        taken = METRICS.get(id_) or FURTHER.get(id_)
        if id_ in PILLARS or id_ in EVERY_NOTION or (taken and taken.function.__module__ != function.__module__):
            raise ValueError(f"the id {id_!r} is taken already in the taxonomy")
        text = _sections(inspect.getdoc(function) or "")
        synopsis, formula, source, deviations = (text.get(t, "") for t in ("", "Notes", "Source", "Deviations"))
        pillar = known[notion].pillar
        (REFINED if instead else table)[id_] = Metric(
            id_, name, pillar, notion, function, inputs, unit, range, better, normalise, when, who,
            synopsis, formula, source, deviations, remark,
        )  # fmt: skip
        return function

    return keep


def level_of(name: str) -> tuple[str, Any]:
    """Find a pillar, notion or metric by its id.

    Parameters
    ----------
    name : str
        An id.

    Returns
    -------
    level : {"pillar", "notion", "metric"}
        What it is.
    what : str, Notion or Metric
        The pillar's name, or the row.

    Raises
    ------
    KeyError
        If nothing has that id; the message lists those there are.

    Examples
    --------
    >>> level_of("privacy")
    ('pillar', 'Privacy')
    """
    tables: dict[str, dict[str, Any]] = {"pillar": PILLARS, "notion": NOTIONS, "metric": METRICS}
    for level, table in tables.items():
        if name in table:
            return level, table[name]
    everything = [id_ for table in tables.values() for id_ in table]
    close = difflib.get_close_matches(str(name), everything, n=1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    raise KeyError(f"there is no pillar, notion or metric {name!r}; {hint}known are {', '.join(everything)}")
