"""BlindFL: sums exact modulo 2^64, steps those of a plain network, every message uniform, bytes in closed form."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare
from torch.nn.functional import cross_entropy, mse_loss

from trustkit import datasets
from trustkit.data import Dataset, FederatedDataset, Provenance
from trustkit.horizontal import gaussian
from trustkit.partition import Partition
from trustkit.records import Stopped
from trustkit.rng import stream
from trustkit.vertical import Channel
from trustkit.vertical.blindfl import blindfl
from trustkit.vertical.sharing.blind_training import BlindTrainer
from trustkit.vertical.sharing.fixed_point import decoded, encoded, noise, times
from trustkit.vertical.sharing.shares import Ring
from trustkit.vertical.sharing.sourcelayer import STEP_BITS, SourceLayer

SMALL: dict[str, Any] = {"width": 6, "top": (5,), "batch": 16, "lr": 0.01}
WORD = 2**64


def never() -> None:
    """Never stop."""


def toy(classes: int = 3, rows: int = 90, parties: int = 3) -> FederatedDataset:
    """Make a table of 7 columns, of which one belongs to nobody, with a third held out; 0 classes: a regression."""
    generator = stream(4, "toy")
    X = generator.standard_normal((rows, 7))
    scores = X @ (generator.standard_normal((7, max(classes, 1))) * (np.arange(7) != 5)[:, None])
    y = scores.argmax(axis=1) if classes else 100 + 10 * scores[:, 0]
    names = tuple("xyz"[:classes])
    data = Dataset("toy", X, y, tuple("abcdefg"), names, Provenance("made here", "none"),
                   held_out=np.arange(rows) % 3 == 0)  # fmt: skip
    owner = np.array([0, 1, 2, 0, 1, -1, 2]) % parties
    owner[5] = -1
    return FederatedDataset(data, Partition("columns", owner, parties))


def big(numbers: np.ndarray) -> np.ndarray:
    """Turn to Python's own integers, which do not wrap round."""
    return np.asarray(numbers.astype(object))


