"""Rows for testing only, and labels as text: what every loader needs before it can make a `Dataset`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from trustkit.partition import MISSING
from trustkit.rng import stream

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MISSING", "MOST_VALUES", "coded", "hold_out"]

MOST_VALUES = 50
"""A column of text with more different values than this is refused: it is an identifier, or has to be grouped first."""


def hold_out(y: np.ndarray, share: float, name: str, seed: int = 0) -> np.ndarray:
    """Choose the test rows of a table, the same share of every class.

    Parameters
    ----------
    y : (n,) int or float array
        Class numbers; for a regression any constant vector of the right length.
    share : float
        The share of test rows, 0 ≤ share < 1.
    name : str
        The data set's name, a part of the random stream's address.
    seed : int
        The random stream's seed.

    Returns
    -------
    (n,) bool array
        True for test rows. A class of c rows gets round(share · c) of them, and always keeps one row for training.

    Raises
    ------
    ValueError
        If the share is outside its range.

    Examples
    --------
    >>> y = np.array([0] * 10 + [1] * 30)
    >>> np.bincount(y[hold_out(y, 0.2, "example")]).tolist()
    [2, 6]
    """
    if not 0 <= share < 1:
        raise ValueError(f"test_size must be at least 0 and below 1, got {share!r}")
    rng = stream(seed, name, "held out")
    held = np.zeros(y.shape[0], bool)
    for value in np.unique(y):
        rows = rng.permutation(np.flatnonzero(y == value))
        held[rows[: min(round(share * rows.size), rows.size - 1)]] = True
    return held


def coded(column: pd.Series[Any], most: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Number the values of a column as text.

    Parameters
    ----------
    column : (n,) pandas.Series
        Text, categories, booleans or numbers.
    most : int, optional
        How many different values are allowed.

    Returns
    -------
    codes : (n,) int array
        0 … V−1 by row.
    values : (V,) str array
        The values as text, sorted; a whole number has no decimal point, and a value that is not there is "missing".

    Raises
    ------
    TypeError
        If the column holds dates, lists or other things that are neither text nor numbers.
    ValueError
        If there are more different values than allowed.

    Examples
    --------
    >>> import pandas as pd
    >>> codes, values = coded(pd.Series([2.0, None, 1.0]))
    >>> codes.tolist(), values.tolist()
    ([1, 2, 0], ['1', '2', 'missing'])
    """
    import pandas as pd

    try:
        codes, found = pd.factorize(column)
    except TypeError:
        raise TypeError(f"column {column.name!r:.60} must hold text, numbers or booleans, got lists") from None
    if getattr(column.dtype, "kind", "O") in "mMc":
        raise TypeError(f"column {column.name!r:.60} must hold text, numbers or booleans, got {column.dtype}")
    if most is not None and len(found) > most:
        raise ValueError(
            f"column {column.name!r:.60} must have at most {most} different values, got {len(found)}; "
            "leave it out, group its values or make it a number"
        )
    names = [_text(value) for value in found] + ([MISSING] if (codes < 0).any() else [])
    values, order = np.unique(np.array(names, dtype=str), return_inverse=True)
    return order[codes], values  # code −1 picks the last name, which is then MISSING


def _text(value: Any) -> str:
    return str(int(value)) if isinstance(value, (float, np.floating)) and float(value).is_integer() else str(value)
