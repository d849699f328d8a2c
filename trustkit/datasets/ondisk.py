"""Files of the user's own: whether they are there, what they hold when unpacked, their checksums."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import lzma
import os
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

import numpy as np

from trustkit.data import Dataset, Matrix, Provenance
from trustkit.datasets.packed import opened
from trustkit.datasets.places import kind_of

__all__ = ["UNREADABLE", "AnyPath", "Stamp", "checksum", "existing", "frozen", "no_page", "owned", "stamps",
           "stem"]  # fmt: skip

AnyPath: TypeAlias = str | os.PathLike[str]
"""How a user may name a file."""

Stamp: TypeAlias = tuple[str, int, int]
"""A file's path, when it was last written to in nanoseconds, and its bytes."""

UNREADABLE = (EOFError, OSError, zlib.error, lzma.LZMAError)
"""What a compressed file that is cut off or damaged raises when it is read."""

_PAGES = (b"<!doctype", b"<html", b"<?xml", b"<head", b"<body", b"<!--", b"<title", b"<meta", b"<script")
"""How a page begins; what begins with another "<" may be a table of marked-up text."""


def existing(path: AnyPath, what: str, name: str = "path") -> Path:
    """Check that a file is there, before any work.

    Parameters
    ----------
    path : str or path-like
        The file.
    what : str
        What it should be, as "a CSV file".
    name : str
        What the argument is called in the message.

    Returns
    -------
    pathlib.Path
        The path of a file.

    Raises
    ------
    ValueError
        If there is no such file; a folder and an address on the net are none.
    """
    file = Path(os.fspath(path))
    if kind_of(file) != "file":
        raise ValueError(f"{name} must be {what}, got {str(path)!r:.300}")
    return file


def stamps(values: Iterable[object]) -> tuple[Stamp, ...]:
    """Return what tells whether files were written to since, of every value that names some.

    Parameters
    ----------
    values : iterable
        Arguments of a data set; what names no file or folder is passed over, and of tuples each member is looked at.

    Returns
    -------
    tuple of Stamp
        Of the files, and of those right in a folder.

    Examples
    --------
    >>> stamps([0.2, "no such file", ("nor", "these")])
    ()
    """
    found: list[Stamp] = []
    for value in values:
        if isinstance(value, (tuple, list)):
            found += stamps(value)
        elif isinstance(value, (str, os.PathLike)) and os.fspath(value):
            with contextlib.suppress(OSError, ValueError):
                place = Path(os.fspath(value))
                files = sorted(place.iterdir()) if place.is_dir() else [place]
                told = [(file, file.stat()) for file in files]
                found += [(str(file), stat.st_mtime_ns, stat.st_size) for file, stat in told]
    return tuple(found)


def no_page(file: Path) -> None:
    """Raise if a server's page was saved in a table's place, packed or not.

    Parameters
    ----------
    file : pathlib.Path
        One that exists.

    Raises
    ------
    ValueError
        If it begins as HTML or XML does.

    Examples
    --------
    >>> import tempfile
    >>> page = Path(tempfile.mkdtemp()) / "psam_p06.csv"
    >>> _ = page.write_text("<!DOCTYPE html><title>403 Forbidden</title>")
    >>> no_page(page)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: ...psam_p06.csv must be a table, got an HTML page
    """
    try:
        with opened(file) as stream:
            start = stream.read(512).removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    except UNREADABLE:  # whoever reads it says so
        return
    if start.startswith(_PAGES):
        raise ValueError(f"{file} must be a table, got an {'XML' if start.startswith(b'<?xml') else 'HTML'} page")


def checksum(*files: Path) -> str:
    """Return the SHA-256 of a file, or of several files' SHA-256s in their order.

    Parameters
    ----------
    *files : pathlib.Path
        One or more. Each is read whole, as it lies on the disk: far less work than parsing it.

    Returns
    -------
    str
        64 hexadecimal digits.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "a.txt"
    >>> _ = file.write_text("abc")
    >>> checksum(file)[:8]
    'ba7816bf'
    """
    sums = []
    for file in files:
        with file.open("rb") as stream:
            sums.append(hashlib.file_digest(stream, "sha256").hexdigest())
    return sums[0] if len(sums) == 1 else hashlib.sha256("".join(sums).encode()).hexdigest()


def owned(*files: Path, source: str = "", licence: str = "the user's own") -> Provenance:
    """Say that data come from files of the user's own.

    Parameters
    ----------
    *files : pathlib.Path
        One or more.
    source : str
        What they are a copy of, if that is known.
    licence : str
        Of the source.

    Returns
    -------
    Provenance
        With the paths and the checksum.
    """
    paths = ", ".join(map(str, files))
    return Provenance(f"{source}: {paths}" if source else paths, licence, checksum(*files))


def stem(file: Path) -> str:
    """Return a file's name up to its first dot: what a data set is called by default.

    Parameters
    ----------
    file : pathlib.Path
        Any.

    Returns
    -------
    str
        The name; for a name that starts with a dot, the whole.

    Examples
    --------
    >>> stem(Path("data/letter.scale.bz2"))
    'letter'
    """
    return file.name.split(".")[0] or file.name


def frozen(dataset: Dataset) -> Dataset:
    """Return a data set whose arrays are read-only.

    Parameters
    ----------
    dataset : Dataset
        Its arrays, which may be the user's, stay as they are.

    Returns
    -------
    Dataset
        The same with read-only views of them; of a sparse X that is its data, indices and row starts.
    """

    def view(array: np.ndarray) -> np.ndarray:
        seen = array.view()
        seen.setflags(write=False)
        return seen

    def views(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        return {name: view(array) for name, array in arrays.items()}

    X: Matrix = dataset.X
    if dataset.sparse:
        X = type(X)(tuple(map(view, (X.data, X.indices, X.indptr))), X.shape)
    return dataclasses.replace(
        dataset,
        X=X if dataset.sparse else view(X),
        y=view(dataset.y),
        held_out=view(dataset.held_out),
        sensitive=views(dataset.sensitive),
        groups=views(dataset.groups),
    )
