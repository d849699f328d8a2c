"""What the notebook of the served app does: a page before anybody comes, its picture, and the state of the link."""

from __future__ import annotations

import html
import os

import ipywidgets as w
from trustkit.widgets.addressbar import AddressBar
from trustkit.widgets.app import _recorded, _warm, app
from trustkit.widgets.forms import close
from trustkit.widgets.links import waiting, wished
from trustkit.widgets.picture import Picture
from trustkit.widgets.public import noted
from trustkit.widgets.strings import heed, language
from trustkit.widgets.view import View

from trustkit.serving.confined import confine

__all__ = ["prepared", "served", "warm"]

_PAGES: list[tuple[w.VBox, tuple[str, str]]] = []
"""The page that has been drawn in this kernel, the token it was drawn for, and its language."""


def warm() -> None:
    """Load and measure once what every page needs, in the process that kernels branch off from; no thread is begun."""
    _recorded()
    _warm()


def prepared() -> Picture | None:
    """Draw the page as early as can be: in a preheated kernel before anybody has asked for it.

    Returns
    -------
    Picture or None
        What the visitor sees until the page's script has started; ``None`` in a notebook that nobody serves.
    """
    confine()
    if "VOILA_BASE_URL" not in os.environ:
        return None
    link, code = ("", "") if waiting() else wished()
    heed(code)
    page = app(link or None, language=language() if code else None)
    _PAGES[:] = [(page, (link, language()))]
    return Picture(page)


def served() -> w.VBox:
    """Return the page of whoever has come: the prepared one, or the one that their link asks for.

    Returns
    -------
    ipywidgets.VBox
        The app, which writes its state into the browser's address.
    """
    link, code = wished()  # in a preheated kernel this waits for the visitor
    unknown = heed(code)
    page, drawn = _PAGES.pop() if _PAGES else (None, ("", ""))
    if page is not None and drawn != (link, language()):
        close(page)
        page = None
    page = page or app(link or None, language=language() if code else None)
    said = [w.HTML(f'<p class="tk-caveat" role="alert">{html.escape(unknown)}</p>')] if unknown else []
    notes = View(page.lab, noted, ("setting",), "limits")
    page.children = (page.children[0], *said, notes, *page.children[1:], AddressBar(page.lab, link))
    return page
