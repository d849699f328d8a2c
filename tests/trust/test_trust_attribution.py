"""The waterfall between two reports: by hand, and laws that hold for any two."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustkit.trust import METRICS, NOTIONS, PILLARS, PROFILES, FactSheet, Profile, TrustReport, assess
from trustkit.trust.attribution import Waterfall, waterfall

IDS = [*PILLARS, *NOTIONS, *METRICS]
SHARES = st.none() | st.floats(0, 1)
SHEETS = st.fixed_dictionaries({
    "performance/test_acc_avg": SHARES, "configuration/personalization": st.none() | st.booleans(),
    "participants/client_num": st.none() | st.integers(1, 10**5), "robustness/clever": st.none() | st.floats(0, 5),
    "fairness/selection_cv": SHARES, "fairness/test_acc_cv": SHARES | st.just(math.nan),
    "fairness/class_imbalance": SHARES,
    "privacy/differential_privacy": st.none() | st.booleans(), "privacy/client_entropy": SHARES,
    "configuration/training_model": st.none() | st.sampled_from(["mlp", "logistic", "trees"]),
    "configuration/aggregation_algorithm": st.none() | st.sampled_from(["FedAvg", "Krum"]),
    "project/purpose": st.none() | st.just("teaching"),
}).map(FactSheet)  # fmt: skip
WEIGHTS = st.dictionaries(st.sampled_from(IDS), st.just(0.0) | st.floats(0.1, 10), max_size=6)
OURS = [name for name, profile in PROFILES.items() if profile.taxonomy.metrics is METRICS]


def bars(found: Waterfall) -> dict[str, float]:
    """Return the contributions that are not 0, by id."""
    return {bar.id: bar.contribution for bar in found.bars if bar.contribution != 0}


def test_one_changed_score_by_hand() -> None:
    """Accuracy .6 → .8 beside personalization, scale: Δ = .2 · ½ (metric) · ½ (notion) · ½ (pillar of two) = .025."""
    facts = FactSheet({"performance/test_acc_avg": 0.6, "configuration/personalization": True,
                       "participants/client_num": 100})  # fmt: skip
    old, new = assess(facts), assess(facts.with_facts(performance__test_acc_avg=0.8))
    found = waterfall(old, new)
    assert bars(found) == pytest.approx({"performance": 0.025})
    levels = {bar.id: bar for bar in found.levels}
    assert levels["algorithm_robustness"].contribution == pytest.approx(0.025)
    assert (levels["algorithm_robustness"].old, levels["algorithm_robustness"].new) == pytest.approx((0.8, 0.9))
    assert levels["robustness"].contribution == levels["trust"].contribution == pytest.approx(0.025)
    assert levels["privacy"].contribution == 0


def test_evidence_that_appears_by_hand() -> None:
    """Robustness alone, scale .4, trust .4 with completeness left out; CLEVER .5 of 4 steps to 0.1 then halves it.

    CLEVER 0.5 scores .1, so robustness falls from .4 to (.4 + .1)/2 = .25: its own bar, ½ (.1 − .4) = −.15.
    """
    weights = {"accountability": 0}
    facts = FactSheet({"participants/client_num": 100})
    old, new = (assess(sheet, weights=weights) for sheet in (facts, facts.with_facts(robustness__clever=0.5)))
    found = waterfall(old, new)
    bar = next(bar for bar in found.bars if bar.id == "certified_robustness")
    assert (bar.kind, bar.old, bar.new) == ("evidence", None, 0.1)
    assert bars(found) == pytest.approx({"certified_robustness": -0.15})
    back = waterfall(new, old)
    assert bars(back) == pytest.approx({"certified_robustness": 0.15})


def test_weights_have_a_bar_of_their_own() -> None:
    """Scores .4 and .8, weights 1:1 → 3:1: (3 · .4 + .8)/4 = .5 instead of .6, and no metric moved."""
    facts = FactSheet({"participants/client_num": 100, "performance/test_acc_avg": 0.8})
    only = {"accountability": 0}
    found = waterfall(assess(facts, weights=only), assess(facts, weights={**only, "client_reliability": 3}))
    assert bars(found) == pytest.approx({"weights": -0.1})


def test_weight_and_score_share_what_they_do_together() -> None:
    """w s: from ½ · .4 to ¾ · 1. The score's bar is its change at the mean weight, .6 · 5/8 = .375.

    The weights' bar is the rest of (¾ · 1 + ¼ · .8) − (½ · .4 + ½ · .8) = .35, so −.025: at the old scores the change
    of weights costs .1, at the new ones it gains .05.
    """
    only = {"accountability": 0}
    facts = FactSheet({"participants/client_num": 100, "performance/test_acc_avg": 0.8})
    more = facts.with_facts(participants__client_num=10**5)
    found = waterfall(assess(facts, weights=only), assess(more, weights={**only, "client_reliability": 3}))
    assert bars(found) == pytest.approx({"federation_scale": 0.375, "weights": -0.025})


@settings(derandomize=True, max_examples=100, deadline=None)
@given(SHEETS, SHEETS, WEIGHTS, WEIGHTS, st.sampled_from(OURS))
def test_contributions_add_up(
    one: FactSheet, two: FactSheet, first: dict[str, float], second: dict[str, float], profile: str
) -> None:
    """To the difference, at every level; swapping the reports turns every sign; what did not change has no bar."""
    try:
        old, new = assess(one, profile, first), assess(two, profile, second)
    except ValueError:  # all weights are 0
        return
    if old.score is None or new.score is None:
        with pytest.raises(ValueError, match=r"the (old|new) report must have a trust score, got none"):
            waterfall(old, new)
        return
    found = waterfall(old, new)
    assert sum(bar.contribution for bar in found.bars) == pytest.approx(new.score - old.score, abs=1e-12)
    levels = {bar.id: bar.contribution for bar in found.levels}
    weighed = sum(bar.contribution for bar in found.bars if bar.level != "metric")
    assert levels["trust"] == pytest.approx(sum(levels[p] for p in PILLARS) + weighed, abs=1e-12)
    for pillar in PILLARS:
        inside = [n.id for n in NOTIONS.values() if n.pillar == pillar]
        assert levels[pillar] == pytest.approx(sum(levels[n] for n in inside), abs=1e-12)
    back = {bar.id: bar.contribution for bar in waterfall(new, old).bars}
    for bar in found.bars:
        assert bar.contribution == pytest.approx(-back[bar.id], abs=1e-12)
        if bar.kind == "score" and bar.old == bar.new:
            assert bar.contribution == 0
    if first == second:
        assert back["weights"] == pytest.approx(0, abs=1e-12)


@settings(derandomize=True, max_examples=60, deadline=None)
@given(SHEETS, SHEETS, st.sampled_from(["prototype-2022", "prototype-2022-weighted", "nebula-1.0"]))
def test_rounding_has_a_bar_of_its_own(one: FactSheet, two: FactSheet, profile: str) -> None:
    """Where scores are rounded on the way up: at most half a hundredth at trust and at the pillars, twice."""
    old, new = (assess(sheet, profile) for sheet in (one, two))
    if any(report.score is None or math.isnan(report.score) for report in (old, new)):
        return
    found = waterfall(old, new)
    assert sum(bar.contribution for bar in found.bars) == pytest.approx((new.score or 0) - (old.score or 0), abs=1e-12)
    assert abs(found.bars[-1].contribution) <= 0.02 + 1e-12
    assert found.bars[-1].kind == "rounding"
    assert {bar.kind for bar in found.bars if bar.level == "metric"} == {"score"}


def test_an_undefined_score_without_weight_does_not_spoil_the_rest() -> None:
    """The prototype's unknown family, weighted 0."""
    facts = FactSheet({"configuration/training_model": "trees", "performance/test_acc_avg": 0.4})
    weights = {"algorithmic_transparency": 0}
    reports = [assess(sheet, "prototype-2022", weights) for sheet in
               (facts, facts.with_facts(performance__test_acc_avg=0.9))]  # fmt: skip
    found = waterfall(*reports)
    assert sum(bar.contribution for bar in found.bars) == pytest.approx(found.end - found.start, abs=1e-12)
    assert bars(found)["performance"] > 0


