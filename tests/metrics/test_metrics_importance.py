"""Importance of columns and of parties: closed forms, games by hand, the laws of Shapley values."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from trustkit.metrics import importance, linear_importance, party_importance, shapley_cmi
from trustkit.rng import stream

RNG = stream(0, "test", "importance")


def information(columns: np.ndarray, y: np.ndarray) -> float:
    """I(X_S; y) in bits, from the counts of rows that are equal."""
    both = np.column_stack([columns, y])
    total = 0.0
    for table, sign in ((columns, 1), (y[:, None], 1), (both, -1)):
        shares = np.unique(table, axis=0, return_counts=True)[1] / len(y) if table.shape[1] else np.ones(1)
        total -= sign * float((shares * np.log2(shares)).sum())
    return total


def by_definition(columns: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Shapley values as the mean gain over all orders of the columns."""
    m = columns.shape[1]
    gains = np.zeros(m)
    for order in itertools.permutations(range(m)):
        for place, j in enumerate(order):
            before, after = list(order[:place]), list(order[: place + 1])
            gains[j] += information(columns[:, after], y) - information(columns[:, before], y)
    return gains / math.factorial(m)


def test_linear_importance_is_shaps() -> None:
    """shap's LinearExplainer with the same background; for several outputs, the mean over them."""
    import shap

    weights, X, background = RNG.normal(size=(5, 3)), RNG.normal(size=(30, 5)), RNG.normal(size=(20, 5)) + 1
    by_output = [shap.LinearExplainer((weights[:, c], 0.0), background).shap_values(X) for c in range(3)]
    want = np.abs(by_output).mean(axis=1)
    np.testing.assert_allclose(linear_importance(weights[:, 0], X, background), want[0], atol=1e-9)
    np.testing.assert_allclose(linear_importance(weights, X, background), want.mean(axis=0), atol=1e-9)


def test_party_importance_is_the_sum() -> None:
    """Nobody's columns count nowhere; a party without columns has 0."""
    importance, owner = np.array([1.0, 2.0, 4.0, 8.0]), np.array([2, 0, -1, 2])
    assert party_importance(importance, owner).tolist() == [2.0, 0.0, 9.0]
    assert party_importance(importance, owner, 4).tolist() == [2.0, 0.0, 9.0, 0.0]
    assert party_importance(importance, np.full(4, -1), 2).tolist() == [0.0, 0.0]


def test_games_by_hand() -> None:
    """Copies share, a pair that only tells something together shares, what tells nothing gets nothing."""
    y = np.array([0, 1] * 4)
    other = np.array([0, 0, 1, 1] * 2)
    # y itself tells 1 bit, a copy of it as much: each comes first half of the time
    np.testing.assert_allclose(shapley_cmi(np.column_stack([y, y, other]), y), [0.5, 0.5, 0.0], atol=1e-12)
    # exclusive or: 0 alone, 1 bit for whichever comes second
    np.testing.assert_allclose(shapley_cmi(np.column_stack([y ^ other, other]), y), [0.5, 0.5], atol=1e-12)
    # a and b: together they tell h(1/4), the entropy of their product; by symmetry each gets half
    quarter = -(0.25 * math.log2(0.25) + 0.75 * math.log2(0.75))
    np.testing.assert_allclose(shapley_cmi(np.column_stack([y, other]), y & other), [quarter / 2] * 2, atol=1e-12)
    # columns of one value are no players
    np.testing.assert_allclose(shapley_cmi(np.ones((8, 3)), y), np.zeros(3), atol=1e-15)


@given(st.integers(0, 10_000), st.integers(1, 4))
@settings(max_examples=15)
def test_it_is_the_mean_gain_over_all_orders(seed: int, m: int) -> None:
    """On tables that are small enough to list every order."""
    rng = stream(seed, "orders")
    X, y = rng.integers(0, 3, (25, m)), rng.integers(0, 3, 25)
    np.testing.assert_allclose(shapley_cmi(X, y), by_definition(X, y), atol=1e-12)


@pytest.mark.parametrize("m", [1, 6, 10, 11, 14])
@pytest.mark.parametrize("rows", [30, 400])
def test_the_values_add_up_to_all_there_is_to_know(m: int, rows: int) -> None:
    """Efficiency, for all subsets and for random orders, also where every row soon is a cell of its own."""
    X, y = RNG.integers(0, 3, (rows, m)), RNG.integers(0, 4, rows)
    y[X[:, 0] == 0] = 0
    found = shapley_cmi(X, y, permutations=7)
    assert found.sum() == pytest.approx(information(X, y), abs=1e-10)
    assert found.min() >= -1e-12


