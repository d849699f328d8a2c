"""The numbers behind a picture: every plot function tells them, and they are written as a table."""

from __future__ import annotations

import csv
import io
import math
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["data_of", "tell", "tell_rows", "to_csv"]

_TOLD: weakref.WeakKeyDictionary[Figure, dict[str, list[Any]]] = weakref.WeakKeyDictionary()


def tell(figure: Figure, **columns: Any) -> Figure:
    """Say which numbers a picture shows; what an earlier drawing of it said is forgotten.

    Parameters
    ----------
    figure : Figure
        The picture.
    **columns
        Equally long sequences, one value a row, by the column's name; a single value stands in every row. ``None`` is
        not known, NaN not defined.

    Returns
    -------
    matplotlib.figure.Figure
        The same.

    Raises
    ------
    ValueError
        If columns differ in length.
    """
    many = {name: _values(column) for name, column in columns.items() if _is_many(column)}
    rows = max((len(column) for column in many.values()), default=1)
    for name, column in many.items():
        if len(column) != rows:
            raise ValueError(f"columns must be equally long, got {rows} rows and {len(column)} of {name}")
    _TOLD[figure] = {name: many[name] if name in many else [columns[name]] * rows for name in columns}
    return figure


def tell_rows(figure: Figure, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> Figure:
    """Say which numbers a picture shows, row by row.

    Parameters
    ----------
    figure : Figure
        The picture.
    names : sequence of str
        Of the columns.
    rows : sequence of sequences
        One value a column; there may be none.

    Returns
    -------
    matplotlib.figure.Figure
        The same.
    """
    return tell(figure, **{name: [row[k] for row in rows] for k, name in enumerate(names)})


def _is_many(column: Any) -> bool:
    return hasattr(column, "__iter__") and not isinstance(column, str) and np.ndim(column) > 0


def _values(column: Any) -> list[Any]:
    """A column as Python's own numbers and words, copied, so that later changes do not reach it."""
    return [each.item() if isinstance(each, np.generic) else each for each in column]


def _told(figure: Figure) -> dict[str, list[Any]]:
    if figure not in _TOLD:
        raise ValueError("the figure must come from a function of trustkit.plot, got one that tells no numbers")
    return _TOLD[figure]


def data_of(figure: Figure) -> pd.DataFrame:
    """Return the numbers that a picture shows.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        From any function of `trustkit.plot`; a picture that was redrawn has the numbers of its last drawing.

    Returns
    -------
    pandas.DataFrame
        One row for each thing drawn, the columns as the picture's function describes them. ``None`` is not known or not
        drawn, NaN not defined.

    Raises
    ------
    ValueError
        If the figure does not come from such a function.

    Examples
    --------
    >>> from trustkit import plot
    >>> data_of(plot.pillar_radar({"privacy": 0.25, "fairness": None}))
         pillar score baseline
    0   privacy  0.25     None
    1  fairness  None     None
    """
    import pandas as pd

    columns = _told(figure)
    kinds = {name: object if any(each is None for each in column) else None for name, column in columns.items()}
    return pd.DataFrame({name: pd.Series(column, dtype=kinds[name]) for name, column in columns.items()})


def to_csv(figure: Figure) -> str:
    """Write the numbers that a picture shows as CSV.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        As for `data_of`.

    Returns
    -------
    str
        A line of names, then a line a row. Numbers are written so that reading gives exactly the same ones; ``None`` is
        an empty cell, NaN is ``nan``.

    Raises
    ------
    ValueError
        If the figure does not come from a function of `trustkit.plot`.

    Examples
    --------
    >>> from trustkit import plot
    >>> print(to_csv(plot.pillar_radar({"privacy": 0.25, "fairness": None})))
    pillar,score,baseline
    privacy,0.25,
    fairness,,
    <BLANKLINE>
    """
    columns, buffer = _told(figure), io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(map(_written, row) for row in zip(*columns.values(), strict=True))
    return buffer.getvalue()


def _written(value: Any) -> Any:
    return "nan" if isinstance(value, float) and math.isnan(value) else value