def test_frame() -> None:
    """Trust, pillars, notions, metrics, weights, in this order, a line each."""
    old = assess(FactSheet({"performance/test_acc_avg": 0.6}))
    new = assess(FactSheet({"performance/test_acc_avg": 0.8, "robustness/clever": 1.0}))
    frame = waterfall(old, new).frame()
    assert list(frame.columns) == ["level", "id", "kind", "from", "to", "contribution"]
    assert list(frame["id"]) == ["trust", *IDS, "weights"]
    leaves = frame[frame["level"].isin(["metric", "weights"])]
    assert leaves["contribution"].sum() == pytest.approx((new.score or 0) - (old.score or 0), abs=1e-12)
    assert [*frame.set_index("id")[["from", "to"]].loc["performance"]] == [0.6, 0.8]


def test_reports_that_cannot_be_compared() -> None:
    """Of two profiles, or of one name with two ways of combining."""
    facts = FactSheet({"performance/test_acc_avg": 0.6})

    def refused(one: TrustReport, two: TrustReport, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            waterfall(one, two)

    refused(assess(facts), assess(facts, "calibrated"), "both reports must be of one profile, got paper and calibrated")
    mine = Profile("mine", "Mine.")
    flat: Any = dataclasses.replace(mine, aggregation="flat")
    refused(assess(facts, mine), assess(facts, flat), "both reports must be of one profile, got mine and mine")
    none = assess(FactSheet(), weights={"accountability": 0})
    refused(none, assess(facts), "the old report must have a trust score, got none")
    refused(assess(facts), none, "the new report must have a trust score, got none")
