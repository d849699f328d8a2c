"""How scores are combined: weights at every level, evidence that is missing, and laws of means."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustkit.trust import METRICS, NOTIONS, PILLARS, PROFILES, FactSheet, Profile, assess

FACTS: dict[str, Any] = {
    "participants/client_num": 100, "privacy/differential_privacy": True, "privacy/epsilon": 6.0,
    "privacy/client_entropy": 0.93, "robustness/clever": 0.5, "performance/test_acc_avg": 0.9,
    "configuration/personalization": False, "fairness/selection_cv": 0.2, "fairness/test_acc_cv": 0.1,
    "fairness/class_imbalance": 0.7, "configuration/training_model": "mlp",
    "explainability/trainable_param_num": 2410, "explainability/feature_importance_cv": 0.6,
    "participants/client_selector": "random", "configuration/aggregation_algorithm": "FedAvg",
}  # fmt: skip
IDS = [*PILLARS, *NOTIONS, *METRICS]
SHEETS = st.sets(st.sampled_from(sorted(FACTS))).map(lambda kept: FactSheet({path: FACTS[path] for path in kept}))
WEIGHTS = st.dictionaries(st.sampled_from(IDS), st.floats(0.1, 10), max_size=8)
EVERY = st.sampled_from(sorted(name for name, profile in PROFILES.items() if profile.taxonomy.metrics is METRICS))


def test_means_by_hand() -> None:
    """Robustness by notions: (0.1 + (0.9 + 0)/2 + 0.4)/3 = 0.95/3; flat, with CLEVER as it is: 1.8/4."""
    facts = FactSheet(FACTS)
    assert assess(facts).pillars["robustness"] == pytest.approx(0.95 / 3)
    assert assess(facts).notions["algorithm_robustness"] == pytest.approx(0.45)
    assert assess(facts, profile="paper-figures").pillars["robustness"] == pytest.approx(0.45)


def test_weights_by_hand_at_every_level() -> None:
    """Metric: (3·0.9 + 0)/4 = 0.675; notion: (2·0.1 + 0.675 + 0.4)/4 = 0.31875; pillar: twice as much as each other."""
    facts = FactSheet(FACTS)
    report = assess(facts, weights={"performance": 3, "resilience_to_attacks": 2, "robustness": 2})
    assert report.notions["algorithm_robustness"] == pytest.approx(0.675)
    assert report.pillars["robustness"] == pytest.approx(0.31875)
    others = [score for pillar, score in report.pillars.items() if pillar != "robustness" and score is not None]
    assert report.score == pytest.approx((2 * 0.31875 + sum(others)) / 7)
    assert report["certified_robustness"].weight == pytest.approx(2 / 7 * 2 / 4)
    assert report["performance"].weight == pytest.approx(2 / 7 * 1 / 4 * 3 / 4)


def test_weights_by_hand_in_a_flat_mean() -> None:
    """A notion's weight goes to each of its metrics: (3·0.5 + 0.9 + 0 + 0.4) / (3 + 1 + 1 + 1) = 2.8/6."""
    report = assess(FactSheet(FACTS), "paper-figures", {"resilience_to_attacks": 3})
    assert report.pillars["robustness"] == pytest.approx(2.8 / 6)


@settings(derandomize=True, max_examples=60, deadline=None)
@given(SHEETS, WEIGHTS, EVERY)
def test_shares_of_trust_add_up(facts: FactSheet, weights: dict[str, float], profile: str) -> None:
    """Shares sum to 1 and, times the scores, to trust; only metrics with a score carry any; every mean is a mean."""
    report = assess(facts, profile, weights)
    scored = [line for line in report.metrics if line.score is not None]
    assert sum(line.weight for line in report.metrics) == pytest.approx(1)
    assert report.score == pytest.approx(sum(line.weight * (line.score or 0) for line in scored))
    for line in report.metrics:
        assert (line.score is None) == (line.status != "ok")
        assert line.weight > 0 or line.score is None
    for pillar, score in report.pillars.items():
        parts = [line.score for line in scored if line.pillar == pillar and line.score is not None]
        assert (score is None) == (not parts)
        assert score is None or min(parts) - 1e-12 <= score <= max(parts) + 1e-12


@settings(derandomize=True, max_examples=30, deadline=None)
@given(SHEETS, WEIGHTS, st.floats(0.01, 100), EVERY)
def test_only_proportions_of_weights_count(
    facts: FactSheet, weights: dict[str, float], factor: float, profile: str
) -> None:
    """Multiplying all weights of a level by one number changes nothing."""
    pillars = {pillar: factor * weights.get(pillar, 1.0) for pillar in PILLARS}
    first, second = assess(facts, profile, weights), assess(facts, profile, {**weights, **pillars})
    assert first.score == pytest.approx(second.score)


@settings(derandomize=True, max_examples=30, deadline=None)
@given(SHEETS, EVERY)
def test_stating_a_fact_moves_only_what_reads_it(facts: FactSheet, profile: str) -> None:
    """Of two sheets that differ in one fact, the metrics that do not read it keep their raw values."""
    changed = facts.with_facts({"fairness/selection_cv": 0.9})
    before, after = assess(facts, profile), assess(changed, profile)
    moved = {a.metric for a, b in zip(before.metrics, after.metrics, strict=True) if repr(a.raw) != repr(b.raw)}
    assert moved <= {"selection_variation"}


