"""Learning curves of several algorithms over columns: by round, or by what was sent until then."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Literal

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, MaxNLocator

from trustkit.findings import Quality, quality_of
from trustkit.plot import behind, style
from trustkit.plot.rounds import _ticks
from trustkit.records import RunRecord

__all__ = ["COLOURS", "MARKERS", "Look", "ends_by", "looks_of", "quality_curves"]

COLOURS = (style.NOW, style.WARN, "#029e73", "#cc78bc", "#b8860b", "#7a6fd0", "#8c564b", "#2aa5a5", "#c2477f")
"""Of algorithms, in the order in which they are given; markers differ too."""

MARKERS = "osD^vPX*h"

_DASHES = ("--", ":", "-.", (0, (7, 2)))
"""Of yardsticks."""

Look = tuple[str, Any, str]
"""Colour, dashes, marker."""

_UNITS = (("B", 1.0), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9))
_LINE = 0.19  # inches of one line of the legend
_PICTURE = 1.85


def _draw(count: int, wide: bool) -> Figure:
    beside, below = (2.5, 0.0) if wide else (0.2, 0.12 + _LINE * count)
    height = max(_PICTURE + 0.55, 0.2 + _LINE * count) if wide else _PICTURE + 0.55 + below
    width = 6.6 if wide else 4.2
    figure = style.blank(width, height)
    figure.set_layout_engine("none")
    box = (0.645 / width, (below + 0.48) / height, (width - 0.69 - beside) / width, (height - below - 0.58) / height)
    axes = figure.add_axes(box)
    axes.patch.set_alpha(0)
    axes.grid(axis="y", color=style.GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    lines, legend = [], []
    for k in range(count):
        (line,) = axes.plot([], [], linewidth=1.8)
        (dot,) = axes.plot([], [], linestyle="none", markersize=5, clip_on=False)
        lines.append((line, dot))
        left, at = (width - beside + 0.18, height - 0.2 - _LINE * k) if wide else (0.2, below - 0.12 - _LINE * k)
        mark = figure.add_artist(_sample(left / width, at / height, 0.26 / width))
        word = figure.text((left + 0.36) / width, at / height, "", fontsize=8.5, va="center_baseline")
        legend.append((mark, word))
    style.keep(figure, (count, wide), axes=axes, lines=lines, legend=legend)
    return figure


def _sample(x: float, y: float, width: float) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([x, x + width / 2, x + width], [y, y, y], linewidth=1.8, markevery=[1], markersize=5)


def ends_by(qualities: Mapping[str, Quality]) -> list[str]:
    """Sort runs by what they reached, the best first; what is undefined comes last.

    Parameters
    ----------
    qualities : mapping of str to Quality
        By label.

    Returns
    -------
    list of str
        Labels.
    """
    last = {name: each.last * (-1 if each.higher else 1) for name, each in qualities.items()}
    return sorted(last, key=lambda name: (np.isnan(last[name]), last[name]))


def quality_curves(
    runs: Mapping[str, RunRecord], yardsticks: Collection[str] = (), by: Literal["round", "bytes"] = "round",
    wide: bool = True, figure: Figure | None = None,
) -> Figure:  # fmt: skip
    """Draw accuracy, or RMSE where the target is a number, of several runs by round or by bytes.

    Parameters
    ----------
    runs : mapping of str to RunRecord
        By title; one without a round is in the legend only.
    yardsticks : collection of str
        Titles of runs that are no federation: drawn dashed and grey, and level where bytes are counted.
    by : {"round", "bytes"}
        What runs to the right: rounds, or the bytes that all parties have sent so far, on a logarithmic axis.
    wide : bool
        Whether the legend is beside the picture, or below it.
    figure : Figure, optional
        The picture to redraw.

    Returns
    -------
    matplotlib.figure.Figure
        Accuracy from 0 to 1, RMSE from 0; the legend is sorted by what was reached, the best first.

    Raises
    ------
    ValueError
        If ``by`` is neither.
    """
    if by not in ("round", "bytes"):
        raise ValueError(f"curves run by round or by bytes, got {by!r}")
    qualities = {name: quality_of(record) for name, record in runs.items()}
    shape = (len(runs), wide)
    with style.looks():
        if figure is None or style.artists(figure, shape) is None:
            figure = _draw(*shape)
        parts = style.artists(figure, shape) or {}
        sent = {name: np.cumsum(record.bytes_up.sum(axis=1)) for name, record in runs.items() if len(record)}
        _frame(parts["axes"], runs, qualities, sent, by)
        looks, table = looks_of(runs, yardsticks), []
        for (line, dot), (name, record) in zip(parts["lines"], runs.items(), strict=True):
            values = qualities[name].by_round
            across: Any = record.index if len(record) else []
            level = by == "bytes" and len(record) > 0 and (name in yardsticks or not sent[name][-1])
            if by == "bytes" and len(record):
                across = sent[name]
                if level:  # it sends nothing: level, at what it reached
                    across, values = np.array(parts["axes"].get_xlim()), np.repeat(values[-1:], 2)
            _dress(line, looks[name], marker=False).set_data(across, values)
            _dress(dot, looks[name], marker=True).set_data(across[-1:], values[-1:])
            if len(record):
                table += _rows(name, record, qualities[name], level, sent[name])
        for (mark, word), name in zip(parts["legend"], ends_by(qualities), strict=True):
            _dress(mark, looks[name], marker=True, both=True)
            word.set_text(_said(name, qualities[name]))
    return behind.tell_rows(figure, ("run", "round", "bytes_sent", "measure", "value", "level"), table)


def _rows(name: str, record: RunRecord, quality: Quality, level: bool, sent: np.ndarray) -> list[tuple[Any, ...]]:
    """The table's rows of a run: its rounds, or the last one only of what is drawn level."""
    rows = [(name, int(index), None if level else float(spent), quality.name, float(value), level)
            for index, spent, value in zip(record.index, sent, quality.by_round, strict=True)]  # fmt: skip
    return rows[-1:] if level else rows


