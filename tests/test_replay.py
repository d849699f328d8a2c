"""A report can be played again: what holds, what does not, and what cannot be rebuilt."""

from __future__ import annotations

import math
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from trustkit import export, jsonfile, store
from trustkit.catalogue import use
from trustkit.commands.report import render
from trustkit.examination import examine
from trustkit.experiment import Experiment
from trustkit.facts import facts_of, log_of
from trustkit.records import Round, RunRecord, Stopped
from trustkit.replay import EXPERIMENT, FACTS, LOG, REPORT, RUN, replay
from trustkit.rounds import run
from trustkit.trust import PROFILES, Capped, FactSheet, assess
from trustkit.trust.chain import verify

SMALL = Experiment("breast_cancer", use("dirichlet", parties=4, alpha=1.0), use("fedavg", lr=0.02), "logistic",
                   use("gaussian", epsilon=6.0), rounds=2, participation=0.5, seed=3)  # fmt: skip
TOML = SMALL.to_toml()
REPORTS = (".html", ".json", ".md", ".csv")


def leave(folder: Path, experiment: Experiment, look_at: int | None = None, **stated: Any) -> FactSheet:
    """Play an experiment and write everything that a run leaves."""
    log = log_of(experiment, folder / LOG)
    record = run(experiment, observers=[log])
    facts = facts_of(record, look_at=look_at, log=log, **stated)
    facts.save(folder / FACTS)
    store.save(record, folder / RUN)
    list(render(folder, "paper", None, REPORTS))
    return facts


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run, to be copied."""
    folder = tmp_path_factory.mktemp("kept")
    leave(folder, SMALL, purpose="teaching", participants__organisations=["A", "B"])
    return folder


@pytest.fixture
def folder(kept: Path, tmp_path: Path) -> Path:
    """Return a copy of it."""
    return Path(shutil.copytree(kept, tmp_path / "run"))


def edit(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change a JSON file."""
    content = jsonfile.read(path)
    change(content)
    jsonfile.write_text(path, jsonfile.dumps(content))


def test_everything_holds(folder: Path) -> None:
    """On the machine that made it, with no tolerance at all: scores, facts, rounds, model and log."""
    found = replay(folder, relative=0, absolute=0)
    assert found.holds
    assert not found.changed
    assert found.experiment == SMALL
    names = {line.name for line in found.lines if line.state == "holds"}
    assert names >= {"trust", "privacy", "technique", "performance, raw", "performance, score", "privacy/epsilon",
                     "data/class_counts", "robustness/clever", "run, accuracy", "run, epsilon", "model, params",
                     "event log"}  # fmt: skip
    assert [line.name for line in found.lines if line.state == "machine"] == ["system/training_seconds"]
    assert found.summary.endswith("to 0 of a number or 0; not compared: 1 depend on the machine")
    assert found.frame().columns.tolist() == ["name", "was", "now", "state"]
    assert len(found.frame()) == len(found.lines)


def shift_trust(content: dict[str, Any]) -> None:
    content["score"] += 1e-5


def _metric(content: dict[str, Any]) -> None:
    line = next(line for line in content["metrics"] if line["metric"] == "performance")
    line["raw"] = line["score"] = 0.99


def _fact(content: dict[str, Any]) -> None:
    content["facts"]["performance"]["test_loss_avg"] *= 1 + 1e-5


def _epsilon(content: dict[str, Any]) -> None:
    content["facts"]["privacy"]["epsilon"] = 0.1


@pytest.mark.parametrize(
    ("file", "change", "names"),
    [
        (REPORT, shift_trust, {"trust"}),
        (REPORT, _metric, {"performance, raw", "performance, score"}),
        (FACTS, _fact, {"performance/test_loss_avg"}),
        (FACTS, _epsilon, {"privacy/epsilon"}),
    ],
)
def test_a_number_that_was_changed_does_not_hold(
    file: str, change: Callable[[dict[str, Any]], object], names: set[str], folder: Path
) -> None:
    """It is named, and nothing else is."""
    edit(folder / file, change)
    found = replay(folder)
    assert not found.holds
    assert {line.name for line in found.changed} == names
    if change in (shift_trust, _fact):
        assert replay(folder, relative=1e-3).holds


