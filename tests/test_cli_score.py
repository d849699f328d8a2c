"""``trustkit score`` as a gate: targets, weights, profiles and layouts; status 1 for a miss, 2 for bad input."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.trust.test_trust_imports import scope
from trustkit import cli, jsonfile
from trustkit.trust import FactSheet, assess
from trustkit.trust.federatedscope import read_federatedscope
from trustkit.trust.targets import Gap, Miss, measured, missed

Call = Callable[..., tuple[int, str, str]]
FACTS = FactSheet({
    "participants/client_num": 100, "performance/test_acc_avg": 0.8, "privacy/differential_privacy": False,
    "privacy/client_entropy": 0.9,
})  # fmt: skip
GOLDEN = Path(__file__).parent / "golden" / "federatedtrust.json"


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Call:
    """Return a function that runs ``trustkit score`` beside a fact sheet: status, standard output and error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    FACTS.save(tmp_path / "facts.json")

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["trustkit", "score", *words])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        assert isinstance(ended.value.code, int)
        said = capsys.readouterr()
        return ended.value.code, said.out, said.err

    return run


def test_targets_that_are_reached(call: Call) -> None:
    """Status 0 and nothing but the table; a target is reached when it is met exactly."""
    score = assess(FACTS).score
    status, out, error = call("facts.json", "--fail-under", repr(score), "--target", "performance=0.8,privacy=0.3")
    assert (status, error) == (0, "")
    assert out.rstrip("\n") == assess(FACTS).to_text()


def test_targets_that_are_missed(call: Call, tmp_path: Path) -> None:
    """Status 1; each is named with both numbers, after the table; what has no score misses; reports are written."""
    status, out, error = call("facts.json", "--fail-under", "0.99", "--target", "performance=0.9", "--target",
                              "fairness=0.1", "--target", "algorithm_robustness=0.8", "--out", "r.json")  # fmt: skip
    assert (status, error) == (1, "")
    report = assess(FACTS)
    assert out.startswith(report.to_text())
    assert out.rstrip("\n").split("\n")[-3:] == [
        "missed: performance scores 0.8, and must reach 0.9",
        "missed: fairness has no score, and must reach 0.1",
        f"missed: trust scores {report.score:.4g}, and must reach 0.99",
    ]
    assert jsonfile.read(tmp_path / "r.json")["score"] == report.score


def test_targets_from_a_file(call: Call, tmp_path: Path) -> None:
    """A line each; those of the command line replace them."""
    (tmp_path / "targets.toml").write_text("trust = 0.9\nperformance = 0.7\n", encoding="utf-8")
    status, out, _ = call("facts.json", "--targets", "targets.toml")
    assert status == 1
    assert out.count("missed: ") == 1
    assert call("facts.json", "--targets", "targets.toml", "--fail-under", "0.1")[0] == 0


def test_weights_and_profiles(call: Call, tmp_path: Path) -> None:
    """As in Python: given weights, a named profile, a file of one's own."""
    status, out, _ = call("facts.json", "--weights", "privacy=3,robustness=2", "--weights", "accountability=0")
    expected = assess(FACTS, weights={"privacy": 3, "robustness": 2, "accountability": 0})
    assert (status, out.rstrip("\n")) == (0, expected.to_text())
    assert re.search(r"^Privacy +0\.30 +60\.0% of trust$", out, re.MULTILINE)  # (0 + .9 + 0)/3, and 3 of 3 + 2
    (tmp_path / "mine.toml").write_text('base = "calibrated"\n[weights]\nprivacy = 0\n', encoding="utf-8")
    for profile in ("calibrated", "nebula-1.0", "mine.toml"):
        status, out, _ = call("facts.json", "--profile", profile, "--out", "r.html")
        assert (status, out.split("\n\nwritten to")[0]) == (0, assess(FACTS, profile).to_text())
        assert "Trust report" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_the_authors_own_file(call: Call, tmp_path: Path) -> None:
    """NaN tokens and all: the prototype's profile gives its stored score, ours reads what has a place there."""
    run = jsonfile.read(GOLDEN)["runs"][0]
    sheet = {section: {name: float("nan") if value is None else value for name, value in named.items()}
             for section, named in run["factsheet"].items()}  # fmt: skip
    (tmp_path / "theirs.json").write_text(json.dumps(sheet), encoding="utf-8")
    assert "NaN" in (tmp_path / "theirs.json").read_text(encoding="utf-8")
    status, out, error = call("theirs.json", "--profile", "prototype-2022", "--fail-under", "0.56", "--out", "r.json")
    assert (status, error) == (0, "")
    assert jsonfile.read(tmp_path / "r.json")["score"] == run["expected"]["trust"] == 0.56
    assert re.search(r"^trust +0\.56$", out, re.MULTILINE)
    status, out, error = call("theirs.json")
    assert (status, error) == (0, "")
    assert re.search(r"Performance +0\.24 ", out)


