"""Column splits that are given: by the natural views of the data, or by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from trustkit.catalogue import SPLITS, Use
from trustkit.data import Dataset
from trustkit.partition import Partition
from trustkit.split.measured import measured

__all__ = ["by_views", "from_columns"]


@SPLITS.enter("by_views", title="by natural views", axis="columns")
def by_views(data: Dataset, seed: int = 0) -> Partition:
    """Give each natural view of the data (a sensor, an institution) to one party.

    Parameters
    ----------
    data : Dataset
        With ``notes["views"]``: the name of its view for each of the m columns; perhaps with ``notes["parties"]``: the
        names of all views in order, also of one without columns.
    seed : int
        Not used; every split takes one.

    Returns
    -------
    Partition
        Over columns, parties in the order of ``notes["parties"]``, otherwise that in which their views first occur.
        ``achieved``: names (K,), counts (K,), icor and its definition, seed.

    Raises
    ------
    ValueError
        If the data set names no views, not one for each column, or fewer than two; or Icor cannot be measured, as for
        `trustkit.split.importance`.

    Examples
    --------
    >>> from trustkit.data import Provenance
    >>> notes = {"views": ("photo", "photo", "sound")}
    >>> data = Dataset("d", np.eye(3), np.arange(3), ("a", "b", "c"), (), Provenance("me", "CC0"), notes=notes)
    >>> by_views(data).achieved["names"]
    ['photo', 'sound']
    """
    views = [str(view) for view in data.notes.get("views", ())]
    names = [str(name) for name in dict.fromkeys((*data.notes.get("parties", ()), *views))]
    if len(views) != data.X.shape[1] or len(names) < 2:
        got = f"{len(names)} views for {len(views)} columns" if views else "none"
        raise ValueError(
            f"{data.name} must name at least two views, one for each of its {data.X.shape[1]} columns, got {got}"
        )
    owner = np.array([names.index(view) for view in views])
    achieved = {"names": names, **measured(data, owner, len(names), seed)}
    return Partition("columns", owner, len(names), Use("by_views"), achieved)


def from_columns(data: Dataset, owners: Mapping[str, Sequence[str | int]]) -> Partition:
    """Divide columns by hand.

    Parameters
    ----------
    data : Dataset
        Whose m columns are divided.
    owners : mapping of str to sequence of str or int
        The columns of each of K ≥ 2 parties, by name or number (0 … m−1); the first party holds the target. Columns
        that are not listed belong to nobody.

    Returns
    -------
    Partition
        Over columns. ``achieved``: names (K,), counts (K,), icor and its definition, seed.

    Raises
    ------
    KeyError
        If there is no such column.
    ValueError
        If a column is listed twice, there are fewer than two parties, or Icor cannot be measured, as for
        `trustkit.split.importance`.

    Examples
    --------
    >>> from trustkit.data import Provenance
    >>> data = Dataset("d", np.eye(3), np.arange(3), ("a", "b", "c"), (), Provenance("me", "CC0"))
    >>> from_columns(data, {"bank": ["a"], "shop": [1, "c"]}).owner.tolist()
    [0, 1, 1]
    """
    if len(owners) < 2:
        raise ValueError(f"owners must name at least 2 parties, got {len(owners)}")
    m, owner = len(data.columns), np.full(len(data.columns), -1)
    for k, (party, columns) in enumerate(owners.items()):
        for column in columns:
            known = column in data.columns if isinstance(column, str) else column in range(m)
            if not known:
                some = ", ".join(data.columns[:12]) + (", …" if m > 12 else "")
                raise KeyError(f"{data.name} has no column {column!r} for {party}; it has {some}")
            index = data.columns.index(column) if isinstance(column, str) else int(column)
            if owner[index] >= 0:
                raise ValueError(f"a column must have one owner, got {data.columns[index]!r} twice, last for {party}")
            owner[index] = k
    achieved = {"names": list(owners), **measured(data, owner, len(owners), 0)}
    return Partition("columns", owner, len(owners), None, achieved)
