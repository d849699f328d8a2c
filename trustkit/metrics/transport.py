"""The earth mover's distance: how far shares have to be carried, and at what cost."""

from __future__ import annotations

from typing import Any

import numpy as np

from trustkit.metrics.distances import plain, shares, total_variation

__all__ = ["earth_movers"]


def earth_movers(p: Any, q: Any, cost: Any = "nominal") -> float | np.ndarray:
    """Return the earth mover's distance: the least cost of turning one distribution into the other.

    Parameters
    ----------
    p, q : (…, C) array
        Probabilities or counts, at least 0; each is divided by its sum.
    cost : {"nominal", "ordinal"}, (C,) array or (C, C) array
        What moving a share of 1 costs. "nominal": 1 between any two outcomes; "ordinal": the number of steps between
        them; a vector: the outcomes' positions, moved along a line; a matrix: from row to column, at least 0.

    Returns
    -------
    float or (…,) float array
        At least 0, in the unit of the cost; NaN where a sum is 0.

    Raises
    ------
    ValueError
        If a number is negative or not finite, the outcomes differ in number, or the cost is none of these.

    Notes
    -----
    min Σ f_ij c_ij over flows f ≥ 0 with row sums p and column sums q. Nominal cost gives the total variation; on a
    line it is Σ |P_j − Q_j| (x_(j+1) − x_j) with the cumulated shares P and Q; a matrix is solved as a linear program.

    Source
    ------
    Rubner, Tomasi and Guibas 2000; Vallender 1974 for the line.

    Deviations
    ----------
    None. Shares are never taken for positions: disjoint clients are at a distance, not at 0.

    Examples
    --------
    >>> round(earth_movers([0.5, 0.3, 0.2], [0.1, 0.1, 0.8], cost="ordinal"), 6)
    1.0
    >>> earth_movers([1, 0], [0, 1]), earth_movers([1, 0, 0], [0, 0, 1], cost=[0, 1, 5])
    (1.0, 5.0)
    """
    one, other = shares(p, q)
    C = one.shape[-1]
    if isinstance(cost, str):
        if cost not in ("nominal", "ordinal"):
            raise ValueError(f"cost must be 'nominal', 'ordinal', positions or a matrix, got {cost!r}")
        return total_variation(p, q) if cost == "nominal" else _on_a_line(one, other, np.arange(C, dtype=float))
    price = np.asarray(cost, dtype=float)
    if price.shape not in ((C,), (C, C)) or not np.isfinite(price).all():
        raise ValueError(f"cost must be finite, of shape ({C},) or ({C}, {C}), got shape {price.shape}")
    if price.ndim == 1:
        return _on_a_line(one, other, price)
    if (price < 0).any():
        raise ValueError(f"cost must be at least 0, got {price.min():g}")
    one, other = np.broadcast_arrays(one, other)
    pairs = zip(one.reshape(-1, C), other.reshape(-1, C), strict=True)
    return plain(np.array([_transport(a, b, price) for a, b in pairs]).reshape(one.shape[:-1]))


def _on_a_line(one: np.ndarray, other: np.ndarray, at: np.ndarray) -> float | np.ndarray:
    order = np.argsort(at, kind="stable")
    apart = np.cumsum(one[..., order] - other[..., order], axis=-1)[..., :-1]
    nothing = np.isnan(one).any(axis=-1) | np.isnan(other).any(axis=-1)
    return plain(np.where(nothing, np.nan, (np.abs(apart) * np.diff(at[order])).sum(axis=-1)))


def _transport(one: np.ndarray, other: np.ndarray, price: np.ndarray) -> float:
    """Solve one transport problem; shares that stay empty take no part."""
    from scipy.optimize import linprog

    if np.isnan(one).any() or np.isnan(other).any():
        return float("nan")
    have, want = np.flatnonzero(one), np.flatnonzero(other)
    rows = np.kron(np.eye(have.size), np.ones(want.size))
    columns = np.kron(np.ones(have.size), np.eye(want.size))
    found = linprog(
        price[np.ix_(have, want)].ravel(), method="highs",
        A_eq=np.vstack([rows, columns])[:-1],  # the last follows from the others
        b_eq=np.concatenate([one[have], other[want]])[:-1],
    )  # fmt: skip
    return max(float(found.fun or 0.0), 0.0)
