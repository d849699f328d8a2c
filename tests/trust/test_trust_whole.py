"""The whole taxonomy: every metric of the paper's section 3 has a row, and each row keeps its promises."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustkit.trust import EXAMINED, FIELDS, METRICS, PILLARS, PROFILES, WHOLE, FactSheet, Metric, assess, rows_table
from trustkit.trust.fields import Field
from trustkit.trust.scope import TAXONOMY
from trustkit.trust.taxonomy import EVERY_NOTION, FURTHER, NOTIONS, REFINED

ANY, PRE, DURING, POST = "Any time", "Pre-training", "During-training", "Post-training"

# Section 3 of FederatedTrust, metric by metric: pillar, notion, name there, our rows for it.
SECTION_3 = [
    ("privacy", "technique", "Perturbation", ["differential_privacy"]),
    ("privacy", "technique", "Encryption", ["encryption"]),
    ("privacy", "technique", "Anonymization", ["anonymization"]),
    ("privacy", "information", "Information Leakage Risk",
     ["information_leakage", "membership_inference", "membership_exposure", "privacy_claim"]),
    ("privacy", "uncertainty", "Entropy", ["entropy"]),
    ("privacy", "indistinguishability", "Global Privacy Risk", ["global_privacy_risk"]),
    ("robustness", "resilience_to_attacks", "Poisoning Defence", ["poisoning_defence"]),
    ("robustness", "resilience_to_attacks", "Empirical Robustness",
     ["replacement_attack", "fgsm_robustness", "pgd_robustness"]),
    ("robustness", "resilience_to_attacks", "Certified Robustness", ["certified_robustness"]),
    ("robustness", "system_robustness", "Testing Coverage", ["testing_coverage"]),
    ("robustness", "system_robustness", "System Reliability", ["system_reliability"]),
    ("robustness", "algorithm_robustness", "Performance", ["performance"]),
    ("robustness", "algorithm_robustness", "Personalization", ["personalization"]),
    ("robustness", "client_reliability", "Federation Scale", ["federation_scale"]),
    ("robustness", "client_reliability", "Client Reputation", ["client_reputation"]),
    ("robustness", "client_reliability", "Data Quality", ["data_quality"]),
    ("fairness", "selection_fairness", "Participation Variation", ["selection_variation"]),
    ("fairness", "performance_fairness", "Accuracy Variation", ["accuracy_variation", "contribution_fairness"]),
    ("fairness", "group_fairness", "Discrimination Index", ["discrimination_index"]),
    ("fairness", "class_distribution", "Class Imbalance", ["class_imbalance"]),
    ("explainability", "interpretability", "Algorithmic Transparency", ["algorithmic_transparency"]),
    ("explainability", "interpretability", "Model Size", ["model_size"]),
    ("explainability", "post_hoc_methods", "Simplification", ["simplification"]),
    ("explainability", "post_hoc_methods", "Feature Importance", ["feature_importance"]),
    ("explainability", "post_hoc_methods", "Visualization", ["visualization"]),
    ("accountability", "factsheet_completeness", "Project Specification", ["project_specs"]),
    ("accountability", "factsheet_completeness", "Participants", ["participants"]),
    ("accountability", "factsheet_completeness", "Data", ["data"]),
    ("accountability", "factsheet_completeness", "Configuration", ["configuration"]),
    ("accountability", "factsheet_completeness", "System", ["system"]),
    ("accountability", "factsheet_completeness", "Performance and Fairness (in the code only)",
     ["performance_results", "fairness_results"]),
    ("accountability", "monitoring", "Algorithmic Auditing", ["algorithmic_auditing"]),
    ("federation", "client_management", "Client Registry", ["client_registry"]),
    ("federation", "client_management", "Client Selector", ["client_selector"]),
    ("federation", "model_management", "Model Co-versioning", ["co_versioning"]),
    ("federation", "model_management", "Model Replacement", ["replacement_trigger", "model_replacement"]),
    ("federation", "optimization", "Aggregation Algorithm", ["aggregation_algorithm", "decentralisation"]),
]  # fmt: skip

# When and by whom, for what Table 2 leaves out.
WHEN_AND_WHO = {
    "encryption": (PRE, "Server"), "anonymization": (PRE, "Clients"), "information_leakage": (DURING, "Clients"),
    "membership_inference": (POST, "Clients"), "membership_exposure": (POST, "Clients"),
    "privacy_claim": (POST, "Clients"), "poisoning_defence": (POST, "Server"), "replacement_attack": (POST, "Server"),
    "fgsm_robustness": (POST, "Server"), "pgd_robustness": (POST, "Server"), "testing_coverage": (PRE, "Server"),
    "system_reliability": (DURING, "Server"), "client_reputation": (DURING, "Server"),
    "data_quality": (DURING, "Server"), "contribution_fairness": (POST, "Server"),
    "discrimination_index": (POST, "Clients"), "simplification": (POST, "Server"), "visualization": (DURING, "Server"),
    "performance_results": (POST, "Server"), "fairness_results": (POST, "Server"),
    "algorithmic_auditing": (ANY, "Server"), "client_registry": (DURING, "Server"), "co_versioning": (DURING, "Server"),
    "replacement_trigger": (PRE, "Server"), "model_replacement": (POST, "Server"), "decentralisation": (PRE, "Server"),
}  # fmt: skip

LOWER = {"information_leakage", "membership_inference", "membership_exposure", "system_reliability",
         "contribution_fairness", "discrimination_index"}  # fmt: skip

ROWS = [pytest.param(row, id=key) for key, row in WHOLE.metrics.items()]
MORE = [pytest.param(row, id=key) for key, row in {**FURTHER, **REFINED}.items()]
COMPLETE = {row.id for row in WHOLE.metrics.values() if row.pillar == "accountability"}
"""Rows for which a fact that is not stated is what they measure."""


def test_every_metric_of_section_3_has_a_row() -> None:
    """In its pillar and its notion; and there is no row that the section does not ask for."""
    for pillar, notion, name, rows in SECTION_3:
        for row in rows:
            assert (WHOLE.metrics[row].pillar, WHOLE.metrics[row].notion) == (pillar, notion), name
        if rows[0] in FURTHER and "code only" not in name:
            assert name in FURTHER[rows[0]].source
    listed = [row for *_, rows in SECTION_3 for row in rows]
    assert len(listed) == len(set(listed)) == 46
    assert set(listed) == set(WHOLE.metrics) == {*METRICS, *FURTHER}
    assert {notion for _, notion, *_ in SECTION_3} == set(EVERY_NOTION)


def test_the_papers_table_is_a_part_of_it() -> None:
    """Its twenty rows as they are but one, in the same order; in notions, five more than in Table 2."""
    assert [key for key in WHOLE.metrics if key in METRICS] == list(METRICS)
    assert all(WHOLE.metrics[key] is REFINED.get(key, row) for key, row in METRICS.items())
    assert list(REFINED) == ["aggregation_algorithm"]  # measured where the paper lists no value
    for key, row in REFINED.items():
        same = ("id", "name", "pillar", "notion", "unit", "range", "better", "normalise", "who")
        assert all(getattr(row, part) == getattr(METRICS[key], part) for part in same)
    assert len(METRICS) == len(TAXONOMY.metrics) == 20
    assert [key for key in EVERY_NOTION if key in NOTIONS] == list(NOTIONS)
    assert set(EVERY_NOTION) - set(NOTIONS) == {
        "information", "system_robustness", "group_fairness", "monitoring", "model_management",
    }  # fmt: skip
    order = [row.notion for row in WHOLE.metrics.values()]
    assert order == sorted(order, key=list(EVERY_NOTION).index)
    for name in ("paper", "paper-figures"):
        assert PROFILES[name].taxonomy.metrics is METRICS
    assert PROFILES["calibrated"].taxonomy is WHOLE


def test_ids_are_unique_over_the_three_levels() -> None:
    """So one weight cannot mean two things."""
    ids = [*PILLARS, *WHOLE.notions, *WHOLE.metrics]
    assert len(ids) == len(set(ids)) == 6 + 19 + 46
    assert len(WHOLE.metrics) == len(list(WHOLE.metrics)) == 46


def test_when_who_and_direction() -> None:
    """As listed above, for each row that Table 2 does not have."""
    assert {key: (row.when, row.who) for key, row in FURTHER.items()} == WHEN_AND_WHO
    assert {key for key, row in FURTHER.items() if row.better == "lower"} == LOWER


@pytest.mark.parametrize("row", MORE)
def test_rows_are_written_out(row: Metric) -> None:
    """Every row says what it is, how it is computed, whence, and where it departs."""
    assert row.synopsis.endswith(".")
    assert row.formula
    assert "FederatedTrust (Sánchez Sánchez et al. 2024)" in row.source
    assert row.deviations
    assert row.inputs


def _values(field: Field) -> st.SearchStrategy[Any]:
    """What a fact may be."""
    low, high = (0.0, 1e6) if field.interval is None else (field.interval.low, min(field.interval.high, 1e6))
    kinds: dict[str, st.SearchStrategy[Any]] = {
        "flag": st.booleans(),
        "number": st.floats(low, high),
        "count": st.integers(math.ceil(low), int(high)),
        "text": st.sampled_from(["server", "ring", "random", "none", "FedAvg", "mlp", "anything", ""]),
        "texts": st.just(("a", "b")),
        "numbers": st.just((0.1, 0.2)),
        "ids": st.just(("0123456789abcdef",)),
    }
    return kinds[field.kind]


@pytest.mark.parametrize("row", ROWS)
@settings(derandomize=True, max_examples=20, deadline=None)
@given(st.data())
def test_whatever_the_facts_the_value_is_in_its_range_and_its_score_in_the_unit_interval(
    row: Metric, data: st.DataObject
) -> None:
    """Facts that may be there, or not: a value is missing, undefined, or in the row's range; scores lie in [0, 1]."""
    facts = {path: data.draw(st.none() | _values(FIELDS[path])) for path in row.inputs}
    raw = row.function(FactSheet(facts))
    if raw is not None and not math.isnan(raw):
        assert row.range.low - 1e-12 <= raw <= row.range.high + 1e-12
        assert 0 <= PROFILES["calibrated"].score(row.id, raw) <= 1


