"""`exposure_of` attacks a run over columns by its own messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from trustkit import memory
from trustkit.experiment import Experiment
from trustkit.exposure.attacks import AVERAGED, Scene, feature_attacks, label_attacks, membership_attack
from trustkit.exposure.messages import averaged, made_of, messages_of
from trustkit.exposure.result import Exposure, Finding
from trustkit.records import Progress, RunRecord, State
from trustkit.rng import stream
from trustkit.rounds import Built, build, play, run
from trustkit.threads import one_blas_thread
from trustkit.vertical.table import ColumnTable, laid_out

__all__ = ["checked", "exposure_of", "heard_fits", "row_losses"]

_NUMBERS = ("gradient", "histogram", "instance set", "prediction", "residual")
"""Kinds of messages that are heard as the numbers they are; of ciphertexts and shares only the bytes are counted."""

_COPIES = 4
"""Bytes held for each byte that is heard: itself, its line by row, and what it is made of (measured: 2.4 to 5.4)."""


def exposure_of(
    subject: RunRecord | Experiment, *, rows: int = 600, seeds: Sequence[int] = range(3), labelled: int = 5,
    pairs: float = 0.5, parties: int = 2, seed: int = 0, progress: Progress | None = None,
) -> Exposure:  # fmt: skip
    """Attack a run over columns: its labels, its parties' features, and who was trained on.

    Parameters
    ----------
    subject : RunRecord or Experiment
        Over columns; a record's last round has its state. An experiment is played first.
    rows : int
        At least 20: training rows that are attacked, if there are so many.
    seeds : sequence of int
        At least one, each once: which rows the attacker knows. Bands are over them.
    labelled : int
        At least 1: rows of each class whose label a party knows beforehand.
    pairs : float
        Above 0, below 1: share of the attacked rows whose columns the first party knows beforehand; of a regression
        also the share whose label a party knows.
    parties : int
        At least 1: how many of the other parties attack and are attacked, the first ones.
    seed : int
        Which rows are attacked.
    progress : callable, optional
        Told what is done and how much of it is done, 0 … 1.

    Returns
    -------
    Exposure
        One line an attack. Attacks are lower bounds: what is not found is not safe.

    Raises
    ------
    ValueError
        If the run is over rows, has lost its state, a number is out of range, or its messages will not fit into memory.

    Notes
    -----
    Messages are those of the round after the last one, made by the code that trains; labels are attacked in the first
    round's besides, where gradients are largest. Where a protocol sends a line for every row in every round (SplitNN,
    C-VFL, BlindFL), so are the means of the lines over the second half of the rounds: fresh noise averages out. Of a
    run that was simulated in one place messages are those of the exchange, whose trees are the same.

    Examples
    --------
    >>> from trustkit import use
    >>> found = exposure_of(Experiment("wine", use("importance", parties=2), "splitnn", rounds=1), rows=60, seeds=[0])
    >>> found.worst("labels").target, 0 <= found.share("features") <= 1
    ('labels', True)
    """
    numbers = checked(rows=rows, seeds=seeds, labelled=labelled, pairs=pairs, parties=parties)
    record = run(subject) if isinstance(subject, Experiment) else subject
    experiment = record.experiment
    if experiment.axis != "columns":
        raise ValueError(f"exposure attacks runs over columns, got {experiment.algorithm.name} over {experiment.axis}")
    if record.last.state is None:
        raise ValueError(f"the last round of a run must have its state, got round {record.last.index} without")
    heard_fits(record)
    built = _exchanged(experiment)
    trainer: Any = built.trainer
    table = laid_out(built.fed, experiment.algorithm.name)
    chosen = np.sort(stream(seed, "exposure", "rows").permutation(table.y.size)[:rows])
    scene = Scene(table, chosen, numbers, labelled, pairs)
    course = _Course(progress, range(1, min(table.parties, 1 + parties)))
    moments = (("first round", trainer.start(), 1), ("last round", record.last.state, record.last.index + 1))
    with one_blas_thread():
        for place, (moment, state, index) in enumerate(moments):
            course.tell(f"messages of the {moment}", place)
            heard = messages_of(trainer, state, chosen, index, table.y.size, course.tick)
            for k in course.each():
                course.take(label_attacks(scene, heard, k, moment, made_of(trainer, state, chosen, k)))
                course.take(feature_attacks(scene, heard, k, moment) if place else ())
        course.tell(f"messages, {AVERAGED}", 2)
        states = _states(record, course.tick) if hasattr(trainer, "overheard") else []
        if len(states) > 1:
            heard = averaged(trainer, states, chosen, record.last.index - len(states) + 2)
            for k in course.each():
                course.take(label_attacks(scene, heard, k, AVERAGED))
                course.take(feature_attacks(scene, heard, k, AVERAGED))
        course.tell("membership", 3)
        course.take([membership_attack(*_losses(trainer, record.last.state, table, chosen), numbers)])
    course.tell("attacked", 4)
    return Exposure(tuple(course.findings), numbers, int(chosen.size))


class _Course:
    """What attacks on some parties have found, and who hears how far they are, and may stop them."""

    def __init__(self, progress: Progress | None, others: range) -> None:
        self.findings: list[Finding] = []
        self._progress, self._others = progress, others
        self._words, self._done = "", 0.0

    def tell(self, words: str, quarter: float) -> None:
        self._words, self._done = words, quarter / 4
        self.tick()

    def tick(self) -> None:
        """Tell the same again."""
        if self._progress is not None:
            self._progress(self._words, self._done)

    def each(self) -> Iterator[int]:
        """Yield the parties, telling that as much of a quarter is done as of them."""
        begun = 4 * self._done
        for k in self._others:
            self.tell(self._words, begun + (k - 1) / len(self._others))
            yield k

    def take(self, attacks: Iterable[Finding]) -> None:
        for found in attacks:
            self.findings.append(found)
            self.tick()


def _exchanged(experiment: Experiment) -> Built:
    """Build an experiment so that its messages can be heard, though it was simulated in one place."""
    built = build(experiment)
    return build(experiment.change(algorithm__engine="exchange")) if "simulated" in built.trainer.facts else built


def heard_fits(record: RunRecord) -> None:
    """Refuse a run whose messages will not fit into memory, before any is heard.

    Parameters
    ----------
    record : RunRecord
        Over columns, at least one round.

    Raises
    ------
    ValueError
        With the numbers.

    Notes
    -----
    Where a trainer can be asked, the states of half the rounds are held, unless the record has them; of another all
    messages of a round, once more those that have a line for every row, and what the parties make them of.
    """
    if hasattr(_exchanged(record.experiment).trainer, "overheard"):
        memory.keeps(record.last.state or {}, len(record) - len(record) // 2 if _lost(record) else 0)
        return
    heard = sum(float(sent[0].sum()) for kind, sent in record.last.traffic.items() if kind in _NUMBERS)
    memory.fits(f"the messages of a round of {record.experiment.algorithm.name}", int(_COPIES * heard))


def _lost(record: RunRecord) -> bool:
    """Whether a state of the second half of the rounds was not kept."""
    return any(played.state is None for played in islice(record, len(record) // 2, None))


def _states(record: RunRecord, tick: Callable[[], None]) -> list[State]:
    """Return the states of the second half of the rounds, playing the run again where they were not kept."""
    again = play(record.experiment, tick=tick) if _lost(record) else iter(record)
    return [played.state for played in islice(again, len(record) // 2, len(record)) if played.state is not None]


def checked(
    *, rows: int = 600, seeds: Sequence[int] = range(3), labelled: int = 5, pairs: float = 0.5, parties: int = 2,
    seed: int = 0,
) -> tuple[int, ...]:  # fmt: skip
    """Refuse what `exposure_of` could not attack with, before anything is played.

    Parameters
    ----------
    rows, seeds, labelled, pairs, parties, seed
        As for `exposure_of`.

    Returns
    -------
    tuple of int
        The seeds of the attacks.

    Raises
    ------
    ValueError
        If a number is out of range, or seeds repeat.

    Examples
    --------
    >>> checked(seeds=[0, 3])
    (0, 3)
    """
    numbers = tuple(int(each) for each in seeds)
    if not numbers or len(set(numbers)) != len(numbers):
        raise ValueError(f"seeds must be at least one and differ, got {', '.join(map(str, numbers)) or 'none'}")
    for name, value, least in (("rows", rows, 20), ("labelled", labelled, 1), ("parties", parties, 1)):
        if value < least:
            raise ValueError(f"{name} must be at least {least}, got {value!r}")
    if not 0 < pairs < 1:
        raise ValueError(f"pairs must be above 0 and below 1, got {pairs!r}")
    return numbers


def _losses(trainer: Any, state: State, table: ColumnTable, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return each row's loss by the joint model: training rows, and held-out ones."""
    low, span = table.low, table.span
    train = table.y[rows] if table.classes else table.y[rows] * span + low
    return tuple(  # type: ignore[return-value]
        row_losses(np.asarray(trainer.logits(state, X), float), y, table.classes)
        for X, y in ((table.X[rows], train), (table.X_test, table.y_test))
    )


def row_losses(scores: np.ndarray, y: np.ndarray, classes: int) -> np.ndarray:
    """Return each row's own loss.

    Parameters
    ----------
    scores : (n, C) float array
        Logits, or (n, 1) numbers.
    y : (n,) array
        Class numbers, or numbers in the same unit.
    classes : int
        0 for numbers.

    Returns
    -------
    (n,) float array
        Cross-entropy in nats, or squared error.
    """
    if not classes:
        return np.asarray((scores[:, 0] - y) ** 2)
    peak = scores.max(axis=1)
    return np.asarray(np.log(np.exp(scores - peak[:, None]).sum(axis=1)) + peak - scores[np.arange(y.size), y])
