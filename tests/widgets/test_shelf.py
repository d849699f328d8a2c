"""Runs of an earlier kernel: whole ones are there at once and called cached; what may differ is played."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from trustkit.widgets import Lab
from trustkit.widgets.player import Player
from trustkit.widgets.shelf import Shelf, home, kept_again, shelf_here
from trustkit.widgets.words import status

import trustkit as tk
from tests.widgets.labs import SMALL, same, setting_of
from trustkit import RunRecord, datasets, use
from trustkit.attendance import attendance_of
from trustkit.catalogue import MODELS


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
    for name in ("selected", "accuracy", "loss", "bytes_up", "bytes_down", "seconds"):
        assert np.array_equal(getattr(lab.outcome.record, name), getattr(later.outcome.record, name))
    assert same(RunRecord(SMALL, [lab.outcome.record.last]), RunRecord(SMALL, [later.outcome.record.last]))
    assert np.array_equal(attendance_of(lab.outcome.record).codes, attendance_of(later.outcome.record).codes)
    assert lab.outcome.facts.to_dict() == later.outcome.facts.to_dict()
    later.run(wait=True)
    assert other.rounds == SMALL.rounds
    assert "idle · 4 of 4" in status(later)


def test_what_is_not_whole_is_not_kept(tmp_path: Path) -> None:
    """And takes nothing away that is."""
    lab, _ = kernel(tmp_path)
    lab.step(wait=True)
    assert not list(tmp_path.iterdir())
    lab.run(wait=True)
    assert len(list(tmp_path.iterdir())) == 1
    stepped, _ = kernel(tmp_path)
    stepped.step(wait=True)
    later, work = kernel(tmp_path)
    later.run(wait=True)
    assert work.rounds == 0


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


@pytest.mark.parametrize(
    "changes",
    [
        {"faults": use("mixed")},
        {"algorithm": "afa"},
        {"data": use("redrawn", of="breast_cancer")},
        {"data": use("feda4fair", path="somewhere")},
        {"model": "mine of the shelf"},
    ],
    ids=["faults", "afa", "of another", "of a folder", "own code"],
)
def test_what_another_kernel_may_do_otherwise_is_not_kept(changes: dict[str, Any], tmp_path: Path) -> None:
    """Own code, own files; and runs whose every round's state is looked at, of which only the last is stored."""
    MODELS.enter("mine of the shelf", title="mine")(_mine)
    try:
        wanted = SMALL.change(**changes)
        assert not kept_again(wanted)
        Shelf(tmp_path).put(RunRecord(wanted, list(tk.run(SMALL))))
        assert not list(tmp_path.iterdir())
    finally:
        MODELS._entries.pop("mine of the shelf")


def _mine(features: int, classes: int) -> Any:
    """A model of somebody's own."""
    return MODELS["logistic"].function(features, classes)


def test_whatever_goes_wrong_is_as_if_there_were_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No memory, no home: the run is on the page all the same."""

    def full(record: RunRecord) -> bytes:
        raise MemoryError

    monkeypatch.setattr("trustkit.store.dumps", full)
    lab, _ = kernel(tmp_path)
    lab.run(wait=True)
    assert "idle · 4 of 4" in status(lab)
    monkeypatch.setattr("IPython.get_ipython", lambda: SimpleNamespace(kernel=1))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("TRUSTKIT_AUTOSAVE")
    monkeypatch.setattr(Path, "home", lambda: (_ for _ in ()).throw(RuntimeError("no home")))
    assert shelf_here() is None


def test_a_large_run_is_not_even_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Writing it would keep the worker from the next run."""
    monkeypatch.setattr("trustkit.widgets.shelf._LARGEST", 100)
    monkeypatch.setattr("trustkit.store.dumps", lambda record: pytest.fail("it was written"))
    Shelf(tmp_path).put(tk.run(SMALL))
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
