"""One pass over all rows that counts them for every client, group and attribute at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from trustkit.metrics.coding import Coded, group_codes, intersection
from trustkit.metrics.groups import flags

__all__ = ["Counted", "count_clients"]

_MOST_CELLS = 1 << 28
"""More counts than this (2 GB) are refused."""


class Counted(NamedTuple):
    """Rows by client: ``counts`` (K, G, 2, 2) int of the G ``values``; ``missing`` (K,) rows without the attribute."""

    values: tuple[str, ...]
    counts: np.ndarray
    missing: np.ndarray


def count_clients(
    pred: Any, y: Any, owner: Any, sensitive: Mapping[str, Any], *, clients: int | None = None,
    intersections: Sequence[Sequence[str]] = (), positive: Any = None,
) -> dict[str, Counted]:  # fmt: skip
    """Count the rows of all clients by group, label and prediction, for all attributes, in one pass.

    Parameters
    ----------
    pred, y : (n,) array of 0/1 or bool, or of classes
        Predicted and true labels.
    owner : (n,) int array
        Clients 0 … K−1; −1 for rows that nobody has.
    sensitive : mapping of str to (n,) array or Coded
        Protected attributes.
    clients : int, optional
        K, at least 1; by default one more than the largest owner.
    intersections : sequence of sequences of str
        Attributes that are crossed: ``[("sex", "race")]`` adds the key "sex & race".
    positive : object, optional
        The favourable class, against all others, where labels are classes. By default labels are 0 and 1.

    Returns
    -------
    dict of str to Counted
        By attribute. The gaps of every client follow by `gaps_from_counts`; those of the pool from ``counts.sum(0)``.

    Raises
    ------
    KeyError
        If an intersection names an unknown attribute.
    ValueError
        If lengths differ, a label is neither 0 nor 1 and no class is favourable, an owner is out of range, or there
        would be more than 2²⁸ counts.

    Examples
    --------
    >>> count_clients([1, 0, 1], [1, 1, 0], [0, 0, 1], {"sex": ["f", "m", "f"]})["sex"].counts[:, :, 1].tolist()
    [[[0, 1], [1, 0]], [[0, 0], [0, 0]]]
    """
    own = np.asarray(owner)
    label, predicted = (_favourable(each, what, positive) for each, what in ((y, "y"), (pred, "pred")))
    if own.ndim != 1 or not label.size == predicted.size == own.size:
        raise ValueError(f"pred, y and owner must have one length, got {predicted.size}, {label.size}, {own.size}")
    number = int(own.max(initial=-1)) + 1 if clients is None else clients
    if own.size and (own.dtype.kind not in "iu" or own.min() < -1 or own.max() >= number):
        raise ValueError(f"owner must hold whole numbers in −1 … {number - 1}, got {own.min()} … {own.max()}")
    coded = {name: group_codes(each, own.size) for name, each in sensitive.items()}
    for names in intersections:
        if unknown := [name for name in names if name not in sensitive]:
            raise KeyError(f"there is no attribute {unknown[0]!r}; known are {', '.join(sensitive)}")
        coded[" & ".join(names)] = intersection(*(coded[name] for name in names))
    cell = label.astype(np.intp) * 2 + predicted
    return {name: _counted(each, own, cell, number) for name, each in coded.items()}


def _favourable(values: Any, what: str, positive: Any) -> np.ndarray:
    """Turn labels into booleans."""
    if positive is None:
        return flags(values, what)
    array = np.asarray(values)
    return np.asarray(array == positive).reshape(array.shape)


def _counted(coded: Coded, owner: np.ndarray, cell: np.ndarray, clients: int) -> Counted:
    groups = len(coded.values)
    if 4 * clients * groups > _MOST_CELLS:
        raise ValueError(f"clients × groups must be at most {_MOST_CELLS // 4:,}, got {clients:,} × {groups:,}")
    held = owner >= 0
    known = held & (coded.codes >= 0)
    if known.all():
        at, missing = (owner * groups + coded.codes) * 4 + cell, np.zeros(clients, np.intp)
    else:
        at = (owner[known] * groups + coded.codes[known]) * 4 + cell[known]
        missing = np.bincount(owner[held & (coded.codes < 0)], minlength=clients)
    counts = np.bincount(at, minlength=4 * clients * groups).reshape(clients, groups, 2, 2)
    return Counted(coded.values, counts, missing)
