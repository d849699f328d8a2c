"""Training beside a loop that lives: what is shown meanwhile, stopping in the middle, going on, newest wish wins."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from trustkit.widgets import Lab, search
from trustkit.widgets.app import _problem, app
from trustkit.widgets.player import Player, measure
from trustkit.widgets.view import View

import trustkit as tk
from tests.widgets.labs import COLUMNS, PATIENCE, PLAIN, SMALL, Gate, hear, heard, same, setting_of, tree
from trustkit import use


def on_a_loop(test: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    """Run a test inside a loop of its own, as in a kernel."""

    def run() -> None:
        asyncio.run(test())

    run.__name__, run.__doc__ = test.__name__, test.__doc__
    return run


@on_a_loop
async def test_a_run_comes_back_at_once_and_ends_like_any_other() -> None:
    """In a thread of its own; every listener is called on the loop's thread."""
    gate = Gate()
    lab, heard_on = gate.lab(), set[str]()
    lab.watch(lambda what: heard_on.add(threading.current_thread().name))
    lab.run()
    gate.arrive()
    assert (lab.state, lab.outcome) == ("running", None)
    await hear(lab, "outcome", lambda: gate.open(4))
    assert lab.state == "idle"
    assert same(lab.outcome.record, tk.run(SMALL))
    assert heard_on == {threading.current_thread().name}
    assert all(name.startswith("trustkit") for name in gate.threads)


@on_a_loop
async def test_rounds_are_shown_while_more_are_played() -> None:
    """The table grows; before the first round it is empty; the kept outcome is untouched until the end."""
    gate = Gate()
    lab = gate.lab()
    assert [lab.shown] == [None]
    lab.run()
    gate.arrive()
    assert len(lab.shown) == 0
    gate.open()
    gate.arrive()
    assert len(lab.shown) == 1
    assert lab.shown.experiment == SMALL
    gate.open(2)
    gate.arrive()
    gate.arrive()
    assert len(lab.shown) == 3
    await hear(lab, "outcome", gate.open)
    assert lab.shown is lab.outcome.record


@on_a_loop
async def test_stop_is_seen_in_mid_run_and_run_goes_on_from_there() -> None:
    """What was played is kept and measured; in the end it is the whole run, bit for bit."""
    gate = Gate()
    lab = gate.lab()
    lab.run()
    gate.arrive()
    gate.open(2)
    gate.arrive()
    gate.arrive()
    lab.stop()
    assert lab.state == "stopping"
    await hear(lab, "outcome", gate.open)
    assert (lab.state, len(lab.outcome.record)) == ("stopped", 2)
    assert lab.report() is not None
    lab.run()
    gate.arrive()
    assert len(lab.shown) == 2
    await hear(lab, "outcome", lambda: gate.open(2))
    assert lab.state == "idle"
    assert same(lab.outcome.record, tk.run(SMALL))


@on_a_loop
async def test_stop_before_the_first_round_keeps_what_was_shown() -> None:
    """Nothing was played, so there is nothing new to show."""
    gate = Gate()
    lab = gate.lab()
    lab.run()
    gate.arrive()
    lab.stop()
    await hear(lab, "outcome", gate.open)
    assert (lab.state, lab.outcome, lab.error) == ("stale", None, None)
    lab.stop()  # nothing to stop
    assert lab.state == "stale"


@on_a_loop
async def test_run_while_stopping_goes_on_where_it_stands() -> None:
    """Pressed before the worker has seen the stop: the rounds played are not played again."""
    gate = Gate()
    lab = gate.lab()
    lab.run()
    gate.arrive()
    gate.open()
    gate.arrive()
    lab.stop()
    lab.run()
    assert (lab.state, len(lab.shown)) == ("running", 1)
    gate.open()  # the old worker leaves
    gate.arrive()
    assert len(lab.shown) == 1
    await hear(lab, "outcome", lambda: gate.open(3))
    assert same(lab.outcome.record, tk.run(SMALL))


