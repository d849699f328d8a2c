"""SecureBoost and VF²Boost grow the trees of the plaintext exchange, under a key, and send what they say they send."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from trustkit import datasets
from trustkit.catalogue import ALGORITHMS, use
from trustkit.data import Dataset, FederatedDataset, Provenance
from trustkit.horizontal import gaussian
from trustkit.partition import Partition
from trustkit.records import Seen, State, Stopped
from trustkit.rng import stream
from trustkit.vertical.boosted.bins import Binned
from trustkit.vertical.boosted.boosting import BoostTrainer
from trustkit.vertical.boosted.histograms import histogram
from trustkit.vertical.channel import Channel
from trustkit.vertical.encrypted.cost_estimate import makespan
from trustkit.vertical.encrypted.paillier import Key, Lock, key_of
from trustkit.vertical.encrypted.secureboost_messages import sealed
from trustkit.vertical.encrypted.vf2boost_messages import Woven, woven
from trustkit.vertical.fedtree import fedtree
from trustkit.vertical.overheard import listening
from trustkit.vertical.secureboost import secureboost
from trustkit.vertical.vf2boost import vf2boost

KEPT = ("feature", "bin", "weight", "margins", "test_margins")
SIZE = 128
"""Bytes of a number locked by a key of 512 bits."""


def binary(rows: int = 150, parties: int = 3) -> FederatedDataset:
    """Make rows of 6 columns in 2 uneven classes, every third held out."""
    generator = stream(21, "toy")
    X = generator.standard_normal((rows, 6))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * generator.standard_normal(rows) > 1).astype(int)
    data = Dataset("toy", X, y, tuple("abcdef"), ("no", "yes"), Provenance("made here", "none"),
                   held_out=np.arange(rows) % 3 == 0)  # fmt: skip
    return FederatedDataset(data, Partition("columns", np.arange(6) % parties, parties))


def regression() -> FederatedDataset:
    """Make a regression of the same rows."""
    fed = binary()
    X = fed.data.X
    return replace(fed, data=replace(fed.data, y=300 + 20 * X[:, 0] - 9 * X[:, 4] ** 2, classes=()))


def wine() -> FederatedDataset:
    """Deal the columns of wine out to four parties: 3 classes."""
    data = datasets.load("wine").scaled()
    return FederatedDataset(data, Partition("columns", np.arange(13) % 4, 4))


def played(trainer: BoostTrainer, rounds: int = 2) -> tuple[State, list[Seen]]:
    """Play rounds."""
    state, seen = trainer.start(), []
    for index in range(1, rounds + 1):
        state, last = trainer.step(state, index, lambda: None)
        seen.append(last)
    return state, seen


def same(found: State, wanted: State) -> None:
    """Compare two runs: the same splits, and numbers within 10⁻⁶."""
    assert np.array_equal(found["feature"], wanted["feature"])
    assert np.array_equal(found["bin"], wanted["bin"])
    assert (wanted["feature"] >= 0).sum() > 3
    for name in ("weight", "margins", "test_margins"):
        assert np.abs(found[name] - wanted[name]).max() <= 1e-6


TREES: list[Callable[..., BoostTrainer]] = [secureboost, vf2boost]


@pytest.mark.parametrize("made", [binary, regression, wine])
@pytest.mark.parametrize("algorithm", TREES, ids=["secureboost", "vf2boost"])
def test_trees_are_those_of_the_plaintext_exchange(
    algorithm: Callable[..., BoostTrainer], made: Callable[[], FederatedDataset]
) -> None:
    """Two classes, numbers, three classes; margins within 10⁻⁶; a second run, under other keys, gives the same bits."""
    fed = made()
    args: dict[str, Any] = {"depth": 3, "bins": 8, "min_child_weight": 0.5}
    wanted, _ = played(fedtree(fed, None, None, 1.0, 2, engine="exchange", **args))
    found, seen = played(algorithm(fed, None, None, 1.0, 2, key_bits=512, **args))
    same(found, wanted)
    again, more = played(algorithm(fed, None, None, 1.0, 2, key_bits=512, **args))
    assert all(np.array_equal(again[name], found[name]) for name in KEPT)
    assert all(np.array_equal(more[1].traffic[kind], sizes) for kind, sizes in seen[1].traffic.items())


def test_a_longer_key_gives_the_same_trees() -> None:
    """1,024 bits; nothing of the result depends on the key."""
    fed = binary(90)
    args: dict[str, Any] = {"depth": 2, "bins": 4}
    short, _ = played(secureboost(fed, None, None, 1.0, 1, key_bits=512, **args), 1)
    long, _ = played(secureboost(fed, None, None, 1.0, 1, key_bits=1024, **args), 1)
    assert all(np.array_equal(short[name], long[name]) for name in KEPT)


@pytest.mark.parametrize("together", [True, False])
def test_secureboost_s_bytes_are_those_of_the_plaintext_in_locked_numbers(together: bool) -> None:
    """16 bytes a bin become one locked number or two, 8 bytes a row likewise; the rest is as without a key."""
    fed = wine()
    args: dict[str, Any] = {"depth": 3, "bins": 8}
    _, plain = played(fedtree(fed, None, None, 1.0, 1, engine="exchange", **args), 1)
    trainer = secureboost(fed, None, None, 1.0, 1, key_bits=512, packed=together, **args)
    _, seen = played(trainer, 1)
    locked, before, now = SIZE * (1 if together else 2), plain[0].traffic, seen[0].traffic
    assert set(now) == {"key", "encrypted gradient", "encrypted histogram", "split", "instance set"}
    assert np.array_equal(now["encrypted histogram"], before["histogram"] / 16 * locked)
    assert np.array_equal(now["encrypted gradient"], before["gradient"] / 8 * locked)
    assert now["encrypted gradient"][0, 0] == 3 * 3 * len(trainer.table.y) * locked
    assert now["key"][:, :].tolist() == [[192, 0, 0, 0], [0, 64, 64, 64]]
    for kind in ("split", "instance set"):
        assert np.array_equal(now[kind], before[kind])


def test_facts_bound_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many numbers are locked as the facts say, no more are opened, and a short key is called what it is."""
    done = {"locked": 0, "opened": 0}
    for name in done:
        real = getattr(Key, name)

        def counted(self: Key, value: Any, name: str = name, real: Any = real) -> Any:
            done[name] += 1
            return real(self, value)

        monkeypatch.setattr(Key, name, counted)
    trainer = secureboost(wine(), None, None, 1.0, 1, key_bits=512, depth=2, bins=4)
    played(trainer, 1)
    assert done["locked"] == trainer.facts["encryptions_a_round"] == 3 * len(trainer.table.y)
    assert 0 < done["opened"] <= trainer.facts["openings_a_round"]
    assert "for teaching only" in trainer.facts["encryption"]
    longer = secureboost(wine(), None, None, 1.0, 1)
    assert "as in use" in longer.facts["encryption"]
    assert longer.facts["estimated_seconds_a_round"] > trainer.facts["estimated_seconds_a_round"]