def test_a_run_or_a_log_that_was_changed_does_not_hold(folder: Path) -> None:
    """Neither a stored table, nor a chain."""
    record = store.load(folder / RUN)
    first, last = list(record)
    accuracy = first.accuracy.copy()
    accuracy[0] = 0.5 if accuracy[0] != 0.5 else 0.6
    altered = Round(1, None, type(first.seen)(**{**vars(first.seen), "accuracy": accuracy}), first.seconds)
    store.save(RunRecord(SMALL, [altered, last]), folder / RUN)
    log = folder / LOG
    log.write_text("".join(log.read_text(encoding="utf-8").splitlines(keepends=True)[:-1]), encoding="utf-8")
    changed = {line.name: line.now for line in replay(folder).changed}
    assert set(changed) == {"run, accuracy", "event log"}
    assert re.fullmatch(r"event 11: the log ends: 1 of 11 events are missing", changed["event log"])


def test_a_run_that_was_stopped_is_compared_as_far_as_it_went(folder: Path) -> None:
    """Its sheet says how many rounds were finished."""
    record = RunRecord(SMALL, list(run(SMALL))[:1])
    (folder / LOG).unlink()
    facts_of(record).save(folder / FACTS)
    store.save(record, folder / RUN)
    list(render(folder, "paper", None, REPORTS))
    found = replay(folder, relative=0, absolute=0)
    assert found.holds
    assert next(line.was for line in found.lines if line.name == "performance/rounds_played") == 1
    edit(folder / FACTS, lambda content: content["facts"]["performance"].update(rounds_played=2))
    assert not replay(folder).holds


def test_a_report_with_the_experiment_alone(folder: Path) -> None:
    """Facts are read from the report, with a stand-in for the stated organisations; the experiment may be inside."""
    for name in (FACTS, RUN, LOG):
        (folder / name).unlink()
    alone = replay(folder / REPORT)
    assert not alone.changed
    assert {"participants, raw", "project_specs, raw"} <= {line.name for line in alone.lines if line.state == "holds"}
    (folder / EXPERIMENT).unlink()
    with pytest.raises(ValueError, match=r"report\.json cannot be replayed: it names no experiment, and there is no"):
        replay(folder / REPORT)
    for inside in (SMALL.to_dict(), SMALL.to_toml()):
        edit(folder / REPORT, lambda content, inside=inside: content.update(experiment=inside))  # type: ignore[misc]
        assert replay(folder / REPORT).experiment == SMALL


def test_as_many_rows_are_looked_at_as_were(tmp_path: Path) -> None:
    """CLEVER depends on how many; the sheet says it."""
    facts = leave(tmp_path, SMALL, look_at=3)
    assert facts.get("robustness", "clever_rows") == 3
    assert replay(tmp_path, relative=0, absolute=0).holds


def test_weights_of_ones_own_are_found_in_the_report(folder: Path) -> None:
    """Every metric's share is; the summary says that they are not the profile's."""
    weights = {"privacy": 3.0, "entropy": 0.25, "performance": 4.0}
    assert "the weights" not in replay(folder).summary
    export.write(assess(FactSheet.load(folder / FACTS), weights=weights), folder / REPORT)
    found = replay(folder)
    assert found.holds
    assert found.weighted == "paper"
    assert found.summary.endswith("; the weights are not those of profile paper")


def test_profiles_of_ones_own_are_asked_for(folder: Path) -> None:
    """A report names its profile only."""
    edit(folder / REPORT, lambda content: content.update(profile="mine"))
    with pytest.raises(ValueError, match="cannot be replayed without its profile 'mine': give the file that defines"):
        replay(folder)
    mine = folder / "mine.toml"
    mine.write_text('name = "mine"\nbase = "paper"\n', encoding="utf-8")
    assert replay(folder, profile=mine).holds
    with pytest.raises(ValueError, match="was scored with profile 'mine', got profile 'paper'"):
        replay(folder, profile="paper")


def test_a_profile_of_ones_own_is_not_taken_for_a_built_in_one(folder: Path) -> None:
    """Its file is refused, and a report that it wrote under that name before does not hold."""
    mine = folder / "mine.toml"
    mine.write_text('name = "paper"\n[normalise.performance]\nkind = "capped"\nlimit = 2\n', encoding="utf-8")
    with pytest.raises(ValueError, match="name must not be a built-in profile's that scores in another way"):
        replay(folder, profile=mine)
    halved = replace(PROFILES["paper"], name="mine", normalisers={"performance": Capped(2)})
    export.write(assess(FactSheet.load(folder / FACTS), halved), folder / REPORT)
    edit(folder / REPORT, lambda content: content.update(profile="paper"))
    assert "performance, score" in {line.name for line in replay(folder).changed}


def test_profiles_in_another_layout(folder: Path) -> None:
    """They read a fact sheet through a view: with it they are replayed, without it not."""
    export.write(assess(FactSheet.load(folder / FACTS), "prototype-2022"), folder / REPORT)
    assert replay(folder).holds
    (folder / FACTS).unlink()
    with pytest.raises(ValueError, match=r"profile 'prototype-2022' needs the factsheet\.json beside it"):
        replay(folder)


