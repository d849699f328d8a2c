"""Who took part in which round: clients by rounds, with a mark of its own for each way in which one was lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path

from trustkit.attendance import BLOCKED, DIVERGED, LEFT_OUT, LOST, UNRECORDED, WORDS, Attendance, attendance_of
from trustkit.horizontal.faults import DELIVERED, DROPPED, FAILED, LATE, UNSELECTED
from trustkit.plot import behind, style
from trustkit.plot.rounds import _ticks
from trustkit.records import RunRecord

__all__ = ["MOST_CLIENTS", "MOST_ROUNDS", "participation_raster"]

MOST_CLIENTS = 100
"""Up to so many clients have a row each; of more, equal groups of neighbours share one of at most 25 rows."""

MOST_ROUNDS = {True: 100, False: 40}
"""Up to so many rounds, on a wide picture and on a narrow one, have a column each; of more, or of groups of clients,
equal spans share one of at most half as many."""

_MARKS: dict[int, tuple[str, str]] = {
    DROPPED: ("x", style.WARN), FAILED: ("+", style.WARN), LATE: ("v", style.WARN), LEFT_OUT: ("D", style.WARN),
    DIVERGED: ("*", style.WARN), BLOCKED: ("_", style.BASE), UNRECORDED: ("o", style.BASE),
}  # fmt: skip
_SHOWN = (DELIVERED, *_MARKS, UNSELECTED)
_FULL = 0.84  # of a cell's height and width
_MANY = 2000  # boxes, beyond which neighbours are joined
_LINE = 0.18  # inches of a line of the legend


@dataclass(frozen=True)
class _Grid:
    """Rows and columns of the picture: how many clients, how many rounds, and how many of each share a cell."""

    clients: int
    rounds: int
    height: int
    width: int

    @property
    def single(self) -> bool:
        return self.height == self.width == 1

    @property
    def rows(self) -> int:
        return -(-self.clients // self.height)

    @property
    def columns(self) -> int:
        return -(-self.rounds // self.width)


def _grid(clients: int, rounds: int, wide: bool) -> _Grid:
    height = 1 if clients <= MOST_CLIENTS else -(-clients // (MOST_CLIENTS // 4))
    few = height == 1 and rounds <= MOST_ROUNDS[wide]
    return _Grid(clients, rounds, height, 1 if few else -(-rounds // (MOST_ROUNDS[wide] // 2)))


def participation_raster(
    record: RunRecord | None, names: Sequence[str] | None = None, wide: bool = True, figure: Figure | None = None
) -> Figure:
    """Draw who took part in which round of a run, one row a client, one column a round.

    Parameters
    ----------
    record : RunRecord or None
        The run; ``None`` or an empty one draws empty axes.
    names : sequence of str, optional
        What the clients are called; by default "client 1" ….
    wide : bool
        Whether it has a whole row of the page to itself.
    figure : Figure, optional
        The picture to redraw.

    Returns
    -------
    matplotlib.figure.Figure
        A full cell took part. Who was asked and lost has a mark that says how, as the legend below tells with the
        number of times; an empty cell was not asked, and rounds that are still to come are shaded. Of more than
        `MOST_CLIENTS` clients or `MOST_ROUNDS` rounds several share a cell: filled up to the share that took part,
        hatched above that for the share that was asked and lost, framed for what is not recorded. A line below says
        how many share a cell, and which share fills one; that is one of 5, 10, 20, 50 and 100 %.

    Raises
    ------
    ValueError
        If there are not as many names as clients.
    """
    found = Attendance(np.zeros(0, int), np.zeros((0, 0), int)) if record is None else attendance_of(record)
    clients = found.codes.shape[1]
    called = tuple(f"client {k + 1}" for k in range(clients)) if names is None or not clients else tuple(names)
    if len(called) != clients:
        raise ValueError(f"names must be one for each of the {clients} clients, got {len(called)}")
    grid = _grid(max(clients, 1), 1 if record is None else record.experiment.rounds, wide)
    kinds = tuple(code for code in _SHOWN if code == DELIVERED or found.count(code))
    shape = (grid, called, kinds, wide)
    cells = _cells(found, grid)
    with style.looks():
        if figure is None or style.artists(figure, shape) is None:
            figure = _draw(*shape)
        parts = style.artists(figure, shape) or {}
        ends = (cells["first"], cells["last"], cells["top"], cells["bottom"])
        full = _full(cells["asked"] / cells["size"])
        shares = {name: cells[name] / cells["size"] / full for name in ("took_part", "lost", "unrecorded")}
        below = np.zeros(len(cells["size"]))
        for name, share in shares.items():
            seen = share if name == "took_part" or not grid.single else 0 * share  # single ones have a mark
            parts[name].set_path(_boxes(*ends, below, seen))
            below = below + share
        for code, line in parts["marks"].items():
            at = np.argwhere(found.codes == code) if grid.single else np.zeros((0, 2), int)
            line.set_data(found.rounds[at[:, 0]] if len(at) else [], at[:, 1])
        for code, word in parts["legend"].items():
            word.set_text(f"{WORDS[code]}: {found.count(code):,}")
        if "shared" in parts:
            parts["shared"].set_text(_shared(grid, full))
        played = int(found.rounds[-1]) if len(found.rounds) else 0
        parts["coming"].set_x(played + 0.5)
        parts["coming"].set_width(grid.rounds - played)
    what = [WORDS[int(code)] for code in found.codes.T.ravel()] if grid.single else None
    return behind.tell(
        figure, client=[_names(called, int(top), int(bottom)) for top, bottom in zip(cells["top"], cells["bottom"],
                                                                                     strict=True)],
        first_round=cells["first"], last_round=cells["last"], asked=cells["asked"], took_part=cells["took_part"],
        lost=cells["lost"], unrecorded=cells["unrecorded"], clients_and_rounds=cells["size"], what=what,
    )  # fmt: skip


def _cells(found: Attendance, grid: _Grid) -> dict[str, np.ndarray]:
    """Count what is in each cell that has a round in it, client by client: rounds and clients as first and last."""
    index, codes = found.rounds, found.codes
    at = (index - 1) // grid.width if len(index) else index
    spans = np.unique(at)
    groups = np.arange(grid.rows if codes.shape[1] else 0)
    starts = groups * grid.height
    size = np.minimum(starts + grid.height, grid.clients) - starts
    kinds = {"took_part": (DELIVERED,), "lost": LOST, "unrecorded": (UNRECORDED,)}
    counts = {}
    for name, wanted in kinds.items():
        by_group = np.add.reduceat(np.isin(codes, wanted), starts, axis=1, dtype=int) if len(starts) else codes
        counts[name] = np.array([by_group[at == span].sum(axis=0) for span in spans], int).T.ravel()
    played = np.array([[index[at == span][0], index[at == span][-1], (at == span).sum()] for span in spans])
    first, last, many = np.tile(played.reshape(-1, 3), (len(groups), 1)).T
    return {
        "top": np.repeat(starts, len(spans)), "bottom": np.repeat(starts + size - 1, len(spans)),
        "first": first, "last": last, "size": np.repeat(size, len(spans)) * many, **counts,
        "asked": sum(counts.values(), np.zeros(len(first), int)),
    }  # fmt: skip


def _boxes(
    first: np.ndarray, last: np.ndarray, top: np.ndarray, bottom: np.ndarray, below: np.ndarray, share: np.ndarray
) -> Path:
    """One path of all boxes: each stands in its cell, on what is below it."""
    first, last, top, bottom, below, share = (each[share > 0] for each in (first, last, top, bottom, below, share))
    if len(first) > _MANY:  # one box for a run of full cells: a lighter picture
        runs = (np.diff(top) == 0) & (first[1:] == last[:-1] + 1) & (share[1:] == 1) & (share[:-1] == 1)
        starts = np.flatnonzero(np.append(True, ~runs))
        last = last[np.append(starts[1:], len(last)) - 1]
        first, top, bottom, below, share = (each[starts] for each in (first, top, bottom, below, share))
    gap = (1 - _FULL) / 2
    left, right = first - 0.5 + gap, last + 0.5 - gap
    full = bottom - top + 1 - 2 * gap
    floor = bottom + 0.5 - gap - below * full
    roof = floor - share * full
    corners = np.stack([left, floor, right, floor, right, roof, left, roof, left, floor], axis=1).reshape(-1, 2)
    codes = np.tile([Path.MOVETO, *[Path.LINETO] * 3, Path.CLOSEPOLY], len(first))
    return Path(corners, codes.astype(Path.code_type))


def _names(called: Sequence[str], top: int, bottom: int) -> str:
    return called[top] if top == bottom else f"{called[top]} … {called[bottom]}"


def _full(shares: np.ndarray) -> float:
    """Return the share that fills a cell: one of a few, so that it seldom changes while a run goes on."""
    most = float(shares.max(initial=0))
    return next(full for full in (0.05, 0.1, 0.2, 0.5, 1.0) if most <= full + 1e-9)


def _shared(grid: _Grid, full: float) -> str:
    clients = f"{grid.height:,} clients a row · " if grid.height > 1 else ""
    rounds = f"{grid.width:,} rounds a column · " if grid.width > 1 else ""
    return f"{clients}{rounds}full height {full:.0%}"


def _draw(grid: _Grid, called: Sequence[str], kinds: Sequence[int], wide: bool) -> Figure:
    row = min(0.17, max(0.055, 3.4 / grid.rows))
    longest = 16 if wide else 10
    shown = [style.short(_names(called, k * grid.height, min((k + 1) * grid.height, grid.clients) - 1), longest * 2)
             for k in range(grid.rows)] if called else [""]  # fmt: skip
    across, width = (4 if wide else 2), (6.6 if wide else 3.3)
    left = 0.2 + 0.068 * max(map(len, shown)) * (1 if row > 0.12 else 0.85)
    lines = -(-len(kinds) // across)
    below = 0.47 + _LINE * lines + (_LINE if not grid.single else 0)
    height = below + row * grid.rows + 0.08
    figure = style.blank(width, height)
    figure.set_layout_engine("none")
    axes = figure.add_axes((left / width, below / height, (width - left - 0.12) / width, row * grid.rows / height))
    axes.patch.set_alpha(0)
    middles = [min(k * grid.height + (grid.height - 1) / 2, grid.clients - 1) for k in range(grid.rows)]
    step = -(-0.115 // row) if row < 0.115 else 1
    each = slice(None, None, int(step))
    axes.set_yticks(middles[each], shown[each], fontsize=9 if row > 0.14 else 7.5)
    axes.tick_params(axis="y", length=0)
    axes.set_xlim(0.5, grid.rounds + 0.5)
    axes.set_ylim(grid.clients - 0.5, -0.5)
    axes.set_xticks(_ticks(grid.rounds))
    axes.set_xlabel("round", labelpad=2)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    floors = np.minimum((np.arange(grid.rows) + 1) * grid.height, grid.clients) - 0.5
    axes.add_collection(LineCollection([[(0.5, y), (grid.rounds + 0.5, y)] for y in floors], colors=style.GRID,
                                       linewidths=0.5, alpha=0.7), autolim=False)  # fmt: skip
    coming = axes.add_patch(Rectangle((0.5, -0.5), 0, grid.clients, facecolor=style.GRID, alpha=0.25, linewidth=0))
    empty = Path(np.zeros((0, 2)))
    looks: dict[str, dict[str, Any]] = {
        "took_part": {"facecolor": style.NOW, "linewidth": 0},
        "lost": {"facecolor": "none", "edgecolor": style.WARN, "hatch": "//////", "linewidth": 0.5},
        "unrecorded": {"facecolor": "none", "edgecolor": style.BASE, "linewidth": 0.8},
    }
    boxes = {name: axes.add_patch(PathPatch(empty, **look)) for name, look in looks.items()}
    cell = 72 * min(row, (width - left - 0.12) / grid.rounds)
    size = min(6.5, max(2.2, 0.66 * cell))
    marks = {code: axes.plot([], [], **_mark(code, size), clip_on=False)[0] for code in kinds if code in _MARKS}
    more = _legend(figure, kinds, across, grid)
    style.keep(figure, (grid, called, kinds, wide), **boxes, marks=marks, coming=coming, **more)
    return figure


def _mark(code: int, size: float) -> dict[str, Any]:
    marker, colour = _MARKS[code]
    smaller = 0.8 if marker == "D" else 1.0
    return {"linestyle": "none", "marker": marker, "markersize": size * smaller, "markeredgecolor": colour,
            "markerfacecolor": "none", "markeredgewidth": 1.1}  # fmt: skip


def _legend(figure: Figure, kinds: Sequence[int], across: int, grid: _Grid) -> dict[str, Any]:
    """Marks and words in columns below the picture, which has no room for them elsewhere."""
    width, height = figure.get_size_inches()
    words = {}
    whole = figure.add_axes((0, 0, 1, 1))
    whole.set_axis_off()
    whole.set_xlim(0, width)
    whole.set_ylim(0, height)
    lines = -(-len(kinds) // across)
    floor = 0.1 + (0 if grid.single else _LINE)
    for place, code in enumerate(kinds):
        x, y = 0.14 + (width - 0.1) / across * (place % across), floor + _LINE * (lines - 1 - place // across)
        lost = code in LOST and not grid.single
        if code == DELIVERED:
            whole.add_patch(Rectangle((x - 0.05, y - 0.05), 0.1, 0.1, facecolor=style.NOW, linewidth=0))
        elif lost or (code == UNRECORDED and not grid.single):
            colour, hatch = (style.WARN, "//////") if lost else (style.BASE, "")
            box = Rectangle(
                (x - 0.05, y - 0.05), 0.1, 0.1, facecolor="none", edgecolor=colour, hatch=hatch, linewidth=0.6
            )
            whole.add_patch(box)
        elif code in _MARKS and (grid.single or code != BLOCKED):
            whole.plot([x], [y], **_mark(code, 6))
        else:
            whole.plot([x - 0.05, x + 0.05], [y - 0.05] * 2, color=style.GRID, linewidth=0.8)
        words[code] = whole.text(x + 0.12, y, "", fontsize=8, va="center")
    shared = {} if grid.single else {"shared": whole.text(0.09, 0.1, "", fontsize=8, va="center")}
    return {"legend": words, **shared}
