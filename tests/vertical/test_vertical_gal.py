"""GAL against PyTorch's own loop, SciPy and hand calculation; bytes in closed form; the trainer's promises."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from scipy.optimize import minimize, minimize_scalar
from sklearn.metrics import accuracy_score, log_loss, mean_squared_error

from trustkit import memory
from trustkit.data import Dataset, FederatedDataset, Provenance
from trustkit.horizontal import gaussian
from trustkit.metrics.evaluate import softmax
from trustkit.partition import Partition
from trustkit.records import State, Stopped
from trustkit.rng import stream
from trustkit.vertical import gal
from trustkit.vertical.accounting import traffic_of
from trustkit.vertical.assisting.assisted import AssistedTrainer, prior
from trustkit.vertical.assisting.learners import LocalLearners
from trustkit.vertical.assisting.merging import assistance, best_rate, opened
from trustkit.vertical.networks.losses import slope

SMALL: dict[str, Any] = {"local": (8, 6), "batch": 16, "local_epochs": 4}


def never() -> None:
    """Never stop."""


def toy(classes: int = 3, rows: int = 90) -> FederatedDataset:
    """Make a table of 7 columns, of which one belongs to nobody, with a third of the rows held out."""
    generator = stream(4, "toy")
    X = generator.standard_normal((rows, 7))
    scores = X @ generator.standard_normal((7, max(classes, 1)))
    y = scores.argmax(axis=1) if classes else 40 + 10 * scores[:, 0]
    data = Dataset(
        "toy", X, y, tuple("abcdefg"), ("x", "y", "z")[:classes], Provenance("made here", "none"),
        sensitive={"group": np.where(generator.random(rows) < 0.4, "u", "v")}, held_out=np.arange(rows) % 3 == 0,
    )  # fmt: skip
    return FederatedDataset(data, Partition("columns", np.array([0, 1, 2, 0, 1, -1, 2]), 3))


def played(trainer: AssistedTrainer, rounds: int) -> tuple[State, list[Any]]:
    """Play some rounds."""
    state, found = trainer.start(), []
    for index in range(1, rounds + 1):
        state, seen = trainer.step(state, index, never)
        found.append(seen)
    return state, found


def sequential(learners: LocalLearners, party: int, flat: np.ndarray) -> torch.nn.Sequential:
    """Build a party's network of PyTorch's own layers, with given numbers."""
    widths = (len(learners.columns[party]), *learners.hidden, learners.outputs)
    layers = [layer for a, b in pairwise(widths) for layer in (torch.nn.Linear(a, b), torch.nn.ReLU())]
    end = [torch.nn.Softmax(dim=1)] if learners.softmax else []
    net = torch.nn.Sequential(*layers[:-1], *end).double()
    torch.nn.utils.vector_to_parameters(torch.tensor(flat), net.parameters())
    return net


@pytest.mark.parametrize("end", [False, True])
def test_a_local_model_is_that_of_torch_s_own_loop(end: bool) -> None:
    """nn.Sequential, optim.Adam, MultiStepLR at 50 and 100, gradients cut to length 1: the same numbers to 1e-9."""
    learners = LocalLearners(
        ((0, 2), (1,)), (6, 5), 3, end, lr=0.02, weight_decay=0.01, batch=16, epochs=52, dtype="float64"
    )
    X, target = stream(1).standard_normal((40, 3)), 20 * stream(2).standard_normal((40, 3)).astype(np.float32)
    x = learners.cut(0, X)
    found = learners.fit(0, x, target, 7, 3, never)
    generator, batches = stream(7, 3, "model", 0), stream(7, 3, "batches", 0)
    sizes = [(6 * 2, 2), (6, 2), (5 * 6, 6), (5, 6), (3 * 5, 5), (3, 5)]
    net = sequential(learners, 0, np.concatenate([generator.uniform(-1, 1, n) / np.sqrt(fan) for n, fan in sizes]))
    adam = torch.optim.Adam(net.parameters(), lr=0.02, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.MultiStepLR(adam, [50, 100], 0.1)
    cut = 0
    for _ in range(52):
        for rows in torch.split(torch.tensor(batches.permutation(40)), 16):
            adam.zero_grad()
            wrong = torch.nn.functional.mse_loss(net(x[rows]), torch.tensor(target).double()[rows])
            wrong.backward()  # type: ignore[no-untyped-call]
            cut += int(torch.nn.utils.clip_grad_norm_(net.parameters(), 1) > 1)
            adam.step()
        schedule.step()
    flat = torch.nn.utils.parameters_to_vector(net.parameters()).detach().numpy()
    assert cut > 0
    assert np.abs(found - flat).max() <= 1e-9
    with torch.no_grad():
        assert np.allclose(learners.told(0, found, x), net(x).numpy(), rtol=0, atol=1e-5)


def test_weights_are_those_of_adam_by_autograd_and_near_the_best() -> None:
    """PyTorch's Adam on the loss as it is written; SciPy's minimum of it over the simplex is hardly lower."""
    outputs = stream(3).standard_normal((4, 50, 3)).astype(np.float32)
    residual = (0.6 * outputs[1] + 0.3 * outputs[2] + 0.1 * outputs[0]).astype(np.float32)
    found = assistance(outputs, residual)
    theta = torch.ones(4, dtype=torch.float64, requires_grad=True)
    adam = torch.optim.Adam([theta], lr=0.1, weight_decay=5e-4)
    said, wanted = torch.tensor(outputs).double(), torch.tensor(residual).double()

    def wrong(weights: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.mse_loss((weights[:, None, None] * said).sum(0), wanted)

    for _ in range(100):
        adam.zero_grad()
        wrong(theta.softmax(0)).backward()  # type: ignore[no-untyped-call]
        adam.step()
    assert np.allclose(found, theta.softmax(0).detach().numpy(), rtol=0, atol=1e-6)
    assert found.sum() == pytest.approx(1)
    best = minimize(  # type: ignore[call-overload]
        lambda w: float(wrong(torch.tensor(w))), np.full(4, 0.25), bounds=[(0, 1)] * 4, method="SLSQP",
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
    )  # fmt: skip
    assert np.allclose(best.x, [0.1, 0.6, 0.3, 0], atol=2e-3)
    assert np.allclose(found, best.x, atol=0.03)


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_the_rate_is_scipy_s_minimum(classes: int) -> None:
    """Brent's minimum of the loss, written with other functions; for numbers ⟨y − F, d⟩/⟨d, d⟩."""
    width = 1 if classes < 3 else classes
    F, d = stream(1).standard_normal((60, width)), stream(2).standard_normal((60, width))
    y = stream(3).integers(0, classes, 60) if classes else stream(3).standard_normal(60)
    d = d - 3 * slope(opened(F, classes), y)[:, -width:]

    def loss(rate: float) -> float:
        if not classes:
            return float(mean_squared_error(y, (F + rate * d)[:, 0]))
        return float(log_loss(y, softmax(opened(F + rate * d, classes)), labels=range(classes)))

    found = best_rate(F, d, y, classes, never)
    assert found == pytest.approx(minimize_scalar(loss, bounds=(0, 50), method="bounded").x, abs=1e-4)
    assert loss(found) <= min(loss(found - 1e-3), loss(found + 1e-3))
    if not classes:
        assert found == pytest.approx(np.sum((y - F[:, 0]) * d[:, 0]) / np.sum(d**2), rel=1e-9)
    assert best_rate(F, -d, y, classes, never) == 0


