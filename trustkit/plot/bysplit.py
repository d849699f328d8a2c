"""Quality of algorithms along a series of splits, as VertiBench's tables list it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, MaxNLocator

from trustkit.catalogue import ALGORITHMS
from trustkit.plot import behind, style
from trustkit.plot.curves import looks_of

if TYPE_CHECKING:
    from trustkit.comparison.crossing import Crossing

__all__ = ["quality_by_split"]

_SYMBOLS = {"alpha": "α", "beta": "β"}
_NAMES = {"alpha": "α: the parties' importance, small is unequal", "beta": "β: correlation between parties"}
_LINE, _PICTURE, _WIDTH = 0.19, 1.85, 4.2  # inches


def _draw(algorithms: int, values: int) -> Figure:
    below = 0.62 + _LINE * -(-algorithms // 2)
    height = _PICTURE + below
    figure = style.blank(_WIDTH, height)
    figure.set_layout_engine("none")
    axes = figure.add_axes((0.65 / _WIDTH, below / height, (_WIDTH - 0.8) / _WIDTH, (_PICTURE - 0.12) / height))
    axes.patch.set_alpha(0)
    axes.grid(axis="y", color=style.GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlim(-0.25, values - 0.75)
    lines = [axes.plot([], [], linewidth=1.6, markersize=5.5, clip_on=False)[0] for _ in range(algorithms)]
    legend = []
    for k in range(algorithms):
        x, at = 0.12 + (_WIDTH - 0.2) / 2 * (k % 2), below - 0.6 - _LINE * (k // 2)
        mark = _sample(x / _WIDTH, at / height, 0.26 / _WIDTH)
        legend.append((figure.add_artist(mark), figure.text((x + 0.34) / _WIDTH, at / height, "", fontsize=8.5,
                                                            va="center_baseline")))  # fmt: skip
    style.keep(figure, (algorithms, values), axes=axes, lines=lines, legend=legend)
    return figure


def _sample(x: float, y: float, width: float) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([x, x + width / 2, x + width], [y, y, y], linewidth=1.6, markevery=[1], markersize=5.5)


def quality_by_split(crossing: Crossing, figure: Figure | None = None) -> Figure:
    """Draw what algorithms reached on each split of a series.

    Parameters
    ----------
    crossing : Crossing
        What `trustkit.comparison.compare_algorithms` played along α or β.
    figure : Figure, optional
        The picture to redraw.

    Returns
    -------
    matplotlib.figure.Figure
        One line an algorithm, yardsticks dashed and grey; accuracy from 0 to 1, RMSE from 0. Values of the split stand
        side by side, not to scale; a run that is missing, or not whole, leaves a gap.

    Raises
    ------
    ValueError
        If the splits are not varied.
    """
    from trustkit.comparison.algorithms import YARDSTICKS

    if not crossing.along:
        raise ValueError("splits must be varied along alpha or beta, got a single split")
    found, shape = crossing.qualities(), (len(crossing.algorithms), len(crossing.values))
    with style.looks():
        if figure is None or style.artists(figure, shape) is None:
            figure = _draw(*shape)
        parts = style.artists(figure, shape) or {}
        axes, accuracy = parts["axes"], crossing.measure == "accuracy"
        top = 1.0 if accuracy else 1.08 * float(np.nanmax(found)) if np.isfinite(found).any() else 1.0
        axes.set_ylim(0, top)
        axes.yaxis.set_major_locator(FixedLocator([0, 0.25, 0.5, 0.75, 1]) if accuracy else MaxNLocator(4))
        axes.set_ylabel(f"{crossing.measure} {'→' if accuracy else '←'}")
        axes.set_xticks(np.arange(shape[1]), [f"{_SYMBOLS[crossing.along]} {value:g}" for value in crossing.values])
        axes.set_xlabel(_NAMES[crossing.along])
        for line, (mark, word), (name, look), values in zip(
            parts["lines"], parts["legend"], looks_of(crossing.algorithms, YARDSTICKS).items(), found, strict=True
        ):
            for each in (line, mark):
                each.set(color=look[0], linestyle=look[1], marker=look[2])
            line.set_data(np.arange(shape[1]), values)
            word.set_text(style.short(ALGORITHMS[name].title))
    return behind.tell(
        figure, algorithm=np.repeat(crossing.algorithms, shape[1]), measure=crossing.measure,
        **{crossing.along: [*crossing.values] * shape[0], "value": np.ravel(found)},
    )  # fmt: skip
