"""Attacks on training and on rows: what an examination keeps, against the same attacks worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustkit.catalogue import use
from trustkit.examination import examine
from trustkit.examination.poisoned import poisoning
from trustkit.examination.subject import Subject
from trustkit.experiment import Experiment
from trustkit.horizontal.adversary import attackers, trigger_for
from trustkit.horizontal.plan import cohort
from trustkit.horizontal.trainer import RowTrainer
from trustkit.records import Round, RunRecord
from trustkit.rng import stream
from trustkit.rounds import build, run

SMALL = Experiment("breast_cancer", use("dirichlet", parties=5, alpha=1.0), use("fedavg", lr=0.05), "logistic",
                   rounds=5, participation=0.6, seed=3)  # fmt: skip
KEPT = ("label_flip", "sign_flip", "model_replacement", "backdoor")


@pytest.fixture(scope="module")
def record() -> RunRecord:
    """Return a clean run."""
    return run(SMALL)


def trainer_of(experiment: Experiment) -> RowTrainer:
    """Return the algorithm bound to its data."""
    trainer = build(experiment).trainer
    if not isinstance(trainer, RowTrainer):
        raise TypeError(trainer)
    return trainer


def test_without_attackers_nothing_is_lost(record: RunRecord) -> None:
    """The run is played again as it was, so all is kept; the backdoor's rate is the clean model's."""
    found = poisoning(Subject(record, build(SMALL), 1_000, 0, 0.0, 0.1), lambda done: None).facts
    assert [found[f"robustness/{name}"] for name in KEPT[:3]] == [1.0, 1.0, 1.0]
    data = build(SMALL).fed.data
    stamped = trigger_for(data, 0, (), 3.0).stamp(data.X[data.held_out])
    said = trainer_of(SMALL).logits(record.last.state, stamped).argmax(1)
    rate = (said[data.y[data.held_out] != 0] == 0).mean()
    assert found["robustness/backdoor"] == pytest.approx(1 - rate)
    assert found["robustness/poisoning_defence"] == pytest.approx((3 + 1 - rate) / 4)
    assert found["robustness/attackers_share"] == 0.0


@pytest.mark.parametrize(("share", "many"), [(0.2, 1), (0.3, 2), (0.01, 1), (1.0, 5)])
def test_the_share_is_that_of_those_who_attack(record: RunRecord, share: float, many: int) -> None:
    """Whole clients, at least one of the five; the share that was asked for is in the remark."""
    found = examine(record, measures=["poisoning"], share=share)
    assert found["robustness/attackers_share"] == many / 5
    assert found.remarks["poisoning"].startswith(f"{many} of 5 clients attack, {share:.3g} of them were asked for; ")


@pytest.mark.parametrize("share", [0, 0.0, -0.1, 1.5, float("nan")])
def test_a_share_of_nobody_is_refused(record: RunRecord, share: float) -> None:
    """Before anything is played: nothing would be kept or lost."""
    with pytest.raises(ValueError, match=rf"^share must be above 0 and at most 1, got {share!r}$"):
        examine(record, share=share)


def test_label_flip_by_hand(record: RunRecord) -> None:
    """Labels of the attackers' rows are exchanged before training; the rest is the run, round by round."""
    trainer, who = trainer_of(SMALL), attackers(5, 0.4, 0)
    y = trainer.train.y.copy()
    for k in who:
        y[slice(*trainer.train.offsets[k : k + 2])] = 1 - y[slice(*trainer.train.offsets[k : k + 2])]
    poisoned = replace(trainer, train=replace(trainer.train, y=y))
    state = poisoned.start()
    for index in range(1, 6):
        state, seen = poisoned.step(state, index, lambda: None)
    found = examine(record, measures=["poisoning"], share=0.4)
    lost = np.nanmean(seen.accuracy) / np.nanmean(record.last.accuracy)
    assert lost < 1
    assert found["robustness/label_flip"] == pytest.approx(lost)
    assert found["robustness/poisoning_defence"] == pytest.approx(np.mean([found[f"robustness/{n}"] for n in KEPT]))


def test_all_attackers_leave_nothing_and_a_median_keeps_more(record: RunRecord) -> None:
    """Everybody's labels flipped: the model is wrong where it was right; a median withstands one strong attacker."""
    worst = examine(record, measures=["poisoning"], share=1.0)
    clean = np.nanmean(record.last.accuracy)
    assert worst["robustness/label_flip"] < 0.5 * clean
    mean, median = (
        examine(run(SMALL.change(algorithm=use(name, lr=0.05), participation=1.0)), measures=["poisoning"], share=0.2)
        for name in ("fedavg", "fedmedian")
    )
    assert median["robustness/model_replacement"] > mean["robustness/model_replacement"]


