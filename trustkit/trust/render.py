"""The trust report as HTML: one self-contained page, or a fragment for a notebook."""

from __future__ import annotations

import html
import math
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from trustkit.trust.explain import number, raw_text, summary
from trustkit.trust.rules import words_of

if TYPE_CHECKING:
    from trustkit.trust.report import Score, TrustReport

__all__ = ["fragment", "page"]

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
body {{ margin: 0; background: #fbfbfa; }}
main {{ padding: 18px; }}
.tk-report {{ margin: 0 auto; }}
@media (prefers-color-scheme: dark) {{ body {{ background: #14181b; }} }}
</style>
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""

_HEAD = (
    '<thead><tr><th scope="col" style="width:30%">metric</th><th scope="col" style="width:20%">notion</th>'
    '<th scope="col" class="n" style="width:15%">raw value</th><th scope="col" class="n" style="width:13%">score</th>'
    '<th scope="col" class="n" style="width:11%">of trust</th><th scope="col" style="width:11%">status</th></tr>'
    "</thead>"
)


@cache
def _css() -> str:
    return resources.files("trustkit.trust").joinpath("report.css").read_text(encoding="utf-8")


def _text(value: object) -> str:
    return html.escape(str(value), quote=True)


def _meter(score: float | None) -> str:
    """A bar beside a number: decoration, hidden from screen readers."""
    if score is None or math.isnan(score):
        return '<span class="meter none" aria-hidden="true"></span>'
    return f'<span class="meter" aria-hidden="true"><i style="width:{100 * score:.1f}%"></i></span>'


def _tile(name: str, score: float | None) -> str:
    note = '<span class="status">no evidence</span>' if score is None else ""
    return f"<li><span>{_text(name)}</span><b>{number(score)}</b>{note}{_meter(score)}</li>"


def _details(report: TrustReport, line: Score) -> str:
    row = line.row
    known = [f"{path} = {value}" for path, value in line.inputs.items() if value is not None]
    unknown = [path for path, value in line.inputs.items() if value is None]
    parts = [
        ("", row.synopsis),
        ("Remark", line.remark),
        ("Formula", row.formula),
        ("Score", words_of(report.profile.normaliser(line.metric))),
        ("Why so", report.profile.reasons.get(line.metric, "")),
        ("Better", row.better),
        ("From", "; ".join(known)),
        ("Not stated", ", ".join(unknown)),
        ("Measured by", "examining the finished run (examine)" if line.examined else ""),
        ("When and who", f"{row.when}, {row.who}"),
        ("Source", row.source),
        ("Deviations", row.deviations),
    ]
    body = "".join(f"<p>{'<b>' + name + ':</b> ' if name else ''}{_text(text)}</p>" for name, text in parts if text)
    tip = _text(f"{row.formula} {row.source}")
    return f'<details><summary title="{tip}">{_text(row.name)}</summary>{body}</details>'


def _row(report: TrustReport, line: Score) -> str:
    style = "" if line.status == "ok" else ' class="gap"'
    return (
        f'<tr{style}><th scope="row">{_details(report, line)}</th>'
        f"<td>{_text(report.profile.taxonomy.notions[line.notion].name)}</td>"
        f'<td class="n">{_text(raw_text(line))}</td><td class="n">{number(line.score)}{_meter(line.score)}</td>'
        f'<td class="n">{line.weight:.1%}</td><td>{line.status}</td></tr>'
    )


def _table(report: TrustReport, pillar: str) -> str:
    rows = "".join(_row(report, line) for line in report.metrics if line.pillar == pillar)
    score = report.pillars[pillar]
    said = "no evidence" if score is None else f"{number(score)}, {report.shares[pillar]:.1%} of trust"
    caption = f"<caption>{_text(report.profile.taxonomy.pillars[pillar])} <small>{said}</small></caption>"
    return f'<div class="wide"><table>{caption}{_HEAD}<tbody>{rows}</tbody></table></div>'


def fragment(report: TrustReport) -> str:
    """Render a report for a notebook: it follows JupyterLab's theme.

    Parameters
    ----------
    report : TrustReport
        Any report.

    Returns
    -------
    str
        A style and a section; every text is escaped, nothing is fetched.
    """
    names = report.profile.taxonomy.pillars
    title = f" <small>{_text(report.title)}</small>" if report.title else ""
    notes = "".join(f'<p class="say note" role="note">{_text(note)}</p>' for note in report.notes)
    tiles = _tile("Trust", report.score) + "".join(_tile(names[p], score) for p, score in report.pillars.items())
    zero = report.profile.missing == "zero"
    gaps = "what has no evidence scores 0" if zero else "what has no evidence carries no weight and is never scored 0"
    tables = "".join(_table(report, pillar) for pillar in report.pillars)
    return (
        f'<style>{_css()}</style><section class="tk-report" aria-label="Trust report"><h1>Trust report{title}</h1>'
        f'<p class="say" role="status">{_text(summary(report))}</p>{notes}'
        f'<ul class="tiles" aria-label="Trust and its pillars">{tiles}</ul>{tables}'
        f"<footer>Profile {_text(report.profile.name)}: {_text(report.profile.about)} Scores lie between 0 and 1; "
        f"{gaps}. "
        "A metric's name opens its formula and source.</footer></section>"
    )


def page(report: TrustReport) -> str:
    """Render a report as one HTML file.

    Parameters
    ----------
    report : TrustReport
        Any report.

    Returns
    -------
    str
        A complete page without scripts and without any external address.
    """
    title = f"Trust report{': ' + report.title if report.title else ''}"
    return _PAGE.format(title=_text(title), body=fragment(report))
