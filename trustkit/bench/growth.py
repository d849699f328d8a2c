"""How cost grows with clients, columns, parties and rows: measured point by point, kept as they come, and fitted."""

from __future__ import annotations

import csv
import io
import os
import platform
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from importlib.metadata import version
from pathlib import Path

from trustkit import jsonfile, memory, whole
from trustkit.bench.growth_curves import AXES, CURVES, QUICK, Place
from trustkit.bench.growth_point import Point, measured
from trustkit.records import Progress

__all__ = ["SECONDS", "Growth", "begun", "machine_here", "read_growth", "run_growth", "still"]

SECONDS = 60.0
"""Processor seconds that a point may take unless said otherwise, from making the data on."""

_ROOM = 6_000_000_000
"""Bytes that a point may take, or half of what is free, if that is less."""

_FILE = "growth.json"


@dataclass(frozen=True, eq=False)
class Growth:
    """What was measured.

    Parameters
    ----------
    machine : mapping of str to str
        What it ran on.
    load : tuple of float
        The least and the largest load average of the machine in between; empty where the system does not say.
    points : tuple of Point
        In the order in which they were measured; those that did not fit have the reason.
    """

    machine: Mapping[str, str]
    load: tuple[float, ...]
    points: tuple[Point, ...]

    def on(self, place: Place) -> tuple[Point, ...]:
        """Return a curve's points.

        Parameters
        ----------
        place : tuple of str
            Axis and name.

        Returns
        -------
        tuple of Point
            Those that were measured, by size.
        """
        own = (point for point in self.points if (point.axis, point.name) == place and point.cpu is not None)
        return tuple(sorted(own, key=lambda point: point.size))

    def unfit(self, place: Place) -> Point | None:
        """Return the point at which a curve ended, if one did not fit.

        Parameters
        ----------
        place : tuple of str
            Axis and name.

        Returns
        -------
        Point or None
            With the reason.
        """
        return next((point for point in self.points if (point.axis, point.name) == place and point.why), None)

    def to_csv(self) -> str:
        """Write all points.

        Returns
        -------
        str
            Comma-separated, with a header; what was not measured is empty.
        """
        out = io.StringIO()
        writer = csv.DictWriter(out, [field.name for field in fields(Point)], lineterminator="\n")
        writer.writeheader()
        order = {place: at for at, place in enumerate(CURVES)}
        for point in sorted(self.points, key=lambda each: (order[each.axis, each.name], each.size)):
            writer.writerow(asdict(point))
        return out.getvalue()


def machine_here() -> dict[str, str]:
    """Say what a measurement runs on.

    Returns
    -------
    dict of str to str
        Processor, cores, memory, system, and versions of what does the work.
    """
    processor = platform.processor() or platform.machine()
    with suppress(OSError):
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
        processor = found[1].strip() if found else processor
    held = ""
    with suppress(ValueError, OSError, AttributeError):
        held = f"{os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') / 2**30:.0f} GiB"
    versions = {name: version(name) for name in ("trustkit", "numpy", "scipy", "torch", "numba")}
    return {"processor": processor, "cores": str(os.cpu_count()), "memory": held, "system": platform.system(),
            "python": platform.python_version(), **versions}  # fmt: skip


def read_growth(path: str | os.PathLike[str]) -> Growth:
    """Read what `run_growth` keeps in ``growth.json``.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    Growth
        What was measured.

    Raises
    ------
    ValueError
        If it is another file.
    """
    try:
        told = jsonfile.read(path)
        return Growth(told["machine"], tuple(told["load"]), tuple(Point(**each) for each in told["points"]))
    except (KeyError, TypeError):
        raise ValueError(f"{path} must be a file that trustkit bench growth wrote, got another") from None


def still(found: Growth, quick: bool, only: Iterable[str]) -> Iterator[tuple[Place, int]]:
    """List what is not measured yet: small sizes first, so that every curve has a beginning early.

    Parameters
    ----------
    found : Growth
        What is there.
    quick : bool
        Whether large sizes are left out.
    only : iterable of str
        Axes.

    Yields
    ------
    Place, int
        Curve and size. A curve that once did not fit is not tried at larger sizes.
    """
    chosen = {place: curve for place, curve in CURVES.items() if place[0] in set(only)}
    there = {(point.axis, point.name, point.size) for point in found.points}
    ended = {place for place in chosen if found.unfit(place)}
    for at in range(max(len(sizes) for sizes, _ in AXES.values())):
        for place, curve in chosen.items():
            size = curve.sizes[at] if at < len(curve.sizes) else None
            if size is None or place in ended or (*place, size) in there:
                continue
            if not quick or size <= QUICK[curve.axis]:
                yield place, size


