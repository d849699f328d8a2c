"""The tiles: the numbers a person came for, each with its caveat under it."""

from __future__ import annotations

import html
import math

from trustkit.widgets.lab import Lab
from trustkit.widgets.numbers import ACCURACY, DISPARITY, EPSILON, MASKING, RMSE, TRAFFIC, TRUST, amount, bytes_text
from trustkit.widgets.player import Outcome
from trustkit.widgets.view import tip

from trustkit.findings import fairness_of, headline_of, quality_of

__all__ = ["tiles"]


def _epsilon_tile(outcome: Outcome, epsilon: float) -> str:
    private = outcome.facts
    assumption = private.get("privacy", "assumption")
    if math.isinf(epsilon):
        return _tile(
            "ε spent",
            tip("∞", f"{EPSILON} No privacy mechanism is in use, so nothing bounds what the updates give away."),
            "no mechanism in use",
        )
    words = f"{EPSILON} Source: composed over all rounds by dp-accounting (RDP). {assumption or ''}"
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
            TRUST,
        ),
        (f"baseline {amount(base.score)} · " if base else "") + f"{unknown} metric{'s' if unknown != 1 else ''} "
        "without evidence",
    )
    joint = len(outcome.record.last.accuracy) == 1
    quality = quality_of(outcome.record)
    number = tip(amount(head.accuracy, 3), ACCURACY) if quality.higher else tip(amount(quality.last, 2), RMSE)
    accuracy = _tile(
        quality.name,
        number,
        "one joint model, held-out rows" if joint else f"worst client {tip(amount(head.worst_accuracy, 3), ACCURACY)}",
    )
    if gaps is None:
        gap = _tile(
            "worst client disparity", tip("n/a", "The data set names no protected attribute."), "no protected attribute"
        )
    else:
        undefined = f" · {gaps.undefined} n/a" if gaps.undefined else ""
        gap = _tile(
            "worst client disparity",
            tip(amount(gaps.worst), f"{DISPARITY} Groups of {gaps.attribute}: {', '.join(gaps.groups)}."),
            f"by {html.escape(gaps.attribute)} · masking gap {tip(amount(gaps.masking), MASKING)}{undefined}",
        )
    traffic = _tile(
        "traffic",
        tip(
            bytes_text(head.bytes_up + head.bytes_down),
            TRAFFIC,
        ),
        f"up {bytes_text(head.bytes_up)} · down {bytes_text(head.bytes_down)}",
    )
    return f'<div class="tk-tilegrid">{trust}{accuracy}{gap}{_epsilon_tile(outcome, head.epsilon)}{traffic}</div>'
