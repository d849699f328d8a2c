"""Who is asked: frequencies against closed forms, what the server remembers, and privacy that forbids it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tests.horizontal.naive_loop import load, module_of, never, toy
from tests.horizontal.naive_steps import even, played
from trustkit.horizontal import Dense, fedavg, fedopt, gaussian, scaffold
from trustkit.horizontal.plan import Cohort, select
from trustkit.horizontal.selectors import TITLES, Selector, choose, planned, remembered, reputation

MLP = Dense((5, 6, 3), "float64")
SIZES = np.array([40, 0, 10, 30, 20])


def frequencies(selector: Selector, share: float, rounds: int, **state: np.ndarray) -> np.ndarray:
    """Return how often each client is drawn from one state."""
    drawn = [choose(selector, 5, index, SIZES, share, state) for index in range(rounds)]
    return np.bincount(np.concatenate(drawn), minlength=5) / rounds


def close(seen: np.ndarray, expected: np.ndarray, rounds: int) -> bool:
    """Whether shares lie within five standard deviations of their expectation."""
    return bool((np.abs(seen - expected) <= 5 * np.sqrt(expected * (1 - expected) / rounds)).all())


@pytest.mark.parametrize("share", [0.3, 0.6, 1.0])
def test_random_is_the_plan_s_own_selection(share: float) -> None:
    """Bit for bit, also through a trainer."""
    eligible = np.flatnonzero(SIZES)
    for index in range(1, 20):
        assert np.array_equal(choose("random", 7, index, SIZES, share, {}), select(7, index, eligible, share))
    trainer = fedopt(toy(), MLP, None, share, 3, batch=8, seed=7)
    _, seen = trainer.step(trainer.start(), 2, never)
    assert np.array_equal(np.flatnonzero(seen.selected), select(7, 2, np.arange(5), share))
    assert set(fedavg(toy(), MLP, None, share, 3).start()) == {"params", "participations"}


def test_by_size_one_of_four() -> None:
    """Of 100 rows a client with n is drawn with probability n/100; one without rows never."""
    assert close(frequencies("size", 0.25, 3000), SIZES / 100, 3000)


def test_by_size_two_of_four() -> None:
    """Both orders of drawing: P(k) = p_k + Σ_{j≠k} p_j·p_k/(1 − p_j)."""
    p = SIZES / 100
    expected = np.array([p[k] + sum(p[j] * p[k] / (1 - p[j]) for j in range(5) if j != k) for k in range(5)])
    assert close(frequencies("size", 0.5, 3000), expected, 3000)


def test_by_loss_with_exploration() -> None:
    """Two seats of four, losses 3 > 2 > 1 > 0.5; each seat explores with probability 0.2.

    With no explorer (0.64) clients 0 and 2 are drawn; with one (0.32) client 0 and one of the three others; with two
    (0.04) any two. So client 0: 0.96 + 0.04/2; client 2: 0.64 + 0.32/3 + 0.02; the others 0.32/3 + 0.02.
    """
    losses = np.array([3.0, np.nan, 2.0, 1.0, 0.5])
    seen = frequencies("loss", 0.5, 3000, losses=losses)
    other = 0.32 / 3 + 0.02
    assert close(seen, np.array([0.98, 0, 0.64 + other, other, other]), 3000)


def test_by_loss_the_unknown_come_first() -> None:
    """A client that was never asked outranks any loss, and exploration goes on."""
    seen = frequencies("loss", 0.25, 3000, losses=np.array([9.0, np.nan, np.nan, 1.0, 1.0]))
    assert close(seen, np.array([0.05, 0, 0.85, 0.05, 0.05]), 3000)


def test_by_reputation() -> None:
    """In proportion to the mean of Beta(g + 1, b + 1)."""
    good, bad = np.array([9, 0, 0, 2, 0]), np.array([0, 0, 9, 2, 1])
    expected = np.asarray(stats.beta(good + 1, bad + 1).mean())
    assert np.allclose(reputation(good, bad), expected, rtol=1e-12)
    expected[1] = 0
    assert close(frequencies("reputation", 0.25, 3000, good=good, bad=bad), expected / expected.sum(), 3000)


@settings(max_examples=30)
@given(seed=st.integers(0, 999), share=st.floats(0.1, 1), rounds=st.integers(1, 30))
def test_fair_selection_is_even(seed: int, share: float, rounds: int) -> None:
    """After any number of rounds no client is two selections ahead of another; who has no rows is at none."""
    counts = planned("fair", seed, SIZES, rounds, share)
    assert np.ptp(counts[SIZES > 0]) <= 1
    assert counts[1] == 0
    assert counts.sum() == rounds * max(1, round(share * 4))


@pytest.mark.parametrize("selector", get_args(Selector))
def test_selections_are_repeatable_sorted_and_of_the_right_size(selector: Selector) -> None:
    """And resuming from a state gives the same cohorts and the same state."""
    trainer = scaffold(toy(), MLP, None, 0.6, 6, batch=8, selector=selector, seed=2)
    state, states = trainer.start(), []
    for index in range(1, 7):
        for values in state.values():
            values.setflags(write=False)
        state, seen = trainer.step(state, index, never)
        assert seen.selected.sum() == 3
        assert not seen.selected[5]
        states.append(state)
    again = states[2]
    for index in range(4, 7):
        again, _ = scaffold(toy(), MLP, None, 0.6, 6, batch=8, selector=selector, seed=2).step(again, index, never)
    assert set(again) == set(state) >= set(remembered(selector, 6))
    assert all(np.array_equal(again[name], state[name], equal_nan=True) for name in state)
    assert trainer.facts["client_selector"] == TITLES[selector]
    assert scaffold(toy(), MLP, None, 1.0, 6, selector=selector).facts["client_selector"] == "all"


def test_losses_are_those_of_the_model_that_was_received() -> None:
    """On the training rows of those who took part; the others' stay as they were."""
    trainer = fedopt(toy(), MLP, None, 0.4, 4, batch=8, selector="loss")
    first, _ = played(trainer, 1)
    second, seen = trainer.step(first, 2, never)
    module = module_of(MLP)
    load(MLP, module, first["params"])
    assert seen.selected.sum() == 2
    for k in range(6):
        rows = slice(*trainer.train.offsets[k : k + 2])
        if seen.selected[k]:
            X, y = torch.tensor(trainer.train.X[rows]), torch.tensor(trainer.train.y[rows])
            assert second["losses"][k] == pytest.approx(torch.nn.functional.cross_entropy(module(X), y).item())
        else:
            assert np.array_equal(second["losses"][k], first["losses"][k], equal_nan=True)


