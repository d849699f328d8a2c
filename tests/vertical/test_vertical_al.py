"""AL by hand, together and in turn; what is sent, and to whom."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from trustkit.data import Dataset, FederatedDataset, Provenance
from trustkit.horizontal import gaussian
from trustkit.metrics.evaluate import softmax
from trustkit.partition import Partition
from trustkit.rng import stream
from trustkit.vertical import al, gal, listening

SMALL: dict[str, Any] = {"local": (8, 6), "batch": 16, "local_epochs": 4}


def never() -> None:
    """Never stop."""


def toy(classes: int = 3, rows: int = 90) -> FederatedDataset:
    """Make a table of 6 columns with three parties, with a third of the rows held out."""
    generator = stream(4, "toy")
    X = generator.standard_normal((rows, 6))
    scores = X @ generator.standard_normal((6, max(classes, 1)))
    y = scores.argmax(axis=1) if classes else 40 + 10 * scores[:, 0]
    data = Dataset("toy", X, y, tuple("abcdef"), ("x", "y", "z")[:classes], Provenance("made here", "none"),
                   held_out=np.arange(rows) % 3 == 0)  # fmt: skip
    return FederatedDataset(data, Partition("columns", np.arange(6) % 3, 3))


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


@pytest.mark.parametrize(
    ("args", "coefficients", "expected"),
    [
        ({"order": "in turn"}, [0.5, -0.25], [0.75, 0.25]),
        ({"order": "in turn", "eta": 0.5}, [0.5, -0.25], [0.625, 0.375]),
        ({"order": "together"}, [0.5, 0.0], [0.75, 0.5]),
        ({"order": "together", "eta": 1.0}, [0.5, 0.0], [1.0, 0.5]),
    ],
)
def test_a_round_by_hand(args: dict[str, Any], coefficients: list[float], expected: list[float]) -> None:
    """x₁ = (1, 0), x₂ = (1, 1), y = (1, 0), F⁰ = ½, so r = (½, −½).

    a₁ = ⟨x₁, r⟩/⟨x₁, x₁⟩ = ½. In turn r becomes (0, −½) and a₂ = −½/2 = −¼: Σ f = (¼, −¼). Together a₂ = 0/2 = 0 and
    Σ f = (½, 0), of which 1/K = ½ is added unless all of it is asked for.
    """
    X = np.array([[1.0, 1], [0, 1]])
    data = Dataset("hand", X, np.array([1.0, 0.0]), ("a", "b"), (), Provenance("made here", "none"))
    trainer = al(FederatedDataset(data, Partition("columns", np.array([0, 1]), 2)), None, None, 1.0, 1, **args)
    hand = replace(trainer, learners=Line())  # type: ignore[arg-type]
    state, _ = hand.step(hand.start(), 1, never)
    assert np.allclose(state["models_1"], coefficients)
    assert np.allclose(state["scores"][:, 0], expected)
    assert np.allclose(hand.predict(state, X)[:, 0], expected)


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_the_residual_is_what_is_left_to_explain(classes: int) -> None:
    """Label minus number; one-hot label minus probability: half of GAL's residual, and GAL's own."""
    trainer = al(toy(classes), None, None, 1.0, 2, **SMALL)
    state, _ = trainer.step(trainer.start(), 1, never)
    with listening() as heard:
        trainer.step(state, 2, never)
    sent = [each.numbers for each in heard if each.kind == "residual"]
    y = trainer.table.y
    if classes:
        p = softmax(trainer.logits(state, trainer.table.X))
        expected = (np.eye(classes)[y] - p)[:, -sent[0].shape[1] :]
    else:
        expected = y[:, None] - state["scores"]
    assert np.allclose(sent[0], expected, atol=1e-4)
    assert np.array_equal(sent[0], sent[1])
    other = gal(toy(classes), None, None, 1.0, 2, **SMALL)
    with listening() as heard:
        other.step(other.start(), 1, never)
    with listening() as mine:
        trainer.step(trainer.start(), 1, never)
    assert np.allclose(heard[0].numbers, mine[0].numbers * (1 if classes else 2))


def test_together_all_see_the_same_and_send_back() -> None:
    """As many bytes as in GAL: n (K − 1) c 4 each way; the plain sum of outputs is added, a third of it."""
    trainer = al(toy(), None, None, 1.0, 1, **SMALL)
    with listening() as heard:
        state, seen = trainer.step(trainer.start(), 1, never)
    assert [(each.sender, each.receiver, each.kind) for each in heard] == [
        (0, 1, "residual"), (1, 0, "prediction"), (0, 2, "residual"), (2, 0, "prediction"),
    ]  # fmt: skip
    assert seen.bytes_up.tolist() == [60 * 2 * 3 * 4, 60 * 3 * 4, 60 * 3 * 4]
    models = np.split(state["models_1"], np.cumsum(trainer.learners.sizes)[:-1])
    said = [trainer.learners.told(k, models[k], trainer.learners.cut(k, trainer.table.X)) for k in range(3)]
    assert np.allclose(state["scores"], trainer.start()["scores"] + sum(said) / 3, atol=1e-6)
    assert state["weights_1"].tolist() == [1, 1, 1]
    assert float(state["rate_1"]) == 1 / 3


def test_in_turn_the_rest_goes_round() -> None:
    """K messages in a ring, n K c 4 bytes; each party fits what it got; the holder learns the sum and no more."""
    trainer = al(toy(), None, None, 1.0, 2, order="in turn", **SMALL)
    with listening() as heard:
        state, seen = trainer.step(trainer.start(), 1, never)
    assert [(each.sender, each.receiver, each.kind) for each in heard] == [
        (0, 1, "residual"), (1, 2, "residual"), (2, 0, "residual"),
    ]  # fmt: skip
    assert seen.bytes_up.tolist() == seen.bytes_down.tolist() == [60 * 3 * 4] * 3
    models = np.split(state["models_1"], np.cumsum(trainer.learners.sizes)[:-1])
    for k in (1, 2):
        x = trainer.learners.cut(k, trainer.table.X)
        got = heard[k - 1].numbers
        assert np.array_equal(models[k], trainer.learners.fit(k, x, got, trainer.seed, 1, never))
        assert np.allclose(heard[k].numbers, got - trainer.learners.told(k, models[k], x))
    assert np.allclose(trainer.logits(state, trainer.table.X), state["scores"], atol=1e-4)
    assert float(state["rate_1"]) == 1


@pytest.mark.parametrize("order", ["together", "in turn"])
@pytest.mark.parametrize("classes", [0, 2, 3])
def test_it_learns(classes: int, order: Any) -> None:
    """The loss of test rows falls over three rounds; resuming from round 2 gives round 3 bit for bit."""
    trainer = al(toy(classes), None, None, 1.0, 3, order=order, **SMALL)
    state, losses, states = trainer.start(), [], []
    for index in (1, 2, 3):
        state, seen = trainer.step(state, index, never)
        losses.append(seen.loss[0])
        states.append(state)
    assert losses[2] < losses[0]
    again, _ = al(toy(classes), None, None, 1.0, 3, order=order, **SMALL).step(
        {name: np.array(values) for name, values in states[1].items()}, 3, never
    )
    assert all(np.array_equal(again[name], state[name]) for name in state)


def test_what_is_refused() -> None:
    """Messages name the thing and the rule."""
    with pytest.raises(ValueError, match="al trains without a privacy mechanism"):
        al(toy(), None, gaussian(), 1.0, 3)
    with pytest.raises(ValueError, match="participation must be 1"):
        al(toy(), None, None, 0.5, 3)
