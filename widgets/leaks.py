"""What the compared runs give away: attacks on their real messages, against guessing; beside accuracy and bytes."""

from __future__ import annotations

import html
import math
from collections.abc import Callable
from typing import Any

from trustkit.widgets.crossed import Crossed
from trustkit.widgets.figures import to_svg
from trustkit.widgets.lab import Lab
from trustkit.widgets.numbers import amount
from trustkit.widgets.strings import say, say_html
from trustkit.widgets.translated import english, translated
from trustkit.widgets.view import table, tip

from trustkit import plot
from trustkit.comparison import Crossing
from trustkit.exposure import NOTE, Exposure
from trustkit.exposure.result import TARGETS

__all__ = ["leaking"]


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
            said = [say("leaks.said", name=name, labels=amount(one.exposure.share("labels")),
                        features=amount(one.exposure.share("features")))
                    for name, (one,) in tradeoff.trials.items() if one.exposure is not None]  # fmt: skip
            label = say("leaks.label", said="; ".join(said))
            kept.update(marks=marks, picture=to_svg(kept["figure"], label))
        name = say("leaks.picture")
        return (
            f'<div class="tk-across tk-exposed" tabindex="0" role="region" aria-label="{name}">{kept["picture"]}</div>'
        )

    def draw(lab: Lab) -> str:
        found = None if lab.setting.across_rows else state.crossing()
        if found is None or not any(record.complete for record in found.records.values()):
            return ""
        runs = found.titled(state.shown_at(found))
        attacked = {name: state.exposure(record) for name, record in runs.items() if record.complete}
        lines = [(name, _cells(each)) for name, each in attacked.items() if isinstance(each, Exposure)]
        text = f'<p class="tk-sub">{say("leaks.untouched")}</p>'
        if lines:
            heads = ["", *(tip(translated(words), f"{say(f'leaks.{target}')} {say('leaks.source')}")
                           for target, words in TARGETS.items())]  # fmt: skip
            inner = table(heads, [[name, *cells] for name, cells in lines])
            text = f'<div class="tk-across" tabindex="0" role="region" aria-label="{say("leaks.table")}">{inner}</div>'
        failed = {
            name: english(html.escape(str(each))) for name, each in attacked.items() if isinstance(each, Exception)
        }
        problems = "".join(f'<p class="tk-caveat" role="alert">{html.escape(name)}: {why}</p>'
                           for name, why in failed.items())  # fmt: skip
        head = f'<h3>{say("leaks.title")}</h3><p class="tk-sub">{translated(NOTE)}</p>'
        return f"{head}{text}{problems}{picture(found)}"

    return draw


def _cells(found: Exposure) -> list[str]:
    """What was found of labels, features and members, or why nothing can be."""
    cells: list[str] = []
    for target in TARGETS:
        worst = found.worst(target)
        if worst is None or math.isnan(worst.mean):
            reason = next((each.reason for each in found.findings if each.target == target), "")
            cells.append(tip(say("page.undefined"), translated(reason) if reason else say("leaks.untried")))
            continue
        low, high = worst.band
        measure, attack = translated(worst.measure), translated(worst.attack)
        words = say("leaks.found", measure=measure, value=amount(worst.mean), without=amount(worst.without))
        below = say_html("leaks.band", attack=attack, low=amount(low), high=amount(high))
        cells.append(f'{words}<br><span class="tk-sub">{below}</span>')
    return cells
