"""Robust merges by hand, against slow loops, and their laws."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.horizontal.naive_loop import toy
from tests.horizontal.naive_steps import even, played
from trustkit.horizontal import Dense, bulyan_rows, krum_rows, multi_krum_rows, rfout
from trustkit.horizontal.aggregate import median, trimmed_mean, weighted_mean
from trustkit.horizontal.rules import bulyan, enough, filtered_mean, krum, krum_order, multi_krum
from trustkit.rng import stream

MLP = Dense((5, 6, 3), "float64")


def slow_scores(rows: list[list[float]], f: int) -> list[tuple[float, float]]:
    """Return Krum's score of each row and, for ties, its sum of all squared distances."""
    scores = []
    for i, a in enumerate(rows):
        away = sorted(sum((p - q) ** 2 for p, q in zip(a, b, strict=True)) for j, b in enumerate(rows) if j != i)
        scores.append((sum(away[: max(1, len(rows) - f - 2)]), sum(away)))
    return scores


def slow_bulyan(rows: list[list[float]], f: int) -> list[float]:
    """Choose one after the other, then average the values nearest to the median, each combination looked at."""
    left, chosen, m = list(rows), [], len(rows)
    for _ in range(m - 2 * f):
        scores = slow_scores(left, f)
        chosen.append(left.pop(scores.index(min(scores))))
    merged = []
    for values in zip(*chosen, strict=True):
        middle = float(np.median(values))
        best = min(combinations(sorted(values), m - 4 * f), key=lambda c: sum(abs(v - middle) for v in c))
        merged.append(sum(best) / len(best))
    return merged


def test_krum_by_hand() -> None:
    """Points 0, 1, 1.5, 9 and 30 on a line, f = 1: two neighbours count (5 − 1 − 2).

    0: 1 + 2.25 = 3.25; 1: 0.25 + 1 = 1.25; 1.5: 0.25 + 2.25 = 2.5; 9: 56.25 + 64 = 120.25; 30: 441 + 812.25. So the
    order is 1, 1.5, 0, 9, 30. Multi-Krum averages all but the last: 11.5/4.
    """
    stack = np.array([[0.0], [1.0], [1.5], [9.0], [30.0]])
    assert krum_order(stack, 0.2).tolist() == [1, 2, 0, 3, 4]
    assert krum(stack, np.ones(5), 0.2).tolist() == [1.0]
    assert multi_krum(stack, np.ones(5), 0.2).tolist() == [2.875]


def test_bulyan_by_hand() -> None:
    """Seven points, f = 1: 10, 11, 12, 13, 14, 15 and 99.

    Of seven, four neighbours count: 12 and 13 both score 1 + 1 + 4 + 4 = 10; to all, 13 is nearer (99 is far): it is
    taken. Of 10, 11, 12, 14, 15, 99 three count: 12 scores 1 + 4 + 4 = 9, 11 scores 1 + 1 + 9 = 11, 14 scores
    1 + 4 + 9 = 14: 12. Of 10, 11, 14, 15, 99 two: 10 and 11 score 1 + 16 = 17 and 1 + 9 = 10, 14 scores 1 + 9 = 10:
    equal, and 14 is nearer to all: 14. Of 10, 11, 15, 99 one: 10 and 11 score 1, and 11 is nearer to all: 11. Of 10,
    15, 99 one: 10 and 15 score 25, 15 is nearer to all. Chosen are 11, 12, 13, 14, 15; the three nearest to their
    median 13 are 12, 13, 14: 13.
    """
    stack = np.array([[10.0], [11.0], [12.0], [13.0], [14.0], [15.0], [99.0]])
    assert bulyan(stack, np.ones(7), 0.15).tolist() == [13.0]


def test_filtered_mean_by_hand() -> None:
    """0, 1, 2, 1, 96: the mean is 20 and the deviation 38.005; 96 lies exactly 2·(1 − 3·10⁻⁴) deviations away."""
    stack = np.array([[0.0], [1.0], [2.0], [1.0], [96.0]])
    assert filtered_mean(stack, np.ones(5), 1.9).tolist() == [1.0]
    assert filtered_mean(stack, np.ones(5), 2.0).tolist() == [20.0]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("m", "share"), [(7, 0.15), (11, 0.19), (12, 0.1), (5, 0.0), (3, 0.0)])
def test_rules_agree_with_slow_loops(m: int, share: float, seed: int) -> None:
    """Random stacks with some far rows."""
    stack, f = stream(seed, "rules").standard_normal((m, 4)), int(share * m)
    stack[:f] += 50
    rows = stack.tolist()
    order = sorted(range(m), key=lambda i: slow_scores(rows, f)[i])
    assert krum_order(stack, share).tolist() == order
    assert np.array_equal(krum(stack, np.ones(m), share), stack[order[0]])
    assert np.allclose(multi_krum(stack, np.ones(m), share), stack[order[: m - f]].mean(axis=0), rtol=1e-12)
    assert np.allclose(bulyan(stack, np.ones(m), share), slow_bulyan(rows, f), rtol=1e-12)
    for width in (1.0, 1.5, 2.5):
        kept = [[v for v in column if abs(v - np.mean(column)) <= width * np.std(column)] for column in stack.T]
        assert np.allclose(filtered_mean(stack, np.ones(m), width), [np.mean(column) for column in kept], rtol=1e-12)


ROWS = st.integers(3, 9).flatmap(lambda m: arrays(float, (m, 3), elements=st.floats(-100, 100, width=32), unique=True))
MERGES: dict[str, Any] = {
    "median": median,
    "trimmed": lambda s, w: trimmed_mean(s, w, 0.2),
    "krum": lambda s, w: krum(s, w, 0.2),
    "multi_krum": lambda s, w: multi_krum(s, w, 0.2),
    "bulyan": lambda s, w: bulyan(s, w, 0.1),
    "rfout": lambda s, w: filtered_mean(s, w, 1.5),
}


