"""Whatever a callback raises is a red card in its panel, the others go on; and no callback comes past the guard."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import ipywidgets as w
import pytest
from trustkit.widgets import ComparePanel, FairnessPanel, Lab, PrivacyPanel, app, page
from trustkit.widgets.guard import Guard, guarded, strict
from trustkit.widgets.mending import DEBUG, Mending
from trustkit.widgets.public import PUBLIC
from trustkit.widgets.slider import Slider
from trustkit.widgets.strings import speaking
from trustkit.widgets.view import View
from trustkit.widgets.words import status

from tests.widgets.labs import COLUMNS, PLAIN, setting_of, tree
from trustkit.catalogue import PANELS
from trustkit.texts import texts

FOLDER = Path(__file__).parents[2] / "widgets"


@pytest.fixture(autouse=True)
def guards() -> None:
    """Here they keep what goes wrong, as on a page."""


def cards(widget: Any) -> list[str]:
    """The red cards in a widget."""
    return [
        each.value
        for each in tree(widget)
        if isinstance(each, w.HTML) and '<section class="tk-card tk-failed' in each.value
    ]


def button(widget: Any, name: str) -> Any:
    """A button that is shown, by its words."""
    found = [each for each in tree(widget) if isinstance(each, w.Button) and each.description == name]
    return next(each for each in found if each.layout.display != "none")


def broken(*_: Any, **__: Any) -> None:
    """Fail."""
    raise RuntimeError("a <plug> was pulled")


# every file


ACTS = ("observe", "on_click")
ALONE = {
    ("forms", "_heard"): "whoever asks for a form guards what it tells",
    ("forms", "changed"): "the same",
    ("forms", "tell"): "the same",
    ("view", "turn"): "a fold shows and hides what is made already, and knows no page",
}
"""Callbacks that need no guard: the module, what they are or call, and why."""


def unguarded(name: str, source: str) -> list[str]:
    """List the callbacks of a module that are handed to a widget as they are."""
    parsed = ast.parse(source)
    covered = {target.id for node in ast.walk(parsed) if isinstance(node, ast.Assign) and _guards(node.value)
               for target in node.targets if isinstance(target, ast.Name)}  # fmt: skip
    found = []
    for node in ast.walk(parsed):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ACTS:
            act = node.args[0]
            body = act.body if isinstance(act, ast.Lambda) else act
            called = ast.unparse(body.func if isinstance(body, ast.Call) else body)
            if not (_guards(act) or called in covered or (name, called) in ALONE):
                found.append(f"{name}:{node.lineno}: {ast.unparse(act)}")
    return found


def _guards(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "guarded"


def test_no_callback_comes_past_the_guard() -> None:
    """Of all that is handed to a widget; what is excused is there; a bad file is complained of."""
    sources = {file.stem: file.read_text(encoding="utf-8") for file in FOLDER.glob("*.py")}
    assert [each for name, source in sources.items() for each in unguarded(name, source)] == []
    assert sum(source.count("guarded(") for source in sources.values()) > 60
    for (name, called), why in ALONE.items():
        assert called in sources[name]
        assert why
    bad = 'start.on_click(lambda _: go())\nmenu.observe(self._turn, "value")\nx.observe(guarded(lab, "split", f), "x")'
    assert unguarded("panel", bad) == ["panel:1: lambda _: go()", "panel:2: self._turn"]


# every control of every panel


def wired(widget: Any) -> Iterator[tuple[str, Callable[[], None]]]:
    """What a visitor can do in a widget: what it is called, and the act itself."""
    for each in tree(widget):
        if isinstance(each, w.Button):
            yield each.description, each.click
        elif isinstance(each, Slider):
            yield each.label, partial(setattr, each, "index", (each.index + 1) % len(each.texts))
        elif isinstance(each, w.Dropdown) and len(each.options) > 1:
            yield each.description, partial(setattr, each, "index", (each.index + 1) % len(each.options))
        elif isinstance(each, w.Checkbox | w.ToggleButton):
            yield each.description, partial(setattr, each, "value", not each.value)
        elif isinstance(each, w.BoundedIntText):
            yield each.description, partial(setattr, each, "value", each.value + 1)


def sabotage(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let everything that a callback of a panel does fail, where it meets the lab or its own view."""
    for name in ("change", "go", "undo", "redo", "reset", "pin", "run", "step", "stop", "let_go"):
        monkeypatch.setattr(Lab, name, broken)
    monkeypatch.setattr("trustkit.widgets.playing.Playing.start", broken)
    monkeypatch.setattr("trustkit.widgets.playing.Playing.stop", broken)
    monkeypatch.setattr(View, "refresh", broken)


