"""Each client of a run: in which rounds it took part, and where it stands beside the mean; it follows a training."""

from __future__ import annotations

import html
import math
import re
import time
from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets as w
from trustkit.widgets.fairness import measured
from trustkit.widgets.figures import to_svg
from trustkit.widgets.guard import guarded
from trustkit.widgets.kept import results
from trustkit.widgets.lab import Lab
from trustkit.widgets.numbers import amount, count, synthetic
from trustkit.widgets.page import Panel
from trustkit.widgets.shapes import Shaped, going
from trustkit.widgets.strings import say
from trustkit.widgets.translated import translated
from trustkit.widgets.view import View, card, fold, table

from trustkit import RunRecord, plot
from trustkit.attendance import (
    BLOCKED,
    LOST,
    UNRECORDED,
    WORDS,
    ClientLine,
    attendance_of,
    client_lines,
    members_of,
)
from trustkit.catalogue import ALGORITHMS, PANELS
from trustkit.metrics import client_summary
from trustkit.plot.clientdots import IN_ROUND, MOST_DOTS, NOT_IN_ROUND
from trustkit.plot.participation import MOST_CLIENTS

__all__ = ["ClientPanel"]

_MOST_LINES = 100
_REST = 9
"""While a run goes on, a picture rests for so many times as long as its drawing took."""


@PANELS.enter("clients", title="Who took part")
def ClientPanel(lab: Lab | None = None) -> w.VBox:  # noqa: N802 (a panel reads as a thing)
    """Show who took part in which round, and each client's accuracy or loss beside the mean.

    Parameters
    ----------
    lab : Lab, optional
        The shared state; by default one of its own.

    Returns
    -------
    ipywidgets.VBox
        A widget.
    """
    state = lab or Lab()
    options = [(say("clients.accuracy"), "accuracy"), (say("clients.loss"), "loss")]
    measure = w.ToggleButtons(options=options, description=say("clients.measure"))
    measure.add_class("tk-f-view")
    topics = ("progress", "outcome")
    drawn = _Drawn(lambda: str(measure.value))
    raster = View(state, _rested(drawn.raster, say("clients.title")), topics, "participation", results)
    rested = _rested(drawn.dots, say("clients.dots_title"), lambda: str(measure.value))
    dots = View(state, rested, topics, "dots", lambda lab: (results(lab), measure.value))
    lines = View(state, _rested(_lines, say("clients.table")), topics, "lines", results)
    measure.observe(guarded(state, "clients", lambda _: dots.refresh()), "value")
    box = Panel(state, [raster, dots, measure, fold(say("clients.fold"), lines)], "clients")
    box.add_class("tk-framed")
    box.add_class("tk-clients")
    return box


def _rested(
    draw: Callable[[Lab, RunRecord], str], title: str, chosen: Callable[[], str] = str
) -> Callable[[Lab], str]:  # fmt: skip
    """Draw what there is; in a run that goes on only now and then, so that a large picture leaves the page its time."""
    kept: dict[str, Any] = {"text": "", "again": 0.0, "chosen": None}

    def drawn(lab: Lab) -> str:
        record, now = measured(lab), time.perf_counter()
        if record is None:
            return card(title, say("page.untrained"), "")
        going = lab.player.busy and lab.progress is not None and lab.progress.phase == "running"
        if not going or now >= kept["again"] or (chosen(), lab.outcome) != kept["chosen"]:
            kept["chosen"], kept["text"] = (chosen(), lab.outcome), draw(lab, record)
            kept["again"] = time.perf_counter() + _REST * (time.perf_counter() - now)
        return str(kept["text"])

    return drawn


class _Drawn:
    """The pictures, kept to be moved, and what is said of them."""

    def __init__(self, measure: Callable[[], str]) -> None:
        self._measure, self._pictures = measure, dict[str, Any]()
        self._raster, self._dots = Shaped(), Shaped()

    def raster(self, lab: Lab, record: RunRecord) -> str:
        names, found = members_of(record), attendance_of(record)
        asked = found.asked
        ends = {"low": count(asked.min()), "high": count(asked.max()), "rounds": len(record)}
        label = say("clients.raster_label", total=len(names), **ends)
        said = f'<p class="tk-sub"{_announced(lab)}>{_newest(record)}</p>'
        notes = "".join(f'<p class="tk-sub">{note}</p>' for note in _unrecorded(record))

        def drawn(shape: str) -> str:
            figure = plot.participation_raster(record, names, shape == "wide", self._pictures.get(shape))
            self._pictures[shape] = figure
            return to_svg(figure, label)

        picture = self._raster.draw(drawn, going(lab))
        return card(say("clients.title"), f"{_made_up(record)}{say('clients.about_raster')}", said + picture + notes)

    def dots(self, lab: Lab, record: RunRecord) -> str:
        title = say("clients.dots_title")
        if record.experiment.axis != "rows":
            return card(title, say("clients.joint"), "")
        lines, measure = client_lines(record), self._measure()
        values = [line.loss if measure == "loss" else line.accuracy for line in lines]
        rows, names = [line.train_rows for line in lines], [line.name for line in lines]
        titles, label = _titles(record, lines), _label(lines, values, measure, len(record))

        def drawn(shape: str) -> str:
            key = f"dots {shape}"
            self._pictures[key] = figure = plot.client_dots(
                record, rows, names, "loss" if measure == "loss" else "accuracy", shape == "wide",
                self._pictures.get(key),
            )  # fmt: skip
            return _titled(to_svg(figure, label), titles)

        picture = self._dots.draw(drawn, going(lab) and (going(lab), measure))
        said = f'<p class="tk-sub"{_announced(lab)}>{html.escape(label)}</p>'
        about = say("clients.about_dots") if len(lines) <= MOST_DOTS else say("clients.about_groups")
        return card(title, f"{_made_up(record)}{about}", said + picture)


