"""Strategies side by side: a dot for the mean over seeds and a band from the smallest to the largest value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from trustkit.plot import behind, style

if TYPE_CHECKING:
    from trustkit.comparison import Comparison

__all__ = ["strategy_dots"]

_MEASURES = ("accuracy", "pooled_dd", "worst_dd", "worst_eod")
_PANEL = 1.75  # inches
_MORE = {"accuracy", "worst_accuracy"}


def _draw(count: int, widest: int, titles: Sequence[str], stacked: bool) -> Figure:
    room, tall = 0.2 + 0.085 * widest, 0.7 + 0.24 * count
    across, down = (1, len(titles)) if stacked else (len(titles), 1)
    width, height = room + _PANEL * across, tall * down
    figure = style.blank(width, height)
    figure.set_layout_engine("none")
    panels: list[dict[str, Any]] = []
    for k, title in enumerate(titles):
        left, below = room + _PANEL * (k % across), 0.35 + tall * (down - 1 - k // across)
        axes = figure.add_axes((left / width, below / height, (_PANEL - 0.2) / width, (tall - 0.7) / height))
        panels.append(_panel(axes, count, title))
    style.keep(figure, (count, widest, tuple(titles), stacked), panels=panels)
    return figure


def _panel(axes: Any, count: int, title: str) -> dict[str, Any]:
    axes.patch.set_alpha(0)
    axes.grid(axis="x", color=style.GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    y = np.arange(count)
    bands = axes.hlines(y, 0, 0, color=style.NOW, linewidth=2.2, alpha=0.45)
    (dots,) = axes.plot([], [], linestyle="none", marker="o", markersize=5, color=style.NOW, clip_on=False)
    before = axes.axvline(0, color=style.BASE, linewidth=1.2, linestyle="--", zorder=1)
    missing = [axes.text(0.5, float(k), "n/a", va="center", ha="center", fontsize=8, visible=False,
                         transform=axes.get_yaxis_transform()) for k in y]  # fmt: skip
    axes.set_ylim(count - 0.5, -0.5)
    axes.set_yticks(y, [""] * count)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_title(title, fontsize=9)
    axes.locator_params(axis="x", nbins=3)
    return {"axes": axes, "bands": bands, "dots": dots, "before": before, "missing": missing}


def strategy_dots(
    comparison: Comparison, measures: Sequence[str] = _MEASURES, figure: Figure | None = None, stacked: bool = False
) -> Figure:  # fmt: skip
    """Draw what strategies gave: one panel a measure, one line a strategy.

    Parameters
    ----------
    comparison : Comparison
        What was played.
    measures : sequence of str
        Names of `trustkit.comparison.MEASURES`, at least one.
    figure : Figure, optional
        The picture to redraw.
    stacked : bool
        Whether the panels stand one above the other, as on a phone, or side by side.

    Returns
    -------
    matplotlib.figure.Figure
        Dots are means over seeds, bands reach from the smallest to the largest value, a dashed line stands at the first
        strategy. A strategy that was refused, or has no value, is n/a.

    Raises
    ------
    ValueError
        If a measure is unknown, or there is none.
    """
    from trustkit.comparison import MEASURES

    for name in measures:
        if name not in MEASURES:
            raise ValueError(f"measures must be of {', '.join(MEASURES)}; got {name!r}")
    if not measures:
        raise ValueError("measures must be at least one, got none")
    labels = [style.short(name) for name in comparison.outcomes]
    titles = tuple(f"{MEASURES[name]} {'→' if name in _MORE else '←'}" for name in measures)
    shape = (len(labels), max(map(len, labels)), titles, stacked)
    bands = [comparison.bands(name) for name in comparison.outcomes]
    with style.looks():
        if figure is None or style.artists(figure, shape) is None:
            figure = _draw(*shape)
        parts = style.artists(figure, shape) or {}
        for panel, name in zip(parts["panels"], measures, strict=True):
            _move(panel, np.array([each[name] for each in bands]))
        for panel in parts["panels"] if stacked else parts["panels"][:1]:
            panel["axes"].set_yticks(np.arange(len(labels)), labels)
    rows = [(name, measure, *each[measure]) for name, each in zip(comparison.outcomes, bands, strict=True)
            for measure in measures]  # fmt: skip
    return behind.tell_rows(figure, ("strategy", "measure", "mean", "lowest", "highest"), rows)


def _move(panel: dict[str, Any], values: np.ndarray) -> None:
    """Move one panel's artists to means, lower and upper ends (n, 3)."""
    known = np.isfinite(values[:, 0])
    shown = np.flatnonzero(known)
    panel["dots"].set_data(values[shown, 0], shown)
    panel["bands"].set_segments([[(values[k, 1], k), (values[k, 2], k)] for k in shown])
    for k, text in enumerate(panel["missing"]):
        text.set_visible(not known[k])
    panel["before"].set_visible(bool(known[0]))
    panel["before"].set_xdata([values[0, 0] if known[0] else 0] * 2)
    low, high = (values[shown].min(), values[shown].max()) if shown.size else (0.0, 1.0)
    air = 0.1 * (high - low) or 0.05 * abs(high) or 0.05
    panel["axes"].set_xlim(low - air, high + air)
