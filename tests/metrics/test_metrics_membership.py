"""Membership inference: scikit-learn's curve, shifted Gaussians in closed form, and bounds that hold."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, norm
from sklearn.metrics import roc_auc_score, roc_curve

from trustkit.metrics.membership import EmpiricalEpsilon, _upper, empirical_epsilon, membership_auc, tpr_at_fpr
from trustkit.rng import stream

HALVES = st.lists(st.integers(-6, 6).map(lambda n: n / 2), min_size=1, max_size=30)


@given(HALVES, HALVES)
def test_scikit_learn_draws_the_same_curve(members: list[float], others: list[float]) -> None:
    """With ties; the rate at a limit is the curve's highest point left of it."""
    truth, score = [1] * len(members) + [0] * len(others), [-loss for loss in members + others]
    assert membership_auc(members, others) == pytest.approx(roc_auc_score(truth, score))
    fpr, tpr, _ = roc_curve(truth, score, drop_intermediate=False)
    for limit in (0.0, 0.1, 0.5, 1.0):
        assert tpr_at_fpr(members, others, limit) == pytest.approx(tpr[fpr <= limit + 1e-12].max())


@pytest.mark.parametrize("shift", [0.0, 0.5, 1.5])
def test_shifted_gaussians(shift: float) -> None:
    """Losses N(−μ, 1) and N(0, 1): AUC Φ(μ/√2), and Φ(Φ⁻¹(f) + μ) found at a rate of f. 40,000 of each."""
    rng = stream(0, "shift")
    members, others = rng.standard_normal(40_000) - shift, rng.standard_normal(40_000)
    assert membership_auc(members, others) == pytest.approx(norm.cdf(shift / math.sqrt(2)), abs=0.01)
    for fpr in (0.001, 0.01):
        want = norm.cdf(norm.ppf(fpr) + shift)
        assert tpr_at_fpr(members, others, fpr) == pytest.approx(want, abs=5 * math.sqrt(want / 40) / 30 + 1e-3)


def test_the_upper_ends_are_clopper_and_pearsons() -> None:
    """SciPy's Beta quantiles; 1 when all are counted; none of 100 at 5 %: 1 − 0.05^(1/100)."""
    counts = np.array([0, 3, 99, 100])
    got = _upper(counts, 100, 0.05)
    np.testing.assert_allclose(got[:3], beta.ppf(0.95, counts[:3] + 1, 100 - counts[:3]))
    assert got[3] == 1
    assert got[0] == pytest.approx(1 - 0.05 ** (1 / 100))


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_randomised_response_shows_its_epsilon_and_no_more(epsilon: float) -> None:
    """A bit that is right with e^ε / (1 + e^ε) is exactly (ε, 0)-private: both ratios are e^ε.

    The bound stays below it in at least 95 % of trials, here in 38 of 40 at least, and comes near with 20,000 rows.
    """
    right = math.exp(epsilon) / (1 + math.exp(epsilon))
    lowers = []
    for trial in range(40):
        rng = stream(trial, "response")
        members, others = (rng.random(20_000) > right).astype(float), (rng.random(20_000) < right).astype(float)
        lowers.append(empirical_epsilon(members, others, delta=0.0, seed=trial).lower)
    assert sum(lower <= epsilon for lower in lowers) >= 38
    assert min(lowers) > epsilon - 0.2
    found = empirical_epsilon(members, others, delta=0.0)
    assert found.estimate == pytest.approx(epsilon, abs=0.1)
    assert not found.refutes(epsilon + 0.2)
    assert found.refutes(epsilon / 2)


def test_nothing_leaks_where_nothing_is_learnt() -> None:
    """Equal distributions: in 40 trials the bound is above 0 in at most 3 or so of 100: here at most 4."""
    shown = []
    for trial in range(40):
        rng = stream(trial, "nothing")
        shown.append(empirical_epsilon(rng.random(300), rng.random(300), seed=trial).lower > 0)
    assert sum(shown) <= 4


def test_a_model_that_gives_all_away() -> None:
    """Losses apart: the estimate is infinite; 500 rows to test show log((1 − u) / u), u = 1 − 0.025^(1/500)."""
    found = empirical_epsilon(np.zeros(1000), np.ones(1000), delta=0.0)
    end = 1 - 0.025 ** (1 / 500)
    assert found.estimate == math.inf
    assert found.lower == pytest.approx(math.log((1 - end) / end))
    loose = empirical_epsilon(np.zeros(1000), np.ones(1000), delta=0.5)
    assert loose.lower == pytest.approx(math.log((0.5 - end) / end))
    other_way = empirical_epsilon(np.ones(1000), np.zeros(1000), delta=0.0)
    assert other_way.lower == 0


def test_no_rows_no_number() -> None:
    """Undefined is NaN."""
    assert math.isnan(membership_auc([], [1.0]))
    assert math.isnan(tpr_at_fpr([1.0], []))
    assert not EmpiricalEpsilon(1.0, 0.5).refutes(0.5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: membership_auc([[1.0]], [1.0]), "members must be a vector of losses, got shape (1, 1)"),
        (lambda: membership_auc([1.0], [math.nan]), "others must be numbers, got NaN"),
        (lambda: tpr_at_fpr([1.0], [1.0], fpr=2), "fpr must be between 0 and 1, got 2"),
        (lambda: empirical_epsilon([1.0], [1.0]), "members must have at least 10 losses, got 1"),
        (lambda: empirical_epsilon([1.0], [1.0], delta=1.0), "delta must be at least 0 and below 1, got 1.0"),
        (lambda: empirical_epsilon([1.0], [1.0], confidence=1), "confidence must be between 0 and 1, got 1"),
    ],
)
def test_bad_input(call: Any, message: str) -> None:
    """One sentence with the thing, the rule and what came."""
    with pytest.raises(ValueError) as error:
        call()
    assert str(error.value) == message
