"""How well one model does for every client, in one pass over all test rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

__all__ = ["Examined", "count_groups", "examine", "softmax"]


@dataclass(frozen=True, eq=False)
class Examined:
    """Accuracy (K,) and mean loss (K,) by client, and the predicted class (N,) of every row.

    Both are NaN without test rows, or where a score is NaN; the predicted class of such a row is −1: none.
    """

    accuracy: np.ndarray
    loss: np.ndarray
    predicted: np.ndarray


def examine(logits: np.ndarray, y: np.ndarray, offsets: np.ndarray) -> Examined:
    """Score all test rows at once and add up by client.

    Parameters
    ----------
    logits : (N, C) float array
        Unnormalised scores of the stacked test rows.
    y : (N,) int array
        Their classes, 0 … C−1.
    offsets : (K + 1,) int array
        Client k owns rows ``offsets[k]:offsets[k + 1]``; it may own none.

    Returns
    -------
    Examined
        Accuracy in [0, 1], loss in nats.

    Notes
    -----
    loss_k = 1/n_k Σ_i (ln Σ_c exp z_ic − z_{i, y_i}).

    Source
    ------
    Textbook definitions of accuracy and cross-entropy.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> seen = examine(np.array([[2.0, 0.0], [2.0, 0.0]]), np.array([0, 1]), np.array([0, 2, 2]))
    >>> seen.accuracy.tolist()
    [0.5, nan]
    """
    predicted = logits.argmax(axis=1)
    peak = logits.max(axis=1)
    with np.errstate(invalid="ignore"):  # infinite scores: the class is told, the loss is not defined
        spread = np.log(np.exp(logits - peak[:, None]).sum(axis=1))
        loss = spread + peak - logits[np.arange(y.size), y]
    right = predicted == y
    if (lost := np.isnan(peak)).any():
        predicted, right = np.where(lost, -1, predicted), np.where(lost, np.nan, right)
    return Examined(_means(right, offsets), _means(loss, offsets), predicted)


def _means(values: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Return the mean of each segment, NaN where it is empty."""
    sizes = np.diff(offsets)
    means = np.full(sizes.size, np.nan)
    filled = np.flatnonzero(sizes)
    if filled.size:  # reduceat gives nonsense for an empty segment, so those are left out
        means[filled] = np.add.reduceat(values.astype(float), offsets[filled]) / sizes[filled]
    return means


def count_groups(
    predicted: np.ndarray,
    y: np.ndarray,
    offsets: np.ndarray,
    codes: Mapping[str, tuple[np.ndarray, int]],
    positive: int,
) -> dict[str, np.ndarray]:
    """Count favourable labels and predictions by client and protected group.

    Parameters
    ----------
    predicted, y : (N,) int array
        Predicted and true classes of the stacked test rows; −1 where nothing is predicted.
    offsets : (K + 1,) int array
        Client k owns rows ``offsets[k]:offsets[k + 1]``.
    codes : mapping of str to ((N,) int array, int)
        For each protected attribute the group of each row, 0 … G−1 (−1 where it is missing), and G.
    positive : int
        The favourable class.

    Returns
    -------
    dict of str to (K, G, 2, 2) int array
        Rows by client, group, label is favourable, prediction is favourable; rows without the attribute, or
        without a prediction, are in none.

    Source
    ------
    Counts, from which `trustkit.metrics.groups` makes the measures.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> counts = count_groups(np.array([1, 0]), np.array([1, 1]), np.array([0, 2]), {"sex": (np.array([0, 1]), 2)}, 1)
    >>> counts["sex"].tolist()
    [[[[0, 0], [0, 1]], [[0, 0], [1, 0]]]]
    """
    clients = offsets.size - 1
    owner = np.repeat(np.arange(clients), np.diff(offsets))
    cell = 2 * (y == positive) + (predicted == positive)
    counted = {}
    for name, (code, groups) in codes.items():
        place = (owner * groups + code) * 4 + cell
        if code.size and (code.min() < 0 or predicted.min() < 0):
            place = place[(code >= 0) & (predicted >= 0)]
        counted[name] = np.bincount(place, minlength=clients * groups * 4).reshape(clients, groups, 2, 2)
    return counted


def softmax(logits: np.ndarray) -> np.ndarray:
    """Turn scores into probabilities along the last axis.

    Parameters
    ----------
    logits : (…, C) float array
        Unnormalised scores.

    Returns
    -------
    (…, C) float array
        Non-negative, adding up to 1.

    Notes
    -----
    p_c = exp(z_c) / Σ_j exp(z_j), with the largest z subtracted first.

    Source
    ------
    Textbook definition.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> softmax(np.array([0.0, 0.0])).tolist()
    [0.5, 0.5]
    """
    shifted = np.exp(logits - logits.max(axis=-1, keepdims=True))
    shifted /= shifted.sum(axis=-1, keepdims=True)
    return np.asarray(shifted)
