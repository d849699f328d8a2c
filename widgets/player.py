"""Training in one worker thread: it plays rounds and measures, touches no widget, and the newest wish wins."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from trustkit.widgets.shelf import Shelf, shelf_here

from trustkit import Experiment, FactSheet, RunRecord, facts_of, play
from trustkit.records import Round, Stopped

__all__ = ["Outcome", "Player", "Progress", "measure"]


@dataclass(frozen=True, eq=False)
class Outcome:
    """A run and what was measured on it."""

    record: RunRecord
    facts: FactSheet


@dataclass(eq=False)
class Progress:
    """How far a run is; the worker writes, the page reads."""

    experiment: Experiment
    limit: int
    phase: str = "running"
    record: RunRecord = field(init=False)
    outcome: Outcome | None = None
    error: Exception | None = None
    began: float = field(default_factory=time.perf_counter)
    cancelled: bool = False
    halted: float | None = None  # when the worker left the rounds, to measure what is there
    arrived: list[float] = field(default_factory=list)  # when each round did that was played here
    taken: bool = False  # whether an earlier kernel has played all of it

    def __post_init__(self) -> None:
        self.record = RunRecord(self.experiment)

    @property
    def over(self) -> bool:
        """Whether nothing more will come."""
        return self.phase in ("done", "stopped", "failed", "dropped")

    def left(self) -> float | None:
        """Return the seconds left, judged by when the last rounds came; ``None`` before the first.

        A lone round is judged by its own time. What lies between rounds counts, as the pauses of slow motion do.

        Returns
        -------
        float or None
            Seconds.
        """
        came, done = self.arrived[-6:], len(self.record)
        if len(came) > 1:
            each = (came[-1] - came[0]) / (len(came) - 1)
        elif done:
            each = self.record.last.seconds
        else:
            return None
        return each * (self.limit - done)

    def beside(self, outcome: Outcome | None) -> bool:
        """Say whether this run still goes on while the result of another one is shown.

        Parameters
        ----------
        outcome : Outcome or None
            What is shown.

        Returns
        -------
        bool
            False once it is over, and without a result.
        """
        return not self.over and outcome is not None and outcome.record.experiment != self.experiment


def measure(record: RunRecord) -> Outcome:
    """Fill the fact sheet of a run.

    Parameters
    ----------
    record : RunRecord
        At least one round.

    Returns
    -------
    Outcome
        Record and fact sheet.
    """
    return Outcome(record, facts_of(record))


class Player:
    """Plays one experiment at a time in a worker thread.

    Parameters
    ----------
    work : callable, optional
        What plays rounds; `trustkit.play`.
    shelf : Shelf, optional
        Where runs are kept for the next kernel, and looked for before they are played; by default that of a notebook.
    """

    def __init__(self, work: Callable[..., Any] = play, shelf: Shelf | None = None) -> None:
        self.work, self.shelf = work, shelf or shelf_here()
        self._asked = set[str]()  # what was played or looked for here already: Run plays it anew
        self.progress: Progress | None = None
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="trustkit")
        self._future: Future[None] | None = None
        self._lock = threading.Lock()

    @property
    def busy(self) -> bool:
        """Whether a run is going on."""
        return self.progress is not None and not self.progress.over

    def start(self, experiment: Experiment, earlier: RunRecord | None = None, limit: int | None = None) -> Progress:
        """Start a run, or go on with one; a run that is still going on is dropped.

        Parameters
        ----------
        experiment : Experiment
            What to play.
        earlier : RunRecord, optional
            Rounds of the same experiment to go on from.
        limit : int, optional
            The round to stop after; by default the last.

        Returns
        -------
        Progress
            Read it from anywhere.
        """
        with self._lock:
            if self.progress is not None and not self.progress.over:
                self.progress.cancelled, self.progress.phase = True, "dropped"
            progress = Progress(experiment, min(limit or experiment.rounds, experiment.rounds))
            for played in earlier or ():
                progress.record(played)
            self.progress = progress
            self._future = self._pool.submit(self._go, progress)
        return progress

    def stop(self) -> None:
        """Ask the run to stop; it does at the next step inside the round, and the rounds before that are kept."""
        with self._lock:
            if self.busy and self.progress is not None:
                self.progress.cancelled = True
                if self.progress.phase == "running":
                    self.progress.phase = "stopping"

    def wait(self) -> None:
        """Wait until the run is over: for tests and for scripts."""
        if self._future is not None:
            self._future.result()

    def _go(self, progress: Progress) -> None:
        with _brisk():
            self._to_its_end(progress)
        if self.shelf is not None and progress.outcome is not None and progress is self.progress and progress.arrived:
            self.shelf.put(progress.outcome.record)

    def _to_its_end(self, progress: Progress) -> None:
        def tick() -> None:
            if progress.cancelled:
                raise Stopped

        try:
            self._play(progress, tick)
            progress.halted = time.perf_counter()
            if len(progress.record) and progress.phase != "dropped":
                self._phase(progress, "measuring", unless=("stopping", "dropped"))
                progress.outcome = measure(RunRecord(progress.experiment, progress.record))
            self._phase(
                progress,
                "stopped" if len(progress.record) < progress.experiment.rounds else "done",
                unless=("dropped",),
            )
        except Exception as error:  # the page shows it in a card, whatever it is
            progress.error = error
            self._phase(progress, "failed", unless=("dropped",))

    def _phase(self, progress: Progress, phase: str, unless: tuple[str, ...]) -> None:
        with self._lock:
            if progress.phase not in unless:
                progress.phase = phase

    def _look(self, progress: Progress) -> None:
        """Take what an earlier kernel has played; not for a single round, nor where it is to be watched slowly."""
        key, whole_run = progress.experiment.key, progress.limit == progress.experiment.rounds
        if self.shelf is not None and whole_run and key not in self._asked and not getattr(self.work, "slow", False):
            for played in list(self.shelf.of(progress.experiment))[len(progress.record) :]:
                progress.record(played)
                progress.taken = True
        self._asked.add(key)

    def _play(self, progress: Progress, tick: Callable[[], None]) -> None:
        self._look(progress)
        after: Round | None = progress.record.last if len(progress.record) else None
        try:
            tick()
            for played in self.work(progress.experiment, after, tick):
                progress.record(played)
                progress.arrived.append(time.perf_counter())
                if len(progress.record) >= progress.limit:
                    return
                tick()
        except Stopped:
            return


_SWITCH = 0.0005
"""Seconds after which a thread that computes lets another one go on: Python's own 5 ms add up in every answer."""
_lock, _usual = threading.Lock(), list[float]()


@contextmanager
def _brisk() -> Iterator[None]:
    """Let threads take turns more often while something is played; the last to be over puts that back."""
    with _lock:
        _usual.append(sys.getswitchinterval())
        sys.setswitchinterval(min(_SWITCH, _usual[-1]))
    try:
        yield
    finally:
        with _lock:
            before = _usual.pop()
            if not _usual:
                sys.setswitchinterval(before)
