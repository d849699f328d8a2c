"""Learning without a server: mixing by hand, its laws, and where it is FedAvg."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.horizontal.naive_loop import never, play, toy
from tests.horizontal.naive_steps import descend, even, played
from trustkit.horizontal import Dense, fedavg, gaussian, gossip
from trustkit.horizontal.topology import Topology, consensus_distance, links, mixing
from trustkit.rng import stream

MLP = Dense((5, 6, 3), "float64")


def test_a_ring_of_four_by_hand() -> None:
    """Everybody has two neighbours, so each counts 1/(1 + 2) and a client itself 1 − 2/3."""
    linked = links("ring", 4, 0.0, stream(0))
    assert linked.astype(int).tolist() == [[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]]
    assert np.allclose(3 * mixing(linked), [[1, 1, 0, 1], [1, 1, 1, 0], [0, 1, 1, 1], [1, 0, 1, 1]], rtol=1e-15)


def test_a_star_by_hand() -> None:
    """The centre has degree 3: every link counts 1/4; a leaf keeps 3/4, the centre 1/4."""
    linked = np.zeros((4, 4), bool)
    linked[0, 1:] = linked[1:, 0] = True
    assert np.allclose(4 * mixing(linked), [[1, 1, 1, 1], [1, 3, 0, 0], [1, 0, 3, 0], [1, 0, 0, 3]], rtol=1e-15)


@settings(max_examples=50)
@given(
    topology=st.sampled_from(["ring", "random", "complete"]), m=st.integers(1, 12), density=st.floats(0, 1),
    seed=st.integers(0, 99),
)  # fmt: skip
def test_mixing_is_doubly_stochastic_and_reaches_everybody(
    topology: Topology, m: int, density: float, seed: int
) -> None:
    """Rows and columns add up to 1, the matrix is symmetric, and m − 1 rounds bring everybody news of everybody."""
    linked = links(topology, m, density, stream(seed))
    weights = mixing(linked)
    assert not linked.diagonal().any()
    assert (weights >= -1e-15).all()
    assert np.allclose(weights.sum(axis=0), 1, rtol=0, atol=1e-12)
    assert np.allclose(weights.sum(axis=1), 1, rtol=0, atol=1e-12)
    assert np.array_equal(weights, weights.T)
    assert (np.linalg.matrix_power(linked + np.eye(m), max(1, m - 1)) > 0).all()


@given(models=st.integers(1, 6).flatmap(lambda m: st.lists(st.floats(-9, 9), min_size=m, max_size=m)))
def test_consensus_distance_is_a_deviation(models: list[float]) -> None:
    """In one dimension it is the population's standard deviation."""
    assert consensus_distance(np.array(models)[:, None]) == pytest.approx(np.std(models), abs=1e-12)


def test_random_graphs_have_the_density_asked_for() -> None:
    """Of 40·39/2 pairs 40 are the ring's; of the others a share of 0.3 is linked, within five deviations."""
    degrees = links("random", 40, 0.3, stream(1)).sum()
    others = 40 * 39 / 2 - 40
    assert abs(degrees / 2 - 40 - 0.3 * others) <= 5 * np.sqrt(0.21 * others)
    assert np.array_equal(links("random", 9, 0.0, stream(1)).sum(axis=1), np.full(9, 2))


def test_a_complete_graph_is_fedavg() -> None:
    """Clients of equal size count the same there, and all models are equal after each round."""
    state, seen = played(gossip(even(), MLP, None, 1.0, 10, lr=0.2, batch=8, topology="complete"), 10)
    plain, plainly = played(fedavg(even(), MLP, None, 1.0, 10, lr=0.2, batch=8), 10)
    assert np.abs(state["models"] - plain["params"]).max() <= 1e-9
    assert np.abs(state["params"] - plain["params"]).max() <= 1e-9
    assert state["consensus"][0] <= 1e-12
    assert np.array_equal(seen.accuracy, plainly.accuracy)


