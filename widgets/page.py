"""What panels stand on: the page's colours, sizes and marks; a panel that is displayed alone brings its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ipywidgets as w
from trustkit.widgets.hiding import conceal, rules
from trustkit.widgets.lab import Lab
from trustkit.widgets.numbers import synthetic

__all__ = ["Panel", "bundle", "page"]


def page(lab: Lab, *children: w.Widget) -> w.VBox:
    """Put panels on one page, which marks what is stale, and what comes from made-up rows.

    Parameters
    ----------
    lab : Lab
        The state that they share.
    *children : ipywidgets.Widget
        Panels, one below the other.

    Returns
    -------
    ipywidgets.VBox
        Display it in a cell; its ``lab`` attribute is the state.

    Examples
    --------
    >>> from trustkit.widgets import AttackPanel, FairnessPanel, Lab
    >>> lab = Lab()
    >>> len(page(lab, FairnessPanel(lab), AttackPanel(lab)).children)  # and a style sheet
    3
    """
    style = w.HTML(f"<style>{Path(__file__).with_name('theme.css').read_text(encoding='utf-8')}\n{rules()}</style>")
    whole = w.VBox([style, *children])
    whole.add_class("tk-app")
    whole.lab = lab
    conceal(whole, lab.lesson.hidden)

    def mark(_: Any = None) -> None:
        made_up = lab.outcome is not None and synthetic(lab.outcome.record)
        columns = not lab.setting.across_rows
        for name, holds in (("tk-stale", lab.state == "stale"), ("tk-synthetic", made_up), ("tk-columns", columns)):
            (whole.add_class if holds else whole.remove_class)(name)

    lab.watch(mark)
    mark()
    return whole


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
    alone = page(lab, panel)
    alone.add_class("tk-alone")
    return alone._repr_mimebundle_(**asked)


class Panel(w.VBox):  # type: ignore[misc]
    """A box of views and controls that can be displayed alone, or be put on a page with others.

    Parameters
    ----------
    lab : Lab
        The state that it shows.
    children : sequence of ipywidgets.Widget
        One below the other.
    """

    def __init__(self, lab: Lab, children: Sequence[w.Widget]) -> None:
        super().__init__(children)
        self.lab = lab

    def _repr_mimebundle_(self, **asked: Any) -> Any:
        return bundle(self.lab, self, **asked)
