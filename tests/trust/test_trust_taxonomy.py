"""The taxonomy is the paper's Table 2, row by row, and each row keeps its promises under the profile "paper"."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustkit.catalogue import Interval
from trustkit.trust import METRICS, NOTIONS, PILLARS, PROFILES, FactSheet, Metric, metric
from trustkit.trust.explainability import TRANSPARENCY
from trustkit.trust.federation import AGGREGATION
from trustkit.trust.normalise import identity
from trustkit.trust.taxonomy import level_of

# Table 2 of FederatedTrust: pillar, metric, when, who, with our ids beside the names.
TABLE_2 = [
    ("privacy", "Differential Privacy", "differential_privacy", "Pre-training", "Server"),
    ("privacy", "Entropy", "entropy", "Pre-training", "Server"),
    ("privacy", "Global Privacy Risk", "global_privacy_risk", "Pre-training", "Server"),
    ("robustness", "Certified Robustness", "certified_robustness", "Post-training", "Server"),
    ("robustness", "Performance", "performance", "During-training", "Clients"),
    ("robustness", "Personalization", "personalization", "Pre-training", "Server"),
    ("robustness", "Federation Scale", "federation_scale", "Pre-training", "Server"),
    ("fairness", "Participation Variation", "selection_variation", "Post-training", "Server"),
    ("fairness", "Accuracy Variation", "accuracy_variation", "During-training", "Clients"),
    ("fairness", "Class Imbalance", "class_imbalance", "Pre-training", "Clients"),
    ("explainability", "Algorithmic Transparency", "algorithmic_transparency", "Pre-training", "Server"),
    ("explainability", "Model Size", "model_size", "Post-training", "Server"),
    ("explainability", "Feature Importance", "feature_importance", "Post-training", "Server"),
    ("accountability", "Project Specification", "project_specs", "Pre-training", "Server"),
    ("accountability", "Participants", "participants", "Pre-training", "Server"),
    ("accountability", "Data", "data", "Pre-training", "Server"),
    ("accountability", "Configuration", "configuration", "Pre-training", "Server"),
    ("accountability", "System", "system", "Post-training", "Server"),
    ("federation", "Client Selector", "client_selector", "Pre-training", "Server"),
    ("federation", "Aggregation Algorithm", "aggregation_algorithm", "Pre-training", "Server"),
]

# Section 3 of the paper: the notions that Table 2 has metrics for.
NOTION_NAMES = {
    "privacy": ["Privacy-preserving approaches", "Uncertainty", "Indistinguishability"],
    "robustness": ["Resilience to attacks", "Algorithm-level robustness", "Client and data reliability"],
    "fairness": ["Client selection", "Performance", "Class distribution"],
    "explainability": ["Interpretability", "Post-hoc methods"],
    "accountability": ["FactSheet completeness"],
    "federation": ["Client management", "Optimization"],
}

LOWER = {"global_privacy_risk", "selection_variation", "accuracy_variation", "class_imbalance", "model_size"}


def test_rows_are_table_2() -> None:
    """All twenty, in the paper's order, with when and who."""
    rows = [(m.pillar, m.name, m.id, m.when, m.who) for m in METRICS.values()]
    assert rows == TABLE_2
    names = {p: [notion.name for notion in NOTIONS.values() if notion.pillar == p] for p in PILLARS}
    assert names == NOTION_NAMES


def test_directions() -> None:
    """Risk, variations and model size are better when lower; everything else when higher."""
    assert {m.id for m in METRICS.values() if m.better == "lower"} == LOWER


def test_ids_are_unique_over_the_three_levels() -> None:
    """So one weight cannot mean two things."""
    ids = [*PILLARS, *NOTIONS, *METRICS]
    assert len(ids) == len(set(ids)) == 6 + 14 + 20
    assert {notion.pillar for notion in NOTIONS.values()} == set(PILLARS)
    assert {m.notion for m in METRICS.values()} == set(NOTIONS)


@pytest.mark.parametrize("row", METRICS.values(), ids=lambda row: row.id)
def test_rows_are_written_out(row: Metric) -> None:
    """Every row says what it is, how it is computed, whence, and where sources disagree."""
    assert row.synopsis.endswith(".")
    assert row.formula
    assert "FederatedTrust (Sánchez Sánchez et al. 2024)" in row.source
    assert row.deviations
    assert row.inputs


