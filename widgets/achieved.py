"""What the split under the controls was asked for, and what it achieved, as a table."""

from __future__ import annotations

import html
import math

from trustkit.widgets.lab import Lab
from trustkit.widgets.numbers import amount, count
from trustkit.widgets.split import origin
from trustkit.widgets.standing import Standing
from trustkit.widgets.strings import say
from trustkit.widgets.translated import english, translated
from trustkit.widgets.view import View, card, table, tip

from trustkit.catalogue import PANELS
from trustkit.split.asked import AskedLine, asked_and_achieved

__all__ = ["AskedPanel"]

_NAMED = 6


@PANELS.enter("asked", title="Asked and achieved")
def AskedPanel(lab: Lab | None = None) -> View:  # noqa: N802 (a panel reads as a thing)
    """Set side by side what a split was asked for and what came of it; it follows the sliders.

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
        title = say("asked.title")
        if state.searching:
            return card(title, say("asked.searching"), "")
        fed, standing = state.federated(), Standing()
        if not state.setting.across_rows and state.experiment is not None:
            standing = state.standings.of(state.experiment)
        lines = asked_and_achieved(fed, standing.importance, standing.beta)
        measuring = not state.setting.across_rows and not standing.whole
        heads = [say("asked.quantity"), say("asked.asked"), say("asked.achieved"),
                 tip(say("asked.bounds"), say("asked.about_bounds")), say("asked.note")]  # fmt: skip
        rows = [[translated(line.quantity), *_cells(line, measuring)] for line in lines]
        about = say("asked.measuring") if measuring else say("asked.about")
        body = f'<div class="tk-across" tabindex="0" role="region" aria-label="{title}">{table(heads, rows)}</div>'
        return card(title, f"{origin(fed)}{about}", body)

    return View(lab or Lab(), draw, ("setting", "search", "standing", "still"), "asked")


def _cells(line: AskedLine, measuring: bool) -> list[str]:
    """Asked, achieved, bounds and note; what is not known, not defined and 0 are three things."""
    achieved = "…" if line.achieved is None and measuring else _number(line, line.achieved, say("asked.unknown"))
    bounds = say("asked.unsearched")
    if line.low is not None and line.high is not None:
        bounds = say("asked.between", low=amount(line.low, 3), high=amount(line.high, 3))
    return [_asked(line), achieved, bounds, _note(line.note)]


def _asked(line: AskedLine) -> str:
    if not isinstance(line.asked, tuple):
        return _number(line, line.asked, say("asked.unasked"))
    shown = ", ".join(_number(line, each, "") for each in line.asked[:_NAMED])
    return shown if len(line.asked) <= _NAMED else f"{shown} …"


def _number(line: AskedLine, value: float | None, absent: str) -> str:
    if value is None:
        return absent
    return count(value) if line.whole and not math.isnan(value) else amount(value, 3)


def _note(text: str) -> str:
    """Each part in the language of the page; what has no other words stays English and is marked as such."""
    said = [(part, translated(part)) for part in text.split("; ") if part]
    return "; ".join(english(html.escape(part)) if part == other else html.escape(other) for part, other in said)
