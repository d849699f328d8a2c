"""Ctrl-C, at any moment of long work: status 130, one line, nothing half-written, nobody left, and soon."""

from __future__ import annotations

import os
import signal
import time
from functools import cache
from pathlib import Path

import pytest

from tests.faults.driving import LONG, ended, gone, started, unfinished, until, whole_files
from trustkit import store, whole
from trustkit.catalogue import use
from trustkit.experiment import Experiment
from trustkit.jsonfile import write_text
from trustkit.rng import stream
from trustkit.rounds import run

ENDLESS = 1_000_000
ROWS = Experiment("breast_cancer", use("dirichlet", parties=6), use("fedavg", lr=0.02), use("mlp", hidden=[8]),
                  rounds=ENDLESS, seed=3)  # fmt: skip
COLUMNS = Experiment("letter", use("importance", parties=3), use("splitnn", batch=32), rounds=1000)  # all states fit
TREES = Experiment("letter", use("importance", parties=4), use("fedtree", depth=6), rounds=1000)
KEPT = Experiment("mnist", use("iid", parties=10), "fedavg", use("mlp", hidden=[32]), rounds=6)
QUIET = ("--out", "out", "--quiet")

WORDS: dict[str, tuple[str, ...]] = {
    "run, over rows": ("run", "rows.toml", *QUIET),
    "run, over columns": ("run", "columns.toml", *QUIET),
    "run, of trees": ("run", "trees.toml", *QUIET),
    "sweep here": ("sweep", "grid.toml", "--workers", "0", *QUIET),
    "sweep elsewhere": ("sweep", "grid.toml", "--workers", "2", *QUIET),
    "bench vertibench": ("bench", "vertibench", *QUIET),
    "bench federatedtrust": ("bench", "federatedtrust", *QUIET),
    "pareto here": ("pareto", "rows.toml", "--vary", "participation=0.5,1", *QUIET),
    "pareto elsewhere": ("pareto", "rows.toml", "--vary", "participation=0.5,1", "--workers", "2", *QUIET),
    "exposure": ("exposure", "columns.toml", "--seeds", "0", "--rounds", "1000", *QUIET),
    "snapshot": ("snapshot", "rows.toml", "--over", "seed=0,1", "--out", "out/page.html", "--quiet"),
    "examine": ("examine", "kept/run.npz", "--out", "out/sheet.json", "--quiet"),
    "report": ("report", "kept/run.npz", "--examine", "--quiet", "--out", "out"),
    "audit": ("audit", "cces", "--sensitive", "sex,race", "--repeats", "10000", *QUIET),
    "split": ("split", "gisette_synthetic", "correlation", "--parties", "40", "--beta", "0.5", "--out", "out"),
}  # fmt: skip
SHORT = ("run, over rows", "sweep elsewhere", "pareto elsewhere", "examine", "audit", "split")

LOADED = """
import sys
import matplotlib.figure, pandas, seaborn, sklearn.linear_model, torch, xgboost
import trustkit.commands.audit, trustkit.commands.pareto, trustkit.commands.report, trustkit.commands.sweep
import trustkit.commands.split, trustkit.commands.exposure, trustkit.commands.snapshot
import trustkit.bench.vertibench, trustkit.bench.federatedtrust
from trustkit.cli import main
print("begins", flush=True)
main()
"""


@cache
def _content() -> bytes:
    return store.dumps(run(KEPT))


def _prepare(place: Path) -> None:
    for name, wanted in (("rows", ROWS), ("columns", COLUMNS), ("trees", TREES)):
        write_text(place / f"{name}.toml", wanted.to_toml())
    write_text(place / "grid.toml", ROWS.to_toml() + "\n[grid]\nseed = [0, 1, 2, 3]\n")
    whole.write_bytes(place / "kept" / "run.npz", _content())


MOMENTS = [(name, at) for name in WORDS for at in range(3 if LONG else int(name in SHORT))]


@pytest.mark.parametrize(("name", "at"), MOMENTS)
def test_ctrl_c(name: str, at: int, tmp_path: Path) -> None:
    """As a terminal sends it, to the command and to all its workers."""
    _prepare(tmp_path)
    before = whole_files(tmp_path).keys()
    command = started(WORDS[name], tmp_path, code=LOADED)
    assert command.stdout is not None
    assert command.stdout.readline() == "begins\n"
    time.sleep(0.1 + 6 * float(stream(8, "stop", name, at).random()))
    assert command.poll() is None, "it was over before it could be stopped"
    os.killpg(command.pid, signal.SIGINT)
    began = time.monotonic()
    status, out, error = ended(command, 60)
    seconds = time.monotonic() - began
    assert status == 130, error
    assert "Traceback" not in out + error
    assert error.startswith("trustkit: stopped"), error
    assert error.count("\n") == 1, error
    until(lambda: gone(command.pid), 20)
    assert seconds < 20, seconds
    assert not unfinished(tmp_path)
    assert whole_files(tmp_path).keys() >= before
    print(f"{name}: {seconds:.2f} s")


def test_ctrl_c_while_workers_start(tmp_path: Path) -> None:
    """A worker that comes up after that begins nothing."""
    _prepare(tmp_path)
    command = started(WORDS["sweep elsewhere"], tmp_path, code=LOADED)
    assert command.stdout is not None
    command.stdout.readline()
    until(lambda: _children(command.pid) or command.poll() is not None)
    os.killpg(command.pid, signal.SIGINT)
    status, _, error = ended(command, 60)
    assert (status, error.count("\n")) == (130, 1), error
    until(lambda: gone(command.pid), 20)


def _children(pid: int) -> list[str]:
    """List the children of a process."""
    return [child for file in Path(f"/proc/{pid}/task").glob("*/children") for child in file.read_text().split()]


def test_what_was_played_before_ctrl_c_is_kept(tmp_path: Path) -> None:
    """The last finished round, though no checkpoint was due; the line says how many there are and where."""
    write_text(tmp_path / "rows.toml", ROWS.to_toml())
    command = started(WORDS["run, over rows"], tmp_path, code="import trustkit.commands.run as run\n"
                      "run._KEEP_EVERY = 1e9\n" + LOADED)  # fmt: skip
    assert command.stdout is not None
    command.stdout.readline()
    until(lambda: any(b"round_finished" in file.read_bytes() for file in tmp_path.glob("out/*/events.part.jsonl")))
    os.killpg(command.pid, signal.SIGINT)
    status, _, error = ended(command, 60)
    assert status == 130, error
    (kept,) = tmp_path.glob("out/*/run.part.npz")
    done = len(store.load(kept))
    assert done >= 1
    where = kept.relative_to(tmp_path)
    assert error == f"trustkit: stopped; {done} rounds are in {where}, and the same command goes on\n"
