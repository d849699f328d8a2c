"""Label inference: what one who holds no labels reads off the gradients and embeddings that cross the wire."""

from __future__ import annotations

from typing import Any

import numpy as np

from trustkit.metrics.learnt import learnt_classes

__all__ = ["completion_attack", "direction_attack", "label_floor", "norm_attack", "residual_attack"]


def _lines(values: Any, what: str) -> np.ndarray:
    lines = np.asarray(values, float)
    if lines.ndim != 2:
        raise ValueError(f"{what} must be a matrix with one row a sample, got shape {lines.shape}")
    if not np.isfinite(lines).all():
        raise ValueError(f"{what} must be finite, got NaN or infinity")
    return lines


def _labels(labels: Any, rows: int) -> np.ndarray:
    y = np.asarray(labels)
    if y.shape != (rows,):
        raise ValueError(f"labels must be one for each of the {rows} rows, got shape {y.shape}")
    return y


def _known(known: Any, rows: int) -> np.ndarray:
    mask = np.asarray(known)
    if mask.shape != (rows,) or mask.dtype != bool:
        raise ValueError(f"known must be a flag for each of the {rows} rows, got {mask.dtype} of shape {mask.shape}")
    return mask


def label_floor(labels: Any) -> float:
    """Return what guessing achieves: the share of the commonest label.

    Parameters
    ----------
    labels : (n,) array
        Of the rows that are attacked.

    Returns
    -------
    float
        In (0, 1]; NaN without rows.

    Notes
    -----
    max over c of n_c / n, the accuracy of always naming the commonest class.

    Source
    ------
    Fu et al. (2022), "Label inference attacks against vertical federated learning"
    (the baseline of guessing).

    Deviations
    ----------
    None.

    Examples
    --------
    >>> label_floor([0, 0, 0, 1])
    0.75
    """
    counts = np.unique(np.asarray(labels), return_counts=True)[1]
    return float(counts.max() / counts.sum()) if counts.size else float("nan")


def norm_attack(gradients: Any, labels: Any) -> float:
    """Tell the rarer of two labels by the length of a row's gradient.

    Parameters
    ----------
    gradients : (n, w) float array
        What comes back for each row.
    labels : (n,) array
        With exactly two different values; the rarer one is looked for, of equally frequent ones the larger.

    Returns
    -------
    float
        Area under the curve, in [0, 1]: 1/2 is guessing, 1 gives every label away.

    Raises
    ------
    ValueError
        If a shape does not fit, a number is not finite, or there are not two labels.

    Notes
    -----
    P(‖g‖ of a rare row > ‖g‖ of another) + P(equal) / 2. The gradient of cross-entropy by the scores is as long as the
    model is wrong, and it is wrong more often about rare rows.

    Source
    ------
    Li et al. (2022), "Label leakage and protection in two-party split learning" (norm attack).

    Deviations
    ----------
    The sign is fixed beforehand (rare is long), so that a useless attack averages 1/2; it may fall below.

    Examples
    --------
    >>> norm_attack([[3.0, 4.0], [0.0, 1.0], [0.0, 2.0]], [1, 0, 0])
    1.0
    """
    lines = _lines(gradients, "gradients")
    y = _labels(labels, len(lines))
    values, counts = np.unique(y, return_counts=True)
    if values.size != 2:
        raise ValueError(f"labels must have two values for the norm attack, got {values.size}")
    rare = values[1] if counts[1] <= counts[0] else values[0]
    return _auc(np.linalg.norm(lines, axis=1), y == rare)


def _auc(scores: np.ndarray, positive: np.ndarray) -> float:
    """Return the share of pairs in order, ties counting half."""
    others = np.sort(scores[~positive])
    below, upto = (np.searchsorted(others, scores[positive], side) for side in ("left", "right"))
    return float((below + upto).mean() / (2 * others.size))


