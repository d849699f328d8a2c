"""Noise across columns: its ε against another accountant, its size, its sensitivity, and that runs stay runs."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import dp_accounting
import numpy as np
import pytest
import torch
from dp_accounting.pld import PLDAccountant

from tests.vertical.test_vertical_splitnn import exact, letter, never, toy
from trustkit import datasets
from trustkit.catalogue import ALGORITHMS, PRIVACY, use
from trustkit.experiment import Experiment
from trustkit.horizontal import gaussian
from trustkit.rng import stream
from trustkit.rounds import build, run
from trustkit.vertical import Channel, column_noise, listening, splitnn
from trustkit.vertical.boosted.boosting import derivatives
from trustkit.vertical.defences.column_noise import epsilon_of, noise_for, open_ledger
from trustkit.vertical.defences.message_noise import Shield, clipped, rowwise
from trustkit.vertical.defences.randomised_labels import LabelFlips, flipped
from trustkit.vertical.defences.residual_noise import label_noise, least_squares_rate, reach, spent_by
from trustkit.vertical.networks.layers import chain, drawn, shapes_of, views

SMALL: dict[str, Any] = {"local": (6, 4), "top": (5,), "batch": 16}


@pytest.mark.parametrize(("noise", "releases"), [(5.0, 10), (20.0, 200), (1.0, 1)])
def test_epsilon_is_that_of_a_numerical_accountant(noise: float, releases: int) -> None:
    """Composing by privacy loss distributions, which is another method, gives the same within its grid."""
    by_grid = PLDAccountant(value_discretization_interval=1e-4)
    by_grid.compose(dp_accounting.GaussianDpEvent(noise), releases)
    assert epsilon_of(noise, releases, 1e-5) == pytest.approx(by_grid.get_epsilon(1e-5), rel=2e-2)
    assert epsilon_of(noise, releases, 1e-5) <= by_grid.get_epsilon(1e-5) + 1e-6
    assert epsilon_of(noise_for(3.0, releases, 1e-5), releases, 1e-5) == pytest.approx(3.0, rel=1e-6)
    assert epsilon_of(0.0, releases, 1e-5) == math.inf
    assert epsilon_of(noise, 0, 1e-5) == 0.0


def test_a_ledger_composes_two_releases_a_round_of_features_and_one_of_labels() -> None:
    """A run of 10 rounds spends what was asked for at its end; halfway less; either unit by itself."""
    for kind, releases in (("features", 2), ("labels", 1)):
        ledger = open_ledger(column_noise(kind, epsilon=6.0), "x", 10)  # type: ignore[arg-type]
        assert ledger is not None
        assert getattr(ledger, kind) == pytest.approx(noise_for(6.0, 10 * releases, 1e-5))
        assert ledger.spent(10) == pytest.approx(6.0, rel=1e-6)
        assert 0 < ledger.spent(5) < ledger.spent(10)
    both = open_ledger(column_noise("both", epsilon=None, noise=9.0), "x", 10)
    assert both is not None
    assert both.spent(10) == epsilon_of(9.0, 20, 1e-5)
    bare = open_ledger(column_noise(epsilon=None, noise=1.0, clip=None), "x", 10)
    assert bare is not None
    assert bare.spent(3) == math.inf
    assert bare.facts(10)["assumption"].startswith("No guarantee")
    assert open_ledger(None, "x", 1) is None


def test_cut_rows_are_as_long_as_allowed() -> None:
    """Longer rows are shortened to C, shorter ones stay."""
    rows = torch.tensor([[3.0, 4.0], [0.3, 0.4], [0.0, 0.0]])
    assert torch.allclose(clipped(rows, 1.0), torch.tensor([[0.6, 0.8], [0.3, 0.4], [0.0, 0.0]]))


@pytest.mark.parametrize("clip", [0.5, math.inf])
def test_rows_of_a_chain_are_cut_one_by_one(clip: float) -> None:
    """Against PyTorch's gradient of each row alone, cut over all layers together and added up."""
    shapes = shapes_of([3, 6, 5, 4])
    layers = views(torch.tensor(drawn(shapes, stream(2))), shapes)
    x, slope = (torch.tensor(stream(3, k).standard_normal((7, w))) for k, w in enumerate((3, 4)))
    expected = [torch.zeros_like(layer) for layer in layers]
    for i in range(7):
        own = torch.autograd.grad((chain(layers, x[i : i + 1]) * slope[i]).sum(), layers)
        length = math.sqrt(sum(float((part**2).sum()) for part in own))
        for total, part in zip(expected, own, strict=True):
            total += part * min(1.0, clip / length)
    for mine, theirs in zip(rowwise(layers, x, slope, clip), expected, strict=True):
        assert torch.allclose(mine, theirs, rtol=0, atol=1e-12)


