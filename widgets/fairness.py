"""Fairness, client by client: what the server sees, what the clients see, and what lies between the two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets as w
from trustkit.widgets.figures import to_svg
from trustkit.widgets.guard import guarded
from trustkit.widgets.kept import groups
from trustkit.widgets.lab import Lab
from trustkit.widgets.looking import crosses
from trustkit.widgets.more import offer
from trustkit.widgets.numbers import amount
from trustkit.widgets.page import Panel
from trustkit.widgets.slider import Slider
from trustkit.widgets.strings import Html, say, say_html
from trustkit.widgets.translated import translated
from trustkit.widgets.view import View, card, fold, tip

from trustkit import RunRecord
from trustkit.catalogue import PANELS
from trustkit.disparities import COMPARED, Disparities
from trustkit.findings import SMALL
from trustkit.plot.gapbars import MOST_SHOWN, client_gaps

__all__ = ["FairnessPanel", "measured"]

_LINES = tuple(k / 100 for k in range(51))
_RATIO_LINES = tuple(k / 100 for k in range(50, 101))
_SMALLEST = (10, 30)
"""Rows of the groups that are counted, where not all are."""

_NAMED = 3


@PANELS.enter("fairness", title="Fairness, client by client")
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
        self.view = w.ToggleButtons(options=[(say("fairness.server"), "server"), (say("fairness.clients"), "clients")])
        self.attribute = w.Dropdown(description=say("fairness.attribute"))
        self.other, self.value = w.Dropdown(description=say("fairness.other")), w.Dropdown()
        self.value.description = say("fairness.value")
        measures = [(translated(each.title), name) for name, each in COMPARED.items()]
        self.compared = w.Dropdown(description=say("fairness.compared"), options=measures)
        counted = [(say("fairness.all_groups"), 0), *((say("fairness.groups_of", rows=n), n) for n in _SMALLEST)]
        self.smallest = w.Dropdown(description=say("fairness.smallest"), options=counted)
        texts = [f"{line:.2f}" for line in _LINES]
        self.line = Slider(_LINES, texts, 0.09, label=say("fairness.line"), marks=["0.09"])
        named = {"view": self.view, "attribute": self.attribute, "other": self.other, "value": self.value,
                 "compared": self.compared, "smallest": self.smallest, "line": self.line}  # fmt: skip
        for name, widget in named.items():
            widget.add_class(f"tk-f-{name}")
        self.picture = View(lab, _drawing(), ("outcome", "progress", "looking"), "fairness", groups)
        more = fold(say("fairness.fold"), self.value, self.other, self.smallest)
        self.menus = w.VBox([self.attribute, self.compared, self.line, more])
        self.menus.add_class("tk-inner")
        self.box = Panel(lab, [self.picture, self.view, self.menus], "fairness")
        self.box.add_class("tk-framed")
        self.box.add_class("tk-fair")
        self._connect()
        lab.watch(lambda what: self._follow() if what in ("outcome", "progress", "looking") else None)
        self._follow()

    def _connect(self) -> None:
        def on(widget: w.Widget, name: str) -> None:
            widget.observe(guarded(self.lab, "fairness", lambda event: self._moved(**{name: event.new})), "value")

        for widget, name in ((self.view, "view"), (self.attribute, "attribute"), (self.value, "value"),
                             (self.compared, "compared"), (self.smallest, "min_group")):  # fmt: skip
            on(widget, name)
        self.other.observe(
            guarded(self.lab, "fairness", lambda event: self._moved(attribute=self.attribute.value, other=event.new)),
            "value",
        )
        self.line.observe(guarded(self.lab, "fairness", lambda _: self._draw_line()), "index")

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
        offer(self.other, [(say("fairness.nothing"), ""), *others], seen.other)
        self.attribute.layout.display = "" if len(names) > 1 else "none"
        self.other.layout.display = "" if crosses(record) else "none"
        offer(
            self.value,
            [(say("fairness.all_values"), ""), *((v, v) for v in self.lab.looking.values(record))],
            found.value,
        )
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
            return card(say("fairness.title"), say("page.untrained"), "")
        found = lab.looking.at(record)
        if found is None:
            return card(say("fairness.title"), say("fairness.none"), "")
        view = lab.looking.look.view
        pictures["bars"] = figure = client_gaps(found, view, pictures.get("bars"))
        says = _server(found) if view == "server" else _clients(found)
        return card(say("fairness.title"), says, _tiles(found, view) + to_svg(figure, _label(found, view)))

    return draw


def _short(found: Disparities) -> Html:
    words = say("fairness.about_measure", title=_measure(found), formula=translated(found.compared.formula))
    return tip(translated(found.compared.short), words)


def _measure(found: Disparities) -> str:
    title = translated(found.compared.title)
    return f"{title[:1].upper()}{title[1:]}"


def _server(found: Disparities) -> str:
    side = _side(found, found.pooled)
    text = say_html("fairness.pooled", measure=_short(found), value=amount(found.pooled, 3))
    return f"{text}, {side}. {say('fairness.switch')}" if side else f"{text}."


def _side(found: Disparities, value: float) -> str:
    if value != value:
        return ""
    line = f"{found.line:g}"
    if found.compared.ratio:
        return say("fairness.below", line=line) if value < found.line else say("fairness.not_below", line=line)
    return say("fairness.above", line=line) if value > found.line else say("fairness.not_above", line=line)


def _clients(found: Disparities) -> str:
    total, line = len(found.names), f"{found.line:g}"
    said = [say("fairness.worst_of", shown=MOST_SHOWN, total=total)] if total > MOST_SHOWN else []
    said.append(say_html("fairness.bars", measure=_short(found)))
    said.append(tip(say("fairness.lines"), say("fairness.about_lines")))
    ratio = found.compared.ratio
    said.append(say("fairness.hatched_below", line=line) if ratio else say("fairness.hatched_over", line=line))
    if found.small.any():
        said.append(say("fairness.small", rows=SMALL))
    missing = [k for k in range(total) if found.gap[k] != found.gap[k]]
    if missing:
        clients = "; ".join(f"{translated(found.names[k])} ({translated(found.reasons[k])})" for k in missing[:_NAMED])
        if len(missing) > _NAMED:
            clients = say("fairness.more", clients=clients, count=len(missing) - _NAMED)
        said.append(say_html("fairness.missing", clients=clients))
    return " · ".join(said)


def _tiles(found: Disparities, view: str) -> str:
    """Three numbers: what the average says, what the worst client sees, and what lies between."""
    seen = view != "server"
    masking = amount(found.masking, 3) if seen else "?"
    worst = amount(found.worst, 3) if seen else "?"
    hidden = "" if seen else say("fairness.hidden")
    about = say("fairness.tile_pooled"), say("fairness.tile_worst"), say("fairness.tile_masking")
    numbers = amount(found.pooled, 3), worst, tip(masking, say("fairness.about_masking")) if seen else masking
    notes = _side(found, found.pooled), _side(found, found.worst) if seen else hidden, hidden
    cells = "".join(f'<div><div class="tk-k">{a}</div><div class="tk-n">{n}</div><div class="tk-d">{d}</div></div>'
                    for a, n, d in zip(about, numbers, notes, strict=True))  # fmt: skip
    return f'<div class="tk-three">{cells}</div>'


def _label(found: Disparities, view: str) -> str:
    about = {"measure": _measure(found), "attribute": found.attribute}
    name = say("fairness.name_value", value=found.value, **about) if found.value else say("fairness.name", **about)
    pooled = amount(found.pooled, 3)
    if view == "server":
        return say("fairness.label_server", name=name, pooled=pooled)
    seen = {"name": name, "pooled": pooled, "over": int(found.over.sum()), "total": len(found.names),
            "line": f"{found.line:g}", "worst": amount(found.worst, 3), "undefined": found.undefined}  # fmt: skip
    return say("fairness.label_below", **seen) if found.compared.ratio else say("fairness.label_above", **seen)
