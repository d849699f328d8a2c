"""Large text files of numbers, read some megabytes at a time; what is wrong is said with the number of its line."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal

import numpy as np

from trustkit.datasets.bounds import label_array, narrowed
from trustkit.datasets.listed import said
from trustkit.datasets.ondisk import UNREADABLE
from trustkit.datasets.packed import TooLarge, opened, room_for

__all__ = ["Rows", "floats", "pieces", "read_rows", "spelt", "starts_of", "written"]

PIECE = 1 << 22
"""Bytes that are read at a time."""

_BLANKS = bytes.maketrans(b",;\t\r", b"    ")


@dataclass(frozen=True, eq=False)
class Rows:
    """What `read_rows` found: labels (n,) as bytes, or none at all; X (n, m); whether lines end in a delimiter."""

    labels: np.ndarray
    X: np.ndarray
    phantom: bool


def pieces(file: Path) -> Iterator[tuple[int, list[bytes]]]:
    """Yield a text file in pieces of whole lines.

    Parameters
    ----------
    file : pathlib.Path
        Packed or not.

    Yields
    ------
    number : int
        Of the piece's first line, from 1.
    lines : list of bytes
        Without their ends; empty ones too.

    Raises
    ------
    ValueError
        If the file is packed and cannot be unpacked to its end.
    """
    number, rest = 1, b""
    try:
        with opened(file) as stream:
            while block := stream.read(PIECE):
                *lines, rest = (rest + block).split(b"\n")
                yield number, lines
                number += len(lines)
    except UNREADABLE as error:
        raise ValueError(f"{file} must be a whole file, got: {said(error)}") from None
    if rest:
        yield number, [rest]


def spelt(cell: bytes) -> str:
    """Return a cell for a message: in quotation marks, cut off after 40 characters.

    Parameters
    ----------
    cell : bytes
        Any.

    Returns
    -------
    str
        In one line.

    Examples
    --------
    >>> spelt(b"1:x"), len(spelt(b"9" * 1000))
    ("'1:x'", 43)
    """
    text = cell[:160].decode(errors="replace")
    return repr(text if len(text) <= 40 else f"{text[:40]}…")


def written(lines: list[bytes]) -> list[bytes]:
    """Leave out comments, which begin with ``#``, blanks at both ends, and lines in which nothing is left.

    Parameters
    ----------
    lines : list of bytes
        Any.

    Returns
    -------
    list of bytes
        What stands in them.

    Examples
    --------
    >>> written([b"1 2 # why", b"", b"# all", b" 3 "])
    [b'1 2', b'3']
    """
    return [text for line in lines if (text := line.partition(b"#")[0].strip())]


def starts_of(text: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Find the words of a text, which are separated by blanks.

    Parameters
    ----------
    text : bytes
        Lines, separated by line feeds.

    Returns
    -------
    starts : (w,) int array
        Where each word begins.
    counts : (lines,) int array
        How many words each line has.

    Examples
    --------
    >>> starts_of(b"1:2  7:1\\n\\n3:4")
    (array([ 0,  5, 10]), array([2, 0, 1]))
    """
    content = np.frombuffer(text, np.uint8)
    inside = content > ord(" ")
    starts = np.flatnonzero(inside & ~np.concatenate([[False], inside[:-1]]))
    ends = np.concatenate([np.flatnonzero(content == ord("\n")), [content.size]])
    return starts, np.diff(np.searchsorted(starts, ends), prepend=0)


def floats(text: bytes, count: int) -> np.ndarray | None:
    """Read numbers that are separated by blanks.

    Parameters
    ----------
    text : bytes
        Nothing but numbers.
    count : int
        How many there should be.

    Returns
    -------
    (count,) float64 array or None
        None if there are more or fewer, or something is no finite number.

    Examples
    --------
    >>> floats(b"1 2.5\\n-3e2", 3)
    array([   1. ,    2.5, -300. ])
    >>> floats(b"1 x", 2) is None
    True
    """
    if not count:
        return np.zeros(0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)  # how NumPy before 2.3 says that it stopped early
            numbers = np.fromstring(text, sep=" ")
    except (ValueError, DeprecationWarning):
        return None
    return numbers if numbers.size == count and np.isfinite(numbers).all() else None


