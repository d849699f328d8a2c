"""What agrees within a tolerance, what is compared at all, and that a report's own weights are found again."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustkit import jsonfile
from trustkit.trust import FactSheet, assess
from trustkit.trust.profiles import profile_named
from trustkit.trust.recheck import Line, Same, carried, fact_lines, facts_in, score_lines

OLD = FactSheet({
    "project/overview": "digits", "project/purpose": "teaching", "participants/client_num": 100,
    "participants/ids": ["0123456789abcdef"], "participants/organisations": ["A", "B"],
    "participants/sample_client_rate": 0.5, "participants/client_selector": "random", "data/class_counts": [5, 7],
    "performance/test_acc_avg": 0.8, "fairness/test_acc_cv": 0.1, "fairness/selection_cv": math.nan,
    "privacy/differential_privacy": False, "privacy/epsilon": math.inf, "system/training_seconds": 3.0,
    "robustness/clever": 1.5, "log/events": 7, "log/head": "abc", "configuration/training_model": "mlp",
})  # fmt: skip


@pytest.mark.parametrize(
    ("was", "now", "expected"),
    [
        (1.0, 1.0 + 0.9e-6, True), (1.0, 1.0 + 2.1e-6, False), (0.0, 0.9e-9, True), (0.0, 1.1e-9, False),
        (1, 1.0, True), (math.nan, math.nan, True), (math.nan, 0.0, False), (math.inf, math.inf, True),
        (math.inf, 1.0, False), (None, None, True), (None, 0.0, False), (0.0, None, False), (True, True, True),
        (True, 1, False), (True, False, False), ([1.0, 2.0], (1.0, 2.0 + 1e-7), True), ([1.0], [1.0, 1.0], False),
        ("a", "a", True), ([1.0, None], [1.0, 2.0], False),
    ],
)  # fmt: skip
def test_what_agrees(was: Any, now: Any, expected: bool) -> None:
    """Not known, not defined, zero and infinity are four things; numbers agree within the tolerance."""
    assert Same(1e-6, 1e-9)(was, now) is expected


@pytest.mark.parametrize(
    ("was", "now", "state", "words"),
    [
        ([1.0, np.nan, np.inf], [1.0, np.nan, np.inf], "holds", "largest difference 0"),
        ([1.0, 2.0], [1.0, 2.5], "changed", "largest difference 0.5"),
        ([1.0, np.nan], [1.0, 2.0], "changed", "largest difference nan"),
        ([True, False], [True, True], "changed", "largest difference 1"),
        ([1.0], [1.0, 2.0], "changed", "another shape"),
        ([], [], "holds", "largest difference 0"),
    ],
)
def test_arrays(was: list[Any], now: list[Any], state: str, words: str) -> None:
    """Value by value; a value that is not defined on one side only is a change."""
    line = Same().arrays("x", np.array(was), np.array(now))
    assert (line.state, line.now) == (state, words)
    assert Same().arrays("x", np.array(was), None).state == "changed"


@given(st.floats(allow_nan=False), st.floats(allow_nan=False), st.floats(0, 1), st.floats(0, 1))
def test_one_number_and_an_array_of_it_agree_alike(a: float, b: float, relative: float, absolute: float) -> None:
    """The same rule, symmetric in its arguments."""
    same = Same(relative, absolute)
    assert same(a, b) == same(b, a)
    assert same.arrays("x", np.array([a]), np.array([b])).state == ("holds" if same(a, b) else "changed")


def test_what_is_compared() -> None:
    """Numbers that the experiment decides; neither what a machine decides, nor what nobody measures, nor the log."""
    measured = FactSheet({**OLD.values, "performance/test_acc_avg": 0.7, "system/training_seconds": 9.0,
                          "robustness/clever": None, "data/rows": 99})  # fmt: skip
    lines = {line.name: line for line in fact_lines(OLD.values, measured, Same())}
    assert lines["performance/test_acc_avg"] == Line("performance/test_acc_avg", 0.8, 0.7, "changed")
    assert lines["system/training_seconds"] == Line("system/training_seconds", 3.0, 9.0, "machine")
    assert lines["robustness/clever"] == Line("robustness/clever", 1.5, None, "stated")
    assert {name for name, line in lines.items() if line.state == "holds"} == {
        "participants/client_num", "participants/sample_client_rate", "data/class_counts", "fairness/test_acc_cv",
        "fairness/selection_cv", "privacy/differential_privacy", "privacy/epsilon",
    }  # fmt: skip
    assert len(lines) == 10
    assert carried(OLD.values, measured) == OLD.with_facts(performance__test_acc_avg=0.7)


def report_of(facts: FactSheet, profile: str, weights: dict[str, float] | None = None) -> dict[str, Any]:
    """Return a report's content as it comes from a file."""
    content: dict[str, Any] = jsonfile.loads(assess(facts, profile, weights).to_json())
    return content


WEIGHTS = [
    None,
    {"privacy": 3.0, "fairness": 0.5, "entropy": 0.2, "interpretability": 4.0},
    {"privacy": 0.0},
    {"performance": 5.0, "algorithm_robustness": 0.25},
]


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("profile", ["paper", "paper-figures", "calibrated"])
def test_scores_are_found_again_whatever_the_weights(profile: str, weights: dict[str, float] | None) -> None:
    """A report does not list the weights that were asked for; those it shows lead to the same scores."""
    report = report_of(OLD, profile, weights)
    lines = list(score_lines(report, OLD, profile_named(profile), Same()))
    assert not [line for line in lines if line.state != "holds"]
    idle = 3 if weights == {"privacy": 0.0} else 0  # the pillar and its two notions with a score carry nothing
    empty = sum(score is None for score in report["notions"].values()) if weights else 0
    assert len(lines) == 1 + len(report["pillars"]) + len(report["notions"]) + 2 * len(report["metrics"]) - idle - empty
    other = OLD.with_facts(performance__test_acc_avg=0.7)
    changed = {
        line.name for line in score_lines(report, other, profile_named(profile), Same()) if line.state != "holds"
    }
    assert {"trust", "robustness", "algorithm_robustness", "performance, raw", "performance, score"} <= changed


def test_evidence_that_appears_or_goes_is_a_change() -> None:
    """Raw value and score at once."""
    report = report_of(OLD, "paper")
    for other in (OLD.with_facts(robustness__clever=None), OLD.with_facts(fairness__class_imbalance=0.3)):
        lines = score_lines(report, other, profile_named("paper"), Same())
        names = {line.name for line in lines if line.state == "changed"}
        assert names & {"certified_robustness, raw", "class_imbalance, raw"}


def test_a_report_tells_of_the_facts_that_it_read() -> None:
    """Without lists, of which it says the length: those are measured anew, or held by a stand-in."""
    facts, lists = facts_in(report_of(OLD, "paper"))
    assert facts["project/purpose"] == "teaching"
    assert lists == {"participants/ids": None, "participants/organisations": ("not known",)} | {
        path: None for path in lists if path not in ("participants/ids", "participants/organisations")
    }
    again = FactSheet(facts).with_facts({**lists, "participants/ids": OLD.get("participants", "ids")})
    assert assess(again).score == assess(OLD).score
