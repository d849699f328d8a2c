"""``trustkit split DATA --parties 4 --beta 0.6 --out DIR``: parties' files from the shell, or one line why not."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from trustkit import cli
from trustkit.commands import split as cli_split
from trustkit.data import FederatedDataset
from trustkit.datasets import load
from trustkit.datasets.parties import read_parties
from trustkit.partition import Partition
from trustkit.split import by_views, correlation, importance, uniform
from trustkit.split.estimate import estimate_alpha
from trustkit.split.importances import column_importance
from trustkit.split.joint import joint

Call = Callable[..., tuple[int, str, str]]

OWN = "age;score;height;paid\n" + "".join(
    f"{20 + i};{i * i % 7};{i % 5};{'yes' if i % 3 else 'no'}\n" for i in range(40)
)


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Call:
    """Return a function that runs a command line in an empty folder: status, standard output and error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def run(words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["trustkit", "split", *words.split()])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        assert isinstance(ended.value.code, int)
        said = capsys.readouterr()
        return ended.value.code, said.out, said.err

    return run


def test_the_command_of_the_readme(tmp_path: Path) -> None:
    """Through a shell: the parties' files, the manifest, what was asked and what was achieved; nothing else is said."""
    words = [sys.executable, "-m", "trustkit", "split", "letter", "--parties", "4", "--beta", "0.6", "--out", "out"]
    ended = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    made = correlation(load("letter"), 4, beta=0.6)
    low, high = made.achieved["bounds"]
    assert "Partition(4 parties over 16 columns, 4 to 4 each) by correlation\n" in ended.stdout
    assert f"  asked_beta: 0.6000\n  beta: {made.achieved['beta']:.4f}\n" in _sorted(ended.stdout)
    assert f"  bounds: [{low:.4f}, {high:.4f}]\n" in ended.stdout
    assert "  counts: [4, 4, 4, 4]\n" in ended.stdout or "counts" not in made.achieved
    assert ended.stdout.endswith("written to out\n")
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == [
        "manifest.json", *(f"party_{k}.csv" for k in range(4))
    ]  # fmt: skip
    fed, data = FederatedDataset(load("letter"), made), read_parties(tmp_path / "out")
    back = FederatedDataset(data, by_views(data))
    for k in range(4):
        assert np.array_equal(back[k].X, fed[k].X)
    assert np.array_equal(data.y, load("letter").y)
    said = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert said["split"]["achieved"]["bounds"] == [low, high]
    assert said["split"]["made_by"]["name"] == "correlation"


def _sorted(out: str) -> str:
    """Return what was printed with its lines in alphabetical order."""
    return "".join(sorted(out.splitlines(keepends=True)))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("wine --parties 3", lambda data: uniform(data, 3)),
        ("wine --parties 3 --alpha 0.5 --seed 2", lambda data: importance(data, 3, alpha=0.5, seed=2)),
        ("wine --alpha 1,2,3 --parties 3", lambda data: importance(data, 3, alpha=(1, 2, 3))),
        ("wine --parties 8,3,2 --beta 0.2", lambda data: correlation(data, (8, 3, 2), beta=0.2)),
        ("wine --definition package --beta 1", lambda data: correlation(data, beta=1, definition="package")),
        ("wine --beta 0.3 --alpha 2 --parties 3", lambda data: joint(data, 3, alpha=2, beta=0.3)),
        ("wine importance --set parties=3 --set allow_empty=true", lambda data: importance(data, 3, allow_empty=True)),
        ("mfeat by_views", by_views),
    ],
)
def test_the_options_say_which_split(words: str, expected: Callable[..., Partition], call: Call) -> None:
    """β means correlation, α importance, both the joint split, neither an even one; a name comes first."""
    status, out, error = call(f"{words} --out who.json")
    assert (status, error) == (0, "")
    read, made = Partition.load("who.json"), expected(load(words.split()[0]))
    assert read.made_by == made.made_by
    assert read.owner.tolist() == made.owner.tolist()
    assert f" by {made.made_by.name if made.made_by else ''}\n" in out


