"""C-VFL against a joint network and a plain loop with stale embeddings; bytes in closed form; resuming."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy, mse_loss

from trustkit import datasets
from trustkit.bench.vertibench_printed import split_of
from trustkit.bench.vertibench_settings import experiment
from trustkit.data import Dataset, FederatedDataset, Provenance
from trustkit.horizontal import gaussian
from trustkit.partition import Partition
from trustkit.records import Stopped
from trustkit.rng import stream
from trustkit.rounds import build
from trustkit.vertical.accounting import traffic_of
from trustkit.vertical.channel import Channel
from trustkit.vertical.cvfl import cvfl
from trustkit.vertical.networks.compress import Compressor
from trustkit.vertical.networks.layers import chain
from trustkit.vertical.networks.stale_training import StaleTrainer

SMALL: dict[str, Any] = {"local": (6, 8), "top": (5,), "batch": 16, "lr": 0.01}


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


def exact(fed: FederatedDataset, **args: Any) -> StaleTrainer:
    """Bind C-VFL in float64."""
    trainer: StaleTrainer = cvfl(fed, None, None, 1.0, 12, **{**SMALL, **args})
    return replace(trainer, network=replace(trainer.network, dtype="float64"))


class Parties:
    """The same parties in PyTorch's own layers: bottoms with ReLU after every layer, and a top."""

    def __init__(self, trainer: StaleTrainer) -> None:
        network = trainer.network
        self.columns = [list(own) for own in network.columns]
        self.bottoms = [layers((len(own), *network.local), close=True) for own in self.columns]
        self.top = layers((len(self.columns) * network.local[-1], *network.top, network.outputs))
        start, flat = 0, torch.tensor(network.init(trainer.seed))
        with torch.no_grad():
            for tensor in self.parameters():
                tensor.copy_(flat[start : start + tensor.numel()].view_as(tensor))
                start += tensor.numel()

    def parameters(self) -> list[torch.nn.Parameter]:
        """Return all, the top's last."""
        return [p for part in (*self.bottoms, self.top) for p in part.parameters()]

    def embeddings(self, X: torch.Tensor) -> list[torch.Tensor]:
        """Return one (n, width) a party."""
        return [net(X[:, own]) for net, own in zip(self.bottoms, self.columns, strict=True)]

    def flat(self) -> np.ndarray:
        """Return all parameters one after the other."""
        return np.concatenate([p.detach().numpy().ravel() for p in self.parameters()])


def layers(widths: tuple[int, ...], close: bool = False) -> torch.nn.Sequential:
    """Build linear layers with ReLU between them, and after the last if they close with it."""
    found = [layer for a, b in pairwise(widths) for layer in (torch.nn.Linear(a, b), torch.nn.ReLU())]
    return torch.nn.Sequential(*(found if close else found[:-1])).double()


def batches(trainer: StaleTrainer, index: int) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Return an epoch's rows and labels."""
    order = stream(trainer.seed, index, "batches").permutation(trainer.table.y.size)
    X, y = torch.tensor(trainer.table.X.astype(float)), torch.tensor(trainer.table.y)
    return [(X[order[s : s + trainer.batch]], y[order[s : s + trainer.batch]])
            for s in range(0, len(order), trainer.batch)]  # fmt: skip


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_whole_messages_and_one_step_are_the_joint_network_under_one_adam(classes: int) -> None:
    """All step from the same parameters, and Adam moves each number by its own gradient alone: the joint step."""
    trainer = exact(toy(classes), compressor="none", local_steps=1, seed=3)
    parties, state = Parties(trainer), trainer.start()
    adam = torch.optim.Adam(parties.parameters(), lr=0.01)
    for index in (1, 2, 3):
        state, _ = trainer.step(state, index, never)
        for X, y in batches(trainer, index):
            adam.zero_grad()
            scores = parties.top(torch.cat(parties.embeddings(X), dim=1))
            (cross_entropy(scores, y) if classes else mse_loss(scores[:, 0].sigmoid(), y)).backward()  # type: ignore[no-untyped-call]
            adam.step()
    assert np.abs(state["params"] - parties.flat()).max() <= 1e-9
    assert int(state["steps"]) == 3 * 4


