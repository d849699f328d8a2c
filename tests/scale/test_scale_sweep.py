"""Sweeps: the same bits on any worker, failures as rows, runs that are kept, progress that can stop it."""

from __future__ import annotations

import dataclasses
import os
import signal
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

import trustkit as tk
from tests.test_rounds import same
from trustkit import datasets, store
from trustkit.catalogue import DATASETS, use
from trustkit.commands.sweep import spread
from trustkit.data import Dataset, Provenance
from trustkit.experiment import Experiment
from trustkit.records import RunRecord, Stopped
from trustkit.rng import stream
from trustkit.rounds import grid, run
from trustkit.scale import Failure, dask, processes, sweep, sweeping
from trustkit.scale.scheduler import DaskWorkers
from trustkit.scale.sweeping import file_of

START = Experiment("wine", use("dirichlet", parties=4, min_rows=10), use("fedavg", batch=64), "logistic", rounds=2,
                   participation=0.5)  # fmt: skip
REFUSAL = "parties must be at most 14, so that each gets at least 10 of the 142 training rows of wine, got 40"
Found = dict[Experiment, RunRecord | Failure]


def record(found: Found, experiment: Experiment) -> RunRecord:
    """Return what must be a run."""
    outcome = found[experiment]
    assert isinstance(outcome, RunRecord), outcome
    return outcome


def alike(a: Found, b: Found) -> bool:
    """Say whether two sweeps found the same, bit for bit, in the same order."""
    for each in a:
        one, other = a[each], b[each]
        if isinstance(one, Failure) or isinstance(other, Failure):
            if one != other:
                return False
        elif not (one.complete and other.complete and same(one.last, other.last)
                  and np.array_equal(one.accuracy, other.accuracy, equal_nan=True)):  # fmt: skip
            return False
    return list(a) == list(b)


@pytest.fixture(scope="module")
def pool() -> Iterator[Any]:
    """Return two processes, for all tests of the module."""
    with processes(2) as workers:
        yield workers


def test_the_same_bits_wherever_it_runs(pool: Executor, team: DaskWorkers) -> None:
    """Here, in threads, in two processes, on Dask; failures too; each experiment once."""
    wanted = grid(START, split__parties=[4, 40], algorithm=["fedavg", "fedmedian"], seed=[0, 1])
    here = sweep(wanted, workers=0)
    assert [outcome.complete for outcome in here.values()] == [True] * 4 + [False] * 4
    assert here[wanted[-1]] == Failure(REFUSAL, "ValueError")
    assert same(record(here, wanted[0]).last, run(wanted[0]).last)
    assert not same(record(here, wanted[0]).last, record(here, wanted[2]).last)
    assert alike(here, tk.sweep([*wanted, wanted[0]], pool))
    assert alike(here, sweep(wanted, team))
    with ThreadPoolExecutor(2) as threads:
        assert alike(here, sweep(wanted, threads))
    assert sweep([]) == {}


def odd_data(kind: str) -> Dataset:
    """Make data that only this process has."""
    generator = stream(3, kind)
    X = generator.standard_normal((400, 6)) * (generator.random((400, 6)) > 0.5)
    sex = np.array(["f", "m", None, "m"] * 100, object)
    return Dataset(
        f"odd {kind}", csr_array(X) if kind == "sparse" else np.asfortranarray(X), (X[:, 0] > 0).astype(int),
        tuple("abcdef"), ("no", "yes"), Provenance("made here", "none", synthetic=True), {"sex": sex},
        {"client": np.repeat(np.arange(8), 50)}, generator.random(400) > 0.7, notes={"odd": (1, None)},
    )  # fmt: skip


def test_data_of_this_process_get_to_workers(pool: Executor, team: DaskWorkers, tmp_path: Path) -> None:
    """Added ones, sparse or with missing groups; a file's, though it is gone; anew when they are replaced."""
    wanted = []
    for kind in ("dense", "sparse"):
        datasets.add(odd_data(kind))
        wanted.append(Experiment(f"odd {kind}", use("by_group", group="client"), "fedavg", "logistic", rounds=2))
    table = tmp_path / "own.csv"
    table.write_text("age,paid\n" + "".join(f"{i * i % 17},{'yes' if i % 3 else 'no'}\n" for i in range(200)))
    wanted.append(Experiment(use("csv", path=str(table), target="paid"), use("iid", parties=2), "fedavg", "logistic",
                             rounds=2))  # fmt: skip
    here = sweep(wanted, workers=0)
    table.unlink()
    assert all(each.complete for each in here.values()), here
    assert record(here, wanted[0]).groups["sex"].sum() > 0
    assert alike(here, sweep(wanted, pool))
    assert alike(here, sweep(wanted, team))
    other = dataclasses.replace(odd_data("dense"), y=1 - odd_data("dense").y)
    datasets.add(other)
    now = sweep(wanted[:1], workers=0)
    assert not same(record(now, wanted[0]).last, record(here, wanted[0]).last)
    assert alike(now, sweep(wanted[:1], pool))
    assert alike(now, sweep(wanted[:1], team))


def test_the_command_on_a_scheduler_that_runs(team: DaskWorkers, tmp_path: Path) -> None:
    """By its address; the scheduler stays."""
    (tmp_path / "grid.toml").write_text(START.to_toml() + "[grid]\nseed = [0, 1]\n", encoding="utf-8")
    lines, well = spread(str(tmp_path / "grid.toml"), tmp_path, None, team.client.scheduler.address, False)
    assert well
    assert lines[0] == "2 of 2 runs ended well"
    assert team.submit(len, "ab").result() == 2


