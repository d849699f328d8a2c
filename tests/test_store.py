"""Runs on disk: what is saved comes back, a run goes on from it, and other files are refused in one line."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from tests.test_rounds import EXPERIMENT, same
from trustkit import jsonfile, store
from trustkit.catalogue import use
from trustkit.experiment import Experiment
from trustkit.records import RunRecord
from trustkit.rounds import play, run

TABLE = ("index", "selected", "accuracy", "loss", "bytes_up", "bytes_down", "epsilon", "seconds")

EXPERIMENTS = {
    "rows": EXPERIMENT,
    "private": EXPERIMENT.change(privacy=use("gaussian", epsilon=None, noise=2.0)),
    "groups": EXPERIMENT.change(data="acs_employment", rounds=2),
    "columns": Experiment("wine", use("importance", parties=3), use("splitnn", local=[4], top=[4]), rounds=2),
}


@pytest.mark.parametrize("kind", EXPERIMENTS)
def test_a_run_comes_back(kind: str, tmp_path: Path) -> None:
    """The experiment, every number of the table with its type, group counts, and the newest state; ∞ and NaN too."""
    record = run(EXPERIMENTS[kind])
    back = store.load(store.save(record, tmp_path / "run.npz"))
    assert back.experiment == record.experiment
    assert back.complete
    for name in TABLE:
        assert np.array_equal(back.stack(name), record.stack(name), equal_nan=name in ("accuracy", "loss"))
        assert back.stack(name).dtype == record.stack(name).dtype
    assert same(back.last, record.last)
    assert [played.state is None for played in back] == [True] * (len(record) - 1) + [False]
    assert back.groups.keys() == record.groups.keys()


@pytest.mark.parametrize("kind", EXPERIMENTS)
def test_a_run_goes_on_from_disk(kind: str, tmp_path: Path) -> None:
    """Bit for bit as if it had never been stopped, and the longer record can be saved again."""
    whole = list(play(EXPERIMENTS[kind]))
    store.save(RunRecord(EXPERIMENTS[kind], whole[:1]), tmp_path / "run.npz")
    record = store.load(tmp_path / "run.npz")
    for played in play(record.experiment, after=record.last):
        record(played)
    assert all(map(same, list(record)[1:], whole[1:]))
    again = store.load(store.save(record, tmp_path / "again.npz"))
    assert again.index.tolist() == [played.index for played in whole]
    assert same(again.last, whole[-1])


def test_a_run_without_a_round_is_refused(tmp_path: Path) -> None:
    """And no file is made."""
    with pytest.raises(ValueError, match=r"^the run has no finished round yet$"):
        store.save(RunRecord(EXPERIMENT), tmp_path / "run.npz")
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the bytes of a run of one round."""
    record = RunRecord(EXPERIMENT, [next(play(EXPERIMENT))])
    return store.save(record, tmp_path_factory.mktemp("run") / "run.npz").read_bytes()


def _npz(**arrays: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def _head(content: object) -> np.ndarray:
    return np.frombuffer(jsonfile.dumps(content).encode(), np.uint8)


def _npy() -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.arange(3))
    return buffer.getvalue()


def _objects() -> bytes:
    """Return an archive with an array that only pickle could read."""
    buffer = io.BytesIO()
    np.savez(buffer, head=np.array([{"format": "trustkit-run-1"}], object))
    return buffer.getvalue()


GARBAGE = {
    "empty": b"",
    "text": b"round,accuracy\n1,0.5\n",
    "zip magic": b"PK\x03\x04 and then nothing that is a zip file",
    "npy": _npy(),
    "no head": _npz(x=np.arange(3)),
    "head is no json": _npz(head=np.frombuffer(b"\xff{", np.uint8)),
    "head is a list": _npz(head=_head([1])),
    "head has no format": _npz(head=_head({})),
    "another format": _npz(head=_head({"format": "trustkit-run-0"})),
    "nothing but a format": _npz(head=_head({"format": "trustkit-run-1"})),
    "an array is lost": _npz(head=_head({"format": "trustkit-run-1", "arrays": ["state/params"], "experiment": {}})),
    "no experiment": _npz(head=_head({"format": "trustkit-run-1", "arrays": []})),
    "no table": _npz(head=_head({"format": "trustkit-run-1", "arrays": [], "experiment": EXPERIMENT.to_dict()})),
    "objects": _objects(),
    "unknown kind": _npz(
        head=_head({"format": "trustkit-run-1", "arrays": ["colour"], "experiment": {}}), colour=np.arange(3)
    ),
}


@pytest.mark.parametrize("kind", GARBAGE)
def test_other_files_are_refused(kind: str, tmp_path: Path) -> None:
    """A ValueError in one line that names the file, whatever is in it."""
    file = tmp_path / "run.npz"
    file.write_bytes(GARBAGE[kind])
    with pytest.raises(ValueError, match=r"run\.npz must be a trustkit run \(format trustkit-run-1\), got: ") as caught:
        store.load(file)
    assert "\n" not in str(caught.value)
    assert "pickle" not in str(caught.value)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9, 0.999])
def test_half_a_file_is_refused(saved: bytes, share: float, tmp_path: Path) -> None:
    """Wherever it was cut off."""
    file = tmp_path / "run.npz"
    file.write_bytes(saved[: int(share * len(saved))])
    with pytest.raises(ValueError, match="must be a trustkit run"):
        store.load(file)


def test_a_damaged_file_is_refused(saved: bytes, tmp_path: Path) -> None:
    """A flipped bit anywhere is noticed, or hits nothing that is read: no other exception, no other run."""
    file, whole = tmp_path / "run.npz", RunRecord(EXPERIMENT, [next(play(EXPERIMENT))])
    noticed = 0
    for place in range(0, len(saved), 3):
        damaged = bytearray(saved)
        damaged[place] ^= 1 << place % 8
        file.write_bytes(damaged)
        try:
            back = store.load(file)
        except ValueError:
            noticed += 1
        else:
            assert same(back.last, whole.last)
    assert noticed > len(saved) / 6


def test_a_missing_file_stays_a_missing_file(tmp_path: Path) -> None:
    """It is not a damaged one."""
    with pytest.raises(FileNotFoundError):
        store.load(tmp_path / "nowhere.npz")
