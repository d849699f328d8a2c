"""The pillars on a radar: now against a pinned baseline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from trustkit.plot import behind, style

__all__ = ["pillar_radar"]


def _scores(report: Any) -> dict[str, float | None]:
    return {} if report is None else dict(report if isinstance(report, Mapping) else report.pillars)


def _titles(report: Any, names: list[str]) -> list[str]:
    """What each corner is called: a word a line, as the report's taxonomy has it; of a mapping, its keys."""
    plain = report is None or isinstance(report, Mapping)
    known: Mapping[str, str] = {} if plain else report.profile.taxonomy.pillars
    return [known.get(name, name).replace(" ", "\n") for name in names]


def _draw(names: list[str]) -> Figure:
    figure = style.blank(3.2, 2.45)
    figure.set_layout_engine("none")
    axes: Any = figure.add_axes((0.28, 0.14, 0.44, 0.7), projection="polar")
    axes.patch.set_alpha(0)
    axes.set_theta_offset(np.pi / 2)
    axes.set_theta_direction(-1)
    axes.set_ylim(0, 1)
    axes.set_yticks([0.25, 0.5, 0.75, 1], ["", "0.5", "", "1"])
    axes.grid(color=style.GRID, linewidth=0.6)
    axes.spines["polar"].set_color(style.GRID)
    (base,) = axes.plot([], [], "--", color=style.BASE, linewidth=1.4)
    (now,) = axes.plot([], [], color=style.NOW, linewidth=2, marker="o", markersize=4)
    (area,) = axes.fill([0, 0, 0], [0, 0, 0], color=style.NOW, alpha=0.16, linewidth=0)
    angles = np.linspace(0, 2 * np.pi, len(names), endpoint=False)
    axes.set_xticks(angles, [f"{name}\n0.00" for name in names])
    for angle, tick in zip(angles, axes.get_xticklabels(), strict=True):
        side = np.sin(angle)
        tick.set_linespacing(1.1)
        tick.set_fontsize(8.2)
        tick.set_horizontalalignment("center" if abs(side) < 0.1 else "left" if side > 0 else "right")
    axes.tick_params(axis="x", pad=1)
    style.keep(figure, tuple(names), axes=axes, angles=angles, base=base, now=now, area=area)
    return figure


def _polygon(angles: np.ndarray, names: list[str], scores: dict[str, float | None]) -> tuple[np.ndarray, np.ndarray]:
    found = [(angle, scores.get(name)) for angle, name in zip(angles, names, strict=True)]
    known = [(angle, score) for angle, score in found if score is not None and np.isfinite(score)]
    corners = np.array([*known, *known[:1]], float).reshape(-1, 2)
    return corners[:, 0], corners[:, 1]


def pillar_radar(report: Any, baseline: Any = None, figure: Figure | None = None) -> Figure:
    """Draw the pillar scores of a report as a radar.

    Parameters
    ----------
    report : TrustReport or mapping of str to float
        Scores in [0, 1] by pillar, with the names of its profile's pillars; of a mapping, with its keys. A pillar
        without evidence is ``None``: labelled n/a and skipped, never drawn as 0.
    baseline : TrustReport or mapping, optional
        Drawn dashed, pillar by pillar: those that the report does not have are left out.
    figure : Figure, optional
        The picture to redraw.

    Returns
    -------
    matplotlib.figure.Figure
        The radar.
    """
    scores, earlier = _scores(report), _scores(baseline)
    names = list(scores)
    with style.looks():
        if figure is None or style.artists(figure, tuple(scores)) is None:
            figure = _draw(names)
        parts = style.artists(figure, tuple(scores)) or {}
        angles, values = _polygon(parts["angles"], names, scores)
        parts["now"].set_data(angles, values)
        parts["area"].set_xy(np.column_stack([angles, values]) if values.size else np.zeros((3, 2)))
        parts["base"].set_data(*_polygon(parts["angles"], names, earlier))
        labels = [f"{title}\n{'n/a' if score is None or not np.isfinite(score) else f'{score:.2f}'}"
                  for title, score in zip(_titles(report, names), scores.values(), strict=True)]  # fmt: skip
        parts["axes"].set_xticks(parts["angles"], labels)
    return behind.tell(
        figure, pillar=names, score=list(scores.values()), baseline=[earlier.get(name) for name in names]
    )
