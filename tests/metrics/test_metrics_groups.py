"""Counts instead of rows: the same gaps, vectorised; intervals; what pooling hides."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustkit import metrics
from trustkit.rng import stream

COUNTS = st.lists(
    st.lists(st.lists(st.integers(0, 9), min_size=4, max_size=4), min_size=3, max_size=3), min_size=1, max_size=5
).map(lambda rows: np.array(rows).reshape(len(rows), 3, 2, 2))


def _rows(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    group, label, prediction = (np.repeat(at.ravel(), counts.ravel()) for at in np.indices(counts.shape))
    return prediction, label, group


@settings(derandomize=True, max_examples=40, deadline=None)
@given(COUNTS, st.integers(0, 6))
def test_counts_and_rows_give_the_same_gaps(counts: np.ndarray, min_group: int) -> None:
    """All clients at once from counts equals one client after the other from its rows."""
    disparity = metrics.disparity_from_counts(counts, min_group)
    opportunity = metrics.opportunity_from_counts(counts, min_group)
    for k in range(len(counts)):
        pred, y, group = _rows(counts[k])
        one = metrics.demographic_disparity(pred, group, min_group=min_group)
        two = metrics.equal_opportunity_difference(pred, y, group, min_group=min_group)
        np.testing.assert_allclose([disparity[k], opportunity[k]], [one, two], atol=1e-12)


@settings(derandomize=True, max_examples=20, deadline=None)
@given(COUNTS)
def test_counting_undoes_listing(counts: np.ndarray) -> None:
    """Groups that occur come back with their counts."""
    got = metrics.group_counts(*_rows(counts[0]))
    np.testing.assert_array_equal(got, counts[0][counts[0].sum((1, 2)) > 0])


def _selection(*pairs: tuple[int, int]) -> np.ndarray:
    """Counts of groups with so many predictions of 1 among so many rows, all labels 0."""
    return np.array([[[n - k, k], [0, 0]] for k, n in pairs])


def test_empty_groups_are_left_out_of_gaps() -> None:
    """Rates 1/2, 1 and none: the gap is 1/2; the same for true positive rates, from rows with label 1."""
    counts = _selection((1, 2), (2, 2), (0, 0))
    assert float(metrics.disparity_from_counts(counts)) == 0.5
    assert float(metrics.opportunity_from_counts(counts[:, ::-1])) == 0.5
    low, high = metrics.disparity_interval(counts)
    assert 0 <= low <= 0.5 <= high <= 1


def test_interval_is_newcombes() -> None:
    """Newcombe 1998, Table II, example (a), method 10: 56/70 − 48/80 has the interval 0.0524 to 0.3339."""
    low, high = metrics.disparity_interval(_selection((56, 70), (48, 80)))
    assert (float(low), float(high)) == pytest.approx((0.0524, 0.3339), abs=5e-5)


def test_interval_agrees_with_scipys_wilson_limits() -> None:
    """Built by hand from SciPy's Wilson limits of 9/10 and 2/12, at 90 %."""
    from scipy.stats import binomtest

    a, b = (binomtest(k, n).proportion_ci(0.9, method="wilson") for k, n in ((9, 10), (2, 12)))
    gap = 9 / 10 - 2 / 12
    want = (gap - math.hypot(0.9 - a.low, b.high - 2 / 12), gap + math.hypot(a.high - 0.9, 2 / 12 - b.low))
    low, high = metrics.disparity_interval(_selection((2, 12), (9, 10)), level=0.9)
    assert (float(low), float(high)) == pytest.approx(want, abs=1e-12)


def test_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    """2,000 clients with rates 0.7 and 0.4 in two groups of 40: between 93 and 97 % of 95 % intervals hold 0.3."""
    rng = stream(0, "coverage")
    hits = np.stack([rng.binomial(40, 0.7, 2000), rng.binomial(40, 0.4, 2000)], axis=1)
    counts = np.zeros((2000, 2, 2, 2), int)
    counts[..., 0, 1], counts[..., 0, 0] = hits, 40 - hits
    low, high = metrics.disparity_interval(counts)
    assert 0.93 < np.mean((low <= 0.3) & (high >= 0.3)) < 0.97


def test_interval_is_undefined_where_the_gap_is() -> None:
    """One group, or one that is too small, gives NaN on both ends; a level outside (0, 1) is refused."""
    low, high = metrics.disparity_interval(np.stack([_selection((3, 5), (0, 0)), _selection((3, 5), (1, 2))]), 3)
    assert np.isnan([low, high]).all()
    with pytest.raises(ValueError, match="level must be strictly between 0 and 1, got 1"):
        metrics.disparity_interval(_selection((3, 5), (1, 2)), level=1)


def test_pooling_can_hide_what_every_client_sees() -> None:
    """Two clients that favour opposite groups: disparity 1 at each, 0 together."""
    counts = np.stack([_selection((4, 4), (0, 4)), _selection((0, 4), (4, 4))])
    assert metrics.masking_gap(counts) == 1
    assert metrics.masking_gap(np.stack([counts[0], counts[0]])) == 0
    assert math.isnan(metrics.masking_gap(np.stack([_selection((4, 4), (0, 0))])))


def test_share_over_leaves_out_what_is_undefined() -> None:
    """Of 0.05, 0.09 and 0.2, only 0.2 exceeds 0.09; NaN counts nowhere."""
    assert metrics.share_over([0.05, 0.09, 0.2, math.nan], 0.09) == pytest.approx(1 / 3)
    assert math.isnan(metrics.share_over([math.nan], 0.09))


def test_accuracy_gap() -> None:
    """Accuracies 3/5 and 4/5."""
    counts = np.array([[[1, 1], [1, 2]], [[3, 0], [1, 1]]])
    assert float(metrics.accuracy_gap_from_counts(counts)) == pytest.approx(0.2)
