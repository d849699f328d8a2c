"""How much of what a profile asks for is measured, by weight, as a gate of its own."""

from __future__ import annotations

import math

import pytest

from trustkit.trust import PROFILES, FactSheet, assess
from trustkit.trust.layout import Sheet
from trustkit.trust.targets import measured, unmeasured

ACCURACY = FactSheet({"performance/test_acc_avg": 0.8})


def test_the_share_by_hand() -> None:
    """Accountability has all five rows; robustness one of two in one of three notions: 1/6 + 1/6 · 1/3 · 1/2."""
    assert measured(assess(ACCURACY)) == pytest.approx(1 / 6 + 1 / 36)
    weights = {"robustness": 3.0, "accountability": 0.0, "performance": 3.0}
    assert measured(assess(ACCURACY, weights=weights)) == pytest.approx(3 / 7 * 1 / 3 * 3 / 4)
    assert measured(assess(ACCURACY, weights={"personalization": 0, "resilience_to_attacks": 0})) == pytest.approx(
        1 / 6 + 1 / 6 * 1 / 2
    )


def test_flat_means_count_rows() -> None:
    """Robustness has four rows there, one of which is measured."""
    assert measured(assess(ACCURACY, "paper-figures")) == pytest.approx(1 / 6 + 1 / 6 * 1 / 4)


def test_what_is_not_defined_is_not_measured() -> None:
    """Nor is what a profile scores 0 for want of evidence."""
    undefined = assess(FactSheet({"fairness/test_acc_cv": math.nan}))
    assert measured(undefined) == measured(assess(FactSheet())) == pytest.approx(1 / 6)
    assert measured(assess(Sheet({"performance/test_acc_avg": 0.8}), "prototype-2022")) < 0.5


@pytest.mark.parametrize("profile", sorted(PROFILES))
def test_nothing_and_everything(profile: str) -> None:
    """Between 0 and 1, whatever the weights; weights that leave one measured row make it 1."""
    report = assess(ACCURACY, profile)
    assert 0 < measured(report) < 1
    only = {p: 0.0 for p in report.profile.taxonomy.pillars if p != "robustness"}
    only |= {row.metric: 0.0 for row in report.metrics if row.pillar == "robustness" and row.metric != "performance"}
    assert measured(assess(ACCURACY, profile, only)) == pytest.approx(1)


def test_the_gate() -> None:
    """Reached when it is met exactly; else one sentence with both numbers."""
    report = assess(ACCURACY)
    assert unmeasured(report, measured(report)) == unmeasured(report, 0) == ()
    assert [str(gap) for gap in unmeasured(report, 0.5)] == [
        "0.1944 of the rows are measured, by weight, and at least 0.5 must be"
    ]
    for least in (-0.1, 1.5, math.nan):
        with pytest.raises(ValueError, match=f"the least share of measured rows must be between 0 and 1, got {least}"):
            unmeasured(report, least)
