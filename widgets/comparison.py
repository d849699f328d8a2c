"""One experiment three times: without its attack, with it, and with it under a defence; played one after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping

import numpy as np
from trustkit.widgets.history import running_loop
from trustkit.widgets.lab import Lab

from trustkit import Experiment, RunRecord, build, metrics, use
from trustkit.catalogue import ALGORITHMS
from trustkit.horizontal.adversary import attackers
from trustkit.rounds import partition_of

__all__ = ["DEFENCES", "Comparison", "attackers_of", "backdoor_success", "twins"]

DEFENCES: Mapping[str, str] = {
    "fedmedian": "medians",
    "trimmed_mean": "without extremes",
    "krum": "the nearest model",
    "multi_krum": "the nearest models",
    "bulyan": "Krum, then medians",
    "afa": "without odd directions",
    "rfout_1d": "without outliers",
}
"""Rules that withstand attackers, with what they merge of the clients' models."""

_SHARED = ("lr", "epochs", "batch", "selector")
"""Arguments of the training that a defence takes over."""

_BEAT, _ROWS = 0.05, 1000


def twins(experiment: Experiment, defence: str) -> dict[str, Experiment]:
    """Return an attacked experiment with its clean twin and its defended one.

    Parameters
    ----------
    experiment : Experiment
        With an attack.
    defence : str
        An algorithm across rows. A rule that has to be told the share of attackers is told what the attack has, up to
        the most that it takes.

    Returns
    -------
    dict of str to Experiment
        By "clean", "attacked" and "defended"; without the last if the experiment trains by that rule already.
    """
    trio = {"clean": experiment.change(attack=None), "attacked": experiment}
    if defence != experiment.algorithm.name:
        takes = {parameter.name: parameter for parameter in ALGORITHMS[defence].parameters}
        given = {name: value for name, value in experiment.algorithm.args.items() if name in _SHARED and name in takes}
        asked = experiment.attack.args.get("share") if experiment.attack else None
        if defence in DEFENCES and asked is not None and "share" in takes:
            interval = takes["share"].interval
            given["share"] = asked if interval is None else min(asked, interval.high)
        trio["defended"] = experiment.change(algorithm=use(defence, **given))
    return trio


def attackers_of(experiment: Experiment) -> np.ndarray | None:
    """Return who attacks in an experiment, without building it.

    Parameters
    ----------
    experiment : Experiment
        Any.

    Returns
    -------
    (a,) int array or None
        ``None`` if there is no attack, or one that has no share.
    """
    share = experiment.attack.args.get("share") if experiment.attack else None
    return None if share is None else attackers(partition_of(experiment).parties, share, experiment.seed)


