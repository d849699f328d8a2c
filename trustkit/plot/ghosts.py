"""Several runs on one radar: the first one solid, the baseline dashed, the others thin, each with a mark of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from trustkit.plot import behind, style
from trustkit.plot.curves import COLOURS, MARKERS
from trustkit.plot.radar import _polygon, _scores, _titles

__all__ = ["pillar_ghosts"]

_LINE = 0.2  # inches of one line of the legend


def _draw(names: tuple[str, ...], count: int, baseline: int) -> Figure:
    width, tall = 3.9, 2.75
    height = tall + _LINE * count + 0.1
    figure = style.blank(width, height)
    figure.set_layout_engine("none")
    box = (0.29, (0.42 + height - tall) / height, 0.42, 1.9 / height)
    axes: Any = figure.add_axes(box, projection="polar")
    axes.patch.set_alpha(0)
    axes.set_theta_offset(np.pi / 2)
    axes.set_theta_direction(-1)
    axes.set_ylim(0, 1)
    axes.set_yticks([0.25, 0.5, 0.75, 1], ["", "0.5", "", "1"])
    axes.grid(color=style.GRID, linewidth=0.6)
    axes.spines["polar"].set_color(style.GRID)
    angles = np.linspace(0, 2 * np.pi, len(names), endpoint=False)
    axes.set_xticks(angles, [""] * len(names))
    for angle, tick in zip(angles, axes.get_xticklabels(), strict=True):
        side = np.sin(angle)
        tick.set_linespacing(1.1)
        tick.set_fontsize(8.2)
        tick.set_horizontalalignment("center" if abs(side) < 0.1 else "left" if side > 0 else "right")
    axes.tick_params(axis="x", pad=1)
    (area,) = axes.fill([0, 0, 0], [0, 0, 0], color=style.NOW, alpha=0.12, linewidth=0)
    lines, words = [], []
    for k in range(count):
        look = _look(k, baseline)
        (line,) = axes.plot([], [], markersize=5 if k else 4, **look)
        lines.append(line)
        at = (height - tall - 0.02 - _LINE * (k + 0.3)) / height
        figure.add_artist(_sample(look, at, width))
        words.append(figure.text(0.6 / width, at, "", fontsize=8.5, va="center_baseline"))
    style.keep(figure, (names, count, baseline), axes=axes, angles=angles, area=area, lines=lines, words=words)
    return figure


def _look(k: int, baseline: int) -> dict[str, Any]:
    if k == 0:
        return {"color": style.NOW, "linewidth": 2.2, "marker": "o"}
    if k == baseline:
        return {"color": style.BASE, "linewidth": 1.6, "linestyle": "--", "marker": "|"}
    return {"color": COLOURS[k % len(COLOURS)], "linewidth": 1.2, "linestyle": (0, (7, 2)), "marker": MARKERS[k]}


def _sample(look: dict[str, Any], at: float, width: float) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([0.16 / width, 0.33 / width, 0.5 / width], [at] * 3, markevery=[1], markersize=5, **look)


def pillar_ghosts(reports: Mapping[str, Any], baseline: str = "", figure: Figure | None = None) -> Figure:
    """Draw the pillar scores of several runs on one radar.

    Parameters
    ----------
    reports : mapping of str to (TrustReport or mapping of str to float)
        By title, at most 9; the first one has the corners. Scores are in [0, 1]; ``None`` is skipped, never drawn as 0.
    baseline : str
        The title that is drawn dashed and grey; empty for none.
    figure : Figure, optional
        The picture to redraw.

    Returns
    -------
    matplotlib.figure.Figure
        The radar over a legend of the titles. Lines differ in colour, dashes and marks.

    Raises
    ------
    ValueError
        If there is no report, or there are more than 9.

    Examples
    --------
    >>> from trustkit.plot import data_of
    >>> data_of(pillar_ghosts({"now": {"privacy": 0.5}, "before": {"privacy": 0.25}}, "before")).values.tolist()
    [['now', 'privacy', 0.5], ['before', 'privacy', 0.25]]
    """
    if not 1 <= len(reports) <= len(MARKERS):
        raise ValueError(f"reports must be 1 to {len(MARKERS)}, got {len(reports)}")
    titles, scores = list(reports), [_scores(report) for report in reports.values()]
    names = list(scores[0])
    shape = (tuple(names), len(titles), titles.index(baseline) if baseline in titles else -1)
    with style.looks():
        if figure is None or style.artists(figure, shape) is None:
            figure = _draw(*shape)
        parts = style.artists(figure, shape) or {}
        for line, word, title, each in zip(parts["lines"], parts["words"], titles, scores, strict=True):
            line.set_data(*_polygon(parts["angles"], names, each))
            word.set_text(style.short(title, 58))
        angles, values = _polygon(parts["angles"], names, scores[0])
        parts["area"].set_xy(np.column_stack([angles, values]) if values.size else np.zeros((3, 2)))
        parts["axes"].set_xticks(parts["angles"], _titles(next(iter(reports.values())), names))
    rows = [(title, name, each.get(name)) for title, each in zip(titles, scores, strict=True) for name in names]
    return behind.tell_rows(figure, ("run", "pillar", "score"), rows)
