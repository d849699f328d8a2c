"""Gaps between groups from counts: how large, as a ratio, who is worse off, and why there is none.

Counts have the shape (…, G, 2, 2): group, label is favourable, prediction is favourable.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, get_args

import numpy as np

__all__ = ["Gaps", "Rate", "gaps_from_counts", "group_rate", "why_undefined"]

Rate = Literal["selection", "tpr", "fpr", "odds", "accuracy", "f1"]
"""What is compared between groups; "odds" is whichever of tpr and fpr differs more."""

_BASE = {
    "selection": "a row",
    "tpr": "a row whose label is favourable",
    "fpr": "a row whose label is unfavourable",
    "accuracy": "a row",
    "f1": "a favourable label or prediction",
}


class Gaps(NamedTuple):
    """Gaps, all (…): ``gap`` and ``ratio`` in [0, 1] (NaN where undefined), who is better and worse off, groups.

    ``better`` and ``worse`` are the groups with the largest and the smallest rate, the first of several, −1 where
    undefined; the same group where all rates are equal. ``groups`` says how many groups took part.
    """

    gap: np.ndarray
    ratio: np.ndarray
    better: np.ndarray
    worse: np.ndarray
    groups: np.ndarray


def _checked(counts: Any, rate: str) -> np.ndarray:
    cells = np.asarray(counts)
    if cells.ndim < 3 or cells.shape[-2:] != (2, 2):
        raise ValueError(f"counts must be (…, G, 2, 2), got shape {cells.shape}")
    if rate not in get_args(Rate):
        raise ValueError(f"rate must be one of {', '.join(get_args(Rate))}, got {rate!r}")
    return cells


def _parts(cells: np.ndarray, rate: str) -> tuple[np.ndarray, np.ndarray]:
    """Return numerator and denominator of a rate, each (…, G)."""
    if rate in ("tpr", "fpr"):
        row = cells[..., int(rate == "tpr"), :]
        return row[..., 1], row.sum(axis=-1)
    right = cells[..., 0, 0] + cells[..., 1, 1]
    if rate == "f1":
        hits = 2 * cells[..., 1, 1]
        return hits, hits + cells[..., 0, 1] + cells[..., 1, 0]
    size = cells.sum(axis=(-2, -1))
    return (right if rate == "accuracy" else cells[..., 1].sum(axis=-1)), size


def _size(cells: np.ndarray, rate: str) -> np.ndarray:
    """Return (…, G): the rows that the minimum group size is about."""
    return cells.sum(axis=(-2, -1)) if rate == "f1" else _parts(cells, rate)[1]


def group_rate(counts: Any, rate: Literal["selection", "tpr", "fpr", "accuracy", "f1"] = "selection") -> np.ndarray:
    """Return one rate of every group.

    Parameters
    ----------
    counts : (…, G, 2, 2) int array
        Rows by group, label is favourable, prediction is favourable.
    rate : {"selection", "tpr", "fpr", "accuracy", "f1"}
        Selection rate, true or false positive rate, accuracy, F1 score.

    Returns
    -------
    (…, G) float array
        In [0, 1]; NaN where a group lacks the rows that the rate is taken over.

    Raises
    ------
    ValueError
        If the counts have another shape, or the rate is unknown.

    Notes
    -----
    selection (TP + FP)/n; tpr TP/(TP + FN); fpr FP/(FP + TN); accuracy (TP + TN)/n; f1 2 TP/(2 TP + FP + FN).

    Source
    ------
    Confusion matrix by group, as in fairlearn's ``MetricFrame``.

    Deviations
    ----------
    Without a row to count, a rate is NaN, where fairlearn has 0.

    Examples
    --------
    >>> group_rate([[[1, 1], [1, 2]], [[3, 0], [0, 0]]], "tpr").round(4).tolist()
    [0.6667, nan]
    """
    if rate not in _BASE:
        raise ValueError(f"rate must be one of {', '.join(_BASE)}, got {rate!r}")
    cells = _checked(counts, rate)
    part, whole = _parts(cells, rate)
    return np.asarray(np.divide(part, whole, out=np.full(np.shape(whole), np.nan), where=whole > 0))


def gaps_from_counts(counts: Any, rate: Rate = "selection", min_group: int = 0) -> Gaps:
    """Compare the groups of every client: gap, ratio, and who is better and worse off.

    Parameters
    ----------
    counts : (…, G, 2, 2) int array
        Rows by (client,) group, label is favourable, prediction is favourable.
    rate : {"selection", "tpr", "fpr", "odds", "accuracy", "f1"}
        What is compared; "odds" is whichever of tpr and fpr has the larger gap.
    min_group : int
        Groups with fewer rows than this, of those that the rate is taken over, are left out; at least 0.

    Returns
    -------
    Gaps
        NaN and −1 where fewer than two groups are left; `why_undefined` says why. A ratio is NaN too where all rates
        are 0.

    Raises
    ------
    ValueError
        If the counts have another shape, the rate is unknown, or the minimum is negative.

    Notes
    -----
    gap = max over g of r_g − min over g of r_g; ratio = min r_g / max r_g; for "odds" the smaller of the two ratios.

    Source
    ------
    FeDa4Fair (Heilmann et al. 2025): demographic disparity (selection), the card's EOD (tpr), the authors' EO (odds);
    the pair of values of its value bias. fairlearn's differences and ratios.

    Deviations
    ----------
    Groups without a rate are left out, where fairlearn takes it as 0.

    Examples
    --------
    >>> found = gaps_from_counts([[[[1, 1], [1, 2]], [[3, 0], [1, 1]]]])
    >>> found.gap.round(4).tolist(), found.ratio.round(4).tolist(), found.better.tolist(), found.worse.tolist()
    ([0.4], [0.3333], [0], [1])
    """
    cells = _checked(counts, rate)
    if min_group < 0:
        raise ValueError(f"min_group must be at least 0, got {min_group!r}")
    if rate != "odds":
        return _gaps(cells, rate, min_group)
    one, other = (_gaps(cells, each, min_group) for each in ("tpr", "fpr"))
    second = np.where(np.isnan(one.gap), True, other.gap > one.gap)
    both = [np.where(second, b, a) for a, b in zip(one, other, strict=True)]
    return Gaps(both[0], np.fmin(one.ratio, other.ratio), *both[2:])


def _gaps(cells: np.ndarray, rate: Any, min_group: int) -> Gaps:
    rates = group_rate(cells, rate)
    kept = ~np.isnan(rates) & (_size(cells, rate) >= min_group)
    groups = kept.sum(axis=-1)
    defined = groups > 1
    if not rates.shape[-1]:
        nothing = np.full(defined.shape, np.nan)
        return Gaps(nothing, nothing, np.full(defined.shape, -1), np.full(defined.shape, -1), groups)
    top, bottom = np.where(kept, rates, -np.inf), np.where(kept, rates, np.inf)
    high, low = np.where(defined, top.max(axis=-1), np.nan), np.where(defined, bottom.min(axis=-1), np.nan)
    ratio = np.divide(low, high, out=np.full(defined.shape, np.nan), where=high > 0)
    better, worse = (np.where(defined, at, -1) for at in (top.argmax(axis=-1), bottom.argmin(axis=-1)))
    return Gaps(np.asarray(high - low), np.asarray(ratio), better, worse, groups)


def why_undefined(counts: Any, rate: Rate = "selection", min_group: int = 0) -> np.ndarray:
    """Say why a gap is not defined.

    Parameters
    ----------
    counts : (…, G, 2, 2) int array
        Rows by (client,) group, label is favourable, prediction is favourable.
    rate : {"selection", "tpr", "fpr", "odds", "accuracy", "f1"}
        As in `gaps_from_counts`.
    min_group : int
        As in `gaps_from_counts`, at least 0.

    Returns
    -------
    (…,) array of str
        A few words; empty where the gap is defined.

    Raises
    ------
    ValueError
        As `gaps_from_counts`.

    Source
    ------
    The rule of `gaps_from_counts`.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> why_undefined([[[[1, 1], [0, 0]], [[0, 0], [0, 0]]], [[[1, 1], [0, 0]], [[1, 0], [0, 1]]]], "tpr").tolist()
    ['one group only', 'fewer than two groups have a row whose label is favourable']
    """
    cells = _checked(counts, rate)
    found = gaps_from_counts(cells, rate, min_group)
    present = (cells.sum(axis=(-2, -1)) > 0).sum(axis=-1)
    needed = "rows of one label" if rate == "odds" else _BASE[rate]
    without = gaps_from_counts(cells, rate, 0)
    said = [
        (~np.isnan(found.gap), ""),
        (present == 0, "no rows"),
        (present == 1, "one group only"),
        (np.isnan(without.gap), f"fewer than two groups have {needed}"),
    ]
    small = f"fewer than two groups have {min_group} or more such rows"
    return np.select([np.asarray(when) for when, _ in said], [words for _, words in said], small)
