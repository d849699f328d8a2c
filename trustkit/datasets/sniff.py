"""What a text file of cells looks like: its delimiter, and whether its first line names the columns."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from trustkit.datasets.listed import listed, repeated, said
from trustkit.datasets.ondisk import UNREADABLE
from trustkit.datasets.packed import opened

__all__ = ["BLANKS", "Delimiter", "Header", "Layout", "sniff"]

Delimiter = Literal["auto", ",", ";", "\t", "|", "blanks"]
Header = Literal["auto", "yes", "no"]

BLANKS: Literal["blanks"] = "blanks"
_TRIED: tuple[Delimiter, ...] = ("\t", ";", "|", ",", BLANKS)
_SAMPLE = 1 << 18
_LINES = 200
_NOTHING = frozenset({"", "?", "na", "nan", "n/a", "null", "none"})


@dataclass(frozen=True)
class Layout:
    """How to read a text file: its delimiter, whether the first line is a header, and a name for each column.

    Parameters
    ----------
    delimiter : str
        One character, or "blanks" for any number of them.
    header : bool
        Whether the first line names the columns.
    names : tuple of str
        Of the columns: those of the header, else ``x0``, ``x1``, …
    phantom : bool
        Whether lines end in a delimiter, so that there is one more column, without a name or a value.
    encoding : str
        "utf-8-sig", or "latin-1" for what cannot be that.
    """

    delimiter: str
    header: bool
    names: tuple[str, ...]
    phantom: bool
    encoding: str


def sniff(file: Path, delimiter: Delimiter = "auto", header: Header = "auto") -> Layout:
    """Find out how to read a text file, from its first lines (2 or more, up to 200 or 256 kB).

    Parameters
    ----------
    file : pathlib.Path
        Packed or not.
    delimiter : {"auto", ",", ";", tab, "|", "blanks"}
        With "auto" it is the first of tab, semicolon, bar, comma and blanks that divides all lines into the same number
        of cells, two or more.
    header : {"auto", "yes", "no"}
        With "auto" the first line is a header if in some column it is no number while all other lines' cells are
        numbers. If no column is like that, it is one only if none of its cells is a number, no two are equal, and none
        occurs again in its own column. A header of numbers cannot be told from a row.

    Returns
    -------
    Layout
        The rule applied; missing cells (empty, "?", "NA", …) say nothing about a header.

    Raises
    ------
    ValueError
        If the file is empty, or no delimiter gives the same number of cells in all lines.
    """
    if delimiter not in ("auto", *_TRIED):
        raise ValueError(f"delimiter must be 'auto' or one of {', '.join(map(repr, _TRIED))}, got {delimiter!r}")
    if header not in ("auto", "yes", "no"):
        raise ValueError(f"header must be 'auto', 'yes' or 'no', got {header!r}")
    lines, encoding = _lines(file)
    tried = _TRIED if delimiter == "auto" else (delimiter,)
    tables = {each: _cells(lines, each) for each in tried}
    fitting = [each for each in tried if _even(tables[each])]
    if not fitting:
        raise ValueError(_uneven(file, tables))
    rows = tables[fitting[0]]
    body = rows[1:] or rows
    phantom = all(row[-1] == "" for row in body) and (rows[0][-1] == "" or len(rows[0]) < len(body[-1]))
    width = len(body[-1]) - phantom
    rows = [row[:width] for row in rows]
    named = _has_header(rows) if header == "auto" else header == "yes"
    names = [cell or f"x{j}" for j, cell in enumerate(rows[0])] if named else [f"x{j}" for j in range(width)]
    if twice := repeated(names):
        raise ValueError(f"column names of {file} must differ, got {listed(twice)} more than once")
    return Layout(fitting[0], named, tuple(names), phantom, encoding)


def _lines(file: Path) -> tuple[list[str], str]:
    """Return the first lines that are not empty, and the encoding that fits them."""
    try:
        with opened(file) as stream:
            start = stream.readline() + stream.readline()  # each may be longer than the rest of the sample
            rest = stream.read(_SAMPLE)
    except UNREADABLE as error:
        raise ValueError(f"{file} must be a whole file, got: {said(error)}") from None
    start += rest if len(rest) < _SAMPLE else rest[: rest.rfind(b"\n") + 1]
    if b"\0" in start:
        raise ValueError(f"{file} must be a text file of cells, Parquet or NPZ, got other bytes")
    try:
        text, encoding = start.decode("utf-8-sig"), "utf-8-sig"
    except UnicodeDecodeError:
        text, encoding = start.decode("latin-1"), "latin-1"
    lines = [line for line in text.splitlines() if line.strip()][:_LINES]
    if not lines:
        raise ValueError(f"{file} must have rows, got an empty file")
    return lines, encoding


def _cells(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    if delimiter == BLANKS:
        rows = csv.reader([" ".join(line.split()) for line in lines], delimiter=" ")
    else:
        rows = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    try:
        return [[cell.strip() for cell in row] for row in rows]
    except csv.Error:  # a cell of more than 128 kB: this is not the delimiter
        return [[line] for line in lines]


def _even(rows: list[list[str]]) -> bool:
    """Say whether all lines have as many cells, two or more; a header may lack the empty one at the end."""
    widths = {len(row) for row in rows[1:] or rows}
    if len(widths) != 1 or max(widths) < 2:
        return False
    short = len(rows[0]) == max(widths) - 1 and all(row[-1] == "" for row in rows[1:])
    return len(rows[0]) in widths or short


def _uneven(file: Path, tables: dict[Delimiter, list[list[str]]]) -> str:
    """Say where the cells of a line are more or fewer than in the first line that has several."""
    delimiter, rows = max(tables.items(), key=lambda item: sum(len(row) > 1 for row in item[1]))
    width = len(rows[0])
    other = next((n for n, row in enumerate(rows, 1) if len(row) != width), None)
    if other is None:
        return f"{file} must have two columns or more, got one"
    return (f"{file} must have as many cells in every line, got {width} in line 1 and {len(rows[other - 1])} in line "
            f"{other} (delimiter {delimiter!r})")  # fmt: skip


def _has_header(rows: list[list[str]]) -> bool:
    first, *rest = rows
    columns = [[cell for cell in column if cell.lower() not in _NOTHING] for column in zip(*rest, strict=True)]
    for cell, column in zip(first, columns, strict=False):
        if cell.lower() not in _NOTHING and not _number(cell) and column and all(map(_number, column)):
            return True
    if any(map(_number, first)) or not rest or len(set(first)) < len(first):
        return False
    return not any(cell in column for cell, column in zip(first, columns, strict=True))


def _number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