@pytest.mark.parametrize("algorithm", TREES, ids=["secureboost", "vf2boost"])
def test_fresh_noise_changes_no_tree_and_no_byte(algorithm: Callable[..., BoostTrainer]) -> None:
    """Noise is on the locked numbers' looks alone; the facts count it."""
    args: dict[str, Any] = {"key_bits": 512, "depth": 2, "bins": 4}
    plain, noisy = (algorithm(binary(60), None, None, 1.0, 1, **args, fresh_noise=fresh) for fresh in (False, True))
    (found, seen), (wanted, before) = played(noisy, 1), played(plain, 1)
    assert all(np.array_equal(found[name], wanted[name]) for name in KEPT)
    assert all(np.array_equal(seen[0].traffic[kind], sizes) for kind, sizes in before[0].traffic.items())
    assert noisy.facts["estimated_seconds_a_round"] > plain.facts["estimated_seconds_a_round"]


@pytest.mark.parametrize("fresh", [False, True])
def test_a_locked_sum_tells_its_rows_unless_there_is_fresh_noise(fresh: bool) -> None:
    """Rows with the same derivatives: whoever locked them recognises a bin of one row by its locked number."""
    g = np.full((1, 3), 0.5, np.float32)
    own = Binned(np.array([0]), (np.arange(3, dtype=np.float32),), np.array([[0], [1], [1]], np.uint8))
    cover = sealed(g, g / 2, key_of(512), True, lambda: None, fresh)
    held = cover.gradients(g, g, 1, Channel(2))
    message = cover.histogram(held, own, np.zeros((1, 3), np.int32), 1, 3, 1, Channel(2))
    single, pair, empty = message[0][0][0]
    rows = held[0][0]
    assert (single == rows[0]) == (pair == rows[1] * rows[2] % cover.key.lock.square) == (empty == 1) == (not fresh)
    assert cover.opened(message, own, 1, 3)[0, 0].tolist() == [[0.5, 0.25], [1.0, 0.5], [0.0, 0.0]]


