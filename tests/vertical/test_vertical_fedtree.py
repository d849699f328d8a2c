"""FedTree against XGBoost on all columns: the same trees, whoever holds what; bytes by hand and by the trees."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
import xgboost

from trustkit import datasets, memory
from trustkit.data import Dataset, FederatedDataset, Provenance
from trustkit.horizontal import gaussian
from trustkit.partition import Partition
from trustkit.records import Seen, State
from trustkit.rng import stream
from trustkit.vertical import fedtree, pooled_trees, solo_trees
from trustkit.vertical.boosted.boosting import BoostTrainer
from trustkit.vertical.boosted.covers import Plain
from trustkit.vertical.boosted.exchange import Exchange
from trustkit.vertical.boosted.histograms import Rules
from trustkit.vertical.boosted.levels import Layout
from trustkit.vertical.boosted.simulated import count_messages
from trustkit.vertical.boosted.trees import Trees, leaves_of
from trustkit.vertical.channel import Channel

SETS = {"wine": 178, "digits": 500, "letter": 1500, "acs_employment": 1200}


def never() -> None:
    """Never stop."""


def dealt(name: str, parties: int = 4, rows: int | None = None) -> FederatedDataset:
    """Deal columns out; a "… as numbers" is a regression on the last column but one, which nobody holds then."""
    source, _, numbers = name.partition(" ")
    data = datasets.load(source).scaled()
    data = first(data, rows or SETS[source])
    owner = np.arange(data.X.shape[1]) * 7 % parties
    if numbers:
        owner[-2] = -1
        data = replace(data, y=data.X[:, -2].astype(float) * 3 + 1, classes=())
    return FederatedDataset(data, Partition("columns", owner, parties))


def first(data: Dataset, rows: int) -> Dataset:
    """Keep the first rows, every fifth of them held out."""
    return replace(data, X=data.X[:rows], y=data.y[:rows], held_out=np.arange(rows) % 5 == 0, groups={},
                   sensitive={name: values[:rows] for name, values in data.sensitive.items()})  # fmt: skip


def played(trainer: BoostTrainer, rounds: int) -> tuple[State, list[Seen]]:
    """Play some rounds."""
    state, seen = trainer.start(), []
    for index in range(1, rounds + 1):
        state, found = trainer.step(state, index, never)
        seen.append(found)
    return state, seen


def central(trainer: BoostTrainer, rounds: int, **more: Any) -> tuple[np.ndarray, np.ndarray]:
    """Train XGBoost by its own objective on all columns that somebody holds; return margins of train and test rows."""
    table = trainer.table
    columns = sorted(c for own in table.columns for c in own)
    aims = {0: ("reg:squarederror", 0.0), 2: ("binary:logistic", 0.5)}
    objective, base = aims.get(table.classes, ("multi:softprob", 0.0))
    settings = {"tree_method": "hist", "max_bin": 32, "max_depth": 6, "eta": 0.1, "objective": objective, "nthread": 1,
                "base_score": base, **({"num_class": table.classes} if table.classes > 2 else {}), **more}  # fmt: skip
    grown = xgboost.train(settings, xgboost.DMatrix(table.X[:, columns], table.y, nthread=1), rounds)
    sides = (grown.predict(xgboost.DMatrix(X[:, columns]), output_margin=True) for X in (table.X, table.X_test))
    margins, tested = (side.reshape(len(side), -1) for side in sides)
    return margins, tested


@pytest.mark.parametrize("name", [*SETS, "letter numbers", "wine numbers", "acs_employment numbers"])
def test_margins_are_those_of_xgboost_on_all_columns(name: str) -> None:
    """Of several classes, two classes and numbers, on training and test rows."""
    trainer = fedtree(dealt(name), None, None, 1.0, 6)
    state, seen = played(trainer, 6)
    margins, tested = central(trainer, 6)
    assert np.abs(state["margins"] - margins).max() <= 1e-6
    assert np.abs(state["test_margins"] - tested).max() <= 1e-6
    assert np.abs(trainer.margins(state, trainer.table.X) - margins).max() <= 1e-6
    assert (state["feature"] >= 0).sum() > 20
    assert np.isnan(seen[-1].accuracy[0]) == (trainer.table.classes == 0)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [({"lr": 0.3, "depth": 3, "bins": 8}, {"eta": 0.3, "max_depth": 3, "max_bin": 8}),
     ({"reg_lambda": 5.0, "gamma": 0.5, "min_child_weight": 3.0}, {"lambda": 5.0, "gamma": 0.5, "min_child_weight": 3}),
     ({"depth": 1, "lr": 1.0}, {"max_depth": 1, "eta": 1.0})],
)  # fmt: skip
def test_parameters_mean_what_they_mean_to_xgboost(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    """On wine, five rounds."""
    trainer = fedtree(dealt("wine"), None, None, 1.0, 5, **ours)
    state, _ = played(trainer, 5)
    assert np.abs(state["margins"] - central(trainer, 5, **theirs)[0]).max() <= 1e-6


def test_light_roots_add_nothing() -> None:
    """Of 16 rows of letter and 26 classes: a class whose curvature is below 1 gets a tree of weight 0, as XGBoost's."""
    trainer = fedtree(dealt("letter", rows=20), None, None, 1.0, 10, lr=1.0)
    state, _ = played(trainer, 10)
    bare = (state["feature"] < 0).all(axis=1)
    light = state["weight"][bare, 0] == 0
    assert light.any()
    assert not light.all()
    assert np.abs(state["margins"] - central(trainer, 10, eta=1.0)[0]).max() <= 1e-6


