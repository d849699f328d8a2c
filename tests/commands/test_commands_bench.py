"""``trustkit bench federatedtrust``: what is printed, what is written, status 2 for what does not fit."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from trustkit import cli
from trustkit.bench.marks import RULES
from trustkit.bench.printed import PRINTED


def _call(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["trustkit", "bench", *words])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    return int(ended.value.code or 0)


def test_one_experiment(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A line for each printed number, the count of the marks, where it is; progress is on standard error."""
    words = ("federatedtrust", "--quick", "--experiment", "4", "--out", str(tmp_path / "out"))
    assert _call(monkeypatch, *words) == 0
    said = capsys.readouterr()
    lines = said.out.splitlines()
    assert len([line for line in lines if line.startswith("4  ")]) == len(PRINTED[4])
    assert any(line.startswith("4 ") and "Model Size" in line and line.endswith("contradicted") for line in lines)
    assert "4 reproduced, 1 contradicted, 5 consistent" in said.out
    (legend,) = [line for line in lines if line.startswith("a mark is about the paper's printed number, not")]
    assert all(f" {mark}, " in legend for mark in RULES)
    assert f"written to {tmp_path / 'out'}" in said.out
    assert "100% experiment 4" in said.err
    assert (tmp_path / "out" / "figure5.svg").exists()
    assert _call(monkeypatch, *words, "--quiet") == 0
    assert capsys.readouterr() == (said.out, "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--experiment", "7"), "trustkit: experiment must be one of 1, 2, 3, 4, 5, got 7"),
        (("--femnist", "nowhere"), "trustkit: femnist must be a folder, got 'nowhere'"),
        (("--noise", "none"), "trustkit: noise must be local or global, got 'none'"),
    ],
)
def test_what_does_not_fit(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, words: tuple[str, ...],
    message: str,
) -> None:  # fmt: skip
    """One line, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    assert _call(monkeypatch, "federatedtrust", *words) == 2
    assert capsys.readouterr().err.strip() == message
    assert list(tmp_path.iterdir()) == []