def test_no_gradient_crosses_in_the_clear() -> None:
    """Whoever keeps every array that crosses has splits and instance sets, whole numbers both, and no gradient."""
    for algorithm in TREES:
        with listening() as heard:
            played(algorithm(binary(), None, None, 1.0, 1, key_bits=512, depth=2, bins=4), 1)
        assert {each.kind for each in heard} <= {"split", "instance set"}
        assert all(np.issubdtype(each.numbers.dtype, np.integer) for each in heard)


def test_a_threshold_moves_predictions_and_nothing_else() -> None:
    """With t = 0.3 the second class is predicted where its chance was 0.3 or more; trees are the same."""
    fed = binary()
    args: dict[str, Any] = {"key_bits": 512, "depth": 2, "bins": 4}
    half, rare = (secureboost(fed, None, None, 1.0, 2, threshold=t, **args) for t in (0.5, 0.3))
    (state, _), (other, _) = played(half), played(rare)
    assert all(np.array_equal(state[name], other[name]) for name in KEPT)
    before, after = (trainer.predict(state, fed.data.X)[:, 1] for trainer in (half, rare))
    assert np.array_equal(after >= 0.5, before >= 0.3)
    assert 0 < (before >= 0.5).sum() < (after >= 0.5).sum()
    assert np.allclose(after, before * 0.7 / (before * 0.7 + (1 - before) * 0.3), atol=1e-6)


def cover(exponents: int, pieces: int = 1) -> tuple[Woven, np.ndarray, np.ndarray, Binned]:
    """Lock 40 rows of two trees for a party of two columns of 5 and 3 bins."""
    generator = stream(31, "rows")
    codes = np.stack([generator.integers(0, 5, 40), generator.integers(0, 3, 40)], axis=1).astype(np.uint8)
    own = Binned(np.array([0, 1]), (np.arange(5, dtype=np.float32), np.arange(3, dtype=np.float32)), codes)
    g, h = (generator.uniform(low, 1, (2, 40)).astype(np.float32) for low in (-1, 0))
    made = woven(g, h, [own, own], key_of(512), exponents, pieces, stream(32, exponents), lambda: None)
    return made, g, h, own


