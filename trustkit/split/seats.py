"""Divisions of columns as vectors: party sizes, all distinct divisions, a canonical labelling, paths between two."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

__all__ = [
    "all_divisions", "canonical_owner", "count_divisions", "member_table", "owner_vector", "party_sizes", "swap_path",
]  # fmt: skip


def party_sizes(parties: int | Sequence[int], columns: int) -> tuple[int, ...]:
    """Return how many columns each party gets.

    Parameters
    ----------
    parties : int or sequence of int
        K, between 2 and the number of columns, for sizes that differ by at most one (the first get the extra), or the
        K sizes themselves, each at least 1.
    columns : int
        m, at least 2.

    Returns
    -------
    tuple of int
        K sizes that add up to m.

    Raises
    ------
    TypeError
        If they are neither.
    ValueError
        If the parties do not fit the columns.

    Examples
    --------
    >>> party_sizes(3, 8), party_sizes([5, 3], 8)
    ((3, 3, 2), (5, 3))
    """
    if not isinstance(parties, (int, np.integer, Sequence, np.ndarray)) or isinstance(parties, (bool, str)):
        raise TypeError(f"parties must be a whole number or a list of them, got {parties!r}")
    if isinstance(parties, (int, np.integer)):
        if not 2 <= parties <= columns:
            raise ValueError(f"parties must be between 2 and the {columns} columns, got {parties}")
        each, extra = divmod(columns, int(parties))
        return tuple(each + (k < extra) for k in range(int(parties)))
    sizes = tuple(int(size) for size in parties)
    if len(sizes) < 2 or min(sizes) < 1 or sum(sizes) != columns:
        raise ValueError(
            f"parties must be at least 2 sizes, each at least 1, that add up to the {columns} columns, "
            f"got {list(sizes)}"
        )
    return sizes


def count_divisions(sizes: Sequence[int]) -> int:
    """Count the divisions that differ by more than the names of parties of one size.

    Parameters
    ----------
    sizes : sequence of int
        Columns of each party, each at least 1.

    Returns
    -------
    int
        m! / (product of the factorials of the sizes and of how often each size occurs).

    Examples
    --------
    >>> count_divisions([3, 3, 3, 3])
    15400
    """
    ways = math.factorial(sum(sizes))
    for size in sizes:
        ways //= math.factorial(size)
    for size in set(sizes):
        ways //= math.factorial(list(sizes).count(size))
    return ways


def all_divisions(sizes: Sequence[int]) -> np.ndarray:
    """List the divisions that `count_divisions` counts.

    Parameters
    ----------
    sizes : sequence of int
        Columns of each party, each at least 1.

    Returns
    -------
    (N, m) int array
        One owner vector a row; among parties of one size, an earlier party has the earlier first column.

    Examples
    --------
    >>> all_divisions([2, 2]).tolist()
    [[0, 1, 1, 0], [0, 1, 0, 1], [0, 0, 1, 1]]
    """
    K, m = len(sizes), sum(sizes)
    owners, counts = np.zeros((1, 0), np.int64), np.zeros((1, K), np.int64)
    for _ in range(m):
        grown, tallied = [], []
        for k in range(K):
            open_ = counts[:, k] < sizes[k]
            for earlier in range(k):
                if sizes[earlier] == sizes[k]:
                    open_ &= counts[:, earlier] > 0
            rows = np.flatnonzero(open_)
            tally = counts[rows]
            tally[:, k] += 1
            grown.append(np.column_stack([owners[rows], np.full(rows.size, k)]))
            tallied.append(tally)
        owners, counts = np.concatenate(grown), np.concatenate(tallied)
    return owners


def canonical_owner(owner: np.ndarray, sizes: Sequence[int]) -> np.ndarray:
    """Rename parties of one size so that an earlier one has the earlier first column.

    Parameters
    ----------
    owner : (m,) int array
        The party of each column, 0 … K−1.
    sizes : sequence of int
        Columns of each party.

    Returns
    -------
    (m,) int array
        The same division.

    Examples
    --------
    >>> canonical_owner(np.array([1, 0, 1, 0]), [2, 2])
    array([0, 1, 0, 1])
    """
    first = [int(np.flatnonzero(owner == k)[0]) for k in range(len(sizes))]
    new = np.empty(len(sizes), np.int64)
    for size in set(sizes):
        alike = [k for k in range(len(sizes)) if sizes[k] == size]
        new[sorted(alike, key=first.__getitem__)] = alike
    return np.asarray(new[owner])


def member_table(owner: np.ndarray, sizes: Sequence[int]) -> np.ndarray:
    """Turn owner vectors into lists of columns for each party.

    Parameters
    ----------
    owner : (…, m) int array
        The party of each column, 0 … K−1.
    sizes : sequence of int
        Columns of each party.

    Returns
    -------
    (…, K, max size) int array
        Ascending column numbers, filled up with m.

    Examples
    --------
    >>> member_table(np.array([0, 1, 0]), [2, 1]).tolist()
    [[0, 2], [1, 3]]
    """
    table = np.full((*owner.shape[:-1], len(sizes), max(sizes)), owner.shape[-1])
    in_order = np.argsort(owner, axis=-1, kind="stable")
    for k, end in enumerate(np.cumsum(sizes).tolist()):
        table[..., k, : sizes[k]] = in_order[..., end - sizes[k] : end]
    return table


def owner_vector(members: np.ndarray, columns: int) -> np.ndarray:
    """Undo `member_table` for one division.

    Parameters
    ----------
    members : (K, k) int array
        Columns of each party, in any order, filled up with m.
    columns : int
        m, at least 1.

    Returns
    -------
    (m,) int array
        The party of each column, 0 … K−1.

    Examples
    --------
    >>> owner_vector(np.array([[0, 2], [1, 3]]), 3).tolist()
    [0, 1, 0]
    """
    owner = np.zeros(columns + 1, np.int64)
    owner[members] = np.arange(len(members))[:, None]
    return owner[:columns]


def _align(owner: np.ndarray, like: np.ndarray, sizes: Sequence[int]) -> np.ndarray:
    """Rename parties of one size, greedily, so that `owner` agrees with `like` in many places."""
    overlap = np.zeros((len(sizes), len(sizes)), int)
    np.add.at(overlap, (owner, like), 1)
    overlap[np.not_equal.outer(np.array(sizes), np.array(sizes))] = -1
    new = np.empty(len(sizes), np.int64)
    for _ in sizes:
        k, name = np.unravel_index(np.argmax(overlap), overlap.shape)
        new[k] = name
        overlap[k, :] = overlap[:, name] = -2
    return np.asarray(new[owner])


def swap_path(
    start: np.ndarray, end: np.ndarray, sizes: Sequence[int], order: Iterable[int] | None = None
) -> Iterator[np.ndarray]:
    """Walk from one division to another, swapping two columns at a time.

    Parameters
    ----------
    start, end : (m,) int array
        Owner vectors with the same sizes.
    sizes : sequence of int
        Columns of each party.
    order : iterable of int, optional
        The m columns in the order in which they are set right; by default ascending.

    Yields
    ------
    (m,) int array
        `start`, at most m − 1 divisions between, and `end` (perhaps with parties of one size renamed).

    Examples
    --------
    >>> [step.tolist() for step in swap_path(np.array([0, 0, 0, 1]), np.array([0, 1, 0, 0]), [3, 1])]
    [[0, 0, 0, 1], [0, 1, 0, 0]]
    """
    goal, here = _align(end, start, sizes), start.copy()
    yield here.copy()
    for column in range(here.size) if order is None else order:
        if here[column] != goal[column]:
            candidates = np.flatnonzero((here == goal[column]) & (goal != here))
            wants = candidates[goal[candidates] == here[column]]
            other = wants[0] if wants.size else candidates[0]
            here[column], here[other] = here[other], here[column]
            yield here.copy()