def direction_attack(gradients: Any, labels: Any, known: Any) -> float:
    """Give every row the label whose known gradients point most nearly the same way.

    Parameters
    ----------
    gradients : (n, w) float array
        What comes back for each row.
    labels : (n,) array
        Class of each row.
    known : (n,) bool array
        Rows whose label the attacker knows: at least one of each class that is to be found.

    Returns
    -------
    float
        Accuracy on the other rows, in [0, 1]; NaN without others.

    Raises
    ------
    ValueError
        If a shape does not fit, a number is not finite, or no row is known.

    Notes
    -----
    ŷ_i = argmax_c cos(g_i, mean of g_j/‖g_j‖ over known rows j of class c). Compare with `label_floor`.

    Source
    ------
    Li et al. (2022), "Label leakage and protection in two-party split learning" (direction attack).

    Deviations
    ----------
    They have two classes and let the sign of the cosine with one known positive row decide; several classes need a
    reference each. A row without a gradient goes to the first class.

    Examples
    --------
    >>> direction_attack([[1.0, 0.0], [0.0, 1.0], [2.0, 0.1], [0.2, 3.0]], [0, 1, 0, 1], np.array([1, 1, 0, 0], bool))
    1.0
    """
    lines = _lines(gradients, "gradients")
    y, mask = _labels(labels, len(lines)), _known(known, len(lines))
    if not mask.any():
        raise ValueError("known must have at least one row, got none")
    if mask.all():
        return float("nan")
    length = np.linalg.norm(lines, axis=1, keepdims=True)
    ways = np.divide(lines, length, out=np.zeros_like(lines), where=length > 0)
    classes = np.unique(y[mask])
    centres = np.stack([ways[mask & (y == c)].mean(axis=0) for c in classes])
    size = np.linalg.norm(centres, axis=1, keepdims=True)
    cosines = ways[~mask] @ np.divide(centres, size, out=np.zeros_like(centres), where=size > 0).T
    return float((classes[cosines.argmax(axis=1)] == y[~mask]).mean())


def residual_attack(residuals: Any, labels: Any) -> float:
    """Read the class off a residual: of onehot(y) − p only the entry of the own class is positive.

    Parameters
    ----------
    residuals : (n, C) float array
        What parties are asked to fit; (n, 1) for two classes with one score.
    labels : (n,) int array
        0 … C−1.

    Returns
    -------
    float
        Accuracy, in [0, 1]; NaN without rows.

    Raises
    ------
    ValueError
        If a shape does not fit or a number is not finite.

    Notes
    -----
    ŷ = argmax_c r_c, or r > 0 where there is one column. Exact without noise, whatever the model. Pass −g where the
    gradient is sent.

    Source
    ------
    Direct from r = onehot(y) − softmax(z): 1 − p_y ≥ 0 ≥ −p_c; noted by Fu et al. (2022), "Label inference attacks
    against vertical federated learning" (the direct attack), of gradients by the scores.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> residual_attack([[0.6, -0.6], [-0.1, 0.1]], [0, 1]), residual_attack([[0.4], [-0.2]], [1, 0])
    (1.0, 1.0)
    """
    lines = _lines(residuals, "residuals")
    y = _labels(labels, len(lines))
    if not y.size:
        return float("nan")
    guessed = (lines[:, 0] > 0).astype(int) if lines.shape[1] == 1 else lines.argmax(axis=1)
    return float((guessed == y).mean())


def completion_attack(embedding: Any, labels: Any, known: Any) -> float:
    """Complete a party's layers to a whole model, with a few labelled rows, and let it name the other labels.

    Parameters
    ----------
    embedding : (n, w) float array
        What the party's trained layers make of its own columns; or the columns, for what it could do without the run.
    labels : (n,) array
        Class of each row.
    known : (n,) bool array
        Rows whose label the attacker knows: at least one.

    Returns
    -------
    float
        Accuracy on the other rows, in [0, 1]; NaN without others.

    Raises
    ------
    ValueError
        If a shape does not fit, a number is not finite, or no row is known.

    Notes
    -----
    Logistic regression on the standardised embedding. Two comparisons matter: `label_floor`, and the same attack on
    the party's own columns, which it has without any run.

    Source
    ------
    Fu et al. (2022), "Label inference attacks against vertical federated learning" (passive model completion).

    Deviations
    ----------
    They fine-tune by semi-supervised learning (MixMatch), which is stronger and takes hours; a classifier on a trained
    embedding is the same attack without unlabelled rows. So it is a lower bound of theirs.

    Examples
    --------
    >>> x = np.array([[-1.0], [1.0], [-2.0], [2.0]])
    >>> completion_attack(x, [0, 1, 0, 1], np.array([True, True, False, False]))
    1.0
    """
    lines = _lines(embedding, "embedding")
    y, mask = _labels(labels, len(lines)), _known(known, len(lines))
    if not mask.any():
        raise ValueError("known must have at least one row, got none")
    if mask.all():
        return float("nan")
    if np.unique(y[mask]).size == 1:
        return float((y[~mask] == y[mask][0]).mean())
    spread = lines[mask].std(axis=0)
    scaled = (lines - lines[mask].mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return float((learnt_classes(scaled[mask], y[mask], scaled[~mask]) == y[~mask]).mean())
