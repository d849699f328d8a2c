"""A figure's three files to take home: the picture as SVG and PNG, and the numbers that it shows as CSV."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trustkit import export

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["LARGEST", "FigureFile", "file_name", "files_of", "files_of_all"]

LARGEST = 2_000_000
"""Characters of a data URL: what browsers still open, and a page can hold."""

_TYPES = {"svg": "image/svg+xml", "png": "image/png", "csv": "text/csv"}


@dataclass(frozen=True)
class FigureFile:
    """One file of a figure.

    Parameters
    ----------
    name : str
        As ``trustkit_1a2b3c4d_radar.svg``.
    content : bytes
        The whole file.
    """

    name: str
    content: bytes

    @property
    def suffix(self) -> str:
        """The format: "svg", "png" or "csv"."""
        return self.name.rsplit(".", 1)[1]

    @property
    def too_large(self) -> str:
        """One sentence where the file does not fit into a link, else nothing."""
        size = len(self._head) + 4 * -(-len(self.content) // 3)
        return (
            ""
            if size <= LARGEST
            else (
                f"{self.name} is {size:,} characters as a link, and at most {LARGEST:,} fit; tk.export.write writes it"
            )
        )

    @property
    def url(self) -> str:
        """The file as a data URL, so that nothing is asked of a server; it must not be `too_large`."""
        if self.too_large:
            raise ValueError(self.too_large)
        return self._head + base64.b64encode(self.content).decode("ascii")

    @property
    def _head(self) -> str:
        return f"data:{_TYPES[self.suffix]};base64,"


def file_name(view: str, key: str, suffix: str) -> str:
    """Name a figure's file after what was run and what it shows.

    Parameters
    ----------
    view : str
        What the figure shows: letters, digits, ``_`` and ``-``.
    key : str
        `Experiment.key` of the run, or another hash; its first eight characters are used.
    suffix : {"svg", "png", "csv"}
        The format.

    Returns
    -------
    str
        ``trustkit_<eight characters>_<view>.<suffix>``.

    Raises
    ------
    ValueError
        If the view or the key could not be part of a file's name, or the format is unknown.

    Examples
    --------
    >>> file_name("radar", "1a2b3c4d5e6f", "svg")
    'trustkit_1a2b3c4d_radar.svg'
    """
    for what, given in (("view", view), ("key", key)):
        if not re.fullmatch(r"[A-Za-z0-9_-]+", given):
            raise ValueError(f"{what} must be letters, digits, _ and -, got {given!r}")
    if suffix not in _TYPES:
        raise ValueError(f"suffix must be of {', '.join(_TYPES)}, got {suffix!r}")
    return f"trustkit_{key[:8]}_{view}.{suffix}"


def files_of(figure: Figure, view: str, key: str) -> tuple[FigureFile, ...]:
    """Make a figure's files: SVG with text as text, PNG of 192 dots an inch, and CSV of the numbers that it shows.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        From a function of `trustkit.plot`.
    view : str
        What it shows; part of the names.
    key : str
        `Experiment.key` of the run; its first eight characters are part of the names.

    Returns
    -------
    tuple of FigureFile
        svg, png, csv.

    Raises
    ------
    ValueError
        If a name is impossible, or the figure tells no numbers.

    Examples
    --------
    >>> from trustkit import plot
    >>> [file.name for file in files_of(plot.pillar_radar({"privacy": 0.25, "fairness": 0.5}), "radar", "1a2b3c4d")]
    ['trustkit_1a2b3c4d_radar.svg', 'trustkit_1a2b3c4d_radar.png', 'trustkit_1a2b3c4d_radar.csv']
    """
    from trustkit.plot import to_csv

    names = {suffix: file_name(view, key, suffix) for suffix in _TYPES}
    contents = {"csv": to_csv(figure).encode("utf-8")}
    contents |= {suffix: export.figure_bytes(figure, f".{suffix}") for suffix in ("svg", "png")}
    return tuple(FigureFile(name, contents[suffix]) for suffix, name in names.items())


def files_of_all(figures: Mapping[str, Figure], key: str) -> Iterator[FigureFile]:
    """Make the files of several figures, one after the other, so that whoever asks can stop.

    Parameters
    ----------
    figures : mapping of str to Figure
        By view.
    key : str
        As for `files_of`.

    Yields
    ------
    FigureFile
        svg, png and csv of each.

    Raises
    ------
    ValueError
        As `files_of`.
    """
    for view, figure in figures.items():
        yield from files_of(figure, view, key)
