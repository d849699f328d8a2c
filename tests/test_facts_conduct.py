"""What a run's conduct leaves in its facts: attack, faults, protection, reputation, log and energy, by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from trustkit import conduct
from trustkit.catalogue import use
from trustkit.experiment import Experiment
from trustkit.facts import facts_of, log_of
from trustkit.horizontal.faults import faults
from trustkit.horizontal.trainer import RowTrainer
from trustkit.records import Round, RunRecord
from trustkit.rounds import build, data_of, partition_of, run
from trustkit.trust import FactSheet
from trustkit.trust.energy import Energy, EnergyMeter
from trustkit.trust.events import EventLog
from trustkit.trust.factsheet import client_id
from trustkit.trust.nebula import sheet_of_facts

PLAIN = Experiment("breast_cancer", use("iid", parties=6), use("fedavg", batch=64), "logistic", rounds=4,
                   participation=0.8, seed=2)  # fmt: skip
HURT = PLAIN.change(rounds=8, attack=use("label_flip", share=0.34), faults=use("mixed", dropout=0.15,
                    error=0.15, spread=0.5, wait=1.4), secure=True)  # fmt: skip


@pytest.fixture(scope="module")
def log() -> EventLog:
    """Return the log of the troubled run."""
    return log_of(HURT)


@pytest.fixture(scope="module")
def record(log: EventLog) -> RunRecord:
    """Return the troubled run."""
    return run(HURT, observers=[log])


def without(facts: FactSheet, *sections: str) -> list[str]:
    """Return the names in some sections."""
    return sorted(path for path in facts.values if path.split("/")[0] in sections)


def test_a_plain_run_says_that_nothing_is_hidden_and_nothing_went_wrong() -> None:
    """Encryption is a measured 0; of attack, faults and reputation there is nothing to say."""
    record = run(PLAIN)
    facts = facts_of(record)
    assert facts.get("privacy", "encryption") == 0
    assert facts.get("privacy", "aggregation_protection") == "none: the server sees every client's update"
    assert facts.get("configuration", "topology") == "server"
    train = ~data_of(PLAIN).held_out & (partition_of(PLAIN).owner >= 0)
    assert facts.get("participants", "avg_dataset_size") == pytest.approx(sum(train.tolist()) / 6)
    assert facts.get("participants", "minimum_group") == 3
    absent = ("configuration/attack", "configuration/attackers", "system/faults", "system/dropout_rate",
              "participants/reputation", "participants/registry_complete", "configuration/co_versioning",
              "sustainability/assumption", "explainability/looked_at", "data/withheld")  # fmt: skip
    assert not set(absent) & set(facts.values)


def test_a_troubled_run_says_what_was_done_to_it(record: RunRecord) -> None:
    """Rates by hand from the outcomes of each round: of all asked, of those who stayed, of those who finished."""
    facts = facts_of(record)
    assert facts.get("configuration", "attack") == "Label flip: share=0.34, source=None, target=None"
    assert facts.get("configuration", "attackers") == 2
    assert facts.get("system", "faults") == (
        "Leaving, failing and late clients: dropout=0.15, error=0.15, spread=0.5, wait=1.4"
    )
    codes = np.concatenate([played.state["outcome"] for played in record]).tolist()
    asked, left, failed, late = sum(c >= 0 for c in codes), codes.count(1), codes.count(2), codes.count(3)
    assert min(left, failed, late) > 0
    assert asked == 5 * 8
    assert facts.get("system", "dropout_rate") == pytest.approx(left / asked)
    assert facts.get("system", "error_rate") == pytest.approx(failed / (asked - left))
    assert facts.get("system", "timeout_rate") == pytest.approx(late / (asked - left - failed))
    assert facts.get("privacy", "encryption") == 1
    assert "simulated" in facts.get("privacy", "aggregation_protection")


def test_faults_that_cannot_happen_are_no_facts() -> None:
    """A run bound to faults that are all zero has nothing to say of reliability; by name they are refused."""
    record = run(HURT.change(rounds=1))
    built = build(record.experiment)
    said = conduct.conduct_of(record, built)
    assert {"system/faults", "system/dropout_rate", "system/error_rate", "system/timeout_rate"} <= set(said)
    assert isinstance(built.trainer, RowTrainer)
    calm = replace(built, trainer=replace(built.trainer, faults=faults()))
    assert not [path for path in conduct.conduct_of(record, calm) if path.startswith("system/")]
    with pytest.raises(ValueError, match="faults must be able to happen: dropout or error above 0, or a wait, got 0, "):
        build(PLAIN.change(faults=use("mixed", dropout=0, error=0)))


def test_the_order_of_lists_tells_nothing(record: RunRecord, log: EventLog) -> None:
    """Ids in their own order, other lists by size: the same lists whatever numbers the clients have."""
    facts = facts_of(record)
    ids, values = facts.get("participants", "ids"), facts.get("participants", "reputation")
    assert (list(ids), list(values)) == (sorted(ids), sorted(values))
    state = record.last.state
    turned = {**state, **{name: state[name][::-1] for name in ("outcome", "outcomes")}}
    assert conduct._reputation(turned)["participants/reputation"].tolist() == list(values)
    lists = [value for event in log for value in event.facts.values() if isinstance(value, (list, tuple))]
    assert max(map(len, lists)) > 2
    assert all(list(each) == sorted(each) for each in lists)


def test_epsilon_says_how_it_counts_faults() -> None:
    """Only where there is a mechanism."""
    facts = facts_of(run(PLAIN.change(faults="dropout", privacy="gaussian", rounds=1)))
    assert facts.get("system", "faults") == (
        "Leaving clients: chance=0.1; ε counts whoever trained, though what was made was lost or late"
    )


def test_reputation_by_hand(record: RunRecord) -> None:
    """b + u/2 with b = (1 − u)·0.4g/(0.4g + 0.6b), u = 2/(g + b + 2): an update that arrived is good, else bad."""
    facts, wanted = facts_of(record), []
    for k in range(6):
        mine = [int(played.state["outcome"][k]) for played in record]
        good, bad = mine.count(0), sum(code > 0 for code in mine)
        u = 2 / (good + bad + 2)
        wanted.append((1 - u) * 0.4 * good / (0.4 * good + 0.6 * bad) + u / 2 if good + bad else 0.5)
    assert facts.get("participants", "reputation") == pytest.approx(tuple(sorted(wanted)))
    assert facts.get("participants", "reputation_mean") == pytest.approx(sum(wanted) / 6)


def test_verdicts_of_the_server_are_reputation() -> None:
    """AFA's verdicts, and with faults also who failed."""
    record = run(PLAIN.change(algorithm="afa", faults="dropout", attack=use("sign_flip", share=0.2, scale=5.0)))
    state, facts = record.last.state, facts_of(record)
    values, wanted = facts.get("participants", "reputation"), []
    for k in range(6):
        good, bad = int(state["good"][k]), int(state["bad"][k] + state["outcomes"][k, 1:].sum())
        u = 2 / (good + bad + 2)
        belief = (1 - u) * 0.4 * good / (0.4 * good + 0.6 * bad) if good + bad else 0.0
        wanted.append(belief + (u if good + bad else 1.0) / 2)
    assert values == pytest.approx(tuple(sorted(wanted)))
    assert state["bad"].sum() > 0