def compress(tensor: torch.Tensor, share: float) -> torch.Tensor:
    """Keep the share of a tensor that is furthest from 0."""
    flat = tensor.detach().clone().ravel()
    flat[flat.abs().argsort(descending=True)[max(1, int(len(flat) * share)) :]] = 0
    return flat.view_as(tensor)


def plain_epoch(trainer: StaleTrainer, parties: Parties, adams: list[Any], last: list[Any], index: int) -> None:
    """Play an epoch of Castiglia's loop: stale compressed others, Q steps each, top-k by the last offsets' gradient."""
    squeezed = trainer.squeeze.compressor == "topk"
    for X, y in batches(trainer, index):
        sent = [h.detach().clone() for h in parties.embeddings(X)]
        if squeezed and last[0] is not None:
            for h, slope in zip(sent, last, strict=True):
                h[:, (-slope.abs()).argsort(stable=True)[2:]] = 0  # 8 wide at 256 levels: 8 · 8/32 are kept
        copy = layers((len(sent) * sent[0].shape[1], *trainer.network.top, trainer.network.outputs))
        with torch.no_grad():
            for mine, theirs in zip(copy.parameters(), parties.top.parameters(), strict=True):
                mine.copy_(compress(theirs, 8 / 32) if squeezed else theirs)
        for k, (net, own) in enumerate(zip(parties.bottoms, parties.columns, strict=True)):
            for _ in range(trainer.local_steps):
                adams[k].zero_grad()
                wrong = cross_entropy(copy(torch.cat([*sent[:k], net(X[:, own]), *sent[k + 1 :]], dim=1)), y)
                last[k] = torch.autograd.grad(wrong, list(net.parameters())[-1], retain_graph=True)[0]
                wrong.backward()  # type: ignore[no-untyped-call]
                adams[k].step()
        for _ in range(trainer.local_steps):
            adams[-1].zero_grad()
            cross_entropy(parties.top(torch.cat(sent, dim=1)), y).backward()  # type: ignore[no-untyped-call]
            adams[-1].step()


@pytest.mark.parametrize("compressor", ["none", "topk"])
def test_epochs_are_those_of_a_plain_loop_with_stale_others(compressor: str) -> None:
    """Written anew with PyTorch's modules and one optimiser a party; three local steps, 256 levels, two epochs."""
    trainer = exact(toy(), compressor=compressor, local_steps=3, levels=256, seed=5, top=(12,))
    parties, state, last = Parties(trainer), trainer.start(), [None] * 3
    adams = [torch.optim.Adam(part.parameters(), lr=0.01) for part in (*parties.bottoms, parties.top)]
    for index in (1, 2):
        state, _ = trainer.step(state, index, never)
        plain_epoch(trainer, parties, adams, last, index)
    assert np.abs(state["params"] - parties.flat()).max() <= 1e-9
    assert np.abs(state["last"] - torch.stack(last).numpy()).max() <= 1e-9  # type: ignore[arg-type]


