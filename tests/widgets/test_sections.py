"""Sections: built when they are opened, quiet while nobody sees them, hidden by a lesson, carried by a link."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import ipywidgets as w
import pytest
from trustkit.widgets import Lab, app, opening
from trustkit.widgets.hearing import Ear, Hearing
from trustkit.widgets.hiding import PLACES
from trustkit.widgets.links import landed, token_of
from trustkit.widgets.player import measure
from trustkit.widgets.sections import CONTENTS, Sections
from trustkit.widgets.strings import say
from trustkit.widgets.view import View

import trustkit as tk
from tests.widgets.labs import COLUMNS, PLAIN, setting_of, tabs_of, tree
from trustkit.catalogue import PANELS
from trustkit.lesson import HIDABLE, SECTIONS, Lesson
from trustkit.sharelink import Shared, encode


def trained(**lesson: Any) -> Any:
    """Open a lab on a whole run, with a lesson."""
    lab = Lab(setting_of(PLAIN), measure(tk.run(PLAIN)))
    lab.lesson = Lesson(**lesson)
    return lab


def names(sections: Any) -> set[str]:
    """Return the names of the views that the open section shows."""
    return {each.name for each in tree(sections.box) if isinstance(each, View)}


def test_every_section_has_panels_and_every_panel_a_section() -> None:
    """Panels are entries of the catalogue, and the tiles; titles are said in the page's language."""
    assert set(CONTENTS) == set(SECTIONS)
    assert {name for panels in CONTENTS.values() for name in panels} == {"tiles", *PANELS}
    for name, title in SECTIONS.items():
        assert say(f"sections.{name}") == title


def test_the_page_opens_small() -> None:
    """Overview alone is built: well below the 120 widgets that open quickly; each section adds its own."""
    page: Any = app()
    assert len(tree(page)) <= 75
    assert page.lab.section == "overview"
    assert {"tiles", "pillars", "split", "fairness", "accuracy"} <= {
        each.name for each in tree(page) if isinstance(each, View)
    }


def test_a_section_is_built_once_and_swapped() -> None:
    """The same widget comes back; the tabs and the lab say which section is open; others are not there."""
    lab = trained()
    sections = Sections(lab)
    assert "privacy" not in names(sections)
    sections.tabs.current = "privacy"
    assert lab.section == "privacy"
    assert names(sections) == {"privacy", "swept"}
    first = sections.box.children[0]
    assert "tk-in-privacy" in sections.box._dom_classes
    sections.open("overview")
    assert sections.tabs.current == "overview"
    assert "tk-in-privacy" not in sections.box._dom_classes
    split = next(each for each in tree(sections.box) if getattr(each, "name", "") == "split")
    sections.open("privacy")
    assert sections.box.children[0] is first
    sections.open("split")
    assert sections.box.children[0] is split
    sections.open("nowhere")
    assert lab.section == "split"


@pytest.mark.parametrize("axis", ["rows", "columns"])
def test_every_section_draws(axis: str) -> None:
    """Nothing is red, across rows and across columns; what is about the other axis says so, with a way to go there."""
    lab = trained() if axis == "rows" else Lab(setting_of(COLUMNS), measure(tk.run(COLUMNS)))
    sections = Sections(lab)
    for name in SECTIONS:
        sections.open(name)
        views = [each for each in tree(sections.box) if isinstance(each, View)]
        assert [view.name for view in views if 'role="alert"' in view.value] == []
        elsewhere = next((view for view in views if view.name == "elsewhere"), None)
        about = {"correlation": "columns", "vertical": "columns", "attack": "rows"}
        assert (elsewhere is not None) == (about.get(name, axis) != axis)
    sections.open("attack" if axis == "columns" else "correlation")
    next(each for each in tree(sections.box) if isinstance(each, w.Button)).click()
    assert lab.setting.axis != axis
    assert "elsewhere" not in names(sections)


def test_what_nobody_sees_draws_nothing_until_it_is_seen() -> None:
    """A hidden panel misses changes, and hears each of them once when it comes back."""
    lab = trained()
    sections = Sections(lab)
    radar = next(each for each in tree(sections.box) if getattr(each, "name", "") == "pillars")
    drawn = list[str]()
    draw = radar.draw

    def counted(state: Any) -> Any:
        drawn.append("radar")
        return draw(state)

    radar.draw = counted
    before = radar.value
    sections.open("split")
    for weight in (2.0, 3.0, 4.0):
        lab.change(weights=(("privacy", weight),))
    assert (drawn, radar.value) == ([], before)
    sections.open("trust")
    assert drawn == ["radar"]
    assert radar.value != before
    lab.change(weights=(("privacy", 3.0),))
    assert drawn == ["radar", "radar"]


