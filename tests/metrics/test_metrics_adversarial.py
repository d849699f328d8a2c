"""Attacks on rows: exact on linear models, the same steps as the Adversarial Robustness Toolbox, never beyond ε."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustkit.metrics.adversarial import Norm, empirical_robustness, fgsm, pgd
from trustkit.rng import stream

NORMS: tuple[Norm, ...] = ("linf", "l2")
RNG = stream(0, "test", "adversarial")
W, B = RNG.standard_normal((6, 4)), RNG.standard_normal(4)
W1, B1, W2 = RNG.standard_normal((6, 12)) / 2, RNG.standard_normal(12) / 2, RNG.standard_normal((12, 3)) / 2
X = RNG.standard_normal((40, 6))
Y = RNG.integers(0, 3, 40)
WRONG: Any = "other"


def _linear(rows: np.ndarray) -> np.ndarray:
    return np.asarray(rows @ W + B)


def _linear_gradient(rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return np.asarray(weights @ W.T)


def _binary(rows: np.ndarray) -> np.ndarray:
    return np.asarray(rows @ W[:, :2] + B[:2])


def _binary_gradient(rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return np.asarray(weights @ W[:, :2].T)


def _network(rows: np.ndarray) -> np.ndarray:
    return np.asarray(np.tanh(rows @ W1 + B1) @ W2)


def _network_gradient(rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return np.asarray(((weights @ W2.T) * (1 - np.tanh(rows @ W1 + B1) ** 2)) @ W1.T)


@pytest.mark.parametrize("epsilon", [0.05, 0.3, 1.0])
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("attack", ["fgsm", "pgd"])
def test_a_linear_model_flips_exactly_below_its_margin(epsilon: float, norm: Norm, attack: Any) -> None:
    """With two classes the margin falls by ε‖w₁ − w₀‖ in the dual norm (sum of sizes for the largest coordinate)."""
    y = _binary(X).argmax(axis=1)
    margins = _binary(X)[np.arange(40), y] - _binary(X)[np.arange(40), 1 - y]
    reach = epsilon * np.linalg.norm(W[:, 0] - W[:, 1], 1 if norm == "linf" else 2)
    found = empirical_robustness(_binary, _binary_gradient, X, y, epsilon=epsilon, norm=norm, attack=attack)
    assert found.clean == 1
    assert found.robust == np.mean(margins > reach)
    assert found.success == pytest.approx(1 - found.robust)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("model", ["linear", "network"])
def test_art_takes_the_same_steps(norm: Norm, model: str) -> None:
    """ART's FGSM and PGD on the same model in torch (float32) end at the same rows."""
    import torch
    from art.attacks.evasion import FastGradientMethod, ProjectedGradientDescent
    from art.estimators.classification import PyTorchClassifier

    if model == "linear":
        layers: Any = torch.nn.Linear(6, 4)
        values = {"weight": W.T, "bias": B}
        ours, slope, classes = _linear, _linear_gradient, 4
    else:
        layers = torch.nn.Sequential(torch.nn.Linear(6, 12), torch.nn.Tanh(), torch.nn.Linear(12, 3, bias=False))
        values = {"0.weight": W1.T, "0.bias": B1, "2.weight": W2.T}
        ours, slope, classes = _network, _network_gradient, 3
    layers.load_state_dict({name: torch.tensor(value, dtype=torch.float32) for name, value in values.items()})
    classifier = PyTorchClassifier(layers, torch.nn.CrossEntropyLoss(), (6,), classes, clip_values=(-1.5, 1.5))
    order: Any = np.inf if norm == "linf" else 2
    rows = np.clip(X, -1.5, 1.5).astype(np.float32)
    once = FastGradientMethod(classifier, norm=order, eps=0.3).generate(rows, Y)
    np.testing.assert_allclose(fgsm(ours, slope, rows, Y, epsilon=0.3, norm=norm, low=-1.5, high=1.5), once, atol=2e-5)
    many = ProjectedGradientDescent(
        classifier, norm=order, eps=0.3, eps_step=0.05, max_iter=10, num_random_init=0, verbose=False
    ).generate(rows, Y)
    got = pgd(ours, slope, rows, Y, epsilon=0.3, norm=norm, steps=10, step=0.05, low=-1.5, high=1.5)
    np.testing.assert_allclose(got, many, atol=2e-4)


