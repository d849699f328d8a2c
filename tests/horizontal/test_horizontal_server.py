"""FedOpt, SCAFFOLD and AFA against plain loops in float64, and where they reduce to FedAvg."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from tests.horizontal.naive_loop import play, toy
from tests.horizontal.naive_steps import descend, even, mean_of, played, present
from trustkit.horizontal import Convnet, Dense, afa, fedavg, fedopt, scaffold
from trustkit.horizontal.afa import blocked, reliability, similar
from trustkit.horizontal.fedopt import FedOpt
from trustkit.horizontal.plan import Cohort
from trustkit.horizontal.trainer import RowTrainer
from trustkit.rng import stream

MLP = Dense((5, 6, 3), "float64")
SHARES = [1.0, 0.5]


def naive_fedopt(trainer: FedOpt, rounds: int) -> np.ndarray:
    """Take the mean change of a round for a gradient, one coordinate after the other."""
    w = trainer.model.init(trainer.seed)
    m, v = np.zeros(w.size), np.full(w.size, trainer.tau**2)
    for index in range(1, rounds + 1):
        clients = present(trainer, index)
        change = mean_of(trainer, clients, [descend(trainer, w, index, k)[0] for k in clients]) - w
        w = w.copy()
        for p, d in enumerate(change.tolist()):
            m[p] = trainer.beta1 * m[p] + (1 - trainer.beta1) * d
            if trainer.optimiser == "adagrad":
                v[p] += d**2
            elif trainer.optimiser == "yogi":
                v[p] -= (1 - trainer.beta2) * d**2 * math.copysign(1, v[p] - d**2)
            else:
                v[p] = trainer.beta2 * v[p] + (1 - trainer.beta2) * d**2
            w[p] += trainer.server_lr * m[p] / (math.sqrt(v[p]) + trainer.tau)
    return w


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("optimiser", ["adam", "yogi", "adagrad"])
def test_fedopt_agrees_with_the_plain_loop(optimiser: Any, share: float) -> None:
    """Ten rounds."""
    trainer = fedopt(toy(4, 60), MLP, None, share, 10, lr=0.2, batch=8, optimiser=optimiser, seed=3)
    assert isinstance(trainer, FedOpt)
    assert np.abs(play(trainer, 10) - naive_fedopt(trainer, 10)).max() <= 1e-9


def test_fedopt_without_adaptation_is_fedavg() -> None:
    """With β₁ = 0 the step is η_s·Δ/(√v + τ).

    Adam with β₂ = 1 keeps v at its start τ², so η_s = 2τ gives Δ itself. Adagrad has v = τ² + ΣΔ²; for τ = 10⁶ the sum
    changes √v by ΣΔ²/2τ ≈ 10⁻⁷ of 10⁶, so that the steps agree to 10⁻¹³.
    """
    plain = play(fedavg(toy(4, 60), MLP, None, 1.0, 8, lr=0.2, batch=8), 8)
    still = fedopt(toy(4, 60), MLP, None, 1.0, 8, lr=0.2, batch=8, beta1=0, beta2=1, server_lr=0.5, tau=0.25)
    assert np.abs(play(still, 8) - plain).max() <= 1e-12
    wide = fedopt(toy(4, 60), MLP, None, 1.0, 8, lr=0.2, batch=8, optimiser="adagrad", beta1=0, server_lr=2e6, tau=1e6)
    assert np.abs(play(wide, 8) - plain).max() <= 1e-9
    adaptive = fedopt(toy(4, 60), MLP, None, 1.0, 8, lr=0.2, batch=8, optimiser="adagrad", beta1=0)
    assert np.abs(play(adaptive, 8) - plain).max() > 0.01


def naive_scaffold(trainer: RowTrainer, rounds: int, server_lr: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the model and the server's control variate."""
    x, sizes = trainer.model.init(trainer.seed), trainer.train.sizes
    common, own = np.zeros(x.size), {k: np.zeros(x.size) for k in range(sizes.size)}
    for index in range(1, rounds + 1):
        clients, models, changes = present(trainer, index), [], []
        for k in clients:
            drift = common - own[k]
            y, steps = descend(trainer, x, index, k, lambda _, drift=drift: drift)  # type: ignore[misc]
            after = own[k] - common + (x - y) / (steps * trainer.local.lr)
            models.append(y)
            changes.append(after - own[k])
        for k, change in zip(clients, changes, strict=True):
            own[k] = own[k] + change
        x = x + server_lr * (mean_of(trainer, clients, models) - x)
        common = common + sum(sizes[k] / sizes.sum() * change for k, change in zip(clients, changes, strict=True))
    return x, common


@pytest.mark.parametrize("server_lr", [1.0, 0.7])
@pytest.mark.parametrize("share", SHARES)
def test_scaffold_agrees_with_the_plain_loop(share: float, server_lr: float) -> None:
    """Ten rounds; and the server's variate stays the mean of the clients' by rows."""
    trainer = scaffold(toy(4, 60), MLP, None, share, 10, lr=0.1, batch=8, server_lr=server_lr, seed=3)
    state, _ = played(trainer, 10)
    model, common = naive_scaffold(trainer, 10, server_lr)
    assert np.abs(state["params"] - model).max() <= 1e-9
    assert np.abs(state["server_control"] - common).max() <= 1e-9
    sizes = trainer.train.sizes
    assert np.abs(sizes @ state["control"] / sizes.sum() - common).max() <= 1e-9
    assert np.abs(common).max() > 1e-3


