"""Profiles "prototype-2022" and "nebula-1.0" against what the authors' code stored, and against its rules by hand."""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path
from typing import Any

import pytest

from trustkit import jsonfile
from trustkit.trust import PROFILES, FactSheet, TrustReport, assess
from trustkit.trust.layout import Sheet, read
from trustkit.trust.nebula import NEBULA
from trustkit.trust.nebula import WEIGHTS as NEBULA_WEIGHTS
from trustkit.trust.prototype import PROTOTYPE, WEIGHTS, falling
from trustkit.trust.stairs import Map

RUNS: list[dict[str, Any]] = jsonfile.read(Path(__file__).parents[1] / "golden" / "federatedtrust.json")["runs"]


def _sheet(run: dict[str, Any]) -> Sheet:
    """The stored sheet; null stands for the NaN of the original."""
    return read({section: {name: math.nan if value is None else value for name, value in named.items()}
                 for section, named in run["factsheet"].items()})  # fmt: skip


def _all(report: TrustReport) -> dict[str, float | None]:
    lines = {f"{line.pillar}/{line.notion}/{line.row.id}": line.score for line in report.metrics}
    return {"trust": report.score, **report.pillars, **lines}


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run["name"])
def test_all_scores_of_a_stored_run(run: dict[str, Any]) -> None:
    """Trust, 6 pillars and 22 metrics, under the authors' ids: equal to the digit."""
    found = _all(assess(_sheet(run), "prototype-2022"))
    assert len(run["expected"]) == 29
    assert found == run["expected"]


def test_there_are_174_scores() -> None:
    """Six runs of 29, as the reference counts them."""
    assert sum(len(run["expected"]) for run in RUNS) == 174


def test_weights_in_use() -> None:
    """Run 3 by hand from the config's weights: robustness .4·.88 + .4(.8·.59) + .2·.91 = .7228, and so on."""
    report = assess(_sheet(RUNS[2]), "prototype-2022-weighted")
    assert report.pillars == {
        "robustness": 0.72, "privacy": 0.35, "fairness": 0.54, "explainability": 0.73, "accountability": 0.93,
        "architectural_soundness": 0.74,
    }  # fmt: skip
    assert report.score == 0.63
    for taxonomy, weights in ((PROTOTYPE, WEIGHTS), (NEBULA, NEBULA_WEIGHTS)):
        assert set(weights) <= {*taxonomy.pillars, *taxonomy.notions, *taxonomy.metrics}
        assert sum(weights[pillar] for pillar in taxonomy.pillars) == pytest.approx(1)
        for pillar in taxonomy.pillars:
            notions = [n.id for n in taxonomy.notions.values() if n.pillar == pillar]
            assert sum(weights.get(n, 1) for n in notions) == pytest.approx(1)
        for notion in taxonomy.notions:
            inside = [key for key, m in taxonomy.metrics.items() if m.notion == notion]
            assert sum(weights.get(key, 1) for key in inside) == pytest.approx(1)


def test_the_example_of_the_readme() -> None:
    """Older code, so two rules differ: CLEVER .05 and entropy .07 are given, a CNN is transparent to 0.09.

    Robustness (.05 + (.36 + 0)/2 + .91)/3 = .38; privacy (1 + .07 + .20)/3 = .42; fairness (.88 + .58 + 0)/3 = .49;
    explainability ((.09 + 1)/2 + 1)/2 = .77; accountability (.33 + 6)/7 = .90; architecture (1 + .57)/2 = .785, which
    binary numbers round to .78; trust is their mean, .6233.
    """
    plain = PROFILES["prototype-2022"]
    older = dataclasses.replace(plain, name="older", normalisers={"algorithmic_transparency": Map((1,), (0.0896,))})
    run = RUNS[3]["factsheet"]
    sheet = {section: dict(named) for section, named in run.items()}
    sheet["performance"] |= {"test_clever": 0.05, "test_acc_avg": 0.36, "test_feature_importance_cv": 1}
    sheet["data"]["avg_entropy"] = math.log2(100) / 100
    sheet["fairness"] = {"test_acc_cv": 0.42, "selection_cv": 0.12, "class_imbalance": 1}
    sheet["configuration"] |= {"differential_privacy": True, "dp_epsilon": 6, "trainable_param_num": 10}
    report = assess(read(sheet), older)
    assert report.pillars == {
        "robustness": 0.38, "privacy": 0.42, "fairness": 0.49, "explainability": 0.77, "accountability": 0.9,
        "architectural_soundness": 0.78,
    }  # fmt: skip
    assert report.score == 0.62


@pytest.mark.parametrize(
    ("clients", "score"), [(1, 1.0), (10, 1.0), (11, 0.91), (100, 0.91), (1000, 0.82), (10**6, 0.55), (10**11, 0.09)]
)
def test_bins_are_closed_on_the_right(clients: int, score: float) -> None:
    """A value at an edge is still in the lower bin, and the lowest falling score is 1 / (edges + 1)."""
    report = assess(Sheet({"participants/client_num": clients}), "prototype-2022")
    assert report["scale"].score == score


