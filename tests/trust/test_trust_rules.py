"""Normalisers of every profile: inside [0, 1], monotone in their direction; the kinds by hand; "calibrated" argued."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustkit.trust import METRICS, PROFILES, WHOLE, FactSheet, assess
from trustkit.trust.calibrated import NORMALISERS, REASONS
from trustkit.trust.curves import Capped, Linear, Log, Reciprocal, Saturating
from trustkit.trust.normalise import capped
from trustkit.trust.rules import Rule, words_of
from trustkit.trust.stairs import Map, Steps

EVERY = [pytest.param(profile, metric, id=f"{profile}-{metric.replace('/', '.')}")
         for profile in PROFILES for metric in PROFILES[profile].taxonomy.metrics]  # fmt: skip
LISTS = ("algorithm", "aggregation_algorithm")
"""Their raw values are those of a list, and only those are scored in order."""


@pytest.mark.parametrize(("profile", "metric"), EVERY)
@settings(derandomize=True, max_examples=12, deadline=None)
@given(st.data())
def test_scores_lie_in_the_unit_interval_and_follow_the_direction(profile: str, metric: str, data: Any) -> None:
    """Of two raw values in the metric's range, the better one never scores less."""
    row = PROFILES[profile].taxonomy.metrics[metric]
    low, high = row.range.low, min(row.range.high, 1e13)
    if metric in LISTS:
        known = row.function.marks.values() if metric == "algorithm" else (0.8477, 0.8493, 0.8765)  # type: ignore[attr-defined]
        raw = st.sampled_from(sorted(known))
    else:
        small = st.floats(low, min(high, low + 1000))
        raw = small if high <= low + 1000 else small | st.floats(low, high)
    one, two = sorted((data.draw(raw), data.draw(raw)))
    worse, better = (one, two) if row.better == "higher" else (two, one)
    scores = [PROFILES[profile].score(metric, value) for value in (worse, better)]
    assert 0 <= scores[0] <= scores[1] <= 1


@pytest.mark.parametrize("metric", sorted(NORMALISERS))
def test_calibrated_tells_more_apart(metric: str) -> None:
    """Strictly monotone where the paper's are flat: 41 values over the decades, or over the marks, all differ."""
    row = METRICS[metric]
    values = [1 + k / 10 for k in range(41)] if row.range.high == 5 else [10 ** (-2 + k / 10) for k in range(41)]
    if metric in ("federation_scale", "model_size"):
        values = [10 ** (1 + k / 15) for k in range(41)]
    scores = [PROFILES["calibrated"].score(metric, value) for value in values]
    assert len(set(scores)) == 41
    if metric != "algorithmic_transparency":  # x/5 tells marks apart as well, but wastes a fifth of the scale
        assert len({PROFILES["paper"].score(metric, value) for value in values}) < 25


def test_calibrated_by_hand() -> None:
    """FEMNIST's imbalance of 1.44 still scores 1/2.44; a radius of 3 scores 3/4; 100 clients half of the way."""
    score = PROFILES["calibrated"].score
    assert score("class_imbalance", 1.44) == pytest.approx(1 / 2.44)
    assert PROFILES["paper"].score("class_imbalance", 1.44) == 0
    assert score("certified_robustness", 3.0) == 0.75
    assert score("federation_scale", 100) == 0.5
    assert score("federation_scale", 9) > 0  # the table gives 0 below 10
    assert score("model_size", 10**5) == pytest.approx(0.5)  # four of eight decades
    assert (score("algorithmic_transparency", 1), score("algorithmic_transparency", 3)) == (0, 0.5)


def test_calibrated_rewards_selection_by_criteria() -> None:
    """And takes the composed ε, not the configured one: 1 − 1/(1 + 9 e^−4)."""
    facts = FactSheet({
        "participants/client_selector": "lowest loss first", "privacy/differential_privacy": True,
        "privacy/epsilon": 4.0, "privacy/configured_epsilon": 1.0, "participants/client_num": 10,
    })  # fmt: skip
    report = assess(facts, "calibrated")
    assert report["client_selector"].score == 1
    assert assess(facts.with_facts(participants__client_selector="random"), "calibrated")["client_selector"].score == 0
    assert report["global_privacy_risk"].score == pytest.approx(1 - 1 / (1 + 9 * math.exp(-4)))


def test_every_choice_is_argued_in_one_sentence() -> None:
    """For each metric of the whole taxonomy, and shown where the score is explained and in the page."""
    assert set(NORMALISERS) <= set(METRICS)
    assert set(REASONS) == set(WHOLE.metrics)
    for reason in REASONS.values():
        assert reason.endswith(".")
        assert ". " not in reason
    report = assess(FactSheet({"fairness/class_imbalance": 1.44}), "calibrated")
    assert f"Why so: {REASONS['class_imbalance']}" in report.explain("class_imbalance")
    assert REASONS["model_size"].replace("'", "&#x27;") in report.to_html()
    assert "Why so" not in assess(FactSheet({"fairness/class_imbalance": 1.44})).explain("class_imbalance")


