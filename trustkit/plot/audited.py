"""Pictures of an audit: who holds which groups, what each model does to them, and what a federated model changes."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from trustkit.auditing.result import Audit
from trustkit.auditing.tables import MEASURES, TINY, smallest_groups
from trustkit.metrics.gaps import Gaps, gaps_from_counts
from trustkit.plot import style
from trustkit.records import RunRecord

__all__ = ["local_federated", "model_bars", "sensitive_shares", "value_changes"]

MOST_SHOWN = 30
"""With more clients than this, bars show those with the largest gap only."""

_MOST_NAMED, _PALE = 40, 0.4
_COLOURS = (style.NOW, style.BASE, "#009e73", "#cc79a7", "#e69f00", "#56b4e9")


def _sheet(figure: Figure | None, width: float, height: float) -> tuple[Figure, Any]:
    """Return an empty picture, the earlier one if there is one, and its axes."""
    if figure is None:
        figure = style.blank(width, height)
    else:
        figure.clear()
        figure.set_size_inches(width, height)
        figure.set_layout_engine("constrained")
    axes = figure.add_subplot()
    axes.patch.set_alpha(0)
    return figure, axes


def _settled(figure: Figure) -> Figure:
    """Lay the picture out, and leave it so, whatever it is drawn as and in whatever resolution."""
    FigureCanvasAgg(figure)  # or text would be measured as the last drawing did
    with style.looks():
        for _ in range(2):
            figure.draw_without_rendering()
    figure.set_layout_engine("none")
    return figure


def _attribute(audit: Audit, attribute: str) -> str:
    """Return the attribute, by default the first."""
    name = attribute or next(iter(audit.attributes))
    audit.gaps(name)
    return name


def _model(audit: Audit, model: str) -> int:
    name = model or audit.models[0]
    if name not in audit.models:
        raise KeyError(f"there is no model {name!r}; known are {', '.join(audit.models)}")
    return audit.models.index(name)


def _federated(audit: Audit, record: RunRecord, attribute: str) -> Gaps:
    """Return the gaps of a federated model at the audit's clients."""
    counts = record.groups.get(attribute)
    wanted = (len(audit.clients), len(audit.attributes[attribute]), 2, 2)
    if counts is None or counts.shape != wanted:
        got = "none" if counts is None else f"{counts.shape[0]} and {counts.shape[1]}"
        raise ValueError(
            f"the run must have the audit's {wanted[0]} clients and {wanted[1]} groups of {attribute}, got {got}"
        )
    return gaps_from_counts(counts, MEASURES[audit.measure], audit.min_group)


