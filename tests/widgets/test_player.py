"""The worker: plays rounds in one thread, measures, stops at the next step, and never raises into the page."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from trustkit.widgets import player as module
from trustkit.widgets.player import Player, Progress, measure

import trustkit as tk
from tests.widgets.labs import COLUMNS, PLAIN, SMALL, Gate, same
from trustkit.records import Round, Tick


def test_plays_and_measures() -> None:
    """The phases in order end with done; record and fact sheet are those of the library."""
    player = Player()
    assert not player.busy
    assert player.progress is None
    player.wait()
    progress = player.start(SMALL)
    player.wait()
    assert (progress.phase, progress.over, progress.error) == ("done", True, None)
    assert same(progress.outcome.record, tk.run(SMALL))
    assert tk.assess(progress.outcome.facts).score == tk.assess(tk.facts_of(tk.run(SMALL))).score
    assert len(progress.record) == 4
    assert not player.busy


def test_stop_is_seen_at_the_next_step_inside_a_round() -> None:
    """Not at the end of the round: the step asks, and the round before is kept."""
    steps, wait, inside = list[int](), threading.Event(), threading.Event()

    def work(experiment: tk.Experiment, after: Round | None, tick: Tick) -> Iterator[Round]:
        rounds = tk.play(experiment)
        tick()
        yield next(rounds)
        for step in range(100):
            if step == 3:
                inside.set()
                wait.wait(60)
            steps.append(step)
            tick()
        yield next(rounds)

    player = Player(work)
    progress = player.start(SMALL)
    assert inside.wait(60)
    assert progress.phase == "running"
    player.stop()
    assert progress.phase == "stopping"
    assert player.busy
    wait.set()
    player.wait()
    assert steps == [0, 1, 2, 3]
    assert (progress.phase, len(progress.record)) == ("stopped", 1)
    assert len(progress.outcome.record) == 1
    player.stop()  # too late, and harmless
    assert progress.phase == "stopped"


def test_the_engine_asks_inside_a_round() -> None:
    """Both ways to train look at the tick several times in a round, so Stop need not wait for its end."""
    for experiment in (SMALL, COLUMNS):
        ticks: list[int] = []
        next(iter(tk.play(experiment, tick=lambda seen=ticks: seen.append(1))))  # type: ignore[misc]
        assert len(ticks) > 1


def test_stop_while_measuring_keeps_the_whole_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """All rounds are played already; it is done, not stopped."""
    inside, wait = threading.Event(), threading.Event()

    def slow(record: tk.RunRecord) -> Any:
        inside.set()
        wait.wait(60)
        return measure(record)

    monkeypatch.setattr(module, "measure", slow)
    player = Player()
    progress = player.start(PLAIN)
    assert inside.wait(60)
    player.stop()
    assert progress.phase == "measuring"
    wait.set()
    player.wait()
    assert progress.phase == "done"
    assert progress.outcome.record.complete


def test_goes_on_from_earlier_rounds_up_to_a_limit() -> None:
    """The earlier record is not touched; what comes is bit for bit the whole run's."""
    player, whole = Player(), tk.run(SMALL)
    earlier = tk.RunRecord(SMALL, list(whole)[:1])
    progress = player.start(SMALL, earlier, 3)
    player.wait()
    assert (progress.phase, len(progress.record), len(earlier)) == ("stopped", 3, 1)
    assert same(progress.outcome.record, tk.RunRecord(SMALL, list(whole)[:3]))
    beyond = player.start(SMALL, progress.record, 99)
    player.wait()
    assert beyond.limit == 4
    assert same(beyond.outcome.record, whole)


@pytest.mark.parametrize("where", ["building", "a round", "measuring"])
def test_an_error_becomes_a_phase(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever it comes from; nothing is raised here, and the next run works."""

    def broken(*args: Any) -> Any:
        raise RuntimeError(f"broken in {where}")

    gate = Gate(error_at=1)
    gate.open(9)
    player = Player({"building": broken, "a round": gate.work}.get(where, tk.play))
    if where == "measuring":
        monkeypatch.setattr(module, "measure", broken)
    progress = player.start(SMALL)
    player.wait()
    assert (progress.phase, progress.outcome, player.busy) == ("failed", None, False)
    assert isinstance(progress.error, ValueError if where == "a round" else RuntimeError)
    monkeypatch.undo()
    player.work = tk.play
    assert player.start(PLAIN).error is None
    player.wait()
    assert player.progress.phase == "done"


def test_a_dropped_run_that_fails_stays_dropped() -> None:
    """What it died of concerns nobody any more."""
    inside, wait = threading.Event(), threading.Event()

    def work(experiment: tk.Experiment, after: Round | None, tick: Tick) -> Iterator[Round]:
        if experiment == PLAIN:
            yield from tk.play(experiment)
        inside.set()
        wait.wait(60)
        raise RuntimeError("too late")

    player = Player(work)
    first = player.start(SMALL)
    assert inside.wait(60)
    player.start(PLAIN, limit=2)
    wait.set()
    player.wait()
    assert (first.phase, player.progress.phase) == ("dropped", "done")


def test_a_dropped_run_stays_dropped() -> None:
    """It leaves at the next step, whatever it has played; it is never measured."""
    gate = Gate()
    player = Player(gate.work)
    first = player.start(SMALL)
    gate.arrive()
    gate.open()
    gate.arrive()
    second = player.start(PLAIN)
    assert (first.phase, second.phase) == ("dropped", "running")
    gate.open(9)
    player.wait()
    assert (first.phase, first.outcome, first.error, len(first.record)) == ("dropped", None, None, 1)
    assert (second.phase, len(second.record)) == ("done", 2)


def test_one_worker_thread_for_all_runs() -> None:
    """So two runs are never played at once."""
    gate = Gate()
    gate.open(99)
    player = Player(gate.work)
    for _ in range(5):
        player.start(PLAIN)
    player.wait()
    assert len(gate.threads) == 1
    assert threading.current_thread().name not in gate.threads


def test_seconds_left_are_judged_by_when_the_last_rounds_came() -> None:
    """(2 + 3 + 4 + 5 + 6) / 5 = 4 seconds a round with what lies between, 4 rounds to go; a lone one by itself."""
    progress = Progress(SMALL, 10)
    assert progress.left() is None
    seen = next(tk.play(SMALL)).seen
    for index, came in enumerate((100.0, 102.0, 105.0, 109.0, 114.0, 120.0), start=1):
        progress.record(Round(index, None, seen, 1.0))
        progress.arrived.append(came)
        assert index > 1 or progress.left() == 9.0
    left = progress.left()
    assert left is not None
    assert math.isclose(left, 16.0)
