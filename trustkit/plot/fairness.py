"""Fairness, client by client: demographic disparity as bars, the true-positive-rate gap as diamonds."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from trustkit.plot import behind, style

__all__ = ["client_fairness"]

MOST_SHOWN = 20
"""With more clients than this, only those with the largest disparity are drawn."""


_USUAL = 10
_WIDE = 42


def _draw(count: int, widest: int, lines: int) -> Figure:
    figure = style.blank(3.1, 2.75)
    axes = figure.add_subplot()
    axes.patch.set_alpha(0)
    y = np.arange(count)
    bars = axes.barh(y, np.full(count, 0.5), color=style.NOW, height=0.66, linewidth=0, alpha=0.85)
    hatches = axes.barh(
        y, np.zeros(count), facecolor="none", edgecolor="#ffffff", hatch="////", height=0.66, linewidth=0
    )
    (gaps,) = axes.plot(
        [],
        [],
        linestyle="none",
        marker="D",
        markersize=4.2,
        markerfacecolor="none",
        markeredgecolor=style.INK,
        clip_on=False,
    )
    spread = axes.hlines(y, 0, 0, color=style.BASE, linewidth=1)
    line = axes.axvline(0.09, color=style.INK, linewidth=1, linestyle=":")
    pooled = axes.axvline(0, color=style.BASE, linewidth=1.4, linestyle="--")
    missing = [axes.text(0, float(k), "n/a", va="center", fontsize=8, visible=False) for k in y]
    axes.set_xlim(0, 1)
    axes.set_ylim(count - 0.4, -1.1)
    axes.set_yticks(
        y, [f"{'client 100' if widest == _USUAL else 'n' * widest} †"] * count, fontsize=9 if count <= 12 else 7
    )
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("\n".join(["gap between groups"] * lines), loc="right")
    at_line = axes.text(0.09, -0.7, "", fontsize=8, va="center")
    at_pooled = axes.text(0, -0.7, "", fontsize=8, va="center")
    style.keep(
        figure,
        (count, widest, lines),
        axes=axes,
        bars=bars,
        hatches=hatches,
        gaps=gaps,
        spread=spread,
        line=line,
        pooled=pooled,
        missing=missing,
        at_line=at_line,
        at_pooled=at_pooled,
    )
    style.settle(figure)
    return figure


def client_fairness(
    disparity: np.ndarray,
    opportunity: np.ndarray,
    names: Sequence[str],
    *,
    interval: tuple[np.ndarray, np.ndarray] | None = None,
    small: np.ndarray | None = None,
    pooled: float | None = None,
    threshold: float = 0.09,
    label: str = "gap between groups",
    figure: Figure | None = None,
) -> Figure:
    """Draw each client's demographic disparity (bars) and equal-opportunity difference (diamonds), largest first.

    Parameters
    ----------
    disparity, opportunity : (K,) array
        In [0, 1]; NaN where a client's groups do not define them, shown as n/a.
    names : sequence of K str
        The clients.
    interval : pair of (K,) arrays, optional
        Lower and upper ends around the disparity.
    small : (K,) bool array, optional
        Clients with a small group; marked by †.
    pooled : float, optional
        The disparity over all clients' rows at once, a dashed line.
    threshold : float
        Above it a bar is hatched and changes colour.
    label : str
        Of the axis; a long one takes more lines.
    figure : Figure, optional
        The picture to redraw.

    Returns
    -------
    matplotlib.figure.Figure
        At most 20 bars: with more clients those with the largest disparity.
    """
    order = np.argsort(np.where(np.isfinite(disparity), -disparity, np.inf), kind="stable")[:MOST_SHOWN]
    marked = small if small is not None else np.zeros(len(disparity), bool)
    called = [style.short(names[k]) for k in order]
    label = textwrap.fill(label, _WIDE)
    shape = (len(order), max([_USUAL, *map(len, called)]), 1 + label.count("\n"))
    with style.looks():
        if figure is None or style.artists(figure, shape) is None:
            figure = _draw(*shape)
        parts = style.artists(figure, shape) or {}
        _move(parts, disparity[order], opportunity[order], threshold)
        low, high = interval if interval is not None else (disparity, disparity)
        parts["spread"].set_segments([[(low[k], i), (high[k], i)] for i, k in enumerate(order) if np.isfinite(low[k])])
        size = parts["axes"].get_yticklabels()[0].get_fontsize() if len(order) else 9
        parts["axes"].set_yticks(
            np.arange(len(order)),
            [f"{name}{' †' if marked[k] else ''}" for name, k in zip(called, order, strict=True)],
            fontsize=size,
        )
        overall = float("nan") if pooled is None else pooled
        known = bool(np.isfinite(overall))
        parts["pooled"].set_visible(known)
        parts["pooled"].set_xdata([overall if known else 0] * 2)
        below = known and overall < threshold
        end = known and overall > 0.65  # so near the end of the axis that its text has to stand on the left
        parts["at_pooled"].set_text(f" pooled {overall:.3f} " if known else "")
        parts["at_pooled"].set_x(overall if known else 0)
        parts["at_pooled"].set_horizontalalignment("right" if below or end else "left")
        parts["at_line"].set_horizontalalignment("left" if below or not known else "right")
        reach = [threshold * 1.6, 1.5 * overall if known else 0, *high[order], *opportunity[order]]
        parts["axes"].set_xlim(0, min(1.0, 1.08 * float(np.nanmax(reach))))
        parts["axes"].set_xlabel(label, loc="right")
    ends = interval or ([None] * len(disparity),) * 2
    return behind.tell(
        figure, client=[names[k] for k in order], disparity=disparity[order], low=[ends[0][k] for k in order],
        high=[ends[1][k] for k in order], opportunity=opportunity[order], small_group=marked[order],
        over=disparity[order] > threshold, threshold=threshold, pooled=pooled,
    )  # fmt: skip


def _move(parts: dict[str, Any], disparity: np.ndarray, opportunity: np.ndarray, threshold: float) -> None:
    for k, value in enumerate(disparity):
        over, known = value > threshold, bool(np.isfinite(value))
        parts["bars"][k].set_width(value if known else 0)
        parts["bars"][k].set_color(style.WARN if over else style.NOW)
        parts["hatches"][k].set_width(value if over else 0)
        parts["missing"][k].set_visible(not known)
    shown = np.flatnonzero(np.isfinite(opportunity))
    parts["gaps"].set_data(opportunity[shown], shown)
    parts["line"].set_xdata([threshold, threshold])
    parts["at_line"].set_x(threshold)
    parts["at_line"].set_text(f" {threshold:g} ")
