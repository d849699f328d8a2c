"""``trustkit flower init``: it needs no Flower, and says what to do without one afterwards."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trustkit.catalogue import use
from trustkit.commands.flower import make
from trustkit.experiment import Experiment
from trustkit.flower import Federation, TrustStrategy, client_app, server_app, write_app
from trustkit.flower.party import hold
from trustkit.rounds import build, play

SMALL = ["split__parties=4", "rounds=2", "algorithm=fedmedian"]


def test_the_command_writes_an_app(tmp_path: Path) -> None:
    """From a preset that is changed; status 0, and 2 with one line where it cannot."""
    command = [sys.executable, "-m", "trustkit", "flower", "init", str(tmp_path / "app"), "start"]
    for setting in SMALL:
        command += ["--set", setting]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"written to {tmp_path / 'app'}" in done.stdout
    again = subprocess.run(command, capture_output=True, text=True, check=False)
    assert again.returncode == 2
    assert again.stderr.startswith("trustkit: folder must be new or empty")
    assert len(again.stderr.splitlines()) == 1


def test_the_app_is_what_flower_wants(tmp_path: Path) -> None:
    """Components that exist, a run configuration of plain values, no dependency that Flower would install."""
    list(make(tmp_path / "My app", "start", SMALL))
    project = tomllib.loads((tmp_path / "My app" / "pyproject.toml").read_text(encoding="utf-8"))
    app = project["tool"]["flwr"]["app"]
    assert project["project"]["name"] == "my-app"
    assert project["project"]["dependencies"] == []
    for component in app["components"].values():
        module, _, name = component.partition(":")
        text = (tmp_path / "My app" / f"{module}.py").read_text(encoding="utf-8")
        compile(text, module, "exec")
        assert f"\n{name} = " in text
    assert Path(app["config"]["parties"]) == tmp_path / "My app" / "parties"
    assert Path(app["config"]["out"]).parent == tmp_path  # not in the folder that Flower packs
    readme = (tmp_path / "My app" / "README.md").read_text(encoding="utf-8")
    assert '"num-supernodes=4"' in readme
    assert "$" not in readme


def test_a_federation_comes_back(tmp_path: Path) -> None:
    """With the experiment, its shape, and an algorithm that begins with the same model, but no row."""
    experiment = Experiment("digits", use("iid", parties=3), use("fedopt", lr=0.05), use("convnet", channels=[4]))
    federation = Federation.load(write_app(experiment, tmp_path / "app"))
    assert federation.experiment.key == experiment.key
    assert (federation.parties, federation.features, len(federation.classes)) == (3, 64, 10)
    trainer = federation.trainer(np.array([10, 20, 30]))
    assert np.array_equal(trainer.start()["params"], build(experiment).trainer.start()["params"])
    assert trainer.train.X.size == 0


def test_each_client_alone_does_what_it_does_among_the_others(tmp_path: Path) -> None:
    """One round of FedAvg by hand, from files: the mean of what the clients make is what `play` gives."""
    experiment = Experiment("breast_cancer", use("dirichlet", parties=5, alpha=0.5), use("fedavg", lr=0.05), "logistic",
                            rounds=1)  # fmt: skip
    folder = write_app(experiment, tmp_path / "app")
    federation, played = Federation.load(folder), next(iter(play(experiment)))
    held = [hold(federation, file) for file in (folder / "parties").iterdir()]
    start = federation.trainer(np.full(5, 9)).start()["params"]
    models, rows = [each.train(start, 1) for each in held], [each.rows for each in held]
    mean = np.average(models, axis=0, weights=rows)
    assert np.abs(mean - played.state["params"]).max() <= 1e-6
    for each in held:
        accuracy, loss, _ = each.evaluate(played.state["params"])
        assert accuracy == pytest.approx(played.accuracy[each.client], nan_ok=True)
        assert loss == pytest.approx(played.loss[each.client], abs=1e-5, nan_ok=True)


def test_without_flower_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one sentence, wherever Flower is needed."""
    folder = write_app(Experiment("wine", use("iid", parties=3), "fedavg", "logistic", rounds=1), tmp_path / "app")
    for name in ("flwr", "flwr.app", "flwr.clientapp", "flwr.serverapp", "flwr.serverapp.strategy"):
        monkeypatch.setitem(sys.modules, name, None)
    calls: list[Callable[[], Any]] = [
        lambda: client_app(folder), lambda: server_app(folder), lambda: TrustStrategy(None).start(None, None)
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(ValueError, match=r"needs flwr \(pip install 'trustkit\[flower\]'\)$"):
            call()
