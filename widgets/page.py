"""What panels stand on: the page's colours, sizes and marks; a panel that is displayed alone brings its own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import ipywidgets as w
from trustkit.widgets.hiding import conceal, rules
from trustkit.widgets.lab import Lab
from trustkit.widgets.lang import Lang
from trustkit.widgets.mending import Mending
from trustkit.widgets.numbers import synthetic
from trustkit.widgets.still import show
from trustkit.widgets.strings import say

__all__ = ["Page", "Panel", "alone", "bundle", "enlarge", "page"]


class Page(w.VBox):  # type: ignore[misc]
    """A page as a notebook shows it: the widget, and a still picture for when it is opened again without a kernel."""

    lab: Lab

    def _ipython_display_(self) -> None:
        show(self.lab, self)


def page(lab: Lab, *children: w.Widget) -> Page:
    """Put panels on one page, which marks what is stale, and what comes from made-up rows.

    Parameters
    ----------
    lab : Lab
        The state that they share.
    *children : ipywidgets.Widget
        Panels, one below the other.

    Returns
    -------
    Page
        Display it in a cell; its ``lab`` attribute is the state.

    Examples
    --------
    >>> from trustkit.widgets import AttackPanel, FairnessPanel, Lab
    >>> lab = Lab()
    >>> len(page(lab, FairnessPanel(lab), AttackPanel(lab)).children)  # and a style sheet, and the language
    4
    """
    style = w.HTML(f"<style>{_sheets()}\n{_words()}\n{rules()}</style>")
    whole = Page([style, *children, Lang()])
    whole.add_class("tk-app")
    whole.lab = lab
    conceal(whole, lab.lesson.hidden)

    def mark(_: Any = None) -> None:
        made_up = lab.outcome is not None and synthetic(lab.outcome.record)
        columns = not lab.setting.across_rows
        behind = lab.progress is not None and lab.progress.beside(lab.outcome)
        marks = {"tk-stale": lab.state == "stale", "tk-behind": behind,
                 "tk-synthetic": made_up, "tk-columns": columns}  # fmt: skip
        for name, holds in marks.items():
            (whole.add_class if holds else whole.remove_class)(name)

    lab.watch(mark)
    mark()
    return whole


def enlarge(whole: Page, scale: float) -> None:
    """Draw a page larger or smaller, with everything on it.

    Parameters
    ----------
    whole : Page
        A page of `page`.
    scale : float
        Times its usual size.
    """
    name = f"tk-scale-{scale:.2f}".replace(".", "-")
    whole.children[0].value += f"<style>.{name} {{ zoom: {scale:.2f}; }}</style>"
    whole.add_class(name)


@cache
def _sheets() -> str:
    """The style of all panels, then that of the sections they stand in."""
    places = (Path(__file__).with_name(name) for name in ("theme.css", "sections.css"))
    return "\n".join(place.read_text(encoding="utf-8") for place in places)


def _words() -> str:
    """What the style sheet writes, in the page's language."""
    raw, synthetic = say("tree.raw"), say("page.made_up")
    return f'.tk-app {{ --tk-word-raw: "{raw} "; --tk-word-synthetic: "{synthetic}"; }}'


def bundle(lab: Lab, panel: w.Widget, **asked: Any) -> Any:
    """Return what a notebook displays for a panel that stands alone in a cell: the panel on a page of its own.

    Parameters
    ----------
    lab : Lab
        The panel's state.
    panel : ipywidgets.Widget
        The panel.
    **asked
        What a notebook asks for, see IPython's ``_repr_mimebundle_``.

    Returns
    -------
    dict
        Data by MIME type.
    """
    return alone(lab, panel)._repr_mimebundle_(**asked)


def alone(lab: Lab, panel: w.Widget) -> Page:
    """Put a panel on a page of its own.

    Parameters
    ----------
    lab : Lab
        The panel's state.
    panel : ipywidgets.Widget
        The panel.

    Returns
    -------
    Page
        With what mends it.
    """
    whole = page(lab, panel, Mending(lab))
    whole.add_class("tk-alone")
    return whole


class Panel(w.VBox):  # type: ignore[misc]
    """A box of views and controls that can be displayed alone, or be put on a page with others.

    Parameters
    ----------
    lab : Lab
        The state that it shows.
    children : sequence of ipywidgets.Widget
        One below the other.
    name : str
        What it is called where a guard names what failed: the text ``view.`` and this.
    """

    children: tuple[w.Widget, ...]

    def __init__(self, lab: Lab, children: Sequence[w.Widget], name: str) -> None:
        super().__init__(children)
        self.lab, self.name = lab, name
        self._mending: Mending | None = None
        lab.hearing.guard.watch(self._mend, name)

    def _mend(self) -> None:
        """Show above everything what went wrong in this panel, as long as it is wrong."""
        wrong = bool(self.lab.hearing.guard.faults(self.name))
        if self._mending is None and wrong:
            self._mending = Mending(self.lab, self.name)
        if self._mending is not None:
            self._mending.show()
            others = tuple(each for each in self.children if each is not self._mending)
            self.children = (self._mending, *others) if wrong else others

    def _repr_mimebundle_(self, **asked: Any) -> Any:
        return bundle(self.lab, self, **asked)

    def _ipython_display_(self) -> None:
        show(self.lab, alone(self.lab, self))
