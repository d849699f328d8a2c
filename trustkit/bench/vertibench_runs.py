"""Runs of the benchmark, each kept as soon as it is finished; one that was ended goes on from its last saved round."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from trustkit import jsonfile, store, whole
from trustkit.bench.vertibench_settings import work
from trustkit.experiment import Experiment
from trustkit.records import Progress, RunRecord
from trustkit.rounds import build, play

__all__ = ["Budget", "Job", "Outcome", "estimate", "played"]

SAVE_EVERY = 20.0
"""Processor seconds between two savings of an unfinished run, or as many times what a saving takes, if that is more."""


@dataclass(frozen=True)
class Job:
    """A run and what it is of.

    Parameters
    ----------
    place : tuple
        What it is of: data set, method, split, seed.
    words : str
        What a person is told is going on.
    experiment : Experiment
        What is played.
    size : tuple of int
        Rows for training, columns, parties, outputs.
    """

    place: tuple[str | int, ...]
    words: str
    experiment: Experiment
    size: tuple[int, int, int, int]

    @property
    def seconds(self) -> float:
        """About how long it takes, in processor seconds."""
        return self.experiment.rounds * work(self.experiment.algorithm, *self.size)


@dataclass(frozen=True)
class Outcome:
    """What is kept of a finished run.

    Parameters
    ----------
    experiment : mapping
        As `Experiment.to_dict` gives it.
    accuracy, loss : tuple of float
        Of the test rows after each round; accuracy is NaN for a regression, whose loss is the mean squared error.
    span : float
        Of a regression: largest less smallest label for training; else 1.
    rows, test_rows : int
        How many for training and for testing.
    seconds : float
        Of processor time, for all rounds: training and an evaluation each.
    traffic : mapping of str to tuple
        By kind of message what each party sent, and what it received, over all rounds.
    facts : mapping
        Parameters, and whether messages were simulated.
    synthetic : bool
        Whether the data are generated.
    """

    experiment: Mapping[str, Any]
    accuracy: tuple[float, ...]
    loss: tuple[float, ...]
    span: float
    rows: int
    test_rows: int
    seconds: float
    traffic: Mapping[str, tuple[tuple[float, ...], tuple[float, ...]]]
    facts: Mapping[str, Any] = field(default_factory=dict)
    synthetic: bool = False

    @property
    def score(self) -> float:
        """Accuracy in per cent after the last round, or 100 · RMSE of labels on [0, 1]."""
        if np.isnan(self.accuracy[-1]):
            return float(100 * np.sqrt(self.loss[-1]) / self.span)
        return 100 * self.accuracy[-1]

    @property
    def sides(self) -> np.ndarray:
        """(2, K): bytes that each party sent and received over all rounds."""
        found: np.ndarray = np.sum([np.array(both) for both in self.traffic.values()], axis=0)
        return found

    @property
    def sizes(self) -> dict[str, float]:
        """Bytes in total, and at most received and sent by one party."""
        if not self.traffic:
            return {"total": 0.0, "max_in": 0.0, "max_out": 0.0}
        sent, received = self.sides
        return {"total": float(sent.sum()), "max_in": float(received.max()), "max_out": float(sent.max())}


@dataclass
class Budget:
    """Processor seconds that may still be spent; ``None`` for any."""

    left: float | None = None

    @property
    def spent(self) -> bool:
        """Whether nothing is left."""
        return self.left is not None and self.left <= 0

    def take(self, seconds: float) -> None:
        """Spend some.

        Parameters
        ----------
        seconds : float
            How many.
        """
        if self.left is not None:
            self.left -= seconds


def estimate(jobs: Iterable[Job], folder: Path) -> float:
    """Return about how many processor seconds the jobs take that are not finished yet.

    Parameters
    ----------
    jobs : iterable of Job
        Whatever was asked for.
    folder : pathlib.Path
        Where runs are kept.

    Returns
    -------
    float
        By `trustkit.bench.vertibench_settings.work`; good to about a factor of two.
    """
    todo = {job.experiment.key: job for job in jobs if not _file(job, folder).exists()}
    return sum(job.seconds for job in todo.values())


def played(
    jobs: Iterable[Job], folder: Path, resume: bool, tell: Progress, budget: Budget
) -> Iterator[tuple[Job, Outcome]]:  # fmt: skip
    """Play jobs one after the other, and keep what came out.

    Parameters
    ----------
    jobs : iterable of Job
        An experiment that is in several is played once.
    folder : pathlib.Path
        Where runs are kept, each named by its experiment's key.
    resume : bool
        Whether what is there is taken, and gone on from.
    tell : callable
        Told what is played and which part of it is done; may raise `trustkit.records.Stopped`.
    budget : Budget
        Nothing is begun or gone on with when it is spent; what was finished before is still given.

    Yields
    ------
    Job, Outcome
        Of finished runs only.
    """
    known: dict[str, Outcome] = {}
    whole.check(folder)
    for job in jobs:
        key = job.experiment.key
        if key not in known:
            found = _read(job, folder) if resume else None
            if found is not None:  # a kill may have come between the last two steps
                _file(job, folder).with_suffix(".npz").unlink(missing_ok=True)
            found = found or _play(job, folder, resume, tell, budget)
            if found is None:
                continue
            known[key] = found
        tell(job.words, 1.0)
        yield job, known[key]


def _file(job: Job, folder: Path) -> Path:
    return folder / f"{job.experiment.algorithm.name}-{job.experiment.key[:16]}.json"


def _read(job: Job, folder: Path) -> Outcome | None:
    """Return a run that is finished; a file of another experiment counts as none."""
    file = _file(job, folder)
    if not file.exists():
        return None
    content = jsonfile.read(file)
    try:
        found = Outcome(**content)
        same = Experiment.from_dict(found.experiment).key == job.experiment.key
    except (KeyError, TypeError, ValueError):
        raise ValueError(f"{file} must be a finished run of the benchmark, got something else") from None
    return found if same else None


def _play(job: Job, folder: Path, resume: bool, tell: Progress, budget: Budget) -> Outcome | None:
    """Play a run to its end, or as far as the budget goes; an unfinished one is saved."""
    wanted, half = job.experiment, _file(job, folder).with_suffix(".npz")
    if budget.spent:
        return None
    record = _begun(wanted, half) if resume else RunRecord(wanted)
    before, began = len(record), time.process_time()
    due = began + SAVE_EVERY
    for each in play(wanted, after=record.last if len(record) else None):
        record(each)
        record.let_go()
        tell(job.words, min(0.99, each.index / wanted.rounds))
        now = time.process_time()
        if not record.complete and budget.left is not None and now - began > budget.left:
            store.save(record, half)
            budget.take(now - began)
            return None
        if not record.complete and now >= due:
            store.save(record, half)
            saved = time.process_time()
            due = saved + SAVE_EVERY * max(1.0, saved - now)  # one of many parties is large
    spent = time.process_time() - began
    budget.take(spent)
    found = _outcome(record, spent / max(1, len(record) - before) * wanted.rounds)
    jsonfile.write_text(_file(job, folder), jsonfile.dumps(asdict(found), indent=None))
    half.unlink(missing_ok=True)
    return found


def _begun(wanted: Experiment, half: Path) -> RunRecord:
    record = store.load(half) if half.exists() else RunRecord(wanted)
    return record if record.experiment.key == wanted.key else RunRecord(wanted)


def _outcome(record: RunRecord, seconds: float) -> Outcome:
    built = build(record.experiment)
    data = built.fed.data
    labels = data.y[~data.held_out]
    kinds = {}
    for kind, sizes in record.traffic.items():
        sent, received = sizes.sum(axis=0).tolist()
        kinds[kind] = (tuple(sent), tuple(received))
    facts = {name: built.trainer.facts[name] for name in ("parameters", "simulated") if name in built.trainer.facts}
    return Outcome(
        record.experiment.to_dict(), tuple(record.accuracy[:, 0].tolist()), tuple(record.loss[:, 0].tolist()),
        1.0 if data.classes else float(np.ptp(labels)) or 1.0, labels.size, data.y.size - labels.size, seconds, kinds,
        facts, data.provenance.synthetic,
    )  # fmt: skip
