"""Numbers about clients: the golden accuracies and participations, laws, and what is not defined."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustkit import jsonfile
from trustkit.metrics.clients import masking_gap
from trustkit.metrics.spread import client_summary, contribution_fairness, selection_fairness

GOLDEN: dict[str, Any] = jsonfile.read(Path(__file__).parents[1] / "golden" / "fairness.json")


def test_the_golden_accuracies() -> None:
    """Every number of the file."""
    want = GOLDEN["client_metrics"]
    found = client_summary(want["client_accuracy"], want["n"])
    got = {
        "mean": found.mean, "weighted_mean": found.weighted_mean, "variance_population": found.variance,
        "std_population": math.sqrt(found.variance), "cv_population": found.variation, "jain": found.jain,
        "jain_from_cv": found.jain, "worst10_mean": found.worst, "best10_mean": found.best,
        "worst30_mean": client_summary(want["client_accuracy"], share=0.3).worst,
        "gap": found.largest - found.smallest, "gini": found.gini, "entropy_uniformity": found.uniformity,
        "cosine_to_ones": found.cosine,
    }  # fmt: skip
    for name, value in got.items():
        assert value == pytest.approx(want[name], abs=1e-12), name
    assert set(want) - set(got) == {"client_accuracy", "n", "std_sample"}


def test_the_golden_participation() -> None:
    """Ten clients that took part 5, 5, 5, 5, 4, 6, 0, 10, 5 and 5 times in ten rounds."""
    want = GOLDEN["participation"]
    times = np.array(want["participation_counts"])
    found = selection_fairness(np.arange(10)[:, None] < times)
    assert found.times.tolist() == times.tolist()
    assert found.jain == pytest.approx(want["jain"])
    assert found.variation == pytest.approx(want["cv_population"])
    assert found.gini == pytest.approx(want["gini"])
    assert found.spread == want["max_min_gap"]
    assert (found.never, found.longest_wait) == (0.1, 10)


def test_the_longest_wait_by_hand() -> None:
    """At the start, in the middle and at the end."""
    rounds = np.array([[0, 1, 1], [0, 0, 1], [0, 0, 1], [1, 0, 1], [1, 1, 0]])
    assert [selection_fairness(rounds[:, [k]]).longest_wait for k in range(3)] == [3, 3, 1]
    assert selection_fairness(np.ones((4, 2))).longest_wait == 0
    nothing = selection_fairness(np.zeros((0, 0)))
    assert math.isnan(nothing.jain)
    assert math.isnan(nothing.never)


@settings(derandomize=True, max_examples=30, deadline=None)
@given(st.lists(st.floats(0.01, 1), min_size=2, max_size=20), st.permutations(range(20)))
def test_order_does_not_count(values: list[float], order: list[int]) -> None:
    """And nothing but scale-free numbers stays when all values are doubled."""
    shuffled = [values[i] for i in order if i < len(values)]
    assert client_summary(shuffled) == pytest.approx(client_summary(values), abs=1e-9)
    double, once = client_summary(np.array(values) * 2), client_summary(values)
    assert double[9:] == pytest.approx(once[9:], abs=1e-9)
    assert double.mean == pytest.approx(2 * once.mean)


def test_what_is_not_defined_is_nan() -> None:
    """Clients without a value are left out, with their weights; none at all give no number."""
    assert client_summary([math.nan, 0.5], [9, 1]).weighted_mean == 0.5
    nothing = client_summary([math.nan])
    assert nothing.defined == 0
    assert np.isnan(nothing[1:]).all()
    assert math.isnan(client_summary([0.5], [0]).weighted_mean)


def test_rewards_that_follow_contributions() -> None:
    """Pearson's correlation as NumPy has it; not defined for one client or equal rewards."""
    given_, got = [0.1, 0.4, 0.2, math.nan], [0.7, 0.8, 0.9, 0.5]
    assert contribution_fairness(given_, got) == pytest.approx(np.corrcoef(given_[:3], got[:3])[0, 1])
    assert contribution_fairness([1, 2], [2, 1]) == -1
    assert math.isnan(contribution_fairness([1], [1]))
    assert math.isnan(contribution_fairness([1, 2], [3, 3]))


def test_masking_of_true_positive_rates() -> None:
    """Two clients that miss opposite groups: gap 1 at each, 0 together; the selection rates likewise."""
    one = np.array([[[0, 0], [0, 4]], [[0, 0], [4, 0]]])
    counts = np.stack([one, one[::-1]])
    assert masking_gap(counts, rate="tpr") == 1
    assert math.isnan(masking_gap(counts, rate="fpr"))


def test_bad_values_are_refused() -> None:
    """Shapes and signs."""
    with pytest.raises(ValueError, match=r"values and weights must be vectors of one length, got \(2,\) and \(1,\)"):
        client_summary([1, 2], [1])
    with pytest.raises(ValueError, match="weights must be at least 0, got -1"):
        client_summary([1, 2], [1, -1])
    with pytest.raises(ValueError, match=r"selected must be a matrix of rounds and clients, got shape \(2,\)"):
        selection_fairness([1, 0])
    with pytest.raises(
        ValueError, match=r"contribution and reward must be vectors of one length, got \(1,\) and \(2,\)"
    ):
        contribution_fairness([1], [1, 2])
