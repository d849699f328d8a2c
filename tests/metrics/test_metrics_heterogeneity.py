"""Inequality and privacy numbers against golden values, SciPy and laws."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustkit import jsonfile, metrics

GOLDEN: dict[str, Any] = jsonfile.read(Path(__file__).parents[1] / "golden" / "fairness.json")
POSITIVE = st.lists(st.floats(0.01, 100), min_size=1, max_size=12)


def test_golden_client_accuracies() -> None:
    """Ten accuracies: population CV, Jain, Gini, worst tenth and worst three tenths."""
    want, x = GOLDEN["client_metrics"], GOLDEN["client_metrics"]["client_accuracy"]
    assert metrics.coefficient_of_variation(x) == pytest.approx(want["cv_population"])
    assert metrics.jain_index(x) == pytest.approx(want["jain"])
    assert metrics.gini(x) == pytest.approx(want["gini"])
    assert metrics.worst_share_mean(x) == pytest.approx(want["worst10_mean"])
    assert metrics.worst_share_mean(x, 0.3) == pytest.approx(want["worst30_mean"])
    assert metrics.entropy(x, base=len(x)) == pytest.approx(want["entropy_uniformity"])


def test_golden_participation() -> None:
    """Participation counts with a client that never took part."""
    want, x = GOLDEN["participation"], GOLDEN["participation"]["participation_counts"]
    assert metrics.jain_index(x) == pytest.approx(want["jain"])
    assert metrics.coefficient_of_variation(x) == pytest.approx(want["cv_population"])
    assert metrics.gini(x) == pytest.approx(want["gini"])


@settings(derandomize=True, max_examples=30, deadline=None)
@given(POSITIVE, st.floats(0.1, 10))
def test_laws_of_inequality(x: list[float], scale: float) -> None:
    """Scaling changes nothing; Jain = 1 / (1 + CV²); Gini is the mean absolute difference over twice the mean."""
    scaled = np.array(x) * scale
    for measure in (metrics.coefficient_of_variation, metrics.jain_index, metrics.gini):
        assert measure(scaled) == pytest.approx(measure(x), abs=1e-9)
    assert metrics.jain_index(x) == pytest.approx(1 / (1 + metrics.coefficient_of_variation(x) ** 2))
    pairs = np.abs(np.subtract.outer(x, x)).mean() / (2 * np.mean(x))
    assert metrics.gini(x) == pytest.approx(pairs, abs=1e-9)


@settings(derandomize=True, max_examples=30, deadline=None)
@given(POSITIVE, st.sampled_from([2.0, math.e, 10.0]))
def test_entropy_is_scipys(p: list[float], base: float) -> None:
    """SciPy's entropy of the same weights."""
    from scipy.stats import entropy

    assert metrics.entropy(p, base=base) == pytest.approx(float(entropy(p, base=base)), abs=1e-9)


def test_undefined_is_nan_and_zero_is_measured() -> None:
    """Nothing to compare is NaN; equal numbers have a variation of exactly 0; NaN entries are left out."""
    for measure in (metrics.coefficient_of_variation, metrics.jain_index, metrics.gini, metrics.entropy):
        assert math.isnan(measure([]))
        assert math.isnan(measure([0.0, 0.0]))
    assert math.isnan(metrics.worst_share_mean([math.nan]))
    assert metrics.coefficient_of_variation([0.5, math.nan, 0.5]) == 0
    assert metrics.entropy([1.0]) == 0


def test_worst_share_rounds_up_without_rounding_noise() -> None:
    """0.1 · 30 is a little more than 3 in floating point, and still three values."""
    assert metrics.worst_share_mean(np.arange(30.0), 0.1) == 1.0


def test_label_distribution_counts_and_adds_up() -> None:
    """Rows by client and class; rows that nobody owns are not counted."""
    y, owner = np.array([0, 1, 2, 1, 1, 0]), np.array([0, 0, 1, 1, 1, -1])
    got = metrics.label_distribution(y, owner, clients=3, classes=3)
    np.testing.assert_array_equal(got, [[1, 1, 0], [0, 2, 1], [0, 0, 0]])


def test_what_does_not_fit_is_refused() -> None:
    """Negative weights, unknown classes and shares outside (0, 1] are named."""
    with pytest.raises(ValueError, match="p must be at least 0, got -1"):
        metrics.entropy([-1, 2])
    with pytest.raises(ValueError, match="base must be above 0"):
        metrics.entropy([1, 2], base=0)
    with pytest.raises(ValueError, match="x must be a vector"):
        metrics.gini([[1, 2]])
    with pytest.raises(ValueError, match=r"y must lie in 0 … 1, got 0 … 2"):
        metrics.label_distribution([0, 2], [0, 0], clients=1, classes=2)
    with pytest.raises(ValueError, match="vectors of one length"):
        metrics.label_distribution([0, 2], [0], clients=1, classes=3)
    with pytest.raises(ValueError, match="share must be above 0 and at most 1, got 0"):
        metrics.worst_share_mean([1.0], 0)


@pytest.mark.parametrize(
    ("epsilon", "clients", "risk"),
    [
        (math.inf, 10, 1.0),  # the paper's experiment 1: no mechanism
        (20.0, 50, 0.9999998990),  # 1 / (1 + 49 e^−20), e^−20 = 2.0611536e−9
        (6.0, 100, 0.8029571528),  # 1 / (1 + 99 e^−6), e^−6 = 0.0024787522
        (4.0, 9, 0.8722006961),  # 1 / (1 + 8 e^−4), e^−4 = 0.0183156389; the paper's text implies 0.8
        (0.0, 4, 0.25),  # no loss: guessing among four
        (3.0, 1, 1.0),  # one client only
    ],
)
def test_global_privacy_risk(epsilon: float, clients: int, risk: float) -> None:
    """The formula, by hand for each row."""
    assert metrics.global_privacy_risk(epsilon, clients) == pytest.approx(risk, abs=5e-10)


def test_global_privacy_risk_refuses_nonsense() -> None:
    """Negative losses and empty federations; an undefined loss has an undefined risk."""
    with pytest.raises(ValueError, match="epsilon must be at least 0, got -1"):
        metrics.global_privacy_risk(-1, 10)
    with pytest.raises(ValueError, match="clients must be at least 1, got 0"):
        metrics.global_privacy_risk(1, 0)
    assert math.isnan(metrics.global_privacy_risk(math.nan, 10))