def test_alpha_is_estimated_where_it_was_asked_for(call: Call) -> None:
    """By the package's reading, beside what was asked; the trade-off of a joint split is told line by line."""
    _, out, _ = call("wine --alpha 0.5 --parties 3 --out who.json")
    data = load("wine")
    value = estimate_alpha(column_importance(data), importance(data, 3, alpha=0.5), "package")
    assert f"  alpha_package: {value:.4f}\n" in out
    _, out, _ = call("wine --alpha 0.5 --beta 0.2 --parties 3 --out who.json")
    achieved = joint(data, 3, alpha=0.5, beta=0.2).achieved
    for name in ("asked_alpha", "alpha_package", "alpha_paper", "asked_beta", "beta", "importance_error"):
        assert f"  {name}: {achieved[name]:.4f}\n" in out
    assert len(re.findall(r"^  importance counts (\S+) times: beta off by 0\.\d{4}, ", out, re.MULTILINE)) == 7
    _, out, _ = call("wine --beta 0.2 --out who.json")
    assert "alpha" not in out


@pytest.mark.parametrize("format", ["csv", "parquet", "npz"])
def test_the_format_of_the_files(format: str, call: Call) -> None:
    """A folder is made with everything above it."""
    status, out, _ = call(f"wine --parties 2 --out deep/out --format {format}")
    assert (status, out.splitlines()[-1]) == (0, "written to deep/out")
    assert read_parties("deep/out").X.shape == load("wine").X.shape
    assert (Path("deep/out") / f"party_1.{format}").is_file()


def test_files_of_ones_own(call: Call) -> None:
    """Tables with any delimiter, LIBSVM's format, and parties that exist already."""
    Path("own.csv").write_text(OWN, encoding="utf-8")
    assert call("own.csv --target paid --parties 3 --out a")[0] == 0
    lines = list(csv.reader(Path("a/party_0.csv").read_text(encoding="utf-8").splitlines()))
    assert lines[0][:3] == ["id", "split", "label"]
    assert {line[2] for line in lines[1:]} == {"yes", "no"}
    assert call("own.csv --target -1 --parties 3 --out same")[0] == 0
    assert Path("same/party_0.csv").read_bytes() == Path("a/party_0.csv").read_bytes()
    Path("tab.tsv").write_text(OWN.replace(";", "\t"), encoding="utf-8")
    assert call("tab.tsv --target paid --parties 3 --out tab")[0] == 0
    Path("x.libsvm").write_text("".join(f"{i % 2} 1:{i} 3:{i % 7} 4:{i % 3}\n" for i in range(1, 41)), encoding="utf-8")
    status, out, _ = call("x.libsvm --parties 2 --out b --format npz")
    assert (status, "2 parties over 4 columns" in out) == (0, True)
    status, out, _ = call("a by_views --out c")
    assert (status, "3 parties over 3 columns" in out) == (0, True)
    assert json.loads(Path("c/manifest.json").read_text(encoding="utf-8"))["parties"][0]["name"] == "party_0"


def test_numbers_without_a_zero_before_the_point(call: Call) -> None:
    """The same parts as with it: one number, and a list."""
    for words in ("--alpha {}5 --parties 4", "--alpha {0}5,{0}5,1,2 --parties 4", "--set alpha={}5 --set parties=4"):
        told = {call(f"wine importance {words.format(zero)} --out {name}.json")[::2]
                for name, zero in (("short", "."), ("long", "0."))}  # fmt: skip
        assert told == {(0, "")}
        assert Path("short.json").read_text(encoding="utf-8") == Path("long.json").read_text(encoding="utf-8")


