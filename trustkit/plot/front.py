"""A front of configurations: two measures, what no other point beats, what one does, and where the search started."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from trustkit.plot import behind, style

if TYPE_CHECKING:
    from trustkit.frontier import Front, Point

__all__ = ["pareto_front"]

_UNITS = {"bytes": (1e6, "MB sent and received by all"), "trainings": (1.0, "clients trained, counted by round")}
_MARKS = {
    "tried": ("o", 4.5, style.BASE, True, "beaten"),
    "front": ("o", 6.5, style.NOW, True, "front"),
    "start": ("D", 9.5, style.WARN, False, "start"),
}


def _draw() -> Figure:
    figure = style.blank(4.6, 3.3)
    figure.set_layout_engine("none")
    axes = figure.add_axes((0.15, 0.15, 0.81, 0.73))
    axes.patch.set_alpha(0)
    axes.grid(color=style.GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    bars = axes.add_collection(LineCollection([], colors=style.NOW, linewidths=0.9, zorder=2), autolim=False)
    marks = {}
    for kind, (marker, size, colour, filled, words) in _MARKS.items():
        (marks[kind],) = axes.plot([], [], linestyle="none", marker=marker, markersize=size, color=colour, label=words,
                                   markerfacecolor=colour if filled else "none", markeredgewidth=1.4, zorder=3,
                                   alpha=0.6 if kind == "tried" else 1.0)  # fmt: skip
    figure.legend(loc="upper center", ncols=3, frameon=False, fontsize=8, handletextpad=0.2)
    style.keep(figure, (), axes=axes, marks=marks, bars=bars)
    return figure


def pareto_front(front: Front, x: str | None = None, y: str | None = None, figure: Figure | None = None) -> Figure:
    """Draw two measures of all configurations that were tried.

    Parameters
    ----------
    front : Front
        Its own objectives say what is on the front, so in this picture one of its points may lie behind another.
    x, y : str, optional
        What to draw: "trust", a pillar, "accuracy", "bytes" or "trainings". By default the second and the first
        objective, or accuracy and trust as far as there are not two.
    figure : Figure, optional
        The picture to redraw.

    Returns
    -------
    matplotlib.figure.Figure
        Beaten points are grey, the start has a diamond around it. Lines are one standard deviation over seeds, on the
        front. A point without a value is left out.

    Raises
    ------
    ValueError
        If a measure is unknown.
    """
    usual = (*front.objectives, *(name for name in ("trust", "accuracy") if name not in front.objectives))
    across, up = x or usual[1], y or usual[0]
    known = front.start.values
    for name in (across, up):
        if name not in known:
            raise ValueError(f"x and y must be of {', '.join(known)}; got {name!r}")
    with style.looks():
        if figure is None or style.artists(figure, ()) is None:
            figure = _draw()
        parts = style.artists(figure, ()) or {}
        spots = np.array([[_scaled(point, across), _scaled(point, up)] for point in front.points])
        on = front.mask
        for kind, chosen in (("tried", ~on), ("front", on), ("start", np.arange(len(on)) == 0)):
            parts["marks"][kind].set_data(*spots[chosen].T)
        reach = np.array([[_scaled(point, name, spread=True) for name in (across, up)] for point in front.points])
        parts["bars"].set_segments(_bars(spots[on], reach[on]))
        axes = parts["axes"]
        wide = np.concatenate([spots, spots[on] - reach[on], spots[on] + reach[on]])
        for name, values, limits, label in ((across, wide[:, 0], axes.set_xlim, axes.set_xlabel),
                                            (up, wide[:, 1], axes.set_ylim, axes.set_ylabel)):  # fmt: skip
            limits(*_limits(values))
            label(_UNITS[name][1] if name in _UNITS else front.profile.taxonomy.pillars.get(name, name))
    return behind.tell(
        figure, point=range(len(on)), on_front=on, start=np.arange(len(on)) == 0, x=spots[:, 0], y=spots[:, 1],
        x_deviation=np.where(on, reach[:, 0], np.nan), y_deviation=np.where(on, reach[:, 1], np.nan),
        x_is=_measure(across), y_is=_measure(up),
    )  # fmt: skip


def _measure(name: str) -> str:
    return "megabytes" if name == "bytes" else name


def _scaled(point: Point, name: str, spread: bool = False) -> float:
    return (point.spread if spread else point.values)[name] / _UNITS.get(name, (1.0, ""))[0]


def _bars(spots: np.ndarray, reach: np.ndarray) -> list[np.ndarray]:
    """The lines of one standard deviation to both sides; none where it is not known."""
    steps = [(spot, np.eye(2)[axis] * far[axis]) for spot, far in zip(spots, reach, strict=True) for axis in (0, 1)]
    return [np.array([spot - step, spot + step]) for spot, step in steps if np.isfinite([spot, step]).all()]


def _limits(values: np.ndarray) -> tuple[float, float]:
    """Ends of an axis, with some air; a measure that does not move stands in the middle."""
    held = values[np.isfinite(values)]
    low, high = (held.min(), held.max()) if held.size else (0.0, 1.0)
    air = 0.08 * (high - low) or 0.05 * abs(high) or 0.05
    return float(low - air), float(high + air)
