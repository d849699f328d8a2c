"""The state in the browser's address bar: whoever loads a served page again finds it as it was."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from urllib.parse import urlsplit

import anywidget
import traitlets
from trustkit.widgets.guard import guarded
from trustkit.widgets.history import running_loop
from trustkit.widgets.lab import Lab
from trustkit.widgets.links import PLACE, token_of

__all__ = ["AddressBar"]

_REST = 0.4
"""Seconds without a move after which the address follows: browsers allow some hundred changes in half a minute."""

_FOLLOWS = ("setting", "weights", "baseline", "pins", "section")


class AddressBar(anywidget.AnyWidget):  # type: ignore[misc]
    """Writes the token of a page's state into its address; the state that the page opens on needs none.

    Parameters
    ----------
    lab : Lab
        The state.
    asked : str
        The token that the page was asked for with, if there was one.
    """

    _esm = Path(__file__).with_name("addressbar.js")
    token = traitlets.Unicode().tag(sync=True)
    place = traitlets.Unicode().tag(sync=True)

    def __init__(self, lab: Lab, asked: str = "") -> None:
        self.lab = lab
        self._timer: asyncio.TimerHandle | None = None
        now = self._now()
        self._opened = "" if asked else now
        super().__init__(token=now if asked else "")
        lab.watch(self._hear)
        self.observe(guarded(lab, "page", lambda event: _lies(event.new)), "place")

    def _now(self) -> str:
        try:
            return token_of(self.lab)
        except (KeyError, TypeError, ValueError):  # a state that no link carries; the button Link says why
            return ""

    def _hear(self, what: str) -> None:
        if what not in _FOLLOWS:
            return
        if self._timer is not None:
            self._timer.cancel()
        loop = running_loop()
        if loop is None:
            self._write()
        else:
            self._timer = loop.call_later(_REST, self._write)

    def _write(self) -> None:
        now = self._now()
        self.token = "" if now == self._opened else now


def _lies(place: str) -> None:
    """Note where the page lies, for links; what is no address is not kept."""
    parts = urlsplit(place)
    if parts.scheme in ("http", "https") and parts.netloc and len(place) < 500:
        os.environ[PLACE] = f"{parts.scheme}://{parts.netloc}{parts.path}"
