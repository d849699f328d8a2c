"""The model card: every section from facts and scores, unknown things said to be so, nothing that breaks a table."""

from __future__ import annotations

import math

import pytest

from trustkit.trust import FIELDS, FactSheet, assess
from trustkit.trust.claims import Claim
from trustkit.trust.modelcard import model_card

FACTS = FactSheet({
    "project/overview": "digits <b>", "project/purpose": "teaching", "project/limits": "diagnosis",
    "project/owner": "a school", "data/provenance": "a | b", "data/synthetic": True, "data/stands_in_for": "N-BaIoT",
    "data/scaled_down": "a tenth of the rows", "data/rows": 16_000, "participants/client_num": 10,
    "participants/organisations": ["A", "B"], "participants/ids": ["0123456789abcdef"],
    "configuration/aggregation_algorithm": "FedAvg", "configuration/learning_rate": 0.005,
    "performance/test_acc_avg": 0.81, "performance/worst_tenth_accuracy": 0.4, "fairness/attribute": "sex",
    "fairness/worst_disparity": math.nan, "fairness/pooled_disparity": 0.1, "privacy/differential_privacy": True,
    "privacy/epsilon": 6.25, "privacy/level": "client", "privacy/assumption": "an honest server",
}, (
    Claim("aggregator", "At most ε = 6.", "A | B", "2026-01-02", {"privacy/epsilon": 6.0}),
    Claim("owner", "For teaching.\nOnly."),
    Claim("data", "Ten take part.", facts={"participants/client_num": 10}),
    Claim("data", "Eleven features.", facts={"data/features": 11}),
))  # fmt: skip

CARD = model_card(FACTS, assess(FACTS))


def test_sections_stand_in_order() -> None:
    """From what it is for to what it cannot do."""
    titles = [line[3:] for line in CARD.splitlines() if line.startswith("## ")]
    assert titles == ["Intended use", "Claims", "Training", "Data", "Evaluation over clients", "Evaluation over groups",
                      "Privacy", "Trust", "Limits"]  # fmt: skip
    assert CARD.startswith("# Model card: digits &lt;b>\n")


@pytest.mark.parametrize(
    "line",
    [
        "> Computed on synthetic data, which stand in for N-BaIoT.",
        "> Scaled down: a tenth of the rows.",
        "- Purpose: teaching",
        "- Answerable: a school",
        "- Not to be used for: diagnosis",
        "- Project owner: For teaching. Only. — words only, with no fact to hold it to",
        "- Data owner: Ten take part. — the facts agree",
        "- Data owner: Eleven features. — not all facts are known",
        "- Aggregator (A \\| B, 2026-01-02): At most ε = 6. — **the facts contradict this**",
        "| provenance | a \\| b | where the data come from | pre-training | Server |",
        "| rows | 16,000 rows | how many rows there are | pre-training | Server |",
        "| learning rate | 0.005 | of the clients' optimiser | pre-training | Server |",
        "| organisations | A, B | the organisations behind the clients | pre-training | Server |",
        "| worst disparity | not defined | largest demographic disparity of a client | post-training | Clients |",
        "| epsilon | 6.25 | privacy loss composed over all rounds | post-training | Server |",
        "- Accuracy is 0.4 on the worst tenth of the clients, 0.81 on average.",
        "- Scores compare projects under one profile; they certify nothing.",
    ],
)
def test_what_the_card_says(line: str) -> None:
    """Whole lines, from facts."""
    assert line in CARD.splitlines()


def test_what_is_not_known_is_said() -> None:
    """By name in each section, and as metrics without evidence."""
    lines = CARD.splitlines()
    assert "Not known: test acc cv, test loss avg, selection cv." in lines
    assert any(line.startswith("- No evidence for: ") and "Certified Robustness" in line for line in lines)
    bare = model_card(FactSheet(), assess(FactSheet()))
    assert bare.count("Not stated.") == 5
    assert "- Purpose: not stated" in bare
    assert "## Claims" not in bare
    assert ">" not in bare.replace("<", "")


def test_tables_have_five_cells() -> None:
    """Whatever a fact says."""
    for line in CARD.splitlines():
        if line.startswith("|") and not line.startswith(("| pillar", "|---")) and "Server" in line:
            assert line.replace("\\|", "").count("|") == 6


def test_without_a_mechanism_its_details_are_not_missed() -> None:
    """But what that means is a limit."""
    facts = FactSheet({"privacy/differential_privacy": False, "privacy/epsilon": math.inf})
    card = model_card(facts, assess(facts))
    assert "| epsilon | no bound |" in card
    assert "Not known: mechanism" not in card
    assert "- No differential privacy: the updates of a client may tell about its rows." in card


def test_no_id_is_on_the_card() -> None:
    """Keyed ids say nothing to a reader."""
    assert "0123456789abcdef" not in CARD


def test_every_fact_it_names_is_in_the_template() -> None:
    """The lists of the card."""
    from trustkit.trust import modelcard

    lists = (modelcard._TRAINING, modelcard._DATA, modelcard._CLIENTS, modelcard._GROUPS, modelcard._PRIVACY,
             modelcard._PROTECTED, modelcard._ATTACKED, modelcard._SPECIAL)  # fmt: skip
    assert {path for paths in lists for path in paths} <= set(FIELDS)


def test_attacks_and_audit_have_sections_once_something_is_known() -> None:
    """Without them the card is silent; with them it shows what was kept, and which stages left nothing to show."""
    plain = FactSheet({"project/overview": "digits"})
    card = model_card(plain, assess(plain))
    assert "## Under attack" not in card
    assert "## Audit" not in card
    assert "backdoor" not in card
    known = plain.with_facts(robustness__backdoor=0.25, audit__scoping="charter | v2", privacy__membership_auc=0.625)
    card = model_card(known, assess(known, "calibrated"))
    attack, audit = (card.split(f"## {title}\n")[1].split("\n## ")[0] for title in ("Under attack", "Audit"))
    assert "| backdoor | 0.25 |" in attack
    assert "Not known" not in attack
    assert "- Scoping: charter \\| v2" in audit
    assert "- Testing: not shown" in audit
    assert "| membership auc | 0.625 |" in card
