"""How correlated the parties are: the matrix with party borders, Pcor of every two parties, Icor between its bounds."""

from __future__ import annotations

from typing import Any, Literal

import ipywidgets as w
from trustkit.widgets.lab import Lab
from trustkit.widgets.numbers import ICOR, PCOR, amount
from trustkit.widgets.page import Panel
from trustkit.widgets.split import origin, searching
from trustkit.widgets.view import View, card, tip

from trustkit import plot
from trustkit.catalogue import PANELS
from trustkit.data import FederatedDataset
from trustkit.split import column_correlation
from trustkit.split.measured import WIDE

__all__ = ["CorrelationPanel"]

TITLE = "Who holds correlated columns"
Order = Literal["party", "clustered"]


@PANELS.enter("correlation", title=TITLE)
def CorrelationPanel(lab: Lab | None = None) -> w.VBox:  # noqa: N802 (a panel reads as a thing)
    """Show how correlated the parties' columns are; it follows the sliders while they move, and hides across rows.

    Parameters
    ----------
    lab : Lab, optional
        The shared state; by default one of its own.

    Returns
    -------
    ipywidgets.VBox
        Two choices, and the view.
    """
    lab = lab or Lab()
    pictures: dict[str, Any] = {}
    sign = w.ToggleButtons(options=[("absolute", False), ("signed", True)], description="values")
    order = w.ToggleButtons(options=[("as they come", "party"), ("alike together", "clustered")], description="order")

    def draw(state: Lab) -> str:
        if state.setting.across_rows:
            return ""
        if state.searching:
            return card(TITLE, searching(state), "")
        fed = state.federated()
        return card(TITLE, _words(fed), _pictures(fed, pictures, sign.value, order.value, state.drag.moving))

    view = View(lab, draw, ("setting", "search", "still"), "correlation")
    choices = w.HBox([sign, order])
    choices.add_class("tk-choices")
    box = Panel(lab, [view, choices])
    box.add_class("tk-framed")
    box.add_class("tk-correlation")

    def place(what: str) -> None:
        if what == "setting":
            box.layout.display = "none" if lab.setting.across_rows else ""

    for choice in (sign, order):
        choice.observe(lambda _: view.refresh(), "value")
    lab.watch(place)
    place("setting")
    return box


def _words(fed: FederatedDataset) -> str:
    achieved = fed.partition.achieved
    icor, bounds = achieved.get("icor"), achieved.get("bounds")
    text = f"{origin(fed)}{tip('Icor', ICOR)} {'not measured by this split' if icor is None else amount(icor, 3)}"
    if bounds is not None:
        exact = "all splits tried" if achieved.get("bounds_exact") else "best found"
        text += f" between {amount(bounds[0], 3)} and {amount(bounds[1], 3)} ({exact})"
        text += f" · β asked {amount(achieved.get('asked_beta'))}, achieved {amount(achieved.get('beta'), 3)}"
    if approximated := achieved.get("approximated"):
        text += f" · {approximated}"
    return text


def _pictures(fed: FederatedDataset, pictures: dict[str, Any], signed: bool, order: Order, moving: bool) -> str:
    """Matrix, gauge and Pcor; while a slider moves, Pcor by party waits: its numbers are on the matrix too."""
    columns = int(fed.data.X.shape[1])
    if columns > WIDE:  # they would be drawn for seconds, while the page stands still
        return f"<p>The correlations are drawn of at most {WIDE:,} columns; this table has {columns:,}.</p>"
    corr, achieved = column_correlation(fed.data), fed.partition.achieved
    definition = achieved.get("definition", "paper")
    pictures["matrix"] = matrix = plot.correlation_blocks(
        fed, corr, definition, figure=pictures.get("matrix"), signed=signed, order=order
    )
    if not moving or "pcor svg" not in pictures:
        pictures["pcor"] = pcor = plot.pcor_heatmap(fed, corr, definition, figure=pictures.get("pcor"))
        pairs = f"Pcor of every two of {len(fed)} parties, on the diagonal that of a party with itself"
        pictures["pcor svg"] = plot.to_svg(pcor, pairs)
    icor, bounds, target = achieved.get("icor"), achieved.get("bounds"), achieved.get("target")
    pictures["gauge"] = gauge = plot.icor_gauge(
        icor, bounds, target, bool(achieved.get("bounds_exact")), figure=pictures.get("gauge")
    )
    sizes = ", ".join(map(str, fed.partition.sizes[:12])) + (" …" if len(fed) > 12 else "")
    kind = "Spearman" if signed else "Absolute Spearman"
    blocks = (
        f"{kind} correlation of {fed.data.X.shape[1]} columns with the borders of {len(fed)} parties holding {sizes} "
        f"columns; Icor {amount(icor, 3)}"
    )
    line = f"Icor {amount(icor, 3)}"
    if bounds is not None:
        line += f" between {amount(bounds[0], 3)} and {amount(bounds[1], 3)}"
    if target is not None:
        line += f", target {amount(target, 3)}"
    return (
        f'<div class="tk-pair"><div>{plot.to_svg(matrix, blocks)}{plot.to_svg(gauge, line)}</div>'
        f'<div>{pictures["pcor svg"]}<p class="tk-sub">{tip("Pcor", PCOR)} by party</p></div></div>'
    )
