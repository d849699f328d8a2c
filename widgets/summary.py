"""A trust report in one sentence, in the language of the page; in English as `trustkit.trust` says it."""

from __future__ import annotations

import math

from trustkit.widgets.reasons import names_of
from trustkit.widgets.strings import say
from trustkit.widgets.translated import spoken

from trustkit.trust import TrustReport

__all__ = ["summary_of"]


def summary_of(report: TrustReport) -> str:
    """Say the most important of a report.

    Parameters
    ----------
    report : TrustReport
        Any.

    Returns
    -------
    str
        Plain text: trust, the strongest and the weakest pillar, and how many metrics are measured.
    """
    scored = {pillar: score for pillar, score in report.pillars.items() if score is not None and not math.isnan(score)}
    if report.score is None or not scored:
        return say("overall.none")
    trust = say("overall.trust", score=f"{report.score:.2f}")
    if len(scored) > 1:
        names = names_of(report)
        best, worst = max(scored, key=lambda pillar: scored[pillar]), min(scored, key=lambda pillar: scored[pillar])
        trust = say(
            "overall.ends",
            trust=trust,
            best=spoken(names[best]),
            high=f"{scored[best]:.2f}",
            worst=spoken(names[worst]),
            low=f"{scored[worst]:.2f}",
        )
    return f"{trust}; {_coverage(report)}."


def _coverage(report: TrustReport) -> str:
    said = [say("overall.measured", measured=len(report.measured), total=len(report.metrics))]
    if report.missing:
        missing = say("overall.missing", count=len(report.missing))
        examine = len(report.to_examine)
        said.append(say("overall.examine", missing=missing, count=examine) if examine else missing)
    if report.undefined:
        said.append(say("overall.undefined", count=len(report.undefined)))
    return ", ".join(said)
