"""The newest results, by experiment, which are there when the controls come back; and those pinned to be compared."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from trustkit.widgets.player import Outcome, Progress

from trustkit import Experiment, RunRecord
from trustkit.sidebyside import MOST_PINS

__all__ = ["MOST_PINS", "Pins", "Results"]

_KEPT = 32


class Results:
    """Results that are kept; of more than 32 the oldest go first."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Outcome] = OrderedDict()
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._known)

    def keep(self, outcome: Outcome) -> None:
        """Keep a result.

        Parameters
        ----------
        outcome : Outcome
            It replaces an earlier one of the same experiment.
        """
        key = outcome.record.experiment.key
        self._known[key] = outcome
        self._numbers.setdefault(key, len(self._numbers) + 1)
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)

    def of(self, experiment: Experiment) -> Outcome | None:
        """Return the result of an experiment.

        Parameters
        ----------
        experiment : Experiment
            Any.

        Returns
        -------
        Outcome or None
            ``None`` if none is kept.
        """
        return self._known.get(experiment.key)

    def number(self, outcome: Outcome) -> int:
        """Return the how-many-th result of this page it was.

        Parameters
        ----------
        outcome : Outcome
            Kept once, if not now; another one gets the next number.

        Returns
        -------
        int
            From 1; the same for every result of the same experiment.
        """
        return self._numbers.setdefault(outcome.record.experiment.key, len(self._numbers) + 1)

    def newest(self, count: int) -> list[Outcome]:
        """Return the results that were kept last.

        Parameters
        ----------
        count : int
            How many, at most.

        Returns
        -------
        list of Outcome
            The newest first.
        """
        return list(self._known.values())[::-1][:count]

    def played(self, experiment: Experiment, progress: Progress | None) -> RunRecord:
        """Return the rounds to go on from.

        Parameters
        ----------
        experiment : Experiment
            What will be played.
        progress : Progress, optional
            The newest run, whose rounds come before kept ones.

        Returns
        -------
        RunRecord
            Without a round if the run is whole, or nothing is there.
        """
        kept = self.of(experiment)
        record = RunRecord(experiment, [] if kept is None else kept.record)
        if progress is not None and progress.experiment == experiment:
            record = RunRecord(experiment, progress.record)
        return RunRecord(experiment) if record.complete else record


class Pins:
    """Results that are kept to be compared with, in the order in which they were pinned.

    Parameters
    ----------
    tell : callable
        Called when one is pinned or let go, or they are looked at otherwise.

    Attributes
    ----------
    measures : tuple of str or None
        What is compared of them, of `trustkit.sidebyside.MEASURES`, in that order; ``None`` for the usual ones.
    scaled : bool
        Whether it is brought to one scale.
    """

    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell = tell
        self._held: tuple[Outcome, ...] = ()
        self.measures: tuple[str, ...] | None = None
        self.scaled = False

    @property
    def held(self) -> tuple[Outcome, ...]:
        """At most 4 results, the one that was pinned first in front."""
        return self._held

    def hold(self, outcomes: tuple[Outcome, ...]) -> None:
        """Hold these results and no others.

        Parameters
        ----------
        outcomes : tuple of Outcome
            Of more than 4 the last ones are held.
        """
        kept = tuple(dict.fromkeys(outcomes))[-MOST_PINS:]
        if kept != self._held:
            self._held = kept
            self._tell()

    def look(self, measures: tuple[str, ...] | None, scaled: bool) -> None:
        """Look at them in another way.

        Parameters
        ----------
        measures : tuple of str or None
            What is compared; ``None`` for the usual measures.
        scaled : bool
            Whether it is brought to one scale.
        """
        if (measures, scaled) != (self.measures, self.scaled):
            self.measures, self.scaled = measures, scaled
            self._tell()