def backdoor_success(record: RunRecord, attacked: Experiment) -> float | None:
    """Measure how often an attack's pattern leads a run's model to its class.

    Parameters
    ----------
    record : RunRecord
        Any run on the same data, with the state of its last round.
    attacked : Experiment
        Says the attack.

    Returns
    -------
    float or None
        In [0, 1]: the share of held-out rows of other classes, 1,000 evenly spread ones at most; ``None`` if the attack
        has no pattern, NaN if no row is of another class.
    """
    attack, built = build(attacked).attack, build(record.experiment)
    if attack is None or attack.trigger is None or record.last.state is None:
        return None
    test = built.fed.stacked("test")
    rows = slice(None, None, max(1, len(test.y) // _ROWS))
    with np.errstate(over="ignore", invalid="ignore"):
        scores = built.trainer.logits(record.last.state, attack.trigger.stamp(np.asarray(test.X[rows])))
    return metrics.backdoor_success_rate(scores.argmax(axis=1), test.y[rows], attack.trigger.target)


class Comparison:
    """Plays what the lab's controls and a defence ask for, through the lab: its results, its worker, its Stop.

    Parameters
    ----------
    lab : Lab
        Whose experiment it is.
    told : callable
        Called when a comparison begins, goes on, or ends.
    """

    def __init__(self, lab: Lab, told: Callable[[], None] = lambda: None) -> None:
        self.lab, self.defence, self._told = lab, "fedmedian", told
        self.errors: dict[str, Exception] = {}
        self._asked: dict[str, Experiment] = {}
        self._now = ""
        self._halted = False
        self._successes: dict[tuple[str, str, int], float | None] = {}
        self._task: asyncio.Task[None] | None = None

    @property
    def now(self) -> str:
        """Which of the three is being played; empty if none is."""
        return self._now

    def wanted(self) -> dict[str, Experiment]:
        """Return the experiments under the controls.

        Returns
        -------
        dict of str to Experiment
            As `twins` gives them; empty without an attack, or where the controls describe no experiment.
        """
        experiment = self.lab.experiment
        return {} if experiment is None or experiment.attack is None else twins(experiment, self.defence)

    def record(self, experiment: Experiment) -> RunRecord:
        """Return the rounds of an experiment that the page knows.

        Parameters
        ----------
        experiment : Experiment
            One of the three.

        Returns
        -------
        RunRecord
            Of the run that is going on, else of the kept result; possibly without a round.
        """
        progress, kept = self.lab.progress, self.lab.results.of(experiment)
        if progress is not None and progress.experiment == experiment and (self.lab.player.busy or kept is None):
            return RunRecord(experiment, list(progress.record))
        return RunRecord(experiment) if kept is None else kept.record

    def success(self, name: str) -> float | None:
        """Return what a backdoor achieves, where it has been measured.

        Parameters
        ----------
        name : str
            "clean", "attacked" or "defended".

        Returns
        -------
        float or None
            See `backdoor_success`.
        """
        trio = self.wanted()
        return self._successes.get(self._mark(trio, name)) if name in trio else None

    def start(self, wait: bool = False) -> None:
        """Play those of the three that are not there yet; what fails is kept in ``errors``, and the next is played.

        Parameters
        ----------
        wait : bool
            Whether to come back only when all is over.
        """
        asked = self.wanted()
        if not asked or self._now:
            return
        self._asked, self._halted, self._now = asked, False, "clean"
        for experiment in self._asked.values():
            self.errors.pop(experiment.key, None)
        loop = None if wait else running_loop()
        if loop is not None:
            self._task = loop.create_task(self._go())
            return
        for experiment in self._left():
            self.lab.run(wait=True, experiment=experiment)
        self._measure()
        self._end()

    def stop(self) -> None:
        """Stop the run that is going on, and leave out the rest; what was played is kept."""
        self._halted = True
        if self._now:
            self.lab.stop()

    async def _go(self) -> None:
        for experiment in self._left():
            self.lab.run(experiment=experiment)
            while self.lab.state in ("running", "stopping") and self._plays(experiment):
                await asyncio.sleep(_BEAT)
        await asyncio.to_thread(self._measure)
        self._end()

    def _plays(self, experiment: Experiment) -> bool:
        """Whether nobody has asked the page for another run meanwhile."""
        return self.lab.progress is not None and self.lab.progress.experiment == experiment

    def _left(self) -> Iterator[Experiment]:
        """What is still to be played; whoever takes one plays it before asking for the next."""
        for name, experiment in self._asked.items():
            if self._halted or self.wanted() != self._asked:
                return
            if self.record(experiment).complete:
                continue
            self._now = name
            self._told()
            yield experiment
            progress = self.lab.progress
            if progress is None or not self._plays(experiment) or progress.phase == "stopped":
                self._halted = True
            elif progress.error is not None:
                self.errors[experiment.key] = progress.error

    def _measure(self) -> None:
        for name, experiment in self._asked.items():
            record, mark = self.record(experiment), self._mark(self._asked, name)
            if len(record) and mark not in self._successes:
                try:
                    self._successes[mark] = backdoor_success(record, self._asked["attacked"])
                except Exception as error:  # the panel says so
                    self.errors[experiment.key] = error

    def _mark(self, trio: Mapping[str, Experiment], name: str) -> tuple[str, str, int]:
        return trio["attacked"].key, trio[name].key, len(self.record(trio[name]))

    def _end(self) -> None:
        self._now = ""
        self._told()
