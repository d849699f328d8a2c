"""On Flower's own engines: its simulation, and its deployment as real processes on this machine.

They are slow to start: Ray takes half a minute, and a SuperNode starts a process for every message. Each runs once.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("flwr", reason="flwr is not installed; tests/flower/run makes an environment for these tests")

from trustkit import store
from trustkit.catalogue import use
from trustkit.experiment import Experiment
from trustkit.flower import write_app
from trustkit.records import RunRecord
from trustkit.rounds import play
from trustkit.trust import FactSheet, assess
from trustkit.trust.chain import verify

PATIENCE = 900
"""Seconds for an engine, on a machine that does other things as well."""


def surroundings(home: Path) -> dict[str, str]:
    """Return an environment in which Flower writes to a folder of the test and calls nobody."""
    here = str(Path(sys.executable).parent)
    return {
        **os.environ, "PATH": f"{here}{os.pathsep}{os.environ['PATH']}", "FLWR_HOME": str(home),
        "FLWR_TELEMETRY_ENABLED": "0", "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_raylet_start_wait_time_s": "300", "RAY_worker_register_timeout_seconds": "300",
        "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
    }  # fmt: skip


def program(name: str) -> str:
    """Find one of Flower's programs beside this Python."""
    found = shutil.which(name, path=str(Path(sys.executable).parent))
    assert found is not None, f"{name} is not installed beside {sys.executable}"
    return found


def port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def started(command: list[str], log: Path, home: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a process for as long as it is needed; it and what it started end with it."""
    with log.open("wb") as file:
        process = subprocess.Popen(
            command, stdout=file, stderr=subprocess.STDOUT, env=surroundings(home), cwd=home, start_new_session=True
        )
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(20)


def listening(where: int, seconds: float = 120) -> None:
    """Wait until somebody listens on a port."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", where)) == 0:
                return
        time.sleep(0.2)
    raise AssertionError(f"nobody listens on port {where} after {seconds} s")


def written(out: Path, logs: list[Path]) -> tuple[RunRecord, FactSheet]:
    """Wait for what the server writes last, and read it; a failure shows the logs."""
    until = time.monotonic() + PATIENCE
    while not (out / "experiment.toml").exists():
        text = "\n".join(log.read_text(errors="replace")[-3000:] for log in logs if log.exists())
        assert time.monotonic() < until, text
        assert "Exit Code" not in text, text
        time.sleep(1)
    return store.load(out / "run.npz"), FactSheet.load(out / "factsheet.json")


def as_played(record: RunRecord, experiment: Experiment) -> None:
    """Hold a run against the simulation in one process: weights, who was asked, loss by client and round."""
    played = list(play(experiment))
    assert np.abs(record.last.state["params"] - played[-1].state["params"]).max() <= 1e-5
    assert record.selected.tolist() == [each.selected.tolist() for each in played]
    np.testing.assert_allclose(record.loss, [each.loss for each in played], atol=1e-5)


def test_a_deployment(tmp_path: Path) -> None:
    """A SuperLink and two SuperNodes, each with the file of its own client and no other."""
    experiment = Experiment("breast_cancer", use("dirichlet", parties=2, alpha=1.0), use("fedavg", lr=0.05),
                            "logistic", rounds=2)  # fmt: skip
    app, home, where = write_app(experiment, tmp_path / "app"), tmp_path / "home", port()
    home.mkdir()
    files = [tmp_path / f"node{k}" / "rows.npz" for k in range(2)]
    for k, file in enumerate(files):
        file.parent.mkdir()
        (app / "parties" / f"party_{k}.npz").rename(file)
    (app / "parties").rmdir()
    (home / "config.toml").write_text(f'[superlink]\ndefault = "deployment"\n\n[superlink.deployment]\n'
                                      f'address = "127.0.0.1:{where}"\ninsecure = true\n')  # fmt: skip
    link = [program("flower-superlink"), "--insecure", "--host", "127.0.0.1", "--port", str(where),
            "--disable-runtime-dependency-installation"]  # fmt: skip
    logs = [tmp_path / f"{name}.log" for name in ("link", "node0", "node1", "run")]
    with started(link, logs[0], home):
        listening(where)
        nodes = [[program("flower-supernode"), "--insecure", "--superlink", f"127.0.0.1:{where}", "--host", "127.0.0.1",
                  "--port", str(port()), "--node-config", f'party="{file}"'] for file in files]  # fmt: skip
        with started(nodes[0], logs[1], home), started(nodes[1], logs[2], home):
            run = [program("flwr"), "run", str(app), "deployment", "--stream", "--run-config", "wait=300"]
            with started(run, logs[3], home):
                record, facts = written(tmp_path / "app-results", logs[3:])
    as_played(record, experiment)
    assert facts.get("data", "withheld") == "class counts, which need at least 3 SuperNodes that answer; 2 of 2 did"
    assert facts.get("participants", "client_num") == 2
    assert verify(tmp_path / "app-results" / "events.jsonl", facts.get("log", "head")).sound
    assert assess(facts).score is not None


SIMULATED = """
import sys
from pathlib import Path

from flwr.simulation import run_simulation

from trustkit.flower import Federation, client_app, serve
from flwr.serverapp import ServerApp

folder, out = Path(sys.argv[1]), Path(sys.argv[2])
server = ServerApp()


@server.main()
def main(grid, context):
    serve(Federation.load(folder), grid, out, 120, 300)


run_simulation(server, client_app(folder), num_supernodes=int(sys.argv[3]), backend_config={
    "client_resources": {"num_cpus": 1, "num_gpus": 0.0},
    "init_args": {"num_cpus": 2, "include_dashboard": False, "log_to_driver": False},
})
"""


def test_a_simulation(tmp_path: Path) -> None:
    """Ray's actors for six clients: weights of `play`, and label counts as one masked sum."""
    pytest.importorskip("ray", reason="ray is not installed; pip install 'flwr[simulation]'")
    experiment = Experiment("breast_cancer", use("iid", parties=6), use("fedmedian", lr=0.05), "logistic", rounds=2,
                            participation=0.5)  # fmt: skip
    app, home = write_app(experiment, tmp_path / "app"), tmp_path / "home"
    home.mkdir()
    (tmp_path / "simulated.py").write_text(SIMULATED)
    command = [sys.executable, str(tmp_path / "simulated.py"), str(app), str(tmp_path / "out"), "6"]
    with started(command, tmp_path / "log", home) as process:
        assert process.wait(PATIENCE) == 0, (tmp_path / "log").read_text(errors="replace")[-4000:]
        record, facts = written(tmp_path / "out", [])
    as_played(record, experiment)
    assert sum(facts.get("data", "class_counts")) == round(facts.get("participants", "avg_dataset_size") * 6)
