"""Accuracy, or RMSE, by round, while it trains."""

from __future__ import annotations

from typing import Any

from trustkit.widgets.figures import to_svg
from trustkit.widgets.kept import results
from trustkit.widgets.lab import Lab
from trustkit.widgets.numbers import amount
from trustkit.widgets.strings import say
from trustkit.widgets.view import View, card

from trustkit import plot
from trustkit.catalogue import PANELS
from trustkit.findings import quality_of

__all__ = ["TrainPanel"]


@PANELS.enter("training", title="Accuracy by round")
def TrainPanel(lab: Lab | None = None) -> View:  # noqa: N802 (a panel reads as a thing)
    """Show the accuracy round by round, with a band from the worst to the best client.

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
        record = state.shown
        base = None if state.baseline is None or state.baseline is state.outcome else state.baseline.record
        for name in ("wide", "narrow"):
            pictures[name] = plot.accuracy_by_round(record, base, wide=name == "wide", figure=pictures.get(name))
        if record is None or not len(record):
            unstarted = _both(pictures, say("training.unstarted"))
            return card(say("training.title"), say("page.untrained"), unstarted)
        quality = quality_of(record)
        joint = len(record.last.accuracy) == 1
        chosen = {"selected": record.last.selected.sum(), "total": record.last.selected.size}
        if joint:
            text = f"{say('training.joint')} · {say('training.selected_parties', **chosen)}"
        else:
            text = f"{say('training.clients')} · {say('training.selected_clients', **chosen)}"
        rounds = record.experiment.rounds
        title = say("training.title") if quality.higher else say("training.title_rmse")
        label = say("training.label", title=title, value=amount(quality.last, 3), done=len(record), rounds=rounds)
        return card(title, text, _both(pictures, label))

    return View(lab or Lab(), draw, ("progress", "outcome", "baseline"), "accuracy", results)


def _both(pictures: dict[str, Any], label: str) -> str:
    """The picture for a wide page and the one for a phone; the style sheet shows one of them."""
    return "".join(f'<div class="tk-only-{name}">{to_svg(figure, label)}</div>' for name, figure in pictures.items())
