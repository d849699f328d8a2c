"""The runs so far to go back to, slow motion, another seed, and the tour of the first minute."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest
from trustkit.widgets import Controls, Lab
from trustkit.widgets.controls import another
from trustkit.widgets.header import Header
from trustkit.widgets.paced import SLOW, Paced
from trustkit.widgets.player import measure

import trustkit as tk
from tests.widgets.labs import PLAIN, setting_of
from trustkit.records import Stopped


def test_an_earlier_run_comes_back_with_its_settings_and_its_result() -> None:
    """The menu names number, difference and trust; it stands where the controls stand; Undo leads away again."""
    lab = Lab(setting_of(PLAIN), measure(tk.run(PLAIN)))
    menu = Controls(lab).runs.menu
    assert menu.layout.display == "none"
    first = lab.outcome
    lab.change(seed=5)
    lab.run(wait=True)
    assert menu.layout.display == ""
    names = [name for name, _ in menu.options]
    assert names[0].startswith("run 2 · seed: 1 → 5 · trust 0.")
    assert names[1].startswith("run 1 · as the page opened · trust 0.")
    lab.change(weights=(("privacy", 2.0),))
    assert [name for name, _ in menu.options] != names
    lab.change(rounds=7)
    assert (menu.options[0], menu.value) == (("not run yet", ""), "")
    menu.value = PLAIN.key
    assert (lab.outcome, lab.state) == (first, "idle")
    assert lab.experiment == PLAIN
    assert dict(lab.setting.weights) == {"privacy": 2.0}
    assert len(menu.options) == 2
    lab.undo()
    assert lab.setting.rounds == 7
    assert menu.value == ""


def test_the_menu_holds_on_a_page_that_opened_on_nothing() -> None:
    """What the page opened on describes no experiment: a run is named by its key."""
    lab = Lab(setting_of(PLAIN, clients=10**6))
    menu = Controls(lab).runs.menu
    assert lab.experiment is None
    for rounds in (1, 2):
        lab.change(clients=3, rounds=rounds)
        lab.run(wait=True)
    assert [PLAIN.change(rounds=rounds).key[:8] in name for rounds, (name, _) in zip((2, 1), menu.options, strict=True)]
    assert len(menu.options) == 2


def test_slow_motion_waits_between_rounds_and_hears_stop() -> None:
    """A round is there at once, the pause comes after it and ends when the run is to stop; numbers are the same."""
    paced = Paced(tk.play)
    fast = [played.loss.tolist() for played in paced(PLAIN, None, lambda: None)]
    naps: list[float] = []

    def tick() -> None:
        naps.append(1.0)
        if len(naps) > 2 * PLAIN.rounds * 200:
            raise AssertionError("a pause has no end")

    def plain(*_: Any) -> Iterator[int]:
        yield from (1, 2)

    paced.slow = True
    assert [played.loss.tolist() for played in paced(PLAIN, None, lambda: None)] == fast
    quick = Paced(plain)
    quick.slow = True
    assert list(quick(PLAIN, None, tick)) == [1, 2]
    assert len(naps) >= 2  # it looked whether to stop while it waited
    assert SLOW < 0.5

    def stop() -> None:
        raise Stopped

    rounds = quick(PLAIN, None, stop)
    assert next(rounds) == 1
    with pytest.raises(Stopped):
        next(rounds)


def test_the_box_and_the_dice_of_the_controls() -> None:
    """One pace for all controls of a lab; a seed is drawn from the one before, and can be taken back."""
    lab = Lab(setting_of(PLAIN))
    controls, again = Controls(lab), Controls(lab)
    controls.slow.value = True
    work: Any = lab.player.work
    assert work.slow
    assert not isinstance(work.work, Paced)
    again.slow.value = True
    again.slow.value = False
    assert not work.slow
    controls.dice.click()
    assert lab.setting.seed == controls.seed.value == another(PLAIN.seed)
    assert another(PLAIN.seed) == another(PLAIN.seed) != PLAIN.seed
    drawn = {another(seed) for seed in range(200)}
    assert len(drawn) > 190
    assert all(0 <= seed < 10_000 for seed in drawn)
    lab.undo()
    assert controls.seed.value == PLAIN.seed


def test_the_tour_ticks_what_is_done() -> None:
    """Four steps, in words for those who see no tick; it follows while it is open, and closes again."""
    lab = Lab(setting_of(PLAIN), measure(tk.run(PLAIN)))
    header = Header(lab)
    header.buttons["tour"].click()

    def done() -> list[bool]:
        items = header.files.value.split("<li>")[1:]
        return [", done</span>" in item for item in items]

    assert done() == [False] * 4
    lab.change(seed=4)
    lab.run(wait=True)
    assert done() == [True, False, False, False]
    lab.pin()
    assert done() == [True, True, False, False]
    lab.change(epsilon=2.0)
    lab.run(wait=True)
    assert done() == [True, True, True, False]
    assert not math.isinf(lab.setting.epsilon)
    lab.section = "fairness"
    lab.hearing.tell("section")
    assert done() == [True] * 4
    header.buttons["tour"].click()
    assert header.files.value == ""
