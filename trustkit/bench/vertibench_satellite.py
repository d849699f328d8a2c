"""Satellite in Table 7: where its files are, and how large the table is that they hold."""

from __future__ import annotations

import bz2
import gzip
import os
import re
from pathlib import Path
from typing import Any

from trustkit.catalogue import Use, use

__all__ = ["satellite_of"]

_FILE = re.compile(r".+_party(?P<party>\d+)_train\.csv(\.gz|\.bz2)?")


def satellite_of(folder: str | os.PathLike[str] | None) -> tuple[Use, tuple[int, int, int, int]] | None:
    """Look for a folder "satellite" of files ``{name}_party{k}_{train|test}.csv``.

    Parameters
    ----------
    folder : path-like, optional
        Where the user's files are.

    Returns
    -------
    tuple or None
        What is loaded, and its size: rows for training, columns, parties, classes (21, as in VertiBench); ``None`` if
        there is no such folder.

    Examples
    --------
    >>> satellite_of(None) is None
    True
    """
    places = [] if folder is None else [place for place in Path(folder).glob("[sS]atellite") if place.is_dir()]
    for place in places:
        files = {int(found["party"]): file for file in place.iterdir() if (found := _FILE.fullmatch(file.name))}
        if len(files) > 1:
            names = [_lines(file) for _, file in sorted(files.items())]
            columns = sum(len(heads) - sum(head in ("id", "y") for head in heads) for heads, _ in names)
            return use("parties", paths=str(place)), (names[0][1], columns, len(files), 21)
    return None


def _lines(file: Path) -> tuple[list[str], int]:
    """Return the names at the top of a file, and how many rows follow."""
    packed: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open}
    with packed.get(file.suffix, open)(file, "rt", encoding="utf-8") as lines:
        heads = [head.strip().strip('"') for head in next(lines, "").split(",")]
        return heads, sum(1 for _ in lines)
