"""The engines against the plain loop, in float64."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from tests.horizontal.naive_loop import module_of, naive_run, never, play, toy
from trustkit.horizontal import Convnet, Dense, RowTrainer, fedavg, fedprox, gaussian
from trustkit.horizontal.plan import Local, cohort
from trustkit.horizontal.stacked import gradients, train
from trustkit.rng import stream

LOGISTIC = Dense((5, 3), "float64")
MLP = Dense((5, 7, 4, 3), "float64")


@pytest.mark.parametrize("model", [LOGISTIC, MLP], ids=["logistic", "mlp"])
@pytest.mark.parametrize("algorithm", [fedavg, fedprox])
def test_fifty_rounds_agree_with_the_plain_loop(model: Dense, algorithm: Any) -> None:
    """The stacked engine and one client after the other differ by rounding only."""
    extra = {"mu": 0.3} if algorithm is fedprox else {}
    fed = toy(clients=4, rows=60)
    trainer: RowTrainer = algorithm(fed, model, None, 1.0, 50, lr=0.2, batch=8, seed=3, **extra)
    assert np.abs(play(trainer, 50) - naive_run(trainer, 50)).max() <= 1e-9


def test_the_pull_of_fedprox_counts() -> None:
    """Without it the test above would also pass if mu were ignored on both sides."""
    fed = toy(clients=4, rows=60)
    near, far = (play(fedprox(fed, MLP, None, 1.0, 3, mu=mu, batch=8), 3) for mu in (5.0, 0.0))
    start = MLP.init(0)
    assert np.linalg.norm(near - start) < 0.7 * np.linalg.norm(far - start)
    assert np.array_equal(far, play(fedavg(fed, MLP, None, 1.0, 3, batch=8), 3))


@pytest.mark.parametrize("sampling", ["fixed", "poisson"])
@pytest.mark.parametrize("epochs", [1, 2])
def test_clipped_noisy_steps_agree_with_the_plain_loop(sampling: Any, epochs: int) -> None:
    """Each row's gradient is formed, cut and added up in the oracle; the engine never forms one."""
    privacy = gaussian(epsilon=None, noise=0.7, clip=0.5, sampling=sampling)
    trainer = fedavg(toy(clients=4, rows=60), MLP, privacy, 1.0, 8, lr=0.2, batch=8, epochs=epochs, seed=3)
    assert np.abs(play(trainer, 8) - naive_run(trainer, 8)).max() <= 1e-9


@pytest.mark.parametrize("private", [False, True], ids=["open", "private"])
@pytest.mark.parametrize("hidden", [0, 6])
def test_convnet_agrees_with_the_plain_loop(private: bool, hidden: int) -> None:
    """The client loop does what modules and autograd do."""
    fed = toy(clients=3, rows=36, features=64, image=(1, 8, 8))
    model = Convnet((1, 8, 8), (2, 3), hidden, 3, "float64")
    privacy = gaussian(epsilon=None, noise=0.5, clip=0.5) if private else None
    trainer = fedprox(fed, model, privacy, 1.0, 3, mu=0.2, lr=0.3, batch=8, seed=1)
    assert np.abs(play(trainer, 3) - naive_run(trainer, 3)).max() <= 1e-9


def test_poisson_batches_of_a_convnet_may_be_empty() -> None:
    """An empty batch takes a step of noise alone."""
    fed = toy(clients=3, rows=36, features=64, image=(1, 8, 8))
    model = Convnet((1, 8, 8), (2,), 0, 3, "float64")
    privacy = gaussian(epsilon=None, noise=0.5, sampling="poisson")
    trainer = fedavg(fed, model, privacy, 1.0, 3, batch=1, seed=1)
    plan = cohort(1, 1, np.array([0, 1]), trainer.train.offsets, trainer.local)
    assert (plan.rows[:, 0] >= 0).any(axis=1).sum() < plan.steps[0]
    assert np.abs(play(trainer, 3) - naive_run(trainer, 3)).max() <= 1e-9


