"""What ``trustkit bench vertibench`` does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from trustkit.commands.benching import named, show
from trustkit.records import Stopped

__all__ = ["replicate"]

_WIDE = ("why", "± ours", "± printed", "printed in", "printed out")


def replicate(
    quick: bool, out: Path, data: Path | None, only: str, seeds: str, methods: str, minutes: float | None,
    fresh: bool, quiet: bool,
) -> Iterator[str]:  # fmt: skip
    """Run the bench, and say what came out.

    Parameters
    ----------
    quick, fresh, quiet : bool
        Smaller; not resumed; without progress.
    out : pathlib.Path
        The folder to write to.
    data : pathlib.Path or None
        The folder with the data sets' files.
    only, methods : str
        Parts and methods, with commas between; empty for all.
    seeds : str
        As "0-4" or "0,2".
    minutes : float or None
        Of processor time at most.

    Yields
    ------
    str
        Lines to print, the estimate first.

    Raises
    ------
    ValueError
        If one of these does not fit, before any work.
    Stopped
        In place of KeyboardInterrupt: it says what is left.
    """
    from trustkit.bench.vertibench import PARTS, forecast, run_vertibench
    from trustkit.bench.vertibench_settings import METHODS

    parts, wanted, numbers = named(only, PARTS), named(methods, METHODS), _numbers(seeds)
    still = forecast(out, quick, parts, data, numbers, wanted)
    yield f"about {_long(sum(still.values()))} of processor time still to do: {_apart(still)} (within a factor of two)"
    try:
        found = run_vertibench(out, quick, parts, data, numbers, wanted, not fresh, minutes, None if quiet else show)
    except KeyboardInterrupt:
        raise Stopped(f"what was played is in {out}, and the same command goes on") from None
    for sheets in found.sheets.values():
        for sheet in sheets:
            yield ""
            yield from sheet.lines(_WIDE)
            yield from (f"- {note}" for note in sheet.notes)
    yield ""
    yield f"{found.finished} of {found.wanted} runs are finished"
    if "table2" in found.sheets:
        yield f"Table 2: {', '.join(f'{count} {mark}' for mark, count in found.marks.items())}"
    if found.finished < found.wanted:
        yield "the same command goes on from here"
    yield f"written to {out}"


def _numbers(text: str) -> tuple[int, ...]:
    """Read whole numbers and ranges of them."""
    found: list[int] = []
    for word in filter(None, (part.strip() for part in text.split(","))):
        low, dash, high = word.partition("-")
        if not low.isdecimal() or (dash and not high.isdecimal()):
            raise ValueError(f"seeds must be whole numbers from 0 on, as 0-4 or 0,2, got {text!r}")
        found += range(int(low), int(high or low) + 1)
    return tuple(found)


def _apart(seconds: dict[str, float]) -> str:
    return ", ".join(f"{name} {_long(each)}" for name, each in seconds.items() if each) or "nothing"


def _long(seconds: float) -> str:
    """Say a time in seconds, minutes or hours."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"
