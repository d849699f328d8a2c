"""Contribution: games by hand, the axioms, sampling against all coalitions, gaps against the truth."""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustkit.metrics.coalitions import coalition_values, leave_one_out, shapley, shapley_exact
from trustkit.metrics.contribution import completed_shapley, data_quality, round_utilities
from trustkit.rng import stream


def game(players: int, seed: int) -> np.ndarray:
    """Draw a game (2^K,) at random, worth 0 for nobody."""
    values = stream(seed, "game").standard_normal(2**players)
    values[0] = 0
    return np.asarray(values)


def worth_of(values: np.ndarray) -> Any:
    """Return the game as a function of a coalition."""
    return lambda who: values[int(who @ (1 << np.arange(who.size)))]


def test_gloves_by_hand() -> None:
    """One left glove (player 0) and two right ones; a pair is worth 1. The left one earns 4 of the 6 orders."""
    values = [float(s & 1 and s > 1) for s in range(8)]
    np.testing.assert_allclose(shapley_exact(values), [4 / 6, 1 / 6, 1 / 6])
    assert leave_one_out(worth_of(np.array(values)), 3).tolist() == [1, 0, 0]


@given(st.integers(1, 5), st.integers(0, 999))
def test_all_orders_agree(players: int, seed: int) -> None:
    """The definition itself: the mean of what each adds over all K! orders."""
    values = game(players, seed)
    total = np.zeros(players)
    for order in permutations(range(players)):
        before = 0
        for k in order:
            total[k] += values[before | 1 << k] - values[before]
            before |= 1 << k
    np.testing.assert_allclose(shapley(worth_of(values), players), total / math.factorial(players), atol=1e-12)


@given(st.integers(2, 7), st.integers(0, 999), st.floats(-3, 3))
def test_the_axioms(players: int, seed: int, factor: float) -> None:
    """Efficiency, linearity, symmetry, and nothing for whoever adds nothing."""
    one, other = game(players, seed), game(players, seed + 1)
    np.testing.assert_allclose(shapley_exact(one).sum(), one[-1], atol=1e-10)
    np.testing.assert_allclose(
        shapley_exact(one + factor * other), shapley_exact(one) + factor * shapley_exact(other), atol=1e-10
    )
    np.testing.assert_allclose(shapley_exact([one, other]), [shapley_exact(one), shapley_exact(other)])
    every = np.arange(2**players)
    swapped = every & ~3 | (every & 1) << 1 | (every & 2) >> 1
    symmetric = shapley_exact(one + one[swapped])
    assert symmetric[0] == pytest.approx(symmetric[1], abs=1e-10)
    dummy = shapley_exact(one[every & ~1])
    assert dummy[0] == 0


@settings(max_examples=10)
@given(st.integers(3, 8), st.integers(0, 99))
def test_sampled_orders_come_near_the_exact_values(players: int, seed: int) -> None:
    """What a player adds is a difference of two normal numbers, of deviation √2 and, with the few values of a small
    game, up to 1.9: of 2,000 orders 1.9 / √2000 = 0.042, four of them 0.17. Efficiency holds to the digit.
    """
    values = game(players, seed)
    got = shapley(worth_of(values), players, permutations=2000, seed=seed)
    np.testing.assert_allclose(got, shapley_exact(values), atol=0.17)
    assert got.sum() == pytest.approx(values[-1])


def test_an_additive_game_is_exact_after_one_order() -> None:
    """Everybody adds the same in all orders; so with 20 players too, where all coalitions are a million."""
    gains = np.arange(20.0) - 5
    np.testing.assert_allclose(shapley(lambda who: float(who @ gains), 20, permutations=1), gains)
    np.testing.assert_allclose(shapley(lambda who: float(who @ gains), 20), gains)


def test_an_order_and_its_reverse_are_exact_for_pairs() -> None:
    """Worth in pairs, Σ_{i<j ∈ S} a_ij: i is last in one order, j in the other, so that they share a_ij evenly."""
    pairs = np.triu(stream(0, "pairs").standard_normal((9, 9)), 1)
    got = shapley(lambda who: float(who @ pairs @ who), 9, permutations=2, seed=3)
    np.testing.assert_allclose(got, (pairs.sum(axis=0) + pairs.sum(axis=1)) / 2)


def test_truncation_saves_evaluations_and_stays_within_its_bound() -> None:
    """Diminishing returns, 1 − 2^−n for n clients: after 7 of 16 the rest is below 1 %; nobody is off by more."""
    calls: list[int] = []

    def worth(who: np.ndarray) -> float:
        calls.append(1)
        return float(1 - 0.5 ** who.sum())

    full = shapley(worth, 16, permutations=50)
    spent = len(calls)
    cut = shapley(worth, 16, permutations=50, truncation=0.01)
    assert len(calls) - spent < 0.6 * spent
    assert abs(cut.sum() - full.sum()) <= 0.01
    np.testing.assert_allclose(cut, full, atol=0.01)


