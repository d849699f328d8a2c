"""What the measures of correlation say while two parties exchange their columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from trustkit.plot import behind, style

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["exchange_trend"]

_PAIRS = {"11": (style.NOW, "o"), "12": (style.WARN, "s"), "22": (style.BASE, "^")}
_LINES = [(f"{measure}_{pair}", measure, pair) for pair in _PAIRS for measure in ("pcor", "mcor")]
_ENDS = (0.1, 0.2, 0.5, 1.0)


def _draw() -> Figure:
    figure = style.blank(3.3, 2.6)
    axes = figure.add_subplot()
    axes.patch.set_alpha(0)
    lines = {}
    for column, measure, pair in _LINES:
        colour, marker = _PAIRS[pair]
        solid = measure == "pcor"
        (lines[column],) = axes.plot(
            [], [], color=colour, marker=marker, markersize=4 if solid else 3, linestyle="-" if solid else ":",
            markerfacecolor=colour if solid else "none", linewidth=1.8 if solid else 1.1, clip_on=False,
            label=f"{'Pcor' if solid else 'mcor'}({pair[0]})-({pair[1]})",
        )  # fmt: skip
    axes.set_ylim(0, 1)
    axes.set_yticks([0, 0.5, 1], ["0", "0.25", "0.5"])
    axes.set_xticks([0, 1000])
    axes.grid(axis="y", color=style.GRID, linewidth=0.6)
    axes.set_xlabel("columns exchanged")
    axes.set_ylabel("correlation")
    figure.legend(loc="outside upper center", ncols=3, frameon=False, fontsize=7.5, handlelength=2, columnspacing=1)
    style.keep(figure, (), axes=axes, lines=lines)
    style.settle(figure)
    return figure


def exchange_trend(frame: pd.DataFrame, figure: Figure | None = None) -> Figure:
    """Draw Pcor and mcor inside two parties and between them against the number of exchanged columns.

    Parameters
    ----------
    frame : pandas.DataFrame
        What `trustkit.split.exchange` returns, at least one line.
    figure : Figure, optional
        The picture to redraw.

    Returns
    -------
    matplotlib.figure.Figure
        Pcor solid, mcor dotted; what is not defined is left out. The axis ends at 0.1, 0.2, 0.5 or 1, the first that is
        enough, or at the largest value.

    Raises
    ------
    ValueError
        If a column is missing.
    """
    missing = [column for column in ("moved", *(line[0] for line in _LINES)) if column not in frame]
    if missing:
        raise ValueError(f"frame must be what trustkit.split.exchange returns, got one without {', '.join(missing)}")
    moved = frame["moved"].to_numpy()
    with style.looks():
        if figure is None or style.artists(figure, ()) is None:
            figure = _draw()
        parts = style.artists(figure, ()) or {}
        most = 0.0
        for column, line in parts["lines"].items():
            values = frame[column].to_numpy(float)
            known = np.isfinite(values)
            line.set_data(moved[known], values[known])
            line.set_markevery(max(1, known.sum() // 12))
            most = max(most, float(values[known].max(initial=0)))
        end = next((end for end in _ENDS if most <= end), most)
        axes, last = parts["axes"], int(moved.max())
        axes.set_ylim(0, end)
        axes.set_yticks([0, end / 2, end], [f"{tick:.3g}" for tick in (0, end / 2, end)])
        axes.set_xlim(0, last)
        step = next(s for s in (1, 2, 5, 10, 20, 50, 100, 200, 500, 10**9) if last / s <= 6)
        axes.set_xticks(np.arange(0, last + 1, step))
    return behind.tell(figure, moved=moved, **{column: frame[column].to_numpy(float) for column in parts["lines"]})
