"""The trust report: scores with their raw values, weights, status and sources, and the forms it can be written in."""

from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from trustkit import jsonfile
from trustkit.trust import explain, render
from trustkit.trust.fields import EXAMINED
from trustkit.trust.table import table
from trustkit.trust.taxonomy import Metric

if TYPE_CHECKING:
    import pandas as pd

    from trustkit.trust.profiles import Profile

__all__ = ["Score", "TrustReport"]


@dataclass(frozen=True)
class Score:
    """One metric's line: its place, raw value, score in [0, 1], share of trust, status, the facts it was read from.

    ``metric`` is its key in the profile's taxonomy, ``row`` its row there. ``raw`` and ``score`` are None where
    evidence is missing; where a measure is undefined, ``raw`` is NaN. A profile may score both 0.
    """

    pillar: str
    notion: str
    metric: str
    raw: float | None
    score: float | None
    weight: float
    status: Literal["ok", "missing", "undefined"]
    inputs: Mapping[str, Any]
    row: Metric = field(repr=False)

    @property
    def examined(self) -> tuple[str, ...]:
        """Facts that it lacks and that an examination of the finished run measures."""
        if self.status != "missing":
            return ()
        return tuple(path for path, value in self.inputs.items() if value is None and path in EXAMINED)

    @property
    def remark(self) -> str:
        """What has to be said with the score; may be empty."""
        return self.row.remark(self.inputs) if self.row.remark else ""

    def carrying(self, weight: float) -> Score:
        """Return the line with its share of trust.

        Parameters
        ----------
        weight : float
            In [0, 1].

        Returns
        -------
        Score
            A new line.
        """
        return dataclasses.replace(self, weight=weight)

    def to_dict(self) -> dict[str, Any]:
        """Return the line, with the words of its row, as plain values.

        Returns
        -------
        dict
            pillar, notion, metric, name, raw, unit, score, weight, status, better, formula, source, inputs.
        """
        row = self.row
        return {
            "pillar": self.pillar, "notion": self.notion, "metric": row.id, "name": row.name, "raw": self.raw,
            "unit": row.unit, "score": self.score, "weight": self.weight, "status": self.status, "better": row.better,
            "formula": row.formula, "source": row.source, "inputs": dict(self.inputs),
        }  # fmt: skip


