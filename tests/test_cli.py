"""The command line: status 0 on success, 2 and one line for what a person got wrong, and files that can be read."""

from __future__ import annotations

import csv
import re
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from trustkit import cli, doctor, jsonfile, store
from trustkit.catalogue import DATASETS
from trustkit.datasets import names
from trustkit.experiment import Experiment
from trustkit.partition import Partition
from trustkit.preset import PRESETS
from trustkit.rounds import partition_of
from trustkit.trust import FactSheet, assess

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Call:
    """Return a function that runs a command line in an empty folder: status, standard output and error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["trustkit", *words])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        assert isinstance(ended.value.code, int)
        said = capsys.readouterr()
        return ended.value.code, said.out, said.err

    return run


def table(rows: int = 40) -> str:
    """Return a small CSV table."""
    return "\n".join(["age,score,paid", *(f"{20 + i},{i * i % 7},{'yes' if i % 3 else 'no'}" for i in range(rows))])


FILES = {
    "own.csv": table(),
    "broken.toml": "data = 'wine'\n[split",
    "list.toml": "x = 1\n",
    "wrong.toml": 'data = "wine"\nsplit = "iid"\nmodel = "mlp"\nrounds = "many"\n',
    "unknown.toml": 'data = "wein"\nsplit = "iid"\nmodel = "mlp"\n',
    "typed.toml": 'data = 3\nsplit = "iid"\n',
    "other.json": "{}",
    "damaged.json": "{",
    "future.json": '{"format": "trustkit-factsheet-1", "facts": {"data": {"colour": "red"}}}',
    "file": "in the way",
}

REFUSED = {
    "run nowhere": "there is no preset 'nowhere'; known are start, ",
    "run": "Missing argument",
    "run start --rounds 0": "'--rounds'.*(greater than or equal to 1|range x>=1)",
    "run start --rounds two": "'--rounds'.*integer",
    "run start --seed x": "'--seed'.*integer",
    "run start --out file": "'--out'.*is a file",
    "run missing.toml": r"trustkit: there is no file missing\.toml$",
    "run folder.toml": r"folder\.toml: Is a directory",
    "run broken.toml": r"broken\.toml must be an experiment in TOML, got: Expected ']'",
    "run binary.toml": r"binary\.toml must be an experiment in TOML, got: ",
    "run list.toml": r"list\.toml must be an experiment in TOML, got: an experiment has no part 'x'; it has data, ",
    "run wrong.toml": r"wrong\.toml .* rounds must be a whole number, got 'many'",
    "run unknown.toml": r"unknown\.toml .*there is no data set 'wein'; did you mean 'wine'\?",
    "run typed.toml": r"typed\.toml .* must be a name or a use, got 3",
    "score": "Missing argument",
    "score missing.json": r"trustkit: there is no file missing\.json$",
    "score folder.toml": r"trustkit: there is no file folder\.toml.config\.yaml$",
    "report missing": "trustkit: there is no file missing$",
    "report folder.toml": r"trustkit: there is no file folder\.toml.run\.npz$",
    "replay missing.json": r"trustkit: there is no file missing\.json$",
    "examine missing": "trustkit: there is no file missing$",
    "score other.json": r"other\.json must be a trustkit fact sheet",
    "score damaged.json": r"damaged\.json must be a JSON file",
    "score future.json": "there is no fact 'data/colour'",
    "split letter importance --set parties": "--set takes name=value, got 'parties'",
    "split letter importance --set =4": "importance has no parameter ''",
    "split letter importance --set alpha=much": "importance: alpha must be .*'much'",
    "split letter importance --set parties=17": "parties must be between 2 and the 16 columns, got 17",
    "split letter correlation --set parties=40": "parties must be between 2 and the 16 columns, got 40",
    "split letter dirichlte": "there is no split 'dirichlte'; did you mean 'dirichlet'",
    "split lettre iid": "there is no data set 'lettre'; did you mean 'letter'",
    "split missing.csv iid --target paid": r"there is no file 'missing\.csv'$",
    "split own.csv iid": "target must be a column's name or index, got ''; known are age, score, paid",
    "split own.csv iid --target pay": "'pay'",
    "split own.csv iid --target paid --out split.pkl": r"out must be .* a \.json or \.csv file, got split\.pkl",
    "split own.csv iid --target paid --out file/split.json": "file",
    "split": "Missing argument",
    "lab file": "file: File exists",
    "app --theme blue --port 0 --no-browser": "theme must be light or dark, got 'blue'",
    "app --port 70000": "'--port'.*(less than or equal to 65535|x<=65535)",
    "frobnicate": "No such command 'frobnicate'",
    "--frobnicate": "No such option",
}


@pytest.mark.parametrize("words", REFUSED)
def test_bad_input_is_refused_in_one_line(words: str, call: Call, tmp_path: Path) -> None:
    """Status 2, one line on standard error that names the thing, no traceback, nothing trained, nothing written."""
    for name, content in FILES.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "folder.toml").mkdir()
    before = set(tmp_path.rglob("*"))
    status, out, error = call(*words.split())
    assert status == 2
    assert error.startswith("trustkit: ")
    assert error.count("\n") == 1
    assert error.endswith("\n")
    assert re.search(REFUSED[words], error), error
    assert "Traceback" not in out + error
    assert set(tmp_path.rglob("*")) == before


def test_the_line_stays_one_line(call: Call) -> None:
    """Whatever a person typed."""
    assert call("run", "two\nlines.toml") == (2, "", "trustkit: there is no file two lines.toml\n")


def test_a_taken_port_is_refused(call: Call) -> None:
    """Of the app and of Lab, before any server starts."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = str(listener.getsockname()[1])
        for words in (["app", "--no-browser"], ["lab", "own"]):
            status, _, error = call(*words, "--port", port)
            assert (status, error.count("\n")) == (2, 1)
            assert f"port must be free on 127.0.0.1, got {port}" in error


