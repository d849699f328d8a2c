"""Several experiments played one after the other through the page's lab: its results, its worker, its Stop.

What is compared, attacks or strategies, is said by the panel: here it is only played, stopped, and gone on with.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from trustkit.widgets.history import running_loop
from trustkit.widgets.lab import Lab

from trustkit import Experiment, RunRecord

__all__ = ["Playing", "Wanted"]

_BEAT = 0.05

Wanted = Mapping[Any, Experiment]
"""Experiments by label."""


class Playing:
    """Plays what is wanted and not there yet.

    Parameters
    ----------
    lab : Lab
        What plays.
    wanted : callable
        Returns experiments by label; when that changes, what is going on ends and the rest is left out.
    told : callable
        Called when playing begins, goes on to the next experiment, or ends.
    after : callable
        Given what was asked for once all is played, in a thread; what it measures is there when playing ends.
    where : str
        What fails if one of these does: the text ``view.`` and this is its name.
    """

    def __init__(
        self,
        lab: Lab,
        wanted: Callable[[], Wanted],
        told: Callable[[], None],
        after: Callable[[Wanted], None],
        where: str,
    ) -> None:
        self.lab, self.wanted, self._told, self._after, self._where = lab, wanted, told, after, where
        self.errors: dict[str, Exception] = {}
        self.now: Experiment | None = None  # what is being played; none while it is measured, or nothing goes on
        self.busy = False
        self._halted = False
        self._task: asyncio.Task[None] | None = None

    def record(self, experiment: Experiment) -> RunRecord:
        """Return the rounds of an experiment that the page knows.

        Parameters
        ----------
        experiment : Experiment
            Any.

        Returns
        -------
        RunRecord
            Of the run that is going on, else of the kept result; possibly without a round.
        """
        progress, kept = self.lab.progress, self.lab.results.of(experiment)
        if progress is not None and progress.experiment == experiment and (self.lab.player.busy or kept is None):
            return RunRecord(experiment, list(progress.record))
        return RunRecord(experiment) if kept is None else kept.record

    def start(self, wait: bool = False) -> None:
        """Play; what fails is kept in ``errors`` by the experiment's key, and the next is played.

        Parameters
        ----------
        wait : bool
            Whether to come back only when all is over.
        """
        asked = self.wanted()
        if not asked or self.busy:
            return
        self.busy, self._halted = True, False
        for experiment in asked.values():
            self.errors.pop(experiment.key, None)
        loop = None if wait else running_loop()
        if loop is not None:
            self._task = loop.create_task(self._go(asked))
            return
        with self._ending():
            for experiment in self._left(asked):
                self.lab.run(wait=True, experiment=experiment)
            self._over()
            self._after(asked)

    def stop(self) -> None:
        """Stop the run that is going on, and leave out the rest; what was played is kept."""
        self._halted = True
        if self.busy:
            self.lab.stop()

    async def _go(self, asked: Wanted) -> None:
        with self.lab.hearing.guard.over(self._where, self.start, self), self._ending():
            for experiment in self._left(asked):
                self.lab.run(experiment=experiment)
                while self.lab.state in ("running", "stopping") and self._plays(experiment):
                    await asyncio.sleep(_BEAT)
            self._over()
            await asyncio.to_thread(self._after, asked)

    def _plays(self, experiment: Experiment) -> bool:
        """Whether nobody has asked the page for another run meanwhile."""
        return self.lab.progress is not None and self.lab.progress.experiment == experiment

    def _left(self, asked: Wanted) -> Iterator[Experiment]:
        """What is still to be played; whoever takes one plays it before asking for the next."""
        for experiment in dict.fromkeys(asked.values()):
            if self._halted or self.wanted() != asked:
                return
            if self.record(experiment).complete:
                continue
            self.now = experiment
            self._told()
            yield experiment
            progress = self.lab.progress
            if progress is None or not self._plays(experiment) or progress.phase == "stopped":
                self._halted = True
            elif progress.error is not None:
                self.errors[experiment.key] = progress.error

    def _over(self) -> None:
        self.now = None
        self._told()

    @contextmanager
    def _ending(self) -> Iterator[None]:
        """Whatever goes wrong inside, nothing is being played after it, and the panel's buttons are free again."""
        try:
            yield
        finally:
            self.now, self.busy = None, False
            self._told()
