"""`run_peers`: the same work done by us and by those who do it elsewhere, equal results first, then seconds."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from trustkit.bench.peers_environments import PEERS, Environment, environment_of, home
from trustkit.bench.peers_sides import Asked, Side, opened, spread
from trustkit.bench.peers_table import Compared, Row, machine, write_peers
from trustkit.bench.peers_works import WORKS, Results, Work
from trustkit.whole import tidy

__all__ = ["run_peers"]

_TURNS, _SECONDS = 5, 60.0
"""Each side is timed so often, or until so much time has passed, and once at least."""


def _silent(line: str) -> None:
    """Tell nobody."""


def run_peers(
    out: str | os.PathLike[str],
    quick: bool = False,
    only: Iterable[str] = tuple(PEERS),
    environments: str | os.PathLike[str] | None = None,
    told: Callable[[str], None] = _silent,
) -> Compared:
    """Do the same work on both sides: compare results, then time both by turns.

    Parameters
    ----------
    out : path-like
        The folder that gets ``peers.json``, ``peers.csv`` and ``peers.txt``.
    quick : bool
        Little work, and only peers that the present environment has: seconds instead of minutes.
    only : iterable of str
        Some of `trustkit.bench.peers_environments.PEERS`.
    environments : path-like, optional
        Where peers that are missing here get an environment each, which is used again; by default in the user's cache.
    told : callable
        Told in a line what is done now.

    Returns
    -------
    Compared
        What was written. A peer that cannot be installed, ends, or does not answer is a row that says so.

    Raises
    ------
    ValueError
        If a peer is unknown or ``out`` is a file, before any work.
    """
    wanted = tuple(dict.fromkeys(only))
    for name in wanted:
        if name not in PEERS:
            raise ValueError(f"only must name some of {', '.join(PEERS)}, got {name!r}")
    if not wanted:
        raise ValueError("only must name at least one peer, got none")
    if Path(out).exists() and not Path(out).is_dir():
        raise ValueError(f"out must be a folder, got the file {str(out)!r}")
    places = _places(wanted, Path(environments) if environments is not None else home(), not quick, told)
    measured_on = machine()
    with tempfile.TemporaryDirectory(prefix="trustkit-peers-") as scratch:
        rows = tuple(_rows(Path(scratch), quick, places, told))
    found = Compared(rows, quick, measured_on)
    tidy(Path(out))
    write_peers(found, Path(out))
    return found


def _places(
    wanted: tuple[str, ...], folder: Path, make: bool, told: Callable[[str], None]
) -> dict[str, Environment | str]:
    """Find or make everybody's environment before any clock runs; in place of one that is missing stands why."""
    found: dict[str, Environment | str] = {}
    for name in wanted:
        try:
            found[name] = environment_of(name, folder, make, told)
        except ValueError as error:
            found[name] = str(error)
    return found


def _rows(
    scratch: Path, quick: bool, places: dict[str, Environment | str], told: Callable[[str], None]
) -> Iterator[Row]:
    """Go through works and peers: our side is one process, a peer's one for as many works as it does in a row."""
    pairs = [(name, peer) for name, work in WORKS.items() for peer in work.peers if peer in places]
    arrays: dict[str, dict[str, Path]] = {}
    with opened(sys.executable, "ours", scratch) as ours:
        for peer, group in groupby(pairs, key=lambda pair: pair[1]):
            place, works = places[peer], [name for name, _ in group]
            if isinstance(place, str):
                yield from (replace(_begun(name, peer), check=f"not installed: {place}") for name in works)
                continue
            with opened(place.python, peer, scratch) as theirs:
                for name in works:
                    told(f"{name}, {PEERS[peer].title}")
                    if name not in arrays:
                        arrays = {name: spread(dict(WORKS[name].arrays(quick)), scratch / "arrays" / name)}
                    known = replace(_begun(name, peer), version=place.version, environment=place.kind)
                    yield _row(known, WORKS[name], arrays[name], ours, theirs, 1 if quick else _TURNS)


def _begun(name: str, peer: str) -> Row:
    """Return what is known of a row before anything is done."""
    work = WORKS[name]
    return Row(name, work.title, PEERS[peer].title, target=work.peers[peer], note=work.note)


def _row(known: Row, work: Work, arrays: dict[str, Path], ours: Side, theirs: Side, most: int) -> Row:
    """Compare results, and time what is equal."""
    try:
        mine, yours = (_results(side, known.work, arrays) for side in (ours, theirs))
        checked = work.check(mine, yours)
        known = replace(known, equal=checked.equal, check=checked.said)
        return known if checked.equal is False else _timed(known, ours, theirs, arrays["timed"], most)
    except RuntimeError as error:
        return replace(known, check=f"failed: {error}")


def _results(side: Side, name: str, arrays: dict[str, Path]) -> Results:
    """Let a side do every variant once, outside of the seconds: it also loads, compiles and starts."""
    return {variant: side.ask(f"{name}/{variant}", path)[1] for variant, path in arrays.items()}


def _timed(row: Row, ours: Side, theirs: Side, arrays: Path, most: int) -> Row:
    """Time both by turns."""
    taken: list[tuple[Asked, Asked]] = []
    until = time.monotonic() + _SECONDS
    while not taken or (len(taken) < most and time.monotonic() < until):
        taken.append((ours.ask(f"{row.work}/timed", arrays)[0], theirs.ask(f"{row.work}/timed", arrays)[0]))
    mine, yours = zip(*taken, strict=True)
    return replace(
        row,
        repeats=len(taken),
        ours=min(each.processor for each in mine),
        theirs=min(each.processor for each in yours),
        ours_wall=min(each.wall for each in mine),
        theirs_wall=min(each.wall for each in yours),
    )