def test_a_rate_without_end_is_300() -> None:
    """All rows are right already, by little: the loss falls for ever."""
    y = np.array([0, 1])
    assert best_rate(np.zeros((2, 1)), np.array([[-0.1], [0.1]]), y, 2, never) == 300


class Line:
    """A party that fits y = a x without an offset, exactly; in place of a network."""

    columns = ((0,), (1,))
    outputs = 1
    sizes = (1, 1)

    def cut(self, party: int, X: np.ndarray) -> np.ndarray:
        """Return its column."""
        return X[:, [party]].astype(float)

    def fit(self, party: int, x: np.ndarray, target: np.ndarray, *rest: Any) -> np.ndarray:
        """Return a = ⟨x, r⟩/⟨x, x⟩."""
        return np.array([(x * target).sum() / (x * x).sum()])

    def told(self, party: int, params: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Return a x."""
        return np.asarray(params[0] * x)


def test_boosting_by_hand() -> None:
    """Two columns at right angles: one round with weights ½ finds the least-squares answer.

    x₁ = (1, −1, 1, −1), x₂ = (1, 1, −1, −1), y = (3, 1, −1, −3) on [0, 1]: y = ½ + x₁/6 + x₂/3. F⁰ = ½, so
    r = 2 (y − F⁰) = x₁/3 + 2 x₂/3; the fits are a₁ = 1/3, a₂ = 2/3; with w = (½, ½) the direction is y − F⁰, so η = 1
    and the loss is 0.
    """
    X = np.array([[1.0, 1], [-1, 1], [1, -1], [-1, -1]])
    data = Dataset("hand", X, np.array([3.0, 1, -1, -3]), ("a", "b"), (), Provenance("made here", "none"))
    trainer = gal(FederatedDataset(data, Partition("columns", np.array([0, 1]), 2)), None, None, 1.0, 1, local=())
    merge = trainer.merge

    def even(outputs: np.ndarray, *rest: Any) -> tuple[np.ndarray, float]:
        assert merge(outputs, *rest)[1] > 0
        return np.full(2, 0.5), best_rate(rest[1], outputs.mean(axis=0), rest[2], 0, never)

    hand = replace(trainer, learners=Line(), merge=even)  # type: ignore[arg-type]
    state, _ = hand.step(hand.start(), 1, never)
    assert np.allclose(state["models_1"], [1 / 3, 2 / 3], atol=1e-6)
    assert float(state["rate_1"]) == pytest.approx(1, abs=1e-6)
    assert np.allclose(state["scores"][:, 0], data.y / 6 + 0.5, atol=1e-6)
    assert np.allclose(hand.predict(state, X)[:, 0], data.y, atol=1e-5)


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_bytes_are_those_of_the_closed_form(classes: int) -> None:
    """n (K − 1) c 4 bytes of residuals out and as many of predictions back, c = 1 but for three classes."""
    trainer = gal(toy(classes), None, None, 1.0, 2, **SMALL)
    c, n, parties = 3 if classes == 3 else 1, 60, 3
    _, found = played(trainer, 2)
    for seen in found:
        assert seen.traffic["residual"].tolist() == [[n * 2 * c * 4, 0, 0], [0, n * c * 4, n * c * 4]]
        assert seen.traffic["prediction"].tolist() == [[0, n * c * 4, n * c * 4], [n * 2 * c * 4, 0, 0]]
        assert set(seen.traffic) == {"residual", "prediction"}
    assert sum(seen.bytes_up.sum() for seen in found) == 2 * 2 * n * (parties - 1) * c * 4
    form = traffic_of("gal", rows=n, test_rows=30, columns=7, parties=parties, outputs=c, rounds=2)
    assert sum(seen.bytes_up.sum() for seen in found) == form["total"]
    assert trainer.facts["evaluation_bytes"] == (parties - 1) * c * 4 * 30
    assert trainer.facts["parameters"] == 2 * 3 * (2 * 8 + 8 + 8 * 6 + 6 + 6 * c + c)


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_the_ensemble_kept_is_that_of_all_models(classes: int) -> None:
    """Scores of rows that a state carries are those of its models; gradients are those of central differences."""
    fed = toy(classes)
    trainer = gal(fed, None, None, 1.0, 3, **SMALL)
    trainer = replace(trainer, learners=replace(trainer.learners, dtype="float64"))
    state, found = played(trainer, 3)
    held, X = fed.data.held_out, fed.data.X.astype(np.float32)
    for rows, name in ((~held, "scores"), (held, "test")):
        kept = trainer.table.told(opened(state[name], classes))
        assert np.allclose(trainer.logits(state, X[rows]), kept, rtol=0, atol=1e-4 if classes else 1e-2)
    told, seen = trainer.predict(state, X[held]), found[-1]
    if classes:
        assert np.allclose(told.sum(axis=1), 1)
        assert seen.accuracy[0] == accuracy_score(fed.data.y[held], told.argmax(axis=1))
        assert seen.loss[0] == pytest.approx(log_loss(fed.data.y[held], told), rel=1e-4)
        assert seen.groups["group"].sum() == held.sum()
    else:
        assert np.isnan(seen.accuracy[0])
        assert seen.loss[0] == pytest.approx(mean_squared_error(fed.data.y[held], told[:, 0]), rel=1e-3)
    assert found[-1].loss[0] < found[0].loss[0]
    wanted, points = stream(2).standard_normal((4, max(classes, 1))), X[:4].astype(float)
    slopes, step = trainer.gradient(state, points, wanted), 1e-3
    for j in range(7):
        shift = np.eye(7)[j] * step
        change = trainer.logits(state, points + shift) - trainer.logits(state, points - shift)
        off = np.abs(slopes[:, j] - (change * wanted).sum(axis=1) / (2 * step))
        assert np.median(off) <= 2e-3 * max(1, np.abs(slopes).max())
    assert not slopes[:, 5].any()


def test_an_ensemble_starts_from_the_prior() -> None:
    """Shares of the classes in the training rows; a class without rows counts half a row."""
    trainer = gal(toy(), None, None, 1.0, 1, **SMALL)
    shares = np.bincount(trainer.table.y) / 60
    assert np.allclose(trainer.predict(trainer.start(), trainer.table.X[:2]), shares)
    two = gal(toy(2), None, None, 1.0, 1, **SMALL)
    shares = np.bincount(two.table.y) / 60
    assert np.allclose(two.predict(two.start(), two.table.X[:2]), shares)
    mean = gal(toy(0), None, None, 1.0, 1, **SMALL)
    trained = toy(0).data.y[~toy(0).data.held_out]
    assert np.allclose(mean.predict(mean.start(), mean.table.X[:1]), trained.mean())
    table = replace(trainer.table, y=np.array([0, 0, 1]))
    assert np.allclose(np.exp(prior(table, 3)), np.array([2, 1, 0.5]) / 3.5)


def test_resuming_is_bit_for_bit_the_whole_run_and_states_stay() -> None:
    """Rounds 3 and 4 from a copy of round 2's state, by a trainer bound anew; old models are shared, not copied."""
    whole = gal(toy(), None, None, 1.0, 4, seed=8, **SMALL)
    state, states = whole.start(), []
    for index in range(1, 5):
        for values in state.values():
            values.setflags(write=False)
        before = {name: values.copy() for name, values in state.items()}
        after, _ = whole.step(state, index, never)
        assert all(np.array_equal(state[name], before[name]) for name in before)
        state = after
        states.append(state)
    assert states[3]["models_1"] is states[0]["models_1"]
    again = gal(toy(), None, None, 1.0, 4, seed=8, **SMALL)
    state = {name: np.array(values) for name, values in states[1].items()}
    for index in (3, 4):
        state, _ = again.step(state, index, never)
    assert state.keys() == states[3].keys()
    assert all(np.array_equal(state[name], states[3][name]) for name in state)


def test_softmax_outputs_are_what_the_authors_have() -> None:
    """Each party's outputs are positive and add up to 1; two classes have two; a regression is refused."""
    trainer = gal(toy(2), None, None, 1.0, 1, output="softmax", weight_decay=0.0, **SMALL)
    assert trainer.learners.outputs == 2
    state, _ = played(trainer, 1)
    said = trainer.learners.told(
        0, state["models_1"][: trainer.learners.sizes[0]], trainer.learners.cut(0, trainer.table.X)
    )
    assert (said > 0).all()
    assert np.allclose(said.sum(axis=1), 1, atol=1e-6)
    assert trainer.predict(state, trainer.table.X).shape == (60, 2)
    with pytest.raises(ValueError, match="output must be linear for a regression"):
        gal(toy(0), None, None, 1.0, 1, output="softmax")


def test_a_round_can_be_stopped() -> None:
    """In the middle of the second party's fit."""
    calls: list[int] = []

    def stop() -> None:
        calls.append(torch.get_num_threads())
        if len(calls) == 20:
            raise Stopped

    trainer = gal(toy(), None, None, 1.0, 1, **SMALL)
    with pytest.raises(Stopped):
        trainer.step(trainer.start(), 1, stop)
    assert calls == [1] * 20


def test_what_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages name the thing and the rule."""
    with pytest.raises(ValueError, match="gal trains without a privacy mechanism"):
        gal(toy(), None, gaussian(), 1.0, 3)
    with pytest.raises(ValueError, match="participation must be 1"):
        gal(toy(), None, None, 0.5, 3)
    monkeypatch.setattr(memory, "free", lambda: 10_000_000)
    gal(toy(), None, None, 1.0, 3)
    with pytest.raises(ValueError, match=r"gal with 1000 rounds of 3 models must fit into the 0\.0 GB of memory"):
        gal(toy(), None, None, 1.0, 1000)
