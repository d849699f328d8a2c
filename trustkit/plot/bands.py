"""How far trust and its pillars depend on weights and normalisers that could have been others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.figure import Figure

from trustkit.plot import behind, style
from trustkit.trust import Sensitivity

__all__ = ["score_bands"]


def _draw(names: tuple[str, ...]) -> Figure:
    rows = len(names)
    height = 0.6 + 0.3 * rows
    figure = style.blank(4.6, height)
    figure.set_layout_engine("none")
    axes: Any = figure.add_axes((0.3, 0.45 / height, 0.48, 0.3 * rows / height))
    axes.patch.set_alpha(0)
    axes.set_xlim(0, 1)
    axes.set_ylim(rows - 0.5, -0.5)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1])
    axes.set_yticks(range(rows), [style.short(name, 22) for name in names])
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x", color=style.GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel("score · | middle draw · ● as given")
    bands = axes.barh(range(rows), [0.0] * rows, height=0.52, color=style.NOW, alpha=0.35, linewidth=0)
    (middle,) = axes.plot([], [], linestyle="none", marker="|", markersize=13, color=style.INK)
    (given,) = axes.plot([], [], linestyle="none", marker="o", markersize=5, color=style.NOW)
    words = [axes.text(1.04, y, "", va="center", fontsize=8.5, clip_on=False) for y in range(rows)]
    style.keep(figure, names, bands=bands, middle=middle, given=given, words=words)
    return figure


def score_bands(
    found: Sensitivity, names: Mapping[str, str] | None = None, level: float = 0.9, figure: Figure | None = None
) -> Figure:  # fmt: skip
    """Draw the band in which trust and each pillar lie under sampled weights and normalisers.

    Parameters
    ----------
    found : Sensitivity
        Samples of `trustkit.sensitivity`.
    names : mapping of str to str, optional
        What trust and the pillars are called, by id.
    level : float
        Share of the draws inside a band, in (0, 1].
    figure : Figure, optional
        The picture to redraw.

    Returns
    -------
    matplotlib.figure.Figure
        One band for trust and each pillar with evidence, from 0 to 1, with the median draw and the score as given.

    Raises
    ------
    ValueError
        If the level is out of range.
    """
    called = names or {}
    shown = {name: called.get(name, name) for name in found.samples}
    scores = {"trust": found.report.score, **found.report.pillars}
    key = tuple(shown.values())
    with style.looks():
        if figure is None or style.artists(figure, key) is None:
            figure = _draw(key)
        parts = style.artists(figure, key) or {}
        for bar, word, name in zip(parts["bands"], parts["words"], shown, strict=True):
            low, high = found.interval(name, level)
            bar.set_x(low)
            bar.set_width(high - low)
            word.set_text(f"{low:.2f} to {high:.2f}")
        rows = range(len(shown))
        parts["middle"].set_data([_median(found, name) for name in shown], rows)
        parts["given"].set_data([scores[name] for name in shown], rows)
    table = [(name, *found.interval(name, level), _median(found, name), scores[name], level) for name in shown]
    return behind.tell_rows(figure, ("score_of", "low", "high", "median", "given", "level"), table)


def _median(found: Sensitivity, name: str) -> float:
    ordered = sorted(found.samples[name])
    return float(ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