@pytest.mark.parametrize(("exponents", "pieces"), [(1, 1), (4, 7), (8, 40)])
def test_woven_histograms_are_the_plain_ones(exponents: int, pieces: int) -> None:
    """At the root, which is added up while rows arrive, and below; in ⌈nodes · 8 / bins⌉ locked numbers."""
    made, g, h, own = cover(exponents, pieces)
    below = stream(33).integers(-1, 3, (2, 40)).astype(np.int32)
    for at, nodes in ((np.repeat([[0], [1]], 40, axis=1).astype(np.int32), 2), (below, 3)):
        wire = Channel(2)
        message = made.histogram(made.gradients(g, h, 1, wire), own, at, nodes, 5, 1, wire)
        sums = made.opened(message, own, nodes, 5)
        assert np.abs(sums - histogram(own.codes, g, h, at, nodes, 5)).max() <= 40 * 2.0**-41
        assert made.bins > 1
        assert len(message) == -(-nodes * 8 // made.bins)
        assert wire.traffic == {(0, 1, "key"): 64, (0, 1, "encrypted gradient"): 80 * (SIZE + 1),
                                (1, 0, "encrypted histogram"): len(message) * SIZE}  # fmt: skip


def test_a_bin_is_scaled_once_for_each_exponent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three coarser scales and 2 · 8 bins take at most 48 scalings; scaling at each row of another scale takes more."""
    made, _, _, own = cover(4)
    scaled: list[int] = []
    real = Lock.times

    def counted(self: Lock, cipher: Any, factor: int) -> Any:
        if factor.bit_length() <= 13:
            scaled.append(factor)
        return real(self, cipher, factor)

    monkeypatch.setattr(Lock, "times", counted)
    at = np.repeat([[0], [1]], 40, axis=1).astype(np.int32)
    made.histogram(made.rows, own, at, 2, 5, 1, Channel(2))
    assert 0 < len(scaled) <= 3 * 2 * 8
    assert set(scaled) == {16, 256, 4096}
    naive = sum(int((np.diff(made.exponent[tree, own.codes[:, j] == b]) != 0).sum())
                for tree in range(2) for j in range(2) for b in range(5))  # fmt: skip
    assert len(scaled) < naive


def test_pieces_and_scales_change_nothing_but_the_modelled_time() -> None:
    """One piece or nine, one scale or four: the same trees. Overlap shortens what the model says."""
    fed = binary()
    args: dict[str, Any] = {"key_bits": 512, "depth": 3, "bins": 8}
    runs = [vf2boost(fed, None, None, 1.0, 1, pieces=pieces, exponents=exponents, **args)
            for pieces, exponents in ((1, 1), (9, 1), (9, 4))]  # fmt: skip
    states = [played(trainer, 1)[0] for trainer in runs]
    assert all(np.array_equal(states[0][name], states[1][name]) for name in KEPT)
    same(states[2], states[0])
    one, nine = (trainer.facts for trainer in runs[:2])
    assert one["modelled_pipeline_seconds"] == one["modelled_sequence_seconds"] == nine["modelled_sequence_seconds"]
    assert nine["modelled_pipeline_seconds"] < nine["modelled_sequence_seconds"]
    assert makespan([3.0, 1.0, 2.0], 3) == 2 + 2 * 1.0  # 1 + 1/3 + 2/3 for a piece, and two more turns of the slowest


def test_vf2boost_sends_back_a_fraction_of_what_secureboost_does() -> None:
    """Two bins and more share a number, so that histograms are less than half as long."""
    fed = wine()
    args: dict[str, Any] = {"key_bits": 512, "depth": 2, "bins": 16}
    (_, plain), (_, packed) = (played(algorithm(fed, None, None, 1.0, 1, **args), 1) for algorithm in TREES)
    before, after = (seen[0].traffic["encrypted histogram"].sum() for seen in (plain, packed))
    assert after <= 0.52 * before


@pytest.mark.parametrize("algorithm", TREES, ids=["secureboost", "vf2boost"])
def test_what_is_refused_and_stopped(algorithm: Callable[..., BoostTrainer]) -> None:
    """A mechanism, a short key by the catalogue and by the function; and a tick comes between locked numbers."""
    fed, name = binary(60), algorithm.__name__
    with pytest.raises(ValueError, match=f"{name} trains without a privacy mechanism"):
        algorithm(fed, None, gaussian(), 1.0, 1)
    with pytest.raises(ValueError, match="got 256"):
        algorithm(fed, None, None, 1.0, 1, key_bits=256)
    with pytest.raises(ValueError, match="key_bits must be between 512 and 4096, got 256"):
        ALGORITHMS.complete(use(name, key_bits=256))
    calls: list[int] = []

    def stop() -> None:
        calls.append(1)
        if len(calls) == 20:
            raise Stopped

    trainer = algorithm(fed, None, None, 1.0, 1, key_bits=512)
    with pytest.raises(Stopped):
        trainer.step(trainer.start(), 1, stop)
