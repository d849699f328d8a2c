"""From a fact sheet to a trust report: a pure function, fast enough for a slider."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any

from trustkit import jsonfile
from trustkit.trust import imports
from trustkit.trust.factsheet import FactSheet
from trustkit.trust.layout import Sheet, read
from trustkit.trust.profiles import Profile, profile_named
from trustkit.trust.report import Score, TrustReport
from trustkit.trust.rules import Rule
from trustkit.trust.tree import TRUST, check_weights, edges_of, means, reaches

__all__ = ["assess", "facts_for"]


def _score(profile: Profile, metric: str, raw: float | None) -> float | None:
    """The score of a raw value, None where there is none to give; as NaN it spreads upwards."""
    if raw is None or math.isnan(raw):
        if profile.missing == "left out":
            return None
        rule = profile.normaliser(metric)
        return rule.undefined if raw is not None and isinstance(rule, Rule) else 0.0
    score = profile.score(metric, raw)
    if not 0 <= score <= 1:
        raise ValueError(f"profile {profile.name} must score {metric} in [0, 1], got {score!r} for {raw!r}")
    return score if profile.digits is None else round(score, profile.digits)


def _measure(profile: Profile, key: str, sheet: FactSheet | Sheet) -> Score:
    row = profile.taxonomy.metrics[key]
    raw = row.function(sheet)  # type: ignore[arg-type]  # the rows of a taxonomy read its own layout
    inputs = {path: sheet.values.get(path) for path in row.inputs}
    return Score(
        pillar=row.pillar,
        notion=row.notion,
        metric=key,
        raw=raw,
        score=_score(profile, key, raw),
        weight=0.0,
        status="missing" if raw is None else "undefined" if math.isnan(raw) else "ok",
        inputs={path: f"{len(v)} entries" if isinstance(v, tuple) else v for path, v in inputs.items()},
        row=row,
    )


def _notes(facts: FactSheet | Sheet) -> tuple[str, ...]:
    if isinstance(facts, Sheet):
        return ()
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
    if facts.get("configuration", "attack"):
        count = facts.get("configuration", "attackers")
        by = "" if count is None else f", by {count} of the clients"
        notes.append(f"Trained under a simulated attack{by}: {facts.get('configuration', 'attack')}.")
    if facts.get("system", "faults"):
        notes.append(f"Trained with injected faults: {facts.get('system', 'faults')}.")
    return tuple(notes)


def _in_layout(facts: FactSheet | Sheet, profile: Profile) -> FactSheet | Sheet:
    view = profile.taxonomy.view
    if isinstance(facts, FactSheet):
        return facts if view is None else view(facts)
    if view is None or not isinstance(facts, Sheet):
        raise TypeError(f"facts must be a FactSheet under profile {profile.name}, got a {type(facts).__name__}")
    imports.check(facts.values)
    return facts


def facts_for(path: str | os.PathLike[str], profile: str | os.PathLike[str] | Profile = "paper") -> FactSheet | Sheet:
    """Read a fact sheet as a profile wants it.

    Parameters
    ----------
    path : path-like
        The file: of trustkit, of FederatedTrust's prototype, or of NEBULA.
    profile : str, path-like or Profile
        What is to score it.

    Returns
    -------
    FactSheet or Sheet
        The authors' own layout as it is, where the profile reads that; else the facts as far as they have a place here.

    Raises
    ------
    KeyError, TypeError, ValueError
        If there is no such profile, or the file is no fact sheet.
    """
    content, layout = jsonfile.read(path), profile_named(profile).taxonomy.layout
    return read(content) if layout and imports.layout_of(content) == layout else FactSheet.load(path)


def assess(
    facts: FactSheet | Sheet,
    profile: str | os.PathLike[str] | Profile = "paper",
    weights: Mapping[str, float] | None = None,
) -> TrustReport:
    """Score a federated project from its fact sheet.

    Parameters
    ----------
    facts : FactSheet or Sheet
        What is known. A `Sheet` is one in the authors' layout, for the profiles that read it.
    profile : str, path-like or Profile
        How raw values become scores and scores are combined: a key of `PROFILES`, a TOML file, or a profile.
    weights : mapping of str to float, optional
        By pillar, notion or metric id, at least 0; they replace the profile's, and are 1 where nothing is said. Only
        their proportions among siblings count.

    Returns
    -------
    TrustReport
        Scores in [0, 1] of the project, its pillars, notions and metrics. What has no evidence is None and carries no
        weight: it is listed as missing, or as undefined where a measure has no value. Profiles that reproduce the
        authors' code score it 0, as that does.

    Raises
    ------
    KeyError
        If the profile or the id of a weight is unknown.
    TypeError, ValueError
        If a weight is no number, negative or infinite, if no metric has a weight above 0, if the profile reads
        another layout, or if a number of a `Sheet` is infinite or out of range.

    Notes
    -----
    notion = Σ w_m s_m / Σ w_m over its metrics with a score; pillar likewise over its notions (profile "paper-figures":
    over its metrics, weighted w_n w_m); trust likewise over the pillars.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), section 5.2, with equal weights.

    Deviations
    ----------
    The authors' code scores missing evidence 0 and rounds to two digits at every level but the notions'; ours leaves it
    out of the means and rounds nothing, unless the profile is theirs.

    Examples
    --------
    >>> report = assess(FactSheet({"participants/client_num": 100, "performance/test_acc_avg": 0.8}))
    >>> round(report.pillars["robustness"], 6), report.pillars["privacy"]
    (0.6, None)
    """
    chosen = profile_named(profile)
    taxonomy = chosen.taxonomy
    own = check_weights(taxonomy, chosen.weights)
    given = check_weights(taxonomy, {**own, **(weights or {})})
    sheet = _in_layout(facts, chosen)
    rows = [_measure(chosen, key, sheet) for key in taxonomy.metrics]
    edges = edges_of(taxonomy, chosen.aggregation, given)

    def rounded(name: str, value: float) -> float:
        return value if name in taxonomy.notions else round(value, chosen.digits)

    finish = None if chosen.digits is None else rounded
    found: dict[str, Any] = means(edges, {row.metric: row.score for row in rows}, finish)
    share = reaches(edges, found)
    return TrustReport(
        profile=chosen,
        title=sheet.get("project", "overview") or "",
        experiment=facts.get("project", "experiment"),
        score=found[TRUST],
        pillars={name: found[name] for name in taxonomy.pillars},
        notions={name: found[name] for name in taxonomy.notions},
        metrics=tuple(row.carrying(share[row.metric]) for row in rows),
        notes=_notes(facts) + (() if given == own else (f"Scored with other weights than profile {chosen.name}'s.",)),
        weights=given,
        shares={name: share[name] for name in (*taxonomy.pillars, *taxonomy.notions)},
    )
