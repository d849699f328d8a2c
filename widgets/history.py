"""Where the controls have been: settings to go back to, and forth again; and the slider that is held."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from trustkit.widgets.setting import Setting

__all__ = ["STILL", "Drag", "History", "Place", "running_loop"]

Place = tuple[Setting, str]
"""Where the controls stand, and the name of the profile that scores."""

STILL = 0.15
"""Seconds without a move after which a slider that is held counts as still."""


class Drag:
    """The slider that is held, if one is; ``name`` is empty if none is.

    Parameters
    ----------
    still : callable
        Called on the kernel's loop when a slider that moved has stood still for a moment.
    """

    def __init__(self, still: Callable[[], None]) -> None:
        self.name, self.moving = "", False
        self._still = still
        self._timer: asyncio.TimerHandle | None = None

    def take(self, name: str) -> None:
        """Note that a slider begins to move; where no loop runs, nobody would hear that it stands still.

        Parameters
        ----------
        name : str
            Which; empty for a change that is no drag.
        """
        if self._timer is not None:
            self._timer.cancel()
        self.name, self.moving, self._timer = name, bool(name) and running_loop() is not None, None

    def rest(self) -> None:
        """Note that the page has followed the move: the slider is still if none comes soon."""
        loop = running_loop()
        if self.moving and loop is not None:
            self._timer = loop.call_later(STILL, self._stand)

    def end(self) -> None:
        """Note that the slider was let go: it is still at once."""
        moving = self.moving
        self.take("")
        if moving:
            self._still()

    def _stand(self) -> None:
        self.moving, self._timer = False, None
        self._still()


def running_loop() -> asyncio.AbstractEventLoop | None:
    """Return the loop that runs here.

    Returns
    -------
    asyncio.AbstractEventLoop or None
        ``None`` in a script.
    """
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


class History:
    """Two stacks of places; what is undone can be redone until something else is changed."""

    def __init__(self) -> None:
        self._done: list[Place] = []
        self._undone: list[Place] = []

    def leave(self, place: Place) -> None:
        """Note a place that is left for another one.

        Parameters
        ----------
        place : Place
            The way back.
        """
        self._done.append(place)
        self._undone.clear()

    def back(self, now: Place) -> Place | None:
        """Take the way back.

        Parameters
        ----------
        now : Place
            Where the controls are.

        Returns
        -------
        Place or None
            Where they were; ``None`` at the start.
        """
        return self._turn(self._done, self._undone, now)

    def forth(self, now: Place) -> Place | None:
        """Take the way forth again.

        Parameters
        ----------
        now : Place
            Where the controls are.

        Returns
        -------
        Place or None
            Where they were before going back; ``None`` if nothing was undone.
        """
        return self._turn(self._undone, self._done, now)

    @staticmethod
    def _turn(source: list[Place], other: list[Place], now: Place) -> Place | None:
        if not source:
            return None
        other.append(now)
        return source.pop()
