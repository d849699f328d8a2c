"""Loading by name, a CSV file as a catalogue entry, and data sets of one's own."""

from __future__ import annotations

import dataclasses
import hashlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from trustkit.catalogue import DATASETS, use
from trustkit.data import Dataset
from trustkit.datasets import add, from_frame, load, names, read_csv

TABLE = "age,sex,town,paid\n20,f,A,no\n,m,B,yes\n40,m,B,yes\n"


def _own(name: str) -> Dataset:
    return from_frame(pd.DataFrame({"age": [20, 30], "paid": ["no", "yes"]}), "paid", name=name)


def test_csv_by_name_and_by_function(tmp_path: Path) -> None:
    """The same file through `read_csv`, `load` and the catalogue; provenance is the file's."""
    file = tmp_path / "people.csv"
    file.write_text(TABLE)
    called = read_csv(str(file), target="paid", sensitive=("sex",), client="town", test_size=0)
    wanted = use("csv", path=str(file), target="paid", sensitive=["sex"], client="town", test_size=0)
    for data in (called, load("csv", **wanted.args), DATASETS.call(wanted)):
        assert data.name == "people"
        assert data.columns == ("age", "age is missing", "sex=f", "sex=m")
        assert data.X.tolist() == [[20, 0, 1, 0], [30, 1, 0, 1], [40, 0, 0, 1]]
        assert (data.y.tolist(), data.classes) == ([0, 1, 1], ("no", "yes"))
        assert data.sensitive["sex"].tolist() == ["f", "m", "m"]
        assert data.groups["town"].tolist() == ["A", "B", "B"]
        assert data.provenance.source == str(file)
        assert data.provenance.sha256 == hashlib.sha256(file.read_bytes()).hexdigest()


def test_csv_errors(tmp_path: Path) -> None:
    """No file, no address on the net, no empty file."""
    with pytest.raises(ValueError, match="path must be a CSV file, got ''"):
        read_csv()
    with pytest.raises(ValueError, match=r"path must be a CSV file, got 'https://example\.org/a\.csv'"):
        read_csv("https://example.org/a.csv", target="a")
    empty = tmp_path / "empty.csv"
    empty.write_text("")
    with pytest.raises(ValueError, match=r"empty.csv must be a table of comma-separated values"):
        read_csv(str(empty), target="a")
    with pytest.raises(ValueError, match="csv has no parameter 'colour'; it takes path, target"):
        load("csv", colour="red")


def test_load_remembers_and_protects() -> None:
    """The same object again, and nobody can write into it."""
    data = load("breast_cancer")
    assert load("breast_cancer") is data
    with pytest.raises(ValueError, match="read-only"):
        data.X[0, 0] = 1
    acs = load("acs_employment")
    assert not any(a.flags.writeable for a in (acs.y, acs.held_out, *acs.sensitive.values(), *acs.groups.values()))


def test_unknown_name_lists_the_known() -> None:
    """And offers the nearest."""
    with pytest.raises(KeyError, match="there is no data set 'leter'; did you mean 'letter'"):
        load("leter")


def test_add_enters_a_data_set_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """It can be replaced; a data set of trustkit's cannot; the user's own arrays stay writable."""
    monkeypatch.setattr(DATASETS, "_entries", dict(DATASETS._entries))  # other tests see the catalogue as it was
    first = _own("test people")
    add(first)
    assert "test people" in names()
    assert np.array_equal(load("test people").X, first.X)
    assert first.X.flags.writeable
    add(dataclasses.replace(first, X=first.X + 1))
    assert np.array_equal(load("test people").X, first.X + 1)
    with pytest.raises(ValueError, match=r"name must differ .* got 'letter'"):
        add(_own("letter"))
