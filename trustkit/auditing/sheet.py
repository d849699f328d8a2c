"""A datasheet of the data: what is known is filled in, what is not is called "not stated"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from trustkit.auditing.tables import TINY, smallest_groups
from trustkit.auditing.verdicts import NO_BIAS

if TYPE_CHECKING:
    from trustkit.auditing.result import Audit

__all__ = ["QUESTIONS", "datasheet"]

UNKNOWN = "not stated"

QUESTIONS: Mapping[str, Mapping[str, str]] = {
    "Motivation": {
        "purpose": "What the data were made for",
        "makers": "Who made them, and for whom",
        "funding": "Who paid for it",
    },
    "Composition": {
        "instances": "What a row stands for",
        "size": "How many rows, and how they are spread over clients",
        "columns": "Which features there are",
        "label": "What is predicted",
        "groups": "Which protected groups there are, and how large they are",
        "missing": "What is missing",
        "sampling": "Of what the rows are a sample",
        "privacy": "Whether a person could be recognised",
    },
    "Collection": {
        "acquisition": "How the data were obtained",
        "period": "When",
        "consent": "Whether those concerned were asked, and by whom it was reviewed",
    },
    "Preparation": {
        "cleaning": "What was changed, left out or filled in",
        "raw": "Whether the data are kept as they first came",
    },
    "Uses": {
        "used": "What they were used for",
        "found": "What the audit found, client by client",
        "unfit": "What they should not be used for",
    },
    "Distribution": {
        "source": "Where they come from",
        "licence": "Under which licence",
        "checksum": "SHA-256",
    },
    "Maintenance": {
        "maintainer": "Who looks after them",
        "updates": "Whether they will be corrected, and how",
    },
}
"""The questions of a datasheet by section and key, in short."""


def datasheet(audit: Audit, answers: Mapping[str, str] | None = None) -> str:
    """Write a datasheet in Markdown.

    Parameters
    ----------
    audit : Audit
        Of the data.
    answers : mapping of str to str, optional
        Answers of one's own by key of `QUESTIONS`, as ``{"purpose": "…"}``; they come before what is known.

    Returns
    -------
    str
        Markdown. A question that nobody answered says "not stated".

    Raises
    ------
    KeyError
        If there is no such question.

    Source
    ------
    Gebru et al. 2021, Datasheets for Datasets: its sections; the questions are put in our own words.
    """
    given = dict(answers or {})
    keys = [key for part in QUESTIONS.values() for key in part]
    if unknown := [key for key in given if key not in keys]:
        raise KeyError(f"a datasheet has no question {unknown[0]!r}; known are {', '.join(keys)}")
    found = dict(_known(audit)) | given
    lines = [f"# Datasheet of {audit.name}", ""]
    if audit.facts.get("synthetic"):
        lines += ["**These data are synthetic: no row is a person.**", ""]
    for section, questions in QUESTIONS.items():
        lines += [f"## {section}", ""]
        for key, question in questions.items():
            lines += [f"**{question}.** {found.get(key) or UNKNOWN}", ""]
    lines += ["---", "", "Sections after Gebru et al. 2021, Datasheets for Datasets.", ""]
    return "\n".join(lines)


def _known(audit: Audit) -> Iterator[tuple[str, str]]:
    """Yield answers that follow from the audit."""
    facts, rows = audit.facts, np.asarray(audit.rows)
    spread = f"{rows.min():,} / {int(np.median(rows)):,} / {rows.max():,}" if rows.size else "none"
    yield "size", f"{rows.sum():,} rows at {len(audit.clients):,} clients; smallest / median / largest: {spread}."
    yield "columns", f"{len(facts['features'])}: {_listed(facts['features'])}."
    of = f"`{facts['target']}`: " if facts.get("target") else ""
    yield "label", f"{of}whether it is `{facts['positive']}`, which is called favourable."
    yield "groups", "\n\n" + "\n\n".join(_groups(audit, name) for name in audit.attributes)
    missing = [f"{name} {count:,}" for name, count in facts.get("missing", {}).items()]
    gone = [f"{name} of {int(count.sum()):,} rows" for name, count in audit.missing.items() if count.sum()]
    said = [f"values by column: {_listed(missing)}" if missing else "no value of a feature is known to be missing",
            f"protected attributes: {_listed(gone)}" if gone else "no protected attribute is missing"]  # fmt: skip
    yield "missing", "; ".join(said) + "."
    left_out = [f"`{name}` ({why})" for name, why in facts.get("left_out", {}).items()]
    dropped = facts.get("dropped_rows", 0)
    yield "cleaning", (f"{dropped:,} rows without a label were left out. No feature of the audit: "
                       f"{_listed(left_out) or 'none was left out'}.")  # fmt: skip
    yield "found", "\n\n" + "\n".join(_findings(audit))
    for key in ("source", "licence", "checksum"):
        yield key, str(facts.get(key) or "")


def _listed(names: object, most: int = 40) -> str:
    texts = [str(name) for name in names]  # type: ignore[attr-defined]
    more = f" and {len(texts) - most:,} more" if len(texts) > most else ""
    return ", ".join(texts[:most]) + more


def _groups(audit: Audit, attribute: str) -> str:
    cells = audit.composition[attribute].sum(axis=0)
    lines = [f"| {attribute} | rows | share | favourable labels |", "|---|---|---|---|"]
    total = max(1, int(cells.sum()))
    for value, (no, yes) in zip(audit.attributes[attribute], cells.tolist(), strict=True):
        rate = f"{yes / (no + yes):.1%}" if no + yes else "n/a"
        lines.append(f"| {value} | {no + yes:,} | {(no + yes) / total:.1%} | {rate} |")
    return "\n".join(lines)


def _findings(audit: Audit) -> Iterator[str]:
    how = f"{audit.measure.replace('_', ' ')}, threshold {audit.threshold:g}, models {', '.join(audit.models)}"
    yield f"Level {audit.level}; {how}."
    yield ""
    for verdict, clients in audit.clients_by_verdict().items():
        bias = "" if verdict in NO_BIAS else ": all models find it worst, by more than the threshold"
        yield f"- {verdict}{bias}, {len(clients):,} client{'s' * (len(clients) != 1)}: {_listed(clients)}"
    yield ""
    yield ("| model | accuracy | attribute | mean gap of clients | by chance alone | largest | pooled | "
           "clients over the threshold | clients without a gap |")  # fmt: skip
    yield "|---|---|---|---|---|---|---|---|---|"
    summary = audit.summary()
    for model in audit.models:
        for attribute in audit.attributes:
            found = summary[model][attribute]
            cells = (summary[model]["accuracy"], found["mean"], found["by_chance"], found["largest"], found["pooled"])
            accuracy, *gaps = ("n/a" if value != value else f"{value:.3f}" for value in cells)
            over = "n/a" if found["share_over"] != found["share_over"] else f"{found['share_over']:.0%}"
            yield f"| {model} | {accuracy} | {attribute} | {' | '.join(gaps)} | {over} | {found['undefined']:,} |"
    for attribute in audit.attributes:
        least = smallest_groups(audit, attribute)
        if few := int(((least > 0) & (least < TINY)).sum()):
            yield ""
            yield (f"At {few:,} clients a group by {attribute} has fewer than {TINY} test rows: there a gap may be one "
                   "person's doing.")  # fmt: skip