def test_a_real_process_behaves_the_same(tmp_path: Path) -> None:
    """``python -m trustkit``: help on no words, 0 on success, 2 and one line on an unknown name, from any folder."""

    def python(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "trustkit", *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)

    bare, fine, bad = python(), python("presets"), python("run", "strat")
    assert bare.returncode == fine.returncode == 0
    assert "Usage" in bare.stdout
    assert bad.returncode == 2
    assert bad.stdout == ""
    assert bad.stderr.startswith("trustkit: there is no preset 'strat'; known are start, ")
    assert bad.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


COMMANDS = [
    "", "app", "lab", "run", "score", "report", "examine", "replay", "audit", "split", "pareto", "snapshot", "sweep",
    "bench", "data", "presets", "doctor",
]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str, call: Call) -> None:
    """Which says what it does and what it takes."""
    status, out, error = call(*command.split(), "--help")
    assert (status, error) == (0, "")
    assert f"trustkit {command}".strip() in out


def printed_score(out: str) -> str:
    """Return the score of the printed table."""
    found = re.search(r"^trust +([\d.]+)$", out, re.MULTILINE)
    assert found, out
    return found[1]


def test_a_run_writes_files_that_can_be_read(call: Call, tmp_path: Path) -> None:
    """Four reports with one score, model card, event log, sheet, experiment and run; the sheet gives the same table."""
    status, out, error = call("run", "start", "--rounds", "2", "--quiet", "--out", "runs")
    assert (status, error) == (0, "")
    folder = tmp_path / out.rsplit("written to ", 1)[1].strip()
    assert folder.parent.name == "runs"
    assert folder.name.startswith("start-")
    assert sorted(file.name for file in folder.iterdir()) == [
        "events.jsonl", "experiment.toml", "factsheet.json", "modelcard.md",
        "report.csv", "report.html", "report.json", "report.md", "run.npz",
    ]  # fmt: skip
    experiment = Experiment.from_toml((folder / "experiment.toml").read_text(encoding="utf-8"))
    assert experiment == PRESETS["start"].make().change(rounds=2)
    assert folder.name.endswith(experiment.key[:8])
    record = store.load(folder / "run.npz")
    assert (record.experiment, len(record), record.complete) == (experiment, 2, True)
    report = assess(FactSheet.load(folder / "factsheet.json"))
    content = jsonfile.read(folder / "report.json")
    assert content["score"] == report.score
    assert f"{content['score']:.2f}" == printed_score(out)
    lines = list(csv.DictReader((folder / "report.csv").open(encoding="utf-8", newline="")))
    assert float(lines[0]["score"]) == content["score"]
    assert (folder / "report.md").read_text(encoding="utf-8") == report.to_markdown()
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert page.lower().startswith("<!doctype html>")
    assert printed_score(out) in page
    status, again, error = call("score", str(folder / "factsheet.json"))
    assert (status, error) == (0, "")
    assert again.rstrip("\n") == out.split("\n\nwritten to")[0]
    status, other, _ = call("score", str(folder / "factsheet.json"), "--profile", "paper-figures", "--out", "r.html")
    assert status == 0
    assert printed_score(other) != printed_score(again)
    assert (tmp_path / "r.html").exists()


