"""What has to be said with a front, and its tables in Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from trustkit.frontier.points import COSTS, Point, Raise

__all__ = ["markdown", "notes", "raised"]

_CHOSEN = (
    "Points are chosen by the accuracy of the very rows that it is measured on, so the best of them look better than "
    "they are; only rows that had no part in the search could tell by how much."
)


def notes(
    points: Sequence[Point], rows: int | None, ties: int, refused: Mapping[str, int], exhaustive: bool
) -> tuple[str, ...]:
    """Say how far the numbers of a front can be relied on.

    Parameters
    ----------
    points : sequence of Point
        All that were tried.
    rows : int or None
        Held-out rows that CLEVER looked at.
    ties : int
        Pairs within noise of each other.
    refused : mapping of str to int
        Reasons with how many combinations.
    exhaustive : bool
        Whether all combinations were tried.

    Returns
    -------
    tuple of str
        Sentences.
    """
    seeds, count = len(points[0].each), len(points)
    said = [_CHOSEN]
    if seeds == 1:
        said.append(
            "Each point is one run, so a small difference may be noise; with several seeds the spread is known."
        )
    else:
        said.append(f"Each point is the mean of {seeds} runs with other seeds; {_many(ties, 'pair')} of points, one on "
                    "the front, differ in no objective by more than noise (paired t, each at 5 %).")  # fmt: skip
    if rows is not None:
        said.append(f"CLEVER looked at {rows} held-out rows and Shapley values at up to {6 * rows}: robustness and "
                    "explainability are as coarse as that.")  # fmt: skip
    said.append(f"All combinations were tried: {count} points with the start." if exhaustive else
                f"{count} points were tried with the start, of very many: better ones may exist.")  # fmt: skip
    said += [f"Refused, {_many(n, 'combination')}: {reason}" for reason, n in refused.items()]
    return tuple(said)


def _many(count: int, thing: str) -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"


def raised(raises: Mapping[str, Sequence[Raise]], start: Point) -> list[str]:
    """Say for each score by which change it rises first.

    Parameters
    ----------
    raises : mapping of str to sequence of Raise
        By name, the simplest first.
    start : Point
        Where the search started from.

    Returns
    -------
    list of str
        One line for each score.
    """
    lines = []
    for name, found in raises.items():
        now = start.values[name]
        nothing = f"{name} has no score" if math.isnan(now) else f"{name} {now:.3f}: nothing that was tried raises it"
        lines.append(str(found[0]) if found else nothing)
    return lines


def markdown(
    names: Sequence[str], best: Iterable[Point], start: Point, knee: Point | None,
    raises: Mapping[str, Sequence[Raise]], said: Sequence[str],
) -> str:  # fmt: skip
    """Write a front as Markdown.

    Parameters
    ----------
    names : sequence of str
        Objectives, then what else has a column.
    best : iterable of Point
        The front.
    start : Point
        Where the search started from.
    knee : Point or None
        The suggestion.
    raises : mapping of str to sequence of Raise
        What raises each score, the simplest first.
    said : sequence of str
        Notes.

    Returns
    -------
    str
        What would raise each score, and a table of the front.
    """
    lines = ["# What would raise it", "", *(f"- {line}" for line in raised(raises, start))]
    lines += ["", "## Front", "", f"| {' | '.join(names)} | changes |", "|---" * (len(names) + 1) + "|"]
    for point in (start, *(each for each in best if each is not start)):
        cells = [_cell(name, point) for name in names]
        mark = " (start)" if point is start else " (knee)" if point is knee else ""
        lines.append(f"| {' | '.join(cells)} | {'; '.join(point.changes) or 'none'}{mark} |")
    return "\n".join([*lines, "", *(f"> {note}\n>" for note in said[:-1]), f"> {said[-1]}", ""]).replace("<", "&lt;")


def _cell(name: str, point: Point) -> str:
    value, spread = point.values[name], point.spread[name]
    form = "{:,.0f}" if name in COSTS else "{:.3f}"
    return form.format(value) + (f" ± {form.format(spread)}" if not math.isnan(spread) else "")
