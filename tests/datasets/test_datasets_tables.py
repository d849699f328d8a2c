"""Tables in files of any usual kind: delimiter and header found by the stated rules, columns by name or index."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from trustkit.catalogue import DATASETS, use
from trustkit.data import Dataset
from trustkit.datasets import from_frame, load, read_csv, read_table

TABLE = [["age", "town", "paid"], ["20", "A", "no"], ["30", "B", "yes"], ["", "B", "no"], ["50", "A", "yes"]]


def _file(folder: Path, text: str | bytes, name: str = "people.csv") -> Path:
    file = folder / name
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


def _joined(delimiter: str, end: str = "", header: bool = True) -> str:
    return "".join(f"{delimiter.join(row)}{end}\n" for row in (TABLE if header else TABLE[1:]))


def _read(file: Path, **changes: Any) -> Dataset:
    return read_table(file, **{"test_size": 0, **changes})


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["", "delimiter"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress])
def test_every_delimiter_by_hand(tmp_path: Path, delimiter: str, end: str, pack: Callable[[bytes], bytes]) -> None:
    """The median of 20, 30 and 50 fills the gap; a delimiter at the end of lines adds no column and is noted."""
    file = _file(tmp_path, pack(_joined(delimiter, delimiter if end else "").encode()))
    data = _read(file)
    assert data.columns == ("age", "age is missing", "town=A", "town=B")
    assert data.X.tolist() == [[20, 0, 1, 0], [30, 0, 0, 1], [30, 1, 0, 1], [50, 0, 1, 0]]
    assert (data.y.tolist(), data.classes) == ([0, 1, 0, 1], ("no", "yes"))
    assert data.notes["labels"] == {"no": 0, "yes": 1}
    assert data.notes["missing"] == {"age": 1}
    assert data.notes["delimiter"] == delimiter
    assert data.notes["header"] is True
    assert data.notes["phantom_column"] is bool(end)
    assert data.notes["origin"] == ("age", "age", "town", "town")
    assert data.provenance.sha256 == hashlib.sha256(file.read_bytes()).hexdigest()
    assert not data.X.flags.writeable


def test_blanks_without_header(tmp_path: Path) -> None:
    """Any number of blanks, some at the end; columns are called by their index."""
    data = _read(_file(tmp_path, "T  2  8 \nI 5   12 \nT 4 11 \n"), target=0)
    assert data.columns == ("x1", "x2")
    assert data.X.tolist() == [[2, 8], [5, 12], [4, 11]]
    assert (data.y.tolist(), data.classes) == ([1, 0, 1], ("I", "T"))
    assert data.notes["delimiter"] == "blanks"


def test_a_header_may_lack_the_delimiter_at_the_end(tmp_path: Path) -> None:
    """Three names above lines that end in a comma: pandas by itself would take the first column for row names."""
    data = _read(_file(tmp_path, "a,b,t\n1,2,x,\n3,4,y,\n5,5,x,\n"))
    assert data.columns == ("a", "b")
    assert data.X.tolist() == [[1, 2], [3, 4], [5, 5]]


def test_quotes_and_other_letters(tmp_path: Path) -> None:
    """A delimiter inside quotes is none; what is not UTF-8 is read as Latin-1."""
    data = _read(_file(tmp_path, '"a,b";t\n"1";caf\xe9\n"2";th\xe9\n"2";caf\xe9\n'.encode("latin-1")))
    assert data.columns == ("a,b",)
    assert data.classes == ("café", "thé")
    assert _read(_file(tmp_path, "\ufeffa,t\n1,x\n2,y\n2,x\n")).columns == ("a",)


@pytest.mark.parametrize("target", ["t", 0, "0", -3])
def test_target_by_name_or_index(tmp_path: Path, target: str | int) -> None:
    """From either end; a name that is a number comes before an index."""
    data = _read(_file(tmp_path, "t,a,b\nx,1,2\ny,3,4\nx,3,5\n"), target=target)
    assert data.columns == ("a", "b")
    assert data.classes == ("x", "y")


def test_a_name_comes_before_an_index(tmp_path: Path) -> None:
    """The column called 1 is the first, not the second."""
    file = _file(tmp_path, "1,0,z\n5,1,x\n6,1,y\n5,2,y\n6,2,x\n")
    assert _read(file, target="1", header="yes").columns == ("0", "z=x", "z=y")


def test_task_is_what_one_says(tmp_path: Path) -> None:
    """30 whole numbers are a regression or 30 classes; text is none."""
    file = _file(tmp_path, "a,t\n" + "".join(f"{k % 4},{k + 5}\n" for k in range(30)))
    assert _read(file).task == "regression"
    assert len(_read(file, task="classification").classes) == 30
    assert _read(file, target="a", task="regression").y.tolist() == [k % 4 for k in range(30)]
    with pytest.raises(ValueError, match=r"^the target 'town' of a regression must hold numbers, got "):
        _read(_file(tmp_path, _joined(",")), target="town", task="regression")


def test_columns_that_say_nothing_are_counted(tmp_path: Path) -> None:
    """One without any value is left out, one with a single value stays, and both are named."""
    data = _read(_file(tmp_path, "a,void,same,t\n1,,7,x\n2,,7,y\n1,?,7,y\n"))
    assert data.columns == ("a", "same")
    assert data.notes["left_out"] == ("void",)
    assert data.notes["constant"] == ("same",)
    assert data.notes["missing"] == {"void": 3}


def test_an_id_is_no_feature(tmp_path: Path) -> None:
    """By name or index; one that occurs twice is named."""
    text = "id,a,t\np1,1,x\np2,2,y\np3,1,y\n"
    for id in ("id", 0):
        data = _read(_file(tmp_path, text), id=id)
        assert data.columns == ("a",)
        assert data.notes["id"] == "id"
    with pytest.raises(ValueError, match=r"^id 'id' must tell rows apart, got p1 more than once$"):
        _read(_file(tmp_path, text.replace("p3", "p1")), id="id")
    with pytest.raises(ValueError, match=r"^id must be another column than the target, got 't'$"):
        _read(_file(tmp_path, text), id="t")


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("a,c,t\n" + "1,p,x\n2,q,y\n2,p,x\n" * 7, {}),
        ("a,c,t\n" + "1,7,x\n2,8,y\n2,7,x\n" * 7, {}),
        ("a,c,t\n" + "1,7,0\n2,8,1\n2,7,0\n" * 7, {}),
        ("a,c,t\n" + "".join(f"1,{k / 4},{k / 4}\n" for k in range(30)), {}),
        ("a,c,t\n" + "".join(f"{k % 2},{k % 3 + k // 1500},{k % 3}\n" for k in range(1500)), {}),
    ],
)
def test_labels_in_the_features_are_refused(tmp_path: Path, text: str, changes: dict[str, Any]) -> None:
    """Under other names, as other numbers, or as the same numbers of a regression; left out they do no harm."""
    file = _file(tmp_path, text)
    with pytest.raises(ValueError, match=r"^features must not tell the target, got 'c', which has the values of 't'; "):
        _read(file, **changes)
    assert _read(file, leave_out=("c",), missing="category").columns[0] == "a"
    assert _read(file, leave_out="c", **changes).columns == ("a",)


def test_few_rows_may_agree_by_chance(tmp_path: Path) -> None:
    """From 20 rows on it is no chance any more; a data frame is judged by the same rule."""
    frame = pd.DataFrame({"a": range(20), "c": ["p", "q"] * 10, "t": ["x", "y"] * 10})
    assert from_frame(frame[:19], target="t").columns[0] == "a"
    with pytest.raises(ValueError, match=r"^features must not tell the target, got 'c'"):
        from_frame(frame, target="t")
    with pytest.raises(ValueError, match=r"^features must not tell the target, got 'c'"):
        from_frame(frame, target="t", sensitive=["c"])
    assert from_frame(frame, target="t", sensitive=["c"], keep_sensitive=False).columns == ("a",)


def test_what_is_nearly_the_target_is_a_feature(tmp_path: Path) -> None:
    """It differs in row 1,200 only, after the rows that are looked at first."""
    rows = [f"{k % 2},{k % 3},{k % 3}" for k in range(1500)]
    rows[1200] = "0,1,0"
    assert _read(_file(tmp_path, "a,c,t\n" + "\n".join(rows) + "\n")).columns == ("a", "c")


def test_parquet_and_npz(tmp_path: Path) -> None:
    """The same table thrice; the content says what a file is, not its name."""
    frame = pd.DataFrame({"a": [1.0, 2.0, 1.0], "b": ["u", "v", "v"], "t": ["x", "y", "y"]})
    frame = frame.assign(b=["u", "v", "u"], t=["x", "y", "y"])
    parquet, npz, pairs = tmp_path / "one.data", tmp_path / "two.data", tmp_path / "three.npz"
    frame.to_parquet(parquet)
    with npz.open("wb") as stream:
        np.savez_compressed(stream, a=[1.0, 2.0, 1.0], b=["u", "v", "u"], t=["x", "y", "y"])
    expected = [[1, 1, 0], [2, 0, 1], [1, 1, 0]]
    for file in (parquet, npz):
        data = _read(file)
        assert data.columns == ("a", "b=u", "b=v")
        assert data.X.tolist() == expected
        assert data.y.tolist() == [0, 1, 1]
    np.savez(pairs, X=np.array(expected), y=np.array([5, 9, 9]), columns=np.array(["p", "q", "r"]))
    data = _read(pairs)
    assert (data.columns, data.classes, data.X.tolist()) == (("p", "q", "r"), ("5", "9"), expected)
    np.savez(pairs, X=np.array(expected), y=np.array([5, 9, 9]))
    assert _read(pairs).columns == ("x0", "x1", "x2")


def test_parquet_needs_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it: one sentence that says how to get it."""
    pd.DataFrame({"a": [1], "t": ["x"]}).to_parquet(tmp_path / "one.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(
        ValueError, match=r"^reading Parquet needs pyarrow, got none: pip install 'trustkit\[parquet\]'$"
    ):
        _read(tmp_path / "one.parquet")


