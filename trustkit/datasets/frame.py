"""A user's own table: columns by name, text one-hot encoded, missing values handled by a stated rule and counted."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from trustkit.data import Dataset, Provenance
from trustkit.datasets.encode import encode, is_number
from trustkit.datasets.labels import JUDGED, MOST_CLASSES, Task, task_checked
from trustkit.datasets.listed import listed, repeated
from trustkit.datasets.rows import MOST_VALUES, coded, hold_out

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["from_frame"]


def from_frame(
    df: pd.DataFrame,
    target: str,
    sensitive: Sequence[str] = (),
    client: str | None = None,
    name: str = "my table",
    positive: object = None,
    test_size: float = 0.2,
    missing: Literal["category", "drop"] = "category",
    keep_sensitive: bool = True,
    seed: int = 0,
    task: Task = "auto",
) -> Dataset:
    """Make a data set of a table.

    Parameters
    ----------
    df : pandas.DataFrame
        n rows; columns are numbers, booleans, text or categories, and are called by the text of their names.
    target : str
        The column to predict; its values are the classes, sorted, or the numbers of a regression.
    sensitive : sequence of str
        Protected attributes, each with at most 50 values; kept as labels for measurement.
    client : str, optional
        The column of natural clients. It is no feature.
    name : str
        What the data set is called.
    positive : object, optional
        The favourable class, by its label; by default the last of two classes, the second of more.
    test_size : float
        The share of test rows, 0 ≤ test_size < 1, the same in every class.
    missing : {"category", "drop"}
        What becomes of a row with a missing value; see Notes.
    keep_sensitive : bool
        Whether protected attributes are features too.
    seed : int
        The choice of test rows is ``stream(seed, name, "held out")``.
    task : {"auto", "classification", "regression"}
        With "auto" text, booleans and up to 20 different numbers are classes, more different numbers a regression.

    Returns
    -------
    Dataset
        Numbers stay as they are; a column ``c`` of booleans, text or categories becomes the columns ``c=value``.
        ``notes``: "missing" (missing values by column, in the table as it came), "dropped_rows", "one_hot" (values by
        column), "left_out" (columns without any value in the training rows) and "origin" (m,), the table's column that
        each feature was made of.

    Raises
    ------
    TypeError
        If the table is no data frame, or a column holds something that is neither a number nor text.
    KeyError
        If a column does not exist; the message lists those that do.
    ValueError
        If the table is empty, a column tells the target of 20 rows or more (the same values, up to other names for the
        classes), a name is used twice, the target has one class only, a column of text has more than 50
        different values, a number is infinite, or a regression's target is text.

    Notes
    -----
    Rows without a target are always dropped. With ``missing="drop"`` so is every row in which any column is missing.
    With ``missing="category"`` a missing number becomes the median of the training rows and a column ``c is missing``
    (0 or 1) is added beside it; a missing text becomes the value "missing".

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": [20, 30, None, 50], "sex": list("fmfm"), "paid": ["no", "yes", "yes", "no"]})
    >>> data = from_frame(table, target="paid", sensitive=["sex"], test_size=0)
    >>> data.columns
    ('age', 'age is missing', 'sex=f', 'sex=m')
    >>> data.X[:, 0].tolist(), data.classes
    ([20.0, 30.0, 30.0, 50.0], ('no', 'yes'))
    """
    task_checked(task)
    attributes = (sensitive,) if isinstance(sensitive, str) else tuple(sensitive)
    table = _checked(df, target, attributes, client or None, missing)
    unknown = table.isna()
    drop = unknown[target] if missing == "category" else unknown.any(axis=1)
    kept = table[~drop].reset_index(drop=True)
    y, classes = _target(kept[target], task)
    held_out = hold_out(y if classes else np.zeros(len(y)), test_size, name, seed)
    hidden = {target, client} if keep_sensitive else {target, client, *attributes}
    _not_told(kept, target, hidden, not classes)
    features = encode(kept[[c for c in kept.columns if c not in hidden]], ~held_out)
    return Dataset(
        name=name,
        X=features.X,
        y=y,
        columns=features.columns,
        classes=classes,
        provenance=Provenance("data frame", "the user's own", _digest(df)),
        sensitive={attribute: _labels(kept[attribute]) for attribute in attributes},
        groups={client: _labels(kept[client], most=None)} if client else {},
        held_out=held_out,
        positive=_positive(positive, classes),
        notes={
            "missing": {str(c): int(count) for c, count in unknown.sum().items() if count},
            "dropped_rows": int(drop.sum()),
            "one_hot": features.one_hot,
            "left_out": features.left_out,
            "origin": features.origin,
        },
    )


def _checked(
    df: pd.DataFrame, target: str, sensitive: tuple[str, ...], client: str | None, missing: str
) -> pd.DataFrame:
    """Return the table with text for column names, or say what is wrong with what was asked for."""
    import pandas as pd

    if not isinstance(df, pd.DataFrame):
        raise TypeError(f"the table must be a pandas data frame, got {type(df).__name__}")
    if missing not in ("category", "drop"):
        raise ValueError(f"missing must be 'category' or 'drop', got {missing!r}")
    table = df.rename(columns=str)
    names = list(table.columns)
    if not len(table) or not names:
        raise ValueError(f"the table must have rows and columns, got {len(table)} rows and {len(names)} columns")
    if twice := repeated(names):
        raise ValueError(f"column names must differ, got {listed(twice)} more than once")
    asked = [
        ("target", target),
        *(("sensitive", name) for name in sensitive),
        *([("client", client)] if client else []),
    ]
    for what, name in asked:
        if name not in names:
            raise KeyError(f"{what} must name a column of the table, got {name!r}; known are {listed(names)}")
    if target in (*sensitive, client):
        raise ValueError(f"the target must not be a protected attribute or the client column too, got {target!r}")
    return table


def _target(column: pd.Series[Any], task: Task) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return class numbers and the classes' names, or numbers and () for a regression."""
    if is_number(column):
        values, y = np.unique(column.to_numpy(dtype=np.float64), return_inverse=True)
        if not np.isfinite(values).all():
            raise ValueError(f"the target {column.name!r:.60} must be finite, got infinity")
        if task == "regression" or (task == "auto" and values.size > MOST_CLASSES):
            return values[y], ()
        names = [str(int(value)) if value.is_integer() else str(value) for value in values]
    elif task == "regression":
        raise ValueError(f"the target {column.name!r:.60} of a regression must hold numbers, got {column.dtype}")
    else:
        y, labels = coded(column, MOST_VALUES)
        names = [str(label) for label in labels]
    if len(names) < 2:
        found = f"{listed(names) or 'no row'}{' in one row' if len(column) == 1 else ''}"
        raise ValueError(f"the target {column.name!r:.60} must have two classes or more, got {found}")
    return y.astype(np.int64), tuple(names)


