"""A full disk, folders that take no files, caches that cannot be written, two at once: one sentence, nothing lost."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.faults.driving import called, ended, same_run, started, unfinished, until, whole_files
from trustkit import store, whole
from trustkit.catalogue import use
from trustkit.experiment import Experiment
from trustkit.jsonfile import write_text
from trustkit.rounds import run
from trustkit.trust.chain import verify
from trustkit.trust.events import EventLog

SMALL = Experiment("wine", use("iid", parties=3), use("fedavg", lr=0.02), "logistic", rounds=3)
WORDS = ("run", "own.toml", "--out", "out", "--quiet")


@contextmanager
def mounted(place: Path, options: str) -> Iterator[None]:
    """Mount a small file system of its own, or skip where that is not allowed: the other tests do without."""
    place.mkdir(exist_ok=True)
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("a file system can be mounted by root only")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def _limited(size: int) -> Any:
    """Return what a process does before it begins: no file may be longer than so many bytes."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def test_a_file_that_does_not_fit_leaves_the_one_before(tmp_path: Path) -> None:
    """On a disk that is full: the message names the file, and nothing else is left."""
    with mounted(tmp_path / "disk", "size=64k"):
        file = whole.write_bytes(tmp_path / "disk" / "a.txt", b"before")
        with pytest.raises(OSError, match="No space left on device") as caught:
            whole.write_bytes(file, bytes(100_000))
        assert caught.value.filename == str(file)
        assert file.read_bytes() == b"before"
        with pytest.raises(OSError, match="No space left"), whole.folder(tmp_path / "disk" / "out") as made:
            (made / "big").write_bytes(bytes(100_000))
        assert [each.name for each in (tmp_path / "disk").iterdir()] == ["a.txt"]


def test_a_run_on_a_full_disk_goes_on_when_there_is_room(tmp_path: Path) -> None:
    """Status 2, one line that names the file, what was there is whole; with room the same command ends well."""
    wanted = SMALL.change(split=use("iid", parties=40), rounds=400, model=use("mlp", hidden=[64]))
    with mounted(tmp_path / "disk", "size=100k"):
        place = tmp_path / "disk"
        (place / "own.toml").write_text(wanted.to_toml(), encoding="utf-8")
        status, _, error = ended(started(WORDS, place))
        assert (status, error.count("\n")) == (2, 1), error
        assert error.startswith("trustkit: out/own-")
        assert error.endswith(": No space left on device\n")
        left = whole_files(place)
        assert not unfinished(place)
        subprocess.run(["mount", "-o", "remount,size=64m", str(place)], check=True)
        assert called(WORDS, place) == 0
        finished = whole_files(place / "out")
    assert {Path(name).name for name in left} <= {"own.toml", "events.part.jsonl", "run.part.npz"}
    (kept,) = (each for name, each in finished.items() if name.endswith("run.npz"))
    assert same_run(kept, run(wanted))


@pytest.mark.parametrize("size", [500, 1_500, 6_000, 20_000])
def test_files_that_may_not_grow(size: int, tmp_path: Path) -> None:
    """The same without a disk of its own: whichever file is the first that does not fit, the sentence names it."""
    write_text(tmp_path / "own.toml", SMALL.to_toml())
    status, _, error = ended(started(WORDS, tmp_path, preexec_fn=_limited(size)))
    assert (status, error.count("\n")) == (2, 1), error
    assert error.startswith("trustkit: out/own-")
    assert error.endswith("File too large\n")
    whole_files(tmp_path)
    assert not unfinished(tmp_path)
    assert called(WORDS, tmp_path) == 0


def test_a_sweep_whose_store_is_full_keeps_what_was_stored(tmp_path: Path) -> None:
    """Status 2 and one line; runs that were stored are not played again."""
    grid = SMALL.to_toml() + "\n[grid]\nrounds = [1, 2, 60]\n"
    write_text(tmp_path / "grid.toml", grid)
    words = ("sweep", "grid.toml", "--workers", "0", "--out", "out", "--quiet")
    status, _, error = ended(started(words, tmp_path, preexec_fn=_limited(3_500)))
    assert (status, error.count("\n")) == (2, 1), error
    assert error.endswith("run.npz: File too large\n")
    stored = {file: file.stat().st_mtime_ns for file in tmp_path.glob("out/*/runs/*/run.npz")}
    assert len(stored) == 2
    assert called(words, tmp_path) == 0
    assert all(file.stat().st_mtime_ns == stamp for file, stamp in stored.items())