@pytest.mark.parametrize("share", [1.0, 0.6])
def test_gossip_on_a_ring_agrees_with_the_plain_loop(share: float) -> None:
    """Clients of unequal size, in the order of their numbers; who does not take part keeps its model."""
    trainer = gossip(toy(6, 90), MLP, None, share, 8, lr=0.2, batch=8, seed=3)
    state, own = trainer.start(), {k: MLP.init(3) for k in range(5)}
    for index in range(1, 9):
        state, seen = trainer.step(state, index, never)
        ring = np.flatnonzero(seen.selected).tolist()
        trained = {k: descend(trainer, own[k], index, k)[0] for k in ring}
        for at, k in enumerate(ring):
            own[k] = (trained[ring[at - 1]] + trained[k] + trained[ring[(at + 1) % len(ring)]]) / 3
        for k in range(5):
            assert np.abs(state["models"][k] - own[k]).max() <= 1e-9
        models = np.array(list(own.values()))
        assert np.abs(state["params"] - models.mean(axis=0)).max() <= 1e-9
        assert state["consensus"][0] == pytest.approx(np.sqrt((models.var(axis=0)).sum()))
        assert np.array_equal(seen.bytes_up, seen.selected * 2.0 * state["params"].nbytes)
        assert np.array_equal(seen.bytes_up, seen.bytes_down)


def test_clients_are_evaluated_with_their_own_models() -> None:
    """Differently good, and differently from the mean model."""
    trainer = gossip(toy(6, 120), MLP, None, 1.0, 3, lr=0.5, batch=8)
    state, seen = played(trainer, 3)
    for k in range(5):
        rows = slice(*trainer.test.offsets[k : k + 2])
        own = MLP.logits(state["models"][k], trainer.test.X[rows]).argmax(axis=1)
        assert seen.accuracy[k] == pytest.approx(np.mean(own == trainer.test.y[rows]))
    assert np.ptp(state["models"][:5], axis=0).max() > 0.01


@pytest.mark.parametrize("density", [0.0, 0.5, 1.0])
def test_bytes_are_those_of_the_links(density: float) -> None:
    """Each link carries a model either way; at density 1 all others are neighbours."""
    trainer = gossip(even(6), MLP, None, 1.0, 2, batch=8, topology="random", density=density)
    state, seen = played(trainer, 1)
    degrees = seen.bytes_up / state["params"].nbytes
    assert (degrees >= 2).all()
    assert degrees.sum() % 2 == 0
    assert density == 0.5 or (degrees == (2 if density == 0 else 5)).all()


def test_more_links_bring_models_nearer() -> None:
    """After as many rounds."""
    apart: list[Any] = []
    for topology in ("ring", "random", "complete"):
        trainer = gossip(even(12), MLP, None, 1.0, 6, lr=0.3, batch=8, topology=topology, density=0.4)
        apart.append(float(played(trainer, 6)[0]["consensus"][0]))
    assert apart[0] > apart[1] > apart[2]


def test_gossip_learns_with_and_without_privacy_of_rows() -> None:
    """Each client adds its own noise; at the level of clients there is nobody to add it."""
    _, seen = played(gossip(even(6, 60), MLP, None, 1.0, 20, lr=0.3, batch=8), 20)
    assert seen.accuracy.mean() > 0.8
    _, noisy = played(gossip(even(6, 60), MLP, gaussian(epsilon=5.0), 1.0, 3, lr=0.3, batch=8), 3)
    assert noisy.epsilon == pytest.approx(5.0, rel=1e-3)
    with pytest.raises(ValueError, match="Gossip must run without client-level privacy, because there is no server"):
        gossip(even(), MLP, gaussian(level="client"), 1.0, 3)


def test_lonely_clients_send_nothing() -> None:
    """A round of one has no link."""
    trainer = gossip(even(), MLP, None, 0.25, 2, batch=8)
    state, seen = played(trainer, 1)
    assert seen.selected.sum() == 1
    assert seen.bytes_up.sum() == 0
    assert not np.array_equal(state["params"], play(trainer, 0))
