"""Thresholds by group: against a search over all cuts, by hand, and on the final model of a run."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trustkit as tk
from trustkit.catalogue import use
from trustkit.comparison import adjust_thresholds
from trustkit.horizontal.thresholds import USUAL, Goal, group_thresholds
from trustkit.metrics.gaps import Rate, gaps_from_counts
from trustkit.records import RunRecord
from trustkit.rng import stream

GOALS: tuple[Goal, ...] = ("parity", "opportunity")


def rates(
    scores: np.ndarray, y: np.ndarray, groups: np.ndarray, cuts: np.ndarray, goal: Goal
) -> tuple[list[float], int]:
    """Return each group's rate, and how many rows are right."""
    chosen = scores > cuts[groups]
    base = y if goal == "opportunity" else np.ones(y.size, bool)
    return [float(chosen[base & (groups == a)].mean()) for a in range(cuts.size)], int((chosen == y).sum())


@given(st.integers(0, 10_000), st.sampled_from(GOALS))
@settings(max_examples=60, deadline=None)
def test_groups_of_one_size_get_one_rate_and_the_best_accuracy(seed: int, goal: Goal) -> None:
    """Without ties, five rows each, three of them favourable: of all pairs of cuts with equal rates, none is better."""
    rng = stream(seed, "thresholds")
    scores, groups = rng.permutation(np.linspace(0.05, 0.95, 10)), np.repeat([0, 1], 5)
    y = np.concatenate([rng.permutation([True, True, True, False, False]) for _ in range(2)])
    found, right = rates(scores, y, groups, group_thresholds(scores, y, groups, 2, goal), goal)
    assert found[0] == found[1]
    places = np.linspace(0.0, 1.0, 11)
    tried = [rates(scores, y, groups, np.array(pair), goal) for pair in itertools.product(places, repeat=2)]
    assert right == max(hits for each, hits in tried if each[0] == each[1])


def test_by_hand() -> None:
    """Three of each group; selecting the best of each gets a and d right and e, f: b is missed, as is c never.

    Scores .9 (1), .8 (1), .2 (0) and .6 (1), .5 (0), .1 (0): taking none gets 1 + 2 right, one each 2 + 3, two each
    3 + 2, all 2 + 1. One and two each tie at 5 with gap 0; the smaller rate comes first: cuts at .85 and .55.
    """
    scores, y = np.array([0.9, 0.8, 0.2, 0.6, 0.5, 0.1]), np.array([1, 1, 0, 1, 0, 0], bool)
    cuts = group_thresholds(scores, y, np.repeat([0, 1], 3), 2, "parity")
    assert cuts.tolist() == pytest.approx([0.85, 0.55])
    # equal opportunity: all favourable rows of both, which with cuts at .5 and .55 gets every row right
    cuts = group_thresholds(scores, y, np.repeat([0, 1], 3), 2, "opportunity")
    assert cuts.tolist() == pytest.approx([0.5, 0.55])


def test_ties_are_not_cut() -> None:
    """Equal scores are selected together or not at all."""
    scores, y = np.array([0.5, 0.5, 0.5, 0.9, 0.1]), np.array([1, 0, 1, 1, 0], bool)
    cuts = group_thresholds(scores, y, np.array([0, 0, 0, 1, 1]), 2, "parity")
    assert (scores[:3] > cuts[0]).sum() in (0, 3)


@pytest.mark.parametrize(
    ("y", "groups"),
    [([1, 0, 1], [0, 0, 0]), ([1, 0, 1], [0, 0, -1]), ([1, 1, 0], [0, 0, 1])],
    ids=["one group", "one known", "one with a favourable row"],
)
def test_with_less_than_two_groups_nothing_moves(y: list[int], groups: list[int]) -> None:
    """The usual threshold stays."""
    cuts = group_thresholds(np.array([0.9, 0.5, 0.1]), np.array(y, bool), np.array(groups), 2, "opportunity")
    assert cuts.tolist() == [USUAL, USUAL]


