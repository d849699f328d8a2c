"""Thresholds by group on the final model of a run: what they change on the clients' test rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trustkit.horizontal.thresholds import USUAL, Goal, group_thresholds, own_scores
from trustkit.horizontal.trainer import RowTrainer
from trustkit.metrics.coding import group_codes
from trustkit.metrics.evaluate import count_groups, softmax
from trustkit.records import RunRecord
from trustkit.rounds import build

__all__ = ["Adjusted", "adjust_thresholds"]


@dataclass(frozen=True, eq=False)
class Adjusted:
    """What thresholds by group give on test rows, and what the model gave before.

    Parameters
    ----------
    attribute : str
        Whose groups.
    goal : {"parity", "opportunity"}
        Which rates were brought together on training rows.
    values : tuple of str
        What the G groups are called.
    thresholds : (K, G) float array
        By client and group, on the chance of the favourable class.
    accuracy_before, accuracy : (K,) float array
        On test rows; NaN for clients without any.
    groups_before, groups : dict of str to (K, G, 2, 2) int array
        Test rows of every protected attribute by client, group, favourable label and prediction.
    """

    attribute: str
    goal: Goal
    values: tuple[str, ...]
    thresholds: np.ndarray
    accuracy_before: np.ndarray
    accuracy: np.ndarray
    groups_before: dict[str, np.ndarray]
    groups: dict[str, np.ndarray]


def adjust_thresholds(record: RunRecord, attribute: str | None = None, goal: Goal = "parity") -> Adjusted:
    """Choose thresholds by client and group on training rows, and try them on test rows.

    Parameters
    ----------
    record : RunRecord
        A run over rows with its last state.
    attribute : str, optional
        A protected attribute; by default the data set's first.
    goal : {"parity", "opportunity"}
        Equal selection rates, or equal true positive rates, in each client.

    Returns
    -------
    Adjusted
        Before and after.

    Raises
    ------
    ValueError
        If there is no such attribute, no row says what it is, or the run is over columns or has no state.

    Notes
    -----
    See `trustkit.horizontal.thresholds.group_thresholds`. Clients need the protected group of whoever they decide on.
    Each uses the model that it is served with, its own where it has one. A row whose class is not the favourable one
    takes the likeliest of the others.

    Examples
    --------
    >>> from trustkit import Experiment, run, use
    >>> record = run(Experiment("acs_employment", use("iid", parties=3), "fedavg", "logistic", rounds=1))
    >>> found = adjust_thresholds(record, "sex")
    >>> found.thresholds.shape
    (3, 2)
    """
    built = build(record.experiment)
    data, trainer = built.fed.data, built.trainer
    if not isinstance(trainer, RowTrainer):
        raise ValueError(f"the run must be over rows, got one over {record.experiment.axis}")
    name = attribute or next(iter(data.sensitive), "")
    if name not in data.sensitive:
        raise ValueError(f"attribute must be one of {', '.join(data.sensitive) or 'none'}, got {name!r}")
    codes, values = group_codes(data.sensitive[name], data.y.size)
    if not values:
        raise ValueError(f"{name} must be known of some row of {data.name}, got none")
    state, positive, G = record.last.state, data.positive, len(values)
    if state is None:
        raise ValueError("the run must have its last state, got one without")
    logits, y = own_scores(trainer, state, "train")
    chances, own = softmax(logits)[:, positive].astype(float), codes[trainer.train.rows]
    cuts, offsets = np.full((len(built.fed), G), USUAL), trainer.train.offsets
    for k in np.flatnonzero(trainer.train.sizes):
        rows = slice(offsets[k], offsets[k + 1])
        cuts[k] = group_thresholds(chances[rows], y[rows] == positive, own[rows], G, goal)
    logits, y = own_scores(trainer, state, "test")
    before, chances = logits.argmax(axis=1), softmax(logits)[:, positive].astype(float)
    owner, tested = np.repeat(np.arange(len(built.fed)), trainer.test.sizes), codes[trainer.test.rows]
    limit = np.where(tested >= 0, cuts[owner, tested], USUAL)
    others = np.where(np.arange(logits.shape[1]) == positive, -np.inf, logits).argmax(axis=1)
    # a group without a threshold of its own keeps the prediction, which with many classes is no cut at 1/2
    after = np.where(limit == USUAL, before, np.where(chances > limit, positive, others))
    accuracy, counts = [], []
    for predicted in (before, after):
        right = np.bincount(owner, predicted == y, len(built.fed))
        size = trainer.test.sizes
        accuracy.append(np.divide(right, size, out=np.full(size.size, np.nan), where=size > 0))
        counts.append(count_groups(predicted, y, trainer.test.offsets, trainer.codes, positive))
    return Adjusted(name, goal, values, cuts, *accuracy, *counts)
