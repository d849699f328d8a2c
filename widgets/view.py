"""A view is an HTML widget that draws itself from the lab; what goes wrong inside it is shown inside it."""

from __future__ import annotations

import html
from collections.abc import Callable, Collection
from typing import Any

import ipywidgets as w
from trustkit.widgets.lab import Lab

__all__ = ["View", "card", "failure", "fold", "tip"]


def tip(text: str, explanation: str, spoken: bool = True) -> str:
    """Return a number or a word with an explanation that shows on hover and on keyboard focus.

    Parameters
    ----------
    text : str
        HTML.
    explanation : str
        Plain text: formula and source.
    spoken : bool
        Whether a screen reader reads the explanation on passing, or only on focus.

    Returns
    -------
    str
        HTML.
    """
    words = html.escape(explanation, quote=True)
    if not spoken:
        return f'<span class="tk-tip" tabindex="0" data-tip="{words}" aria-description="{words}">{text}</span>'
    return f'<span class="tk-tip" tabindex="0" data-tip="{words}">{text}<span class="tk-unseen">: {words}</span></span>'


def card(title: str, subtitle: str, body: str, classes: str = "") -> str:
    """Return a card.

    Parameters
    ----------
    title, subtitle, body : str
        HTML; the subtitle says what to beware of.
    classes : str
        Further CSS classes.

    Returns
    -------
    str
        HTML.
    """
    return f'<section class="tk-card {classes}"><h2>{title}</h2><p class="tk-sub">{subtitle}</p>{body}</section>'


def fold(title: str, *children: w.Widget) -> w.VBox:
    """Return widgets behind a button that shows and hides them; unlike an accordion's, a keyboard reaches it.

    Parameters
    ----------
    title : str
        What is inside.
    *children : ipywidgets.Widget
        Hidden at first.

    Returns
    -------
    ipywidgets.VBox
        The button, and a box of the children.
    """
    button, box = w.ToggleButton(description=f"▸ {title}", tooltip="show or hide"), w.VBox(children)
    box.layout.display = "none"

    def turn(event: Any) -> None:
        box.layout.display = "" if event.new else "none"
        button.description = f"{'▾' if event.new else '▸'} {title}"

    button.observe(turn, "value")
    button.add_class("tk-fold")
    return w.VBox([button, box])


def failure(error: BaseException, where: str) -> str:
    """Return a red card that says what went wrong and what to try.

    Parameters
    ----------
    error : Exception
        What happened.
    where : str
        What was being done.

    Returns
    -------
    str
        HTML with ``role="alert"``.
    """
    text = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error) or type(error).__name__
    return (
        f'<section class="tk-card tk-failed" role="alert"><h2>{html.escape(where[:1].upper() + where[1:])} failed</h2>'
        f"<p>{html.escape(text)}</p>"
        f'<p class="tk-sub">Undo the last change, or pick another value; the other panels go on working. '
        f"({html.escape(type(error).__name__)})</p></section>"
    )


class View(w.HTML):  # type: ignore[misc]
    """An HTML widget that follows the lab.

    Parameters
    ----------
    lab : Lab
        What it reads.
    draw : callable
        Lab in, HTML out.
    topics : collection of str
        The changes that concern it.
    name : str
        What it is called when it fails; its CSS class is ``tk-v-`` and the name.
    """

    value: str

    def __init__(self, lab: Lab, draw: Callable[[Lab], str], topics: Collection[str], name: str) -> None:
        super().__init__()
        self.lab, self.draw, self.topics, self.name = lab, draw, frozenset(topics), name
        self.add_class("tk-view")
        self.add_class(f"tk-v-{name}")
        lab.watch(self.hear)
        self.refresh()

    def hear(self, what: str) -> None:
        """Redraw if a change concerns this view.

        Parameters
        ----------
        what : str
            A topic.
        """
        if what in self.topics:
            self.refresh()

    def refresh(self) -> None:
        """Draw anew; an exception becomes a red card here and nowhere else."""
        try:
            value = self.draw(self.lab)
        except Exception as error:  # whatever it is, it belongs on the screen
            value = failure(error, self.name)
            if error is self.lab.error:  # the page has a card about it already
                value = card(self.name.capitalize(), "nothing to draw: the red card above says why", "")
        if value != self.value:
            self.value = value
