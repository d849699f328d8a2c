"""An effect against the noise of seeds: the interval against other libraries, and words that follow from it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import trustkit as tk
from trustkit import use
from trustkit.quantities import Seen
from trustkit.records import Stopped
from trustkit.replicas import MEASURED, effects_of, measured_on, replicas_of, replicate, welch_interval
from trustkit.rng import stream

samples = st.lists(st.integers(-50, 50).map(lambda k: k / 8), min_size=2, max_size=6)


@pytest.mark.filterwarnings("ignore:Precision loss occurred")  # of SciPy, where one side does not vary
@given(samples, samples)
def test_welch_is_that_of_scipy(a: list[float], b: list[float]) -> None:
    """And turns its sign when the sides are exchanged."""
    here, there = np.array(a), np.array(b)
    difference, low, high = welch_interval(here, there)
    assert low <= difference <= high
    turned = welch_interval(there, here)
    assert turned == pytest.approx((-difference, -high, -low))
    if np.ptp(here) > 0 or np.ptp(there) > 0:
        wanted = stats.ttest_ind(here, there, equal_var=False).confidence_interval(0.95)
        assert (low, high) == pytest.approx((wanted.low, wanted.high))
    else:
        assert low == high == difference


def test_welch_by_hand() -> None:
    """Variances 1 and 4 of 3 values each: s² = 5/3, ν = s⁴ ÷ (1/18 + 16/18) = 50/17, half = t · √(5/3)."""
    freedom = 50 / 17
    half = stats.t.ppf(0.975, freedom) * math.sqrt(5 / 3)
    found = welch_interval(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0]))
    assert found == pytest.approx((-2, -2 - half, -2 + half))


def test_one_in_twenty_is_beyond_where_there_is_nothing() -> None:
    """4,000 pairs of five values from one normal distribution: the interval leaves 0 out in about 5 %."""
    draws = stream(0, "test", "welch").normal(size=(4000, 2, 5))
    beyond = [effects_of([{"accuracy": v} for v in a], [{"accuracy": v} for v in b])[0].beyond for a, b in draws[:400]]
    low, high = np.array([welch_interval(a, b)[1:] for a, b in draws]).T
    assert 0.03 < np.mean((low > 0) | (high < 0)) < 0.06
    assert 0.01 < np.mean(np.array(beyond, dtype=bool)) < 0.09


@pytest.mark.parametrize(
    ("here", "there", "beyond", "said"),
    [
        ([0.80, 0.81, 0.82], [0.70, 0.71, 0.72], True, "beyond the noise of seeds"),
        ([0.80, 0.71, 0.62], [0.70, 0.61, 0.72], False, "within the noise of seeds"),
        ([0.8, 0.8], [0.8, 0.8], False, "within the noise of seeds"),
        ([0.8, 0.8], [0.7, 0.7], True, "beyond the noise of seeds"),
        ([0.8, math.nan], [0.8, 0.7], None, "n/a"),
        ([math.inf, math.inf], [2.0, 2.0], None, "n/a"),
    ],
)
def test_words_follow_from_the_interval(here: list[float], there: list[float], beyond: bool | None, said: str) -> None:
    """0 inside is noise; without any variance the difference itself decides; n/a is not 0."""
    (effect,) = effects_of([{"accuracy": v} for v in here], [{"accuracy": v} for v in there])
    assert (effect.beyond, effect.said, effect.title) == (beyond, said, "mean accuracy")


def test_only_what_all_runs_have_is_compared() -> None:
    """In the order of the first run."""
    found = effects_of([{"trust": 1.0, "accuracy": 0.5}] * 2, [{"accuracy": 0.5, "trust": 1.0}, {"accuracy": 0.4}])
    assert [effect.name for effect in found] == ["accuracy"]


def test_too_few_seeds_are_refused() -> None:
    """One run says nothing of noise."""
    made = tk.Experiment("wine", "iid", model="logistic")
    for call in (
        lambda: replicas_of(made, 1), lambda: welch_interval(np.zeros(1), np.zeros(3)),
        lambda: effects_of([{}], [{}, {}]), lambda: replicate(made, made, count=1),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="at least 2 seeds, got "):
            call()
    with pytest.raises(ValueError, match="level must be above 0 and below 1, got 1"):
        welch_interval(np.zeros(2), np.zeros(2), 1)


def test_real_runs_are_compared() -> None:
    """More rounds raise accuracy beyond the seeds; an experiment against itself differs in nothing."""
    made = tk.Experiment("breast_cancer", use("iid", parties=2), use("fedavg", lr=0.01), "logistic", rounds=1)
    effects = {effect.name: effect for effect in replicate(made.change(rounds=2), made, count=2)}
    assert {"accuracy", "trust", "trust.privacy"} <= set(effects) <= set(MEASURED)
    assert effects["accuracy"].difference == pytest.approx(
        effects["accuracy"].here.mean() - effects["accuracy"].there.mean()
    )
    record = tk.run(made)
    assert measured_on(Seen(made, record)).keys() == {"accuracy", "worst_accuracy"}
    assert all(effect.difference == 0 and not effect.beyond for effect in replicate(made, made, count=2)
               if effect.beyond is not None)  # fmt: skip


def test_it_tells_how_far_it_is_and_may_be_ended() -> None:
    """After every round of every run; what the listener raises ends it."""
    made, told = tk.presets()["start"].change(rounds=2), list[tuple[str, float]]()
    replicate(made, made, count=2, progress=lambda *words: told.append(words))
    assert told[0] == (f"run 1 of 4, seed {made.seed}", 0.0)
    assert told[-1] == (f"run 4 of 4, seed {made.seed + 1}", 1.0)
    assert [done for _, done in told] == pytest.approx([(at + part) / 4 for at in range(4) for part in (0, 0.5, 1)])

    def stop(words: str, done: float) -> None:
        if done > 0.3:
            raise Stopped

    with pytest.raises(Stopped):
        replicate(made, made, count=2, progress=stop)