def test_noise_has_the_size_that_the_ledger_says() -> None:
    """σ·2C on embeddings and, divided by the rows, on a party's step; σ√2 on the loss's gradient by the scores."""
    ledger = open_ledger(column_noise("both", epsilon=None, noise=3.0, clip=0.5), "x", 1)
    shield = Shield(ledger, 1.0, stream(5))
    sent = shield.embedding(torch.zeros(400, 50))
    assert float(sent.std()) == pytest.approx(3.0 * 2 * 0.5, rel=0.02)
    assert float(shield.slopes(torch.zeros(200, 60)).std()) == pytest.approx(3 * math.sqrt(2) / 200, rel=0.02)
    assert float(shield.slopes(torch.zeros(9000, 1)).std()) == pytest.approx(3 * 2 / 9000, rel=0.04)
    layers = views(torch.zeros(50 * 200 + 50), ((50, 200), (50,)))
    weights, _ = shield.own(layers, torch.zeros(40, 200), torch.zeros(40, 50))
    assert float(weights.std()) == pytest.approx(3.0 * 2 * 0.5 / 40, rel=0.03)


def test_no_noise_and_a_wide_norm_are_no_defence_at_all() -> None:
    """With σ → 0 and C → ∞ the shielded step is the plain one."""
    trainer = exact(toy(), local=(6, 4), top=(5,))
    leaves = trainer.network.leaves(torch.tensor(trainer.network.init(0)))
    parts, y = trainer.network.cut(trainer.table.X.astype(float)), torch.tensor(trainer.table.y)
    plain = trainer.exchange(leaves, parts, y, Channel(3))
    tiny = open_ledger(column_noise("both", epsilon=None, noise=1e-13, clip=1e6), "x", 1)
    shielded = trainer.exchange(leaves, parts, y, Channel(3), Shield(tiny, 1.0, stream(1)))
    for mine, theirs in zip(shielded, plain, strict=True):
        assert torch.allclose(mine, theirs, rtol=0, atol=1e-6)


@pytest.mark.parametrize("kind", ["features", "labels", "both"])
def test_a_private_run_resumes_bit_for_bit_and_spends_what_it_says(kind: str) -> None:
    """From round 2 by a trainer bound anew; ε grows to what was asked for."""
    mechanism = column_noise(kind, epsilon=8.0)  # type: ignore[arg-type]
    whole = splitnn(toy(), None, mechanism, 1.0, 4, seed=2, **SMALL)
    state, states, spent = whole.start(), [], []
    for index in range(1, 5):
        state, seen = whole.step(state, index, never)
        states.append(state)
        spent.append(seen.epsilon)
    assert spent == sorted(spent)
    assert spent[-1] == pytest.approx(8.0, rel=1e-6)
    assert whole.facts["epsilon"] == spent[-1]
    state, again = states[1], splitnn(toy(), None, mechanism, 1.0, 4, seed=2, **SMALL)
    for index in (3, 4):
        state, _ = again.step(state, index, never)
    assert all(np.array_equal(state[name], states[-1][name]) for name in state)
    other = splitnn(toy(), None, mechanism, 1.0, 4, seed=3, **SMALL)
    assert not np.array_equal(other.step(other.start(), 1, never)[0]["params"], states[0]["params"])


@pytest.mark.parametrize(("keep", "entries"), [(0.5, 2), (0.3, 2), (0.25, 1), (1.0, 4)])
def test_only_the_largest_entries_are_sent_back(keep: float, entries: int) -> None:
    """⌈keep·w⌉ entries of 4 + 2 bytes a row; without any left out 4 bytes each."""
    trainer = splitnn(toy(), None, None, 1.0, 1, keep=keep, **SMALL)
    state, seen = trainer.step(trainer.start(), 1, never)
    rows = trainer.table.y.size
    each = 4 * entries if keep == 1 else 6 * entries
    assert seen.traffic["gradient"][0].tolist() == [2 * rows * each, 0, 0]
    heard = {(m.kind, m.sender, m.receiver): m.numbers for m in trainer.overheard(state, np.arange(rows), 2)}
    assert (np.count_nonzero(heard["gradient", 0, 1], axis=1) <= entries).all()
    full = replace(trainer, keep=1.0).overheard(state, np.arange(rows), 2)
    whole = next(m.numbers for m in full if m.kind == "gradient" and m.receiver == 1)
    kept = np.sort(np.abs(heard["gradient", 0, 1]), axis=1)[:, -entries:]
    assert np.array_equal(kept, np.sort(np.abs(whole), axis=1)[:, -entries:])


