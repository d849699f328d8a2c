"""Ditto, pFedMe, FedEM and FedBN against plain loops in float64, and where they reduce to simpler things."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from tests.horizontal.naive_loop import _batches, load, module_of, play, toy
from tests.horizontal.naive_steps import descend, even, mean_of, played, present, slope
from trustkit.data import Dataset, FederatedDataset
from trustkit.horizontal import Convnet, Dense, RowTrainer, ditto, fedavg, fedbn, fedem, gaussian, pfedme
from trustkit.horizontal.fedem import FedEM
from trustkit.horizontal.pfedme import PFedMe
from trustkit.partition import Partition
from trustkit.records import State
from trustkit.rng import stream

MLP = Dense((5, 6, 3), "float64")
IMAGES = Convnet((1, 8, 8), (2,), 0, 3, "float64")
SHARES = [1.0, 0.5]
PERSONAL = [ditto, pfedme, fedem, fedbn]


def images() -> FederatedDataset:
    """Make three clients of small images."""
    return toy(clients=3, rows=36, features=64, image=(1, 8, 8))


def accuracy_of(trainer: RowTrainer, k: int, model: np.ndarray) -> float:
    """Return a plain model's accuracy on a client's test rows, by PyTorch's own layers."""
    rows = slice(*trainer.test.offsets[k : k + 2])
    module = module_of(trainer.model)
    load(trainer.model, module, model)
    predicted = module(torch.tensor(np.asarray(trainer.test.X)[rows])).argmax(1).numpy()
    return float(np.mean(predicted == trainer.test.y[rows]))


def naive_ditto(trainer: RowTrainer, rounds: int, pull: float) -> tuple[np.ndarray, dict[int, np.ndarray]]:
    """Return the global model, and the personal ones of who has trained."""
    w, own = trainer.model.init(trainer.seed), dict[int, np.ndarray]()
    first = w
    for index in range(1, rounds + 1):
        clients, models = present(trainer, index), []
        for k in clients:
            models.append(descend(trainer, w, index, k)[0])
            start = own.get(k, first)
            own[k], _ = descend(trainer, start, index, k, lambda v, w=w: pull * (v - w))  # type: ignore[misc]
        w = mean_of(trainer, clients, models)
    return w, own


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("pull", [0.0, 0.5])
def test_ditto_agrees_with_the_plain_loop(pull: float, share: float) -> None:
    """Ten rounds; without a pull the personal models are local training from the start."""
    trainer = ditto(toy(4, 60), MLP, None, share, 10, lr=0.2, batch=8, pull=pull, seed=3)
    state, seen = played(trainer, 10)
    common, own = naive_ditto(trainer, 10, pull)
    assert np.abs(state["params"] - common).max() <= 1e-9
    assert sorted(own) == [0, 1, 2]
    for k, model in own.items():
        assert np.abs(state["personal"][k] - model).max() <= 1e-9
        assert seen.accuracy[k] == pytest.approx(accuracy_of(trainer, k, model))
    assert np.array_equal(state["params"], play(fedavg(toy(4, 60), MLP, None, share, 10, lr=0.2, batch=8, seed=3), 10))


def test_the_pull_of_ditto_brings_models_together() -> None:
    """The larger λ, the nearer the personal models to the global one."""
    apart = []
    for pull in (0.0, 0.5, 4.0):
        state, _ = played(ditto(toy(4, 60), MLP, None, 1.0, 6, lr=0.2, batch=8, pull=pull), 6)
        apart.append(np.linalg.norm(state["personal"][:3] - state["params"]))
    assert apart[0] > 1.5 * apart[1] > 2 * apart[2]


def test_ditto_of_images_agrees_with_the_plain_loop() -> None:
    """The client loop takes a start and an anchor for each client."""
    trainer = ditto(images(), IMAGES, None, 1.0, 3, lr=0.2, batch=8, pull=0.5)
    state, _ = played(trainer, 3)
    common, own = naive_ditto(trainer, 3, 0.5)
    assert np.abs(state["params"] - common).max() <= 1e-9
    assert all(np.abs(state["personal"][k] - model).max() <= 1e-9 for k, model in own.items())


def naive_pfedme(trainer: PFedMe, rounds: int) -> tuple[np.ndarray, dict[int, np.ndarray]]:
    """Return the common model and the personal ones."""
    w, own = trainer.model.init(trainer.seed), dict[int, np.ndarray]()
    for index in range(1, rounds + 1):
        clients, models = present(trainer, index), []
        for k in clients:
            here = w.copy()
            for rows in _batches(trainer, index, k):
                theta = here.copy()
                for _ in range(trainer.inner):
                    theta = theta - trainer.inner_lr * (slope(trainer, theta, rows) + trainer.pull * (theta - here))
                here = here - trainer.local.lr * trainer.pull * (here - theta)
                own[k] = theta
            models.append(here)
        w = (1 - trainer.mix) * w + trainer.mix * mean_of(trainer, clients, models)
    return w, own


