"""Tables of several parties joined by a key, by hand: who meets whom, whose column is whose, and what is refused."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustkit.data import Dataset
from trustkit.datasets import load, read_joined, read_movielens
from trustkit.datasets.joined import GENRES
from trustkit.split import by_views

RATED = "film,year,liked\n7,20,no\n8,30,yes\n9,31,no\n7,40,yes\n,50,no\n8,60,no\n"
IMDB = "id,year,kind,cast\n8,1999,drama,3\n7,1990,comedy,2\n11,2001,drama,9\n12,2002,war,9\n"


def _files(folder: Path, **texts: str) -> list[str]:
    for name, text in texts.items():
        (folder / f"{name}.csv").write_text(text)
    return [str(folder / f"{name}.csv") for name in texts]


def _read(files: list[str], **changes: Any) -> Dataset:
    return read_joined(files, **{"on": ("film", "id"), "target": "liked", "test_size": 0, **changes})


def test_many_rows_may_meet_one_by_hand(tmp_path: Path) -> None:
    """Film 9 is unknown, one row has no film; 11 and 12 are asked for by no row. Both have a year."""
    files = _files(tmp_path, rated=RATED, imdb=IMDB)
    data = _read(files)
    assert data.columns == ("rated.year", "imdb.year", "kind=comedy", "kind=drama", "cast")
    assert data.X.tolist() == [[20, 1990, 1, 0, 2], [30, 1999, 0, 1, 3], [40, 1990, 1, 0, 2], [60, 1999, 0, 1, 3]]
    assert (data.y.tolist(), data.classes) == ([0, 1, 1, 0], ("no", "yes"))
    assert data.notes["views"] == ("rated", "imdb", "imdb", "imdb", "imdb")
    assert data.notes["unmatched"] == {"rated": 2, "imdb": 2}
    assert data.name == "rated+imdb"
    sums = [hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in files]
    assert data.provenance.sha256 == hashlib.sha256("".join(sums).encode()).hexdigest()
    assert by_views(data).owner.tolist() == [0, 1, 1, 1, 1]
    assert not data.X.flags.writeable


def test_the_target_may_be_in_any_table_and_columns_left_out(tmp_path: Path) -> None:
    """A column that is left out is in no table."""
    files = _files(tmp_path, rated=RATED, imdb=IMDB)
    data = _read(files, target="cast", leave_out=("year",), task="classification")
    assert data.columns == ("liked=no", "liked=yes", "kind=comedy", "kind=drama")
    assert data.y.tolist() == [0, 1, 0, 1]
    assert data.notes["views"] == ("rated", "rated", "imdb", "imdb")
    assert load("joined", paths=files, on=("film", "id"), target="liked", leave_out="year").X.shape == (4, 3)


def test_three_tables_and_keys_as_text(tmp_path: Path) -> None:
    """One name for the key of all; numbers in one file are text in another."""
    files = _files(
        tmp_path, a="k,u,t\n1,5,x\n2,6,y\n3,7,x\n4,7,y\n", b="k,v\n1,1\n2,2\n3,3\nz,4\n", c="k,w\n3,9\n2,8\n1,9\n4,9\n"
    )
    data = _read(files, on="k", target="t")
    assert data.X.tolist() == [[5, 1, 9], [6, 2, 8], [7, 3, 9]]
    assert data.notes["unmatched"] == {"a": 1, "b": 1, "c": 0}
    assert _read(files, on=("k",), target="t").X.shape == (3, 3)


@settings(derandomize=True, max_examples=25, deadline=None)
@given(
    st.lists(st.integers(0, 9), min_size=4, max_size=12),
    st.lists(st.integers(0, 9), min_size=4, max_size=8, unique=True),
)
def test_pandas_joins_the_same(tmp_path_factory: pytest.TempPathFactory, left: list[int], right: list[int]) -> None:
    """An inner merge, with the counts of what its indicator calls left_only and right_only."""
    a = pd.DataFrame({"k": left, "u": np.arange(len(left)) % 3, "t": np.arange(len(left)) / 2})
    b = pd.DataFrame({"k": right, "v": np.arange(len(right))})
    merged, seen = a.merge(b, on="k"), a.merge(b, on="k", how="outer", indicator=True)["_merge"]
    files = _files(tmp_path_factory.mktemp("join"), a=a.to_csv(index=False), b=b.to_csv(index=False))
    if merged.empty:
        with pytest.raises(ValueError, match=r"^a and b must have a key in common, got none$"):
            _read(files, on="k", target="t", task="regression")
        return
    data = _read(files, on="k", target="t", task="regression")
    assert data.X.tolist() == merged[["u", "v"]].to_numpy().tolist()
    assert data.y.tolist() == merged["t"].tolist()
    assert data.notes["unmatched"] == {"a": (seen == "left_only").sum(), "b": (seen == "right_only").sum()}


@pytest.mark.parametrize(
    ("imdb", "changes", "error", "message"),
    [
        (IMDB + "8,2000,war,1\n", {}, ValueError, "a key must not occur twice in imdb, got '8'"),
        ("id,year,kind,cast\n18,1999,drama,3\n", {}, ValueError, "rated and imdb must have a key in common, got none"),
        (IMDB, {"on": "film"}, KeyError, "on, in imdb.csv, must be a column's name or index, got 'film'; known are "),
        (IMDB, {"on": ("film", "id", "x")}, ValueError, "on must be one key, or one for each of the 2 files, got 3"),
        (IMDB, {"target": "paid"}, KeyError, "target must be a column of one table, got 'paid' in none; known are "),
        (IMDB, {"target": "year"}, ValueError, "target must be a column of one table, got 'year' in rated and imdb; "),
        (IMDB, {"task": "rank"}, ValueError, "task must be 'auto', 'classification' or 'regression', got 'rank'"),
    ],
)  # fmt: skip
def test_what_does_not_fit(
    tmp_path: Path, imdb: str, changes: dict[str, Any], error: type[Exception], message: str
) -> None:
    """The table, the rule, what came."""
    with pytest.raises(error) as caught:
        _read(_files(tmp_path, rated=RATED, imdb=imdb), **changes)
    assert str(caught.value.args[0]).startswith(message)


def test_files_that_are_too_few_or_not_there(tmp_path: Path) -> None:
    """Before any is read."""
    files = _files(tmp_path, rated=RATED, imdb=IMDB)
    with pytest.raises(ValueError, match=r"^paths must be two files or more, got 1$"):
        _read(files[:1])
    with pytest.raises(ValueError, match=r"^paths must be a table, got '/no/songs\.csv'$"):
        _read([*files, "/no/songs.csv"])
    with pytest.raises(ValueError, match=r"^the files must have different names, got rated, rated$"):
        _read([files[0], files[0]])


def _movielens(folder: Path) -> Path:
    flags = {genre: k for k, genre in enumerate(GENRES)}
    films = [
        ("1", "Toys (1995)", "01-Jan-1995", "Comedy"),
        ("2", "Café (1971)", "", "Drama"),
        ("3", "Gold", "09-Feb-1996", "War"),
    ]
    items = "".join(
        "|".join(
            [film, title, released, "", f"http://x/{film}", *("1" if k == flags[genre] else "0" for k in range(19))]
        )
        + "\n"
        for film, title, released, genre in films
    )
    (folder / "u.item").write_bytes(items.encode("latin-1"))
    (folder / "u.user").write_text("1|24|M|technician|85711\n2|53|F|other|94043\n3|23|M|writer|T8H1N\n")
    (folder / "u.data").write_text(
        "2\t1\t3\t881250949\n1\t3\t5\t891717742\n1\t2\t3\t878887116\n9\t1\t4\t880606923\n2\t3\t1\t0\n"
    )
    return folder


def test_movielens(tmp_path: Path) -> None:
    """User 9 is unknown; film 2 has no date, so its row gets the median of 1995, 1996 and 1996."""
    data = read_movielens(_movielens(tmp_path), test_size=0)
    shown = {name: data.X[:, j].tolist() for j, name in enumerate(data.columns)}
    assert data.y.tolist() == [1, 2, 1, 0]
    assert data.classes == ("1", "3", "5")
    assert shown["age"] == [53, 24, 24, 53]
    assert shown["sex=F"] == [1, 0, 0, 1]
    assert shown["occupation=technician"] == [0, 1, 1, 0]
    assert shown["year"] == [1995, 1996, 1996, 1996]
    assert shown["year is missing"] == [0, 0, 1, 0]
    assert [shown[genre] for genre in ("Comedy", "Drama", "War")] == [[1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 1]]
    assert data.notes["unmatched"] == {"ratings": 1, "users": 1, "films": 0}
    assert data.notes["views"] == ("users",) * 5 + ("films",) * 21
    assert "MovieLens 100K" in data.provenance.source
    assert data.provenance.licence == "GroupLens: no redistribution"


def test_movielens_that_is_not_whole(tmp_path: Path) -> None:
    """A file that is missing, and one of another layout."""
    with pytest.raises(
        ValueError, match=r"^path must be the folder of MovieLens 100K with u.data, u.user and u.item, got "
    ):
        read_movielens(tmp_path / "nothing")
    folder = _movielens(tmp_path)
    (folder / "u.user").write_text("1|24|M\n2|53|F\n")
    with pytest.raises(ValueError, match=r"u.user must have 5 cells in every line, got 3$"):
        read_movielens(folder)
