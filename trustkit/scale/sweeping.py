"""`sweep` runs many experiments on the cores of this machine or elsewhere, and loses none that has finished."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from trustkit import store as storing
from trustkit import whole
from trustkit.experiment import Experiment
from trustkit.records import Progress, RunRecord
from trustkit.scale.outcome import Failure
from trustkit.scale.parcel import packed, sent
from trustkit.scale.playing import played
from trustkit.scale.processes import Processes, cores, processes

__all__ = ["file_of", "sweep"]

_PATIENCE = 0.2
"""Seconds between two times that progress is told, while nothing finishes."""


def sweep(
    experiments: Iterable[Experiment],
    executor: Executor | None = None,
    *,
    workers: int | None = None,
    store: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> dict[Experiment, RunRecord | Failure]:
    """Run many experiments.

    Parameters
    ----------
    experiments : iterable of Experiment
        What to run; see `trustkit.grid`. One that comes twice is run once.
    executor : concurrent.futures.Executor, optional
        Where to, as `trustkit.scale.dask`; by default processes of this machine, one thread each, for this sweep.
    workers : int, optional
        How many such processes; 0 runs them here, one after the other. By default one a core, and none for one run.
    store : path-like, optional
        A folder in which each run is kept as soon as it has finished; those that are there are not run again.
    progress : callable, optional
        Told how many runs have finished, about how long the others take, and the share, 0 … 1; what it raises ends the
        sweep. With `Stopped`, as with Ctrl-C, what is in the store stays.

    Returns
    -------
    dict
        By experiment, in the order given: a record, whose last round has its state; or of a run that failed, or whose
        worker was killed, a `Failure`, which is not kept in the store. The same bits, wherever the runs are played.

    Raises
    ------
    OSError
        If the store cannot be written.
    TypeError, ValueError
        If workers is no whole number from 0, or is given with an executor.

    Notes
    -----
    Data are loaded here and given to workers once, by files that they map into memory or, with Dask, once a worker; so
    are data sets that were added in this process. When a sweep is ended, an executor that was handed in still finishes
    the runs that it is at, and their results are lost; processes of the sweep's own end at once. A store knows data by
    their name: who replaces a data set under its old name needs another store.

    Examples
    --------
    >>> from trustkit import grid, use
    >>> start = Experiment("wine", use("dirichlet", parties=4, min_rows=10), "fedavg", "logistic", rounds=2)
    >>> found = sweep(grid(start, seed=[0, 1], split__parties=[4, 40]), workers=0)
    >>> [run.complete for run in found.values()]
    [True, False, True, False]
    >>> list(found.values())[1].message
    'parties must be at most 14, so that each gets at least 10 of the 142 training rows of wine, got 40'
    """
    wanted = list(dict.fromkeys(experiments))
    if workers is not None and executor is not None:
        raise ValueError(f"workers must stay unset with an executor, got {workers}")
    if workers is not None and (isinstance(workers, bool) or not hasattr(workers, "__index__")):
        raise TypeError(f"workers must be a whole number, got {workers!r}")
    if workers is not None and workers < 0:
        raise ValueError(f"workers must be at least 0, got {workers}")
    folder = _folder(store)
    found = _kept(wanted, folder)
    left = [each for each in wanted if each not in found]
    told = _Told(progress, len(wanted), list(found.values()))
    for each, outcome in _outcomes(left, executor, workers, told):
        found[each] = _accepted(each, outcome, folder)
        told.finished(found[each])
    return {each: found[each] for each in wanted}


def file_of(store: str | os.PathLike[str], experiment: Experiment) -> Path:
    """Return where a store keeps a run.

    Parameters
    ----------
    store : path-like
        The folder.
    experiment : Experiment
        What was run.

    Returns
    -------
    pathlib.Path
        ``run.npz`` in a folder named by the first 16 digits of the experiment's key.
    """
    return Path(store) / experiment.key[:16] / "run.npz"


def _folder(store: str | os.PathLike[str] | None) -> Path | None:
    if store is None:
        return None
    folder = Path(store)
    whole.check(folder)  # what cannot be written is said before any work
    return folder


def _kept(wanted: Sequence[Experiment], folder: Path | None) -> dict[Experiment, RunRecord | Failure]:
    """Read what the store has; a file that is damaged is a failure, and stays as it is."""
    found: dict[Experiment, RunRecord | Failure] = {}
    for each in wanted if folder is not None else ():
        file = file_of(folder or "", each)
        whole.tidy(file.parent)
        try:
            record = storing.load(file)
        except FileNotFoundError:
            continue
        except (KeyError, OSError, TypeError, ValueError) as error:
            found[each] = Failure(str(error), type(error).__name__)
            continue
        if record.experiment != each:
            found[each] = Failure(f"{file} must be the run of {each.key}, got {record.experiment.key}", "ValueError")
        elif record.complete:
            found[each] = record
    return found


def _accepted(experiment: Experiment, outcome: Mapping[str, Any], folder: Path | None) -> RunRecord | Failure:
    """Keep a run, or name its failure."""
    if "run" not in outcome:
        return Failure(outcome["message"], outcome["kind"])
    if folder is not None:
        whole.write_bytes(file_of(folder, experiment), outcome["run"])
    return storing.loads(outcome["run"])


def _outcomes(
    left: Sequence[Experiment], executor: Executor | None, workers: int | None, told: _Told
) -> Iterator[tuple[Experiment, Mapping[str, Any]]]:
    """Play what is left and tell how each ended, in the order in which they end."""
    count = min(len(left), cores() if workers is None else int(workers))
    if executor is None and (count == 0 or (workers is None and count == 1)):
        for each in left:
            yield each, played(each.to_dict(), tick=told.again, tell=told.within)
        return
    with _team(executor, count) as team, _parcel(left, team) as parcel:
        done: SimpleQueue[Future] = SimpleQueue()
        jobs = {team.submit(played, each.to_dict(), parcel): each for each in left}
        for job in jobs:
            job.add_done_callback(done.put)
        try:
            for _ in left:
                job = _next(done, told)
                yield jobs[job], _result(job)
        finally:
            for job in jobs:
                job.cancel()


def _team(executor: Executor | None, workers: int) -> AbstractContextManager[Executor]:
    """Return the executor that is given, which stays, or processes, which are ended at once if the sweep is."""
    return processes(workers) if executor is None else nullcontext(executor)


def _parcel(left: Sequence[Experiment], team: Executor) -> AbstractContextManager[Any]:
    """Pack what workers may lack: threads lack nothing, Dask's may be elsewhere."""
    if isinstance(team, ThreadPoolExecutor):
        return nullcontext()
    if hasattr(team, "scatter"):
        return nullcontext(team.scatter(packed(left)))
    return sent(left, main=not isinstance(team, Processes))


