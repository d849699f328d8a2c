"""The page on how cost grows, written from stored points: ``python -m trustkit.bench.growth_page notebooks``."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from trustkit import jsonfile, whole
from trustkit.bench.growth import SECONDS, Growth, read_growth
from trustkit.bench.growth_curves import AXES, CURVES, Curve
from trustkit.bench.growth_fit import Slope, slope, upper
from trustkit.bench.growth_point import Point

__all__ = ["faster", "growth_page", "summary", "write_page"]

_TOLERATED = 0.2
"""Above the expected exponent; more is said to be faster."""

_LEAST = 1_000_000
"""Bytes below which memory is in no fit: a process's own pages are as many."""

_INTRODUCTION = """\
# How cost grows

Twice the clients, twice the time? Each point below is work that was really done, in a process of its own with one
thread. The same work at the least size is done first, so that libraries are loaded; what the process holds then is
taken off its memory. *Processor seconds* are what the process used, so other work on the machine disturbs them little;
*wall* is the clock beside them. An *exponent* e says that twice the size costs 2 to the power e times as much: it is
the slope of a straight line through the logarithms. Behind it stand the least and the largest slope from one point to
the next, and × the typical factor between a point and the line. At small sizes fixed costs weigh most, so the *upper
half* of the range, from its geometric middle on, is the one to compare with what is *expected* of the algorithm.

`trustkit bench growth --out notebooks` measures it anew, `python -m trustkit.bench.growth_page notebooks` writes this
page from the stored points, and a test holds it to them. The data are made up; only their sizes matter here.
"""


def growth_page(found: Growth) -> str:
    """Write the page.

    Parameters
    ----------
    found : Growth
        What was measured.

    Returns
    -------
    str
        Markdown.
    """
    parts = [_INTRODUCTION, _measured_on(found),
             "![Processor seconds and memory against clients, columns, parties and rows, on logarithmic scales]"
             "(growth.svg)"]  # fmt: skip
    for axis, (_, fixed) in AXES.items():
        own = [curve for curve in CURVES.values() if curve.axis == axis]
        parts += [f"## {axis.capitalize()}", f"{fixed[0].upper()}{fixed[1:]}."]
        if not any(found.on((axis, curve.name)) for curve in own):
            parts.append("Nothing was measured.")
            continue
        parts += [_table(_fits(found, own)), *_remarks(found, own),
                  "Processor seconds:", _table(_costs(found, own, axis)),
                  "Memory, MB:", _table(_sizes(found, own, axis))]  # fmt: skip
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def write_page(found: Growth, folder: str | os.PathLike[str]) -> None:
    """Write points, picture and page.

    Parameters
    ----------
    found : Growth
        What was measured.
    folder : path-like
        Where to: ``growth.csv``, ``growth.svg``, ``growth.md``.
    """
    from trustkit import export
    from trustkit.bench.growth_picture import draw_growth

    place = Path(folder)
    whole.tidy(place)
    jsonfile.write_text(place / "growth.csv", found.to_csv())
    export.write(draw_growth(found), place / "growth.svg")
    jsonfile.write_text(place / "growth.md", growth_page(found))


def faster(found: Growth, curve: Curve) -> bool:
    """Say whether a curve grows faster than its algorithm.

    Parameters
    ----------
    found : Growth
        What was measured.
    curve : Curve
        One of `CURVES`.

    Returns
    -------
    bool
        Whether the exponent of the upper half is more than 0.2 above the expected one, where there is one.
    """
    fit = _fit(found, curve)[1]
    return fit is not None and curve.expected is not None and fit.exponent > curve.expected + _TOLERATED


def summary(found: Growth, axis: str) -> Iterator[str]:
    """Write an axis for a terminal.

    Parameters
    ----------
    found : Growth
        What was measured.
    axis : str
        One of clients, columns, parties, rows.

    Yields
    ------
    str
        A header, and a line a curve.
    """
    yield f"{axis:44}  expected  {'whole range':>20}  {'upper half':>20}  {'largest':>9}  {'cpu s':>9}  {'MB':>7}"
    for curve in (each for each in CURVES.values() if each.axis == axis):
        whole_range, half = _fit(found, curve)
        last = found.on((curve.axis, curve.name))[-1:]
        ends = [f"{last[0].size:>9,}", f"{last[0].cpu:9.4f}", f"{_megabytes(last[0]):>7}"] if last else ["nothing"]
        yield "  ".join([f"{curve.title:44}", f"{_expected(curve):>8}", f"{_short(whole_range):>20}",
                         f"{_short(half):>20}", *ends])  # fmt: skip


