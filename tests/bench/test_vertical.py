"""Boosting over columns beside XGBoost on all of them at one place: letter, and a larger table like it.

``TRUSTKIT_BENCH=1 pytest tests/bench/test_vertical.py -s`` plays 50 rounds and holds the ratio; the short mode plays
two and prints. Seconds are of one thread's processor time, so that other work does not count; loops are compiled
before. Both evaluate the test rows after every round.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import numpy as np
import pytest
import xgboost

from trustkit import datasets
from trustkit.data import Dataset, FederatedDataset, Provenance
from trustkit.partition import Partition
from trustkit.rng import stream
from trustkit.vertical import fedtree
from trustkit.vertical.boosting import BoostTrainer

FULL = os.environ.get("TRUSTKIT_BENCH") == "1"

ROUNDS = 50 if FULL else 2

MOST = 3.5
"""Times the processor time of XGBoost."""


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
