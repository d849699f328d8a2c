"""What a line of the tree says: numbers with their status, and the formula with its values put in."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from trustkit.widgets.numbers import amount, percent
from trustkit.widgets.strings import language, say
from trustkit.widgets.translated import translated

from trustkit.trust import Score, TrustReport
from trustkit.trust.attribution import Bar
from trustkit.trust.explain import raw_text
from trustkit.trust.rules import words_of
from trustkit.trust.tree import Edges, edges_of

__all__ = ["About", "about_mean", "about_metric", "change", "english_words", "names_of", "values_of", "worked"]

About = list[tuple[str, str]]
"""Pairs of a word and what is said about it."""

_UNKNOWN = re.compile(r"\b(x|CV)\b")
_LONGEST = 90
_ENGLISH = ("what", "formula", "why", "remark", "source", "deviations")
"""What the library writes in whole sentences, and what is not translated."""


def english_words() -> list[str]:
    """Return the words after which an `About` goes on in English on a page of another language.

    Returns
    -------
    list of str
        In the language of the page; none on an English page.
    """
    return [] if language() == "en" else [say(f"reasons.{name}") for name in _ENGLISH]


def names_of(report: TrustReport) -> dict[str, str]:
    """Return what everything in a report is called.

    Parameters
    ----------
    report : TrustReport
        Any.

    Returns
    -------
    dict of str to str
        By id: trust, pillars, notions and metrics.
    """
    known = report.profile.taxonomy
    notions = {id_: notion.name for id_, notion in known.notions.items()}
    metrics = {key: row.name for key, row in known.metrics.items()}
    names = {"trust": say("reasons.trust"), **known.pillars, **notions, **metrics}
    return {id_: translated(name) for id_, name in names.items()}


def worked(words: str, raw: str, score: str) -> str:
    """Put a raw value into the words of a normaliser.

    Parameters
    ----------
    words : str
        Of `trustkit.trust.rules.words_of`: with a formula in x or CV, or without.
    raw, score : str
        As they are written.

    Returns
    -------
    str
        The words, the formula with the value in it if there is one, and the score.

    Examples
    --------
    >>> worked("score a risk: 1 − x", "0.25", "0.750")
    'score a risk: 1 − x = 1 − 0.25 = 0.750'
    >>> worked("straight from 0 at 1 to 1 at 5", "3", "0.500")
    'straight from 0 at 1 to 1 at 5: 3 scores 0.500'
    """
    formula = words.rpartition(": ")[2]
    if _UNKNOWN.search(formula):
        return f"{words} = {_UNKNOWN.sub(raw, formula)} = {score}"
    return say("reasons.scores", words=words, raw=raw, score=score)


def _written(value: Any) -> str:
    if isinstance(value, float):
        return say("reasons.undefined") if math.isnan(value) else "∞" if math.isinf(value) else f"{value:.4g}"
    text = str(value)
    if isinstance(value, bool):
        text = say("reasons.yes") if value else say("reasons.no")
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _status(line: Score) -> str:
    """Why there is no raw value; empty if there is one."""
    unknown = [path for path, value in line.inputs.items() if value is None]
    if line.status == "missing":
        return say("reasons.unstated", facts=", ".join(unknown)) if unknown else say("reasons.unsourced")
    return say("reasons.undefined_why") if line.status == "undefined" else ""


def about_metric(report: TrustReport, line: Score) -> About:
    """Say where a metric's score comes from.

    Parameters
    ----------
    report : TrustReport
        Any.
    line : Score
        One of its lines.

    Returns
    -------
    list of (str, str)
        What it measures, the formula, its values, raw value and score, status, reasons, when and who, source.
    """
    row, rule = line.row, translated(words_of(report.profile.normaliser(line.metric)))
    known = "; ".join(f"{path} = {_written(value)}" for path, value in line.inputs.items() if value is not None)
    unknown = ", ".join(path for path, value in line.inputs.items() if value is None)
    score = rule if line.raw is None or line.score is None else worked(rule, f"{line.raw:.4g}", amount(line.score, 3))
    if line.status != "ok" and line.score is not None:
        score = say("reasons.scored_so", score=amount(line.score, 3), profile=report.profile.name)
    remark = getattr(row, "remark", None)
    parts = [
        ("what", row.synopsis),
        ("status", _status(line)),
        ("formula", row.formula),
        ("with", known),
        ("not_stated", unknown if line.status == "ok" else ""),
        ("raw", "" if line.raw is None or math.isnan(line.raw) else translated(raw_text(line))),
        ("score", score),
        ("better", say("reasons.higher") if row.better == "higher" else say("reasons.lower")),
        ("why", report.profile.reasons.get(line.metric, "")),
        ("remark", remark(line.inputs) if remark else ""),
        ("when_who", f"{translated(row.when)}, {translated(row.who)}"),
        ("source", row.source),
        ("deviations", "" if row.deviations == "None." else row.deviations),
    ]
    return [(say(f"reasons.{name}"), text) for name, text in parts if text]


def about_mean(report: TrustReport, name: str, edges: Edges) -> About:
    """Say how a pillar's or a notion's score is made of those below it.

    Parameters
    ----------
    report : TrustReport
        Any.
    name : str
        The id of a pillar or a notion.
    edges : mapping of str to mapping of str to float
        Of `trustkit.trust.tree.edges_of`.

    Returns
    -------
    list of (str, str)
        The weighted mean with its values, and what is left out of it.
    """
    profile, names = report.profile, names_of(report)
    found = {**{line.metric: line.score for line in report.metrics}, **report.notions}
    kept = {child: w for child, w in edges[name].items() if found[child] is not None and w > 0}
    out = [names[child] for child in edges[name] if child not in kept]
    score = report.pillars[name] if name in report.pillars else report.notions[name]
    said: About = []
    if kept:
        top = " + ".join(f"{weight:.3g} × {amount(found[child], 3)}" for child, weight in kept.items())
        below = " + ".join(f"{weight:.3g}" for weight in kept.values())
        whole = profile.digits is None or name in report.notions
        rounded = "" if whole else say("reasons.rounded", digits=profile.digits)
        over = " · ".join(names[child] for child in kept)
        formula = f"({top}) ÷ ({below}) = " if len(kept) > 1 else ""
        value = f"{formula}{amount(score, 3)}{rounded}"
        said = [(say("reasons.mean_of"), over), (say("reasons.score"), value)]
    left_out = say("reasons.no_evidence", names=", ".join(out))
    return said + [(say("reasons.left_out"), left_out)] * bool(out)


def _share(report: TrustReport, name: str, parent: str, has_score: bool) -> str:
    """The weight as given, and what it comes to once it is divided: among its siblings, and of trust."""
    shares = {"trust": 1.0, **report.shares, **{line.metric: line.weight for line in report.metrics}}
    given, above = report.weights[name], shares[parent]
    if not has_score or above == 0:
        return say("reasons.no_weight", given=f"{given:.3g}")
    siblings, trust = percent(shares[name] / above, 1), percent(shares[name], 1)
    return say("reasons.share", given=f"{given:.3g}", siblings=siblings, trust=trust)


def values_of(report: TrustReport) -> dict[str, dict[str, Any]]:
    """Return the numbers of every line of the tree, and how the means are made.

    Parameters
    ----------
    report : TrustReport
        Any.

    Returns
    -------
    dict of str to dict
        By id: score, part (the score as a number, or None), raw, status, share; of pillars and notions also about.
    """
    found: dict[str, dict[str, Any]] = {}
    edges = edges_of(report.profile.taxonomy, report.profile.aggregation, report.weights)
    for pillar, score in report.pillars.items():
        inside = [line for line in report.metrics if line.pillar == pillar]
        found[pillar] = _values(report, pillar, "trust", score, inside, edges)
    for notion, score in report.notions.items():
        inside = [line for line in report.metrics if line.notion == notion]
        found[notion] = _values(report, notion, report.profile.taxonomy.notions[notion].pillar, score, inside, edges)
    for line in report.metrics:
        found[line.metric] = {
            "score": amount(line.score),
            "part": line.score,
            "raw": translated(raw_text(line)) if line.status == "ok" else "",
            "status": {"ok": "", "missing": say("reasons.missing"), "undefined": say("page.undefined")}[line.status],
            "share": _share(report, line.metric, line.notion, line.score is not None),
        }
    return found


def _values(
    report: TrustReport, name: str, parent: str, score: float | None, inside: list[Score], edges: Edges
) -> dict[str, Any]:
    """Of a pillar or a notion."""
    gaps = sum(line.status != "ok" for line in inside)
    return {
        "score": amount(score),
        "part": score,
        "raw": "",
        "status": say("reasons.without", count=gaps, total=len(inside)) if gaps else "",
        "share": _share(report, name, parent, score is not None),
        "about": about_mean(report, name, edges),
    }


def change(bars: tuple[Bar, ...], names: dict[str, str], most: int = 12) -> Iterator[str]:
    """Say what moved a trust score, largest first.

    Parameters
    ----------
    bars : tuple of Bar
        Of a `Waterfall`.
    names : dict of str to str
        By id.
    most : int
        How many sentences at most.

    Yields
    ------
    str
        One sentence for each metric that moved it by 0.0005 or more.
    """
    for bar in sorted(bars, key=lambda bar: -abs(bar.contribution))[:most]:
        if abs(bar.contribution) < 5e-4:
            return
        name, old, new = names.get(bar.id, bar.id.capitalize()), bar.old, bar.new
        if old is not None and new is not None:
            verb = "rose" if new > old else "fell" if new < old else "stayed"
            how = say(f"reasons.{verb}", old=f"{old:.3f}", new=f"{new:.3f}")
        elif bar.kind == "evidence":
            how = say("reasons.lost") if new is None else say("reasons.gained", new=f"{new:.3f}")
        else:
            how = say("reasons.changed")
        moved = {"name": name, "how": how, "change": f"{abs(bar.contribution):.3f}"}
        yield say("reasons.up", **moved) if bar.contribution > 0 else say("reasons.down", **moved)
