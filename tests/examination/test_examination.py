"""An examination as a whole: what it takes, leaves out and refuses, how it is told and stopped, and the commands."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.test_replay import REPORTS, leave
from trustkit import store
from trustkit.catalogue import use
from trustkit.commands.report import look_into, render
from trustkit.examination import MEASURES, Examination, examine
from trustkit.examination.covered import coverage_share
from trustkit.experiment import Experiment
from trustkit.records import Round, RunRecord, Stopped
from trustkit.replay import FACTS, LOG, RUN
from trustkit.rounds import run
from trustkit.trust import FactSheet
from trustkit.trust.fields import EXAMINED

ROWS = Experiment("breast_cancer", use("dirichlet", parties=4, alpha=1.0), use("fedavg", lr=0.05), "logistic",
                  rounds=3, participation=0.5, seed=3)  # fmt: skip
COLUMNS = Experiment("breast_cancer", use("importance", parties=3), use("splitnn", local=[4], top=[4]), rounds=1)
TRAINED = ("data_quality", "contributions", "aggregation", "poisoning", "replacement")


@pytest.fixture(scope="module")
def record() -> RunRecord:
    """Return a run over rows."""
    return run(ROWS)


@pytest.fixture(scope="module")
def found(record: RunRecord) -> Examination:
    """Return its examination."""
    return examine(record, coverage=0.75)


def test_a_measure_is_one_function_and_says_what_it_does() -> None:
    """Every line of the table has a sentence, a cost and an axis."""
    assert len(MEASURES) == 13
    for name, each in MEASURES.items():
        assert each.name == name
        assert each.about.endswith(".")
        assert each.cost in ("counts", "predictions", "gradients", "trainings")
        assert set(each.axes) <= {"rows", "columns"}
    assert {name for name, each in MEASURES.items() if each.cost == "trainings"} == set(TRAINED)


def test_facts_fit_the_sheet(found: Examination) -> None:
    """All are of the template and marked there as examined; an examination is a mapping that a sheet takes."""
    assert set(found) <= EXAMINED
    assert len(found) == len(dict(found))
    sheet = FactSheet().with_facts(found)
    assert len(sheet) == len(found)
    assert sheet.get("robustness", "test_coverage") == 0.75
    assert repr(found) == f"Examination({len(found)} facts by 9 measures, 4 skipped)"
    assert found.skipped == {
        "aggregation": "the run is by FedAvg itself",
        "anonymity": "no column has few values; name the quasi-identifiers",
        "discrimination": "the data name no protected attribute",
        "exposure": "not for rows",
    }
    assert set(found.seconds) == set(MEASURES) - set(found.skipped)
    assert all(seconds >= 0 for seconds in found.seconds.values())


def test_the_same_again(record: RunRecord, found: Examination) -> None:
    """A pure function of record and seed, which leaves the record as it was; other measures do not matter."""
    before = np.array(record.last.state["params"])
    again = examine(record, measures=["replacement", "leakage"])
    assert np.array_equal(before, record.last.state["params"])
    assert again.facts == {path: found[path] for path in again}
    assert list(again.seconds) == ["leakage", "replacement"]  # in the order of the table
    other = examine(record, measures=["leakage"], seed=1)
    assert other["privacy/leakage_estimate"] != found["privacy/leakage_estimate"]


def test_a_stored_run_is_examined_alike(record: RunRecord, found: Examination, tmp_path: Path) -> None:
    """Without the states between, which it has lost, everything is played again: the same numbers."""
    loaded = store.load(store.save(record, tmp_path / "run.npz"))
    again = examine(loaded, coverage=0.75)
    assert set(again) == set(found)
    for path, value in found.items():
        assert np.array_equal(again[path], value), path


def test_columns_take_what_makes_sense() -> None:
    """Exposure, gradients, membership and surrogate; the rest says why not."""
    got = examine(run(COLUMNS))
    assert set(got.seconds) == {"exposure", "membership", "gradient_attacks", "surrogate"}
    assert {name for name, why in got.skipped.items() if why == "not for columns"} == {*TRAINED, "leakage", "anonymity"}
    assert 0 <= got["explainability/surrogate_fidelity"] <= 1


def test_an_attacked_run_is_compared_with_a_clean_one(record: RunRecord) -> None:
    """What is kept under attack is a property of the algorithm: the run's own attack is taken off first."""
    attacked = run(ROWS.change(attack=use("sign_flip", share=0.5, scale=5.0)))
    assert not np.allclose(attacked.accuracy, record.accuracy)
    for names in (["poisoning"], ["replacement"]):
        clean = examine(record, measures=names)
        assert examine(attacked, measures=names).facts == clean.facts


