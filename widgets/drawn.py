"""Which pictures a page shows: figures by what is said of them, so that each can be taken home with its numbers."""

from __future__ import annotations

import html
import weakref
from collections.abc import Iterator
from itertools import count
from typing import Any, Protocol

from matplotlib.figure import Figure

__all__ = ["Showing", "figure_of", "note_figure", "note_view", "pictures_of"]


class Showing(Protocol):
    """What shows pictures: a view of a page."""

    lab: Any
    name: str
    value: str

    def settle(self) -> None:
        """Let the figures be those of the text."""


_LABELS: weakref.WeakKeyDictionary[Figure, str] = weakref.WeakKeyDictionary()
_VIEWS: weakref.WeakKeyDictionary[Any, list[weakref.ref[Any]]] = weakref.WeakKeyDictionary()
_MARKS: weakref.WeakKeyDictionary[Figure, str] = weakref.WeakKeyDictionary()
_MARKED: weakref.WeakValueDictionary[str, Figure] = weakref.WeakValueDictionary()
_COUNT = count(1)


def note_figure(figure: Figure, label: str) -> str:
    """Note what is said of a figure.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Of `trustkit.plot`.
    label : str
        The sentence that its picture carries now.

    Returns
    -------
    str
        A mark by which `figure_of` finds it, the same for all its pictures.
    """
    _LABELS[figure] = label
    if figure not in _MARKS:
        _MARKS[figure] = mark = str(next(_COUNT))
        _MARKED[mark] = figure
    return _MARKS[figure]


def figure_of(mark: str) -> Figure | None:
    """Find a figure.

    Parameters
    ----------
    mark : str
        As `note_figure` gave it.

    Returns
    -------
    matplotlib.figure.Figure or None
        ``None`` if nobody holds it any more.
    """
    return _MARKED.get(mark)


def note_view(view: Showing) -> None:
    """Note that a view shows pictures of its page.

    Parameters
    ----------
    view : Showing
        A view.
    """
    _VIEWS.setdefault(view.lab, []).append(weakref.ref(view))


def pictures_of(lab: Any) -> dict[str, tuple[Figure, str]]:
    """Return the pictures that a page shows, in sections that have been opened.

    Parameters
    ----------
    lab : Lab
        The page's state.

    Returns
    -------
    dict of str to (Figure, str)
        The figure and what is said of it, by its view's name; several of one view are numbered. Of a picture that is
        drawn once for a wide page and once for a phone, the wide one.
    """
    found: dict[str, tuple[Figure, str]] = {}
    for view in _views(lab):
        view.settle()
        shown: dict[str, Figure] = {}
        for figure, label in sorted(_LABELS.items(), key=lambda each: view.value.find(_written(each[1]))):
            other = shown.get(label)
            if _written(label) in view.value and (other is None or other.get_figwidth() < figure.get_figwidth()):
                shown[label] = figure
        for label, figure in shown.items():
            if figure not in (each for each, _ in found.values()):
                found[_free(view.name, found)] = figure, label
    return found


def _views(lab: Any) -> Iterator[Showing]:
    for reference in _VIEWS.get(lab, []):
        view = reference()
        if view is not None:
            yield view


def _written(label: str) -> str:
    return f'aria-label="{html.escape(label, quote=True)}"'


def _free(name: str, taken: dict[str, Any]) -> str:
    names = (name, *(f"{name}_{k}" for k in range(2, 100)))
    return next(each for each in names if each not in taken)
