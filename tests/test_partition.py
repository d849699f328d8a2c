"""Partitions: an owner vector, its laws, and its file."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from tests.strategies import partitions, same
from trustkit import jsonfile
from trustkit.catalogue import use
from trustkit.partition import Partition, numbered


def _partition(**changes: Any) -> Partition:
    return Partition(**{"axis": "rows", "owner": np.array([0, 1, -1, 1]), "parties": 3, **changes})


@given(partitions())
def test_members_are_disjoint_and_cover_what_is_owned(partition: Partition) -> None:
    """Each index belongs to its owner and to nobody else; the sizes add up."""
    members = [partition.members(k) for k in range(partition.parties)]
    together = np.concatenate(members)
    assert sorted(together) == np.flatnonzero(partition.owner >= 0).tolist()
    assert [own.size for own in members] == partition.sizes.tolist()
    assert all((np.diff(own) > 0).all() for own in members)
    for party in (-1, 0, partition.parties - 1, partition.parties):
        assert np.array_equal(partition.members(party), np.flatnonzero(partition.owner == party))


@given(partitions())
def test_a_file_comes_back_bit_equal(partition: Partition) -> None:
    """Owner, made_by and achieved, with NaN in it or not; saving again gives the same bytes."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        file = partition.save(Path(folder) / "split.json")
        back = Partition.load(file)
        again = back.save(Path(folder) / "again.json")
        assert file.read_bytes() == again.read_bytes()
    assert back == partition
    assert back.owner.dtype == np.int64
    assert back.made_by == partition.made_by
    assert same(back.to_dict(), partition.to_dict())


def test_equality_is_that_of_the_content() -> None:
    """NaN equals NaN here: an undefined Icor is the same undefined Icor; how long a search took does not count."""
    assert _partition(achieved={"icor": math.nan}) == _partition(achieved={"icor": math.nan})
    assert _partition(achieved={"icor": math.nan}) != _partition(achieved={"icor": None})
    assert _partition(achieved={"exact": 1}) != _partition(achieved={"exact": True})
    assert _partition(achieved={"seconds": 1.0}) == _partition(achieved={"seconds": 2.0}) == _partition()
    assert _partition() != _partition(axis="columns")
    assert _partition() != _partition(owner=np.array([0, 1, 1, 1]))
    assert _partition() != _partition(made_by=use("iid"))
    assert _partition() != "a partition"


def test_the_owner_is_a_read_only_copy() -> None:
    """The caller's array stays writable, and writing into it changes nothing."""
    mine = np.array([0, 1, 1])
    partition = Partition("rows", mine, 2)
    mine[0] = 1
    assert partition.owner.tolist() == [0, 1, 1]
    with pytest.raises(ValueError, match="read-only"):
        partition.owner[0] = 1


@pytest.mark.parametrize(
    ("changes", "error", "text"),
    [
        ({"axis": "cells"}, ValueError, "axis must be 'rows' or 'columns', got 'cells'"),
        ({"owner": np.zeros((2, 2), int)}, ValueError, "owner must be a vector, got shape (2, 2)"),
        ({"owner": np.array([0, 3])}, ValueError, "owner must lie in -1 … 2, got 0 … 3"),
        ({"owner": np.array([-2, 0])}, ValueError, "owner must lie in -1 … 2, got -2 … 0"),
        ({"owner": np.array([0.0, 1.5])}, TypeError, "owner must hold whole numbers, got an array of float64"),
        ({"owner": np.array([True])}, TypeError, "owner must hold whole numbers, got an array of bool"),
    ],
)
def test_errors(changes: dict[str, Any], error: type[Exception], text: str) -> None:
    """The message names the thing, the rule and the value."""
    with pytest.raises(error) as caught:
        _partition(**changes)
    assert str(caught.value) == text


@pytest.mark.parametrize(
    "content",
    [[], {}, {"format": "trustkit-run-1"}, {"format": "trustkit-partition-1"},
     {"format": "trustkit-partition-1", "axis": "rows", "owner": [0], "parties": 1, "made_by": {}, "achieved": {}},
     {"format": "trustkit-partition-1", "axis": "rows", "owner": [4], "parties": 1, "made_by": None, "achieved": {}},
     {"format": "trustkit-partition-1", "axis": "rows", "owner": [0], "parties": 1, "made_by": None, "more": 1}],
)  # fmt: skip
def test_other_files_are_refused(tmp_path: Path, content: Any) -> None:
    """In one line that names the file, whatever is wrong with it."""
    file = jsonfile.write_text(tmp_path / "split.json", jsonfile.dumps(content))
    with pytest.raises(ValueError, match=r"split\.json must be a trustkit partition \(format trustkit-partition-1\)"):
        Partition.load(file)


def test_what_it_shows() -> None:
    """A line of text, and a table with one line for each row."""
    assert repr(_partition()) == "Partition(3 parties over 4 rows, 0 to 2 each)"
    assert _partition().frame().to_dict("list") == {"index": [0, 1, 2, 3], "party": [0, 1, -1, 1]}


@pytest.mark.parametrize("kind", [str, float, object, int, bool])
def test_rows_are_numbered_as_sorting_does(kind: type) -> None:
    """Few values and many, more rows than are looked at first."""
    for values in (np.arange(5000) * 7 % 4, np.arange(5000) * 7 % 311):
        column: Any = values.astype(kind)
        names, codes = np.unique(column.astype(str) if kind is object else column, return_inverse=True)
        found = numbered(column)
        np.testing.assert_array_equal(found[0], codes)
        assert found[1] == tuple(map(str, names.tolist()))


def test_what_is_missing_is_no_group() -> None:
    """None, NaN, NaT, NA and the word that loaders write."""
    import pandas as pd

    mixed = np.array(["b", None, "a", float("nan"), "missing", pd.NA, pd.NaT], object)
    assert numbered(mixed)[0].tolist() == [1, -1, 0, -1, -1, -1, -1]
    assert numbered(np.array(["missing", "f"]))[0].tolist() == [-1, 0]
    assert numbered([2.0, float("nan"), 1.0])[0].tolist() == [1, -1, 0]
    assert numbered([None, None])[1] == numbered([])[1] == numbered(["missing"])[1] == ()