@pytest.mark.parametrize("model", [MLP, IMAGES], ids=["mlp", "convnet"])
def test_pfedme_agrees_with_the_plain_loop(model: Any) -> None:
    """Batches of unequal number, several inner steps, and a server that moves only part of the way."""
    fed = toy(4, 60) if model is MLP else images()
    trainer = pfedme(fed, model, None, 0.7, 5, lr=0.05, batch=8, pull=8.0, inner=3, inner_lr=0.04, mix=0.8)
    assert isinstance(trainer, PFedMe)
    state, seen = played(trainer, 5)
    common, own = naive_pfedme(trainer, 5)
    assert np.abs(state["params"] - common).max() <= 1e-9
    for k, theta in own.items():
        assert np.abs(state["personal"][k] - theta).max() <= 1e-9
        assert seen.accuracy[k] == pytest.approx(accuracy_of(trainer, k, theta))


def test_pfedme_with_a_strong_pull_is_fedavg() -> None:
    """One inner step of size 1/λ gives θ = w − g/λ, so that w − ηλ(w − θ) = w − ηg, whatever λ is.

    More such steps give w − g(θ)/λ, where θ is as near to w as 1/λ: for λ = 10⁶ the same up to about 10⁻⁶.
    """
    plain = play(fedavg(toy(4, 60), MLP, None, 1.0, 6, lr=0.2, batch=8), 6)
    once = pfedme(toy(4, 60), MLP, None, 1.0, 6, lr=0.2, batch=8, pull=10.0, inner=1, inner_lr=0.1)
    assert np.abs(play(once, 6) - plain).max() <= 1e-12
    strong = pfedme(toy(4, 60), MLP, None, 1.0, 6, lr=0.2, batch=8, pull=1e6, inner=5, inner_lr=1e-6)
    assert np.abs(play(strong, 6) - plain).max() <= 1e-5
    with pytest.raises(ValueError, match="inner_lr times pull must be below 2, or the personal models diverge, got 3"):
        pfedme(toy(), MLP, None, 1.0, 6, pull=30.0, inner_lr=0.1)


def naive_fedem(trainer: FedEM, rounds: int) -> tuple[list[np.ndarray], np.ndarray]:
    """Return the models and the clients' mixtures."""
    M, sizes = trainer.components, trainer.train.sizes
    models = np.split(np.asarray(trainer.start()["params"]), M)
    mixture = np.full((sizes.size, M), 1 / M)

    def fit(w: np.ndarray, rows: np.ndarray) -> np.ndarray:
        module = module_of(trainer.model)
        load(trainer.model, module, w)
        logits = module(torch.tensor(trainer.train.X[rows]))
        return np.asarray(torch.softmax(logits, 1).detach().numpy()[np.arange(rows.size), trainer.train.y[rows]])

    for index in range(1, rounds + 1):
        clients, trained = present(trainer, index), [[] for _ in range(M)]  # type: ignore[var-annotated]
        for k in clients:
            low, high = trainer.train.offsets[k : k + 2]
            q = np.array([mixture[k, m] * fit(models[m], np.arange(low, high)) for m in range(M)])
            q /= q.sum(axis=0)
            mixture[k] = q.mean(axis=1)
            for m in range(M):
                w = models[m].copy()
                for rows in _batches(trainer, index, k):
                    grads = [q[m, row - low] * slope(trainer, w, np.array([row])) for row in rows]
                    w = w - trainer.local.lr * sum(grads) / len(rows)
                trained[m].append(w)
        models = [mean_of(trainer, clients, trained[m]) for m in range(M)]
    return models, mixture


@pytest.mark.parametrize(("model", "share"), [(MLP, 1.0), (MLP, 0.5), (IMAGES, 1.0)], ids=["all", "half", "convnet"])
def test_fedem_agrees_with_the_plain_loop(model: Any, share: float) -> None:
    """Three rounds of two models, each row's gradient weighted by itself."""
    fed = toy(4, 60) if model is MLP else images()
    trainer = fedem(fed, model, None, share, 3, lr=0.3, batch=8, components=2, seed=3)
    assert isinstance(trainer, FedEM)
    state, _ = played(trainer, 3)
    models, mixture = naive_fedem(trainer, 3)
    assert np.abs(state["params"] - np.concatenate(models)).max() <= 1e-9
    assert np.abs(state["mixture"] - mixture).max() <= 1e-9
    assert np.ptp(mixture[:3]) > 0.05


