"""Playing: rounds one at a time, gone on from anywhere."""

from __future__ import annotations

import dataclasses
import weakref
from pathlib import Path

import numpy as np
import pytest

from trustkit import datasets, memory
from trustkit.catalogue import DATASETS, use
from trustkit.experiment import Experiment
from trustkit.facts import facts_of
from trustkit.records import Round, RunRecord, Stopped, watch
from trustkit.rounds import build, data_of, grid, partition_of, play, run

EXPERIMENT = Experiment("breast_cancer", use("iid", parties=4), use("fedavg", batch=64), "logistic", rounds=3,
                        participation=0.5)  # fmt: skip


def same(a: Round, b: Round) -> bool:
    """Say whether two rounds are the same, bit for bit, but for the seconds they took."""
    fields = ("selected", "accuracy", "loss", "bytes_up", "bytes_down", "epsilon")
    return (
        a.index == b.index
        and a.state.keys() == b.state.keys()
        and all(np.asarray(a.state[name]).tobytes() == np.asarray(b.state[name]).tobytes() for name in a.state)
        and all(np.array_equal(getattr(a, name), getattr(b, name), equal_nan=True) for name in fields)
        and all(np.array_equal(a.groups[name], b.groups[name]) for name in a.groups)
    )


def test_rounds_are_numbered_and_come_when_asked_for() -> None:
    """Stopping is not asking for more."""
    rounds = play(EXPERIMENT)
    assert next(rounds).index == 1
    assert [played.index for played in rounds] == [2, 3]


@pytest.mark.parametrize("done", [1, 2, 3])
def test_going_on_after_a_round_gives_the_same_rounds(done: int) -> None:
    """Bit for bit, after each of them; after the last there is nothing left."""
    whole = list(play(EXPERIMENT))
    rest = list(play(EXPERIMENT, after=whole[done - 1]))
    assert len(rest) == 3 - done
    assert all(map(same, rest, whole[done:]))


def test_going_on_needs_the_state() -> None:
    """A stored run keeps that of its last round only."""
    bare = Round(1, None, next(play(EXPERIMENT)).seen, 0.0)
    with pytest.raises(ValueError, match=r"^after must be a round with its state, got round 1 of a stored run, "):
        play(EXPERIMENT, after=bare)


def test_a_tick_can_stop_inside_a_round() -> None:
    """The round before it is intact, and going on from it gives the same again."""
    whole, ticks = list(play(EXPERIMENT)), list[int]()

    def tick() -> None:
        ticks.append(1)
        if len(ticks) == stop_at:
            raise Stopped

    stop_at = 0
    next(play(EXPERIMENT, tick=tick))
    stop_at, record = len(ticks) + 1, RunRecord(EXPERIMENT)
    ticks.clear()
    with pytest.raises(Stopped):
        for _ in watch(play(EXPERIMENT, tick=tick), record):
            pass
    assert [played.index for played in record] == [1]
    assert all(map(same, play(EXPERIMENT, after=record.last), whole[1:]))


def test_what_cannot_be_built_is_refused_at_once() -> None:
    """Before the first round is asked for."""
    with pytest.raises(ValueError, match="40"):
        play(Experiment("breast_cancer", use("correlation", parties=40), "splitnn"))


def test_data_and_partition_are_made_once() -> None:
    """Whatever else differs; and nobody can write into them."""
    other = EXPERIMENT.change(rounds=1, algorithm="fedmedian")
    assert data_of(other) is data_of(EXPERIMENT)
    assert partition_of(other) is partition_of(EXPERIMENT)
    assert build(EXPERIMENT) is build(EXPERIMENT)
    assert build(EXPERIMENT).fed.partition is partition_of(EXPERIMENT)
    with pytest.raises(ValueError, match="read-only"):
        data_of(EXPERIMENT).X[0, 0] = 1
    assert partition_of(EXPERIMENT.change(seed=1)) != partition_of(EXPERIMENT)


