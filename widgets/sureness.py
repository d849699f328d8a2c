"""How sure a score is: its band under other weights and normalisers, and the runs of the page that it outranks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from trustkit.widgets.figures import to_svg
from trustkit.widgets.lab import Lab
from trustkit.widgets.numbers import amount, count, percent
from trustkit.widgets.player import Outcome
from trustkit.widgets.reasons import names_of
from trustkit.widgets.strings import say, say_html
from trustkit.widgets.translated import translated
from trustkit.widgets.view import pair, table, tip

from trustkit import outranks, plot, sensitivity
from trustkit.trust import TrustReport

__all__ = ["draw_bands", "nothing", "rivals", "scored"]

_DRAWS = 1000
_MOST, _SAID = 5, 4


def nothing() -> str:
    """Say that there is no score yet.

    Returns
    -------
    str
        HTML.
    """
    return f'<p class="tk-sub">{say("page.unmeasured_run")}</p>'


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
        said = [*said[: _SAID - 1], say("sureness.more", count=len(said) - _SAID + 1)]
    if not said:
        said = [say("sureness.same", count=len(other.record))]
    return say("sureness.pinned", what=", ".join(said)) if pinned else ", ".join(said)


def _instead(change: str) -> str:
    what, _, values = change.partition(": ")
    was, _, now = values.partition(" → ")
    return say("sureness.instead", what=translated(what), now=now, was=was)


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
            return nothing()
        found, names = sensitivity(report, draws=_DRAWS), names_of(report)
        pictures["bands"] = figure = plot.score_bands(found, names, figure=pictures.get("bands"))
        scores = {"trust": report.score, **report.pillars}
        bounds = {name: found.interval(name) for name in found.samples}
        rows = [(names[n], amount(scores[n], 3), f"{low:.3f}", f"{high:.3f}") for n, (low, high) in bounds.items()]
        low, high = bounds["trust"]
        label = say("sureness.label", trust=amount(report.score), low=f"{low:.2f}", high=f"{high:.2f}")
        draws = tip(say("sureness.draws", count=count(_DRAWS)), say("sureness.about_draws", draws=count(_DRAWS)))
        heads = [say(f"sureness.{name}") for name in ("pillar", "given", "low", "high")]
        bands = pair(say_html("sureness.text", draws=draws), to_svg(figure, label), table(heads, rows))
        return bands + _rivals(lab, report)

    return draw


def _rivals(lab: Lab, report: TrustReport) -> str:
    rows = []
    for name, outcome in rivals(lab):
        other = scored(lab.report(outcome))
        if other is not None:
            chance = outranks(report, other, draws=_DRAWS)
            rows.append((name, amount(other.score, 3), percent(chance)))
    title = f"<h3>{say('sureness.rivals')}</h3>"
    if not rows:
        return f'{title}<p class="tk-sub">{say("sureness.alone")}</p>'
    outranked = tip(say("sureness.outranked"), say("sureness.about_outranks", draws=count(_DRAWS)))
    head = (say("sureness.other"), say("sureness.its_trust"), outranked)
    text = say_html("sureness.this_run", trust=amount(report.score, 3), profile=report.profile.name)
    return f'{title}<p class="tk-sub">{text}</p><div class="tk-rivals">{table(head, rows)}</div>'
