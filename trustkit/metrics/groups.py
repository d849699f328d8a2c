"""Group fairness from counts: what a client can send instead of its rows, and what panels and audits redraw from.

Counts have the shape (…, G, 2, 2): group, label is favourable, prediction is favourable. They add up over clients; the
gaps that follow from them do not.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from trustkit.metrics.coding import group_codes

__all__ = [
    "GroupRates", "accuracy_gap_from_counts", "disparity_from_counts", "flags", "group_counts",
    "opportunity_from_counts", "rates_from_counts",
]  # fmt: skip


class GroupRates(NamedTuple):
    """Rates by group, each (…, G): ``selection``, ``tpr``, ``fpr`` in [0, 1] (NaN without rows), ``size`` in rows."""

    selection: np.ndarray
    tpr: np.ndarray
    fpr: np.ndarray
    size: np.ndarray


def flags(values: Any, what: str) -> np.ndarray:
    """Turn hard 0/1 labels into booleans.

    Parameters
    ----------
    values : (n,) array of bool, or of the numbers 0 and 1
        True or 1 is favourable.
    what : str
        The name for the message.

    Returns
    -------
    (n,) bool array
        The same labels.

    Raises
    ------
    ValueError
        If something else than 0 and 1 occurs, or if it is not a vector.

    Examples
    --------
    >>> flags([1, 0, 1], "pred")
    array([ True, False,  True])
    """
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{what} must be a vector, got shape {array.shape}")
    if array.dtype != bool and array.size and not np.isin(array, (0, 1)).all():
        raise ValueError(f"{what} must hold hard labels 0 and 1, got {np.unique(array)[:5].tolist()}")
    return array.astype(bool)


def group_counts(pred: Any, y: Any, sensitive: Any) -> np.ndarray:
    """Count rows by group, label and prediction.

    Parameters
    ----------
    pred : (n,) array of 0/1 or bool
        Predicted labels; 1 is favourable.
    y : (n,) array of 0/1 or bool
        True labels; 1 is favourable.
    sensitive : (n,) array of anything sortable, or Coded
        The protected attribute, or the `intersection` of several; rows where it is None or NaN are left out.

    Returns
    -------
    (G, 2, 2) int array
        Rows by group (values sorted), label, prediction.

    Raises
    ------
    ValueError
        If a label is not 0 or 1, or if the lengths differ.

    Examples
    --------
    >>> group_counts([1, 0, 1], [1, 1, 0], ["a", "a", "b"]).tolist()
    [[[0, 0], [1, 1]], [[0, 1], [0, 0]]]
    """
    predicted, label = flags(pred, "pred"), flags(y, "y")
    if predicted.shape != label.shape:
        raise ValueError(f"pred and y must have one length, got {predicted.size} and {label.size}")
    codes, values = group_codes(sensitive, predicted.size)
    known = codes >= 0
    cell = 4 * codes[known] + 2 * label[known] + predicted[known]
    return np.bincount(cell, minlength=4 * len(values)).reshape(len(values), 2, 2)


def _ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    return np.asarray(np.divide(part, whole, out=np.full(np.shape(whole), np.nan), where=whole > 0))


def _gap(rate: np.ndarray, base: np.ndarray, min_group: int) -> np.ndarray:
    """Largest minus smallest rate over the last axis; NaN when fewer than two groups count."""
    kept = (base > 0) & (base >= min_group)
    high = np.where(kept, rate, -np.inf).max(axis=-1, initial=-np.inf)
    low = np.where(kept, rate, np.inf).min(axis=-1, initial=np.inf)
    return np.asarray(np.where(kept.sum(axis=-1) > 1, high - low, np.nan))


def rates_from_counts(counts: np.ndarray) -> GroupRates:
    """Return selection rate, true and false positive rate and size of every group.

    Parameters
    ----------
    counts : (…, G, 2, 2) int array
        Rows by group, label is favourable, prediction is favourable.

    Returns
    -------
    GroupRates
        ``selection``, ``tpr``, ``fpr`` (…, G) in [0, 1], NaN where a group has no such row; ``size`` (…, G) in rows.

    Examples
    --------
    >>> rates_from_counts(np.array([[[1, 1], [1, 2]]])).selection.tolist()
    [0.6]
    """
    counts = np.asarray(counts)
    by_label, by_prediction = counts.sum(axis=-1), counts.sum(axis=-2)
    size = by_label.sum(axis=-1)
    return GroupRates(
        _ratio(by_prediction[..., 1], size),
        _ratio(counts[..., 1, 1], by_label[..., 1]),
        _ratio(counts[..., 0, 1], by_label[..., 0]),
        size,
    )


def disparity_from_counts(counts: np.ndarray, min_group: int = 0) -> np.ndarray:
    """Demographic disparity of every client: its largest minus its smallest selection rate.

    Parameters
    ----------
    counts : (…, G, 2, 2) int array
        Rows by (client,) group, label, prediction.
    min_group : int
        Groups with fewer rows than this are left out, at least 0.

    Returns
    -------
    (…,) float array
        In [0, 1]; NaN where fewer than two groups are left.

    Examples
    --------
    >>> disparity_from_counts(np.array([[[[1, 1], [1, 2]], [[3, 0], [1, 1]]]])).round(6).tolist()
    [0.4]
    """
    rates = rates_from_counts(counts)
    return _gap(rates.selection, rates.size, min_group)


def opportunity_from_counts(counts: np.ndarray, min_group: int = 0) -> np.ndarray:
    """Equal opportunity difference of every client: its largest minus its smallest true positive rate.

    Parameters
    ----------
    counts : (…, G, 2, 2) int array
        Rows by (client,) group, label, prediction.
    min_group : int
        Groups with fewer rows *whose label is favourable* than this are left out, at least 0: those are the rows that
        the rate is taken over.

    Returns
    -------
    (…,) float array
        In [0, 1]; NaN where fewer than two groups are left.

    Examples
    --------
    >>> opportunity_from_counts(np.array([[[[1, 1], [1, 3]], [[3, 0], [1, 1]]]])).tolist()
    [0.25]
    """
    positives = np.asarray(counts)[..., 1, :].sum(axis=-1)
    return _gap(rates_from_counts(counts).tpr, positives, min_group)


def accuracy_gap_from_counts(counts: np.ndarray, min_group: int = 0) -> np.ndarray:
    """Largest minus smallest accuracy over the groups.

    Parameters
    ----------
    counts : (…, G, 2, 2) int array
        Rows by (client,) group, label, prediction.
    min_group : int
        Groups with fewer rows than this are left out, at least 0.

    Returns
    -------
    (…,) float array
        In [0, 1]; NaN where fewer than two groups are left.

    Notes
    -----
    max over g of P(pred = y | A = g), minus the same min.

    Source
    ------
    FeDa4Fair (Heilmann et al. 2025), what the data card's code computes under the name of equal opportunity.

    Deviations
    ----------
    None; the card's text defines another gap, `opportunity_from_counts`.

    Examples
    --------
    >>> accuracy_gap_from_counts(np.array([[[[1, 1], [1, 2]], [[3, 0], [1, 1]]]])).round(6).tolist()
    [0.2]
    """
    counts = np.asarray(counts)
    size = counts.sum(axis=(-1, -2))
    return _gap(_ratio(counts[..., 0, 0] + counts[..., 1, 1], size), size, min_group)
