"""Thresholds by group on a finished model: chosen on training rows, client by client, so that rates come together."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, get_args

import numpy as np

from trustkit.horizontal.trainer import RowTrainer
from trustkit.records import State

__all__ = ["USUAL", "Goal", "group_thresholds", "own_scores"]

Goal = Literal["parity", "opportunity"]
"""Equal selection rates, or equal true positive rates."""

USUAL = 0.5
"""The threshold of a group about which nothing can be said."""


def group_thresholds(scores: np.ndarray, y: np.ndarray, groups: np.ndarray, count: int, goal: Goal) -> np.ndarray:
    """Choose a threshold for each group, so that their rates are as equal as ties allow and accuracy is largest.

    Parameters
    ----------
    scores : (n,) float array
        The chance of the favourable class, in [0, 1].
    y : (n,) bool array
        Whether the label is favourable.
    groups : (n,) int array
        Protected groups 0 … G−1; −1 where not known.
    count : int
        G, at least 1.
    goal : {"parity", "opportunity"}
        Equal selection rates, or equal true positive rates.

    Returns
    -------
    (G,) float array
        A row is favoured if its score exceeds its group's threshold; infinite where all or none are. 0.5 for groups
        without the rows that a rate is taken over, and for all if there are fewer than two others.

    Raises
    ------
    ValueError
        If the goal is unknown.

    Notes
    -----
    Each group can be cut wherever two of its scores differ. Every rate that some group can have is tried: each group
    takes the cut whose rate is nearest, and of those the one with most rows right. The rate with most rows right in all
    is kept, of equal ones the one with the smallest gap.

    Source
    ------
    Hardt, Price and Srebro (2016), "Equality of opportunity in supervised learning", without randomised thresholds;
    per client as in arXiv 2501.15318.

    Deviations
    ----------
    Without randomisation the rates are equal up to one row of the smaller group, and up to ties.

    Examples
    --------
    >>> scores, y = np.array([0.9, 0.6, 0.4, 0.3]), np.array([True, False, True, False])
    >>> group_thresholds(scores, y, np.array([0, 0, 1, 1]), 2, "parity").round(2).tolist()
    [0.75, 0.35]
    """
    if goal not in get_args(Goal):
        raise ValueError(f"goal must be 'parity' or 'opportunity', got {goal!r}")
    base = y if goal == "opportunity" else np.ones(y.size, bool)
    able = [a for a in range(count) if (base & (groups == a)).any()]
    thresholds = np.full(count, USUAL)
    if len(able) < 2:
        return thresholds
    cuts = [_cuts(scores[groups == a], y[groups == a], goal) for a in able]
    wanted = np.unique(np.concatenate([rates for rates, _, _ in cuts]))
    chosen = [_nearest(rates, wanted) for rates, _, _ in cuts]
    right = sum(hits[at] for (_, hits, _), at in zip(cuts, chosen, strict=True))
    achieved = np.stack([rates[at] for (rates, _, _), at in zip(cuts, chosen, strict=True)])
    best = np.lexsort((np.ptp(achieved, axis=0), -np.asarray(right)))[0]
    for a, (_, _, values), at in zip(able, cuts, chosen, strict=True):
        thresholds[a] = values[at[best]]
    return thresholds


def _cuts(scores: np.ndarray, y: np.ndarray, goal: Goal) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the distinct rates that a group can have, ascending, most rows right at each, and the threshold."""
    order = np.argsort(-scores, kind="stable")
    s, hits = scores[order], np.concatenate([[0], np.cumsum(y[order])])
    taken = np.flatnonzero(np.concatenate([[True], s[:-1] > s[1:], [True]]))
    right = 2 * hits[taken] - taken + np.count_nonzero(~y)
    rates = hits[taken] / y.sum() if goal == "opportunity" else taken / s.size
    values = np.full(taken.size, np.inf)
    values[-1] = -np.inf
    inner = taken[1:-1]
    above, below = s[inner - 1], s[inner]
    middle = below + (above - below) / 2
    values[1:-1] = np.where(middle < above, middle, below)
    ranked = np.lexsort((-right, rates))
    first = ranked[np.unique(rates[ranked], return_index=True)[1]]
    return rates[first], right[first], values[first]


def _nearest(rates: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return where the ascending rates are nearest to the wanted ones."""
    upper = np.clip(np.searchsorted(rates, wanted), 0, rates.size - 1)
    lower = np.maximum(upper - 1, 0)
    return np.where(wanted - rates[lower] < rates[upper] - wanted, lower, upper)


def own_scores(trainer: RowTrainer, state: State, part: Literal["train", "test"]) -> tuple[np.ndarray, np.ndarray]:
    """Score each client's rows by the model that it would use.

    Parameters
    ----------
    trainer : RowTrainer
        Any algorithm over rows.
    state : mapping
        Any state of it.
    part : {"train", "test"}
        Which rows; those to train on as the client trains on them.

    Returns
    -------
    logits : (N, C) float array
        Of the stacked rows.
    y : (N,) int array
        Their classes.
    """
    rows = trainer.test
    if part == "train":
        X, y = trainer._rows
        rows = replace(trainer.train, X=X, y=y)
    return replace(trainer, test=rows)._scores(state), rows.y
