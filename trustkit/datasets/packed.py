"""Packed files unpack to a size that is stated, so that a small file cannot fill the memory of who opens it.

A file packed by gzip, bzip2 or xz, and an archive of NumPy's arrays, may hold `FREE` bytes or `RATIO` times its own
size, whichever is more. Tables of numbers as text stay far below that: gzip makes them 3 to 20 times smaller.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import math
import os
import tokenize
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, BinaryIO

import numpy as np

from trustkit import memory

__all__ = [
    "FREE", "RATIO", "TooLarge", "arrays_in", "is_zip", "most_of", "opened", "room_for", "sole_member", "start_of",
]  # fmt: skip

FREE = 1 << 26
"""In bytes (64 MiB): any packed file may hold as much."""

RATIO = 100
"""A packed file may hold so many times its own size."""

HELD = 3
"""So many times its size a table takes while it is read: measured 3.0 for CSV, 4.2 for LIBSVM, 3.6 for NPZ (20 MB)."""

PACKED = 3
"""So many times its packed size a text of numbers has, about."""

_PACKED: dict[bytes, Callable[..., Any]] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}
_DAMAGE = (zipfile.BadZipFile, tokenize.TokenError, zlib.error, lzma.LZMAError, EOFError, OSError, KeyError,
           ValueError, TypeError, OverflowError, SyntaxError, RecursionError, MemoryError, RuntimeError)  # fmt: skip


class TooLarge(ValueError):  # noqa: N818 (its text is a part of a sentence)
    """A packed file that holds more than `most_of` allows."""


def most_of(size: int) -> int:
    """Say how many bytes a packed file may hold.

    Parameters
    ----------
    size : int
        Its own, in bytes.

    Returns
    -------
    int
        `FREE`, or `RATIO` times the size if that is more.

    Examples
    --------
    >>> most_of(1000) == FREE, most_of(10**9) == 10**11
    (True, True)
    """
    return max(FREE, RATIO * size)


class _Bounded(io.RawIOBase):
    """What is unpacked, up to a number of bytes."""

    def __init__(self, inner: IO[bytes], most: int, name: str) -> None:
        self._inner, self._left, self._most, self._name = inner, most, most, name

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        part = self._inner.read(min(len(buffer), self._left + 1))
        if len(part) > self._left:
            raise TooLarge(_refusal(self._name, self._most))
        self._left -= len(part)
        buffer[: len(part)] = part
        return len(part)

    def close(self) -> None:
        self._inner.close()
        super().close()


def _refusal(name: str, most: int) -> str:
    return f"{name} must unpack to at most {most:,} bytes ({RATIO} times its size, or {FREE:,}), got more"


def opened(file: Path) -> IO[bytes]:
    """Open a file for reading, unpacked if it is packed by gzip, bzip2 or xz, whatever its name.

    Parameters
    ----------
    file : pathlib.Path
        One that exists.

    Returns
    -------
    binary file
        To be closed by the caller. Reading more than `most_of` of a packed file raises `TooLarge`.

    Examples
    --------
    >>> import tempfile
    >>> packed = Path(tempfile.mkdtemp()) / "a.txt"
    >>> _ = packed.write_bytes(gzip.compress(b"1 2"))
    >>> with opened(packed) as stream:
    ...     stream.read()
    b'1 2'
    """
    with file.open("rb") as stream:
        start = stream.read(6)
    for magic, unpack in _PACKED.items():
        if start.startswith(magic):
            most = most_of(file.stat().st_size)
            return io.BufferedReader(_Bounded(unpack(file, "rb"), most, str(file)), 1 << 16)
    return file.open("rb")


def room_for(*files: Path, held: float = HELD) -> None:
    """Refuse a table that will not fit into memory, before it is read.

    Parameters
    ----------
    *files : pathlib.Path
        Its parts: they exist, packed or not.
    held : float
        How many times their size they take.

    Raises
    ------
    ValueError
        If less is free than so many times their size, of a packed text `PACKED` times as much.
    """
    size = 0
    for file in files:
        with file.open("rb") as stream:
            packed = stream.read(6).startswith(tuple(_PACKED))
        size += file.stat().st_size * (PACKED if packed else 1)
    called = f"a table read from {files[0]}" + (f" and {len(files) - 1:,} more" if len(files) > 1 else "")
    memory.fits(called, int(held * size))


def start_of(file: Path, size: int = 512) -> str:
    """Read the start of a file, unpacked.

    Parameters
    ----------
    file : pathlib.Path
        One that exists.
    size : int
        How many bytes at most.

    Returns
    -------
    str
        As UTF-8, with a sign in place of what is none; empty if the file is packed and damaged.
    """
    try:
        with opened(file) as stream:
            return stream.read(size).decode(errors="replace")
    except (EOFError, OSError, zlib.error, lzma.LZMAError):  # whoever reads it says so
        return ""


def is_zip(file: Path) -> bool:
    """Say whether a file is a ZIP archive, by its first bytes.

    Parameters
    ----------
    file : pathlib.Path
        One that exists.

    Returns
    -------
    bool
        Whatever its name.
    """
    with file.open("rb") as stream:
        return stream.read(4) == b"PK\x03\x04"


@contextlib.contextmanager
def sole_member(file: Path) -> Iterator[IO[bytes]]:
    """Open the one file in a ZIP archive; nothing is written to the disk, so its name leads nowhere.

    Parameters
    ----------
    file : pathlib.Path
        A ZIP archive.

    Yields
    ------
    binary file
        What it holds, bounded as by `opened`.

    Raises
    ------
    ValueError
        If it is no archive, or holds none or several files.
    """
    with contextlib.ExitStack() as stack:
        try:
            archive = stack.enter_context(zipfile.ZipFile(file))
            inside = [info for info in archive.infolist() if not info.is_dir()]
            if len(inside) != 1:
                raise ValueError(f"{file} must be an archive of one file, got {len(inside)}")
            stream = stack.enter_context(archive.open(inside[0]))
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as error:
            raise ValueError(f"{file} must be a whole archive, got: {error}") from None
        yield io.BufferedReader(_Bounded(stream, most_of(file.stat().st_size), str(file)))


def arrays_in(source: Path | BinaryIO, name: str = "") -> dict[str, np.ndarray]:
    """Read the arrays of an NPZ archive, each of the size that its own bytes say.

    Parameters
    ----------
    source : pathlib.Path or binary file
        The archive.
    name : str
        For messages; by default the path.

    Returns
    -------
    dict of str to array
        By name. No array of objects is read, so that nothing in the file is run.

    Raises
    ------
    ValueError
        If it is no such archive, is damaged, or holds more than `most_of`.
    """
    called = name or str(source)
    try:
        with zipfile.ZipFile(source) as archive:
            size = os.stat(source).st_size if isinstance(source, Path) else source.seek(0, os.SEEK_END)
            members = [info for info in archive.infolist() if info.filename.endswith(".npy")]
            if sum(info.file_size for info in members) > most_of(size):
                raise TooLarge(_refusal(called, most_of(size)))
            return {info.filename.removesuffix(".npy"): _array(archive.read(info)) for info in members}
    except TooLarge:
        raise
    except _DAMAGE as error:
        words = " ".join(str(error).split())[:200] or "a damaged one"
        raise ValueError(f"{called} must be an NPZ file of plain arrays, got: {words}") from None


def _array(raw: bytes) -> np.ndarray:
    """Read an array whose header must agree with what follows it, before any memory is set aside."""
    stream = io.BytesIO(raw)
    read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    version = np.lib.format.read_magic(stream)
    if version not in read:
        raise ValueError(f"an array in version {version} of its format")
    shape, _, dtype = read[version](stream)
    if dtype.hasobject:
        raise ValueError("an array of objects")
    left = len(raw) - stream.tell()
    if dtype.names is not None or min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize != left:
        raise ValueError(f"an array of shape {shape} and {dtype} in {left} bytes")
    stream.seek(0)
    array: np.ndarray = np.lib.format.read_array(stream, allow_pickle=False)
    return array
