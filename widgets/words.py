"""What the page says in words and numbers; every number is made elsewhere."""

from __future__ import annotations

import html
import math

from trustkit.widgets.lab import Lab
from trustkit.widgets.numbers import ACCURACY, OVER, POOLED, RMSE, SYNTHETIC, TRUST, amount, synthetic
from trustkit.widgets.player import Outcome
from trustkit.widgets.view import bar, tip

from trustkit.catalogue import DATASETS
from trustkit.findings import THRESHOLD, fairness_of, headline_of, quality_of
from trustkit.records import RunRecord

__all__ = ["sentence", "status"]


def _moved(now: float | None, before: float | None, words: str, digits: int = 2) -> str:
    if now is None or before is None or not math.isfinite(now - before):
        return ""
    if round(now - before, digits) == 0:
        return f" (as the baseline{words})"
    kind = "up" if now > before else "down"
    return f' <span class="tk-{kind}">({now - before:+.{digits}f} vs baseline{words})</span>'


def _elsewhere(before: RunRecord, now: RunRecord) -> str:
    """Name the baseline's data set if it is another one: then the difference is not the controls' alone."""
    name = before.experiment.data.name
    return "" if name == now.experiment.data.name else f" on {html.escape(DATASETS[name].title)}"


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
    verb = "rose" if gaps[name] > 0 else "fell"
    return f" {name.capitalize()} {verb} from {amount(before.pillars[name])} to {amount(now.pillars[name])}."


def _tip(text: str, words: str) -> str:
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
        return '<div class="tk-say" role="status">Nothing has been trained yet: press <b>Run</b>.</div>'
    report, record = lab.report(outcome), outcome.record
    head, gaps = headline_of(record), fairness_of(record)
    before = None if lab.baseline in (None, outcome) else lab.baseline
    older = lab.report(before) if before is not None else None
    text = f'<span class="tk-tag">{SYNTHETIC}</span> ' if synthetic(record) else ""
    text += f"<b>Trust {_tip(amount(report.score if report else None), TRUST)}</b>"
    elsewhere = "" if before is None else _elsewhere(before.record, record)
    text += _moved(report.score if report else None, older.score if older else None, elsewhere) if older else ""
    quality = quality_of(record)
    reached = f"mean accuracy {_tip(amount(head.accuracy, 3), ACCURACY)}"
    reached = reached if quality.higher else f"RMSE {_tip(amount(quality.last), RMSE)}"
    text += f" after {head.rounds} round{'s' if head.rounds != 1 else ''}, {reached}."
    text += _pillar_change(lab, outcome) if before is not None else ""
    if gaps is not None and not math.isnan(gaps.worst):
        text += f" Over all rows the gap by {html.escape(gaps.attribute)} is {_tip(amount(gaps.pooled, 3), POOLED)}"
        clients = len(gaps.names)
        text += (
            f"; <b>{_tip(f'{gaps.over} of {clients} clients', OVER)}</b> exceed {THRESHOLD:g}." if clients > 1 else "."
        )
    if lab.state == "stale":
        text += " <em>The controls have moved since: press Run.</em>"
    return f'<div class="tk-say" role="status" aria-live="polite">{text}</div>'


def status(lab: Lab) -> str:
    """Say what the machine is doing: idle, running k / N with the time left, stopping, stopped, stale, failed.

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
        "idle": f"idle · {done} of {total} rounds done",
        "stale": "stale · "
        + ("nothing trained yet" if record is None else "the picture shows an earlier setting")
        + "; press Run",
        "stopped": f"stopped after {done} of {total} rounds; Run goes on from there",
        "stopping": f"stopping after round {done} …" + _measuring(lab),
        "failed": "failed · see the red card",
        "running": _running(lab, done, total),
    }[state]
    return bar("rounds", done, total, words, state)


def _measuring(lab: Lab) -> str:
    halted = lab.progress is not None and lab.progress.halted is not None
    return " training has halted, measuring trust" if halted else ""


def _running(lab: Lab, done: int, total: int) -> str:
    progress = lab.progress
    if progress is not None and progress.phase == "measuring":
        return f"running {done} / {total} · measuring trust"
    left = progress.left() if progress is not None else None
    return f"running {done} / {total}" + ("" if left is None else f" · about {max(left, 0):.1f} s left")
