"""Which metrics moved a trust score, from a baseline to now."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from matplotlib.figure import Figure

from trustkit.plot import behind, style
from trustkit.trust import Waterfall

__all__ = ["trust_waterfall"]

_STILL = 5e-4
"""Contributions below it are not drawn: they would read 0.000."""

_Bars = list[tuple[str, float]]


def _bars(found: Waterfall, names: Mapping[str, str], most: int) -> _Bars:
    """Names and contributions, largest first; what does not fit, or does not move, is one bar."""
    ordered = sorted(found.bars, key=lambda bar: -abs(bar.contribution))
    shown = [bar for bar in ordered if abs(bar.contribution) >= _STILL]
    if len(shown) > most:
        shown = shown[: most - 1]
    bars = [(style.short(names.get(bar.id, bar.id), 27), bar.contribution) for bar in shown]
    rest = found.end - found.start - sum(bar.contribution for bar in shown)
    return [*bars, ("all others", rest)] if abs(rest) >= _STILL else bars


def _draw(rows: int) -> Figure:
    figure = style.blank(4.6, 0.55 + 0.25 * rows)
    figure.set_layout_engine("none")
    height = 0.55 + 0.25 * rows
    axes: Any = figure.add_axes((0.4, 0.42 / height, 0.59, 0.25 * rows / height))
    axes.patch.set_alpha(0)
    axes.set_ylim(rows - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x", color=style.GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel("trust")
    (path,) = axes.plot([], [], color=style.BASE, linewidth=1, linestyle=":")
    bars = axes.barh(range(1, rows - 1), [0.0] * (rows - 2), height=0.66, edgecolor=style.INK, linewidth=0.4)
    first, last = (axes.plot([], [], "D", markersize=5, color=colour)[0] for colour in (style.BASE, style.NOW))
    words = [axes.text(0, y, "", va="center", fontsize=8.5) for y in range(rows)]
    style.keep(figure, rows, axes=axes, bars=bars, first=first, last=last, words=words, path=path)
    return figure


def trust_waterfall(
    found: Waterfall, names: Mapping[str, str], most: int = 12, figure: Figure | None = None
) -> Figure:  # fmt: skip
    """Draw how changed metrics add up to the change of a trust score.

    Parameters
    ----------
    found : Waterfall
        From the baseline's report to the current one.
    names : mapping of str to str
        What metrics are called, by id; others are written as their id.
    most : int
        At least 2: how many bars there are between both scores; those of the smallest changes are joined.
    figure : Figure, optional
        The picture to redraw.

    Returns
    -------
    matplotlib.figure.Figure
        From top to bottom: the baseline's score, what each metric added (▲) or took (▼, hatched) with the largest
        first, and the score now. Changes below 0.0005 are not drawn.

    Raises
    ------
    ValueError
        If there is room for less than two bars.
    """
    if most < 2:
        raise ValueError(f"most must be at least 2 bars, got {most!r}")
    bars = _bars(found, names, most)
    rows = len(bars) + 2
    with style.looks():
        if figure is None or style.artists(figure, rows) is None:
            figure = _draw(rows)
        parts = style.artists(figure, rows) or {}
        totals = [found.start]
        for at, (_, change) in enumerate(bars):
            bar, up = parts["bars"][at], change > 0
            bar.set_x(min(totals[-1], totals[-1] + change))
            bar.set_width(abs(change))
            bar.set_facecolor(style.NOW if up else style.WARN)
            bar.set_hatch("" if up else "////")
            totals.append(totals[-1] + change)
            parts["words"][at + 1].set_text(f"{'▲' if up else '▼'} {change:+.3f}".replace("-", "−"))
        _place(parts, totals, found)
        labels = ["baseline", *(name for name, _ in bars), "now"]
        parts["axes"].set_yticks(range(rows), labels)
    return behind.tell(figure, step=labels, change=[None, *(change for _, change in bars), None],
                       trust=[*totals, found.end])  # fmt: skip


def _place(parts: dict[str, Any], totals: list[float], found: Waterfall) -> None:
    """Put the ends, the path between the bars and the words where the totals lead."""
    rows, low, high = len(totals) + 1, min(totals), max(totals)
    wide = max(high - low, 0.02)
    left, right = low - 0.06 * wide, high + 0.42 * wide
    parts["axes"].set_xlim(left, right)
    step = next(s for s in (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5) if (right - left) / s <= 5 or s == 0.5)
    last = right - 0.05 * (right - left)  # a number at the very end would be cut
    ticks = [k * step for k in range(int(left / step), int(right / step) + 1) if left <= k * step <= last]
    parts["axes"].set_xticks(ticks, [f"{tick:.3f}" if step < 0.01 else f"{tick:.2f}" for tick in ticks])
    parts["first"].set_data([found.start], [0])
    parts["last"].set_data([found.end], [rows - 1])
    parts["path"].set_data(
        [total for total in totals for _ in (0, 1)], [y for at in range(len(totals)) for y in (at, at + 1)]
    )
    first, *between, last_word = parts["words"]
    for word, value in ((first, found.start), (last_word, found.end)):
        word.set_x(value + 0.06 * wide)
        word.set_text(f"{value:.3f}")
    for word, ends in zip(between, pairwise(totals), strict=True):
        word.set_x(max(ends) + 0.03 * wide)
