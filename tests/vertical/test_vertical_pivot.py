"""Pivot grows the trees of the plaintext exchange although nobody sees a sum, a gain or an instance set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from trustkit.data import Dataset, FederatedDataset, Provenance
from trustkit.horizontal import gaussian
from trustkit.partition import Partition
from trustkit.records import Stopped
from trustkit.rng import stream
from trustkit.vertical.boosted.bins import binned
from trustkit.vertical.boosted.boosting import BoostTrainer, derivatives
from trustkit.vertical.boosted.histograms import Rules, histogram
from trustkit.vertical.channel import Channel
from trustkit.vertical.encrypted.jointkey import joint_key
from trustkit.vertical.encrypted.packing import fixed, packed
from trustkit.vertical.fedtree import fedtree
from trustkit.vertical.pivot import pivot
from trustkit.vertical.sharing.hidden_instance_sets import Hidden
from trustkit.vertical.sharing.pivot_trees import HiddenExchange, candidates_of
from trustkit.vertical.sharing.shares import Ring, Talk
from trustkit.vertical.table import laid_out

SIZE = 128


def binary(parties: int = 3, rows: int = 72) -> FederatedDataset:
    """Make rows of 4 columns in 2 classes, every sixth held out."""
    generator = stream(41, "toy")
    X = generator.standard_normal((rows, 4))
    y = (X[:, 0] + X[:, 1] * X[:, 2] > 0.3).astype(int)
    data = Dataset("toy", X, y, tuple("abcd"), ("no", "yes"), Provenance("made here", "none"),
                   held_out=np.arange(rows) % 6 == 0)  # fmt: skip
    return FederatedDataset(data, Partition("columns", np.arange(4) % parties, parties))


def regression() -> FederatedDataset:
    """Make a regression of the same rows."""
    fed = binary(2)
    return replace(fed, data=replace(fed.data, y=5 * fed.data.X[:, 0] - fed.data.X[:, 3] ** 2, classes=()))


def three() -> FederatedDataset:
    """Make three classes of the same rows."""
    fed = binary(2)
    y = np.digitize(fed.data.X[:, 0] + fed.data.X[:, 1], [-0.5, 0.5])
    return replace(fed, data=replace(fed.data, y=y, classes=("x", "y", "z")))


@pytest.mark.parametrize(("made", "depth"), [(binary, 2), (regression, 2), (three, 1)])
def test_trees_are_those_of_the_plaintext_exchange(made: Callable[[], FederatedDataset], depth: int) -> None:
    """Two rounds: the same splits, margins within 10⁻⁶; another trainer goes on bit for bit under another key."""
    fed = made()
    args: dict[str, Any] = {"depth": depth, "bins": 5}
    plain = fedtree(fed, None, None, 1.0, 2, engine="exchange", **args)
    blind, again = (pivot(fed, None, None, 1.0, 2, key_bits=512, **args) for _ in range(2))
    state, wanted = blind.start(), plain.start()
    for index in (1, 2):
        before = state
        state, _ = blind.step(state, index, lambda: None)
        wanted, _ = plain.step(wanted, index, lambda: None)
    assert (wanted["feature"] >= 0).sum() >= 2
    assert np.array_equal(state["feature"], wanted["feature"])
    assert np.array_equal(state["bin"], wanted["bin"])
    for name in ("weight", "margins", "test_margins"):
        assert np.abs(state[name] - wanted[name]).max() <= 1e-6
    if made is binary:
        resumed, _ = again.step(before, 2, lambda: None)
        assert all(np.array_equal(resumed[name], state[name]) for name in state)


def test_without_a_pull_to_0_and_with_light_roots_trees_are_the_plain_ones_too() -> None:
    """λ = 0, where an empty side has H + λ = 0; and roots of less than the least curvature, whose weight is 0."""
    cases: list[dict[str, Any]] = [{"reg_lambda": 0.0, "min_child_weight": 0.1}, {"min_child_weight": 40.0}]
    for args in cases:
        plain = fedtree(binary(2, 36), None, None, 1.0, 1, depth=2, bins=4, **args)
        blind = pivot(binary(2, 36), None, None, 1.0, 1, key_bits=512, depth=2, bins=4, **args)
        (state, _), (wanted, _) = (each.step(each.start(), 1, lambda: None) for each in (blind, plain))
        assert np.array_equal(state["feature"], wanted["feature"])
        assert (state["feature"] >= 0).any() == ("reg_lambda" in args)
        assert np.abs(state["margins"] - wanted["margins"]).max() <= 1e-6
        assert (state["margins"] == 0).all() == ("reg_lambda" not in args)


def test_bytes_are_those_of_the_protocol() -> None:
    """Masks and gradients as the notes count them; parts of the key are never used by fewer than all."""
    trainer = pivot(binary(), None, None, 1.0, 1, key_bits=512, depth=2, bins=4)
    state, seen = trainer.step(trainer.start(), 1, lambda: None)
    n, inner = 60, int((state["feature"] >= 0).sum())
    assert inner in (2, 3)
    masks, gradients = seen.traffic["encrypted mask"], seen.traffic["encrypted gradient"]
    assert masks[0].sum() == masks[1].sum() == (1 + inner) * 2 * n * SIZE
    assert gradients.tolist() == [[2 * 2 * n * SIZE, 0, 0], [0, 2 * n * SIZE, 2 * n * SIZE]]
    parts = seen.traffic["partial decryption"]
    assert parts[0, 0] == 0
    assert parts[0, 1] == parts[0, 2] > 0
    assert set(seen.traffic) == {"dealt", "encrypted mask", "encrypted gradient", "encrypted share mask",
                                 "masked histogram", "partial decryption", "opening"}  # fmt: skip
    assert not {"gradient", "histogram", "instance set"} & set(seen.traffic)


def hidden_of(parties: int, key_bits: int = 512) -> tuple[Hidden, list[np.ndarray]]:
    """Let parties compute on locked instance sets, and keep what is opened."""
    heard: list[np.ndarray] = []
    wire = Channel(parties)
    talk = Talk(Ring(200, parties), stream(42, "dealer"), wire, lambda: None, heard)
    return Hidden(joint_key(key_bits, parties), talk, 40, stream(42, "masks"), wire, lambda: None), heard


def test_sums_become_shares_that_say_nothing() -> None:
    """Shares of the sums under a locked instance set add up to the plain histogram; masked sums look like masks."""
    fed = binary()
    table = laid_out(fed, "pivot")
    parties = binned(table, 6)
    generator, n = stream(43), len(table.y)
    g, h = (generator.uniform(low, 1, (1, n)).astype(np.float32) for low in (-1, 0))
    inside = generator.random(n) < 0.4
    hidden, heard = hidden_of(3)
    numbers = [packed(pair, hidden.width) for pair in zip(fixed(h[0], 30), fixed(g[0], 30), strict=True)]
    masks = hidden.divided(hidden.everybody(n), inside, 1)
    assert len({int(c) for c in masks[0]}) == n
    shares = hidden.sums(hidden.weighted(masks[0], numbers), parties)
    at = np.where(inside, 0, -1)[None].astype(np.int32)
    cells = [histogram(own.codes, g, h, at, 1, 6)[0][own.real(6)] for own in parties]
    plain = np.concatenate(cells)
    found = hidden.talk.ring.joined(shares)
    assert np.abs(found.astype(float) / 2**30 - plain).max() < 60 * 2.0**-31
    for k in range(3):
        assert not (shares[k] == found).any()
        raw = b"".join(int(v).to_bytes(25, "little") for v in shares[k].ravel())
        assert chisquare(np.bincount(np.frombuffer(raw, np.uint8), minlength=256)).pvalue > 1e-4
    masked = np.concatenate(heard).astype(float)
    assert masked.min() > 2.0**60  # sums are below 2^37: what the first party opens is masks to all but 2^−40
    leaf = hidden.leaves([masks[0], masks[1]], [1, 2], 1)
    assert leaf.tolist() == np.where(inside, 1, 2).tolist()


def test_only_splits_and_weights_are_opened_in_the_clear() -> None:
    """Of all numbers that are opened while a tree grows, none is a gradient sum; names of splits and weights are."""
    fed = binary()
    table = laid_out(fed, "pivot")
    parties, heard = binned(table, 4), list[np.ndarray]()
    g, h = derivatives(np.zeros((len(table.y), 1), np.float32), table.y)
    grow = HiddenExchange(1, 0.1, Rules(), 512, 3, heard)
    trees, leaf = grow(g, h, parties, Channel(3), lambda: None, 1)
    splits = candidates_of(parties)
    best = np.flatnonzero((splits.column == trees.feature[0, 0]) & (splits.bin == trees.bin[0, 0]))[0]
    words = [told for told in heard if told.dtype == object]
    assert [best + 1] in [told.tolist() for told in words]
    ring = Ring(grow.scale(len(table.y), 1.0).ring_bits, 3)
    weights = np.array([-float(v) for v in ring.signed(words[-1])]) / 2**30
    assert np.allclose(np.sort(weights * 0.1), np.sort(trees.weight[0, 1:]), atol=1e-7)
    sums = [round(float(side[0, leaf[0] == s].sum()) * 2**30) for side in (g, h) for s in (1, 2)]
    opened = {int(v) for told in words for v in np.ravel(ring.signed(told))}
    assert not opened & set(sums)


def test_candidates_stand_by_column_and_bin() -> None:
    """Whoever holds a column; sums on the left are those of the bins up to there."""
    table = laid_out(binary(2), "pivot")
    parties = binned(table, 3)
    splits = candidates_of(parties)
    assert splits.column.tolist() == sorted(splits.column.tolist())
    assert splits.owner.tolist() == (splits.column % 2).tolist()
    own, cells = len(parties[0].counts), np.arange(len(splits.column))
    sums = np.zeros((1, cells.size, 2), object)
    sums[0, :, 0] = cells
    first = int(parties[0].counts[0])
    assert own == 2
    assert splits.left(sums)[0, :first, 0].tolist() == np.arange(first).cumsum().tolist()


def test_what_is_refused_and_stopped() -> None:
    """A mechanism, a short key; and a tick comes before each locked number."""
    fed = binary()
    with pytest.raises(ValueError, match="pivot trains without a privacy mechanism"):
        pivot(fed, None, gaussian(), 1.0, 1)
    with pytest.raises(ValueError, match="from 512 on, got 256"):
        pivot(fed, None, None, 1.0, 1, key_bits=256)
    trainer: BoostTrainer = pivot(fed, None, None, 1.0, 1, key_bits=512)
    assert trainer.facts["encryptions_a_round"] > 0
    assert "first party" in trainer.facts["opened"]
    calls: list[int] = []

    def stop() -> None:
        calls.append(1)
        if len(calls) == 30:
            raise Stopped

    with pytest.raises(Stopped):
        trainer.step(trainer.start(), 1, stop)
    assert len(calls) == 30
