"""Fairness, client by client."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets as w
from trustkit.widgets.lab import Lab
from trustkit.widgets.numbers import amount
from trustkit.widgets.view import View, card, tip

from trustkit import plot
from trustkit.catalogue import PANELS
from trustkit.findings import SMALL, fairness_of

__all__ = ["FairnessPanel"]

_BARS = (
    "Demographic disparity (DD): largest minus smallest share of favourable predictions between the groups, on a "
    "client's held-out rows; lines are 95 % intervals. Source: FeDa4Fair; 0.09 is its line."
)
_DIAMONDS = (
    "Equal-opportunity difference (EOD): largest minus smallest true-positive rate between the groups (FeDa4Fair)."
)


@PANELS.enter("fairness", title="Fairness, client by client")
def FairnessPanel(lab: Lab | None = None) -> w.VBox:  # noqa: N802 (a panel reads as a thing)
    """Show each client's disparity and true-positive-rate gap, with a menu of the protected attributes.

    Parameters
    ----------
    lab : Lab, optional
        The shared state; by default one of its own.

    Returns
    -------
    ipywidgets.VBox
        A widget.
    """
    state = lab or Lab()
    menu = w.Dropdown(description="groups by", options=["sex"], layout=w.Layout(width="auto"))
    menu.add_class("tk-attribute")
    view = View(state, _draw(menu), ("outcome", "progress"), "fairness")
    menu.observe(lambda _: view.refresh(), "value")
    box = w.VBox([view, menu])
    box.add_class("tk-framed")
    return box


def _draw(menu: w.Dropdown) -> Callable[[Lab], str]:
    pictures: dict[str, Any] = {}

    def draw(state: Lab) -> str:
        record = state.shown
        if record is not None and not len(record) and state.outcome is not None:
            record = state.outcome.record  # until the first round is there, the last picture stays
        if record is None or not len(record):
            return card("Fairness, client by client", "nothing trained yet", "")
        options = list(record.groups)
        menu.layout.display = "" if len(options) > 1 else "none"
        if options and tuple(options) != menu.options:
            menu.options = options
        gaps = fairness_of(record, menu.value if menu.value in options else None)
        if gaps is None:
            return card("Fairness, client by client", "n/a: this data set names no protected attribute", "")
        pictures["bars"] = figure = plot.client_fairness(
            gaps.disparity,
            gaps.opportunity,
            gaps.names,
            interval=(gaps.low, gaps.high),
            small=gaps.small,
            pooled=gaps.pooled,
            label=f"gap by {gaps.attribute} ({', '.join(gaps.groups)})",
            figure=pictures.get("bars"),
        )
        shown = "" if len(gaps.names) <= 20 else f"20 largest of {len(gaps.names)} · "
        text = f"{shown}{tip('bars DD', _BARS)} · {tip('diamonds EOD', _DIAMONDS)} · hatched: over 0.09"
        text += f" · † a group under {SMALL} rows" if gaps.small.any() else ""
        label = (
            f"Demographic disparity by {gaps.attribute}: {gaps.over} of {len(gaps.names)} clients above 0.09, worst "
            f"{amount(gaps.worst, 3)}, pooled {amount(gaps.pooled, 3)}, {gaps.undefined} not defined"
        )
        return card("Fairness, client by client", text, plot.to_svg(figure, label))

    return draw
