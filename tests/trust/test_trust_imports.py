"""Others' files: every field where it belongs, what is not filled in stays unknown, what is no evidence stays out."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path
from typing import Any

import pytest

from trustkit.trust import FIELDS, FactSheet, assess, facts_for
from trustkit.trust.collected import size, steps
from trustkit.trust.federatedscope import read_federatedscope
from trustkit.trust.imports import layout_of, read, read_federatedtrust, read_nebula
from trustkit.trust.layout import Sheet

PROTOTYPE = """{"project": {"overview": "exp", "purpose": "", "background": ""},
 "data": {"provenance": "femnist", "preprocessing": [["ToTensor", {}], ["Normalize", {"mean": [0.1]}]],
          "avg_entropy": 0.46},
 "participants": {"client_num": 10, "sample_client_rate": 0.2, "client_selector": "uniform"},
 "configuration": {"optimization_algorithm": "FedAvg", "training_model": "CNN", "personalization": false,
   "differential_privacy": false, "dp_epsilon": NaN, "trainable_param_num": 12, "total_round_num": 5,
   "learning_rate": 0.01, "local_update_steps": 1},
 "performance": {"test_loss_avg": 107.7, "test_acc_avg": 0.25, "test_feature_importance_cv": 0.875, "test_clever": NaN},
 "fairness": {"test_acc_cv": 0.33, "selection_cv": 1, "class_imbalance": 1},
 "system": {"avg_time_minutes": 0.75, "avg_model_size": "2.5M", "avg_upload_bytes": "17.15K",
            "avg_download_bytes": ""}}"""

EXPECTED = {
    "project/overview": "exp",
    "project/imported_from": "FederatedTrust, whose variations and CLEVER are cut off at 1",
    "project/imported_empty": ("configuration/dp_epsilon", "performance/test_clever"),
    "data/provenance": "femnist",
    "data/preprocessing": "ToTensor, Normalize(mean=[0.1])",
    "data/avg_entropy": 0.46,
    "participants/client_num": 10,
    "participants/sample_client_rate": 0.2,
    "participants/client_selector": "uniform",
    "configuration/aggregation_algorithm": "FedAvg",
    "configuration/training_model": "CNN",
    "configuration/personalization": False,
    "configuration/total_round_num": 5,
    "configuration/learning_rate": 0.01,
    "configuration/local_update_steps": 1.0,
    "privacy/differential_privacy": False,
    "explainability/tensors": 12,
    "explainability/feature_importance_cv": 0.875,
    "performance/test_loss_avg": 107.7,
    "performance/test_acc_avg": 0.25,
    "fairness/test_acc_cv": 0.33,
    "fairness/selection_cv": 1.0,
    "fairness/class_imbalance": 1.0,
    "system/training_seconds": 45.0,
    "system/model_bytes": 2.5 * 1024**2,
    "system/upload_bytes": 17.15 * 1024,
}

NEBULA = """{"project": {"overview": "n", "purpose": "", "background": "b"},
 "data": {"provenance": "MNIST", "preprocessing": "Star", "avg_entropy": 0.5},
 "participants": {"client_num": 4, "sample_client_rate": 1, "client_selector": "", "avg_dataset_size": 600.5},
 "configuration": {"aggregation_algorithm": "Krum", "training_model": "MLP", "personalization": false,
   "visualization": true, "differential_privacy": true, "dp_epsilon": 10, "trainable_param_num": 242762,
   "total_round_num": 3, "learning_rate": 0.001, "local_update_steps": 1},
 "performance": {"test_loss_avg": 0.3, "test_acc_avg": 0.9, "test_feature_importance_cv": 1, "test_clever": 0.2},
 "fairness": {"test_acc_cv": 0.01, "selection_cv": 1, "class_imbalance": 0.1},
 "system": {"avg_time_minutes": 2, "avg_model_size": 971048, "avg_upload_bytes": 100, "avg_download_bytes": 200,
            "total_upload_bytes": 400, "total_download_bytes": 800},
 "sustainability": {"avg_carbon_intensity_server": 32.87, "avg_carbon_intensity_clients": 709,
   "avg_power_performance_clients": 423.89, "avg_power_performance_server": 20, "emissions_training": 0.002,
   "emissions_aggregation": 0.0001, "emissions_communication_uplink": 0.005, "emissions_communication_downlink": 0}}"""


def written(tmp_path: Path, text: str, name: str = "sheet.json") -> Path:
    """Write a file."""
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_the_prototypes_sheet(tmp_path: Path) -> None:
    """Field by field, with NaN tokens and empty texts unknown; `FactSheet.load` takes the file too."""
    path = written(tmp_path, PROTOTYPE)
    assert dict(read_federatedtrust(path).values) == EXPECTED
    assert FactSheet.load(path) == read(path) == read_federatedtrust(path)
    assert FactSheet.load(FactSheet.load(path).save(tmp_path / "ours.json")) == read(path)


def test_every_field_of_the_prototype_has_a_place(tmp_path: Path) -> None:
    """All 29 of its template, when they are filled in, end up in 29 facts of ours."""
    full = PROTOTYPE.replace("NaN", "0.5").replace('""', '"1K"')
    facts = read_federatedtrust(written(tmp_path, full))
    theirs = 3 + 3 + 3 + 9 + 4 + 3 + 4
    assert len(facts) == theirs + 1
    assert facts.get("privacy", "configured_epsilon") == 0.5
    assert facts.get("robustness", "clever") == 0.5
    assert facts.get("system", "download_bytes") == 1024


def test_nebulas_sheet(tmp_path: Path) -> None:
    """Its parameters are parameters, emissions are in grams, and what it fills in unmeasured is left out and named."""
    facts = read_nebula(written(tmp_path, NEBULA))
    assert facts.get("explainability", "trainable_param_num") == 242762
    assert facts.get("explainability", "tensors") is None
    assert facts.get("participants", "avg_dataset_size") == 600.5
    assert facts.get("configuration", "aggregation_algorithm") == "Krum"
    assert facts.get("system", "total_upload_bytes") == 400
    for name, value in (("carbon_intensity_server", 32.87), ("carbon_intensity_clients", 709.0),
                        ("power_performance_clients", 423.89), ("emissions_training", 2.0),
                        ("emissions_aggregation", 0.1), ("emissions_communication_uplink", 0.005),
                        ("emissions_communication_downlink", 0.0)):  # fmt: skip
        assert facts.get("sustainability", name) == pytest.approx(value)
    for place in ("privacy/differential_privacy", "privacy/configured_epsilon", "participants/sample_client_rate",
                  "participants/client_selector", "data/preprocessing", "fairness/selection_cv",
                  "project/purpose"):  # fmt: skip
        assert place not in facts
    assert facts.get("project", "imported_from") == (
        "NEBULA 1.0, without differential_privacy and dp_epsilon, which repeat an attack's noise; preprocessing, which "
        "holds the topology; sample_client_rate and selection_cv, which are always 1"
    )
    assert FactSheet.load(tmp_path / "sheet.json") == facts


@pytest.mark.parametrize(
    ("content", "layout"),
    [
        ({"configuration": {"optimization_algorithm": "FedAvg"}}, "federatedtrust"),
        ({"configuration": {"aggregation_algorithm": "Krum"}}, "nebula"),
        ({"configuration": {}}, ""),
        ({"configuration": 3}, ""),
        ({"configuration": {"aggregation_algorithm": "Krum"}, "data": 3}, ""),
        ({"format": "trustkit-factsheet-1", "configuration": {"aggregation_algorithm": "Krum"}}, ""),
        ([], ""),
    ],
)
def test_layouts_are_told_apart(content: object, layout: str) -> None:
    """By the name of the aggregation rule."""
    assert layout_of(content) == layout


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('"client_num": 10', '"client_num": "ten"'), "cannot be read: participants/client_num must be a whole number"),
        (('"test_acc_avg": 0.25', '"test_acc_avg": 25'), "performance/test_acc_avg must be between 0 and 1, got 25"),
        (('"2.5M"', '"big"'), "cannot be read: a size must be a number with K, M, G or T, got 'big'"),
        (('"optimization_algorithm"', '"algorithm"'), "must be a fact sheet of federatedtrust"),
        (('"test_loss_avg": 107.7', '"test_loss_avg": Infinity'),
         "cannot be read: performance/test_loss_avg must be finite, got inf"),
        (("{", "["), "must be a JSON file"),
    ],
)  # fmt: skip
def test_values_that_do_not_fit_are_named(change: tuple[str, str], message: str, tmp_path: Path) -> None:
    """With the file, the fact, and the rule."""
    with pytest.raises(ValueError, match=rf"sheet\.json .*{message}"):
        read_federatedtrust(written(tmp_path, PROTOTYPE.replace(*change, 1)))


def test_sizes_and_steps() -> None:
    """A stored run of 11 parties sent 736,152 bytes and printed 65.35K on average, so K is 1,024."""
    assert size("65.35K") == pytest.approx(736152 / 11, abs=0.005 * 1024)
    assert [size(text) for text in ("12", 12.5, "1k", "2 MB", "1G", "1T", "3B")] == [
        12, 12.5, 1024, 2 * 1024**2, 1024**3, 1024**4, 3,
    ]  # fmt: skip
    assert steps("ToTensor") == "ToTensor"
    assert steps(["ToTensor", ["Crop"]]) == "ToTensor, Crop"


CONFIG = """
expname: exp_1
seed: 12345
data: {type: femnist, batch_size: 10, transform: [[ToTensor, {}], [Normalize, {mean: [0.1307], std: [0.3081]}]]}
federate: {client_num: 10, method: FedAvg, sample_client_num: 2, sample_client_rate: 0.2, sampler: uniform,
           total_round_num: 5}