def test_a_goal_must_be_known() -> None:
    """One sentence."""
    with pytest.raises(ValueError, match=r"^goal must be 'parity' or 'opportunity', got 'odds'$"):
        group_thresholds(np.array([0.5]), np.array([True]), np.array([0]), 1, "odds")  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def record() -> RunRecord:
    """Play FedAvg on three clients of people of whom sex is known."""
    return tk.run(tk.Experiment("adult", use("iid", parties=3), use("fedavg", lr=0.3, batch=256), "logistic", rounds=3))


@pytest.mark.parametrize("goal", GOALS)
def test_on_a_run_the_gap_of_the_goal_shrinks(record: RunRecord, goal: Goal) -> None:
    """On test rows, in the pool and in the worst client; what was before is what the run itself says."""
    rate: Rate = "selection" if goal == "parity" else "tpr"
    found = adjust_thresholds(record, "sex", goal)
    assert np.allclose(found.accuracy_before, record.last.accuracy)
    assert all(np.array_equal(found.groups_before[name], counts) for name, counts in record.groups.items())
    before, after = (gaps_from_counts(each["sex"], rate).gap for each in (found.groups_before, found.groups))
    assert after.max() < 0.65 * before.max()
    assert (found.groups["race"].sum(axis=(1, 2, 3)) == record.groups["race"].sum(axis=(1, 2, 3))).all()
    cells = found.groups["sex"].sum(axis=1)
    assert np.allclose(found.accuracy, (cells[:, 0, 0] + cells[:, 1, 1]) / cells.sum(axis=(1, 2)))
    assert (found.accuracy > found.accuracy_before - 0.06).all()


def test_thresholds_come_from_training_rows_alone(record: RunRecord) -> None:
    """Chosen anew from the same rows by the function itself, client by client."""
    found = adjust_thresholds(record, "sex")
    built = tk.build(record.experiment)
    trainer, data = built.trainer, built.fed.data
    for k in range(3):
        rows = trainer.train.rows[slice(*trainer.train.offsets[k : k + 2])]  # type: ignore[attr-defined]
        chances = trainer.predict(record.last.state, data.X[rows])[:, 1].astype(float)
        sex = data.codes("sex")[0][rows]
        cuts = group_thresholds(chances, data.y[rows] == 1, sex, 2, "parity")
        assert np.allclose(found.thresholds[k], cuts, atol=1e-4)


def test_clients_with_models_of_their_own_use_them() -> None:
    """Ditto: before is what each client's own model gave."""
    wanted = tk.Experiment("acs_employment", use("iid", parties=3), use("ditto", batch=256), "logistic", rounds=2)
    record = tk.run(wanted)
    assert np.allclose(adjust_thresholds(record).accuracy_before, record.last.accuracy)


def test_what_cannot_be_adjusted_is_refused(record: RunRecord) -> None:
    """An unknown attribute, columns, a record without a state."""
    with pytest.raises(ValueError, match=r"^attribute must be one of sex, race, race5, got 'age'$"):
        adjust_thresholds(record, "age")
    bare = RunRecord(record.experiment, [replace(record.last, state=None)])
    with pytest.raises(ValueError, match=r"^the run must have its last state, got one without$"):
        adjust_thresholds(bare)
    columns = tk.run(tk.Experiment("wine", use("uniform", parties=2), "splitnn", rounds=1))
    with pytest.raises(ValueError, match=r"^the run must be over rows, got one over columns$"):
        adjust_thresholds(columns)
    nobody = replace(tk.datasets.load("wine"), name="wine of nobody", sensitive={"sex": np.full(178, "missing")})
    tk.datasets.add(nobody)
    unknown = tk.run(tk.Experiment("wine of nobody", use("iid", parties=2), "fedavg", "logistic", rounds=1))
    with pytest.raises(ValueError, match=r"^sex must be known of some row of wine of nobody, got none$"):
        adjust_thresholds(unknown, "sex")