@pytest.mark.parametrize("compressor", ["topk", "quantize", "none"])
def test_bytes_are_those_of_the_protocol(compressor: Compressor) -> None:
    """Four parties of letter's first 2,000 rows, batches of 1,024: closed form by kind of message."""
    data = datasets.load("letter").scaled()
    data = replace(data, held_out=np.arange(data.y.size) >= 2000)
    fed, K, rows = FederatedDataset(data, Partition("columns", np.arange(16) % 4, 4)), 4, 2000
    trainer = cvfl(fed, None, None, 1.0, 2, compressor=compressor, local_steps=1, batch=1024)
    state, first = trainer.step(trainer.start(), 1, never)
    _, second = trainer.step(state, 2, never)
    arrays = [400 * 200, 200, 200 * 26, 26]
    sizes = {
        "topk": (48 * rows, sum(8 * max(1, size // 16) for size in arrays)),
        "quantize": (rows * 25 + 2 * 8, sum(-(-size // 4) + 8 for size in arrays)),
        "none": (400 * rows, 4 * sum(arrays)),
    }
    up, model = sizes[compressor]
    assert second.traffic["embedding"][0].tolist() == [(K - 1) * (K - 1) * up, up, up, up]
    assert second.traffic["embedding"][1].tolist() == [(K - 1) * up] * K
    assert second.traffic["model"][1].tolist() == [0.0] + [2 * model] * 3
    assert "label" not in second.traffic
    dense = up + 1024 * (400 - 48) if compressor == "topk" else up
    assert first.traffic["embedding"][0, 1:].tolist() == [dense] * 3
    assert first.traffic["label"].tolist() == [[3 * 8 * rows, 0, 0, 0], [0] + [8 * rows] * 3]


def test_incoming_bytes_are_those_of_the_closed_form() -> None:
    """Default sizes, 600 rows, two rounds: what the first party gets as `traffic_of` has it, and what it sends."""
    data = datasets.load("letter").scaled()
    data = replace(data, held_out=np.arange(data.y.size) >= 600)
    fed = FederatedDataset(data, Partition("columns", np.arange(16) % 4, 4))
    trainer, received, sent = cvfl(fed, None, None, 1.0, 2, local_steps=1), 0.0, 0.0
    state = trainer.start()
    for index in (1, 2):
        state, seen = trainer.step(state, index, never)
        received, sent = received + seen.bytes_down[0], sent + seen.bytes_up[0]
    args: dict[str, Any] = {"rows": 600, "test_rows": 0, "columns": 16, "parties": 4, "outputs": 26, "rounds": 2}
    each = 2 * 600 * 48 + 512 * 352
    model = 8 * (80_000 // 16 + 200 // 16 + 5200 // 16 + 26 // 16)
    assert received == 3 * each == traffic_of("cvfl", **args)["max_in"]
    assert sent == 3 * (3 * each + 2 * 2 * model + 8 * 600)


def test_resuming_is_bit_for_bit_the_whole_run_and_states_stay() -> None:
    """Moments, last gradients and dither go on; no state is changed in place."""
    for compressor in ("topk", "quantize"):
        args: dict[str, Any] = {**SMALL, "compressor": compressor, "local_steps": 2, "seed": 8}
        whole = cvfl(toy(), None, None, 1.0, 4, **args)
        state, states = whole.start(), []
        for index in range(1, 5):
            for values in state.values():
                values.setflags(write=False)
            before = {name: values.copy() for name, values in state.items()}
            after, _ = whole.step(state, index, never)
            assert all(np.array_equal(state[name], before[name]) for name in before)
            state = after
            states.append(state)
        again = cvfl(toy(), None, None, 1.0, 4, **args)
        state = states[1]
        for index in (3, 4):
            state, _ = again.step(state, index, never)
            assert all(np.array_equal(state[name], states[index - 1][name]) for name in state)


def test_logits_read_whole_embeddings_and_gradients_are_theirs() -> None:
    """Against PyTorch's layers and central differences; probabilities add up to 1."""
    trainer = exact(toy())
    state, X = trainer.start(), stream(1).standard_normal((5, 7))
    weights, parties = stream(2).standard_normal((5, 3)), Parties(trainer)
    with torch.no_grad():
        expected = parties.top(torch.cat(parties.embeddings(torch.tensor(X)), dim=1)).numpy()
    assert np.allclose(trainer.logits(state, X), expected, rtol=0, atol=1e-14)
    assert np.allclose(trainer.predict(state, X).sum(axis=1), 1)
    slopes, shift = trainer.gradient(state, X, weights), 1e-6 * np.eye(7)
    for j in range(7):
        change = trainer.logits(state, X + shift[j]) - trainer.logits(state, X - shift[j])
        assert np.allclose(slopes[:, j], (change * weights).sum(axis=1) / 2e-6, rtol=0, atol=1e-7)


def test_what_is_overheard_is_what_was_sent() -> None:
    """After a step top-k leaves one dimension of eight; before it, all; the first party sends down what it got."""
    trainer, rows = exact(toy(), local_steps=1), np.arange(20)
    state, _ = trainer.step(trainer.start(), 1, never)
    heard = {(each.sender, each.receiver): each.numbers for each in trainer.overheard(state, rows, 2)}
    assert set(heard) == {(1, 0), (2, 0), (0, 1), (0, 2)}
    assert all((heard[k, 0] != 0).any(axis=0).sum() <= 1 for k in (1, 2))
    assert np.array_equal(heard[0, 1][:, 8:], np.concatenate([heard[1, 0], heard[2, 0]], axis=1))
    assert (trainer.overheard(trainer.start(), rows, 1)[0].numbers != 0).any(axis=0).sum() > 1


@pytest.mark.parametrize(("classes", "compressor"), [(2, "none"), (2, "quantize"), (0, "none"), (0, "quantize")])
def test_it_learns_two_classes_and_a_regression(classes: int, compressor: str) -> None:
    """Better than the larger class, and than the mean of the training rows."""
    fed = toy(classes, rows=300)
    args = {"compressor": compressor, "levels": 16, "local": (16, 16), "local_steps": 2, "batch": 32}
    trainer = cvfl(fed, None, None, 1.0, 10, **{**SMALL, **args})
    state = trainer.start()
    for index in range(1, 11):
        state, seen = trainer.step(state, index, never)
    y = fed.data.y[fed.data.held_out]
    if classes:
        assert seen.accuracy[0] > max(np.mean(y == 0), np.mean(y == 1)) + 0.15
    else:
        assert np.isnan(seen.accuracy).all()
        assert seen.loss[0] < 0.5 * np.var(y)


def test_it_can_be_stopped_between_two_parties() -> None:
    """Three embeddings, three turns and one of the upper layers: the sixth tick is before the last party's turn."""
    trainer, calls = cvfl(toy(), None, None, 1.0, 1, **SMALL), []

    def stop() -> None:
        calls.append(1)
        if len(calls) == 6:
            raise Stopped

    with pytest.raises(Stopped):
        trainer.step(trainer.start(), 1, stop)


def test_what_is_refused() -> None:
    """Messages name the thing and the rule."""
    fed = toy()
    with pytest.raises(ValueError, match="cvfl trains without a privacy mechanism"):
        cvfl(fed, None, gaussian(), 1.0, 3)
    with pytest.raises(ValueError, match=r"participation must be 1 across columns, got 0\.5"):
        cvfl(fed, None, None, 0.5, 3)
    with pytest.raises(ValueError, match="local must name at least one width"):
        cvfl(fed, None, None, 1.0, 3, local=())


def test_what_is_evaluated_matters() -> None:
    """On letter the compressed embeddings and layers that parties hold are far worse than whole ones: a stated reason.

    `trustkit.bench.vertibench_table2.REASONS` gives it for a gap to the printed numbers; here after one epoch of the
    benchmark's own run, where 34 % and 16 % were seen.
    """
    run = experiment("cvfl", "letter", "letter", split_of("α = 1"))
    trainer = build(run).trainer
    assert isinstance(trainer, StaleTrainer)
    state, seen = trainer.step(trainer.start(), 1, never)
    held = {name: torch.tensor(values) for name, values in state.items()}
    leaves, cut = trainer.network.leaves(held["params"]), trainer.network.cut(trainer.table.X_test)
    wire = Channel(trainer.table.parties)
    dithers = [stream(0, "never drawn", k) for k in range(trainer.table.parties + 1)]
    joined, upper = trainer.exchange(leaves, cut, held, wire, dithers)
    right = chain(upper, joined).argmax(dim=1).numpy() == trainer.table.y_test
    assert right.mean() < seen.accuracy[0] - 0.1
