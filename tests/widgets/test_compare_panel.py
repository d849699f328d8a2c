"""Runs compared: a baseline, up to four pins, deltas by direction, radars, and what was set otherwise."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import ipywidgets as w
import pytest
from trustkit.widgets import ComparePanel, Lab, opening
from trustkit.widgets.drawn import pictures_of
from trustkit.widgets.links import landed, token_of
from trustkit.widgets.numbers import amount
from trustkit.widgets.player import measure
from trustkit.widgets.results import MOST_PINS
from trustkit.widgets.tiles import moved, tiles, written
from trustkit.widgets.view import View

import trustkit as tk
from tests.widgets.labs import PLAIN, Gate, hear, setting_of, tree
from trustkit import plot, use
from trustkit.quantities import Seen
from trustkit.sharelink import Shared, decode, encode
from trustkit.sidebyside import MEASURES, Delta, deltas_of, measured

START = tk.Experiment("acs_employment", use("iid", parties=3), model="logistic", rounds=1, seed=1)


def panel(experiment: tk.Experiment = START) -> tuple[Any, Any, Any, Any]:
    """Open the panel on a run; return the lab, the two menus and the view."""
    lab = Lab(setting_of(experiment), measure(tk.run(experiment)))
    box = ComparePanel(lab)
    view = next(each for each in tree(box) if isinstance(each, View) and each.name == "compared")
    return lab, *box.children[1].children, view


def cells(view: Any) -> dict[str, list[str]]:
    """Read the table: cells by the name of the row."""
    rows = re.findall(r'<th scope="row">(.*?)</th>(.*?)</tr>', view.value, flags=re.DOTALL)
    return {name: [re.sub("<[^>]+>", " ", cell) for cell in re.findall("<td>(.*?)</td>", rest)] for name, rest in rows}


def test_one_run_stands_alone() -> None:
    """Its numbers without differences, and what to do."""
    lab, baseline, pins, view = panel()
    assert "Choose a baseline" in view.value
    assert [title for title, _ in pins.options] == ["run 1 · as the page opened"]
    assert cells(view)["trust"] == [f"{lab.report().score:.2f}"]
    assert "tk-delta" not in view.value
    assert 'aria-label="Pillars of now (run 1)"' in view.value
    assert baseline.value == ""


def test_baseline_and_pins_are_compared() -> None:
    """The table's numbers are the library's; what was set otherwise is in words; the menus follow Pin and Undo."""
    lab, baseline, pins, view = panel()
    lab.pin()
    assert baseline.value == START.key
    for rounds in (2, 3):
        lab.change(rounds=rounds)
        lab.run(wait=True)
    assert [title for title, _ in pins.options] == [
        "run 3 · rounds: 1 → 3", "run 2 · rounds: 1 → 2", "run 1 · as the page opened",
    ]  # fmt: skip
    pins.value = (pins.options[1][1],)
    assert [each.record.experiment.rounds for each in lab.pins.held] == [2]
    assert re.findall(r'<th scope="col">([^<]+)', view.value) == ["now (run 3)", "baseline (run 1)", "run 2"]
    here, there = (Seen(None, each.record, lab.report(each)) for each in (lab.outcome, lab.baseline))
    for delta in deltas_of(here, there):
        title = "traffic" if delta.name == "megabytes" else delta.title.replace("'", "&#x27;")
        now, base, _ = cells(view)[title]
        assert base.strip() == written(delta.name, delta.there)
        assert now.split()[0] == written(delta.name, delta.here).split()[0]
        digits = written(delta.name, delta.here)
        assert re.sub("<[^>]+>", "", moved(delta)).split() == now.split()[len(digits.split()) :]
    assert "<li>rounds: 1 → 3</li>" in view.value
    assert "run 2, set otherwise than baseline (run 1)" in view.value
    baseline.value = ""
    assert (lab.baseline, baseline.value) == (None, "")
    baseline.value = pins.options[2][1]
    assert lab.baseline.record.experiment == START


def test_four_pins_are_held() -> None:
    """Of more the first ones are let go; the menu shows what is held; the result on the page is not there twice."""
    lab, _, pins, view = panel(PLAIN)
    for seed in range(2, 8):
        lab.change(seed=seed)
        lab.run(wait=True)
    pins.value = tuple(key for _, key in pins.options[:5])
    assert len(lab.pins.held) == MOST_PINS == len(pins.value)
    assert len(re.findall('<th scope="col">[^<]+', view.value)) == len({lab.outcome, *lab.pins.held})
    pins.value = ()
    assert lab.pins.held == ()


def test_deltas_are_written_with_arrow_and_word() -> None:
    """Direction is the number's, better and worse the quantity's; equal and undefined numbers are not coloured."""
    for delta, words in (
        (Delta("accuracy", 0.8, 0.7), "▲ +0.100 · better"),
        (Delta("fairness.demographic_disparity", 0.2, 0.1), "▲ +0.10 · worse"),
        (Delta("epsilon", 6.0, float("inf")), "▼ −∞ · better"),
        (Delta("megabytes", 0.001, 0.002), "▼ −1.0 kB · better"),
        (Delta("trust", 0.5, 0.501), "as the baseline"),
        (Delta("trust", 0.5, 0.5), "as the baseline"),
        (Delta("rmse", None, 0.5), ""),
    ):
        assert re.sub("<[^>]+>", "", moved(delta)) == words
    assert 'class="tk-delta tk-up"' in moved(Delta("accuracy", 0.8, 0.7))
    assert 'class="tk-delta tk-down"' in moved(Delta("accuracy", 0.7, 0.8))


def test_tiles_have_deltas_against_another_baseline() -> None:
    """Five of them; none without a baseline, or on the baseline itself."""
    lab, *_ = panel()
    assert "tk-delta" not in tiles(lab)
    lab.pin()
    assert "tk-delta" not in tiles(lab)
    lab.change(rounds=2)
    lab.run(wait=True)
    assert tiles(lab).count('class="tk-delta') == 5


def options(lab: Any) -> tuple[Any, Any, Any]:
    """Return the box of one scale, the fold of measures and the view of a panel on a lab."""
    box = ComparePanel(lab)
    view = next(each for each in tree(box) if isinstance(each, View) and each.name == "compared")
    scaled, fold = next(each for each in tree(box) if "tk-options" in each._dom_classes).children
    return scaled, fold, view


def ticks(fold: Any) -> dict[str, Any]:
    """Open the choice of measures; return its boxes and buttons by what they say."""
    fold.children[0].value = True
    return {each.description: each for each in tree(fold) if isinstance(each, (w.Checkbox, w.Button))}


def two_runs() -> Any:
    """A lab with a baseline of one round and a result of two."""
    lab = Lab(setting_of(START), measure(tk.run(START)))
    lab.pin()
    lab.change(rounds=2)
    lab.run(wait=True)
    return lab


def test_measures_are_chosen() -> None:
    """Boxes are made when asked for; table and pictures follow; All, Usual and None; what no run has is said."""
    lab = two_runs()
    _, fold, view = options(lab)
    assert not any(isinstance(each, w.Checkbox) for each in tree(fold))
    usual = list(cells(view))
    boxes = ticks(fold)
    assert sum(isinstance(each, w.Checkbox) for each in boxes.values()) == len(MEASURES)
    assert list(cells(view)) == usual
    assert "training time in s" not in usual
    boxes["training time in s"].value = True
    assert list(cells(view)) == [*usual, "training time in s"]
    assert "on the machine that played the run" in view.value
    assert "No run here has: RMSE." in view.value
    boxes["All"].click()
    assert len(cells(view)) > len(usual) + 3
    boxes["Usual"].click()
    assert list(cells(view)) == usual
    assert "No run here has" not in view.value
    boxes["None"].click()
    assert "No measure is chosen" in view.value
    boxes["RMSE"].value = True
    assert cells(view) == {}
    assert "No run here has: RMSE." in view.value
    boxes["RMSE"].value = False
    assert "No measure is chosen" in view.value
    assert "Pillars of now (run 2), baseline (run 1)" in view.value


def test_one_scale_in_words_with_the_measured_numbers() -> None:
    """Each cell has both, the rule stands in a column, deltas stay the measured ones; a picture for wide and narrow."""
    lab = two_runs()
    scaled, _, view = options(lab)
    plain = cells(view)
    scaled.value = True
    assert "From 0 to 1, more is better" in view.value
    seen = [Seen(None, each.record, lab.report(each)) for each in (lab.outcome, lab.baseline)]
    rows = {each.name: each for each in measured(seen)}
    for name, each in rows.items():
        title = "traffic" if name == "megabytes" else each.title.replace("'", "&#x27;")
        now, base, rule = cells(view)[title]
        for cell, value, place in zip((now, base), each.values, each.scaled, strict=True):
            assert cell.split()[:2] == [amount(place), written(name, value).split()[0]]
        assert rule == {"itself": "as it is", "rest": "1 − it", "share": "least of the runs ÷ it"}[each.rule]
        assert plain[title][0].split()[1:] == now.split()[2:]  # the deltas are those of the measured numbers
    assert view.value.count("small pictures, a measure from 0 to 1 each, of now (run 2), baseline (run 1)") == 2
    assert 'class="tk-only-wide tk-small"' in view.value
    found = pictures_of(lab)
    assert list(found) == ["compared", "compared_2"]
    assert set(plot.data_of(found["compared_2"][0]).measure) == set(rows)
    assert plot.data_of(found["compared_2"][0]).run.tolist()[:2] == ["now (run 2)", "baseline (run 1)"]


def linked(*pins: tk.Experiment, baseline: tk.Experiment | None = None, here: tk.Experiment = START) -> Any:
    """The lab of a link that names a baseline and pins."""
    lab, notes, problem = landed(encode(Shared(here, baseline=baseline, pins=pins)), opening())
    assert (notes, problem) == ((), "")
    return lab


def awaited_row(box: Any) -> tuple[Any, Any]:
    """The button and the words of what a panel waits for."""
    row = next(each for each in tree(box) if "tk-awaiting" in each._dom_classes)
    return row, row.children


def test_pins_of_a_link_are_shown_as_not_run_until_they_are() -> None:
    """No number before; in the menus, with what is set otherwise; the button runs all, in the link's order."""
    pins = [START.change(seed=5), START.change(rounds=2)]
    lab = linked(*pins, baseline=START.change(seed=9))
    box = ComparePanel(lab)
    row, (button, words) = awaited_row(box)
    base, menu = box.children[1].children
    view = next(each for each in tree(box) if isinstance(each, View) and each.name == "compared")
    assert re.findall("<li>(.*?)</li>", words.value) == [
        "baseline · not run yet: seed: 1 → 9", "pin · not run yet: seed: 1 → 5", "pin · not run yet: rounds: 1 → 2",
    ]  # fmt: skip
    assert "compares with 3 runs that have not been run here yet" in words.value
    assert "<td>" not in view.value
    assert [title for title, _ in menu.options] == [
        "not run yet · seed: 1 → 9", "not run yet · seed: 1 → 5", "not run yet · rounds: 1 → 2",
    ]  # fmt: skip
    assert menu.value == tuple(each.key for each in pins)
    assert base.value == START.change(seed=9).key
    assert row.layout.display != "none"
    token = token_of(lab)
    assert decode(token).shared.pins == tuple(pins)  # whoever passes the link on passes on all of it
    button.click()
    assert (row.layout.display, lab.awaited.runs, button.disabled) == ("none", (), False)
    assert lab.baseline.record.experiment == START.change(seed=9)
    assert [each.record.experiment for each in lab.pins.held] == pins
    assert lab.outcome.record.experiment == START
    assert (lab.state, token_of(lab)) == ("idle", token)
    assert len(re.findall('<th scope="col">[^<]+', view.value)) == 4