@pytest.mark.parametrize("row", ROWS)
@settings(derandomize=True, max_examples=20, deadline=None)
@given(st.data())
def test_scores_never_fall_in_the_better_direction(row: Metric, data: st.DataObject) -> None:
    """Two raw values of the range: the better one scores at least as much; at the ends of the range, more."""
    low, high = row.range.low, min(row.range.high, 1e7)
    one, two = sorted((data.draw(st.floats(low, high)), data.draw(st.floats(low, high))))
    score = PROFILES["calibrated"].score
    worse, better = (one, two) if row.better == "higher" else (two, one)
    assert 0 <= score(row.id, worse) <= score(row.id, better) <= 1
    worst, best = (low, high) if row.better == "higher" else (high, low)
    assert score(row.id, worst) < score(row.id, best)


@pytest.mark.parametrize("row", ROWS)
def test_nothing_stated_is_missing(row: Metric) -> None:
    """None, no weight; in the pillar of accountability it is measured, and 0."""
    raw = row.function(FactSheet())
    assert raw == 0 if row.id in COMPLETE else raw is None
    line = assess(FactSheet(), "calibrated")[row.id]
    assert line.status == ("ok" if row.id in COMPLETE else "missing")
    assert (line.weight > 0) == (row.id in COMPLETE)


