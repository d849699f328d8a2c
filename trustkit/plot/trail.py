"""The pillars of every round on one radar: faint earlier and later ones behind the chosen one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from trustkit.plot import behind, style

__all__ = ["pillar_trail"]

_Scores = Mapping[str, float | None]


def _draw(names: tuple[str, ...], rounds: int) -> Figure:
    figure = style.blank(4.6, 3.3)
    figure.set_layout_engine("none")
    axes: Any = figure.add_axes((0.28, 0.14, 0.44, 0.7), projection="polar")
    axes.patch.set_alpha(0)
    axes.set_theta_offset(np.pi / 2)
    axes.set_theta_direction(-1)
    axes.set_ylim(0, 1)
    axes.set_yticks([0.25, 0.5, 0.75, 1], ["", "0.5", "", "1"])
    axes.grid(color=style.GRID, linewidth=0.6)
    axes.spines["polar"].set_color(style.GRID)
    angles = np.linspace(0, 2 * np.pi, len(names), endpoint=False)
    faint = [to_rgba(style.BASE, 0.12 + 0.48 * age / rounds) for age in range(1, rounds + 1)]
    ghosts = axes.add_collection(LineCollection([], colors=faint, linewidths=0.9), autolim=False)
    (now,) = axes.plot([], [], color=style.NOW, linewidth=2, marker="o", markersize=4)
    (area,) = axes.fill([0, 0, 0], [0, 0, 0], color=style.NOW, alpha=0.16, linewidth=0)
    axes.set_xticks(angles, names)
    for angle, tick in zip(angles, axes.get_xticklabels(), strict=True):
        side = np.sin(angle)
        tick.set_linespacing(1.1)
        tick.set_fontsize(9)
        tick.set_horizontalalignment("center" if abs(side) < 0.1 else "left" if side > 0 else "right")
    axes.tick_params(axis="x", pad=1)
    word = figure.text(0.01, 0.03, "", fontsize=9)
    style.keep(figure, (names, rounds), axes=axes, angles=angles, ghosts=ghosts, now=now, area=area, word=word)
    return figure


def _corners(angles: np.ndarray, scores: Sequence[float | None]) -> tuple[np.ndarray, np.ndarray]:
    """A closed polygon over the pillars that have a score."""
    known = [(a, s) for a, s in zip(angles, scores, strict=True) if s is not None and np.isfinite(s)]
    corners = np.array([*known, *known[:1]], float).reshape(-1, 2)
    return corners[:, 0], corners[:, 1]


def pillar_trail(
    scores: Sequence[_Scores], rounds: Sequence[int], at: int = -1, names: Mapping[str, str] | None = None,
    figure: Figure | None = None,
) -> Figure:  # fmt: skip
    """Draw the pillar scores of every round as faint radars, and one of them in full.

    Parameters
    ----------
    scores : sequence of mapping of str to float or None
        By round: scores in [0, 1] by pillar, the same pillars in all rounds; ``None`` has no evidence and is skipped.
    rounds : sequence of int
        The number of each round.
    at : int
        Which of them is drawn in full, as an index; by default the last.
    names : mapping of str to str, optional
        What the pillars are called, by id.
    figure : Figure, optional
        The picture to redraw.

    Returns
    -------
    matplotlib.figure.Figure
        A later round's ghost is stronger.

    Raises
    ------
    IndexError
        If there is no such round.
    ValueError
        If there is no round, or another number of them than of scores.
    """
    if not rounds or len(rounds) != len(scores):
        raise ValueError(f"scores and rounds must be as many and at least 1, got {len(scores)} and {len(rounds)}")
    chosen, called = scores[at], names or {}
    key = tuple(called.get(pillar, pillar) for pillar in chosen), len(rounds)
    with style.looks():
        if figure is None or style.artists(figure, key) is None:
            figure = _draw(*key)
        parts = style.artists(figure, key) or {}
        angles = parts["angles"]
        parts["ghosts"].set_segments([np.column_stack(_corners(angles, list(each.values()))) for each in scores])
        corners, values = _corners(angles, list(chosen.values()))
        parts["now"].set_data(corners, values)
        parts["area"].set_xy(np.column_stack([corners, values]) if values.size else np.zeros((3, 2)))
        labels = [f"{name}\n{'n/a' if score is None or not np.isfinite(score) else f'{score:.2f}'}"
                  for name, score in zip(key[0], chosen.values(), strict=True)]  # fmt: skip
        parts["axes"].set_xticks(angles, labels)
        parts["word"].set_text(f"round {rounds[at]} of {rounds[-1]}")
    table = [(index, pillar, score, index == rounds[at]) for index, each in zip(rounds, scores, strict=True)
             for pillar, score in each.items()]  # fmt: skip
    return behind.tell_rows(figure, ("round", "pillar", "score", "in_full"), table)