IMPOSSIBLE = {
    "own data": (TOML.replace("breast_cancer", "hospital"), "rebuilt here: there is no data set 'hospital'"),
    "not TOML": ("data = [", "its experiment cannot be rebuilt here: "),
    "too many": (TOML.replace("parties = 4", "parties = 40000"), "cannot be rebuilt here: .*40000"),
    "missing file": ('data = {name = "csv", path = "gone.csv", target = "y"}\nsplit = "iid"\nmodel = "logistic"\n',
                     r"cannot be rebuilt here: .*gone\.csv"),
    "another": (SMALL.change(seed=4).to_toml(), "the files beside it are of experiments [0-9a-f]{8} and [0-9a-f]{8}"),
}  # fmt: skip


@pytest.mark.parametrize("why", IMPOSSIBLE)
def test_experiments_that_cannot_be_rebuilt(why: str, folder: Path) -> None:
    """One sentence that says why."""
    text, message = IMPOSSIBLE[why]
    (folder / EXPERIMENT).write_text(text, encoding="utf-8")
    if why != "another":
        (folder / FACTS).unlink()
        (folder / RUN).unlink()
        report = jsonfile.read(folder / REPORT)
        text = jsonfile.dumps({**report, "experiment": None})  # or it would not be that report's experiment
        (folder / REPORT).write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=rf"report\.json cannot be replayed.*{message}"):
        replay(folder)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"format": "other"}, r"report\.json must be a trust report in JSON"),
        ([], r"report\.json must be a trust report in JSON"),
        ({"format": "trustkit-report-1", "metrics": 3}, "must hold a list of metrics, got 3"),
        ({"format": "trustkit-report-1", "metrics": [{"metric": "entropy"}]}, "must hold a list of metrics, got "),
    ],
)
def test_other_files_are_refused(content: object, message: str, tmp_path: Path) -> None:
    """Before anything is played."""
    jsonfile.write_text(tmp_path / REPORT, jsonfile.dumps(content))
    with pytest.raises(ValueError, match=message):
        replay(tmp_path)
    with pytest.raises(FileNotFoundError):
        replay(tmp_path / "gone.json")
    with pytest.raises(ValueError, match="relative and absolute must be at least 0 and finite, got -1 and 0"):
        replay(tmp_path, relative=-1, absolute=0)
    with pytest.raises(ValueError, match="relative and absolute must be at least 0 and finite, got inf and 1e-09"):
        replay(tmp_path, relative=math.inf)


def test_what_an_examination_found_is_taken_again_if_wanted(folder: Path) -> None:
    """Else it is counted by itself, as nobody stated it; a number that somebody altered is found out."""
    record, sheet = store.load(folder / RUN), FactSheet.load(folder / FACTS)
    found = examine(record, measures=["membership", "poisoning"], share=0.4)
    sheet = sheet.with_facts(found, audit__testing="trustkit examine: membership, poisoning")
    sheet.save(folder / FACTS)
    export.write(assess(sheet, "calibrated"), folder / REPORT)
    plain, again = replay(folder), replay(folder, examined=True)
    many = sum(line.state == "examined" for line in plain.lines)
    assert plain.holds
    assert many == len(found)
    assert f"{many} were found by an examination" in plain.summary
    assert again.holds
    assert {"holds"} == {line.state for line in again.lines if line.name in found}
    altered = sheet.with_facts(privacy__membership_auc=0.9)
    altered.save(folder / FACTS)
    export.write(assess(altered, "calibrated"), folder / REPORT)
    assert replay(folder).holds
    changed = [line.name for line in replay(folder, examined=True).changed]
    assert {"privacy/membership_auc", "membership_inference, score"} <= set(changed)


def test_a_replay_can_be_stopped(folder: Path) -> None:
    """By an observer; the next one is whole."""

    def stop(played: Round) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        replay(folder, observers=[stop])
    assert replay(folder).holds


def test_the_log_of_a_run_is_in_its_sheet(kept: Path) -> None:
    """Head and length; ids are those of the sheet."""
    sheet = FactSheet.load(kept / FACTS)
    found = verify(kept / LOG, sheet.get("log", "head"), sheet.get("log", "events"))
    assert (found.sound, found.events) == (True, 1 + 5 * SMALL.rounds)
    text = (kept / LOG).read_text(encoding="utf-8")
    named = set(re.findall(r'"([0-9a-f]{16})"', text))
    assert named
    assert named <= set(sheet.get("participants", "ids"))
    assert f'"experiment": "{SMALL.key}"' in text
    assert '"epsilon": ' in text
