"""Claims are held to the facts, and fact-sheet files of every version are read, but none of a newer one."""

from __future__ import annotations

import json
import math
import pickle
import re
from pathlib import Path
from typing import Any

import pytest

from trustkit import jsonfile
from trustkit.trust import FactSheet
from trustkit.trust.claims import Claim, verdict
from trustkit.trust.factfile import VERSION

TEN = Claim("data", "Ten hospitals take part.", "Hospital A", "2026-01-02", {"participants/client_num": 10})
FULL = FactSheet({"participants/client_num": 10, "privacy/epsilon": math.inf, "data/class_counts": [3, 4]}, (
    TEN,
    Claim("owner", "For <teaching> only."),
    Claim("aggregator", "No bound.", facts={"privacy/epsilon": math.inf, "data/class_counts": [3, 4]}),
))  # fmt: skip


@pytest.mark.parametrize(
    ("claimed", "known", "expected"),
    [
        ({}, {"data/rows": 5}, "words only"),
        ({"data/rows": 5}, {"data/rows": 5}, "holds"),
        ({"data/rows": 5}, {"data/rows": 6}, "contradicted"),
        ({"data/rows": 5}, {}, "open"),
        ({"data/rows": 5, "data/features": 2}, {"data/rows": 5}, "open"),
        ({"data/rows": 5, "data/features": 2}, {"data/rows": 6}, "contradicted"),
        ({"privacy/epsilon": 6.0}, {"privacy/epsilon": 6.0 * (1 + 1e-10)}, "holds"),
        ({"privacy/epsilon": 6.0}, {"privacy/epsilon": 6.0 * (1 + 1e-8)}, "contradicted"),
        ({"privacy/epsilon": math.nan}, {"privacy/epsilon": math.nan}, "holds"),
        ({"privacy/epsilon": math.inf}, {"privacy/epsilon": 6.0}, "contradicted"),
        ({"data/class_counts": [3, 4]}, {"data/class_counts": [3, 4]}, "holds"),
        ({"data/class_counts": [3, 4]}, {"data/class_counts": [3, 5]}, "contradicted"),
        ({"privacy/mechanism": "Gaussian"}, {"privacy/mechanism": "Laplace"}, "contradicted"),
        ({"data/synthetic": False}, {"data/synthetic": False}, "holds"),
        ({"privacy/epsilon": "<= 6"}, {"privacy/epsilon": 3.0}, "holds"),
        ({"privacy/epsilon": "<= 6"}, {"privacy/epsilon": 5.9995}, "holds"),
        ({"privacy/epsilon": "≤ 6"}, {"privacy/epsilon": 6.0 * (1 + 1e-10)}, "holds"),
        ({"privacy/epsilon": "<= 6"}, {"privacy/epsilon": 6.0 * (1 + 1e-8)}, "contradicted"),
        ({"privacy/epsilon": "<=6"}, {"privacy/epsilon": math.inf}, "contradicted"),
        ({"privacy/epsilon": "<= 6"}, {"privacy/epsilon": math.nan}, "open"),
        ({"privacy/epsilon": "<= 6"}, {}, "open"),
        ({"privacy/epsilon": "< 6"}, {"privacy/epsilon": 6.0}, "contradicted"),
        ({"performance/test_acc_avg": ">= 0.8"}, {"performance/test_acc_avg": 0.8}, "holds"),
        ({"performance/test_acc_avg": "≥ .8"}, {"performance/test_acc_avg": 0.79}, "contradicted"),
        ({"participants/client_num": "> 9"}, {"participants/client_num": 10}, "holds"),
        ({"participants/client_num": "> 10"}, {"participants/client_num": 10}, "contradicted"),
        ({"privacy/mechanism": "<= 6"}, {"privacy/mechanism": "<= 6"}, "holds"),
    ],
)
def test_verdicts(claimed: dict[str, Any], known: dict[str, Any], expected: str) -> None:
    """One contradiction decides; else everything must be known; a tolerance of 1e-9 of the number."""
    assert verdict(Claim("owner", "x", facts=claimed), FactSheet(known)) == expected


@pytest.mark.parametrize(
    ("parts", "error", "message"),
    [
        ({"role": "client"}, ValueError, "a claim's role must be owner, data, aggregator, got 'client'"),
        ({"text": " "}, ValueError, "a claim's text must say something, got ''"),
        ({"text": 3}, TypeError, "a claim's text must be text, got 3"),
        ({"who": "x" * 5000}, ValueError, "a claim's who must have at most 4,096 characters, got 5,000"),
        ({"facts": [1]}, TypeError, r"a claim's facts must be a mapping, got \[1\]"),
        ({"facts": {"data/row": 1}}, KeyError, "there is no fact 'data/row'; did you mean 'data/rows'"),
        ({"facts": {"data/rows": "many"}}, TypeError, "data/rows must be a whole number, got 'many'"),
        ({"facts": {"data/rows": "<= many"}}, ValueError,
         "data/rows must be bounded by a finite number, as '<= 6', got '<= many'"),
        ({"facts": {"data/rows": "< 2.5"}}, TypeError, "data/rows must be a whole number, got 2.5"),
        ({"facts": {"performance/test_acc_avg": ">= 80"}}, ValueError, "must be between 0 and 1, got 80.0"),
        ({"facts": {"privacy/epsilon": "<= inf"}}, ValueError, "must be bounded by a finite number"),
    ],
)  # fmt: skip
def test_bad_claims_are_refused(parts: dict[str, Any], error: type[Exception], message: str) -> None:
    """The message names the part, the rule and what came."""
    with pytest.raises(error, match=message):
        Claim(**{"role": "owner", "text": "x", **parts})