def test_whoever_works_against_the_others_loses_reputation() -> None:
    """An update that points against the merged one is bad, and its sender is asked less often."""

    def tamper(params: np.ndarray, trained: np.ndarray, plan: Cohort) -> np.ndarray:
        sent = trained.copy()
        sent[plan.clients == 3] = params - (trained[plan.clients == 3] - params)
        return sent

    trainer = replace(fedopt(even(10), MLP, None, 0.5, 40, batch=8, selector="reputation"), tamper=tamper)
    state, _ = played(trainer, 40)
    counts = state["participations"]
    assert np.array_equal(state["good"] + state["bad"], counts)
    assert state["bad"][3] > state["good"][3]
    assert counts[3] == counts.min()
    assert np.delete(state["good"], 3).sum() > 4 * np.delete(state["bad"], 3).sum()


@pytest.mark.parametrize("selector", ["size", "fair"])
def test_epsilon_is_planned_for_the_cohorts_that_come(selector: Any) -> None:
    """The most often drawn client decides, and at the end exactly the ε that was asked for is spent."""
    trainer = fedopt(toy(), MLP, gaussian(epsilon=4.0), 0.4, 6, batch=8, selector=selector)
    state, seen = played(trainer, 6)
    assert np.array_equal(state["participations"], planned(selector, 0, trainer.train.sizes, 6, 0.4))
    assert seen.epsilon == pytest.approx(4.0, rel=1e-3)


@pytest.mark.parametrize(
    ("privacy", "selector", "able"),
    [
        (gaussian(), "loss", "random, size or fair"),
        (gaussian(level="client"), "reputation", "random, size or fair"),
        (gaussian(level="client", sampling="poisson"), "fair", "random"),
        (gaussian(level="client", sampling="poisson"), "loss", "random"),
    ],
)
def test_selectors_that_no_accountant_allows(privacy: Any, selector: Any, able: str) -> None:
    """Cohorts drawn by looking at models would break the assumption."""
    message = rf"^selector must be {able} with this privacy mechanism, .*, got '{selector}'$"
    with pytest.raises(ValueError, match=message):
        fedopt(toy(), MLP, privacy, 0.5, 3, selector=selector)
