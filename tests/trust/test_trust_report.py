"""The report's forms: they parse, agree with each other, say what has to be said, and need nothing from outside."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from html.parser import HTMLParser
from importlib import resources
from typing import Any

import pytest

from trustkit import jsonfile
from trustkit.trust import EXAMINED, METRICS, NOTIONS, PILLARS, WHOLE, FactSheet, TrustReport, assess

FACTS: dict[str, Any] = {
    "project/overview": "digits <script>alert(1)</script> | a & b",
    "participants/client_num": 100, "privacy/differential_privacy": True, "privacy/epsilon": 6.0,
    "performance/test_acc_avg": 0.9, "fairness/test_acc_cv": math.nan, "fairness/selection_cv": 0.2,
    "configuration/aggregation_algorithm": "FedMedian", "data/synthetic": True, "data/stands_in_for": "N-BaIoT",
    "data/scaled_down": "9 clients of 500 rows",
}  # fmt: skip


@pytest.fixture(scope="module")
def report() -> TrustReport:
    """A report with scores, missing and undefined metrics, notes and an awkward title."""
    return assess(FactSheet(FACTS))


class _Page(HTMLParser):
    """Checks that tags close in order, and collects tags, attributes and text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "br", "link", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data + " "

    def count(self, tag: str) -> int:
        return sum(name == tag for name, _ in self.tags)


def test_json_is_strict_and_complete(report: TrustReport) -> None:
    """It parses without NaN tokens and holds the same numbers; missing is null, undefined is marked."""

    def refuse(token: str) -> None:
        raise AssertionError(f"not strict JSON: {token}")

    json.loads(report.to_json(), parse_constant=refuse)
    content = jsonfile.loads(report.to_json())
    assert content["score"] == report.score
    assert content["pillars"] == dict(report.pillars)
    lines = {line["metric"]: line for line in content["metrics"]}
    assert list(lines) == list(METRICS)
    assert lines["entropy"]["raw"] is None
    assert math.isnan(lines["accuracy_variation"]["raw"])
    assert (lines["entropy"]["status"], lines["accuracy_variation"]["status"]) == ("missing", "undefined")
    assert content["missing"] == list(report.missing)
    notes = ["Computed on synthetic data, which stand in for N-BaIoT.", "Scaled down: 9 clients of 500 rows."]
    assert content["notes"] == notes


def test_csv_parses_and_keeps_the_three_kinds_of_nothing_apart(report: TrustReport) -> None:
    """Empty for not known, n/a for not defined, 0.0 for a measured zero; the status says which."""
    lines = list(csv.DictReader(io.StringIO(report.to_csv())))
    assert [line["level"] for line in lines] == ["trust"] + ["pillar"] * 6 + ["metric"] * 20
    by_metric = {line["metric"]: line for line in lines if line["level"] == "metric"}
    assert float(by_metric["performance"]["score"]) == 0.9
    assert by_metric["entropy"]["raw"] == by_metric["entropy"]["score"] == ""
    assert by_metric["accuracy_variation"]["raw"] == "n/a"
    assert [by_metric[name]["status"] for name in ("entropy", "accuracy_variation", "system")] == [
        "missing", "undefined", "ok",
    ]  # fmt: skip
    assert not re.search(r"\bnan\b", report.to_csv(), re.IGNORECASE)
    assert by_metric["system"]["score"] == "0.0"
    assert float(lines[0]["score"]) == report.score


def test_frame_has_a_line_for_each_metric(report: TrustReport) -> None:
    """Columns in the promised order; numbers are numbers."""
    frame = report.frame()
    names = ["pillar", "notion", "metric", "raw", "score", "weight", "status", "source", "unit", "formula"]
    assert list(frame.columns) == names
    assert frame["metric"].tolist() == list(METRICS)
    assert frame["weight"].sum() == pytest.approx(1)
    assert frame["score"].isna().sum() == len(report.missing) + len(report.undefined)


def test_markdown_tables_are_rectangular(report: TrustReport) -> None:
    """Every line of the metrics' table has eight cells; pipes and tags in texts are escaped."""
    text = report.to_markdown()
    table = [line for line in text.splitlines() if line.startswith("| ") and line.count(" | ") >= 7]
    assert len(table) == 21
    assert {len(re.split(r"(?<!\\)\|", line)) for line in table} == {10}
    assert "<script" not in text
    assert "> Scaled down: 9 clients of 500 rows." in text


