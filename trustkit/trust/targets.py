"""Targets: the least score that a project, a pillar, a notion or a metric must reach."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from trustkit import tomlfile
from trustkit.shown import shown
from trustkit.trust.report import TrustReport
from trustkit.trust.tree import TRUST, edges_of, means, reaches

__all__ = ["Gap", "Miss", "load", "measured", "missed", "pairs", "unmeasured"]


@dataclass(frozen=True)
class Miss:
    """A target that is not reached: whose, the score that is wanted, and the one there is."""

    id: str
    wanted: float
    score: float | None

    def __str__(self) -> str:
        if self.score is None or math.isnan(self.score):
            return f"{self.id} has no score, and must reach {self.wanted:.4g}"
        return f"{self.id} scores {self.score:.4g}, and must reach {self.wanted:.4g}"


@dataclass(frozen=True)
class Gap:
    """Too little evidence: the share of the rows, by weight, that must be measured, and the one that is."""

    wanted: float
    share: float

    def __str__(self) -> str:
        return f"{self.share:.4g} of the rows are measured, by weight, and at least {self.wanted:.4g} must be"


def pairs(words: Iterable[str], option: str) -> dict[str, float]:
    """Read numbers by id from the command line.

    Parameters
    ----------
    words : iterable of str
        Each ``id=number``, or several with commas between.
    option : str
        For messages.

    Returns
    -------
    dict of str to float
        In their order; a later one replaces an earlier one.

    Raises
    ------
    ValueError
        If one is not ``id=number``.

    Examples
    --------
    >>> pairs(["privacy=0.5,fairness=0.7", "trust=0.6"], "--target")
    {'privacy': 0.5, 'fairness': 0.7, 'trust': 0.6}
    """
    found = {}
    for word in (part.strip() for line in words for part in line.split(",")):
        name, equals, number = word.partition("=")
        try:
            value = float(number)
        except ValueError:
            equals = ""
        if not equals or not name.strip():
            raise ValueError(f"{option} must be id=number, as privacy=0.5, got {word!r}")
        found[name.strip()] = value
    return found


def load(path: Path) -> dict[str, float]:
    """Read targets from a TOML file: one table of numbers by id, ``trust`` among them if one likes.

    Parameters
    ----------
    path : pathlib.Path
        The file.

    Returns
    -------
    dict of str to float
        As they stand; `missed` checks them.

    Raises
    ------
    ValueError
        If it is not TOML, or an entry is no number.
    """
    try:
        content = tomlfile.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} must be targets in TOML, got: {error}") from None
    for name, value in content.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ValueError(f"{path} must hold a number for each id, got {name:.60} = {shown(value)}")
    return {name: float(value) for name, value in content.items()}


def missed(report: TrustReport, targets: Mapping[str, float]) -> tuple[Miss, ...]:
    """List the targets that a report does not reach.

    Parameters
    ----------
    report : TrustReport
        Any.
    targets : mapping of str to float
        In [0, 1], by "trust", pillar, notion or metric.

    Returns
    -------
    tuple of Miss
        Empty if all are reached. A part without a score reaches none.

    Raises
    ------
    KeyError
        If an id is unknown.
    ValueError
        If a target is outside [0, 1].

    Examples
    --------
    >>> from trustkit.trust import FactSheet, assess
    >>> report = assess(FactSheet({"performance/test_acc_avg": 0.75}))
    >>> [str(miss) for miss in missed(report, {"performance": 0.8, "robustness": 0.7})]
    ['performance scores 0.75, and must reach 0.8']
    """
    scores = {TRUST: report.score, **report.pillars, **report.notions, **{m.metric: m.score for m in report.metrics}}
    found = []
    for name, wanted in targets.items():
        if name not in scores:
            report.profile.taxonomy.level_of(name)
        if not 0 <= wanted <= 1:
            raise ValueError(f"the target of {name} must be between 0 and 1, got {wanted!r}")
        score = scores[name]
        if score is None or not score >= wanted:
            found.append(Miss(name, wanted, score))
    return tuple(found)


def measured(report: TrustReport) -> float:
    """Return the share of the rows that are measured, by weight.

    Parameters
    ----------
    report : TrustReport
        Any.

    Returns
    -------
    float
        In [0, 1]: what the measured rows would carry of trust if every row were measured. Rows of completeness count as
        measured, since what is not stated is what they measure.

    Examples
    --------
    >>> from trustkit.trust import FactSheet, assess
    >>> round(measured(assess(FactSheet({"performance/test_acc_avg": 0.75}))), 4)
    0.1944
    """
    edges = edges_of(report.profile.taxonomy, report.profile.aggregation, report.weights)
    full = reaches(edges, means(edges, {line.metric: 1.0 for line in report.metrics}))
    return sum(full[metric] for metric in report.measured)


def unmeasured(report: TrustReport, least: float) -> tuple[Gap, ...]:
    """Say whether a report rests on too little evidence.

    Parameters
    ----------
    report : TrustReport
        Any.
    least : float
        In [0, 1]: the share of the rows, by weight, that must be measured.

    Returns
    -------
    tuple of Gap
        Empty if enough is measured, else one.

    Raises
    ------
    ValueError
        If the share is outside [0, 1].

    Examples
    --------
    >>> from trustkit.trust import FactSheet, assess
    >>> [str(gap) for gap in unmeasured(assess(FactSheet({"performance/test_acc_avg": 0.75})), 0.5)]
    ['0.1944 of the rows are measured, by weight, and at least 0.5 must be']
    """
    if not 0 <= least <= 1:
        raise ValueError(f"the least share of measured rows must be between 0 and 1, got {least!r}")
    share = measured(report)
    return () if share >= least - 1e-12 else (Gap(least, share),)
