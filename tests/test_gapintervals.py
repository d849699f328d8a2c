"""Intervals of gaps in any rate and of ratios, against SciPy's and against the interval of the rows concerned."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustkit.gapintervals import by_false_rate, gap_interval, ratio_interval
from trustkit.metrics import disparity_interval
from trustkit.metrics.gaps import Rate, gaps_from_counts

CELLS = st.lists(st.integers(0, 40), min_size=8, max_size=8).map(lambda c: np.array(c).reshape(1, 2, 2, 2))


@given(CELLS)
def test_a_ratio_has_katzs_interval(counts: np.ndarray) -> None:
    """SciPy's relative risk of the two groups has the same ends, up to the cut at 1."""
    from scipy.stats.contingency import relative_risk

    low, high = ratio_interval(counts)
    size, hits = counts[0].sum((-2, -1)), counts[0, ..., 1].sum(-1)
    if size.min() == 0 or hits.min() == 0:
        assert np.isnan([low[0], high[0]]).all()
        return
    worse = int(np.argmin(hits / size))
    found = relative_risk(int(hits[worse]), int(size[worse]), int(hits[1 - worse]), int(size[1 - worse]))
    ends = found.confidence_interval(0.95)
    assert low[0] == pytest.approx(ends.low, rel=1e-6)
    assert high[0] == pytest.approx(min(1.0, ends.high), rel=1e-6)


@given(CELLS)
def test_a_rates_interval_is_that_of_its_rows(counts: np.ndarray) -> None:
    """Of the true positive rate the rows with a favourable label count, of accuracy what is right."""
    only = counts.copy()
    only[..., 0, :] = 0
    assert np.array_equal(gap_interval(counts, "tpr"), disparity_interval(only), equal_nan=True)
    right = np.zeros_like(counts)
    right[..., 0, 1] = counts[..., 0, 0] + counts[..., 1, 1]
    right[..., 0, 0] = counts.sum((-2, -1)) - right[..., 0, 1]
    assert np.array_equal(gap_interval(counts, "accuracy"), disparity_interval(right), equal_nan=True)
    assert np.array_equal(gap_interval(counts), disparity_interval(counts), equal_nan=True)


@given(CELLS)
def test_odds_have_the_interval_of_the_larger_gap(counts: np.ndarray) -> None:
    """And every interval holds its gap."""
    kind: Rate = "fpr" if by_false_rate(counts)[0] else "tpr"
    assert np.array_equal(gap_interval(counts, "odds"), gap_interval(counts, kind), equal_nan=True)
    gap = gaps_from_counts(counts, "odds").gap[0]
    low, high = gap_interval(counts, "odds")
    assert np.isnan(gap) or low[0] - 1e-12 <= gap <= high[0] + 1e-12


def test_small_groups_are_left_out() -> None:
    """A third group of two rows is there or not."""
    counts = np.array([[[[14, 56], [0, 0]], [[32, 48], [0, 0]], [[2, 0], [0, 0]]]])
    assert np.array_equal(gap_interval(counts, min_group=3), gap_interval(counts[:, :2]))
    assert np.array_equal(ratio_interval(counts, 3), ratio_interval(counts[:, :2]))
    assert gap_interval(counts)[1][0] > gap_interval(counts, min_group=3)[1][0]
