"""Chains of layers against autograd; what training holds, asked before it begins; a tick between small steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from trustkit import memory
from trustkit.catalogue import ALGORITHMS, use
from trustkit.data import Dataset, FederatedDataset, Provenance
from trustkit.partition import Partition
from trustkit.records import Trainer
from trustkit.rng import stream
from trustkit.vertical import Channel
from trustkit.vertical.assisting.merging import assistance
from trustkit.vertical.networks.layers import back, chain, forth, shapes_of, views
from trustkit.vertical.networks.network import SplitNetwork

SMALL: dict[str, dict[str, Any]] = {
    "splitnn": {"local": (4, 3), "top": (5,)}, "cvfl": {"local": (4, 3), "top": (5,), "local_steps": 3},
    "blindfl": {"width": 3, "top": (4,)}, "solo": {"local": (4,), "top": (3,)}, "pooled": {"local": (4,), "top": (3,)},
    "secureboost": {"key_bits": 512, "depth": 2, "bins": 4}, "vf2boost": {"key_bits": 512, "depth": 2, "bins": 4},
    "pivot": {"key_bits": 512, "depth": 1, "bins": 2},
}  # fmt: skip


def toy(rows: int = 40, parties: int = 3) -> FederatedDataset:
    """Make a small table in 2 classes with a column a party and one more."""
    generator = stream(31, "toy")
    X = generator.standard_normal((rows, parties + 1))
    data = Dataset("toy", X, (X[:, 0] > 0).astype(int), tuple(f"c{j}" for j in range(parties + 1)), ("no", "yes"),
                   Provenance("made here", "none"), held_out=np.arange(rows) % 4 == 0)  # fmt: skip
    return FederatedDataset(data, Partition("columns", np.arange(parties + 1) % parties, parties))


def bound(name: str, **more: Any) -> Trainer:
    """Bind an algorithm to the small table."""
    trainer: Trainer = ALGORITHMS.call(use(name, **SMALL[name], **more), toy(), None, None, 1.0, 2, seed=1)
    return trainer


@pytest.mark.parametrize("widths", [(4, 3), (4, 6, 3), (5, 7, 6, 2)])
def test_forth_and_back_are_autograd_s(widths: tuple[int, ...]) -> None:
    """The chain rule written out gives autograd's gradients by all arrays and by what went in."""
    shapes, generator = shapes_of(widths), stream(32, "chain", len(widths))
    flat = torch.tensor(generator.standard_normal(sum(int(np.prod(shape)) for shape in shapes)))
    layers = views(flat, shapes)
    x = torch.tensor(generator.standard_normal((9, widths[0])), requires_grad=True)
    weights = torch.tensor(generator.standard_normal((9, widths[-1])))
    out = chain(layers, x)
    *wanted, by_x = torch.autograd.grad((out * weights).sum(), [*layers, x])
    with torch.no_grad():
        found, inputs = forth(layers, x)
        grads, below = back(layers, inputs, weights, through=True)
    assert torch.equal(found, out)
    for mine, theirs in zip([*grads, below], [*wanted, by_x], strict=True):
        assert torch.allclose(mine, theirs, rtol=0, atol=1e-13)


@pytest.mark.parametrize("name", list(SMALL))
def test_what_does_not_fit_is_refused_before_it_is_begun(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence with what is free and what is needed; four copies of the table, or sixteen, would have fitted."""
    monkeypatch.setattr(memory, "free", lambda: (16 if name == "blindfl" else 4) * 4 * 40 * 4)
    args = {name: value for name, value in SMALL[name].items() if name in ("key_bits", "depth", "bins")}
    with pytest.raises(ValueError, match=r"must fit into the 0\.0 GB of memory that are free, got about") as refused:
        ALGORITHMS.call(use(name, **args), toy(), None, None, 1.0, 2)
    assert "toy" not in str(refused.value), "the network or the locked numbers were to be refused, not the table"
    assert "\n" not in str(refused.value)


def test_wide_networks_are_evaluated_in_small_pieces() -> None:
    """2,048 parties' embeddings of 100 numbers: 81 rows are 66 MB; the scores are those of all rows at once."""
    wide = SplitNetwork(tuple((j,) for j in range(2048)), 2048, (100,), (), 2)
    assert (wide.together, SplitNetwork(((0,), (1,)), 2, (100, 100), (200,), 2).together) == (81, 8192)
    params, X = wide.init(1), stream(33).standard_normal((90, 2048)).astype(np.float32)
    ticks: list[int] = []
    found = wide.logits(params, X, lambda: ticks.append(1))
    assert len(ticks) == 2
    assert np.array_equal(found[:81], wide.logits(params, X[:81]))


@pytest.mark.parametrize(("name", "least"), [
    ("splitnn", lambda K, batches: 2 * K * batches + 1),
    ("cvfl", lambda K, batches: (K + 4 + 3 * (K + 1)) * batches + 1),
    ("blindfl", lambda K, batches: (2 * K - 1) * batches + 1),
])  # fmt: skip
def test_every_party_s_part_of_a_batch_ticks(name: str, least: Callable[[int, int], int]) -> None:
    """So that many parties cannot keep a stop waiting: up and down, each array, each local step, and evaluation."""
    ticks: list[int] = []
    trainer = bound(name, batch=10)
    trainer.step(trainer.start(), 1, lambda: ticks.append(1))
    assert len(ticks) == least(3, 3)


def test_assistance_in_pieces_is_assistance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows read in several pieces, with a tick before each, give the same weights."""
    generator = stream(34)
    outputs, residual = generator.standard_normal((3, 50, 2)), generator.standard_normal((50, 2))
    whole = assistance(outputs, residual)
    monkeypatch.setattr("trustkit.vertical.assisting.merging._PRODUCTS", 9 * 30)
    ticks: list[int] = []
    assert np.allclose(assistance(outputs, residual, lambda: ticks.append(1)), whole, rtol=0, atol=1e-12)
    assert len(ticks) == 4


def test_a_key_s_length_is_refused_for_what_it_is() -> None:
    """1,001 bits are not too short, but no whole number of bytes."""
    with pytest.raises(ValueError, match=r"^key_bits of pivot must be a multiple of 8 from 512 on, got 1001$"):
        ALGORITHMS.call(use("pivot", key_bits=1001), toy(), None, None, 1.0, 1)


def test_neither_end_of_a_triple_has_the_other_s_seed() -> None:
    """What the dealer draws for a party and for the keeper of its weights comes from streams apart."""
    trainer: Any = bound("blindfl")
    table = trainer.table
    sitting = trainer.layer.sit(table.X, np.arange(len(table.y)), Channel(3), 1)
    for k in range(3):
        mine, theirs = sitting.dealers[k].integers(2**62, size=50), sitting.lenders[k].integers(2**62, size=50)
        assert not np.isin(mine, theirs).any()