fedopt: {use: false}
fedprox: {use: false}
model: {type: convnet2}
nbafl: {use: false}
personalization: {local_param: []}
train: {batch_or_epoch: epoch, local_update_steps: 1, optimizer: {lr: 0.01, type: SGD}}
"""
CLIENT = "{'Role': 'Client #3', 'Round': 'Final', 'Results_raw': {'client_summarized_avg': {'test_acc': 0.99}}}"
EARLY = "{'Role': 'Server #', 'Round': 4, 'Results_raw': {'client_summarized_avg': {'test_acc': 0.1}}}"
FINAL = (
    "{'Role': 'Server #', 'Round': 'Final', 'Results_raw': {'client_summarized_avg': "
    "{'test_acc': 0.4, 'test_loss': 107.7, 'test_avg_loss': 1.5, 'val_acc': nan}, "
    "'client_summarized_fairness': {'test_acc_std': 0.1, 'test_loss_entropy': -inf}}}"
)
SYSTEM = (
    '{"id": "1", "fl_end_time_minutes": 9}\n'
    '{"id": "sys_avg", "sys_avg/fl_end_time_minutes": 0.75, "sys_avg/total_model_size": "2.86M", '
    '"sys_avg/total_upload_bytes": "17.15K", "sys_avg/total_download_bytes": "16.98K"}\n'
)


def scope(tmp_path: Path, config: str = CONFIG, log: str | None = f"{CLIENT}\n{EARLY}\nnoise {{\n{FINAL}\n") -> Path:
    """Write the folder of a FederatedScope run."""
    written(tmp_path, config, "config.yaml")
    if log is not None:
        written(tmp_path, log, "eval_results.log")
        written(tmp_path, SYSTEM, "system_metrics.log")
    return tmp_path


def test_a_federatedscope_run(tmp_path: Path) -> None:
    """The sources of the authors' hook, one by one; the clients' own lines and earlier rounds are passed over."""
    facts = read_federatedscope(scope(tmp_path))
    assert dict(facts.values) == {
        "project/overview": "exp_1",
        "project/imported_from": "FederatedScope",
        "participants/client_num": 10,
        "participants/sample_client_rate": 0.2,
        "participants/client_selector": "uniform",
        "data/provenance": "femnist",
        "data/preprocessing": "ToTensor, Normalize(mean=[0.1307], std=[0.3081])",
        "configuration/aggregation_algorithm": "FedAvg",
        "configuration/training_model": "CNN",
        "configuration/personalization": False,
        "configuration/total_round_num": 5,
        "configuration/learning_rate": 0.01,
        "configuration/local_update_steps": 1.0,
        "configuration/batch_size": 10,
        "configuration/seed": 12345,
        "privacy/differential_privacy": False,
        "performance/test_acc_avg": 0.4,
        "performance/test_loss_avg": 1.5,
        "fairness/test_acc_cv": 0.25,
        "system/training_seconds": 45.0,
        "system/model_bytes": 2.86 * 1024**2,
        "system/upload_bytes": 17.15 * 1024,
        "system/download_bytes": 16.98 * 1024,
    }


def test_without_logs_evidence_stays_missing(tmp_path: Path) -> None:
    """A run that was not evaluated has a configuration only."""
    facts = read_federatedscope(scope(tmp_path, log=None))
    assert not {path for path in facts.values if FIELDS[path].section in ("performance", "fairness", "system")}
    assert facts.get("participants", "client_num") == 10


def test_raw_results_are_read_too(tmp_path: Path) -> None:
    """FederatedScope packs them when it ends."""
    folder = scope(tmp_path, log=None)
    (folder / "eval_results.raw.gz").write_bytes(gzip.compress(FINAL.encode()))
    assert read_federatedscope(folder).get("performance", "test_acc_avg") == 0.4


@pytest.mark.parametrize(
    ("change", "place", "value"),
    [
        (("fedopt: {use: false}", "fedopt: {use: true}"), "configuration/aggregation_algorithm", "FedOpt"),
        (("fedprox: {use: false}", "fedprox: {use: true}"), "configuration/aggregation_algorithm", "FedProx"),
        (("method: FedAvg", "method: pFedMe"), "configuration/personalization", True),
        (("local_param: []", "local_param: [fc2]"), "configuration/personalization", True),
        (("sample_client_rate: 0.2", "sample_client_rate: -1.0"), "participants/sample_client_rate", 0.2),
        (("nbafl: {use: false}", "nbafl: {use: true, epsilon: 6.0}"), "privacy/configured_epsilon", 6.0),
        (("nbafl: {use: false}", "nbafl: {use: false, epsilon: 6.0}"), "privacy/configured_epsilon", None),
        (("batch_or_epoch: epoch", "batch_or_epoch: batch"), "configuration/local_update_steps", None),
        (("type: convnet2", "type: lstm"), "configuration/training_model", "lstm"),
        (("expname: exp_1\n", ""), "project/overview", None),
        (("nbafl: {use: false}\n", ""), "privacy/differential_privacy", None),
    ],
)
def test_federatedscopes_switches(change: tuple[str, str], place: str, value: Any, tmp_path: Path) -> None:
    """What is stated by a switch or in another way, and what a missing line leaves open."""
    assert change[0] in CONFIG
    facts = read_federatedscope(scope(tmp_path, CONFIG.replace(*change)))
    assert facts.values.get(place) == value


def test_accuracy_zero_has_no_variation(tmp_path: Path) -> None:
    """0/0 is not defined, where the authors' code scores it as perfect."""
    folder = scope(tmp_path, log=FINAL.replace("'test_acc': 0.4", "'test_acc': 0.0").replace("0.1}", "0.0}"))
    assert math.isnan(read_federatedscope(folder).get("fairness", "test_acc_cv"))