def _made_up(record: RunRecord) -> str:
    return f'<span class="tk-tag">{say("page.synthetic")}</span> ' if synthetic(record) else ""


def _announced(lab: Lab) -> str:
    """Read out once a run is over, and not ten times a second while it goes on."""
    return "" if lab.player.busy else ' role="status" aria-live="polite"'


def _newest(record: RunRecord) -> str:
    """Say who was there in the last round."""
    found = attendance_of(record)
    last = found.newest()
    parts = [say("clients.took_part", count=last.count(0))]
    for code in (*LOST, BLOCKED, UNRECORDED):
        if last.count(code):
            parts.append(f"{translated(WORDS[code])}: {last.count(code)}")
    done, rounds = int(record.last.index), record.experiment.rounds
    chosen = {"asked": int((last.asked > 0).sum()), "total": last.codes.shape[1]}
    return say("clients.newest", done=done, rounds=rounds, said=", ".join(parts), **chosen)


def _unrecorded(record: RunRecord) -> list[str]:
    """Say what the run does not tell, and what is drawn together."""
    found, notes = attendance_of(record), list[str]()
    if found.codes.shape[1] > MOST_CLIENTS:
        notes.append(say("clients.grouped", most=MOST_CLIENTS))
    if found.count(UNRECORDED):
        notes.append(say("clients.unrecorded"))
    if found.silent:
        notes.append(say("clients.silent", rule=translated(ALGORITHMS[record.experiment.algorithm.name].title)))
    return notes


def _label(lines: Sequence[ClientLine], values: Sequence[float], measure: str, done: int) -> str:
    """What the dots show, in a sentence."""
    title = say("clients.loss") if measure == "loss" else say("clients.accuracy")
    known = [k for k, value in enumerate(values) if not math.isnan(value)]
    if not known:
        return say("clients.dots_none", title=title, done=done)
    found, digits = client_summary(values), 3
    ends = {"lowest": amount(found.smallest, digits), "highest": amount(found.largest, digits)}
    at = {"low": found.smallest, "high": found.largest}
    names = {name: _named([lines[k] for k in known if values[k] == end]) for name, end in at.items()}
    mean = amount(found.mean, digits)
    return say("clients.dots_label", title=title, count=len(known), done=done, mean=mean, **ends, **names)


def _named(lines: Sequence[ClientLine]) -> str:
    if len(lines) > 1:
        return say("clients.several", count=len(lines))
    return say("clients.named", name=translated(lines[0].name), rows=count(lines[0].train_rows))


def _titles(record: RunRecord, lines: Sequence[ClientLine]) -> dict[str, list[str]]:
    """What each dot says when a pointer is on it, by the id of its group in the picture."""
    there, found = attendance_of(record).newest().took_part > 0, dict[str, list[str]]()
    for line, took_part in zip(lines, there.tolist(), strict=True):
        said = say("clients.dot", name=translated(line.name), train=count(line.train_rows), test=count(line.test_rows),
                   accuracy=amount(line.accuracy, 3), loss=amount(line.loss, 3), asked=line.asked,
                   took_part=line.took_part)  # fmt: skip
        if not math.isnan(line.accuracy):
            found.setdefault(IN_ROUND if took_part else NOT_IN_ROUND, []).append(said)
    return found


def _titled(picture: str, titles: dict[str, list[str]]) -> str:
    """Give the dots of a picture their titles, where each client has a dot."""
    for id_, said in titles.items():
        head, mark, rest = picture.partition(f'<g id="{id_}">')
        inner, end, tail = rest.partition("</g>\n    </g>" if "</g>\n    </g>" in rest else "</g>")
        uses = re.split(r"(<use [^>]*)/>", inner)  # what lies between them, and at each odd place one of them
        if len(uses) == 2 * len(said) + 1:
            marks = [f"{use}><title>{html.escape(text)}</title></use>"
                     for use, text in zip(uses[1::2], said, strict=True)]  # fmt: skip
            between = zip(uses[::2], [*marks, ""], strict=True)
            picture = "".join([head, mark, *(part for each in between for part in each), end, tail])
    return picture


def _lines(lab: Lab, record: RunRecord) -> str:
    """The clients as a table, those of the lowest accuracy where they are many."""
    if record.experiment.axis != "rows":
        return card(say("clients.table"), say("clients.joint"), "")
    lines = client_lines(record)
    shown = sorted(lines, key=lambda line: (math.isnan(line.accuracy), line.accuracy))[:_MOST_LINES]
    heads = [say(f"clients.head_{name}") for name in ("client", "train", "test", "asked", "took_part", "accuracy",
                                                      "loss")]  # fmt: skip
    rows = [[translated(line.name), count(line.train_rows), count(line.test_rows), count(line.asked),
             _part(line), amount(line.accuracy, 3), amount(line.loss, 3)]
            for line in (shown if len(lines) > _MOST_LINES else lines)]  # fmt: skip
    about = say("clients.lowest", shown=_MOST_LINES, total=count(len(lines))) if len(lines) > _MOST_LINES else ""
    inner = table(heads, rows)
    name = say("clients.table")
    body = f'<div class="tk-across" tabindex="0" role="region" aria-label="{name}">{inner}</div>'
    return card(name, f"{_made_up(record)}{about}", body)


def _part(line: ClientLine) -> str:
    """In how many rounds it took part; where that is not all recorded, at least so many."""
    return say("clients.at_least", count=line.took_part) if line.unrecorded else count(line.took_part)