def test_fedem_of_one_model_is_fedavg() -> None:
    """Every row then counts 1, so all is the same bit for bit."""
    state, seen = played(fedem(toy(4, 60), MLP, None, 0.5, 6, lr=0.2, batch=8, components=1), 6)
    plain, plainly = played(fedavg(toy(4, 60), MLP, None, 0.5, 6, lr=0.2, batch=8), 6)
    assert np.array_equal(state["params"], plain["params"])
    assert np.array_equal(seen.accuracy, plainly.accuracy, equal_nan=True)
    assert np.allclose(seen.loss, plainly.loss, rtol=1e-9, equal_nan=True)


def opposed(clients: int = 6) -> FederatedDataset:
    """Make clients of which every second one has its two classes the other way round."""
    fed = even(clients, 60, classes=2)
    return FederatedDataset(
        replace(fed.data, y=np.where(fed.partition.owner % 2, 1 - fed.data.y, fed.data.y)), fed.partition
    )


@pytest.mark.parametrize("algorithm", [ditto, pfedme, fedem])
def test_personal_models_serve_clients_that_disagree(algorithm: Any) -> None:
    """One model can be right for half of them only; FedEM finds who belongs together."""
    model = Dense((5, 2), "float64")
    one = played(fedavg(opposed(), model, None, 1.0, 30, lr=0.3, batch=8), 30)[1].accuracy.mean()
    state, seen = played(algorithm(opposed(), model, None, 1.0, 30, lr=0.1, batch=8), 30)
    assert one < 0.65
    assert seen.accuracy.mean() > one + 0.15
    if algorithm is fedem:
        sides = state["mixture"].argmax(axis=1)
        assert len({*sides[::2]} & {*sides[1::2]}) == 0


class Normalised(torch.nn.Module):
    """A network whose first layer's outputs are scaled and shifted, by PyTorch's own operations."""

    def __init__(self, model: Any, flat: np.ndarray, affine: np.ndarray) -> None:
        super().__init__()
        self.net = module_of(model)
        load(model, self.net, flat)
        self.layers = list(self.net.children())
        self.affine = torch.nn.Parameter(torch.tensor(affine))
        self.at = next(i for i, layer in enumerate(self.layers) if list(layer.parameters()))

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        """Return the logits."""
        for i, layer in enumerate(self.layers):
            X = layer(X)
            if i == self.at:
                by_output = (-1, *[1] * (X.dim() - 2)) if X.dim() == 4 else (-1,)
                X = X * self.affine[0].reshape(by_output) + self.affine[1].reshape(by_output)
        return X


def naive_fedbn(trainer: RowTrainer, fed: FederatedDataset, rounds: int) -> tuple[np.ndarray, dict[int, np.ndarray]]:
    """Return the common parameters and the clients' scales and shifts; rows are standardised here anew."""
    from tests.horizontal.naive_loop import flat_of

    raw, w = fed.stacked("train"), trainer.model.init(trainer.seed)
    channels = 5 if isinstance(trainer.model, Dense) else 1
    own: dict[int, np.ndarray] = {}
    for index in range(1, rounds + 1):
        clients, models = present(trainer, index), []
        for k in clients:
            low, high = raw.offsets[k : k + 2]
            mine = raw.X[low:high].reshape(high - low, channels, -1)
            center = mine.mean(axis=(0, 2), keepdims=True)
            scaled = ((mine - center) / np.sqrt(mine.var(axis=(0, 2), keepdims=True) + 0.01)).reshape(high - low, -1)
            h = 6 if isinstance(trainer.model, Dense) else 2
            network = Normalised(trainer.model, w, own.get(k, np.array([np.ones(h), np.zeros(h)])))
            descent = torch.optim.SGD(network.parameters(), lr=trainer.local.lr)
            for rows in _batches(trainer, index, k):
                descent.zero_grad()
                logits = network(torch.tensor(scaled[rows - low]))
                torch.nn.functional.cross_entropy(logits, torch.tensor(raw.y[rows].astype(int))).backward()  # type: ignore[no-untyped-call]
                descent.step()
            models.append(flat_of(trainer.model, network.net.parameters()))
            own[k] = network.affine.detach().numpy().copy()
        w = mean_of(trainer, clients, models)
    return w, own


