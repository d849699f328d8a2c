"""A protected attribute, or several crossed, as numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from trustkit.partition import numbered

__all__ = ["Coded", "group_codes", "intersection"]


class Coded(NamedTuple):
    """A protected attribute as numbers: ``codes`` (n,) int, −1 where it is missing; ``values``, sorted, as text."""

    codes: np.ndarray
    values: tuple[str, ...]


def group_codes(sensitive: Any, rows: int | None = None) -> Coded:
    """Number the groups of a protected attribute.

    Parameters
    ----------
    sensitive : (n,) array of numbers, booleans or text, or Coded
        Missing where it is None, NaN or the text "missing", which is what loaders write there: such rows are in no
        group. What is coded already comes back.
    rows : int, optional
        The n that is expected.

    Returns
    -------
    Coded
        Numbers and values.

    Raises
    ------
    ValueError
        If it is no vector of that length.

    Examples
    --------
    >>> group_codes(["b", "a", None])
    Coded(codes=array([ 1,  0, -1]), values=('a', 'b'))
    """
    array = sensitive.codes if isinstance(sensitive, Coded) else np.asarray(sensitive)
    if array.ndim != 1 or (rows is not None and array.size != rows):
        wanted = "each row" if rows is None else f"each of the {rows} rows"
        raise ValueError(f"sensitive must have one value for {wanted}, got shape {array.shape}")
    if isinstance(sensitive, Coded):
        return sensitive
    return Coded(*numbered(array))


def intersection(*attributes: Any) -> Coded:
    """Cross protected attributes: a group for every combination of their values.

    Parameters
    ----------
    *attributes : (n,) array or Coded
        At least one; a row that lacks one of them is in no group.

    Returns
    -------
    Coded
        Values are called "a & b"; a combination that nobody has is among them, and has no rows.

    Raises
    ------
    ValueError
        If there is no attribute, or if the lengths differ.

    Examples
    --------
    >>> intersection(["f", "m", "f"], [1, 2, None])
    Coded(codes=array([ 0,  3, -1]), values=('f & 1', 'f & 2', 'm & 1', 'm & 2'))
    """
    if not attributes:
        raise ValueError("an intersection must be of at least 1 attribute, got none")
    parts = [group_codes(each) for each in attributes]
    if len({part.codes.size for part in parts}) > 1:
        raise ValueError(f"attributes must have one length, got {', '.join(str(p.codes.size) for p in parts)}")
    codes, values = parts[0]
    for part in parts[1:]:
        both = (codes >= 0) & (part.codes >= 0)
        codes = np.where(both, codes * len(part.values) + part.codes, -1)
        values = tuple(f"{one} & {other}" for one in values for other in part.values)
    return Coded(codes, values)