def test_pins_of_a_link_can_be_let_go_and_come_in_by_themselves() -> None:
    """Deselected, or run by the controls; another baseline takes the place of the one that is not here."""
    pins = [START.change(seed=5), START.change(rounds=2)]
    lab = linked(*pins, baseline=START.change(seed=9))
    box = ComparePanel(lab)
    base, menu = box.children[1].children
    menu.value = (pins[1].key,)
    assert lab.awaited.pins == (pins[1],)
    base.value = ""
    assert lab.awaited.baseline is None
    lab.change(rounds=2)
    lab.run(wait=True)
    assert lab.awaited.runs == ()
    assert [each.record.experiment for each in lab.pins.held] == [pins[1]]
    other = linked(baseline=START.change(seed=9))
    other.run(wait=True)
    other.pin()
    assert other.awaited.runs == ()
    assert decode(token_of(other)).shared.baseline == START


def test_a_run_of_a_link_that_was_stopped_is_not_run_yet() -> None:
    """Its rounds can be looked at, and it goes on waiting in its place; other pins come and go beside it."""
    pin = START.change(rounds=2)
    lab = linked(pin)
    box = ComparePanel(lab)
    menu = box.children[1].children[1]
    lab.results.keep(measure(tk.RunRecord(pin, [next(tk.play(pin))])))
    lab.run(wait=True)
    assert (lab.awaited.pins, lab.pins.held, menu.value) == ((pin,), (), (pin.key,))
    menu.value = (START.key, pin.key)
    assert (lab.awaited.pins, [each.record.experiment for each in lab.pins.held]) == ((pin,), [START])
    lab.awaited.play()
    assert [each.record.experiment for each in lab.pins.held] == [pin, START]
    assert all(each.record.complete for each in lab.pins.held)


