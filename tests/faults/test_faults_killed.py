"""Killed without warning at random moments: what was finished is kept, nothing is half there, and the end is the same.

A few kills of each command in the short mode; with ``TRUSTKIT_FAULTS=1`` a hundred. Moments are drawn by a seeded
stream, over the time that the command takes from its first file on.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ElementTree

import pytest

from tests.faults.driving import LONG, called, gone, same_run, started, unfinished, until, whole_files
from trustkit import jsonfile, store, whole
from trustkit.catalogue import use
from trustkit.experiment import Experiment
from trustkit.records import RunRecord
from trustkit.rng import stream
from trustkit.rounds import run

ROWS = Experiment("breast_cancer", use("dirichlet", parties=6), use("fedavg", lr=0.02), use("mlp", hidden=[8]),
                  rounds=120, participation=0.5, seed=3)  # fmt: skip
COLUMNS = Experiment("wine", use("importance", parties=3), use("splitnn", local=[8], top=[8], batch=32), rounds=40)
SWEPT = COLUMNS.change(rounds=12)
GRID = "\n[grid]\nseed = [0, 1, 2, 3]\n"


@dataclass(frozen=True)
class Case:
    """A command, what it starts from, how often it is killed in either mode, and what has to hold afterwards."""

    words: tuple[str, ...]
    prepare: Callable[[Path], None]
    kills: tuple[int, int]
    span: float | None = None
    """Seconds over which moments are drawn; by default as many as the whole command takes in this process."""


def _run(place: Path) -> None:
    (place / "rows.toml").write_text(ROWS.to_toml(), encoding="utf-8")
    (place / "columns.toml").write_text(COLUMNS.to_toml(), encoding="utf-8")


def _sweep(place: Path) -> None:
    (place / "grid.toml").write_text(SWEPT.to_toml() + GRID, encoding="utf-8")


def _nothing(place: Path) -> None:
    """Start from an empty folder."""


@cache
def _content() -> bytes:
    return store.dumps(run(ROWS.change(rounds=3)))


def _stored(place: Path) -> None:
    whole.write_bytes(place / "kept" / "run.npz", _content())


CASES = {
    "run, over rows": Case(("run", "rows.toml", "--out", "out", "--quiet"), _run, (1, 25)),
    "run, over columns": Case(("run", "columns.toml", "--out", "out", "--quiet"), _run, (1, 20)),
    "sweep": Case(("sweep", "grid.toml", "--workers", "2", "--out", "out", "--quiet"), _sweep, (2, 20), 4.0),
    "bench": Case(
        ("bench", "vertibench", "--quick", "--only", "solo", "--methods", "splitnn", "--out", "out", "--quiet"),
        _nothing, (1, 15),
    ),
    "report": Case(("report", "kept/run.npz", "--profile", "calibrated", "--out", "out"), _stored, (1, 10), 0.15),
    "parties": Case(
        ("split", "letter", "--parties", "8", "--out", "out"), _nothing, (1, 10), 0.3,
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[dict[str, Any], float]]:
    """Return a function that tells what a command leaves that nobody stops, and how long it takes; asked for once."""
    known: dict[str, tuple[dict[str, Any], float]] = {}

    def tell(name: str) -> tuple[dict[str, Any], float]:
        if name not in known:
            place = tmp_path_factory.mktemp("whole")
            CASES[name].prepare(place)
            began = time.perf_counter()
            assert called(CASES[name].words, place) == 0
            known[name] = whole_files(place / "out"), time.perf_counter() - began
        return known[name]

    return tell


KILLS = [(name, at) for name, case in CASES.items() for at in range(case.kills[LONG])]


@pytest.mark.parametrize(("name", "at"), KILLS)
def test_a_command_that_is_killed(
    name: str, at: int, reference: Callable[[str], tuple[dict[str, Any], float]], tmp_path: Path
) -> None:
    """Killed at some moment after its first file; called again it ends as if nothing had been."""
    case, (wanted, seconds) = CASES[name], reference(name)
    case.prepare(tmp_path)
    before = whole_files(tmp_path)
    command, out = started(case.words, tmp_path), tmp_path / "out"
    until(lambda: (out.exists() and any(out.iterdir())) or unfinished(tmp_path) or command.poll() is not None)
    moment = float(stream(8, "kill", name, at).random()) * (seconds if case.span is None else case.span)
    time.sleep(moment)
    os.kill(command.pid, signal.SIGKILL)
    command.communicate()
    until(lambda: gone(command.pid), 20)  # workers leave with who sent them
    left = whole_files(tmp_path)
    assert before.keys() <= left.keys()
    done = {file: out / file for file in whole_files(out) if Path(file).name == "run.npz" or file.startswith("runs/")}
    stamps = {file: path.stat().st_mtime_ns for file, path in done.items() if path.suffix != ".npz" or name == "sweep"}
    assert called(case.words, tmp_path) == 0
    finished = whole_files(out)
    assert finished.keys() == wanted.keys()
    assert not unfinished(tmp_path)
    for file, stamp in stamps.items():
        assert (out / file).stat().st_mtime_ns == stamp, f"{file} was finished, and is played again"
    for file, content in wanted.items():
        assert _alike(finished[file], content, name), file


def _alike(one: Any, other: Any, name: str) -> bool:
    """Compare what does not tell how long something took."""
    if isinstance(one, RunRecord):
        return same_run(one, other)
    if name == "bench" and isinstance(one, dict) and "accuracy" in one:
        told = ("experiment", "accuracy", "loss", "traffic", "facts", "rows")
        return all(jsonfile.canonical(one[part]) == jsonfile.canonical(other[part]) for part in told)
    if name not in ("report", "parties") or isinstance(one, ElementTree):
        return True
    return bool(one.equals(other)) if hasattr(one, "equals") else jsonfile.canonical(one) == jsonfile.canonical(other)


def test_a_kill_between_the_last_files_heals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After each of the files that a finished run writes: an older run stays until then, and the next call ends."""
    wanted = ROWS.change(rounds=2)
    (tmp_path / "own.toml").write_text(wanted.to_toml(), encoding="utf-8")
    words = ("run", "own.toml", "--out", "out", "--quiet")
    assert called(words, tmp_path) == 0
    (folder,) = (tmp_path / "out").iterdir()
    sound = whole_files(folder)
    write, written = whole.write_bytes, list[str]()

    def cut(last: str, path: Any, content: bytes) -> Path:
        if Path(path).name == last:
            raise KeyboardInterrupt
        written.append(Path(path).name)
        return write(path, content)

    for last in ("events.jsonl", "factsheet.json", "report.json", "run.npz"):
        with monkeypatch.context() as patched:
            patched.setattr(jsonfile, "write_bytes", partial(cut, last))
            assert called(words, tmp_path) == 130
        assert whole_files(folder).keys() >= sound.keys()
        assert called(words, tmp_path) == 0
        assert whole_files(folder).keys() == sound.keys()
        assert called(("report", str(folder)), tmp_path) == 0  # its status says that the event log holds
    assert "events.part.jsonl" in written


def test_a_run_that_is_begun_again_and_killed_leaves_the_finished_one(tmp_path: Path) -> None:
    """Files of the finished run, its event log among them, hold as long as the new one has not ended."""
    (tmp_path / "own.toml").write_text(COLUMNS.to_toml(), encoding="utf-8")
    words = ("run", "own.toml", "--out", "out", "--quiet")
    assert called(words, tmp_path) == 0
    (folder,) = (tmp_path / "out").iterdir()
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    command = started(words, tmp_path)
    until(lambda: (folder / "run.part.npz").exists() or command.poll() is not None)
    os.kill(command.pid, signal.SIGKILL)
    command.communicate()
    assert {file.name: file.read_bytes() for file in folder.iterdir() if file.name in before} == before
    assert called(("report", str(folder)), tmp_path) == 0
    assert called(words, tmp_path) == 0
    assert {file.name for file in folder.iterdir()} == before.keys()