@pytest.mark.parametrize("row", [row for row in ROWS if row.id not in COMPLETE])
def test_nan_is_undefined(row: Metric) -> None:
    """Where all numbers that a row reads are not defined, neither is its value; it is not 0."""
    numbers = {path: math.nan for path in row.inputs if FIELDS[path].kind == "number"}
    if numbers:
        rest: dict[str, Any] = {"privacy/differential_privacy": True, "participants/client_num": 10}
        facts = {**{path: value for path, value in rest.items() if path in row.inputs}, **numbers}
        line = assess(FactSheet(facts), "calibrated")[row.id]
        assert (line.status, line.score, line.weight) == ("undefined", None, 0)


@pytest.mark.parametrize(
    ("row", "facts", "raw", "score"),
    [
        ("encryption", {"privacy/encryption": 1}, 1, 1),
        ("anonymization", {"privacy/k_anonymity": 1.0, "privacy/l_diversity": 3.0}, 0, 0),  # somebody stands alone
        ("anonymization", {"privacy/k_anonymity": 4.0, "privacy/l_diversity": 1.0}, 0.375, 0.375),  # ¾ · ½
        ("anonymization", {"privacy/k_anonymity": 4.0, "privacy/l_diversity": 9.0}, 0.75, 0.75),
        ("anonymization", {"privacy/k_anonymity": 4.0}, None, None),
        ("anonymization", {"privacy/k_anonymity": 4.0, "privacy/l_diversity": math.nan}, math.nan, None),
        ("information_leakage", {"privacy/leakage_share": 0.25}, 0.25, 0.75),
        ("membership_inference", {"privacy/membership_auc": 0.5}, 0.5, 1),
        ("membership_inference", {"privacy/membership_auc": 0.625}, 0.625, 0.75),  # a quarter of the way to 1
        ("membership_inference", {"privacy/membership_auc": 1.0}, 1, 0),
        ("membership_inference", {"privacy/membership_auc": 0.25}, 0.25, 1),  # worse than guessing
        ("membership_exposure", {"privacy/membership_tpr": 0.01, "privacy/membership_fpr": 0.01}, 0, 1),
        ("membership_exposure", {"privacy/membership_tpr": 0.28, "privacy/membership_fpr": 0.04}, 0.25, 0.75),
        ("membership_exposure", {"privacy/membership_tpr": 1.0, "privacy/membership_fpr": 1.0}, math.nan, None),
        ("privacy_claim", {"privacy/empirical_epsilon": 2.0, "privacy/epsilon": 2.0}, 1, 1),
        ("privacy_claim", {"privacy/empirical_epsilon": 2.1, "privacy/epsilon": 2.0}, 0, 0),
        ("privacy_claim", {"privacy/empirical_epsilon": 2.1, "privacy/epsilon": math.inf}, math.nan, None),
        ("privacy_claim", {"privacy/differential_privacy": False}, math.nan, None),  # nothing is claimed
        ("poisoning_defence", {"robustness/poisoning_defence": 0.7, "robustness/backdoor": 0.1}, 0.7, 0.7),
        ("poisoning_defence", {"robustness/backdoor": 0.1}, None, None),
        ("replacement_attack", {"robustness/model_replacement": 0.3}, 0.3, 0.3),
        ("fgsm_robustness", {"robustness/fgsm": 0.6, "robustness/pgd": 0.2}, 0.6, 0.6),
        ("pgd_robustness", {"robustness/fgsm": 0.6, "robustness/pgd": 0.2}, 0.2, 0.2),
        ("testing_coverage", {"robustness/test_coverage": 0.9}, 0.9, 0.9),
        ("system_reliability",
         {"system/dropout_rate": 0.3, "system/error_rate": 0.0, "system/timeout_rate": 0.0}, 0.1, 0.9),
        ("system_reliability",  # nobody finished, so nobody could be late: (1 + 0) … over the two that are defined
         {"system/dropout_rate": 0.5, "system/error_rate": 1.0, "system/timeout_rate": math.nan}, 0.75, 0.25),
        ("system_reliability", {"system/dropout_rate": 0.3, "system/error_rate": 0.0}, None, None),
        ("client_reputation", {"participants/reputation_mean": 0.8}, 0.8, 0.8),
        ("data_quality", {"robustness/data_quality": 0.4}, 0.4, 0.4),
        ("contribution_fairness", {"fairness/contribution_gini": 0.25}, 0.25, 0.75),
        ("discrimination_index", {"fairness/discrimination_index": -0.25}, 0.25, 0.75),
        ("discrimination_index", {"fairness/discrimination_index": 0.25}, 0.25, 0.75),
        ("simplification", {"explainability/surrogate_fidelity": 0.9, "explainability/surrogate_leaves": 8}, 0.9, 0.9),
        ("visualization", {"explainability/visualization": False}, 0, 0),
        ("client_registry", {"participants/registry_complete": 1.0}, 1, 1),
        ("co_versioning", {"configuration/co_versioning": 0.5}, 0.5, 0.5),
        ("replacement_trigger", {"configuration/replacement_trigger": "accuracy below 0.8"}, 1, 1),
        ("replacement_trigger", {"configuration/replacement_trigger": "None"}, 0, 0),
        ("model_replacement",
         {"robustness/replacement_global": 0.5, "robustness/replacement_persistent": 0.9}, 0.7, 0.7),
        ("model_replacement", {"robustness/replacement_global": 0.5}, None, None),
        ("decentralisation", {"configuration/topology": "server"}, 0, 0),
        ("decentralisation", {"configuration/topology": "Ring"}, 1, 1),
        ("decentralisation", {"configuration/topology": "random graph"}, 1, 1),
        ("decentralisation", {"configuration/topology": "complete"}, 1, 1),
        ("decentralisation", {"configuration/topology": "several servers"}, None, None),
        ("performance_results", {"performance/test_acc_avg": 0.9, "robustness/clever": 0.1}, 0.5, 0.5),
        ("fairness_results", {"fairness/test_acc_cv": math.nan, "fairness/selection_cv": 0.0}, 2 / 3, 2 / 3),
        ("algorithmic_auditing", {"audit/scoping": "charter", "audit/mapping": " ", "audit/testing": "97 %"}, 0.4, 0.4),
    ],
)  # fmt: skip
def test_rows_by_hand(row: str, facts: dict[str, Any], raw: float | None, score: float | None) -> None:
    """Raw value and score from the formula that the row prints."""
    line = assess(FactSheet(facts), "calibrated")[row]
    assert line.raw is None if raw is None else line.raw == pytest.approx(raw, nan_ok=True)
    assert line.score is None if score is None else line.score == pytest.approx(score)


