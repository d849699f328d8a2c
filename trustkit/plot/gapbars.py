"""Gaps client by client, from the worst on, under that of all rows together: what a server sees, what clients see."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from matplotlib.figure import Figure

from trustkit.plot import behind, style

if TYPE_CHECKING:
    from trustkit.disparities import Disparities

__all__ = ["MOST_SHOWN", "client_gaps"]

MOST_SHOWN = 20
"""With more clients than this, only the worst are drawn."""

_TOGETHER = "all together"
_WIDTH, _LEFT, _RIGHT, _TOP, _BOTTOM = 3.3, 0.94, 0.72, 0.3, 0.45
_FEW = 12


def _draw(count: int, lines: int) -> Figure:
    row, font = (0.205, 8.5) if count <= _FEW else (0.165, 7)
    below = _BOTTOM + 0.14 * (lines - 1)
    height = _TOP + below + row * (count + 1.3)
    figure = style.blank(_WIDTH, height)
    figure.set_layout_engine("none")
    axes = figure.add_axes((_LEFT / _WIDTH, below / height, (_WIDTH - _LEFT - _RIGHT) / _WIDTH,
                            (height - _TOP - below) / height))  # fmt: skip
    axes.patch.set_alpha(0)
    y = np.array([0.0, *(np.arange(count) + 1.3)])
    bars = axes.barh(y, 0.5, color=style.NOW, height=0.66, linewidth=0, alpha=0.85)
    hatches = axes.barh(y, 0, facecolor="none", edgecolor="#ffffff", hatch="////", height=0.66, linewidth=0)
    spread = axes.hlines(y, 0, 0, color=style.INK, linewidth=0.9)
    said = [axes.text(0, at, "", va="center", fontsize=font - 1) for at in y]
    sides = axes.get_yaxis_transform()
    sizes = [axes.text(1.03, at, "", va="center", fontsize=font - 1.5, transform=sides) for at in y]
    names = [axes.text(-0.03, at, "", va="center", ha="right", fontsize=font, transform=sides) for at in y]
    axes.text(1.03, -0.95, "group sizes", va="center", fontsize=7, transform=sides)
    line = axes.axvline(0.09, color=style.INK, linewidth=1, linestyle=":")
    at_line = axes.text(0.09, -0.95, "", fontsize=8, va="center", ha="center")
    pooled = axes.axvline(0, color=style.BASE, linewidth=1.4, linestyle="--")
    axes.set_ylim(count + 0.9, -0.6)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    under = -0.28 / (height - _TOP - below)
    about = axes.text(1, under, "", va="top", ha="right", fontsize=9, transform=axes.transAxes)
    axes.locator_params(axis="x", nbins=5)
    style.keep(figure, (count, lines), axes=axes, bars=bars, hatches=hatches, spread=spread, said=said, sizes=sizes,
               names=names,
               line=line, at_line=at_line, pooled=pooled, about=about, y=y)  # fmt: skip
    return figure


def client_gaps(
    found: Disparities, view: Literal["server", "clients"] = "clients", figure: Figure | None = None
) -> Figure:
    """Draw the gap of all rows together and, unless only the server looks, each client's, from the worst on.

    Parameters
    ----------
    found : Disparities
        What was measured.
    view : {"server", "clients"}
        The server sees the first bar; the places of the clients' stay empty, on the same scale.
    figure : Figure, optional
        The picture to redraw.

    Returns
    -------
    matplotlib.figure.Figure
        At most 20 clients. Gaps over the line are hatched and change colour; † has a group under 30 rows; thin lines
        are 95 % intervals; the rows of the smallest and the largest group stand on the right; n/a where undefined.
    """
    shown = found.order[:MOST_SHOWN]
    label = textwrap.fill(f"{found.compared.title} by {style.short(found.attribute, 30)}", 38)
    shape = (len(shown), 1 + label.count("\n"))
    with style.looks():
        if figure is None or style.artists(figure, shape) is None:
            figure = _draw(*shape)
        parts = style.artists(figure, shape) or {}
        values = np.array([found.pooled, *found.gap[shown]])
        low, high = (np.array([end[-1], *end[shown]]) for end in found.interval)
        hidden = np.zeros(values.size, bool)
        hidden[1:] = view == "server"
        _bars(parts, found, values, hidden)
        parts["spread"].set_segments([[(low[i], at), (high[i], at)] for i, at in enumerate(parts["y"])
                                      if np.isfinite(low[i]) and not hidden[i]])  # fmt: skip
        _words(parts, found, shown, hidden)
        parts["line"].set_xdata([found.line] * 2)
        parts["at_line"].set_text(f"{found.line:g}")
        parts["at_line"].set_x(found.line)
        known = bool(np.isfinite(found.pooled))
        parts["pooled"].set_visible(known)
        parts["pooled"].set_xdata([found.pooled if known else 0] * 2)
        reach = [found.line * 1.6, *values[np.isfinite(values)], *high[np.isfinite(high)]]
        parts["axes"].set_xlim(0, 1.0 if found.compared.ratio else min(1.0, 1.06 * max(reach)))
        parts["about"].set_text(label)
    seen = 1 if view == "server" else values.size
    sizes = [_ends(each, found.min_group) for each in (found.sizes.sum(axis=0), *found.sizes[shown])][:seen]
    return behind.tell(
        figure, client=[_TOGETHER, *(found.names[k] for k in shown)][:seen], gap=values[:seen], low=low[:seen],
        high=high[:seen], smallest_group=[each[0] for each in sizes], largest_group=[each[1] for each in sizes],
        line=found.line, measure=found.compared.title, attribute=found.attribute,
    )  # fmt: skip


def _ends(sizes: np.ndarray, least: int) -> tuple[int | None, int | None]:
    """Rows of the smallest and of the largest group that counts."""
    there = sizes[sizes >= max(1, least)]
    return (int(there.min()), int(there.max())) if there.size else (None, None)


def _bars(parts: dict[str, Any], found: Disparities, values: np.ndarray, hidden: np.ndarray) -> None:
    for i, value in enumerate(values):
        over = bool(value < found.line if found.compared.ratio else value > found.line) and not hidden[i]
        width = 0.0 if hidden[i] or not np.isfinite(value) else float(value)
        parts["bars"][i].set_width(width)
        parts["bars"][i].set_color(style.WARN if over else style.NOW)
        parts["hatches"][i].set_width(width if over else 0)


def _words(parts: dict[str, Any], found: Disparities, shown: np.ndarray, hidden: np.ndarray) -> None:
    names = [_TOGETHER, *(f"{style.short(found.names[k], 14)}{' †' if found.small[k] else ''}" for k in shown)]
    sizes = np.concatenate([found.sizes.sum(axis=0)[None], found.sizes[shown]])
    values, reasons = [found.pooled, *found.gap[shown]], ["", *(found.reasons[k] for k in shown)]
    for i, each in enumerate(sizes):
        parts["names"][i].set_text(names[i])
        why = f"n/a: {reasons[i]}" if reasons[i] else "n/a"
        parts["said"][i].set_text("" if hidden[i] or np.isfinite(values[i]) else style.short(why, 34))
        smallest, largest = _ends(each, found.min_group)
        span = "–" if smallest is None else f"{smallest:,}–{largest:,}"
        parts["sizes"][i].set_text("" if hidden[i] else span)