@pytest.mark.parametrize("axis", ["rows", "columns"])
def test_a_fault_in_any_callback_raises_nothing_and_is_shown(monkeypatch: pytest.MonkeyPatch, axis: str) -> None:
    """Of the whole page: what a control does fails, and there is a card with the cause; what does not fail has none."""
    lab = Lab(setting_of(PLAIN if axis == "rows" else COLUMNS))
    whole = app(lab)
    lab.run(wait=True)
    panels = [PANELS[name].function(lab) for name in PANELS]
    failed: set[str] = set()
    for panel in (whole, *panels):
        acts = list(wired(panel))
        with monkeypatch.context() as patch:
            sabotage(patch)
            for name, act in acts:
                lab.hearing.guard.forget()
                before = len(lab.hearing.guard._faults)
                act()
                if len(lab.hearing.guard._faults) > before:
                    failed.add(name)
        for fault in tuple(lab.hearing.guard._faults.values()):
            assert str(fault.error) == "a <plug> was pulled"
            assert f"view.{fault.where}" in texts("en")
    assert {"Undo", "Reset", "Pin", "Run", "Step", "Stop"} <= failed
    assert len(failed) > 15


# what is shown, where, and the way out


def test_a_panel_turns_failed_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """The card is in the panel, above everything; Try again makes it go once the cause is gone."""
    lab = Lab(setting_of(PLAIN))
    lab.run(wait=True)
    budget, fair, compare = PrivacyPanel(lab), FairnessPanel(lab), ComparePanel(lab)
    whole = page(lab, Mending(lab), budget, fair, compare)
    with monkeypatch.context() as patch:
        patch.setattr("trustkit.widgets.playing.Playing.start", broken)
        button(budget, "Sweep ε").click()
        assert isinstance(budget.children[0], Mending)
        (shown,) = cards(budget)
        assert "Privacy failed" in shown
        assert "a &lt;plug&gt; was pulled" in shown
        assert "RuntimeError" in shown
        assert 'role="alert"' in shown
        assert "Traceback" not in shown
        assert cards(whole) == [shown]
        button(budget, "Try again").click()  # the plug is still out
        assert len(cards(budget)) == 1
    lab.change(seed=5)
    lab.run(wait=True)
    assert lab.state == "idle"
    assert cards(fair) == cards(compare) == []
    monkeypatch.setattr("trustkit.widgets.playing.Playing.start", lambda self: self.lab.change(seed=6))
    button(budget, "Try again").click()
    assert lab.setting.seed == 6
    assert cards(whole) == []
    assert not isinstance(budget.children[0], Mending)


def test_starting_over_leads_back_and_clears(monkeypatch: pytest.MonkeyPatch) -> None:
    """To where the controls started, which Undo takes back; the other way out of a fault."""
    lab = Lab(setting_of(PLAIN))
    budget = PrivacyPanel(lab)
    lab.change(seed=5)
    monkeypatch.setattr("trustkit.widgets.playing.Playing.start", broken)
    button(budget, "Sweep ε").click()
    button(budget, "Start over").click()
    assert cards(budget) == []
    assert lab.setting.seed == PLAIN.seed
    lab.undo()
    assert lab.setting.seed == 5


def test_a_listener_that_fails_stops_no_other() -> None:
    """They are told after it; the page says so and stops saying so once it works."""
    lab = Lab(setting_of(PLAIN))
    whole = page(lab, Mending(lab))
    heard: list[str] = []
    trouble = [True]

    def listener(what: str) -> None:
        if trouble[0] and what == "setting":
            broken()

    lab.watch(listener)
    lab.watch(heard.append)
    lab.change(seed=5)
    assert heard.count("setting") == 1
    assert len(cards(whole)) == 1
    trouble[0] = False
    lab.change(seed=6)
    assert cards(whole) == []


