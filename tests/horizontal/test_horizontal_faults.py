"""Faults: as often as asked, the same whenever asked, and rates by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustkit.catalogue import FAULTS, use
from trustkit.horizontal.faults import DROPPED, FAILED, faults, rates, reliability
from trustkit.horizontal.unreliable import dropout, mixed
from trustkit.parameters import parameters_of

WHO = np.arange(200)


def test_rates_are_those_asked_for() -> None:
    """Twenty rounds of 200 clients: leavers are 20 % of 4,000, failures 10 % of those who stay; ± four deviations.

    √(0.2 · 0.8 / 4000) = 0.0063; √(0.1 · 0.9 / 3200) = 0.0053.
    """
    plan = faults(dropout=0.2, error=0.1)
    found = rates([plan.deliver(3, t, WHO, np.ones(200)).row(200) for t in range(20)])
    assert found["dropout"] == pytest.approx(0.2, abs=0.026)
    assert found["error"] == pytest.approx(0.1, abs=0.022)
    assert found["timeout"] == 0


def test_a_server_that_waits_twice_the_median_loses_the_slow_ones() -> None:
    """The logarithm of a time is normal with deviation 1, so P(time > 2 medians) = 1 − Φ(log 2) = 0.244.

    Speeds repeat by client, so that the 200 clients count as at least 200 independent draws: four times
    √(0.244 · 0.756 / 200) = 0.03 is 0.12. A deviation of 0.72 among 200 has an error of 0.036, four of them 0.145.
    """
    plan = faults(spread=1.0, wait=2.0)
    found = rates([plan.deliver(0, t, WHO, np.full(200, 7.0)).row(200) for t in range(20)])
    assert found["timeout"] == pytest.approx(0.244, abs=0.12)
    times = np.array([plan.deliver(0, t, WHO, np.ones(200)).time for t in range(20)])
    assert np.log(times).std() == pytest.approx(1, abs=0.1)
    between = np.log(times).mean(axis=0).std()  # half of the variance is the client's own, for ever
    assert between == pytest.approx(math.sqrt(0.5 + 0.5 / 20), abs=0.145)


def test_a_fate_is_addressed() -> None:
    """The same again; for a client alone as in company; another in another round."""
    plan = faults(dropout=0.5, error=0.3)
    first = plan.deliver(0, 1, WHO, np.ones(200))
    again = plan.deliver(0, 1, WHO[::-1], np.ones(200))
    assert np.array_equal(first.row(200), again.row(200))
    alone = plan.deliver(0, 1, WHO[7:8], np.ones(1))
    assert alone.outcome[0] == first.outcome[7]
    assert not np.array_equal(first.outcome, plan.deliver(0, 2, WHO, np.ones(200)).outcome)


def test_more_faults_spare_nobody_whom_fewer_hit() -> None:
    """The same draws are compared with a larger chance."""
    few, many = (faults(dropout=p).deliver(1, 1, WHO, np.ones(200)).delivered for p in (0.1, 0.4))
    assert not (many & ~few).any()
    assert many.sum() < few.sum()


def test_without_faults_all_arrive() -> None:
    """Work may differ; nobody is late if the server waits."""
    got = faults(spread=2.0).deliver(0, 1, WHO, WHO.astype(float))
    assert got.delivered.all()
    assert faults().deliver(0, 1, WHO[:0], np.zeros(0)).delivered.size == 0
    assert faults(wait=0.5).deliver(0, 1, WHO[:2], np.array([1.0, 9.0])).outcome.tolist() == [0, 3]


def test_rates_by_hand() -> None:
    """Of 6 asked 2 left; of the 4 others 1 failed; of the 3 others 1 was late: 1 − (1/3 + 1/4 + 1/3) / 3."""
    outcomes = [[1, 0, -1, 3], [1, 2, 0, -1]]
    assert rates(outcomes) == pytest.approx({"dropout": 1 / 3, "error": 1 / 4, "timeout": 1 / 3})
    assert reliability(outcomes) == pytest.approx(1 - 11 / 36)
    assert reliability([[0, 0]]) == 1
    assert reliability([[1, 1]]) == 0
    assert math.isnan(reliability([[-1, -1]]))


@given(st.lists(st.lists(st.integers(-1, 3), min_size=3, max_size=3), min_size=1, max_size=6))
def test_reliability_is_a_share(outcomes: list[list[int]]) -> None:
    """In [0, 1], and a fault instead of a delivery never raises it."""
    value = reliability(outcomes)
    assert math.isnan(value) or 0 <= value <= 1
    first = next(((t, k) for t in range(len(outcomes)) for k in range(3) if outcomes[t][k] == 0), None)
    if first is not None:
        for fault in (1, 2, 3):
            worse = np.array(outcomes)
            worse[first] = fault
            assert reliability(worse) < value


def test_the_parameters_are_a_form() -> None:
    """Each with a range and a line."""
    for parameter in parameters_of(mixed):
        assert parameter.interval is not None
        assert parameter.about
        assert parameter.check(parameter.default) == parameter.default


def test_mixed_by_name_injects_something() -> None:
    """Without arguments a tenth leave and a twentieth of the rest fail: in 200 clients, within five deviations."""
    made = FAULTS.call(use("mixed"))
    assert made.possible
    outcome = made.deliver(3, 1, WHO, np.ones(200)).outcome
    assert abs((outcome == DROPPED).sum() - 20) < 5 * np.sqrt(200 * 0.1 * 0.9)
    assert abs((outcome == FAILED).sum() - 9) < 5 * np.sqrt(200 * 0.045 * 0.955)
    assert (outcome == FAILED).any()
    assert [faults().possible, faults(spread=3.0).possible, faults(wait=2.0).possible] == [False, False, True]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: faults(dropout=1.5), "dropout must be between 0 and 1, got 1.5"),
        (lambda: faults(wait=-1.0), "wait must be between 0 and 100, got -1.0"),
        (
            lambda: faults().deliver(0, 1, WHO, np.ones(3)),
            "work must have one entry for each of the 200 clients, got shape (3,)",
        ),
        (lambda: faults().deliver(0, 1, WHO[:1], np.array([-2.0])), "work must be at least 0, got -2"),
        (
            lambda: mixed(dropout=0.0, error=0),
            "faults must be able to happen: dropout or error above 0, or a wait, got 0, 0 and none",
        ),
        (lambda: dropout(chance=0.0), "chance must be above 0 for clients to leave, got 0.0"),
        (lambda: rates([[0, 4]]), "outcomes must lie in -1 … 3, got 0 … 4"),
    ],
)
def test_bad_input(call: Any, message: str) -> None:
    """One sentence with the thing, the rule and what came."""
    with pytest.raises(ValueError) as error:
        call()
    assert str(error.value) == message
