"""`exposure_of` attacks a run over columns by its own messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from trustkit.experiment import Experiment
from trustkit.exposure.attacks import Scene, feature_attacks, label_attacks, membership_attack
from trustkit.exposure.messages import made_of, messages_of
from trustkit.exposure.result import Exposure, Finding
from trustkit.records import Progress, RunRecord, State
from trustkit.rng import stream
from trustkit.rounds import build, run
from trustkit.threads import one_blas_thread
from trustkit.vertical.table import ColumnTable, laid_out

__all__ = ["exposure_of", "row_losses"]


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
        If the run is over rows, has lost its state, or a number is out of range.

    Notes
    -----
    Messages are those of the round after the last one, made by the code that trains; labels are attacked in the first
    round's besides, where gradients are largest. Of a run that was simulated in one place they are those of the
    exchange, whose trees are the same.

    Examples
    --------
    >>> from trustkit import use
    >>> found = exposure_of(Experiment("wine", use("importance", parties=2), "splitnn", rounds=1), rows=60, seeds=[0])
    >>> found.worst("labels").target, 0 <= found.share("features") <= 1
    ('labels', True)
    """
    numbers = _checked(rows, seeds, labelled, pairs, parties)
    record = run(subject) if isinstance(subject, Experiment) else subject
    experiment = record.experiment
    if experiment.axis != "columns":
        raise ValueError(f"exposure attacks runs over columns, got {experiment.algorithm.name} over {experiment.axis}")
    if record.last.state is None:
        raise ValueError(f"the last round of a run must have its state, got round {record.last.index} without")
    built = build(experiment)
    if "simulated" in built.trainer.facts:
        built = build(experiment.change(algorithm__engine="exchange"))
    trainer: Any = built.trainer
    table = laid_out(built.fed, experiment.algorithm.name)
    chosen = np.sort(stream(seed, "exposure", "rows").permutation(table.y.size)[:rows])
    scene = Scene(table, chosen, numbers, labelled, pairs)
    others = range(1, min(table.parties, 1 + parties))
    findings: list[Finding] = []
    tell = progress or (lambda words, done: None)
    moments = (("first round", trainer.start(), 1), ("last round", record.last.state, record.last.index + 1))
    with one_blas_thread():
        for place, (moment, state, index) in enumerate(moments):
            tell(f"messages of the {moment}", place / 3)
            heard = messages_of(trainer, state, chosen, index, table.y.size)
            for k in others:
                findings += label_attacks(scene, heard, k, moment, made_of(trainer, state, chosen, k))
                findings += feature_attacks(scene, heard, k, moment) if place else ()
        tell("membership", 2 / 3)
        findings.append(membership_attack(*_losses(trainer, record.last.state, table, chosen), numbers))
    tell("attacked", 1.0)
    return Exposure(tuple(findings), numbers, int(chosen.size))


def _checked(rows: int, seeds: Sequence[int], labelled: int, pairs: float, parties: int) -> tuple[int, ...]:
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