@pytest.mark.parametrize(
    ("rule", "values"),
    [
        (Linear(zero=20, one=1447), {0: 0, 20: 0, 733.5: 0.5, 1447: 1, 9999: 1}),
        (Linear(zero=795, one=20), {0: 1, 795: 0, 407.5: 0.5, 9999: 0}),
        (Log(zero=1, one=100), {0: 0, 1: 0, 10: 0.5, 1000: 1}),
        (Log(zero=100, one=1), {0: 1, 10: 0.5, 1000: 0}),
        (Capped(), {0: 0, 0.4: 0.4, 7: 1}),
        (Saturating(half=2), {0: 0, 2: 0.5, 6: 0.75, math.inf: 1}),
        (Reciprocal(half=2), {0: 1, 2: 0.5, 6: 0.25, math.inf: 0}),
        (Steps((10, 100), (0, 0.5, 1)), {9: 0, 10: 0.5, 99: 0.5, 100: 1}),
        (Steps((10, 100), (0, 0.5, 1), closed="right"), {10: 0, 11: 0.5, 100: 0.5, 101: 1}),
        (Map((1, 3.5), (0.2, 0.7), otherwise=0.1), {1: 0.2, 3.5: 0.7, 2: 0.1}),
    ],
    ids=str,
)
def test_kinds_by_hand(rule: Rule, values: dict[float, float]) -> None:
    """At, between and beyond their points; each says in words what it does."""
    for value, score in values.items():
        assert rule(value) == pytest.approx(score)
    assert len(words_of(rule)) > 5


def test_words_of_functions() -> None:
    """From the docstring's first line, or the name."""
    assert words_of(capped).startswith("score a non-negative number")
    assert words_of(lambda value: value) == "<lambda>"


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Linear(1, 1), ValueError, "zero and one must differ, got 1 for both"),
        (lambda: Linear("1", 2), TypeError, "zero must be a number, got '1'"),  # type: ignore[arg-type]
        (lambda: Linear(0, math.inf), ValueError, "one must be finite, got inf"),
        (lambda: Log(0, 5), ValueError, "zero must be above 0, got 0"),
        (lambda: Log(5, 5), ValueError, "zero and one must differ, got 5 for both"),
        (lambda: Capped(-1), ValueError, "limit must be above 0, got -1"),
        (lambda: Saturating(True), TypeError, "half must be a number, got True"),
        (lambda: Reciprocal(0), ValueError, "half must be above 0, got 0"),
        (lambda: Steps((2, 1), (0, 0.5, 1)), ValueError, "edges must ascend, got 2, 1"),
        (lambda: Steps((), (0,)), ValueError, "edges must ascend, got none"),
        (lambda: Steps((1, 2), (0, 1)), ValueError, "scores must be one more than the 2 edges, got 2"),
        (lambda: Steps((1,), (0, 2)), ValueError, "scores must lie between 0 and 1, got 2"),
        (lambda: Steps((1,), (0, 1), "up"), ValueError, "closed must be left or right, got 'up'"),
        (lambda: Steps("12", (0, 1)), TypeError, "edges must be a list of numbers, got '12'"),  # type: ignore[arg-type]
        (lambda: Map((1, 2), (0,)), ValueError, "scores must be as many as values, got 1 for 2"),
        (lambda: Map((1, 1), (0, 1)), ValueError, "values must differ, got 1, 1"),
        (lambda: Map((1,), (0,), 3), ValueError, "otherwise must lie between 0 and 1, got 3"),
    ],
)
def test_numbers_that_do_not_fit(make: Any, error: type[Exception], message: str) -> None:
    """Named, with the rule and what came."""
    with pytest.raises(error, match=message):
        make()


def test_rules_are_values() -> None:
    """Equal numbers make equal rules, whatever sequence they came in."""
    assert Steps([1, 2], [0, 0.5, 1]) == Steps((1, 2), (0, 0.5, 1))
    assert hash(Linear(0, 1)) == hash(Linear(0.0, 1.0))
    curves: list[Rule] = [Linear(1, 2), Log(1, 2)]
    assert curves[0] != curves[1]


def test_the_smallest_and_the_largest_numbers_have_a_logarithm() -> None:
    """Also where their ratio is below the smallest number: (ln 5e-324 − ln 1e9) / (ln 10 − ln 1e9) is above 1."""
    assert Log(1e9, 10)(5e-324) == Log(1e9, 10)(0) == 1
    assert Log(10, 1e9)(5e-324) == Log(10, 1e9)(0) == 0
    assert Log(1e-300, 1e300)(1.0) == pytest.approx(0.5, abs=1e-12)
    assert Log(1e300, 1e-300)(1e300) == 0
