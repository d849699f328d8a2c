"""What ε costs: quality, the worst client's gap and the amount of noise, each against the ε that was spent."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from trustkit.findings import THRESHOLD
from trustkit.plot import behind, style

if TYPE_CHECKING:
    from trustkit.comparison.result import Band
    from trustkit.privacysweep import BudgetPoint

__all__ = ["privacy_utility"]

_OFF = 250.0
"""Where a run without noise stands on the axis."""

_LEFT = 0.06
_TICKS = (0.1, 1, 10, _OFF)
_LEAST, _MOST = 1e-2, 1e3
"""Ends of the axis of σ."""


def _draw(count: int, gaps: bool, wide: bool) -> Figure:
    width = 6.6 if wide else 3.5
    heights = (1.45, *((1.0,) if gaps else ()), 0.85)
    room = 0.2
    height = sum(heights) + room * (len(heights) - 1) + 0.36 + 0.5
    figure = style.blank(width, height)
    figure.set_layout_engine("none")
    rows: list[Any] = []
    top = height - 0.36
    for tall in heights:
        axes = figure.add_axes((0.68 / width, (top - tall) / height, (width - 0.82) / width, tall / height))
        top -= tall + room
        axes.patch.set_alpha(0)
        axes.grid(axis="y", color=style.GRID, linewidth=0.6)
        axes.set_axisbelow(True)
        axes.set_xscale("log")
        axes.set_xlim(_LEFT, 2 * _OFF)
        axes.set_xticks(_TICKS, [""] * len(_TICKS))
        axes.set_xticks([], minor=True)
        axes.axvline(_OFF / 2.5, color=style.GRID, linewidth=0.8, linestyle=":")
        rows.append(axes)
    rows[-1].set_xticks(_TICKS, ["0.1", "1", "10", "no noise"])
    rows[-1].set_xlabel("ε spent by all rounds together")
    series = [_series(axes) for axes in rows[:-1]]
    parts = {"rows": rows, "series": series, **_noise(rows[-1], count)}
    if gaps:
        rows[1].set_ylabel("worst gap ←")
        rows[1].axhline(THRESHOLD, color=style.INK, linewidth=1, linestyle=":")
    handles = [series[0][name] for name in ("front", "beaten", "current")]
    figure.legend(handles, ["on the front", "beaten", "now"], loc="upper center", ncols=3, frameon=False, fontsize=8,
                  handletextpad=0.2, columnspacing=1.2)  # fmt: skip
    style.keep(figure, (count, gaps, wide), **parts)
    return figure


def _series(axes: Any) -> dict[str, Any]:
    """The line of the means, the bands over the seeds, and the marks."""
    (line,) = axes.plot([], [], color=style.NOW, linewidth=1.2, alpha=0.7)
    bands = axes.vlines([], [], [], color=style.NOW, linewidth=4, alpha=0.28)
    (front,) = axes.plot([], [], linestyle="none", marker="o", markersize=6, color=style.NOW)
    (beaten,) = axes.plot([], [], linestyle="none", marker="o", markersize=6, color=style.NOW, markerfacecolor="none")
    (current,) = axes.plot([], [], linestyle="none", marker="D", markersize=10, color=style.WARN,
                           markerfacecolor="none", markeredgewidth=1.6, clip_on=False)  # fmt: skip
    return {"line": line, "bands": bands, "front": front, "beaten": beaten, "current": current}


def _noise(axes: Any, count: int) -> dict[str, Any]:
    """One bar of noise an ε, with its number on top."""
    stems = axes.vlines([1.0] * count, _LEAST, [_LEAST] * count, color=style.BASE, linewidth=9)
    words = [axes.text(1, _LEAST, "", fontsize=8, ha="center", va="bottom") for _ in range(count)]
    axes.set_yscale("log")
    axes.set_ylim(_LEAST, _MOST)
    axes.set_yticks([0.01, 1, 100], ["0.01", "1", "100"])
    axes.set_yticks([], minor=True)
    axes.set_ylabel("noise σ")
    return {"stems": stems, "words": words}


def _place(epsilon: float) -> float:
    return _OFF if math.isinf(epsilon) else min(max(epsilon, _LEFT * 1.1), _OFF / 3)


def privacy_utility(
    points: Sequence[BudgetPoint], current: BudgetPoint | None = None, wide: bool = True, figure: Figure | None = None
) -> Figure:
    """Draw what runs at several ε gave.

    Parameters
    ----------
    points : sequence of BudgetPoint
        By ascending ε; one without noise stands apart on the right.
    current : BudgetPoint, optional
        The run that is marked by a diamond.
    wide : bool
        Whether the picture is for a wide page, or for a phone.
    figure : Figure, optional
        The picture to redraw.

    Returns
    -------
    matplotlib.figure.Figure
        Accuracy from 0 to 1 or RMSE from 0, the worst client's demographic disparity with the line of 0.09 where the
        data name a protected attribute, and the noise multiplier σ. Bands reach from the smallest to the largest value
        over the seeds. Filled points are beaten by no other in both ε and quality.
    """
    from trustkit.privacysweep import on_budget_front

    gaps = any(point.gap is not None for point in points)
    shape = (len(points), gaps, wide)
    with style.looks():
        if figure is None or style.artists(figure, shape) is None:
            figure = _draw(*shape)
        parts = style.artists(figure, shape) or {}
        front = on_budget_front(points)
        marks = [None if current is None else (current.epsilon, each)
                 for each in ((None, None) if current is None else (current.quality, current.gap))]  # fmt: skip
        bands: list[list[Any]] = [[point.quality for point in points], [point.gap for point in points]]
        for series, values, mark in zip(parts["series"], bands, marks, strict=False):
            _show(series, points, values, front, mark)
        _scale(parts["rows"][0], points, bands[0])
        if gaps:
            known = [band.high for band in bands[1] if band is not None and math.isfinite(band.high)]
            parts["rows"][1].set_ylim(0, max(0.2, 1.15 * max(known, default=0.0)))
            parts["rows"][1].locator_params(axis="y", nbins=3)
        _bars(parts["stems"], parts["words"], points)
    return behind.tell(
        figure, epsilon_asked=[point.asked for point in points], epsilon=[point.epsilon for point in points],
        noise=[point.noise for point in points], seeds=[point.seeds for point in points], on_front=front,
        measure=[point.measure for point in points], **_columns("quality", bands[0]), **_columns("worst_gap", bands[1]),
    )  # fmt: skip


def _columns(name: str, bands: Sequence[Band | None]) -> dict[str, list[float | None]]:
    return {f"{name}_{part}": [None if band is None else getattr(band, part) for band in bands]
            for part in ("mean", "low", "high")}  # fmt: skip


def _show(series: dict[str, Any], points: Sequence[BudgetPoint], bands: Any, front: np.ndarray, mark: Any) -> None:
    x = np.array([_place(point.epsilon) for point in points])
    y = np.array([np.nan if band is None else band.mean for band in bands])
    noisy = x < _OFF
    series["line"].set_data(x[noisy], y[noisy])
    series["front"].set_data(x[front], y[front])
    series["beaten"].set_data(x[~front], y[~front])
    series["bands"].set_segments([np.array([[at, band.low], [at, band.high]]) for at, band in zip(x, bands, strict=True)
                                  if band is not None and math.isfinite(band.low)])  # fmt: skip
    known = mark is not None and mark[1] is not None
    series["current"].set_data([_place(mark[0])] if known else [], [mark[1].mean] if known else [])


def _scale(axes: Any, points: Sequence[BudgetPoint], bands: Any) -> None:
    measure = points[0].measure if points else "accuracy"
    known = [band.high for band in bands if math.isfinite(band.high)]
    axes.set_ylim(0, 1 if measure == "accuracy" else 1.15 * max(known, default=1.0) or 1.0)
    axes.locator_params(axis="y", nbins=4)
    axes.set_ylabel(f"{measure} {'→' if measure == 'accuracy' else '←'}")


def _bars(stems: Any, words: Sequence[Any], points: Sequence[BudgetPoint]) -> None:
    segments = []
    for word, point in zip(words, points, strict=True):
        at, noise = _place(point.epsilon), point.noise or 0.0
        top = min(max(noise, _LEAST), _MOST)
        segments.append(np.array([[at, _LEAST], [at, top]]))
        word.set_position((at, top * 1.2))
        word.set_text("none" if point.noise is None else f"{noise:.2g}")
    stems.set_segments(segments)