def test_a_run_can_start_from_its_own_file(call: Call, tmp_path: Path) -> None:
    """``experiment.toml`` gives the same run; another seed gives another, beside it."""
    (tmp_path / "mine.toml").write_text(PRESETS["start/private"].make().change(rounds=1).to_toml(), encoding="utf-8")
    outs = [call("run", "mine.toml", "--quiet", *more)[1] for more in ((), (), ("--seed", "7"))]
    assert outs[0] == outs[1] != outs[2]
    assert len(list((tmp_path / "trustkit-runs").iterdir())) == 2
    seeds = [Experiment.from_toml(file.read_text(encoding="utf-8")).seed for file in tmp_path.rglob("experiment.toml")]
    assert sorted(seeds) == [7, 42]


def test_a_progress_bar_is_shown_unless_quiet(call: Call) -> None:
    """On standard error, so that standard output stays the table."""
    _, out, error = call("run", "start", "--rounds", "1")
    assert "1/1" in error
    assert "1/1" not in out


def test_a_scaled_down_preset_says_so_once(call: Call, tmp_path: Path) -> None:
    """In what is printed, in every report, and with other rounds and another seed too."""
    status, out, _ = call("run", "paper/experiment-4", "--rounds", "1", "--seed", "5", "--quiet")
    assert status == 0
    assert out.lower().count("scaled down") == 1
    assert "synthetic" in out
    for file in tmp_path.rglob("report.*"):
        text = file.read_text(encoding="utf-8")
        assert "N-BaIoT" in text or file.suffix == ".csv"
    facts = FactSheet.load(next(tmp_path.rglob("factsheet.json")))
    assert f"scaled down: {facts.get('data', 'scaled_down')}" == PRESETS["paper/experiment-4"].caveat


def test_a_run_across_columns_is_scored(call: Call) -> None:
    """What is missing and what is undefined is named beside its metric."""
    status, out, _ = call("run", "vertibench/importance", "--rounds", "1", "--quiet")
    assert status == 0
    assert re.search(r"Aggregation Algorithm +– .*missing$", out, re.MULTILINE)
    assert re.search(r"Accuracy Variation +– .*undefined$", out, re.MULTILINE)


def test_splits_are_written_and_said(call: Call, tmp_path: Path) -> None:
    """Of a CSV file to JSON, of an embedded data set to CSV: the same as in Python, and what was achieved."""
    (tmp_path / "own.csv").write_text(table(), encoding="utf-8")
    status, out, error = call("split", "own.csv", "iid", "--target", "paid", "--set", "parties=4", "--out", "s.json")
    assert (status, error) == (0, "")
    assert "Partition(4 parties over 40 rows" in out
    partition = Partition.load(tmp_path / "s.json")
    assert (partition.axis, partition.parties, partition.owner.size) == ("rows", 4, 40)
    status, out, _ = call("split", "letter", "correlation", "--set", "parties=4", "--set", "beta=0.6", "--seed", "42",
                          "--out", "deep/s.csv")  # fmt: skip
    assert status == 0
    expected = partition_of(PRESETS["vertibench/correlation"].make())
    assert f"beta: {expected.achieved['beta']:.4f}" in out
    lines = list(csv.reader((tmp_path / "deep" / "s.csv").open(encoding="utf-8", newline="")))
    assert len(lines) == 1 + 16
    assert [int(line[-1]) for line in lines[1:]] == expected.owner.tolist()


def test_lists_name_everything(call: Call) -> None:
    """Data sets with their titles; presets with what they stand in for."""
    _, out, _ = call("data")
    assert [line.split()[0] for line in out.splitlines()] == list(names())
    assert all(DATASETS[name].title in out for name in names())
    _, out, _ = call("presets")
    assert all(f"{name} " in out and preset.title in out and preset.caveat in out for name, preset in PRESETS.items())


def test_the_doctor_finds_this_installation_sound(call: Call) -> None:
    """Every check says what it looked at."""
    status, out, error = call("doctor")
    assert (status, error) == (0, "")
    assert out.splitlines()[-1] == "sound"
    assert "FAIL" not in out
    for name in ("libraries", "data", "training", "privacy accountant", "notebooks", "app"):
        assert re.search(rf"^ok +{name} ", out, re.MULTILINE)


def test_the_doctor_reports_what_is_wrong(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """A check that fails is a line, not a traceback; the others are still made, and the status is 1."""
    monkeypatch.setattr(doctor, "_LIBRARIES", ("numpy", "no-such-library"))
    for slow in ("_training", "_privacy", "_app"):
        monkeypatch.setattr(doctor, slow, lambda: "skipped")
    status, out, _ = call("doctor")
    assert status == 1
    assert re.search(r"^FAIL +libraries +PackageNotFoundError: .*no-such-library", out, re.MULTILINE)
    assert re.search(r"^ok +data ", out, re.MULTILINE)
    assert "sound" not in out


def test_an_unforeseen_error_keeps_its_traceback(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what a person can put right is told in one line."""

    def broken() -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr(doctor, "examine", broken)
    with pytest.raises(RuntimeError, match="a defect"):
        call("doctor")
