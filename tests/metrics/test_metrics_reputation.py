"""Reputation: worked numbers, the Beta closed form, and laws."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from trustkit.metrics.reputation import beta_reputation, client_reputation, interactions, opinion

COUNTS = st.floats(0, 1e6)


def test_by_hand() -> None:
    """α = 3, β = 1, u = 0.2, κ = 0.4, η = 0.6: b = 0.8 · 1.2 / 1.8, d = 0.8 · 0.6 / 1.8, reputation b + 0.1."""
    got = opinion([3.0], [1.0], uncertainty=0.2)
    np.testing.assert_allclose(got, [[0.8 * 1.2 / 1.8], [0.8 * 0.6 / 1.8], [0.2]])
    np.testing.assert_allclose(client_reputation([3.0], [1.0], uncertainty=0.2), 0.8 * 1.2 / 1.8 + 0.1)


@given(COUNTS, COUNTS)
def test_equal_weights_and_evidence_give_the_mean_of_a_beta_distribution(good: float, bad: float) -> None:
    """(1 − u) α / (α + β) + u/2 with u = 2 / (α + β + 2) is (α + 1) / (α + β + 2): the mean of Beta(α + 1, β + 1)."""
    mean = beta(good + 1, bad + 1).mean()
    assert beta_reputation([good], [bad])[0] == pytest.approx(mean)
    assert client_reputation([good], [bad], negative_weight=0.5)[0] == pytest.approx(mean)


@given(COUNTS, COUNTS, st.floats(0, 1), st.floats(0.5, 1), st.floats(0, 1))
def test_an_opinion_adds_up(good: float, bad: float, u: float, weight: float, influence: float) -> None:
    """To 1, of parts in [0, 1]; a good interaction more never lowers the reputation, a bad one never raises it."""
    got = opinion([good], [bad], uncertainty=u, negative_weight=weight)
    assert np.sum(got) == pytest.approx(1)
    assert all(-1e-12 <= part[0] <= 1 + 1e-12 for part in got)
    if good + bad > 0:
        more = {"uncertainty": u, "negative_weight": weight, "influence": influence}
        value = client_reputation([good], [bad], **more)[0]
        assert client_reputation([good + 1], [bad], **more)[0] >= value - 1e-12
        assert client_reputation([good], [bad + 1], **more)[0] <= value + 1e-12


def test_bad_interactions_weigh_more() -> None:
    """As many good as bad ones are worth less than one half; unknown clients start at γ."""
    assert client_reputation([5.0], [5.0])[0] < 0.5
    assert client_reputation([0.0], [0.0], influence=0.3, uncertainty=0.1)[0] == pytest.approx(0.3)


def test_fresh_interactions_count_more() -> None:
    """Rounds at ages 9, 5, 4, 0 and a window of 4: the last two count 1, the first two 0.25 each.

    Client 0: good in all: 2.5. Client 1: bad before, good lately: 2 and 0.5. Client 2: absent twice.
    """
    outcomes = [[1, 0, math.nan], [1, 0, 1], [1, 1, 0], [1, 1, math.nan]]
    good, bad = interactions(outcomes, elapsed=[9, 5, 4, 0], window=4, older=0.25)
    assert good.tolist() == [2.5, 2.0, 0.25]
    assert bad.tolist() == [0.0, 0.5, 1.0]
    assert interactions(outcomes)[0].tolist() == [4.0, 2.0, 1.0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: beta_reputation([1], [-1]), "negative must be at least 0, got -1"),
        (lambda: beta_reputation([1], [1, 2]), "positive and negative must have one shape, got (1,) and (2,)"),
        (lambda: opinion([1], [1], negative_weight=0.4), "negative_weight must be between 0.5 and 1, got 0.4"),
        (lambda: opinion([1], [1], uncertainty=2), "uncertainty must lie in 0 … 1, got 2 … 2"),
        (lambda: client_reputation([1], [1], influence=-0.1), "influence must be between 0 and 1, got -0.1"),
        (lambda: interactions([1, 0]), "outcomes must be a matrix of rounds and clients, got shape (2,)"),
        (lambda: interactions([[0.5]]), "outcomes must be 0, 1 or NaN"),
        (
            lambda: interactions([[1]], elapsed=[-1]),
            "elapsed must have one age of at least 0 for each of the 1 rounds",
        ),
        (lambda: interactions([[1]], older=2), "older must be between 0 and 1, got 2"),
    ],
)
def test_bad_input(call: Any, message: str) -> None:
    """One sentence with the thing, the rule and what came."""
    with pytest.raises(ValueError) as error:
        call()
    assert str(error.value) == message
