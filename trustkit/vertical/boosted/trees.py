"""Trees of full depth in flat arrays: slot s has its children in slots 2s + 1 and 2s + 2."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trustkit.vertical.boosted.compiled_loops import compiled, descend

__all__ = ["Trees", "bare", "leaves_of", "slots"]


def slots(depth: int) -> int:
    """Return how many slots a tree has.

    Parameters
    ----------
    depth : int
        Splits on the longest path.

    Returns
    -------
    int
        2^(depth + 1) − 1.

    Examples
    --------
    >>> slots(6)
    127
    """
    return int(2 ** (depth + 1) - 1)


@dataclass(frozen=True, eq=False)
class Trees:
    """A number of trees, C.

    Parameters
    ----------
    feature : (C, S) int32 array
        The column of the table that a slot is split by; −1 where it is not split.
    bin : (C, S) int16 array
        Rows in this bin of that column and in those below go left.
    weight : (C, S) float32 array
        What a leaf adds to a row's margin; 0 in a slot that is no leaf.
    """

    feature: np.ndarray
    bin: np.ndarray
    weight: np.ndarray


def bare(trees: int, depth: int) -> Trees:
    """Return trees that are not grown yet.

    Parameters
    ----------
    trees : int
        How many, C; 0 is allowed.
    depth : int
        How deep they may become.

    Returns
    -------
    Trees
        No slot is split, no leaf has a weight.
    """
    size = (trees, slots(depth))
    return Trees(np.full(size, -1, np.int32), np.zeros(size, np.int16), np.zeros(size, np.float32))


def leaves_of(trees: Trees, codes: np.ndarray) -> np.ndarray:
    """Send rows down the trees.

    Parameters
    ----------
    trees : Trees
        C of them.
    codes : (n, m) int array
        The bin of each number, columns as in the table.

    Returns
    -------
    (C, n) int32 array
        The slot of the leaf that each row ends in.
    """
    count, size = trees.feature.shape
    loop = compiled(descend, 4 * count * len(codes))
    if loop is not None:
        leaf = np.empty((count, len(codes)), np.int32)
        loop(codes, trees.feature, trees.bin, leaf)
        return leaf
    at, rows = np.zeros((count, len(codes)), np.int32), np.arange(len(codes))
    which = np.arange(count)[:, None]
    for _ in range((size + 1).bit_length() - 2):
        column = trees.feature[which, at]
        right = codes[rows, np.maximum(column, 0)] > trees.bin[which, at]
        at = np.where(column >= 0, 2 * at + 1 + right, at).astype(np.int32)
    return at
