"""The command line on a person's own table: natural clients, rows without a target, missing values."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from trustkit import cli
from trustkit.partition import Partition

OWN = "age,job,paid,site\n25,nurse,1,a\n,clerk,0,b\n41,,1,a\n33,nurse,0,b\n29,clerk,,c\n52,clerk,1,b\n38,nurse,0,a\n"


def test_split_by_the_clients_of_an_own_table(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """``--client`` names the natural clients; what was dropped and what was filled in is said."""
    monkeypatch.chdir(tmp_path)
    Path("own.csv").write_text(OWN, encoding="utf-8")
    words = ["trustkit", "split", "own.csv", "by_group", "--target", "paid", "--client", "site"]
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    said = capsys.readouterr()
    assert (ended.value.code, said.err) == (0, "")
    assert "left out and not numbered: 1\n" in said.out
    assert "filled in: 1 in age, 1 in job\n" in said.out
    assert Partition.load("split.json").owner.tolist() == [0, 1, 0, 1, 1, 0]


def test_score_refuses_a_format_before_it_prints(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A suffix that no report has is an error in one line, with nothing on standard output."""
    (tmp_path / "sheet.json").write_text("{}", encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["trustkit", "score", str(tmp_path / "sheet.json"), "--out", "report.pdf"])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    said = capsys.readouterr()
    assert (ended.value.code, said.out) == (2, "")
    assert said.err == "trustkit: out must be a .html, .json, .md, .csv file, got report.pdf\n"
