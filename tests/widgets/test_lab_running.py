"""Training beside a loop that lives: what is shown meanwhile, stopping in the middle, going on, newest wish wins."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any

from trustkit.widgets import Lab
from trustkit.widgets.app import app
from trustkit.widgets.controls import Controls
from trustkit.widgets.player import Player, measure
from trustkit.widgets.view import View

import trustkit as tk
from tests.widgets.labs import PLAIN, SMALL, Gate, hear, same, setting_of, tree


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
    assert len(lab.results) == 1


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
    assert "Training failed" in problem.value
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


@on_a_loop
async def test_a_move_that_comes_in_late_is_what_is_run() -> None:
    """A browser holds a slider's last place back while the kernel is busy; Run, pressed after it, must not overtake."""
    gate = Gate()
    lab = gate.lab()
    controls = Controls(lab)
    controls.buttons["run"].click()
    gate.arrive()
    controls.sliders["rounds"].index -= 1
    assert lab.experiment.rounds < SMALL.rounds
    assert lab.progress.experiment == lab.experiment
    controls._pressed = ("run", controls._pressed[1] - 1)  # a second later it is a move like any other
    controls.sliders["rounds"].index -= 1
    assert lab.progress.experiment != lab.experiment
    await hear(lab, "outcome", lambda: gate.open(9))


@on_a_loop
async def test_what_is_over_but_not_on_the_page_is_not_stale() -> None:
    """Between the worker's last word and the page that shows it the state is still that of the run."""
    gate = Gate()
    lab = gate.lab()
    lab.run()
    gate.open(4)
    lab.player.wait()  # here, so that the loop does not come to show it
    assert (lab.player.busy, lab.state) == (False, "running")
    await hear(lab, "outcome", lambda: None)
    assert lab.state == "idle"


@on_a_loop
async def test_numbers_of_the_run_before_are_said_to_be_that() -> None:
    """While another run goes on, in words and by a mark of the page; neither once it is there."""
    gate = Gate()
    lab = gate.lab()
    page = app(lab)
    said = next(w for w in tree(page) if isinstance(w, View) and w.name == "summary")
    words = "those of the run before"
    lab.run()
    assert words not in said.value  # there is none
    await hear(lab, "outcome", lambda: gate.open(4))
    lab.change(seed=8)
    lab.run()
    gate.arrive()
    assert words in said.value
    assert "tk-behind" in page._dom_classes
    await hear(lab, "outcome", lambda: gate.open(4))
    assert words not in said.value
    assert "tk-behind" not in page._dom_classes
