"""Pictures of an audit: who holds which groups, and what each model does to them."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from trustkit.auditing.result import Audit
from trustkit.auditing.tables import TINY, smallest_groups
from trustkit.plot import behind, style

__all__ = ["model_bars", "sensitive_shares"]

MOST_SHOWN = 30
"""With more clients than this, bars show those with the largest gap only."""

_MOST_NAMED, _PALE = 40, 0.4
_COLOURS = (style.NOW, style.BASE, "#009e73", "#cc79a7", "#e69f00", "#56b4e9")


def sheet(figure: Figure | None, width: float, height: float) -> tuple[Figure, Any]:
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


def settled(figure: Figure) -> Figure:
    """Lay the picture out, and leave it so, whatever it is drawn as and in whatever resolution."""
    FigureCanvasAgg(figure)  # or text would be measured as the last drawing did
    with style.looks():
        for _ in range(2):
            figure.draw_without_rendering()
    figure.set_layout_engine("none")
    return figure


def attribute_of(audit: Audit, attribute: str) -> str:
    """Return the attribute, by default the first."""
    name = attribute or next(iter(audit.attributes))
    audit.gaps(name)
    return name


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
    name = attribute_of(audit, attribute)
    sizes = audit.composition[name].sum(axis=-1)
    total = sizes.sum(axis=1, keepdims=True)
    shares = np.divide(sizes, total, out=np.full(sizes.shape, np.nan), where=total > 0)
    clients, values = len(audit.clients), audit.attributes[name]
    with style.looks():
        figure, axes = sheet(figure, 1.9 + 0.55 * len(values), min(12.0, 1.2 + 0.16 * clients))
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
    behind.tell(figure, client=np.repeat(audit.clients, len(values)), value=[*values] * clients,
                share=np.ravel(shares))  # fmt: skip
    return settled(figure)


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
    name = attribute_of(audit, attribute)
    gap, accuracy = audit.gaps(name).gap[0], audit.accuracy[0]
    least = gap.min(axis=1)
    order = np.argsort(np.where(np.isnan(least), np.inf, -least), kind="stable")[:MOST_SHOWN]
    smallest = smallest_groups(audit, name)
    few, height = (smallest > 0) & (smallest < TINY), 0.8 / len(audit.models)
    with style.looks():
        figure, axes = sheet(figure, 5.2, 1.3 + 0.24 * max(1, order.size))
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
    models = len(audit.models)
    behind.tell(
        figure, client=np.repeat([audit.clients[k] for k in order], models), model=[*audit.models] * order.size,
        gap=np.ravel(gap[order]), accuracy=np.ravel(accuracy[order]), pale=np.repeat(few[order], models),
        threshold=audit.threshold, measure=audit.measure, attribute=name,
    )  # fmt: skip
    return settled(figure)
