"""The newest results, by experiment: what the page has trained once is there when the controls come back to it."""

from __future__ import annotations

from collections import OrderedDict

from trustkit.widgets.player import Outcome, Progress

from trustkit import Experiment, RunRecord

__all__ = ["Results"]

_KEPT = 32


class Results:
    """Results that are kept; of more than 32 the oldest go first."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Outcome] = OrderedDict()

    def __len__(self) -> int:
        return len(self._known)

    def keep(self, outcome: Outcome) -> None:
        """Keep a result.

        Parameters
        ----------
        outcome : Outcome
            It replaces an earlier one of the same experiment.
        """
        self._known[outcome.record.experiment.key] = outcome
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
