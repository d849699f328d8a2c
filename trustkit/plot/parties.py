"""Parties that hold columns: how correlated every two are, and what share of the importance each holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from trustkit.data import FederatedDataset
from trustkit.metrics.correlation import Definition, pcor_matrix
from trustkit.plot import behind, style
from trustkit.plot.columns import correlations_of, name_parties

__all__ = ["party_shares", "pcor_heatmap"]

_MOST_WRITTEN = 8
_MOST_PAIRED = 64
_MOST_BARS = 100
_MOST_NAMED = 16
_ENDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


def _draw_pairs(parties: int) -> Figure:
    import seaborn as sns

    figure = style.blank(3.1, 2.75)
    axes = figure.add_subplot()
    axes.patch.set_alpha(0)
    sns.heatmap(
        np.zeros((parties, parties)),
        ax=axes,
        vmin=0,
        vmax=1,
        cmap="mako_r",
        square=True,
        rasterized=True,
        xticklabels=False,
        yticklabels=False,
        cbar_kws={"shrink": 0.85, "ticks": [0, 0.5, 1], "label": "Pcor"},
    )
    axes.set_xticks([0], ["P10"])
    axes.set_yticks([0], ["P10"])
    axes.tick_params(length=0)
    axes.set_xlabel("largest 0.00", fontsize=8)
    style.keep(figure, parties, axes=axes, mesh=axes.collections[0], words=[])
    style.settle(figure)
    return figure


def pcor_heatmap(
    fed: FederatedDataset,
    corr: np.ndarray | None = None,
    definition: Definition = "paper",
    figure: Figure | None = None,
) -> Figure:
    """Draw the correlation between every two parties, and on the diagonal that inside each.

    Parameters
    ----------
    fed : FederatedDataset
        Over columns, K parties.
    corr : (m, m) array, optional
        The correlation matrix; by default Spearman's of the training rows.
    definition : {"paper", "package"}
        Of Pcor.
    figure : Figure, optional
        The picture to redraw.

    Returns
    -------
    matplotlib.figure.Figure
        Colours run from 0 to 1; Pcor may be above 1 where parties differ in size, and then has the colour of 1. The
        numbers are written on the cells of up to 8 parties, and the largest below. A party without columns is n/a. With
        more than 64 parties, only the 64 with most columns are drawn; the picture then says so.

    Raises
    ------
    ValueError
        If the partition is over rows, or there are more than 8,192 columns.
    """
    corr, owner = correlations_of("pcor_heatmap", fed, corr), fed.partition.owner
    shown = np.sort(np.argsort(-fed.partition.sizes, kind="stable")[:_MOST_PAIRED])
    count, place = shown.size, np.full(len(fed) + 1, -1)  # the last place is that of nobody
    place[shown] = np.arange(count)
    values = pcor_matrix(corr, place[owner], definition, parties=count)
    known = np.isfinite(values)
    with style.looks():
        if figure is None or style.artists(figure, count) is None:
            figure = _draw_pairs(count)
        parts = style.artists(figure, count) or {}
        axes = parts["axes"]
        parts["mesh"].set_array(np.ma.masked_invalid(np.minimum(values, 1)))
        name_parties(axes, np.arange(count) + 0.5, np.ones(count, int), count, shown)
        some = f"{count} of {len(fed):,} parties, " if count < len(fed) else ""
        axes.set_xlabel(some + (f"largest {values[known].max():.2f}" if known.any() else "n/a"), fontsize=8)
        for word in parts["words"]:
            word.remove()
        parts["words"] = [] if count > _MOST_WRITTEN else [_number(axes, i, j, values[i, j])
                                                           for i in range(count) for j in range(count)]  # fmt: skip
    called = [f"P{k + 1}" for k in shown]
    return behind.tell(figure, party=np.repeat(called, count), other=called * count, pcor=np.ravel(values))


def _number(axes: Any, i: int, j: int, value: float) -> Any:
    """Write a number on a cell; n/a, where the cell has no colour, in that of the page's text."""
    place = {"x": j + 0.5, "y": i + 0.5, "ha": "center", "va": "center", "fontsize": 7}
    if not np.isfinite(value):
        return axes.text(s="n/a", **place)
    box = {"boxstyle": "round,pad=0.15", "facecolor": "#ffffff", "edgecolor": "none", "alpha": 0.85}
    return axes.text(s=f"{value:.2f}".removeprefix("0"), color="#222222", bbox=box, **place)


