"""How sure a score is: its band under other weights and normalisers, and the runs of the page that it outranks."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import Any

from trustkit.widgets.lab import Lab
from trustkit.widgets.numbers import amount
from trustkit.widgets.player import Outcome
from trustkit.widgets.reasons import names_of
from trustkit.widgets.view import pair, table, tip

from trustkit import outranks, plot, sensitivity
from trustkit.trust import TrustReport

__all__ = ["NOTHING", "draw_bands", "rivals", "scored"]

NOTHING = '<p class="tk-sub">Nothing measured yet: press Run.</p>'
"""Said where there is no score."""

_DRAWS = 1000
_SAMPLED = (
    f"{_DRAWS:,} draws. The weights of the children of each node: a Dirichlet distribution around those given, "
    "concentration 20. The normalisers: each score moved a random part of the way to the score that another profile "
    "over the same metrics gives. Source: OECD, Handbook on Constructing Composite Indicators (2008)."
)
_OUTRANKS = (
    f"P(this run outranks that one): the share of the same {_DRAWS:,} draws in which this run has the higher trust; "
    "ties count half. Near 100 % or 0 % the order hardly depends on weights and normalisers; near 50 % it does."
)
_ALONE = "No other run to compare with yet: pin this one or just go on; change a control and press Run."
_MOST, _SAID = 5, 4


def scored(report: TrustReport | None) -> TrustReport | None:
    """Return a report that has a trust score.

    Parameters
    ----------
    report : TrustReport or None
        Any.

    Returns
    -------
    TrustReport or None
        ``None`` if there is no report, or none of its metrics has evidence and weight.
    """
    return None if report is None or report.score is None or report.score != report.score else report


def rivals(lab: Lab) -> list[tuple[str, Outcome]]:
    """Name the runs that the page can compare the shown one with.

    Parameters
    ----------
    lab : Lab
        The page's state.

    Returns
    -------
    list of (str, Outcome)
        The baseline first, then the newest results, five at most, each named by what differs from the shown run.
    """
    shown = lab.outcome
    if shown is None:
        return []
    found = [] if lab.baseline is None else [lab.baseline]
    found += [each for each in lab.results.newest(_MOST + 2) if each is not lab.baseline]
    others = [each for each in found if each is not shown]
    return [(_named(shown, each, each is lab.baseline), each) for each in others[:_MOST]]


def _named(shown: Outcome, other: Outcome, pinned: bool) -> str:
    """What is other in another run, as ``rounds 5 instead of 20``."""
    from trustkit.frontier import differences  # only this view needs it

    said = [_instead(each) for each in differences(shown.record.experiment, other.record.experiment)]
    if len(said) > _SAID:
        said = [*said[: _SAID - 1], f"{len(said) - _SAID + 1} more"]
    if not said:
        said = [f"the same after {len(other.record)} rounds"]
    return ("baseline · " if pinned else "") + ", ".join(said)


def _instead(change: str) -> str:
    what, _, values = change.partition(": ")
    was, _, now = values.partition(" → ")
    return f"{what} {now} instead of {was}"


def draw_bands() -> Callable[[Lab], str]:
    """Return what draws bands of scores and the rivals.

    Returns
    -------
    callable
        Lab in, HTML out.
    """
    pictures: dict[str, Any] = {}

    def draw(lab: Lab) -> str:
        report = scored(lab.report())
        if report is None:
            return NOTHING
        found, names = sensitivity(report, draws=_DRAWS), names_of(report)
        pictures["bands"] = figure = plot.score_bands(found, names, figure=pictures.get("bands"))
        scores = {"trust": report.score, **report.pillars}
        bounds = {name: found.interval(name) for name in found.samples}
        rows = [(names[n], amount(scores[n], 3), f"{low:.3f}", f"{high:.3f}") for n, (low, high) in bounds.items()]
        low, high = bounds["trust"]
        label = f"Trust {amount(report.score)}, between {low:.2f} and {high:.2f} in nine of ten draws"
        text = f"How far scores depend on choices: 5\u202f% to 95\u202f% of {tip(f'{_DRAWS:,} draws', _SAMPLED)} "
        text += "of weights and normalisers. A wide band is a score that others would have set otherwise."
        bands = pair(text, plot.to_svg(figure, label), table(("pillar", "as given", "5 %", "95 %"), rows))
        return bands + _rivals(lab, report)

    return draw


def _rivals(lab: Lab, report: TrustReport) -> str:
    rows = []
    for name, outcome in rivals(lab):
        other = scored(lab.report(outcome))
        if other is not None:
            chance = outranks(report, other, draws=_DRAWS)
            rows.append((name, amount(other.score, 3), f"{chance:.0%}"))
    title = "<h3>Against the other runs of this page</h3>"
    if not rows:
        return f'{title}<p class="tk-sub">{_ALONE}</p>'
    head = ("the other run has", "its trust", tip("outranked by this one", _OUTRANKS))
    text = f"This run: trust {amount(report.score, 3)}, {html.escape(report.profile.name)} profile with these weights."
    return f'{title}<p class="tk-sub">{text}</p><div class="tk-rivals">{table(head, rows)}</div>'
