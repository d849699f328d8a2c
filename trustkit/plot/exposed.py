"""Privacy against quality and bytes: one numbered point a run, with a cross from the smallest to the largest value."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from trustkit.plot import behind, style

if TYPE_CHECKING:
    from trustkit.exposure import Tradeoff

__all__ = ["exposure_points"]

_PANELS = {"labels": "labels found ←", "features": "features found ←"}
_PANEL, _LINE, _EDGE = 2.3, 0.2, 0.72  # inches


def _draw(count: int, widest: int) -> Figure:
    height, room = max(2.6, 0.8 + _LINE * count), 0.3 + 0.075 * widest
    width = _EDGE + _PANEL * len(_PANELS) + room
    figure = style.blank(width, height)
    figure.set_layout_engine("none")
    panels: list[dict[str, Any]] = []
    for place, title in enumerate(_PANELS.values()):
        axes = figure.add_axes(((_EDGE + _PANEL * place) / width, 0.5 / height, (_PANEL - 0.25) / width,
                                (height - 0.8) / height))  # fmt: skip
        axes.patch.set_alpha(0)
        axes.grid(color=style.GRID, linewidth=0.6)
        axes.set_axisbelow(True)
        axes.set_xlim(-0.04, 1.04)
        axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
        axes.set_title(title, fontsize=9)
        if place:
            axes.tick_params(labelleft=False)
        bars = axes.add_collection(LineCollection([], colors=style.NOW, linewidths=1.4, alpha=0.5), autolim=False)
        (dots,) = axes.plot([], [], linestyle="none", marker="o", markersize=11, color=style.NOW, clip_on=False)
        numbers = [axes.text(0, 0, str(k + 1), ha="center", va="center", fontsize=7, color="#ffffff", zorder=4)
                   for k in range(count)]  # fmt: skip
        panels.append({"axes": axes, "bars": bars, "dots": dots, "numbers": numbers})
    left = (_EDGE + _PANEL * len(_PANELS) - 0.05) / width
    names = [figure.text(left, 1 - (0.42 + _LINE * k) / height, "", fontsize=8, va="center") for k in range(count)]
    figure.text((_EDGE + _PANEL) / width, 0.12 / height, "0: no more than without the run, 1: everything",
                fontsize=8, ha="center", va="center")  # fmt: skip
    style.keep(figure, (count, widest), panels=panels, names=names)
    return figure


def exposure_points(tradeoff: Tradeoff, figure: Figure | None = None) -> Figure:
    """Draw how much attacks found against how good the joint model is, one point a run.

    Parameters
    ----------
    tradeoff : Tradeoff
        What `trustkit.exposure.compare_exposure` found.
    figure : Figure, optional
        The picture to redraw.

    Returns
    -------
    matplotlib.figure.Figure
        Points are means over seeds, crosses reach from the smallest to the largest value. The list beside says which
        number is which run, what it sent and which ε it claims; a run without a point in a panel has no such attack.
    """
    lines = [_line(k, name, tradeoff) for k, name in enumerate(tradeoff.trials)]
    shape = (len(lines), max(map(len, lines)))
    bands = [tradeoff.bands(name) for name in tradeoff.trials]
    with style.looks():
        if figure is None or style.artists(figure, shape) is None:
            figure = _draw(*shape)
        parts = style.artists(figure, shape) or {}
        for text, line in zip(parts["names"], lines, strict=True):
            text.set_text(line)
        up = np.array([each["quality"] for each in bands], float)
        for panel, target in zip(parts["panels"], _PANELS, strict=True):
            _move(panel, np.array([each[target] for each in bands], float), up)
        parts["panels"][0]["axes"].set_ylabel("R² →" if tradeoff.regression else "accuracy →")
    table = {f"{target}{end}": [each[target][k] for each in bands] for target in (*_PANELS, "quality")
             for k, end in enumerate(("", "_lowest", "_highest"))}  # fmt: skip
    return behind.tell(
        figure, number=range(1, len(bands) + 1), run=list(tradeoff.trials), **table,
        megabytes=[each["megabytes"].mean for each in bands], epsilon=[each["epsilon"].mean for each in bands],
        quality_is="R²" if tradeoff.regression else "accuracy",
    )  # fmt: skip


def _line(place: int, name: str, tradeoff: Tradeoff) -> str:
    found = tradeoff.bands(name)
    head = f"{place + 1}  {style.short(name)}"
    if name in tradeoff.refused:
        return f"{head} · refused"
    spent = found["epsilon"].mean
    claim = "no ε" if math.isinf(spent) else f"ε {spent:,.0f}" if spent >= 999.5 else f"ε {spent:.3g}"
    return f"{head} · {found['megabytes'].mean:.3g} MB · {claim}"


def _move(panel: dict[str, Any], across: np.ndarray, up: np.ndarray) -> None:
    """Move one panel's artists to means, lower and upper ends (n, 3) in both directions."""
    known = np.isfinite(across[:, 0]) & np.isfinite(up[:, 0])
    shown = np.flatnonzero(known)
    panel["dots"].set_data(across[shown, 0], up[shown, 0])
    panel["bars"].set_segments(
        [[(across[k, 1], up[k, 0]), (across[k, 2], up[k, 0])] for k in shown]
        + [[(across[k, 0], up[k, 1]), (across[k, 0], up[k, 2])] for k in shown]
    )
    for k, text in enumerate(panel["numbers"]):
        text.set_visible(bool(known[k]))
        text.set_position((across[k, 0], up[k, 0]) if known[k] else (0, 0))
    held = up[np.isfinite(up)]
    low, high = (held.min(), held.max()) if held.size else (0.0, 1.0)
    air = 0.1 * (high - low) or 0.05 * abs(high) or 0.05
    panel["axes"].set_ylim(low - air, high + air)
