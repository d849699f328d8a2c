"""Worker processes: one thread each, none left behind, scripts that are not run twice; the command sweep's end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import BrokenExecutor, CancelledError
from pathlib import Path

import pytest

from tests.faults.driving import gone, until
from tests.scale.test_scale_sweep import START
from trustkit import store
from trustkit.scale import processes

SCRIPT = """
import os, time
import trustkit as tk
with open("ran", "a") as file:
    file.write("once ")
start = tk.Experiment("wine", tk.use("iid", parties=2), "fedavg", "logistic", rounds=1)
pool = tk.scale.processes(1)
found = tk.sweep(tk.grid(start, seed=[0, 1]), pool)
print(*(run.complete for run in found.values()))
print(pool.submit(os.getenv, "OMP_NUM_THREADS").result(), flush=True)
pool.submit(time.sleep, 60)
time.sleep(60)
"""
"""Without ``if __name__ == "__main__"``; in the end it and its worker wait to be killed."""


def test_a_bare_script_runs_once_and_its_workers_go_with_it(tmp_path: Path) -> None:
    """A plain script is not begun anew by its workers, and when it is killed they end too."""
    (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")
    free = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    script = subprocess.Popen([sys.executable, "script.py"], cwd=tmp_path, stdout=subprocess.PIPE, text=True, env=free,
                              start_new_session=True)  # fmt: skip
    assert script.stdout is not None
    assert script.stdout.readline() == "True True\n"
    assert script.stdout.readline() == "1\n"
    assert (tmp_path / "ran").read_text() == "once "
    script.kill()
    script.wait()
    script.stdout.close()
    until(lambda: gone(script.pid))


def test_ctrl_c_keeps_what_has_finished(tmp_path: Path) -> None:
    """Status 130, a line that says where, whole files, no process left."""
    grid = START.change(rounds=1).to_toml() + "\n[grid]\nseed = [0, 1, 2]\nrounds = [1, 2, 1000000]\n"
    (tmp_path / "mine.toml").write_text(grid, encoding="utf-8")
    words = ["-m", "trustkit", "sweep", "mine.toml", "--workers", "1", "--out", "out"]
    command = subprocess.Popen([sys.executable, *words], cwd=tmp_path, stderr=subprocess.PIPE, text=True,
                               start_new_session=True)  # fmt: skip
    until(lambda: len(list(tmp_path.glob("out/*/runs/*/run.npz"))) >= 2)
    os.killpg(command.pid, signal.SIGINT)  # as a terminal does: to all of them
    _, error = command.communicate(timeout=90)
    assert command.returncode == 130
    assert "trustkit: stopped; what has finished is in out/mine-" in error
    assert "Traceback" not in error
    for file in tmp_path.glob("out/*/runs/*/*"):
        assert file.name == "run.npz"
        assert store.load(file).complete
    until(lambda: gone(command.pid))


def test_shutting_down_at_once_ends_what_is_being_done() -> None:
    """What waits is cancelled; nothing starts afterwards."""
    pool = processes(1)
    assert pool.submit(os.path.basename, "a/b").result() == "b"
    busy, waiting = pool.submit(time.sleep, 60), pool.submit(time.sleep, 60)
    until(busy.running)
    pool.shutdown(cancel_futures=True)
    with pytest.raises(BrokenExecutor, match="killed, or ran out of memory"):
        busy.result(timeout=0)
    with pytest.raises(CancelledError):
        waiting.result(timeout=0)
    assert pool.pids == ()
    with pytest.raises(RuntimeError):
        pool.submit(os.getpid)