@pytest.mark.parametrize("row", METRICS.values(), ids=lambda row: row.id)
@settings(derandomize=True, max_examples=60, deadline=None)
@given(st.data())
def test_scores_never_fall_in_the_better_direction(row: Metric, data: st.DataObject) -> None:
    """Two raw values of the range: the better one scores at least as much, and both score in [0, 1]."""
    low, high = row.range.low, min(row.range.high, 1e7)
    wide = st.floats(low, high) | st.floats(low, min(high, max(low, 5.0)))
    one, two = sorted((data.draw(wide), data.draw(wide)))
    worse, better = (one, two) if row.better == "higher" else (two, one)
    scores = [PROFILES["paper"].score(row.id, value) for value in (worse, better)]
    assert 0 <= scores[0] <= scores[1] <= 1


@pytest.mark.parametrize("row", METRICS.values(), ids=lambda row: row.id)
def test_the_direction_shows_somewhere(row: Metric) -> None:
    """A normaliser that ignores its value would pass the law above: the ends of the range score differently."""
    ends = [PROFILES["paper"].score(row.id, value) for value in (row.range.low, min(row.range.high, 1e7))]
    assert (ends[0] < ends[1]) == (row.better == "higher")
    assert ends[0] != ends[1]


def test_table_3_steps() -> None:
    """CLEVER: 21 edges 0, 0.2, … 4.0 onto 0, 0.05, … 1; size: the table's 11 edges, falling as the text says."""
    score = PROFILES["paper"].score
    assert [score("certified_robustness", k / 5) for k in range(21)] == pytest.approx([k / 20 for k in range(21)])
    assert score("certified_robustness", 0.199) == 0
    assert score("certified_robustness", 9) == 1
    edges = [1, 10, 50, 100, 500, 1000, 5000, 10000, 50000, 100000, 500000]
    assert [score("model_size", edge) for edge in edges] == pytest.approx([1 - k / 10 for k in range(11)])
    assert score("model_size", 8452) == pytest.approx(0.4)  # the paper's experiment 4: from 5,000 on
    assert score("model_size", 29002) == pytest.approx(0.3)  # experiment 5: from 10,000 on
    scale = {9: 0.2, 10: 0.2, 50: 0.2, 100: 0.4, 999: 0.4, 1000: 0.6, 10**4: 0.8, 10**5: 1.0, 10**7: 1.0}
    assert {n: score("federation_scale", n) for n in scale} == pytest.approx(scale)


def test_table_3_lists() -> None:
    """Marks x/5 for the thirteen families; benchmark values as they are; short names mean the families."""
    marks = [4, 3, 2, 3, 5, 1, 3, 3.5, 3, 4, 3.5, 1, 1]
    assert list(TRANSPARENCY.values()) == marks
    function = METRICS["algorithmic_transparency"].function
    for family, mark in TRANSPARENCY.items():
        raw = function(FactSheet({"configuration/training_model": family}))
        assert raw == mark
        assert PROFILES["paper"].score("algorithmic_transparency", mark) == pytest.approx(mark / 5)
    for short, mark in (("mlp", 1), ("CNN", 1), ("logistic", 4), ("Decision-Tree", 5), ("svm", 2)):
        assert function(FactSheet({"configuration/training_model": short})) == mark
    assert function(FactSheet({"configuration/training_model": "gradient boosting"})) is None
    values = [0.8493, 0.8492, 0.8477, 0.8548, 0.8765, 0.8661, 0.8479]
    rules = ["FedAvg", "FedOpt", "FedProx", "FedBN", "pFedMe", "Ditto", "FedEM"]
    assert list(AGGREGATION.items()) == list(zip(rules, values, strict=True))
    for rule, value in AGGREGATION.items():
        facts = FactSheet({"configuration/aggregation_algorithm": rule.upper()})
        assert METRICS["aggregation_algorithm"].function(facts) == value


@pytest.mark.parametrize("rule", ["FedMedian", "trimmed mean", "Krum", "SplitNN"])
def test_rules_without_a_value_are_missing(rule: str) -> None:
    """The paper has none for them; none is invented."""
    facts = FactSheet({"configuration/aggregation_algorithm": rule})
    assert METRICS["aggregation_algorithm"].function(facts) is None