def test_html_is_one_self_contained_page(report: TrustReport) -> None:
    """It parses, closes its tags, and asks for nothing: no address, no script, no image, no import."""
    text = report.to_html()
    page = _Page(text)
    assert page.open == []
    assert text.startswith("<!doctype html>")
    assert not re.search(r"https?:|//[a-z]|@import|url\(|src=|<link|<script", text)
    assert page.count("script") == 0
    assert "prefers-color-scheme: dark" in text
    assert dict(page.tags[0][1])["lang"] == "en"


def test_html_tables_are_accessible(report: TrustReport) -> None:
    """A caption for each pillar, scopes on every header cell, a row and its details for each metric."""
    page = _Page(report.to_html())
    assert page.count("table") == page.count("caption") == len(PILLARS)
    assert all(attrs.get("scope") in ("row", "col") for tag, attrs in page.tags if tag == "th")
    assert page.count("details") == page.count("summary") == len(METRICS)
    tips = [attrs["title"] or "" for tag, attrs in page.tags if tag == "summary"]
    for metric, tip in zip(METRICS.values(), tips, strict=True):
        assert metric.formula in tip
        assert metric.source in tip
        assert metric.deviations in page.text


def test_html_says_what_has_to_be_said(report: TrustReport) -> None:
    """Title escaped, notes shown, summary first, missing and undefined in words."""
    page = _Page(report.to_html())
    assert "digits <script>alert(1)</script> | a & b" in page.text
    for note in (*report.notes, report.summary):
        assert note in page.text
    statuses = re.findall(r"<td>(ok|missing|undefined)</td>", report.to_html())
    assert statuses == [line.status for line in report.metrics]


def test_fragment_follows_the_notebooks_theme(report: TrustReport) -> None:
    """A section without page styles; `_repr_html_` is the same."""
    text = report.to_fragment()
    assert text == report._repr_html_()
    assert _Page(text).count("body") == 0
    assert "var(--jp-content-font-color1" in text