def test_what_is_overheard_is_what_was_sent() -> None:
    """Embeddings are the party's own layers on its columns; gradients the loss's by them, of batches in order."""
    trainer = exact(toy(), **SMALL)
    state, rows = trainer.start(), np.array([5, 3, 40, 7])
    heard = trainer.overheard(state, rows, 1)
    assert [(m.sender, m.receiver, m.kind, m.numbers.shape) for m in heard] == [
        (1, 0, "embedding", (4, 4)), (2, 0, "embedding", (4, 4)), (0, 1, "gradient", (4, 4)), (0, 2, "gradient", (4, 4))
    ]  # fmt: skip
    leaves = trainer.network.leaves(torch.tensor(state["params"]))
    for k in (1, 2):
        own = chain(trainer.network.part(leaves, k), trainer.network.cut(trainer.table.X[rows])[k])
        assert np.array_equal(heard[k - 1].numbers, own.detach().numpy())


def test_label_flips_are_those_of_randomised_response() -> None:
    """A label stays with e^ε / (e^ε + C − 1) and else becomes each other one equally often; tests stay true."""
    fed, flips = letter(4), LabelFlips(2.0)
    told = flipped(fed, flips, "x", 0)
    y, z, train = fed.data.y, told.data.y, ~fed.data.held_out
    assert np.array_equal(y[~train], z[~train])
    stays = math.exp(2) / (math.exp(2) + 25)
    assert (y == z)[train].mean() == pytest.approx(stays, abs=4 * math.sqrt(stays * (1 - stays) / train.sum()))
    moved = np.bincount((z - y)[train & (y != z)] % 26, minlength=26)[1:]
    assert moved.min() > 0.75 * moved.mean()
    assert LabelFlips(50.0).truth(26) == pytest.approx(1.0)


def test_any_algorithm_learns_from_randomised_labels() -> None:
    """The whole run costs ε once, whatever the rounds; the sheet's facts say so; a stopped run goes on."""
    for name in ("splitnn", "gal", "fedtree"):
        wanted = Experiment("wine", use("importance", parties=2), name, privacy=use("randomised_labels", epsilon=1.5),
                            rounds=2)  # fmt: skip
        record = run(wanted)
        assert record.epsilon.tolist() == [1.5, 1.5]
        facts = build(wanted).trainer.facts
        assert (facts["mechanism"], facts["epsilon"], facts["delta"]) == ("randomised_labels", 1.5, 0.0)
        assert np.array_equal(build(wanted).fed.data.y, datasets.load("wine").y)


def test_what_is_refused() -> None:
    """Both or neither of ε and noise, ε without a norm, mechanisms for the other axis, labels that are numbers."""
    for bad in ({"noise": 1.0}, {"epsilon": None}):
        with pytest.raises(ValueError, match="takes exactly one of epsilon and noise, got"):
            column_noise(**bad)
    with pytest.raises(ValueError, match="claims no ε for features without clip"):
        column_noise("both", clip=None)
    with pytest.raises(ValueError, match="splitnn trains without a privacy mechanism for rows"):
        splitnn(toy(), None, gaussian(), 1.0, 1)
    with pytest.raises(ValueError, match="because fedavg divides rows, got 'column_noise'"):
        Experiment("digits", "iid", "fedavg", "logistic", privacy="column_noise")
    numbers = replace(toy(), data=replace(toy().data, y=np.linspace(0, 1, 90), classes=()))
    with pytest.raises(ValueError, match="labels must be classes to be answered at random, got numbers for x"):
        flipped(numbers, LabelFlips(1.0), "x", 0)
    with pytest.raises(ValueError, match="solo trains without a privacy mechanism, as nothing is sent"):
        build(Experiment("wine", use("importance", parties=2), "solo", privacy="randomised_labels"))


@pytest.mark.parametrize("algorithm", [name for name, entry in ALGORITHMS.items() if entry.axis == "columns"])
@pytest.mark.parametrize("name", [name for name, entry in PRIVACY.items() if entry.axis == "columns"])
def test_an_algorithm_takes_a_mechanism_or_says_in_one_line_that_it_does_not(name: str, algorithm: str) -> None:
    """And if it takes it, the facts tell ε, level and assumption."""
    wanted = Experiment("wine", use("importance", parties=2), algorithm, privacy=name, rounds=1)
    facts, refusal = {}, ""
    try:
        facts = dict(build(wanted).trainer.facts)
    except ValueError as error:
        refusal = str(error)
    if refusal:
        assert "trains without a privacy mechanism" in refusal
        assert "\n" not in refusal
        return
    assert 0 < facts["epsilon"] < math.inf
    assert facts["mechanism"] == name
    assert facts["level"].startswith("one row's ")
    assert str(facts["assumption"]).endswith(".")