def test_what_is_kept_is_not_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bits come back; a run that is not whole is played again; a damaged file is a failure and stays."""
    wanted = grid(START, seed=[0, 1, 2, 3], split__parties=[4, 40])
    fresh = sweep(wanted, workers=0, store=tmp_path)
    assert len(list(tmp_path.glob("*/run.npz"))) == 4
    assert record(fresh, wanted[0]).experiment == store.load(file_of(tmp_path, wanted[0])).experiment
    monkeypatch.setattr(sweeping, "played", lambda content, **more: pytest.fail("played") if content["split"]
                        ["parties"] == 4 else {"kind": "ValueError", "message": REFUSAL})  # fmt: skip
    assert alike(fresh, sweep(wanted, workers=0, store=tmp_path))
    monkeypatch.undo()
    half = record(fresh, wanted[2])
    store.save(RunRecord(wanted[2], [dataclasses.replace(half.last, index=1)]), file_of(tmp_path, wanted[2]))
    file_of(tmp_path, wanted[4]).write_bytes(b"PK\x03\x04 no more")
    file_of(tmp_path, wanted[6]).write_bytes(file_of(tmp_path, wanted[0]).read_bytes())
    again = sweep(wanted, workers=0, store=tmp_path)
    assert same(record(again, wanted[2]).last, half.last)
    damaged, strange = again[wanted[4]], again[wanted[6]]
    assert isinstance(damaged, Failure)
    assert damaged.message.endswith("run.npz must be a trustkit run (format trustkit-run-1), got: a damaged file")
    assert file_of(tmp_path, wanted[4]).read_bytes() == b"PK\x03\x04 no more"
    assert isinstance(strange, Failure)
    assert strange.message.endswith(f"must be the run of {wanted[6].key}, got {wanted[0].key}")


def test_progress_is_told_and_may_stop_it(pool: Executor, tmp_path: Path) -> None:
    """With the time left, inside a run too; what has finished is in the store."""
    told: list[tuple[str, float]] = []
    wanted = grid(START, seed=range(3), split__parties=[4, 40])
    sweep(wanted, workers=0, progress=lambda *words: told.append(words))
    assert told[0] == ("0 of 6 runs", 0.0)
    assert told[-1] == ("6 of 6 runs, 3 failed", 1.0)
    assert any(words.endswith("s left") for words, _ in told)
    shares = [share for _, share in told]
    assert shares == sorted(shares)
    assert 1 / 12 in shares  # a round of two, of one run of six

    def stop(words: str, share: float) -> None:
        if share >= 0.5:
            raise Stopped

    for at, workers in enumerate((None, pool)):
        with pytest.raises(Stopped):
            sweep(wanted, workers, workers=None if workers else 0, store=tmp_path / str(at), progress=stop)
        assert 1 <= len(list((tmp_path / str(at)).glob("*/run.npz"))) <= 3

    def at_once(words: str, share: float) -> None:
        if share > 0 or words != "0 of 1 runs":
            raise Stopped

    with pytest.raises(Stopped):  # inside the one run, which is never finished
        sweep([START.change(rounds=1_000_000)], workers=0, progress=at_once)


def test_a_killed_worker_is_a_row_and_others_finish(pool: Any) -> None:
    """SIGKILL in the middle of a run; the next sweep has a new process."""
    endless, *short = [START.change(rounds=1_000_000), *grid(START, seed=[5, 6, 7])]
    struck: list[int] = []

    def strike(words: str, share: float) -> None:
        if share >= 0.75 and not struck:  # all short ones have finished
            struck.extend(pool.pids)
            for pid in struck:
                os.kill(pid, signal.SIGKILL)

    found = sweep([endless, *short], pool, progress=strike)
    assert struck
    assert found[endless] == Failure("the worker process ended before the run did: it was killed, or ran out of memory",
                                     "BrokenExecutor")  # fmt: skip
    assert all(found[each].complete for each in short)
    assert alike({each: found[each] for each in short}, sweep(short, pool))
    assert not set(pool.pids) & set(struck)


def test_what_cannot_be_is_said_before_any_work(tmp_path: Path) -> None:
    """Workers, stores, names of the main module."""
    with pytest.raises(ValueError, match=r"^workers must be at least 0, got -1$"):
        sweep([START], workers=-1)
    with pytest.raises(TypeError, match=r"^workers must be a whole number, got 1.5$"):
        sweep([START], workers=1.5)  # type: ignore[arg-type]
    with ThreadPoolExecutor(1) as threads, pytest.raises(ValueError, match=r"^workers must stay unset with an ex"):
        sweep([START], threads, workers=2)
    (tmp_path / "file").write_text("")
    with pytest.raises(FileExistsError):
        sweep([START], workers=0, store=tmp_path / "file")
    for wrong, words in ((0, "at least 1, got 0"), (True, "a whole number, got True")):
        for maker in (processes, dask):
            with pytest.raises((TypeError, ValueError), match=f"^workers must be {words}$"):
                maker(workers=wrong)
    with pytest.raises(ValueError, match=r"^workers must stay unset with the address of a scheduler, got 2$"):
        dask("tcp://127.0.0.1:1", 2)
    with pytest.raises(ValueError, match=r"^address must be that of a Dask scheduler that answers, .* got 'tcp://127"):
        dask("tcp://127.0.0.1:1", timeout=0.2)


def test_names_of_the_main_module_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Worker processes would not find them."""
    from trustkit.catalogue import MODELS

    def mine() -> None:
        """Do nothing."""

    monkeypatch.setattr(mine, "__module__", "__main__")
    monkeypatch.setitem(MODELS._entries, "mine", dataclasses.replace(MODELS["logistic"], name="mine", function=mine))
    with pytest.raises(ValueError, match=r"^model must be entered in a module that .* got 'mine' of the main module$"):
        sweep(grid(START.change(model="mine"), seed=[0, 1]), workers=2)
    assert "mine" not in DATASETS
