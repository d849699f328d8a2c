"""Clients spread over workers: the local result, rows that stay, and what is refused."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from trustkit.catalogue import use
from trustkit.data import Dataset, FederatedDataset, Provenance
from trustkit.experiment import Experiment
from trustkit.horizontal import Dense, fedavg, fedmedian, fedprox
from trustkit.horizontal.strategies import trimmed
from trustkit.horizontal.trainer import RowTrainer
from trustkit.partition import Partition
from trustkit.records import Stopped
from trustkit.rng import stream
from trustkit.rounds import play
from trustkit.scale import cohort, play_sharded, shard
from trustkit.scale.cohort import Sharded
from trustkit.scale.scheduler import DaskWorkers

FEW = Experiment("breast_cancer", use("dirichlet", parties=7, alpha=0.3), use("fedavg", lr=0.05), "logistic", rounds=3,
                 participation=0.6)  # fmt: skip


def never() -> None:
    """Never stop."""


def problem(clients: int = 60) -> FederatedDataset:
    """Make clients of 0 to 40 rows, some without training rows, some without test rows, with groups."""
    generator = stream(1, "sharded")
    owner = np.repeat(np.arange(clients), generator.integers(0, 41, clients))
    X = generator.standard_normal((owner.size, 6))
    y = (X @ generator.standard_normal((6, 3))).argmax(axis=1)
    sex = np.where(X[:, 0] > 0, "f", "m").astype(object)
    sex[generator.random(owner.size) < 0.1] = None
    data = Dataset("sharded", X, y, tuple("abcdef"), tuple("012"), Provenance("made here", "none", synthetic=True),
                   {"sex": sex}, {"client": owner}, generator.random(owner.size) < 0.2 + (owner % 7 == 0))  # fmt: skip
    return FederatedDataset(data, Partition("rows", owner, clients))


RULES: dict[str, Callable[..., RowTrainer]] = {
    "fedavg": fedavg, "fedprox": partial(fedprox, mu=0.5), "by size": partial(fedavg, selector="size"),
    "fedmedian": fedmedian, "trimmed_mean": partial(trimmed, share=0.2), "fair": partial(fedmedian, selector="fair"),
}  # fmt: skip


@pytest.mark.parametrize("rule", RULES)
def test_it_is_the_local_result(rule: str, team: DaskWorkers, monkeypatch: pytest.MonkeyPatch) -> None:
    """In double precision to 1e-9 after five rounds, by several blocks of columns; everything seen as well."""
    monkeypatch.setattr(cohort, "_BLOCK", 5_000)
    trainer = RULES[rule](problem(), Dense((6, 5, 3), "float64"), None, 0.5, 5, batch=8, epochs=2, seed=3)
    spread = Sharded(trainer, team)
    here = there = trainer.start()
    for index in range(1, 6):
        here, seen = trainer.step(here, index, never)
        there, told = spread.step(there, index, never)
        assert np.array_equal(seen.selected, told.selected)
        assert np.abs(here["params"] - there["params"]).max() <= 1e-9
        assert here["params"].dtype == there["params"].dtype
        for name in ("accuracy", "loss", "bytes_up", "bytes_down"):
            np.testing.assert_allclose(getattr(told, name), getattr(seen, name), rtol=0, atol=1e-9)
        assert np.array_equal(seen.groups["sex"], told.groups["sex"])
    assert np.array_equal(here["participations"], there["participations"])


def test_an_experiment_is_played_and_gone_on_with(team: DaskWorkers) -> None:
    """Round by round as `play`, from any round on; a tick stops it."""
    here, there = list(play(FEW)), list(play_sharded(FEW, team))
    for one, other in zip(here, there, strict=True):
        assert one.index == other.index
        np.testing.assert_allclose(other.state["params"], one.state["params"], rtol=0, atol=1e-5)
        np.testing.assert_allclose(other.loss, one.loss, atol=1e-5)
    rest = list(play_sharded(FEW, team, after=there[0]))
    assert [each.index for each in rest] == [2, 3]
    assert rest[-1].state["params"].tobytes() == there[-1].state["params"].tobytes()

    def stop() -> None:
        raise Stopped

    with pytest.raises(Stopped):
        next(play_sharded(FEW, team, tick=stop))
    with pytest.raises(ValueError, match=r"^after must be a round with its state, got round 1 of a stored run"):
        play_sharded(FEW, team, after=replace(there[0], state=None))


def test_shards_have_every_row_once() -> None:
    """As many rows in each as can be; together all; a client's batches do not know of shards."""
    trainer = fedavg(problem(), Dense((6, 3)), None, 0.5, 1)
    bounds = cohort._bounds(trainer.train.offsets, 4)
    parts = [shard.shard_of(trainer, *pair) for pair in pairwise(bounds)]
    assert np.array_equal(np.concatenate([part["X"] for part in parts]), trainer.train.X)
    assert np.array_equal(np.concatenate([part["test_y"] for part in parts]), trainer.test.y)
    assert max(abs(len(part["y"]) - len(trainer.train.y) / 4) for part in parts) <= 40
    assert sum(np.diff(part["offsets"]) for part in parts).tolist() == trainer.train.sizes.tolist()