def test_letter_whole_is_that_of_xgboost() -> None:
    """12,000 rows and 26 classes, where the inner loops are compiled."""
    data = datasets.load("letter").scaled()
    fed = FederatedDataset(data, Partition("columns", np.arange(16) * 7 % 4, 4))
    trainer = fedtree(fed, None, None, 1.0, 2)
    state, _ = played(trainer, 2)
    margins, tested = central(trainer, 2)
    assert np.abs(state["margins"] - margins).max() <= 1e-6
    assert np.abs(state["test_margins"] - tested).max() <= 1e-6


def test_trees_do_not_depend_on_who_holds_what() -> None:
    """Two or six parties, and everything in one place: one state; only bytes differ."""
    states = [played(fedtree(dealt("wine", parties), None, None, 1.0, 3), 3)[0] for parties in (2, 6)]
    states.append(played(pooled_trees(dealt("wine"), None, None, 1.0, 3), 3)[0])
    for state in states[1:]:
        assert all(np.array_equal(state[name], states[0][name]) for name in state)


@pytest.mark.parametrize("name", ["wine", "acs_employment", "letter numbers"])
def test_what_is_simulated_has_the_same_trees_and_the_same_bytes(name: str) -> None:
    """By kind, sender and receiver, in every round; and it says that it is simulated."""
    real, counted = (fedtree(dealt(name), None, None, 1.0, 4, engine=each) for each in ("exchange", "simulated"))
    (state, seen), (other, noted) = played(real, 4), played(counted, 4)
    assert all(np.array_equal(state[name], other[name]) for name in state)
    for mine, theirs in zip(seen, noted, strict=True):
        assert set(mine.traffic) == set(theirs.traffic) == {"gradient", "histogram", "split", "instance set"}
        assert all(np.array_equal(mine.traffic[kind], theirs.traffic[kind]) for kind in mine.traffic)
    assert "simulated" not in real.facts
    assert counted.facts["simulated"] == "simulated: trained centrally, messages counted"


def test_bytes_of_a_stump_by_hand() -> None:
    """Eight rows, party 0 with a constant column, parties 1 and 2 with one column each that parts the classes.

    Each of the two others gets 8 rows · 2 · 4 = 64 bytes of gradients and sends the root's histogram, 16 bytes a bin.
    The first of two equal columns, party 1's, is the split: it hears of it in 16 bytes and answers with 8 bits.
    Nothing is grown below, so nobody else hears.
    """
    X = np.array([[1, 0, 0]] * 4 + [[1, 1, 1]] * 4, np.float32)
    data = Dataset("eight", X, np.repeat([0, 1], 4), tuple("abc"), ("no", "yes"), Provenance("made here", "none"))
    fed = FederatedDataset(data, Partition("columns", np.arange(3), 3))
    trainer = fedtree(fed, None, None, 1.0, 1, depth=1, min_child_weight=0.5)
    bins = [int(own.counts.sum()) for own in trainer.parties]
    state, (seen,) = played(trainer, 1)
    assert state["feature"][0].tolist() == [1, -1, -1]
    assert {kind: sizes.tolist() for kind, sizes in seen.traffic.items()} == {
        "gradient": [[128, 0, 0], [0, 64, 64]],
        "histogram": [[0, 16 * bins[1], 16 * bins[2]], [16 * (bins[1] + bins[2]), 0, 0]],
        "split": [[16, 0, 0], [0, 16, 0]],
        "instance set": [[0, 1, 0], [1, 0, 0]],
    }
    assert state["weight"][0, 1:].tolist() == pytest.approx([-0.1, 0.1])  # ±(4 · 0.5)/(4 · 0.25 + 1) · 0.1


