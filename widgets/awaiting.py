"""A row that offers to play what a link compares with; it goes when everything is here."""

from __future__ import annotations

import html

import ipywidgets as w
from trustkit.widgets.guard import guarded
from trustkit.widgets.lab import Lab
from trustkit.widgets.strings import say, say_html
from trustkit.widgets.translated import english
from trustkit.widgets.view import View

from trustkit import Experiment
from trustkit.frontier import differences

__all__ = ["awaiting", "unplayed"]

_TOPICS = ("outcome", "baseline", "pins", "progress", "setting")


def awaiting(lab: Lab, listed: bool = False) -> w.HBox:
    """Offer to play the runs that a link names and that are not here yet.

    Parameters
    ----------
    lab : Lab
        The page's state.
    listed : bool
        Whether each of them is named with what it is set to.

    Returns
    -------
    ipywidgets.HBox
        A button and words; hidden while nothing is awaited.
    """
    button = w.Button(description=say("awaiting.run"), tooltip=say("awaiting.run_tip"))
    button.add_class("tk-c-awaited")
    row = w.HBox([button, View(lab, lambda lab: _words(lab, listed), _TOPICS, "awaited")])
    row.add_class("tk-awaiting")

    def hear(_: str = "") -> None:
        row.layout.display = "" if lab.awaited.runs else "none"
        button.disabled = lab.awaited.busy

    button.on_click(guarded(lab, "awaited", lambda _: lab.awaited.play()))
    lab.watch(hear)
    hear()
    return row


def _words(lab: Lab, listed: bool) -> str:
    runs = lab.awaited.runs
    text = f'<p class="tk-sub" role="status">{say("awaiting.words", count=len(runs))}</p>' if runs else ""
    if lab.awaited.error is not None:
        why = english(html.escape(str(lab.awaited.error)))
        text += f'<p class="tk-caveat" role="alert">{say_html("awaiting.failed", why=why)}</p>'
    if not (listed and runs):
        return text
    lines = []
    for each in runs:
        role = say("awaiting.baseline" if each == lab.awaited.baseline else "awaiting.pin")
        lines.append(f"<li>{role} · {say('awaiting.unrun')}: {english(html.escape(unplayed(lab, each)))}</li>")
    return f'{text}<ul class="tk-moves">{"".join(lines)}</ul>'


def unplayed(lab: Lab, experiment: Experiment) -> str:
    """Say what a run is that is not here: what it is set to otherwise than what the page opened on.

    Parameters
    ----------
    lab : Lab
        The page's state.
    experiment : Experiment
        The run's.

    Returns
    -------
    str
        Plain text.
    """
    try:
        first = lab.first.experiment()
    except (KeyError, TypeError, ValueError):  # the page opened on what describes no experiment: a red card says so
        return experiment.key[:8]
    return "; ".join(differences(first, experiment)) or say("compare.opened")
