"""Examining runs over columns: what is read off messages, and models without classes or gradients."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from trustkit import datasets
from trustkit.catalogue import use
from trustkit.examination import examine
from trustkit.experiment import Experiment
from trustkit.exposure import NOTE
from trustkit.facts import facts_of
from trustkit.rounds import run
from trustkit.trust import assess

BASE = Experiment("wine", use("importance", parties=2), use("splitnn", local=[6], top=[4]), rounds=2)


@pytest.fixture(scope="module")
def numbers() -> str:
    """Enter wine with a sum of its columns for a label."""
    wine = datasets.load("wine")
    datasets.add(replace(wine, name="examined numbers", y=wine.X[:, :6].sum(axis=1), classes=()))
    return "examined numbers"


def test_exposure_enters_the_report() -> None:
    """The larger of labels and features is the leakage of the report's metric; the remark says what attacks are."""
    record = run(BASE)
    found = examine(record, measures=["exposure"])
    assert found["privacy/leakage_share"] == max(found["privacy/label_exposure"], found["privacy/feature_exposure"])
    assert found["privacy/label_exposure"] > 0.4
    assert found.remarks["exposure"].endswith(NOTE)
    lines = assess(facts_of(record, examined=found), profile="calibrated").frame().set_index("metric")
    assert lines.loc["information_leakage", "status"] == "ok"
    assert lines.loc["information_leakage", "raw"] == found["privacy/leakage_share"]
    assert lines.loc["information_leakage", "score"] == pytest.approx(1 - found["privacy/leakage_share"])


def test_rows_and_silence_are_left_out() -> None:
    """With a reason: not for rows; and where nothing is sent, missing rather than 0."""
    rows = Experiment("wine", use("iid", parties=2), "fedavg", "logistic", rounds=1)
    assert examine(run(rows), measures=["exposure"]).skipped == {"exposure": "not for rows"}
    silent = examine(run(BASE.change(algorithm="solo", rounds=1)), measures=["exposure"])
    assert "nothing that the first party sends" in silent.skipped["exposure"]
    assert not list(silent)


def test_numbers_have_no_borders(numbers: str) -> None:
    """A regression: CLEVER, gradient attacks and a tree of answers are not defined, with reasons; nothing is 0."""
    record = run(BASE.change(data=numbers))
    facts = facts_of(record)
    assert math.isnan(facts.get("robustness", "clever"))
    assert "numbers" in facts.get("explainability", "looked_at")
    assert facts.get("explainability", "feature_importance_cv") > 0
    found = examine(record, measures=["gradient_attacks", "surrogate", "membership", "exposure"])
    assert found.skipped == {"gradient_attacks": "answers are numbers: there is no border between classes to cross",
                             "surrogate": "answers are numbers, of which hardly two are the same"}  # fmt: skip
    assert 0 <= found["privacy/membership_auc"] <= 1
    assert not any(path.startswith("robustness/") for path in found)
    lines = assess(facts_of(record, examined=found), profile="calibrated").frame().set_index("metric")
    assert lines.loc["certified_robustness", "status"] == "undefined"


def test_trees_have_no_gradients() -> None:
    """CLEVER and importance by gradients are undefined, gradient attacks not measured; the report says so."""
    record = run(BASE.change(algorithm=use("fedtree", depth=2, bins=8)))
    facts = facts_of(record)
    assert math.isnan(facts.get("robustness", "clever"))
    assert math.isnan(facts.get("explainability", "feature_importance_cv"))
    assert facts.get("explainability", "looked_at") == "CLEVER and SHAP are not defined: the model has no gradients."
    found = examine(record, measures=["gradient_attacks", "surrogate"])
    assert found.skipped == {"gradient_attacks": "the model has no gradients to follow"}
    assert found["explainability/surrogate_fidelity"] > 0.5
    report = assess(facts.with_facts(found), profile="calibrated")
    lines = report.frame().set_index("metric")
    assert lines.loc["certified_robustness", "status"] == "undefined"
    assert report.score is not None
    assert np.isfinite(report.score)