def _draw_shares(names: tuple[str, ...], what: str, asked: bool) -> Figure:
    figure = style.blank(3.1, 2.75)
    axes = figure.add_subplot()
    axes.patch.set_alpha(0)
    count = len(names)
    y, step = np.arange(count), -(-count // _MOST_NAMED)
    size = 9 if count <= 12 else 7
    bars = axes.barh(y, np.ones(count), color=style.NOW, height=0.7, linewidth=0, alpha=0.85, label="achieved")
    (marks,) = axes.plot([], [], linestyle="none", marker="D", markersize=4.5 if count <= 20 else 2.5, clip_on=False,
                         markerfacecolor="none", markeredgecolor=style.INK, markeredgewidth=0.9, zorder=3,
                         label="asked")  # fmt: skip
    words = [axes.text(0, float(k), "", va="center", fontsize=8) for k in y] if count <= 12 else []
    axes.set_yticks(y[::step], names[::step], fontsize=size)
    axes.set_ylim(count - 0.4, -0.6)
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.5, 1], ["0", "50 %", "100 %"])
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel(f"share of {what}")
    if asked:
        figure.legend(handles=[bars, marks], loc="outside upper center", ncols=2, frameon=False, fontsize=8,
                      handlelength=1.2)  # fmt: skip
    style.keep(figure, (names, what, asked), axes=axes, bars=bars, marks=marks, words=words)
    style.settle(figure)
    return figure


def party_shares(
    shares: np.ndarray,
    asked: np.ndarray | None = None,
    names: Sequence[str] | None = None,
    what: str = "importance",
    figure: Figure | None = None,
) -> Figure:
    """Draw the share that each party holds as a bar, and the share that was asked for as a diamond.

    Parameters
    ----------
    shares : (K,) float array
        In [0, 1]; NaN where a share is not defined, shown as n/a.
    asked : (K,) float array, optional
        In [0, 1].
    names : sequence of K str, optional
        The parties; by default P1, P2, …
    what : str
        Of what these are shares.
    figure : Figure, optional
        The picture to redraw.

    Returns
    -------
    matplotlib.figure.Figure
        Bars by party. With more than 100 parties, only those with the 100 largest shares. The axis ends at 1, 2, 5, 10,
        20, 50 or 100 %, the first that is enough.

    Raises
    ------
    ValueError
        If the shares asked for, or the names, are not one for each party.
    """
    shares = np.asarray(shares, float)
    wanted = np.full(shares.size, np.nan) if asked is None else np.asarray(asked, float)
    called = [f"P{k + 1}" for k in range(shares.size)] if names is None else [style.short(name, 18) for name in names]
    for thing, given in (("asked", wanted.size), ("names", len(called))):
        if given != shares.size:
            raise ValueError(f"{thing} must have one value for each of the {shares.size} parties, got {given}")
    shown = np.sort(np.argsort(np.where(np.isfinite(shares), -shares, 1), kind="stable")[:_MOST_BARS])
    shape = (tuple(called[k] for k in shown), what, asked is not None)
    with style.looks():
        if figure is None or style.artists(figure, shape) is None:
            figure = _draw_shares(*shape)
        parts = style.artists(figure, shape) or {}
        _move(parts, shares[shown], wanted[shown])
    return behind.tell(figure, party=[f"P{k + 1}" if names is None else names[k] for k in shown], share=shares[shown],
                       asked=None if asked is None else wanted[shown], share_of=what)  # fmt: skip


def _move(parts: dict[str, Any], shares: np.ndarray, wanted: np.ndarray) -> None:
    known = np.concatenate([shares, wanted])
    most = float(known[np.isfinite(known)].max(initial=0))
    end = next((end for end in _ENDS if most <= end), 1.0)
    for bar, share in zip(parts["bars"], shares, strict=True):
        bar.set_width(share if np.isfinite(share) else 0)
    for k, word in enumerate(parts["words"]):
        share, mark = shares[k], wanted[k]
        right = share if np.isfinite(share) else 0.0
        if right - 0.03 * end < mark < right + 0.25 * end:  # the mark stands where the number would
            right = mark + 0.04 * end
        word.set_text(f"{100 * share:.3g} %" if np.isfinite(share) else "n/a")
        word.set_position((right + 0.02 * end, k))
    parts["marks"].set_data(wanted, np.arange(wanted.size))
    parts["axes"].set_xlim(0, end * (1.2 if parts["words"] else 1.02))  # the longest bar's number has room
    parts["axes"].set_xticks([0, end / 2, end], ["0", f"{50 * end:g} %", f"{100 * end:g} %"])
