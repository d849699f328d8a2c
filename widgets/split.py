"""Who holds what: each party's columns and where the split stands, or each client's rows and their classes."""

from __future__ import annotations

import html
import math
from typing import Any

import numpy as np
from trustkit.widgets.figures import to_svg
from trustkit.widgets.kept import Itself
from trustkit.widgets.lab import Lab
from trustkit.widgets.numbers import amount, bytes_text, count, percent
from trustkit.widgets.standing import Standing
from trustkit.widgets.strings import Html, say, say_html
from trustkit.widgets.translated import english, translated
from trustkit.widgets.view import View, card, tip

from trustkit import plot
from trustkit.catalogue import PANELS
from trustkit.data import FederatedDataset
from trustkit.plane import held_shares, natural_points
from trustkit.plot import PlanePoint
from trustkit.rounds import data_of, partition_of
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
    views = list[View]()

    def draw(state: Lab) -> str:
        title = say("split.rows") if state.setting.across_rows else say("split.columns")
        if state.searching:
            return card(title, searching(state), "")
        fed = state.federated()
        if not state.setting.across_rows:
            held = state.drag.moving and state.drag.name == "beta" and not any(each.again for each in views)
            if not (held and "card" in pictures):
                pictures["card"] = card(title, *_columns(state, fed, pictures))
            return str(pictures["card"])
        if pictures.get("of") is not fed.partition:  # most settings leave the rows where they are
            pictures.update(of=fed.partition, drawn=_rows(fed, pictures))
        return card(title, *pictures["drawn"])

    views.append(View(lab or Lab(), draw, ("setting", "search", "standing", "still"), "split", _drawn_of))
    return views[0]


def _drawn_of(state: Lab) -> Any:
    """The partition, and across columns where it stands, once that is whole."""
    if state.experiment is None or state.searching:
        return None
    standing = None if state.setting.across_rows else state.standings.of(state.experiment)
    return None if standing is not None and not standing.whole else (Itself(partition_of(state.experiment)), standing)


def _rows(fed: FederatedDataset, pictures: dict[str, Any]) -> tuple[str, str]:
    """Subtitle and picture: classes by client."""
    pictures["rows"] = figure = plot.label_shares(fed, figure=pictures.get("rows"))
    sizes = fed.partition.sizes
    ends, clients = {"low": count(sizes.min()), "high": count(sizes.max())}, len(fed)
    label = say("split.rows_label", clients=clients, classes=len(fed.data.classes), **ends)
    rows = tip(say("split.low_to_high", **ends), say("about.rows"))
    return f"{origin(fed)}{say_html('split.rows_about', clients=clients, rows=rows)}", to_svg(figure, label)


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
    return f'<span class="tk-tag">{say("page.synthetic")}</span> ' if fed.data.provenance.synthetic else ""


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
    far = f" ({translated(state.search.words)})" if state.search.words else ""
    if state.experiment is None:
        return say("split.searching", far=far)
    columns = int(data_of(state.experiment).X.shape[1])
    wide = say("split.wide", size=bytes_text(4 * columns**2)) if columns > WIDE else ""
    return say("split.searching_wide", columns=count(columns), wide=wide, far=far)


def _columns(state: Lab, fed: FederatedDataset, pictures: dict[str, Any]) -> tuple[str, str]:
    """Subtitle and pictures: importance by party, and the plane."""
    partition = fed.partition
    if state.experiment is None:
        raise state.error or ValueError("the controls do not describe an experiment")
    standing = state.standings.of(state.experiment)
    text = origin(fed) + say_html("split.parties", parties=len(fed), sizes=Html(_sizes(fed)))
    if standing.error is not None:
        text += f" · {say_html('split.unmeasured', why=english(html.escape(str(standing.error))))}"
    importance = standing.importance
    shares = None if importance is None else held_shares(importance, partition)
    alpha = math.nan
    if shares is not None and importance is not None:
        alpha = estimate_alpha(importance, partition, reading="package")
        text += f" · {tip('α̂', say('about.alpha_hat'))} {amount(alpha)}"
        paper = amount(estimate_alpha(importance, partition, reading="paper"))
        text += f" {say('split.reading', alpha=paper)}"
    beta = partition.achieved.get("beta") if standing.beta is None else standing.beta.beta
    text += f" · {tip('β̂', say('about.beta'))} {'…' if beta is None and standing.error is None else amount(beta)}"
    unknown = shares is None and standing.error is not None
    bars = f"<p>{say('split.unknown')}</p>" if unknown else _bars(fed, shares, pictures)
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
        return f"<p>{say('split.measuring') if shares is None else say('split.irrelevant')}</p>"
    asked = fed.partition.achieved.get("shares")
    shown = (shares.tolist(), asked)
    if pictures.get("shares shown") == shown:
        return str(pictures["shares svg"])
    pictures["shares"] = figure = plot.party_shares(
        shares, None if asked is None else np.asarray(asked), figure=pictures.get("shares")
    )
    largest = int(shares.argmax())
    most = {"largest": largest + 1, "share": percent(shares[largest])}
    label = say("split.shares_label", parties=len(fed), **most)
    pictures["shares shown"], pictures["shares svg"] = shown, to_svg(figure, label)
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
    found = amount(None if standing.importance is None else alpha)
    label = say("split.plane_label", alpha=found, beta=amount(beta))
    words = f'<p class="tk-sub">{tip(say("split.plane"), say("about.plane"))}</p>'
    pictures["plane shown"], pictures["plane svg"] = points, to_svg(figure, label) + words
    return str(pictures["plane svg"])
