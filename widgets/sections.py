"""The sections of the page: which panels each shows, built when first opened, quiet while nobody sees them."""

from __future__ import annotations

from collections.abc import Mapping

import ipywidgets as w
from trustkit.widgets.guard import guarded
from trustkit.widgets.hearing import Ear
from trustkit.widgets.kept import scores
from trustkit.widgets.lab import Lab
from trustkit.widgets.strings import say
from trustkit.widgets.tabs import Tabs
from trustkit.widgets.tiles import tiles
from trustkit.widgets.view import View, card

from trustkit.catalogue import PANELS
from trustkit.lesson import SECTIONS

__all__ = ["CONTENTS", "Sections"]

CONTENTS: Mapping[str, tuple[str, ...]] = {
    "overview": ("tiles", "trust", "correlation", "split", "fairness", "training"),
    "split": ("split", "asked"),
    "correlation": ("correlation",),
    "vertical": ("vertical",),
    "train": ("training", "clients"),
    "privacy": ("privacy",),
    "attack": ("attack",),
    "fairness": ("fairness", "groups"),
    "trust": ("trust", "tiles", "scores"),
    "compare": ("compare", "replicas"),
    "report": ("files", "report"),
}
"""Names of panels by section; a panel that is in two of them is one and the same widget."""

_AXIS = {"correlation": "columns", "vertical": "columns", "groups": "rows", "attack": "rows"}
"""Panels that are about one axis only."""

_HIDES = {"tiles": "tiles", "files": "report-view", "asked": "split-view", "clients": "training-view"}
"""What a lesson calls a panel, where that is not its name and ``-view``."""


def _panel(name: str, lab: Lab) -> w.Widget:
    if name == "tiles":
        return View(lab, tiles, ("outcome", "baseline", "weights"), "tiles", scores)
    return PANELS[name].function(lab)


class Sections:
    """The tabs, and the place in which the open section's panels are.

    Parameters
    ----------
    lab : Lab
        What the panels show; its ``section`` is the one that is open.
    """

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self._built: dict[str, tuple[w.Widget, Ear]] = {}
        self._elsewhere = _Elsewhere(lab)
        self.box = w.Box()
        self.box.add_class("tk-views")
        offered = self.offered()
        lab.section = lab.section if lab.section in offered else "overview"
        titles = {name: say(f"sections.{name}") for name in offered}
        self.tabs = Tabs(titles, lab.section, say("sections.label"))
        self.box.add_class(f"tk-in-{lab.section}")
        self._lay()
        self.tabs.observe(guarded(lab, "page", lambda event: self.open(event.new)), "current")
        lab.hearing.watch(self._hear, first=True)  # who is not seen any more has nothing to draw

    def offered(self) -> tuple[str, ...]:
        """Return the sections that the page's lesson leaves.

        Returns
        -------
        tuple of str
            Overview, and those that are not hidden and have a panel that is not hidden, of the axis that is shown if
            the lesson leaves no way to the other one.
        """
        hidden = self.lab.lesson.hidden
        both = not {"axis", "preset"} <= set(hidden)
        left = [name for name in SECTIONS if f"{name}-section" not in hidden and self._names(name, both)]
        return tuple(dict.fromkeys(("overview", *left)))

    def open(self, name: str) -> None:
        """Show a section.

        Parameters
        ----------
        name : str
            Of `offered`; anything else is ignored.
        """
        if name not in self.tabs.names or name == self.lab.section:
            return
        self.box.remove_class(f"tk-in-{self.lab.section}")
        self.lab.section = name
        self._lay()
        self.box.add_class(f"tk-in-{name}")
        self.tabs.current = name
        self.lab.hearing.tell("section")

    def _names(self, section: str, both: bool = False) -> list[str]:
        """The panels of a section that the lesson leaves, of the axis that is shown or of both."""
        hidden, axis = self.lab.lesson.hidden, self.lab.setting.axis
        left = [name for name in CONTENTS[section] if _HIDES.get(name, f"{name}-view") not in hidden]
        return [name for name in left if both or _AXIS.get(name, axis) == axis]

    def _lay(self) -> None:
        """Put the panels of the open section into their place; the others hear nothing until they are seen again."""
        names = self._names(self.lab.section)
        for name, (_, ear) in self._built.items():
            if name not in names:
                self.lab.hearing.shut(ear, True)
        panels = tuple(map(self._seen, names)) or (self._elsewhere.box,)
        if self.box.children != panels:
            self.box.children = panels

    def _seen(self, name: str) -> w.Widget:
        if name not in self._built:
            ear = Ear()
            with self.lab.hearing.into(ear):
                self._built[name] = _panel(name, self.lab), ear
            ear.name = getattr(self._built[name][0], "name", ear.name)
        panel, ear = self._built[name]
        self.lab.hearing.shut(ear, False)
        return panel

    def _hear(self, what: str) -> None:
        if what == "setting":
            self._lay()


class _Elsewhere:
    """What a section says that is about the other axis, with a way to go there."""

    def __init__(self, lab: Lab) -> None:
        def other() -> str:
            return "columns" if lab.setting.across_rows else "rows"

        def draw(_: Lab) -> str:
            return card(say(f"sections.{lab.section}"), say(f"sections.about_{other()}"), "")

        button = w.Button()
        button.add_class("tk-c-axis")  # a lesson that hides the axis hides this way to it, too

        def name(_: str = "") -> None:
            button.description = say(f"sections.go_{other()}")

        lab.watch(name)
        name()
        button.on_click(guarded(lab, "page", lambda _: lab.change(axis=other())))
        self.box = w.VBox([View(lab, draw, ("setting", "section"), "elsewhere"), button])
        self.box.add_class("tk-framed")
        self.box.add_class("tk-elsewhere")