def wrapped(numbers: np.ndarray) -> np.ndarray:
    """Bring Python's integers into the signed 64-bit range."""
    return np.asarray((numbers + WORD // 2) % WORD - WORD // 2)


@given(st.integers(0, 99), st.integers(1, 5), st.integers(1, 9), st.integers(1, 5))
def test_products_are_those_of_whole_numbers_modulo_2_to_64(seed: int, a: int, b: int, c: int) -> None:
    """Against Python's integers, with the smallest and largest numbers among the factors."""
    left, right = noise(stream(seed, "left"), (a, b)), noise(stream(seed, "right"), (b, c))
    left[0, 0], right[-1, -1] = -(2**63), 2**63 - 1
    assert np.array_equal(big(times(left, right)), wrapped(big(left) @ big(right)))


@given(st.floats(-1000, 1000), st.integers(8, 36))
def test_fixed_point_is_half_a_step_off_at_most(x: float, bits: int) -> None:
    """And reads back what can be written exactly."""
    found = decoded(encoded(np.array([x]), bits), bits)
    assert abs(found[0] - x) <= 2.0 ** (-bits - 1)
    assert np.array_equal(encoded(found, bits), encoded(np.array([x]), bits))


def layered(parties: int, point: int = 12) -> tuple[SourceLayer, np.ndarray, np.ndarray, np.ndarray]:
    """Return a layer over 10 columns, 40 rows, and shares of its first weights."""
    columns = tuple(tuple(range(k, 10, parties)) for k in range(parties))
    layer = SourceLayer(columns, 6, 3, point)
    X = stream(1, "X").uniform(-1, 1, (40, 10))
    return layer, X, *layer.deal(stream(2, "W").uniform(-1, 1, (10, 6)))


@pytest.mark.parametrize("parties", [2, 3, 5])
def test_sums_and_steps_are_exact(parties: int) -> None:
    """Every bit, over three batches: z = Σ X_k W_k, then W ← W − Xᵀ move, in whole numbers modulo 2^64."""
    layer, X, own, kept = layered(parties)
    order = stream(5).permutation(40)
    sitting = layer.sit(X, order, Channel(parties), 1)
    flat = [column for columns in layer.columns for column in columns]
    features, weights = big(encoded(X[:, flat][order], 12)), big(own) + big(kept)
    for start in (0, 16, 32):
        rows = slice(start, start + 16)
        assert np.array_equal(big(sitting.forward(own, kept, rows)), wrapped(features[rows] @ weights))
        move = encoded(stream(6, start).standard_normal((len(order[rows]), 6)), STEP_BITS)
        sitting.backward(own, kept, rows, move)
        weights = weights - features[rows].T @ big(move)
        assert np.array_equal(big(own + kept), wrapped(weights))
    assert Ring(64, 2).joined(np.stack([big(own) % WORD, big(kept) % WORD])).tolist() == wrapped(weights).tolist()


def uniform(numbers: np.ndarray) -> bool:
    """Say whether bytes are all equally frequent, as far as a χ² test can tell (p > 10⁻⁴; the draw is fixed)."""
    counts = np.bincount(np.frombuffer(numbers.tobytes(), np.uint8), minlength=256)
    return bool(chisquare(counts).pvalue > 1e-4)


@pytest.mark.parametrize("parties", [2, 4])
def test_every_share_and_every_message_is_uniform(parties: int) -> None:
    """All bytes of shares, of what keepers are told of features, and of each message; plain numbers are far from it."""
    data = datasets.load("letter").scaled()
    fed = FederatedDataset(data, Partition("columns", np.arange(16) % parties, parties))
    trainer = blindfl(fed, None, None, 1.0, 1, seed=parties)
    state, wire = trainer.start(), Channel(parties, heard=[])
    own, kept = state["own"].copy(), state["kept"].copy()
    sitting = trainer.layer.sit(trainer.table.X, np.arange(512), wire, 1)
    sums = sitting.forward(own, kept, slice(0, 512))
    sitting.backward(own, kept, slice(0, 512), encoded(stream(7).standard_normal((512, 100)), STEP_BITS))
    assert wire.heard is not None
    kinds = {"masked activations", "masked weights", "masked gradient", "dealt"}
    assert {each.kind for each in wire.heard} == kinds
    messages = [each.numbers for each in wire.heard] + [held.told for held in sitting.held]
    for numbers in (*messages, own, kept, state["own"], state["kept"]):
        assert uniform(numbers)
    for plain in (sums, own + kept, *(held.features for held in sitting.held)):
        assert not uniform(plain)


def test_the_first_party_cannot_take_one_party_s_part_out_of_the_sum() -> None:
    """With all that it holds of the second party's product it finds that party's activations only under a pad."""
    layer, X, own, kept = layered(3)
    wire = Channel(3, heard=[])
    sitting = layer.sit(X, np.arange(40), wire, 1)
    sitting.forward(own, kept, slice(0, 40))
    heard = {(each.sender, each.receiver, each.kind): each.numbers for each in wire.heard or []}
    held, place = sitting.held[2], layer.places[2]
    dealt = [each.numbers for each in wire.heard or [] if each.kind == "dealt" and each.receiver == 0]
    told = heard[2, 0, "masked activations"] + times(held.told, kept[place]) + dealt[-1]
    part = times(held.features, (own + kept)[place])
    pads = [noise(stream(3, 1, "pad", k), (40, 6)) for k in (1, 2)]
    assert np.array_equal(told - (pads[1] - pads[0]), part)  # what it would see without pads
    assert (told != part).all()


class Plain:
    """The same network with nothing shared: PyTorch's layers above a matrix, the rule of steps written anew."""

    def __init__(self, trainer: BlindTrainer, exactly: bool) -> None:
        network, flat = trainer.network, torch.tensor(trainer.network.init(trainer.seed)).double()
        columns, width = len(network.columns[0]), network.local[0]
        self.trainer, self.exactly, self.columns = trainer, exactly, list(network.columns[0])
        self.W, self.offset = flat[: columns * width].view(width, columns).T.clone(), torch.nn.Parameter(
            flat[columns * width :][:width].clone())  # fmt: skip
        sizes = (width, *network.top, network.outputs)
        steps = [layer for a, b in pairwise(sizes) for layer in (torch.nn.Linear(a, b), torch.nn.ReLU())]
        self.top = torch.nn.Sequential(*steps[:-1]).double()
        start = (columns + 1) * width
        with torch.no_grad():
            for tensor in self.top.parameters():
                tensor.copy_(flat[start : start + tensor.numel()].view_as(tensor))
                start += tensor.numel()
        self.W = self.rounded(self.W, trainer.layer.weight_bits)
        self.adam = torch.optim.Adam([self.offset, *self.top.parameters()], trainer.lr, weight_decay=1e-5)
        self.spread, self.steps = torch.zeros(width).double(), 0

    def rounded(self, values: torch.Tensor, bits: int) -> torch.Tensor:
        """Round to fixed point, or leave numbers as they are."""
        return torch.round(values * 2**bits) / 2**bits if self.exactly else values

    def scores(self, X: torch.Tensor) -> torch.Tensor:
        """Return logits (n, C)."""
        return torch.as_tensor(self.top(torch.relu(X[:, self.columns] @ self.W + self.offset)))

    def batch(self, X: torch.Tensor, y: torch.Tensor) -> None:
        """Take one step."""
        trainer = self.trainer
        X = self.rounded(X, trainer.layer.point)[:, self.columns]
        z = (X @ self.W).requires_grad_()
        self.adam.zero_grad()
        scores = self.top(torch.relu(z + self.offset))
        (mse_loss(scores[:, 0], y) if y.is_floating_point() else cross_entropy(scores, y)).backward()  # type: ignore[no-untyped-call]
        self.adam.step()
        self.steps += 1
        assert z.grad is not None
        self.spread = 0.99 * self.spread + 0.01 * (z.grad**2).sum(0)
        move = trainer.source_lr * z.grad / ((self.spread / (1 - 0.99**self.steps)).sqrt() + 1e-8)
        self.W = self.W - X.T @ self.rounded(move, STEP_BITS)


@pytest.mark.parametrize(("classes", "exactly", "close"), [(3, True, 1e-9), (3, False, 1e-3), (0, True, 1e-9)])
def test_training_is_that_of_the_plain_network(classes: int, exactly: bool, close: float) -> None:
    """Two epochs with the same rounding agree to 10⁻⁹; without any, one step to 10⁻⁴ and an epoch to 10⁻³ in logits."""
    trainer: BlindTrainer = blindfl(toy(classes), None, None, 1.0, 2, **SMALL, source_lr=0.02, seed=3)
    trainer = replace(trainer, network=replace(trainer.network, dtype="float64"))
    plain, state = Plain(trainer, exactly), trainer.start()
    X, y = torch.tensor(trainer.table.X.astype(float)), torch.tensor(trainer.table.y)
    if not exactly:
        whole = replace(trainer, batch=60)
        once, _ = whole.step(state, 1, never)
        single = Plain(whole, False)
        single.batch(X, y)
        assert np.abs(whole.logits(once, X.numpy()) - single.scores(X).detach().numpy()).max() <= 1e-4
    for index in range(1, 3 if exactly else 2):
        state, _ = trainer.step(state, index, never)
        for rows in torch.split(torch.tensor(stream(3, index, "batches").permutation(len(y))), 16):
            plain.batch(X[rows], y[rows])
    found = trainer.network.logits(trainer.opened(state), X.numpy())
    assert np.abs(found - plain.scores(X).detach().numpy()).max() <= close


@pytest.mark.parametrize("parties", [2, 4])
def test_bytes_are_those_of_the_protocol(parties: int) -> None:
    """Letter's first 1,000 rows in batches of 300, 20 units: closed form by kind; the dealer's apart."""
    data = datasets.load("letter").scaled()
    data = replace(data, held_out=np.arange(data.y.size) >= 1000)
    fed = FederatedDataset(data, Partition("columns", np.arange(16) % parties, parties))
    trainer = blindfl(fed, None, None, 1.0, 2, width=20, top=(10,), batch=300)
    state, first = trainer.step(trainer.start(), 1, never)
    _, second = trainer.step(state, 2, never)
    others, m, n, h, batches = parties - 1, 16 // parties, 1000, 20, 4
    each = 8 * h * n
    assert second.traffic["masked activations"].tolist() == [[0] + [each] * others, [others * each] + [0] * others]
    assert second.traffic["masked gradient"].tolist() == [[others * each] + [0] * others, [0] + [each] * others]
    assert second.traffic["masked weights"][1].tolist() == [8 * h * m * batches] * parties
    dealt = [others * (each + 8 * h * m * batches), each] + [0] * (parties - 2)
    assert second.traffic["dealt"].tolist() == [[0] * parties, dealt]
    assert trainer.facts["offline_bytes"] == sum(dealt)
    assert set(second.traffic) == {"masked activations", "masked gradient", "masked weights", "dealt"}
    told = [others * 8 * n * m, 8 * n * m] + [0] * (parties - 2)
    assert first.traffic["masked features"].tolist() == [[8 * n * m] * parties, told]
    assert (first.traffic["dealt"] - second.traffic["dealt"])[1].sum() == 8 * h * 16 + 16 * (2 * parties + 1)
    assert first.traffic.get("seed", np.zeros((2, parties)))[0].sum() == (16 * others if parties > 2 else 0)
    assert trainer.facts["evaluation_bytes"] == 8 * (data.held_out.sum() * (16 + others * h) + 16 * h)


def test_resuming_is_bit_for_bit_the_whole_run_and_states_stay() -> None:
    """Shares and masks have addresses; no state is changed in place; another seed has other shares."""
    whole = blindfl(toy(), None, None, 1.0, 5, **SMALL, seed=8)
    state, states = whole.start(), []
    for index in range(1, 6):
        for values in state.values():
            values.setflags(write=False)
        before = {name: values.copy() for name, values in state.items()}
        after, _ = whole.step(state, index, never)
        assert all(np.array_equal(state[name], before[name]) for name in before)
        state = after
        states.append(state)
    again = blindfl(toy(), None, None, 1.0, 5, **SMALL, seed=8)
    state = states[1]
    for index in range(3, 6):
        state, _ = again.step(state, index, never)
        assert all(np.array_equal(state[name], states[index - 1][name]) for name in state)
    assert (blindfl(toy(), None, None, 1.0, 5, **SMALL, seed=9).start()["own"] != whole.start()["own"]).all()


def test_logits_gradients_and_what_is_overheard() -> None:
    """Of the opened network; central differences; the state stays as it is while somebody listens."""
    trainer: BlindTrainer = blindfl(toy(), None, None, 1.0, 1, **SMALL)
    trainer = replace(trainer, network=replace(trainer.network, dtype="float64"))
    state, X, weights = trainer.start(), stream(1).standard_normal((5, 7)), stream(2).standard_normal((5, 3))
    slopes, shift = trainer.gradient(state, X, weights), 1e-6 * np.eye(7)
    for j in range(7):
        change = trainer.logits(state, X + shift[j]) - trainer.logits(state, X - shift[j])
        assert np.allclose(slopes[:, j], (change * weights).sum(axis=1) / 2e-6, rtol=0, atol=1e-7)
    assert not slopes[:, 5].any()
    assert np.allclose(trainer.predict(state, X).sum(axis=1), 1)
    before = {name: values.copy() for name, values in state.items()}
    heard = trainer.overheard(state, np.arange(20), 1)
    assert all(np.array_equal(state[name], before[name]) for name in before)
    up, down = "masked activations", "masked gradient"
    found = {(each.sender, each.receiver, each.kind) for each in heard}
    assert found >= {(1, 0, up), (2, 0, up), (0, 1, down), (0, 2, down)}
    assert all(len(each.numbers) == 20 for each in heard)


@pytest.mark.parametrize("classes", [2, 0])
def test_it_learns_two_classes_and_a_regression(classes: int) -> None:
    """Better than the larger class, and than the mean of the training rows."""
    fed = toy(classes, rows=300)
    trainer = blindfl(fed, None, None, 1.0, 15, **{**SMALL, "width": 32, "source_lr": 0.02})
    state = trainer.start()
    for index in range(1, 16):
        state, seen = trainer.step(state, index, never)
    y = fed.data.y[fed.data.held_out]
    if classes:
        assert seen.accuracy[0] > max(np.mean(y == 0), np.mean(y == 1)) + 0.2
    else:
        assert np.isnan(seen.accuracy).all()
        assert seen.loss[0] < 0.3 * np.var(y)


def test_it_can_be_stopped_between_two_parties() -> None:
    """Three products forward and two backward: the seventh tick is in the second batch."""
    calls = []

    def stop() -> None:
        calls.append(1)
        if len(calls) == 7:
            raise Stopped

    trainer = blindfl(toy(), None, None, 1.0, 1, **SMALL)
    with pytest.raises(Stopped):
        trainer.step(trainer.start(), 1, stop)


def test_what_is_refused() -> None:
    """Messages name the thing and the rule; a sum that 64 bits will not hold much longer ends the run."""
    fed = toy()
    with pytest.raises(ValueError, match="blindfl trains without a privacy mechanism"):
        blindfl(fed, None, gaussian(), 1.0, 3)
    with pytest.raises(ValueError, match=r"participation must be 1 across columns, got 0\.5"):
        blindfl(fed, None, None, 0.5, 3)
    large = replace(fed, data=replace(fed.data, X=1e6 * fed.data.X))
    with pytest.raises(ValueError, match="features must be between -4096 and 4096 for blindfl, got"):
        blindfl(large, None, None, 1.0, 3)
    wide = replace(fed, data=replace(fed.data, X=1e3 * fed.data.X))
    trainer = blindfl(wide, None, None, 1.0, 3, **SMALL, source_lr=1.0)
    with pytest.raises(ValueError, match="sums of the shared layer must stay within ±16384, got"):
        trainer.step(trainer.start(), 1, never)
