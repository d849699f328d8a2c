"""The pillars: now against the pinned baseline."""

from __future__ import annotations

import html
from typing import Any

from trustkit.widgets.lab import Lab
from trustkit.widgets.numbers import amount
from trustkit.widgets.view import View, card, tip

from trustkit import plot
from trustkit.catalogue import PANELS
from trustkit.trust import TrustReport

__all__ = ["TrustPanel"]

_COUNTS = {5: "Five", 6: "Six", 7: "Seven"}

_SCORES = (
    "A pillar is the mean of its notions, a notion that of its metrics, each scored from 0 to 1; what has no evidence "
    "is left out. Source: FederatedTrust, Section 5; the profile says how. The tree below opens each metric's formula."
)


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
            return card("Pillars", "nothing measured yet", "")
        base = state.report(state.baseline) if state.baseline is not None else None
        pictures["radar"] = figure = plot.pillar_radar(report, base, figure=pictures.get("radar"))
        title = f"{_COUNTS.get(len(report.pillars), 'The')} pillars"
        label = f"{title}: {_listed(report)}" + ("" if base is None else f"; baseline: {_listed(base)}")
        text = "" if report.profile.name == "paper" else f"profile {html.escape(report.profile.name)} · "
        text += tip("scores", _SCORES) + " from 0 to 1 · "
        text += "solid now, dashed baseline" if base is not None else "press Pin to keep these as a dashed baseline"
        return card(f"{title} · trust {amount(report.score)}", text, plot.to_svg(figure, label))

    return View(lab or Lab(), draw, ("outcome", "baseline", "weights"), "pillars")


def _listed(report: TrustReport) -> str:
    names = report.profile.taxonomy.pillars
    return ", ".join(f"{names[pillar].lower()} {amount(score)}" for pillar, score in report.pillars.items())
