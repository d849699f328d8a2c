"""Group fairness of one set of predictions: gaps between the groups of a protected attribute.

A group without the rows that a rate is taken over is left out; with fewer than two groups left a gap is NaN: not
defined, which is not the same as 0.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from trustkit.metrics.groups import (
    accuracy_gap_from_counts,
    disparity_from_counts,
    flags,
    group_counts,
    opportunity_from_counts,
    rates_from_counts,
)

__all__ = [
    "demographic_disparity", "discrimination_from_counts", "discrimination_index", "equal_opportunity_difference",
    "equalized_odds_difference",
]  # fmt: skip


def demographic_disparity(
    pred: Any, sensitive: Any, *, min_group: int = 0, method: Literal["between_groups", "to_overall"] = "between_groups"
) -> float:
    """Return the largest minus the smallest selection rate over the groups.

    Parameters
    ----------
    pred : (n,) array of 0/1 or bool
        Predicted labels; 1 is favourable.
    sensitive : (n,) array of anything sortable
        The protected attribute; rows where it is None or NaN are left out.
    min_group : int
        Groups with fewer rows than this are left out, at least 0.
    method : {"between_groups", "to_overall"}
        "to_overall": the largest distance of a group's rate from the rate of all rows with a known group.

    Returns
    -------
    float
        In [0, 1], 0 is best; NaN when fewer than two groups are left.

    Raises
    ------
    ValueError
        If a label is not 0 or 1, if the lengths differ, or if the method is unknown.

    Notes
    -----
    max over g of P(pred = 1 | A = g), minus the same min. To overall: max over g of
    |P(pred = 1 | A = g) − P(pred = 1)|.

    Source
    ------
    FeDa4Fair (Heilmann et al. 2025), demographic disparity; fairlearn's ``demographic_parity_difference``.

    Deviations
    ----------
    A single group gives NaN, where fairlearn and the card's recipe give 0. Rows without a group are in no rate.

    Examples
    --------
    >>> round(demographic_disparity([1, 1, 0, 1, 0], ["a", "a", "a", "b", "b"]), 4)
    0.1667
    """
    if method not in ("between_groups", "to_overall"):
        raise ValueError(f"method must be 'between_groups' or 'to_overall', got {method!r}")
    counts = group_counts(pred, pred, sensitive)
    between = float(disparity_from_counts(counts, min_group))
    if method == "between_groups" or np.isnan(between):
        return between
    rates = rates_from_counts(counts)
    overall = rates_from_counts(counts.sum(axis=0, keepdims=True)).selection
    kept = (rates.size > 0) & (rates.size >= min_group)
    return float(np.abs(rates.selection - overall)[kept].max())


def equal_opportunity_difference(
    pred: Any, y: Any, sensitive: Any, *, min_group: int = 0, definition: Literal["text", "card_recipe"] = "text"
) -> float:
    """Return the largest minus the smallest true positive rate over the groups.

    Parameters
    ----------
    pred : (n,) array of 0/1 or bool
        Predicted labels; 1 is favourable.
    y : (n,) array of 0/1 or bool
        True labels; 1 is favourable.
    sensitive : (n,) array of anything sortable
        The protected attribute; rows where it is None or NaN are left out.
    min_group : int
        Groups with fewer favourable-label rows ("card_recipe": rows) than this are left out, at least 0.
    definition : {"text", "card_recipe"}
        "text": the gap in true positive rate. "card_recipe": the gap in accuracy, as the data card's code computes it.

    Returns
    -------
    float
        In [0, 1], 0 is best; NaN when fewer than two groups are left.

    Raises
    ------
    ValueError
        If a label is not 0 or 1, if the lengths differ, or if the definition is unknown.

    Notes
    -----
    max over g of P(pred = 1 | y = 1, A = g), minus the same min.

    Source
    ------
    FeDa4Fair (Heilmann et al. 2025), text of the data card.

    Deviations
    ----------
    The card's recipe averages pred == y over whole groups, an accuracy gap: it can be 0 where this gap is 1, and the
    other way round. The paper's repository measures equalized odds under the same letters. A group without favourable
    labels is left out, where fairlearn takes its rate as 0.

    Examples
    --------
    >>> pred, y, group = [1, 1, 1, 1, 0, 0, 0, 0], [1, 1, 0, 0, 1, 1, 0, 0], list("aaaabbbb")
    >>> equal_opportunity_difference(pred, y, group)
    1.0
    >>> equal_opportunity_difference(pred, y, group, definition="card_recipe")
    0.0
    """
    if definition not in ("text", "card_recipe"):
        raise ValueError(f"definition must be 'text' or 'card_recipe', got {definition!r}")
    gap = opportunity_from_counts if definition == "text" else accuracy_gap_from_counts
    return float(gap(group_counts(pred, y, sensitive), min_group))


def equalized_odds_difference(
    pred: Any, y: Any, sensitive: Any, *, min_group: int = 0, agg: Literal["worst_case", "mean"] = "worst_case"
) -> float:
    """Return the larger of the gaps in true and in false positive rate.

    Parameters
    ----------
    pred : (n,) array of 0/1 or bool
        Predicted labels; 1 is favourable.
    y : (n,) array of 0/1 or bool
        True labels; 1 is favourable.
    sensitive : (n,) array of anything sortable
        The protected attribute; rows where it is None or NaN are left out.
    min_group : int
        Groups with fewer rows of the label that a rate is taken over than this are left out of that gap, at least 0.
    agg : {"worst_case", "mean"}
        The larger of the two gaps, or their mean.

    Returns
    -------
    float
        In [0, 1], 0 is best; the one gap that is defined if the other is not; NaN when neither is.

    Raises
    ------
    ValueError
        If a label is not 0 or 1, if the lengths differ, or if the aggregate is unknown.

    Notes
    -----
    max (or mean) of the gap of P(pred = 1 | y = 1, A = g) and the gap of P(pred = 1 | y = 0, A = g).

    Source
    ------
    FeDa4Fair (Heilmann et al. 2025), the authors' "EO"; fairlearn's ``equalized_odds_difference``.

    Deviations
    ----------
    A group without rows of a label is left out of that label's gap, where fairlearn takes its rate as 0.

    Examples
    --------
    >>> equalized_odds_difference([1, 0, 1, 1], [1, 0, 1, 0], list("aabb"))
    1.0
    """
    if agg not in ("worst_case", "mean"):
        raise ValueError(f"agg must be 'worst_case' or 'mean', got {agg!r}")
    counts = group_counts(pred, y, sensitive)
    swapped = counts[:, ::-1, :]  # "opportunity" of the rows whose label is unfavourable
    gaps = np.array([opportunity_from_counts(each, min_group) for each in (counts, swapped)], dtype=float)
    if agg == "mean" and not np.isnan(gaps).any():
        return float(gaps.mean())
    return float(np.fmax(gaps[0], gaps[1]))


def discrimination_index(pred: Any, y: Any, member: Any) -> float:
    """Return the F1 score of a protected group minus that of everybody else.

    Parameters
    ----------
    pred : (n,) array of 0/1 or bool
        Predicted labels; 1 is favourable.
    y : (n,) array of 0/1 or bool
        True labels; 1 is favourable.
    member : (n,) array of 0/1 or bool
        Who belongs to the protected group.

    Returns
    -------
    float
        In [−1, 1], 0 is best, negative where the group is served worse; NaN when either F1 score is undefined.

    Raises
    ------
    ValueError
        If a value is not 0 or 1, or if the lengths differ.

    Notes
    -----
    F1(members) − F1(others), with F1 = 2 TP / (2 TP + FP + FN).

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), equation 7.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> round(discrimination_index([1, 1, 1, 0], [1, 1, 1, 1], [1, 1, 0, 0]), 4)
    0.3333
    """
    predicted, label, inside = flags(pred, "pred"), flags(y, "y"), flags(member, "member")
    if not predicted.size == label.size == inside.size:
        raise ValueError(f"pred, y and member must have one length, got {predicted.size}, {label.size}, {inside.size}")

    def f1(rows: np.ndarray) -> float:
        hits, misses = np.sum(rows & predicted & label), np.sum(rows & (predicted != label))
        return float(2 * hits / (2 * hits + misses)) if hits + misses else float("nan")

    return f1(inside) - f1(~inside)


def discrimination_from_counts(counts: Any, min_group: int = 0) -> np.ndarray:
    """Return each group's F1 score minus that of everybody else, from counts.

    Parameters
    ----------
    counts : (..., G, 2, 2) int array
        Rows by group, label is favourable, prediction is favourable.
    min_group : int
        Groups with fewer rows than this are not defined, at least 0.

    Returns
    -------
    (..., G) float array
        In [−1, 1]; NaN where either F1 score is undefined or the group is too small.

    Raises
    ------
    ValueError
        If the last two lengths are not 2.

    Notes
    -----
    As `discrimination_index`, with one group after the other as the protected one. Its rows are counted once, however
    many groups there are.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), equation 7.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> discrimination_from_counts([[[0, 0], [0, 2]], [[0, 0], [1, 1]]]).round(4).tolist()
    [0.3333, -0.3333]
    """
    cells = np.asarray(counts)
    if cells.ndim < 3 or cells.shape[-2:] != (2, 2):
        raise ValueError(f"counts must be (…, G, 2, 2), got shape {cells.shape}")

    def f1(rows: np.ndarray) -> np.ndarray:
        hits, misses = 2 * rows[..., 1, 1], rows[..., 0, 1] + rows[..., 1, 0]
        return np.asarray(np.divide(hits, hits + misses, out=np.full(hits.shape, np.nan), where=hits + misses > 0))

    gaps = f1(cells) - f1(cells.sum(axis=-3, keepdims=True) - cells)
    return np.asarray(np.where(cells.sum(axis=(-2, -1)) >= min_group, gaps, np.nan))