def test_a_coalition_is_asked_once() -> None:
    """However many orders pass it."""
    seen: list[bytes] = []
    shapley(lambda who: seen.append(who.tobytes()) or float(who.sum()), 4, permutations=60)  # type: ignore[func-returns-value]
    assert len(seen) == len(set(seen)) <= 16


def test_a_round_by_hand() -> None:
    """Clients 0 and 2 with 1 and 3 rows, parameters 4 and 8, from 1; the worth is the parameter itself.

    Alone 3 and 7; together (4 + 24) / 4 − 1 = 6. Client 1 was away.
    """
    got = round_utilities(
        lambda w: float(w[0]), np.ones(1), np.array([[8.0], [4.0]]), np.array([3.0, 1.0]), np.array([2, 0]), 3
    )
    np.testing.assert_array_equal(got, [0, 3, np.nan, np.nan, 7, 6, np.nan, np.nan])


@given(st.integers(2, 5), st.integers(1, 4), st.integers(0, 99))
def test_without_gaps_it_is_the_sum_of_the_rounds(players: int, rounds: int, seed: int) -> None:
    """Nothing is filled in, so rank and ridge do not matter."""
    values = np.array([game(players, seed + t) for t in range(rounds)])
    np.testing.assert_allclose(completed_shapley(values), shapley_exact(values).sum(axis=0), atol=1e-10)


def test_gaps_of_a_low_rank_matrix_are_filled_in() -> None:
    """Rounds with gains that are multiples of two games: half of the clients away in most rounds, and the value of
    the whole matrix comes back; the sum of the measured rounds alone gives those who were away too little.
    """
    players, rounds = 6, 24
    rng = stream(5, "gaps")
    members = (np.arange(2**players)[:, None] >> np.arange(players)) & 1
    games = np.sqrt(members @ rng.random((players, 2))).T
    truth = rng.uniform(0.2, 1, (rounds, 2)) @ games
    partial = truth.copy()
    for t in range(4, rounds):
        away = rng.choice(np.arange(1, players), 2, replace=False)
        partial[t, members[:, away].any(axis=1)] = np.nan
    want = shapley_exact(truth.sum(axis=0))
    got = completed_shapley(partial, rank=2, ridge=1e-7, sweeps=300)
    np.testing.assert_allclose(got, want, rtol=0.01)
    zeros = shapley_exact(np.nan_to_num(partial).sum(axis=0))
    assert np.abs(got - want).max() < 0.05 * np.abs(zeros - want).max()


def test_data_quality_by_hand() -> None:
    """Client 0 improves in 2 of 3 rounds, client 1 in none of 1, client 2 never came."""
    nan = math.nan
    got = data_quality([[0.1, nan, nan], [-0.1, 0.0, nan], [0.2, nan, nan]])
    np.testing.assert_allclose(got, [2 / 3, 0, nan])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: coalition_values(float, 13), "players must be between 1 and 12 for all coalitions, got 13"),
        (lambda: shapley_exact([1, 2, 3]), "values must have 2 to the power of 1 … 12 coalitions, got shape (3,)"),
        (lambda: shapley_exact(1.0), "values must have 2 to the power of 1 … 12 coalitions, got shape ()"),
        (lambda: shapley(float, 0), "players must be at least 1, got 0"),
        (lambda: shapley(float, 2, permutations=0), "permutations must be at least 1, got 0"),
        (lambda: shapley(float, 2, truncation=-1.0), "truncation must be at least 0, got -1.0"),
        (lambda: leave_one_out(float, 0), "players must be at least 1, got 0"),
        (lambda: completed_shapley([[0, 1]], rank=0), "rank must be at least 1, got 0"),
        (lambda: completed_shapley([[0, 1]], sweeps=0), "sweeps must be at least 1, got 0"),
        (lambda: completed_shapley([[0, 1]], ridge=0.0), "ridge must be above 0, got 0.0"),
        (lambda: completed_shapley([0, 1]), "utilities must be a matrix of rounds and coalitions, got shape (2,)"),
        (
            lambda: completed_shapley([[0, 1, math.nan, math.nan]]),
            "every coalition must be measured in some round, got 2 that are in none",
        ),
        (lambda: data_quality([1.0]), "improvements must be a matrix of rounds and clients, got shape (1,)"),
    ],
)
def test_bad_input(call: Any, message: str) -> None:
    """One sentence with the thing, the rule and what came."""
    with pytest.raises(ValueError) as error:
        call()
    assert str(error.value) == message
