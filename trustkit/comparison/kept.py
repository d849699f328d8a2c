"""Runs that are played once and kept in a folder, each in a file named by its experiment's key."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from trustkit import memory, store
from trustkit.experiment import Experiment
from trustkit.records import RunRecord, watch
from trustkit.rounds import build, play, run

if TYPE_CHECKING:
    from concurrent.futures import Executor

__all__ = ["play_all"]


def play_all(
    wanted: Sequence[Experiment],
    folder: str | os.PathLike[str] | None = None,
    executor: Executor | None = None,
    tell: Callable[[int, float], None] | None = None,
) -> Iterator[RunRecord]:
    """Play experiments, those that the folder has without playing them again.

    Parameters
    ----------
    wanted : sequence of Experiment
        Each once.
    folder : path-like, optional
        Where each run leaves a file as soon as it is finished; see `trustkit.store`.
    executor : concurrent.futures.Executor, optional
        Where runs are played; by default here, one after the other.
    tell : callable, optional
        Told how many experiments are finished and which part of the next one is; what it raises ends all.

    Yields
    ------
    RunRecord
        In the order given.

    Raises
    ------
    ValueError
        If a file of the folder is no run of its experiment, or the rounds of a run will not fit into memory.
    """
    places = [None if folder is None else Path(folder) / f"{each.key}.npz" for each in wanted]
    known = [place is not None and place.exists() for place in places]
    jobs = {} if executor is None else {
        at: executor.submit(run, each) for at, each in enumerate(wanted) if not known[at]
    }  # fmt: skip
    try:
        for at, (each, place) in enumerate(zip(wanted, places, strict=True)):
            if place is not None and known[at]:
                record = _read(place, each)
            else:
                record = jobs[at].result() if at in jobs else _played(each, at, tell)
                if place is not None:
                    store.save(record, place)
            if tell is not None:
                tell(at + 1, 0.0)
            yield record
    finally:
        for job in jobs.values():
            job.cancel()


def _played(experiment: Experiment, at: int, tell: Callable[[int, float], None] | None) -> RunRecord:
    memory.keeps(build(experiment).trainer.start(), experiment.rounds)
    record = RunRecord(experiment)
    for played in watch(play(experiment), record):
        if tell is not None:
            tell(at, played.index / experiment.rounds)
    return record


def _read(place: Path, experiment: Experiment) -> RunRecord:
    record = store.load(place)
    if record.experiment.key != experiment.key or len(record) != experiment.rounds:
        raise ValueError(f"{place} must be the finished run of its experiment, got another")
    return record
