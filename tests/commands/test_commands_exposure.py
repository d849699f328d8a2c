"""The command exposure: what it plays, prints and writes, what it refuses, and that it goes on where it was left."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from trustkit import cli, jsonfile
from trustkit.catalogue import use
from trustkit.experiment import Experiment
from trustkit.exposure import exposure_of

PLAIN = Experiment("wine", use("importance", parties=2), "splitnn", rounds=3)
GUARDED = PLAIN.change(privacy=use("column_noise", epsilon=8.0))

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Call:
    """Return a function that runs a command line in a folder of its own: status, standard output and error."""
    monkeypatch.chdir(tmp_path)
    for name, experiment in (("plain", PLAIN), ("guarded", GUARDED)):
        (tmp_path / f"{name}.toml").write_text(experiment.to_toml(), encoding="utf-8")

    def go(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["trustkit", "exposure", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        said = capsys.readouterr()
        return int(ended.value.code or 0), said.out, said.err

    return go


def test_two_runs_side_by_side(call: Call, tmp_path: Path) -> None:
    """The numbers are those of the library, a line a run and seed, and a second call reads what the first one found."""
    words = ("plain.toml", "guarded.toml", "--seeds", "0,1", "--rows", "60", "--out", "found", "--quiet")
    status, out, error = call(*words)
    assert (status, error) == (0, "")
    assert "| plain |" in out
    assert "| guarded |" in out
    with (tmp_path / "found" / "exposure.csv").open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert [(line["label"], line["seed"]) for line in lines] == [
        ("plain", "0"), ("plain", "1"), ("guarded", "0"), ("guarded", "1")]  # fmt: skip
    alone = exposure_of(PLAIN.change(seed=1), rows=60)
    assert float(lines[1]["labels"]) == pytest.approx(alone.share("labels"))
    assert float(lines[1]["features"]) == pytest.approx(alone.share("features"))
    assert float(lines[0]["epsilon"]) == float("inf")
    assert float(lines[2]["epsilon"]) == pytest.approx(8.0, rel=0.01)
    stored = jsonfile.read(tmp_path / "found" / "attacks.json")
    assert [each["label"] for each in stored] == ["plain", "plain", "guarded", "guarded"]
    assert (tmp_path / "found" / "exposure.svg").read_text(encoding="utf-8").lstrip().startswith("<?xml")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "found" / "runs").iterdir()}
    assert call(*words)[1] == out
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "found" / "runs").iterdir()} == before


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("start",), "exposure attacks runs over columns, got start over rows"),
        (("nobody",), "there is no preset 'nobody'"),
        (("plain.toml", "plain.toml"), "experiments must be named once each, got plain twice"),
        (("plain.toml", "--seeds", "x"), "seeds must be whole numbers from 0 on"),
        (("plain.toml", "--pairs", "1"), "pairs must be above 0 and below 1, got 1.0"),
    ],
)
def test_what_it_refuses(call: Call, tmp_path: Path, words: tuple[str, ...], sentence: str) -> None:
    """One sentence, status 2, and no folder."""
    status, out, error = call(*words, "--out", "found", "--quiet")
    assert (status, out) == (2, "")
    assert error.startswith(f"trustkit: {sentence}")
    assert error.count("\n") == 1
    assert not (tmp_path / "found").exists()
