"""The correlation matrix with the borders of the parties."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from matplotlib.figure import Figure

from trustkit.data import FederatedDataset
from trustkit.metrics.correlation import pcor_matrix, spearman
from trustkit.plot import style

__all__ = ["correlation_blocks"]

Definition = Literal["paper", "package"]

_MOST_NAMED = 6


def _draw(size: int) -> Figure:
    import seaborn as sns

    figure = style.blank(3.1, 2.75)
    axes = figure.add_subplot()
    axes.patch.set_alpha(0)
    sns.heatmap(
        np.zeros((size, size)),
        ax=axes,
        vmin=0,
        vmax=1,
        cmap="mako_r",
        square=True,
        rasterized=True,
        xticklabels=False,
        yticklabels=False,
        cbar_kws={"shrink": 0.85, "ticks": [0, 0.5, 1], "label": "|Spearman|"},
    )
    mesh = axes.collections[0]
    axes.tick_params(length=0)
    axes.set_yticks([0], ["P10"])
    axes.set_xticks([0], ["P10"])
    style.keep(figure, size, axes=axes, mesh=mesh, borders=[])
    style.settle(figure)
    return figure


def correlation_blocks(
    fed: FederatedDataset,
    corr: np.ndarray | None = None,
    definition: Definition = "paper",
    figure: Figure | None = None,
) -> Figure:
    """Draw the absolute Spearman correlations of all columns, sorted by party, with Pcor written on the blocks.

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
        Colours run from 0 to 1 whatever the data, so that two pictures can be compared.

    Raises
    ------
    ValueError
        If the partition is over rows.
    """
    if fed.partition.axis != "columns":
        raise ValueError("correlation_blocks needs a partition over columns, got one over rows")
    owner, parties = fed.partition.owner, len(fed)
    corr = spearman(fed.data.X[~fed.data.held_out]) if corr is None else corr
    order = np.argsort(np.where(owner < 0, parties, owner), kind="stable")
    with style.looks():
        if figure is None or style.artists(figure, len(order)) is None:
            figure = _draw(len(order))
        parts = style.artists(figure, len(order)) or {}
        parts["mesh"].set_array(np.abs(corr)[np.ix_(order, order)])
        axes = parts["axes"]
        for artist in parts["borders"]:
            artist.remove()
        edges = np.concatenate([[0], np.cumsum(fed.partition.sizes)])
        lines = [
            line(edge, color=style.WARN, linewidth=1.4)
            for edge in edges[1:]
            if edge < len(order)
            for line in (axes.axhline, axes.axvline)
        ]
        centres = (edges[:-1] + edges[1:]) / 2
        named = _apart(centres, fed.partition.sizes)
        ticks = [f"P{k + 1}" for k in named]
        axes.set_xticks(centres[named], ticks, rotation=0)
        axes.set_yticks(centres[named], ticks, rotation=0)
        words = _pcor_words(axes, corr, fed, centres, definition) if parties <= _MOST_NAMED else []
        parts["borders"] = [*lines, *words]
    return figure


def _apart(centres: np.ndarray, sizes: np.ndarray) -> list[int]:
    """The parties whose names do not run into one another: largest first, each a fourteenth of the axis away."""
    chosen: list[int] = []
    for k in np.argsort(-sizes, kind="stable"):
        if sizes[k] and all(abs(centres[k] - centres[other]) >= sizes.sum() / 14 for other in chosen):
            chosen.append(int(k))
    return sorted(chosen)


def _pcor_words(
    axes: Any, corr: np.ndarray, fed: FederatedDataset, centres: np.ndarray, definition: Definition
) -> list[object]:
    values = pcor_matrix(corr, fed.partition.owner, definition, parties=len(centres))
    wide = fed.partition.sizes >= fed.partition.sizes.sum() / 12  # a smaller block has no room for a number
    box = {"boxstyle": "round,pad=0.15", "facecolor": "#ffffff", "edgecolor": "none", "alpha": 0.85}
    return [axes.text(centres[j], centres[i], f"{values[i, j]:.2f}".removeprefix("0"), ha="center", va="center",
                      fontsize=7, color="#222222", bbox=box)
            for i in range(len(centres)) for j in range(len(centres))
            if i != j and wide[i] and wide[j] and np.isfinite(values[i, j])]  # fmt: skip
