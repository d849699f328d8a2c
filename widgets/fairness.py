"""Fairness, client by client: what the server sees, what the clients see, and what lies between the two."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import Any

import ipywidgets as w
from trustkit.widgets.lab import Lab
from trustkit.widgets.looking import crosses
from trustkit.widgets.more import offer
from trustkit.widgets.numbers import amount
from trustkit.widgets.page import Panel
from trustkit.widgets.slider import Slider
from trustkit.widgets.view import View, card, fold, tip

from trustkit import RunRecord
from trustkit.catalogue import PANELS
from trustkit.disparities import COMPARED, Disparities
from trustkit.findings import SMALL
from trustkit.plot import to_svg
from trustkit.plot.gapbars import MOST_SHOWN, client_gaps

__all__ = ["NONE", "FairnessPanel", "measured"]

NONE = "n/a: this data set names no protected attribute"
"""What is said where there is nothing to compare."""

_TITLE = "Fairness, client by client"
_LINES = tuple(k / 100 for k in range(51))
_RATIO_LINES = tuple(k / 100 for k in range(50, 101))
_SMALLEST = (("all groups", 0), ("groups of 10 rows or more", 10), ("groups of 30 rows or more", 30))
_INTERVAL = (
    "Thin lines are 95 % intervals: Newcombe's for a gap, Katz's for a ratio. With more than two groups they are too "
    "narrow, since the two that are compared are picked by the data."
)
_MASKING = (
    "How much further from equal the worst client is than all rows together: what the average hides. A largest value "
    "of several is large by chance already, so read it with the group sizes. Source: FeDa4Fair."
)
_NAMED = 3


@PANELS.enter("fairness", title=_TITLE)
def FairnessPanel(lab: Lab | None = None) -> w.VBox:  # noqa: N802 (a panel reads as a thing)
    """Show the gap of all rows together and each client's, by any attribute, value, intersection, measure and line.

    Parameters
    ----------
    lab : Lab, optional
        The shared state; by default one of its own.

    Returns
    -------
    ipywidgets.VBox
        A widget.
    """
    return _Panel(lab or Lab()).box


def measured(lab: Lab) -> RunRecord | None:
    """Return the run whose fairness is shown.

    Parameters
    ----------
    lab : Lab
        The page's state.

    Returns
    -------
    RunRecord or None
        The one that is going on once it has a round, else the last result; ``None`` if there is neither.
    """
    record = lab.shown
    if record is not None and not len(record) and lab.outcome is not None:
        record = lab.outcome.record  # until the first round is there, the last picture stays
    return record if record is not None and len(record) else None


class _Panel:
    """The switch, the picture and the menus, and what they tell one another."""

    def __init__(self, lab: Lab) -> None:
        self.lab, self._following = lab, False
        self.view = w.ToggleButtons(options=[("server view", "server"), ("client view", "clients")])
        self.attribute, self.other = w.Dropdown(description="groups by"), w.Dropdown(description="crossed with")
        self.value = w.Dropdown(description="value")
        self.compared = w.Dropdown(
            description="measure", options=[(each.title, name) for name, each in COMPARED.items()]
        )
        self.smallest = w.Dropdown(description="counting", options=_SMALLEST)
        self.line = Slider(_LINES, [f"{line:.2f}" for line in _LINES], 0.09, label="line", marks=["0.09"])
        named = {"view": self.view, "attribute": self.attribute, "other": self.other, "value": self.value,
                 "compared": self.compared, "smallest": self.smallest, "line": self.line}  # fmt: skip
        for name, widget in named.items():
            widget.add_class(f"tk-f-{name}")
        self.picture = View(lab, _drawing(), ("outcome", "progress", "looking"), "fairness")
        more = fold("value, intersection, small groups", self.value, self.other, self.smallest)
        self.menus = w.VBox([self.attribute, self.compared, self.line, more])
        self.menus.add_class("tk-inner")
        self.box = Panel(lab, [self.picture, self.view, self.menus])
        self.box.add_class("tk-framed")
        self.box.add_class("tk-fair")
        self._connect()
        lab.watch(lambda what: self._follow() if what in ("outcome", "progress", "looking") else None)
        self._follow()

    def _connect(self) -> None:
        def on(widget: w.Widget, name: str) -> None:
            widget.observe(lambda event: self._moved(**{name: event.new}), "value")

        for widget, name in ((self.view, "view"), (self.attribute, "attribute"), (self.value, "value"),
                             (self.compared, "compared"), (self.smallest, "min_group")):  # fmt: skip
            on(widget, name)
        self.other.observe(lambda event: self._moved(attribute=self.attribute.value, other=event.new), "value")
        self.line.observe(lambda _: self._draw_line(), "index")

    def _draw_line(self) -> None:
        name = "ratio_line" if self.lab.looking.look.measure.ratio else "gap_line"
        self._moved(**{name: self.line.value})

    def _moved(self, **changes: Any) -> None:
        if not self._following:
            self.lab.looking.change(**changes)

    def _follow(self) -> None:
        """Offer what the run has, and stand where one looks."""
        self._following = True
        try:
            self._stand(measured(self.lab))
        finally:
            self._following = False

    def _stand(self, record: RunRecord | None) -> None:
        found = None if record is None else self.lab.looking.at(record)
        for widget in (self.menus, self.view):
            widget.layout.display = "none" if found is None else ""
        if record is None or found is None:
            return
        look, names = self.lab.looking.look, list(record.groups)
        seen = self.lab.looking.seen
        offer(self.attribute, [(name, name) for name in names], seen.attribute)
        others = [(name, name) for name in names if name != seen.attribute]
        offer(self.other, [("nothing", ""), *others], seen.other)
        self.attribute.layout.display = "" if len(names) > 1 else "none"
        self.other.layout.display = "" if crosses(record) else "none"
        offer(self.value, [("all values", ""), *((v, v) for v in self.lab.looking.values(record))], found.value)
        self.view.value, self.compared.value, self.smallest.value = look.view, look.compared, look.min_group
        stops = _RATIO_LINES if look.measure.ratio else _LINES
        stops = stops if look.line in stops else tuple(sorted((*stops, look.line)))
        with self.line.hold_sync():
            self.line.offer(stops, [f"{stop:.2f}" for stop in stops], look.line)
            self.line.marks = ["0.80"] if look.measure.ratio else ["0.09"]


def _drawing() -> Callable[[Lab], str]:
    pictures: dict[str, Any] = {}

    def draw(lab: Lab) -> str:
        record = measured(lab)
        if record is None:
            return card(_TITLE, "nothing trained yet", "")
        found = lab.looking.at(record)
        if found is None:
            return card(_TITLE, NONE, "")
        view = lab.looking.look.view
        pictures["bars"] = figure = client_gaps(found, view, pictures.get("bars"))
        says = _server(found) if view == "server" else _clients(found)
        return card(_TITLE, says, _tiles(found, view) + to_svg(figure, _label(found, view)))

    return draw


def _short(found: Disparities) -> str:
    return tip(found.compared.short, f"{found.compared.title.capitalize()}: {found.compared.formula}.")


def _server(found: Disparities) -> str:
    side = _side(found, found.pooled)
    text = f"{_short(found)} of all held-out rows together: {amount(found.pooled, 3)}"
    return f"{text}, {side}. What do clients see? Switch the view." if side else f"{text}."


def _side(found: Disparities, value: float) -> str:
    if value != value:
        return ""
    return ("below" if value < found.line else "not below" if found.compared.ratio else
            "above" if value > found.line else "not above") + f" {found.line:g}"  # fmt: skip


def _clients(found: Disparities) -> str:
    total = len(found.names)
    text = f"{min(MOST_SHOWN, total)} worst of {total} · " if total > MOST_SHOWN else ""
    text += f"bars {_short(found)} · {tip('lines', _INTERVAL)} · "
    text += f"hatched: {'below' if found.compared.ratio else 'over'} {found.line:g}"
    if found.small.any():
        text += f" · † a group under {SMALL} rows"
    missing = [k for k in range(total) if found.gap[k] != found.gap[k]]
    if missing:
        said = [f"{html.escape(found.names[k])} ({html.escape(found.reasons[k])})" for k in missing[:_NAMED]]
        text += f" · n/a: {'; '.join(said)}{f' and {len(missing) - _NAMED} more' if len(missing) > _NAMED else ''}"
    return text


def _tiles(found: Disparities, view: str) -> str:
    """Three numbers: what the average says, what the worst client sees, and what lies between."""
    seen = view != "server"
    masking = amount(found.masking, 3) if seen else "?"
    worst = amount(found.worst, 3) if seen else "?"
    hidden = "" if seen else "not in this view"
    about = "pooled", "worst client", "masking gap"
    numbers = amount(found.pooled, 3), worst, tip(masking, _MASKING) if seen else masking
    notes = _side(found, found.pooled), _side(found, found.worst) if seen else hidden, hidden
    cells = "".join(f'<div><div class="tk-k">{a}</div><div class="tk-n">{n}</div><div class="tk-d">{d}</div></div>'
                    for a, n, d in zip(about, numbers, notes, strict=True))  # fmt: skip
    return f'<div class="tk-three">{cells}</div>'


def _label(found: Disparities, view: str) -> str:
    name = f"{found.compared.title[:1].upper()}{found.compared.title[1:]} by {found.attribute}"
    name += f", {found.value} against all others" if found.value else ""
    if view == "server":
        return f"{name}: pooled {amount(found.pooled, 3)}, clients not shown"
    side = "below" if found.compared.ratio else "above"
    return (
        f"{name}: {int(found.over.sum())} of {len(found.names)} clients {side} {found.line:g}, worst "
        f"{amount(found.worst, 3)}, pooled {amount(found.pooled, 3)}, {found.undefined} not defined"
    )
