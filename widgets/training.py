"""Accuracy by round, while it trains."""

from __future__ import annotations

from trustkit.widgets.lab import Lab
from trustkit.widgets.view import View, card
from trustkit.widgets.words import amount

from trustkit import plot
from trustkit.catalogue import PANELS
from trustkit.findings import headline_of

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
    pictures: dict[str, object] = {}

    def draw(state: Lab) -> str:
        record = state.shown
        base = None if state.baseline is None or state.baseline is state.outcome else state.baseline.record
        pictures["curve"] = figure = plot.accuracy_by_round(record, base, figure=pictures.get("curve"))
        if record is None or not len(record):
            return card(
                "Accuracy by round", "nothing trained yet", plot.to_svg(figure, "Accuracy by round: no round yet")
            )
        head = headline_of(record)
        joint = len(record.last.accuracy) == 1
        text = (
            "one joint model, held-out rows" if joint else "mean over clients, band from the worst to the best client"
        )
        selected = record.last.selected
        text += f" · {selected.sum()} of {selected.size} {'parties' if joint else 'clients'} in the last round"
        label = f"Accuracy by round: {amount(head.accuracy, 3)} after round {len(record)} of {record.experiment.rounds}"
        return card("Accuracy by round", text, plot.to_svg(figure, label))

    return View(lab or Lab(), draw, ("progress", "outcome", "setting", "baseline"), "accuracy")
