"""Sentences about a trust report: its summary, and where each score comes from."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from trustkit.trust.rules import words_of

if TYPE_CHECKING:
    from trustkit.trust.report import Score, TrustReport

__all__ = ["coverage", "explain", "number", "raw_text", "summary"]


def number(value: float | None, digits: int = 2) -> str:
    """Write a score for people.

    Parameters
    ----------
    value : float or None
        Any number.
    digits : int
        After the point, at least 0.

    Returns
    -------
    str
        An en dash for None, "undefined" for NaN.

    Examples
    --------
    >>> number(0.5), number(None), number(float("nan"))
    ('0.50', '–', 'undefined')
    """
    return "–" if value is None else "undefined" if math.isnan(value) else f"{value:.{digits}f}"


def raw_text(line: Score) -> str:
    """Write a metric's raw value with its unit.

    Parameters
    ----------
    line : Score
        A metric's line.

    Returns
    -------
    str
        An en dash where evidence is missing.
    """
    if line.raw is None or math.isnan(line.raw):
        return number(line.raw)
    text = f"{line.raw:,.0f}" if line.raw == round(line.raw) else f"{line.raw:.4g}"
    return f"{text} {line.row.unit}".rstrip()


def coverage(report: TrustReport) -> str:
    """Say how many metrics are measured, how many lack evidence, and which way would bring it.

    Parameters
    ----------
    report : TrustReport
        Any report.

    Returns
    -------
    str
        Half a sentence, without a full stop.
    """
    parts = [f"{len(report.measured)} of {len(report.metrics)} metrics measured"]
    if report.missing:
        count = len(report.to_examine)
        by = f" ({count} of them need examine)" if count else ""
        parts.append(f"{len(report.missing)} without evidence{by}")
    if report.undefined:
        parts.append(f"{len(report.undefined)} undefined here")
    return ", ".join(parts)


def summary(report: TrustReport) -> str:
    """Say the most important in one sentence.

    Parameters
    ----------
    report : TrustReport
        Any report.

    Returns
    -------
    str
        Trust, the strongest and the weakest pillar, and how many metrics are measured.
    """
    scored = {pillar: score for pillar, score in report.pillars.items() if score is not None and not math.isnan(score)}
    if report.score is None or not scored:
        return "No trust score: no metric with a weight has evidence."
    text = f"Trust {number(report.score)}"
    if len(scored) > 1:
        best, worst = max(scored, key=lambda p: scored[p]), min(scored, key=lambda p: scored[p])
        text += f": strongest in {best} ({scored[best]:.2f}), weakest in {worst} ({scored[worst]:.2f})"
    return f"{text}; {coverage(report)}."


def _values(inputs: dict[str, Any]) -> str:
    return ", ".join(f"{path} = {value}" for path, value in inputs.items())


def _metric(report: TrustReport, name: str) -> str:
    line, row = report[name], report[name].row
    then = "It carries no weight." if line.score is None else f"This profile scores it {number(line.score)}."
    known = {path: value for path, value in line.inputs.items() if value is not None}
    unknown = [path for path in line.inputs if path not in known]
    lacks = "score" if line.score is None else "evidence"
    if line.status == "missing":
        why = f"the fact sheet does not state {', '.join(unknown)}" if unknown else "the source has no value for it"
        seen = f" ({_values(known)})" if known else ""
        how = " Examining the finished run (examine) measures it." if line.examined else ""
        return f"{row.name} has no {lacks}: {why}{seen}.{how} {then} Formula: {row.formula} Source: {row.source}"
    if line.status == "undefined":
        return f"{row.name} is undefined here ({_values(known)}). {then} {row.formula} Source: {row.source}"
    rule = report.profile.normaliser(name)
    missing = f", not stated: {', '.join(unknown)}" if unknown else ""
    reason = report.profile.reasons.get(name)
    remark = f"{line.remark} " if line.remark else ""
    return (
        f"{row.name} is {raw_text(line)}, from {_values(known) or 'the fact sheet'}{missing}. {remark}"
        f"Formula: {row.formula} "
        f"Normalised ({words_of(rule)}): score {number(line.score, 3)}; {row.better} raw values are "
        f"better. {f'Why so: {reason} ' if reason else ''}It carries {line.weight:.1%} of trust. Source: {row.source}"
    )


def _parts(named: list[tuple[str, float | None]]) -> str:
    scored = [f"{name} {score:.3f}" for name, score in named if score is not None]
    without = [name for name, score in named if score is None]
    text = ", ".join(scored) if scored else "nothing that has evidence"
    return f"{text} (no score: {', '.join(without)})" if without else text


def explain(report: TrustReport, name: str) -> str:
    """Say in words where a score comes from.

    Parameters
    ----------
    report : TrustReport
        Any report.
    name : str
        The id of a pillar, a notion or a metric, or "trust".

    Returns
    -------
    str
        Sentences with the formula and the values.

    Raises
    ------
    KeyError
        If nothing has that id; the message lists those there are.
    """
    taxonomy = report.profile.taxonomy
    if name == "trust":
        parts = [(taxonomy.pillars[pillar], score) for pillar, score in report.pillars.items()]
        return f"Trust is {number(report.score, 3)}, the weighted mean of {_parts(parts)}. {report.profile.about}"
    level, what = taxonomy.level_of(name)
    if level == "metric":
        return _metric(report, name)
    label = what if level == "pillar" else what.name
    lines = [line for line in report.metrics if name in (line.pillar, line.notion)]
    parts = [(line.row.name, line.score) for line in lines]
    over, score = "metrics", report.notions.get(name)
    if level == "pillar":
        score = report.pillars[name]
        if report.profile.aggregation == "notions":
            over = "notions"
            parts = [(n.name, report.notions[n.id]) for n in taxonomy.notions.values() if n.pillar == name]
    carried = sum(line.weight for line in lines)
    means = f"the weighted mean of its {over} {_parts(parts)}"
    return f"{label} scores {number(score, 3)}, {means}. It carries {carried:.1%} of trust."
