"""Accuracy, or RMSE, by round, while it trains."""

from __future__ import annotations

from typing import Any

from trustkit.widgets.figures import to_svg
from trustkit.widgets.kept import results
from trustkit.widgets.lab import Lab
from trustkit.widgets.numbers import amount
from trustkit.widgets.shapes import Shaped, going
from trustkit.widgets.strings import say
from trustkit.widgets.view import View, card

from trustkit import RunRecord, plot
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
    pictures, both = dict[str, Any](), Shaped()

    def picture(state: Lab, record: RunRecord | None, label: str) -> str:
        base = None if state.baseline is None or state.baseline is state.outcome else state.baseline.record

        def drawn(shape: str) -> str:
            figure = plot.accuracy_by_round(record, base, wide=shape == "wide", figure=pictures.get(shape))
            pictures[shape] = figure
            return to_svg(figure, label)

        return both.draw(drawn, going(state))

    def draw(state: Lab) -> str:
        record = state.shown
        if record is None or not len(record):
            unstarted = picture(state, record, say("training.unstarted"))
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
        return card(title, text, picture(state, record, label))

    return View(lab or Lab(), draw, ("progress", "outcome", "baseline"), "accuracy", results)
