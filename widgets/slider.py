"""A slider over a list of stops: a native range input that keyboards and screen readers know how to use."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anywidget
import traitlets

__all__ = ["Slider"]


class Slider(anywidget.AnyWidget):  # type: ignore[misc]
    """Pick one of a list of values.

    ``index`` follows the thumb while it moves; ``released`` counts the times it was let go. What the stops are, and how
    they read, comes from outside, so a logarithmic slider is only another list.

    Parameters
    ----------
    stops : sequence
        The values.
    texts : sequence of str
        How each reads.
    value : object
        The one to stand on, or the nearest.
    **traits
        symbol, label, hint, about (text: the hint's formula and source), marks (texts of the stops that get a tick) and
        enabled (bool).
    """

    _esm = Path(__file__).with_name("slider.js")
    symbol = traitlets.Unicode().tag(sync=True)
    label = traitlets.Unicode().tag(sync=True)
    hint = traitlets.Unicode().tag(sync=True)
    about = traitlets.Unicode().tag(sync=True)
    texts = traitlets.List(traitlets.Unicode()).tag(sync=True)
    marks = traitlets.List(traitlets.Unicode()).tag(sync=True)
    index = traitlets.Int(0).tag(sync=True)
    released = traitlets.Int(0).tag(sync=True)
    enabled = traitlets.Bool(True).tag(sync=True)

    def __init__(self, stops: Sequence[Any], texts: Sequence[str], value: Any, **traits: Any) -> None:
        self.stops = tuple(stops)
        super().__init__(texts=list(texts), index=self._nearest(value), **traits)

    def _nearest(self, value: Any) -> int:
        if value in self.stops:
            return self.stops.index(value)
        return min(range(len(self.stops)), key=lambda i: abs(self.stops[i] - value))

    @property
    def value(self) -> Any:
        """The stop under the thumb."""
        return self.stops[max(0, min(self.index, len(self.stops) - 1))]

    @value.setter
    def value(self, value: Any) -> None:
        self.index = self._nearest(value)

    def offer(self, stops: Sequence[Any], texts: Sequence[str], value: Any) -> None:
        """Change what can be picked.

        Parameters
        ----------
        stops : sequence
            The values.
        texts : sequence of str
            How each reads.
        value : object
            The one to stand on.
        """
        if tuple(stops) != self.stops:
            self.stops = tuple(stops)
            with self.hold_sync():
                self.texts = list(texts)
                self.index = self._nearest(value)
        else:
            self.value = value
