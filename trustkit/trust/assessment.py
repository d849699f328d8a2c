"""From a fact sheet to a trust report: a pure function, fast enough for a slider."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from trustkit.trust.factsheet import FactSheet
from trustkit.trust.profiles import Profile, profile_named
from trustkit.trust.report import Score, TrustReport
from trustkit.trust.taxonomy import METRICS, NOTIONS, PILLARS, Metric, level_of

__all__ = ["assess"]

_Part = tuple[float, float | None]


def _mean(parts: Iterable[_Part]) -> float | None:
    """Weighted mean of the scores that exist; None if no weight is left."""
    kept = [(weight, score) for weight, score in parts if score is not None and weight > 0]
    total = sum(weight for weight, _ in kept)
    return sum(weight * score for weight, score in kept) / total if kept else None


def _checked(weights: Mapping[str, float]) -> dict[str, float]:
    for name, weight in weights.items():
        level_of(name)
        if isinstance(weight, bool) or not isinstance(weight, (int, float)):
            raise TypeError(f"the weight of {name} must be a number, got {weight!r}")
        if not 0 <= weight < math.inf:
            raise ValueError(f"the weight of {name} must be at least 0 and finite, got {weight!r}")
    full = {name: float(weights.get(name, 1.0)) for name in (*PILLARS, *NOTIONS, *METRICS)}
    if not any(full[m.pillar] * full[m.notion] * full[m.id] > 0 for m in METRICS.values()):
        raise ValueError("weights must leave at least one metric with a weight above 0, got none")
    return full


def _measure(metric: Metric, facts: FactSheet, profile: Profile) -> Score:
    raw = metric.function(facts)
    score = None if raw is None or math.isnan(raw) else profile.score(metric.id, raw)
    if score is not None and not 0 <= score <= 1:
        raise ValueError(f"profile {profile.name} must score {metric.id} in [0, 1], got {score!r} for {raw!r}")
    inputs = {path: facts.values.get(path) for path in metric.inputs}
    return Score(
        pillar=metric.pillar,
        notion=metric.notion,
        metric=metric.id,
        raw=raw,
        score=score,
        weight=0.0,
        status="missing" if raw is None else "undefined" if score is None else "ok",
        inputs={path: f"{len(v)} entries" if isinstance(v, tuple) else v for path, v in inputs.items()},
    )


def _shares(parts: Mapping[str, _Part]) -> dict[str, float]:
    """What each part with a score carries of its mean; 0 for the others."""
    kept = {name: weight for name, (weight, score) in parts.items() if score is not None}
    total = sum(kept.values())
    return {name: kept.get(name, 0.0) / total if total > 0 else 0.0 for name in parts}


def _notes(facts: FactSheet) -> tuple[str, ...]:
    notes = []
    if facts.get("data", "synthetic"):
        instead = facts.get("data", "stands_in_for")
        notes.append("Computed on synthetic data" + (f", which stand in for {instead}." if instead else "."))
    if facts.get("data", "scaled_down"):
        notes.append(f"Scaled down: {facts.get('data', 'scaled_down')}.")
    if facts.get("privacy", "differential_privacy"):
        level, assumption = facts.get("privacy", "level"), facts.get("privacy", "assumption")
        notes += (
            ["ε protects one row, not a client; Global Privacy Risk is an index for comparing runs here."]
            if level == "example"
            else []
        )
        notes += [f"ε: {assumption}"] if assumption else []
    return tuple(notes)


def assess(
    facts: FactSheet, profile: str | Profile = "paper", weights: Mapping[str, float] | None = None
) -> TrustReport:
    """Score a federated project from its fact sheet.

    Parameters
    ----------
    facts : FactSheet
        What is known.
    profile : str or Profile
        How raw values become scores and scores are combined; a key of `PROFILES`.
    weights : mapping of str to float, optional
        By pillar, notion or metric id, at least 0; they replace the profile's, and are 1 where nothing is said. Only
        their proportions among siblings count.

    Returns
    -------
    TrustReport
        Scores in [0, 1] of the project, its pillars, notions and metrics. What has no evidence is None and carries no
        weight: it is listed as missing, or as undefined where a measure has no value.

    Raises
    ------
    KeyError
        If the profile or the id of a weight is unknown.
    TypeError, ValueError
        If a weight is no number, negative or infinite, or if no metric has a weight above 0.

    Notes
    -----
    notion = Σ w_m s_m / Σ w_m over its metrics with a score; pillar likewise over its notions (profile "paper-figures":
    over its metrics, weighted w_n w_m); trust likewise over the pillars.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), section 5.2, with equal weights.

    Deviations
    ----------
    The authors' code scores missing evidence 0 and rounds to two digits at every level; ours leaves it out of the
    means and rounds nothing.

    Examples
    --------
    >>> report = assess(FactSheet({"participants/client_num": 100, "performance/test_acc_avg": 0.8}))
    >>> round(report.pillars["robustness"], 6), report.pillars["privacy"]
    (0.6, None)
    """
    chosen = profile_named(profile)
    weight = _checked({**chosen.weights, **(weights or {})})
    rows = [_measure(metric, facts, chosen) for metric in METRICS.values()]
    notions = {n: _mean((weight[row.metric], row.score) for row in rows if row.notion == n) for n in NOTIONS}
    groups: dict[str, dict[str, _Part]] = {}
    for pillar in PILLARS:
        if chosen.aggregation == "flat":
            groups[pillar] = {
                r.metric: (weight[r.notion] * weight[r.metric], r.score) for r in rows if r.pillar == pillar
            }
        else:
            groups[pillar] = {n.id: (weight[n.id], notions[n.id]) for n in NOTIONS.values() if n.pillar == pillar}
    pillars = {pillar: _mean(parts.values()) for pillar, parts in groups.items()}
    of_trust = _shares({pillar: (weight[pillar], score) for pillar, score in pillars.items()})
    of_pillar = {name: share for parts in groups.values() for name, share in _shares(parts).items()}
    of_notion: dict[str, float] = {}
    for notion in NOTIONS:
        of_notion |= _shares({r.metric: (weight[r.metric], r.score) for r in rows if r.notion == notion})
    carried = {
        row.metric: of_trust[row.pillar]
        * (of_pillar[row.metric] if chosen.aggregation == "flat" else of_pillar[row.notion] * of_notion[row.metric])
        for row in rows
    }
    return TrustReport(
        profile=chosen,
        title=facts.get("project", "overview") or "",
        score=_mean((weight[pillar], score) for pillar, score in pillars.items()),
        pillars=pillars,
        notions=notions,
        metrics=tuple(row.carrying(carried[row.metric]) for row in rows),
        notes=_notes(facts),
    )