REFUSED = {
    "wine --parties 40 --beta 0.6 --out out": "parties must be between 2 and the 13 columns, got 40$",
    "wine --parties 1 --beta 0.6 --out out": "correlation: parties must be between 2 and .*, got 1$",
    "wine --parties 5,5 --beta 0.6 --out out": r"parties must be at least 2 sizes, .* the 13 columns, got \[5, 5\]$",
    "wine --parties four --out out": "uniform: parties must be a whole number, got 'four'$",
    "wine --beta 1.5 --out out": "correlation: beta must be between 0 and 1, got 1.5$",
    "wine --beta much --out out": "'--beta'.*(number|float)",
    "wine --alpha 0 --out out": "importance: alpha must be between 0.001 and 100, got 0",
    "wine --alpha 1,2 --out out": "alpha must be one number or one for each of the 4 parties, got 2$",
    "wine --beta 0.5 --alpha -1 --out out": "joint: alpha must be between 0.001 and 100, got -1",
    "wine --beta 0.5 --definition mine --out out": "correlation: definition must be one of paper, package, got 'mine'$",
    "wine uniform --beta 0.5 --out out": "uniform has no parameter 'beta'; it takes parties$",
    "wine --parties 3 --set parties=4 --out out": "parties must be given once, got --parties and --set parties$",
    "wine --out used": "folder must be new or empty, got used, which has files$",
    "wine --out used/file": "folder must be new or empty, got used/file, which is a file$",
    "wine --out out --format xls": "format must be one of csv, parquet, npz, got 'xls'$",
    "wine --out out.json --format csv": "--format is for a folder of parties, got the file out.json$",
    "wine --out out.pkl": "out must be a folder without an ending, or a .json or .csv file, got out.pkl$",
    "wine --out folder.csv": "out must be a folder without an ending, .*, got the folder folder.csv$",
    "adult dirichlet --out out": "dirichlet divides rows, so out must be a .json or .csv file, got out$",
    "wein --beta 0.5 --out out": r"there is no data set 'wein'; did you mean 'wine'\?",
    "wine --target class --out out": r"--target and --client are for tables \(.*\), got 'wine'$",
    "10GB.csv --target y --beta 0.5 --out out": r"trustkit: there is no file '10GB\.csv'$",
    "10GB.libsvm --beta 0.5 --out out": r"trustkit: there is no file '10GB\.libsvm'$",
    "no/10GB --beta 0.5 --out out": "trustkit: there is no file 'no/10GB'$",
    "own.csv --target pay --out out": "target must be a column's name or index, got 'pay'; known are age, ",
    "used --out out": "there must be the CSV files of 2 parties or more, got 0 at used$",
    "cut.libsvm --out out": r"line 2 of cut\.libsvm",
    "one.csv --target paid --out out": "the target 'paid' must have two classes or more, got yes in one row$",
    "one.libsvm --out out": "the labels must be of two classes or more, got 1 in one row$",
}


@pytest.mark.parametrize("words", REFUSED)
def test_bad_input_is_refused_in_one_line(words: str, call: Call, tmp_path: Path) -> None:
    """Status 2, one line on standard error, nothing on standard output, nothing written."""
    Path("own.csv").write_text(OWN, encoding="utf-8")
    Path("one.csv").write_text("age,score,paid\n30,2,yes\n", encoding="utf-8")
    Path("one.libsvm").write_text("1 1:2 3:1\n", encoding="utf-8")
    Path("cut.libsvm").write_text("1 1:2 3:1\n0 2:1 3:\n", encoding="utf-8")
    Path("folder.csv").mkdir()
    Path("used").mkdir()
    Path("used/file").write_text("mine", encoding="utf-8")
    before = set(tmp_path.rglob("*"))
    status, out, error = call(words)
    assert (status, out) == (2, "")
    assert error.startswith("trustkit: ")
    assert error.count("\n") == 1
    assert re.search(REFUSED[words], error.rstrip("\n")), error
    assert set(tmp_path.rglob("*")) == before


def test_a_bar_is_shown_on_a_terminal_only(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the stages of the search; elsewhere standard error stays empty, and standard output always is without it."""

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", terminal)
        status, out, _ = call("wine --alpha 1 --beta 0.5 --out a")
    assert status == 0
    assert re.search(r"division +\|.*100 %", terminal.getvalue())
    assert "division" not in out
    assert call("wine --alpha 1 --beta 0.5 --out b")[2] == ""


def test_long_lists_are_cut() -> None:
    """With how many there are."""
    assert cli_split._text([0.5] * 20) == f"[{', '.join(['0.5000'] * 16)}, … (20)]"
    assert cli_split._text([1, [2.0, None]]) == "[1, [2.0000, None]]"
