"""Tabs over the sections of the page: arrow keys move between them, Enter opens one; on a phone they are a menu."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import anywidget
import traitlets

__all__ = ["Tabs"]


class Tabs(anywidget.AnyWidget):  # type: ignore[misc]
    """Choose one of several sections.

    ``current`` is the name of the one that is open. Arrow keys only move the focus, as opening a section may take a
    moment.

    Parameters
    ----------
    titles : mapping of str to str
        What sections are called, by name.
    current : str
        The one that is open.
    label : str
        What the tabs are, for a screen reader.
    """

    _esm = Path(__file__).with_name("tabs.js")
    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    titles = traitlets.List(traitlets.Unicode()).tag(sync=True)
    current = traitlets.Unicode().tag(sync=True)
    label = traitlets.Unicode().tag(sync=True)

    def __init__(self, titles: Mapping[str, str], current: str, label: str) -> None:
        super().__init__(names=list(titles), titles=list(titles.values()), current=current, label=label)
