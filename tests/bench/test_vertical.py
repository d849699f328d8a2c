"""Boosting over columns beside XGBoost on all of them at one place, and SplitNN beside loops in plain PyTorch.

``TRUSTKIT_BENCH=1 pytest tests/bench/test_vertical.py -s`` plays 50 rounds and holds the ratios; the short mode plays
two and prints. Seconds are of one thread's processor time, so that other work does not count; loops are compiled
before. All evaluate the test rows after every round.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import torch
import xgboost

from trustkit import datasets
from trustkit.data import Dataset, FederatedDataset, Provenance
from trustkit.partition import Partition
from trustkit.rng import stream
from trustkit.threads import one_thread
from trustkit.vertical import fedtree, splitnn
from trustkit.vertical.boosted.boosting import BoostTrainer
from trustkit.vertical.networks.split_training import SplitTrainer

FULL = os.environ.get("TRUSTKIT_BENCH") == "1"

ROUNDS = 50 if FULL else 2

MOST = 3.5
"""Times the processor time of XGBoost."""

LEAST = 2.0
"""Times as fast as a loop with one module a party and PyTorch's loader."""

NEAR = 1.3
"""Times the processor time of a plain loop over slices: 12 s beside 9.5 s."""


def letter() -> FederatedDataset:
    """Deal the columns of letter out to four parties: 12,000 rows to train on."""
    data = datasets.load("letter").scaled()
    return FederatedDataset(data, Partition("columns", np.arange(16) % 4, 4))


def larger() -> FederatedDataset:
    """Make 20,000 rows to train on, of 16 columns in 26 classes that overlap."""
    draw = stream(1, "larger")
    X = draw.standard_normal((22_000, 16))
    y = (X @ draw.standard_normal((16, 26)) + draw.standard_normal((22_000, 26))).argmax(axis=1)
    data = Dataset(
        "larger", X, y, tuple(map(str, range(16))), tuple(map(str, range(26))), Provenance("made here", "none"),
        held_out=np.arange(22_000) >= 20_000,
    )  # fmt: skip
    return FederatedDataset(data, Partition("columns", np.arange(16) % 4, 4))


def timed(work: Callable[[], np.ndarray]) -> tuple[float, np.ndarray]:
    """Return processor seconds and the result."""
    begin = time.process_time()
    found = work()
    return time.process_time() - begin, found


def ours(trainer: BoostTrainer, rounds: int) -> np.ndarray:
    """Play, and return the margins of the test rows."""
    state = trainer.start()
    for index in range(1, rounds + 1):
        state, _ = trainer.step(state, index, lambda: None)
    return state["test_margins"]


def theirs(trainer: BoostTrainer, rounds: int) -> np.ndarray:
    """Train XGBoost on all columns."""
    table = trainer.table
    train, test = (xgboost.DMatrix(X, y, nthread=1) for X, y in ((table.X, table.y), (table.X_test, table.y_test)))
    settings = {"objective": "multi:softprob", "num_class": table.classes, "tree_method": "hist", "max_bin": 32,
                "max_depth": 6, "eta": 0.1, "base_score": 0, "nthread": 1}  # fmt: skip
    grown = xgboost.train(settings, train, rounds, evals=[(test, "test")], verbose_eval=False)
    margins: np.ndarray = grown.predict(test, output_margin=True)
    return margins


@pytest.mark.parametrize("table", [letter, larger])
def test_the_exchange_is_not_much_slower_than_xgboost(table: Callable[[], FederatedDataset]) -> None:
    """The same margins, both engines side by side."""
    fed = table()
    lines = []
    for engine in ("exchange", "simulated"):
        trainer = fedtree(fed, None, None, 1.0, ROUNDS, engine=engine)
        ours(trainer, 1)
        spent, margins = timed(lambda trainer=trainer: ours(trainer, ROUNDS))  # type: ignore[misc]
        central, expected = timed(lambda trainer=trainer: theirs(trainer, ROUNDS))  # type: ignore[misc]
        agreed = float(np.abs(margins - expected).max())
        lines.append((engine, spent, central, agreed))
        print(f"\n{fed.data.name}, {ROUNDS} rounds, {engine}: {spent:.2f} s, XGBoost {central:.2f} s, "
              f"{spent / central:.1f} times; margins differ by {agreed:.1g}")  # fmt: skip
    assert max(agreed for *_, agreed in lines) <= 1e-4
    if FULL:
        assert all(spent <= MOST * central for _, spent, central, _ in lines)


