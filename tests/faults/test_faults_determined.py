"""One experiment, one result: on any number of threads and of workers, and after going on from a file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.drawn import digest_of, drawn
from tests.faults.driving import LONG
from trustkit import store
from trustkit.catalogue import ALGORITHMS
from trustkit.experiment import Experiment
from trustkit.records import RunRecord
from trustkit.rng import stream
from trustkit.rounds import play, run
from trustkit.scale import sweep

NUMBER = 50 if LONG else 6
ROOT = Path(__file__).parents[2]
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


@pytest.fixture(scope="module")
def played() -> dict[Experiment, str]:
    """Return digests of drawn experiments, played here, in one thread."""
    return {each: digest_of(run(each)) for each in drawn(NUMBER)}


def test_what_is_drawn(played: dict[Experiment, str]) -> None:
    """Half over rows, half over columns; in the long mode nearly every algorithm; no two with the same result."""
    assert sum(each.axis == "columns" for each in played) == NUMBER // 2
    assert len(set(played.values())) == NUMBER
    if LONG:
        assert len({each.algorithm.name for each in played}) > 0.6 * len(ALGORITHMS)
        assert all(any(getattr(each, part) is not None for each in played) for part in ("privacy", "attack", "faults"))


@pytest.mark.parametrize("threads", ["1", "2"])
def test_any_number_of_threads(threads: str, played: dict[Experiment, str]) -> None:
    """In another process, whose libraries may use as many."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.drawn"], cwd=ROOT, env={**os.environ, **dict.fromkeys(THREADS, threads)},
        input=json.dumps([each.to_dict() for each in played]), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    others = [each for each, digest in zip(played, json.loads(done.stdout), strict=True) if digest != played[each]]
    assert not others


@pytest.mark.parametrize("workers", [1, 2])
def test_any_number_of_workers(workers: int, played: dict[Experiment, str]) -> None:
    """Of a sweep, whose processes are others than this."""
    found = sweep(played, workers=workers)
    others = [(each, getattr(outcome, "message", "")) for each, outcome in found.items()
              if not isinstance(outcome, RunRecord) or digest_of(outcome) != played[each]]  # fmt: skip
    assert not others


def test_going_on_from_a_file(played: dict[Experiment, str], tmp_path: Path) -> None:
    """After any round; what was played before comes from the file too."""
    others = []
    for at, (each, digest) in enumerate(played.items()):
        after = int(stream(8, "after", at).integers(1, each.rounds))
        begun = RunRecord(each, [played for played, _ in zip(play(each), range(after), strict=False)])
        begun = store.load(store.save(begun, tmp_path / "run.part.npz"))
        if digest_of(run(each, begun=begun)) != digest:
            others.append(each)
    assert not others