@on_a_loop
async def test_the_newest_run_wins() -> None:
    """The first is dropped in the middle of a round; nothing of it is ever shown or kept."""
    gate = Gate()
    lab, shown = gate.lab(), set[str]()
    lab.watch(lambda what: shown.add(lab.shown.experiment.key) if lab.shown is not None else None)
    lab.run()
    gate.arrive()
    gate.open(1)
    gate.arrive()
    first = lab.progress
    lab.go(setting_of(PLAIN))
    shown.clear()
    lab.run()
    assert first.phase == "dropped"
    gate.open()
    gate.arrive()
    await hear(lab, "outcome", lambda: gate.open(2))
    assert lab.state == "idle"
    assert lab.outcome.record.experiment == PLAIN
    assert same(lab.outcome.record, tk.run(PLAIN))
    assert (first.phase, first.outcome) == ("dropped", None)
    assert shown == {PLAIN.key}
    lab.undo()
    assert lab.state == "stale"  # nothing of the first was kept


@on_a_loop
async def test_many_wishes_are_one_run() -> None:
    """Twenty settings in a row, each with Run: only the last is played."""
    gate = Gate()
    lab = gate.lab()
    for seed in range(20):
        lab.change(seed=seed)
        lab.run()
    gate.open(40)
    await hear(lab, "outcome", lambda: None)
    assert lab.outcome.record.experiment.seed == 19
    assert len(lab._results) == 1


@on_a_loop
async def test_a_run_that_ends_under_other_controls() -> None:
    """Its result is shown, marked stale; where the controls stand on a kept result, that one stays."""
    gate = Gate()
    lab = Lab(setting_of(PLAIN), measure(tk.run(PLAIN)), Player(gate.work))
    kept = lab.outcome
    lab.go(setting_of(SMALL))
    lab.run()
    gate.arrive()
    lab.undo()
    await hear(lab, "outcome", lambda: gate.open(4))
    assert (lab.state, lab.outcome) == ("idle", kept)
    lab.redo()
    assert lab.state == "idle"
    assert lab.outcome.record.experiment == SMALL
    lab.change(seed=8)
    lab.run()
    gate.arrive()
    lab.change(seed=9)
    await hear(lab, "outcome", lambda: gate.open(4))
    assert (lab.state, lab.outcome.record.experiment.seed) == ("stale", 8)


@on_a_loop
async def test_an_error_in_training_is_a_red_card_and_nothing_more() -> None:
    """In words, escaped, in one view; the others draw on; a later run that works takes it away."""
    gate = Gate(error_at=2)
    lab = gate.lab()
    page = app(lab)
    problem = next(w for w in tree(page) if isinstance(w, View) and w.name == "problem")
    lab.run()
    gate.arrive()
    await hear(lab, "outcome", lambda: gate.open(2))
    assert lab.state == "failed"
    assert "training failed" in problem.value
    assert "round 2 &lt;cannot&gt; be played" in problem.value
    assert "(ValueError)" in problem.value
    views = [widget for widget in tree(page) if isinstance(widget, View)]
    assert [view.name for view in views if 'role="alert"' in view.value] == ["problem"]
    gate.error_at = 0
    lab.run()
    assert problem.value == ""
    assert lab.state == "running"
    await hear(lab, "outcome", lambda: gate.open(4))
    assert (lab.state, problem.value) == ("idle", "")
    assert same(lab.outcome.record, tk.run(SMALL))


@on_a_loop
async def test_an_error_of_another_setting_is_not_this_ones() -> None:
    """The controls have moved on; they are stale, not failed."""
    gate = Gate(error_at=1)
    lab = gate.lab()
    lab.run()
    gate.arrive()
    lab.change(seed=8)
    await hear(lab, "outcome", gate.open)
    assert (lab.state, lab.error) == ("stale", None)


