"""Sums of gradients by node, column and bin, and the best place to split a node by them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trustkit.vertical.boosted.compiled_loops import add_up, compiled, walk

__all__ = ["Rules", "Splits", "best_splits", "histogram", "weight_of"]

_EPSILON = np.float32(1e-6)


@dataclass(frozen=True)
class Rules:
    """What makes a split worth it.

    Parameters
    ----------
    reg_lambda : float
        λ, added to every sum of second derivatives.
    gamma : float
        The least gain of a split.
    min_child_weight : float
        The least sum of second derivatives on either side.
    """

    reg_lambda: float = 1.0
    gamma: float = 0.0
    min_child_weight: float = 1.0


@dataclass(frozen=True, eq=False)
class Splits:
    """The best split of each of N nodes.

    Parameters
    ----------
    column : (N,) int array
        Which column, counted among those given; −1 where no split is worth it.
    bin : (N,) int array
        Rows in this bin and those below go left.
    left, right : (N, 2) float64 array
        Sums of g and h on either side.
    """

    column: np.ndarray
    bin: np.ndarray
    left: np.ndarray
    right: np.ndarray


def histogram(codes: np.ndarray, g: np.ndarray, h: np.ndarray, at: np.ndarray, nodes: int, width: int) -> np.ndarray:
    """Add up gradients by node, column and bin, in the order of the rows.

    Parameters
    ----------
    codes : (n, m) uint8 or uint16 array
        Bins.
    g, h : (C, n) float32 array
        First and second derivatives.
    at : (C, n) int32 array
        The node that a row of a tree is counted in; −1 for none.
    nodes, width : int
        How many nodes, and bins a column.

    Returns
    -------
    (nodes, m, width, 2) float64 array
        Sums of g and h.

    Examples
    --------
    >>> codes, at = np.array([[0], [1], [1]], np.uint8), np.zeros((1, 3), np.int32)
    >>> g = np.array([[1, 2, 3]], np.float32)
    >>> histogram(codes, g, g, at, 1, 2)[0, 0, :, 0].tolist()
    [1.0, 5.0]
    """
    columns = codes.shape[1]
    cells = codes.astype(np.uint32) + np.arange(columns, dtype=np.uint32) * np.uint32(width)
    sums = np.zeros((nodes, columns * width, 2))
    loop = compiled(add_up, at.size * columns)
    if loop is not None:
        loop(cells, g, h, at, sums.reshape(-1), 2 * columns * width)
        return sums.reshape(nodes, columns, width, 2)
    cells = cells.astype(np.int64)
    for tree in range(len(at)):
        inside = np.flatnonzero(at[tree] >= 0)
        if not inside.size:
            continue
        node = at[tree, inside].astype(np.int64)
        first, last = node.min(), node.max() + 1
        where = (cells[inside] + ((node - first) * (columns * width))[:, None]).ravel()
        for side, values in enumerate((g, h)):
            weights = np.repeat(values[tree, inside].astype(np.float64), columns)
            added = np.bincount(where, weights, (last - first) * columns * width)
            sums[first:last, :, side] += added.reshape(last - first, -1)
    return sums.reshape(nodes, columns, width, 2)


def weight_of(total: np.ndarray, rules: Rules) -> np.ndarray:
    """Return what a leaf adds to a margin, before shrinking.

    Parameters
    ----------
    total : (N, 2) float64 array
        Sums of g and h.
    rules : Rules
        λ, and the least H.

    Returns
    -------
    (N,) float32 array
        −G / (H + λ); 0 where H is less than ``min_child_weight``, as XGBoost has it. Only a root can be so light.

    Examples
    --------
    >>> weight_of(np.array([[-3.0, 2.0], [-3.0, 0.5]]), Rules()).tolist()
    [1.0, 0.0]
    """
    heavy = (total[:, 1] >= rules.min_child_weight) & (total[:, 1] > 0)
    below = np.where(heavy, total[:, 1] + rules.reg_lambda, 1.0)
    return np.where(heavy, -total[:, 0] / below, 0.0).astype(np.float32)


def best_splits(sums: np.ndarray, total: np.ndarray, real: np.ndarray, rules: Rules) -> Splits:
    """Find the best split of each node, as XGBoost's ``hist`` does.

    Parameters
    ----------
    sums : (N, m, B, 2) float64 array
        Sums of g and h by node, column and bin.
    total : (N, 2) float64 array
        The node's own sums.
    real : (m, B) bool array
        Which cells are bins.
    rules : Rules
        What makes a split worth it.

    Returns
    -------
    Splits
        Of equal gains the one in the first column, and there in the first bin, counts.

    Notes
    -----
    gain = G_L²/(H_L + λ) + G_R²/(H_R + λ) − G²/(H + λ), each term rounded to float32. Where a column's sums do not
    add up to the node's by the last bit, bins are also walked from the last to the first, as XGBoost does there.
    """
    loop = compiled(walk, 4 * sums.size)
    if loop is None:
        gain, *found = _best(sums, total, real, rules)
    else:
        nodes = len(sums)
        gain, found = np.zeros(nodes, np.float32), [np.full(nodes, -1), np.zeros(nodes, int), *np.zeros((2, nodes, 2))]
        loop(sums, total, real.sum(axis=1), rules.reg_lambda, rules.min_child_weight, gain, *found)
    column, bins, left, right = found
    worth = (gain > _EPSILON) & (gain >= np.float32(rules.gamma))
    return Splits(np.where(worth, column, -1), bins, left, right)


def _best(sums: np.ndarray, total: np.ndarray, real: np.ndarray, rules: Rules) -> tuple[np.ndarray, ...]:
    """Return gain, column, bin and the sums on either side."""
    nodes, columns, width, _ = sums.shape
    forward = sums.cumsum(axis=2)
    whole = np.take_along_axis(forward, (real.sum(axis=1) - 1)[None, :, None, None], axis=2)[:, :, 0]
    left, right = forward, total[:, None, None] - forward
    gain = np.where(real, _gain(left, right, total, rules), -np.inf)
    where = gain.argmax(axis=2)
    best = np.take_along_axis(gain, where[..., None], axis=2)[..., 0]
    cell = (where + np.arange(columns) * width).reshape(nodes, -1)
    found = _picked(left.reshape(nodes, -1, 2), right.reshape(nodes, -1, 2), cell)
    uneven = np.nonzero((whole != total[:, None]).any(axis=2))
    if uneven[0].size:
        _walk_back(sums, total, real, rules, uneven, (best, where, *found))
    column = np.where(best > 0, best, -np.inf).argmax(axis=1)
    rows = np.arange(nodes)
    return best[rows, column], column, where[rows, column], found[0][rows, column], found[1][rows, column]


def _gain(left: np.ndarray, right: np.ndarray, total: np.ndarray, rules: Rules) -> np.ndarray:
    """Return gains in float32; −inf where a side is too light."""
    kept = (left[..., 1] >= rules.min_child_weight) & (right[..., 1] >= rules.min_child_weight)
    with np.errstate(divide="ignore", invalid="ignore"):
        root = _term(total, rules).reshape(-1, *[1] * (left.ndim - 2))
        return np.where(kept, _term(left, rules) + _term(right, rules) - root, np.float32(-np.inf))


def _term(sums: np.ndarray, rules: Rules) -> np.ndarray:
    return np.asarray(sums[..., 0] ** 2 / (sums[..., 1] + rules.reg_lambda), np.float32)


def _picked(left: np.ndarray, right: np.ndarray, cell: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.take_along_axis(left, cell[..., None], axis=1), np.take_along_axis(right, cell[..., None], axis=1)


def _walk_back(
    sums: np.ndarray, total: np.ndarray, real: np.ndarray, rules: Rules, uneven: tuple[np.ndarray, ...],
    best: tuple[np.ndarray, ...],
) -> None:  # fmt: skip
    """Try the columns whose sums are off by a bit from the last bin to the first; better ones replace what is there."""
    node, column = uneven
    gain, where, left, right = best
    above = sums[node, column][:, ::-1].cumsum(axis=1)  # empty cells first: they add nothing
    below = total[node][:, None] - above
    found = np.where(real[column][:, ::-1], _gain(below, above, total[node], rules), -np.inf)
    at = found.argmax(axis=1)
    rows = np.arange(at.size)
    better = found[rows, at] > gain[node, column]
    node, column, at, rows = node[better], column[better], at[better], rows[better]
    gain[node, column], where[node, column] = found[rows, at], sums.shape[2] - 2 - at
    left[node, column], right[node, column] = below[rows, at], above[rows, at]