def test_a_refuted_claim_says_so() -> None:
    """In the explanation and on the page; one that stands says that this proves nothing more."""
    claim = FactSheet({"privacy/differential_privacy": True, "privacy/epsilon": 1.0, "privacy/empirical_epsilon": 3.25})
    refuted = assess(claim, "calibrated")
    assert "Refuted: an attack shows ε ≥ 3.25, and 1 is claimed." in refuted.explain("privacy_claim")
    assert "Refuted: an attack shows ε ≥ 3.25" in refuted.to_html()
    stands = assess(claim.with_facts(privacy__epsilon=4.0), "calibrated")
    assert "Not refuted: the attack shows ε ≥ 3.25, below the 4 that is claimed; it proves no more." in stands.explain(
        "privacy_claim"
    )
    assert assess(FactSheet(), "calibrated")["privacy_claim"].remark == ""
    assert assess(claim)["performance"].remark == ""


def test_whole_means_by_hand() -> None:
    """Group-level fairness is a notion of its own: ((1 − .2) + (1/1.25 + (1 − .5))/2) / 2 = (.8 + .65)/2."""
    facts = FactSheet({"fairness/discrimination_index": -0.2, "fairness/test_acc_cv": 0.25,
                       "fairness/contribution_gini": 0.5})  # fmt: skip
    report = assess(facts, "calibrated")
    assert report.notions["group_fairness"] == pytest.approx(0.8)
    assert report.notions["performance_fairness"] == pytest.approx(0.65)
    assert report.pillars["fairness"] == pytest.approx(0.725)
    assert "Group-level fairness 0.800" in report.explain("fairness")


