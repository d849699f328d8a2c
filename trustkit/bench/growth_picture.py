"""Curves of cost, logarithmic on both sides: processor seconds and memory, a row of panels an axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from trustkit.bench.growth import Growth
from trustkit.bench.growth_curves import AXES, CURVES, Curve
from trustkit.bench.growth_point import Point

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_growth"]

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#000000")
_MARKERS = ("o", "s", "^", "D", "v", "x")
_LEAST = 1_000_000
"""Bytes below which memory is not drawn: a process's own pages are as many."""


def draw_growth(found: Growth) -> Figure:
    """Draw all curves.

    Parameters
    ----------
    found : Growth
        What was measured.

    Returns
    -------
    matplotlib.figure.Figure
        A row an axis: processor seconds left, memory right, and the names beside them. The grey line has exponent 1.
    """
    from trustkit.plot import style

    with style.looks():
        figure = style.blank(9.6, 2.7 * len(AXES))
        panels = figure.subplots(len(AXES), 2)
        for row, axis in zip(panels, AXES, strict=True):
            own = [curve for curve in CURVES.values() if curve.axis == axis]
            _panel(row[0], found, own, lambda point: point.cpu or None)
            _panel(row[1], found, own, lambda point: _memory(point))
            row[0].set_ylabel("processor seconds")
            row[1].set_ylabel("memory, MB")
            for axes in row:
                axes.set_xlabel(axis)
            row[1].legend(*row[0].get_legend_handles_labels(), loc="center left", bbox_to_anchor=(1.02, 0.5),
                          frameon=False, fontsize=8)  # fmt: skip
    return figure


def _memory(point: Point) -> float | None:
    return None if point.memory is None or point.memory < _LEAST else point.memory / 1e6


def _panel(axes: Any, found: Growth, curves: list[Curve], cost: Callable[[Point], float | None]) -> None:
    from matplotlib.ticker import NullFormatter

    from trustkit.plot import style

    drawn: list[tuple[int, float]] = []
    for curve, colour, marker in zip(curves, _COLOURS, _MARKERS, strict=False):
        seen = [(point.size, value) for point in found.on((curve.axis, curve.name))
                if (value := cost(point)) is not None]  # fmt: skip
        drawn += seen
        axes.plot([size for size, _ in seen], [value for _, value in seen], color=colour, marker=marker, markersize=4,
                  linewidth=1.2, label=curve.title)  # fmt: skip
    if not drawn:
        axes.text(0.5, 0.5, "nothing was measured", ha="center", transform=axes.transAxes)
        axes.set_xticks([])
        axes.set_yticks([])
        return
    axes.set_xscale("log")
    axes.set_yscale("log")
    for side in (axes.xaxis, axes.yaxis):
        side.set_major_formatter(lambda value, _: f"{value:,.0f}" if value >= 1000 else f"{value:g}")
        side.set_minor_formatter(NullFormatter())
    axes.grid(color=style.GRID, linewidth=0.5)
    axes.set_axisbelow(True)
    sizes, ends = curves[0].sizes, axes.get_ylim()
    axes.set_xlim(0.8 * sizes[0], 1.25 * sizes[-1])
    axes.set_xticks(sizes[::2], [f"{size:,}" for size in sizes[::2]])
    values = [value for _, value in drawn]
    start = (max(values) * min(values) * sizes[0] / sizes[-1]) ** 0.5
    axes.plot([sizes[0], sizes[-1]], [start, start * sizes[-1] / sizes[0]], color=style.GRID, linewidth=1,
              linestyle="--", zorder=0)  # fmt: skip
    axes.set_ylim(ends)