def test_replacing_a_row_moves_no_release_by_more_than_its_sensitivity() -> None:
    """Party 1's embedding and step move by at most 2C each, and the step's other rows not at all."""
    trainer, clip = exact(toy(), local=(6, 4), top=(5,)), 0.05
    leaves = trainer.network.leaves(torch.tensor(trainer.network.init(0)))
    y = torch.tensor(trainer.table.y)
    tiny = open_ledger(column_noise(epsilon=None, noise=1e-12, clip=clip), "x", 1)
    X, worst = trainer.table.X.astype(float), [0.0, 0.0]
    owned = slice(4, 8)  # party 1's arrays
    for seed in range(5):
        other = X.copy()
        other[7, list(trainer.table.columns[1])] = 3 * stream(seed).standard_normal(2)
        found = []
        for table in (X, other):
            wire = Channel(3, heard=[])
            grads = trainer.exchange(leaves, trainer.network.cut(table), y, wire, Shield(tiny, 1.0, stream(1)))
            found.append((np.asarray(wire.heard[0].numbers), torch.cat([g.ravel() for g in grads[owned]])))  # type: ignore[index]
        moved = np.linalg.norm(found[0][0] - found[1][0], axis=1)
        assert (np.delete(moved, 7) < 1e-9).all()
        worst = [max(worst[0], moved[7]), max(worst[1], len(X) * float((found[0][1] - found[1][1]).norm()))]
    assert 0 < worst[0] <= 2 * clip + 1e-9
    assert 0 < worst[1] <= 2 * clip + 1e-9


@pytest.mark.parametrize("name", ["gal", "al", "fedtree"])
def test_ensembles_learn_from_noisy_residuals_alone(name: str) -> None:
    """ε grows to what was asked for; a run resumes bit for bit; with hardly any noise nothing much changes."""
    quick: dict[str, Any] = {"depth": 2} if name == "fedtree" else {"local": (8,), "local_epochs": 5}
    trainers = [ALGORITHMS.call(use(name, **quick), toy(), None, column_noise("labels", epsilon=e), 1.0, 3, seed=1)
                for e in (4.0, 4.0, 1e6)]  # fmt: skip
    state, spent, states = trainers[0].start(), [], []
    for index in (1, 2, 3):
        state, seen = trainers[0].step(state, index, never)
        spent.append(seen.epsilon)
        states.append(state)
    assert spent == sorted(spent)
    assert spent[-1] == pytest.approx(4.0, rel=1e-6) == trainers[0].facts["epsilon"]
    again, _ = trainers[1].step(states[1], 3, never)
    assert all(np.array_equal(again[key], state[key]) for key in state)
    bare = ALGORITHMS.call(use(name, **quick), toy(), None, None, 1.0, 3, seed=1)
    with listening() as loud, listening() as faint:
        trainers[2].step(trainers[2].start(), 1, never)
    with listening() as plain:
        bare.step(bare.start(), 1, never)
    assert not loud
    if name == "fedtree":  # whose margins start at 0 in any case
        first, second = (next(m.numbers for m in heard if m.kind == "gradient") for heard in (faint, plain))
        assert 0 < np.abs(first - second).max() < 0.02
    with pytest.raises(ValueError, match=f"{name} trains without a privacy mechanism for features"):
        ALGORITHMS.call(use(name, **quick), toy(), None, column_noise(), 1.0, 3, seed=1)


def test_residuals_get_the_noise_of_their_reach() -> None:
    """σ times √2, 1 or 2·scale; and no label moves a residual further than that."""
    for classes, width, far in ((3, 3, math.sqrt(2)), (2, 1, 1.0), (0, 1, 1.0)):
        noise = label_noise(column_noise("labels", epsilon=None, noise=2.0), "x", 1, reach(classes, width, 0.5), 7)
        assert noise is not None
        assert noise(np.zeros((3000, width)), 1).std() == pytest.approx(2 * far, rel=0.05)
        assert spent_by(noise, 3) == epsilon_of(2.0, 3, 1e-5)
    assert spent_by(None, 3) == math.inf
    for margins, labels, far in (
        (stream(1).standard_normal((50, 3)), (0, 2), math.sqrt(2)), (stream(2).standard_normal((50, 1)), (0, 1), 1.0)
    ):  # fmt: skip
        g, other = (derivatives(margins.astype(np.float32), np.full(50, label))[0] for label in labels)
        assert np.linalg.norm(g - other, axis=0).max() <= far + 1e-6
    assert least_squares_rate(np.zeros((2, 1)), np.ones((2, 1))) == 0.0
    assert least_squares_rate(np.ones((2, 1)), -np.ones((2, 1))) == 0.0
