"""Accuracy, or RMSE, by round, while it trains."""

from __future__ import annotations

from typing import Any

from trustkit.widgets.lab import Lab
from trustkit.widgets.numbers import amount
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
            return card("Accuracy by round", "nothing trained yet", _both(pictures, "Accuracy by round: no round yet"))
        quality = quality_of(record)
        joint = len(record.last.accuracy) == 1
        text = (
            "one joint model, held-out rows" if joint else "mean over clients, band from the worst to the best client"
        )
        selected = record.last.selected
        text += f" · {selected.sum()} of {selected.size} {'parties' if joint else 'clients'} in the last round"
        rounds = record.experiment.rounds
        title = "Accuracy by round" if quality.higher else "RMSE by round"
        label = f"{title}: {amount(quality.last, 3)} after round {len(record)} of {rounds}"
        return card(title, text, _both(pictures, label))

    return View(lab or Lab(), draw, ("progress", "outcome", "baseline"), "accuracy")


def _both(pictures: dict[str, Any], label: str) -> str:
    """The picture for a wide page and the one for a phone; the style sheet shows one of them."""
    return "".join(
        f'<div class="tk-only-{name}">{plot.to_svg(figure, label)}</div>' for name, figure in pictures.items()
    )
