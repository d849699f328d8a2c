"""Which client holds how much of which class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from trustkit.data import FederatedDataset
from trustkit.plot import behind, style

__all__ = ["label_shares"]

_MOST_NAMED = 20

_COLOURS = (
    "#0173b2",
    "#de8f05",
    "#029e73",
    "#d55e00",
    "#cc78bc",
    "#ca9161",
    "#fbafe4",
    "#949494",
    "#ece133",
    "#56b4e9",
)
"""Seaborn's "colorblind": written out, as the app opens on it and loading seaborn takes longer than drawing."""


def _palette(count: int) -> Sequence[Any]:
    if count <= len(_COLOURS):
        return _COLOURS[:count]
    import seaborn as sns

    colours: Sequence[Any] = sns.color_palette("husl", count)
    return colours


def _names(fed: FederatedDataset) -> tuple[str, ...]:
    """Natural clients by their names, others by their numbers."""
    given = fed.partition.achieved.get("names") or [f"client {k + 1}" for k in range(len(fed))]
    return tuple(style.short(str(name), 18) for name in given)


def _draw(names: tuple[str, ...], classes: tuple[str, ...]) -> Figure:
    figure = style.blank(3.1, 2.75)
    figure.set_layout_engine("none")
    parties, left = len(names), 0.21 if max(map(len, names)) <= 10 else 0.4
    axes = figure.add_axes((left, 0.17, 0.94 - left, 0.72))
    axes.patch.set_alpha(0)
    palette = _palette(len(classes))
    y = np.arange(parties)
    bars = [
        axes.barh(y, np.full(parties, 1.0), color=palette[c], height=0.78, linewidth=0) for c in range(len(classes))
    ]
    step = -(-parties // _MOST_NAMED)
    axes.set_yticks(y[::step], names[::step], fontsize=9 if parties <= 12 and left < 0.3 else 7)
    axes.set_ylim(parties - 0.4, -0.6)
    axes.set_xlim(0, 1)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("rows (largest client = 1)")
    if len(classes) <= 6:
        axes.legend(
            bars,
            classes,
            ncols=min(3, len(classes)),
            loc="lower left",
            bbox_to_anchor=(left if sum(map(len, classes)) < 24 else 0.02, 0.89),
            bbox_transform=figure.transFigure,
            frameon=False,
            fontsize=8,
            handlelength=1,
            columnspacing=1,
            borderpad=0,
        )
    style.keep(figure, (names, classes), bars=bars)
    return figure


def label_shares(fed: FederatedDataset, figure: Figure | None = None) -> Figure:
    """Draw how many rows of each class every client holds.

    Parameters
    ----------
    fed : FederatedDataset
        Over rows, K clients, a classification task.
    figure : Figure, optional
        The picture to redraw.

    Returns
    -------
    matplotlib.figure.Figure
        One bar a client; lengths are relative to the largest client, colours are classes.

    Raises
    ------
    ValueError
        If the partition is over columns, or the target is a number.
    """
    if fed.partition.axis != "rows":
        raise ValueError("label_shares needs a partition over rows, got one over columns")
    if not fed.data.classes:
        raise ValueError(f"label_shares needs classes, and the target of {fed.data.name} is a number")
    parties, classes, names = len(fed), fed.data.classes, _names(fed)
    owner = fed.partition.owner
    owned = owner >= 0
    counts = np.bincount(owner[owned] * len(classes) + fed.data.y[owned], minlength=parties * len(classes))
    shares = counts.reshape(parties, len(classes)) / max(1, counts.reshape(parties, -1).sum(1).max())
    starts = np.cumsum(shares, axis=1) - shares
    with style.looks():
        if figure is None or style.artists(figure, (names, classes)) is None:
            figure = _draw(names, classes)
        parts = style.artists(figure, (names, classes)) or {}
        for c, container in enumerate(parts["bars"]):
            for k, bar in enumerate(container):
                bar.set_x(starts[k, c])
                bar.set_width(shares[k, c])
    return behind.tell(figure, client=np.repeat(names, len(classes)), label=[*classes] * parties, rows=counts,
                       share_of_largest=np.ravel(shares))  # fmt: skip