def read_rows(
    file: Path,
    label: Literal["first", "last", "none"] = "none",
    dtype: type = np.float64,
    skip: int = 0,
    width: int | None = None,
) -> Rows:
    """Read a table of numbers, with or without a label in each line.

    Parameters
    ----------
    file : pathlib.Path
        Cells are separated by blanks, tabs, commas or semicolons; packed or not. A delimiter at the end of a line adds
        no column.
    label : {"first", "last", "none"}
        Which cell is a label and may be text.
    dtype : type
        Of X: float64 or float32.
    skip : int
        Lines at the beginning that are no rows.
    width : int, optional
        How many numbers a line must have; by default as many as the first one has.

    Returns
    -------
    Rows
        Labels, numbers, and whether lines end in a delimiter.

    Raises
    ------
    ValueError
        If a line has more or fewer numbers than the others, or a cell is no finite number; the message has the line.
    """
    if file.is_file():  # else it is said below what is wrong
        room_for(file)
    if (rows := _quickly(file, label, dtype, skip, width)) is not None:
        return rows
    labels: list[np.ndarray] = []
    blocks: list[np.ndarray] = []
    phantom = False
    for number, lines in pieces(file):
        left = max(0, skip + 1 - number)
        text = list(islice(lines, left, None))
        phantom = phantom or any(line.rstrip(b"\r")[-1:] in (b" ", b"\t", b",", b";") for line in text[:1])
        found = written([line.translate(_BLANKS) for line in text])
        if not found:
            continue
        if label != "none":
            cut = [row.split(None, 1) if label == "first" else row.rsplit(None, 1)[::-1] for row in found]
            labels.append(label_array(file, [cells[0] for cells in cut]))
            found = [cells[1] if len(cells) > 1 else b"" for cells in cut]
        body = b"\n".join(found)
        _, counts = starts_of(body)
        width = int(counts[0]) if width is None else width
        numbers = floats(body, int(counts.sum())) if (counts == width).all() else None
        if numbers is None:
            raise ValueError(_complaint(file, number + left, text, label, width))
        blocks.append(narrowed(file, numbers, dtype).reshape(len(found), width))
    if not blocks:
        raise ValueError(f"{file} must have a row, got none")
    return Rows(np.concatenate(labels) if labels else np.zeros(0, bytes), np.concatenate(blocks), phantom)


def _quickly(file: Path, label: str, dtype: type, skip: int, width: int | None) -> Rows | None:
    """Read a table by pandas, five times as fast; None if anything about it is not as expected."""
    import pandas as pd

    try:
        with opened(file) as stream:
            first = next((line for line in islice(stream, skip, None) if written([line])), b"").rstrip(b"\r\n")
    except TooLarge:
        raise
    except (ValueError, *UNREADABLE):
        return None
    delimiter = next((each for each in ",;\t" if each.encode() in first), r"\s+")
    phantom = first[-1:] in (b" ", b"\t", b",", b";")
    cells = len(first.split()) if delimiter == r"\s+" else first.count(delimiter.encode()) + 1 - phantom
    labelled = int(label != "none")
    if not cells - labelled or (width is not None and cells - labelled != width):
        return None
    numbers = range(labelled, cells) if label == "first" else range(cells - labelled)
    names = [*range(cells), *([cells] if phantom and delimiter != r"\s+" else [])]
    try:
        with opened(file) as stream:
            frame = pd.read_csv(stream, sep=delimiter, header=None, names=names, index_col=False, skiprows=skip,
                                dtype=dict.fromkeys(names, str) | dict.fromkeys(numbers, dtype), comment="#",
                                skipinitialspace=True, keep_default_na=False, low_memory=False)  # fmt: skip
    except TooLarge:
        raise
    except (ValueError, *UNREADABLE):
        return None
    X = frame[list(numbers)].to_numpy(dtype)
    if not len(X) or not np.isfinite(X).all() or (len(names) > cells and (frame[cells] != "").any()):
        return None
    side = frame[0 if label == "first" else cells - 1].tolist() if labelled else []
    if not all(isinstance(each, str) and each for each in side):  # a line was cut off
        return None
    return Rows(label_array(file, [each.strip().encode() for each in side]), X, phantom)


def _complaint(file: Path, number: int, lines: list[bytes], label: str, width: int) -> str:
    """Say which is the first line that does not fit, and why."""
    for n, line in enumerate(lines, number):
        cells = line.translate(_BLANKS).partition(b"#")[0].split()
        if not cells:
            continue
        numbers = cells if label == "none" else cells[1:] if label == "first" else cells[:-1]
        for cell in numbers:
            if floats(cell, 1) is None:
                return f"line {n} of {file} must hold finite numbers, got {spelt(cell)}"
        if len(numbers) != width:
            beside = "" if label == "none" else " beside the label"
            return f"line {n} of {file} must have {width} numbers{beside}, got {len(numbers)}"
    return f"{file} must hold numbers, got something else after line {number - 1}"
