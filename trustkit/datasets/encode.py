"""From the columns of a table to a matrix: numbers stay, the rest is one-hot encoded, gaps are filled and marked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from trustkit.datasets.listed import listed, repeated
from trustkit.datasets.rows import MOST_VALUES, coded

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Encoded", "encode", "is_number"]


@dataclass(frozen=True, eq=False)
class Encoded:
    """A matrix X (n, m), its columns (m,), and how it was made.

    Parameters
    ----------
    X : (n, m) float array
        The features.
    columns : (m,) tuple of str
        Their names.
    one_hot : mapping
        The values of each column that was no number.
    left_out : tuple of str
        Columns without any value.
    origin : (m,) tuple of str
        The table's column that each feature was made of.
    """

    X: np.ndarray
    columns: tuple[str, ...]
    one_hot: Mapping[str, tuple[str, ...]]
    left_out: tuple[str, ...]
    origin: tuple[str, ...]


def is_number(column: pd.Series[Any]) -> bool:
    """Say whether a column holds real numbers; booleans do not count as such.

    Parameters
    ----------
    column : (n,) pandas.Series
        Any column.

    Returns
    -------
    bool
        True for whole numbers and floats, also those of pandas that know missing values.

    Examples
    --------
    >>> import pandas as pd
    >>> is_number(pd.Series([1, 2])), is_number(pd.Series([True, False]))
    (True, False)
    """
    import pandas as pd

    kinds = pd.api.types
    return kinds.is_integer_dtype(column) or kinds.is_float_dtype(column)


def encode(table: pd.DataFrame, train: np.ndarray) -> Encoded:
    """Turn columns into features.

    Parameters
    ----------
    table : (n, c) pandas.DataFrame
        The columns, with text for names.
    train : (n,) bool array
        The training rows: medians come from them alone.

    Returns
    -------
    Encoded
        X is (n, m) float64. A number with gaps becomes two columns, ``c`` with the training median in the gaps and
        ``c is missing`` (0 or 1); if no training row has a value, it is left out. Anything else becomes ``c=value``, a
        column (0 or 1) for each value that occurs in any row, in the order of the text.

    Raises
    ------
    TypeError
        If a column is neither numbers nor text.
    ValueError
        If a number is infinite, a text has more than 50 values, two features have one name, or no feature is left.

    Examples
    --------
    >>> import pandas as pd
    >>> made = encode(pd.DataFrame({"a": [1.0, None, 5.0], "b": ["x", "y", "x"]}), np.array([True, True, True]))
    >>> made.columns
    ('a', 'a is missing', 'b=x', 'b=y')
    >>> made.X.tolist()
    [[1.0, 0.0, 1.0, 0.0], [3.0, 1.0, 0.0, 1.0], [5.0, 0.0, 1.0, 0.0]]
    """
    blocks: list[np.ndarray] = []
    names: list[str] = []
    one_hot: dict[str, tuple[str, ...]] = {}
    left_out: list[str] = []
    origin: list[str] = []
    for name in map(str, table.columns):
        column = table[name]
        if is_number(column):
            block = _filled(column, train)
            new = [name, f"{name} is missing"][: block.shape[1]]
            left_out += [] if new else [name]
        else:
            codes, values = coded(column, MOST_VALUES)
            block = (codes[:, None] == np.arange(values.size)).astype(np.float64)
            one_hot[name] = tuple(map(str, values))
            new = [f"{name}={value}" for value in values]
        blocks.append(block)
        names += new
        origin += [name] * len(new)
    if not names:
        raise ValueError("the table must have a feature beside target, client and protected attributes, got none")
    if twice := repeated(names):
        raise ValueError(f"features must have different names, got {listed(twice)} more than once")
    return Encoded(np.hstack(blocks), tuple(names), one_hot, tuple(left_out), tuple(origin))


def _filled(column: pd.Series[Any], train: np.ndarray) -> np.ndarray:
    """Return (n, 1) numbers, (n, 2) with an indicator of gaps, or (n, 0) if no training row has a value."""
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    if np.isinf(values).any():
        raise ValueError(f"column {column.name!r:.60} must be finite, got infinity in {np.isinf(values).sum()} rows")
    gaps = np.isnan(values)
    if not gaps.any():
        return values[:, None]
    known = values[train & ~gaps]
    if not known.size:
        return np.zeros((values.size, 0))
    return np.column_stack([np.where(gaps, np.median(known), values), gaps])