def _luminance(colour: str) -> float:
    digits = colour.lstrip("#")
    digits = "".join(2 * d for d in digits) if len(digits) == 3 else digits
    channels = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, two: str) -> float:
    light, dark = sorted((_luminance(one), _luminance(two)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", [0, 1])
def test_colours_have_enough_contrast(theme: int) -> None:
    """Text at least 4.5 to 1 and bars at least 3 to 1 on the card, in the light and in the dark theme."""
    css = resources.files("trustkit.trust").joinpath("report.css").read_text(encoding="utf-8")
    found = {name: re.findall(rf"--{name}: (?:var\([\w-]+, )?(#\w+)", css)[theme] for name in
             ("ink", "mute", "card", "bar", "gap")}  # fmt: skip
    for name in ("ink", "mute", "gap"):
        assert _contrast(found[name], found["card"]) >= 4.5, name
    assert _contrast(found["bar"], found["card"]) >= 3


def test_explanations_carry_formula_values_and_source(report: TrustReport) -> None:
    """For a score, a missing one with its reason, an undefined one, and the levels above."""
    risk = report.explain("global_privacy_risk")
    for part in ("0.803", "privacy/epsilon = 6.0", "participants/client_num = 100", "1 / (1 + (n − 1) e^−ε)", "0.197"):
        assert part in risk
    assert "does not state privacy/client_entropy" in report.explain("entropy")
    assert "the source has no value for it (configuration/aggregation_algorithm = FedMedian)" in report.explain(
        "aggregation_algorithm"
    )
    assert "undefined here (fairness/test_acc_cv = nan)" in report.explain("accuracy_variation")
    assert "no score: Uncertainty" in report.explain("privacy")
    assert "Performance 0.900" in report.explain("algorithm_robustness")
    assert f"{report.score:.3f}" in report.explain("trust")
    with pytest.raises(KeyError, match="no pillar, notion or metric 'beauty'"):
        report.explain("beauty")


@pytest.mark.parametrize(
    ("profile", "name"),
    [(profile, name) for profile in ("paper", "paper-figures") for name in ("trust", *PILLARS, *NOTIONS, *METRICS)]
    + [("calibrated", name) for name in ("trust", *PILLARS, *WHOLE.notions, *WHOLE.metrics)],
)
def test_everything_can_be_explained(profile: str, name: str) -> None:
    """With full and with empty sheets, at every level."""
    for facts in (FactSheet(FACTS), FactSheet()):
        assert len(assess(facts, profile).explain(name)) > 40


def test_report_lists_what_lacks_evidence(report: TrustReport) -> None:
    """Ids, in the taxonomy's order; indexing finds a line or says what there is."""
    assert report.undefined == ("accuracy_variation",)
    assert "entropy" in report.missing
    assert "performance" not in report.missing
    assert report["performance"].row.name == "Performance"
    with pytest.raises(KeyError, match="no metric 'beauty'"):
        report["beauty"]
    assert repr(report).startswith("TrustReport(Trust 0.")


def test_report_says_how_much_was_measured(report: TrustReport) -> None:
    """In the summary, the console table, the page; the count is that of the lines that have a value."""
    counted = sum(line.status == "ok" for line in report.metrics)
    assert len(report.measured) == counted
    said = f"{counted} of 20 metrics measured, {len(report.missing)} without evidence, 1 undefined here"
    assert said in report.summary
    assert said in report.to_text()
    assert said in report.to_html()
    assert report.to_examine == ()  # nothing in Table 2 waits for an examination


def test_report_says_what_examining_the_run_would_measure() -> None:
    """Under the whole taxonomy: fifteen rows of an empty sheet, one fewer once a fact is there."""
    report = assess(FactSheet(), "calibrated")
    waiting = [line for line in report.metrics if {p for p in line.row.inputs if p in EXAMINED}]
    expected = {line.metric for line in waiting} & set(report.missing)
    assert set(report.to_examine) == expected
    assert f"{len(expected)} of them need examine" in report.summary
    assert jsonfile.loads(report.to_json())["to_examine"] == list(report.to_examine)
    assert "Examining the finished run (examine) measures it" in report.explain("pgd_robustness")
    assert "Examining" not in report.explain("encryption")
    assert "examining the finished run" in report.to_html()
    known = assess(FactSheet({"robustness/pgd": 0.5}), "calibrated")
    assert set(known.to_examine) == expected - {"pgd_robustness"}


def test_report_names_the_experiment(report: TrustReport) -> None:
    """Its key, as the facts state it, under any layout; null where they do not."""
    assert report.experiment is None
    assert jsonfile.loads(report.to_json())["experiment"] is None
    for profile in ("paper", "prototype-2022"):
        found = assess(FactSheet({"project/experiment": "abc123"}), profile)
        assert found.experiment == found.to_dict()["experiment"] == "abc123"


def test_simulated_attacks_and_faults_are_said_with_the_scores() -> None:
    """A number that was measured while clients attacked means something else."""
    facts = {"configuration/attack": "label flip", "configuration/attackers": 2, "system/faults": "dropout 0.1"}
    notes = ("Trained under a simulated attack, by 2 of the clients: label flip.",
             "Trained with injected faults: dropout 0.1.")  # fmt: skip
    assert assess(FactSheet(facts)).notes == notes
    assert all(note in assess(FactSheet(facts)).to_html() for note in notes)


def test_epsilon_says_whom_it_protects_and_what_it_takes_for_granted() -> None:
    """A budget for rows is not one for clients, and the accountant's assumption travels with the report."""
    facts = FactSheet({"privacy/differential_privacy": True, "privacy/epsilon": 6.0, "participants/client_num": 10})
    assert assess(facts).notes == ()
    rows = assess(facts.with_facts(privacy__level="example", privacy__assumption="rows count once."))
    assert rows.notes[0].startswith("ε protects one row, not a client")
    assert rows.notes[1] == "ε: rows count once."
    clients = assess(facts.with_facts(privacy__level="client", privacy__assumption="no amplification."))
    assert clients.notes == ("ε: no amplification.",)


def test_csv_of_a_trust_that_is_not_defined() -> None:
    """Neither pillar nor trust writes a token that a table would read as text."""
    report = assess(FactSheet({"configuration/training_model": "boosted trees"}), "prototype-2022")
    lines = list(csv.DictReader(io.StringIO(report.to_csv())))
    assert (lines[0]["score"], lines[0]["status"]) == ("n/a", "undefined")
    assert "nan" not in [cell.lower() for line in lines for cell in line.values()]


def test_other_weights_than_the_profiles_are_said() -> None:
    """Not if they are the profile's own, stated again."""
    facts = FactSheet({"performance/test_acc_avg": 0.8})
    assert assess(facts, weights={"privacy": 1, "fairness": 1.0}).notes == ()
    assert assess(facts, weights={"privacy": 3}).notes == ("Scored with other weights than profile paper's.",)