def _labels(column: pd.Series[Any], most: int | None = MOST_VALUES) -> np.ndarray:
    codes, values = coded(column, most)
    labels: np.ndarray = values[codes]
    return labels


def _positive(label: object, classes: tuple[str, ...]) -> int:
    if label is None:
        return 1
    if str(label) not in classes:
        raise ValueError(f"positive must be one of {', '.join(classes) or 'no class (a regression)'}, got {label!r}")
    return classes.index(str(label))


def _digest(df: pd.DataFrame) -> str:
    """Return a SHA-256 over the column names and the rows' hashes."""
    import pandas as pd

    rows = pd.util.hash_pandas_object(df, index=False).to_numpy(dtype="<u8")
    return hashlib.sha256("\0".join(map(str, df.columns)).encode() + rows.tobytes()).hexdigest()


def _not_told(frame: pd.DataFrame, target: str, no_features: set[str | None], regression: bool) -> None:
    """Refuse a column that is the target again, under whatever names for the classes; few rows may agree by chance."""
    known = frame[frame[target].notna()]
    if len(known) < JUDGED:
        return
    y = known[target] if regression else _first_seen(known[target])
    for column in known.columns.difference([name for name in no_features if name], sort=False):
        for rows in (slice(50), slice(None)):  # most columns differ soon
            part = known[column].iloc[rows]
            told = part.to_numpy() if regression else _first_seen(part)
            if not np.array_equal(told, y[rows]):
                break
        else:
            raise ValueError(f"features must not tell the target, got {column!r}, which has the values of {target!r}; "
                             "leave it out")  # fmt: skip


def _first_seen(column: pd.Series[Any]) -> np.ndarray:
    """Number values by their first appearance, so that two columns are equal if only the names of values differ."""
    import pandas as pd

    codes: np.ndarray = pd.factorize(column)[0]
    return codes
