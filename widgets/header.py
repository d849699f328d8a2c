"""The header: presets, undo and redo, reset, pin, report, link, code, and the form for lesson links."""

from __future__ import annotations

from collections.abc import Callable

import ipywidgets as w
from trustkit.widgets.lab import Lab
from trustkit.widgets.lessonform import LessonForm
from trustkit.widgets.links import code_field, link_field
from trustkit.widgets.report import downloads
from trustkit.widgets.setting import Setting

from trustkit.preset import PRESETS

__all__ = ["Header"]


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
        title = w.HTML('<h1 class="tk-title">trustkit <span>trust lab · a simulation on this machine</span></h1>')
        names = [("choose …", ""), *((preset.title, name) for name, preset in PRESETS.items())]
        self.preset = w.Dropdown(description="preset", options=names, value="")
        self.caveat = w.HTML()
        self.files = w.HTML()
        words = {
            "undo": "take back the last change",
            "redo": "take back an undo",
            "reset": "back to where the page opened",
            "pin": "keep this result as the dashed baseline",
            "report": "files to take home: report, fact sheet, rounds, experiment",
            "link": "these controls, weights and baseline as a link",
            "code": "this experiment as three lines of Python",
            "lesson": "a link that hides controls and sets a goal",
        }
        self.buttons = {name: w.Button(description=name.capitalize(), tooltip=text) for name, text in words.items()}
        self.preset.observe(lambda event: self._choose(event.new), "value")
        for name in ("undo", "redo", "reset", "pin"):
            self.buttons[name].on_click(lambda _, name=name: getattr(lab, name)())
        self._open = ""  # what is shown under the buttons
        for name in ("report", "link", "code", "lesson"):
            self.buttons[name].on_click(lambda _, name=name: self._turn(name))
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
        name = next((name for name, made in self._presets.items() if made == self.lab.experiment), "")
        caveat = PRESETS[name].caveat if name else ""
        self._following = True
        self.preset.value = name
        self._following = False
        self.caveat.value = f'<p class="tk-caveat">{PRESETS[name].title}: {caveat}.</p>' if caveat else ""

    def _turn(self, name: str) -> None:
        """Show what a button stands for, or hide it again."""
        self._open = "" if self._open == name else name
        self._fill()

    def _fill(self) -> None:
        fields: dict[str, Callable[[Lab], str]] = {"report": downloads, "link": link_field, "code": code_field}
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
        elif self._open in ("link", "code") and what in ("setting", "weights", "baseline"):
            self._fill()
        if what in ("baseline", "outcome"):
            pinned = self.lab.baseline is not None and self.lab.baseline is self.lab.outcome
            self.buttons["pin"].description = "Unpin" if pinned else "Pin"