def _next(done: SimpleQueue[Future], told: _Told) -> Future:
    """Wait for a job that has ended, telling meanwhile how far the sweep is."""
    while True:
        with suppress(Empty):
            return done.get(timeout=_PATIENCE)
        told.again()


def _result(job: Future) -> Mapping[str, Any]:
    try:
        outcome: Mapping[str, Any] = job.result()
        return outcome
    except CancelledError:
        return {"kind": "CancelledError", "message": "the executor gave the run up"}
    except Exception as error:  # the worker ended, or what it was sent did not arrive
        return {"kind": type(error).__name__, "message": " ".join(str(error).split()) or "no words"}


class _Told:
    """Tells how far a sweep is."""

    def __init__(self, progress: Progress | None, runs: int, kept: Sequence[RunRecord | Failure]) -> None:
        self._progress, self._runs, self._kept = progress, runs, len(kept)
        self._done, self._failed, self._part = len(kept), sum(not each.complete for each in kept), 0.0
        self._began = self._last = time.monotonic()
        self._tell()

    def finished(self, outcome: RunRecord | Failure) -> None:
        self._done, self._failed, self._part = self._done + 1, self._failed + (not outcome.complete), 0.0
        self._tell()

    def within(self, part: float) -> None:
        """Tell which part of the one run that is played here is done; its end is told by `finished`."""
        self._part = part if part < 1 else 0.999
        self._tell()

    def again(self) -> None:
        """Tell the same, unless that was told just now; thus a sweep can be ended inside a run."""
        if time.monotonic() - self._last >= _PATIENCE:
            self._tell()

    def _tell(self) -> None:
        self._last = time.monotonic()
        if self._progress is None:
            return
        words = f"{self._done} of {self._runs} runs" + (f", {self._failed} failed" if self._failed else "")
        did, left = self._done + self._part - self._kept, self._runs - self._done - self._part
        if self._done > self._kept and self._done < self._runs:
            words += f", {_spelt((self._last - self._began) * left / did)} left"
        self._progress(words, (self._done + self._part) / self._runs if self._runs else 1.0)


def _spelt(seconds: float) -> str:
    """Spell a duration roughly."""
    for size, name in ((3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {name}"
    return f"{seconds:.0f} s"
