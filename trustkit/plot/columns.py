"""The correlation matrix with the borders of the parties."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.path import Path

from trustkit.data import FederatedDataset
from trustkit.metrics.correlation import Definition, pcor_matrix
from trustkit.plot import behind, style
from trustkit.split import column_correlation

__all__ = ["Order", "correlation_blocks", "correlations_of", "name_parties"]

Order = Literal["party", "clustered"]

_MOST_NAMED = 6
_MOST_CELLS = 800
_MOST_COLUMNS = 8192
_ALL_BORDERS = 16
_PLATE = 16.0  # points: the width of the light plate under a number
_OBLONG = Path([(-1.0, -0.55), (1.0, -0.55), (1.0, 0.55), (-1.0, 0.55), (-1.0, -0.55)])


def _draw(cells: int, signed: bool, note: bool, longest: str) -> Figure:
    import seaborn as sns

    figure = style.blank(3.1, 2.75)
    axes = figure.add_subplot()
    axes.patch.set_alpha(0)
    sns.heatmap(
        np.zeros((cells, cells)),
        ax=axes,
        vmin=-1 if signed else 0,
        vmax=1,
        cmap="PRGn" if signed else "mako_r",
        square=True,
        rasterized=True,
        xticklabels=False,
        yticklabels=False,
        cbar_kws={
            "shrink": 0.85,
            "ticks": [-1, 0, 1] if signed else [0, 0.5, 1],
            "label": "Spearman" if signed else "|Spearman|",
        },
    )
    mesh = axes.collections[0]
    axes.tick_params(length=0)
    axes.set_yticks([0], [longest])
    axes.set_xticks([0], [longest])
    if note:
        axes.set_xlabel("a cell is a mean", fontsize=7)
    borders = LineCollection([], colors=style.WARN)
    axes.add_collection(borders, autolim=False)
    plates = axes.scatter([], [], s=_PLATE**2, marker=_OBLONG, color="#ffffff", alpha=0.85, linewidth=0, zorder=2.5)
    parts = {"axes": axes, "mesh": mesh, "borders": borders, "plates": plates, "words": []}
    style.keep(figure, (cells, signed, note, longest), **parts)
    style.settle(figure)
    return figure


def correlation_blocks(
    fed: FederatedDataset,
    corr: np.ndarray | None = None,
    definition: Definition = "paper",
    figure: Figure | None = None,
    signed: bool = False,
    order: Order = "party",
) -> Figure:
    """Draw the Spearman correlations of all columns, sorted by party, with Pcor written on the blocks.

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
    signed : bool
        Whether negative correlations have colours of their own; otherwise absolute values are drawn.
    order : {"party", "clustered"}
        Columns within a party as they are stored, or similar ones side by side (average linkage).

    Returns
    -------
    matplotlib.figure.Figure
        Colours run from 0 to 1, or from −1 to 1, whatever the data, so that two pictures can be compared. With more
        than 800 columns a cell is the mean over several; the picture then says over how many. Where parties are too
        narrow for borders and names of their own, some of these are left out; the picture then says so of borders.

    Raises
    ------
    ValueError
        If the partition is over rows, there are more than 8,192 columns, or the order is unknown.
    """
    corr, owner, parties = correlations_of("correlation_blocks", fed, corr), fed.partition.owner, len(fed)
    if order not in get_args(Order):
        raise ValueError(f"order must be 'party' or 'clustered', got {order!r}")
    place = np.argsort(np.where(owner < 0, parties, owner), kind="stable")
    if order == "clustered":
        place = np.concatenate([_clustered(corr, own, signed) for own in _runs(place, fed.partition.sizes)])
    m = place.size
    side = max(1, -(-m // _MOST_CELLS))  # columns in a cell
    edges = np.concatenate([[0], np.cumsum(fed.partition.sizes)]) / side
    borders, all_drawn = _borders(edges[1:], m / side)
    notes = [f"{m:,} columns; a cell is a mean over {side} × {side}"] if side > 1 else []
    notes += [] if all_drawn else ["not all borders"]
    shape = (-(-m // side), signed, bool(notes), "P10" if parties < 100 else f"P{parties}")
    with style.looks():
        if figure is None or style.artists(figure, shape) is None:
            figure = _draw(*shape)
        parts = style.artists(figure, shape) or {}
        cells = _cells(corr, place, side, signed)
        parts["mesh"].set_array(cells)
        axes = parts["axes"]
        length = m / side
        parts["borders"].set_segments(
            [line for at in borders for line in ([(0, at), (length, at)], [(at, 0), (at, length)])]
        )
        parts["borders"].set_linewidth(1.4 if parties <= _ALL_BORDERS else 0.6)
        centres = (edges[:-1] + edges[1:]) / 2
        name_parties(axes, centres, fed.partition.sizes, m / side, np.arange(parties))
        if notes:
            axes.set_xlabel(", ".join(notes), fontsize=7)
        words = _pcor_words(corr, fed, centres, definition) if parties <= _MOST_NAMED else []
        parts["plates"].set_offsets(np.array([place for place, _ in words]).reshape(-1, 2))
        _write(axes, parts["words"], words)
    names = [str(fed.data.columns[j]) if side == 1 else f"cell {k + 1}" for k, j in enumerate(place[::side])]
    party = [f"P{owner[j] + 1}" if owner[j] >= 0 else None for j in place[::side]]
    return behind.tell(figure, column=names, party=party, **dict(zip(_apart_in_name(names), cells.T, strict=True)))


def correlations_of(picture: str, fed: FederatedDataset, corr: np.ndarray | None) -> np.ndarray:
    """Check what a picture of columns is drawn of, and correlate the columns if that is not done yet.

    Parameters
    ----------
    picture : str
        Its name, for the message.
    fed : FederatedDataset
        Has to be over columns.
    corr : (m, m) array or None
        The correlation matrix, if there is one.

    Returns
    -------
    (m, m) array
        The matrix given, or Spearman's of the training rows.

    Raises
    ------
    ValueError
        If the partition is over rows, there are more than 8,192 columns, or the matrix has another size.
    """
    if fed.partition.axis != "columns":
        raise ValueError(f"{picture} needs a partition over columns, got one over rows")
    m = fed.partition.owner.size
    if m > _MOST_COLUMNS:
        raise ValueError(f"{picture} draws at most {_MOST_COLUMNS:,} columns, got {m:,}")
    if corr is not None and corr.shape != (m, m):
        raise ValueError(f"corr must have a row and a column for each of the {m} columns, got shape {corr.shape}")
    return column_correlation(fed.data) if corr is None else corr


def name_parties(axes: Any, centres: np.ndarray, sizes: np.ndarray, length: float, parties: np.ndarray) -> None:
    """Write P1, P2, … along both axes of a matrix, as far as the names do not run into one another.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Of the matrix.
    centres : (K,) float array
        Where the names stand.
    sizes : (K,) int array
        Columns of each party; larger ones are named first, one without columns not at all.
    length : float
        Of either axis, in the units of the centres.
    parties : (K,) int array
        The parties' numbers, from 0.
    """
    widest = 1 + len(str(parties.max(initial=0) + 1))
    for axis, gap in ((axes.xaxis, max(1 / 14, widest / 20)), (axes.yaxis, 1 / 14)):
        named = _apart(centres, sizes, gap * length)
        axis.set_ticks(centres[named], [f"P{parties[k] + 1}" for k in named], rotation=0)


def _apart(centres: np.ndarray, sizes: np.ndarray, gap: float) -> list[int]:
    """Choose the largest parties whose centres are so far apart."""
    chosen: list[int] = []
    for k in np.argsort(-sizes, kind="stable"):
        if sizes[k] and all(abs(centres[k] - centres[other]) >= gap for other in chosen):
            chosen.append(int(k))
    return sorted(chosen)


def _apart_in_name(names: list[str]) -> list[str]:
    """Names of the table's columns: with their number where a name is there twice, or is that of another column."""
    twice = len({"column", "party", *names}) < len(names) + 2
    return [f"{name} ({k + 1})" if twice else name for k, name in enumerate(names)]