def test_hearing() -> None:
    """Panels hear first, what is around them last; a listener that comes while told stays with its panel."""
    hearing, heard, ear = Hearing(), list[str](), Ear()
    hearing.watch(lambda what: heard.append(f"page {what}"))
    with hearing.into(ear):
        hearing.watch(lambda what: heard.append(f"panel {what}"))
    hearing.tell("a")
    assert heard == ["panel a", "page a"]
    hearing.shut(ear, True)
    for what in ("b", "c", "b"):
        hearing.tell(what)
    assert heard[2:] == ["page b", "page c", "page b"]
    heard.clear()
    hearing.catch_up()
    assert heard == ["panel b", "panel c"]
    assert ear.shut
    hearing.tell("d")
    hearing.shut(ear, False)
    assert heard[2:] == ["page d", "panel d"]
    late = list[str]()
    with hearing.into(ear):
        hearing.watch(lambda what: hearing.watch(late.append) if what == "build" else None)
    hearing.tell("build")
    hearing.shut(ear, True)
    late.clear()
    hearing.tell("e")
    assert late == []


def test_a_lesson_hides_sections_and_panels() -> None:
    """A section goes when it is hidden, or when nothing in it is left; the overview stays."""
    lab = trained(hidden=("split-section", "attack-view", "groups-view", "fairness-view", "report-view", "tiles"))
    lab.section = "split"
    sections = Sections(lab)
    assert lab.section == "overview"
    assert set(SECTIONS) - set(sections.tabs.names) == {"split", "attack", "fairness", "report"}
    assert {"tiles", "fairness"} & names(sections) == set()
    assert "split" in names(sections)
    sections.open("attack")
    assert lab.section == "overview"
    hidden = trained(hidden=tuple(HIDABLE))
    assert Sections(hidden).tabs.names == ["overview"]
    assert "overview-section" not in HIDABLE


def test_a_lesson_that_hides_the_axis_leaves_no_way_to_the_other() -> None:
    """Neither by the button of a section that is about it, nor by a tab, once presets do not lead there either."""
    names_of = {"correlation", "vertical"}
    assert names_of <= set(Sections(trained()).tabs.names)
    sections = Sections(trained(hidden=("axis",)))
    assert names_of <= set(sections.tabs.names)
    sections.open("vertical")
    (button,) = (each for each in tree(sections.box) if isinstance(each, w.Button))
    assert PLACES["axis"] in button._dom_classes
    assert names_of & set(Sections(trained(hidden=("axis", "preset"))).tabs.names) == set()
    across = Lab(setting_of(COLUMNS), measure(tk.run(COLUMNS)))
    across.lesson = Lesson(hidden=("axis", "preset"))
    assert set(Sections(across).tabs.names) & {*names_of, "attack"} == names_of


def test_a_section_whose_last_panel_is_hidden_is_gone() -> None:
    """One by one: each section's panels are all it has."""
    views = {"split": ["split-view"], "correlation": ["correlation-view"], "vertical": ["vertical-view"],
             "train": ["training-view"], "privacy": ["privacy-view"], "attack": ["attack-view"],
             "fairness": ["fairness-view", "groups-view"], "compare": ["compare-view", "replicas-view"],
             "report": ["report-view"]}  # fmt: skip
    for section, needed in views.items():
        assert set(needed) <= set(HIDABLE)
        assert section not in Sections(trained(hidden=tuple(needed))).tabs.names
        for left in needed[1:]:
            assert section in Sections(trained(hidden=tuple(name for name in needed if name != left))).tabs.names


def test_a_link_that_hides_what_there_is_not_says_so() -> None:
    """A card on the page with the name that may have been meant; the page opens all the same."""
    content = {"experiment": PLAIN.to_dict(), "lesson": {"hidden": ["fairnes-section"]}}
    token = f"1.{base64.urlsafe_b64encode(zlib.compress(json.dumps(content).encode())).decode().rstrip('=')}"
    page: Any = app(token)
    said = " ".join(str(each.value) for each in tree(page) if isinstance(each, w.HTML))
    assert "&#x27;fairnes-section&#x27; cannot be hidden; did you mean &#x27;fairness-section&#x27;?" in said
    assert page.lab.section == "overview"
    assert "fairness" in tabs_of(page).names


def test_every_hidable_name_of_a_section_is_a_tab() -> None:
    """Its class, by which the style sheet hides it, is the one that the tab has."""
    for name in SECTIONS:
        if name != "overview":
            assert PLACES[f"{name}-section"] == f"tk-c-{name}-section"


def test_a_link_opens_its_section() -> None:
    """Also through the page; one that a lesson hides gives way to the overview."""
    lab = trained()
    page: Any = app(lab)
    tabs_of(page).current = "compare"
    token = token_of(lab)
    assert landed(token, opening())[0].section == "compare"
    again: Any = app(token)
    assert tabs_of(again).current == "compare"
    hidden = encode(Shared(PLAIN, lesson=Lesson(hidden=("compare-section",)), section="compare"))
    other: Any = app(hidden)
    assert other.lab.section == "overview"