@pytest.mark.parametrize(
    ("algorithm", "topology", "sees"),
    [(use("gossip", topology="random"), "random graph", "none: neighbours see every client's update"),
     (use("gossip"), "ring", "none: neighbours see every client's update"),
     (use("ditto"), "server", "none: the server sees every client's update")],
)  # fmt: skip
def test_who_has_a_model_of_its_own_is_said(algorithm: Any, topology: str, sees: str) -> None:
    """CLEVER and SHAP look at a model that these clients do not use."""
    facts = facts_of(run(PLAIN.change(algorithm=algorithm, rounds=1)))
    assert facts.get("explainability", "looked_at") == conduct._COMMON
    assert facts.get("configuration", "topology") == topology
    assert facts.get("privacy", "aggregation_protection") == sees


def test_across_columns_all_hold_the_same_rows() -> None:
    """Mean size is that of the data, and the party with the labels merges."""
    experiment = Experiment("breast_cancer", use("importance", parties=2), "splitnn", rounds=1)
    facts = facts_of(run(experiment))
    assert facts.get("participants", "avg_dataset_size") == int((~data_of(experiment).held_out).sum())
    assert ("participants", "minimum_group") not in facts
    assert facts.get("configuration", "topology") == "active party"
    assert "the active party sees the other parties' embeddings" in facts.get("privacy", "aggregation_protection")
    assert ("data", "class_counts") not in facts
    assert ("fairness", "class_imbalance") not in facts
    assert facts.get("data", "withheld") == "class counts, which fewer than 3 clients would add up to"


def test_two_clients_are_too_few_to_add_up_labels() -> None:
    """Their sum would tell each of the other: it stays out, with what follows from it, and that is said."""
    facts = facts_of(run(PLAIN.change(split__parties=2, rounds=1)))
    assert ("data", "class_counts") not in facts
    assert ("fairness", "class_imbalance") not in facts
    assert facts.get("data", "withheld") == "class counts, which fewer than 3 clients would add up to"
    assert ("data", "class_counts") in facts_of(run(PLAIN.change(split__parties=3, rounds=1)))


@pytest.mark.parametrize(
    ("data", "split", "withheld", "varies"),
    [
        ("digits", use("label_classes", parties=10, classes_per_party=1), "10 of 10", True),
        ("breast_cancer", use("label_classes", parties=4, classes_per_party=1), "2 of 2", False),
        ("breast_cancer", use("label_classes", parties=6, classes_per_party=1), "", True),
    ],
)
def test_a_class_that_one_or_two_clients_hold_hides_its_count(
    data: str, split: Any, withheld: str, varies: bool
) -> None:
    """Its sum would be theirs alone. Of two classes the variation gives both counts away, so it is out too."""
    facts = facts_of(run(PLAIN.change(data=data, split=split, rounds=1)))
    words = f"class counts, as fewer than 3 clients have rows of {withheld} classes"
    assert facts.get("data", "withheld") == (words if withheld else None)
    assert (("data", "class_counts") in facts) == (not withheld)
    assert (("fairness", "class_imbalance") in facts) == varies