def test_a_least_share_of_evidence(call: Call) -> None:
    """Four facts measure little: the gate says how much, by weight; a share that is reached says nothing."""
    share = measured(assess(FACTS))
    assert 0 < share < 0.5
    status, out, _ = call("facts.json", "--least-measured", "0.5")
    assert status == 1
    assert out.rstrip("\n").split("\n")[-1] == f"missed: {Gap(0.5, share)}"
    assert call("facts.json", "--least-measured", str(share))[0] == 0


def test_a_federatedscope_run(call: Call, tmp_path: Path) -> None:
    """Its folder is scored as a fact sheet is: the table, the targets, the report."""
    folder = scope(tmp_path)
    status, out, error = call(str(folder), "--target", "performance=0.99", "--out", "r.json")
    report = assess(read_federatedscope(folder))
    assert (status, error) == (1, "")
    assert out.startswith(report.to_text())
    assert "missed: performance scores " in out
    assert jsonfile.read(tmp_path / "r.json")["score"] == report.score
    prototype = call(str(folder), "--profile", "prototype-2022")
    assert (prototype[0], prototype[2]) == (0, "")


REFUSED = {
    "facts.json --target privacy": "--target must be id=number, as privacy=0.5, got 'privacy'",
    "facts.json --target privacy=high": "--target must be id=number, as privacy=0.5, got 'privacy=high'",
    "facts.json --target =0.5": "--target must be id=number, as privacy=0.5, got '=0.5'",
    "facts.json --target privcy=0.5": "no pillar, notion or metric 'privcy'; did you mean 'privacy'",
    "facts.json --target privacy=1.5": "the target of privacy must be between 0 and 1, got 1.5",
    "facts.json --fail-under 2": "the target of trust must be between 0 and 1, got 2.0",
    "facts.json --fail-under nan": "the target of trust must be between 0 and 1, got nan",
    "facts.json --weights privacy=-1": "the weight of privacy must be at least 0 and finite, got -1.0",
    "facts.json --weights privacy": "--weights must be id=number, as privacy=0.5, got 'privacy'",
    "facts.json --profile nice": "there is no profile 'nice'; known are paper, paper-figures, prototype-2022, ",
    "facts.json --profile none.toml": r"there is no file none\.toml$",
    "facts.json --least-measured 1.5": "the least share of measured rows must be between 0 and 1, got 1.5",
    "facts.json --profile wrong.toml": r"wrong\.toml must be a profile in TOML, got: a profile has no part 'trust'",
    "facts.json --targets none.toml": r"there is no file none\.toml$",
    "facts.json --targets words.toml": r"words\.toml must hold a number for each id, got privacy = 'high'",
    "facts.json --targets broken.toml": r"broken\.toml must be targets in TOML, got: ",
    "facts.json --targets wrong.toml --out r.pdf": r"out must be a \.html, \.json, \.md, \.csv file, got r\.pdf",
}


@pytest.mark.parametrize("words", REFUSED)
def test_bad_input_has_status_2(words: str, call: Call, tmp_path: Path) -> None:
    """One line that names the thing, nothing printed, nothing written."""
    for name, text in {"wrong.toml": "trust = 0.5", "words.toml": 'privacy = "high"', "broken.toml": "["}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    before = set(tmp_path.rglob("*"))
    status, out, error = call(*words.split())
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert re.search(REFUSED[words], error), error
    assert set(tmp_path.rglob("*")) == before


def test_a_score_that_is_not_defined_reaches_nothing() -> None:
    """The prototype's unknown family makes trust NaN."""
    report = assess(FactSheet({"configuration/training_model": "trees"}), "prototype-2022")
    (miss,) = missed(report, {"trust": 0.0})
    assert isinstance(miss, Miss)
    assert str(miss) == "trust has no score, and must reach 0"
