"""Looking for a split: at once where that is quick, in the background where a table is wide; the newest wish wins."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from trustkit import Experiment
from trustkit.records import Stopped
from trustkit.rounds import data_of, partition_of

__all__ = ["Search"]

WIDE = 40
"""Columns above which the first search for a correlation takes longer than a slider may wait."""

_BEAT = 0.25
"""Seconds between two words on how far a search is."""


class Search:
    """One worker thread that looks for splits; it touches no widget.

    Parameters
    ----------
    tell : callable
        Called on the kernel's loop now and then while a search goes on.
    """

    def __init__(self, tell: Callable[[], None] = lambda: None) -> None:
        self.words = ""
        self._tell = tell
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="trustkit-split")
        self._newest: Experiment | None = None
        self._found: set[tuple[object, ...]] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def busy(self) -> bool:
        """Whether somebody waits for a split."""
        return self._newest is not None

    def ask(self, experiment: Experiment, found: Callable[[Experiment, Exception | None], None]) -> None:
        """Look for the split of an experiment; a quick one is there when this returns.

        Parameters
        ----------
        experiment : Experiment
            Whose split is wanted.
        found : callable
            Told the experiment and what went wrong, on the kernel's loop, once a slow search is over.

        Raises
        ------
        KeyError, TypeError, ValueError
            If a quick one is not possible.
        """
        self._newest = None
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            loop = None
        behind = bool(self._tasks)  # an older search goes on in the worker, and partitions are made one at a time
        if loop is None or not (self._slow(experiment) or behind):
            partition_of(experiment)
            return
        self._newest, self.words = experiment, ""
        task = loop.create_task(self._look(loop, experiment, found))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _slow(self, experiment: Experiment) -> bool:
        """Whether the range of Icor has to be searched first, in a table where that takes a while."""
        args = experiment.split.args
        if "beta" not in args:
            return False
        columns = int(data_of(experiment).X.shape[1])
        return columns > 64 or "alpha" in args or (columns > WIDE and _range(experiment) not in self._found)

    async def _look(
        self,
        loop: asyncio.AbstractEventLoop,
        experiment: Experiment,
        found: Callable[[Experiment, Exception | None], None],
    ) -> None:
        error: Exception | None = None
        try:
            await loop.run_in_executor(self._pool, self._unless_old, experiment, loop)
        except Stopped:
            return
        except Exception as raised:  # it is shown in a card
            error = raised
        if error is None:
            self._found.add(_range(experiment))
        if self._newest == experiment:
            self._newest = None
            found(experiment, error)

    def _unless_old(self, experiment: Experiment, loop: asyncio.AbstractEventLoop) -> None:
        last = time.monotonic()

        def progress(stage: str, done: float) -> None:
            nonlocal last
            if self._newest != experiment:
                raise Stopped
            if time.monotonic() - last > _BEAT:
                last, self.words = time.monotonic(), f"{stage}, {done:.0%}"
                loop.call_soon_threadsafe(self._tell)

        progress("", 0.0)
        partition_of(experiment, progress)


def _range(experiment: Experiment) -> tuple[object, ...]:
    """What the range of Icor depends on: everything but β."""
    split = {name: value for name, value in experiment.split.args.items() if name != "beta"}
    return experiment.data, experiment.split.name, *split.items(), experiment.seed
