"""What the page says in words and numbers; every number is made elsewhere."""

from __future__ import annotations

import math

from trustkit.widgets.lab import Lab
from trustkit.widgets.numbers import amount, synthetic
from trustkit.widgets.player import Outcome
from trustkit.widgets.reasons import names_of
from trustkit.widgets.strings import Html, say, say_html
from trustkit.widgets.translated import translated
from trustkit.widgets.view import bar, tip

from trustkit.catalogue import DATASETS
from trustkit.findings import THRESHOLD, fairness_of, headline_of, quality_of
from trustkit.records import RunRecord

__all__ = ["sentence", "status"]


def _moved(now: float | None, before: float | None, data: str) -> str:
    if now is None or before is None or not math.isfinite(now - before):
        return ""
    if round(now - before, 2) == 0:
        return say_html("summary.same_elsewhere", data=data) if data else say("summary.same")
    kind, change = "up" if now > before else "down", f"{now - before:+.2f}"
    elsewhere = say_html("summary.moved_elsewhere", change=change, data=data)
    return f' <span class="tk-{kind}">{elsewhere if data else say("summary.moved", change=change)}</span>'


def _elsewhere(before: RunRecord, now: RunRecord) -> str:
    """Name the baseline's data set if it is another one: then the difference is not the controls' alone."""
    name = before.experiment.data.name
    return "" if name == now.experiment.data.name else translated(DATASETS[name].title)


def _pillar_change(lab: Lab, outcome: Outcome) -> str:
    now, before = lab.report(outcome), lab.report(lab.baseline)
    if now is None or before is None:
        return ""
    pairs = {name: (score, before.pillars.get(name)) for name, score in now.pillars.items()}
    gaps = {name: new - old for name, (new, old) in pairs.items()
            if new is not None and old is not None and math.isfinite(new - old)}  # fmt: skip
    if not gaps:
        return ""
    name = max(gaps, key=lambda pillar: abs(gaps[pillar]))
    if abs(gaps[name]) < 0.005:
        return ""
    texts = {"pillar": names_of(now)[name], "before": amount(before.pillars[name]), "now": amount(now.pillars[name])}
    return say_html("summary.rose", **texts) if gaps[name] > 0 else say_html("summary.fell", **texts)


def _tip(text: str, words: str) -> Html:
    """The sentence is read out whenever it changes: there the number is enough."""
    return tip(text, words, spoken=False)


def sentence(lab: Lab) -> str:
    """Say in one or two sentences what the run shows.

    Parameters
    ----------
    lab : Lab
        The page's state.

    Returns
    -------
    str
        HTML with ``role="status"``.
    """
    outcome = lab.outcome
    if outcome is None:
        words = say_html("summary.training" if lab.player.busy else "summary.untrained")
        return f'<div class="tk-say" role="status">{words}</div>'
    report, record = lab.report(outcome), outcome.record
    head, gaps = headline_of(record), fairness_of(record)
    before = None if lab.baseline in (None, outcome) else lab.baseline
    older = lab.report(before) if before is not None else None
    text = f'<span class="tk-tag">{say("page.synthetic")}</span> ' if synthetic(record) else ""
    score = _tip(amount(report.score if report else None), say("about.trust"))
    text += say_html("summary.trust", trust=score)
    elsewhere = "" if before is None else _elsewhere(before.record, record)
    text += _moved(report.score if report else None, older.score if older else None, elsewhere) if older else ""
    quality = quality_of(record)
    if quality.higher:
        reached = say_html("summary.accuracy", value=_tip(amount(head.accuracy, 3), say("about.accuracy")))
    else:
        reached = say_html("summary.rmse", value=_tip(amount(quality.last), say("about.rmse")))
    text += say_html("summary.after", count=head.rounds, reached=reached)
    text += _pillar_change(lab, outcome) if before is not None else ""
    if gaps is not None and not math.isnan(gaps.worst):
        gap, total = _tip(amount(gaps.pooled, 3), say("about.pooled")), len(gaps.names)
        text += say_html("summary.pooled", attribute=gaps.attribute, gap=gap)
        clients = _tip(say("summary.clients", over=gaps.over, count=total), say("about.over"))
        text += say_html("summary.exceed", clients=clients, line=f"{THRESHOLD:g}") if total > 1 else "."
    if lab.state == "stale":
        text += f" <em>{say('summary.stale')}</em>"
    elif lab.progress is not None and lab.progress.beside(outcome):
        text += f" <em>{say('summary.behind')}</em>"
    return f'<div class="tk-say" role="status" aria-live="polite">{text}</div>'


def status(lab: Lab) -> str:
    """Say what the machine is doing: idle, running k / N with the time left, stopping, stopped, stale, blocked, failed.

    Parameters
    ----------
    lab : Lab
        The page's state.

    Returns
    -------
    str
        HTML with a progress bar.
    """
    state, progress = lab.state, lab.progress
    record = lab.shown
    total = (progress.limit if progress and lab.player.busy else 0) or (record.experiment.rounds if record else 1)
    done = len(record) if record else 0
    words = {
        "idle": say("status.cached" if _cached(lab) else "status.idle", done=done, total=total),
        "stale": say("status.stale_untrained") if record is None else say("status.stale"),
        "stopped": say("status.stopped", done=done, total=total),
        "stopping": say("status.stopping", done=done) + _measuring(lab),
        "failed": say("status.blocked" if lab.experiment is None else "status.failed"),
        "running": _running(lab, done, total),
    }[state]
    return bar(say("status.bar"), done, total, words, state)


def _cached(lab: Lab) -> bool:
    """Whether the result was played before: for the page to open on, in an earlier kernel, or at earlier settings."""
    progress = lab.progress
    return progress is None or lab.outcome is not progress.outcome or progress.taken


def _measuring(lab: Lab) -> str:
    halted = lab.progress is not None and lab.progress.halted is not None
    return say("status.halted") if halted else ""


def _running(lab: Lab, done: int, total: int) -> str:
    progress = lab.progress
    words = say("status.running", done=done, total=total)
    if progress is not None and progress.phase == "measuring":
        return f"{words} · {say('status.measuring')}"
    left = progress.left() if progress is not None else None
    return words if left is None else f"{words} · {say('status.left', seconds=f'{max(left, 0):.1f}')}"
