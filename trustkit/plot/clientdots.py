"""Each client beside the mean: the curve of all, and a dot for everybody after the last round, by training rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from trustkit.attendance import attendance_of
from trustkit.horizontal.faults import DELIVERED
from trustkit.plot import behind, style
from trustkit.plot.rounds import _ticks
from trustkit.records import RunRecord

__all__ = ["IN_ROUND", "MOST_DOTS", "NOT_IN_ROUND", "client_dots"]

MOST_DOTS = 300
"""Up to so many clients have a dot each; of more, groups of equally many clients, by their rows, share a mark."""

IN_ROUND, NOT_IN_ROUND = "tk-in-round", "tk-not-in-round"
"""Ids, in an SVG, of the dots of the clients that took part in the last round, and of the others; in clients' order."""

_LEGEND = "● took part in the last round   ○ did not"
_LEGEND_GROUPS = "■ median of a group, 5th to 95th percentile"
_GROUPS, _WIDELY = 24, 20
_SPREAD = (0.05, 0.25, 0.5, 0.75, 0.95)
_COLUMNS = ("shown", "round", "client", "training_rows", "measure", "value", "low", "high", "quarter", "three_quarters",
            "in_last_round")  # fmt: skip


def _draw(wide: bool) -> Figure:
    width, height = (6.6, 2.75) if wide else (3.3, 4.95)
    figure = style.blank(width, height)
    figure.set_layout_engine("none")
    if wide:
        places = ((0.62, 0.68, 3.3, 1.72), (4.1, 0.68, 2.35, 1.72))
    else:
        places = ((0.62, 3.2, 2.55, 1.6), (0.62, 0.68, 2.55, 1.55))
    curve, dots = (figure.add_axes((x / width, y / height, w / width, h / height)) for x, y, w, h in places)
    said = ("band: middle half, and lowest to highest", "")
    about = [figure.text((x + w / 2) / width, (y - 0.53) / height, words, fontsize=7.5, ha="center", va="center")
             for (x, y, w, _), words in zip(places, said, strict=True)]  # fmt: skip
    for axes in (curve, dots):
        axes.patch.set_alpha(0)
        axes.grid(axis="y", color=style.GRID, linewidth=0.6)
        axes.set_axisbelow(True)
    curve.set_xlabel("round", labelpad=2)
    if wide:
        dots.tick_params(labelleft=False)
    parts: dict[str, Any] = {"curve": curve, "side": dots, "legend": about[1]}
    flat = ([1, 2], [0, 0], [0, 0])
    parts["all"] = curve.fill_between(*flat, color=style.NOW, alpha=0.13, linewidth=0)
    parts["half"] = curve.fill_between(*flat, color=style.NOW, alpha=0.2, linewidth=0)
    (parts["mean"],) = curve.plot([], [], color=style.NOW, linewidth=2)
    parts["level"] = dots.axhline(0, color=style.NOW, linewidth=1.2, linestyle="--")
    look: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 5.5, "clip_on": False}
    look |= {"markeredgecolor": style.NOW, "markeredgewidth": 1.1}
    for name, gid, face in (("in", IN_ROUND, style.NOW), ("out", NOT_IN_ROUND, "none")):
        (parts[name],) = dots.plot([], [], markerfacecolor=face, gid=gid, **look)
    parts["bars"] = dots.add_collection(LineCollection([], colors=style.NOW, linewidths=1.3, alpha=0.6), autolim=False)
    (parts["groups"],) = dots.plot([], [], linestyle="none", marker="s", markersize=4, color=style.NOW)
    parts["ends"] = [dots.annotate("", (0, 0), (0, up), textcoords="offset points", ha="center", va=side, fontsize=8)
                     for up, side in ((-5, "top"), (5, "bottom"))]  # fmt: skip
    parts["note"] = dots.annotate("", (1, 1), (0, 17), xycoords="axes fraction", textcoords="offset points",
                                  ha="right", va="bottom", fontsize=7.5)  # fmt: skip
    style.keep(figure, wide, **parts)
    return figure


