"""What the compared runs give away: attacks on their real messages, against guessing; beside accuracy and bytes."""

from __future__ import annotations

import html
import math
from collections.abc import Callable
from typing import Any

from trustkit.widgets.crossed import Crossed
from trustkit.widgets.lab import Lab
from trustkit.widgets.numbers import amount
from trustkit.widgets.view import table, tip

from trustkit import plot
from trustkit.comparison import Crossing
from trustkit.exposure import NOTE, Exposure
from trustkit.exposure.result import TARGETS

__all__ = ["leaking"]

_WORDS = {
    "labels": "Another party looks for the first party's labels, in gradients, residuals or embeddings.",
    "features": "The first party looks for another's columns, in what it is sent; R², 0 is the mean of each column.",
    "membership": "Whoever has the joint model tells rows it was trained on from held-out ones, by their loss; AUC.",
}
_SOURCE = (
    "The attack that finds most, and what guessing, or the attacker's own columns, find without the run. Below: its "
    "smallest and largest value over three draws of what the attacker knows already: the labels of 5 rows of each "
    "class (of a regression of half of the rows), or the columns of half of the rows. Source: the messages themselves, "
    "of 600 training rows at most."
)
_UNTOUCHED = "Not attacked yet: tick privacy attacks and press Compare algorithms."


def leaking(state: Crossed) -> Callable[[Lab], str]:
    """Return what draws the privacy of the compared runs.

    Parameters
    ----------
    state : Crossed
        Whose runs.

    Returns
    -------
    callable
        Lab in, HTML out; empty as long as no run is there.
    """
    kept: dict[str, Any] = {"figure": None, "marks": None, "picture": ""}

    def picture(found: Crossing) -> str:
        tradeoff = state.tradeoff(found)
        if tradeoff is None:
            return ""
        marks = tuple((name, id(each[0].exposure)) for name, each in tradeoff.trials.items())
        if kept["marks"] != marks:
            kept["figure"] = plot.exposure_points(tradeoff, kept["figure"])
            said = [f"{name} labels {amount(one.exposure.share('labels'))}, features "
                    f"{amount(one.exposure.share('features'))}"
                    for name, (one,) in tradeoff.trials.items() if one.exposure is not None]  # fmt: skip
            label = f"What attacks find, 0 to 1, against quality: {'; '.join(said)}"
            kept.update(marks=marks, picture=plot.to_svg(kept["figure"], label))
        return (
            f'<div class="tk-across tk-exposed" tabindex="0" role="region" aria-label="attacks">{kept["picture"]}</div>'
        )

    def draw(lab: Lab) -> str:
        found = None if lab.setting.across_rows else state.crossing()
        if found is None or not any(record.complete for record in found.records.values()):
            return ""
        runs = found.titled(state.shown_at(found))
        attacked = {name: state.exposure(record) for name, record in runs.items() if record.complete}
        lines = [(name, _cells(each)) for name, each in attacked.items() if isinstance(each, Exposure)]
        text = f'<p class="tk-sub">{_UNTOUCHED}</p>'
        if lines:
            heads = ["", *(tip(words, f"{_WORDS[target]} {_SOURCE}") for target, words in TARGETS.items())]
            inner = table(heads, [[name, *cells] for name, cells in lines])
            text = f'<div class="tk-across" tabindex="0" role="region" aria-label="attacks compared">{inner}</div>'
        problems = "".join(f'<p class="tk-caveat" role="alert">{html.escape(name)}: {html.escape(str(each))}</p>'
                           for name, each in attacked.items() if isinstance(each, Exception))  # fmt: skip
        return f'<h3>Who can listen</h3><p class="tk-sub">{NOTE}</p>{text}{problems}{picture(found)}'

    return draw


def _cells(found: Exposure) -> list[str]:
    """What was found of labels, features and members, or why nothing can be."""
    cells = []
    for target in TARGETS:
        worst = found.worst(target)
        if worst is None or math.isnan(worst.mean):
            reason = next((each.reason for each in found.findings if each.target == target), "") or "not tried"
            cells.append(tip("n/a", reason))
            continue
        low, high = worst.band
        words = f"{worst.measure} {amount(worst.mean)}, without the run {amount(worst.without)}"
        below = f"{worst.attack}, {amount(low)} to {amount(high)}"
        cells.append(f'{words}<br><span class="tk-sub">{html.escape(below)}</span>')
    return cells
