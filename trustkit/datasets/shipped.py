"""The data files that are part of the package; PROVENANCE.md says where each comes from and what was changed."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["arrays", "content", "numbers"]

FILES = Path(__file__).with_name("files")


def content(file: str) -> tuple[io.BytesIO, str]:
    """Read a file of the package.

    Parameters
    ----------
    file : str
        Its name in the folder ``files``.

    Returns
    -------
    opened : io.BytesIO
        Its bytes, ready to be parsed.
    sha256 : str
        Their checksum, 64 hexadecimal digits.

    Examples
    --------
    >>> content("letter_15k.csv.gz")[1][:8]
    '712c3630'
    """
    raw = (FILES / file).read_bytes()
    return io.BytesIO(raw), hashlib.sha256(raw).hexdigest()


def numbers(file: str) -> tuple[dict[str, np.ndarray], str]:
    """Read a CSV file of whole numbers, or of whole numbers and single letters.

    Parameters
    ----------
    file : str
        The name of a ``.csv.gz`` file in the folder ``files``.

    Returns
    -------
    columns : dict of str to (n,) int array
        By name, in the order of the file; the letters A … Z are 0 … 25.
    sha256 : str
        The file's checksum.

    Examples
    --------
    >>> columns, _ = numbers("letter_15k.csv.gz")
    >>> columns["lettr"][:3].tolist()
    [25, 15, 18]
    """
    import gzip

    opened, sha256 = content(file)
    header, _, body = gzip.decompress(opened.read()).decode("ascii").partition("\n")
    names = header.split(",")
    letters: dict[int | str, Callable[[str], Any]] = {
        i: _letter for i, cell in enumerate(body.partition("\n")[0].split(",")) if cell.isalpha()
    }
    table = np.loadtxt(io.StringIO(body), delimiter=",", dtype=np.int64, converters=letters, ndmin=2)
    return dict(zip(names, table.T, strict=True)), sha256


def _letter(cell: str) -> int:
    return ord(cell) - ord("A")


def arrays(file: str) -> tuple[dict[str, np.ndarray], str]:
    """Read a file of NumPy arrays; one that holds Python objects is refused.

    Parameters
    ----------
    file : str
        The name of an ``.npz`` file in the folder ``files``.

    Returns
    -------
    arrays : dict of str to array
        By name, in the order of the file.
    sha256 : str
        The file's checksum.

    Examples
    --------
    >>> found, _ = arrays("mnist_8k2k.npz")
    >>> found["x_test"].shape
    (2000, 28, 28)
    """
    opened, sha256 = content(file)
    with np.load(opened, allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}, sha256
