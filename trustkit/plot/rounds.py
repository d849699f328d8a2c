"""Accuracy by round, with a band over the clients."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import MaxNLocator

from trustkit.findings import Quality, quality_of
from trustkit.plot import behind, style
from trustkit.records import RunRecord

__all__ = ["accuracy_by_round"]


def _draw(wide: bool) -> Figure:
    width, height = (6.6, 1.9) if wide else (3.3, 2.2)
    figure = style.blank(width, height)
    figure.set_layout_engine("none")  # to find these margins anew takes longer than the picture
    axes = figure.add_axes((0.645 / width, 0.48 / height, (width - 0.69) / width, (height - 0.58) / height))
    axes.patch.set_alpha(0)
    band = axes.fill_between([1, 2], [0, 0], [1, 1], color=style.NOW, alpha=0.16, linewidth=0)
    (base,) = axes.plot([], [], "--", color=style.BASE, linewidth=1.4)
    (now,) = axes.plot([], [], color=style.NOW, linewidth=2)
    (dot,) = axes.plot([], [], color=style.NOW, marker="o", markersize=5, linestyle="none")
    word = axes.text(1, 0.5, "", color=style.NOW, va="center", fontsize=8.5)
    base_word = axes.text(1, 0.5, "", color=style.BASE, va="bottom", ha="right", fontsize=8.5)
    axes.grid(axis="y", color=style.GRID, linewidth=0.6)
    axes.set_xlabel("round")
    style.keep(figure, wide, axes=axes, band=band, base=base, now=now, dot=dot, word=word, base_word=base_word)
    return figure


def _ticks(rounds: int) -> list[int]:
    """Round 1 and a few round numbers."""
    step = next(s for s in (1, 2, 5, 10, 20, 50, 100, 10**9) if rounds / s <= 6)
    return [1, *(k for k in range(step, rounds + 1, step) if k > 1 + step / 4)]


def _mean(accuracy: np.ndarray) -> np.ndarray:
    known = np.isfinite(accuracy)
    return np.where(known.any(1), np.nansum(accuracy, 1) / np.maximum(known.sum(1), 1), np.nan)


def _scale(axes: Any, quality: Quality | None, before: Quality | None) -> tuple[float, str]:
    """Set the upright axis; return its upper end, and how a number is written."""
    if quality is None or quality.higher:
        axes.set_ylim(0, 1)
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1])
        axes.set_ylabel("accuracy")
        return 1.0, "3f"
    values = np.concatenate([each.values.ravel() for each in (quality, before) if each is not None])
    top = 1.1 * float(np.nanmax(values)) or 1.0
    axes.set_ylim(0, top)
    axes.yaxis.set_major_locator(MaxNLocator(4))
    axes.set_ylabel("RMSE")
    return top, "4g"


def _name_baseline(word: Text, rounds: int, ends: float, now: float, top: float) -> None:
    """Write "baseline" at its line's end, on the side that the other line is not."""
    known = bool(np.isfinite(ends))
    word.set_text("baseline" if known else "")
    above = known and (ends >= now or ends < 0.15 * top) and ends < 0.85 * top
    word.set_verticalalignment("bottom" if above else "top")
    word.set_position((max(rounds, 1), (ends + (0.03 if above else -0.03) * top) if known else 0.5))


def accuracy_by_round(
    record: RunRecord | None, baseline: RunRecord | None = None, wide: bool = True, figure: Figure | None = None
) -> Figure:
    """Draw the mean test accuracy over clients by round, with a band from the worst to the best client.

    Where the target is a number it is the joint model's RMSE.

    Parameters
    ----------
    record : RunRecord or None
        The run; ``None`` or an empty one draws empty axes.
    baseline : RunRecord, optional
        Drawn dashed.
    wide : bool
        Whether it has a whole row to itself.
    figure : Figure, optional
        The picture to redraw.

    Returns
    -------
    matplotlib.figure.Figure
        Accuracy always from 0 to 1, so that two pictures can be compared; RMSE from 0.
    """
    rounds = 1 if record is None else record.experiment.rounds
    longest = max(rounds, 1 if baseline is None else len(baseline))
    with style.looks():
        if figure is None or style.artists(figure, wide) is None:
            figure = _draw(wide)
        parts = style.artists(figure, wide) or {}
        played = 0 if record is None else len(record)
        index = np.arange(1, played + 1) if record is None else record.index
        quality = None if record is None else quality_of(record)
        accuracy = np.full((0, 1), np.nan) if quality is None else quality.values
        mean = _mean(accuracy)
        known = np.isfinite(accuracy)
        some = known.any(1)
        low = np.where(some, np.min(accuracy, axis=1, initial=1, where=known), np.nan)
        low = np.where(known.sum(1) == 1, mean, low)  # of one joint model there is no band
        high = np.where(some, np.max(accuracy, axis=1, initial=0, where=known), np.nan)
        parts["now"].set_data(index, mean)
        parts["dot"].set_data(index[-1:], mean[-1:])
        parts["band"].set_data(index, low, high)
        parts["axes"].set_xlim(1, max(2, longest) * (1.12 if wide else 1.38))  # room for the last value
        parts["axes"].set_xticks(_ticks(longest))
        before = None if baseline is None else quality_of(baseline)
        before = None if before is None or (quality and quality.name != before.name) else before
        top, digits = _scale(parts["axes"], quality, before)
        latest = float(mean[-1]) if played else 0.5
        parts["word"].set_text("" if not played else f"now {latest:.{digits}}" if np.isfinite(latest) else "now n/a")
        place = latest if np.isfinite(latest) else 0.5 * top
        parts["word"].set_position((float(index[-1]) + (0.012 if wide else 0.03) * longest if played else 1, place))
        earlier = np.zeros((0, 1)) if before is None else before.values
        parts["base"].set_data(np.arange(1, len(earlier) + 1), _mean(earlier))
        ends = _mean(earlier)[-1:]
        _name_baseline(parts["base_word"], len(earlier), float(ends[0]) if ends.size else np.nan, place, top)
    shown, behind_it = len(mean), len(earlier)
    return behind.tell(
        figure, run=["now"] * shown + ["baseline"] * behind_it, round=[*index[:shown], *range(1, behind_it + 1)],
        measure="accuracy" if quality is None else quality.name, mean=[*mean, *_mean(earlier)],
        lowest=[*low, *[None] * behind_it], highest=[*high, *[None] * behind_it],
    )  # fmt: skip
