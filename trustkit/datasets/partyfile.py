"""One CSV file of one party: numbers in every column but those of the row id, the label and train or test."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from trustkit.datasets.listed import listed, repeated, said
from trustkit.datasets.ondisk import UNREADABLE
from trustkit.datasets.packed import opened

__all__ = ["PartyFile", "read_party"]

LARGE = 1 << 28
"""From this many bytes on, a file's numbers are kept with half the precision."""

PIECE = 1 << 20
"""About so many cells are read at a time."""

SPLIT = "split"
"""The column that says which rows are for training and which for testing."""


@dataclass(frozen=True, eq=False)
class PartyFile:
    """What is in a party's file, a value a row: ids and labels as text, X, and whether a row is for testing only."""

    columns: tuple[str, ...]
    X: np.ndarray
    ids: np.ndarray | None
    labels: np.ndarray | None
    held_out: np.ndarray | None


def read_party(file: Path, labels: Sequence[str], id: str | None) -> PartyFile:
    """Read a party's file.

    Parameters
    ----------
    file : pathlib.Path
        Comma-separated values with a line of names, packed or not.
    labels : sequence of str
        What the column of the label may be called; it need not be there.
    id : str or None
        The column of the row ids, which must be there; None for no ids.

    Returns
    -------
    PartyFile
        Columns and rows as in the file.

    Raises
    ------
    ValueError
        If the file is no table, a column has no name or that of another, the ids are not there, or a cell is no finite
        number.
    """
    lines = _lines(file)
    names = _named(file, next(lines, []))
    if id is not None and id not in names:
        raise ValueError(f"{file} must have the column {id!r} of row ids, got {listed(names)}")
    label = next((name for name in labels if name in names), None)
    beside = {name: names.index(name) for name in (id, label, SPLIT) if name is not None and name in names}
    columns = tuple(name for name in names if name not in beside)
    dtype = np.float32 if file.stat().st_size >= LARGE else np.float64
    texts: dict[str, list[str]] = {name: [] for name in beside}
    blocks: list[np.ndarray] = []
    for read, rows in _pieces(file, lines, len(names)):
        for name, place in beside.items():
            texts[name] += [row[place].strip() for row in rows]
        for row in rows:
            for place in sorted(beside.values(), reverse=True):
                del row[place]
        blocks.append(_numbers(file, columns, rows, read).astype(dtype, copy=False))
    if not blocks:
        raise ValueError(f"{file} must have a row, got none")
    _check_texts(file, texts)

    def text(name: str | None) -> np.ndarray | None:
        return np.array(texts[name]) if name is not None and name in texts else None

    held_out = np.array(texts[SPLIT]) == "test" if SPLIT in texts else None
    return PartyFile(columns, np.concatenate(blocks), text(id), text(label), held_out)


def _lines(file: Path) -> Iterator[list[str]]:
    """Yield the lines of a file, cut into cells, but empty ones."""
    try:
        with opened(file) as packed, io.TextIOWrapper(packed, encoding="utf-8-sig", newline="") as stream:
            yield from filter(None, csv.reader(stream))
    except (UnicodeDecodeError, csv.Error, *UNREADABLE) as error:
        raise ValueError(f"{file} must be a table of comma-separated values, got: {said(error)}") from None


def _pieces(file: Path, lines: Iterator[list[str]], width: int) -> Iterator[tuple[int, list[list[str]]]]:
    """Yield some rows at a time, and how many were before them."""
    read = 0
    while rows := list(islice(lines, max(1, PIECE // width))):
        for n, row in enumerate(rows, read + 1):
            if len(row) != width:
                raise ValueError(f"{file}: row {n} must have {width} cells, got {len(row)}")
        yield read, rows
        read += len(rows)


def _check_texts(file: Path, texts: dict[str, list[str]]) -> None:
    for name, values in texts.items():
        if "" in values:
            row = values.index("") + 1
            raise ValueError(f"{file}: column {name!r:.60} must have a value in every row, got none in row {row}")
    if unknown := sorted(set(texts.get(SPLIT, ())) - {"train", "test"}):
        raise ValueError(f"{file}: column {SPLIT!r} must hold 'train' or 'test', got {unknown[0]!r:.60}")


def _named(file: Path, cells: list[str]) -> list[str]:
    """Return the names of the columns, if each has one of its own."""
    names = [cell.strip() for cell in cells]
    if not names:
        raise ValueError(f"{file} must be a table of comma-separated values, got an empty file")
    if "" in names:
        raise ValueError(f"{file}: every column must have a name, got none for column {names.index('') + 1}")
    if twice := repeated(names):
        raise ValueError(f"{file}: columns must have different names, got {listed(twice)} more than once")
    return names


def _numbers(file: Path, columns: tuple[str, ...], rows: list[list[str]], before: int) -> np.ndarray:
    """Return the numbers in some rows, or say which cell is none."""
    try:
        numbers = np.array(rows, dtype=np.float64).reshape(len(rows), len(columns))
    except ValueError:
        numbers = np.full((1, 1), np.nan)
    if np.isfinite(numbers).all():
        return numbers
    for n, row in enumerate(rows, before + 1):
        for column, cell in zip(columns, row, strict=True):
            if not _finite(cell):
                got = repr(cell[:40]) if cell.strip() else "nothing"
                raise ValueError(f"{file}: column {column!r:.60} must hold finite numbers, got {got} in row {n}")
    raise ValueError(f"{file} must hold finite numbers, got others")


def _finite(cell: str) -> bool:
    try:
        return math.isfinite(float(cell))
    except ValueError:
        return False
