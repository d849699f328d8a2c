"""A sweep of 16 runs on two worker processes, and a run of many clients on two workers, beside the same here.

Plain pytest plays a few rounds a run and checks that the results are the same, bit for bit; ``TRUSTKIT_BENCH=1 pytest
tests/bench/test_scale.py -s`` plays runs of at least half a second, prints wall and processor seconds, and holds the
ratios and the memory. The wall ratio is held only where the cores were free: workers got
nearly two cores' worth of time.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import numpy as np

from trustkit import datasets
from trustkit.catalogue import use
from trustkit.data import Dataset, Provenance
from trustkit.experiment import Experiment
from trustkit.records import RunRecord
from trustkit.rng import stream
from trustkit.rounds import build, grid, play
from trustkit.scale import dask, play_sharded, processes, sweep

FULL = os.environ.get("TRUSTKIT_BENCH") == "1"
ROUNDS = 100 if FULL else 2
WALL, CPU = 1.7, 0.9


def clock() -> tuple[float, float]:
    """Return wall seconds, and processor seconds of this process and of children that have ended."""
    spent = os.times()
    return time.perf_counter(), spent.user + spent.system + spent.children_user + spent.children_system


def problem() -> Experiment:
    """Make 20,000 rows of 40 features, in 40 clients."""
    generator = stream(0, "bench")
    X = generator.standard_normal((20_000, 40))
    y = (X @ generator.standard_normal((40, 10))).argmax(axis=1)
    names = tuple(f"x{at}" for at in range(40))
    datasets.add(Dataset("bench sweep", X, y, names, tuple("0123456789"), Provenance("made here", "none"),
                         held_out=generator.random(20_000) > 0.8))  # fmt: skip
    return Experiment("bench sweep", use("iid", parties=40), "fedavg", use("mlp", hidden=[64]), rounds=ROUNDS)


def spent(pool: Any) -> float:
    """Return the processor seconds of a pool's processes that live."""
    ticks = os.sysconf("SC_CLK_TCK")
    total = 0.0
    for pid in pool.pids:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            words = file.read().rpartition(")")[2].split()
        total += (int(words[11]) + int(words[12])) / ticks
    return total


def test_sixteen_runs_on_two_workers() -> None:
    """Equal bits; with TRUSTKIT_BENCH=1 on free cores at least 1.7 times as fast, for at most 1 / 0.9 of the work."""
    wanted = grid(problem(), seed=range(8 if FULL else 1), algorithm=["fedavg", "fedmedian"])
    sweep([each.change(rounds=1) for each in wanted[:2]], workers=0)  # data and libraries are warm
    began = clock()
    here = sweep(wanted, workers=0)
    alone = np.subtract(clock(), began)
    with processes(2 if FULL else 1) as pool:
        sweep([each.change(rounds=1, seed=100 + at) for at, each in enumerate(wanted[:2] * 2)], pool)
        before, busy = clock(), spent(pool)
        there = sweep(wanted, pool)
        shared = np.subtract(clock(), before)
        shared[1] += spent(pool) - busy
    for each in wanted:
        one, other = here[each], there[each]
        assert isinstance(one, RunRecord)
        assert isinstance(other, RunRecord), other
        assert one.last.state["params"].tobytes() == other.last.state["params"].tobytes()
        assert one.accuracy.tobytes() == other.accuracy.tobytes()
    wall, cpu = alone[0] / shared[0], alone[1] / shared[1]
    free = shared[1] / shared[0] > 1.85 and alone[1] / alone[0] > 0.95
    print(f"\n{len(wanted)} runs of {alone[0] / len(wanted):.2f} s: here {alone[0]:.2f} s wall {alone[1]:.2f} s cpu, "
          f"{pool.workers} workers {shared[0]:.2f} s wall {shared[1]:.2f} s cpu; wall {wall:.2f}× (≥ {WALL} on free "
          f"cores, {'free' if free else 'not free'}), cpu ratio {cpu:.2f} (≥ {CPU})")  # fmt: skip
    if FULL:
        assert alone[0] / len(wanted) >= 0.5
        assert cpu >= CPU
        assert wall >= WALL or not free


def crowd(clients: int, rows: int = 20) -> Experiment:
    """Make many clients of a few rows each, a hundredth of them in a round."""
    generator = stream(0, "crowd")
    X = generator.standard_normal((clients * rows, 20), np.float32)
    y = (X @ generator.standard_normal((20, 2), np.float32)).argmax(axis=1)
    names = tuple(f"x{at}" for at in range(20))
    owner = np.repeat(np.arange(clients), rows)
    datasets.add(Dataset("bench crowd", X, y, names, ("0", "1"), Provenance("made here", "none"),
                         groups={"client": owner}, held_out=np.arange(owner.size) % 10 == 0))  # fmt: skip
    return Experiment("bench crowd", use("by_group", group="client"), "fedavg", "logistic", rounds=20 if FULL else 2,
                      participation=0.01)  # fmt: skip


def test_many_clients_on_two_workers() -> None:
    """The local result; with TRUSTKIT_BENCH=1 100,000 clients of 20 rows, and at most 2 GB in each worker."""
    experiment = crowd(100_000 if FULL else 200)
    build(experiment)
    began = clock()
    here = list(play(experiment))
    alone = np.subtract(clock(), began)
    with dask(workers=2 if FULL else 1) as team:
        before = clock()
        rounds = play_sharded(experiment, team)
        sent = np.subtract(clock(), before)
        began, busy = clock(), sum(team.client.run(time.process_time).values())
        there = list(rounds)
        shared = np.subtract(clock(), began)
        busy = sum(team.client.run(time.process_time).values()) - busy
        told = team.client.run(Path("/proc/self/status").read_text).values()  # getrusage would count this process too
        peaks = [int(status.split("VmHWM:")[1].split()[0]) / 1e6 for status in told]
    off = np.abs(here[-1].state["params"] - there[-1].state["params"]).max()
    assert off < 1e-5
    assert np.array_equal(here[-1].selected, there[-1].selected)
    clients = here[0].selected.size
    print(f"\n{clients:,} clients, {len(here)} rounds: here {alone[0]:.2f} s wall {alone[1]:.2f} s cpu, workers "
          f"{shared[0]:.2f} s wall after {sent[0]:.2f} s of sending rows, {shared[1]:.2f} s cpu here and {busy:.2f} s "
          f"there; {len(here) / alone[0]:.1f} and {len(here) / shared[0]:.1f} rounds a second; worker memory at most "
          f"{max(peaks):.2f} GB (≤ 2); difference {off:.1g}")  # fmt: skip
    assert max(peaks) <= 2
