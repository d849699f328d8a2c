"""The aggregation rule against FedAvg on the same run: by hand, and what the profiles make of it."""

from __future__ import annotations

import numpy as np
import pytest

from trustkit.catalogue import Interval, use
from trustkit.examination import MEASURES, examine
from trustkit.examination.paired import twin_of
from trustkit.experiment import Experiment
from trustkit.facts import facts_of
from trustkit.records import Stopped
from trustkit.rounds import run
from trustkit.trust import FactSheet, assess
from trustkit.trust.federation import AGGREGATION
from trustkit.trust.normalise import identity
from trustkit.trust.profilefile import parse
from trustkit.trust.taxonomy import metric

MEDIAN = Experiment("breast_cancer", use("dirichlet", parties=5, alpha=0.3), use("fedmedian", lr=0.05, batch=16),
                    "logistic", rounds=3, participation=0.6, seed=3)  # fmt: skip
FACT = "performance/against_fedavg"


def test_the_twin_differs_in_the_rule_only() -> None:
    """Rate and batch are the run's; what the rule has and FedAvg has not is left out; all other parts stay."""
    attacked = MEDIAN.change(attack=use("sign_flip", share=0.2), privacy=use("gaussian", epsilon=5.0))
    twin = twin_of(attacked)
    assert twin.algorithm.name == "fedavg"
    assert (twin.algorithm.args["lr"], twin.algorithm.args["batch"]) == (0.05, 16)
    assert twin.change(algorithm=attacked.algorithm) == attacked
    krum = twin_of(MEDIAN.change(algorithm=use("krum", lr=0.02, share=0.2)))
    assert krum.algorithm.args["lr"] == 0.02
    assert "share" not in krum.algorithm.args


def test_by_hand() -> None:
    """Both runs played here: mean over the clients of the one over that of the other."""
    record, plain = run(MEDIAN), run(MEDIAN.change(algorithm=use("fedavg", lr=0.05, batch=16)))
    found = examine(record, measures=["aggregation"])
    ratio = np.mean(record.last.accuracy) / np.mean(plain.last.accuracy)
    assert found[FACT] == pytest.approx(min(1.0, ratio), rel=1e-12)
    own, other = np.mean(record.last.accuracy), np.mean(plain.last.accuracy)
    assert found.remarks["aggregation"] == f"accuracy {own:.3f}, {other:.3f} by FedAvg with all else equal"
    assert MEASURES["aggregation"].cost == "trainings"


def test_a_rule_that_stands_by_its_start_keeps_what_the_start_is_worth() -> None:
    """With a rate of 1e−4 for both, ten rows a step and one round nothing has moved: the ratio is nearly 1."""
    still = MEDIAN.change(algorithm=use("fedmedian", lr=1e-4), rounds=1)
    assert examine(run(still), measures=["aggregation"])[FACT] == pytest.approx(1.0, abs=0.02)


def test_under_attack_a_robust_rule_is_paid_up_to_1() -> None:
    """Two of five clients reverse their updates tenfold: FedAvg falls far below the median, and the ratio is capped."""
    attacked = MEDIAN.change(attack=use("sign_flip", share=0.4, scale=10.0), participation=1.0)
    found = examine(run(attacked), measures=["aggregation"])
    own, plain = (float(word.split()[0]) for word in found.remarks["aggregation"][9:].split(", "))
    assert own > plain
    assert found[FACT] == 1.0


def test_fedavg_and_columns_are_not_compared() -> None:
    """With a reason; nothing is trained."""
    plain = examine(run(MEDIAN.change(algorithm="fedavg")), measures=["aggregation"])
    assert (dict(plain), plain.skipped) == ({}, {"aggregation": "the run is by FedAvg itself"})
    columns = Experiment("breast_cancer", use("importance", parties=3), use("splitnn", local=[4], top=[4]), rounds=1)
    assert examine(run(columns), measures=["aggregation"]).skipped == {"aggregation": "not for columns"}


def test_it_can_be_stopped() -> None:
    """Between two steps of the twin's training."""
    told: list[float] = []

    def stop(name: str, done: float) -> None:
        told.append(done)
        if done > 0.5:
            raise Stopped

    record = run(MEDIAN)
    with pytest.raises(Stopped):
        examine(record, measures=["aggregation"], progress=stop)
    assert 0.5 < max(told) < 1


def test_the_calibrated_profile_scores_it_and_the_papers_does_not() -> None:
    """0.8493 · 0.9 where the paper lists nothing; the listed value where it does; the paper's profiles as before."""
    median = FactSheet({"configuration/aggregation_algorithm": "FedMedian", "participants/client_selector": "random",
                        "configuration/topology": "server"})  # fmt: skip
    found = median.with_facts({FACT: 0.9})
    assert assess(median, "calibrated").pillars["federation"] == 0
    assert assess(found, "calibrated")["aggregation_algorithm"].score == pytest.approx(0.9 * 0.8493)
    assert assess(found, "calibrated").pillars["federation"] == pytest.approx((0 + (0.9 * 0.8493 + 0) / 2) / 2)
    for profile in ("paper", "paper-figures"):
        assert "aggregation_algorithm" in assess(found, profile).missing
        assert assess(found, profile).score == assess(median, profile).score
    for name, value in AGGREGATION.items():
        listed = FactSheet({"configuration/aggregation_algorithm": name, FACT: 0.5})
        assert assess(listed, "calibrated")["aggregation_algorithm"].raw == value
    text = assess(median, "calibrated").explain("aggregation_algorithm")
    assert f"the fact sheet does not state {FACT}" in text
    assert "(examine) measures it" in text


def test_a_run_that_was_examined_has_it_in_its_sheet() -> None:
    """From the run to the score."""
    record = run(MEDIAN)
    facts = facts_of(record, examined=examine(record, measures=["aggregation"]))
    assert assess(facts, "calibrated")["aggregation_algorithm"].score == pytest.approx(0.8493 * facts.values[FACT])


def test_a_profile_that_departs_from_the_papers_reads_its_rows_as_the_paper_does() -> None:
    """Rows by name, the whole taxonomy's among them; one that departs from calibrated reads the measured value."""
    facts = FactSheet({"configuration/aggregation_algorithm": "FedMedian", FACT: 1.0})
    rows = ["aggregation_algorithm", "decentralisation"]
    for base, score in (("paper", None), ("calibrated", AGGREGATION["FedAvg"])):
        mine = parse({"name": "mine", "base": base, "rows": rows})
        assert assess(facts, mine)["aggregation_algorithm"].score == score


def test_only_a_row_of_table_2_can_be_refined() -> None:
    """Nothing else has a place to take."""
    with pytest.raises(KeyError, match="Table 2 has no row 'decentralisation'; it has differential_privacy, "):
        metric("optimization", "X", inputs=(), range=Interval(0, 1), better="higher", normalise=identity, when="",
               who="", instead="decentralisation")  # fmt: skip
