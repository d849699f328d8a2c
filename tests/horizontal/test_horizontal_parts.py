"""Plans, models and merges, each against something independent."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import accuracy_score, log_loss

from tests.horizontal.naive_loop import load, module_of, never, toy
from trustkit.catalogue import ALGORITHMS, MODELS, use
from trustkit.data import Dataset, Provenance
from trustkit.horizontal import Convnet, Dense, convnet, fedavg, logistic, mlp
from trustkit.horizontal.aggregate import median, trimmed_mean, weighted_mean
from trustkit.horizontal.plan import Local, cohort, participations, select
from trustkit.metrics.evaluate import softmax
from trustkit.rng import stream


@settings(derandomize=True, max_examples=25, deadline=None)
@given(sizes=st.lists(st.integers(1, 40), min_size=1, max_size=6), epochs=st.integers(1, 3), batch=st.integers(1, 16))
def test_a_fixed_plan_shows_every_row_once_an_epoch(sizes: list[int], epochs: int, batch: int) -> None:
    """Batches are full but the last of an epoch, steps descend, and divisors are the batches' sizes."""
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    plan = cohort(3, 1, np.arange(len(sizes)), offsets, Local(epochs=epochs, batch=batch))
    assert (np.diff(plan.steps) <= 0).all()
    for place, client in enumerate(plan.clients):
        per_epoch = -(-sizes[client] // batch)
        assert plan.steps[place] == epochs * per_epoch
        assert (plan.rows[plan.steps[place] :, place] == -1).all()
        for epoch in range(epochs):
            rows = plan.rows[epoch * per_epoch : (epoch + 1) * per_epoch, place]
            counts = (rows >= 0).sum(axis=1)
            assert (counts[:-1] == batch).all()
            assert np.array_equal(plan.denominators[epoch * per_epoch : (epoch + 1) * per_epoch, place], counts)
            assert np.sort(rows[rows >= 0]).tolist() == list(range(offsets[client], offsets[client + 1]))


def test_epochs_are_shuffled_anew() -> None:
    """Two epochs and two rounds have different orders."""
    plans = [cohort(0, index, np.array([0]), np.array([0, 40]), Local(epochs=2, batch=40)).rows for index in (1, 2)]
    orders = {tuple(row) for rows in plans for row in rows[:, 0].tolist()}
    assert len(orders) == 4


def test_poisson_batches_have_the_rate_they_are_accounted_for() -> None:
    """300 rows at batch 30 join each of many steps with probability 1/10, independently."""
    plan = cohort(0, 1, np.array([0]), np.array([0, 300]), Local(epochs=100, batch=30, sampling="poisson"))
    counts = (plan.rows[:, 0] >= 0).sum(axis=1)
    assert len(counts) == 1000
    assert stats.kstest(counts + stream(9).random(1000) - 0.5, stats.norm(30, np.sqrt(27)).cdf).pvalue > 0.01
    assert (plan.denominators == 30).all()
    rows = plan.rows[plan.rows >= 0]
    assert stats.chisquare(np.bincount(rows, minlength=300)).pvalue > 0.01


def test_selection_is_fixed_in_size_and_even() -> None:
    """max(1, round(q·E)) clients, each as often as the others."""
    eligible = np.array([0, 2, 3, 5, 7, 8, 9, 11, 12, 13])
    drawn = [select(0, index, eligible, 0.3) for index in range(1, 2001)]
    assert {d.size for d in drawn} == {3}
    counts = np.bincount(np.concatenate(drawn), minlength=14)
    assert counts[[1, 4, 6, 10]].sum() == 0
    assert np.abs(counts[eligible] - 600).max() < 100
    assert np.array_equal(counts, participations(0, eligible, 14, 2000, 0.3))
    assert select(0, 1, eligible, 0.01).size == 1
    assert np.array_equal(select(0, 1, eligible, 1.0), eligible)


@pytest.mark.parametrize("m", [1, 2, 5, 8, 11])
def test_merges_against_numpy_and_scipy(m: int) -> None:
    """Median and trimmed mean of random columns, for even and odd numbers of clients."""
    stack = stream(m, "stack").standard_normal((m, 40))
    assert np.allclose(median(stack, np.ones(m)), np.median(stack, axis=0), rtol=0, atol=1e-15)
    for share in (0.0, 0.2, 0.34, 0.49):
        expected = stats.trim_mean(stack, share, axis=0)
        assert np.allclose(trimmed_mean(stack, np.ones(m), share), expected, rtol=0, atol=1e-14)
    weights = stream(m, "weights").integers(1, 9, m)
    assert np.allclose(weighted_mean(stack, weights), np.average(stack, axis=0, weights=weights), rtol=0, atol=1e-14)


def test_a_trimmed_mean_leaves_out_the_share_that_was_asked_for() -> None:
    """29 % of 100 clients are 29 at either end, though 0.29 · 100 is a little less than 29 in binary."""
    stack = np.arange(100.0)[:, None] ** 3
    assert trimmed_mean(stack, np.ones(100), 0.29).item() == pytest.approx(stack[29:71].mean(), rel=1e-12)


def test_strategies_merge_as_they_say() -> None:
    """One bad client of five moves the mean, not the median nor the trimmed mean."""
    fed, model = toy(), Dense((5, 3))
    stack = np.concatenate([np.zeros((4, 18)), np.full((1, 18), 1e3)])
    for name, moved in [("fedavg", True), ("fedprox", True), ("fedmedian", False), ("trimmed_mean", False)]:
        trainer = ALGORITHMS.call(use(name), fed, model, None, 1.0, 1, seed=0)
        assert bool(np.abs(trainer.aggregate(stack, np.ones(5))).max() > 1) is moved


def test_every_client_is_examined_as_by_scikit_learn() -> None:
    """Accuracy and cross-entropy by client; NaN for the one without test rows."""
    fed = toy()
    trainer = fedavg(fed, mlp(fed.data), None, 0.5, 2, batch=8)
    state, seen = trainer.step(trainer.start(), 1, never)
    for party in fed:
        if not party.held_out.any():
            assert np.isnan(seen.accuracy[party.id])
            assert np.isnan(seen.loss[party.id])
            continue
        assert party.y is not None
        X, y = party.X[party.held_out], party.y[party.held_out]
        p = softmax(trainer.logits(state, X).astype(float))
        assert np.allclose(p, trainer.predict(state, X), atol=1e-6)
        assert seen.accuracy[party.id] == pytest.approx(accuracy_score(y, p.argmax(axis=1)))
        assert seen.loss[party.id] == pytest.approx(log_loss(y, p, labels=[0, 1, 2]), rel=1e-5)
    assert np.isnan(seen.accuracy).sum() == 1


MODELS_64 = [
    Dense((6, 3), "float64"), Dense((6, 5, 4, 3), "float64"), Convnet((1, 4, 4), (2,), 5, 3, "float64"),
    Convnet((2, 4, 6), (2, 3), 0, 3, "float64"),
]  # fmt: skip


@pytest.mark.parametrize("model", MODELS_64, ids=str)
def test_logits_and_gradients_of_models(model: Any) -> None:
    """Logits are those of PyTorch's layers; gradients those of central differences."""
    features = model.sizes[0] if isinstance(model, Dense) else int(np.prod(model.image))
    generator, params = stream(0, "rows"), model.init(4)
    X, weights = generator.standard_normal((7, features)), generator.standard_normal((7, 3))
    module = module_of(model)
    load(model, module, params)
    with torch.no_grad():
        assert np.allclose(model.logits(params, X), module(torch.tensor(X)).numpy(), rtol=0, atol=1e-12)
    slopes, step = model.gradient(params, X, weights), 1e-6
    for j in range(features):
        shift = np.zeros(features)
        shift[j] = step
        change = model.logits(params, X + shift) - model.logits(params, X - shift)
        assert np.allclose(slopes[:, j], (change * weights).sum(axis=1) / (2 * step), rtol=0, atol=1e-6)
    assert params.size == model.parameters
    assert model.tensors == len(list(module.parameters()))


def test_starting_parameters_have_torch_s_scale() -> None:
    """Uniform within ±1/√fan-in: the standard deviation is 1/√(3·fan-in), for weights and offsets."""
    model = Dense((400, 300, 2))
    (w0, b0), (w1, _) = model.layers(model.init(0))
    assert w0.std() == pytest.approx(1 / np.sqrt(3 * 400), rel=0.02)
    assert b0.std() == pytest.approx(1 / np.sqrt(3 * 400), rel=0.1)
    assert w1.std() == pytest.approx(1 / np.sqrt(3 * 300), rel=0.06)
    assert not np.array_equal(model.init(0), model.init(1))


def test_models_fit_the_data_or_say_why_not() -> None:
    """Sizes come from the data; a regression and a plain table are refused where they must be."""
    data = toy(image=None).data
    assert logistic(data).sizes == (5, 3)
    assert MODELS.call(use("mlp", hidden=[8, 4]), data).sizes == (5, 8, 4, 3)
    with pytest.raises(ValueError, match="convnet needs images"):
        convnet(data)
    numbers = Dataset("prices", data.X, data.X[:, 0], data.columns, (), Provenance("made here", "none"))
    for make in (logistic, mlp, convnet):
        with pytest.raises(ValueError, match="prices must have classes"):
            make(numbers)
    digits = toy(features=64, image=(1, 8, 8)).data
    assert convnet(digits).parameters == 8 * 25 + 8 + 16 * 8 * 25 + 16 + 16 * 4 * 3 + 3
    with pytest.raises(ValueError, match="halve 8×8 pixels"):
        convnet(digits, channels=(2, 2, 2, 2))
