"""Our scores beside the paper's: one line a score, as CSV and as Markdown."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from trustkit.bench.marks import RULES, judge, readings
from trustkit.bench.printed import FIGURES, PRINTED, STATED
from trustkit.experiment import Experiment
from trustkit.trust import FactSheet, TrustReport, assess
from trustkit.trust.profiles import PROFILES
from trustkit.trust.tree import TRUST

__all__ = ["Comparison", "Line", "Played", "lines_of"]

_BESIDE = (
    "A mark is about the printed number and the paper's own rules. Our scores stand beside it, under two profiles; "
    "on a stand-in, or scaled down, they are no test of what the paper measured."
)


@dataclass(frozen=True)
class Line:
    """A score of one experiment: ours under profiles "paper" and "paper-figures", the paper's, its mark and reason."""

    experiment: int
    data: str
    level: str
    part: str
    name: str
    paper: float | None
    paper_figures: float | None
    printed: float | None
    mark: str
    reason: str


@dataclass(frozen=True)
class Played:
    """An experiment that was played, and its fact sheet."""

    experiment: Experiment
    facts: FactSheet


def lines_of(number: int, played: Played) -> tuple[Line, ...]:
    """Score a fact sheet and mark what the paper prints for the experiment.

    Parameters
    ----------
    number : int
        1 to 5.
    played : Played
        Our run.

    Returns
    -------
    tuple of Line
        Trust, then each pillar with its metrics.
    """
    facts, data = played.facts, played.experiment.data.name
    data += ", synthetic" if facts.get("data", "synthetic") else ""
    reports = [assess(facts, profile) for profile in ("paper", "paper-figures")]
    own = not facts.get("data", "synthetic") and not facts.get("data", "scaled_down")
    found = []
    for level, part, name in _parts():
        paper, figures = (_score(report, level, part) for report in reports)
        printed = PRINTED[number].get(part)
        mark = reason = ""
        if printed is not None:
            mark, reason = judge(printed, readings(part, STATED[number], PRINTED[number]), figures, own)
        found.append(Line(number, data, level, part, name, paper, figures, printed, mark, reason))
    return tuple(found)


def _parts() -> list[tuple[str, str, str]]:
    """Level, id and name of everything that is scored."""
    taxonomy = PROFILES["paper"].taxonomy
    found = [("trust", TRUST, "Trust")]
    for pillar, name in taxonomy.pillars.items():
        found.append(("pillar", pillar, name))
        found += [("metric", key, row.name) for key, row in taxonomy.metrics.items() if row.pillar == pillar]
    return found


def _score(report: TrustReport, level: str, part: str) -> float | None:
    if level == "metric":
        return next(line.score for line in report.metrics if line.metric == part)
    return report.score if level == "trust" else report.pillars[part]


@dataclass(frozen=True, eq=False)
class Comparison:
    """What was played and how it compares.

    Parameters
    ----------
    played : mapping of int to Played
        By the experiment's number.
    lines : tuple of Line
        Of all experiments played.
    """

    played: Mapping[int, Played]
    lines: tuple[Line, ...]

    @property
    def marks(self) -> dict[str, int]:
        """How many printed numbers have each mark."""
        counted = Counter(line.mark for line in self.lines)
        return {mark: counted[mark] for mark in RULES}

    def of(self, figure: int) -> tuple[Line, ...]:
        """Return the lines of a figure's experiments.

        Parameters
        ----------
        figure : int
            4 or 5.

        Returns
        -------
        tuple of Line
            Empty if none of them was played.
        """
        return tuple(line for line in self.lines if line.experiment in FIGURES[figure])

    def to_csv(self, figure: int) -> str:
        """Write the lines of a figure.

        Parameters
        ----------
        figure : int
            4 or 5.

        Returns
        -------
        str
            Comma-separated, with a header; what is not known or not printed is empty.
        """
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        names = [field.name for field in fields(Line)]
        writer.writerow(names)
        writer.writerows([getattr(line, name) for name in names] for line in self.of(figure))
        return out.getvalue()

    def to_markdown(self) -> str:
        """Write what was played, the rules of the marks, and a table for each figure.

        Returns
        -------
        str
            Markdown.
        """
        text = ["# FederatedTrust, experiments 1 to 5, beside the paper's printed numbers", ""]
        text += [f"{', '.join(f'{count} {mark}' for mark, count in self.marks.items())}.", ""]
        text += [f"- **{mark}**: {rule}" for mark, rule in RULES.items()]
        text += ["", _BESIDE, "", *_runs(self.played)]
        for figure in FIGURES:
            if lines := self.of(figure):
                text += ["", f"## Figure {figure}", "", *_table(lines)]
        return "\n".join([*text, ""])


def _runs(played: Mapping[int, Played]) -> list[str]:
    heads = ("experiment", "data", "clients", "selected", "rounds", "ε asked", "ε spent", "noise", "rule", "parameters",
             "seconds of training", "scaled down")  # fmt: skip
    rows = [_row(heads), _row(["---"] * len(heads))]
    for number, run in played.items():
        facts, wanted = run.facts, run.experiment
        level = wanted.privacy.args["level"] if wanted.privacy else None
        label = f"{wanted.data.name} (synthetic, in place of {STATED[number].data})"
        spent = facts.get("privacy", "epsilon")
        rows.append(_row([
            str(number), label if facts.get("data", "synthetic") else STATED[number].data,
            str(facts.get("participants", "client_num")), f"{wanted.participation:.0%}",
            str(wanted.rounds) + ("" if STATED[number].rounds else " (not stated in the paper)"),
            "none" if wanted.privacy is None else f"{STATED[number].epsilon:g}",
            "none" if wanted.privacy is None or spent is None else f"{spent:.2f}",
            {"example": "local, protects a row", "client": "global, protects a client", None: "none"}[level],
            wanted.algorithm.name, f"{facts.get('explainability', 'trainable_param_num'):,}",
            f"{facts.get('system', 'training_seconds'):.0f}", facts.get("data", "scaled_down") or "no",
        ]))  # fmt: skip
    return rows


def _table(lines: tuple[Line, ...]) -> list[str]:
    heads = ("experiment", "score", "profile paper", "profile paper-figures", "printed", "mark", "why")
    rows = [_row(heads), _row(["---"] * len(heads))]
    for line in lines:
        name = line.name if line.level == "metric" else f"**{line.name}**"
        numbers = [_number(value) for value in (line.paper, line.paper_figures, line.printed)]
        rows.append(_row([str(line.experiment), name, *numbers, line.mark, line.reason]))
    return rows


def _row(cells: Any) -> str:
    return f"| {' | '.join(cells)} |"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"
