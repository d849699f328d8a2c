"""The numbers behind pictures as tables: those of the CSV file, below every picture, for as long as they are wanted."""

from __future__ import annotations

import csv
import html
import io
import re
from typing import Any

import pytest
from trustkit.widgets import Lab, TrainPanel, app
from trustkit.widgets.drawn import figure_of
from trustkit.widgets.figures import to_svg
from trustkit.widgets.strings import say, speaking
from trustkit.widgets.tables import ROWS, with_tables
from trustkit.widgets.view import View

from tests.plot.test_plot_redraw import PICTURES
from tests.widgets.labs import SMALL, setting_of, tabs_of, tree
from trustkit import plot
from trustkit.lesson import SECTIONS

MARKED = re.compile(r'<svg\b[^>]*data-figure="(\d+)".*?</svg>(<div class="tk-numbers")?', re.DOTALL)


def button(page: Any) -> Any:
    """The one that shows and hides tables."""
    return next(each for each in tree(page) if "ables" in getattr(each, "description", ""))


def cells(text: str) -> list[list[str]]:
    """The cells of the first table, row by row, its head first."""
    table = text[text.index('<div class="tk-numbers"') :]
    rows = re.findall(r"<tr>(.*?)</tr>", table[: table.index("</table>")])
    return [[html.unescape(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)] for row in rows]


@pytest.mark.parametrize("section", SECTIONS)
def test_every_picture_of_every_section_has_its_numbers(section: str) -> None:
    """On one press, and they are gone on another."""
    page = app()
    if section == "correlation":
        page.lab.change(axis="columns")
    tabs_of(page).current = section
    views = [each for each in tree(page) if isinstance(each, View)]
    before = [view.value for view in views]
    button(page).click()
    found = [match for view in views for match in MARKED.findall(view.value)]
    assert button(page).description == "Hide tables"
    assert all(table for _, table in found), section
    assert found or section in ("attack", "vertical", "report")  # pictured once they are played
    button(page).click()
    assert [view.value for view in views] == before


def test_a_table_says_what_the_csv_file_says() -> None:
    """Row by row; numbers to four digits, what is not known as a dash and never as 0."""
    lab = Lab(setting_of(SMALL))
    view = TrainPanel(lab)
    lab.run(wait=True)
    lab.tabled = True
    lab.hearing.tell("tables")
    match = MARKED.search(view.value)
    assert match is not None
    figure = figure_of(match[1])
    assert figure is not None
    heads, *rows = csv.reader(io.StringIO(plot.behind.to_csv(figure)))
    shown_heads, *shown = cells(view.value)
    assert heads == ["run", "round", "measure", "mean", "lowest", "highest"]
    assert shown_heads == heads  # by the catalogue
    assert len(shown) == len(rows) == SMALL.rounds
    for ours, written in zip(shown, rows, strict=True):
        for a, b in zip(ours, written, strict=True):
            try:
                assert float(a) == pytest.approx(float(b), rel=1e-3)
            except ValueError:
                assert a == (b or "–")


@pytest.mark.parametrize("name", [name for name in PICTURES if name != "correlation_blocks"])
@pytest.mark.parametrize("code", ["en", "de"])
def test_every_column_of_every_picture_has_a_name(name: str, code: str) -> None:
    """In both languages; those of a matrix are a table's own and keep theirs."""
    with speaking(code):
        for draw in PICTURES[name]:
            figure = draw(None)
            heads = cells(with_tables(to_svg(figure, "all")))[0]
            assert not [head for head in heads if "_" in head], heads
            assert heads == [say(f"columns.{column}") for column in plot.data_of(figure).columns]


def test_features_keep_their_names() -> None:
    """Also where a column of somebody's table is called as one of ours."""
    with speaking("de"):
        figure = PICTURES["correlation_blocks"][0](None)
        told = {"column": ["rows", "now"], "party": [0, 1], "rows": [1.0, 0.5], "now": [0.5, 1.0]}
        plot.behind.tell(figure, **told)
        heads = cells(with_tables(to_svg(figure, "matrix")))[0]
    assert heads == ["Spalte", "Partei", "rows", "now"]


def test_each_table_is_named_by_its_picture_and_the_button_by_what_it_does() -> None:
    """On a second page of the same lab too."""
    page = app()
    button(page).click()
    views = [each for each in tree(page) if isinstance(each, View)]
    names = [
        name for view in views for name in re.findall(r'region" tabindex="0" aria-label="Numbers: ([^"]+)"', view.value)
    ]
    assert len(set(names)) == 4
    other = app(page.lab)
    assert button(other).description == "Hide tables"
    button(other).click()
    assert button(page).description == button(other).description == "Tables"


def test_it_follows_a_run() -> None:
    """A longer run has a longer table."""
    lab = Lab(setting_of(SMALL, rounds=2))
    view = TrainPanel(lab)
    lab.tabled = True
    lab.run(wait=True)
    assert len(cells(view.value)) == 1 + 2
    lab.change(rounds=3)
    lab.run(wait=True)
    assert len(cells(view.value)) == 1 + 3


def test_a_long_table_is_cut_and_says_so() -> None:
    """The rest is in the file."""
    figure = plot.pillar_radar({f"p{k}": k / 300 for k in range(ROWS + 1)})
    text = with_tables(to_svg(figure, "many"))
    assert len(cells(text)) == 1 + ROWS
    assert f"The first {ROWS} of {ROWS + 1} rows" in text


def test_a_picture_that_nobody_holds_has_none() -> None:
    """Its text stays as it is."""
    gone = '<svg role="img" aria-label="x" data-figure="0"><path/></svg>'
    assert with_tables(gone) == gone