def test_the_log_names_who_was_lost_and_how(record: RunRecord, log: EventLog) -> None:
    """Keyed ids only; whoever was asked is either merged or lost, and the order of the rounds is that of the run."""
    lost = [event.facts for event in log if event.kind == "clients_lost"]
    merged = [event.facts for event in log if event.kind == "updates_aggregated"]
    asked = [event.facts["clients"] for event in log if event.kind == "clients_selected"]
    seen = set()
    for played, gone, there, all_ in zip(record, lost, merged, asked, strict=True):
        assert there["updates"] == len(there["clients"])
        away = [key for name, ids in gone.items() if name != "round" for key in ids]
        assert sorted([*away, *there["clients"]]) == sorted(all_)
        assert gone["round"] == played.index
        by_code = {1: "dropped", 2: "failed", 3: "late", 0: "not_summed"}
        for k in np.flatnonzero(played.selected):
            key, code = client_id(log._key, int(k)), int(played.state["outcome"][k])
            summed = bool(played.state["summed"][0])
            assert (key in there["clients"]) == (code == 0 and summed)
            if code or not summed:
                assert key in gone[by_code[code]]
            seen.add((code, summed))
    assert (0, False) in seen, "some sum must have failed"
    assert (0, True) in seen


def test_what_the_log_shows(record: RunRecord, log: EventLog) -> None:
    """All rounds are registered and versioned; a log of half the run shows half, a foreign one nothing."""
    facts = facts_of(record, log=log)
    assert facts.get("participants", "registry_complete") == 1
    assert facts.get("configuration", "co_versioning") == 1
    half = log_of(HURT)
    for played in list(record)[:4]:
        half(played)
    facts = facts_of(record, log=half)
    assert facts.get("participants", "registry_complete") == 0.5
    assert facts.get("configuration", "co_versioning") == 0.5
    empty = facts_of(record, log=log_of(HURT))
    assert empty.get("participants", "registry_complete") == 0
    assert empty.get("configuration", "co_versioning") == 0


def test_a_log_without_models_maps_no_versions() -> None:
    """Earlier rounds of a stored run have no state; who was asked is known all the same."""
    record = run(PLAIN)
    bare, log = [Round(played.index, None, played.seen, played.seconds) for played in list(record)[:-1]], log_of(PLAIN)
    for played in [*bare, record.last]:
        log(played)
    facts = facts_of(record, log=log)
    assert facts.get("participants", "registry_complete") == 1
    assert facts.get("configuration", "co_versioning") == 0.25


def test_energy_by_hand() -> None:
    """kWh times gCO2/kWh, and 2.24e-10 kWh a byte; what was assumed is said, what a person states is taken."""
    record = run(PLAIN.change(rounds=1))
    facts = facts_of(record, energy=Energy(0.002, False, "assumed: 10 W"))
    assert facts.get("sustainability", "emissions_training") == pytest.approx(0.95)
    up = record.bytes_up.sum() * 2.24e-10 * 475
    assert facts.get("sustainability", "emissions_communication_uplink") == pytest.approx(up)
    words = facts.get("sustainability", "assumption")
    assert words.startswith("training, simulated on one machine: assumed: 10 W; traffic: 2.24e-10 kWh a byte; ")
    assert words.count("475 gCO2/kWh, the world's mean in 2018") == 2
    given: dict[str, Any] = {
        f"sustainability__carbon_intensity_{who}": value for who, value in (("clients", 20), ("server", 50.0))
    }
    stated = facts_of(record, energy=Energy(0.002, True, "counters"), **given)
    assert stated.get("sustainability", "emissions_training") == pytest.approx(0.04)
    assert stated.get("sustainability", "carbon_intensity_server") == 50
    assert stated.get("sustainability", "assumption") == (
        "training, simulated on one machine: measured by counters; traffic: 2.24e-10 kWh a byte"
    )


def test_nebula_reads_size_and_energy() -> None:
    """What its seventh pillar asks for, from a metered run."""
    with EnergyMeter() as meter:
        record = run(PLAIN.change(rounds=1, seed=9))
    facts = facts_of(record, energy=meter.energy)
    sheet = sheet_of_facts(facts)
    assert sheet.get("participants", "avg_dataset_size") == facts.get("participants", "avg_dataset_size")
    assert sheet.get("sustainability", "avg_carbon_intensity_clients") == 475
    assert 0 < facts.get("sustainability", "emissions_training") < math.inf


def test_default_facts_name_no_machine(record: RunRecord) -> None:
    """Without a meter nothing is said of energy."""
    assert without(facts_of(record), "sustainability", "log") == []