@pytest.mark.parametrize(
    ("selector", "raw"), [("random", 0), ("Uniform", 0), ("lowest loss first", 1), ("all", math.nan)]
)
def test_client_selector(selector: str, raw: float) -> None:
    """Random is none, criteria are one, and where all take part there is nothing to select."""
    got = METRICS["client_selector"].function(FactSheet({"participants/client_selector": selector}))
    assert got == pytest.approx(raw, nan_ok=True)


def test_risk_needs_its_epsilon() -> None:
    """Without a mechanism the risk is 1; with one of unknown ε it is not known; ε = ∞ protects nobody."""
    risk = METRICS["global_privacy_risk"].function
    clients = {"participants/client_num": 10}
    assert risk(FactSheet({**clients, "privacy/differential_privacy": False})) == 1
    assert risk(FactSheet({**clients, "privacy/differential_privacy": True})) is None
    assert risk(FactSheet(clients)) is None
    assert risk(FactSheet({**clients, "privacy/differential_privacy": True, "privacy/epsilon": math.inf})) == 1


@pytest.mark.parametrize("row", [m for m in METRICS.values() if m.pillar == "accountability"], ids=lambda row: row.id)
def test_completeness_counts_what_is_stated(row: Metric) -> None:
    """0 for nothing, 1 for everything, each fact the same share; an empty text is no statement."""
    from trustkit.trust import FIELDS, client_id

    samples = {"text": "x", "count": 3, "number": 0.5, "ids": [client_id("k", 0)], "texts": ["x"]}
    values = {path: samples[FIELDS[path].kind] for path in row.inputs}
    stated = [dict(list(values.items())[:k]) for k in range(len(values) + 1)]
    assert [row.function(FactSheet(facts)) for facts in stated] == pytest.approx(
        [k / len(values) for k in range(len(values) + 1)]
    )
    empty = {path: "" if FIELDS[path].kind == "text" else value for path, value in values.items()}
    texts = sum(FIELDS[path].kind == "text" for path in values)
    assert row.function(FactSheet(empty)) == pytest.approx(1 - texts / len(values))


def test_what_does_not_fit_the_taxonomy_is_refused() -> None:
    """Unknown notions and facts, and ids that are taken."""
    good = {"inputs": ("data/rows",), "range": Interval(0, 1), "better": "higher", "normalise": identity,
            "when": "Pre-training", "who": "Server"}  # fmt: skip

    def privacy(facts: FactSheet) -> float | None:
        return 1.0

    def encryption(facts: FactSheet) -> float | None:
        return 1.0

    with pytest.raises(KeyError, match="no notion 'beauty'; known are technique"):
        metric("beauty", "Beauty", **good)  # type: ignore[arg-type]
    with pytest.raises(KeyError, match="no fact 'data/colour'"):
        metric("technique", "Colour", **{**good, "inputs": ("data/colour",)})  # type: ignore[arg-type]
    with pytest.raises(KeyError, match="no notion 'monitoring'"):  # Table 2 has no metric for it
        metric("monitoring", "Auditing", **good)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="the id 'encryption' is taken"):
        metric("technique", "Encryption", **good)(encryption)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="the id 'privacy' is taken"):
        metric("technique", "Privacy", **good)(privacy)  # type: ignore[arg-type]
    with pytest.raises(KeyError, match="did you mean 'fairness'"):
        level_of("fairnes")
    with pytest.raises(KeyError, match="no metric 'beauty'"):
        PROFILES["paper"].score("beauty", 1.0)


def test_a_metric_of_ones_own_is_one_function_with_one_row() -> None:
    """It is scored, reported and weighted without any other change; the taxonomy is put back afterwards."""
    from trustkit.trust import assess

    @metric("post_hoc_methods", "Counterfactuals", inputs=("data/features",), range=Interval(0, 1), better="higher",
            normalise=identity, when="Post-training", who="Server")  # fmt: skip
    def counterfactuals(facts: FactSheet) -> float | None:
        """Say how often the nearest row of another class was shown."""
        return 0.25

    try:
        for profile in ("paper", "paper-figures", "calibrated"):
            report = assess(FactSheet(), profile, weights={"counterfactuals": 2})
            assert report["counterfactuals"].score == 0.25
            assert report.pillars["explainability"] == 0.25
        keys = list(report.profile.taxonomy.metrics)
        assert keys.index("feature_importance") < keys.index("counterfactuals") < keys.index("project_specs")
    finally:
        del METRICS["counterfactuals"]
    assert "counterfactuals" not in assess(FactSheet(), "calibrated").profile.taxonomy.metrics
