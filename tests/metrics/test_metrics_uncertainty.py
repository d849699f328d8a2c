"""Intervals by resampling and gaps by chance, beside exact enumeration, SciPy, and simulated truth."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from trustkit.metrics.gaps import gaps_from_counts
from trustkit.metrics.uncertainty import bootstrap_interval, chance_gap
from trustkit.rng import stream


def _groups(*pairs: tuple[int, int]) -> np.ndarray:
    """Counts of groups with so many favourable predictions of so many rows, labels all 0."""
    return np.array([[[n - k, k], [0, 0]] for k, n in pairs])


def test_the_interval_is_the_normal_one_where_there_are_many_rows() -> None:
    """Rates .7 of 4,000 and .4 of 3,000: .3 ± 1.96 √(.21/4000 + .24/3000), within what 4,000 draws can tell."""
    low, high = bootstrap_interval(_groups((2800, 4000), (1200, 3000)), draws=4000)
    half = 1.959964 * math.sqrt(0.21 / 4000 + 0.24 / 3000)
    assert (float(low), float(high)) == pytest.approx((0.3 - half, 0.3 + half), abs=2e-3)


def test_the_interval_covers_the_truth() -> None:
    """300 clients with rates .7 and .4 in groups of about 60: 90 to 98 % of the 95 % intervals hold .3."""
    rng = stream(0, "coverage", "bootstrap")
    counts = np.zeros((300, 2, 2, 2), int)
    for g, rate in enumerate((0.7, 0.4)):
        counts[:, g, 0, 1] = rng.binomial(60, rate, 300)
        counts[:, g, 0, 0] = 60 - counts[:, g, 0, 1]
    low, high = bootstrap_interval(counts, draws=300)
    assert 0.90 < np.mean((low <= 0.3) & (high >= 0.3)) < 0.98


def test_a_client_draws_for_itself() -> None:
    """The same numbers for client 0 whoever else is there, other numbers by another seed; any leading shape."""
    one, two = _groups((3, 9), (5, 9)), _groups((1, 9), (8, 9))
    alone, both = bootstrap_interval(one[None]), bootstrap_interval(np.stack([one, two]))
    assert (alone[0][0], alone[1][0]) == (both[0][0], both[1][0])
    assert bootstrap_interval(one[None], seed=1)[0][0] != pytest.approx(alone[0][0], abs=1e-12) or (
        bootstrap_interval(one[None], seed=1)[1][0] != alone[1][0]
    )
    deep = bootstrap_interval(np.stack([one, two]).reshape(2, 1, 2, 2, 2))
    assert deep[0].shape == (2, 1)
    np.testing.assert_array_equal(deep[0].ravel(), both[0])


@pytest.mark.parametrize("rate", ["selection", "tpr", "fpr", "odds", "accuracy", "f1"])
def test_every_rate_has_an_interval_around_its_gap(rate: str) -> None:
    """And none where the gap is undefined, or where a group is too small."""
    counts = np.array([[[30, 20], [10, 40]], [[50, 10], [30, 20]], [[1, 0], [1, 0]]])
    low, high = bootstrap_interval(counts, rate, min_group=5)  # type: ignore[arg-type]
    gap = float(gaps_from_counts(counts, rate, 5).gap)  # type: ignore[arg-type]
    assert 0 <= float(low) < gap < float(high) <= 1
    assert np.isnan(bootstrap_interval(counts[:1], rate)).all()  # type: ignore[arg-type]
    assert np.isnan(bootstrap_interval(counts, rate, min_group=999)).all()  # type: ignore[arg-type]


def test_chance_is_enumerated_for_few_rows() -> None:
    """3 hits dealt to groups of 3, 2 and 2 rows: all 35 placements by hand, within what 20,000 draws can tell."""
    sizes = (3, 2, 2)
    groups = np.repeat([0, 1, 2], sizes)
    gaps = []
    for hits in itertools.combinations(range(7), 3):
        rates = np.bincount(groups[list(hits)], minlength=3) / np.array(sizes)
        gaps.append(rates.max() - rates.min())
    expected, p = chance_gap(_groups((2, 3), (1, 2), (0, 2)), draws=20_000)
    assert float(expected) == pytest.approx(np.mean(gaps), abs=0.01)
    assert float(p) == pytest.approx(np.mean(np.array(gaps) >= 2 / 3 - 1e-9), abs=0.01)


def test_with_two_groups_it_is_fishers_test() -> None:
    """8 of 10 against 2 of 10: both sides of SciPy's exact test, as the groups are of one size."""
    from scipy.stats import fisher_exact

    for rate, counts in (("selection", _groups((8, 10), (2, 10))), ("tpr", _groups((8, 10), (2, 10))[:, ::-1])):
        p = chance_gap(counts, rate, draws=20_000)[1]  # type: ignore[arg-type]
        assert float(p) == pytest.approx(fisher_exact(np.array([[8, 2], [2, 8]])).pvalue, abs=0.004)


def test_small_groups_make_gaps_by_chance() -> None:
    """The same rates in small groups and in large ones: chance explains the one and not the other."""
    counts = np.stack([_groups((3, 6), (2, 6)), _groups((1500, 3000), (1000, 3000))])
    expected, p = chance_gap(counts)
    assert expected[0] > 0.15 > 0.05 > expected[1]
    assert p[0] > 0.4 > 0.05 > p[1]
    assert p[1] == 1 / 1001
    assert np.isnan(chance_gap(counts, min_group=5000)).all()


def test_accuracy_and_false_positives_by_chance() -> None:
    """Equal rates cannot be beaten by chance: p is 1."""
    counts = np.array([[[1, 1], [1, 1]], [[1, 1], [1, 1]]])
    assert float(chance_gap(counts, "accuracy")[1]) == 1
    assert float(chance_gap(counts, "fpr")[1]) == 1


def test_bad_numbers_are_refused() -> None:
    """Level, draws, rate."""
    counts = _groups((1, 2), (1, 2))
    with pytest.raises(ValueError, match="level must be strictly between 0 and 1, got 1"):
        bootstrap_interval(counts, level=1)
    with pytest.raises(ValueError, match="draws must be at least 1, got 0"):
        bootstrap_interval(counts, draws=0)
    with pytest.raises(ValueError, match="draws must be at least 1, got 0"):
        chance_gap(counts, draws=0)
    with pytest.raises(ValueError, match="rate must be one of selection, tpr, fpr, accuracy, got 'f1'"):
        chance_gap(counts, "f1")  # type: ignore[arg-type]
