"""Where the controls have been: settings to go back to, and forth again; and the slider that is held."""

from __future__ import annotations

import asyncio
import math
import time

from trustkit.widgets.setting import Setting

__all__ = ["STILL", "Drag", "History"]

STILL = 0.15
"""Seconds without a move after which a slider that is held counts as still."""


class Drag:
    """The slider that is held, if one is; ``name`` is empty if none is."""

    def __init__(self) -> None:
        self.name = ""
        self._at = -math.inf

    def take(self, name: str) -> None:
        """Note that a slider moves.

        Parameters
        ----------
        name : str
            Which; empty for a change that is no drag.
        """
        self.name, self._at = name, time.monotonic()

    @property
    def moving(self) -> bool:
        """Whether it moved just now, on a page that will hear when it stands still."""
        if not self.name or time.monotonic() - self._at > STILL:
            return False
        try:
            return asyncio.get_running_loop().is_running()
        except RuntimeError:
            return False


class History:
    """Two stacks of settings; what is undone can be redone until something else is changed."""

    def __init__(self) -> None:
        self._done: list[Setting] = []
        self._undone: list[Setting] = []

    def leave(self, setting: Setting) -> None:
        """Note a setting that is left for another one.

        Parameters
        ----------
        setting : Setting
            The way back.
        """
        self._done.append(setting)
        self._undone.clear()

    def back(self, now: Setting) -> Setting | None:
        """Take the way back.

        Parameters
        ----------
        now : Setting
            Where the controls are.

        Returns
        -------
        Setting or None
            Where they were; ``None`` at the start.
        """
        return self._turn(self._done, self._undone, now)

    def forth(self, now: Setting) -> Setting | None:
        """Take the way forth again.

        Parameters
        ----------
        now : Setting
            Where the controls are.

        Returns
        -------
        Setting or None
            Where they were before going back; ``None`` if nothing was undone.
        """
        return self._turn(self._undone, self._done, now)

    @staticmethod
    def _turn(source: list[Setting], other: list[Setting], now: Setting) -> Setting | None:
        if not source:
            return None
        other.append(now)
        return source.pop()
