"""Fairness over many clients: what each one sees, how sure that is, and what pooling hides."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from trustkit.metrics.gaps import Rate, gaps_from_counts
from trustkit.metrics.groups import rates_from_counts

if TYPE_CHECKING:
    from trustkit.data import FederatedDataset

__all__ = ["by_client", "disparity_interval", "masking_gap", "share_over"]


def by_client(
    metric: Callable[..., float],
    fed: FederatedDataset,
    predict: Callable[[np.ndarray], np.ndarray],
    *,
    attribute: str,
    held_out: bool = True,
) -> np.ndarray:
    """Compute a fairness measure on every client's own rows.

    Parameters
    ----------
    metric : callable
        For example `demographic_disparity`; called with those of ``pred``, ``y`` and ``sensitive`` that it takes.
    fed : FederatedDataset
        K clients that hold rows.
    predict : callable
        From features (n, m) to class numbers (n,).
    attribute : str
        The protected attribute.
    held_out : bool
        Whether to look at test rows (the default) or at training rows.

    Returns
    -------
    (K,) float array
        NaN where the measure is undefined, and for clients without rows.

    Raises
    ------
    KeyError
        If the data have no such attribute.
    ValueError
        If the data are divided by columns.

    Examples
    --------
    >>> from trustkit import Dataset, FederatedDataset, Partition
    >>> from trustkit.data import Provenance
    >>> from trustkit.metrics.fairness import demographic_disparity
    >>> X, y, sex = np.array([[0.0], [1.0], [1.0], [1.0]]), np.array([0, 1, 1, 0]), np.array(["f", "m", "f", "m"])
    >>> made = Provenance("made up", "CC0", synthetic=True)
    >>> data = Dataset("toy", X, y, ("a",), ("no", "yes"), made, sensitive={"sex": sex})
    >>> fed = FederatedDataset(data, Partition("rows", np.array([0, 0, 1, 1]), 2))
    >>> by_client(demographic_disparity, fed, lambda X: X[:, 0], attribute="sex", held_out=False).tolist()
    [1.0, 0.0]
    """
    if fed.partition.axis != "rows":
        raise ValueError("clients must hold rows to be compared, got a partition of the columns")
    fed.data.codes(attribute)
    wanted = set(inspect.signature(metric).parameters)
    values = np.full(len(fed), np.nan)
    for k, party in enumerate(fed):
        rows = party.held_out == held_out
        if party.y is not None and rows.any():
            seen = {
                "pred": np.asarray(predict(party.X[rows])) == fed.data.positive,
                "y": party.y[rows] == fed.data.positive,
                "sensitive": party.sensitive[attribute][rows],
            }
            values[k] = metric(**{name: value for name, value in seen.items() if name in wanted})
    return values


def _wilson(rate: np.ndarray, size: np.ndarray, z: float) -> tuple[np.ndarray, np.ndarray]:
    centre = (rate + z * z / (2 * size)) / (1 + z * z / size)
    half = z * np.sqrt(rate * (1 - rate) / size + z * z / (4 * size * size)) / (1 + z * z / size)
    return centre - half, centre + half


def disparity_interval(counts: np.ndarray, min_group: int = 0, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Return an interval for the demographic disparity of every client.

    Parameters
    ----------
    counts : (…, G, 2, 2) int array
        Rows by (client,) group, label, prediction.
    min_group : int
        Groups with fewer rows than this are left out, at least 0.
    level : float
        Coverage for two groups fixed beforehand, strictly between 0 and 1.

    Returns
    -------
    low, high : (…,) float array
        Ends in [0, 1]; NaN where fewer than two groups are left.

    Raises
    ------
    ValueError
        If the level is not strictly between 0 and 1.

    Notes
    -----
    With the Wilson intervals [l, u] of the largest rate a and the smallest rate b:
    a − b − √((a − l_a)² + (u_b − b)²) to a − b + √((u_a − a)² + (b − l_b)²), cut to [0, 1].

    Source
    ------
    Newcombe 1998, Statistics in Medicine 17, method 10.

    Deviations
    ----------
    With more than two groups the largest and the smallest rate are picked by the data, which the interval ignores.

    Examples
    --------
    >>> low, high = disparity_interval(np.array([[[14, 56], [0, 0]], [[32, 48], [0, 0]]]))
    >>> round(float(low), 4), round(float(high), 4)
    (0.0524, 0.3339)
    """
    from scipy.special import ndtri

    if not 0 < level < 1:
        raise ValueError(f"level must be strictly between 0 and 1, got {level!r}")
    rates = rates_from_counts(counts)
    if not rates.size.shape[-1]:  # nobody's attribute is known
        return np.full(rates.size.shape[:-1], np.nan), np.full(rates.size.shape[:-1], np.nan)
    kept = (rates.size > 0) & (rates.size >= min_group)
    top = np.where(kept, rates.selection, -np.inf).argmax(axis=-1)[..., None]
    bottom = np.where(kept, rates.selection, np.inf).argmin(axis=-1)[..., None]
    size, z = np.where(kept, rates.size, 1), float(ndtri(0.5 + level / 2))
    a, b = (np.take_along_axis(rates.selection, at, axis=-1)[..., 0] for at in (top, bottom))
    (low_a, high_a), (low_b, high_b) = (
        _wilson(rate, np.take_along_axis(size, at, axis=-1)[..., 0], z) for rate, at in ((a, top), (b, bottom))
    )
    low, high = a - b - np.hypot(a - low_a, high_b - b), a - b + np.hypot(high_a - a, b - low_b)
    defined = kept.sum(axis=-1) > 1
    return np.where(defined, np.clip(low, 0, 1), np.nan), np.where(defined, np.clip(high, 0, 1), np.nan)