def looks_of(names: Iterable[str], yardsticks: Collection[str]) -> dict[str, Look]:
    """Return colour, dashes and marker of each run.

    Parameters
    ----------
    names : iterable of str
        In the order given.
    yardsticks : collection of str
        Those of them that are no federation.

    Returns
    -------
    dict of str to (str, object, str)
        Yardsticks are grey and dashed, others coloured and solid.

    Examples
    --------
    >>> looks_of(["SplitNN", "One party alone"], ["One party alone"])["One party alone"]
    ('#8b8d90', '--', '|')
    """
    looks: dict[str, Look] = {}
    alone = own = 0
    for name in names:
        if name in yardsticks:
            looks[name] = style.BASE, _DASHES[alone % len(_DASHES)], "|"
            alone += 1
        else:
            looks[name] = COLOURS[own % len(COLOURS)], "-", MARKERS[own % len(MARKERS)]
            own += 1
    return looks


def _dress(line: Any, look: Look, marker: bool, both: bool = False) -> Any:
    colour, dashes, shape = look
    line.set(color=colour, linestyle=dashes if both or not marker else "none", marker=shape if marker else "none")
    return line


def _said(name: str, quality: Quality) -> str:
    digits = 3 if quality.higher else 4
    end = "–" if not len(quality.values) else "n/a" if np.isnan(quality.last) else (
        f"{quality.last:.{digits}f}" if quality.higher else f"{quality.last:.{digits}g}")  # fmt: skip
    return f"{end}  {style.short(name)}"


def _frame(
    axes: Any, runs: Mapping[str, RunRecord], qualities: Mapping[str, Quality], sent: Mapping[str, np.ndarray], by: str
) -> None:
    """Set both axes."""
    kinds = {each.name for each in qualities.values() if len(each.values)}
    measure = "RMSE" if kinds == {"RMSE"} else "accuracy"
    axes.set_ylabel(f"{measure} →" if measure == "accuracy" else f"{measure} ←")
    known = np.concatenate([each.by_round for each in qualities.values()] or [np.zeros(0)])
    known = known[np.isfinite(known)]
    top = 1.0 if measure == "accuracy" else 1.08 * float(known.max(initial=0)) or 1.0
    axes.set_ylim(0, top)
    axes.yaxis.set_major_locator(FixedLocator([0, 0.25, 0.5, 0.75, 1]) if measure == "accuracy" else MaxNLocator(4))
    if by == "round":
        axes.set_xscale("linear")
        longest = max((record.experiment.rounds for record in runs.values()), default=1)
        axes.set_xlim(1 if longest > 1 else 0.5, max(longest, 1.5))
        axes.set_xticks(_ticks(longest))
        axes.set_xlabel("round")
        return
    amounts = np.concatenate([each[each > 0] for each in sent.values()] or [np.zeros(0)])
    low, high = (amounts.min(), amounts.max()) if amounts.size else (1e3, 1e6)
    low, high = np.floor(np.log10(low)), max(np.ceil(np.log10(high)), np.floor(np.log10(low)) + 1)
    axes.set_xscale("linear")  # ticks of an earlier logarithmic axis would stay otherwise
    axes.set_xscale("log")
    axes.set_xlim(10**low, 10**high)
    places = 10.0 ** np.arange(low, high + 1, max(1, round((high - low) / 4)))
    axes.set_xticks(places, [_bytes(each) for each in places])
    axes.set_xticks([], minor=True)
    axes.set_xlabel("sent by all parties so far")


def _bytes(size: float) -> str:
    name, unit = next(each for each in reversed(_UNITS) if size >= each[1] or each[1] == 1)
    return f"{size / unit:g} {name}"
