"""Why one report scores higher than another: an exact waterfall from the metrics up to trust."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from trustkit.trust.report import TrustReport
from trustkit.trust.tree import TRUST, Edges, edges_of, means, parents, reaches

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Bar", "Waterfall", "waterfall"]

_Scores = Mapping[str, float | None]


@dataclass(frozen=True)
class Bar:
    """What one part adds to the difference: its level, id, kind, score in both reports, and contribution.

    A metric is of kind "score", or "evidence" where only one of the reports has evidence for it; changed weights and
    rounding have bars of their own, without scores.
    """

    level: str
    id: str
    kind: Literal["score", "evidence", "weights", "rounding"]
    old: float | None
    new: float | None
    contribution: float


@dataclass(frozen=True)
class Waterfall:
    """The way from one trust score to another.

    Parameters
    ----------
    start, end : float
        Trust in both reports.
    bars : tuple of Bar
        Of all metrics, then of the weights and, where the profile rounds, of rounding: they add up to ``end`` −
        ``start``.
    levels : tuple of Bar
        Trust, pillars and notions: each contributes the sum of its metrics' bars.
    """

    start: float
    end: float
    bars: tuple[Bar, ...]
    levels: tuple[Bar, ...]

    def frame(self) -> pd.DataFrame:
        """Return trust, pillars, notions, metrics, weights and rounding, a line each.

        Returns
        -------
        pandas.DataFrame
            level, id, kind, from, to, contribution; a part without a score has NaN.
        """
        import pandas as pd

        names = ["level", "id", "kind", "from", "to", "contribution"]
        lines = [(b.level, b.id, b.kind, b.old, b.new, b.contribution) for b in (*self.levels, *self.bars)]
        return pd.DataFrame(lines, columns=names).astype({"from": float, "to": float})


def _trust(edges: Edges, scores: _Scores) -> float:
    return float(means(edges, scores)[TRUST] or 0.0)


def _newcomers(edges: Edges, known: _Scores, before: _Scores) -> dict[str, float]:
    """What each metric of ``known`` that ``before`` lacks adds: its share times how far it lies from what was there."""
    share, found, above = reaches(edges, means(edges, known)), means(edges, before), parents(edges)
    added = {}
    for name, score in known.items():
        if score is None or before[name] is not None:
            continue
        place = above[name]
        while found[place] is None:
            place = above[place]
        added[name] = share[name] * (score - found[place])  # type: ignore[operator]  # left the loop
    return added


def _path(old: Edges, first: _Scores, new: Edges, last: _Scores) -> tuple[dict[str, float], float]:
    """Attribute step by step: evidence appears, weights change, scores change, evidence disappears."""
    joined = {name: last[name] if score is None else score for name, score in first.items()}
    moved = {name: first[name] if score is None else score for name, score in last.items()}
    added = _newcomers(old, joined, first)
    gone = _newcomers(new, moved, last)
    share = reaches(new, means(new, moved))
    parts = {}
    for name, score in joined.items():
        if score is not None:
            changed = share[name] * ((moved[name] or 0.0) - score)
            parts[name] = changed + added.get(name, 0.0) - gone.get(name, 0.0)
    return parts, _trust(new, joined) - _trust(old, joined)


def _scores(report: TrustReport) -> dict[str, float | None]:
    """By metric; one that is not defined, which a report with a trust score gives no weight, has none."""
    return {s.metric: None if s.score is None or math.isnan(s.score) else s.score for s in report.metrics}


def _check(old: TrustReport, new: TrustReport) -> None:
    one, two = old.profile, new.profile
    rows = [list(profile.taxonomy.metrics.items()) for profile in (one, two)]
    same = (rows[0] == rows[1], one.aggregation == two.aggregation, one.digits == two.digits)
    if one.name != two.name or not all(same):
        raise ValueError(f"both reports must be of one profile, got {one.name} and {two.name}")
    for which, report in (("old", old), ("new", new)):
        if report.score is None or math.isnan(report.score):
            raise ValueError(f"the {which} report must have a trust score, got none")


def waterfall(old: TrustReport, new: TrustReport) -> Waterfall:
    """Attribute the difference between two trust scores to metrics, evidence and weights.

    Parameters
    ----------
    old, new : TrustReport
        Of the same profile; their weights may differ.

    Returns
    -------
    Waterfall
        Contributions in units of trust, which add up to the difference.

    Raises
    ------
    ValueError
        If the profiles differ, or if a report has no trust score.

    Notes
    -----
    On the way from old to new, evidence appears, weights change, scores change, evidence disappears. Every step is
    exact: a changed score contributes its share of trust times its change; evidence that appears, its share times how
    far its score lies from the mean of its nearest branch that had one. As shares depend on the order of the steps, the
    result is the mean of the ways there and back with the sign turned, so that swapping the reports turns every sign.

    Source
    ------
    Arithmetic of weighted means; the mean over both ways is the Shapley value where two things change.

    Deviations
    ----------
    FederatedTrust compares total and pillar scores only.

    Examples
    --------
    >>> from trustkit.trust import FactSheet, assess
    >>> facts = FactSheet({"performance/test_acc_avg": 0.6, "participants/client_num": 100})
    >>> found = waterfall(assess(facts), assess(facts.with_facts(performance__test_acc_avg=0.8)))
    >>> bar = next(bar for bar in found.bars if bar.id == "performance")
    >>> round(bar.contribution, 6), round(found.end - found.start, 6)
    (0.05, 0.05)
    """
    _check(old, new)
    taxonomy, aggregation = old.profile.taxonomy, old.profile.aggregation
    edges = [edges_of(taxonomy, aggregation, report.weights) for report in (old, new)]
    scores = [_scores(report) for report in (old, new)]
    there, onward = _path(edges[0], scores[0], edges[1], scores[1])
    back, backward = _path(edges[1], scores[1], edges[0], scores[0])
    parts = {name: (value - back[name]) / 2 for name, value in there.items()}
    bars = []
    for name in taxonomy.metrics:
        one, two = scores[0][name], scores[1][name]
        kind: Literal["score", "evidence"] = "score" if (one is None) == (two is None) else "evidence"
        bars.append(Bar("metric", name, kind, one, two, parts.get(name, 0.0)))
    bars.append(Bar("weights", "weights", "weights", None, None, (onward - backward) / 2))
    start, end = float(old.score or 0.0), float(new.score or 0.0)
    if old.profile.digits is not None:
        exact = _trust(edges[1], scores[1]) - _trust(edges[0], scores[0])
        bars.append(Bar("rounding", "rounding", "rounding", None, None, end - start - exact))
    levels = [Bar("trust", TRUST, "score", start, end, sum(bar.contribution for bar in bars))]
    for level, before, after in (("pillar", old.pillars, new.pillars), ("notion", old.notions, new.notions)):
        for name in before:
            inside = [key for key, row in taxonomy.metrics.items() if name in (row.pillar, row.notion)]
            one, two = before[name], after[name]
            kind = "score" if (one is None) == (two is None) else "evidence"
            levels.append(Bar(level, name, kind, one, two, sum(parts.get(key, 0.0) for key in inside)))
    return Waterfall(start, end, tuple(bars), tuple(levels))