def sensitive_shares(audit: Audit, attribute: str = "", figure: Figure | None = None) -> Figure:
    """Draw which share of its rows each client has of every value of a protected attribute.

    Parameters
    ----------
    audit : Audit
        Of K clients.
    attribute : str
        By default the audit's first.
    figure : Figure, optional
        The picture to draw on.

    Returns
    -------
    matplotlib.figure.Figure
        A row a client, a column a value; darker is more. Clients without rows are blank.

    Raises
    ------
    KeyError
        If there is no such attribute.
    """
    name = _attribute(audit, attribute)
    sizes = audit.composition[name].sum(axis=-1)
    total = sizes.sum(axis=1, keepdims=True)
    shares = np.divide(sizes, total, out=np.full(sizes.shape, np.nan), where=total > 0)
    clients, values = len(audit.clients), audit.attributes[name]
    with style.looks():
        figure, axes = _sheet(figure, 1.9 + 0.55 * len(values), min(12.0, 1.2 + 0.16 * clients))
        image = axes.imshow(shares, aspect="auto", vmin=0, vmax=1, cmap="Blues", interpolation="nearest")
        axes.set_xticks(range(len(values)), [style.short(value, 14) for value in values], rotation=35, ha="right")
        step = -(-clients // _MOST_NAMED)
        axes.set_yticks(range(0, clients, step), [style.short(each, 16) for each in audit.clients[::step]], fontsize=7)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        if clients * len(values) <= 300:
            for (k, g), share in np.ndenumerate(shares):
                if np.isfinite(share):
                    few = "0" if share == 0 else "<.01" if share < 0.005 else f"{share:.2f}"
                    axes.text(g, k, few, ha="center", va="center", fontsize=6.5,
                              color="#ffffff" if share > 0.6 else style.INK)  # fmt: skip
        axes.set_xlabel(f"{name}: share of a client's rows")
        bar = figure.colorbar(image, ax=axes, shrink=min(1.0, 12 / max(clients, 12)), pad=0.02, ticks=[0, 0.5, 1])
        bar.outline.set_visible(False)
    return _settled(figure)


def model_bars(audit: Audit, attribute: str = "", figure: Figure | None = None) -> Figure:
    """Draw each client's gap for every model, with the models' accuracy as dots.

    Parameters
    ----------
    audit : Audit
        Of K clients, M models.
    attribute : str
        By default the audit's first.
    figure : Figure, optional
        The picture to draw on.

    Returns
    -------
    matplotlib.figure.Figure
        The clients with the largest smaller gap first, 30 at most; n/a where a gap is undefined; pale where a group has
        fewer than 10 test rows; a dotted line at the threshold.

    Raises
    ------
    KeyError
        If there is no such attribute.
    """
    name = _attribute(audit, attribute)
    gap, accuracy = audit.gaps(name).gap[0], audit.accuracy[0]
    least = gap.min(axis=1)
    order = np.argsort(np.where(np.isnan(least), np.inf, -least), kind="stable")[:MOST_SHOWN]
    smallest = smallest_groups(audit, name)
    few, height = (smallest > 0) & (smallest < TINY), 0.8 / len(audit.models)
    with style.looks():
        figure, axes = _sheet(figure, 5.2, 1.3 + 0.24 * max(1, order.size))
        for m, model in enumerate(audit.models):
            y = np.arange(order.size) + (m - (len(audit.models) - 1) / 2) * height
            known = ~np.isnan(gap[order, m])
            colour = _COLOURS[m % len(_COLOURS)]
            bars = axes.barh(y[known], gap[order, m][known], height=height, color=colour, linewidth=0, label=model)
            for bar, pale in zip(bars, few[order][known], strict=True):
                bar.set_alpha(_PALE if pale else 1)
            axes.plot(accuracy[order, m], y, linestyle="none", marker="o", markersize=3.4, markerfacecolor="#ffffff",
                      markeredgecolor=style.INK, markeredgewidth=0.6)  # fmt: skip
            for at in y[~known]:
                axes.text(0, float(at), " n/a", va="center", fontsize=6.5)
        axes.axvline(audit.threshold, color=style.INK, linewidth=1, linestyle=":")
        axes.set_yticks(range(order.size), [style.short(audit.clients[k], 18) for k in order], fontsize=7.5)
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(max(order.size, 1) - 0.4, -0.6)
        axes.set_xlim(0, 1)
        axes.grid(axis="x", color=style.GRID, linewidth=0.5)
        axes.set_axisbelow(True)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel(f"{audit.measure.replace('_', ' ')} of {name} (bars), accuracy (dots)", loc="right")
        more = [f"{order.size} of {len(audit.clients)} clients"] if order.size < len(audit.clients) else []
        more += [f"pale: a group has fewer than {TINY} test rows"] if few[order].any() else []
        handles = [Patch(color=_COLOURS[m % len(_COLOURS)], label=model) for m, model in enumerate(audit.models)]
        axes.legend(handles=handles, frameon=False, fontsize=8, ncols=len(audit.models), loc="lower left",
                    bbox_to_anchor=(0, 1), title="; ".join(more) or None, title_fontsize=8,
                    alignment="left")  # fmt: skip
    return _settled(figure)


def local_federated(
    audit: Audit, record: RunRecord, attribute: str = "", model: str = "", figure: Figure | None = None
) -> Figure:
    """Draw every client's gap with its own model against its gap with the federated model.

    Parameters
    ----------
    audit : Audit
        Best with ``division="held_out"``, so that both models see the same test rows.
    record : RunRecord
        A run over the same clients, in the same order.
    attribute : str
        By default the audit's first.
    model : str
        The local one, by default the audit's first.
    figure : Figure, optional
        The picture to draw on.

    Returns
    -------
    matplotlib.figure.Figure
        Below the diagonal the federated model has the smaller gap. Clients without one of the two gaps are counted, not
        drawn.

    Raises
    ------
    KeyError, ValueError
        If attribute or model are unknown, or the run has other clients or groups.
    """
    name, m = _attribute(audit, attribute), _model(audit, model)
    local, shared = audit.gaps(name).gap[0, :, m], _federated(audit, record, name).gap
    known = ~np.isnan(local) & ~np.isnan(shared)
    reach = 1.08 * max(audit.threshold * 1.3, *local[known].tolist(), *shared[known].tolist())
    with style.looks():
        figure, axes = _sheet(figure, 3.6, 3.5)
        axes.plot([0, reach], [0, reach], color=style.BASE, linewidth=1)
        for draw in (axes.axvline, axes.axhline):
            draw(audit.threshold, color=style.INK, linewidth=0.8, linestyle=":")
        better = shared <= local
        for chosen, colour, word in ((known & better, style.NOW, "no larger"), (known & ~better, style.WARN, "larger")):
            axes.plot(local[chosen], shared[chosen], linestyle="none", marker="o" if word == "no larger" else "^",
                      markersize=4.5, color=colour, alpha=0.85, label=f"{int(chosen.sum())} {word}")  # fmt: skip
        axes.set_xlim(0, reach)
        axes.set_ylim(0, reach)
        axes.set_aspect("equal")
        axes.set_xlabel(f"gap of {name}, {audit.models[m]} at the client")
        axes.set_ylabel("gap with the federated model")
        if not known.all():
            axes.plot([], [], linestyle="none", label=f"{int((~known).sum())} n/a")
        axes.legend(frameon=False, fontsize=8, ncols=3, loc="lower left", bbox_to_anchor=(0, 1), columnspacing=1)
    return _settled(figure)


def value_changes(
    audit: Audit, attribute: str = "", record: RunRecord | None = None, model: str = "", figure: Figure | None = None
) -> Figure:
    """Draw who is worse off at every client, with arrows where another model puts somebody else there.

    Parameters
    ----------
    audit : Audit
        Of K clients.
    attribute : str
        By default the audit's first.
    record : RunRecord, optional
        A federated run over the same clients, to which arrows lead; by default they lead to the audit's last model.
    model : str
        Where arrows start, by default the audit's first.
    figure : Figure, optional
        The picture to draw on.

    Returns
    -------
    matplotlib.figure.Figure
        A column a value that is worse off, height the gap; a dot for a client where it stays the same.

    Raises
    ------
    KeyError, ValueError
        As `local_federated`.
    """
    name, m = _attribute(audit, attribute), _model(audit, model)
    found = audit.gaps(name)
    before = found.gap[0, :, m], found.worse[0, :, m]
    if record is None:
        after, where = (found.gap[0, :, -1], found.worse[0, :, -1]), audit.models[-1]
    else:
        shared = _federated(audit, record, name)
        after, where = (shared.gap, shared.worse), "federated"
    known = ~np.isnan(before[0]) & ~np.isnan(after[0])
    changed = known & (before[1] != after[1])
    values = audit.attributes[name]
    with style.looks():
        figure, axes = _sheet(figure, max(3.2, 1.2 + 0.85 * len(values)), 3.2)
        place = np.linspace(-0.28, 0.28, known.size) if known.size > 1 else np.zeros(known.size)
        stay = known & ~changed
        axes.plot(after[1][stay] + place[stay], after[0][stay], linestyle="none", marker="o", markersize=3.5,
                  color=style.BASE)  # fmt: skip
        for k in np.flatnonzero(changed):
            start, end = ((each[1][k] + place[k], each[0][k]) for each in (before, after))
            axes.annotate("", xy=end, xytext=start, arrowprops={"arrowstyle": "-|>", "color": style.WARN, "lw": 0.9})
            axes.plot(*start, marker="o", markersize=3, color=style.WARN)
        axes.axhline(audit.threshold, color=style.INK, linewidth=0.8, linestyle=":")
        axes.set_xlim(-0.5, len(values) - 0.5)
        axes.set_ylim(0, 1.08 * max([audit.threshold, *before[0][known].tolist(), *after[0][known].tolist()]))
        axes.set_xticks(range(len(values)), [style.short(value, 14) for value in values])
        axes.set_xlabel(f"{name}: worse off")
        axes.set_ylabel(audit.measure.replace("_", " "))
        change = f"{int(changed.sum())} of {int(known.sum())} clients change (arrows), {int(stay.sum())} do not (dots)"
        axes.set_title(f"{audit.models[m]} → {where}\n{change}", fontsize=8, loc="left")
    return _settled(figure)
