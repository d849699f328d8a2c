"""Figures 4 and 5 again: every score of ours, and the printed one where there is one, coloured by its mark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from trustkit.bench.comparison import Line
from trustkit.bench.marks import CONSISTENT, CONTRADICTED, REPRODUCED

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["score_dots"]

_GREEN = "#009e73"


def score_dots(lines: Sequence[Line]) -> Figure:
    """Draw the scores of some experiments side by side, one row a score.

    Parameters
    ----------
    lines : sequence of Line
        Of one or more experiments, each with the same scores.

    Returns
    -------
    matplotlib.figure.Figure
        A panel an experiment. A score that is missing has no dot.

    Raises
    ------
    ValueError
        If there is no line.
    """
    from trustkit.plot import style

    if not lines:
        raise ValueError("lines must be of at least one experiment, got none")
    numbers = list(dict.fromkeys(line.experiment for line in lines))
    first = [line for line in lines if line.experiment == numbers[0]]
    with style.looks():
        figure = style.blank(2.3 + 2.5 * len(numbers), 0.9 + 0.21 * len(first))
        figure.patch.set_alpha(1)  # the file is read on its own
        panels: Any = figure.subplots(1, len(numbers), sharey=True, squeeze=False)[0]
        for axes, number in zip(panels, numbers, strict=True):
            _panel(axes, [line for line in lines if line.experiment == number])
        panels[0].set_yticks(
            range(len(first)), [("" if line.level == "metric" else "▸ ") + line.name for line in first]
        )
        for label, line in zip(panels[0].get_yticklabels(), first, strict=True):
            label.set_fontweight("normal" if line.level == "metric" else "bold")
        panels[0].set_ylim(len(first) - 0.4, -0.6)
        handles, names = panels[0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside lower center", ncols=3, frameon=False)
    return figure


def _panel(axes: Any, lines: Sequence[Line]) -> None:
    from trustkit.plot import style

    looks = {
        REPRODUCED: {"marker": "D", "color": _GREEN, "s": 30},
        CONSISTENT: {"marker": "D", "facecolors": "none", "edgecolors": style.INK, "s": 30},
        CONTRADICTED: {"marker": "X", "color": style.WARN, "s": 46},
    }
    axes.set_title(f"Experiment {lines[0].experiment}\n({lines[0].data})", fontsize=10)
    axes.tick_params(axis="y", length=0)
    axes.set_xlim(-0.04, 1.04)
    axes.set_xlabel("score")
    axes.grid(axis="x", color=style.GRID, linewidth=0.5)
    for place, line in enumerate(lines):
        if line.level != "metric":
            axes.axhspan(place - 0.5, place + 0.5, color=style.GRID, alpha=0.3, linewidth=0)
        known = [value for value in (line.paper_figures, line.printed) if value is not None]
        if len(known) == 2:
            axes.plot(known, [place, place], color=style.GRID, linewidth=1.2, zorder=1)
    for words, field, more in (
        ("ours, profile paper", "paper", {"facecolors": "none", "edgecolors": style.NOW, "s": 34}),
        ("ours, profile paper-figures", "paper_figures", {"color": style.NOW, "s": 13}),
    ):
        places = [place for place, line in enumerate(lines) if getattr(line, field) is not None]
        axes.scatter([getattr(lines[place], field) for place in places], places, label=words, zorder=3, **more)
    for mark, look in looks.items():
        places = [place for place, line in enumerate(lines) if line.mark == mark]
        axes.scatter([lines[place].printed for place in places], places, label=f"printed, {mark}", zorder=2, **look)
