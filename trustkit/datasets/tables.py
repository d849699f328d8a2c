"""Tables of one's own in a file: text with any usual delimiter, Parquet, Arrow, or NumPy's NPZ."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from trustkit.catalogue import DATASETS, Interval
from trustkit.data import Dataset
from trustkit.datasets.arrowfile import table_files
from trustkit.datasets.frame import from_frame
from trustkit.datasets.labels import Task
from trustkit.datasets.listed import listed
from trustkit.datasets.ondisk import AnyPath, frozen, owned, stem
from trustkit.datasets.places import kind_of
from trustkit.datasets.sniff import Delimiter, Header
from trustkit.datasets.tablefile import column_named, frame_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_table"]


@DATASETS.enter("table", title="A table of your own")
def read_table(
    path: Annotated[AnyPath, "the file, or the folder of its parts"] = "",
    target: Annotated[str | int, "the column to predict, by name or index; -1 is the last"] = -1,
    header: Annotated[Header, "whether the first line names the columns"] = "auto",
    delimiter: Annotated[Delimiter, "what is between cells"] = "auto",
    id: Annotated[str | int, "the column that tells rows apart, if any"] = "",
    sensitive: Annotated[tuple[str, ...], "protected attributes"] = (),
    client: Annotated[str, "the column of natural clients, if any"] = "",
    leave_out: Annotated[tuple[str, ...] | str, "columns that are not read"] = (),
    task: Annotated[Task, "what the target is"] = "auto",
    name: Annotated[str, "what the data set is called, by default as the file"] = "",
    positive: Annotated[str, "the favourable class"] = "",
    test_size: Annotated[float, Interval(0, 0.9, step=0.05), "share of test rows"] = 0.2,
    missing: Annotated[Literal["category", "drop"], "what becomes of missing values"] = "category",
    keep_sensitive: Annotated[bool, "protected attributes are features too"] = True,
    seed: int = 0,
) -> Dataset:
    """Make a data set of a file: delimited text (packed or not), Parquet, Arrow or NPZ; or of a folder of such parts.

    Parameters
    ----------
    path : str or path-like
        The file; its content says which it is. Text is separated by commas, tabs, semicolons, bars or blanks. Arrow is
        an IPC file, Feather or a stream. NPZ holds ``X`` (n, m) and ``y`` (n,), perhaps ``columns`` (m,), or else one
        array of n values a column, by name. A folder is that of a Hugging Face data set
        (``data-00000-of-00002.arrow``), whose class labels have the names that it gives them, or one of Arrow, Parquet
        or Feather parts with the same columns.
    target : str or int
        The column to predict, by its name or by its index in the file, from 0 or from the end (−1, …). In NPZ with
        ``X`` and ``y`` it is ``y``, the last.
    header : {"auto", "yes", "no"}
        Whether the first line of a text names the columns; without a header they are called ``x0``, ``x1``, … For the
        rule of "auto" see Notes.
    delimiter : {"auto", ",", ";", tab, "|", "blanks"}
        What is between the cells of a text.
    id : str or int
        A column that tells rows apart, by name or index: no feature, and no value twice. Empty for none.
    sensitive : tuple of str
        Protected attributes.
    client : str
        The column of natural clients; empty for none.
    leave_out : tuple of str
        Columns that are not read.
    task : {"auto", "classification", "regression"}
        What the target is, as in `from_frame`.
    name : str
        What the data set is called; by default the file's name up to its first dot.
    positive : str
        The favourable class; empty for the default of `from_frame`.
    test_size : float
        The share of test rows, from 0 to 0.9.
    missing : {"category", "drop"}
        What becomes of a row with a missing value, as in `from_frame`.
    keep_sensitive : bool
        Whether protected attributes are features too.
    seed : int
        Of the choice of test rows.

    Returns
    -------
    Dataset
        ``notes``, beside those of `from_frame`: "labels" (class number by label), "constant" (features with one value
        in all training rows), "id" (that column's name) and, of a text, "delimiter", "header" and "phantom_column"
        (whether lines end in a delimiter; the empty column behind it is left out).

    Raises
    ------
    KeyError
        If a column does not exist.
    TypeError, ValueError
        As `from_frame`; also if there is no such file, it is not a table, or an id occurs twice.

    Notes
    -----
    Two rules are applied to the first 200 lines. Delimiter: the first of tab, semicolon, bar, comma and blanks that
    divides all lines into the same number of cells. Header: the first line is one if in some column it is no number
    while all other cells are; in a table without such a column only if it has no number, no two equal cells, and no
    cell that occurs again below. Empty cells, "?", "NA" and the like are missing values.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> file = Path(tempfile.mkdtemp()) / "flats.tsv"
    >>> _ = file.write_text("dear\\t35\\t1\\ncheap\\t41\\t4\\ndear\\t50\\t9\\n")
    >>> data = read_table(file, target=0, test_size=0)
    >>> data.columns, data.notes["labels"]
    (('x1', 'x2'), {'cheap': 0, 'dear': 1})
    """
    if os.fspath(path) and not kind_of(path):
        raise ValueError(f"there is no file {os.fspath(path)!r:.300}")
    files = table_files(path, "a table (text, Parquet or NPZ)")
    frame, notes = _joined(files, header, delimiter)
    columns = list(frame.columns)
    wanted = column_named(columns, target, "target")
    if id != "":
        notes["id"] = column_named(columns, id, "id")
        frame = _without_id(frame, notes["id"], wanted)
    unused = [column_named(columns, each, "leave_out") for each in _several(leave_out)]
    frame = frame.drop(columns=unused)
    called = name or stem(Path(path))
    data = from_frame(frame, wanted, sensitive, client, called, positive or None, test_size, missing, keep_sensitive,
                      seed, task)  # fmt: skip
    train = data.X[~data.held_out]
    constant = np.flatnonzero(train.min(0) == train.max(0))
    notes["labels"] = {label: number for number, label in enumerate(data.classes)}
    notes["constant"] = tuple(data.columns[j] for j in constant)
    return frozen(dataclasses.replace(data, provenance=owned(*files), notes={**data.notes, **notes}))


def _joined(files: list[Path], header: Header, delimiter: Delimiter) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Read the parts of a table, one after the other."""
    import pandas as pd

    frame, notes = frame_of(files[0], header, delimiter)
    parts = [frame]
    for file in files[1:]:
        part, _ = frame_of(file)
        if list(part.columns) != list(frame.columns):
            raise ValueError(f"{file} must have the columns of {files[0].name}, got {listed(list(part.columns))}")
        parts.append(part)
    return (pd.concat(parts, ignore_index=True) if len(parts) > 1 else frame), notes


def _several(names: str | Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _without_id(frame: pd.DataFrame, id: str, target: str) -> pd.DataFrame:
    if id == target:
        raise ValueError(f"id must be another column than the target, got {id!r}")
    if (twice := frame[id].duplicated()).any():
        raise ValueError(f"id {id!r} must tell rows apart, got {frame[id][twice].iloc[0]} more than once")
    return frame.drop(columns=id)
