"""The first minute: four things to do, each ticked once it is done, and where to go from there."""

from __future__ import annotations

import html

from trustkit.widgets.lab import Lab
from trustkit.widgets.strings import say, say_html

__all__ = ["tour"]

STEPS = ("run", "pin", "private", "clients")


def _done(lab: Lab) -> dict[str, bool]:
    """What the page shows of each step, by its name."""
    now, base = lab.outcome, lab.baseline
    moved = now is not None and base is not None and now.record.experiment.privacy != base.record.experiment.privacy
    return {
        "run": lab.progress is not None and len(lab.progress.record) > 0,
        "pin": base is not None,
        "private": moved,
        "clients": lab.section == "fairness",
    }


def tour(lab: Lab) -> str:
    """Say what to do first.

    Parameters
    ----------
    lab : Lab
        The page's state.

    Returns
    -------
    str
        HTML: a list whose items say whether they are done.
    """
    done, items = _done(lab), ""
    for name in STEPS:
        mark = f'<b aria-hidden="true">{"✓" if done[name] else "○"}</b>'
        state = say("tour.done" if done[name] else "tour.open")
        items += f'<li>{mark} {say_html(f"tour.{name}")}<span class="tk-unseen">, {html.escape(state)}</span></li>'
    return (
        f'<section class="tk-card tk-tour"><h2>{say("tour.title")}</h2><ol role="list">{items}</ol>'
        f'<p class="tk-sub">{say_html("tour.after")}</p></section>'
    )