def test_a_view_that_cannot_be_drawn_can_be_tried_again() -> None:
    """Its card stays where it is; the page names it beside the buttons."""
    lab = Lab(setting_of(PLAIN))
    trouble = [True]

    def draw(_: Lab) -> str:
        if trouble[0]:
            broken()
        return "<p>here</p>"

    view = View(lab, draw, ("setting",), "split")
    whole = page(lab, Mending(lab), view)
    assert cards(whole) == [view.value]
    assert any("Not drawn: split." in each.value for each in tree(whole) if isinstance(each, w.HTML))
    trouble[0] = False
    button(whole, "Try again").click()
    assert view.value == "<p>here</p>"
    assert not any("Not drawn" in each.value for each in tree(whole) if isinstance(each, w.HTML))


def test_controls_that_fit_nothing_can_be_taken_back_and_a_run_tried_again() -> None:
    """Under the page's own card: the way back for the first, another run for the second."""
    lab = Lab(setting_of(COLUMNS))
    whole = app(lab)
    lab.change(parties=14)
    assert lab.state == "failed"
    assert "blocked · nothing can be run with these settings" in status(lab)
    button(whole, "Take it back").click()
    assert lab.state == "stale"
    calls: list[int] = []

    def work(*_: Any) -> Iterator[Any]:
        calls.append(1)
        broken()
        yield from ()

    lab.player.work = work
    lab.run(wait=True)
    assert lab.state == "failed"
    button(whole, "Try again").click()
    lab.player.wait()
    assert len(calls) == 2


def test_what_is_played_for_a_panel_ends_whatever_goes_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """The buttons are free again, and the panel says what happened."""
    lab = Lab(setting_of(PLAIN))
    budget = PrivacyPanel(lab)

    async def go() -> None:
        with monkeypatch.context() as patch:
            patch.setattr(Lab, "run", broken)
            button(budget, "Sweep ε").click()
            await asyncio.sleep(0.05)
        assert len(cards(budget)) == 1
        assert not button(budget, "Sweep ε").disabled

    asyncio.run(go())


def test_where_in_the_code_is_said_to_developers_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked for by the environment, and never on a public page."""
    lab = Lab(setting_of(PLAIN))
    whole = page(lab, Mending(lab))
    act = guarded(lab, "page", broken)
    monkeypatch.setenv(DEBUG, "1")
    act()
    assert "Traceback" in cards(whole)[0]
    monkeypatch.setenv(PUBLIC, "1")
    act()
    assert "Traceback" not in cards(whole)[0]


def test_the_card_is_german_on_a_german_page() -> None:
    """Its buttons as well; the cause is the library's and marked as English."""
    with speaking("de"):
        lab = Lab(setting_of(PLAIN))
        whole = page(lab, Mending(lab))
        guarded(lab, "controls", broken)()
        assert "Regler: fehlgeschlagen" in cards(whole)[0]
        assert '<span lang="en">a &lt;plug&gt; was pulled</span>' in cards(whole)[0]
        assert button(whole, "Noch einmal versuchen")


# strict


def test_strict_raises_what_a_guard_keeps() -> None:
    """At once where it can; what a button swallows, at the end."""
    lab = Lab(setting_of(PLAIN))
    with pytest.raises(RuntimeError, match="plug"), strict():
        guarded(lab, "page", broken)()
    pressed = w.Button()
    pressed.on_click(guarded(lab, "page", broken))
    reached: list[str] = []
    pressed.on_click(lambda _: reached.append("the next callback"))
    with pytest.raises(RuntimeError, match="plug"), strict():
        pressed.click()
    assert reached == ["the next callback"]
    assert lab.hearing.guard.faults() == ()
    with strict():
        guarded(lab, "page", lambda: None)()


def test_one_act_has_one_fault() -> None:
    """Its newest; another word is another act; success ends its own alone."""
    guard, trouble = Guard(), [True]

    def act(what: str) -> None:
        if trouble[0]:
            raise ValueError(what)

    for _ in range(3):
        guard.call("page", act, "a")
    guard.call("page", act, "b")
    assert [str(each.error) for each in guard.faults()] == ["a", "b"]
    trouble[0] = False
    guard.call("page", act, "a")
    assert [str(each.error) for each in guard.faults()] == ["b"]
    guard.retry()
    assert guard.faults() == ()
