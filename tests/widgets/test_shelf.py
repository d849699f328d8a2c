"""Runs of an earlier kernel: whole ones are there at once and called cached, others go on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from trustkit.widgets import Lab
from trustkit.widgets.player import Player
from trustkit.widgets.shelf import Shelf, home, shelf_here
from trustkit.widgets.words import status

import trustkit as tk
from tests.widgets.labs import SMALL, same, setting_of
from trustkit import datasets, use


class Counted:
    """Plays, and counts the rounds."""

    slow = False

    def __init__(self) -> None:
        self.rounds = 0

    def __call__(self, *given: Any) -> Any:
        for played in tk.play(*given):
            self.rounds += 1
            yield played


def kernel(folder: Path) -> tuple[Lab, Counted]:
    """A page as a new kernel opens it."""
    work = Counted()
    return Lab(setting_of(SMALL), player=Player(work, Shelf(folder))), work


def test_a_whole_run_is_not_played_twice(tmp_path: Path) -> None:
    """The same numbers, called cached; Run on it plays it anew."""
    lab, work = kernel(tmp_path)
    lab.run(wait=True)
    assert work.rounds == SMALL.rounds
    assert "idle · 4 of 4" in status(lab)
    later, other = kernel(tmp_path)
    later.run(wait=True)
    assert other.rounds == 0
    assert "idle · cached: 4 of 4 rounds were played before" in status(later)
    assert lab.outcome is not None
    assert later.outcome is not None
    assert same(lab.outcome.record, later.outcome.record) or np.array_equal(
        lab.outcome.record.accuracy, later.outcome.record.accuracy
    )
    assert lab.outcome.facts.to_dict() == later.outcome.facts.to_dict()
    later.run(wait=True)
    assert other.rounds == SMALL.rounds
    assert "idle · 4 of 4" in status(later)


def test_a_run_that_was_stopped_goes_on(tmp_path: Path) -> None:
    """Only the rest is played, to the same end."""
    lab, _ = kernel(tmp_path)
    lab.step(wait=True)
    later, work = kernel(tmp_path)
    later.run(wait=True)
    assert work.rounds == SMALL.rounds - 1
    whole, _ = kernel(tmp_path / "other")
    whole.run(wait=True)
    assert later.outcome is not None
    assert whole.outcome is not None
    assert np.array_equal(later.outcome.record.accuracy, whole.outcome.record.accuracy)
    for name, value in whole.outcome.record.last.state.items():
        assert np.array_equal(later.outcome.record.last.state[name], value)


def test_a_single_round_and_slow_motion_are_played(tmp_path: Path) -> None:
    """They are to be watched."""
    kernel(tmp_path)[0].run(wait=True)
    stepped, work = kernel(tmp_path)
    stepped.step(wait=True)
    assert work.rounds == 1
    slow, watched = kernel(tmp_path)
    watched.slow = True
    slow.run(wait=True)
    assert watched.rounds == SMALL.rounds


def test_results_that_the_controls_come_back_to_are_cached(tmp_path: Path) -> None:
    """Undo says that they were played before."""
    lab, _ = kernel(tmp_path)
    lab.run(wait=True)
    lab.change(seed=SMALL.seed + 1)
    assert "stale" in status(lab)
    lab.run(wait=True)
    assert "idle · 4 of 4" in status(lab)
    lab.undo()
    assert "idle · cached: 4 of 4" in status(lab)


def test_what_is_on_the_shelf(tmp_path: Path) -> None:
    """The newest 20; none of somebody's own data, a damaged one counts as none, and a full disk stops nobody."""
    shelf, record = Shelf(tmp_path / "runs"), tk.run(SMALL.change(rounds=1))
    for seed in range(25):
        shelf.put(tk.RunRecord(SMALL.change(rounds=1, seed=seed), list(record)))
    files = sorted((tmp_path / "runs").iterdir())
    assert len(files) == 20
    assert (tmp_path / "runs").stat().st_mode & 0o777 == 0o700
    kept = next(seed for seed in range(25) if len(shelf.of(SMALL.change(rounds=1, seed=seed))))
    for file in files:
        file.write_bytes(file.read_bytes()[:100])
    assert len(shelf.of(SMALL.change(rounds=1, seed=kept))) == 0
    (tmp_path / "file").touch()
    Shelf(tmp_path / "file").put(record)  # no folder can be made there


def test_own_data_are_not_kept(tmp_path: Path) -> None:
    """Neither a data set of one's own, nor a part of it, nor a file's."""
    wine = datasets.load("wine")
    own = datasets.from_frame(
        pd.DataFrame({**{name: wine.X[:, k] for k, name in enumerate(wine.columns)}, "kind": wine.y.astype(str)}),
        target="kind", name="ours of the shelf",
    )  # fmt: skip
    datasets.add(own)
    shelf = Shelf(tmp_path)
    for data in ("ours of the shelf", use("sampled", of="ours of the shelf", rows=100)):
        experiment = tk.Experiment(data, use("iid", parties=2), "fedavg", "logistic", rounds=1)
        shelf.put(tk.run(experiment))
        assert len(shelf.of(experiment)) == 0
    assert not list(tmp_path.iterdir())


def test_only_notebooks_have_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Not scripts, not served pages, and not who says no."""
    assert shelf_here() is None

    class Shell:
        kernel = object()

    monkeypatch.setattr("IPython.get_ipython", Shell)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("TRUSTKIT_AUTOSAVE")
    found = shelf_here()
    assert found is not None
    assert found.folder == home() == tmp_path / "trustkit" / "runs"
    monkeypatch.setenv("VOILA_BASE_URL", "/")
    assert shelf_here() is None
    monkeypatch.delenv("VOILA_BASE_URL")
    monkeypatch.setenv("TRUSTKIT_AUTOSAVE", "0")
    assert shelf_here() is None
