"""The trainer's promises: pure steps, resuming bit for bit, bytes, learning, and clear refusals."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.horizontal.naive_loop import never, toy
from trustkit.data import FederatedDataset
from trustkit.horizontal import RowTrainer, convnet, fedavg, fedmedian, fedprox, gaussian, mlp, trimmed
from trustkit.partition import Partition
from trustkit.records import Stopped


def trainer_of(kind: str) -> RowTrainer:
    """Bind one of several trainers over 5 rounds."""
    fed = toy(features=64, image=(1, 8, 8)) if kind == "convnet" else toy()
    model = convnet(fed.data, channels=(2, 3)) if kind == "convnet" else mlp(fed.data, hidden=(6,))
    privacy = {
        "rows": gaussian(), "rows-poisson": gaussian(sampling="poisson"), "convnet": gaussian(),
        "clients": gaussian(level="client"), "clients-poisson": gaussian(level="client", sampling="poisson"),
    }.get(kind)  # fmt: skip
    return fedavg(fed, model, privacy, 0.5, 5, batch=8, seed=11)


KINDS = ["open", "rows", "rows-poisson", "clients", "clients-poisson", "convnet"]


@pytest.mark.parametrize("kind", KINDS)
def test_resuming_is_bit_for_bit_the_whole_run(kind: str) -> None:
    """Rounds 3 … 5 from a copy of round 2's state, by a trainer bound anew, give the same numbers."""
    whole = trainer_of(kind)
    state, states, seens = whole.start(), [], []
    for index in range(1, 6):
        state, seen = whole.step(state, index, never)
        states.append(state)
        seens.append(seen)
    again = trainer_of(kind)
    state = {name: values.copy() for name, values in states[1].items()}
    for index in range(3, 6):
        state, seen = again.step(state, index, never)
        for name, values in state.items():
            assert np.array_equal(values, states[index - 1][name])
        assert np.array_equal(seen.accuracy, seens[index - 1].accuracy, equal_nan=True)
        assert seen.epsilon == seens[index - 1].epsilon


@pytest.mark.parametrize("kind", KINDS)
def test_a_state_is_never_changed(kind: str) -> None:
    """A step works on a frozen state and leaves its numbers alone."""
    trainer = trainer_of(kind)
    state = trainer.start()
    before = {name: values.copy() for name, values in state.items()}
    for values in state.values():
        values.setflags(write=False)
    after, _ = trainer.step(state, 1, never)
    assert not np.array_equal(after["params"], before["params"])
    for name, values in before.items():
        assert np.array_equal(state[name], values)


def test_bytes_and_counts() -> None:
    """Each selected client receives and sends all parameters, 4 bytes each; the others nothing."""
    trainer = trainer_of("open")
    state, total = trainer.start(), np.zeros(6)
    for index in range(1, 6):
        state, seen = trainer.step(state, index, never)
        assert np.array_equal(seen.bytes_up, seen.selected * 4.0 * trainer.facts["parameters"])
        assert np.array_equal(seen.bytes_up, seen.bytes_down)
        assert seen.selected.sum() == 2
        total += seen.selected
        assert seen.epsilon == np.inf
    assert np.array_equal(state["participations"], total)
    assert trainer.facts["parameters"] == 5 * 6 + 6 + 6 * 3 + 3
    assert trainer.facts["tensors"] == 4
    assert trainer.facts["model_bytes"] == 4 * 57
    assert "mechanism" not in trainer.facts


def test_groups_add_up_to_the_test_rows() -> None:
    """Counts by protected group, in the order of the data set's codes."""
    trainer = trainer_of("open")
    _, seen = trainer.step(trainer.start(), 1, never)
    counts = seen.groups["group"]
    assert counts.shape == (6, 2, 2, 2)
    assert np.array_equal(counts.sum(axis=(1, 2, 3)), trainer.test.sizes)
    assert counts[:, 1].sum() == np.sum(toy().data.sensitive["group"][trainer.test.rows] == "v")


@pytest.mark.parametrize("algorithm", [fedavg, fedprox, fedmedian, trimmed])
def test_it_learns(algorithm: Any) -> None:
    """Twenty rounds of a separable problem beat the start by far."""
    fed = toy(rows=600)
    trainer = algorithm(fed, mlp(fed.data), None, 1.0, 20, lr=0.3, batch=8)
    state = trainer.start()
    for index in range(1, 21):
        state, seen = trainer.step(state, index, never)
    assert np.nanmean(seen.accuracy) > 0.85
    assert np.allclose(trainer.predict(state, fed.data.X).sum(axis=1), 1, atol=1e-6)
    assert trainer.gradient(state, fed.data.X[:4], np.eye(3)[[0, 1, 2, 0]]).shape == (4, 5)


@pytest.mark.parametrize("kind", ["open", "convnet"])
def test_a_tick_may_stop_inside_a_round(kind: str) -> None:
    """It is called before every step, and what it raises comes through."""
    trainer, calls = trainer_of(kind), []

    def stop() -> None:
        calls.append(1)
        if len(calls) == 3:
            raise Stopped

    with pytest.raises(Stopped):
        trainer.step(trainer.start(), 1, stop)
    assert len(calls) == 3


def test_threads_are_given_back() -> None:
    """Training a convnet leaves PyTorch's number of threads as it was, also when stopped."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        trainer = trainer_of("convnet")
        trainer.step(trainer.start(), 1, never)

        def stop() -> None:
            assert torch.get_num_threads() == 1
            raise Stopped

        with pytest.raises(Stopped):
            trainer.step(trainer.start(), 1, stop)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_matrix_products_use_one_thread_and_get_the_others_back() -> None:
    """More threads made rounds several times slower; a user's setting is as before afterwards."""
    from threadpoolctl import threadpool_info, threadpool_limits

    def threads() -> set[int]:
        return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}

    trainer, inside = trainer_of("open"), []
    with threadpool_limits(2, user_api="blas"):
        before = threads()
        trainer.step(trainer.start(), 1, lambda: inside.append(threads()))
        assert threads() == before
    assert 1 in inside[0]


def test_what_is_refused() -> None:
    """Messages name the thing, the rule and the value."""
    fed = toy()
    model = mlp(fed.data)
    with pytest.raises(ValueError, match=r"participation must be above 0 and at most 1, got 1\.5"):
        fedavg(fed, model, None, 1.5, 3)
    with pytest.raises(ValueError, match="rounds must be at least 1, got 0"):
        fedavg(fed, model, None, 1.0, 0)
    with pytest.raises(ValueError, match="over columns"):
        fedavg(FederatedDataset(fed.data, Partition("columns", np.zeros(5, int), 1)), model, None, 1.0, 3)
    tested = replace(fed.data, held_out=np.ones(240, bool))
    with pytest.raises(ValueError, match="some client must have training rows"):
        fedavg(FederatedDataset(tested, fed.partition), model, None, 1.0, 3)


def test_dense_training_imports_no_torch() -> None:
    """Fully connected models run on numpy alone, and the accountant is loaded for privacy only."""
    code = (
        "import sys, trustkit.horizontal\n"
        "heavy = {'torch', 'dp_accounting', 'pandas', 'sklearn', 'scipy.stats'} & set(sys.modules)\n"
        "print(sorted(heavy))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
