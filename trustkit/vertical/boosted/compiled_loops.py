"""Inner loops of boosting as plain functions, compiled by numba the first time that there is much to do.

Each does what NumPy code beside its caller does for little work, in the same order and so to the same bit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["add_up", "ask", "compiled", "descend", "move", "walk"]

_MUCH = 400_000
"""Steps, of about what NumPy needs for an addition, from which on waiting for the compiled loop pays."""

_MADE: dict[Callable[..., Any], Callable[..., Any] | None] = {}
"""Loops that are compiled already in this process; then little work goes through them too."""


def compiled(loop: Callable[..., Any], steps: int) -> Callable[..., Any] | None:
    """Compile a loop, if there is much to do.

    Parameters
    ----------
    loop : callable
        One of this module.
    steps : int
        How often its innermost line runs, four times where NumPy needs several passes.

    Returns
    -------
    callable or None
        The compiled loop; ``None`` for little work if it is not compiled yet, or where numba is not installed.
    """
    if steps >= _MUCH and loop not in _MADE:
        _MADE[loop] = _made(loop)
    return _MADE.get(loop)


def _made(loop: Callable[..., Any]) -> Callable[..., Any] | None:
    try:
        import numba
    except ImportError:
        return None
    try:
        made: Callable[..., Any] = numba.njit(loop, cache=True, nogil=True)
    except RuntimeError:  # nowhere to keep what is compiled
        made = numba.njit(loop, nogil=True)

    def called(*args: Any) -> Any:
        nonlocal made
        try:
            return made(*args)
        except OSError:  # it is compiled but cannot be kept, as where the disk is full; nothing was called yet
            made = numba.njit(loop, nogil=True)
            return made(*args)

    return called


def add_up(cells: np.ndarray, g: np.ndarray, h: np.ndarray, at: np.ndarray, sums: np.ndarray, stride: int) -> None:
    """Add each row's gradients to its node's cells.

    Parameters
    ----------
    cells : (n, m) unsigned int array
        Column times width plus bin.
    g, h : (C, n) float32 array
        First and second derivatives.
    at : (C, n) int32 array
        The node of each row of each tree; −1 for none.
    sums : (nodes * stride,) float64 array
        Filled: g and h of a cell stand side by side.
    stride : int
        Numbers a node.
    """
    two, one, rows = np.uint64(2), np.uint64(1), np.empty(at.shape[1], np.uint32)
    for c in range(at.shape[0]):
        counted = np.uint64(0)
        for i in range(at.shape[1]):  # without a branch: which rows count is as good as random
            rows[counted] = i
            counted += np.uint64(at[c, i] >= 0)
        for p in range(counted):
            i = rows[p]
            x, y = np.float64(g[c, i]), np.float64(h[c, i])
            start = np.uint64(at[c, i]) * np.uint64(stride)
            for j in range(cells.shape[1]):
                k = start + np.uint64(cells[i, j]) * two
                sums[k] += x
                sums[k + one] += y


def walk(
    sums: np.ndarray, total: np.ndarray, counts: np.ndarray, reg_lambda: float, least: float,
    gain: np.ndarray, column: np.ndarray, bins: np.ndarray, left: np.ndarray, right: np.ndarray,
) -> None:  # fmt: skip
    """Walk the bins of every node, up and, where sums differ in the last bit, down, and keep the best split.

    Parameters
    ----------
    sums : (N, m, B, 2) float64 array
        Sums of g and h by node, column and bin.
    total : (N, 2) float64 array
        The node's own sums.
    counts : (m,) int array
        How many bins each column has.
    reg_lambda : float
        λ.
    least : float
        The least sum of second derivatives on either side.
    gain : (N,) float32 array
        Filled: the best gain, 0 where there is none.
    column, bins : (N,) int array
        Filled where there is a gain.
    left, right : (N, 2) float64 array
        Filled where there is a gain: sums on either side.
    """
    for a in range(sums.shape[0]):
        G, H = total[a, 0], total[a, 1]
        root = np.float32(G * G / (H + reg_lambda))
        best = np.float32(0)
        for j in range(sums.shape[1]):
            for turn in range(2):
                x, y = 0.0, 0.0
                for step in range(counts[j]):
                    b = step if turn == 0 else counts[j] - 1 - step
                    x += sums[a, j, b, 0]
                    y += sums[a, j, b, 1]
                    rest, weight = G - x, H - y
                    if y >= least and weight >= least:
                        one = np.float32(x * x / (y + reg_lambda))
                        other = np.float32(rest * rest / (weight + reg_lambda))
                        found = (one + other if turn == 0 else other + one) - root
                        if found > best:
                            best = found
                            column[a], bins[a] = j, b - turn
                            if turn == 0:
                                left[a, 0], left[a, 1], right[a, 0], right[a, 1] = x, y, rest, weight
                            else:
                                left[a, 0], left[a, 1], right[a, 0], right[a, 1] = rest, weight, x, y
                if x == G and y == H:
                    break
        gain[a] = best


def ask(codes: np.ndarray, at: np.ndarray, column: np.ndarray, bins: np.ndarray, bits: np.ndarray) -> int:
    """Say of each row in a party's split nodes whether it goes right.

    Parameters
    ----------
    codes : (n, m_k) unsigned int array
        The party's bins.
    at : (C, n) int32 array
        The node of each row of each tree; −1 for none.
    column : (N + 1,) int array
        The party's column that a node is split by; −1 where it is not, or not by this party, and at the end.
    bins : (N,) int array
        Rows above this bin go right.
    bits : (≥ rows/8,) uint8 array of 0
        Filled, first row in the highest bit.

    Returns
    -------
    int
        How many rows were asked for.
    """
    asked, byte = 0, 0
    rows = np.empty(at.shape[1], np.uint32)
    for c in range(at.shape[0]):
        mine = np.uint64(0)
        for i in range(at.shape[1]):
            rows[mine] = i
            mine += np.uint64(column[at[c, i]] >= 0)
        for p in range(mine):
            a = at[c, rows[p]]
            byte = (byte << 1) | (1 if codes[rows[p], column[a]] > bins[a] else 0)
            asked += 1
            if asked & 7 == 0:
                bits[(asked >> 3) - 1] = byte
                byte = 0
    if asked & 7:
        bits[asked >> 3] = byte << (8 - (asked & 7))
    return asked


def move(
    at: np.ndarray, number: np.ndarray, owner: np.ndarray, slot: np.ndarray, bits: np.ndarray, cursor: np.ndarray,
    below: np.ndarray, leaf: np.ndarray,
) -> None:  # fmt: skip
    """Move every row to a child of its node, or leave it in its leaf.

    Parameters
    ----------
    at : (C, n) int32 array
        The node of each row of each tree; −1 for none.
    number : (N,) int array
        How many nodes before this one are split; −1 where it is not.
    owner : (N,) int array
        Whose bits say where its rows go.
    slot : (N,) int array
        Its slot in its tree.
    bits : (L,) uint8 array
        All parties' answers, one after the other.
    cursor : (K,) int array
        The first bit of each party's answer; changed.
    below : (C, n) int32 array
        Filled: the node in the level below, or −1.
    leaf : (C, n) int32 array
        Filled for rows that stay.
    """
    for c in range(at.shape[0]):
        for i in range(at.shape[1]):
            a = at[c, i]
            below[c, i] = -1
            if a >= 0 and number[a] < 0:
                leaf[c, i] = slot[a]
            elif a >= 0:
                place = cursor[owner[a]]
                cursor[owner[a]] = place + 1
                below[c, i] = 2 * number[a] + ((bits[place >> 3] >> (7 - (place & 7))) & 1)


def descend(codes: np.ndarray, feature: np.ndarray, bins: np.ndarray, leaf: np.ndarray) -> None:
    """Send rows down trees of full depth.

    Parameters
    ----------
    codes : (n, m) unsigned int array
        The bin of each number.
    feature, bins : (C, S) int array
        Which column a slot is split by (−1: none), and the last bin that goes left.
    leaf : (C, n) int32 array
        Filled.
    """
    for c in range(feature.shape[0]):
        for i in range(codes.shape[0]):
            s = 0
            while feature[c, s] >= 0:
                s = 2 * s + 1 + (codes[i, feature[c, s]] > bins[c, s])
            leaf[c, i] = s
