"""A still picture beside a page in a notebook: what is seen when it is opened again and no kernel draws the page."""

from __future__ import annotations

import base64
import os
import re
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import ipywidgets as w
from trustkit.widgets.guard import guarded
from trustkit.widgets.history import running_loop
from trustkit.widgets.numbers import synthetic
from trustkit.widgets.strings import say, say_html

if TYPE_CHECKING:
    from trustkit.widgets.lab import Lab

__all__ = ["show", "still"]

_MOST = 400_000
"""Characters of all pictures together; those that would be more are left out."""

_SOON = 1.0
"""Seconds after a change until the picture is the new one: a run that moves on is not pictured round by round."""

_TOPICS = ("setting", "search", "outcome", "baseline", "weights", "section", "looking", "pins", "tables")
_SVG = re.compile(r'<svg\b[^>]*\baria-label="([^"]*)".*?</svg>', re.DOTALL)
_SAID = re.compile(r'<div class="tk-say".*?</div>', re.DOTALL)
_NARROW = re.compile(r'<div class="tk-only-narrow">.*?</svg>', re.DOTALL)


def still(lab: Lab, page: w.Widget, name: str) -> str:
    """Draw what a page shows, as HTML that stays in a notebook's file.

    Parameters
    ----------
    lab : Lab
        The page's state.
    page : ipywidgets.Widget
        The page.
    name : str
        Tells its style from that of other pages; letters and digits.

    Returns
    -------
    str
        Whether it is of made-up rows or of other settings, the sentence about the run, if it is on the page, and the
        pictures in sight. JupyterLab shows it where the output before it is no page, as after a restart.
    """
    said, pictures, left = "", "", _MOST
    for text in _texts(page):
        for sentence in _SAID.findall(text):
            said = re.sub(r"<[^>]+>", "", sentence)
        for svg in _SVG.finditer(_NARROW.sub("", text)):
            address = _address(svg[0])
            left -= len(address)
            if left >= 0:
                pictures += (
                    f'<img alt="{svg[1]}" src="{address}" style="flex: 1 1 320px; min-width: 0; max-width: 480px">'
                )
    made_up = lab.outcome is not None and synthetic(lab.outcome.record)
    marks = {say("page.synthetic"): made_up and not said, say("status.stale"): lab.state == "stale" and not said}
    said = " · ".join([*(mark for mark, holds in marks.items() if holds), *([said] if said else [])])
    me, cell = f".tk-still-{name}", ".jp-OutputArea-child"
    return (
        f"<style>{cell}:not(:has(.tk-app)) + {cell} {me} {{ display: block !important; }}"
        f"{cell}:not(:has(.tk-app)):has(+ {cell} {me}) {{ display: none; }}</style>"
        f'<div class="tk-still-{name}" style="display: none; background: #ffffff; color: #1a1a1a; padding: 12px">'
        f'<p>{said}</p><div style="display: flex; flex-wrap: wrap; gap: 12px">{pictures}</div>'
        f"<p>{say_html('page.still')}</p></div>"
    )


def _texts(widget: Any) -> Iterator[str]:
    """What is in sight, as HTML."""
    if widget.layout.display == "none":
        return
    if isinstance(widget, w.HTML):
        yield widget.value
    for child in getattr(widget, "children", ()):
        yield from _texts(child)


def _address(svg: str) -> str:
    """A picture as an address of its own, which follows no theme and knows no font of the page."""
    whole = svg.replace("family: inherit", "family: sans-serif")
    return f"data:image/svg+xml;base64,{base64.b64encode(whole.encode()).decode()}"


class _Still:
    """What a notebook displays."""

    def __init__(self, text: str) -> None:
        self.text = text

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/html": self.text, "text/plain": say("page.still")}


class _Follower:
    """Draws the still picture of a page anew, a while after the page has changed, where it was displayed last."""

    def __init__(self, lab: Lab, page: w.Widget) -> None:
        self.lab = lab
        self.held: Any = None
        self._page = weakref.ref(page)
        self._timer: Any = None
        self._draw_it = guarded(lab, "page", self._draw)
        lab.watch(self._hear)

    def _hear(self, what: str) -> None:
        loop = running_loop()
        if what in _TOPICS and loop is not None and self._timer is None:
            self._timer = loop.call_later(_SOON, self._draw_it)

    def _draw(self) -> None:
        self._timer, page = None, self._page()
        if page is not None and self.held is not None:
            self.held.update(_Still(still(self.lab, page, page.model_id)))


_FOLLOWED: weakref.WeakKeyDictionary[w.Widget, _Follower] = weakref.WeakKeyDictionary()


def show(lab: Lab, page: w.Widget) -> None:
    """Display a page, and after it in a notebook the still picture, which follows the page's results.

    Parameters
    ----------
    lab : Lab
        The page's state.
    page : ipywidgets.Widget
        The page.
    """
    from IPython import get_ipython
    from IPython.display import display

    display(page._repr_mimebundle_(), raw=True)
    if "VOILA_BASE_URL" in os.environ or not hasattr(get_ipython(), "kernel"):
        return
    name = page.model_id
    held = display(_Still(still(lab, page, name)), display_id=True)
    if page not in _FOLLOWED:
        _FOLLOWED[page] = _Follower(lab, page)
    _FOLLOWED[page].held = held
