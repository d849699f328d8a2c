"""Slow motion: rounds that come no faster than eyes can follow; the numbers are the same."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["SLOW", "Paced"]

SLOW = 0.15
"""Seconds that a round takes at least in slow motion: 20 rounds are 3 seconds."""

_NAP = 0.02
"""Seconds after which a pause looks whether the run is to stop."""


class Paced:
    """What plays rounds, with a pause after each of them if that is wanted.

    Parameters
    ----------
    work : callable
        Plays rounds, as `trustkit.play` does.
    """

    def __init__(self, work: Callable[..., Any]) -> None:
        self.work, self.slow = work, False

    def __call__(self, experiment: Any, after: Any, tick: Callable[[], None]) -> Iterator[Any]:
        """Play.

        Parameters
        ----------
        experiment : Experiment
            What to play.
        after : Round, optional
            Where to go on.
        tick : callable
            Raises if the run is to stop.

        Yields
        ------
        Round
            As soon as it is over; the pause comes before the next one.
        """
        begun = time.monotonic()
        for played in self.work(experiment, after, tick):
            yield played
            while self.slow and time.monotonic() < begun + SLOW:
                tick()
                time.sleep(_NAP)
            begun = time.monotonic()
