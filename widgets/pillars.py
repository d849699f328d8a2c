"""The pillars: now against the pinned baseline."""

from __future__ import annotations

from typing import Any

from trustkit.widgets.figures import to_svg
from trustkit.widgets.kept import scores
from trustkit.widgets.lab import Lab
from trustkit.widgets.numbers import amount
from trustkit.widgets.reasons import names_of
from trustkit.widgets.strings import say, say_html
from trustkit.widgets.translated import spoken
from trustkit.widgets.view import View, card, tip

from trustkit import plot
from trustkit.catalogue import PANELS
from trustkit.trust import TrustReport

__all__ = ["TrustPanel"]

_COUNTS = {5: "pillars.five", 6: "pillars.six", 7: "pillars.seven"}


@PANELS.enter("trust", title="Six pillars")
def TrustPanel(lab: Lab | None = None) -> View:  # noqa: N802 (a panel reads as a thing)
    """Show the radar of the pillars; it follows the weights while they move.

    Parameters
    ----------
    lab : Lab, optional
        The shared state; by default one of its own.

    Returns
    -------
    View
        A widget.
    """
    pictures: dict[str, Any] = {}

    def draw(state: Lab) -> str:
        report = state.report()
        if report is None:
            return card(say("pillars.unmeasured"), say("page.unmeasured"), "")
        base = state.report(state.baseline) if state.baseline is not None else None
        pictures["radar"] = figure = plot.pillar_radar(report, base, figure=pictures.get("radar"))
        title = say(_COUNTS.get(len(report.pillars), "pillars.several"))
        label = f"{title}: {_listed(report)}"
        label += "" if base is None else f"; {say('pillars.baseline', scores=_listed(base))}"
        name = report.profile.name
        text = "" if name == "paper" else f"{say_html('pillars.profile', name=name)} · "
        text += say_html("pillars.range", scores=tip(say("pillars.scores"), say("pillars.about"))) + " · "
        text += say("pillars.pinned") if base is not None else say("pillars.unpinned")
        head = say("pillars.title", pillars=title, trust=amount(report.score))
        return card(head, text, to_svg(figure, label))

    return View(lab or Lab(), draw, ("outcome", "baseline", "weights"), "pillars", scores)


def _listed(report: TrustReport) -> str:
    names = names_of(report)
    return ", ".join(f"{spoken(names[pillar])} {amount(score)}" for pillar, score in report.pillars.items())