def test_what_was_recorded_is_there_at_once() -> None:
    """A pin on the run that the page opens on needs no training, and is not said to need it."""
    start = opening()
    lab = linked(start.experiment, START.change(seed=5))
    assert [each.record.experiment for each in lab.pins.held] == [start.experiment]
    assert lab.awaited.pins == (START.change(seed=5),)
    assert decode(token_of(lab)).shared.pins == (start.experiment, START.change(seed=5))


def test_a_run_of_a_link_that_cannot_be_played_is_said() -> None:
    """Its sentence stands beside the button; what came before it is kept, and nothing goes on."""
    gate = Gate(error_at=1)
    lab = gate.lab(START)
    lab.awaited.name(None, [START.change(seed=5), START.change(seed=6)])
    box = ComparePanel(lab)
    _, (button, words) = awaited_row(box)
    gate.open(9)
    button.click()
    assert "It could not be run: " in words.value
    assert "round 1 &lt;cannot&gt; be played" in words.value
    assert [each.seed for each in lab.awaited.pins] == [5, 6]
    assert not lab.awaited.busy


def test_a_public_page_cuts_what_a_link_compares_with(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it cuts the controls; it says so, and the button plays what may be played."""
    monkeypatch.setenv("TRUSTKIT_PUBLIC", "1")
    token = encode(Shared(START, pins=(START.change(rounds=150),)))
    lab, notes, problem = landed(token, opening())
    assert (notes, problem) == (("rounds 150 → 100",), "")
    assert [each.rounds for each in lab.awaited.pins] == [100]


def test_runs_of_a_link_are_played_on_a_loop_and_stop_is_heard() -> None:
    """One after the other while the page lives; Stop ends the row of them and keeps the rest waiting."""
    gate = Gate()

    async def go() -> None:
        lab = gate.lab(START.change(rounds=2))
        lab.awaited.name(START.change(seed=9), [START.change(seed=5), START.change(rounds=2, seed=6)])
        gate.open()
        await hear(lab, "baseline", lab.awaited.play)
        gate.open()
        await hear(lab, "pins", lambda: None)
        gate.arrive()
        assert lab.awaited.busy
        for _ in range(2):
            await asyncio.to_thread(gate.arrive)
        lab.stop()
        gate.open(3)
        await hear(lab, "outcome", lambda: None)
        assert (lab.awaited.busy, [each.seed for each in lab.awaited.runs]) == (False, [6])
        assert lab.baseline.record.experiment.seed == 9

    asyncio.run(go())