def test_folders_that_are_none_are_refused(tmp_path: Path) -> None:
    """In one sentence each."""
    with pytest.raises(FileNotFoundError):
        read_federatedscope(tmp_path)
    for text, message in {
        "a: [": "config.yaml must be YAML, got: ",
        "- 1": "must be a FederatedScope configuration, got",
        "federate: {client_num: many}": "participants/client_num must be a whole number, got",
        "x: !!python/object/apply:os.getcwd []": "config.yaml must be YAML",
    }.items():
        with pytest.raises(ValueError, match=message):
            read_federatedscope(scope(tmp_path, text, log=None))


@pytest.mark.parametrize("profile", ["prototype-2022", "prototype-2022-weighted"])
@pytest.mark.parametrize(
    "change",
    [("", ""), ('"dp_epsilon": NaN', '"dp_epsilon": ""'), ('"dp_epsilon": NaN, ', ""), ('"CNN"', '"convnet2"'),
     ('"CNN"', '"GaussianNB"'), ('"test_acc_cv": 0.33', '"test_acc_cv": NaN'),
     ('"avg_entropy": 0.46', '"avg_entropy": ""'),
     ('"total_round_num": 5', '"total_round_num": NaN'), ('"client_num": 10', '"client_num": NaN'),
     ('"uniform"', "NaN"), ('"differential_privacy": false', '"differential_privacy": true')],
)  # fmt: skip
def test_one_result_for_one_file(change: tuple[str, str], profile: str, tmp_path: Path) -> None:
    """Loaded as a fact sheet of ours, saved and loaded again, or read as it is: every score is the same."""
    assert change[0] in PROTOTYPE
    path = written(tmp_path, PROTOTYPE.replace(*change, 1) if change[0] else PROTOTYPE)
    direct, loaded = assess(facts_for(path, profile), profile), assess(FactSheet.load(path), profile)
    again = assess(FactSheet.load(FactSheet.load(path).save(tmp_path / "ours.json")), profile)
    for report in (loaded, again):
        assert {line.metric: repr(line.score) for line in report.metrics} == {
            line.metric: repr(line.score) for line in direct.metrics
        }
        assert repr(report.score) == repr(direct.score)
    if change[0] == "":
        assert direct["configuration"].score == 1  # nine of nine: NaN counts as filled in


