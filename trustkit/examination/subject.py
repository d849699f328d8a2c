"""What an examination looks at, and the table of measures that it can take."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, cast

import numpy as np

from trustkit.data import Dataset
from trustkit.horizontal.trainer import RowTrainer
from trustkit.records import RunRecord, Seen, State, Trainer
from trustkit.rng import stream
from trustkit.rounds import Built

__all__ = ["MEASURES", "OUTSIDE", "Cost", "Found", "Measure", "NotMeasured", "Subject", "Tell", "measure"]

Cost = Literal["counts", "predictions", "gradients", "trainings"]
"""What a measure takes: counts that are there, many predictions, many gradients, or the training played again."""

Tell = Callable[[float], None]
"""Told how much of a measure is done (0 … 1); it may raise `trustkit.records.Stopped`."""


OUTSIDE = "taken by the simulator from single updates, outside of what the server could see"
"""Of a measure of single updates, where these are added up by secure aggregation."""


class NotMeasured(Exception):  # noqa: N818 (it is no error)
    """Raised by a measure that has no meaning for a run, or lacks what it needs; its text is the reason."""


@dataclass(frozen=True)
class Found:
    """What a measure found: facts by ``section/name``, and in a sentence what a number does not say."""

    facts: Mapping[str, Any]
    remark: str = ""


@dataclass(frozen=True, eq=False)
class Subject:
    """A run under examination.

    Parameters
    ----------
    record : RunRecord
        At least one round; the last has its state.
    built : Built
        Its experiment made real.
    rows : int
        At least 1: held-out rows that are looked at.
    seed : int
        Which rows, and who attacks, follow from it.
    share : float
        In [0, 1]: the share of clients that attack, as it was asked for.
    radius : float
        At least 0: the largest change of a scaled feature.
    quasi : tuple of str, optional
        The quasi-identifiers.
    coverage : float, optional
        In [0, 1]: the share of the code that tests run.
    """

    record: RunRecord
    built: Built
    rows: int
    seed: int
    share: float
    radius: float
    quasi: tuple[str, ...] | None = None
    coverage: float | None = None

    @property
    def data(self) -> Dataset:
        """The scaled data."""
        return self.built.fed.data

    @property
    def trainer(self) -> Trainer:
        """The algorithm, with the attack that the experiment may name."""
        return self.built.trainer

    @property
    def state(self) -> State:
        """The state after the last round."""
        return cast(State, self.record.last.state)

    @property
    def rounds(self) -> int:
        """How many rounds were played."""
        return len(self.record)

    @cached_property
    def by_rows(self) -> RowTrainer:
        """The algorithm over rows."""
        if not isinstance(self.trainer, RowTrainer):
            raise NotMeasured("not for columns")
        return self.trainer

    @cached_property
    def clean(self) -> RowTrainer:
        """The algorithm over rows, without any attack; sums are plain, as secure ones refuse a model out of bounds."""
        return replace(self.by_rows, relabel=None, tamper=None, secure=False)

    @property
    def attacked(self) -> bool:
        """Whether the run itself was under attack."""
        return self.by_rows.relabel is not None or self.by_rows.tamper is not None

    @property
    def outside(self) -> str:
        """What a measure of single updates has to add where the server sees their sum only; else empty."""
        return f"; {OUTSIDE}" if self.built.experiment.secure else ""

    def sample(self, part: Literal["train", "test"], count: int, name: str) -> np.ndarray:
        """Draw rows that somebody holds.

        Parameters
        ----------
        part : {"train", "test"}
            Rows that were trained on, or held-out ones.
        count : int
            At most so many.
        name : str
            Names the stream.

        Returns
        -------
        (n,) int array
            Indices into the data.

        Raises
        ------
        NotMeasured
            If there are none.
        """
        partition, held_out = self.built.fed.partition, self.data.held_out
        wanted = held_out if part == "test" else ~held_out
        if partition.axis == "rows":
            wanted = wanted & (partition.owner >= 0)
        rows = stream(self.seed, "examine", name, part).permutation(np.flatnonzero(wanted))[:count]
        if not rows.size:
            raise NotMeasured(f"there are no {'held-out' if part == 'test' else 'training'} rows")
        return rows

    def logits(self, X: np.ndarray) -> np.ndarray:
        """Return the final model's scores.

        Parameters
        ----------
        X : (n, m) float array
            Scaled rows.

        Returns
        -------
        (n, C) float array
            Unnormalised.
        """
        return self.trainer.logits(self.state, X)

    def gradient(self, X: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return the gradient by each row of the final model's weighted scores.

        Parameters
        ----------
        X : (n, m) float array
            Scaled rows.
        weights : (n, C) float array
            How much each score counts.

        Returns
        -------
        (n, m) float array
            See `trustkit.records.Trainer`.
        """
        return self.trainer.gradient(self.state, X, weights)

    def play(
        self, trainer: RowTrainer, state: State, first: int, last: int, tell: Tell, span: tuple[float, float] = (0, 1)
    ) -> Iterator[tuple[State, Seen]]:
        """Play rounds with an algorithm, as `trustkit.rounds.play` does.

        Parameters
        ----------
        trainer : RowTrainer
            A variant of the run's.
        state : mapping
            Before the first of these rounds.
        first, last : int
            Their numbers, from 1; none if the last comes before the first.
        tell : callable
            Told between steps how much is done.
        span : (float, float)
            From which to which fraction these rounds count.

        Yields
        ------
        state, seen
            After each round.
        """
        for index in range(first, last + 1):
            done = span[0] + (span[1] - span[0]) * (index - first) / (last - first + 1)
            with np.errstate(over="ignore", invalid="ignore"):  # a poisoned model may leave all bounds
                state, seen = trainer.step(state, index, lambda done=done: tell(done))  # type: ignore[misc]
            yield state, seen

    def clean_course(self, tell: Tell) -> list[Seen]:
        """Return what every round saw where nobody attacks: the record itself unless the run was attacked.

        Parameters
        ----------
        tell : callable
            Called while the run is played again.

        Returns
        -------
        list of Seen
            One a round.
        """
        if not self.attacked:
            return [played.seen for played in self.record]
        return [seen for _, seen in self.play(self.clean, self.clean.start(), 1, self.rounds, tell, (0, 0))]

    def clean_state(self, index: int, tell: Tell) -> State:
        """Return the state after a round where nobody attacks.

        Parameters
        ----------
        index : int
            The round; 0 for the start.
        tell : callable
            Called while rounds are played again: a stored run keeps its last state only.

        Returns
        -------
        mapping
            The state.
        """
        if index and not self.attacked and (kept := list(self.record)[index - 1].state) is not None:
            return cast(State, kept)
        states = [self.clean.start()]
        for after, _ in self.play(self.clean, states[0], 1, index, tell, (0, 0)):
            states[:] = [after]
        return states[0]


@dataclass(frozen=True)
class Measure:
    """A line of the table: a name, the function that measures, what it costs, and the axes it makes sense for."""

    name: str
    function: Callable[[Subject, Tell], Found]
    cost: Cost
    axes: tuple[str, ...]

    @property
    def about(self) -> str:
        """The first line of the function's docstring."""
        return (inspect.getdoc(self.function) or "").split("\n", 1)[0]


MEASURES: dict[str, Measure] = {}
"""Measures by name, in the order they were entered."""

_Function = Callable[[Subject, Tell], Found]


def measure(name: str, *, cost: Cost, axes: tuple[str, ...] = ("rows", "columns")) -> Callable[[_Function], _Function]:
    """Enter a function into the table of measures, as a decorator.

    Parameters
    ----------
    name : str
        Unique.
    cost : {"counts", "predictions", "gradients", "trainings"}
        What it takes.
    axes : tuple of str
        "rows", "columns" or both: for which partitions it makes sense.

    Returns
    -------
    callable
        A decorator that returns the function unchanged.
    """

    def keep(function: _Function) -> _Function:
        MEASURES[name] = Measure(name, function, cost, axes)
        return function

    return keep
