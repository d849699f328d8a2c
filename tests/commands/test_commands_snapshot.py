"""``trustkit snapshot``: what is asked for on the command line, and the file that comes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from trustkit.baking import snapshot
from trustkit.commands.snapshot import bake, read_over

FILE = """data = { name = "wine" }
split = { name = "dirichlet", parties = 3, min_rows = 10 }
algorithm = { name = "fedavg" }
model = { name = "logistic" }
rounds = 3
"""


@pytest.fixture
def toml(tmp_path: Path) -> str:
    """A small experiment."""
    file = tmp_path / "small.toml"
    file.write_text(FILE, encoding="utf-8")
    return str(file)


def test_the_page_is_written(toml: str, tmp_path: Path) -> None:
    """As the function writes it; the last line says where it is, and how large."""
    from trustkit.experiment import Experiment

    out = tmp_path / "new" / "snap.html"
    (line,) = bake(toml, out, ["privacy.epsilon=4,off"], ["rounds=1"], "radar, accuracy", 0, None, False)
    assert line == f"2 runs, {out.stat().st_size:,} bytes, written to {out}"
    start = Experiment.from_toml(FILE).change(rounds=1)
    same = snapshot(start, {"privacy.epsilon": [4, "off"]}, tmp_path / "b.html", pictures=["radar", "accuracy"])
    assert out.read_bytes() == same.read_bytes()


def test_from_the_command_line(toml: str, tmp_path: Path) -> None:
    """Status 0 and a line on where the page is; 2 and one line on standard error for what does not fit."""
    from typer.testing import CliRunner

    from trustkit.cli import cli

    out = tmp_path / "a.html"
    words = ["snapshot", toml, "--over", "rounds=1,2", "--pictures", "radar", "--out", str(out), "--quiet"]
    told = CliRunner().invoke(cli, words)
    assert told.exit_code == 0, told.output
    assert told.output == f"2 runs, {out.stat().st_size:,} bytes, written to {out}\n"
    refused = CliRunner().invoke(cli, ["snapshot", toml, "--over", "rounds=0", "--out", str(tmp_path / "b.html")])
    assert isinstance(refused.exception, ValueError)
    assert CliRunner().invoke(cli, ["snapshot", toml]).exit_code == 2  # nothing varies
    assert [file.name for file in tmp_path.glob("*.html")] == ["a.html"]


def test_a_page_in_german(toml: str, tmp_path: Path) -> None:
    """By an option, as the app has one; the line that is printed is the same."""
    from typer.testing import CliRunner

    from trustkit.cli import cli

    out = tmp_path / "a.html"
    words = ["snapshot", toml, "--over", "rounds=1", "--pictures", "radar", "--out", str(out), "--quiet"]
    told = CliRunner().invoke(cli, [*words, "--language", "de"])
    assert told.exit_code == 0, told.output
    text = out.read_text(encoding="utf-8")
    assert '<html lang="de">' in text
    assert "Säulen des Vertrauens" in text
    refused = CliRunner().invoke(cli, [*words, "--language", "fr"])
    assert str(refused.exception) == "language must be one of de, en, got 'fr'"


def test_a_store_keeps_runs(toml: str, tmp_path: Path) -> None:
    """A second page of the same runs plays nothing: it is made from the files."""
    store = tmp_path / "runs"
    list(bake(toml, tmp_path / "a.html", ["seed=0,1"], ["rounds=1"], "radar", 0, store, False))
    files = {file: file.stat().st_mtime_ns for file in store.rglob("*") if file.is_file()}
    assert len(files) >= 2
    list(bake(toml, tmp_path / "b.html", ["seed=0,1"], ["rounds=1"], "radar", 0, store, False))
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    assert {file: file.stat().st_mtime_ns for file in files} == files


def test_a_preset_that_is_scaled_down_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With other rounds too."""
    asked: dict[str, object] = {}

    def written(*_: object, **given: object) -> Path:
        asked.update(given)
        return tmp_path

    monkeypatch.setattr("trustkit.commands.snapshot.snapshot", written)
    list(bake("paper/experiment-1", tmp_path / "a.html", ["seed=0"], ["rounds=1"], "radar", 0, None, False))
    assert "simulated writers" in str(asked["caveat"])


def test_values() -> None:
    """Numbers are numbers, words words; spaces do not count."""
    assert read_over(["a.b=1, 0.5,off", "c=x"]) == {"a.b": [1, 0.5, "off"], "c": ["x"]}


@pytest.mark.parametrize(
    ("over", "text"),
    [
        (["epsilon"], "--over takes name=value,value,…, got 'epsilon'"),
        (["=1"], "--over takes name=value,value,…, got '=1'"),
        (["a=1", "a=2"], "a must be given once, got it twice"),
        (["rounds="], "rounds must have at least one value, got none"),
        (["rounds=0"], "no experiment with rounds 0"),
    ],
)
def test_what_does_not_fit(over: list[str], text: str, toml: str, tmp_path: Path) -> None:
    """One sentence, and no file."""
    with pytest.raises(ValueError) as caught:
        list(bake(toml, tmp_path / "a.html", over, [], "radar", 0, None, False))
    assert str(caught.value).startswith(text)
    assert not (tmp_path / "a.html").exists()
