"""The command pareto: what it reads, prints and writes, and that it goes on where it was left."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from trustkit import cli, jsonfile
from trustkit.catalogue import use
from trustkit.commands.pareto import varied
from trustkit.experiment import Experiment
from trustkit.frontier import tried

START = Experiment("breast_cancer", use("iid", parties=4), use("fedavg", lr=0.02), "logistic", rounds=1)

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


def test_pareto_on_the_command_line(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Points, picture, changes and the runs; called again it plays nothing; a bar is shown unless it is not wanted."""
    file = tmp_path / "mine.toml"
    file.write_text(START.to_toml(), encoding="utf-8")
    words = ("pareto", file, "--vary", "participation=0.5,1", "--vary", "algorithm=fedavg,fedmedian",
             "--objectives", "trust, bytes", "--out", tmp_path)  # fmt: skip
    status, out, error = call(*words, "--quiet")
    assert (status, error) == (0, "")
    target = tmp_path / f"mine-{START.key[:8]}"
    assert out.startswith("What would raise it\n")
    assert "All combinations were tried: 4 points with the start." in out
    assert out.endswith(f"written to {target}\n")
    assert {path.name for path in target.iterdir()} == {"points.csv", "front.json", "changes.md", "front.svg", "tried"}
    assert len((target / "points.csv").read_text().splitlines()) == 5
    assert jsonfile.read(target / "front.json")["objectives"] == ["trust", "bytes"]
    assert (target / "changes.md").read_text().startswith("# What would raise it\n")
    before = {path.name: path.read_bytes() for path in target.iterdir() if path.is_file()}

    def never(*words: Any, **more: Any) -> None:
        raise RuntimeError("played again")

    monkeypatch.setattr(tried, "play", never)
    status, out, _ = call(*words)
    assert status == 0
    assert {path.name: path.read_bytes() for path in target.iterdir() if path.is_file()} == before


def test_bad_words_write_nothing(call: Call, tmp_path: Path) -> None:
    """Status 2 and one line."""
    for more, words in (
        (("start", "--objectives", "speed"), "got 'speed'"),
        (("nosuch",), "there is no preset 'nosuch'"),
        (("start", "--vary", "speed"), "an experiment has no part 'speed'"),
        (("start", "--profile", "nosuch"), "there is no profile 'nosuch'"),
        (("start", "--evaluations", "0"), "--evaluations"),
    ):
        status, out, error = call("pareto", *more, "--out", tmp_path / "out", "--quiet")
        assert (status, out) == (2, "")
        assert words in error
        assert len(error.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_what_may_vary_is_read() -> None:
    """Names, lists with none and truths, ranges."""
    assert varied(["privacy=none,gaussian", "secure=true,false", "privacy__epsilon=0.5..20", "rounds = 2 .. 8"]) == {
        "privacy": [None, "gaussian"], "secure": [True, False], "privacy__epsilon": (0.5, 20), "rounds": (2, 8),
    }  # fmt: skip
    assert varied([]) == {}
    assert varied(["participation=.1...9", "algorithm__lr=.5,1."]) == {
        "participation": (0.1, 0.9), "algorithm__lr": [0.5, 1.0],
    }  # fmt: skip


@pytest.mark.parametrize("words", [["=1"], ["rounds="], ["rounds", "rounds=1"], ["rounds=a..b"], ["rounds=1.."], [""]])
def test_what_cannot_be_read_is_refused(words: list[str]) -> None:
    """In one sentence that shows the word."""
    with pytest.raises(ValueError, match=r"--vary must (be name|have numbers).*got "):
        varied(words)
