"""The table of a comparison: a row a work and peer, equal results first, as text, CSV and JSON, with the machine."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from trustkit import jsonfile
from trustkit.bench.vertibench_sheet import Sheet

__all__ = ["Compared", "Row", "machine", "read_peers", "write_peers"]

_SECONDS = "Seconds, matrix products on one thread, the least of some turns; ratio is theirs over ours"
_SMALL = "quick: fewer rounds, rows and draws than the titles say; these ratios say nothing of larger work"


@dataclass(frozen=True)
class Row:
    """A work on two sides; None for what was not measured.

    Parameters
    ----------
    work, title : str
        Its name and what it is.
    peer, version, environment : str
        Who else did it, and where it ran: "present" or "its own".
    equal : bool, optional
        Whether the results are equal within what ``check`` says; without that there are no seconds.
    check : str
        What was compared and how far it is apart; or why nothing was done.
    ours, theirs : float, optional
        Least processor seconds of all processes of a side.
    ours_wall, theirs_wall : float, optional
        Least seconds on the wall.
    repeats : int
        How often each side was timed, by turns.
    target : float, optional
        How many times as fast ours is meant to be at least.
    note : str
        What has to be said with it.
    """

    work: str
    title: str
    peer: str
    version: str = ""
    environment: str = ""
    equal: bool | None = None
    check: str = ""
    ours: float | None = None
    theirs: float | None = None
    ours_wall: float | None = None
    theirs_wall: float | None = None
    repeats: int = 0
    target: float | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """Their processor seconds divided by ours."""
        return None if self.ours is None or self.theirs is None else self.theirs / self.ours

    @property
    def ratio_wall(self) -> float | None:
        """Their seconds on the wall divided by ours."""
        return None if self.ours_wall is None or self.theirs_wall is None else self.theirs_wall / self.ours_wall

    @property
    def met(self) -> str:
        """Whether the smaller of both ratios reaches the target; empty where nothing is aimed at, or was measured."""
        ratios = [ratio for ratio in (self.ratio, self.ratio_wall) if ratio is not None]
        return "" if self.target is None or not ratios else "yes" if min(ratios) >= self.target else "NO"


@dataclass(frozen=True, eq=False)
class Compared:
    """What came out.

    Parameters
    ----------
    rows : tuple of Row
        In the order in which they were measured.
    quick : bool
        Whether with little work, whose ratios say nothing of larger ones.
    machine : mapping of str to object
        See `machine`.
    """

    rows: tuple[Row, ...]
    quick: bool
    machine: Mapping[str, Any]

    @property
    def sheets(self) -> tuple[Sheet, Sheet]:
        """Two tables: which results are equal, and how long they took."""
        checks = tuple((row.work, f"{row.peer} {row.version}".strip(), row.environment,
                        "" if row.equal is None else "yes" if row.equal else "NO", row.check)
                       for row in self.rows)  # fmt: skip
        times = tuple((row.work, row.peer, row.theirs, row.ours, row.ratio, row.theirs_wall, row.ours_wall,
                       row.ratio_wall, row.target, row.met) for row in self.rows)  # fmt: skip
        titles = {row.work: f"{row.work}: {row.title}" + (f"; {row.note}" if row.note else "") for row in self.rows}
        small = (_SMALL,) if self.quick else ()
        told = "; ".join(f"{name} {value}" for name, value in self.machine.items())
        return (
            Sheet("peers-equal", "Equal results first", ("work", "peer", "environment", "equal", "check"), checks),
            Sheet("peers-seconds", _SECONDS,
                  ("work", "peer", "CPU theirs", "CPU ours", "ratio", "wall theirs", "wall ours", "wall ratio",
                   "aim", "met"), times, (*titles.values(), *small, told), 3),
        )  # fmt: skip

    def to_text(self) -> str:
        """Write for people.

        Returns
        -------
        str
            Both tables and their notes.
        """
        parts = []
        for sheet in self.sheets:
            parts += ["\n".join([*sheet.lines(), *(f"- {note}" for note in sheet.notes)])]
        return "\n\n".join(parts) + "\n"

    def to_csv(self) -> str:
        """Write all digits.

        Returns
        -------
        str
            A row a work and peer.
        """
        rows = [{**asdict(row), "ratio": row.ratio, "ratio_wall": row.ratio_wall, "met": row.met} for row in self.rows]
        heads = tuple(rows[0]) if rows else ()
        return Sheet("peers", "", heads, tuple(tuple(row.values()) for row in rows)).to_csv()


def machine() -> dict[str, Any]:
    """Say what this is measured on.

    Returns
    -------
    dict of str to object
        processor, cores, memory, system, python, numpy, trustkit, and the load when it began.
    """
    from trustkit.memory import free

    left = free()
    load = os.getloadavg() if hasattr(os, "getloadavg") else ()
    return {
        "processor": _processor(), "cores": os.cpu_count(),
        "memory free": "not known" if left is None else f"{left / 1e9:.0f} GB",
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(), "numpy": version("numpy"), "trustkit": version("trustkit"),
        "load at the start": " ".join(f"{each:.1f}" for each in load) or "not known",
    }  # fmt: skip


def _processor() -> str:
    try:
        found = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    except OSError:
        found = None
    return found.group(1) if found else platform.processor() or platform.machine()


def write_peers(found: Compared, folder: Path) -> None:
    """Write a comparison.

    Parameters
    ----------
    found : Compared
        What came out.
    folder : pathlib.Path
        Gets ``peers.json``, ``peers.csv`` and ``peers.txt``.
    """
    told = {"quick": found.quick, "machine": found.machine, "rows": [asdict(row) for row in found.rows]}
    jsonfile.write_text(folder / "peers.json", jsonfile.dumps(told))
    jsonfile.write_text(folder / "peers.csv", found.to_csv())
    jsonfile.write_text(folder / "peers.txt", found.to_text())


def read_peers(path: str | os.PathLike[str]) -> Compared:
    """Read what ``trustkit bench peers`` left in ``peers.json``.

    Parameters
    ----------
    path : path-like
        JSON.

    Returns
    -------
    Compared
        As it was.

    Raises
    ------
    ValueError
        If the file is none of this benchmark.
    """
    content: Any = jsonfile.read(path)
    if not isinstance(content, dict) or set(content) != {"quick", "machine", "rows"}:
        raise ValueError(f"{path} must be a file that trustkit bench peers wrote, got another")
    return Compared(tuple(Row(**row) for row in content["rows"]), bool(content["quick"]), content["machine"])
