"""Swaps of columns that bring shares of importance to a budget, or lead from one division to another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["balance", "matched", "toward"]

MOST = 64
"""Columns of a party that are considered for a swap."""


def matched(owners: np.ndarray, importance: np.ndarray, budgets: np.ndarray, sizes: Sequence[int]) -> np.ndarray:
    """Rename parties of one size so that shares of importance are as near to the budgets as renaming can bring them.

    Parameters
    ----------
    owners : (N, m) int array
        Owner vectors.
    importance : (m,) float array
        Of the columns.
    budgets : (K,) float array
        Asked for.
    sizes : sequence of int
        Columns of each party.

    Returns
    -------
    (N, m) int array
        The same divisions: of parties of one size, the one of the larger budget has the larger share.

    Examples
    --------
    >>> matched(np.array([[0, 0, 1, 1]]), np.array([0.4, 0.4, 0.1, 0.1]), np.array([0.3, 0.7]), [2, 2]).tolist()
    [[1, 1, 0, 0]]
    """
    count = np.array(sizes)
    names = np.tile(np.arange(count.size), (len(owners), 1))
    for size in np.flatnonzero(np.bincount(count) > 1):
        alike = np.flatnonzero(count == size)
        shares = np.stack([(owners == k) @ importance for k in alike], axis=1)
        names[np.arange(len(owners))[:, None], alike[np.argsort(shares, axis=1, kind="stable")]] = alike[
            np.argsort(budgets[alike], kind="stable")
        ]
    return np.asarray(np.take_along_axis(names, owners, axis=1))


def balance(owner: np.ndarray, importance: np.ndarray, budgets: np.ndarray) -> np.ndarray:
    """Find swaps that bring the parties' shares of importance near to the budgets, whatever becomes of Icor.

    Parameters
    ----------
    owner : (m,) int array
        The party of each column, 0 … K−1.
    importance : (m,) float array
        Of the columns.
    budgets : (K,) float array
        Asked for.

    Returns
    -------
    (T, 2) int array
        Columns that change places, one pair after another; each lowers ½Σ|share − budget|.

    Notes
    -----
    Greedy: the party that is furthest above its budget swaps the column, with a column of any party below its budget,
    that lowers the error most; then again. A party that gains by no swap is left as it is. Of a party with more than 64
    columns, 64 are tried, spread over its range of importance.

    Examples
    --------
    >>> balance(np.array([0, 0, 1, 1]), np.array([0.4, 0.4, 0.1, 0.1]), np.array([0.5, 0.5])).tolist()
    [[0, 2]]
    """
    here, swaps = owner.copy(), list[tuple[int, int]]()
    excess = np.bincount(here, importance, minlength=budgets.size) - budgets
    stuck = np.zeros(budgets.size, bool)
    while len(swaps) < 4 * owner.size:
        p = int(np.where(stuck, -np.inf, excess).argmax())
        if stuck[p] or excess[p] <= 0:
            break
        a, b, gain = _best_swap(np.flatnonzero(here == p), np.flatnonzero(excess[here] < 0), here, importance, excess)
        if gain <= 1e-12:
            stuck[p] = True
            continue
        q, shift = int(here[b]), importance[a] - importance[b]
        excess[p], excess[q] = excess[p] - shift, excess[q] + shift
        here[a], here[b] = q, p
        stuck[[p, q]] = False
        swaps.append((a, b))
    return np.array(swaps, np.int64).reshape(-1, 2)


def _best_swap(
    own: np.ndarray, others: np.ndarray, here: np.ndarray, importance: np.ndarray, excess: np.ndarray
) -> tuple[int, int, float]:
    """Return which column of one party to swap with which other column, and by how much Σ|share − budget| falls."""
    if not others.size:
        return 0, 0, 0.0
    if own.size > MOST:
        own = own[np.argsort(importance[own], kind="stable")][np.linspace(0, own.size - 1, MOST).astype(int)]
    above, below = excess[here[own]][:, None], excess[here[others]]
    shift = importance[own][:, None] - importance[others]
    gain = np.abs(above) + np.abs(below) - np.abs(above - shift) - np.abs(below + shift)
    best = int(gain.argmax())
    return int(own[best // others.size]), int(others[best % others.size]), float(gain.flat[best])


def toward(owner: np.ndarray, goal: np.ndarray, importance: np.ndarray) -> np.ndarray:
    """Find swaps that lead from one division to another and move little importance at first.

    Parameters
    ----------
    owner, goal : (m,) int array
        Owner vectors with the same party sizes.
    importance : (m,) float array
        Of the columns.

    Returns
    -------
    (T, 2) int array
        Columns that change places, one pair after another; the last leads to the goal, perhaps with parties of one size
        renamed.

    Examples
    --------
    >>> toward(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.ones(4) / 4).tolist()
    [[1, 2]]
    """
    from scipy.optimize import linear_sum_assignment

    K = int(owner.max()) + 1
    overlap = np.zeros((K, K))
    np.add.at(overlap, (goal, owner), 1.0)
    sizes = np.bincount(owner, minlength=K)
    overlap[sizes[:, None] != sizes] = -owner.size
    goal = linear_sum_assignment(overlap, maximize=True)[1][goal]
    here, swaps = owner.copy(), list[tuple[int, int]]()
    for a in np.argsort(importance, kind="stable").tolist():
        if here[a] != goal[a]:
            others = np.flatnonzero((here == goal[a]) & (goal != here))
            b = int(others[np.abs(importance[others] - importance[a]).argmin()])
            here[a], here[b] = here[b], here[a]
            swaps.append((a, b))
    return np.array(swaps, np.int64).reshape(-1, 2)