def joined(trainer: SplitTrainer) -> tuple[list[torch.nn.Module], torch.nn.Module, list[torch.Tensor]]:
    """Make SplitNN as a module a party, the module above them, and each party's columns of the training rows."""
    table = trainer.table
    wide = (100, 100)
    local: list[torch.nn.Module] = [
        torch.nn.Sequential(torch.nn.Linear(len(own), wide[0]), torch.nn.ReLU(), torch.nn.Linear(*wide))
        for own in table.columns
    ]
    top = torch.nn.Sequential(
        torch.nn.Linear(wide[1] * table.parties, 200), torch.nn.ReLU(), torch.nn.Linear(200, table.classes)
    )
    return local, top, [torch.tensor(table.X[:, list(own)]) for own in table.columns]


def looped(trainer: SplitTrainer, loader: bool) -> Iterator[float]:
    """Train in plain PyTorch, over a loader's batches or over slices; give the accuracy on test rows by epoch."""
    torch.manual_seed(0)
    table = trainer.table
    local, top, parts = joined(trainer)
    labels, tests = torch.tensor(table.y), [torch.tensor(table.X_test[:, list(own)]) for own in table.columns]
    optimizer = torch.optim.Adam([p for module in [*local, top] for p in module.parameters()], trainer.lr,
                                 weight_decay=trainer.weight_decay)  # fmt: skip
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 10, 0.5)
    source = torch.utils.data.TensorDataset(*parts, labels)
    batches = torch.utils.data.DataLoader(source, trainer.batch, shuffle=True)
    while True:
        for *columns, y in batches if loader else sliced(parts, labels, trainer.batch):
            optimizer.zero_grad()
            scores = top(torch.cat([module(x) for module, x in zip(local, columns, strict=True)], dim=1))
            torch.autograd.backward(torch.nn.functional.cross_entropy(scores, y))
            optimizer.step()
        schedule.step()
        with torch.no_grad():
            found = top(torch.cat([module(x) for module, x in zip(local, tests, strict=True)], dim=1)).argmax(dim=1)
        yield float((found.numpy() == table.y_test).mean())


def own(trainer: SplitTrainer) -> Iterator[float]:
    """Train by the protocol, with every message counted; give the accuracy on test rows, epoch by epoch."""
    state = trainer.start()
    for index in itertools.count(1):
        state, seen = trainer.step(state, index, lambda: None)
        yield float(seen.accuracy[0])


def sliced(parts: list[torch.Tensor], labels: torch.Tensor, batch: int) -> Iterator[list[torch.Tensor]]:
    """Cut one permutation of the rows into batches."""
    order = torch.randperm(len(labels))
    columns = [part[order] for part in [*parts, labels]]
    for start in range(0, len(labels), batch):
        yield [part[start : start + batch] for part in columns]


def test_splitnn_is_faster_than_a_module_a_party() -> None:
    """The same network, batches and epochs on letter, an epoch of each in turn; accuracy is about the same."""
    trainer = splitnn(letter(), None, None, 1.0, ROUNDS, lr=3e-3)
    runs = {"SplitNN": own(trainer), "a module a party and a loader": looped(trainer, True),
            "slices": looped(trainer, False)}  # fmt: skip
    spent, right = dict.fromkeys(runs, 0.0), dict.fromkeys(runs, 0.0)
    with one_thread():
        for warm in (own(trainer), looped(trainer, True)):
            next(warm)
        for _ in range(ROUNDS):
            for name, epochs in runs.items():
                begin = time.process_time()
                right[name] = next(epochs)
                spent[name] += time.process_time() - begin
    ours, loader, slices = spent.values()
    words = ", ".join(f"{name} {spent[name]:.2f} s ({right[name]:.1%})" for name in runs)
    print(f"\nletter, {ROUNDS} rounds, {words}: {loader / ours:.2f} times as fast as the one, {ours / slices:.2f} "
          "times the other")  # fmt: skip
    assert max(right.values()) - min(right.values()) < (0.015 if FULL else 0.06)
    if FULL:
        assert loader >= LEAST * ours
        assert ours <= NEAR * slices