def test_a_sum_may_be_made_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of few clients at a time, each counted by its own weight though they stand in another order."""
    trainer = fedavg(problem(), Dense((6, 3), "float64"), None, 1.0, 1)
    part, params = shard.shard_of(trainer, 0, 60), trainer.start()["params"]
    chosen = np.flatnonzero(trainer.train.sizes)
    weights = trainer.train.sizes[chosen] / trainer.train.sizes.sum()
    whole = shard.sum_of(part, params, 1, chosen, weights)
    monkeypatch.setattr(shard, "_TOGETHER", 7)
    np.testing.assert_allclose(shard.sum_of(part, params, 1, chosen, weights), whole, rtol=0, atol=1e-12)
    np.testing.assert_allclose(trainer.step(trainer.start(), 1, never)[0]["params"], whole, rtol=0, atol=1e-12)


REFUSED = {
    "algorithm must be fedavg, fedprox, fedmedian or trimmed_mean .* whole models": {"algorithm": "krum"},
    "algorithm must be fedavg, .* got a Scaffold": {"algorithm": "scaffold"},
    "model must be logistic or mlp .* got a Convnet": {"data": "digits", "model": "convnet"},
    "privacy must stay unset": {"privacy": use("gaussian", epsilon=5.0)},
    "attack must stay unset": {"attack": "label_flip"},
    "faults must stay unset": {"faults": "dropout"},
    "secure must stay unset": {"secure": True},
    "selector must be random, size or fair .* got 'loss'": {"algorithm": use("fedavg", selector="loss")},
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_not_covered_is_refused(words: str, team: DaskWorkers) -> None:
    """In one sentence, before any row travels."""
    with pytest.raises(ValueError, match=f"^{words}"):
        play_sharded(FEW.change(**REFUSED[words]), team)  # type: ignore[arg-type]


def test_columns_are_refused(team: DaskWorkers) -> None:
    """The algorithms across columns have trainers of their own."""
    with pytest.raises(ValueError, match=r"^algorithm must be fedavg, "):
        play_sharded(Experiment("wine", use("uniform", parties=3), "splitnn", rounds=1), team)


def test_a_worker_that_goes_is_told_and_not_waited_for(team: DaskWorkers) -> None:
    """After SIGKILL a round ends with a sentence; the run goes on with the workers there are, to the same result."""
    whole = list(play_sharded(FEW, team))
    rounds = play_sharded(FEW, team)
    first = next(rounds)
    os.kill(next(iter(team.client.run(os.getpid).values())), signal.SIGKILL)
    with pytest.raises(ConnectionError, match=r"^a worker that had clients' rows has gone; the rounds before are int"):
        next(rounds)
    team.client.wait_for_workers(2, timeout=30)
    rest = list(play_sharded(FEW, team, after=first))
    np.testing.assert_allclose(rest[-1].state["params"], whole[-1].state["params"], rtol=0, atol=1e-5)