def test_scaffold_of_images_agrees_with_the_plain_loop() -> None:
    """The client loop adds the drift too."""
    fed = toy(clients=3, rows=36, features=64, image=(1, 8, 8))
    trainer = scaffold(fed, Convnet((1, 8, 8), (2,), 0, 3, "float64"), None, 1.0, 3, lr=0.2, batch=8)
    assert np.abs(play(trainer, 3) - naive_scaffold(trainer, 3, 1.0)[0]).max() <= 1e-9


def test_scaffold_of_one_client_is_gradient_descent() -> None:
    """With a single client c = c_k, so the corrections cancel and FedAvg's plain steps remain."""
    fed = toy(clients=2, rows=60)
    one, plain = (a(fed, MLP, None, 1.0, 6, lr=0.2, batch=8, epochs=2) for a in (scaffold, fedavg))
    assert np.abs(play(one, 6) - play(plain, 6)).max() <= 1e-12


def test_reliability_and_blocking_are_those_of_beta_distributions() -> None:
    """Against scipy.stats; the doctests give (3 + 3)/(6 + 4) = 0.6 and six bad verdicts."""
    good, bad = np.arange(12).repeat(12), np.tile(np.arange(12), 12)
    posterior = stats.beta(3 + good, 3 + bad)
    assert np.allclose(reliability(good, bad), posterior.mean(), rtol=1e-12)
    assert np.array_equal(blocked(good, bad, 0.9), posterior.cdf(0.5) > 0.9)


def test_similarity_by_hand() -> None:
    """Five at angles 0°, 0°, 10°, −10° and one at 180°: their mean is (2 + 2·cos 10° − 1)/5 along the axis.

    Cosines to it are 1, 1, 0.985, 0.985, −1: the mean 0.594 is below the median 0.985, the deviation is 0.797. At width
    2 what is below 0.985 − 1.594 = −0.609 leaves: the last. Of the rest the mean 0.992 is the median, the deviation
    0.0076: nothing is above 0.992 + 2.5·0.0076 = 1.011.
    """
    angles = np.radians([0, 0, 10, -10, 180])
    stack = np.stack([np.cos(angles), np.sin(angles)], axis=1) * np.array([1, 1, 1, 1, 1])[:, None]
    assert similar(stack, np.ones(5), 2.0, 0.5).tolist() == [True, True, True, True, False]
    assert similar(stack[:4], np.ones(4), 2.0, 0.5).all()
    assert similar(np.zeros((3, 2)), np.ones(3), 2.0, 0.5).all()


def flipped(who: int) -> Any:
    """Return a tampering that turns one client's model around."""

    def tamper(params: np.ndarray, trained: np.ndarray, plan: Cohort) -> np.ndarray:
        sent = trained.copy()
        sent[plan.clients == who] *= -1
        return sent

    return tamper


def test_afa_leaves_out_counts_and_blocks() -> None:
    """A client that always sends the opposite is left out each time, and drawn in vain from the seventh round on."""
    fed = even(6)
    trainer = replace(afa(fed, MLP, None, 1.0, 9, lr=0.2, batch=8), tamper=flipped(2))
    state, asked = trainer.start(), []
    for index in range(1, 10):
        before = state
        state, seen = trainer.step(state, index, lambda: None)
        asked.append(bool(seen.selected[2]))
        assert not np.array_equal(before["params"], state["params"])
    assert asked == [True] * 6 + [False] * 3
    assert (state["good"] + state["bad"]).tolist() == [9, 9, 6, 9, 9, 9]
    assert state["bad"][2] == 6
    assert (np.delete(state["bad"], 2) <= 1).all()


def test_afa_without_outliers_weighs_by_rows_and_reliability() -> None:
    """The first round has even reliabilities: FedAvg; in the second, verdicts count."""
    fed = toy(5, 120)
    wide = afa(fed, MLP, None, 1.0, 2, lr=0.2, batch=8, width=10.0)
    assert np.abs(play(wide, 1) - play(fedavg(fed, MLP, None, 1.0, 2, lr=0.2, batch=8), 1)).max() <= 1e-12
    state, _ = played(wide, 1)
    state = {**state, "good": np.array([9, 0, 0, 0, 0]), "bad": np.array([0, 4, 0, 0, 0])}
    clients = [0, 1, 2, 3]
    models = [descend(wide, state["params"], 2, k)[0] for k in clients]
    weights = wide.train.sizes[clients] * np.array([12 / 15, 3 / 10, 1 / 2, 1 / 2])
    expected = sum(w * model for w, model in zip(weights / weights.sum(), models, strict=True))
    after, _ = wide.step(state, 2, lambda: None)
    assert np.abs(after["params"] - expected).max() <= 1e-9


@pytest.mark.parametrize("selector", ["random", "loss", "reputation"])
def test_when_everybody_is_blocked_nothing_changes(selector: Any) -> None:
    """The round is empty and costs nothing."""
    trainer = afa(even(), MLP, None, 0.5, 3, selector=selector)
    state = {**trainer.start(), "bad": np.full(4, 9)}
    after, seen = trainer.step(state, 1, lambda: None)
    assert np.array_equal(after["params"], state["params"])
    assert not seen.selected.any()
    assert seen.bytes_up.sum() == 0


def test_similarity_is_of_directions_only() -> None:
    """Longer models are no more similar."""
    stack = stream(0, "afa").standard_normal((7, 4)) + 2
    scaled = stack * np.array([1, 2, 1, 5, 1, 1, 1])[:, None]
    assert (
        similar(stack, np.ones(7), 1.0, 0.5).tolist()
        == similar(scaled, np.array([1, 0.5, 1, 0.2, 1, 1, 1]), 1.0, 0.5).tolist()
    )