def test_messages_of_a_given_tree_by_hand() -> None:
    """Ten rows, two levels: 6 rows go left of party 1's root split and are split by party 0; 4 right by party 2.

    Root: told to both others (32 bytes), 10 bits from party 1 (2 bytes), passed on to party 2 (2 bytes). Below, the
    last level: only party 2 is told of its own split (16 bytes) and sends 4 bits (1 byte).
    """
    trainer = fedtree(dealt("wine", 3), None, None, 1.0, 1)
    layout = Layout.of(trainer.parties)
    owned = [int(own.columns[0]) for own in trainer.parties]
    grown = Trees(np.array([[owned[1], owned[0], owned[2], -1, -1, -1, -1]], np.int32), np.zeros((1, 7), np.int16),
                  np.zeros((1, 7), np.float32))  # fmt: skip
    wire = Channel(3)
    count_messages(grown, np.array([[3, 3, 3, 3, 4, 4, 5, 5, 5, 6]]), layout, wire)
    bins = [int(own.counts.sum()) for own in trainer.parties]
    assert wire.traffic == {
        (0, 1, "gradient"): 80, (0, 2, "gradient"): 80,
        (1, 0, "histogram"): 2 * 16 * bins[1], (2, 0, "histogram"): 2 * 16 * bins[2],  # the root's, and one child's
        (0, 1, "split"): 16, (0, 2, "split"): 16 + 16,
        (1, 0, "instance set"): 2, (0, 2, "instance set"): 2, (2, 0, "instance set"): 1,
    }  # fmt: skip


@dataclass(frozen=True)
class _Envelope:
    inside: Any


@dataclass(frozen=True)
class _Closed:
    """A cover whose messages are closed envelopes: only the first party opens them."""

    plain: Plain

    def gradients(self, g: np.ndarray, h: np.ndarray, party: int, wire: Channel) -> _Envelope:
        return _Envelope(self.plain.gradients(g, h, party, wire))

    def histogram(self, held: _Envelope, *rest: Any) -> _Envelope:
        return _Envelope(self.plain.histogram(held.inside, *rest))

    def opened(self, message: _Envelope, *rest: Any) -> np.ndarray:
        return self.plain.opened(message.inside, *rest)


def test_a_cover_may_hold_whatever_it_likes() -> None:
    """The exchange looks into no message before it is opened."""
    trainer = fedtree(dealt("wine"), None, None, 1.0, 2)
    closed = replace(trainer, grow=Exchange(6, 0.1, Rules(), _Closed(Plain())))
    (state, _), (other, _) = played(trainer, 2), played(closed, 2)
    assert all(np.array_equal(state[name], other[name]) for name in state)


@pytest.mark.parametrize("engine", ["exchange", "simulated"])
def test_resuming_is_bit_for_bit_the_whole_run(engine: Any) -> None:
    """Rounds 3 and 4 from a frozen copy of round 2's state, by a trainer bound anew."""
    whole, again = (fedtree(dealt("acs_employment"), None, None, 1.0, 4, engine=engine) for _ in range(2))
    between, _ = played(whole, 2)
    kept = {name: values.copy() for name, values in between.items()}
    for values in between.values():
        values.setflags(write=False)
    end = between
    for index in (3, 4):
        end, _ = again.step(end, index, never)
    assert all(np.array_equal(between[name], kept[name]) for name in kept)
    straight, _ = played(whole, 4)
    assert all(np.array_equal(end[name], straight[name]) for name in end)
    assert len(end["feature"]) == 4
    assert np.array_equal(end["feature"][:2], between["feature"])