NPZ: list[tuple[dict[str, Any], str]] = [
    ({"X": np.eye(3), "y": np.zeros(2)}, "must hold X (n, m), y (n,) and perhaps columns (m,), got X (3, 3), y (2,)"),
    ({"X": np.eye(3)}, "must hold X (n, m), y (n,) and perhaps columns (m,), got X (3, 3)"),
    ({"a": np.zeros(3), "t": np.zeros(2)}, "must hold X and y, or equally long columns, got a (3,), t (2,)"),
    ({"a": np.array([{}])}, "must be an NPZ file of plain arrays, got: an array of objects"),
]  # fmt: skip


@pytest.mark.parametrize(("arrays", "message"), NPZ)
def test_npz_that_is_no_table(tmp_path: Path, arrays: dict[str, Any], message: str) -> None:
    """Shapes that do not fit, and Python objects, which are never loaded."""
    file = tmp_path / "a.npz"
    np.savez(file, **arrays)
    with pytest.raises(ValueError) as caught:
        _read(file)
    assert str(caught.value) == f"{file} {message}"


BAD = [
    ("", {}, "FILE must have rows, got an empty file"),
    ("t\nx\ny\n", {}, "FILE must have two columns or more, got one"),
    ("a,b,t\n1,2,x\n1,2\n", {}, "FILE must have as many cells in every line, got 3 in line 1 and 2 in line 3 "
                                "(delimiter ',')"),
    ("a,t\n1,x\n", {"delimiter": ";"}, "FILE must have two columns or more, got one"),
    ("a,a,t\n1,2,x\n3,4,y\n", {}, "column names of FILE must differ, got a more than once"),
    (b"\x00\x01\x02", {}, "FILE must be a text file of cells, Parquet or NPZ, got other bytes"),
    (gzip.compress(b"a,t\n1,x\n", mtime=0)[:-9], {}, "FILE must be a whole file, got: Compressed file ended before the "
                                            "end-of-stream marker was reached"),
    (b"PK\x03\x04", {}, "FILE must be an NPZ file of plain arrays, got: File is not a zip file"),
    ("a,t\n1,x\n2,y\n2,x\n", {"delimiter": ":"}, "delimiter must be 'auto' or one of '\\t', ';', '|', ',', 'blanks', "
                                                "got ':'"),
    ("a,t\n1,x\n2,y\n2,x\n", {"header": True}, "header must be 'auto', 'yes' or 'no', got True"),
    ("a,t\n1,x\n2,y\n2,x\n", {"task": "rank"}, "task must be 'auto', 'classification' or 'regression', got 'rank'"),
    ("a,t\n1,x\n2,x\n", {}, "the target 't' must have two classes or more, got x"),
    ("a,t\n1,x\ninf,y\n1,y\n", {}, "column 'a' must be finite, got infinity in 1 rows"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "changes", "message"), BAD)
