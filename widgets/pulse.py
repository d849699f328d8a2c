"""Following a run: the page is told of new rounds as often as that leaves it its time, or waits where no loop runs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from trustkit.widgets.hearing import Hearing
from trustkit.widgets.history import running_loop
from trustkit.widgets.player import Player

__all__ = ["Pulse"]

_BEAT = 0.1
"""Seconds between two looks at the run, each of which what says how far it is is told."""

_REST = 5
"""How many times as long as a picture took the loop is left to the visitor after it: it draws a sixth of the time."""

_LEAST = 0.004
"""Seconds of drawing after which it rests."""

_SOON = 0.4
"""Seconds that a first round is waited for, so that no picture is drawn without it just before it comes."""


class Pulse:
    """One task on the kernel's loop while anything is played.

    Parameters
    ----------
    player : Player
        What plays.
    hearing : Hearing
        Told "beat" ten times a second, and "progress" when there is something new, with rests in between.
    finish : callable
        Called once it is over.
    """

    def __init__(self, player: Player, hearing: Hearing, finish: Callable[[], None]) -> None:
        self._player, self._hearing, self._finish = player, hearing, finish
        self._task: asyncio.Task[None] | None = None
        self._noted: tuple[Any, ...] = ()
        self._beaten = 0.0

    def note(self) -> None:
        """Note how far the run is, since the page is about to be told so."""
        self._noted = self._stands()

    def follow(self, wait: bool = False) -> None:
        """Follow what the player has just begun.

        Parameters
        ----------
        wait : bool
            Whether to come back only when it is over, as where no loop runs.
        """
        self._noted, loop = (), None if wait else running_loop()
        if loop is None:
            self._hearing.tell("progress")
            self._player.wait()
            self._finish()
        elif self._task is None or self._task.done():
            self._task = loop.create_task(self._beat())

    def _stands(self) -> tuple[Any, ...]:
        """How far the run is: what pictures of it depend on."""
        progress = self._player.progress
        return () if progress is None else (progress, len(progress.record), progress.phase, progress.halted)

    async def _beat(self) -> None:
        end, progress = time.perf_counter() + _SOON, self._player.progress
        while progress is not None and not len(progress.record) and time.perf_counter() < end and self._player.busy:
            await asyncio.sleep(_BEAT / 5)
        while self._player.busy:
            if self._stands() == self._noted:
                await self._pause(_BEAT)
                continue
            self.note()
            self._say()  # at once: the first picture takes some tenths of a second
            began, spent, turns = time.perf_counter(), 0.0, self._hearing.in_turn("progress")
            more = True
            while more and self._player.busy:
                before, at = time.thread_time(), time.perf_counter()
                more = next(turns, turns) is None
                spent += time.thread_time() - before
                if spent >= _LEAST:
                    waited = time.perf_counter() - at - spent  # others worked meanwhile
                    await self._pause(max(_REST * spent - max(waited, 0.0), spent))
                    spent = 0.0
            await self._pause(began + _BEAT - time.perf_counter())
        self._finish()

    async def _pause(self, seconds: float) -> None:
        """Leave the loop to others, and say on every beat how far the run is."""
        end = time.perf_counter() + seconds
        while self._player.busy and (left := end - time.perf_counter()) > 0:
            await asyncio.sleep(min(left, _BEAT))
            if time.perf_counter() - self._beaten >= _BEAT:
                self._say()

    def _say(self) -> None:
        self._beaten = time.perf_counter()
        self._hearing.tell("beat")
