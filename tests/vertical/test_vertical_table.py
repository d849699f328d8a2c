"""What an algorithm over columns takes for granted is checked before any work; kinds of messages are kept apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from trustkit import memory, store
from trustkit.data import Dataset, FederatedDataset, Provenance
from trustkit.experiment import Experiment
from trustkit.partition import Partition
from trustkit.records import RunRecord
from trustkit.rng import stream
from trustkit.rounds import play
from trustkit.vertical import laid_out


def toy(parties: int = 2) -> FederatedDataset:
    """Make 30 rows of 4 columns in 2 classes, every third held out."""
    X = stream(1, "toy").standard_normal((30, 4))
    data = Dataset(
        "toy", X, (X[:, 0] > 0).astype(int), tuple("abcd"), ("no", "yes"), Provenance("made here", "none"),
        held_out=np.arange(30) % 3 == 0,
    )  # fmt: skip
    return FederatedDataset(data, Partition("columns", np.arange(4) % parties, parties))


def changed(**changes: object) -> FederatedDataset:
    """Return the toy with something else in its data."""
    fed = toy()
    return replace(fed, data=replace(fed.data, **changes))  # type: ignore[arg-type]


def test_rows_are_cut_as_the_partition_says() -> None:
    """Party 0 holds a and c; 20 rows are for training."""
    table = laid_out(toy(), "gal")
    assert table.columns == ((0, 2), (1, 3))
    assert (table.parties, table.features, table.outputs, table.classes) == (2, 4, 2, 2)
    assert (table.X.shape, table.X_test.shape, table.X.dtype) == ((20, 4), (10, 4), np.dtype("float32"))


def test_labels_of_a_regression_are_brought_onto_0_to_1_and_back() -> None:
    """Training labels 10 … 39 without the held-out ones: 11 … 39, a span of 28."""
    table = laid_out(changed(y=np.arange(10.0, 40.0), classes=()), "gal")
    assert (table.low, table.span, table.outputs) == (11.0, 28.0, 1)
    assert (table.y.min(), table.y.max()) == (0.0, 1.0)
    assert table.told(table.y[:, None])[:, 0].tolist() == [v for v in range(10, 40) if (v - 10) % 3]
    assert table.y_test[0] == 10.0


@pytest.mark.parametrize(
    ("fed", "said"),
    [
        (changed(X=np.where(np.arange(120).reshape(30, 4) == 6, np.nan, 1.0)),
         "features must be finite numbers, got 1 values that are not in column 'c' of party 0"),
        (changed(y=np.zeros(30, int)), "must have at least two classes, got only 'no'"),
        (changed(y=np.full(30, np.inf), classes=()), "labels must be finite numbers, got 30 that are not"),
        (changed(held_out=np.ones(30, bool)), "toy must have training rows"),
        (replace(toy(), partition=Partition("columns", np.zeros(4, int), 1)), "must have at least 2 parties, got 1"),
        (replace(toy(), partition=Partition("columns", np.zeros(4, int), 3)),
         "every party must hold a column for gal, got none for party 1, 2"),
        (replace(toy(), partition=Partition("rows", np.zeros(30, int), 1)), "gal trains across columns"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_in_one_sentence(fed: FederatedDataset, said: str) -> None:
    """Messages name the thing, the rule and what came."""
    with pytest.raises(ValueError, match=said):
        laid_out(fed, "gal")


def test_memory_is_asked_before_work_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of 480 bytes in float32, four times, in a machine with 1,000 bytes left."""
    assert (memory.free() or 1) > 1_000_000
    monkeypatch.setattr(memory, "free", lambda: 1_000)
    with pytest.raises(ValueError, match=r"gal on toy must fit into the 0\.0 GB of memory that are free"):
        laid_out(toy(), "gal")
    monkeypatch.setattr(memory, "free", lambda: None)
    assert laid_out(toy(), "gal").parties == 2


def test_kinds_of_messages_outlive_the_file(tmp_path: object) -> None:
    """Sent and received by kind add up to the bytes of a round, also after a run is stored."""
    experiment = Experiment("wine", "importance", "splitnn", rounds=2)
    record = RunRecord(experiment, list(play(experiment)))
    again = store.load(store.save(record, f"{tmp_path}/run.npz"))
    for kept in (record, again):
        assert set(kept.traffic) == {"embedding", "gradient"}
        assert np.array_equal(sum(sizes[:, 0] for sizes in kept.traffic.values()), kept.bytes_up)
        assert np.array_equal(sum(sizes[:, 1] for sizes in kept.traffic.values()), kept.bytes_down)
    assert np.array_equal(record.traffic["embedding"][:, 0, 0], np.zeros(2))