def test_random_orders_come_near_all_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    """The standard error of 400 orders is about 0.01 bits; the seed decides."""
    X = RNG.integers(0, 2, (500, 6))
    y = X[:, 0] + X[:, 1] * X[:, 2] + (RNG.random(500) < 0.1)
    exact = shapley_cmi(X, y)
    monkeypatch.setattr(importance, "EXACT", 0)
    found = shapley_cmi(X, y, permutations=400, seed=1)
    np.testing.assert_allclose(found, exact, atol=0.05)
    np.testing.assert_array_equal(found, shapley_cmi(X, y, permutations=400, seed=1))
    assert (found != shapley_cmi(X, y, permutations=400, seed=2)).any()


def test_columns_and_targets_are_cut_at_their_quantiles() -> None:
    """A column of many values counts as its quarter; so does a target of floats, while labels stay as they are."""
    x = RNG.permutation(1000).astype(float)
    quarter = x // 250
    X = np.column_stack([x, RNG.normal(size=1000)])
    cut = np.column_stack([quarter, np.searchsorted(np.quantile(X[:, 1], [0.25, 0.5, 0.75]), X[:, 1])])
    labels = np.array(["low", "high"])[(x + RNG.normal(size=1000) * 100 > 400).astype(int)]
    codes = (labels == "low").astype(int)
    np.testing.assert_allclose(shapley_cmi(X, labels), by_definition(cut, codes), atol=5e-3)
    # the target as a float: four equal parts, so x tells log2(4) bits of it
    assert shapley_cmi(X[:, :1], x * 3.5)[0] == pytest.approx(2.0, abs=1e-9)
    # as whole numbers every row is a class of its own, of which x tells 2 bits just as well
    assert shapley_cmi(X[:, :1], x.astype(int))[0] == pytest.approx(2.0, abs=1e-9)
    assert shapley_cmi(X[:, :1], x * 3.5, bins=8)[0] == pytest.approx(3.0, abs=1e-9)


def test_the_estimate_is_too_large_by_the_number_of_cells() -> None:
    """An unrelated column gets (a − 1)(b − 1)/(2n ln 2) bits on average: here 9/(2·400·ln 2) = 0.0162."""
    rng = stream(0, "bias")
    found = [shapley_cmi(rng.integers(0, 4, (400, 1)), rng.integers(0, 4, 400))[0] for _ in range(300)]
    error = np.std(found) / np.sqrt(300)
    assert abs(np.mean(found) - 9 / (800 * math.log(2))) < 4 * error


def test_a_sparse_table_gives_the_same() -> None:
    """Column by column."""
    X = np.where(RNG.random((60, 5)) < 0.3, RNG.random((60, 5)), 0.0)
    y = (X[:, 0] > 0).astype(int)
    np.testing.assert_array_equal(shapley_cmi(sparse.csr_array(X), y), shapley_cmi(X, y))


ONES = np.ones((4, 2))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: linear_importance(np.ones(3), ONES, ONES), r"one row for each of the 2 columns, got shape \(3,\)"),
        (lambda: linear_importance(np.ones(2), ONES, np.ones((4, 3))), r"equal length, got shapes \(4, 2\) and \(4, 3"),
        (lambda: linear_importance(np.ones(2), ONES[:0], ONES), r"equal length, got shapes \(0, 2\)"),
        (lambda: party_importance(np.ones(3), np.zeros(2, int)), r"one value a column, got shapes \(3,\) and \(2,\)"),
        (lambda: party_importance(np.array([1.0, np.nan]), np.zeros(2, int)), "importance must be finite, got nan"),
        (lambda: party_importance(np.ones(2), np.array([0, 3]), 3), "more than the highest party 3 in owner, got 3"),
        (lambda: shapley_cmi(ONES, np.ones(3)), r"for at least one row, got shapes \(4, 2\) and \(3,\)"),
        (lambda: shapley_cmi(ONES[:0], np.ones(0)), "for at least one row"),
        (lambda: shapley_cmi(ONES * np.nan, np.ones(4)), "X and y must hold finite numbers only"),
        (lambda: shapley_cmi(ONES, np.ones(4), bins=1), "bins must be at least 2, got 1"),
        (lambda: shapley_cmi(ONES, np.ones(4), permutations=0), "permutations must be at least 1, got 0"),
    ],
)
def test_errors_name_the_thing(call: Any, message: str) -> None:
    """The thing, the rule and the value."""
    with pytest.raises(ValueError, match=message):
        call()
