"""Rates of every group at every client as a map, with a mark at the group that is worst off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from trustkit.plot import behind, style

if TYPE_CHECKING:
    from trustkit.disparities import Disparities

__all__ = ["group_rates"]

MOST_SHOWN = 20
"""With more clients than this, only the worst are drawn."""

_MOST_NUMBERS = 66
"""With more cells than this only the worst off are written: a page has no time for so many words."""

_DARK, _LIGHT = "#04070a", "#ffffff"  # on a cell, whose colours are those of both themes
_BRIGHT = 0.67
"""Up to this rate dark text has the better contrast."""

_LEFT, _CELL, _ROW, _BELOW = 0.95, 0.62, 0.215, 0.12


def _draw(count: int, values: tuple[str, ...]) -> Figure:
    """Make the picture for so many clients, and all rows together above them."""
    widest, rows = max(map(len, values)), count + 1
    slanted = widest > 8
    above = 0.25 + (0.045 * widest if slanted else 0)
    width, height = _LEFT + _CELL * len(values) + (0.45 if slanted else 0.1), above + _ROW * rows + _BELOW
    figure = style.blank(max(width, 3.0), height)
    figure.set_layout_engine("none")
    total = max(width, 3.0)
    axes = figure.add_axes((_LEFT / total, _BELOW / height, _CELL * len(values) / total, _ROW * rows / height))
    axes.patch.set_alpha(0)
    mesh = axes.pcolormesh(np.zeros((rows, len(values))), vmin=0, vmax=1, cmap=_colours(), edgecolors="none")
    axes.set_ylim(rows, 0)
    axes.axhline(1, color=style.INK, linewidth=1.2)
    axes.spines[:].set_visible(False)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    turn: Any = {"rotation": 40, "ha": "left", "rotation_mode": "anchor"} if slanted else {}
    axes.set_xticks(np.arange(len(values)) + 0.5, values, fontsize=8, **turn)
    axes.set_yticks([])
    names = [axes.text(-0.03, k + 0.5, "", ha="right", va="center", fontsize=8 if rows <= 14 else 7,
                       transform=axes.get_yaxis_transform()) for k in range(rows)]  # fmt: skip
    places = range(len(values) if rows * len(values) <= _MOST_NUMBERS else 1)
    words = [[axes.text(g + 0.5, k + 0.5, "", ha="center", va="center", fontsize=7.5) for g in places]
             for k in range(rows)]  # fmt: skip
    boxes = [axes.add_patch(_box(k)) for k in range(rows)]
    style.keep(figure, (count, values), axes=axes, mesh=mesh, names=names, words=words, boxes=boxes)
    return figure


def _colours() -> Any:
    """Blues that begin with a tint, so that a rate of 0 differs from no rate."""
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    return ListedColormap(colormaps["Blues"](np.linspace(0.12, 1, 128)))


def _box(k: int) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((0.03, k + 0.06), 0.94, 0.88, fill=False, edgecolor=style.WARN, linewidth=1.6, visible=False)


def group_rates(found: Disparities, figure: Figure | None = None) -> Figure:
    """Draw the rate of every group at every client, from the worst client on, under the rates of all rows together.

    Parameters
    ----------
    found : Disparities
        What was measured.
    figure : Figure, optional
        The picture to redraw.

    Returns
    -------
    matplotlib.figure.Figure
        At most 20 clients. A frame and ▼ mark the group that is worst off; † a group under 30 rows; a cell without
        colour has no rows that the rate could be taken over. With more than 66 cells only the worst off have numbers.
    """
    from trustkit.findings import SMALL

    shown = found.order[:MOST_SHOWN]
    rows = [len(found.names), *shown]
    values = tuple(style.short(each, 18) for each in found.values)
    shape = (len(shown), values)
    with style.looks():
        if figure is None or style.artists(figure, shape) is None:
            figure = _draw(*shape)
        parts = style.artists(figure, shape) or {}
        rates, sizes = found.rates[rows], np.concatenate([found.sizes.sum(axis=0)[None], found.sizes[shown]])
        worse = [found.pooled_worse, *found.worse[shown]]
        parts["mesh"].set_array(np.ma.masked_invalid(rates))
        for k, line in enumerate(parts["words"]):
            parts["names"][k].set_text(style.short(found.names[shown[k - 1]], 14) if k else "all together")
            written = range(len(values)) if len(line) > 1 else [max(worse[k], 0)]
            for g, word in zip(written, line, strict=True):
                rate, mark = rates[k, g], " ▼" if worse[k] == g else ""
                text = f"{rate:.2f}{mark}{' †' if 0 < sizes[k, g] < SMALL else ''}"
                word.set_text(text if np.isfinite(rate) and (mark or len(line) > 1) else "")
                word.set_x(g + 0.5)
                word.set_color(_LIGHT if rate > _BRIGHT else _DARK)
            parts["boxes"][k].set_visible(worse[k] >= 0)
            parts["boxes"][k].set_x(max(worse[k], 0) + 0.03)
    called = ["all together", *(found.names[k] for k in shown)]
    return behind.tell(
        figure, client=np.repeat(called, len(values)), group=[*found.values] * len(rows), rate=np.ravel(rates),
        rows=np.ravel(sizes), worst_off=[worse[k] == g for k in range(len(rows)) for g in range(len(values))],
    )  # fmt: skip
