"""A federated data set goes through a folder: a file for each party, a manifest, all of it or nothing."""

from __future__ import annotations

import csv
import dataclasses
import hashlib
import importlib.util
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from trustkit import handover, jsonfile
from trustkit.catalogue import use
from trustkit.data import Dataset, FederatedDataset, Provenance
from trustkit.datasets.parties import read_parties
from trustkit.handover import write_parties
from trustkit.partition import Partition
from trustkit.rng import stream

OWNER = np.array([1, 0, 2, 1, 0, -1])
FORMATS = ("csv", "parquet", "npz")


def federation(classes: tuple[str, ...] = ("no", "NA", ""), owner: np.ndarray = OWNER, **more: Any) -> FederatedDataset:
    """Return 7 rows and 6 columns of awkward numbers and names; one column belongs to nobody."""
    X = stream(0, "handover").normal(size=(7, 6)) * 10.0 ** np.arange(-9, 9, 3)
    X[0, 0], X[3, 4] = 1 / 3, np.nan
    y = np.arange(7) % len(classes) if classes else X[:, 1] / 7
    made: dict[str, Any] = {
        "sensitive": {"sex": np.array(list("fmfmfmm")), "age": np.arange(7) // 2},
        "groups": {"state": np.array(["CA", "NA", "null", "", "TX", "a,b", 'say "so"'])},
        "held_out": np.arange(7) % 3 == 2,
        "scaling": "minmax",
        "positive": 0,
        **more,
    }
    columns = ("id", "a,b", "label", "split", "ä 1", "lost")
    source = Provenance("made up", "CC0", "ab", synthetic=True, stands_in_for="a bank")
    data = Dataset("small", made.pop("X", X), y, columns, classes, source, **made)
    asked = use("correlation", parties=3, beta=0.5)
    achieved = {"beta": 0.51, "asked_beta": 0.5, "bounds": [0.1, 0.4], "definition": "paper", "seed": 3}
    return FederatedDataset(data, Partition("columns", owner, 3, asked, achieved))


def same(values: Any, others: Any) -> bool:
    """Say whether two arrays are the same, of one kind, NaN being NaN."""
    one, other = (np.asarray(v.toarray() if hasattr(v, "toarray") else v) for v in (values, others))
    return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("classes", [("no", "NA", ""), ("2", "1"), ()])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_every_party_comes_back(format: Any, classes: tuple[str, ...], dtype: type, tmp_path: Path) -> None:
    """Bit for bit, and with it whatever else the data set says of itself."""
    fed = federation(classes)
    fed = FederatedDataset(dataclasses.replace(fed.data, X=fed.data.X.astype(dtype)), fed.partition)
    read = read_parties(write_parties(fed, tmp_path / "out", format))
    places = [[j for j, view in enumerate(read.notes["views"]) if view == f"party_{k}"] for k in range(3)]
    for k, place in enumerate(places):
        assert same(read.X[:, place], fed[k].X)
        assert [read.columns[j] for j in place] == [fed.data.columns[j] for j in fed.partition.members(k)]
    assert [j for place in places for j in place] == list(range(5)), "party by party"
    assert same(read.y, fed.data.y)
    assert same(read.held_out, fed.data.held_out)
    assert read.sensitive.keys() == {"sex", "age"}
    assert all(same(read.sensitive[name], values) for name, values in fed.data.sensitive.items())
    assert all(same(read.groups[name], values) for name, values in fed.data.groups.items())
    for name in ("name", "classes", "provenance", "scaling", "positive"):
        assert getattr(read, name) == getattr(fed.data, name)
    assert read.notes["ids"].tolist() == list(range(7))
    assert same(read.X, fed.data.X[:, list(read.notes["numbers"])])
    assert not read.X.flags.writeable


def test_only_the_primary_party_gets_the_label(tmp_path: Path) -> None:
    """And the protected attributes and natural clients; the others get ids, train or test, and their columns."""
    folder = write_parties(federation(), tmp_path / "out")
    tables = [list(csv.reader((folder / f"party_{k}.csv").open(encoding="utf-8", newline=""))) for k in range(3)]
    extra = ["label_", "sensitive.sex", "sensitive.age", "group.state"]
    assert tables[0][0] == ["id_", "split_", *extra, "a,b", "ä 1"]
    assert tables[1][0] == ["id_", "split_", "id", "split"]
    assert tables[2][0] == ["id_", "split_", "label"]
    assert [row[2] for row in tables[0][1:]] == ["no", "NA", "", "no", "NA", "", "no"]
    for rows in tables:
        assert [row[:2] for row in rows[1:]] == [[str(i), "test" if i % 3 == 2 else "train"] for i in range(7)]
    assert sorted(file.name for file in tmp_path.rglob("*")) == [
        "manifest.json", "out", "party_0.csv", "party_1.csv", "party_2.csv"
    ]  # fmt: skip


def test_the_manifest_says_what_was_done(tmp_path: Path) -> None:
    """Plain JSON: the data, the split with what it achieved, and every party's columns and checksum."""
    folder = write_parties(federation(), tmp_path / "out")
    said = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert said["format"] == "trustkit-parties-1"
    assert {key: said["data"][key] for key in ("name", "rows", "columns", "task", "test_rows")} == {
        "name": "small", "rows": 7, "columns": 6, "task": "multiclass", "test_rows": 2
    }  # fmt: skip
    assert said["data"]["provenance"]["synthetic"] is True
    assert said["split"]["made_by"] == {"name": "correlation", "parties": 3, "beta": 0.5}
    assert (said["split"]["seed"], said["split"]["sizes"]) == (3, [2, 2, 1])
    assert said["split"]["achieved"]["bounds"] == [0.1, 0.4]
    assert [party["columns"] for party in said["parties"]] == [["a,b", "ä 1"], ["id", "split"], ["label"]]
    assert [party["numbers"] for party in said["parties"]] == [[1, 4], [0, 3], [2]]
    assert said["owned_by_nobody"] == ["lost"]
    for party in said["parties"]:
        assert hashlib.sha256((folder / party["file"]).read_bytes()).hexdigest() == party["sha256"]


def test_a_sparse_table_stays_sparse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As NPZ; as CSV its zeros are written out, unless they are too many."""
    X = csr_array(np.where(stream(0, "sparse").random((7, 6)) < 0.3, 2.5, 0.0))
    fed = federation(X=X)
    with np.load(write_parties(fed, tmp_path / "npz", "npz") / "party_1.npz", allow_pickle=False) as arrays:
        assert set(arrays) == {"id", "held_out", "columns", "data", "indices", "indptr", "shape"}
        assert arrays["shape"].tolist() == [7, 2]
    for format in ("npz", "csv"):
        folder = write_parties(fed, tmp_path / "again" / format, format)
        read = read_parties(folder)
        assert read.sparse == (format == "npz")
        assert same(read.X, X[:, list(read.notes["numbers"])])
    monkeypatch.setattr(handover, "MOST_CELLS", 41)
    with pytest.raises(
        ValueError, match=r"^a sparse table must have at most 41 cells to be written as csv, got 7 × 6; "
    ):
        write_parties(fed, tmp_path / "csv")
    assert not (tmp_path / "csv").exists()


def test_names_of_parties_are_kept(tmp_path: Path) -> None:
    """Those that the split gave them; files are numbered all the same."""
    fed = federation()
    named = Partition("columns", OWNER, 3, None, {"names": ["bank", "shop", "clinic"]})
    read = read_parties(write_parties(FederatedDataset(fed.data, named), tmp_path / "out"))
    assert read.notes["views"] == ("bank", "bank", "shop", "shop", "clinic")
    assert read.notes["split"]["made_by"] is None


def test_a_party_without_columns_has_a_file(tmp_path: Path) -> None:
    """With the row ids; its name is among the parties."""
    fed = federation(owner=np.array([0, 0, 2, 2, 0, 2]))
    for format in FORMATS:
        read = read_parties(write_parties(fed, tmp_path / format, format))  # type: ignore[arg-type]
        assert read.notes["parties"] == ("party_0", "party_1", "party_2")
        assert set(read.notes["views"]) == {"party_0", "party_2"}


def _rows() -> FederatedDataset:
    fed = federation()
    return FederatedDataset(fed.data, Partition("rows", np.arange(7) % 2, 2))


def _twice(what: str) -> FederatedDataset:
    fed = federation()
    names: dict[str, Any] = {"columns": tuple("aabcde"), "classes": ("a", "b", "a")}
    return FederatedDataset(dataclasses.replace(fed.data, **{what: names[what]}), fed.partition)


@pytest.mark.parametrize(
    ("fed", "format", "message"),
    [
        (federation(), "xls", r"^format must be one of csv, parquet, npz, got 'xls'$"),
        (_rows(), "csv", r"^a data set must be divided by columns to be handed over, got small, divided by rows$"),
        (_twice("columns"), "csv", r"^columns must have different names, got a more than once$"),
        (_twice("classes"), "npz", r"^classes must have different names, got a more than once$"),
    ],
)
def test_what_cannot_be_handed_over(fed: FederatedDataset, format: Any, message: str, tmp_path: Path) -> None:
    """One sentence, and nothing is written."""
    with pytest.raises(ValueError, match=message):
        write_parties(fed, tmp_path / "out", format)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    """A folder with files and a file are refused; an empty folder is filled."""
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "mine.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match=r"^folder must be new or empty, got .*used, which has files$"):
        write_parties(federation(), tmp_path / "used")
    with pytest.raises(ValueError, match=r"^folder must be new or empty, got .*mine\.txt, which is a file$"):
        write_parties(federation(), tmp_path / "used" / "mine.txt")
    with pytest.raises(ValueError, match=r"^folder must be where files can be written, got .*mine\.txt takes none$"):
        write_parties(federation(), tmp_path / "used" / "mine.txt" / "parties")
    assert [file.name for file in (tmp_path / "used").iterdir()] == ["mine.txt"]
    assert (write_parties(federation(), tmp_path / "empty") / "manifest.json").is_file()


def test_all_or_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the last step fails, neither a folder nor half of one is left."""

    def broken(*_: Any) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(jsonfile, "write_text", broken)
    with pytest.raises(OSError, match="full"):
        write_parties(federation(), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_parquet_without_its_package_is_refused_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says what to install."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(
        ValueError, match=r"^format 'parquet' needs pyarrow \(pip install 'trustkit\[parquet\]'\), got "
    ):
        write_parties(federation(), tmp_path / "out", "parquet")


def _spoil(folder: Path, how: str) -> None:
    manifest = folder / "manifest.json"
    said = json.loads(manifest.read_text(encoding="utf-8"))
    if how == "changed":
        with (folder / "party_1.csv").open("a", encoding="utf-8") as file:
            file.write("9,test,1,2\n")
    elif how == "gone":
        (folder / "party_2.csv").unlink()
    elif how == "outside":
        said["parties"][1]["file"] = "../party_1.csv"
    elif how == "format":
        said["format"] = "trustkit-parties-9"
    elif how == "rows":
        lines = (folder / "party_1.csv").read_text(encoding="utf-8").splitlines(keepends=True)
        (folder / "party_1.csv").write_text("".join(lines[:-1]), encoding="utf-8")
        said["parties"][1]["sha256"] = hashlib.sha256((folder / "party_1.csv").read_bytes()).hexdigest()
    else:
        del said[how]
    manifest.write_text(json.dumps(said), encoding="utf-8")


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("changed", r"party_1\.csv must be as it was written \(sha256 [0-9a-f]{8}…\), got [0-9a-f]{8}…$"),
        ("gone", r"out must hold the file that its manifest names, got no party_2\.csv$"),
        ("outside", r"out must hold the file that its manifest names, got no \.\./party_1\.csv$"),
        ("format", r"manifest\.json must be a manifest of parties \(format trustkit-parties-1\)$"),
        ("rows", r"party_1\.csv must have the rows of party_0\.csv, got other ids$"),
        ("data", r"manifest\.json must be a manifest of parties, got: KeyError\('data'\)$"),
    ],
)
def test_a_spoilt_folder_is_refused(how: str, message: str, tmp_path: Path) -> None:
    """What the manifest says is checked before anything is believed."""
    folder = write_parties(federation(), tmp_path / "out")
    _spoil(folder, how)
    with pytest.raises(ValueError, match=message):
        read_parties(folder)