@pytest.mark.parametrize(
    "words",
    [
        WORDS,
        ("sweep", "grid.toml", "--workers", "0", "--out", "out", "--quiet"),
        ("bench", "vertibench", "--quick", "--only", "solo", "--methods", "splitnn", "--out", "out", "--quiet"),
        ("bench", "federatedtrust", "--quick", "--experiment", "1", "--out", "out", "--quiet"),
        ("pareto", "own.toml", "--vary", "participation=0.5,1", "--out", "out", "--quiet"),
        ("report", "kept", "--out", "out"),
        ("examine", "kept", "--measure", "discrimination", "--out", "out/sheet.json", "--quiet"),
        ("split", "wine", "uniform", "--parties", "3", "--out", "out"),
        ("split", "wine", "iid", "--out", "out/who.json"),
        ("audit", "adult", "--sensitive", "sex", "--models", "logistic,tree", "--out", "out", "--quiet"),
        ("score", "kept/factsheet.json", "--out", "out/report.html"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_a_place_that_takes_no_files(
    words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Read only: status 2, one line that names a file or folder there, and nothing written."""
    with mounted(tmp_path / "disk", "size=8m"):
        place = tmp_path / "disk"
        write_text(place / "own.toml", SMALL.to_toml())
        write_text(place / "grid.toml", SMALL.to_toml() + "\n[grid]\nseed = [0]\n")
        store.save(run(SMALL), place / "kept" / "run.npz")
        assert called(("report", "kept"), place) == 0
        before = whole_files(place).keys()
        subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
        capsys.readouterr()
        assert called(words, place) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1, error
        assert error.startswith("trustkit: ")
        assert "out" in error
        assert whole_files(place).keys() == before


def test_caches_that_cannot_be_written_stop_nothing(tmp_path: Path) -> None:
    """Of Matplotlib, Numba and whoever asks the home folder; boosting compiles loops, the report draws."""
    wanted = Experiment("letter", use("importance", parties=3), use("fedtree", depth=3), rounds=1)
    write_text(tmp_path / "own.toml", wanted.to_toml())
    (tmp_path / "file").touch()
    asked = ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "MPLCONFIGDIR", "NUMBA_CACHE_DIR")
    nowhere = dict.fromkeys(asked, str(tmp_path / "file" / "cache"))
    status, _, error = ended(started(WORDS, tmp_path, env=nowhere))
    assert status == 0, error
    assert "Traceback" not in error


COMPILED = """
import numpy as np
from trustkit.vertical.boosted.compiled_loops import add_up, compiled
loop = compiled(add_up, 10**9)
sums = np.zeros(8)
one, cells, at = np.ones((1, 2), np.float32), np.zeros((2, 1), np.uint8), np.zeros((1, 2), np.int32)
loop(cells, one, one, at, sums, 8)
print(sums.tolist())
"""


def test_what_is_compiled_need_not_be_kept(tmp_path: Path) -> None:
    """Numba's cache on a disk that is full: the loop adds up once, not twice."""
    with mounted(tmp_path / "disk", "size=8k"):
        (tmp_path / "disk" / "full").write_bytes(bytes(4096))
        env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "disk")}
        done = subprocess.run([sys.executable, "-c", COMPILED], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[2.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]\n"


def test_a_clock_that_jumps_back_changes_nothing(tmp_path: Path) -> None:
    """Times of a log may go back; its chain holds, and a run, a store and a cache never ask what time it is."""
    times = iter([1e9, 9e8, 8e8, 7e8, *([0.0] * 20)])
    log = EventLog("secret", tmp_path / "log.jsonl", clock=lambda: next(times))
    record = run(SMALL, observers=[log])
    log.append("target_set", accuracy=0.8)
    assert verify(tmp_path / "log.jsonl", log.head, len(log)).sound
    assert same_run(record, run(SMALL))
    write_text(tmp_path / "own.toml", SMALL.to_toml())
    code = (
        "import itertools, time\n"
        "back = itertools.count(2e9, -3600)\n"
        "time.time = lambda: next(back)\n"
        "time.time_ns = lambda: int(next(back) * 1e9)\n"
        "from trustkit.cli import main; main()"
    )
    words = [sys.executable, "-c", code, *WORDS]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for file in (tmp_path / "out").rglob("*"):  # as a disk under such a clock has them
        with suppress(OSError):
            os.utime(file, (0, 0))
    assert called(("report", *map(str, (tmp_path / "out").iterdir())), tmp_path) == 0
    assert called(WORDS, tmp_path) == 0
    (kept,) = (each for name, each in whole_files(tmp_path / "out").items() if name.endswith("run.npz"))
    assert same_run(kept, record)


def test_two_runs_of_the_same_in_one_folder(tmp_path: Path) -> None:
    """Both end well, and the files are one's: the event log is the one that the fact sheet names."""
    write_text(tmp_path / "own.toml", SMALL.change(rounds=60).to_toml())
    commands = [started(WORDS, tmp_path) for _ in range(2)]
    done = [ended(each) for each in commands]
    assert [status for status, *_ in done] == [0, 0], done
    (folder,) = (tmp_path / "out").iterdir()
    assert same_run(whole_files(folder)["run.npz"], run(SMALL.change(rounds=60)))
    assert called(("report", str(folder)), tmp_path) == 0
    assert not unfinished(tmp_path)


def test_two_sweeps_on_one_store(tmp_path: Path) -> None:
    """Both end well, with the same runs; one that is killed beside the other takes nothing with it."""
    write_text(tmp_path / "grid.toml", SMALL.to_toml() + "\n[grid]\nseed = [0, 1, 2, 3, 4, 5]\n")
    words = ("sweep", "grid.toml", "--workers", "0", "--out", "out", "--quiet")
    one, other, third = (started(words, tmp_path) for _ in range(3))
    until(lambda: any(tmp_path.glob("out/*/runs/*/run.npz")) or third.poll() is not None)
    third.kill()
    third.communicate()
    assert [ended(each)[0] for each in (one, other)] == [0, 0]
    stored = {file: content for file, content in whole_files(tmp_path / "out").items() if file.endswith(".npz")}
    assert len(stored) == 6
    assert all(same_run(each, run(each.experiment)) for each in stored.values())
