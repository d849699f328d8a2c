"""The engine beside the loop most people write first, on the same batches, in one run.

100 clients of 100 to 500 rows, 40 % of them in a round, batches of 32, one epoch. Plain pytest plays two rounds and
checks that both reach the same parameters; ``TRUSTKIT_BENCH=1 pytest tests/bench -s`` plays fifty, prints the table and
holds the ratios. One thread each: set OMP_NUM_THREADS and OPENBLAS_NUM_THREADS to 1.
"""

from __future__ import annotations

import copy
import os
import time
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset

from trustkit.data import Dataset, FederatedDataset, Provenance
from trustkit.horizontal import Dense, Gaussian, RowTrainer, fedavg, gaussian
from trustkit.horizontal.plan import cohort, select
from trustkit.partition import Partition
from trustkit.rng import stream

FULL = os.environ.get("TRUSTKIT_BENCH") == "1"
ROUNDS, REPEATS = (50, 3) if FULL else (2, 1)
JOBS = {"logistic 64-10": ((64, 10), 10.0), "mlp 115-64-10": ((115, 64, 10), 7.0)}


def never() -> None:
    """Never stop."""


def problem(features: int, tested: float = 0.0) -> FederatedDataset:
    """Make 100 clients of 100 to 500 training rows, and some share more for testing."""
    generator = stream(0, "bench")
    sizes = generator.integers(100, 501, 100)
    owner = np.repeat(np.arange(100), sizes)
    X = generator.standard_normal((owner.size, features))
    y = (X @ generator.standard_normal((features, 10))).argmax(axis=1)
    names = tuple(f"x{i}" for i in range(features))
    data = Dataset("bench", X, y, names, tuple("0123456789"), Provenance("made here", "none"),
                   held_out=generator.random(owner.size) < tested)  # fmt: skip
    return FederatedDataset(data, Partition("rows", owner, 100))


def engine(trainer: RowTrainer, rounds: int) -> np.ndarray:
    """Play rounds and return the parameters."""
    state = trainer.start()
    for index in range(1, rounds + 1):
        state, _ = trainer.step(state, index, never)
    return np.asarray(state["params"])


def naive(trainer: RowTrainer, rounds: int) -> np.ndarray:
    """Play the same rounds with deepcopy, DataLoader and torch.optim."""
    assert isinstance(trainer.model, Dense)
    layers = [layer for a, b in pairwise(trainer.model.sizes) for layer in (torch.nn.Linear(a, b), torch.nn.ReLU())]
    model = torch.nn.Sequential(*layers[:-1])
    linears = [layer for layer in model if isinstance(layer, torch.nn.Linear)]
    with torch.no_grad():
        for layer, (w, b) in zip(linears, trainer.model.layers(trainer.model.init(trainer.seed)), strict=True):
            layer.weight.copy_(torch.tensor(w.T))
            layer.bias.copy_(torch.tensor(b))
    rows = TensorDataset(torch.tensor(trainer.train.X), torch.tensor(trainer.train.y))
    for index in range(1, rounds + 1):
        chosen = select(trainer.seed, index, np.arange(100), trainer.share)
        plan = cohort(trainer.seed, index, chosen, trainer.train.offsets, trainer.local)
        states = []
        for place in range(len(plan.clients)):
            client = copy.deepcopy(model)
            optimiser = torch.optim.SGD(client.parameters(), lr=trainer.local.lr)
            batches = [[int(r) for r in batch if r >= 0] for batch in plan.rows[: plan.steps[place], place]]
            for X, y in DataLoader(rows, batch_sampler=batches):
                optimiser.zero_grad()
                torch.nn.functional.cross_entropy(client(X), y).backward()  # type: ignore[no-untyped-call]
                optimiser.step()
            states.append(client.state_dict())
        weights = trainer.train.sizes[plan.clients] / trainer.train.sizes[plan.clients].sum()
        mean = {k: sum(float(w) * s[k] for w, s in zip(weights, states, strict=True)) for k in states[0]}
        model.load_state_dict(mean)
    parts = [t.detach().numpy() for layer in linears for t in (layer.weight.T, layer.bias)]
    return np.concatenate([part.ravel() for part in parts])


def seconds(*jobs: Callable[[], object]) -> list[float]:
    """Time jobs by turns and return the least processor seconds of each, which other load disturbs least."""
    taken: list[list[float]] = [[] for _ in jobs]
    for _ in range(REPEATS):
        for job, times in zip(jobs, taken, strict=True):
            began = time.process_time()
            job()
            times.append(time.process_time() - began)
    return [min(times) for times in taken]


def bound(sizes: tuple[int, ...], privacy: Gaussian | None = None, tested: float = 0.0) -> RowTrainer:
    """Bind FedAvg to the problem."""
    return fedavg(problem(sizes[0], tested), Dense(sizes), privacy, 0.4, 50)


@pytest.mark.parametrize("job", JOBS)
def test_engine_beside_the_naive_loop(job: str) -> None:
    """Equal parameters; with TRUSTKIT_BENCH=1 at least 10 times (logistic) and 7 times (mlp) as fast."""
    sizes, least = JOBS[job]
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        trainer = bound(sizes)
        assert np.abs(engine(trainer, 2) - naive(trainer, 2)).max() < 1e-5
        if FULL:
            ours, theirs = seconds(lambda: engine(trainer, ROUNDS), lambda: naive(trainer, ROUNDS))
            print(f"\n{job}: engine {ours:.3f} s, naive loop {theirs:.2f} s, ratio {theirs / ours:.1f} (≥ {least:g})")
            assert theirs / ours >= least
    finally:
        torch.set_num_threads(threads)


@pytest.mark.parametrize("level", ["client", "example"])
@pytest.mark.parametrize("job", JOBS)
def test_privacy_beside_none(job: str, level: str) -> None:
    """Whole rounds, with a fifth of the rows to evaluate on: privacy changes the result in at most twice the time."""
    sizes, _ = JOBS[job]
    privacy = gaussian(level=level, epsilon=None, noise=1.0)  # type: ignore[arg-type]
    off, on = bound(sizes, tested=0.2), bound(sizes, privacy, tested=0.2)
    assert not np.array_equal(engine(off, 2), engine(on, 2))
    if FULL:
        without, with_it = seconds(lambda: engine(off, ROUNDS), lambda: engine(on, ROUNDS))
        print(f"\n{job}, {level} level: off {without:.3f} s, on {with_it:.3f} s, ratio {with_it / without:.2f} (≤ 2)")
        assert with_it / without <= 2