def test_what_is_wrong_is_said(tmp_path: Path, text: str | bytes, changes: dict[str, Any], message: str) -> None:
    """One sentence: the file or argument, the rule, what came."""
    file = _file(tmp_path, text)
    with pytest.raises(ValueError) as caught:
        _read(file, **changes)
    assert str(caught.value) == message.replace("FILE", str(file))


def test_lines_that_are_too_long_far_below(tmp_path: Path) -> None:
    """After the 200 lines of the rule: the line is named all the same."""
    file = _file(tmp_path, "a,t\n" + "1,x\n2,y\n" * 200 + "1,x,3\n")
    with pytest.raises(
        ValueError, match=r"must be a table of 2 columns, got: .* Expected 2 fields in line 402, saw 3$"
    ):
        _read(file)
    file = _file(tmp_path, "1,x,\n2,y,\n" * 200 + "1,x,3\n")
    with pytest.raises(ValueError, match=r"must have nothing behind the last delimiter, got 3\.0$"):
        _read(file)


def test_names_that_are_not_there(tmp_path: Path) -> None:
    """The known ones are listed, the first 20 of many."""
    file = _file(tmp_path, _joined(","))
    with pytest.raises(
        KeyError, match=r"target must be a column's name or index, got 'wage'; known are age, town, paid"
    ):
        _read(file, target="wage")
    with pytest.raises(KeyError, match="target must be a column's name or index, got 3; known are"):
        _read(file, target=3)
    with pytest.raises(KeyError, match="leave_out must be a column's name or index, got 'wage'"):
        _read(file, leave_out=("wage",))
    wide = _file(tmp_path, ",".join(["1"] * 30) + "\n")
    with pytest.raises(KeyError, match="x18, x19 and 10 more"):
        _read(wide, target="t")