def test_claims_travel_with_the_sheet(tmp_path: Path) -> None:
    """Through a file, a pickle and changed facts; other claims make another sheet."""
    back = FactSheet.load(FULL.save(tmp_path / "sheet.json"))
    assert back == FULL
    assert hash(back) == hash(FULL)
    assert back.claims == FULL.claims
    assert pickle.loads(pickle.dumps(FULL)) == FULL
    assert FULL.with_facts(data__rows=5).claims == FULL.claims
    assert FactSheet().with_claims(TEN).with_claims(TEN).claims == (TEN, TEN)
    assert FactSheet(FULL.values) != FULL
    with pytest.raises(TypeError, match="claims must be of class Claim, got 'x'"):
        FactSheet().with_claims("x")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        TEN.facts["data/rows"] = 1  # type: ignore[index]


def test_the_file_is_strict_json_with_a_version(tmp_path: Path) -> None:
    """No token that JSON does not know."""
    text = FULL.save(tmp_path / "sheet.json").read_text(encoding="utf-8")
    content = json.loads(text, parse_constant=lambda token: pytest.fail(f"{token} is no JSON"))
    assert content["format"] == f"trustkit-factsheet-{VERSION}"
    assert [claim["role"] for claim in content["claims"]] == ["data", "owner", "aggregator"]


def test_older_files_are_read(tmp_path: Path) -> None:
    """What the first version wrote: facts, no claims."""
    old = {"format": "trustkit-factsheet-1", "facts": {"data": {"rows": 5}, "privacy": {"epsilon": math.inf}}}
    path = jsonfile.write_text(tmp_path / "old.json", jsonfile.dumps(old))
    assert FactSheet.load(path) == FactSheet({"data/rows": 5, "privacy/epsilon": math.inf})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"format": "trustkit-factsheet-3"},
         "sheet.json is a fact sheet of version 3, but this trustkit reads up to 2"),
        ({"format": "trustkit-factsheet-99", "facts": 3}, "is a fact sheet of version 99, but this"),
        ({"format": "trustkit-factsheet-0"}, r"must be a trustkit fact sheet \(format trustkit-factsheet-2\)"),
        ({"format": "trustkit-factsheet-x"}, "must be a trustkit fact sheet"),
        ({"format": ["trustkit-factsheet-1"]}, "must be a trustkit fact sheet"),
        ([], "must be a trustkit fact sheet"),
        ({"format": "trustkit-factsheet-2", "facts": {"data": 3}, "claims": []}, "must hold facts by section and name"),
        ({"format": "trustkit-factsheet-2", "facts": {}}, "must hold a list of claims, got None"),
        ({"format": "trustkit-factsheet-2", "facts": {}, "claims": [3]}, r"must hold a list of claims, got \[3\]"),
        ({"format": "trustkit-factsheet-2", "facts": {}, "claims": [{"role": "owner"}]},
         "a claim in .*sheet.json must have role, text, who, when, facts, got role"),
    ],
)  # fmt: skip
def test_other_files_are_refused_in_one_sentence(content: object, message: str, tmp_path: Path) -> None:
    """A newer version by name, a damaged one by what is wrong."""
    path = jsonfile.write_text(tmp_path / "sheet.json", jsonfile.dumps(content))
    with pytest.raises(ValueError, match=message) as caught:
        FactSheet.load(path)
    assert re.search(r"sheet\.json", str(caught.value))
    assert "\n" not in str(caught.value)


def test_bounds_travel_as_text(tmp_path: Path) -> None:
    """In one form, through a file, and with every digit."""
    claim = Claim("aggregator", "x", facts={"privacy/epsilon": " ≤6.10 ", "participants/client_num": ">=3",
                                            "privacy/delta": "<1e-5"})  # fmt: skip
    assert dict(claim.facts) == {
        "privacy/epsilon": "<= 6.1", "participants/client_num": ">= 3", "privacy/delta": "< 1e-05",
    }  # fmt: skip
    back = FactSheet.load(FactSheet({}, (claim,)).save(tmp_path / "sheet.json"))
    assert back.claims == (claim,)
    assert "<= 6.1" in json.loads((tmp_path / "sheet.json").read_text(encoding="utf-8"))["claims"][0]["facts"].values()
    third = Claim("aggregator", "x", facts={"privacy/epsilon": f"<= {1 / 3!r}"})
    assert verdict(third, FactSheet({"privacy/epsilon": 1 / 3})) == "holds"
    assert pickle.loads(pickle.dumps(third)) == third


@pytest.mark.parametrize(("token", "word"), [("NaN", "nan"), ("Infinity", "inf"), ("-Infinity", "-inf")])
def test_tokens_that_json_does_not_know_are_refused(token: str, word: str, tmp_path: Path) -> None:
    """In a sheet of ours; the words for what JSON cannot say are named."""
    text = FactSheet({"privacy/epsilon": 1.0}).to_json().replace("1.0", token)
    assert token in text
    path = tmp_path / "sheet.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(
        ValueError, match=rf'sheet\.json must be strict JSON, which writes {{"\$float": "{word}"}}, got'
    ):
        FactSheet.load(path)
