"""The report: every metric with its formula and source, and files to take home."""

from __future__ import annotations

import base64
import html

from trustkit.widgets.lab import Lab
from trustkit.widgets.strings import language, say
from trustkit.widgets.view import View, card

from trustkit.catalogue import PANELS

__all__ = ["ReportPanel", "downloads"]

_TYPES = {
    "html": "text/html",
    "json": "application/json",
    "csv": "text/csv",
    "md": "text/markdown",
    "toml": "application/toml",
}


@PANELS.enter("report", title="Trust report")
def ReportPanel(lab: Lab | None = None) -> View:  # noqa: N802 (a panel reads as a thing)
    """Show pillars, notions and metrics with raw value, score, weight, formula and source.

    Parameters
    ----------
    lab : Lab, optional
        The shared state; by default one of its own.

    Returns
    -------
    View
        A widget.
    """

    def draw(state: Lab) -> str:
        report = state.report()
        if report is None:
            return card(say("report.title"), say("page.unmeasured"), "")
        printed = report.to_fragment()  # as the library prints it, in English
        if language() != "en":
            printed = f'<div lang="en">{printed}</div>'
        return card(say("report.title"), say("report.about"), printed)

    return View(lab or Lab(), draw, ("outcome", "weights"), "report")


def downloads(state: Lab) -> str:
    """Return links to the report, the fact sheet, the table of rounds and the experiment, as files inside the page.

    Parameters
    ----------
    state : Lab
        The page's state.

    Returns
    -------
    str
        HTML; the links hold their files, so nothing is asked of a server.
    """
    outcome, report = state.outcome, state.report()
    if outcome is None or report is None:
        return f'<p class="tk-sub">{say("report.unmeasured")}</p>'
    experiment = outcome.record.experiment
    files = {
        "report.html": report.to_html(),
        "report.json": report.to_json(),
        "report.md": report.to_markdown(),
        "report.csv": report.to_csv(),
        "factsheet.json": outcome.facts.to_json(),
        "rounds.csv": str(outcome.record.frame().to_csv(index=False)),
        "experiment.toml": experiment.to_toml(),
    }
    links = []
    for name, text in files.items():
        stem, _, kind = name.rpartition(".")
        data = base64.b64encode(text.encode()).decode()
        file = html.escape(f"trustkit_{experiment.key[:8]}_{stem}.{kind}")
        links.append(f'<a class="tk-file" download="{file}" href="data:{_TYPES[kind]};base64,{data}">{name}</a>')
    return f'<div class="tk-files" role="group" aria-label="{say("report.download")}">{"".join(links)}</div>'
