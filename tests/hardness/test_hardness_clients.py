"""A client whose model is no number, clients that leave or are late, and equal clients, over every strategy."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from tests.horizontal.naive_loop import never, toy
from trustkit.catalogue import ALGORITHMS
from trustkit.horizontal import Dense, RowTrainer
from trustkit.horizontal.afa import similar
from trustkit.horizontal.aggregate import Aggregate, median, trimmed_mean, weighted_mean
from trustkit.horizontal.arrived import Diverged
from trustkit.horizontal.binding import equip
from trustkit.horizontal.faults import LATE, faults
from trustkit.horizontal.plan import Cohort
from trustkit.horizontal.rules import bulyan, filtered_mean, krum, multi_krum
from trustkit.metrics.evaluate import examine
from trustkit.records import Seen, State

ROWS = [name for name, entry in ALGORITHMS.items() if entry.axis == "rows"]
ROBUST = ("fedmedian", "trimmed_mean", "krum", "multi_krum", "bulyan", "rfout_1d", "afa")
"""Strategies that leave out a model that is no number."""

RULES: dict[str, Aggregate] = {
    "median": median, "trimmed mean": partial(trimmed_mean, share=0.2), "Krum": partial(krum, share=0.2),
    "Multi-Krum": partial(multi_krum, share=0.2), "Bulyan": partial(bulyan, share=0.15),
    "RFOut-1d": partial(filtered_mean, width=1.5),
}  # fmt: skip
MODEL = Dense((5, 4, 3))
LOST = 2
"""The client that diverges."""


def bound(name: str, **more: Any) -> RowTrainer:
    """Bind a strategy to eight clients with training rows, all of whom take part."""
    trainer: RowTrainer = ALGORITHMS[name].function(toy(9), MODEL, None, 1.0, 4, batch=16, seed=5, **more)
    return trainer


def lost_from(round: int, value: float = np.nan) -> Any:
    """Return a hook that makes one parameter of one client no number, from a round on."""

    def tamper(params: np.ndarray, trained: np.ndarray, plan: Cohort) -> np.ndarray:
        if plan.index < round:
            return trained
        sent = trained.copy()
        sent[plan.clients == LOST, 0] = value
        return sent

    return tamper


def play(trainer: RowTrainer, rounds: int) -> tuple[State, list[Seen], list[str]]:
    """Play; return the last state, what was seen, and what was warned of divergence."""
    state, seen = trainer.start(), []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for index in range(1, rounds + 1):
            state, one = trainer.step(state, index, never)
            seen.append(one)
    return state, seen, [str(each.message) for each in caught if each.category is Diverged]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", ROWS)
def test_a_client_that_diverges_is_never_averaged_in_silence(name: str, value: float) -> None:
    """Robust strategies leave it out and go on; others say who it was, and from then on nothing is called measured."""
    trainer = replace(bound(name), tamper=lost_from(2, value))
    state, seen, said = play(trainer, 3)
    assert said
    assert said[0].startswith(f"round 2: client {LOST} sent a model that is not finite; ")
    counts = state["diverged"]
    assert counts[LOST] == (2 if name in ROBUST else 1)  # once there is no model, none can diverge
    assert counts.sum() == counts[LOST]
    here = trainer.test.sizes > 0
    assert np.isfinite(seen[0].accuracy[here]).all()
    if name in ROBUST:
        assert np.isfinite(state["params"]).all()
        assert np.isfinite(seen[2].accuracy[here]).all()
        assert np.isfinite(seen[2].loss[here]).all()
        return
    assert not np.isfinite(state["params"]).all()
    touched = here & (np.isnan(seen[2].accuracy) | np.isnan(seen[2].loss))
    if not trainer._personal and name != "gossip":  # there clients go by models of their own
        assert np.isnan(seen[2].accuracy[here]).all()
        assert np.isnan(seen[2].loss[here]).all()
        assert sum(int(counts.sum()) for counts in seen[2].groups.values()) == 0  # no rate of a group is 0 by this
    else:
        assert touched.any()


@pytest.mark.parametrize("name", ROBUST)
def test_robust_strategies_give_what_they_give_without_that_client(name: str) -> None:
    """Left out means left out: the model of round 1 is that of the others alone, whatever the lost one sends."""
    one, _, _ = play(replace(bound(name), tamper=lost_from(1, np.nan)), 1)
    other, _, _ = play(replace(bound(name), tamper=lost_from(1, np.inf)), 1)
    assert np.array_equal(one["params"], other["params"])


@pytest.mark.parametrize("name", sorted(RULES))
def test_rules_leave_out_what_is_no_number(name: str) -> None:
    """The result is that of the finite rows, bit for bit; of nothing but NaN it is NaN."""
    rule, rows = RULES[name], np.random.default_rng(3).standard_normal((8, 6)).astype(np.float32)
    lost = np.insert(rows, [1, 5], np.full((2, 6), np.nan, np.float32), axis=0)
    lost[6, 3], lost[6, :3] = -np.inf, 0
    assert np.array_equal(rule(lost, np.ones(10)), rule(rows, np.ones(8)))
    assert np.isnan(rule(np.full((8, 6), np.nan, np.float32), np.ones(8))).all()


@pytest.mark.parametrize("name", sorted(RULES))
def test_rules_of_equal_clients_give_that_client(name: str) -> None:
    """Distances of 0 and deviations of 0 divide nothing."""
    row = np.array([0.1, -3.0, 1e-30, 0.0, 7e20], np.float32)
    found = RULES[name](np.tile(row, (9, 1)), np.ones(9))
    assert found.dtype == np.float32
    assert np.allclose(found, row, rtol=1e-6, atol=0)
    if name in ("Krum", "median"):
        assert np.array_equal(found, row)


@pytest.mark.parametrize("name", sorted(RULES))
@pytest.mark.parametrize("large", [1e30, 3e38])
def test_rules_stay_in_the_range_of_float32(name: str, large: float) -> None:
    """Models near the largest float32, honest or not: no sum, square or distance becomes infinite."""
    rng = np.random.default_rng(8)
    rows = (large * (1 + rng.random((9, 4)) / 10)).astype(np.float32)
    found = RULES[name](rows, np.ones(9))
    assert np.isfinite(found).all()
    assert (found >= rows.min(axis=0)).all()
    assert (found <= rows.max(axis=0)).all()
    honest = rng.standard_normal((9, 4)).astype(np.float32)
    honest[4] = large
    withstood = RULES[name](honest, np.ones(9))
    assert np.isfinite(withstood).all()
    assert np.abs(withstood).max() < 4
    opposed = np.where(np.arange(9)[:, None] % 2, large, -large).astype(np.float32) * np.ones((9, 4), np.float32)
    assert np.isfinite(RULES[name](opposed, np.ones(9))).all()


def test_krum_in_float64_stays_in_range() -> None:
    """Distances of 1e200 have no finite square."""
    rows = np.concatenate([np.random.default_rng(1).standard_normal((7, 3)), np.full((2, 3), 1e200)])
    for rule in (krum, multi_krum):
        assert np.abs(rule(rows, np.ones(9), share=0.25)).max() < 4


def test_the_mean_does_not_hide_a_nan() -> None:
    """FedAvg's rule has no notion of an outlier: what is no number stays visible."""
    rows = np.array([[1.0], [np.nan], [3.0]])
    assert np.isnan(weighted_mean(rows, np.ones(3))).all()


