"""Algorithms across columns: trained live on the same split, or a series of splits; curves, bytes, privacy attacks."""

from __future__ import annotations

from typing import Any

import ipywidgets as w
from trustkit.widgets.crossed import SYMBOLS, Crossed
from trustkit.widgets.crossings import drawing, title_of
from trustkit.widgets.lab import Lab
from trustkit.widgets.leaks import leaking
from trustkit.widgets.more import offer
from trustkit.widgets.page import Panel
from trustkit.widgets.split import origin
from trustkit.widgets.view import View, card, tip

from trustkit.catalogue import ALGORITHMS, PANELS
from trustkit.comparison import ALONG, YARDSTICKS

__all__ = ["VerticalPanel"]

_TITLE = "Algorithms across columns"
_FIRST = ("splitnn", "gal", "fedtree")
_ALONG = (("as under the controls", ""), ("along α: unequal parties", "alpha"), ("along β: correlated parties", "beta"))
_SAME = (
    "Data, parties, rounds and seed are those of the controls. The training under the controls keeps its settings, "
    "relatives of it share what they have in common with it, all others stand on their defaults. "
    "Yardsticks send nothing, so no noise is put on them."
)
_SIMULATED = (
    "A simulation on this machine: every message that crosses a party's border is really made and counted, and nothing "
    "goes over a network. A run that is trained in one place and only counts its messages says so."
)


@PANELS.enter("vertical", title=_TITLE)
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
    box = Panel(state, [])
    box.add_class("tk-framed")
    box.add_class("tk-vertical")
    inside: list[_Inside] = []

    def show(what: str = "setting") -> None:
        if what == "setting":
            box.layout.display = "none" if state.setting.across_rows else ""
            if not state.setting.across_rows and not inside:
                inside.append(_Inside(state))
                box.children = inside[0].children

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
            options=options, value=self.state.names, rows=len(options), description="algorithms",
            tooltip="hold Ctrl, or Shift, to choose several",
        )  # fmt: skip
        self.along = w.Dropdown(description="splits", options=_ALONG)
        self.at = w.Dropdown(description="shown at", options=[("", "")])
        self.by = w.Dropdown(description="curves", options=[("by round", "round"), ("by bytes sent", "bytes")])
        self.of = w.Dropdown(description="bytes of", options=[("", "")])
        self.attacks = w.Checkbox(description="privacy attacks", indent=False, tooltip="listen to every whole run")
        self.compare = w.Button(description="Compare algorithms", tooltip="train with each that is not there yet")
        self.halt = w.Button(description="Stop algorithms", tooltip="what was trained is kept", disabled=True)
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
        self.menu.observe(lambda event: self._choose("names", tuple(event.new)), "value")
        self.along.observe(lambda event: self._choose("along", event.new), "value")
        self.at.observe(lambda event: self._choose("at", event.new), "value")
        self.attacks.observe(lambda event: self._choose("attacks", event.new), "value")
        for menu in (self.by, self.of):
            menu.observe(lambda _: None if self._following else self.body.refresh(), "value")
        self.compare.on_click(lambda _: self.state.start())
        self.halt.on_click(lambda _: self.state.stop())

    def _choose(self, name: str, value: Any) -> None:
        if not self._following:
            setattr(self.state, name, value)
            self._told()

    def _told(self) -> None:
        self._follow()
        self.leaks.refresh()
        self.body.refresh()

    def _hear(self, what: str) -> None:
        if what in ("setting", "progress", "outcome", "search"):
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
            offer(self.of, [(title_of(name), name) for name in names] or [("none", "")], kept)
        finally:
            self._following = False
        self.compare.disabled = self.state.playing.busy or not self.state.wanted()
        self.halt.disabled = not self.state.playing.busy

    def _head(self, lab: Lab) -> str:
        if lab.setting.across_rows or lab.experiment is None or lab.searching:
            return card(_TITLE, "real runs, side by side", "")
        made_up = origin(lab.federated())
        words = f"{tip('what is the same', _SAME)} · {tip('simulated', _SIMULATED)}"
        return card(_TITLE, f"{made_up}Real runs on the same rows · {words}", "")


def _offered() -> list[tuple[str, str]]:
    """Titles and names: quick and well-known algorithms first, yardsticks last."""
    names = [name for name, entry in ALGORITHMS.items() if entry.axis == "columns"]
    ordered = [*_FIRST, *sorted((name for name in names if name not in _FIRST), key=lambda name: name in YARDSTICKS)]
    return [(title_of(name) + (" (yardstick)" if name in YARDSTICKS else ""), name) for name in ordered]
