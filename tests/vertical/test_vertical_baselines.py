"""One party alone and all columns at one place: SplitNN's network without a wire, against PyTorch's own loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from trustkit.data import Dataset, FederatedDataset, Provenance
from trustkit.horizontal import gaussian
from trustkit.partition import Partition
from trustkit.rng import stream
from trustkit.vertical import pooled, solo, splitnn
from trustkit.vertical.networks.yardsticks import AloneTrainer

SMALL: dict[str, Any] = {"local": (6, 4), "top": (5,), "batch": 16}


def never() -> None:
    """Never stop."""


def toy(classes: int = 3, rows: int = 90) -> FederatedDataset:
    """Make a table of 7 columns, of which one belongs to nobody, with a third of the rows held out."""
    generator = stream(4, "toy")
    X = generator.standard_normal((rows, 7))
    scores = X @ generator.standard_normal((7, max(classes, 1)))
    y = scores.argmax(axis=1) if classes else 40 + 10 * scores[:, 0]
    data = Dataset("toy", X, y, tuple("abcdefg"), ("x", "y", "z")[:classes], Provenance("made here", "none"),
                   held_out=np.arange(rows) % 3 == 0)  # fmt: skip
    return FederatedDataset(data, Partition("columns", np.array([0, 1, 2, 0, 1, -1, 2]), 3))


def exact(trainer: AloneTrainer) -> AloneTrainer:
    """Compute in float64."""
    return replace(trainer, inner=replace(trainer.inner, network=replace(trainer.inner.network, dtype="float64")))


CASES: list[tuple[Callable[..., AloneTrainer], dict[str, Any], list[int]]] = [
    (solo, {}, [0, 3]),
    (solo, {"party": 2}, [2, 6]),
    (pooled, {}, [0, 1, 2, 3, 4, 6]),
]


@pytest.mark.parametrize(("bind", "args", "columns"), CASES)
def test_training_is_that_of_a_plain_network(bind: Any, args: dict[str, Any], columns: list[int]) -> None:
    """Local layers, no ReLU after the embedding, upper layers: torch.optim.Adam with StepLR ends where it ends."""
    trainer = exact(bind(toy(), None, None, 1.0, 12, **args, **SMALL, lr=0.01, weight_decay=0.01, seed=3))
    state, table = trainer.start(), trainer.inner.table
    linear = torch.nn.Linear
    net = torch.nn.Sequential(linear(len(columns), 6), torch.nn.ReLU(), linear(6, 4), linear(4, 5), torch.nn.ReLU(),
                              linear(5, 3)).double()  # fmt: skip
    torch.nn.utils.vector_to_parameters(torch.tensor(state["params"]), net.parameters())
    X, y = torch.tensor(table.X[:, columns].astype(float)), torch.tensor(table.y)
    adam = torch.optim.Adam(net.parameters(), lr=0.01, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.StepLR(adam, 10, 0.5)
    for index in range(1, 13):
        state, _ = trainer.step(state, index, never)
        for rows in torch.split(torch.tensor(stream(3, index, "batches").permutation(len(y))), 16):
            adam.zero_grad()
            torch.nn.functional.cross_entropy(net(X[rows]), y[rows]).backward()  # type: ignore[no-untyped-call]
            adam.step()
        schedule.step()
    flat = torch.nn.utils.parameters_to_vector(net.parameters()).detach().numpy()
    assert np.abs(state["params"] - flat).max() <= 1e-9
    assert trainer.facts["parameters"] == flat.size


@pytest.mark.parametrize(("bind", "args", "columns"), CASES)
def test_foreign_columns_play_no_part_and_nothing_is_sent(bind: Any, args: dict[str, Any], columns: list[int]) -> None:
    """Other numbers in columns that are not used change nothing; all bytes are 0; who takes part is said."""
    fed = toy()
    foreign = [j for j in range(7) if j not in columns]
    X = fed.data.X.copy()
    X[:, foreign] = 7.0
    changed = replace(fed, data=replace(fed.data, X=X))
    found = []
    for each in (fed, changed):
        trainer = bind(each, None, None, 1.0, 1, **args, **SMALL)
        state, seen = trainer.step(trainer.start(), 1, never)
        found.append((state["params"], trainer.predict(state, each.data.X)))
        assert seen.bytes_up.tolist() == seen.bytes_down.tolist() == [0, 0, 0]
        assert seen.traffic == {}
        assert seen.selected.tolist() == [k in {(0, 1, 2, 0, 1, -1, 2)[j] for j in columns} for k in range(3)]
    assert np.array_equal(found[0][0], found[1][0])
    assert np.array_equal(found[0][1], found[1][1])
    slopes = trainer.gradient(state, X[:5], np.eye(3)[np.zeros(5, int)])
    assert not slopes[:, foreign].any()
    assert slopes[:, columns].any(axis=0).all()
    assert trainer.facts["federated"] is False
    assert trainer.facts["evaluation_bytes"] == 0


@pytest.mark.parametrize("classes", [0, 2, 3])
@pytest.mark.parametrize("bind", [solo, pooled])
def test_it_learns(bind: Any, classes: int) -> None:
    """The loss of training rows falls, of numbers in the target's unit; resuming gives the same, bit for bit."""
    fed = toy(classes)
    trainer = bind(fed, None, None, 1.0, 3, **SMALL, lr=0.02)
    train, state, losses, states = ~fed.data.held_out, trainer.start(), [], []
    for index in range(1, 11):
        state, _ = trainer.step(state, index, never)
        told, y = trainer.predict(state, fed.data.X[train]), fed.data.y[train]
        losses.append(-np.log(told[np.arange(60), y]).mean() if classes else np.mean((told[:, 0] - y) ** 2))
        states.append(state)
    assert losses[-1] < 0.95 * losses[0]
    again, _ = bind(toy(classes), None, None, 1.0, 3, **SMALL, lr=0.02).step(states[1], 3, never)
    assert all(np.array_equal(again[name], states[2][name]) for name in again)
    if not classes:
        assert 20 < trainer.predict(state, toy(0).data.X).mean() < 60


def test_pooled_columns_tell_more_than_those_of_one_party() -> None:
    """On columns that all matter, all of them beat two of them, and SplitNN comes close to all of them."""
    losses = {}
    ways: dict[str, tuple[Any, dict[str, Any]]] = {
        "pooled": (pooled, {}), "solo": (solo, {"party": 1}), "splitnn": (splitnn, {}),
    }  # fmt: skip
    for name, (bind, args) in ways.items():
        trainer = bind(toy(rows=300), None, None, 1.0, 15, **args, **SMALL, lr=0.02)
        state = trainer.start()
        for index in range(1, 16):
            state, seen = trainer.step(state, index, never)
        losses[name] = seen.loss[0]
    assert losses["pooled"] < 0.7 * losses["solo"]
    assert losses["splitnn"] < 0.7 * losses["solo"]


def test_what_is_refused() -> None:
    """Messages name the thing and the rule."""
    with pytest.raises(ValueError, match="party must be between 0 and 2, the last of the parties, got 3"):
        solo(toy(), None, None, 1.0, 3, party=3)
    for name, bind in (("solo", solo), ("pooled", pooled)):
        with pytest.raises(ValueError, match=f"{name} trains without a privacy mechanism"):
            bind(toy(), None, gaussian(), 1.0, 3)
        with pytest.raises(ValueError, match="local must name at least one width"):
            bind(toy(), None, None, 1.0, 3, local=())
