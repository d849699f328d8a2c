"""The header: presets, undo and redo, reset, pin, report."""

from __future__ import annotations

import ipywidgets as w
from trustkit.widgets.lab import Lab
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
        }
        self.buttons = {name: w.Button(description=name.capitalize(), tooltip=text) for name, text in words.items()}
        self.preset.observe(lambda event: self._choose(event.new), "value")
        for name in ("undo", "redo", "reset", "pin"):
            self.buttons[name].on_click(lambda _, name=name: getattr(lab, name)())
        self.buttons["report"].on_click(lambda _: self._files())
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

    def _files(self) -> None:
        self.files.value = "" if self.files.value else downloads(self.lab)

    def _hear(self, what: str) -> None:
        if what == "setting":
            self._follow()
        if what in ("outcome", "setting", "weights"):
            self.files.value = ""
        if what in ("baseline", "outcome"):
            pinned = self.lab.baseline is not None and self.lab.baseline is self.lab.outcome
            self.buttons["pin"].description = "Unpin" if pinned else "Pin"
