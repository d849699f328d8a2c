"""The trust report as a table for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trustkit.trust.explain import coverage, number, raw_text

if TYPE_CHECKING:
    from trustkit.trust.report import TrustReport

__all__ = ["table"]


def table(report: TrustReport) -> str:
    """Write trust, pillars and metrics as aligned lines.

    Parameters
    ----------
    report : TrustReport
        Any.

    Returns
    -------
    str
        One line for each pillar and metric, a dash where there is no score; then how many metrics are measured.
    """
    names = report.profile.taxonomy
    lines = [f"{'trust':52}{number(report.score):>8}", ""]
    for pillar, score in report.pillars.items():
        lines.append(f"{names.pillars[pillar]:52}{number(score):>8}  {report.shares[pillar]:6.1%} of trust")
        for line in report.metrics:
            if line.pillar == pillar:
                status = "" if line.status == "ok" else f"  {line.status}"
                name = f"  {names.notions[line.notion].name}: {line.row.name}"
                lines.append(f"{name:52.51}{number(line.score):>8}  {line.weight:6.1%}  raw {raw_text(line)}{status}")
    lines += ["", f"{coverage(report)}."]
    return "\n".join([*lines, *(f"\n{note}" for note in report.notes)])