def test_answers_of_two_classes_and_of_numbers() -> None:
    """Chances add up to 1 and follow the margin; a regression answers in its own unit; slopes are not defined."""
    trainer = fedtree(dealt("acs_employment"), None, None, 1.0, 3)
    state, _ = played(trainer, 3)
    rows = trainer.table.X_test
    chances, margins = trainer.predict(state, rows), state["test_margins"][:, 0].astype(float)
    assert np.allclose(chances[:, 1], 1 / (1 + np.exp(-margins)), atol=1e-6)
    assert np.allclose(chances.sum(axis=1), 1, atol=1e-6)
    assert np.isnan(trainer.gradient(state, rows, np.ones((len(rows), 2)))).all()
    fed = dealt("letter numbers")
    errors = []
    for unit in (1.0, 1000.0):
        scaled = replace(fed, data=replace(fed.data, y=fed.data.y * unit))
        state, seen = played(fedtree(scaled, None, None, 1.0, 20), 20)
        errors.append(seen[-1].loss[0] / unit**2)
    assert errors[0] == pytest.approx(errors[1], rel=1e-4)
    assert errors[0] < 0.5 * np.var(fed.data.y)


def test_alone_and_pooled() -> None:
    """A yardstick sends nothing; one party uses its own columns only and is that of XGBoost on them."""
    fed = dealt("wine")
    alone = solo_trees(fed, None, None, 1.0, 3, party=2)
    state, seen = played(alone, 3)
    own = alone.table.columns[2]
    assert set(np.unique(state["feature"])) <= {-1, *own}
    assert seen[0].selected.tolist() == [False, False, True, False]
    assert seen[0].bytes_up.sum() == 0
    only = replace(alone, table=replace(alone.table, columns=(own,)))
    assert np.abs(state["margins"] - central(only, 3)[0]).max() <= 1e-6
    pooled = pooled_trees(fed, None, None, 1.0, 3)
    assert pooled.facts["federated"] is alone.facts["federated"] is False
    assert np.abs(played(pooled, 3)[0]["margins"] - central(pooled, 3)[0]).max() <= 1e-6


def test_facts_and_slots() -> None:
    """Three trees a round of 127 slots; leaves hold all the weight."""
    trainer = fedtree(dealt("wine"), None, None, 1.0, 2)
    assert trainer.facts["tensors"] == 6
    assert trainer.facts["parameters"] == 3 * 6 * 127
    state, _ = played(trainer, 2)
    assert state["feature"].shape == state["weight"].shape == (6, 127)
    assert not state["weight"][state["feature"] >= 0].any()
    grown = Trees(state["feature"][:3], state["bin"][:3], state["weight"][:3])
    leaf = leaves_of(grown, trainer._codes(trainer.table.X))
    assert (np.take_along_axis(grown.feature, leaf, axis=1) == -1).all()


def test_what_is_refused() -> None:
    """Messages name the thing and the rule."""
    fed = dealt("wine")
    for entry in (fedtree, solo_trees, pooled_trees):
        with pytest.raises(ValueError, match="trains without a privacy mechanism"):
            entry(fed, None, gaussian(), 1.0, 3)
        with pytest.raises(ValueError, match=r"participation must be 1 across columns, got 0\.5"):
            entry(fed, None, None, 0.5, 3)
    with pytest.raises(ValueError, match="party must be between 0 and 3, got 4"):
        solo_trees(fed, None, None, 1.0, 3, party=4)
    far = replace(fed, data=replace(fed.data, X=stream(0).standard_normal(fed.data.X.shape) * np.inf))
    with pytest.raises(ValueError, match="features must be finite numbers"):
        fedtree(far, None, None, 1.0, 3)


def test_memory_for_histograms_is_asked_before_work_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wine at depth 6: 3 trees of 32 nodes, 13 columns of 32 bins, 16 bytes a bin, twice: 1.28 MB."""
    monkeypatch.setattr(memory, "free", lambda: 1_250_000)
    with pytest.raises(ValueError, match=r"fedtree on wine must fit into the 0\.0 GB of memory that are free"):
        fedtree(dealt("wine"), None, None, 1.0, 3)
    fedtree(dealt("wine"), None, None, 1.0, 3, depth=5)
