"""Places on the disk: what is there, and whether what was found in a folder lies in that folder."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

__all__ = ["kind_of", "within"]


def kind_of(path: str | os.PathLike[str]) -> Literal["file", "folder", ""]:
    """Say what is at a place.

    Parameters
    ----------
    path : path-like
        Any text.

    Returns
    -------
    str
        "" if nothing is there, if no file can have that name, or if it is a pipe or a device, which may have no end.

    Examples
    --------
    >>> kind_of("."), kind_of("a" * 5000)
    ('folder', '')
    """
    place = Path(path)
    try:
        return "file" if place.is_file() else "folder" if place.is_dir() else ""
    except (OSError, ValueError):
        return ""


def within(folder: Path, files: Iterable[Path]) -> list[Path]:
    """Check that files of a folder are files, and lie in it: a link in a folder from elsewhere may lead anywhere.

    Parameters
    ----------
    folder : pathlib.Path
        The one that was named; it may be a link itself.
    files : iterable of pathlib.Path
        What was found in it.

    Returns
    -------
    list of pathlib.Path
        Those that are files, in their order; folders are left out.

    Raises
    ------
    ValueError
        If one leads out of the folder.

    Examples
    --------
    >>> within(Path("."), [])
    []
    """
    root, found = folder.resolve(), []
    for file in files:
        if kind_of(file) != "file":
            continue
        if not (place := file.resolve()).is_relative_to(root):
            raise ValueError(f"{file} must lie in {folder}, got a link to {place}")
        found.append(file)
    return found