@pytest.mark.parametrize("profile", ["prototype-2022", "nebula-1.0", "paper"])
@pytest.mark.parametrize(
    ("fact", "value", "rule"),
    [
        ("performance/test_acc_avg", 25, "between 0 and 1"),
        ("performance/test_clever", -0.1, "at least 0"),
        ("performance/test_loss_avg", math.inf, "finite"),
        ("participants/client_num", 0, "at least 1"),
        ("participants/client_num", 2.5, "a whole number"),
        ("configuration/dp_epsilon", -math.inf, "finite"),
        ("configuration/personalization", 2, "between 0 and 1"),
        ("fairness/selection_cv", -1, "at least 0"),
        ("sustainability/avg_carbon_intensity_server", -3.0, "at least 0"),
    ],
)
def test_numbers_that_cannot_be_are_refused(fact: str, value: float, rule: str, profile: str, tmp_path: Path) -> None:
    """Under every profile and however the sheet is read, with the fact, the rule and the value."""
    content: dict[str, Any] = json.loads(NEBULA if profile == "nebula-1.0" else PROTOTYPE)
    section, name = fact.split("/")
    content.setdefault(section, {})[name] = value
    path = written(tmp_path, json.dumps(content))
    message = f"{fact} must be {rule}, got {value!r}"
    with pytest.raises(ValueError, match=f"cannot be read: {message}"):
        facts_for(path, profile)
    if profile != "paper":
        with pytest.raises(ValueError, match=message):
            assess(Sheet({fact: value}), profile)


