"""Where a column split stands: Icor between its bounds, and the plane of α̂ (importance) and β̂ (correlation)."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from trustkit.plot import behind, style

__all__ = ["PlanePoint", "icor_gauge", "split_plane"]


@dataclass(frozen=True)
class PlanePoint:
    """A column split on the plane.

    Parameters
    ----------
    name : str
        What it is called.
    kind : {"current", "random", "natural"}
        The split in hand, a random one, or parties that come with the data.
    alpha : float
        α̂, above 0; infinite where all parties are equally important; NaN where it is not defined.
    beta : float
        β̂ in [0, 1]; NaN where it is not defined.
    synthetic : bool
        Whether the data are.
    """

    name: str
    kind: str
    alpha: float
    beta: float
    synthetic: bool = False

    def __post_init__(self) -> None:
        if self.kind not in _MARKS:
            raise ValueError(f"kind must be 'current', 'random' or 'natural', got {self.kind!r}")


# kind: marker, size, colour, filled, words in the legend
_MARKS = {
    "random": ("x", 5.0, style.BASE, True, "random split"),
    "natural": ("s", 5.5, style.WARN, False, "natural parties"),
    "current": ("o", 8.0, style.NOW, True, "this split"),
}
_LOW, _HIGH, _EQUAL = -2.0, 2.0, 2.55  # of log₁₀ α; where ∞ stands
_ACROSS = "α̂: importance, unequal to equal"
_STEPS = ((7, 0, "left"), (-7, 0, "right"), (0, 10, "center"), (0, -10, "center"), (7, 10, "left"), (7, -10, "left"),
          (-7, 10, "right"), (-7, -10, "right"), (0, 19, "center"), (0, -19, "center"))  # fmt: skip
"""Where a name may stand about its point, in points, and how it is aligned; the first place that is free is taken."""


def _draw_gauge() -> Figure:
    figure = style.blank(3.1, 1.15)
    figure.set_layout_engine("none")
    axes = figure.add_axes((0.06, 0.05, 0.88, 0.9))
    axes.patch.set_alpha(0)
    axes.set_axis_off()
    axes.set_xlim(-0.06, 1.06)
    axes.set_ylim(-1, 1)
    axes.plot([0, 1], [0, 0], color=style.GRID, linewidth=3, solid_capstyle="butt", zorder=1)
    axes.plot([0, 0, 1, 1], [-0.16, 0.16, -0.16, 0.16], linestyle="none", marker="|", markersize=9, color=style.INK)
    (aim,) = axes.plot([], [], linestyle="none", marker="D", markersize=8, markerfacecolor="none",
                       markeredgecolor=style.INK, markeredgewidth=1.1, clip_on=False, zorder=3)  # fmt: skip
    (now,) = axes.plot([], [], linestyle="none", marker="o", markersize=6, color=style.NOW, clip_on=False, zorder=2)
    said = {"now_word": axes.text(0, 0.42, "", fontsize=8.5, va="bottom", color=style.NOW),
            "aim_word": axes.text(0, -0.4, "", fontsize=8, va="top"),
            "low": axes.text(0, -0.98, "", fontsize=8, va="bottom", ha="left"),
            "high": axes.text(1, -0.98, "", fontsize=8, va="bottom", ha="right"),
            "how": axes.text(0.5, -0.98, "", fontsize=7, va="bottom", ha="center")}  # fmt: skip
    style.keep(figure, (), axes=axes, aim=aim, now=now, **said)
    return figure


def icor_gauge(
    icor: float | None,
    bounds: Sequence[float] | None,
    target: float | None = None,
    exact: bool = False,
    figure: Figure | None = None,
) -> Figure:
    """Draw Icor between the least and the greatest that any division of the columns has.

    Parameters
    ----------
    icor : float or None
        The value achieved, drawn as a disc; ``None`` or NaN is shown as n/a.
    bounds : sequence of two float, or None
        The least and the greatest Icor; ``None`` where they are not known.
    target : float, optional
        The Icor asked for, drawn as a diamond.
    exact : bool
        Whether the bounds are those of all divisions; otherwise they are the best that were found.
    figure : Figure, optional
        The picture to redraw.

    Returns
    -------
    matplotlib.figure.Figure
        The line runs from bound to bound. A value outside is drawn at the end, and says so.
    """
    low, high = (math.nan, math.nan) if bounds is None else (float(bounds[0]), float(bounds[1]))
    with style.looks():
        if figure is None or style.artists(figure, ()) is None:
            figure = _draw_gauge()
        parts = style.artists(figure, ()) or {}
        known = math.isfinite(low) and math.isfinite(high)
        parts["low"].set_text(f"min {_said(low)}" if known else "bounds n/a")
        parts["high"].set_text(f"max {_said(high)}" if known else "")
        parts["how"].set_text(("all divisions" if exact else "best found") if known else "")
        _mark(parts["now"], parts["now_word"], "Icor", icor, low, high)
        _mark(parts["aim"], parts["aim_word"], "target", target, low, high)
        if target is None:
            parts["aim_word"].set_text("")
    return behind.tell(figure, icor=icor, target=target, low=low if known else None, high=high if known else None,
                       all_divisions=exact if known else None)  # fmt: skip


def _said(value: float) -> str:
    return f"{value:.3f}".replace("-", "−")


def _mark(mark: Any, word: Any, name: str, value: float | None, low: float, high: float) -> None:
    """Move a marker and its words; without bounds there are only the words, in the middle."""
    number = math.nan if value is None else float(value)
    place = (number - low) / (high - low) if high > low else 0.5 if number == low == high else math.nan
    held = min(max(place, 0.0), 1.0)
    mark.set_data(*([[held], [0]] if math.isfinite(place) else [[], []]))
    outside = " (outside)" if math.isfinite(place) and abs(place - held) > 1e-9 else ""
    word.set_text(f"{name} {_said(number)}{outside}" if math.isfinite(number) else f"{name} n/a")
    word.set_x(held if math.isfinite(place) else 0.5)
    word.set_horizontalalignment("center" if not math.isfinite(place) or 0.2 < held < 0.8 else
                                 "left" if held <= 0.2 else "right")  # fmt: skip


def _draw_plane(below: int) -> Figure:
    figure = style.blank(3.1, 2.75 + 0.15 * below)
    axes = figure.add_subplot()
    axes.patch.set_alpha(0)
    axes.set_xlim(_LOW - 0.1, _EQUAL + 0.25)
    axes.set_ylim(-0.05, 1.05)
    axes.set_xticks([-2, -1, 0, 1, 2, _EQUAL], ["0.01", "0.1", "1", "10", "100", "∞"])
    axes.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
    axes.set_xlabel("\n".join([_ACROSS, *["n/a"] * below]))
    axes.set_ylabel("β̂: correlation between parties", fontsize=8)
    axes.grid(color=style.GRID, linewidth=0.6)
    axes.axvline((_HIGH + _EQUAL) / 2, color=style.BASE, linewidth=0.8, linestyle=":")
    axes.text(1, 1.02, "∞: equal importance", fontsize=7, ha="right", va="bottom", transform=axes.transAxes)
    marks = {}
    for kind, (marker, size, colour, filled, words) in _MARKS.items():
        (marks[kind],) = axes.plot([], [], linestyle="none", marker=marker, markersize=size, color=colour, label=words,
                                   markerfacecolor=colour if filled else "none", markeredgewidth=1.4,
                                   clip_on=False, zorder=3)  # fmt: skip
    figure.legend(loc="outside upper center", ncols=3, frameon=False, fontsize=7.5, handletextpad=0.1,
                  columnspacing=0.8)  # fmt: skip
    style.keep(figure, below, axes=axes, marks=marks, words=[])
    style.settle(figure)
    return figure


def split_plane(points: Sequence[PlanePoint], figure: Figure | None = None) -> Figure:
    """Draw column splits on the plane of α̂, how equal the parties' importance is, and β̂, how correlated they are.

    Parameters
    ----------
    points : sequence of PlanePoint
        In any order; the split in hand and natural parties are named beside their points, synthetic data as such.
    figure : Figure, optional
        The picture to redraw.

    Returns
    -------
    matplotlib.figure.Figure
        α̂ from 0.01 to 100 on a logarithmic axis, with a place of its own for ∞; a value beyond is drawn at the edge. β̂
        from 0 to 1. Points of which one coordinate is not defined are listed below.
    """
    placed = [point for point in points if not (math.isnan(point.alpha) or math.isnan(point.beta))]
    missing = [_called(point) for point in points if point not in placed]
    lines = _lines(missing)
    with style.looks():
        if figure is None or style.artists(figure, len(lines)) is None:
            figure = _draw_plane(len(lines))
        parts = style.artists(figure, len(lines)) or {}
        for kind, mark in parts["marks"].items():
            mark.set_data(*np.reshape([_where(point) for point in placed if point.kind == kind], (-1, 2)).T)
        parts["axes"].set_xlabel("\n".join([_ACROSS, *lines]))
        for word in parts["words"]:
            word.remove()
        parts["words"] = _names(figure, parts["axes"], placed)
    return behind.tell(figure, **{part: [getattr(point, part) for point in points]
                                  for part in ("name", "kind", "alpha", "beta", "synthetic")})  # fmt: skip


def _where(point: PlanePoint) -> tuple[float, float]:
    if math.isinf(point.alpha):
        return _EQUAL, point.beta
    return min(max(math.log10(point.alpha), _LOW) if point.alpha > 0 else _LOW, _HIGH), point.beta


def _called(point: PlanePoint) -> str:
    silent = point.synthetic and point.kind == "natural" and "synthetic" not in point.name
    return style.short(point.name, 20) + (" (synthetic)" if silent else "")


def _lines(missing: Sequence[str]) -> list[str]:
    """The points without a place, at most four of them by name."""
    if not missing:
        return []
    more = [f"{len(missing) - 4} more"] if len(missing) > 4 else []
    return textwrap.wrap("n/a: " + ", ".join([*missing[:4], *more]), 44)


def _names(figure: Figure, axes: Any, placed: Sequence[PlanePoint]) -> list[Any]:
    """Write the names of what is not random, each at the first place where it meets no other name and no point."""
    spots = axes.transData.transform([_where(point) for point in placed]) if placed else np.zeros((0, 2))
    taken: list[Bbox] = []
    words = []
    for k in sorted(range(len(placed)), key=lambda k: placed[k].kind != "current"):
        if placed[k].kind == "random":
            continue
        word = axes.annotate(_called(placed[k]), _where(placed[k]), xytext=(0, 0), textcoords="offset points",
                             fontsize=7.5, va="center", annotation_clip=False)  # fmt: skip
        others, size = np.delete(spots, k, axis=0), Bbox(word.get_window_extent())
        boxes = [_moved(size, *step, dot=figure.dpi / 72) for step in _STEPS]
        best = int(np.argmin([_hits(box, others, taken, figure) for box in boxes]))
        word.set_position(_STEPS[best][:2])
        word.set_horizontalalignment(_STEPS[best][2])
        taken.append(boxes[best])
        words.append(word)
    return words


def _moved(size: Bbox, x: float, y: float, side: str, dot: float) -> Bbox:
    """Where a name is, in pixels, that starts at its point, once it is x and y points away and aligned."""
    back = {"left": 0.0, "center": 0.5, "right": 1.0}[side] * size.width
    return size.translated(x * dot - back, y * dot)


def _hits(box: Bbox, spots: np.ndarray, taken: Sequence[Bbox], figure: Figure) -> float:
    """How badly a name stands: points and names that it covers, and whether it is cut off."""
    wide = box.padded(4 * figure.dpi / 72)  # a mark is that large
    covered = np.all((spots > wide.min) & (spots < wide.max), axis=1).sum()
    cut = np.any(box.min < figure.bbox.min) or np.any(box.max > figure.bbox.max)
    return float(covered + 2 * sum(box.padded(1).overlaps(other) for other in taken) + 5 * cut)