def test_the_whole_taxonomy_is_shown_in_every_form() -> None:
    """Each row's name in the page, the Markdown, the table, the CSV and the model card's gaps."""
    from trustkit.trust import model_card

    facts = FactSheet({"project/overview": "digits", "privacy/encryption": 0.5})
    report = assess(facts, "calibrated")
    card = model_card(facts, report)
    for key, row in WHOLE.metrics.items():
        assert row.name in report.to_html()
        assert row.name in report.to_markdown()
        assert f"{WHOLE.notions[row.notion].name}: {row.name}"[:48] in report.to_text()
        assert f",{key}," in report.to_csv()
        assert row.name in card or report[key].status == "ok"


def test_what_is_examined_is_in_the_template_and_read_by_rows_beyond_table_2() -> None:
    """Nothing in Table 2 waits for an examination; every examined fact has a reader, or tells more about one."""
    assert set(FIELDS) >= EXAMINED
    assert not {path for row in METRICS.values() for path in row.inputs} & EXAMINED
    read = {path for row in (*FURTHER.values(), *REFINED.values()) for path in row.inputs}
    assert EXAMINED - read == {"fairness/contributions"}  # the Gini index is read instead


def test_rows_as_a_table_for_documentation() -> None:
    """A line for each row with when, who, rule, reason and source; cells are never broken by what they hold."""
    lines = rows_table().splitlines()
    assert len(lines) == 2 + 46
    cells = [line.replace(r"\|", "/").split("|") for line in lines]
    assert {len(row) for row in cells} == {12}
    found = next(row for row in cells if "`discrimination_index`" in row[3])
    assert [found[n].strip() for n in (1, 2, 4, 5, 6)] == ["Fairness", "Group-level fairness", POST, "Clients", "lower"]
    assert "fairness/discrimination_index*, fairness/attribute" in found[7]
    assert "equation 7" in found[10]
    assert len(rows_table("paper").splitlines()) == 2 + 20
    with pytest.raises(KeyError, match="no profile 'nice'"):
        rows_table("nice")


