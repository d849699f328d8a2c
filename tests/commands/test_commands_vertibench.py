"""``trustkit bench vertibench``: what is printed, what is written, status 2 for what does not fit."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path

import pytest

from trustkit import cli


def _call(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["trustkit", "bench", "vertibench", *words])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    return int(ended.value.code or 0)


def test_one_part(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The estimate comes first, then tables, then where they are; progress is on standard error."""
    words = ("--quick", "--only", "scaling", "--methods", "fedtree", "--out", str(tmp_path / "out"))
    assert _call(monkeypatch, *words) == 0
    said = capsys.readouterr()
    lines = said.out.splitlines()
    assert lines[0].startswith("about ")
    assert "of processor time still to do: fedtree" in lines[0]
    assert len([line for line in lines if line.startswith("FedTree")]) == 3
    assert "gisette_synthetic" in said.out
    assert "- On the stand-in, nothing is to be concluded about gisette" in said.out
    assert "3 of 3 runs are finished" in lines
    assert lines[-1] == f"written to {tmp_path / 'out'}"
    assert "100% 32 parties, FedTree, seed 0" in said.err
    assert "(synthetic)" in (tmp_path / "out" / "figure7.svg").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out" / "figure7.csv").read_text(encoding="utf-8"))))
    assert [row["parties"] for row in rows] == ["2", "8", "32"]
    assert len({row["ours"] for row in rows}) == 1  # they are the trees of one who has all columns
    assert _call(monkeypatch, *words, "--quiet") == 0
    again = capsys.readouterr()
    assert again.err == ""
    assert again.out.splitlines()[0].endswith("still to do: nothing (within a factor of two)")
    assert again.out.splitlines()[1:] == lines[1:]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--only", "table3"), "only must name some of table2, figures, scaling, times, solo, got 'table3'"),
        (("--methods", "al"), "methods must name some of splitnn, gal, gal-undecayed, fedtree, cvfl, got 'al'"),
        (("--seeds", "first"), "seeds must be whole numbers from 0 on, as 0-4 or 0,2, got 'first'"),
        (("--seeds", "4-2"), "seeds must name at least one, got none"),
        (("--data", "nowhere"), "data must be a folder, got 'nowhere'"),
        (("--minutes", "0"), "minutes must be above 0, got 0"),
    ],
)
def test_what_does_not_fit(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, words: tuple[str, ...],
    message: str,
) -> None:  # fmt: skip
    """One line, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    assert _call(monkeypatch, "--quick", *words) == 2
    assert capsys.readouterr().err.strip() == f"trustkit: {message}"
    assert list(tmp_path.iterdir()) == []
