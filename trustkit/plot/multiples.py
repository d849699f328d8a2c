"""Small multiples: one small picture for each measure of several runs, on one scale where they can be compared."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from trustkit.plot import behind, style
from trustkit.plot.curves import MARKERS
from trustkit.plot.ghosts import _look

if TYPE_CHECKING:
    from trustkit.sidebyside import Measured

__all__ = ["run_multiples"]

_PANEL, _VALUES = 1.0, 0.6  # inches: where marks lie, and where numbers stand
_ROW, _AROUND = 0.19, 0.56
_LETTER, _LONGEST = 0.066, 24


def _draw(count: int, across: int, runs: int, baseline: int, widest: int) -> Figure:
    down, room = -(-count // across), 0.24 + _LETTER * widest
    tall = _AROUND + _ROW * runs
    width, height = room + (_PANEL + _VALUES) * across, tall * down
    figure = style.blank(width, height)
    figure.set_layout_engine("none")
    panels = []
    for k in range(count):
        left, below = room + (_PANEL + _VALUES) * (k % across), 0.22 + tall * (down - 1 - k // across)
        box = (left / width, below / height, (_PANEL - 0.06) / width, (tall - _AROUND) / height)
        panels.append(_panel(figure.add_axes(box), runs, baseline, named=k % across == 0))
    style.keep(figure, (count, across, runs, baseline, widest), panels=panels)
    return figure


def _panel(axes: Any, runs: int, baseline: int, named: bool) -> dict[str, Any]:
    """One small picture; its frame is drawn by hand, since an axis of matplotlib's takes ten times as long."""
    axes.set_axis_off()
    axes.set_ylim(runs - 0.5, -0.5)
    frame = [[(x, 0), (x, 1)] for x in (0, 0.5, 1)]
    axes.add_collection(LineCollection(frame, colors=style.GRID, linewidths=0.6, transform=axes.transAxes, zorder=0),
                        autolim=False)  # fmt: skip
    axes.add_collection(LineCollection([[(0, 0), (1, 0)]], colors=style.INK, linewidths=0.8, transform=axes.transAxes),
                        autolim=False)  # fmt: skip
    stems = axes.add_collection(LineCollection([], colors=style.GRID, linewidths=1.1, zorder=1), autolim=False)
    beside, dots, words, names = axes.get_yaxis_transform(), [], [], []
    for k in range(runs):
        look = _look(k, baseline)
        heavy = {"markeredgewidth": 1.8, "markersize": 7} if k == baseline > 0 else {"markersize": 5}
        dots += axes.plot([], [], color=look["color"], marker=look["marker"], clip_on=False, zorder=3, **heavy)
        words.append(axes.text(1.13, k, "", fontsize=8, va="center_baseline", transform=beside))
        if named:
            names.append(axes.text(-0.06, k, "", fontsize=8, va="center_baseline", ha="right", transform=beside))
    title = axes.text(0, 1.06, "", fontsize=8.2, va="bottom", transform=axes.transAxes)
    ends = [axes.text(x, -0.05, "", fontsize=7, ha="center", va="top", transform=axes.transAxes) for x in (0, 1)]
    return {"axes": axes, "stems": stems, "dots": dots, "words": words, "names": names, "title": title, "ends": ends}


