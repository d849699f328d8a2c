"""Group by group: who is worst off at which client, bias on purpose, and what strategies do about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets as w
from trustkit.widgets.fairness import measured
from trustkit.widgets.figures import to_svg
from trustkit.widgets.injecting import Injecting
from trustkit.widgets.kept import groups
from trustkit.widgets.lab import Lab
from trustkit.widgets.page import Panel
from trustkit.widgets.strategies import Strategies
from trustkit.widgets.strings import say, say_html
from trustkit.widgets.translated import translated
from trustkit.widgets.view import View, card

from trustkit.catalogue import PANELS
from trustkit.disparities import Disparities
from trustkit.findings import SMALL
from trustkit.plot.grouprates import MOST_SHOWN, group_rates

__all__ = ["GroupPanel"]

_KEPT = 6
"""Pictures that are kept: to come back to other groups is then quick."""


@PANELS.enter("groups", title="Fairness, group by group")
def GroupPanel(lab: Lab | None = None) -> w.VBox:  # noqa: N802 (a panel reads as a thing)
    """Show each group's rate at each client, what bias on purpose would do, and strategies compared.

    Parameters
    ----------
    lab : Lab, optional
        The shared state; by default one of its own.

    Returns
    -------
    ipywidgets.VBox
        A widget; hidden across columns.
    """
    state = lab or Lab()
    rates, injecting = View(state, _drawing(), ("outcome", "looking"), "groups", groups), Injecting(state)
    strategies = Strategies(state)
    injecting.box.add_class("tk-injecting")
    pair = w.Box([rates, injecting.box])
    pair.add_class("tk-pair")
    strategies.box.add_class("tk-inner")
    box = Panel(state, [pair, strategies.box], "groups")
    box.add_class("tk-framed")
    box.add_class("tk-groups")

    def show(what: str = "setting") -> None:
        if what == "setting":
            box.layout.display = "" if state.setting.across_rows else "none"

    state.watch(show)
    show()
    return box


def _drawing() -> Callable[[Lab], str]:
    figures: dict[Any, Any] = {}
    drawn: dict[str, Any] = {"of": None, "mark": None, "text": ""}

    def picture(found: Disparities) -> str:
        shape = len(found.names), found.values
        figures[shape] = group_rates(found, figures.pop(shape, None))
        if len(figures) > _KEPT:
            figures.pop(next(iter(figures)))
        return to_svg(figures[shape], _label(found))

    def draw(lab: Lab) -> str:
        record = measured(lab)
        if record is None:
            return card(say("groups.title"), say("page.untrained"), "")
        found = lab.looking.at(record)
        if found is None:
            return card(say("groups.title"), say("fairness.none"), "")
        mark = found.attribute, found.value, found.compared, found.min_group
        if drawn["of"] is not record.last or drawn["mark"] != mark:  # a line, or the view, changes nothing here
            drawn.update(of=record.last, mark=mark, text=card(say("groups.title"), _words(found), picture(found)))
        return str(drawn["text"])

    return draw


def _words(found: Disparities) -> str:
    total = len(found.names)
    said = [say("groups.worst_of", shown=MOST_SHOWN, total=total)] if total > MOST_SHOWN else []
    said.append(say_html("groups.rates", rate=_rate(found), attribute=found.attribute))
    if ((found.sizes > 0) & (found.sizes < SMALL)).any():
        said.append(say("groups.small", rows=SMALL))
    return " · ".join(said)


def _rate(found: Disparities) -> str:
    return {
        "selection": say("groups.selection"),
        "tpr": say("groups.tpr"),
        "accuracy": say("groups.accuracy"),
        "odds": say("groups.odds"),
    }[found.compared.rate]


def _label(found: Disparities) -> str:
    """Who is worst off at how many clients, and in all rows."""
    counts = {value: int((found.worse == g).sum()) for g, value in enumerate(found.values)}
    most = sorted(counts.items(), key=lambda each: -each[1])
    said = ", ".join(say("groups.at", value=translated(value), count=n) for value, n in most if n)
    nobody, rate = say("groups.nobody"), _rate(found)
    pooled = translated(found.values[found.pooled_worse]) if found.pooled_worse >= 0 else nobody
    return say("groups.label", rate=rate[:1].upper() + rate[1:], counts=said or nobody, pooled=pooled)
