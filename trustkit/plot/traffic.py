"""What crosses each party's border: sent to the right, received to the left, by kind of message."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from trustkit.plot import behind, style
from trustkit.plot.curves import COLOURS
from trustkit.records import RunRecord

__all__ = ["MOST_PARTIES", "traffic_bars"]

MOST_PARTIES = 12
"""Of more parties, so many with most traffic are shown."""

_UNITS = (("B", 1.0), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12))
_ROW, _LINE = 0.27, 0.19  # inches
_WIDTH, _LEFT = 4.2, 0.75


def _draw(parties: int, kinds: int) -> Figure:
    below = 0.52 + _LINE * -(-kinds // 2)
    height = 0.4 + _ROW * parties + below
    figure = style.blank(_WIDTH, height)
    figure.set_layout_engine("none")
    axes = figure.add_axes((_LEFT / _WIDTH, below / height, (_WIDTH - _LEFT - 0.15) / _WIDTH, _ROW * parties / height))
    axes.patch.set_alpha(0)
    axes.grid(axis="x", color=style.GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    y, flat = np.arange(parties), np.zeros(parties)
    bars = [[axes.barh(y, flat, height=0.66, color=COLOURS[k % len(COLOURS)], linewidth=0) for k in range(kinds)]
            for _ in range(2)]  # fmt: skip
    axes.axvline(0, color=style.INK, linewidth=0.8)
    axes.set_ylim(parties - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    for edge, words, side in ((0, "← received", "left"), (1, "sent →", "right")):
        axes.text(
            edge, 1 + 0.07 / (_ROW * parties), words, transform=axes.transAxes, fontsize=8.5, ha=side, va="bottom"
        )
    legend = []
    for k in range(kinds):
        x, at = 0.12 + (_WIDTH - 0.2) / 2 * (k % 2), below - 0.5 - _LINE * (k // 2)
        colour = COLOURS[k % len(COLOURS)]
        figure.add_artist(_square(x / _WIDTH, (at - 0.05) / height, 0.11 / _WIDTH, 0.11 / height, colour))
        legend.append(figure.text((x + 0.17) / _WIDTH, at / height, "", fontsize=8.5, va="center"))
    style.keep(figure, (parties, kinds), axes=axes, bars=bars, legend=legend)
    return figure


def _square(x: float, y: float, width: float, height: float, colour: str) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((x, y), width, height, color=colour, linewidth=0)


def traffic_bars(record: RunRecord, figure: Figure | None = None) -> Figure:
    """Draw what each party sent and received in all rounds of a run, by kind of message.

    Parameters
    ----------
    record : RunRecord
        At least one round.
    figure : Figure, optional
        The picture to redraw.

    Returns
    -------
    matplotlib.figure.Figure
        One bar a party: received to the left, sent to the right. Kinds are sorted by size, with what all parties sent
        of each; of more than `MOST_PARTIES` parties only those with most traffic are shown. Where an algorithm does not
        tell kinds apart, all is "messages"; where nothing is sent, bars are empty.
    """
    kinds = record.traffic or {"messages": np.stack([record.bytes_up, record.bytes_down], axis=1)}
    sizes = {kind: sides.sum(axis=0) for kind, sides in kinds.items()}
    names = sorted(sizes, key=lambda kind: (-float(sizes[kind].sum()), kind))
    bars = np.stack([sizes[kind] for kind in names])  # (kinds, 2, K)
    whole = bars.sum(axis=(0, 1))
    shown = np.sort(np.argsort(-whole, kind="stable")[:MOST_PARTIES])
    bars = bars[:, :, shown]
    with style.looks():
        shape = (len(shown), len(names))
        if figure is None or style.artists(figure, shape) is None:
            figure = _draw(*shape)
        parts = style.artists(figure, shape) or {}
        _move(parts, bars, shown)
        for word, kind in zip(parts["legend"], names, strict=True):
            word.set_text(f"{style.short(kind, 22)} {_bytes(float(sizes[kind][0].sum()))}")
    return behind.tell(
        figure, party=np.tile(shown, len(names)), message=np.repeat(names, len(shown)),
        sent_bytes=np.ravel(bars[:, 0]), received_bytes=np.ravel(bars[:, 1]),
    )  # fmt: skip


def _move(parts: dict[str, Any], bars: np.ndarray, shown: Sequence[int] | np.ndarray) -> None:
    axes = parts["axes"]
    for side, sign in ((0, 1), (1, -1)):
        ends = np.zeros(bars.shape[2])
        for patches, widths in zip(parts["bars"][side], bars[:, side], strict=True):
            for patch, start, width in zip(patches, ends, widths, strict=True):
                patch.set_x(sign * start if sign > 0 else -(start + width))
                patch.set_width(width)
            ends = ends + widths
    most = float(bars.sum(axis=0).max(initial=0)) or 1.0
    axes.set_xlim(-1.05 * most, 1.05 * most)
    tens = 10.0 ** np.floor(np.log10(most))
    step = next(tens * part for part in (5, 2, 1) if tens * part <= most)
    places = step * np.arange(-1, 2)
    axes.set_xticks(places, ["0" if not place else _bytes(abs(place)) for place in places], fontsize=8)
    axes.set_yticks(np.arange(len(shown)), [f"party {k}" for k in shown])


def _bytes(size: float) -> str:
    name, unit = next(each for each in reversed(_UNITS) if size >= each[1] or each[1] == 1)
    return f"{size / unit:.3g} {name}"