def test_faults_and_secure_sums_are_no_hindrance() -> None:
    """Clients that leave deliver nothing; sums of masked words are sums."""
    for change in ({"faults": use("dropout", chance=0.5)}, {"secure": True, "participation": 1.0}):
        got = examine(run(ROWS.change(rounds=4, **change)), measures=TRAINED)
        assert set(got.seconds) | set(got.skipped) == set(TRAINED)
        assert {"robustness/label_flip", "robustness/replacement_global", "robustness/data_quality"} <= set(got)


def test_progress_rises_and_stops(record: RunRecord) -> None:
    """From 0 to 1, naming the measure; what it raises comes out at once."""
    told: list[tuple[str, float]] = []
    examine(record, progress=lambda name, done: told.append((name, done)))
    assert [name for name, _ in told if name not in MEASURES] == []
    fractions = [done for _, done in told]
    assert fractions == sorted(fractions)
    assert (fractions[0], fractions[-1]) == (0.0, 1.0)

    def stop(name: str, done: float) -> None:
        if name == "poisoning" and done > 0.6:
            raise Stopped

    with pytest.raises(Stopped):
        examine(record, progress=stop)


REFUSED = [
    ({"measures": ["membershp"]}, KeyError, "there is no measure 'membershp'; did you mean 'membership'? known are"),
    ({"measures": "poisoning"}, TypeError, "measures must be a list of names, got 'poisoning'"),
    ({"rows": 0}, ValueError, "rows must be at least 1, got 0"),
    ({"share": 1.5}, ValueError, "share must be above 0 and at most 1, got 1.5"),
    ({"radius": -1.0}, ValueError, "radius must be at least 0 and finite, got -1.0"),
    ({"quasi": "age"}, TypeError, "quasi must be a list of columns, got 'age'"),
    ({"quasi": ["age"]}, KeyError, "breast_cancer has no column 'age'; known are mean radius"),
    ({"coverage": 2}, ValueError, "coverage must be between 0 and 1, got 2"),
    ({"coverage": True}, TypeError, "coverage must be a share or the path of a report, got True"),
]


@pytest.mark.parametrize(("given", "kind", "words"), REFUSED)
def test_bad_input_is_refused_before_any_work(
    given: dict[str, Any], kind: type[Exception], words: str, record: RunRecord
) -> None:
    """With a sentence; nothing is told of any progress."""
    told: list[float] = []
    with pytest.raises(kind, match=re.escape(words)):
        examine(record, progress=lambda _, done: told.append(done), **given)
    assert told == []


def test_a_run_without_its_model_is_refused(record: RunRecord) -> None:
    """A table alone cannot be examined."""
    bare = RunRecord(ROWS, [Round(1, None, record.last.seen, 0.0)])
    with pytest.raises(ValueError, match="the last round of a run must have its state, got round 1 without"):
        examine(bare)


REPORT = (
    '<?xml version="1.0" ?><!DOCTYPE coverage SYSTEM "cov.dtd">'
    '<coverage {}><packages><class line-rate="0"/></packages></coverage>'
)


