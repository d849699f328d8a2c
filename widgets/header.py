"""The header: presets, undo and redo, reset, pin, report, link, code, and the form for lesson links."""

from __future__ import annotations

import html
from collections.abc import Callable

import ipywidgets as w
from trustkit.widgets.guard import guarded
from trustkit.widgets.lab import Lab
from trustkit.widgets.lessonform import LessonForm
from trustkit.widgets.links import code_field, link_field
from trustkit.widgets.public import as_played
from trustkit.widgets.report import downloads
from trustkit.widgets.setting import Setting
from trustkit.widgets.strings import say
from trustkit.widgets.tables import tables_button
from trustkit.widgets.tour import tour
from trustkit.widgets.translated import translated

from trustkit.preset import PRESETS

__all__ = ["Header"]

_STATE = ("setting", "weights", "baseline", "pins", "section")
_FOLLOWS = {"link": _STATE, "code": _STATE, "tour": ("outcome", "setting", "baseline", "section")}
"""What each of the fields under the buttons is written anew for."""


class Header:
    """The row of buttons above everything.

    Parameters
    ----------
    lab : Lab
        What they act on.
    """

    def __init__(self, lab: Lab) -> None:
        self.lab, self._following = lab, False
        self._form: LessonForm | None = None
        self._presets = {name: preset.make() for name, preset in PRESETS.items()}
        title = w.HTML(f'<h1 class="tk-title">trustkit <span>{say("header.title")}</span></h1>')
        offered = [(say("header.choose"), ""), *((translated(preset.title), name) for name, preset in PRESETS.items())]
        self.preset = w.Dropdown(description=say("header.preset"), options=offered, value="")
        self.caveat = w.HTML()
        self.files = w.HTML()
        names = ("undo", "redo", "reset", "pin", "report", "link", "code", "lesson", "tour")
        self.buttons = {name: w.Button(description=say(f"header.{name}"), tooltip=say(f"header.about_{name}"))
                        for name in names}  # fmt: skip
        self.buttons["tables"] = tables_button(lab)
        self.preset.observe(guarded(lab, "header", lambda event: self._choose(event.new)), "value")
        for name in ("undo", "redo", "reset", "pin"):
            self.buttons[name].on_click(guarded(lab, "header", lambda _, name=name: getattr(lab, name)()))
        self._open = ""  # what is shown under the buttons
        for name in ("report", "link", "code", "lesson", "tour"):
            self.buttons[name].on_click(guarded(lab, "header", lambda _, name=name: self._turn(name)))
        for name, widget in {"preset": self.preset, **self.buttons}.items():
            widget.add_class(f"tk-c-{name}")
        row = w.HBox([title, self.preset, *self.buttons.values()])
        row.add_class("tk-header")
        self.box = w.VBox([row, self.caveat, self.files])
        self._follow()
        lab.watch(self._hear)

    def _choose(self, name: str) -> None:
        if name and not self._following:
            self.lab.go(Setting.of(self._presets[name]))

    def _follow(self) -> None:
        """Name the preset that the controls stand on, if they do, with its caveat; it goes when they move on."""
        name = next((name for name, made in self._presets.items() if as_played(made, self.lab.experiment)), "")
        caveat = PRESETS[name].caveat if name else ""
        self._following = True
        try:
            self.preset.value = name
        finally:
            self._following = False
        said = say("header.caveat", preset=translated(PRESETS[name].title), caveat=translated(caveat)) if caveat else ""
        self.caveat.value = f'<p class="tk-caveat">{html.escape(said, quote=False)}</p>' if said else ""

    def _turn(self, name: str) -> None:
        """Show what a button stands for, or hide it again."""
        self._open = "" if self._open == name else name
        self._fill()

    def _fill(self) -> None:
        fields: dict[str, Callable[[Lab], str]]
        fields = {"report": downloads, "link": link_field, "code": code_field, "tour": tour}
        self.files.value = fields[self._open](self.lab) if self._open in fields else ""
        if self._open == "lesson" and self._form is None:
            self._form = LessonForm(self.lab)
        shown = [self._form.box] if self._open == "lesson" and self._form is not None else []
        self.box.children = [*self.box.children[:3], *shown]

    def _hear(self, what: str) -> None:
        if what == "setting":
            self._follow()
        if self._open == "report" and what in ("outcome", "setting", "weights"):
            self._turn("report")
        elif what in _FOLLOWS.get(self._open, ()):
            self._fill()
        if what in ("baseline", "outcome"):
            pinned = self.lab.baseline is not None and self.lab.baseline is self.lab.outcome
            self.buttons["pin"].description = say("header.unpin") if pinned else say("header.pin")
