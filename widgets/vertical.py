"""Algorithms across columns: trained live on the same split, or a series of splits; curves, bytes, privacy attacks."""

from __future__ import annotations

from typing import Any

import ipywidgets as w
from trustkit.widgets.crossed import SYMBOLS, Crossed
from trustkit.widgets.crossings import drawing, title_of
from trustkit.widgets.guard import guarded
from trustkit.widgets.lab import Lab
from trustkit.widgets.leaks import leaking
from trustkit.widgets.more import offer
from trustkit.widgets.page import Panel
from trustkit.widgets.split import origin
from trustkit.widgets.strings import say, say_html
from trustkit.widgets.view import View, card, tip

from trustkit.catalogue import ALGORITHMS, PANELS
from trustkit.comparison import ALONG, YARDSTICKS

__all__ = ["VerticalPanel"]

_FIRST = ("splitnn", "gal", "fedtree")


@PANELS.enter("vertical", title="Algorithms across columns")
def VerticalPanel(lab: Lab | None = None) -> w.VBox:  # noqa: N802 (a panel reads as a thing)
    """Choose algorithms and splits; watch them learn, see what each party sends, and what attacks find in it.

    Parameters
    ----------
    lab : Lab, optional
        The shared state; by default one of its own.

    Returns
    -------
    ipywidgets.VBox
        A widget; hidden across rows, and filled when it is shown first.
    """
    state = lab or Lab()
    box = Panel(state, [], "vertical")
    box.add_class("tk-framed")
    box.add_class("tk-vertical")
    inside: list[_Inside] = []

    def show(what: str = "setting") -> None:
        if what == "setting":
            box.layout.display = "none" if state.setting.across_rows else ""
            if not state.setting.across_rows and not inside:
                inside.append(_Inside(state))
                box.children = tuple(inside[0].children)

    state.watch(show)
    show()
    return box


class _Inside:
    """The controls and the views, and what they tell one another."""

    def __init__(self, lab: Lab) -> None:
        self.lab, self.state = lab, Crossed(lab, self._told)
        self._following = False
        options = _offered()
        self.menu = w.SelectMultiple(
            options=options, value=self.state.names, rows=len(options), description=say("vertical.menu"),
            tooltip=say("vertical.about_menu"),
        )  # fmt: skip
        series = [(say(f"vertical.along_{name or 'none'}"), name) for name in ("", "alpha", "beta")]
        self.along = w.Dropdown(description=say("vertical.along"), options=series)
        self.at = w.Dropdown(description=say("vertical.at"), options=[("", "")])
        curves = [(say("vertical.by_round"), "round"), (say("vertical.by_bytes"), "bytes")]
        self.by = w.Dropdown(description=say("vertical.by"), options=curves)
        self.of = w.Dropdown(description=say("vertical.of"), options=[("", "")])
        attacks = {"description": say("vertical.attacks"), "tooltip": say("vertical.about_attacks")}
        self.attacks = w.Checkbox(indent=False, **attacks)
        self.compare = w.Button(description=say("vertical.compare"), tooltip=say("vertical.about_compare"))
        self.halt = w.Button(description=say("vertical.halt"), tooltip=say("vertical.about_halt"), disabled=True)
        self.compare.add_class("tk-primary")
        self._follow()
        topics = ("setting", "progress", "outcome", "search")
        self.head = View(lab, self._head, ("setting",), "vertical")
        self.body = View(lab, drawing(self.state, lambda: self.by.value, lambda: self.of.value), topics, "crossed")
        self.leaks = View(lab, leaking(self.state), topics, "leaks")
        self.children = [self.head, self._lay(), self.body, self.leaks]
        self._connect()
        lab.watch(self._hear)

    def _lay(self) -> w.Box:
        buttons = w.HBox([self.compare, self.halt])
        buttons.add_class("tk-buttons")
        side = w.VBox([self.along, self.at, self.by, self.of, self.attacks, buttons])
        named = {"menu": self.menu, "along": self.along, "at": self.at, "by": self.by, "of": self.of, "side": side,
                 "attacks": self.attacks, "compare": self.compare, "halt": self.halt}  # fmt: skip
        for name, widget in named.items():
            widget.add_class(f"tk-x-{name}")
        choices = w.Box([self.menu, side])
        choices.add_class("tk-choices")
        return choices

    def _connect(self) -> None:
        self.menu.observe(guarded(self.lab, "vertical", lambda event: self._choose("names", tuple(event.new))), "value")
        self.along.observe(guarded(self.lab, "vertical", lambda event: self._choose("along", event.new)), "value")
        self.at.observe(guarded(self.lab, "vertical", lambda event: self._choose("at", event.new)), "value")
        self.attacks.observe(guarded(self.lab, "vertical", lambda event: self._choose("attacks", event.new)), "value")
        for menu in (self.by, self.of):
            menu.observe(
                guarded(self.lab, "vertical", lambda _: None if self._following else self.body.refresh()), "value"
            )
        self.compare.on_click(guarded(self.lab, "vertical", lambda _: self.state.start()))
        self.halt.on_click(guarded(self.lab, "vertical", lambda _: self.state.stop()))

    def _choose(self, name: str, value: Any) -> None:
        if not self._following:
            setattr(self.state, name, value)
            self._told()

    def _told(self) -> None:
        self._follow()
        self.leaks.refresh()
        self.body.refresh()

    def _hear(self, what: str) -> None:
        if what in ("setting", "started", "progress", "outcome", "search"):
            self._follow()

    def _follow(self) -> None:
        """Offer the splits and the runs that there are, and enable what can be pressed."""
        self._following = True
        try:
            values = ALONG.get(self.state.along, ())
            self.at.layout.display = "" if values else "none"
            at: Any = self.state.at if self.state.at in values else next(iter(values), "")
            splits: list[Any] = [(f"{SYMBOLS[self.state.along]} {value:g}", value) for value in values]
            offer(self.at, splits or [("", "")], at)
            names = [name for name in self.state.names if name not in YARDSTICKS] or list(self.state.names)
            kept = self.of.value if self.of.value in names else next(iter(names), "")
            offer(self.of, [(title_of(name), name) for name in names] or [(say("page.none"), "")], kept)
        finally:
            self._following = False
        self.compare.disabled = self.state.playing.busy or not self.state.wanted()
        self.halt.disabled = not self.state.playing.busy

    def _head(self, lab: Lab) -> str:
        if lab.setting.across_rows or lab.experiment is None or lab.searching:
            return card(say("vertical.title"), say("vertical.side_by_side"), "")
        same = tip(say("vertical.same"), say("vertical.about_same"))
        simulated = tip(say("vertical.simulated"), say("vertical.about_simulated"))
        words = say_html("vertical.head", same=same, simulated=simulated)
        return card(say("vertical.title"), f"{origin(lab.federated())}{words}", "")


def _offered() -> list[tuple[str, str]]:
    """Titles and names: quick and well-known algorithms first, yardsticks last."""
    names = [name for name, entry in ALGORITHMS.items() if entry.axis == "columns"]
    ordered = [*_FIRST, *sorted((name for name in names if name not in _FIRST), key=lambda name: name in YARDSTICKS)]
    titles = {name: title_of(name) for name in ordered}
    titles |= {name: say("vertical.yardstick", name=titles[name]) for name in ordered if name in YARDSTICKS}
    return [(title, name) for name, title in titles.items()]
