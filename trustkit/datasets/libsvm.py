"""LIBSVM's (svmlight's) text format, ``label index:value …``: what is sparse stays sparse."""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import numpy as np

from trustkit.catalogue import DATASETS, Interval
from trustkit.data import Dataset, Matrix
from trustkit.datasets.bounds import label_array, narrowed
from trustkit.datasets.labels import Task, not_told, numbered
from trustkit.datasets.lines import floats, pieces, read_rows, spelt, starts_of, written
from trustkit.datasets.ondisk import AnyPath, existing, frozen, owned, stem
from trustkit.datasets.packed import room_for
from trustkit.datasets.rows import hold_out

__all__ = ["read_libsvm", "read_vehicle"]

MOST_COLUMNS = 1 << 22
"""More columns than that (4,194,304) must be asked for: one wrong index would else fill the memory with names."""

MOST_FILLED = 0.5
"""A table with a larger share of filled cells is smaller as an array."""


@dataclass(frozen=True, eq=False)
class _Entries:
    """Some rows: labels (n,) as bytes, counts (n,) of entries, and of all entries in order indices and values."""

    labels: np.ndarray
    counts: np.ndarray
    indices: np.ndarray
    values: np.ndarray


@DATASETS.enter("libsvm", title="A LIBSVM file of your own")
def read_libsvm(
    path: Annotated[AnyPath, "the file"] = "",
    test: Annotated[AnyPath, "a second file, whose rows are held out"] = "",
    task: Annotated[Task, "what the labels are"] = "auto",
    columns: Annotated[int | None, Interval(1, 2**31 - 1), "how many, if more than occur"] = None,
    dense: Annotated[bool | None, "an array, or sparse; by default by the share of filled cells"] = None,
    name: Annotated[str, "what the data set is called, by default as the file"] = "",
    test_size: Annotated[float, Interval(0, 0.9, step=0.05), "share of test rows, without a second file"] = 0.2,
    scaling: Annotated[Literal["standard", "minmax", "none"], "what training does to the features"] = "standard",
    precision: Annotated[Literal["float64", "float32"], "of the features"] = "float64",
    seed: int = 0,
) -> Dataset:
    """Make a data set of a file in LIBSVM's format, packed (gzip, bzip2, xz) or not.

    Parameters
    ----------
    path : str or path-like
        The file; each line is ``label index:value index:value …`` with rising indices, or, all lines alike, a label and
        the values of all columns (``label value value …``, blanks or commas between). ``#`` begins a comment.
    test : str or path-like
        A second file of the same kind, as LIBSVM's ``.t``: its rows follow and are held out. Empty for none.
    task : {"auto", "classification", "regression"}
        What the labels are. With "auto" they are classes if one of them is no number, if there are at most 20 different
        ones, or if they are the whole numbers from 0 or 1 on without a gap (as 1 … 26); else it is a regression.
    columns : int, optional
        How many columns there are, if more than the largest index of the files, or more than 4,194,304.
    dense : bool, optional
        Whether X is an array; by default it is one if more than half of the cells are filled, and sparse otherwise. An
        array of less filled cells is limited as in `Dataset.dense`.
    name : str
        What the data set is called; by default the file's name up to its first dot.
    test_size : float
        The share of test rows, 0 ≤ test_size < 1, of every class alike; with a second file it is not used.
    scaling : {"standard", "minmax", "none"}
        What `Dataset.scaled` does.
    precision : {"float64", "float32"}
        Of X.
    seed : int
        Of the choice of test rows.

    Returns
    -------
    Dataset
        Columns are called ``x`` and their index in the file. Indices count from 0 if index 0 occurs, else from 1.
        ``notes``: "labels" (class number by label), "first_index" (0 or 1), "filled" (share of filled cells).

    Raises
    ------
    ValueError
        If there is no such file, a line does not fit (the message has the file and the number of the line), an index is
        above 4,194,304 and ``columns`` is not given, or a column of 20 rows or more tells the label.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "three.svm"
    >>> _ = file.write_text("+1 2:0.5\\n-1 9:2\\n+1 2:1 5:1\\n")
    >>> data = read_libsvm(file, test_size=0)
    >>> data
    Dataset('three', sparse with 14.81% filled, 3 rows × 9 columns, binary)
    >>> data.notes["labels"]
    {'-1': 0, '1': 1}
    """
    files = [existing(path, "a LIBSVM file")]
    files += [existing(test, "a LIBSVM file", "test")] if os.fspath(test) else []
    for file in files:
        room_for(file)
    kinds = (("standard", "minmax", "none"), scaling, "scaling"), (("float64", "float32"), precision, "precision")
    for known, got, what in kinds:
        if got not in known:
            raise ValueError(f"{what} must be one of {', '.join(known)}, got {got!r}")
    hold_out(np.zeros(0), test_size, "check")
    read = [_entries(file, np.dtype(precision)) for file in files]
    train = sum(part.labels.size for part in read[0])
    parts = [part for own in read for part in own]
    del read
    y, classes, mapping = numbered(np.concatenate([part.labels for part in parts]), task)
    X, first = _matrix(parts, files, columns)
    names = [f"x{j}" for j in range(first, first + X.shape[1])]
    not_told(X, y, names, regression=not classes)
    called = name or stem(files[0])
    if len(files) > 1:
        held_out = np.arange(len(y)) >= train
    else:
        held_out = hold_out(y if classes else np.zeros(len(y)), test_size, called, seed)
    filled = X.nnz / (X.shape[0] * X.shape[1])
    full = dense is not False and filled > MOST_FILLED
    data = Dataset(
        name=called,
        X=X.toarray() if full else X,
        y=y,
        columns=tuple(names),
        classes=classes,
        provenance=owned(*files),
        held_out=held_out,
        scaling=scaling,
        notes={"labels": mapping, "first_index": first, "filled": filled},
    )
    return frozen(data.dense() if dense else data)


