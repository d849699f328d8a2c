"""What a fact sheet of ours says of energy and of the clients' rows reaches NEBULA's seventh pillar."""

from __future__ import annotations

import pytest

from trustkit.trust import FactSheet, assess
from trustkit.trust.energy import Energy, sustainability
from trustkit.trust.nebula import sheet_of_facts

ENERGY = sustainability(Energy(0.001, False, "assumed"), clients=400.0, server=20.0, upload=1e6, download=1e6)
PASSMARK = {"sustainability/power_performance_clients": 733.5, "sustainability/power_performance_server": 1447.0}


def test_the_stated_mean_comes_before_the_reckoned_one() -> None:
    """Counts over clients stand in only where nobody states how many rows a client has."""
    counts = {"data/class_counts": [30, 10], "participants/client_num": 4}
    assert sheet_of_facts(FactSheet(counts)).get("participants", "avg_dataset_size") == 10
    stated = FactSheet({**counts, "participants/avg_dataset_size": 50.0})
    assert sheet_of_facts(stated).get("participants", "avg_dataset_size") == 50
    withheld = FactSheet({"data/withheld": "class counts", "participants/avg_dataset_size": 50.0})
    assert sheet_of_facts(withheld).get("participants", "avg_dataset_size") == 50


def test_energy_and_hardware_are_scored() -> None:
    """By hand: (795 − 400) / 775, the best intensity, the middle and the top of 20 … 1447 points a watt."""
    report = assess(FactSheet({**ENERGY, **PASSMARK, "participants/avg_dataset_size": 50.0}), "nebula-1.0")
    lines = {line.metric: line for line in report.metrics if line.pillar == "sustainability"}
    assert lines["carbon_intensity_clients"].score == pytest.approx(round(395 / 775, 2))
    assert lines["carbon_intensity_server"].score == 1
    assert lines["avg_power_performance_clients"].score == pytest.approx(0.5)
    assert lines["avg_power_performance_server"].score == 1
    assert (lines["avg_dataset_size"].status, lines["avg_dataset_size"].raw) == ("ok", 50)
    without = assess(FactSheet({"participants/avg_dataset_size": 50.0}), "nebula-1.0")
    assert without["carbon_intensity_clients"].status == "missing"


def test_selection_of_ours_is_scored_by_its_evenness() -> None:
    """A measured variation of 0.3 scores 0.7 here, and all nine fields of the configuration can be stated."""
    facts = FactSheet({
        "fairness/selection_cv": 0.3, "configuration/aggregation_algorithm": "FedAvg",
        "configuration/training_model": "mlp", "configuration/personalization": False,
        "privacy/differential_privacy": True, "privacy/configured_epsilon": 6.0,
        "explainability/trainable_param_num": 10, "configuration/total_round_num": 5,
        "configuration/learning_rate": 0.1, "configuration/local_update_steps": 1.0,
    })  # fmt: skip
    report = assess(facts, "nebula-1.0")
    assert report["selection_variation"].raw == pytest.approx(0.7)
    assert report["selection_variation"].score == 0.7
    assert report["configuration"].score == 1
    assert report["accountability/fairness"].score == 0.33  # one of three facts: the evenness is none of them
    assert assess(FactSheet(), "nebula-1.0")["selection_variation"].status == "missing"
    assert "8/9" in report["configuration"].row.deviations


def test_the_repaired_rule_is_said() -> None:
    """A 0 scores 1 where NEBULA scores it 0: in the rows and in what the profile says of itself."""
    report = assess(FactSheet({"sustainability/carbon_intensity_clients": 0.0}), "nebula-1.0")
    assert report["carbon_intensity_clients"].score == 1
    repaired = {line.metric for line in report.metrics if "scores it 0" in line.row.deviations}
    assert repaired == {"carbon_intensity_clients", "carbon_intensity_server", "local_training_rounds"}
    assert "of 0 scores 1, where NEBULA takes it for missing and scores it 0" in report.profile.about
