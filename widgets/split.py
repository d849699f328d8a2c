"""Who holds what: each party's columns and where the split stands, or each client's rows and their classes."""

from __future__ import annotations

import html
import math
from typing import Any

import numpy as np
from trustkit.widgets.lab import Lab
from trustkit.widgets.numbers import ALPHA_HAT, BETA, PLANE, ROWS, SYNTHETIC, amount, bytes_text
from trustkit.widgets.standing import Standing
from trustkit.widgets.view import View, card, tip

from trustkit import plot
from trustkit.catalogue import PANELS
from trustkit.data import FederatedDataset
from trustkit.plane import held_shares, natural_points
from trustkit.plot import PlanePoint
from trustkit.rounds import data_of
from trustkit.split import estimate_alpha
from trustkit.split.measured import WIDE

__all__ = ["SplitPanel", "origin", "searching"]


@PANELS.enter("split", title="Who holds what")
def SplitPanel(lab: Lab | None = None) -> View:  # noqa: N802 (a panel reads as a thing)
    """Show how the columns, or the rows, are divided; it follows the sliders while they move.

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
        title = "Who holds which rows" if state.setting.across_rows else "Who holds which columns"
        if state.searching:
            return card(title, searching(state), "")
        fed = state.federated()
        if not state.setting.across_rows:
            if not (state.drag.moving and state.drag.name == "beta" and "card" in pictures):
                pictures["card"] = card(title, *_columns(state, fed, pictures))
            return str(pictures["card"])
        pictures["rows"] = figure = plot.label_shares(fed, figure=pictures.get("rows"))
        sizes = fed.partition.sizes
        label = (
            f"Rows of each class by client: {len(fed)} clients of {sizes.min():,} to {sizes.max():,} rows, "
            f"{len(fed.data.classes)} classes"
        )
        rows = tip(f"{sizes.min():,} to {sizes.max():,} rows", ROWS)
        text = f"{origin(fed)}{len(fed)} clients · {rows} · colours are classes"
        return card(title, text, plot.to_svg(figure, label))

    return View(lab or Lab(), draw, ("setting", "search", "standing", "still"), "split")


def origin(fed: FederatedDataset) -> str:
    """Label a picture whose rows are made up.

    Parameters
    ----------
    fed : FederatedDataset
        What it is drawn from.

    Returns
    -------
    str
        HTML, empty for real rows.
    """
    return f'<span class="tk-tag">{SYNTHETIC}</span> ' if fed.data.provenance.synthetic else ""


def searching(state: Lab) -> str:
    """Say how far the search for a split is.

    Parameters
    ----------
    state : Lab
        The page's state.

    Returns
    -------
    str
        Text.
    """
    far = f" ({state.search.words})" if state.search.words else ""
    if state.experiment is None:
        return f"looking for the split …{far}"
    columns = int(data_of(state.experiment).X.shape[1])
    wide = f" (their correlations are {bytes_text(4 * columns**2)}: minutes)" if columns > WIDE else ""
    return f"looking for the split of {columns:,} columns{wide}; any other setting ends the search …{far}"


def _columns(state: Lab, fed: FederatedDataset, pictures: dict[str, Any]) -> tuple[str, str]:
    """Subtitle and pictures: importance by party, and the plane."""
    partition = fed.partition
    if state.experiment is None:
        raise state.error or ValueError("the controls do not describe an experiment")
    standing = state.standings.of(state.experiment)
    text = f"{origin(fed)}{len(fed)} parties of {_sizes(fed)} columns"
    if standing.error is not None:
        text += f" · not measured: {html.escape(str(standing.error))}"
    importance = standing.importance
    shares = None if importance is None else held_shares(importance, partition)
    alpha = math.nan
    if shares is not None and importance is not None:
        alpha = estimate_alpha(importance, partition, reading="package")
        text += f" · {tip('α̂', ALPHA_HAT)} {amount(alpha)}"
        text += f" ({amount(estimate_alpha(importance, partition, reading='paper'))} in the paper's reading)"
    beta = partition.achieved.get("beta") if standing.beta is None else standing.beta.beta
    text += f" · {tip('β̂', BETA)} {'…' if beta is None and standing.error is None else amount(beta)}"
    unknown = shares is None and standing.error is not None
    bars = "<p>the importance of the columns is not known</p>" if unknown else _bars(fed, shares, pictures)
    plane = _plane(fed, standing, alpha, beta, pictures)
    return text, f'<div class="tk-pair">{bars}{plane}</div>'


def _sizes(fed: FederatedDataset) -> str:
    """The parties' sizes, with their names if they have any: 76 (fou), 216 (fac), …"""
    names = fed.partition.achieved.get("names", ())
    named = [f" ({html.escape(str(name))})" for name in names] if len(names) == len(fed) else [""] * len(fed)
    sizes = [f"{size}{name}" for size, name in zip(fed.partition.sizes[:12], named, strict=False)]
    return ", ".join(sizes) + (" …" if len(fed) > 12 else "")


def _bars(fed: FederatedDataset, shares: np.ndarray | None, pictures: dict[str, Any]) -> str:
    if shares is None or np.isnan(shares).any():
        return "<p>measuring the importance of the columns …</p>" if shares is None else "<p>no column matters</p>"
    asked = fed.partition.achieved.get("shares")
    shown = (shares.tolist(), asked)
    if pictures.get("shares shown") == shown:
        return str(pictures["shares svg"])
    pictures["shares"] = figure = plot.party_shares(
        shares, None if asked is None else np.asarray(asked), figure=pictures.get("shares")
    )
    largest = int(shares.argmax())
    label = f"Importance by party: {len(fed)} parties, the most at party {largest + 1} with {shares[largest]:.0%}"
    pictures["shares shown"], pictures["shares svg"] = shown, plot.to_svg(figure, label)
    return str(pictures["shares svg"])


def _plane(
    fed: FederatedDataset, standing: Standing, alpha: float, beta: float | None, pictures: dict[str, Any]
) -> str:
    paper = fed.partition.achieved.get("definition", "paper") == "paper"
    points = (*(standing.points or ()), *(natural_points() if paper else ()))
    if standing.error is not None or (beta is not None and standing.importance is not None):
        beta = math.nan if beta is None else beta
        points = (*points, PlanePoint("this split", "current", alpha, beta, fed.data.provenance.synthetic))
    if pictures.get("plane shown") == points:
        return str(pictures["plane svg"])
    pictures["plane"] = figure = plot.split_plane(points, figure=pictures.get("plane"))
    where = f"α̂ {amount(None if standing.importance is None else alpha)}, β̂ {amount(beta)}"
    label = f"The plane of α̂ and β̂: this split at {where}; random splits and data sets with natural parties beside it"
    words = f'<p class="tk-sub">{tip("what the plane shows", PLANE)}</p>'
    pictures["plane shown"], pictures["plane svg"] = points, plot.to_svg(figure, label) + words
    return str(pictures["plane svg"])
