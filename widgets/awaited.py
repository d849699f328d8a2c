"""Runs that a link compares with and that are not here yet: they are played from their seeds when somebody asks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from trustkit.widgets.history import running_loop
from trustkit.widgets.public import explained

from trustkit import Experiment
from trustkit.sidebyside import MOST_PINS

if TYPE_CHECKING:
    from trustkit.widgets.lab import Lab

__all__ = ["Awaited"]


class Awaited:
    """A baseline and pins that a page has no result of.

    Parameters
    ----------
    lab : Lab
        The page's state; a result that comes there by whatever way is pinned.
    """

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self.baseline: Experiment | None = None
        self.pins: tuple[Experiment, ...] = ()
        self._order: tuple[str, ...] = ()
        self._now: Experiment | None = None  # what is played of them
        self.error: Exception | None = None
        lab.watch(self._hear)

    @property
    def runs(self) -> tuple[Experiment, ...]:
        """What is not here yet, each once, the baseline first."""
        found = [*([] if self.baseline is None else [self.baseline]), *self.pins]
        return tuple({each.key: each for each in found}.values())

    @property
    def busy(self) -> bool:
        """Whether they are being played."""
        return self._now is not None

    def name(self, baseline: Experiment | None, pins: Iterable[Experiment] = ()) -> None:
        """Compare with these runs: now if their results are here, else once they are.

        Parameters
        ----------
        baseline : Experiment, optional
            What differences are taken from.
        pins : iterable of Experiment
            At most 4.
        """
        self.baseline, self.pins = baseline, tuple(pins)[-MOST_PINS:]
        self._order = tuple(each.key for each in self.pins)
        self._settle()

    def leave_baseline(self) -> None:
        """Take differences no longer from a baseline that is not here."""
        self.baseline = None
        self._lab.hearing.tell("pins")

    def drop_pins(self, keys: Iterable[str]) -> None:
        """Compare no longer with pins that are not here.

        Parameters
        ----------
        keys : iterable of str
            Of their experiments.
        """
        gone = set(keys)
        if gone:
            self.pins = tuple(each for each in self.pins if each.key not in gone)
            self._lab.hearing.tell("pins")

    def play(self) -> None:
        """Play them one after the other, and then what the controls ask for if that is not here either."""
        lab, own = self._lab, self._lab.experiment
        left = [*self.runs, *([] if own is None or self._whole(own) else [own])]
        self._now = left[0] if left else None
        if self._now is not None:
            lab.run(experiment=self._now)
        if self._now is not None and (lab.progress is None or lab.progress.experiment != self._now):
            self._now = None  # it may not be played here: the page has a card about it
            lab.hearing.tell("pins")

    def _whole(self, experiment: Experiment) -> bool:
        found = self._lab.results.of(experiment)
        return found is not None and found.record.complete

    def _hear(self, what: str) -> None:
        if what == "baseline" and self.baseline is not None and self._lab.baseline is not None:
            self.leave_baseline()  # somebody has pinned another one
        if what != "outcome":
            return
        played, progress = self._now, self._lab.progress
        self._now, self.error = None, None
        if progress is not None and progress.experiment == played != self._lab.experiment:
            self.error = explained(progress.error)  # of the controls' own run the page tells
        self._settle()
        if played is None or progress is None or progress.experiment != played or not self._whole(played):
            return  # stopped, failed, or something else was wished for
        loop = running_loop()
        if loop is None:
            self.play()
        else:
            loop.call_soon(self.play)  # what follows the last run ends first

    def _settle(self) -> None:
        """Pin what is here by now."""
        lab = self._lab
        if self.baseline is not None and self._whole(self.baseline):
            found, self.baseline = lab.results.of(self.baseline), None
            if lab.baseline is not found:
                lab.pin(found)
        here = [each for each in self.pins if self._whole(each)]
        if here:
            self.pins = tuple(each for each in self.pins if each not in here)
            outcomes = [*lab.pins.held, *(found for each in here if (found := lab.results.of(each)) is not None)]
            lab.pins.hold(tuple(sorted(outcomes, key=lambda each: self._place(each.record.experiment.key))))

    def _place(self, key: str) -> int:
        """Pins stand as in the link; others after them."""
        return self._order.index(key) if key in self._order else len(self._order)