def run_multiples(
    measures: Sequence[Measured], runs: Sequence[str], baseline: str = "", scaled: bool = False, across: int = 4,
    figure: Figure | None = None,
) -> Figure:  # fmt: skip
    """Draw several measures of several runs: a small picture for each measure, a line in it for each run.

    Parameters
    ----------
    measures : sequence of Measured
        From `trustkit.sidebyside.measured`, at least one.
    runs : (R,) sequence of str
        Titles of the runs, at most 9.
    baseline : str
        The title of the run that is marked as the baseline; empty for none.
    scaled : bool
        Whether marks lie at the values from 0 to 1 of which more is better, instead of the measured ones.
    across : int
        Pictures side by side, at least 1.
    figure : Figure, optional
        The picture to redraw.

    Returns
    -------
    matplotlib.figure.Figure
        Measures in [0, 1] share one scale, each other one begins at 0 and has its own end. The numbers beside the marks
        are the measured ones. An arrow says where better is. What is not defined is n/a and what is not known a dash,
        both without a mark, and so is an infinite value that has no place.

    Raises
    ------
    ValueError
        If there is no measure, no run, more than 9 runs, or another number of values than of runs.

    Examples
    --------
    >>> from trustkit.plot import data_of
    >>> from trustkit.sidebyside import Measured
    >>> privacy = Measured("epsilon", (4.0, 8.0), (1.0, 0.5))
    >>> data_of(run_multiples([privacy], ["now", "before"], "before"))[["run", "value", "scaled"]].values.tolist()
    [['now', 4.0, 1.0], ['before', 8.0, 0.5]]
    """
    if not measures:
        raise ValueError("measures must be at least one, got none")
    if not 1 <= len(runs) <= len(MARKERS):
        raise ValueError(f"runs must be 1 to {len(MARKERS)}, got {len(runs)}")
    if across < 1:
        raise ValueError(f"across must be at least 1, got {across}")
    for each in measures:
        if len(each.values) != len(runs):
            raise ValueError(f"{each.name} must have a value for each of {len(runs)} runs, got {len(each.values)}")
    titles = [style.short(title, _LONGEST) for title in runs]
    at = list(runs).index(baseline) if baseline in runs else -1
    shape = (len(measures), min(across, len(measures)), len(titles), at, max(map(len, titles)))
    with style.looks():
        if figure is None or style.artists(figure, shape) is None:
            figure = _draw(*shape)
        parts = style.artists(figure, shape) or {}
        for panel, each in zip(parts["panels"], measures, strict=True):
            _move(panel, each, scaled)
            for word, name in zip(panel["names"], titles, strict=False):  # only the first ones of each line have any
                word.set_text(name)
    rows = [(each.name, run, value, place, each.rule) for each in measures
            for run, value, place in zip(runs, each.values, each.scaled, strict=True)]  # fmt: skip
    return behind.tell_rows(figure, ("measure", "run", "value", "scaled", "rule"), rows)


def _move(panel: dict[str, Any], each: Measured, scaled: bool) -> None:
    """Put one picture's marks, numbers, title and scale."""
    places = np.array([math.nan if value is None else value for value in (each.scaled if scaled else each.values)])
    known = np.isfinite(places)
    for k, (dot, word, value) in enumerate(zip(panel["dots"], panel["words"], each.values, strict=True)):
        dot.set_data(places[k : k + 1][known[k : k + 1]], [k] * int(known[k]))
        word.set_text(_written(value, each.rule == "share"))
    low = min(0.0, float(places[known].min(initial=0.0)))
    panel["stems"].set_segments([[(0, k), (places[k], k)] for k in np.flatnonzero(known)])
    end = 1.0 if scaled or each.rule != "share" else float(places[known].max(initial=0.0)) or 1.0
    panel["axes"].set_xlim(low, end)
    placed = known.any() or each.rule != "share"
    for word, value in zip(panel["ends"], (low, end), strict=True):
        word.set_text(f"{value:.3g}" if placed else "")
    panel["title"].set_text(_title(each, scaled))


def _written(value: float | None, open_end: bool) -> str:
    if value is None:
        return "–"
    if math.isinf(value):
        return "∞"
    if math.isnan(value):
        return "n/a"
    return f"{value:.3g}" if open_end else f"{value:z.3f}"


def _title(each: Measured, scaled: bool) -> str:
    from trustkit.sidebyside import SHORT

    name = SHORT[each.name]
    if not scaled:
        return f"{name} {'→' if each.higher else '←'}"
    return {"itself": f"{name} →", "rest": f"1 − {name} →", "share": f"min ÷ {name} →"}[each.rule]
