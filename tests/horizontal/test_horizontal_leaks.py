"""What a trained model and its updates give away, measured on real training."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tests.horizontal.naive_loop import never, toy
from trustkit.horizontal import RowTrainer, fedavg, gaussian, mlp
from trustkit.metrics import empirical_epsilon, leakage_estimate, membership_auc, round_utilities, shapley_exact
from trustkit.metrics.evaluate import softmax
from trustkit.rng import stream


def losses(trainer: RowTrainer, rounds: int) -> tuple[np.ndarray, np.ndarray]:
    """Train and return the losses of training and of test rows."""
    state = trainer.start()
    for index in range(1, rounds + 1):
        state, _ = trainer.step(state, index, never)
    found = []
    for rows in (trainer.train, trainer.test):
        chances = softmax(trainer.logits(state, np.asarray(rows.X)).astype(float))
        found.append(-np.log(np.maximum(chances[np.arange(rows.y.size), rows.y], 1e-300)))
    return found[0], found[1]


def test_an_overfitted_model_gives_its_rows_away_and_a_private_one_does_not() -> None:
    """Labels at random: whatever is learnt is learnt by heart. With ε = 1 the claim stands up to the attack."""
    fed = toy(rows=400, features=20)
    model = mlp(fed.data, hidden=(64,))
    open_run = fedavg(fed, model, None, 1.0, 60, lr=0.5, epochs=5, batch=16)
    shuffled = replace(open_run.train, y=stream(0, "labels").permutation(open_run.train.y))
    members, others = losses(replace(open_run, train=shuffled), 60)
    assert membership_auc(members, others) > 0.8
    assert empirical_epsilon(members, others).lower > 1
    private = fedavg(fed, model, gaussian(epsilon=1.0), 1.0, 10, lr=0.5, batch=16)
    members, others = losses(replace(private, train=shuffled), 10)
    assert membership_auc(members, others) < 0.6
    assert not empirical_epsilon(members, others).refutes(1.0)


def test_gradients_tell_of_their_batches_and_noise_hides_them() -> None:
    """A step of one row each, from one model: the update is the row's gradient."""
    fed = toy(rows=2)
    model = mlp(fed.data, hidden=(4,))
    params, rng = model.init(0), stream(1, "rows")
    X = rng.standard_normal((600, 5))
    chances = softmax(model.logits(params, X).astype(float))
    chances[:, 0] -= 1  # every row is of class 0, whose error times the hidden layer is the last layer's gradient
    hidden = np.maximum(X @ model.layers(params)[0][0] + model.layers(params)[0][1], 0)
    updates = (hidden[:, :, None] * chances[:, None, :]).reshape(600, -1)
    scale = updates.std()
    told = [leakage_estimate(X, updates + s * scale * rng.standard_normal(updates.shape)) for s in (0.0, 1.0, 30.0)]
    assert told[0] > told[1] > told[2]
    assert told[0] > 0.3
    assert told[2] < 0.05


def test_a_client_with_wrong_labels_contributes_least() -> None:
    """One round of six clients, of which one trains on flipped labels: the least Shapley value, and below 0."""
    fed, bad = toy(rows=900), 4
    model = mlp(fed.data, hidden=(8,))
    trainer = fedavg(fed, model, None, 1.0, 1, lr=0.3, epochs=3, batch=16)
    labels = trainer.train.y.copy()
    mine = slice(trainer.train.offsets[bad], trainer.train.offsets[bad + 1])
    labels[mine] = (labels[mine] + 1) % 3
    sent: list[Any] = []

    def watch(params: np.ndarray, trained: np.ndarray, plan: Any) -> np.ndarray:
        sent.append((params, trained, plan.clients))
        return trained

    trainer = replace(trainer, train=replace(trainer.train, y=labels), tamper=watch)
    trainer.step(trainer.start(), 1, never)
    before, trained, clients = sent[0]

    def accuracy(params: np.ndarray) -> float:
        return float((model.logits(params, np.asarray(trainer.test.X)).argmax(axis=1) == trainer.test.y).mean())

    gains = round_utilities(accuracy, before, trained, trainer.train.sizes[clients], clients, 6)
    here = np.flatnonzero(~np.isnan(gains))
    values = shapley_exact(gains[here])  # the last client has no rows: coalitions of the first five are 0 … 31
    assert here.tolist() == list(range(32))
    assert values.argmin() == bad
    assert values[bad] < 0
