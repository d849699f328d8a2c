"""Pictures of the VertiBench benchmark: ours in colour, the paper's printed numbers hollow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from trustkit.bench.vertibench_sheet import Cell, Sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["accuracy_dots", "scaling_lines", "solo_bars", "time_bars", "traffic_bars"]

_COLOURS = ("#0072b2", "#d55e00", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#000000")
_SYNTHETIC = "_synthetic"


def _unique(cells: Sequence[Cell]) -> list[Cell]:
    return list(dict.fromkeys(cells))


def _records(sheet: Sheet) -> list[dict[str, Any]]:
    return [dict(zip(sheet.heads, row, strict=True)) for row in sheet.rows]


def _started(wide: float, high: float, sheet: Sheet) -> tuple[Figure, Any]:
    """Return an empty figure, and its panel; a table without rows says so in it."""
    from trustkit.plot import style

    figure = style.blank(wide, high)
    axes = figure.add_subplot()
    axes.set_title(sheet.title, fontsize=10)
    axes.grid(axis="y", color=style.GRID, linewidth=0.5)
    axes.set_axisbelow(True)
    if not sheet.rows:
        axes.text(0.5, 0.5, "nothing was played", ha="center", transform=axes.transAxes)
    return figure, axes


def _named(data: str) -> str:
    return f"{data.removesuffix(_SYNTHETIC)} (synthetic)" if data.endswith(_SYNTHETIC) else data


def _logarithmic(axes: Any) -> None:
    """Write the numbers of a logarithmic axis out."""
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,g}")


def accuracy_dots(sheets: tuple[Sheet, ...]) -> Figure:
    """Draw Table 2: a panel a data set, a place a split, a colour an algorithm.

    Parameters
    ----------
    sheets : tuple of Sheet
        The table's cells first.

    Returns
    -------
    matplotlib.figure.Figure
        Ours as dots with the spread over seeds, the printed mean as a hollow diamond.
    """
    from trustkit.plot import style

    rows = _records(sheets[0])
    names = _unique([row["data"] for row in rows])
    if not names:
        return _started(6, 3, sheets[0])[0]
    figure = style.blank(5.2 if len(names) < 2 else 9.6, 1.0 + 2.6 * ((len(names) + 1) // 2))
    methods = _unique([row["algorithm"] for row in rows])
    for at, name in enumerate(names):
        axes = figure.add_subplot((len(names) + 1) // 2, min(2, len(names)), at + 1)
        axes.set_title(_named(str(name)), fontsize=10)
        _cells(axes, [row for row in rows if row["data"] == name], methods)
    handles: dict[str, Any] = {}
    for axes in figure.axes:
        handles |= dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=3, frameon=False)
    return figure


def _cells(axes: Any, rows: list[dict[str, Any]], methods: list[Cell]) -> None:
    from trustkit.plot import style

    splits = _unique([row["split"] for row in rows])
    axes.set_xticks(range(len(splits)), splits)
    axes.set_ylabel("100 · RMSE" if str(rows[0]["data"]).startswith("msd") else "accuracy, %")
    axes.grid(axis="y", color=style.GRID, linewidth=0.5)
    for which, method in enumerate(methods):
        own = [row for row in rows if row["algorithm"] == method]
        if not own:
            continue
        colour = _COLOURS[which % len(_COLOURS)]
        places = [splits.index(row["split"]) + 0.12 * (which - (len(methods) - 1) / 2) for row in own]
        axes.errorbar(places, [row["ours"] for row in own], [row["± ours"] or 0 for row in own], fmt="o", markersize=4,
                      color=colour, elinewidth=1, label=f"{method}, ours")  # fmt: skip
        axes.scatter(places, [row["printed"] for row in own], marker="D", s=26, facecolors="none", edgecolors=colour,
                     linewidths=0.9, label="printed" if which == 0 else None, zorder=1)  # fmt: skip
    _kept_in(axes, rows)


def _kept_in(axes: Any, rows: list[dict[str, Any]]) -> None:
    """Leave numbers above 100 % out of a panel, and say which."""
    off = [row for row in rows if row["ours"] > 100]
    if off:
        axes.set_ylim(0, 1.3 * max(value for row in rows for value in (row["ours"], row["printed"]) if value <= 100))
        words = ", ".join(f"{row['algorithm']} {row['ours']:,.0f} %" for row in off)
        axes.text(0.98, 0.95, f"off the scale: {words}", ha="right", va="top", transform=axes.transAxes, fontsize=8)


def traffic_bars(sheets: tuple[Sheet, ...]) -> Figure:
    """Draw Figures 3 and 6: bytes by data set and algorithm, as sent and as the authors counted.

    Parameters
    ----------
    sheets : tuple of Sheet
        The closed forms first.

    Returns
    -------
    matplotlib.figure.Figure
        Three panels, logarithmic: total, received and sent; printed numbers as hollow diamonds.
    """
    from trustkit.plot import style

    rows = _records(sheets[0])
    names, methods = _unique([row["data"] for row in rows]), _unique([row["algorithm"] for row in rows])
    figure = style.blank(9.6, 7.2)
    for at, (side, printed) in enumerate((("total", "printed total"), ("max in", "printed in"),
                                          ("max out", "printed out"))):  # fmt: skip
        axes = figure.add_subplot(3, 1, at + 1)
        _logarithmic(axes)
        axes.set_ylabel(f"{side}, MiB")
        axes.set_xticks(range(len(names)), [str(name) for name in names])
        axes.grid(axis="y", color=style.GRID, linewidth=0.5)
        axes.set_axisbelow(True)
        for which, method in enumerate(methods):
            own = [row for row in rows if row["algorithm"] == method]
            _sides(axes, own, names, 0.2 * (which - 1.5), _COLOURS[which], (side, printed), str(method))
    figure.axes[0].set_title(
        f"{sheets[0].title}: bars as sent here, lines as the authors count, diamonds as printed", fontsize=10
    )
    handles, labels = figure.axes[1].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, frameon=False)
    return figure


def _sides(
    axes: Any, rows: list[dict[str, Any]], names: list[Cell], shift: float, colour: str, heads: tuple[str, str],
    label: str,
) -> None:  # fmt: skip
    side, printed = heads
    for row in rows:
        place = names.index(row["data"]) + shift
        if row["accounting"] == "exact" and row[side] is not None:
            axes.bar(place, row[side], 0.18, color=colour, label=label if row["data"] == names[0] else None)
        if row["accounting"] == "paper":
            if row[side] is not None:
                axes.hlines(row[side], place - 0.1, place + 0.1, color="#000000", linewidth=1)
            if row[printed] is not None:
                axes.scatter(place, row[printed], marker="D", s=18, facecolors="none", edgecolors="#000000",
                             linewidths=0.8, zorder=3)  # fmt: skip


def scaling_lines(sheets: tuple[Sheet, ...]) -> Figure:
    """Draw Figure 7: accuracy by number of parties.

    Parameters
    ----------
    sheets : tuple of Sheet
        One.

    Returns
    -------
    matplotlib.figure.Figure
        Ours as full lines, the paper's on gisette dashed.
    """
    figure, axes = _started(6.4, 4.2, sheets[0])
    rows = _records(sheets[0])
    for which, method in enumerate(_unique([row["algorithm"] for row in rows])):
        own = [row for row in rows if row["algorithm"] == method]
        parties, colour = [row["parties"] for row in own], _COLOURS[which]
        axes.errorbar(parties, [row["ours"] for row in own], [row["± ours"] or 0 for row in own], color=colour,
                      marker="o", markersize=4, label=f"{method}, {_named(own[0]['data'])}")  # fmt: skip
        axes.plot(parties, [row["printed, gisette"] for row in own], color=colour, linestyle="--", marker="D",
                  markersize=4, markerfacecolor="none", label=f"{method}, printed, gisette")  # fmt: skip
    axes.set_xscale("log", base=2)
    ticks = _unique([row["parties"] for row in rows])
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.set_xlabel("parties")
    axes.set_ylabel("accuracy, %")
    if rows:
        figure.legend(loc="outside lower center", ncols=2, frameon=False)
    return figure


def time_bars(sheets: tuple[Sheet, ...]) -> Figure:
    """Draw Table 6: seconds to simulate, and modelled seconds of the network, by data set and algorithm.

    Parameters
    ----------
    sheets : tuple of Sheet
        One.

    Returns
    -------
    matplotlib.figure.Figure
        Logarithmic; the printed hours are of another machine and not in it.
    """
    figure, axes = _started(9.6, 4.2, sheets[0])
    rows = [row for row in _records(sheets[0]) if row["CPU seconds"] is not None]
    for shift, head, colour in ((-0.2, "CPU seconds", _COLOURS[0]), (0.2, "network seconds, modelled", _COLOURS[2])):
        axes.bar([at + shift for at in range(len(rows))], [row[head] for row in rows], 0.38, color=colour, label=head)
    made = [" (synthetic)" if "synthetic" in str(row["rows"]) else "" for row in rows]
    words = [f"{row['data']}{more}, {row['algorithm']}" for row, more in zip(rows, made, strict=True)]
    axes.set_xticks(range(len(rows)), words, rotation=60, ha="right", fontsize=7)
    axes.set_ylabel("seconds of the rounds played")
    if rows:
        _logarithmic(axes)
        figure.legend(loc="outside lower center", ncols=2, frameon=False)
    return figure


def solo_bars(sheets: tuple[Sheet, ...]) -> Figure:
    """Draw Table 7: accuracy of each party alone, and of SplitNN of all.

    Parameters
    ----------
    sheets : tuple of Sheet
        One.

    Returns
    -------
    matplotlib.figure.Figure
        A bar each, with the spread over seeds.
    """
    from trustkit.plot import style

    figure, axes = _started(6.4, 3.6, sheets[0])
    rows = _records(sheets[0])
    for row in rows:
        row["who"] = row["who"] if row["data"] == "mfeat" else f"{row['data']}: {row['who']}"
    colours = [style.NOW if str(row["who"]).endswith("SplitNN") else style.BASE for row in rows]
    axes.bar([row["who"] for row in rows], [row["accuracy"] for row in rows], 0.7, color=colours,
             yerr=[row["± accuracy"] or 0 for row in rows])  # fmt: skip
    axes.set_ylabel("accuracy, %")
    axes.tick_params(axis="x", rotation=30)
    return figure