def test_afa_judges_who_is_no_number_as_bad() -> None:
    """It stays out of the mean of directions too."""
    rows = np.array([[1.0, 0.0], [1.0, 0.1], [np.nan, 0.0], [1.0, -0.1]])
    alone = similar(rows[[0, 1, 3]], np.ones(3), 2.0, 0.5)
    assert similar(rows, np.ones(4), 2.0, 0.5).tolist() == np.insert(alone, 2, False).tolist()
    assert similar(np.full((2, 2), np.inf), np.ones(2), 2.0, 0.5).all()


def test_scores_that_are_no_numbers_predict_nothing() -> None:
    """Accuracy and loss of that client are not defined; another client's are; an infinite score still tells a class."""
    logits = np.array([[np.nan, 1.0], [2.0, 1.0], [np.inf, 0.0]])
    found = examine(logits, np.array([0, 0, 0]), np.array([0, 1, 2, 3]))
    assert found.predicted.tolist() == [-1, 0, 0]
    assert np.array_equal(found.accuracy, [np.nan, 1.0, 1.0], equal_nan=True)
    assert np.isnan(found.loss[[0, 2]]).all()


@pytest.mark.parametrize("name", ROWS)
def test_clients_that_leave_and_stragglers_change_no_promise(name: str) -> None:
    """By rate: nobody delivers, some do, and late ones are counted as late; the model stays a number throughout."""
    start = bound(name).start()["params"]
    nobody, seen, _ = play(equip(bound(name), name, faults=faults(dropout=1.0)), 2)
    assert np.array_equal(nobody["params"], start)
    assert seen[1].selected.sum() == 8  # asked, though nobody came
    assert nobody["participations"].sum() == 0
    some, seen, _ = play(equip(bound(name), name, faults=faults(0.3, 0.2, spread=1.5, wait=1.2)), 4)
    assert np.isfinite(some["params"]).all()
    assert some["outcomes"].sum() == 4 * 8
    assert some["outcomes"][:, LATE].sum() > 0
    assert np.isfinite(seen[3].accuracy[bound(name).test.sizes > 0]).all()


@pytest.mark.parametrize("name", ROWS)
def test_too_large_a_step_is_reported(name: str) -> None:
    """Real divergence, not an injected one: η = 10 on features of 1e9 either stays a number or is said."""
    fed = toy(9)
    data = replace(fed.data, X=fed.data.X * 1e9, scaling="none")
    more = {} if "lr" not in {p.name for p in ALGORITHMS[name].parameters} else {"lr": 10.0}
    trainer: RowTrainer = ALGORITHMS[name].function(replace(fed, data=data), MODEL, None, 1.0, 3, seed=1, **more)
    with np.errstate(all="ignore"):
        state, seen, said = play(trainer, 3)
    finite = np.isfinite(state["params"]).all()
    assert finite or said
    if not finite and not trainer._personal and name != "gossip":
        assert np.isnan(seen[2].accuracy[trainer.test.sizes > 0]).all()
