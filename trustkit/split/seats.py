"""Divisions of columns as vectors: party sizes, all distinct divisions, a canonical labelling, paths between two."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

__all__ = [
    "all_divisions", "canonical_owner", "count_divisions", "member_table", "owner_vector", "party_sizes", "swap_steps",
    "swapped",
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
    numbers = list(parties) if isinstance(parties, (Sequence, np.ndarray)) else [parties]
    if any(isinstance(one, bool) or not isinstance(one, (int, np.integer)) for one in numbers):
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
    first = np.unique(owner, return_index=True)[1]
    new, count = np.empty(len(sizes), np.int64), np.array(sizes)
    for size in np.unique(count):
        alike = np.flatnonzero(count == size)
        new[alike[np.argsort(first[alike])]] = alike
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
    K = len(sizes)
    codes, overlap = np.unique(owner * K + like, return_counts=True)
    new, taken = [-1] * K, [False] * K
    for code in codes[np.argsort(-overlap, kind="stable")].tolist():
        k, name = divmod(code, K)
        if new[k] < 0 and not taken[name] and sizes[k] == sizes[name]:
            new[k], taken[name] = name, True
    free: dict[int, list[int]] = {}
    for name in reversed(range(K)):
        if not taken[name]:
            free.setdefault(sizes[name], []).append(name)
    renamed = [name if name >= 0 else free[sizes[k]].pop() for k, name in enumerate(new)]
    return np.asarray(np.array(renamed)[owner])


def swap_steps(
    start: np.ndarray, end: np.ndarray, sizes: Sequence[int], order: Iterable[int] | None = None
) -> np.ndarray:
    """List the swaps of two columns that lead from one division to another.

    Parameters
    ----------
    start, end : (m,) int array
        Owner vectors with the same sizes.
    sizes : sequence of int
        Columns of each party.
    order : iterable of int, optional
        The m columns in the order in which they are set right; by default ascending.

    Returns
    -------
    (T, 2) int array
        At most m − 1 swaps; the last gives `end`, perhaps with parties of one size renamed.

    Examples
    --------
    >>> swap_steps(np.array([0, 0, 0, 1]), np.array([0, 1, 0, 0]), [3, 1]).tolist()
    [[1, 3]]
    """
    goal, here, steps = _align(end, start, sizes), start.copy(), []
    for column in range(here.size) if order is None else order:
        if here[column] != goal[column]:
            candidates = np.flatnonzero((here == goal[column]) & (goal != here))
            wants = candidates[goal[candidates] == here[column]]
            other = wants[0] if wants.size else candidates[0]
            here[column], here[other] = here[other], here[column]
            steps.append((column, int(other)))
    return np.array(steps, np.int64).reshape(-1, 2)


def swapped(owner: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """Swap pairs of columns, one pair after another.

    Parameters
    ----------
    owner : (m,) int array
        The party of each column.
    steps : (T, 2) int array
        Pairs of columns.

    Returns
    -------
    (m,) int array
        A new owner vector.

    Examples
    --------
    >>> swapped(np.array([0, 1, 2]), np.array([[0, 1], [1, 2]])).tolist()
    [1, 2, 0]
    """
    here = owner.tolist()
    for one, two in steps.tolist():
        here[one], here[two] = here[two], here[one]
    return np.array(here)
