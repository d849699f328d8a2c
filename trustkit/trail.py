"""How trust grew: the scores of a run round by round, from what every round counts."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from trustkit.metrics import coefficient_of_variation, worst_share_mean
from trustkit.records import RunRecord
from trustkit.trust import FactSheet, Profile, TrustReport, assess

__all__ = ["Trail", "trail_of"]


@dataclass(frozen=True, eq=False)
class Trail:
    """Fact sheets of a run, as they were after its rounds.

    Parameters
    ----------
    rounds : tuple of int
        Which rounds, from 1; the last is the run's last.
    sheets : tuple of FactSheet
        One for each of them.
    """

    rounds: tuple[int, ...]
    sheets: tuple[FactSheet, ...]

    def reports(
        self, profile: str | os.PathLike[str] | Profile = "paper", weights: Mapping[str, float] | None = None
    ) -> tuple[TrustReport, ...]:
        """Score every round.

        Parameters
        ----------
        profile : str, path-like or Profile
            As `assess` takes it.
        weights : mapping of str to float, optional
            By pillar, notion or metric.

        Returns
        -------
        tuple of TrustReport
            One for each round.

        Raises
        ------
        KeyError, TypeError, ValueError
            As `assess` does.
        """
        return tuple(assess(sheet, profile, weights) for sheet in self.sheets)


def trail_of(record: RunRecord, facts: FactSheet, most: int = 40) -> Trail:
    """Follow a run's fact sheet through its rounds.

    Parameters
    ----------
    record : RunRecord
        At least one round.
    facts : FactSheet
        Of that run, as `facts_of` fills it.
    most : int
        At least 1: how many rounds are followed; of a longer run they are spread evenly, with the first and the last.

    Returns
    -------
    Trail
        What a round counts is followed: accuracy and its variation, who was selected, ε, bytes and seconds. All else,
        such as CLEVER and Shapley values of the final model, keeps the value of ``facts``. Nothing is measured anew.

    Raises
    ------
    ValueError
        If the run has no round, or ``most`` is below 1.

    Examples
    --------
    >>> from trustkit.preset import presets
    >>> from trustkit.rounds import run
    >>> record = run(presets()["start"].change(rounds=3))
    >>> trail_of(record, FactSheet({"performance/test_acc_avg": 0.5})).rounds
    (1, 2, 3)
    """
    if most < 1:
        raise ValueError(f"most must be at least 1 round, got {most!r}")
    if not len(record):
        raise ValueError("the run has no finished round yet")
    shown = np.unique(np.linspace(len(record) if most == 1 else 1, len(record), min(most, len(record))).round())
    sheets = []
    for count in shown.astype(int):
        known = {key: value for key, value in _counted(record, int(count)) if key in facts.values}
        sheets.append(facts.with_facts(known))
    return Trail(tuple(record.index[shown.astype(int) - 1].tolist()), tuple(sheets))


def _counted(record: RunRecord, count: int) -> Iterator[tuple[str, float]]:
    """What the first rounds counted, by fact, as `facts_of` has it for all of them."""
    last = list(record)[count - 1]
    accuracy, loss = (values[np.isfinite(values)] for values in (last.accuracy, last.loss))
    yield "performance/test_acc_avg", float(accuracy.mean()) if accuracy.size else math.nan
    yield "performance/test_loss_avg", float(loss.mean()) if loss.size else math.nan
    yield "performance/worst_tenth_accuracy", worst_share_mean(accuracy) if accuracy.size else math.nan
    yield "performance/rounds_played", count
    yield "fairness/test_acc_cv", coefficient_of_variation(accuracy) if accuracy.size > 1 else math.nan
    yield "fairness/selection_cv", coefficient_of_variation(record.selected[:count].mean(0))
    yield "privacy/epsilon", math.inf if record.experiment.privacy is None else float(last.epsilon)
    yield "system/training_seconds", float(record.seconds[:count].sum())
    yield "system/upload_bytes", float(record.bytes_up[:count].sum(0).mean())
    yield "system/download_bytes", float(record.bytes_down[:count].sum(0).mean())
