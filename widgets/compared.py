"""Runs beside each other, drawn: radars, what was set otherwise, small pictures of each measure, and a table."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trustkit.widgets.figures import to_svg
from trustkit.widgets.lab import Lab
from trustkit.widgets.numbers import amount
from trustkit.widgets.player import Outcome
from trustkit.widgets.strings import say, say_html
from trustkit.widgets.tiles import moved, written
from trustkit.widgets.translated import english, translated
from trustkit.widgets.view import table

from trustkit import plot
from trustkit.frontier import differences
from trustkit.quantities import Seen
from trustkit.sidebyside import MEASURES, Measured, deltas_of, measured

__all__ = ["Columns", "pillars", "set_otherwise", "small", "tabled"]

_ACROSS = {"wide": 4, "narrow": 2}
"""Small pictures side by side."""

_RULES = {"itself": "compare.rule_itself", "rest": "compare.rule_rest", "share": "compare.rule_share"}


@dataclass(frozen=True)
class Columns:
    """What is compared.

    Parameters
    ----------
    lab : Lab
        The page's state.
    runs : mapping of str to Outcome
        By heading, at least one.
    base : str
        The heading of the baseline; empty if there is none.
    """

    lab: Lab
    runs: Mapping[str, Outcome]
    base: str

    @property
    def seen(self) -> dict[str, Seen]:
        """The runs with their reports, by heading."""
        return {title: Seen(None, each.record, self.lab.report(each)) for title, each in self.runs.items()}

    def measured(self, names: Sequence[str]) -> tuple[Measured, ...]:
        """Return measures of all runs.

        Parameters
        ----------
        names : sequence of str
            Of `trustkit.sidebyside.MEASURES`.

        Returns
        -------
        tuple of Measured
            Those that some run has.
        """
        return measured(list(self.seen.values()), names)


def pillars(columns: Columns, pictures: dict[str, Any]) -> str:
    """Draw the pillars of all runs on one radar.

    Parameters
    ----------
    columns : Columns
        The runs.
    pictures : dict
        Keeps the picture, to move it next time.

    Returns
    -------
    str
        An SVG element.
    """
    reports = {title: each.report for title, each in columns.seen.items() if each.report is not None}
    pictures["radar"] = figure = plot.pillar_ghosts(reports, columns.base, pictures.get("radar"))
    return to_svg(figure, say("compare.radar", runs=", ".join(reports)))


def set_otherwise(columns: Columns) -> str:
    """Say what was set otherwise than in the baseline, or than in the first run.

    Parameters
    ----------
    columns : Columns
        The runs.

    Returns
    -------
    str
        HTML.
    """
    against = columns.base or next(iter(columns.runs))
    start = columns.runs[against].record.experiment
    text = ""
    for title, each in columns.runs.items():
        if title != against:
            said = differences(start, each.record.experiment)
            lines = "".join(f"<li>{english(html.escape(line))}</li>" for line in said)
            head = say_html("compare.differs", run=title, other=against)
            text += f'<h3>{head}</h3><ul class="tk-moves">{lines}</ul>'
    return text


def small(columns: Columns, rows: Sequence[Measured], scaled: bool, pictures: dict[str, Any]) -> str:
    """Draw a small picture of each measure, once for a wide page and once for a phone.

    Parameters
    ----------
    columns : Columns
        The runs.
    rows : sequence of Measured
        At least one.
    scaled : bool
        Whether all are brought to one scale.
    pictures : dict
        Keeps the pictures.

    Returns
    -------
    str
        Two SVG elements, of which one is seen.
    """
    label = say("compare.small_scaled" if scaled else "compare.small", count=len(rows), runs=", ".join(columns.runs))
    marks = repr((rows, list(columns.runs), columns.base, scaled))
    if pictures.get("marks") == marks:  # a page is told several things of one run
        return str(pictures["text"])
    text, numbers = "", columns.lab.results.number
    for name, across in _ACROSS.items():
        short = {title: title if name == "wide" else say("compare.pin", number=numbers(each))
                 for title, each in columns.runs.items()}  # fmt: skip
        pictures[name] = figure = plot.run_multiples(rows, list(short.values()), short.get(columns.base, ""), scaled,
                                                     across, pictures.get(name))  # fmt: skip
        wide = figure.get_figwidth()  # a single picture is not blown up
        begin = f'<div class="tk-only-{name} tk-small" style="max-width: calc(1.2 * {wide:.2f}in)">'
        text += f"{begin}{to_svg(figure, label)}</div>"
    pictures.update(marks=marks, text=text)
    return text


def tabled(columns: Columns, rows: Sequence[Measured], scaled: bool) -> str:
    """Write the measures of all runs as a table, with how far each is from the baseline.

    Parameters
    ----------
    columns : Columns
        The runs.
    rows : sequence of Measured
        The measures.
    scaled : bool
        Whether each is also written on one scale, with the rule in a column of its own.

    Returns
    -------
    str
        HTML.
    """
    names, seen = [row.name for row in rows], columns.seen
    moves = {title: {delta.name: moved(delta) for delta in deltas_of(each, seen[columns.base], names)}
             for title, each in seen.items() if columns.base and title != columns.base}  # fmt: skip
    lines = []
    for row in rows:
        cells = []
        for title, value, place in zip(seen, row.values, row.scaled, strict=True):
            below = moves.get(title, {}).get(row.name, "")
            cells.append(_cell(row.name, value, place, scaled) + (f"<br>{below}" if below else ""))
        rule = [say(_RULES[row.rule])] if scaled else []
        lines.append((title_of(row.name), *cells, *rule))
    heads = ("", *map(html.escape, seen), *([say("compare.rule")] if scaled else []))
    label = say("compare.table")
    return f'<div class="tk-across" tabindex="0" role="region" aria-label="{label}">{table(heads, lines)}</div>'


def title_of(name: str) -> str:
    """Return what a measure is called in the table, where traffic has units of its own."""
    return say("compare.traffic") if name == "megabytes" else translated(MEASURES[name].title)


def _cell(name: str, value: float | None, place: float | None, scaled: bool) -> str:
    said = written(name, value)
    return f'{amount(place, 2)}<br><span class="tk-sub">{said}</span>' if scaled else said