def test_a_data_set_that_is_replaced_is_not_taken_from_a_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same name, other rows: other data, another partition, another trainer."""
    monkeypatch.setattr(DATASETS, "_entries", dict(DATASETS._entries))
    first = dataclasses.replace(datasets.load("wine"), name="mine")
    datasets.add(first)
    experiment = EXPERIMENT.change(data="mine", rounds=1)
    before = build(experiment)
    half = {name: getattr(first, name)[::2] for name in ("X", "y", "held_out")}
    datasets.add(dataclasses.replace(first, **half))
    assert data_of(experiment).X.shape[0] == 89
    assert partition_of(experiment).owner.size == 89
    assert build(experiment) is not before
    assert build(experiment).fed.data.X.shape[0] == 89


def test_a_file_that_is_written_anew_is_read_anew(tmp_path: Path) -> None:
    """In a folder and by itself; what was not touched is taken from the cache."""
    bank, shop = tmp_path / "bank.csv", tmp_path / "shop.csv"
    bank.write_text("id,y,a\n" + "".join(f"{k},{k % 2},{k}\n" for k in range(20)), encoding="utf-8")
    shop.write_text("id,b\n" + "".join(f"{k},{k * k}\n" for k in range(20)), encoding="utf-8")
    experiment = Experiment(use("parties", paths=str(tmp_path)), "by_views", "splitnn", rounds=1)
    before = build(experiment)
    assert build(experiment) is before
    shop.write_text("id,b,c\n" + "".join(f"{k},{k * k},{-k}\n" for k in range(20)), encoding="utf-8")
    assert build(experiment) is not before
    assert data_of(experiment).columns == ("a", "b", "c")
    one = EXPERIMENT.change(data=use("csv", path=str(bank), target="y"))
    assert data_of(one).X.shape[0] == 20
    bank.write_text(bank.read_text(encoding="utf-8") + "20,1,20\n", encoding="utf-8")
    assert data_of(one).X.shape[0] == 21


def test_run_records_and_shows_every_round(capsys: pytest.CaptureFixture[str]) -> None:
    """To all observers; the progress bar goes to stderr."""
    seen: list[int] = []
    record = run(EXPERIMENT, progress=True, observers=[lambda played: seen.append(played.index)])
    assert record.complete
    assert record.experiment == EXPERIMENT
    assert seen == record.index.tolist() == [1, 2, 3]
    assert all(map(same, record, play(EXPERIMENT)))
    assert "3/3" in capsys.readouterr().err


def test_a_lean_run_holds_one_state(monkeypatch: pytest.MonkeyPatch) -> None:
    """While it runs, too: of the rounds before only what was seen is left; facts and going on are those of any run."""
    held: list[int] = []
    states: list[weakref.ref[dict[str, np.ndarray]]] = []

    def look(played: Round) -> None:
        states.append(weakref.ref(played.state["params"]))
        held.append(sum(each() is not None for each in states))

    wanted = EXPERIMENT.change(rounds=8)
    whole, lean = run(wanted), run(wanted, observers=[look], lean=True)
    assert max(held) <= 3, "this one, the one before, and the one that the loop has in hand"
    assert [played.state is None for played in lean] == [True] * 7 + [False]
    assert same(whole.last, lean.last)
    facts, again = (dict(facts_of(record).values) for record in (whole, lean))
    assert {name for name in facts if facts[name] != again[name]} <= {"system/training_seconds"}
    longer = wanted.change(rounds=9)
    assert same(run(longer).last, next(play(longer, after=lean.last)))
    monkeypatch.setattr(memory, "free", lambda: 2_000_000)
    with pytest.raises(ValueError, match=r"^90,000 rounds, each with a state of"):
        run(EXPERIMENT.change(rounds=90_000))
    run(EXPERIMENT.change(rounds=3), lean=True)


def test_grid_varies_the_last_name_fastest() -> None:
    """All combinations, each a checked experiment."""
    found = grid(EXPERIMENT, seed=range(2), split__parties=[2, 3])
    assert [(e.seed, e.split.args["parties"]) for e in found] == [(0, 2), (0, 3), (1, 2), (1, 3)]
    assert grid(EXPERIMENT) == [EXPERIMENT]
    assert grid(EXPERIMENT, seed=[]) == []
    with pytest.raises(ValueError, match=r"^iid: parties must be between 2 and 100, got 1$"):
        grid(EXPERIMENT, split__parties=[2, 1])
