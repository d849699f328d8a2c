"""Labels as they stand in a file: −1 and 1, 1 … C, words or numbers, and the numbers 0 … C−1 that they become."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from trustkit.data import Matrix
from trustkit.datasets.listed import listed
from trustkit.shown import shown

__all__ = ["JUDGED", "MOST_CLASSES", "Task", "not_told", "numbered", "task_checked"]

Task = Literal["auto", "classification", "regression"]

MOST_CLASSES = 20
"""A target of more different numbers than this is a regression, unless something else says that they are classes."""

JUDGED = 20
"""Of fewer rows nobody says that a feature tells the target: they may agree by chance."""


def numbered(labels: np.ndarray, task: Task = "auto") -> tuple[np.ndarray, tuple[str, ...], dict[str, int]]:
    """Number the classes, or read the numbers of a regression.

    Parameters
    ----------
    labels : (n,) array of bytes or str
        One a row, as the file has them.
    task : {"auto", "classification", "regression"}
        With "auto" labels are classes if one of them is no number, if there are at most 20 different ones, or if they
        are the whole numbers from 0 or 1 on without a gap; otherwise the task is a regression.

    Returns
    -------
    y : (n,) int64 or float64 array
        Class numbers 0 … C−1 in the order of the labels, as numbers if all are (9 before 10), else as text; for a
        regression the labels.
    classes : (C,) tuple of str
        Their labels; empty for a regression.
    mapping : dict
        Class number by label; empty for a regression.

    Raises
    ------
    ValueError
        If the task is unknown, there are fewer than two classes, or a label of a regression is no finite number.

    Examples
    --------
    >>> numbered(np.array([b"+1", b"-1", b"1"]))
    (array([1, 0, 1]), ('-1', '1'), {'-1': 0, '1': 1})
    """
    task_checked(task)
    found, codes = np.unique(labels, return_inverse=True)
    texts = [value.decode(errors="replace") if isinstance(value, bytes) else str(value) for value in found]
    numbers = _numbers(texts)
    if task == "regression" or (task == "auto" and numbers is not None and not _classes(np.unique(numbers))):
        if numbers is None:
            wrong = next(text for text in texts if _numbers([text]) is None)
            raise ValueError(f"labels of a regression must be finite numbers, got {shown(wrong)}")
        return numbers[codes], (), {}
    names = texts
    if numbers is not None:
        values, same = np.unique(numbers, return_inverse=True)
        codes, names = same[codes], [str(int(value)) if value.is_integer() else str(value) for value in values]
    if len(names) < 2:
        what = f"{listed(names) or 'none'}{' in one row' if len(labels) == 1 else ''}"
        raise ValueError(f"the labels must be of two classes or more, got {what}")
    return codes.astype(np.int64), tuple(names), {name: number for number, name in enumerate(names)}


def task_checked(task: str) -> None:
    """Check the name of a task.

    Parameters
    ----------
    task : str
        "auto", "classification" or "regression".

    Raises
    ------
    ValueError
        If it is none of these.
    """
    if task not in ("auto", "classification", "regression"):
        raise ValueError(f"task must be 'auto', 'classification' or 'regression', got {task!r}")


def _numbers(texts: list[str]) -> np.ndarray | None:
    try:
        numbers = np.array([float(text) for text in texts])
    except ValueError:
        return None
    return numbers if np.isfinite(numbers).all() else None


def _classes(values: np.ndarray) -> bool:
    """Say whether sorted different numbers look like the names of classes."""
    return values.size <= MOST_CLASSES or any(
        np.array_equal(values, np.arange(values.size) + first) for first in (0, 1)
    )


def not_told(X: Matrix, y: np.ndarray, columns: Sequence[str], regression: bool) -> None:
    """Refuse a feature that is the target again, under whatever numbers for the classes.

    Parameters
    ----------
    X : (n, m) array or sparse array
        The features. Of fewer than 20 rows nothing is said.
    y : (n,) array
        Class numbers, or the target of a regression.
    columns : sequence of str
        What the features are called.
    regression : bool
        Whether only equal values tell the target.

    Raises
    ------
    ValueError
        If there is such a feature; the message names the first.

    Examples
    --------
    >>> not_told(np.arange(40.0).reshape(20, 2), np.arange(20) % 2, ["a", "b"], regression=False)
    """
    if len(y) < JUDGED:
        return
    kinds, first, kind = np.unique(y, return_index=True, return_inverse=True)
    suspects = np.arange(X.shape[1] if kinds.size > 1 else 0)
    if hasattr(X, "indices"):  # an empty column is the same for all
        suspects = np.intersect1d(suspects, X.indices)
    if not regression:
        values = np.sort(_of(X, first, suspects), axis=0)
        suspects = suspects[(values[1:] != values[:-1]).all(axis=0)]  # another value for each class
    for rows in (slice(50), slice(None)):  # most features differ soon
        told = np.asarray(y[rows])[:, None] if regression else _of(X, first[kind[rows]], suspects)
        suspects = suspects[(_of(X, rows, suspects) == told).all(axis=0)]
    if suspects.size:
        raise ValueError(f"features must not tell the target, got {columns[int(suspects[0])]!r}, which has the values "
                         "of the label; leave it out")  # fmt: skip


def _of(X: Matrix, rows: np.ndarray | slice, columns: np.ndarray) -> np.ndarray:
    """Some rows and columns as an array."""
    part = X[rows][:, columns]
    return np.asarray(part.toarray() if hasattr(part, "toarray") else part)