def masking_gap(counts: np.ndarray, min_group: int = 0, rate: Rate = "selection") -> float:
    """Say by how much the worst client's disparity exceeds the disparity of all rows together.

    Parameters
    ----------
    counts : (K, G, 2, 2) int array
        Rows by client, group, label, prediction.
    min_group : int
        Groups with fewer rows than this are left out, at least 0.
    rate : {"selection", "tpr", "fpr", "odds", "accuracy", "f1"}
        What is compared between groups.

    Returns
    -------
    float
        In [−1, 1]; NaN where no client, or not the pool, has a disparity.

    Notes
    -----
    max over k of DD_k, minus DD of the summed counts. A large value means that pooled data hide what clients see.

    Source
    ------
    The "illusion of fairness" that FeDa4Fair (Heilmann et al. 2025) describes, as one number.

    Deviations
    ----------
    The paper has no such number.

    Examples
    --------
    >>> masking_gap(np.array([[[[0, 4], [0, 0]], [[4, 0], [0, 0]]], [[[4, 0], [0, 0]], [[0, 4], [0, 0]]]]))
    1.0
    """
    clients = gaps_from_counts(counts, rate, min_group).gap
    pooled = gaps_from_counts(np.asarray(counts).sum(axis=0), rate, min_group).gap
    return float(clients[~np.isnan(clients)].max(initial=-np.inf) - pooled) if np.isfinite(clients).any() else np.nan


def share_over(values: Any, threshold: float) -> float:
    """Return the share of the defined values that lie above a threshold.

    Parameters
    ----------
    values : (K,) float array
        For example disparities by client; NaN is left out.
    threshold : float
        A value equal to it does not count, any number.

    Returns
    -------
    float
        In [0, 1]; NaN when no value is defined.

    Examples
    --------
    >>> share_over([0.1, 0.2, float("nan")], 0.15)
    0.5
    """
    array = np.asarray(values, dtype=float)
    defined = array[~np.isnan(array)]
    return float(np.mean(defined > threshold)) if defined.size else float("nan")
