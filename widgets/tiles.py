"""The tiles: the numbers a person came for, each with its caveat, and with how it stands to the baseline."""

from __future__ import annotations

import math

from trustkit.widgets.lab import Lab
from trustkit.widgets.numbers import amount, bytes_text
from trustkit.widgets.player import Outcome
from trustkit.widgets.strings import say, say_html
from trustkit.widgets.translated import translated
from trustkit.widgets.view import tip

from trustkit.findings import fairness_of, headline_of, quality_of
from trustkit.quantities import Seen
from trustkit.sidebyside import Delta, deltas_of

__all__ = ["moved", "tiles", "written"]

_TILES = ("trust", "accuracy", "rmse", "fairness.demographic_disparity", "epsilon", "megabytes")
_DIGITS = {"accuracy": 3, "worst_accuracy": 3, "fairness.pooled": 3, "fairness.clients_over": 0}


def written(name: str, value: float | None) -> str:
    """Write a quantity.

    Parameters
    ----------
    name : str
        Of `trustkit.quantities.QUANTITIES`.
    value : float or None
        The number.

    Returns
    -------
    str
        With its usual digits; traffic with a unit.
    """
    if name == "megabytes" and value is not None and math.isfinite(value):
        return bytes_text(1e6 * value)
    return amount(value, _DIGITS.get(name, 2))


def moved(delta: Delta) -> str:
    """Say how far a number is from the baseline's, and whether that is better.

    Parameters
    ----------
    delta : Delta
        Of the result and the baseline.

    Returns
    -------
    str
        HTML: an arrow, the difference and a word, so that colour is never alone; empty where nothing can be said.
    """
    if delta.moved is None:
        return ""
    size = written(delta.name, abs(delta.difference))
    if not delta.moved or size == written(delta.name, 0.0):
        return f'<span class="tk-delta">{say("tiles.same")}</span>'
    up = delta.difference > 0
    kind, word = {True: (" tk-up", " · " + say("tiles.better")), False: (" tk-down", " · " + say("tiles.worse")),
                  None: ("", "")}[delta.better]  # fmt: skip
    return f'<span class="tk-delta{kind}">{"▲ +" if up else "▼ −"}{size}{word}</span>'


def _moves(lab: Lab, outcome: Outcome) -> dict[str, str]:
    """How each number of the tiles moved against the baseline, if there is another one."""
    base = lab.baseline
    if base is None or base is outcome:
        return {}
    here, there = (Seen(None, each.record, lab.report(each)) for each in (outcome, base))
    return {delta.name: moved(delta) for delta in deltas_of(here, there, _TILES)}


def _epsilon_tile(outcome: Outcome, epsilon: float, move: str) -> str:
    private = outcome.facts
    assumption = private.get("privacy", "assumption")
    if math.isinf(epsilon):
        words = say("tiles.about_unbounded", epsilon=say("about.epsilon"))
        return _tile(say("tiles.epsilon"), tip("∞", words), say("tiles.no_mechanism"), move)
    words = say("tiles.about_spent", epsilon=say("about.epsilon"), assumption=assumption or "")
    level, delta = str(private.get("privacy", "level")), f"{private.get('privacy', 'delta'):g}"
    said = tip(say("tiles.assumption"), words)
    caveat = say_html("tiles.protects", delta=delta, level=translated(level), assumption=said)
    return _tile(say("tiles.epsilon"), tip(amount(epsilon), words), caveat, move)


def _tile(name: str, number: str, caveat: str, move: str = "") -> str:
    lines = f'<div class="tk-k">{name}</div><div class="tk-n">{number}</div>{move}<div class="tk-d">{caveat}</div>'
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
    moves = _moves(lab, outcome)
    pinned = say("tiles.baseline", score=amount(base.score)) if base else ""
    trust = _tile(
        say("tiles.trust"),
        tip(amount(report.score if report else None), say("about.trust")),
        pinned + say("tiles.missing", count=unknown),
        moves.get("trust", ""),
    )
    joint = len(outcome.record.last.accuracy) == 1
    quality = quality_of(outcome.record)
    about, reached = say("about.accuracy"), amount(head.accuracy, 3)
    number = tip(reached, about) if quality.higher else tip(amount(quality.last, 2), say("about.rmse"))
    worst = say_html("tiles.worst", value=tip(amount(head.worst_accuracy, 3), about))
    accuracy = _tile(
        say("tiles.accuracy") if quality.higher else say("tiles.rmse"),
        number,
        say("tiles.joint") if joint else worst,
        moves.get("accuracy" if quality.higher else "rmse", ""),
    )
    if gaps is None:
        none = tip(say("page.undefined"), say("tiles.about_no_attribute"))
        gap = _tile(say("tiles.gap"), none, say("tiles.no_attribute"))
    else:
        undefined = say("tiles.undefined", count=gaps.undefined) if gaps.undefined else ""
        named = {"attribute": gaps.attribute, "groups": ", ".join(gaps.groups)}
        masking = tip(amount(gaps.masking), say("about.masking"))
        gap = _tile(
            say("tiles.gap"),
            tip(amount(gaps.worst), say("tiles.about_groups", disparity=say("about.disparity"), **named)),
            say_html("tiles.by", attribute=gaps.attribute, masking=masking, undefined=undefined),
            moves.get("fairness.demographic_disparity", ""),
        )
    traffic = _tile(
        say("tiles.traffic"),
        tip(bytes_text(head.bytes_up + head.bytes_down), say("about.traffic")),
        say("tiles.up_down", up=bytes_text(head.bytes_up), down=bytes_text(head.bytes_down)),
        moves.get("megabytes", ""),
    )
    spent = _epsilon_tile(outcome, head.epsilon, moves.get("epsilon", ""))
    return f'<div class="tk-tilegrid">{trust}{accuracy}{gap}{spent}{traffic}</div>'
