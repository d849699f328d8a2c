"""Asked and achieved: the table beside the split, across rows and across columns."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from trustkit.widgets import AskedPanel, Lab
from trustkit.widgets.sections import Sections
from trustkit.widgets.strings import speaking

import trustkit as tk
from tests.widgets.labs import COLUMNS, SMALL, setting_of, tree
from trustkit import use


def lines(view: Any) -> dict[str, list[str]]:
    """Return the cells of the table by quantity, as words."""
    rows = re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', view.value)
    cells = {name: re.findall("<td>(.*?)</td>", rest) for name, rest in rows}
    return {html.unescape(name): [_plain(each) for each in found] for name, found in cells.items()}


def _plain(cell: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", cell))


def table(experiment: tk.Experiment) -> dict[str, list[str]]:
    """Return the table of an experiment's split."""
    return lines(AskedPanel(Lab(setting_of(experiment))))


def test_rows() -> None:
    """What was asked stands beside what came of it; what was not asked says so, and α is not estimated."""
    found = table(SMALL.change(split=use("dirichlet", parties=4, alpha=0.5)))
    assert found["clients with training rows"][:3] == ["4", "4", "no search"]
    assert found["Dirichlet α"] == [
        "0.500", "not known", "no search", "not estimated: one draw, whose skews are below",
    ]  # fmt: skip
    asked, achieved, *_ = found["label skew"]
    assert asked == "not asked"
    assert 0 < float(achieved) < 1


def test_columns_with_the_bounds_of_the_search() -> None:
    """β asked and achieved, Icor between what the search found; α is an estimate."""
    found = table(COLUMNS.change(split=use("correlation", parties=3, beta=0.3)))
    assert found["β of correlation"][0] == "0.300"
    assert abs(float(found["β of correlation"][1]) - 0.3) < 0.05
    asked, achieved, bounds, note = found["Icor"]
    low, high = map(float, bounds.split(" to "))
    assert low <= float(achieved) <= high
    assert abs(float(asked) - float(achieved)) < 0.02
    assert note == "bounds exact: all divisions were tried"
    assert found["α of importance"][0] == "not asked"
    assert "an estimate from this one division" in found["α of importance"][3]
    both = table(COLUMNS.change(split=use("joint", parties=3, alpha=0.5, beta=0.5)))
    assert both["α of importance"][0] == "0.500"
    assert both["part of importance elsewhere"][0] == "0.000"


def test_it_follows_the_controls_and_is_a_table_with_a_name() -> None:
    """Another setting is another table; head cells, a region that can be scrolled by keyboard."""
    lab = Lab(setting_of(SMALL))
    view: Any = AskedPanel(lab)
    assert lines(view)["clients with training rows"][0] == "4"
    lab.change(clients=6)
    assert lines(view)["clients with training rows"][0] == "6"
    assert view.value.count('<th scope="col">') == 5
    assert 'tabindex="0" role="region" aria-label="Asked and achieved"' in view.value


@pytest.mark.parametrize("axis", ["rows", "columns"])
def test_german(axis: str) -> None:
    """Quantities and notes in German; nothing English is left but what is marked."""
    with speaking("de"):
        found = table(SMALL if axis == "rows" else COLUMNS)
    assert ("Clients mit Trainingszeilen" if axis == "rows" else "β der Korrelation") in found
    notes = " ".join(note for *_, note in found.values())
    assert ("Totalvariationsabstand" if axis == "rows" else "Grenzen genau") in notes


def test_it_stands_below_the_split() -> None:
    """In its section, built when that is opened."""
    sections = Sections(Lab(setting_of(SMALL)))
    assert "asked" not in {getattr(each, "name", "") for each in tree(sections.box)}
    sections.open("split")
    assert [each.name for each in sections.box.children] == ["split", "asked"]
