"""The command sweep: grids that it reads, files that it writes, failures as rows, what it refuses."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from trustkit import cli, jsonfile, store
from trustkit.catalogue import use
from trustkit.commands.sweep import read_grid
from trustkit.experiment import Experiment
from trustkit.scale import sweeping
from trustkit.scale.playing import played

START = Experiment("wine", use("dirichlet", parties=4, min_rows=10), use("fedavg", lr=0.02), "logistic", rounds=1)
GRID = """
[grid]
split__parties = [4, 40]
algorithm__lr = [0.5]
algorithm = ["fedavg", {name = "fedprox", mu = 0.5}]
"""

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Call:
    """Return a function that runs a command line in an empty folder: status, standard output and error."""
    monkeypatch.chdir(tmp_path)

    def go(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["trustkit", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        said = capsys.readouterr()
        return int(ended.value.code or 0), said.out, said.err

    return go


def test_sweep_on_the_command_line(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs, a table and JSON, status 1 for failures; called again it plays those that failed, and says the same."""
    (tmp_path / "mine.toml").write_text(START.to_toml() + GRID, encoding="utf-8")
    words = ("sweep", "mine.toml", "--workers", "0", "--out", "out")
    status, out, error = call(*words, "--quiet")
    assert (status, error) == (1, "")
    target = Path("out") / f"mine-{START.key[:8]}"
    refusal = "ValueError: parties must be at most 14, so that each gets at least 10 of the 142 training rows of wine, "
    assert out.splitlines()[0] == "2 of 4 runs ended well"
    assert out.count(f": {refusal}got 40\n") == 2
    assert out.endswith(f"written to {target}\n")
    assert {path.name for path in target.iterdir()} == {"runs", "sweep.csv", "sweep.json"}
    with (target / "sweep.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == [
        "key", "split__parties", "algorithm__lr", "algorithm", "algorithm__mu", "rounds", "accuracy", "worst_accuracy",
        "loss", "bytes", "epsilon", "seconds", "failure",
    ]  # fmt: skip
    assert [(row["split__parties"], row["algorithm"], row["algorithm__mu"]) for row in rows] == [
        ("4", "fedavg", ""), ("4", "fedprox", "0.5"), ("40", "fedavg", ""), ("40", "fedprox", "0.5"),
    ]  # fmt: skip
    assert {row["algorithm__lr"] for row in rows} == {"0.5"}
    assert [row["failure"] == "" for row in rows] == [True, True, False, False]
    assert rows[2]["accuracy"] == ""
    content = jsonfile.read(target / "sweep.json")
    assert content["format"] == "trustkit-sweep-1"
    assert content["rows"][2]["accuracy"] is None
    kept = store.load(target / "runs" / rows[1]["key"][:16] / "run.npz")
    assert Experiment.from_dict(content["rows"][1]["experiment"]) == kept.experiment
    assert content["rows"][1]["accuracy"] == pytest.approx(kept.last.accuracy.mean(), abs=0)
    before = {path.name: path.read_bytes() for path in target.glob("*.*")}
    again: list[Any] = []

    def watched(told: dict[str, Any], **more: Any) -> dict[str, Any]:
        again.append(told)
        return played(told, **more)

    monkeypatch.setattr(sweeping, "played", watched)
    status, _, error = call(*words)
    assert status == 1
    assert "4 of 4 runs, 2 failed" in error
    assert [told["split"]["parties"] for told in again] == [40, 40]
    assert {path.name: path.read_bytes() for path in target.glob("*.*")} == before


def test_all_well_is_status_0(call: Call, tmp_path: Path) -> None:
    """With parts that are set by none and by a table."""
    grid = '[grid]\nprivacy = ["none", {name = "gaussian", epsilon = 5.0}]\nseed = [3]\n'
    (tmp_path / "well.toml").write_text(START.to_toml() + grid, encoding="utf-8")
    status, out, _ = call("sweep", "well.toml", "--workers", "0", "--quiet")
    assert (status, out.splitlines()[0]) == (0, "2 of 2 runs ended well")
    start, choices, wanted = read_grid(str(tmp_path / "well.toml"))
    assert start == START
    assert list(choices) == ["privacy", "seed"]
    assert [each.privacy and each.privacy.args["epsilon"] for each in wanted] == [None, 5.0]


REFUSED = {
    "": r"grid\.toml must have a table \[grid\] of lists, as seed = \[0, 1, 2\], got none",
    "[grid]": r"must have a table \[grid\]",
    "[grid]\nseed = 3": r"in \[grid\] seed must be a list with at least one value, got 3",
    "[grid]\nseed = []": r"seed must be a list with at least one value, got \[\]",
    "[grid]\nspeed = [1]": r"no experiment with speed=1: an experiment has no part 'speed'",
    "[grid]\nsplit__alpha = [0.1, -1]": r"no experiment with split__alpha=-1: dirichlet: alpha must be",
    "[grid]\nprivacy__epsilon = [1.0]": r"privacy is not set, so privacy__epsilon cannot be changed",
    "[grid]\nalgorithm = [{mu = 1}]": r"a use needs a name",
    f"[grid]\nseed = {list(range(400))}\nrounds = {list(range(1, 401))}": r"at most 100,000 combinations, got 160,000",
    "[grid": r"must be an experiment in TOML with a table \[grid\], got: ",
    "speed = 1\n[grid]\nseed = [1]": r"got: .*'speed'",
}


@pytest.mark.parametrize("more", REFUSED)
def test_what_is_no_grid_is_refused(more: str, call: Call, tmp_path: Path) -> None:
    """Status 2, one line, nothing written."""
    (tmp_path / "grid.toml").write_text(START.to_toml() + "\n" + more, encoding="utf-8")
    status, out, error = call("sweep", "grid.toml", "--quiet")
    assert (status, out, error.count("\n")) == (2, "", 1)
    with pytest.raises(ValueError, match=REFUSED[more]):
        raise ValueError(error)
    assert [path.name for path in tmp_path.iterdir()] == ["grid.toml"]


def test_words_that_do_not_fit_are_refused(call: Call, tmp_path: Path) -> None:
    """A file that is not there, workers with an address, a scheduler that does not answer."""
    (tmp_path / "grid.toml").write_text(START.to_toml() + "[grid]\nseed = [1]\n", encoding="utf-8")
    for more, words in (
        (("nosuch.toml",), "there is no file nosuch.toml"),
        (("grid.toml", "--workers", "-1"), "--workers"),
        (("grid.toml", "--dask", "tcp://127.0.0.1:1", "--workers", "2"), "workers must stay unset with the address"),
        (("grid.toml", "--dask", "nonsense"), "must be that of a Dask scheduler that answers"),
    ):
        status, out, error = call("sweep", *more, "--quiet")
        assert (status, out, error.count("\n")) == (2, "", 1)
        assert words in error
    assert [path.name for path in tmp_path.iterdir()] == ["grid.toml"]
