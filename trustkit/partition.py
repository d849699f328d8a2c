"""A `Partition`: who owns which row, or which column, and how that was made."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from trustkit import jsonfile
from trustkit.catalogue import Use

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MISSING", "Partition", "numbered"]

_FORMAT = "trustkit-partition-1"

MISSING = "missing"
"""What loaders write where a text is not there."""

_SAMPLE, _FEW = 2000, 60
"""So many rows are looked at first; up to so many values are found one by one, which is faster than sorting text."""


@dataclass(frozen=True, eq=False)
class Partition:
    """Who owns which row, or which column.

    Parameters
    ----------
    axis : {"rows", "columns"}
        What is divided.
    owner : (size,) int array
        The party of each row or column; −1 for nobody. Disjoint by construction.
    parties : int
        How many, K.
    made_by : Use, optional
        The split and the arguments asked for.
    achieved : mapping
        What was reached: alpha, beta, icor, bounds, definition, …
    """

    axis: Literal["rows", "columns"]
    owner: np.ndarray
    parties: int
    made_by: Use | None = None
    achieved: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        owner = np.asarray(self.owner)
        if owner.size and owner.dtype.kind not in "iu":
            raise TypeError(f"owner must hold whole numbers, got an array of {owner.dtype}")
        owner = owner.astype(np.int64)  # a copy
        if self.axis not in ("rows", "columns"):
            raise ValueError(f"axis must be 'rows' or 'columns', got {self.axis!r}")
        if owner.ndim != 1:
            raise ValueError(f"owner must be a vector, got shape {owner.shape}")
        if owner.size and (owner.min() < -1 or owner.max() >= self.parties):
            raise ValueError(f"owner must lie in -1 … {self.parties - 1}, got {owner.min()} … {owner.max()}")
        owner.setflags(write=False)
        object.__setattr__(self, "owner", owner)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Partition):
            return False
        return self._content() == other._content()

    def _content(self) -> str:
        """Return what makes two partitions equal: all but how long the search for one took."""
        content = self.to_dict()
        content["achieved"].pop("seconds", None)
        return jsonfile.canonical(content)

    def __repr__(self) -> str:
        sizes = self.sizes
        spread = f"{sizes.min():,} to {sizes.max():,}" if self.parties else "0"
        return f"Partition({self.parties} parties over {self.owner.size:,} {self.axis}, {spread} each)"

    @cached_property
    def sizes(self) -> np.ndarray:
        """(K,) int: how many rows or columns each party owns."""
        return np.bincount(self.owner[self.owner >= 0], minlength=self.parties)

    @cached_property
    def _by_party(self) -> tuple[np.ndarray, np.ndarray]:
        """All indices by party, and where each party's begin and end: to look through all for each is quadratic."""
        order = np.argsort(self.owner, kind="stable")
        return order, np.searchsorted(self.owner[order], np.arange(self.parties + 1))

    def members(self, party: int) -> np.ndarray:
        """Return the rows or columns of one party.

        Parameters
        ----------
        party : int
            0 … K−1.

        Returns
        -------
        (size,) int array
            Ascending indices.
        """
        if not 0 <= party < self.parties:
            return np.flatnonzero(self.owner == party)
        order, ends = self._by_party
        return order[ends[party] : ends[party + 1]].copy()

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON.

        Returns
        -------
        dict
            axis, owner, parties, made_by, achieved.
        """
        made_by = None if self.made_by is None else self.made_by.to_dict()
        achieved = jsonfile.loads(jsonfile.dumps(self.achieved))
        return {"axis": self.axis, "owner": self.owner.tolist(), "parties": self.parties,
                "made_by": made_by, "achieved": achieved}  # fmt: skip

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the partition as JSON; it comes back bit for bit.

        Parameters
        ----------
        path : path-like
            The file.

        Returns
        -------
        pathlib.Path
            The written file.
        """
        content = {"format": _FORMAT, **self.to_dict()}
        return jsonfile.write_text(path, jsonfile.dumps(content, indent=None))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Partition:
        """Read what `save` wrote.

        Parameters
        ----------
        path : path-like
            The file.

        Returns
        -------
        Partition
            Equal to the saved one.

        Raises
        ------
        ValueError
            If the file is not a trustkit partition.
        """
        content = jsonfile.read(path)
        if not isinstance(content, dict) or content.pop("format", None) != _FORMAT:
            raise ValueError(f"{path} must be a trustkit partition (format {_FORMAT})")
        try:
            made_by = content.pop("made_by")
            content["made_by"] = None if made_by is None else Use.from_dict(made_by)
            return cls(**content)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path} must be a trustkit partition (format {_FORMAT}), got: {error}") from None

    def frame(self) -> pd.DataFrame:
        """Return one line for each row or column: its index and its party.

        Returns
        -------
        pandas.DataFrame
            Columns ``index`` and ``party``.
        """
        import pandas as pd

        return pd.DataFrame({"index": np.arange(self.owner.size), "party": self.owner})


def numbered(values: Any) -> tuple[np.ndarray, tuple[str, ...]]:
    """Number the groups that rows fall into by a value.

    Parameters
    ----------
    values : (n,) array of numbers, booleans or text
        Missing where it is None, NaN, NaT or NA, or the text "missing", which is what loaders write there.

    Returns
    -------
    codes : (n,) int array
        0 … G−1; −1 where the value is missing, which is no group.
    names : tuple of str
        The G values, sorted.

    Examples
    --------
    >>> numbered(["b", "a", None, "missing"])
    (array([ 1,  0, -1, -1]), ('a', 'b'))
    """
    array = np.asarray(values)
    if array.dtype.kind == "f":
        known = ~np.isnan(array)
    elif array.dtype.kind == "O":
        known = np.array([_there(value) for value in array.tolist()], dtype=bool)
    else:
        known = array != MISSING if array.dtype.kind == "U" else np.ones(array.size, bool)
    part = array if known.all() else array[known]
    found, place = _sorted(part.astype(str) if array.dtype.kind == "O" else part)
    if part is not array:
        codes = np.full(array.size, -1)
        codes[known] = place
        place = codes
    return place, tuple(map(str, found.tolist()))


def _there(value: Any) -> bool:
    """Whether a value is none of None, NaN, NaT, NA and "missing"."""
    if value is None or (isinstance(value, str) and value == MISSING):
        return False
    same = value == value
    return bool(same) if isinstance(same, (bool, np.bool_)) else False  # NA is neither equal to itself nor not


def _sorted(array: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the sorted values and each row's number."""
    few = np.unique(array[:: max(1, array.size // _SAMPLE)])
    if array.size <= _SAMPLE or few.size > _FEW:
        values, codes = np.unique(array, return_inverse=True)
        return values, codes
    codes = np.full(array.size, -1)
    for number, value in enumerate(few):
        codes[array == value] = number
    rest = codes < 0
    if not rest.any():
        return few, codes
    rare, found = np.unique(array[rest], return_inverse=True)
    codes[rest] = few.size + found
    values = np.concatenate([few, rare])
    order = np.argsort(values)
    place = np.empty_like(order)
    place[order] = np.arange(order.size)
    return values[order], place[codes]
