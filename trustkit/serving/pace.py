"""When pages are drawn for later visitors: not while others come, since they would take the processor from them."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["CALM", "Pace"]

CALM = 4.0
"""Seconds after the last arrival in which a browser loads its scripts; until then little is drawn in advance."""

_PATIENCE = 30.0
"""Seconds after which a page that is still being sent holds up nothing any more."""

_EVERY = 0.05


class Pace:
    """Lets starts of kernels pass: at once for a visitor who waits for a page, else in calm, and few at a time.

    Parameters
    ----------
    most : int
        How many pages may be drawn at a time for later visitors.
    ready : callable
        Tells whether a page is drawn for the next visitor.
    clock : callable
        Seconds.
    """

    def __init__(self, most: int, ready: Callable[[], bool], clock: Callable[[], float] = time.monotonic) -> None:
        self.most, self._ready, self._clock = most, ready, clock
        self._latest = -math.inf  # nobody has come yet
        self.sending, self.waiting, self.drawing, self.closed = 0, 0, 0, False

    @contextmanager
    def visit(self) -> Iterator[None]:
        """Note a visitor, who takes a page that is drawn or waits for the next one, while their page is sent.

        Yields
        ------
        None
            Until the page is sent.
        """
        served = self._ready()
        self._latest = self._clock()
        self.sending += 1
        self.waiting += not served
        try:
            yield
        finally:
            self.sending -= 1
            self.waiting -= not served
            self._latest = self._clock()

    def free(self) -> bool:
        """Tell whether one more page may be drawn now.

        Returns
        -------
        bool
            As many as visitors wait for; in calm `most`; and one while none is drawn for the next visitor.
        """
        calm = self._clock() - self._latest >= (_PATIENCE if self.sending else CALM)
        return self.drawing < max(self.waiting, self.most if calm else int(not self._ready()))

    async def turn(self) -> None:
        """Wait until a page may be drawn, and count it as being drawn.

        Raises
        ------
        RuntimeError
            If the server closes meanwhile.
        """
        while not self.closed and not self.free():
            await asyncio.sleep(_EVERY)
        if self.closed:
            raise RuntimeError("no kernel is started while the server closes")
        self.drawing += 1