def test_a_path_that_does_not_exist_fails_at_once() -> None:
    """However large it would be."""
    with pytest.raises(ValueError, match=r"^there is no file '/no/such/10GB\.csv'$"):
        read_table("/no/such/10GB.csv")


def test_by_name_in_the_catalogue(tmp_path: Path) -> None:
    """With attributes and clients, as from a CSV file."""
    file = _file(tmp_path, "age\tsex\tstate\tpaid\n20\tf\tA\tno\n30\tm\tB\tyes\n40\tm\tB\tno\n")
    wanted = use("table", path=str(file), sensitive=["sex"], client="state", test_size=0)
    for data in (load("table", **wanted.args), DATASETS.call(wanted)):
        assert data.columns == ("age", "sex=f", "sex=m")
        assert data.sensitive["sex"].tolist() == ["f", "m", "m"]
        assert data.groups["state"].tolist() == ["A", "B", "B"]


@pytest.mark.parametrize(
    "page", ["<!DOCTYPE html><title>403</title>", "\n <HTML><body>", "<?xml version='1.0'?>", "<!-- -->"]
)
@pytest.mark.parametrize("name", ["people.csv", "people.parquet", "people.csv.gz"])
def test_a_page_in_a_tables_place_is_called_one(tmp_path: Path, page: str, name: str) -> None:
    """By every reader, whatever the file is called and whether it is packed."""
    file = _file(tmp_path, gzip.compress(page.encode()) if name.endswith("gz") else page, name)
    kind = "XML" if "xml" in page else "HTML"
    for read in (read_csv, read_table):
        with pytest.raises(ValueError, match=rf"people\.\S+ must be a table, got an {kind} page$"):
            read(file, target="paid")


def test_a_column_of_markup_is_no_page(tmp_path: Path) -> None:
    """A name that begins with "<" is a name."""
    assert read_csv(_file(tmp_path, "<20,paid\n1,no\n2,yes\n"), target="paid", test_size=0).columns == ("<20",)