@pytest.mark.parametrize(("model", "share"), [(MLP, 1.0), (MLP, 0.5), (IMAGES, 1.0)], ids=["all", "half", "convnet"])
def test_fedbn_agrees_with_autograd(model: Any, share: float) -> None:
    """A module with the layer in place, stepped by torch.optim; the engine folds it into plain models."""
    fed = toy(4, 60) if model is MLP else images()
    trainer = fedbn(fed, model, None, share, 5, lr=0.2, batch=8, seed=3)
    state, seen = played(trainer, 5)
    common, own = naive_fedbn(trainer, fed, 5)
    assert np.abs(state["params"] - common).max() <= 1e-9
    for k, affine in own.items():
        assert np.abs(state["affine"][k] - affine).max() <= 1e-9
        rows = slice(*trainer.test.offsets[k : k + 2])
        logits = Normalised(model, common, affine)(torch.tensor(np.asarray(trainer.test.X)[rows]))
        assert seen.accuracy[k] == pytest.approx(np.mean(logits.argmax(1).numpy() == trainer.test.y[rows]))
    assert max(np.abs(affine[1]).max() for affine in own.values()) > 1e-3


def test_fedbn_sees_through_a_shift_of_features() -> None:
    """Clients whose sensors have other units and zeros share one model after all."""
    fed = even(6, 60)
    generator = stream(5, "shift")
    zeros, units = 4 * generator.standard_normal((6, 5)), np.exp(1.5 * generator.standard_normal((6, 5)))
    owner = fed.partition.owner
    data: Dataset = replace(fed.data, X=fed.data.X * units[owner] + zeros[owner])
    shifted = FederatedDataset(data, Partition("rows", owner, 6))
    plain, own = (
        played(algorithm(shifted, MLP, None, 1.0, 20, lr=0.1, batch=8), 20)[1].accuracy.mean()
        for algorithm in (fedavg, fedbn)
    )
    assert own > plain + 0.1


@pytest.mark.parametrize("algorithm", [fedem, fedbn])
def test_gradients_by_rows_are_those_of_the_scores(algorithm: Any) -> None:
    """Central differences of the weighted logits."""
    trainer: RowTrainer = algorithm(toy(4, 60), MLP, None, 1.0, 4, lr=0.3, batch=8)
    state, _ = played(trainer, 4)
    X, weights = stream(1, "x").standard_normal((4, 5)), stream(1, "w").standard_normal((4, 3))
    gradient = trainer.gradient(state, X, weights)
    for j, step in enumerate(np.eye(5) * 1e-6):
        ends = [(trainer.logits(state, X + sign * step) * weights).sum(axis=1) for sign in (1, -1)]
        assert np.allclose(gradient[:, j], (ends[0] - ends[1]) / 2e-6, atol=1e-7)


@pytest.mark.parametrize("algorithm", PERSONAL)
def test_personal_algorithms_say_so(algorithm: Any) -> None:
    """In the facts; and they refuse what no accountant counts."""
    assert algorithm(toy(), MLP, None, 1.0, 2).facts["personalization"] is True
    assert fedavg(toy(), MLP, None, 1.0, 2).facts["personalization"] is False
    for level in ("example", "client"):
        message = (
            rf"^\w+ must run without {level}-level privacy, because its clients keep models of their own, .*got level"
        )
        with pytest.raises(ValueError, match=message):
            algorithm(toy(), MLP, gaussian(level=level), 1.0, 2)


@pytest.mark.parametrize("algorithm", [ditto, pfedme])
def test_who_has_not_trained_uses_the_global_model(algorithm: Any) -> None:
    """One client of five trains; the others, and the one without rows, are scored by what it sent."""
    trainer = algorithm(toy(), MLP, None, 0.2, 3, batch=8)
    state, seen = played(trainer, 1)
    for k in np.flatnonzero(~seen.selected & (trainer.test.sizes > 0)):
        assert seen.accuracy[k] == pytest.approx(accuracy_of(trainer, int(k), state["params"]))


def test_fedbn_counts_its_layer_but_does_not_send_it() -> None:
    """A scale and a shift for each of six outputs, 8 bytes each."""
    own, plain = (algorithm(toy(), MLP, None, 1.0, 2) for algorithm in (fedbn, fedavg))
    assert own.facts["parameters"] == plain.facts["parameters"] + 12
    assert own.facts["tensors"] == plain.facts["tensors"] + 2
    assert own.facts["model_bytes"] == plain.facts["model_bytes"] + 12 * 8
    assert np.array_equal(played(own, 1)[1].bytes_up, played(plain, 1)[1].bytes_up)


def test_fedem_counts_all_its_models() -> None:
    """Parameters, tensors, bytes: three times those of one."""
    three, one = (fedem(toy(), MLP, None, 1.0, 2, components=M) for M in (3, 1))
    for name in ("parameters", "tensors", "model_bytes"):
        assert three.facts[name] == 3 * one.facts[name]
    state: State
    state, seen = played(three, 1)
    assert state["params"].nbytes == three.facts["model_bytes"]
    assert np.array_equal(seen.bytes_up, seen.selected * float(three.facts["model_bytes"]))