def test_clipping_is_exact_against_per_sample_gradients() -> None:
    """torch.func gives each row's gradient; cut to 0.3 they must add up to what the norm trick gives."""
    model, clip = Dense((6, 8, 5, 4), "float64"), 0.3
    generator = stream(0, "clip")
    X, y = generator.standard_normal((2, 9, 6)), generator.integers(0, 4, (2, 9))
    stack = np.stack([model.init(1), model.init(2)])
    weights, out = generator.random((2, 9)), np.empty_like(stack)
    gradients(model, stack, X, y, weights, clip, out)
    module = module_of(model)
    for client in range(2):
        named = dict(zip(dict(module.named_parameters()), _tensors(model, stack[client]), strict=True))

        def loss(tensors: Any, x: torch.Tensor, label: torch.Tensor) -> torch.Tensor:
            return torch.nn.functional.cross_entropy(torch.func.functional_call(module, tensors, x[None]), label[None])

        by_row = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))(
            named, torch.tensor(X[client]), torch.tensor(y[client])
        )
        flat = np.concatenate([(g.mT if g.dim() == 3 else g).reshape(9, -1).numpy() for g in by_row.values()], axis=1)
        norms = np.linalg.norm(flat, axis=1)
        assert (norms > clip).any()
        expected = (weights[client] * np.minimum(1, clip / norms)) @ flat
        assert np.allclose(out[client], expected, rtol=0, atol=1e-13)


def _tensors(model: Dense, flat: np.ndarray) -> list[torch.Tensor]:
    return [torch.tensor(part.T if part.ndim == 2 else part) for layer in model.layers(flat) for part in layer]


def test_no_noise_and_no_clipping_is_no_privacy() -> None:
    """With σ = 0 and a clip nobody reaches, both levels step as without a mechanism, up to equal weights."""
    fed = toy(clients=4, rows=80)
    open_run = fedavg(fed, MLP, None, 1.0, 4, lr=0.2, batch=8)
    open_run = replace(open_run, aggregate=lambda stack, _: stack.mean(axis=0))
    for level in ("example", "client"):
        privacy = gaussian(level=level, epsilon=None, noise=0.0, clip=1e6)
        closed = fedavg(fed, MLP, privacy, 1.0, 4, lr=0.2, batch=8)
        assert np.abs(play(closed, 4) - play(open_run, 4)).max() <= 1e-12


def test_a_client_does_not_depend_on_its_company() -> None:
    """Trained alone or among others, a client gives the same parameters bit for bit."""
    trainer = fedavg(toy(), MLP, gaussian(), 1.0, 3, batch=8)
    X, y, offsets = trainer.train.X, trainer.train.y, trainer.train.offsets
    local, params = replace(trainer.local, noise=0.0), MLP.init(0)
    together = cohort(0, 1, np.array([0, 1, 2, 3, 4]), offsets, local)
    all_five = train(MLP, params, X, y, together, local, never)
    for k in range(5):
        alone = train(MLP, params, X, y, cohort(0, 1, np.array([k]), offsets, local), local, never)
        place = int(np.flatnonzero(together.clients == k)[0])
        assert np.array_equal(alone[0], all_five[place])


def test_padding_has_no_weight() -> None:
    """A batch of 3 of 8 rows steps as the mean over 3."""
    X, y = stream(0, "pad").standard_normal((3, 5)), np.array([0, 1, 2])
    plan = cohort(0, 1, np.array([0]), np.array([0, 3]), Local(batch=8))
    params = LOGISTIC.init(0)
    stepped = train(LOGISTIC, params, X, y, plan, Local(lr=1.0, batch=8), never)[0]
    out = np.empty((1, params.size))
    gradients(LOGISTIC, params[None], X[None], y[None], np.full((1, 3), 1 / 3), None, out)
    assert np.allclose(stepped, params - out[0], rtol=0, atol=1e-15)
