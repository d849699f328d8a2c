"""Gaps of the labels client by client, before and after rows were dropped on purpose, and what was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from trustkit.plot import behind, style

if TYPE_CHECKING:
    from trustkit.injected import Injected

__all__ = ["label_gaps"]

MOST_SHOWN = 30
"""With more clients than this, only the first are drawn."""

_TABLE = {"before": "before", "now": "achieved", "low": "low", "high": "high", "asked": "asked", "at_most": "at_most",
          "rows": "rows", "dropped": "dropped"}  # fmt: skip
_WIDTH, _LEFT, _RIGHT, _TOP, _BOTTOM = 3.9, 0.95, 0.75, 0.3, 0.48


def _draw(count: int) -> Figure:
    row, font = (0.215, 8.5) if count <= 12 else (0.165, 7)
    height = _TOP + _BOTTOM + row * count
    figure = style.blank(_WIDTH, height)
    figure.set_layout_engine("none")
    axes = figure.add_axes((_LEFT / _WIDTH, _BOTTOM / height, (_WIDTH - _LEFT - _RIGHT) / _WIDTH, row * count / height))
    axes.patch.set_alpha(0)
    y, sides = np.arange(count), axes.get_yaxis_transform()
    spread = axes.hlines(y, 0, 0, color=style.NOW, linewidth=1.2)
    way = axes.hlines(y, 0, 0, color=style.BASE, linewidth=0.9, linestyle=":")
    asked = axes.vlines(y * 0.0, y - 0.42, y + 0.42, color=style.WARN, linewidth=2)
    dot: Any = {"linestyle": "none", "clip_on": False, "zorder": 4}
    (before,) = axes.plot([], [], marker="o", markersize=5, markerfacecolor="none", markeredgecolor=style.BASE, **dot)
    (after,) = axes.plot([], [], marker="o", markersize=4.5, color=style.NOW, **dot)
    names = [axes.text(-0.03, float(k), "", va="center", ha="right", fontsize=font, transform=sides) for k in y]
    dropped = [axes.text(1.03, float(k), "", va="center", fontsize=font - 1.5, transform=sides) for k in y]
    axes.text(1.03, -1.0, "rows dropped", va="center", fontsize=7, transform=sides)
    missing = [axes.text(0, float(k), "n/a", va="center", fontsize=font - 1, visible=False) for k in y]
    axes.set_ylim(count - 0.4, -0.6)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x", color=style.GRID, linewidth=0.5)
    axes.set_axisbelow(True)
    axes.locator_params(axis="x", nbins=5)
    axes.text(1, -0.28 / (row * count), "gap of the labels, training rows", va="top", ha="right", fontsize=9,
              transform=axes.transAxes)  # fmt: skip
    style.keep(figure, count, axes=axes, spread=spread, way=way, asked=asked, before=before, after=after,
               names=names, dropped=dropped, missing=missing)  # fmt: skip
    return figure


def label_gaps(found: Injected, figure: Figure | None = None) -> Figure:
    """Draw each client's gap of the labels as the rows came, as it is now, and as it was asked for.

    Parameters
    ----------
    found : Injected
        What a split did.
    figure : Figure, optional
        The picture to redraw.

    Returns
    -------
    matplotlib.figure.Figure
        The first 30 clients at most. Hollow dots: as the rows came. Solid dots with 95 % intervals: now. Upright
        strokes: asked for, shorter where a smaller gap would do. On the right the rows that were dropped.
    """
    count = min(len(found.names), MOST_SHOWN)
    with style.looks():
        if figure is None or style.artists(figure, count) is None:
            figure = _draw(count)
        parts = style.artists(figure, count) or {}
        y, now, known = np.arange(count), found.achieved[:count], np.isfinite(found.achieved[:count])
        parts["before"].set_data(found.before[:count], y)
        parts["after"].set_data(now, y)
        shown = np.flatnonzero(known)
        parts["spread"].set_segments([[(found.low[k], k), (found.high[k], k)] for k in shown])
        parts["way"].set_segments([[(found.before[k], k), (now[k], k)] for k in shown])
        tall = np.where(found.at_most[:count], 0.2, 0.42)
        parts["asked"].set_segments([[(found.asked[k], k - tall[k]), (found.asked[k], k + tall[k])]
                                     for k in np.flatnonzero(np.isfinite(found.asked[:count]))])  # fmt: skip
        for k in y:
            parts["names"][k].set_text(style.short(found.names[k], 15))
            parts["missing"][k].set_visible(not known[k])
            parts["dropped"][k].set_text(f"{found.dropped[k]:,} of {found.rows[k]:,}")
        ends = np.concatenate([found.high, found.asked, found.before])
        parts["axes"].set_xlim(0, min(1.0, max(0.1, 1.06 * float(np.nanmax(ends, initial=0.1)))))
    table = {name: getattr(found, part)[:count] for name, part in _TABLE.items()}
    return behind.tell(figure, client=list(found.names[:count]), **table)
