"""One experiment with and without attackers: accuracy by round."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure

from trustkit.plot import behind, style
from trustkit.plot.rounds import _mean, _ticks
from trustkit.records import RunRecord

__all__ = ["accuracy_under_attack"]

_LINES = {"clean": (style.BASE, "--"), "attacked": (style.WARN, "-"), "defended": (style.NOW, "-")}
_GAP = 0.1
"""Of the axis between two words at the lines' ends."""


def _draw(wide: bool) -> Figure:
    width, height = (6.6, 2.3) if wide else (3.3, 2.5)
    figure = style.blank(width, height)
    figure.set_layout_engine("none")  # to find these margins anew takes longer than the picture
    axes = figure.add_axes((0.645 / width, 0.48 / height, (width - 0.69) / width, (height - 0.58) / height))
    axes.patch.set_alpha(0)
    parts = {}
    for name, (colour, dashes) in _LINES.items():
        (line,) = axes.plot([], [], dashes, color=colour, linewidth=2 if dashes == "-" else 1.6)
        parts[name] = line, axes.text(1, 0.5, "", color=colour, va="center", fontsize=8.5)
    (crosses,) = axes.plot([], [], color=style.WARN, marker="x", markersize=5, linestyle="none")
    axes.set_ylim(0, 1)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1])
    axes.grid(axis="y", color=style.GRID, linewidth=0.6)
    axes.set_xlabel("round")
    axes.set_ylabel("accuracy")
    style.keep(figure, wide, axes=axes, crosses=crosses, **parts)
    return figure


def _apart(ends: Mapping[str, float]) -> dict[str, float]:
    """Move words apart that would stand on one another, and keep them on the axis."""
    places, last = dict[str, float](), -_GAP
    for name in sorted(ends, key=lambda key: ends[key]):
        places[name] = last = max(ends[name], last + _GAP, _GAP / 4)
    top = 1.0
    for name in reversed(places):
        places[name] = min(places[name], top)
        top = places[name] - _GAP
    return places


def accuracy_under_attack(
    runs: Mapping[str, RunRecord], attackers: np.ndarray | None = None, wide: bool = True, figure: Figure | None = None
) -> Figure:
    """Draw the mean accuracy over clients by round of a clean run, an attacked one and a defended one.

    Parameters
    ----------
    runs : mapping of str to RunRecord
        By "clean", "attacked" and "defended"; what is not there, or has no round yet, is not drawn.
    attackers : (a,) int array, optional
        Clients; a cross on the attacked line marks each round in which one of them took part.
    wide : bool
        Whether it has a whole row to itself.
    figure : Figure, optional
        The picture to redraw.

    Returns
    -------
    matplotlib.figure.Figure
        Accuracy always from 0 to 1.

    Raises
    ------
    KeyError
        If a run has another name.
    """
    for name in runs:
        if name not in _LINES:
            raise KeyError(f"runs must be named {', '.join(_LINES)}, got {name!r}")
    played = {name: record for name, record in runs.items() if len(record)}
    longest = max((record.experiment.rounds for record in runs.values()), default=1)
    with style.looks():
        if figure is None or style.artists(figure, wide) is None:
            figure = _draw(wide)
        parts = style.artists(figure, wide) or {}
        means = {name: _mean(record.accuracy) for name, record in played.items()}
        places = _apart({name: float(mean[-1]) for name, mean in means.items() if np.isfinite(mean[-1])})
        for name in _LINES:
            line, word = parts[name]
            line.set_data(*((played[name].index, means[name]) if name in played else ([], [])))
            word.set_text(f"{name} {means[name][-1]:.3f}" if name in places else "")
            if name in places:
                word.set_position((float(played[name].index[-1]) + (0.016 if wide else 0.035) * longest, places[name]))
        parts["crosses"].set_data([], [])
        if attackers is not None and len(attackers) and "attacked" in played:
            present = played["attacked"].selected[:, attackers].any(axis=1)
            parts["crosses"].set_data(played["attacked"].index[present], means["attacked"][present])
        parts["axes"].set_xlim(1, max(2, longest) * (1.2 if wide else 1.55))
        parts["axes"].set_xticks(_ticks(longest))
    known = attackers is not None and len(attackers) > 0
    rows = [(name, int(index), mean, bool(played[name].selected[k, attackers].any()) if known and name == "attacked"
             else None) for name in means for k, (index, mean) in enumerate(zip(played[name].index, means[name],
                                                                               strict=True))]  # fmt: skip
    return behind.tell_rows(figure, ("run", "round", "accuracy", "attacker_took_part"), rows)