@DATASETS.enter("vehicle", title="SensIT Vehicle, from LIBSVM's file")
def read_vehicle(
    path: Annotated[AnyPath, "the file, as combined.bz2"] = "",
    test: Annotated[AnyPath, "a second file, whose rows are held out, as combined.t.bz2"] = "",
    test_size: Annotated[float, Interval(0, 0.9, step=0.05), "share of test rows, without a second file"] = 0.2,
    seed: int = 0,
) -> Dataset:
    """Make a data set of SensIT Vehicle (combined) in LIBSVM's format: two parties, what was heard and what was felt.

    Parameters
    ----------
    path, test : str or path-like
        As in `read_libsvm`: ``combined.bz2`` (78,823 rows) and ``combined.t.bz2`` (19,705 rows), or the first alone.
    test_size : float
        The share of test rows, if there is no second file.
    seed : int
        Of the choice of test rows.

    Returns
    -------
    Dataset
        100 columns, 3 classes; ``notes["views"]`` names columns 1–50 acoustic and 51–100 seismic.

    Raises
    ------
    ValueError
        As `read_libsvm`; also if there are more than 100 columns.

    Source
    ------
    VertiBench (Wu et al. 2023), Table 2: its Vehicle; data by Duarte and Hu (2004).
    """
    data = read_libsvm(path, test, "classification", 100, True, "vehicle", test_size, seed=seed)
    views = ("acoustic",) * 50 + ("seismic",) * 50
    return dataclasses.replace(data, notes={**data.notes, "views": views})


def _entries(file: Path, dtype: np.dtype) -> list[_Entries]:
    """Read a file, whichever of the two kinds it is, in one or more pieces."""
    found: list[_Entries] = []
    for number, lines in pieces(file):
        rows = [row.split(None, 1) for row in written(lines)]
        if not found and _listed(rows):
            return [_from_rows(file, dtype)]
        if rows:
            found.append(_piece(file, number, lines, rows, dtype))
    if not found:
        raise ValueError(f"{file} must have a row, got none")
    return found


def _listed(rows: list[list[bytes]]) -> bool:
    """Say whether the first row that has more than a label lists values without their indices."""
    first = next((row for row in rows if len(row) > 1 or b"," in row[0]), None)
    return first is not None and not any(b":" in part for part in first)


