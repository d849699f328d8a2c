"""Experiments that a search tries: played, folded into facts, and kept in files by the experiment's key."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trustkit import jsonfile, memory, whole
from trustkit.experiment import Experiment
from trustkit.facts import facts_of
from trustkit.records import RunRecord, watch
from trustkit.rounds import build, play
from trustkit.trust import FactSheet
from trustkit.trust.energy import EnergyMeter

if TYPE_CHECKING:
    from concurrent.futures import Executor

__all__ = ["Try", "try_all", "try_out"]

_FORMAT = "trustkit-try-1"


@dataclass(frozen=True, eq=False)
class Try:
    """What one run gave, or why it was refused.

    Parameters
    ----------
    facts : FactSheet
        Of the run; empty if it was refused.
    size : float
        Bytes that all parties sent and received in all rounds.
    trainings : int
        Clients that trained, counted round by round.
    seconds : float
        That the run took to simulate.
    kwh : float
        Energy of the run and its measures, read from counters or assumed.
    refused : str
        The sentence of the refusal; empty if there was none.
    """

    facts: FactSheet = field(default_factory=FactSheet)
    size: float = 0.0
    trainings: int = 0
    seconds: float = 0.0
    kwh: float = 0.0
    refused: str = ""


def try_out(experiment: Experiment, look_at: int | None = None, tell: Callable[[float], None] | None = None) -> Try:
    """Play an experiment and take its facts.

    Parameters
    ----------
    experiment : Experiment
        What to play.
    look_at : int, optional
        As for `trustkit.facts_of`.
    tell : callable, optional
        Told after each round which part is done (0 … 1); what it raises ends the run.

    Returns
    -------
    Try
        A refusal if the experiment cannot be built, or its rounds will not fit into memory.
    """
    try:
        memory.keeps(build(experiment).trainer.start(), experiment.rounds)
    except ValueError as error:
        return Try(refused=str(error))
    with EnergyMeter() as meter:
        record = RunRecord(experiment)
        for played in watch(play(experiment), record):
            if tell is not None:
                tell(played.index / experiment.rounds)
        facts = facts_of(record, look_at=look_at)
    size = float(record.bytes_up.sum() + record.bytes_down.sum())
    kwh = 0.0 if meter.energy is None else meter.energy.kwh
    return Try(facts, size, int(record.selected.sum()), float(record.seconds.sum()), kwh)


def try_all(
    wanted: Iterable[Experiment],
    look_at: int | None = None,
    folder: str | os.PathLike[str] | None = None,
    executor: Executor | None = None,
    tell: Callable[[int, float], None] | None = None,
) -> Iterator[Try]:
    """Try experiments, those that are in the folder already without playing them again.

    Parameters
    ----------
    wanted : iterable of Experiment
        Each once.
    look_at : int, optional
        As for `trustkit.facts_of`.
    folder : path-like, optional
        Where each run leaves a file as soon as it is finished.
    executor : concurrent.futures.Executor, optional
        Where runs are played; by default here, one after the other.
    tell : callable, optional
        Told how many of the experiments are finished, and which part of the next one; what it raises ends the search.

    Yields
    ------
    Try
        In the order given.

    Raises
    ------
    ValueError
        If a file of the folder is not JSON.
    """
    experiments = list(wanted)
    if folder is not None:
        whole.check(folder)
    known = [_read(folder, each, look_at) for each in experiments]
    jobs = {} if executor is None else {
        at: executor.submit(try_out, each, look_at)
        for at, each in enumerate(experiments) if known[at] is None
    }  # fmt: skip
    try:
        for at, each in enumerate(experiments):
            found = known[at]
            if found is None:
                found = jobs[at].result() if at in jobs else try_out(each, look_at, _within(tell, at))
                _keep(folder, each, look_at, found)
            if tell is not None:
                tell(at + 1, 0.0)
            yield found
    finally:
        for job in jobs.values():
            job.cancel()


def _within(tell: Callable[[int, float], None] | None, at: int) -> Callable[[float], None] | None:
    return None if tell is None else lambda done: tell(at, done)


def _file(folder: str | os.PathLike[str], experiment: Experiment) -> Path:
    return Path(folder) / f"{experiment.key}.json"


def _keep(folder: str | os.PathLike[str] | None, experiment: Experiment, look_at: int | None, found: Try) -> None:
    """Write what a run gave, unless it was refused: to find that out again costs nothing."""
    if folder is None or found.refused:
        return
    content = {
        "format": _FORMAT, "experiment": experiment.to_dict(), "look_at": look_at, "size": found.size,
        "trainings": found.trainings, "seconds": found.seconds, "kwh": found.kwh, "facts": dict(found.facts.values),
    }  # fmt: skip
    jsonfile.write_text(_file(folder, experiment), jsonfile.dumps(content))


def _read(folder: str | os.PathLike[str] | None, experiment: Experiment, look_at: int | None) -> Try | None:
    """Return what a run gave, if the folder has it and it was looked at alike."""
    if folder is None or not _file(folder, experiment).exists():
        return None
    content: dict[str, Any] = jsonfile.read(_file(folder, experiment))
    if content.get("format") != _FORMAT or content["look_at"] != look_at:
        return None
    if Experiment.from_dict(content["experiment"]).key != experiment.key:
        return None
    numbers = {name: content[name] for name in ("size", "trainings", "seconds", "kwh")}
    return Try(FactSheet(content["facts"]), **numbers)
