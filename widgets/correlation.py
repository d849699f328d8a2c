"""How correlated the parties are: the matrix with party borders, Pcor of every two parties, Icor between its bounds."""

from __future__ import annotations

from typing import Any, Literal

import ipywidgets as w
from trustkit.widgets.figures import to_svg
from trustkit.widgets.guard import guarded
from trustkit.widgets.kept import Itself
from trustkit.widgets.lab import Lab
from trustkit.widgets.numbers import amount, count
from trustkit.widgets.page import Panel
from trustkit.widgets.split import origin, searching
from trustkit.widgets.strings import say, say_html
from trustkit.widgets.translated import english, translated
from trustkit.widgets.view import View, card, tip

from trustkit import plot
from trustkit.catalogue import PANELS
from trustkit.data import FederatedDataset
from trustkit.rounds import partition_of
from trustkit.split import column_correlation
from trustkit.split.measured import WIDE

__all__ = ["CorrelationPanel"]

Order = Literal["party", "clustered"]


@PANELS.enter("correlation", title="Who holds correlated columns")
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
    views = list[View]()
    signs = [(say("correlation.absolute"), False), (say("correlation.signed"), True)]
    sign = w.ToggleButtons(options=signs, description=say("correlation.values"))
    orders = [(say("correlation.as_they_come"), "party"), (say("correlation.alike"), "clustered")]
    order = w.ToggleButtons(options=orders, description=say("correlation.order"))

    def draw(state: Lab) -> str:
        if state.setting.across_rows:
            return ""
        if state.searching:
            return card(say("correlation.title"), searching(state), "")
        fed, title = state.federated(), say("correlation.title")
        held = state.drag.moving and not any(each.again for each in views)
        return card(title, _words(fed), _pictures(fed, pictures, sign.value, order.value, held))

    def drawn_of(state: Lab) -> Any:
        if state.experiment is None or state.searching or state.setting.across_rows:
            return None
        return Itself(partition_of(state.experiment)), sign.value, order.value

    view = View(lab, draw, ("setting", "search", "still"), "correlation", drawn_of)
    views.append(view)
    choices = w.HBox([sign, order])
    choices.add_class("tk-choices")
    box = Panel(lab, [view, choices], "correlation")
    box.add_class("tk-framed")
    box.add_class("tk-correlation")

    def place(what: str) -> None:
        if what == "setting":
            box.layout.display = "none" if lab.setting.across_rows else ""

    for choice in (sign, order):
        choice.observe(guarded(lab, "correlation", lambda _: view.refresh()), "value")
    lab.watch(place)
    place("setting")
    return box


def _words(fed: FederatedDataset) -> str:
    achieved = fed.partition.achieved
    icor, bounds = achieved.get("icor"), achieved.get("bounds")
    value = say("correlation.unmeasured") if icor is None else amount(icor, 3)
    text = f"{origin(fed)}{say_html('correlation.icor', icor=tip('Icor', say('about.icor')), value=value)}"
    if bounds is not None:
        how = say("correlation.tried") if achieved.get("bounds_exact") else say("correlation.found")
        text += say("correlation.bounds", low=amount(bounds[0], 3), high=amount(bounds[1], 3), how=how)
        asked, got = amount(achieved.get("asked_beta")), amount(achieved.get("beta"), 3)
        text += f" · {say('correlation.beta', asked=asked, achieved=got)}"
    if approximated := achieved.get("approximated"):
        text += f" · {english(translated(approximated))}"
    return text


def _pictures(fed: FederatedDataset, pictures: dict[str, Any], signed: bool, order: Order, moving: bool) -> str:
    """Matrix, gauge and Pcor; while a slider moves, Pcor by party waits: its numbers are on the matrix too."""
    columns = int(fed.data.X.shape[1])
    if columns > WIDE:  # they would be drawn for seconds, while the page stands still
        return f"<p>{say('correlation.wide', most=count(WIDE), columns=count(columns))}</p>"
    corr, achieved = column_correlation(fed.data), fed.partition.achieved
    definition = achieved.get("definition", "paper")
    pictures["matrix"] = matrix = plot.correlation_blocks(
        fed, corr, definition, figure=pictures.get("matrix"), signed=signed, order=order
    )
    if not moving or "pcor svg" not in pictures:
        pictures["pcor"] = pcor = plot.pcor_heatmap(fed, corr, definition, figure=pictures.get("pcor"))
        pictures["pcor svg"] = to_svg(pcor, say("correlation.pcor_label", parties=len(fed)))
    icor, bounds, target = achieved.get("icor"), achieved.get("bounds"), achieved.get("target")
    pictures["gauge"] = gauge = plot.icor_gauge(
        icor, bounds, target, bool(achieved.get("bounds_exact")), figure=pictures.get("gauge")
    )
    sizes = ", ".join(map(str, fed.partition.sizes[:12])) + (" …" if len(fed) > 12 else "")
    shown = {"columns": columns, "parties": len(fed), "sizes": sizes, "icor": amount(icor, 3)}
    blocks = say("correlation.signed_label", **shown) if signed else say("correlation.matrix_label", **shown)
    line = say("correlation.gauge_label", icor=amount(icor, 3))
    if bounds is not None:
        line += say("correlation.gauge_bounds", low=amount(bounds[0], 3), high=amount(bounds[1], 3))
    if target is not None:
        line += say("correlation.gauge_target", target=amount(target, 3))
    by_party = say_html("correlation.pcor", pcor=tip("Pcor", say("about.pcor")))
    return (
        f'<div class="tk-pair"><div>{to_svg(matrix, blocks)}{to_svg(gauge, line)}</div>'
        f'<div>{pictures["pcor svg"]}<p class="tk-sub">{by_party}</p></div></div>'
    )