@dataclass(frozen=True)
class TrustReport:
    """What `assess` found.

    Parameters
    ----------
    profile : Profile
        How scores were made and combined.
    title : str
        The project's overview; may be empty.
    score : float or None
        Trust, in [0, 1]; None without any evidence.
    pillars, notions : mapping of str to float or None
        Scores by id; None without evidence.
    metrics : tuple of Score
        One line for each metric, in the order of the taxonomy.
    notes : tuple of str
        What has to be said with the numbers: synthetic data, a scaled-down replay.
    weights : mapping of str to float
        As given, by pillar, notion and metric.
    shares : mapping of str to float
        What each pillar and notion carries of trust, in [0, 1]; a metric's is its line's ``weight``.
    experiment : str, optional
        Key of the experiment that was run; None if the facts do not state it.
    """

    profile: Profile
    title: str
    score: float | None
    pillars: Mapping[str, float | None]
    notions: Mapping[str, float | None]
    metrics: tuple[Score, ...]
    notes: tuple[str, ...] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    shares: Mapping[str, float] = field(default_factory=dict)
    experiment: str | None = None

    @property
    def measured(self) -> tuple[str, ...]:
        """Ids of the metrics that have a value."""
        return tuple(line.metric for line in self.metrics if line.status == "ok")

    @property
    def missing(self) -> tuple[str, ...]:
        """Ids of the metrics without evidence."""
        return tuple(line.metric for line in self.metrics if line.status == "missing")

    @property
    def undefined(self) -> tuple[str, ...]:
        """Ids of the metrics that have no value for this project."""
        return tuple(line.metric for line in self.metrics if line.status == "undefined")

    @property
    def to_examine(self) -> tuple[str, ...]:
        """Ids of the metrics without evidence that an examination of the finished run would measure."""
        return tuple(line.metric for line in self.metrics if line.examined)

    def __getitem__(self, metric: str) -> Score:
        found = next((line for line in self.metrics if line.metric == metric), None)
        if found is None:
            raise KeyError(f"there is no metric {metric!r}; known are {', '.join(self.profile.taxonomy.metrics)}")
        return found

    def __repr__(self) -> str:
        return f"TrustReport({explain.summary(self)})"

    @property
    def summary(self) -> str:
        """One sentence: trust, the strongest and the weakest pillar, and how many metrics are measured."""
        return explain.summary(self)

    def explain(self, name: str) -> str:
        """Say in words where a score comes from.

        Parameters
        ----------
        name : str
            The id of a pillar, a notion or a metric, or "trust".

        Returns
        -------
        str
            Sentences with the formula and the values.

        Raises
        ------
        KeyError
            If nothing has that id; the message lists those there are.
        """
        return explain.explain(self, name)

    def frame(self) -> pd.DataFrame:
        """Return one line for each metric.

        Returns
        -------
        pandas.DataFrame
            pillar, notion, metric, raw, score, weight, status, source, unit, formula; None (not known) becomes NaN in
            the columns of numbers, ``status`` tells them apart.
        """
        import pandas as pd

        names = ["pillar", "notion", "metric", "raw", "score", "weight", "status", "source", "unit", "formula"]
        lines = [line.to_dict() for line in self.metrics]
        frame = pd.DataFrame([[line[name] for name in names] for line in lines], columns=names)
        return frame.astype({"raw": float, "score": float, "weight": float})

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain values.

        Returns
        -------
        dict
            format, title, experiment (its key, None if not stated), profile, about, score, pillars, notions, metrics,
            missing, to_examine (those of them that an examination of the run measures), undefined, notes, shares (what
            pillars and notions carry of trust), weights (as given, where they are not 1).
        """
        return {
            "format": "trustkit-report-1", "title": self.title, "experiment": self.experiment,
            "profile": self.profile.name, "about": self.profile.about,
            "score": self.score, "pillars": dict(self.pillars), "notions": dict(self.notions),
            "metrics": [line.to_dict() for line in self.metrics], "missing": list(self.missing),
            "to_examine": list(self.to_examine), "undefined": list(self.undefined), "notes": list(self.notes),
            "shares": dict(self.shares),
            "weights": {name: weight for name, weight in self.weights.items() if weight != 1},
        }  # fmt: skip

    def to_json(self) -> str:
        """Write the report as strict JSON.

        Returns
        -------
        str
            Not known is ``null``, not defined is ``{"$float": "nan"}``.
        """
        return jsonfile.dumps(self.to_dict())

    def to_csv(self) -> str:
        """Write one line for each metric, after those for trust and the pillars.

        Returns
        -------
        str
            Comma-separated, with a header; not known is empty, not defined is ``n/a``, and the status says which.
        """
        names = ["level", "pillar", "notion", "metric", "raw", "unit", "score", "weight", "status", "source"]
        out = io.StringIO()
        writer = csv.DictWriter(out, names, extrasaction="ignore", restval="", lineterminator="\n")
        writer.writeheader()
        lines: list[dict[str, Any]] = [
            {"level": "pillar" if pillar else "trust", "pillar": pillar, "score": score,
             "status": "missing" if score is None else "undefined" if score != score else "ok"}
            for pillar, score in [("", self.score), *self.pillars.items()]
        ]  # fmt: skip
        for line in [*lines, *({"level": "metric", **line.to_dict()} for line in self.metrics)]:
            writer.writerow({name: "n/a" if value != value else value for name, value in line.items()})  # NaN only
        return out.getvalue()

    def to_markdown(self) -> str:
        """Write the report as Markdown.

        Returns
        -------
        str
            A heading, the notes, a table of pillars and a table of metrics.
        """
        show = explain.number
        lines = [f"# Trust report{': ' + self.title if self.title else ''}", "", self.summary, ""]
        lines += [f"> {note}" for note in self.notes] + [""] * bool(self.notes)
        lines += ["| pillar | score |", "|---|---|"]
        names = self.profile.taxonomy
        lines += [f"| {names.pillars[pillar]} | {show(score)} |" for pillar, score in self.pillars.items()]
        lines += ["", "| pillar | notion | metric | raw value | score | weight | status | source |", "|" + "---|" * 8]
        for line in self.metrics:
            cells = [names.pillars[line.pillar], names.notions[line.notion].name, line.row.name, explain.raw_text(line),
                     show(line.score), f"{line.weight:.1%}", line.status, line.row.source]  # fmt: skip
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        text = "\n".join([*lines, "", f"Profile {self.profile.name}: {self.profile.about}", ""])
        return text.replace("<", "&lt;")

    def to_text(self) -> str:
        """Write the report as aligned lines for a terminal.

        Returns
        -------
        str
            One line for each pillar and metric.
        """
        return table(self)

    def to_html(self) -> str:
        """Write the report as one HTML file that needs nothing else.

        Returns
        -------
        str
            A complete page, light or dark as the reader's system is, without any external address.
        """
        return render.page(self)

    def to_fragment(self) -> str:
        """Write the report as a piece of HTML for a notebook.

        Returns
        -------
        str
            A style and a section that follow JupyterLab's theme.
        """
        return render.fragment(self)

    def _repr_html_(self) -> str:
        return self.to_fragment()
