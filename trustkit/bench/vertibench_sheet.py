"""A table of the benchmark, as CSV, Markdown and lines for a terminal; and what a part of it asks for."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trustkit.bench.vertibench_runs import Job, Outcome

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Cell", "Part", "Place", "Plan", "Sheet"]

Cell = str | int | float | None

Place = tuple[str | int, ...]
"""What a run is of: data set, method, split, seed."""


@dataclass(frozen=True)
class Plan:
    """What was asked for.

    Parameters
    ----------
    quick : bool
        Whether with fewer rounds and on stand-ins.
    seeds : tuple of int
        Of split, test rows and training.
    methods : tuple of str
        Of `trustkit.bench.vertibench_settings.METHODS`.
    folder : path-like, optional
        Where the user's files are.
    """

    quick: bool
    seeds: tuple[int, ...]
    methods: tuple[str, ...]
    folder: str | os.PathLike[str] | None = None


@dataclass(frozen=True)
class Sheet:
    """A table.

    Parameters
    ----------
    stem : str
        What its file is called.
    title : str
        What it is.
    heads : tuple of str
        Of its columns.
    rows : tuple of tuple
        Text, numbers, or ``None`` for what is not known or not printed.
    notes : tuple of str
        What has to be said with it.
    digits : int
        Behind the point, in Markdown and on a terminal.
    """

    stem: str
    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    digits: int = 1

    def column(self, head: str) -> list[Cell]:
        """Return a column.

        Parameters
        ----------
        head : str
            One of the heads.

        Returns
        -------
        list
            One cell a row.
        """
        at = self.heads.index(head)
        return [row[at] for row in self.rows]

    def to_csv(self) -> str:
        """Write all digits.

        Returns
        -------
        str
            Comma-separated, with a header; ``None`` is empty.
        """
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.heads)
        writer.writerows(self.rows)
        return out.getvalue()

    def to_markdown(self) -> str:
        """Write title, table and notes.

        Returns
        -------
        str
            Markdown.

        Examples
        --------
        >>> print(Sheet("s", "Bytes", ("who", "size"), (("a", 1234.56), ("b", None))).to_markdown())
        ## Bytes
        <BLANKLINE>
        | who | size |
        | --- | --- |
        | a | 1,234.6 |
        | b |  |
        """
        rule = " | ".join("---" for _ in self.heads)
        lines = [f"## {self.title}", "", f"| {' | '.join(self.heads)} |", f"| {rule} |"]
        lines += [f"| {' | '.join(map(self._said, row))} |" for row in self.rows]
        return "\n".join([*lines, *(["", *(f"- {note}" for note in self.notes)] if self.notes else [])])

    def lines(self, leave_out: tuple[str, ...] = ()) -> list[str]:
        """Write for a terminal.

        Parameters
        ----------
        leave_out : tuple of str
            Heads of columns that are too wide for it.

        Returns
        -------
        list of str
            Title, header and one line a row, aligned.
        """
        kept = [at for at, head in enumerate(self.heads) if head not in leave_out]
        table = [[self.heads[at] for at in kept], *([self._said(row[at]) or "-" for at in kept] for row in self.rows)]
        widths = [max(len(row[at]) for row in table) for at in range(len(kept))]
        laid = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table]
        return [self.title, *laid]

    def _said(self, cell: Cell) -> str:
        if cell is None:
            return ""
        return f"{cell:,.{self.digits}f}" if isinstance(cell, float) else str(cell)


@dataclass(frozen=True)
class Part:
    """A part of the benchmark.

    Parameters
    ----------
    title : str
        What it reproduces.
    jobs : callable
        From a plan to what has to be played.
    sheets : callable
        From a plan, and what came out by place, to tables; the first is drawn.
    draw : callable
        From the tables to a picture.
    """

    title: str
    jobs: Callable[[Plan], list[Job]]
    sheets: Callable[[Plan, Mapping[Place, Outcome]], tuple[Sheet, ...]]
    draw: Callable[[tuple[Sheet, ...]], Figure]
