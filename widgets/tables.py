"""The numbers behind the pictures, as tables below them, for whoever reads rather than looks."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterable
from typing import Any

import ipywidgets as w
import numpy as np
from trustkit.widgets.drawn import figure_of
from trustkit.widgets.guard import guarded
from trustkit.widgets.lab import Lab
from trustkit.widgets.numbers import amount
from trustkit.widgets.strings import say, say_html
from trustkit.widgets.translated import translated

from trustkit import plot
from trustkit.texts import texts

__all__ = ["ROWS", "tables_button", "with_tables"]

ROWS = 200
"""So many rows of a table are shown; the CSV file has all."""

_PICTURE = re.compile(r'<svg\b[^>]*\baria-label="([^"]*)"[^>]*\bdata-figure="(\d+)".*?</svg>', re.DOTALL)


def with_tables(text: str) -> str:
    """Put the numbers behind each picture below it.

    Parameters
    ----------
    text : str
        HTML with pictures of `trustkit.widgets.figures.to_svg`.

    Returns
    -------
    str
        The same, with a table after each picture.
    """
    return _PICTURE.sub(lambda found: f"{found[0]}{_table(found[2], found[1])}", text)


def _table(mark: str, label: str) -> str:
    """The numbers of a figure; the label of its picture, as HTML, names them too."""
    figure = figure_of(mark)
    if figure is None:
        return ""
    data = plot.data_of(figure)
    heads = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in _heads(list(map(str, data.columns))))
    rows = "".join(map(_row, data.head(ROWS).itertuples(index=False)))
    cut = f'<p class="tk-sub">{say_html("tables.cut", shown=ROWS, rows=len(data))}</p>' if len(data) > ROWS else ""
    name = say("tables.name", picture=label)
    return (
        f'<div class="tk-numbers" role="region" tabindex="0" aria-label="{name}"><table class="tk-table">'
        f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>{cut}"
    )


def _row(values: Iterable[Any]) -> str:
    first, *others = (html.escape(_said(value)) for value in values)
    return f'<tr><th scope="row">{first}</th>{"".join(f"<td>{text}</td>" for text in others)}</tr>'


def _heads(names: list[str]) -> list[str]:
    """What columns are called; where they are features of a table, those keep their own names."""
    features = names[2:] if names[:2] == ["column", "party"] else []
    called = names[: len(names) - len(features)]
    return [say(f"columns.{name}") if f"columns.{name}" in texts("en") else name for name in called] + features


def _said(value: Any) -> str:
    """A value as it is read: what is not known is no 0."""
    if isinstance(value, bool | np.bool_):
        return say("tables.yes" if value else "tables.no")
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return amount(value)
    return f"{value:.4g}" if isinstance(value, float) else translated(str(value))


def tables_button(lab: Lab) -> w.Button:
    """Return the button that shows the tables of all views, and hides them again.

    Parameters
    ----------
    lab : Lab
        The page's state.

    Returns
    -------
    ipywidgets.Button
        Named by what it does next.
    """
    button = w.Button(tooltip=say("header.about_tables"))

    def turn(_: Any) -> None:
        lab.tabled = not lab.tabled
        lab.hearing.tell("tables")

    def name(what: str) -> None:
        if what == "tables":
            button.description = say("header.no_tables" if lab.tabled else "header.tables")

    button.on_click(guarded(lab, "header", turn))
    lab.watch(name)
    name("tables")
    return button