def _softmax_steps(w: np.ndarray, X: np.ndarray, y: np.ndarray, batches: np.ndarray, lr: float) -> np.ndarray:
    """Train a logistic regression (m + 1, C), batch after batch, in plain float64."""
    w = w.astype(float).copy()
    for rows in batches:
        rows = rows[rows >= 0]
        A = np.hstack([X[rows], np.ones((len(rows), 1))])
        p = np.exp(A @ w)
        p /= p.sum(1, keepdims=True)
        p[np.arange(len(rows)), y[rows]] -= 1
        w -= lr * A.T @ p / len(rows)
    return w


def test_replacement_by_hand(record: RunRecord) -> None:
    """Round 4 of 5: one client sends N(x − w) + w, with x trained on flipped labels; accuracy then, and a round on."""
    trainer, found = trainer_of(SMALL), examine(record, measures=["replacement"])
    rows, X = trainer.train, np.asarray(trainer.train.X, float)
    before = np.asarray(list(record)[2].state["params"], float)
    w = np.vstack([before[:-2].reshape(-1, 2), before[-2:]])
    present = np.flatnonzero(record.selected[3])
    client = stream(0, "examine", "replacement").choice(present)
    models = {}
    for k in present:
        local = replace(trainer.local, epochs=10) if k == client else trainer.local
        y = 1 - rows.y if k == client else rows.y
        plan = cohort(SMALL.seed, 4, np.array([k]), rows.offsets, local)
        models[k] = _softmax_steps(w, X, y, plan.rows[:, 0], 0.05)
    models[client] = w + len(present) * (models[client] - w)
    merged = np.average([models[k] for k in present], axis=0, weights=rows.sizes[present])

    def accuracy(model: np.ndarray) -> float:
        test = trainer.test
        right = (np.asarray(test.X, float) @ model[:-1] + model[-1]).argmax(1) == test.y
        return float(
            np.mean([right[a:b].mean() for a, b in zip(test.offsets, test.offsets[1:], strict=False) if b > a])
        )

    assert found["robustness/replacement_global"] == pytest.approx(
        min(1, accuracy(merged) / np.nanmean(record.accuracy[3])), abs=1e-9
    )
    assert found["robustness/replacement_global"] < 0.9
    flat = np.concatenate([merged[:-1].ravel(), merged[-1]]).astype(np.float32)
    state = {**list(record)[3].state, "params": flat}
    _, seen = trainer.step(state, 5, lambda: None)
    assert found["robustness/replacement_persistent"] == pytest.approx(
        min(1, np.nanmean(seen.accuracy) / np.nanmean(record.last.accuracy)), abs=0.02
    )


def test_a_run_of_one_round_has_nothing_after_it() -> None:
    """The later fact stays out: not known, not 0."""
    found = examine(run(SMALL.change(rounds=1)), measures=["replacement"])
    assert set(found) == {"robustness/replacement_global"}


def crafted(experiment: Experiment, params: np.ndarray) -> RunRecord:
    """Return a run whose last model is given."""
    played = next(iter(run(experiment.change(rounds=1))))
    state = {**played.state, "params": params.astype(np.float32)}
    return RunRecord(experiment.change(rounds=1), [Round(1, state, played.seen, 0.0)])


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.05, 0.1, 0.5, 2.0]))
def test_one_step_on_a_linear_model_is_a_closed_form(seed: int, radius: float) -> None:
    """x moves by ε against w_y − w_other, within the data's range; two classes: PGD can do no more than one step."""
    data = build(SMALL).fed.data
    W, b = stream(seed, "W").standard_normal((30, 2)), stream(seed, "b").standard_normal(2)
    found = examine(crafted(SMALL, np.concatenate([W.ravel(), b])), measures=["gradient_attacks"], radius=radius)
    X, y = data.X[data.held_out], data.y[data.held_out]
    W, b = W.astype(np.float32), b.astype(np.float32)
    along = np.sign((W[:, 1] - W[:, 0]) * np.where(y == 0, 1, -1)[:, None])
    moved = np.clip(X + radius * along, data.X.min(0), data.X.max(0))
    right, still = ((rows.astype(np.float32) @ W + b).argmax(1) == y for rows in (X, moved))
    expected = (right & still).mean() / right.mean()
    assert found["robustness/fgsm"] == pytest.approx(expected, abs=0.02)  # a row at the boundary may round either way
    assert found["robustness/pgd"] == pytest.approx(found["robustness/fgsm"], abs=0.02)
    assert found["robustness/attack_radius"] == radius
    if radius == 0:
        assert found["robustness/fgsm"] == 1.0
