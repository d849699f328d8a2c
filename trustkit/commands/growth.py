"""What ``trustkit bench growth`` does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from trustkit.commands.benching import named, show
from trustkit.records import Stopped

__all__ = ["measure"]


def measure(
    quick: bool, out: Path, only: str, minutes: float | None, fresh: bool, quiet: bool, seconds: float | None = None
) -> Iterator[str]:
    """Run the bench, and say what came out.

    Parameters
    ----------
    quick, fresh, quiet : bool
        Smaller; not resumed; without progress.
    out : pathlib.Path
        The folder to write to.
    only : str
        Axes, with commas between; empty for all.
    minutes : float or None
        By the clock, after which nothing is begun.
    seconds : float or None
        Processor seconds that a point may take; if given, points that did not fit are tried again.

    Yields
    ------
    str
        Lines to print.

    Raises
    ------
    ValueError
        If one of these does not fit, before any work.
    Stopped
        In place of KeyboardInterrupt: it says what is left.
    """
    from trustkit.bench.growth import SECONDS, run_growth, still
    from trustkit.bench.growth_curves import AXES
    from trustkit.bench.growth_page import summary

    axes = named(only, AXES)
    try:
        found = run_growth(out, quick, axes, minutes, not fresh, None if quiet else show, seconds)
    except KeyboardInterrupt:
        raise Stopped(f"the points measured so far are in {out}, and the same command goes on") from None
    for axis in (each for each in AXES if each in axes):
        yield from summary(found, axis)
        yield ""
    unfit = [point for point in found.points if point.why and point.axis in axes]
    yield from (f"left out: {point.name} with {point.size:,} {point.axis} and more, {point.why}" for point in unfit)
    left = len(list(still(found, quick, axes)))
    if left:
        most = seconds or SECONDS
        yield f"{left} points are not measured yet, each up to {most:g} s: the same command goes on from here"
    yield f"written to {out}"
