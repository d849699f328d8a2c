"""What the vertical panel compares: algorithms over columns on one split or a series of splits, and attacks on them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from trustkit.widgets.history import running_loop
from trustkit.widgets.lab import Lab
from trustkit.widgets.playing import Playing, Wanted

from trustkit import Experiment, RunRecord
from trustkit.catalogue import ALGORITHMS
from trustkit.comparison import Crossing, crossed
from trustkit.comparison.crossing import Place
from trustkit.exposure import Exposure, Tradeoff, exposure_of, trial_of
from trustkit.exposure.tradeoff import Trial
from trustkit.records import Stopped
from trustkit.rounds import build

__all__ = ["MOST_RUNS", "SYMBOLS", "Crossed"]

MOST_RUNS = 30
"""So many results are kept beside others."""

SYMBOLS = {"": "", "alpha": "α", "beta": "β"}
"""By what of a split is varied."""


class Crossed:
    """The experiments under the controls and a choice of algorithms and splits, and what they gave.

    Parameters
    ----------
    lab : Lab
        Whose experiment it is.
    told : callable
        Called when playing begins, goes on, or ends, and when more is known.
    """

    def __init__(self, lab: Lab, told: Callable[[], None] = lambda: None) -> None:
        self.lab, self._told = lab, told
        self.names: tuple[str, ...] = ("splitnn", "gal", "fedtree", "solo", "pooled")
        self.along: Any = ""
        self.at: float | None = None
        self.attacks = False
        self.attacked: Place | None = None  # whose messages are being listened to
        self.exposures: dict[tuple[str, int], Exposure | Exception] = {}
        self.playing = Playing(lab, self.wanted, told, self._attack, "vertical")
        self._halted = False
        self._known: dict[str, Mapping[str, Any]] = {}
        self._asked: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    def wanted(self) -> dict[Any, Experiment]:
        """Return what the menus ask for.

        Returns
        -------
        dict of (str, float or None) to Experiment
            As `trustkit.comparison.crossed`; empty across rows, without an algorithm, or if it were too many.
        """
        experiment = self.lab.experiment
        if experiment is None or self.lab.setting.across_rows or self.lab.searching or not self.names:
            return {}
        found = crossed(experiment, self.names, self.along)
        return found if len(found) <= MOST_RUNS else {}

    def crossing(self) -> Crossing | None:
        """Return what is there of it.

        Returns
        -------
        Crossing or None
            With the rounds played so far; what cannot be played is in it with the reason. ``None`` if nothing is
            wanted.
        """
        wanted = self.wanted()
        if not wanted:
            return None
        errors = self.playing.errors
        refused = {place: str(errors[each.key]) for place, each in wanted.items() if each.key in errors}
        records = {place: self.playing.record(each) for place, each in wanted.items()}
        return Crossing(wanted, records, refused, self.along)

    def shown_at(self, found: Crossing) -> float | None:
        """Return the value of the split whose curves are shown.

        Parameters
        ----------
        found : Crossing
            What is wanted.

        Returns
        -------
        float or None
            The chosen one if it is among those wanted, else the first.
        """
        return self.at if self.at in found.values else found.values[0]

    def start(self) -> None:
        """Play what is not there yet, then attack it if that is asked for."""
        self._halted = False
        self.playing.start()

    def stop(self) -> None:
        """Stop the run, or the attack, that is going on; what was finished is kept."""
        self._halted = True
        self.playing.stop()

    def exposure(self, record: RunRecord) -> Exposure | Exception | None:
        """Return what attacks on a run found.

        Parameters
        ----------
        record : RunRecord
            One of those wanted.

        Returns
        -------
        Exposure or Exception or None
            ``None`` as long as it was not attacked; an error if that failed.
        """
        return self.exposures.get((record.experiment.key, len(record)))

    def tradeoff(self, found: Crossing) -> Tradeoff | None:
        """Put privacy, quality and bytes of the attacked runs of the shown split side by side.

        Parameters
        ----------
        found : Crossing
            What is wanted.

        Returns
        -------
        Tradeoff or None
            ``None`` as long as nothing was attacked.
        """
        trials: dict[str, tuple[Trial, ...]] = {}
        for title, record in found.titled(self.shown_at(found)).items():
            attacked = self.exposure(record)
            if isinstance(attacked, Exposure):
                trials[title] = (trial_of(record, attacked),)
        seed = next(iter(found.experiments.values())).seed
        return Tradeoff((seed,), trials, found.measure == "RMSE") if trials else None

    def facts(self, experiment: Experiment) -> Mapping[str, Any]:
        """Return what an algorithm says of itself, once it is known: estimates, simulation, encryption.

        Parameters
        ----------
        experiment : Experiment
            One of those wanted.

        Returns
        -------
        mapping
            Empty while it is being looked up beside the page.
        """
        key = experiment.key
        if key not in self._known and key not in self._asked:
            self._asked.add(key)
            loop = running_loop()
            if loop is None:
                self._learn(experiment)
            else:
                task = loop.create_task(self._look(experiment))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
        return self._known.get(key, {})

    def lengthy(self, found: Crossing) -> dict[str, float]:
        """Return the runs that are still to be played and say beforehand that they take long.

        Parameters
        ----------
        found : Crossing
            What is wanted.

        Returns
        -------
        dict of str to float
            Seconds by the algorithm's title, of all its runs together; those that make no estimate are not in it.
        """
        long: dict[str, float] = {}
        for (name, _), experiment in found.experiments.items():
            left = experiment.rounds - len(self.playing.record(experiment))
            if left and "key_bits" in {parameter.name for parameter in ALGORITHMS[name].parameters}:
                seconds = self.facts(experiment).get("estimated_seconds_a_round", 0.0) * left
                long[ALGORITHMS[name].title] = long.get(ALGORITHMS[name].title, 0.0) + seconds
        return {title: seconds for title, seconds in long.items() if seconds}

    def _learn(self, experiment: Experiment) -> None:
        try:
            self._known[experiment.key] = dict(build(experiment).trainer.facts)
        except Exception:  # playing it will say what is wrong
            self._known[experiment.key] = {}

    async def _look(self, experiment: Experiment) -> None:
        await asyncio.to_thread(self._learn, experiment)
        self._told()

    def _attack(self, asked: Wanted) -> None:
        """Attack the runs that are whole; it runs in a thread."""
        if not self.attacks:
            return

        def progress(words: str, done: float) -> None:
            if self._halted:
                raise Stopped

        for place, experiment in asked.items():
            record = self.playing.record(experiment)
            if self._halted or not record.complete or self.exposure(record) is not None:
                continue
            self.attacked = place
            try:
                self.exposures[experiment.key, len(record)] = exposure_of(record, progress=progress)
            except Stopped:
                break
            except Exception as error:  # the panel says so
                self.exposures[experiment.key, len(record)] = error
        self.attacked = None