def test_a_part_of_a_taxonomy() -> None:
    """Rows, notions or pillars, with what they stand in, in the same order; unknown ones and none are refused."""
    part = WHOLE.only(["performance", "model_management"])
    assert list(part.pillars) == ["robustness", "federation"]
    assert list(part.notions) == ["algorithm_robustness", "model_management"]
    assert list(part.metrics) == ["performance", "co_versioning", "replacement_trigger", "model_replacement"]
    with pytest.raises(KeyError, match="no pillar, notion or metric 'beauty'"):
        WHOLE.only(["beauty"])
    with pytest.raises(ValueError, match="a taxonomy must keep at least one metric, got none"):
        WHOLE.only([])


def test_sampled_normalisers_are_those_of_other_profiles_with_the_same_row() -> None:
    """Under "calibrated" a row of the paper moves towards the paper's score; one that only it has does not move."""
    from trustkit.trust import sensitivity

    moving = assess(FactSheet({"fairness/class_imbalance": 1.0}), PROFILES["calibrated"], {"accountability": 0})
    found = sensitivity(moving, draws=200)
    assert moving.score == 0.5
    assert found.samples["trust"].min() < 0.1  # the paper's score is 0
    assert found.samples["trust"].max() <= 0.5
    still = assess(FactSheet({"fairness/contribution_gini": 0.3}), PROFILES["calibrated"], {"accountability": 0})
    assert sensitivity(still, draws=200).samples["trust"] == pytest.approx(0.7)