@pytest.mark.parametrize("name", MERGES)
@settings(max_examples=30)
@given(rows=ROWS, seed=st.integers(0, 99))
def test_merges_do_not_depend_on_the_order_of_clients(name: str, rows: np.ndarray, seed: int) -> None:
    """Distinct scores: random rows that differ everywhere, jittered so that no two distances are equal."""
    stack = rows + stream(seed, "jitter").random(rows.shape)
    mixed = stream(seed, "mix").permutation(len(stack))
    once, again = (MERGES[name](s, np.ones(len(s))) for s in (stack, stack[mixed]))
    assert np.allclose(once, again, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", MERGES)
@settings(max_examples=30)
@given(rows=ROWS)
def test_merges_stay_within_the_values(name: str, rows: np.ndarray) -> None:
    """Coordinate by coordinate."""
    merged = MERGES[name](rows, np.ones(len(rows)))
    slack = 1e-9 * np.abs(rows).max()
    assert (rows.min(axis=0) - slack <= merged).all()
    assert (merged <= rows.max(axis=0) + slack).all()


@given(rows=arrays(float, (6, 3), elements=st.floats(-1, 1), unique=True), far=st.floats(1e3, 1e8))
def test_one_outlier_does_not_move_krum(rows: np.ndarray, far: float) -> None:
    """Whether it stands at +far or at −far, and at whatever distance."""
    stack = np.vstack([rows, np.full((1, 3), far)])
    kept = krum(stack, np.ones(7), 0.15)
    assert (kept == rows).all(axis=1).any()
    stack[-1] *= -2
    assert np.array_equal(krum(stack, np.ones(7), 0.15), kept) or len(set(np.round(_scores(rows), 12))) < 6
    assert not np.array_equal(weighted_mean(stack, np.ones(7)), kept)


def _scores(rows: np.ndarray) -> list[float]:
    return [score for score, _ in slow_scores([*rows.tolist(), [1e9] * 3], 1)]


@given(honest=arrays(float, (9, 3), elements=st.floats(-1, 1)), evil=arrays(float, (2, 3), elements=st.floats(-50, 50)))
def test_bulyan_stays_within_the_honest_values(honest: np.ndarray, evil: np.ndarray) -> None:
    """Eleven clients withstand two, coordinate by coordinate, wherever these stand."""
    merged = bulyan(np.vstack([evil, honest]), np.ones(11), 0.19)
    assert (merged >= honest.min(axis=0) - 1e-9).all()
    assert (merged <= honest.max(axis=0) + 1e-9).all()


@given(rows=arrays(float, (8, 3), elements=st.floats(-1, 1)))
def test_without_outliers_the_filtered_mean_is_the_mean(rows: np.ndarray) -> None:
    """No value of eight lies more than √7 = 2.646 deviations away: one at d·7/8 and seven at d/8 deviate by d·√7/8."""
    assert np.allclose(filtered_mean(rows, np.ones(8), 2.65), rows.mean(axis=0), rtol=0, atol=1e-9)


def test_large_offsets_do_not_drown_distances() -> None:
    """Single-precision models around 1000 that differ by thousandths are told apart."""
    near = stream(0, "far").standard_normal((6, 50)) / 64
    stack = (np.vstack([near, near[:1] + 3]) + 1000).astype(np.float32)
    exact = stack.astype(float).tolist()
    assert krum_order(stack, 0.15)[0] == min(range(7), key=lambda i: slow_scores(exact, 1)[i])


@pytest.mark.parametrize(
    ("algorithm", "share", "message"),
    [
        (
            krum_rows,
            0.4,
            r"^Krum must have at least 2f \+ 3 clients in a round to withstand f of them, 7 for f = 2, got 5",
        ),
        (multi_krum_rows, 0.49, r"^Multi-Krum must have at least 2f \+ 3 clients .* 7 for f = 2, got 5$"),
        (bulyan_rows, 0.2, r"^Bulyan must have at least 4f \+ 3 clients .* 7 for f = 1, got 5$"),
    ],
)
def test_too_small_rounds_are_refused(algorithm: Any, share: float, message: str) -> None:
    """At once, for the size that rounds will have: five of ten here."""
    with pytest.raises(ValueError, match=message):
        algorithm(even(10), MLP, None, 0.5, 3, share=share)
    algorithm(even(10), MLP, None, 1.0, 3, share=0.1)


def test_enough_counts_shares_exactly() -> None:
    """0.29 of 100 are 29, though the product is 28.999… in binary; 61 clients would do."""
    enough("Krum", 0.29, 2, 100)
    with pytest.raises(ValueError, match="for f = 49, got 100"):
        enough("Krum", 0.49, 2, 100)


@pytest.mark.parametrize("algorithm", [krum_rows, multi_krum_rows, bulyan_rows, rfout])
def test_robust_algorithms_learn(algorithm: Any) -> None:
    """On clients that are alike."""
    trainer = algorithm(even(8, 60), MLP, None, 1.0, 20, lr=0.3, batch=8)
    assert np.nanmean(played(trainer, 20)[1].accuracy) > 0.8


def test_krum_takes_over_one_client() -> None:
    """The new model is that of one client, bit for bit."""
    trainer = krum_rows(toy(5, 120), MLP, None, 1.0, 2, batch=8)
    taken: list[np.ndarray] = []

    def tamper(params: np.ndarray, trained: np.ndarray, plan: Any) -> np.ndarray:
        taken.append(trained)
        return trained

    state, _ = played(replace(trainer, tamper=tamper), 1)
    assert (taken[0] == state["params"]).all(axis=1).sum() == 1