def _from_rows(file: Path, dtype: np.dtype) -> _Entries:
    """Read a file that lists the values of all columns."""
    rows = read_rows(file, "first", dtype.type)
    n, m = rows.X.shape
    return _Entries(rows.labels, np.full(n, m), np.tile(np.arange(1, m + 1), n), rows.X.ravel())


def _piece(file: Path, number: int, lines: list[bytes], rows: list[list[bytes]], dtype: np.dtype) -> _Entries:
    """Read rows of pairs; each word must hold one colon between two numbers, which is checked for all at once."""
    labels = [row[0] for row in rows]
    body = b"\n".join(row[1] if len(row) > 1 else b"" for row in rows)
    starts, counts = starts_of(body)
    colons = np.flatnonzero(np.frombuffer(body, np.uint8) == ord(":"))
    paired = starts.size == colons.size and (starts < colons).all() and (colons[:-1] < starts[1:]).all()
    numbers = floats(body.replace(b":", b" "), 2 * starts.size) if paired else None
    if numbers is None or any(b":" in label or b"," in label for label in labels):
        raise ValueError(_complaint(file, number, lines))
    indices: np.ndarray = numbers[::2].astype(np.int32 if numbers[::2].max(initial=0) < 2**31 else np.int64)
    row = np.repeat(np.arange(counts.size), counts)
    rising = (np.diff(indices) > 0) | (np.diff(row) > 0)
    if not (rising.all() and (indices >= 0).all() and (indices == numbers[::2]).all()):
        raise ValueError(_complaint(file, number, lines))
    return _Entries(label_array(file, labels), counts, indices, narrowed(file, numbers[1::2], dtype))


def _complaint(file: Path, number: int, lines: list[bytes]) -> str:
    """Say which is the first line that does not fit, and why."""
    for n, line in enumerate(lines, number):
        label, *entries = line.partition(b"#")[0].split() or [b""]
        if b":" in label or b"," in label:
            return f"line {n} of {file} must begin with one label, got {spelt(label)}"
        last = -1
        for entry in entries:
            index, _, value = entry.partition(b":")
            if not index.isdigit() or b":" in value or not value or floats(value, 1) is None:
                got = spelt(entry)
                return f"line {n} of {file} must hold index:value with finite numbers after the label, got {got}"
            if len(index) > 18:
                return f"line {n} of {file} must have indices below 10 ** 18, got {spelt(index)}"
            if int(index) <= last:
                return f"line {n} of {file} must have rising indices, got {int(index)} after {last}"
            last = int(index)
    return f"{file} must be in LIBSVM's format, got something else after line {number - 1}"


def _matrix(parts: list[_Entries], files: list[Path], columns: int | None) -> tuple[Matrix, int]:
    """Return the rows of all files as a sparse array, padded to the wider, and the first index; empties the parts."""
    from scipy.sparse import csr_array

    counts = np.concatenate([part.counts for part in parts])
    indices = np.concatenate([part.indices for part in parts])
    values = np.concatenate([part.values for part in parts])
    parts.clear()  # they may be gigabytes
    first = 0 if indices.size and not indices.min() else 1
    width = int(indices.max()) + 1 - first if indices.size else 0
    if columns is None and width > MOST_COLUMNS:
        raise ValueError(f"{' and '.join(map(str, files))} must have at most {MOST_COLUMNS:,} columns unless columns "
                         f"says how many there are, got index {int(indices.max()):,}")  # fmt: skip
    if columns is not None and columns < width:
        raise ValueError(f"columns must be at least {width}, as many as {' and '.join(map(str, files))} have, "
                         f"got {columns}")  # fmt: skip
    if not (columns or width):
        raise ValueError(f"{files[0]} must have a value beside the labels, got none")
    row_starts = np.concatenate([[0], np.cumsum(counts)])
    indices -= first
    X = csr_array((values, indices, row_starts), (counts.size, columns or width))
    X.eliminate_zeros()
    return X, first
