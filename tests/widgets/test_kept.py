"""What was drawn is shown again when a change is taken back; what comes at once is drawn once; a run leaves time."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import numpy as np
import pytest
from trustkit.widgets import Lab
from trustkit.widgets.app import app
from trustkit.widgets.controls import Controls
from trustkit.widgets.drawn import pictures_of
from trustkit.widgets.hearing import Ear, Hearing
from trustkit.widgets.player import measure
from trustkit.widgets.split import SplitPanel
from trustkit.widgets.view import View

import trustkit as tk
from tests.widgets.labs import COLUMNS, SMALL, Gate, hear, setting_of, tree
from trustkit.findings import quality_of
from trustkit.plot import style


def counted(page: Any, *names: str) -> list[str]:
    """Note from now on which views of a page draw."""
    drawn = list[str]()

    def noted(view: View) -> None:
        draw: Any = view.draw

        def draw_and_note(lab: Lab) -> Any:
            drawn.append(view.name)
            return draw(lab)

        view.draw = draw_and_note

    for each in tree(page):
        if isinstance(each, View) and each.name in names:
            noted(each)
    return drawn


def shown(page: Any) -> dict[str, str]:
    """What every view shows; of pictures, the names that matplotlib makes up for parts are left out."""
    return {each.name: each.value for each in tree(page) if isinstance(each, View)}


@pytest.mark.parametrize("experiment", [SMALL, COLUMNS], ids=["rows", "columns"])
def test_what_is_taken_back_is_not_drawn_again(experiment: tk.Experiment) -> None:
    """Undo and Redo between two runs: every text is that of before, no picture is drawn; and a new pin is."""
    page = app(Lab(setting_of(experiment), measure(tk.run(experiment))))
    lab, names = page.lab, ("accuracy", "pillars", "fairness", "split", "correlation", "tiles")
    drawn = counted(page, *names)
    lab.change(seed=5)
    lab.run(wait=True)
    lab.undo()
    first = shown(page)
    lab.redo()
    second = shown(page)
    assert {name for name in names if name in first and first[name] != second[name]} >= {"accuracy", "pillars"}
    drawn.clear()
    for expected in (first, second, first):
        (lab.undo if lab.setting.seed == 5 else lab.redo)()
        assert shown(page) == expected
    assert drawn == []
    lab.pin()
    assert sorted(drawn) == ["accuracy", "pillars", "tiles"]


def test_the_figure_taken_home_is_the_one_shown() -> None:
    """Though its text was kept and its lines were moved since."""
    page = app(Lab(setting_of(SMALL), measure(tk.run(SMALL))))
    lab = page.lab
    lab.change(rounds=3)
    lab.run(wait=True)
    for back in (lab.undo, lab.redo, lab.undo):
        back()
        figure, label = pictures_of(lab)["accuracy"]
        assert f"of {lab.experiment.rounds}" in label
        line = (style.artists(figure, True) or {})["now"].get_ydata()
        assert np.allclose(line, quality_of(lab.outcome.record).values.mean(1))


def test_what_changes_at_once_is_drawn_once() -> None:
    """A setting with other weights whose result is there: the sentence, drawn of all three, is drawn once, and last."""
    page = app(Lab(setting_of(SMALL), measure(tk.run(SMALL))))
    lab = page.lab
    lab.change(seed=5)
    lab.run(wait=True)
    other = lab.setting
    lab.undo()
    drawn, heard = counted(page, "summary", "tiles", "pillars", "problem"), list[str]()
    lab.watch(heard.append)
    lab.go(other.change(weights=(("privacy", 2.0),)))
    assert heard == ["weights", "setting", "outcome"]
    assert sorted(drawn) == ["pillars", "problem", "summary", "tiles"]
    assert lab.outcome.record.experiment.seed == 5


def test_who_is_told_first_in_turn_and_not_at_all() -> None:
    """Who decides what is seen hears before panels do; one panel a turn; one that is shut hears when it opens."""
    hearing, heard, ears = Hearing(), list[str](), [Ear(), Ear()]
    for name, ear in zip("ab", ears, strict=True):
        with hearing.into(ear):
            hearing.watch(lambda what, name=name: heard.append(f"{name} {what} before {[*hearing.coming]}"))
    hearing.watch(lambda what: heard.append(f"page {what}"))
    hearing.watch(lambda what: hearing.shut(ears[1], what == "setting"), first=True)
    hearing.tell("setting", "outcome")  # the second opens what the first has shut
    assert heard[:2] == ["b setting before ['outcome']", "b outcome before []"]
    assert heard[2:] == ["a setting before ['outcome']", "a outcome before []", "page setting", "page outcome"]
    heard.clear()
    hearing.shut(ears[1], True)
    turns = hearing.in_turn("progress")
    assert heard == []
    next(turns)
    assert heard == ["a progress before []"]
    assert [*turns, heard[1:]] == [None, ["page progress"]]
    hearing.shut(ears[1], False)
    assert heard[2:] == ["b progress before []"]


def test_a_run_that_stands_still_is_not_drawn_again() -> None:
    """While the first round is played the bar is told ten times a second, pictures once; threads take quicker turns."""
    usual = sys.getswitchinterval()

    async def follow() -> None:
        gate = Gate()
        lab, told = gate.lab(), list[str]()
        lab.watch(told.append)
        lab.run()
        gate.arrive()
        assert sys.getswitchinterval() < usual
        for _ in range(3):
            await hear(lab, "beat", lambda: None)
        assert told.count("progress") == 1
        await hear(lab, "progress", gate.open)
        await hear(lab, "outcome", lambda: gate.open(3))

    asyncio.run(follow())
    assert sys.getswitchinterval() == usual


def test_controls_stand_where_a_preset_is_before_it_is_drawn() -> None:
    """Under a slider that is held, the picture comes first."""
    lab = Lab(setting_of(SMALL))
    seen, made = list[tuple[str, int]](), list[Controls]()
    with lab.hearing.into(Ear()):
        lab.watch(lambda what: seen.append((what, made[0].sliders["clients"].value)))
    made.append(controls := Controls(lab))
    lab.change(clients=7)
    assert seen == [("setting", 7)]
    lab.undo()
    assert seen[1:] == [("setting", 4)]

    async def drag() -> None:
        lab.change("rounds", rounds=5)

    rounds = controls.sliders["rounds"]
    lab.watch(lambda what: seen.append((what, rounds.value)))
    with lab.hearing.into(Ear()):
        lab.watch(lambda what: seen.append((f"panel {what}", rounds.value)))
    asyncio.run(drag())
    assert ("panel setting", 4) in seen
    assert rounds.value == 5


def test_a_slider_held_after_undo_keeps_the_card_that_is_shown() -> None:
    """The plane waits while β moves; but it is that of the parties on the page, not of those that were taken back."""
    lab = Lab(setting_of(COLUMNS))
    view = SplitPanel(lab)
    shown = view.value
    lab.change(parties=4)
    lab.undo()
    assert view.value == shown

    async def drag() -> None:
        lab.change("beta", beta=0.9)
        assert "3 parties" in view.value
        moved = view.value
        lab.change("beta", beta=0.1)
        assert view.value == moved

    asyncio.run(drag())
