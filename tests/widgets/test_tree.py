"""The tree of scores: every pillar, notion and metric with its numbers, its formula and a slider for its weight."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from trustkit.widgets import Lab
from trustkit.widgets.player import Outcome, measure
from trustkit.widgets.reasons import about_metric, worked
from trustkit.widgets.tree import ScoreTree, stops_of

import trustkit as tk
from tests.widgets.labs import PLAIN, SMALL, heard, setting_of
from trustkit.trust import PROFILES, assess


def opened(experiment: tk.Experiment = SMALL) -> Any:
    """Open a lab on a whole run."""
    return Lab(setting_of(experiment), measure(tk.run(experiment)))


def move(found: ScoreTree, name: str, steps: int, let_go: bool = True) -> None:
    """Move the slider of a line, as the browser does: in one message."""
    state = {"held": name, "places": {**found.places, name: found.places[name] + steps}}
    found.set_state({**state, "released": found.released + 1} if let_go else state)


@pytest.mark.parametrize("profile", PROFILES)
def test_the_tree_has_every_pillar_notion_and_metric(profile: str) -> None:
    """Parents come before their children; the numbers are those of the report; all of it is JSON, without NaN."""
    lab = opened(PLAIN)
    found = ScoreTree(lab)
    lab.go(lab.setting, profile)
    report = assess(lab.outcome.facts, profile)
    known = report.profile.taxonomy
    ids = [row["id"] for row in found.rows]
    assert ids == [*known.pillars, *known.notions, *known.metrics]
    for at, row in enumerate(found.rows):
        assert row["parent"] in ["", *ids[:at]]
        assert (row["parent"] == "") == (row["level"] == "pillar")
    assert set(found.values) == set(found.places) == set(ids)
    for pillar, score in report.pillars.items():
        assert found.values[pillar]["part"] == score
    for line in report.metrics:
        value = found.values[line.metric]
        assert value["part"] == line.score
        assert value["status"] == {"ok": "", "missing": "missing", "undefined": "n/a"}[line.status]
        assert bool(value["raw"]) == (line.status == "ok")
    json.dumps([found.rows, found.values, found.places], allow_nan=False)


def test_weights_are_shown_as_given_and_as_shares() -> None:
    """The shares of siblings with a score add up to 1, and those of all metrics to trust."""
    lab = opened()
    found = ScoreTree(lab)
    move(found, "robustness", 4)
    assert found.values["robustness"]["share"].startswith("2 → 28.6% · 28.6% of trust")  # 2 of 1 + 2 + 1 + 1 + 1 + 1
    assert found.values["privacy"]["share"].startswith("1 → 14.3% · 14.3%")
    assert found.values["performance"]["share"].startswith("1 → 50.0% · 4.8%")  # one half of a third of 2/7
    move(found, "performance", -4)
    assert found.values["performance"]["share"].startswith("0 → 0.0% · 0.0% of trust")
    assert found.values["personalization"]["share"].startswith("1 → 100.0% · 9.5%")


@pytest.mark.parametrize("name", ["privacy", "indistinguishability", "performance"])
def test_every_level_can_be_weighed_and_undone(name: str) -> None:
    """Nothing is trained or measured; the score is that of `assess` with the weight; a drag is one step back."""
    lab = opened()
    lab.player.work = None  # whoever trains fails
    found, facts = ScoreTree(lab), lab.outcome.facts
    with heard(lab) as topics:
        move(found, name, 1, let_go=False)
        move(found, name, 3, let_go=False)
        move(found, name, 0)
    assert set(topics) == {"weights"}
    assert dict(lab.setting.weights) == {name: 2.0}
    assert lab.report().score == assess(facts, weights={name: 2.0}).score
    assert lab.outcome.facts is facts
    lab.undo()
    assert (lab.setting.weights, found.places[name]) == ((), 4)
    lab.redo()
    assert found.places[name] == 8
    move(found, name, -4)  # where the profile has it
    assert lab.setting.weights == ()


def test_two_sliders_are_two_steps() -> None:
    """And following an undo moves nothing."""
    lab = opened(PLAIN)
    found = ScoreTree(lab)
    move(found, "privacy", 2)
    move(found, "entropy", -1)
    assert dict(lab.setting.weights) == {"privacy": 1.5, "entropy": 0.75}
    lab.undo()
    assert dict(lab.setting.weights) == {"privacy": 1.5}
    lab.change(weights=(("privacy", 1.0), ("fairness", 3.3)))  # from elsewhere: at the profile's, and between stops
    assert dict(lab.setting.weights) == {"privacy": 1.0, "fairness": 3.3}
    assert found.values["fairness"]["share"].startswith("3.3 → ")
    row = next(row for row in found.rows if row["id"] == "fairness")
    assert (row["stops"], found.places["fairness"]) == (18, 14)
    move(found, "fairness", -14)
    assert dict(lab.setting.weights) == {"privacy": 1.0, "fairness": 0.0}


@pytest.mark.parametrize(
    ("own", "given", "stops", "first", "last"),
    [(1.0, 1.0, 17, 0.0, 4.0), (0.0, 0.0, 17, 0.0, 4.0), (0.2, 0.2, 17, 0.0, 0.8), (1.0, 9.0, 18, 0.0, 9.0)],
)
def test_stops_hold_the_profiles_weight_and_the_one_in_use(
    own: float, given: float, stops: int, first: float, last: float
) -> None:
    """From 0 to four times the profile's own."""
    found = stops_of(own, given)
    assert (len(found), found[0], found[-1]) == (stops, first, last)
    assert {own, given} <= set(found)