@pytest.mark.parametrize(
    ("name", "score"),
    [("FedProx", 0.14), ("FedEM", 0.29), ("FedOpt", 0.43), ("FedAvg", 0.57), ("FedBN", 0.71), ("Ditto", 0.86),
     ("pFedMe", 1.0), ("Krum", 0.0)],
)  # fmt: skip
def test_algorithms_are_ranked(name: str, score: float) -> None:
    """By the seven values, whatever their distance; an unknown one scores 0."""
    report = assess(Sheet({"configuration/optimization_algorithm": name}), "prototype-2022")
    assert report["algorithm"].score == score


def test_what_counts_as_filled() -> None:
    """NaN, false and 0 do, an empty text and an absent field do not."""
    sheet = Sheet({
        "project/overview": "x", "project/purpose": "", "system/avg_time_minutes": math.nan,
        "system/avg_model_size": 0, "configuration/personalization": False, "configuration/dp_epsilon": math.nan,
    })  # fmt: skip
    report = assess(sheet, "prototype-2022")
    assert [report[m].score for m in ("project_specs", "system", "configuration")] == [0.33, 0.5, 0.22]


def test_missing_and_undefined_score_0_and_are_named() -> None:
    """An empty sheet scores 0 everywhere, with the weights it would have; the lists still say what is missing."""
    report = assess(Sheet(), "prototype-2022")
    assert report.score == 0
    assert sum(line.weight for line in report.metrics) == pytest.approx(1)
    assert "performance" in report.missing
    undefined = assess(Sheet({"fairness/test_acc_cv": math.nan}), "prototype-2022")
    assert undefined["accuracy_variation"].score == 0
    assert undefined.undefined == ("accuracy_variation",)
    assert "scores it 0.00" in report.explain("performance")
    assert "what has no evidence scores 0" in report.to_html()


def test_an_unknown_family_spoils_all_above_it() -> None:
    """No mark is not a number, and so are its pillar and trust: as in the code; every form still writes it."""
    report = assess(Sheet({"configuration/training_model": "boosted trees"}), "prototype-2022")
    for score in (report["algorithmic_transparency"].score, report.pillars["explainability"], report.score):
        assert score is not None
        assert math.isnan(score)
    assert report.pillars["privacy"] == 0
    assert report.summary.startswith("Trust undefined: ")
    json.loads(report.to_json(), parse_constant=lambda token: pytest.fail(token))
    assert "nan%" not in report.to_html()
    assert "undefined" in report.to_text()


def test_two_metrics_of_one_name_are_told_apart() -> None:
    """Accountability has a check of the performance facts, which the authors call performance too."""
    report = assess(_sheet(RUNS[0]), "prototype-2022", {"accountability/performance": 3})
    assert report["performance"].score == 0.24
    assert report["accountability/performance"].score == 1
    lines = jsonfile.loads(report.to_json())["metrics"]
    assert [line["pillar"] for line in lines if line["metric"] == "performance"] == ["robustness", "accountability"]
    with pytest.raises(KeyError, match="no metric 'federation_scale'; known are certified_robustness"):
        report["federation_scale"]


def test_a_sheet_of_ours_is_read_in_their_layout() -> None:
    """Configured ε, arrays instead of parameters, values cut at 1, minutes; names of families as they are there."""
    facts = FactSheet({
        "participants/client_num": 100, "privacy/differential_privacy": True, "privacy/epsilon": 60.0,
        "privacy/configured_epsilon": 6.0, "robustness/clever": 3.0, "explainability/tensors": 12,
        "explainability/trainable_param_num": 10**6, "configuration/training_model": "logistic",
        "configuration/aggregation_algorithm": "FedAvg", "system/training_seconds": 90.0, "data/synthetic": True,
    })  # fmt: skip
    report = assess(facts, "prototype-2022")
    scores = {
        name: report[name].score
        for name in (
            "global_privacy_risk",
            "certified_robustness",
            "model_size",
            "algorithmic_transparency",
            "algorithm",
        )
    }
    assert scores == {"global_privacy_risk": 0.2, "certified_robustness": 1.0, "model_size": 0.8,
                      "algorithmic_transparency": 0.75, "algorithm": 0.57}  # fmt: skip
    assert report["system"].score == 0.25
    assert report.notes[0] == "Computed on synthetic data."
    assert PROTOTYPE.view is not None
    assert PROTOTYPE.view(facts).get("system", "avg_time_minutes") == 1.5