@on_a_loop
async def test_waiting_works_on_a_loop_too() -> None:
    """As in a cell whose next line reads the result."""
    lab = Lab(setting_of(SMALL))
    lab.run(wait=True)
    assert lab.state == "idle"
    assert same(lab.outcome.record, tk.run(SMALL))


# wide tables

WIDE = tk.Experiment("digits", use("correlation", parties=4, beta=0.3), "splitnn", rounds=2)


class Slow:
    """A search that waits to be let go; ``asked`` lists what it was asked for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, error: Exception | None = None) -> None:
        self.asked: list[float] = []
        self.began, self.go = threading.Semaphore(0), threading.Semaphore(0)
        self.error, self.real = error, search.partition_of
        monkeypatch.setattr(search, "partition_of", self.find)

    def find(self, experiment: tk.Experiment) -> Any:
        """Stand in for `partition_of`."""
        if threading.current_thread() is threading.main_thread():
            return self.real(experiment)
        self.asked.append(experiment.split.args.get("beta", -1))
        self.began.release()
        if not self.go.acquire(timeout=PATIENCE):
            raise TimeoutError("nobody let the search go")
        if self.error is not None:
            raise self.error
        return None


def test_a_wide_table_is_searched_in_the_background(monkeypatch: pytest.MonkeyPatch) -> None:
    """The controls can be moved meanwhile; what they have left behind is not looked for, or not told."""

    async def test() -> None:
        slow, lab = Slow(monkeypatch), Lab(setting_of(PLAIN), measure(tk.run(PLAIN)))
        lab.go(setting_of(WIDE))
        assert lab.searching
        assert lab.experiment == WIDE
        await asyncio.to_thread(slow.began.acquire)
        for beta in (0.4, 0.5, 0.6):
            lab.change(beta=beta)
        with heard(lab) as topics:
            slow.go.release()
            await asyncio.to_thread(slow.began.acquire)
            for _ in range(5):
                await asyncio.sleep(0)  # the loop hears of the first search
            assert (lab.searching, topics) == (True, [])
            await hear(lab, "setting", slow.go.release)
        assert topics == ["setting"]
        assert slow.asked == [0.3, 0.6]
        assert not lab.searching
        assert lab.error is None

    asyncio.run(test())


def test_back_to_a_quick_split_does_not_wait_for_a_slow_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """It queues behind the search instead of holding up the page."""

    async def test() -> None:
        slow, lab = Slow(monkeypatch), Lab(setting_of(PLAIN), measure(tk.run(PLAIN)))
        lab.go(setting_of(WIDE))
        await asyncio.to_thread(slow.began.acquire)
        lab.undo()
        assert (lab.experiment, lab.searching) == (PLAIN, True)
        await hear(lab, "setting", lambda: slow.go.release(9))
        assert (lab.state, lab.searching) == ("idle", False)
        lab.change(seed=4)
        assert not lab.searching  # nothing in the way any more

    asyncio.run(test())


def test_a_search_that_fails_says_so_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Like a setting that cannot be, and it is not tried again by whoever draws."""

    async def test() -> None:
        slow, lab = Slow(monkeypatch, ValueError("no such split")), Lab(setting_of(COLUMNS))
        view = View(lab, _problem, ("setting",), "problem")
        lab.go(setting_of(WIDE))
        await asyncio.to_thread(slow.began.acquire)
        await hear(lab, "setting", slow.go.release)
        assert (lab.state, lab.experiment, lab.searching) == ("failed", None, False)
        assert "this setting failed" in view.value
        assert "no such split" in view.value
        with pytest.raises(ValueError, match="no such split"):
            lab.federated()
        lab.undo()
        assert lab.state == "stale"

    asyncio.run(test())


def test_without_a_loop_a_wide_table_is_searched_at_once() -> None:
    """As in a script."""
    lab = Lab(setting_of(WIDE))
    assert not lab.searching
    assert lab.federated().partition.achieved["asked_beta"] == 0.3