def test_a_pillar_says_how_its_score_is_made() -> None:
    """Term by term: the text computes to the score."""
    lab = opened()
    found = ScoreTree(lab)
    move(found, "uncertainty", 4)
    said = dict(found.values["privacy"]["about"])
    formula, score = said["Score"].split(" = ")
    exact = eval_mean(formula)
    assert exact == pytest.approx(lab.report().pillars["privacy"], abs=1e-3)
    assert float(score) == pytest.approx(exact, abs=1e-3)
    assert said["Mean of"] == "Privacy-preserving approaches · Uncertainty · Indistinguishability"


def eval_mean(formula: str) -> float:
    """Work out "(2 × 0.5 + 1 × 0.1) ÷ (2 + 1)" by hand."""
    top, below = (half.strip("()") for half in formula.split(" ÷ "))
    terms = [term.split(" × ") for term in top.split(" + ")]
    return sum(float(a) * float(b) for a, b in terms) / sum(map(float, below.split(" + ")))


def test_a_metric_says_its_formula_values_and_source() -> None:
    """Raw value and score with the values put in; a name is text, never markup: the page sets it as text."""
    report = opened().report()
    said = dict(about_metric(report, report["selection_variation"]))
    raw = report["selection_variation"].raw
    assert said["With"] == f"fairness/selection_cv = {raw:.4g}"
    assert said["Score"].endswith(f"1 − min(1, CV) = 1 − min(1, {raw:.4g}) = {max(0.0, 1 - raw):.3f}")
    assert "FederatedTrust" in said["Source"]
    assert "Status" not in said
    risk = dict(about_metric(report, report["global_privacy_risk"]))
    assert "privacy/epsilon = ∞" in risk["With"]
    assert "privacy/differential_privacy = no" in risk["With"]


def test_missing_undefined_and_zero_are_three_things() -> None:
    """Each is said in words, and only 0 has a bar of length 0."""
    record = tk.run(PLAIN)
    values = {**tk.facts_of(record, look_at=1).values, "fairness/test_acc_cv": math.nan}
    del values["privacy/client_entropy"]
    lab = Lab(setting_of(PLAIN), Outcome(record, tk.FactSheet(values)))
    found = ScoreTree(lab)
    entropy, variation, nothing = (found.values[n] for n in ("entropy", "accuracy_variation", "differential_privacy"))
    assert (entropy["part"], entropy["score"], entropy["status"]) == (None, "–", "missing")
    assert (variation["part"], variation["status"]) == (None, "n/a")
    assert (nothing["part"], nothing["score"], nothing["status"]) == (0.0, "0.00", "")
    assert entropy["share"] == "1 → no weight"
    assert found.values["privacy"]["status"] == "1 of 3 without a value"
    assert dict(found.values["privacy"]["about"])["Left out"] == "Uncertainty: no evidence, or no weight"
    rows = {row["id"]: dict(row["about"] or ()) for row in found.rows}
    assert (
        rows["entropy"]["Status"] == "missing: the fact sheet does not state privacy/client_entropy; not known is not 0"
    )
    assert rows["accuracy_variation"]["Status"].startswith("n/a: ")


def test_a_profile_that_scores_gaps_says_so() -> None:
    """Profiles that reproduce the authors' code score missing evidence 0: the line says whose choice that is."""
    lab = Lab(setting_of(PLAIN), Outcome(tk.run(PLAIN), tk.FactSheet({"participants/client_num": 3})))
    found = ScoreTree(lab)
    lab.go(lab.setting, "prototype-2022")
    rows = {row["id"]: dict(row["about"] or ()) for row in found.rows}
    gaps = [line for line in lab.report().metrics if line.status == "missing"]
    assert gaps
    for line in gaps:
        assert rows[line.metric]["Score"] == "0.000: profile prototype-2022 scores what has no value so"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("x / (x + 1)", "x / (x + 1) = 3 / (3 + 1) = 0.750"),
        ("score a risk: 1 − x", "score a risk: 1 − x = 1 − 3 = 0.750"),
        ("take it as its score", "take it as its score: 3 scores 0.750"),
        ("straight from 0 at 1 to 1 at 10", "straight from 0 at 1 to 1 at 10: 3 scores 0.750"),
    ],
)  # fmt: skip
def test_a_value_is_put_into_a_formula_that_has_a_place_for_it(words: str, said: str) -> None:
    """And beside one that has none."""
    assert worked(words, "3", "0.750") == said