def _measured_on(found: Growth) -> str:
    told = dict(found.machine)
    busy = f"between {found.load[0]:.1f} and {found.load[1]:.1f}" if found.load else "not known"
    versions = ", ".join(f"{name} {told[name]}" for name in ("trustkit", "python", "numpy", "scipy", "torch", "numba")
                         if name in told)  # fmt: skip
    return (f"**Measured on** {told.get('processor', 'a processor not known')}, {told.get('cores', '?')} cores, "
            f"{told.get('memory') or 'memory not known'}, {told.get('system', '')}; {versions}. Load average of the "
            f"machine meanwhile: {busy}. A point that needs more processor time than it is given, its data included, "
            f"{SECONDS:g} s unless `--seconds` says otherwise, or more than half of the free memory or 6 GB, is left "
            "out with the reason, and so are larger ones.")  # fmt: skip


def _fit(found: Growth, curve: Curve) -> tuple[Slope | None, Slope | None]:
    seen = [(point.size, point.cpu) for point in found.on((curve.axis, curve.name)) if point.cpu]
    sizes, costs = [size for size, _ in seen], [cost for _, cost in seen]
    return slope(sizes, costs), upper(sizes, costs)


def _held(found: Growth, curve: Curve) -> Slope | None:
    seen = [(point.size, float(point.memory)) for point in found.on((curve.axis, curve.name))
            if point.memory is not None and point.memory >= _LEAST]  # fmt: skip
    return upper([size for size, _ in seen], [cost for _, cost in seen])


def _table(rows: list[list[str]]) -> str:
    head, *rest = rows
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *rest))


def _fits(found: Growth, curves: list[Curve]) -> list[list[str]]:
    """A line a curve: exponents, and the largest point."""
    rows = [["work", "expected", "exponent, whole range", "exponent, upper half", "of memory, upper half", "largest",
             "processor s", "wall s", "MB"]]  # fmt: skip
    for curve in curves:
        last = found.on((curve.axis, curve.name))[-1:]
        ends = (
            [f"{last[0].size:,}", _number(last[0].cpu), _number(last[0].wall), _megabytes(last[0])]
            if last
            else [""] * 4
        )
        fits = map(_long, (*_fit(found, curve), _held(found, curve)))
        rows.append([curve.title, _expected(curve), *fits, *ends])
    return rows


def _remarks(found: Growth, curves: list[Curve]) -> Iterator[str]:
    """Why what is expected, what grows faster, what is left out."""
    yield "\n".join(f"- {curve.title}: {curve.because}." for curve in curves)
    more = [curve.title for curve in curves if faster(found, curve)]
    judged = [curve for curve in curves if curve.expected is not None and _fit(found, curve)[1] is not None]
    yield (f"Faster than expected by more than {_TOLERATED:g} in the upper half: {'; '.join(more)}." if more
           else f"None of {len(judged)} that can be judged grows faster than expected by more than {_TOLERATED:g} in "
           "the upper half.")  # fmt: skip
    left = [words for curve in curves if (words := _left_out(found, curve))]
    if left:
        yield "Left out:\n\n" + "\n".join(f"- {words}" for words in left)


def _left_out(found: Growth, curve: Curve) -> str:
    """Say where a curve ends before its last size, and why."""
    there = {point.size for point in found.on((curve.axis, curve.name))}
    missing = [size for size in curve.sizes if size not in there]
    if not missing:
        return ""
    ended = found.unfit((curve.axis, curve.name))
    why = "not measured" if ended is None else f"at {ended.size:,}, {ended.why}"
    return f"{curve.title}, {', '.join(f'{size:,}' for size in missing)} {curve.axis}: {why}."


def _costs(found: Growth, curves: list[Curve], axis: str) -> list[list[str]]:
    rows = [["work", *(f"{size:,}" for size in AXES[axis][0])]]
    for curve in curves:
        there = {point.size: point for point in found.on((axis, curve.name))}
        rows.append([curve.title, *(_number(there[size].cpu) if size in there else "" for size in curve.sizes)])
    return rows


def _sizes(found: Growth, curves: list[Curve], axis: str) -> list[list[str]]:
    rows = [["work", *(f"{size:,}" for size in AXES[axis][0])]]
    for curve in curves:
        there = {point.size: point for point in found.on((axis, curve.name))}
        rows.append([curve.title, *(_megabytes(there[size]) if size in there else "" for size in curve.sizes)])
    return rows


def _number(value: float | None) -> str:
    """Three digits that count."""
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{float(f'{value:.3g}'):g}"


def _megabytes(point: Point) -> str:
    if point.memory is None:
        return "not known"
    return f"{point.memory / 1e6:,.0f}" if point.memory >= _LEAST else "< 1"


def _expected(curve: Curve) -> str:
    return "no single one" if curve.expected is None else f"{curve.expected:g}"


def _short(fit: Slope | None) -> str:
    return "-" if fit is None else f"{fit.exponent:.2f} ({fit.low:.2f}…{fit.high:.2f})".replace("-", "−")


def _long(fit: Slope | None) -> str:
    return "too few points" if fit is None else f"{_short(fit)}, × {fit.residual:.2f}"


if __name__ == "__main__":
    book = Path(sys.argv[1] if len(sys.argv) > 1 else "notebooks")
    write_page(read_growth(book / "growth.json"), book)