@settings(max_examples=30)
@given(st.floats(0, 2), st.sampled_from(NORMS), st.booleans(), st.integers(1, 6), st.integers(0, 99))
def test_no_change_exceeds_epsilon_or_the_range(
    epsilon: float, norm: Norm, random_start: bool, steps: int, seed: int
) -> None:
    """Whatever the steps."""
    rows = np.clip(X, -1, 1)
    changed = pgd(
        _network, _network_gradient, rows, Y, epsilon=epsilon, norm=norm, steps=steps, random_start=random_start,
        low=-1, high=1, seed=seed,
    )  # fmt: skip
    size = np.linalg.norm(changed - rows, np.inf if norm == "linf" else 2, axis=1)
    assert (size <= epsilon + 1e-9).all()
    assert np.abs(changed).max() <= 1


def test_many_steps_do_at_least_as_well_as_one() -> None:
    """On a network, at every size; accuracy only falls as ε grows."""
    y = _network(X).argmax(axis=1)
    robust = []
    for epsilon in (0.0, 0.1, 0.3, 0.6):
        one = empirical_robustness(_network, _network_gradient, X, y, epsilon=epsilon, attack="fgsm")
        many = empirical_robustness(_network, _network_gradient, X, y, epsilon=epsilon)
        assert many.robust <= one.robust
        robust.append(many.robust)
    assert robust[0] == 1
    assert robust == sorted(robust, reverse=True)
    assert robust[-1] < 0.5


def test_a_very_sure_model_is_attacked_too() -> None:
    """Logits 10,000 times as large: the plain loss has no gradient left in floating point, the steps are the same."""
    far = fgsm(lambda rows: 1e4 * _linear(rows), lambda rows, c: 1e4 * _linear_gradient(rows, c), X, Y)
    assert (np.abs(far - X) > 0.09).all()


def test_a_random_start_follows_the_seed() -> None:
    """The same seed gives the same rows."""
    first, again, other = (
        pgd(_network, _network_gradient, X, Y, steps=1, step=1e-9, random_start=True, seed=s) for s in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_a_flat_model_and_no_rows() -> None:
    """No direction, no change; nothing attacked, nothing defined."""
    flat = pgd(lambda rows: np.zeros((len(rows), 2)), lambda rows, c: np.zeros(rows.shape), X, Y % 2, norm="l2")
    np.testing.assert_array_equal(flat, X)
    assert np.isnan(empirical_robustness(_linear, _linear_gradient, X[:0], Y[:0])).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fgsm(_linear, _linear_gradient, X, Y, epsilon=-1.0), "epsilon must be at least 0, got -1.0"),
        (lambda: fgsm(_linear, _linear_gradient, X[0], Y), "X must be a matrix of rows, got shape (6,)"),
        (
            lambda: fgsm(_linear, _linear_gradient, X, Y[:3]),
            "y must have one class for each of the 40 rows, got shape (3,)",
        ),
        (lambda: fgsm(_linear, _linear_gradient, X, Y, norm=WRONG), "norm must be 'linf' or 'l2', got 'other'"),
        (lambda: pgd(_linear, _linear_gradient, X, Y, steps=0), "steps must be at least 1, got 0"),
        (lambda: pgd(_linear, _linear_gradient, X, Y, step=0.0), "step must be above 0, got 0.0"),
        (
            lambda: pgd(lambda rows: rows[:, :1], _linear_gradient, X, Y),
            "logits must give a matrix with at least 2 classes, got shape (40, 1)",
        ),
        (
            lambda: empirical_robustness(_linear, _linear_gradient, X, Y, attack=WRONG),
            "attack must be 'fgsm' or 'pgd', got 'other'",
        ),
    ],
)
def test_bad_input(call: Any, message: str) -> None:
    """One sentence with the thing, the rule and what came."""
    with pytest.raises(ValueError) as error:
        call()
    assert str(error.value) == message
