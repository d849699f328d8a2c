"""The commands report and replay: status, words, and the files they write."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.test_replay import REPORTS, SMALL, TOML, edit, leave, shift_trust
from trustkit import cli, jsonfile
from trustkit.replay import EXPERIMENT, FACTS, LOG, REPORT, RUN
from trustkit.trust import FactSheet

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Return a function that runs a command line: status, standard output and error."""

    def go(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["trustkit", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        said = capsys.readouterr()
        return int(ended.value.code or 0), said.out, said.err

    return go


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run."""
    folder = tmp_path_factory.mktemp("kept")
    leave(folder, SMALL, purpose="teaching")
    return folder


@pytest.fixture
def folder(kept: Path, tmp_path: Path) -> Path:
    """Return a copy of it."""
    return Path(shutil.copytree(kept, tmp_path / "run"))


def test_replay_on_the_command_line(folder: Path, call: Call) -> None:
    """Status 0 and one line if all holds; 1 and the numbers that do not; 2 and a sentence if it cannot be."""
    status, out, error = call("replay", folder, "--quiet")
    assert (status, error) == (0, "")
    assert re.fullmatch(r"\d+ of \d+ numbers hold, to 1e-06 of a number or 1e-09; not compared: .*\n", out)
    status, out, error = call("replay", folder / REPORT, "--all", "--quiet")
    assert re.search(r"^holds +trust +0\.\d+$", out, re.MULTILINE)
    edit(folder / REPORT, shift_trust)
    status, out, error = call("replay", folder, "--quiet")
    assert (status, error) == (1, "")
    assert re.match(r"changed +trust +0\.\d+ -> 0\.\d+\n", out)
    assert call("replay", folder, "--relative", "0.001", "--quiet")[0] == 0
    (folder / EXPERIMENT).write_text(TOML.replace("breast_cancer", "hospital"), encoding="utf-8")
    status, out, error = call("replay", folder, "--quiet")
    assert (status, out) == (2, "")
    assert re.fullmatch(r"trustkit: .*there is no data set 'hospital'.*\n", error)
    assert call("replay", folder / "gone.json")[0] == 2


def test_report_on_the_command_line(folder: Path, call: Call, tmp_path: Path) -> None:
    """Files anew from the stored run, stated facts and claims kept, the same numbers; the log is checked."""
    status, out, error = call("report", folder, "--out", tmp_path / "again")
    assert (status, error) == (0, "")
    assert "events.jsonl: 11 events, unbroken" in out
    assert out.endswith(f"written to {tmp_path / 'again'}\n")
    written = {path.name for path in (tmp_path / "again").iterdir()}
    assert written == {*(f"report{suffix}" for suffix in REPORTS), FACTS, EXPERIMENT, LOG, "modelcard.md"}
    for name in (REPORT, FACTS, EXPERIMENT, "modelcard.md"):
        assert (tmp_path / "again" / name).read_text() == (folder / name).read_text()
    status, out, _ = call("report", folder / RUN, "--profile", "paper-figures")
    assert status == 0
    assert jsonfile.read(folder / REPORT)["profile"] == "paper-figures"
    assert FactSheet.load(folder / FACTS).get("project", "purpose") == "teaching"
    assert call("replay", tmp_path / "again", "--quiet")[0] == 0


@pytest.mark.parametrize("damage", ["broken", "missing"])
def test_a_log_that_does_not_hold(folder: Path, call: Call, damage: str) -> None:
    """Status 1; every report says so; what the log would show is withheld, and is back when the log is."""
    log, shown = (folder / LOG).read_text(encoding="utf-8"), ("participants", "registry_complete")
    assert FactSheet.load(folder / FACTS).get(*shown) == 1
    if damage == "broken":
        (folder / LOG).write_text("{}\n", encoding="utf-8")
    else:
        (folder / LOG).unlink()
    words = {"broken": "BROKEN at event 1, the line is no event",
             "missing": "MISSING, though the fact sheet names it"}[damage]  # fmt: skip
    status, out, error = call("report", folder)
    assert (status, error) == (1, "")
    assert f"events.jsonl: {words}\n" in out
    for name in ("report.html", "report.json", "report.md", "modelcard.md"):
        assert f"The event log does not hold ({words})" in (folder / name).read_text(encoding="utf-8")
    sheet = FactSheet.load(folder / FACTS)
    assert shown not in sheet
    assert ("configuration", "co_versioning") not in sheet
    status, out, _ = call("replay", folder, "--quiet")
    assert status == 1
    now = {"broken": "event 1: the line is no event", "missing": "missing: there is no events.jsonl beside the report"}
    assert re.fullmatch(rf"changed   event log  unbroken -> {now[damage]}\n\n\d+ of \d+ numbers hold.*\n", out)
    (folder / LOG).write_text(log, encoding="utf-8")
    assert call("report", folder)[0] == 0
    assert FactSheet.load(folder / FACTS).get(*shown) == 1
    assert "does not hold" not in (folder / "report.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", ["report", "examine"])
def test_a_file_that_is_no_run_is_named_and_nothing_is_advised(folder: Path, call: Call, command: str) -> None:
    """A fact sheet in its place, and a run of which the middle is gone: one sentence, and no word of pickle."""
    status, out, error = call(command, folder / FACTS)
    assert (status, out) == (2, "")
    assert error.endswith("must be a trustkit run (format trustkit-run-1), got: a file that is no .npz archive\n")
    whole = (folder / RUN).read_bytes()
    (folder / RUN).write_bytes(whole[: len(whole) // 2])
    status, out, error = call(command, folder)
    assert (status, out) == (2, "")
    assert error.endswith("run.npz must be a trustkit run (format trustkit-run-1), got: a damaged file\n")


def test_report_refuses_what_is_no_run(folder: Path, call: Call, tmp_path: Path) -> None:
    """In one line, and nothing is written."""
    (tmp_path / "empty").mkdir()
    assert call("report", tmp_path / "empty")[0] == 2
    before = (folder / REPORT).read_text()
    assert re.search("there is no profile 'nosuch'", call("report", folder, "--profile", "nosuch")[2])
    edit(folder / FACTS, lambda content: content["facts"]["project"].update(experiment="f" * 64))
    status, _, error = call("report", folder)
    assert status == 2
    assert re.search(r"must hold one run, got a fact sheet of ffffffff beside a run of [0-9a-f]{8}", error)
    assert (folder / REPORT).read_text() == before
