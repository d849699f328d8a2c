"""What the page says in words and numbers; every number is made elsewhere."""

from __future__ import annotations

import html
import math

from trustkit.widgets.lab import Lab
from trustkit.widgets.player import Outcome
from trustkit.widgets.view import tip

from trustkit.catalogue import DATASETS
from trustkit.findings import THRESHOLD, fairness_of, headline_of
from trustkit.records import RunRecord
from trustkit.rounds import data_of

__all__ = ["SYNTHETIC", "amount", "bytes_text", "sentence", "status", "synthetic", "tiles"]


SYNTHETIC = "synthetic data"
"""The words beside whatever comes from rows that are made up."""


def synthetic(record: RunRecord) -> bool:
    """Tell whether a run's rows are made up.

    Parameters
    ----------
    record : RunRecord
        A run.

    Returns
    -------
    bool
        Then every number from it has to say so.
    """
    return data_of(record.experiment).provenance.synthetic


def amount(value: float | None, digits: int = 2) -> str:
    """Write a number; n/a where it is not defined, ∞ where it is infinite, a dash where it is not known.

    Parameters
    ----------
    value : float or None
        The number.
    digits : int
        After the point.

    Returns
    -------
    str
        Text.
    """
    if value is None:
        return "–"
    if math.isnan(value):
        return "n/a"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    return f"{value:z.{digits}f}"


def bytes_text(count: float) -> str:
    """Write a number of bytes.

    Parameters
    ----------
    count : float
        Bytes.

    Returns
    -------
    str
        With a decimal unit.
    """
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return ""


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
    text += f"<b>Trust {amount(report.score if report else None)}</b>"
    elsewhere = "" if before is None else _elsewhere(before.record, record)
    text += _moved(report.score if report else None, older.score if older else None, elsewhere) if older else ""
    text += f" after {head.rounds} round{'s' if head.rounds != 1 else ''}, mean accuracy {amount(head.accuracy, 3)}."
    text += _pillar_change(lab, outcome) if before is not None else ""
    if gaps is not None and not math.isnan(gaps.worst):
        text += f" Over all rows the gap by {html.escape(gaps.attribute)} is {amount(gaps.pooled, 3)}"
        clients = len(gaps.names)
        text += f"; <b>{gaps.over} of {clients} clients</b> exceed {THRESHOLD:g}." if clients > 1 else "."
    if lab.state == "stale":
        text += " <em>The controls have moved since: press Run.</em>"
    return f'<div class="tk-say" role="status" aria-live="polite">{text}</div>'


_EPSILON = "P(outcome) ≤ e^ε · P(outcome without one row or client) + δ."


def _epsilon_tile(outcome: Outcome, epsilon: float) -> str:
    private = outcome.facts
    assumption = private.get("privacy", "assumption")
    if math.isinf(epsilon):
        return _tile(
            "ε spent",
            tip("∞", f"{_EPSILON} No privacy mechanism is in use, so nothing bounds what the updates give away."),
            "no mechanism in use",
        )
    words = f"{_EPSILON} Source: composed over all rounds by dp-accounting (RDP). {assumption or ''}"
    delta, level = private.get("privacy", "delta"), private.get("privacy", "level")
    return _tile(
        "ε spent",
        tip(amount(epsilon), words),
        f"δ = {delta:g} · protects one {html.escape(str(level))} · {tip('assumption', words)}",
    )


def _tile(name: str, number: str, caveat: str) -> str:
    lines = f'<div class="tk-k">{name}</div><div class="tk-n">{number}</div><div class="tk-d">{caveat}</div>'
    return f'<div class="tk-card tk-tile">{lines}</div>'


def tiles(lab: Lab) -> str:
    """Show the numbers a person came for, each with its caveat under it.

    Parameters
    ----------
    lab : Lab
        The page's state.

    Returns
    -------
    str
        HTML.
    """
    outcome = lab.outcome
    if outcome is None:
        return ""
    report, head, gaps = lab.report(outcome), headline_of(outcome.record), fairness_of(outcome.record)
    unknown = len(report.missing) if report else 0
    base = lab.report(lab.baseline) if lab.baseline is not None else None
    trust = _tile(
        "trust",
        tip(
            amount(report.score if report else None),
            "Σ weight × pillar ÷ Σ weight, over the pillars that have evidence; a pillar is the mean of its notions, a "
            "notion that of its metrics. Source: FederatedTrust, Section 5.",
        ),
        (f"baseline {amount(base.score)} · " if base else "") + f"{unknown} metric{'s' if unknown != 1 else ''} "
        "without evidence",
    )
    joint = len(outcome.record.last.accuracy) == 1
    accuracy = _tile(
        "accuracy",
        tip(
            amount(head.accuracy, 3),
            "Correct predictions ÷ held-out rows, client by client; the mean over the clients that have any. Source: "
            "the last round; FederatedTrust, Table 2 (performance).",
        ),
        "one joint model, held-out rows" if joint else f"worst client {amount(head.worst_accuracy, 3)}",
    )
    if gaps is None:
        gap = _tile(
            "worst client disparity", tip("n/a", "The data set names no protected attribute."), "no protected attribute"
        )
    else:
        words = (
            f"Demographic disparity: the largest minus the smallest share of favourable predictions between the groups "
            f"of {gaps.attribute}, on a client's held-out rows. Masking gap: the worst client's minus that of all "
            "rows. Source: FeDa4Fair."
        )
        undefined = f" · {gaps.undefined} n/a" if gaps.undefined else ""
        gap = _tile(
            "worst client disparity",
            tip(amount(gaps.worst), words),
            f"by {html.escape(gaps.attribute)} · masking gap {amount(gaps.masking)}{undefined}",
        )
    traffic = _tile(
        "traffic",
        tip(
            bytes_text(head.bytes_up + head.bytes_down),
            "Σ over rounds and parties of the bytes of what crosses a party's border: parameters across rows, "
            "embeddings and their gradients across columns. Source: counted as it is sent; a simulation, so no packet "
            "overhead.",
        ),
        f"up {bytes_text(head.bytes_up)} · down {bytes_text(head.bytes_down)}",
    )
    return f'<div class="tk-tilegrid">{trust}{accuracy}{gap}{_epsilon_tile(outcome, head.epsilon)}{traffic}</div>'


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
    share = 100 * done / max(total, 1)
    return (
        f'<div class="tk-status tk-is-{state}"><div class="tk-bar" role="progressbar" aria-label="rounds" '
        'aria-valuemin="0" '
        f'aria-valuemax="{total}" aria-valuenow="{done}"><i style="width:{share:.1f}%"></i></div>'
        f'<div class="tk-state" role="status">{words}</div></div>'
    )


def _measuring(lab: Lab) -> str:
    halted = lab.progress is not None and lab.progress.halted is not None
    return " training has halted, measuring trust" if halted else ""


def _running(lab: Lab, done: int, total: int) -> str:
    progress = lab.progress
    if progress is not None and progress.phase == "measuring":
        return f"running {done} / {total} · measuring trust"
    left = progress.left() if progress is not None else None
    return f"running {done} / {total}" + ("" if left is None else f" · about {max(left, 0):.1f} s left")
