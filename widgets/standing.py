"""Where a column split stands on VertiBench's two axes: measured beside the page; the newest wish wins."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from trustkit import Experiment
from trustkit.plane import random_points
from trustkit.plot import PlanePoint
from trustkit.records import Stopped
from trustkit.rounds import data_of, partition_of
from trustkit.split import BetaEstimate, column_importance, estimate_beta

__all__ = ["Standing", "Standings"]

_KEPT = 64


@dataclass(frozen=True, eq=False)
class Standing:
    """What is known of a split so far; ``None`` is still being measured, ``error`` says why it never will be.

    Parameters
    ----------
    importance : (m,) float array, optional
        Of the columns.
    beta : BetaEstimate, optional
        Where Icor lies between its bounds.
    points : tuple of PlanePoint, optional
        Random splits of the same columns among as many parties.
    error : Exception, optional
        What went wrong.
    """

    importance: np.ndarray | None = None
    beta: BetaEstimate | None = None
    points: tuple[PlanePoint, ...] | None = None
    error: Exception | None = field(default=None, repr=False)

    @property
    def whole(self) -> bool:
        """Whether nothing is left to measure."""
        return self.error is not None or None not in (self.beta, self.points)


class Standings:
    """One worker thread that measures splits; it touches no widget.

    Parameters
    ----------
    tell : callable
        Called on the kernel's loop when more is known.
    """

    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell = tell
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="trustkit-standing")
        self._known: OrderedDict[Hashable, Standing] = OrderedDict()
        self._importance: OrderedDict[Hashable, np.ndarray] = OrderedDict()
        self._points: OrderedDict[Hashable, tuple[PlanePoint, ...]] = OrderedDict()
        self._newest: Hashable = None
        self._asked = 0
        self._tasks: set[asyncio.Task[None]] = set()

    def of(self, experiment: Experiment) -> Standing:
        """Return what is known of a split, and measure the rest.

        Parameters
        ----------
        experiment : Experiment
            Across columns; its split has been found.

        Returns
        -------
        Standing
            Whole where no loop is running, as in a script. What does not depend on the division (the importance of the
            columns, random splits) stays known while a slider moves.
        """
        key = (experiment.data, experiment.split, experiment.seed)
        known = self._known.get(key) or self._shared(experiment)
        if known.whole or self._newest == key:
            return known
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self._newest = key
            self._measure(experiment, key, lambda: None)
            self._newest = None
            return self._known[key]
        self._newest, self._asked = key, self._asked + 1
        task = loop.create_task(self._look(loop, experiment, key, self._asked))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return known

    def _shared(self, experiment: Experiment) -> Standing:
        """What other divisions of the same columns have shown already."""
        return Standing(self._importance.get(experiment.data), None, self._points.get(_others(experiment)))

    async def _look(self, loop: asyncio.AbstractEventLoop, experiment: Experiment, key: Hashable, asked: int) -> None:
        def told() -> None:
            loop.call_soon_threadsafe(self._tell)

        await loop.run_in_executor(self._pool, self._measure, experiment, key, told)
        if self._asked == asked:  # the same split may have been left and asked for again meanwhile
            self._newest = None

    def _measure(self, experiment: Experiment, key: Hashable, told: Callable[[], None]) -> None:
        def progress(_: str, __: float) -> None:
            if self._newest != key:
                raise Stopped

        def keep(standing: Standing) -> Standing:
            _remember(self._known, key, standing)
            told()
            return standing

        standing = self._shared(experiment)
        try:
            progress("", 0.0)
            data, partition = data_of(experiment), partition_of(experiment)
            standing = keep(replace(standing, importance=column_importance(data)))
            _remember(self._importance, experiment.data, standing.importance)
            progress("", 0.0)
            definition = partition.achieved.get("definition", "paper")
            beta = estimate_beta(data, partition, definition, experiment.seed, progress)
            standing = keep(replace(standing, beta=beta))
            if standing.points is None:
                points = random_points(data, partition.parties, 8, definition, experiment.seed, progress)
                _remember(self._points, _others(experiment), points)
                keep(replace(standing, points=points))
        except Stopped:
            self._known.pop(key, None)
        except Exception as error:  # the panel says so
            keep(replace(standing, error=error))


def _others(experiment: Experiment) -> Hashable:
    """What random splits beside this one depend on."""
    partition = partition_of(experiment)
    return experiment.data, partition.parties, partition.achieved.get("definition", "paper"), experiment.seed


def _remember(known: OrderedDict[Hashable, Any], key: Hashable, value: Any) -> None:
    known[key] = value
    while len(known) > _KEPT:
        known.popitem(last=False)