def _runs(place: np.ndarray, sizes: np.ndarray) -> list[np.ndarray]:
    """The columns of each party, and last those of nobody."""
    return np.split(place, np.cumsum(sizes))


def _clustered(corr: np.ndarray, own: np.ndarray, signed: bool) -> np.ndarray:
    """Sort columns so that similar ones are neighbours: the leaves of a tree by average linkage."""
    if own.size < 3:
        return own
    from scipy.cluster.hierarchy import leaves_list, linkage

    block = corr[np.ix_(own, own)]
    distance = 1 - (block if signed else np.abs(block))
    tree = linkage(distance[np.triu_indices(own.size, 1)], "average")
    return np.asarray(own[leaves_list(tree)])


def _cells(corr: np.ndarray, place: np.ndarray, side: int, signed: bool) -> np.ndarray:
    """The matrix in the given order, or means over squares of it."""
    if side == 1:
        found: np.ndarray = corr[np.ix_(place, place)]
        return found if signed else np.abs(found)
    starts = np.arange(0, place.size, side)
    strips = [corr[place[start : start + side]] for start in starts]
    rows = [(strip if signed else np.abs(strip)).mean(axis=0)[place] for strip in strips]
    return np.asarray(np.add.reduceat(rows, starts, axis=1) / np.diff(starts, append=place.size))


def _borders(edges: np.ndarray, length: float) -> tuple[list[float], bool]:
    """The borders to draw, and whether these are all: of many parties only some, so that there is more than borders."""
    inside = np.unique(edges[edges < length])
    if edges.size <= _ALL_BORDERS:
        return inside.tolist(), True
    kept: list[float] = []
    for gap in (length / 64, length / 16):
        kept = []
        for edge in inside:
            if edge - (kept[-1] if kept else 0) >= gap:
                kept.append(float(edge))
        if len(kept) == inside.size:
            return kept, True
    return kept, False


def _pcor_words(
    corr: np.ndarray, fed: FederatedDataset, centres: np.ndarray, definition: Definition
) -> list[tuple[tuple[float, float], str]]:
    """Pcor of every two parties, and where it stands: as far as their block has room for a number."""
    values = pcor_matrix(corr, fed.partition.owner, definition, parties=len(centres))
    wide = fed.partition.sizes >= fed.partition.sizes.sum() / 12
    return [((centres[j], centres[i]), f"{values[i, j]:.2f}".removeprefix("0"))
            for i in range(len(centres)) for j in range(len(centres))
            if i != j and wide[i] and wide[j] and np.isfinite(values[i, j])]  # fmt: skip


def _write(axes: Any, texts: list[Any], words: list[tuple[tuple[float, float], str]]) -> None:
    """Put words in their places; texts that are there are used again, since making one takes longer than drawing it."""
    for text in texts[len(words) :]:
        text.remove()
    del texts[len(words) :]
    for text, (place, word) in zip(texts, words, strict=False):
        text.set(position=place, text=word)
    looks = {"ha": "center", "va": "center_baseline", "fontsize": 7, "color": "#222222"}
    texts += [axes.text(*place, word, **looks) for place, word in words[len(texts) :]]