def client_dots(
    record: RunRecord | None, rows: Sequence[int] | np.ndarray | None = None, names: Sequence[str] | None = None,
    measure: Literal["accuracy", "loss"] = "accuracy", wide: bool = True, figure: Figure | None = None,
) -> Figure:  # fmt: skip
    """Draw the mean over clients by round, and beside it every client after the last round by its training rows.

    Parameters
    ----------
    record : RunRecord or None
        A run across rows; ``None`` or an empty one draws empty axes.
    rows : (K,) sequence of int, optional
        Training rows of each client; by default clients stand side by side in their order.
    names : sequence of str, optional
        What the clients are called; by default "client 1" ….
    measure : {"accuracy", "loss"}
        What is drawn: the share of right predictions, or the mean cross-entropy in nats, on each client's test rows.
    wide : bool
        Whether the dots stand beside the curve, or below it.
    figure : Figure, optional
        The picture to redraw.

    Returns
    -------
    matplotlib.figure.Figure
        The curve is the mean of the clients that have test rows, within the band of the middle half and that from the
        lowest to the highest. A dot is full for who took part in the last round, hollow for who did not; the lowest
        and the highest are named. Of more than `MOST_DOTS` clients a square is the median of a group of neighbours by
        rows, with a line from its 5th to its 95th percentile. Accuracy from 0 to 1, loss from 0.

    Raises
    ------
    ValueError
        If the measure is unknown, the run has one joint model, or there are not as many rows or names as clients.
    """
    if measure not in ("accuracy", "loss"):
        raise ValueError(f"measure must be accuracy or loss, got {measure!r}")
    played = 0 if record is None else len(record)
    values = record.stack(measure) if record is not None and played else np.zeros((0, 0))
    clients = values.shape[1]
    if record is not None and played and clients != record.last.selected.size:
        many = record.last.selected.size
        raise ValueError(f"client_dots needs a value for each of the {many} clients, got one joint model")
    called = [f"client {k + 1}" for k in range(clients)] if names is None or not clients else list(names)
    across = np.arange(1, clients + 1) if rows is None or not clients else np.asarray(rows)
    for what, given in (("names", called), ("rows", across)):
        if len(given) != clients:
            raise ValueError(f"{what} must be one for each of the {clients} clients, got {len(given)}")
    rounds = 1 if record is None else record.experiment.rounds
    index = record.index if record is not None and played else np.zeros(0, int)
    there = np.zeros(0, bool) if record is None or not played else attendance_of(record).codes[-1] == DELIVERED
    band = _band(values)
    with style.looks():
        if figure is None or style.artists(figure, wide) is None:
            figure = _draw(wide)
        parts = style.artists(figure, wide) or {}
        parts["mean"].set_data(index, band["mean"])
        parts["all"].set_data(index, band["low"], band["high"])
        parts["half"].set_data(index, band["quarter"], band["three_quarters"])
        _scale(parts, values, rounds, measure, wide, None if rows is None else across)
        table = [("mean", int(i), None, None, measure, *(float(band[name][t]) for name in ("mean", *_BAND)), None)
                 for t, i in enumerate(index)]  # fmt: skip
        last = values[-1] if played else np.zeros(0)
        table += _place(parts, last, across, called, there, int(index[-1]) if played else 0, measure, rows is not None)
        parts["level"].set_visible(bool(played and np.isfinite(band["mean"][-1])))
        parts["level"].set_ydata([band["mean"][-1] if parts["level"].get_visible() else 0] * 2)
    return behind.tell_rows(figure, _COLUMNS, table)


_BAND = ("low", "high", "quarter", "three_quarters")


def _band(values: np.ndarray) -> dict[str, np.ndarray]:
    """Mean, ends and quartiles by round (T,), over the clients that have a value; NaN where none has."""
    found = {name: np.full(len(values), np.nan) for name in ("mean", *_BAND)}
    for t, row in enumerate(values):
        known = row[np.isfinite(row)]
        if known.size:
            ends = known.min(), known.max(), *np.quantile(known, (0.25, 0.75))
            for name, value in zip(("mean", *_BAND), (known.mean(), *ends), strict=True):
                found[name][t] = value
    return found


def _scale(
    parts: dict[str, Any], values: np.ndarray, rounds: int, measure: str, wide: bool, rows: np.ndarray | None
) -> None:
    """Set all axes."""
    top = 1.0
    if measure == "loss":
        top = 1.08 * float(np.max(values, where=np.isfinite(values), initial=0)) or 1.0
    for axes in (parts["curve"], parts["side"]):
        axes.set_ylim(0, top)
        if measure == "accuracy":
            axes.set_yticks([0, 0.25, 0.5, 0.75, 1])
        else:
            axes.yaxis.set_major_locator(MaxNLocator(4))
    said = "accuracy" if measure == "accuracy" else "loss (nats)"
    parts["curve"].set_ylabel(said)
    parts["side"].set_ylabel("" if wide else said)
    parts["curve"].set_xlim(1, max(2, rounds))
    parts["curve"].set_xticks(_ticks(rounds))
    _scale_across(parts["side"], values.shape[1], rows)


