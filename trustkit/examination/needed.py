"""How much memory a measure takes beside the run itself: reckoned and refused before anything is measured."""

from __future__ import annotations

import numpy as np

from trustkit import memory
from trustkit.examination.contributed import COMPLETED
from trustkit.examination.disclosed import steps_kept
from trustkit.examination.subject import Measure, Subject
from trustkit.exposure.measure import heard_fits
from trustkit.horizontal.binding import needs_of
from trustkit.horizontal.trainer import RowTrainer

__all__ = ["too_large"]

_NUMBER = 24
"""Bytes for each number of the steps that leakage is estimated from: single and double precision, and a product."""


def too_large(subject: Subject, measure: Measure) -> str:
    """Say why a measure will not fit into memory.

    Parameters
    ----------
    subject : Subject
        The run.
    measure : Measure
        A line of the table of measures.

    Returns
    -------
    str
        A sentence with the numbers; empty if it fits.

    Notes
    -----
    What plays rounds again takes what a round of the run takes, with all clients at once where there are few enough
    for all of them to train, and a copy of their rows, which attackers change. What looks at a thousand rows takes
    little, and is not reckoned.
    """
    trainer = subject.trainer
    try:
        if not isinstance(trainer, RowTrainer):
            _across(subject, measure)
        elif measure.name == "leakage":
            size = _NUMBER * 2 * steps_kept(trainer.model.parameters) * trainer.model.parameters
            memory.fits(f"the steps that {measure.name} is estimated from", size)
        elif measure.cost == "trainings":
            players = int(np.count_nonzero(trainer.train.sizes))
            few = measure.name == "contributions" and players <= COMPLETED
            together = players if few else max(1, round(trainer.share * players))
            memory.fits(f"{measure.name}, which plays rounds of {together:,} clients again,",
                        needs_of(trainer, together).total())  # fmt: skip
    except ValueError as error:
        return str(error)
    return ""


def _across(subject: Subject, measure: Measure) -> None:
    """Refuse attacks on messages that will not fit."""
    if measure.name == "exposure":
        heard_fits(subject.record)