def test_nebula_without_differential_privacy(tmp_path: Path) -> None:
    """It writes an empty ε: not known, so seven of the nine fields that it asks for, and no refusal."""
    text = NEBULA.replace(
        '"differential_privacy": true, "dp_epsilon": 10', '"differential_privacy": false, "dp_epsilon": ""'
    )
    path = written(tmp_path, text)
    report = assess(facts_for(path, "nebula-1.0"), "nebula-1.0")
    assert report["configuration"].raw == pytest.approx(7 / 9)
    assert report["configuration"].score == 0.78
    assert report["global_privacy_risk"].score == 0
    noisy = written(tmp_path, text.replace('"differential_privacy": false', '"differential_privacy": true'))
    assert assess(facts_for(noisy, "nebula-1.0"), "nebula-1.0")["global_privacy_risk"].raw == 1
    assert "privacy/configured_epsilon" not in FactSheet.load(path)


def test_nebulas_own_file_scores_as_there(tmp_path: Path) -> None:
    """Its constant variation of 1 scores 1, and eight of nine fields is all that its configuration can have."""
    report = assess(facts_for(written(tmp_path, NEBULA), "nebula-1.0"), "nebula-1.0")
    assert (report["selection_variation"].raw, report["selection_variation"].score) == (1, 1)
    assert report["configuration"].raw == pytest.approx(8 / 9)
    assert report["configuration"].score == 0.89
    assert report["participants"].score == 0.67
    assert report["client_selector"].score == 0