def _scale_across(axes: Any, clients: int, rows: np.ndarray | None) -> None:
    """Set the axis of rows: from 0, or logarithmic where the largest client has more than 20 times the smallest's."""
    axes.set_xscale("linear")
    most = max(1, clients) if rows is None else float(max(rows.max(initial=0), 1))
    if rows is not None and rows.min(initial=most) > 0 and most > _WIDELY * rows.min():
        axes.set_xscale("log")
        axes.set_xlim(rows.min() / 1.3, 1.3 * most)
        tens = 10.0 ** np.arange(np.floor(np.log10(rows.min())), np.ceil(np.log10(most)) + 1)
        axes.set_xticks(tens, [f"{each:,.0f}" for each in tens])
        axes.set_xticks([], minor=True)
        axes.set_xlim(rows.min() / 1.3, 1.3 * most)
    else:
        axes.set_xlim(0.4 if rows is None else 0, most + 0.6 if rows is None else 1.06 * most)
        axes.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    axes.set_xlabel("client" if rows is None else "training rows of the client", labelpad=2)


def _place(
    parts: dict[str, Any], last: np.ndarray, across: np.ndarray, called: Sequence[str], there: np.ndarray, index: int,
    measure: str, by_rows: bool,
) -> list[tuple[Any, ...]]:  # fmt: skip
    """Move dots, or marks of groups, and the two names; return their rows of the table."""
    known, few = np.isfinite(last), len(last) <= MOST_DOTS
    own = [int(each) if by_rows else None for each in across]
    alone = _name_ends(parts, last, across, called)
    drawn = known if few else np.isin(np.arange(len(last)), alone)
    for name, chosen in (("in", drawn & there), ("out", drawn & ~there)):
        parts[name].set_data(across[chosen], last[chosen])
    missing = int((~known).sum())
    note = [f"n/a: {missing:,} without test rows"] if missing else []
    each = [("client", index, called[k], own[k], measure, float(last[k]), *[None] * 4, bool(there[k]))
            for k in range(len(last)) if few or drawn[k]]  # fmt: skip
    order = np.flatnonzero(known & (not few))
    order = order[np.argsort(across[order], kind="stable")]
    groups = [part for part in np.array_split(order, _GROUPS) if part.size]
    ends = np.array([np.quantile(last[part], _SPREAD) for part in groups]).reshape(-1, 5)
    middles = np.array([float(np.median(across[part])) for part in groups])
    parts["groups"].set_data(middles, ends[:, 2])
    parts["bars"].set_segments([[(x, low), (x, high)] for x, low, high in zip(middles, ends[:, 0], ends[:, 4],
                                                                               strict=True)])  # fmt: skip
    parts["legend"].set_text(_LEGEND if few else _LEGEND_GROUPS)
    about = [] if few else [f"{len(last):,} clients in groups of about {-(-order.size // _GROUPS):,}"]
    parts["note"].set_text(" · ".join(about + note))
    return each + [("group", index, f"{part.size} clients", x if by_rows else None, measure, end[2], end[0], end[4],
                    end[1], end[3], None) for part, x, end in zip(groups, middles.tolist(), ends.tolist(),
                                                                  strict=True)]  # fmt: skip


def _name_ends(parts: dict[str, Any], last: np.ndarray, across: np.ndarray, called: Sequence[str]) -> list[int]:
    """Name the lowest and the highest, where it is one alone; return who is named."""
    known, named, top = np.flatnonzero(np.isfinite(last)), list[int](), parts["side"].get_ylim()[1]
    for word, end in zip(parts["ends"], (np.min, np.max), strict=True):
        there = known[last[known] == end(last[known])] if known.size > 1 else known[:0]
        alone = there.size == 1
        named += there.tolist() if alone else []
        up = end is np.max or (alone and last[there[0]] < 0.12 * top)
        word.set_position((0, 5 if up else -5))
        word.set_verticalalignment("bottom" if up else "top")
        word.set_text(style.short(called[there[0]], 18) if alone else "")
        word.xy = (float(across[there[0]]), float(last[there[0]])) if alone else (1.0, 0.0)
        share = parts["side"].transAxes.inverted().transform(parts["side"].transData.transform(word.xy))[0]
        word.set_horizontalalignment("left" if share < 0.2 else "right" if share > 0.8 else "center")
    return named