def run_growth(
    out: str | os.PathLike[str],
    quick: bool = False,
    only: Iterable[str] = tuple(AXES),
    minutes: float | None = None,
    resume: bool = True,
    progress: Progress | None = None,
    seconds: float | None = None,
) -> Growth:
    """Measure how cost grows, and write points, fits, picture and page.

    Parameters
    ----------
    out : path-like
        The folder to write to: ``growth.json`` (point by point, and gone on from), ``growth.csv``, ``growth.svg`` and
        ``growth.md``.
    quick : bool
        Whether sizes stop early: minutes.
    only : iterable of str
        Some of clients, columns, parties and rows.
    minutes : float, optional
        By the clock, after which no point is begun.
    resume : bool
        Whether what is in the folder is kept; if it was measured on the same machine.
    progress : callable, optional
        Told what is measured and which part is done, 0 … 1.
    seconds : float, optional
        Processor seconds that a point may take, by default 60; if given, points that did not fit are tried again.

    Returns
    -------
    Growth
        All points that are there.

    Raises
    ------
    ValueError
        If an axis is unknown, minutes or seconds are too few, or what is there is from elsewhere, before any work.

    Notes
    -----
    Each point is a process of its own with one thread. It does the work once at the least size, so that libraries are
    loaded and loops compiled; what it holds then is taken off its peak.
    """
    from trustkit.bench.growth_page import write_page

    axes, folder = _axes(only, minutes, seconds), Path(out)
    whole.check(folder)
    found = begun(folder, resume)
    if seconds is not None:
        found = replace(found, points=tuple(each for each in found.points if each.axis not in axes or not each.why))
    wanted, began, last = list(still(found, quick, axes)), time.monotonic(), "all points"
    for done, (place, size) in enumerate(wanted):
        if minutes is not None and time.monotonic() - began > 60 * minutes:
            last = "the time is up"
            break
        if found.unfit(place):
            continue
        curve = CURVES[place]
        if progress is not None:
            progress(f"{curve.title} with {size:,} {curve.axis}", done / len(wanted))
        found = _with(found, measured(curve, size, seconds or SECONDS, _room()))
        jsonfile.write_text(folder / _FILE, jsonfile.dumps(_told(found)))
    if progress is not None and wanted:
        progress(last, 1.0)
    write_page(found, folder)
    return found


def begun(folder: Path, resume: bool = True) -> Growth:
    """Return what a folder has already.

    Parameters
    ----------
    folder : pathlib.Path
        As `run_growth` writes it.
    resume : bool
        Whether to look.

    Returns
    -------
    Growth
        Possibly without a point.

    Raises
    ------
    ValueError
        If it is from another machine, or from other versions.
    """
    here = machine_here()
    if not resume or not (folder / _FILE).exists():
        return Growth(here, (), ())
    found = read_growth(folder / _FILE)
    other = [f"{name} {found.machine.get(name)}" for name in here if found.machine.get(name) != here[name]]
    if other:
        raise ValueError(f"{folder / _FILE} must be of this machine to be gone on with, got {', '.join(other)}; "
                         "fresh measures anew")  # fmt: skip
    return found


def _axes(only: Iterable[str], minutes: float | None, seconds: float | None) -> tuple[str, ...]:
    axes = tuple(dict.fromkeys(only))
    for axis in axes or ("",):
        if axis not in AXES:
            raise ValueError(f"only must name some of {', '.join(AXES)}, got {axis!r}")
    if minutes is not None and not minutes > 0:
        raise ValueError(f"minutes must be above 0, got {minutes:g}")
    if seconds is not None and not seconds >= 1:
        raise ValueError(f"seconds must be at least 1, got {seconds:g}")
    return axes


def _room() -> int:
    free = memory.free()
    return _ROOM if free is None else min(_ROOM, free // 2)


def _with(found: Growth, point: Point) -> Growth:
    load = found.load
    with suppress(OSError, AttributeError):
        now = round(os.getloadavg()[0], 2)
        load = (min([*load, now]), max([*load, now]))
    return Growth(found.machine, load, (*found.points, point))


def _told(found: Growth) -> dict[str, object]:
    return {"machine": dict(found.machine), "load": list(found.load),
            "points": [asdict(point) for point in found.points]}  # fmt: skip
