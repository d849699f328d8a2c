"""Looking for a split: at once where that is quick, in the background where a table is wide; the newest wish wins."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from trustkit import Experiment
from trustkit.rounds import data_of, partition_of

__all__ = ["Search"]

WIDE = 40
"""Columns above which the search for a correlation takes longer than a slider may wait."""


class Search:
    """One worker thread that looks for splits; it touches no widget."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="trustkit-split")
        self._newest: Experiment | None = None
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
        slow = "beta" in experiment.split.args and data_of(experiment).X.shape[1] > WIDE
        behind = bool(self._tasks)  # an older search goes on in the worker, and partitions are made one at a time
        if loop is None or not (slow or behind):
            partition_of(experiment)
            return
        self._newest = experiment
        task = loop.create_task(self._look(loop, experiment, found))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _look(
        self,
        loop: asyncio.AbstractEventLoop,
        experiment: Experiment,
        found: Callable[[Experiment, Exception | None], None],
    ) -> None:
        error: Exception | None = None
        try:
            await loop.run_in_executor(self._pool, self._unless_old, experiment)
        except Exception as raised:  # it is shown in a card
            error = raised
        if self._newest == experiment:
            self._newest = None
            found(experiment, error)

    def _unless_old(self, experiment: Experiment) -> None:
        if self._newest == experiment:
            partition_of(experiment)
