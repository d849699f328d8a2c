"""Feature reconstruction: a party's columns, rebuilt from what it sends, by one who knows some rows already."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from trustkit.metrics.learnt import learnt_network, learnt_ridge

__all__ = ["column_r2", "reconstruct"]


def column_r2(columns: Any, rebuilt: Any, centre: Any = None) -> np.ndarray:
    """Return how much of each column's variation is rebuilt.

    Parameters
    ----------
    columns : (n, m) float array
        The truth.
    rebuilt : (n, m) float array
        The guess.
    centre : (m,) float array, optional
        What one guesses who knows nothing of a row; by default the mean of ``columns``.

    Returns
    -------
    (m,) float array
        At most 1, which is exact; 0 is no better than the centre; NaN where a column is the centre everywhere.

    Raises
    ------
    ValueError
        If shapes differ.

    Notes
    -----
    1 − Σ (x − x̂)² / Σ (x − c)².

    Source
    ------
    The coefficient of determination; Pasquini, Ateniese and Bernaschi (2021), "Unleashing the tiger", rate
    reconstruction by the same squared error.

    Deviations
    ----------
    c is the mean of the rows that the attacker knows, so that guessing it is exactly 0.

    Examples
    --------
    >>> column_r2([[1.0, 5.0], [3.0, 5.0]], [[1.0, 5.0], [2.0, 5.0]]).tolist()
    [0.5, nan]
    """
    truth, guess = np.asarray(columns, float), np.asarray(rebuilt, float)
    if truth.ndim != 2 or truth.shape != guess.shape:
        raise ValueError(f"rebuilt must have the shape {truth.shape} of columns, got {guess.shape}")
    middle = truth.mean(axis=0) if centre is None else np.asarray(centre, float)
    whole, left = ((truth - middle) ** 2).sum(axis=0), ((truth - guess) ** 2).sum(axis=0)
    return np.asarray(1 - np.divide(left, whole, out=np.full(whole.shape, np.nan), where=whole > 0))


def reconstruct(
    seen: Any, columns: Any, known: Any, method: Literal["linear", "network"] = "linear", seed: int = 0
) -> np.ndarray:
    """Learn from known rows to rebuild columns from what is seen, and rate it on the others.

    Parameters
    ----------
    seen : (n, w) float array
        What the attacker has of every row: embeddings, or its own columns for what it could do without the run.
    columns : (n, m) float array
        The victim's columns.
    known : (n,) bool array
        Rows whose columns the attacker knows: at least two.
    method : {"linear", "network"}
        Ridge regression, its strength by leave-one-out for each column; or a network with 32 hidden units.
    seed : int
        The network's start follows from it.

    Returns
    -------
    (m,) float array
        R² of each column on the rows that are not known, see `column_r2`; at most 1, and below 0 where the attack
        misleads.

    Raises
    ------
    ValueError
        If a shape does not fit, a number is not finite, or fewer than two rows are known or none is left.

    Notes
    -----
    If the embedding is a linear map of full column rank, least squares from more than w known rows is exact: R² = 1.
    An embedding that knows nothing of the columns gives about 0.

    Source
    ------
    Luo et al. (2021), "Feature inference attack on model predictions in vertical federated learning"
    (equation solving and a generator); He, Zhang and Lee (2019), "Model inversion attacks against collaborative
    inference" (an inverse network from known pairs).

    Deviations
    ----------
    Both attack single predictions and may know the victim's weights; here the attacker learns the inverse from known
    rows alone, which needs no access to the victim. A stronger attack may find more: not found is not safe.

    Examples
    --------
    >>> x = np.arange(12.0).reshape(6, 2) ** 1.5
    >>> found = reconstruct(x @ [[1.0, 2.0, 0.0], [0.0, 1.0, 1.0]], x, np.array([1, 1, 1, 1, 0, 0], bool))
    >>> bool((found > 0.999).all())
    True
    """
    lines, truth, mask = np.asarray(seen, float), np.asarray(columns, float), np.asarray(known)
    for what, values in (("seen", lines), ("columns", truth)):
        if values.ndim != 2 or len(values) != len(lines):
            raise ValueError(f"{what} must be a matrix with one row a sample, got shape {values.shape}")
        if not np.isfinite(values).all():
            raise ValueError(f"{what} must be finite, got NaN or infinity")
    if mask.shape != (len(lines),) or mask.dtype != bool or mask.sum() < 2 or mask.all():
        raise ValueError(f"known must flag at least two of the {len(lines)} rows and not all, got {int(mask.sum())}")
    x, centre, spread = _scaled(lines, mask), truth[mask].mean(axis=0), truth[mask].std(axis=0)
    y = (truth[mask] - centre) / np.where(spread > 0, spread, 1.0)
    guess = learnt_ridge(x[mask], y, x[~mask]) if method == "linear" else learnt_network(x[mask], y, x[~mask], seed)
    return column_r2(truth[~mask], guess * np.where(spread > 0, spread, 1.0) + centre, centre)


def _scaled(lines: np.ndarray, mask: np.ndarray) -> np.ndarray:
    spread = lines[mask].std(axis=0)
    return np.asarray((lines - lines[mask].mean(axis=0)) / np.where(spread > 0, spread, 1.0))
