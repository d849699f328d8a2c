"""Group by group: who is worst off at which client, bias on purpose, and what strategies do about it."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import Any

import ipywidgets as w
from trustkit.widgets.fairness import NONE, measured
from trustkit.widgets.injecting import Injecting
from trustkit.widgets.lab import Lab
from trustkit.widgets.page import Panel
from trustkit.widgets.strategies import Strategies
from trustkit.widgets.view import View, card

from trustkit.catalogue import PANELS
from trustkit.disparities import Disparities
from trustkit.findings import SMALL
from trustkit.plot import to_svg
from trustkit.plot.grouprates import MOST_SHOWN, group_rates

__all__ = ["GroupPanel"]

_TITLE = "Fairness, group by group"
_KEPT = 6
"""Pictures that are kept: to come back to other groups is then quick."""

_RATES = {"selection": "share of favourable predictions", "tpr": "true positive rate", "accuracy": "accuracy",
          "odds": "true or false positive rate, whichever differs more"}  # fmt: skip


@PANELS.enter("groups", title=_TITLE)
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
    rates, injecting = View(state, _drawing(), ("outcome", "looking"), "groups"), Injecting(state)
    strategies = Strategies(state)
    injecting.box.add_class("tk-injecting")
    pair = w.Box([rates, injecting.box])
    pair.add_class("tk-pair")
    strategies.box.add_class("tk-inner")
    box = Panel(state, [pair, strategies.box])
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
            return card(_TITLE, "nothing trained yet", "")
        found = lab.looking.at(record)
        if found is None:
            return card(_TITLE, NONE, "")
        mark = found.attribute, found.value, found.compared, found.min_group
        if drawn["of"] is not record.last or drawn["mark"] != mark:  # a line, or the view, changes nothing here
            drawn.update(of=record.last, mark=mark, text=card(_TITLE, _words(found), picture(found)))
        return str(drawn["text"])

    return draw


def _words(found: Disparities) -> str:
    total = len(found.names)
    text = f"{min(MOST_SHOWN, total)} worst of {total} clients · " if total > MOST_SHOWN else ""
    text += f"{_RATES[found.compared.rate]} of each group of {html.escape(found.attribute)} · ▼ worst off"
    return text + (f" · † under {SMALL} rows" if ((found.sizes > 0) & (found.sizes < SMALL)).any() else "")


def _label(found: Disparities) -> str:
    """Who is worst off at how many clients, and in all rows."""
    counts = {value: int((found.worse == g).sum()) for g, value in enumerate(found.values)}
    said = ", ".join(f"{value} at {n}" for value, n in sorted(counts.items(), key=lambda each: -each[1]) if n)
    pooled = found.values[found.pooled_worse] if found.pooled_worse >= 0 else "nobody"
    return f"{_RATES[found.compared.rate].capitalize()} by client and group: worst off {said or 'nobody'} clients; " \
           f"in all rows together {pooled}"  # fmt: skip
