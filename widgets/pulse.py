"""Following a run: the page is told of new rounds ten times a second, or waits where no loop runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from trustkit.widgets.history import running_loop
from trustkit.widgets.player import Player

__all__ = ["Pulse"]

_BEAT = 0.1


class Pulse:
    """One task on the kernel's loop while anything is played.

    Parameters
    ----------
    player : Player
        What plays.
    tell : callable
        Called when there is something new.
    finish : callable
        Called once it is over.
    """

    def __init__(self, player: Player, tell: Callable[[], None], finish: Callable[[], None]) -> None:
        self._player, self._tell, self._finish = player, tell, finish
        self._task: asyncio.Task[None] | None = None

    def follow(self, wait: bool = False) -> None:
        """Follow what the player has just begun.

        Parameters
        ----------
        wait : bool
            Whether to come back only when it is over, as where no loop runs.
        """
        loop = None if wait else running_loop()
        if loop is None:
            self._player.wait()
            self._finish()
        elif self._task is None or self._task.done():
            self._task = loop.create_task(self._beat())

    async def _beat(self) -> None:
        drawn = -1
        while self._player.busy and self._player.progress is not None:
            progress = self._player.progress
            if len(progress.record) != drawn or progress.phase != "running":
                drawn = len(progress.record)
                self._tell()
            await asyncio.sleep(_BEAT)
        self._finish()