def test_reading_a_file(tmp_path: Path) -> None:
    """With the NaN tokens that the authors write; tables in place of values are left out."""
    file = tmp_path / "factsheet.json"
    file.write_text('{"performance": {"test_clever": NaN, "test_acc_avg": {"a": 1}}, "data": {}}', encoding="utf-8")
    sheet = read(file)
    assert math.isnan(sheet.get("performance", "test_clever"))
    assert sheet.get("performance", "test_acc_avg") is None
    assert assess(sheet, "prototype-2022").score == 0.01  # one of four facts is filled: (0.25/7)/6


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "must be a fact sheet in JSON, got: "),
        ("[1]", r"must hold sections of facts by name, got \[1\]"),
        ('{"data": 1}', "must hold sections of facts by name"),
        ('{"format": "x", "facts": {}}', "must hold sections of facts by name"),
        ("{}", "must be a fact sheet of FederatedTrust's prototype or of NEBULA"),
    ],
)
def test_files_that_are_refused(text: str, message: str, tmp_path: Path) -> None:
    """With the file's name."""
    file = tmp_path / "sheet.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=f"sheet.json {message}"):
        read(file)


def test_values_that_are_refused() -> None:
    """Text where a number belongs; the authors' layout under a profile that reads ours."""
    sheet = Sheet({"performance/test_acc_avg": "high"})
    with pytest.raises(ValueError, match="performance/test_acc_avg must be a number, got 'high'"):
        assess(sheet, "prototype-2022")
    with pytest.raises(TypeError, match="facts must be a FactSheet under profile paper, got a Sheet"):
        assess(sheet, "paper")


NEBULA_FACTS: dict[str, Any] = {
    "sustainability/avg_carbon_intensity_clients": 32.87, "sustainability/avg_carbon_intensity_server": 709.0,
    "sustainability/avg_power_performance_clients": 423.89, "sustainability/avg_power_performance_server": 2000.0,
    "configuration/total_round_num": 10, "configuration/trainable_param_num": 61706,
    "configuration/local_update_steps": 1, "configuration/aggregation_algorithm": "TrimmedMean",
    "configuration/visualization": True, "participants/client_num": 12, "participants/sample_client_rate": 1.0,
    "participants/avg_dataset_size": 5000,
}  # fmt: skip


def test_sustainability_by_hand() -> None:
    """The stored .98, .11 and .28, and each staircase.

    (795 − 32.87)/775 = .983; (795 − 709)/775 = .111; (423.89 − 20)/1427 = .283; 10 rounds: one edge below, 10/11;
    61,706 parameters: none, 1; 12 clients: two edges (5, 10) below, 9/11; 5,000 rows: two of five, 4/6.
    Energy .5(.98 + .11) = .545, hardware .5(.28 + 1) = .64, complexity (.91 + 1 + 1 + .82 + 1 + .67)/6 = .9: together
    .5 · .545 + .25 · .64 + .25 · .9 = .6575.
    """
    report = assess(Sheet(NEBULA_FACTS), "nebula-1.0")
    expected = {
        "carbon_intensity_clients": 0.98, "carbon_intensity_server": 0.11, "avg_power_performance_clients": 0.28,
        "avg_power_performance_server": 1.0, "number_of_training_rounds": 0.91, "avg_model_size": 1.0,
        "client_selection_rate": 1.0, "number_of_clients": 0.82, "local_training_rounds": 1.0, "avg_dataset_size": 0.67,
    }  # fmt: skip
    assert {name: report[name].score for name in expected} == expected
    assert report.pillars["sustainability"] == 0.66
    assert report["scale"].score == 0.82
    assert report["model_size"].score == 0.67  # 100, 1,000 and 10,000 lie below it: 6/9
    assert report["algorithm"].score == 0.96
    assert report["visualization"].score == 1
    assert len(report.metrics) == 33


def test_nebula_from_a_sheet_of_ours() -> None:
    """The mean data set from the class counts, the median under its name there, a measured 0 as what it is."""
    facts = FactSheet({
        "data/class_counts": [30, 10], "participants/client_num": 4, "explainability/trainable_param_num": 50,
        "configuration/aggregation_algorithm": "FedMedian", "sustainability/carbon_intensity_clients": 0.0,
    })  # fmt: skip
    report = assess(facts, "nebula-1.0")
    assert report["avg_dataset_size"].raw == 10
    assert report["algorithm"].score == 0.95
    assert report["model_size"].score == 1
    assert report["carbon_intensity_clients"].score == 1
    assert "not repeated" in report["scale"].row.deviations


def test_the_authors_stairs_end_above_0() -> None:
    """1 − k/(edges + 1): five scores for four edges."""
    assert falling((10, 25, 50, 100)).scores == pytest.approx((1, 0.8, 0.6, 0.4, 0.2))


@pytest.mark.parametrize("profile", ["prototype-2022", "prototype-2022-weighted", "nebula-1.0"])
def test_every_part_can_be_explained_and_exported(profile: str) -> None:
    """At every level, and in every form."""
    for facts in (_sheet(RUNS[3]), FactSheet({"participants/client_num": 3})):
        report = assess(facts, profile)
        taxonomy = report.profile.taxonomy
        for name in ("trust", *taxonomy.pillars, *taxonomy.notions, *taxonomy.metrics):
            assert len(report.explain(name)) > 40
        assert len(report.frame()) == len(taxonomy.metrics)
        for pillar in taxonomy.pillars.values():
            for text in (report.to_html(), report.to_markdown(), report.to_text()):
                assert pillar in text