def test_missing_evidence_is_never_scored_0() -> None:
    """An empty sheet: all but completeness, which is measured, is missing and named; nothing is 0 because of it."""
    report = assess(FactSheet())
    measured = {m.id for m in METRICS.values() if m.pillar == "accountability"}
    assert set(report.missing) == set(METRICS) - measured
    for line in report.metrics:
        assert (line.score, line.weight) == (0.0, 0.2) if line.metric in measured else (None, 0.0)
    assert report.pillars == {pillar: 0.0 if pillar == "accountability" else None for pillar in PILLARS}


@pytest.mark.parametrize("path", sorted(FACTS))
def test_taking_a_fact_back_leaves_its_metrics_out(path: str) -> None:
    """The mean is then over the others: no pillar may fall below the smallest score that is left."""
    report = assess(FactSheet({**FACTS, path: None}))
    for pillar, score in report.pillars.items():
        left = [line.score for line in report.metrics if line.pillar == pillar and line.score is not None]
        assert score is None or score >= min(left)
    readers = {m.id for m in METRICS.values() if path in m.inputs and m.pillar != "accountability"}
    assert readers
    assert {line.metric for line in report.metrics if line.status == "missing"} >= readers


def test_undefined_is_not_missing() -> None:
    """NaN evidence is listed apart, and left out of the means as well."""
    report = assess(FactSheet({**FACTS, "fairness/test_acc_cv": math.nan}))
    assert report.undefined == ("accuracy_variation",)
    assert "accuracy_variation" not in report.missing
    assert report["accuracy_variation"].score is None
    assert report.pillars["fairness"] == pytest.approx((0.8 + 0.3) / 2)


def test_weights_of_zero_leave_out_without_hiding() -> None:
    """A pillar of weight 0 keeps its own score; a notion whose only metric weighs 0 has none."""
    report = assess(FactSheet(FACTS), weights={"privacy": 0, "entropy": 0})
    assert report.pillars["privacy"] == pytest.approx((1 + 0.19704) / 2, abs=1e-5)
    assert report.notions["uncertainty"] is None
    assert report["entropy"].score == 0.93
    assert report["entropy"].weight == report["differential_privacy"].weight == 0
    assert sum(line.weight for line in report.metrics) == pytest.approx(1)


def test_weight_on_missing_evidence_only_gives_no_score() -> None:
    """It is not 0, and it is no error: the sheet lacks it."""
    others = {pillar: 0.0 for pillar in PILLARS if pillar != "privacy"}
    report = assess(FactSheet(), weights=others)
    assert report.score is None
    assert report.summary == "No trust score: no metric with a weight has evidence."


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        ({"privacy": -1}, ValueError, "the weight of privacy must be at least 0 and finite, got -1"),
        ({"privacy": math.nan}, ValueError, "the weight of privacy must be at least 0 and finite, got nan"),
        ({"entropy": math.inf}, ValueError, "the weight of entropy must be at least 0 and finite, got inf"),
        ({"entropy": "2"}, TypeError, "the weight of entropy must be a number, got '2'"),
        ({"entropy": True}, TypeError, "the weight of entropy must be a number, got True"),
        ({"beauty": 1}, KeyError, "no pillar, notion or metric 'beauty'"),
        (dict.fromkeys(PILLARS, 0), ValueError, "at least one metric with a weight above 0, got none"),
        (dict.fromkeys(NOTIONS, 0.0), ValueError, "at least one metric with a weight above 0, got none"),
    ],
)
def test_weights_that_do_not_fit_are_named(weights: dict[str, Any], error: type[Exception], message: str) -> None:
    """Negative, infinite, not a number, unknown, or all zero."""
    with pytest.raises(error, match=message):
        assess(FactSheet(FACTS), weights=weights)


def test_profiles() -> None:
    """Unknown ones are refused with the list; one of one's own can carry weights, which a call replaces."""
    with pytest.raises(KeyError, match="no profile 'nice'; known are paper, paper-figures"):
        assess(FactSheet(), profile="nice")
    mine = Profile("mine", "Accuracy is what counts.", weights={"performance": 3})
    facts = FactSheet(FACTS)
    assert assess(facts, mine).notions["algorithm_robustness"] == pytest.approx(0.675)
    assert assess(facts, mine, {"performance": 1}).notions["algorithm_robustness"] == pytest.approx(0.45)
    with pytest.raises(ValueError, match="must not be a built-in profile's that scores in another way, got 'paper'"):
        Profile("paper", "Accuracy is what counts.", weights={"performance": 3})
    with pytest.raises(ValueError, match="built-in profile's that scores in another way, got 'calibrated'"):
        dataclasses.replace(PROFILES["calibrated"], normalisers={})
    assert assess(facts, dataclasses.replace(PROFILES["paper"], about="The same in other words.")).score is not None
    broken = Profile("broken", "Scores beyond 1.", normalisers={"performance": lambda value: 2.0})
    with pytest.raises(ValueError, match=r"profile broken must score performance in \[0, 1\], got 2.0 for 0.9"):
        assess(facts, broken)


def test_assessing_is_a_pure_function() -> None:
    """The same sheet gives the same report, and is not changed."""
    facts = FactSheet(FACTS)
    first = assess(facts, weights={"privacy": 2})
    assert first.to_json() == assess(facts, weights={"privacy": 2}).to_json()
    assert facts == FactSheet(FACTS)