@pytest.mark.parametrize(
    ("attributes", "share"),
    [
        ('lines-covered="30" lines-valid="40" line-rate="0.1"', 0.75),
        ('line-rate="0.5"', 0.5),
        ('lines-covered="0" lines-valid="0" line-rate="1"', 1.0),
    ],
)
def test_coverage_is_read_from_a_report(attributes: str, share: float, tmp_path: Path) -> None:
    """Lines covered by lines valid, else the rate that is stated."""
    file = tmp_path / "coverage.xml"
    file.write_text(REPORT.format(attributes), encoding="utf-8")
    assert coverage_share(file) == coverage_share(str(file)) == share


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<coverage", "must be a coverage report in XML, got: unclosed token"),
        ('<report line-rate="1"/>', "must be a Cobertura report with the lines covered, got <report>"),
        ("<coverage/>", "must be a Cobertura report with the lines covered, got <coverage>"),
        ('<coverage line-rate="many"/>', "must be a Cobertura report with the lines covered, got <coverage>"),
        ('<coverage line-rate="1.5"/>', "must state a coverage between 0 and 1, got 1.5"),
        (
            '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><coverage line-rate="1">&b;</coverage>',
            "must be a coverage report without entities",
        ),
        (
            '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]><coverage line-rate="1">&a;</coverage>',
            "must be a coverage report without entities",
        ),
    ],
)
def test_what_is_no_report_is_refused(text: str, words: str, tmp_path: Path) -> None:
    """Malformed, another format, a share out of range, entities that would swell or read other files."""
    file = tmp_path / "coverage.xml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=re.escape(words)):
        coverage_share(file)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run."""
    folder = tmp_path_factory.mktemp("kept")
    leave(folder, ROWS, purpose="teaching")
    return folder


def test_the_command_examine(kept: Path, tmp_path: Path) -> None:
    """Facts, seconds, remarks, reasons; the sheet that is written has what was known and what was found."""
    (tmp_path / "c.xml").write_text('<coverage line-rate="0.5"/>', encoding="utf-8")
    out = tmp_path / "facts.json"
    asked = ["membership", "coverage", "discrimination"]
    lines, sound = look_into(kept, asked, out, coverage=str(tmp_path / "c.xml"))
    assert sound
    assert any(re.fullmatch(r"\nevents\.jsonl: \d+ events, unbroken", line) for line in lines)
    assert any(re.fullmatch(r"privacy/membership_auc +0\.\d{1,4}", line) for line in lines)
    assert any(re.fullmatch(r"membership \(\d\.\d\d s\): the attack shows ε ≥ .*", line) for line in lines)
    assert "discrimination skipped: the data name no protected attribute" in lines
    assert lines[-1] == f"\nwritten to {out}"
    sheet = FactSheet.load(out)
    assert sheet.get("project", "purpose") == "teaching"
    assert sheet.get("robustness", "test_coverage") == 0.5
    assert sheet.get("privacy", "membership_auc") is not None
    assert look_into(kept / RUN, ["coverage"], None, coverage="0.9")[0][0] == "robustness/test_coverage  0.9"
    with pytest.raises(KeyError, match="there is no measure 'all'"):
        look_into(kept, ["all"], None)


@pytest.mark.parametrize("damage", ["broken", "missing"])
def test_the_command_examine_checks_the_log(damage: str, tmp_path: Path) -> None:
    """As report does: it is said, and the sheet that is written leaves out what the log would show."""
    leave(tmp_path, ROWS)
    log, shown = tmp_path / LOG, ("participants", "registry_complete")
    whole = log.read_bytes()
    log.unlink() if damage == "missing" else log.write_bytes(whole.replace(b'"round": 2', b'"round": 3', 1))
    out = tmp_path / "examined.json"
    lines, sound = look_into(tmp_path, ["membership"], out)
    assert not sound
    said = "MISSING, though the fact sheet names it" if damage == "missing" else "BROKEN at event "
    assert any(line.startswith(f"\n{LOG}: {said}") for line in lines)
    assert shown not in FactSheet.load(out)
    assert FactSheet.load(out).get("privacy", "membership_auc") is not None
    log.write_bytes(whole)
    assert look_into(tmp_path, ["membership"], out)[1]
    assert FactSheet.load(out).get(*shown) == 1


def test_the_command_report_with_an_examination(kept: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The fact sheet has the examined facts besides all others; a later report without it keeps them."""
    lines, _ = render(kept, "calibrated", tmp_path, REPORTS, examined=True, progress=True)
    assert lines[-1] == f"\nwritten to {tmp_path}"
    assert "coverage: 100%" in capsys.readouterr().err
    plain, full = FactSheet.load(kept / FACTS), FactSheet.load(tmp_path / FACTS)
    assert full.get("robustness", "pgd") is not None
    assert {path for path in full.values if path not in plain.values} <= EXAMINED | {"audit/testing"}
    store.save(store.load(kept / RUN), tmp_path / RUN)
    list(render(tmp_path, "calibrated", None, REPORTS))
    assert FactSheet.load(tmp_path / FACTS).get("robustness", "pgd") == full.get("robustness", "pgd")


def test_an_unknown_profile_is_refused_before_the_examination(kept: Path, tmp_path: Path) -> None:
    """Nothing is written."""
    with pytest.raises(KeyError, match="nobody"):
        list(render(kept, "nobody", tmp_path / "new", REPORTS, examined=True))
    assert not (tmp_path / "new").exists()
