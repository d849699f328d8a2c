"""Rounds and records: what was seen, round by round, and how it stacks."""

from __future__ import annotations

import math
import pickle
from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pytest

from trustkit.records import Round, RunRecord, Seen, Stopped, watch


def _round(index: int, clients: int = 2) -> Round:
    seen = Seen(
        selected=np.arange(clients) == index % clients,
        accuracy=np.full(clients, index / 10),
        loss=np.array([np.nan] + [1.0 / index] * (clients - 1)),
        bytes_up=np.full(clients, 4.0 * index),
        bytes_down=np.full(clients, 8.0 * index),
        epsilon=0.5 * index,
        groups={"sex": np.full((clients, 2, 2, 2), index)},
    )
    return Round(index, {"params": np.full(3, float(index))}, seen, 0.25 * index)


def _record(played: int = 3, asked: int = 3) -> RunRecord:
    return RunRecord(SimpleNamespace(rounds=asked, key="0123456789abcdef"), [_round(t) for t in range(1, played + 1)])


def test_a_round_gives_what_was_seen_by_name() -> None:
    """And says so if there is no such name; it goes through pickle, as to a worker process."""
    played = pickle.loads(pickle.dumps(_round(2)))
    assert played.epsilon == 1.0
    assert played.accuracy.tolist() == [0.2, 0.2]
    with pytest.raises(AttributeError, match="a round has no 'precision'"):
        _ = played.precision


def test_seen_without_a_mechanism_has_no_bound() -> None:
    """ε is infinite then, not 0 and not unknown."""
    zero = np.zeros(1)
    assert Seen(zero > 0, zero, zero, zero, zero).epsilon == math.inf


def test_a_record_stacks_rounds() -> None:
    """One row a round, whatever the quantity."""
    record = _record()
    assert record.index.tolist() == [1, 2, 3]
    assert record.selected.tolist() == [[False, True], [True, False], [False, True]]
    assert record.accuracy.tolist() == [[0.1, 0.1], [0.2, 0.2], [0.3, 0.3]]
    assert np.array_equal(record.loss, [[np.nan, 1], [np.nan, 1 / 2], [np.nan, 1 / 3]], equal_nan=True)
    assert record.bytes_up[:, 0].tolist() == [4, 8, 12]
    assert record.bytes_down[:, 1].tolist() == [8, 16, 24]
    assert record.seconds.tolist() == [0.25, 0.5, 0.75]
    assert record.epsilon.tolist() == [0.5, 1.0, 1.5]
    assert record.groups["sex"].max() == record.groups["sex"].min() == 3
    assert [played.index for played in record] == [1, 2, 3]


def test_a_record_lets_go_of_states() -> None:
    """All but the newest, from which a run goes on; the table is as before."""
    record, whole = _record(), _record()
    for each in (record, whole):
        assert all(played.state is not None for played in each)
    record.let_go()
    record.let_go()
    assert [played.state is None for played in record] == [True, True, False]
    assert record.last is whole.last or record.last.state.keys() == whole.last.state.keys()
    assert np.array_equal(record.accuracy, whole.accuracy)
    assert record.index.tolist() == [1, 2, 3]


def test_a_record_knows_how_far_it_is() -> None:
    """Its last round, whether it is complete, and what it shows."""
    assert _record(2, 3).last.index == 2
    assert not _record(2, 3).complete
    assert _record(3, 3).complete
    assert _record(0, 3).complete is False
    assert repr(_record(2, 3)) == "RunRecord(2 of 3 rounds, 01234567)"
    with pytest.raises(ValueError, match=r"^the run has no finished round yet$"):
        _ = _record(0).last


def test_a_frame_has_a_line_for_each_round_and_client() -> None:
    """NaN stays NaN."""
    frame = _record(2).frame()
    assert frame["round"].tolist() == [1, 1, 2, 2]
    assert frame["client"].tolist() == [0, 1, 0, 1]
    assert frame["selected"].tolist() == [False, True, True, False]
    assert frame["loss"].isna().tolist() == [True, False, True, False]
    assert frame["epsilon"].tolist() == [0.5, 0.5, 1.0, 1.0]


def test_a_record_is_an_observer() -> None:
    """Watching passes the same rounds on, one at a time, to each observer in order."""
    rounds, record, order = [_round(1), _round(2)], _record(0), list[tuple[str, int]]()
    watched = watch(
        iter(rounds), record, lambda r: order.append(("a", r.index)), lambda r: order.append(("b", r.index))
    )
    assert len(record) == 0
    assert next(watched) is rounds[0]
    assert len(record) == 1
    assert [*watched] == rounds[1:]
    assert order == [("a", 1), ("b", 1), ("a", 2), ("b", 2)]


def test_stopped_leaves_through_watch() -> None:
    """What was recorded before stays."""

    def rounds() -> Iterator[Round]:
        yield _round(1)
        raise Stopped

    record = _record(0)
    with pytest.raises(Stopped):
        list(watch(rounds(), record))
    assert record.last.index == 1
