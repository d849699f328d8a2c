"""Files in the layouts of the UCI repository, a few rows each, and the one letter file whose rows the package has."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trustkit.catalogue import use
from trustkit.datasets import load, read_libsvm, read_uci
from trustkit.datasets.uci import LAYOUTS, Layout


def _rows(n: int, m: int) -> list[list[int]]:
    """Return numbers that tell row and column apart."""
    return [[100 * i + j % 100 for j in range(m)] for i in range(n)]


def _write(file: Path, rows: Sequence[Sequence[object]], delimiter: str = ",", end: str = "", head: str = "") -> Path:
    file.write_text(head + "".join(delimiter.join(map(str, row)) + f"{end}\n" for row in rows))
    return file


def test_covtype(tmp_path: Path) -> None:
    """54 whole numbers, the class last: 1 … 7 become 0 … 6."""
    rows = [[*row, label] for row, label in zip(_rows(7, 54), [5, 2, 7, 1, 3, 4, 6], strict=True)]
    file = _write(tmp_path / "covtype.data", rows)
    packed = tmp_path / "covtype.data.gz"
    packed.write_bytes(gzip.compress(file.read_bytes()))
    for path in (file, packed):
        data = read_uci("covtype", path, test_size=0)
        assert data.X.tolist() == _rows(7, 54)
        assert data.y.tolist() == [4, 1, 6, 0, 2, 3, 5]
        assert data.classes == tuple("1234567")
        assert data.notes["labels"] == {str(k + 1): k for k in range(7)}
        assert (data.columns[0], data.columns[9], data.columns[10], data.columns[53]) == (
            "Elevation", "Horizontal_Distance_To_Fire_Points", "Wilderness_Area1", "Soil_Type40")  # fmt: skip
        assert data.provenance.source == f"UCI Covertype (Blackard 1998): {path}"
        assert data.provenance.licence == "CC BY 4.0"
        assert len(data.provenance.sha256) == 64
    assert not data.X.flags.writeable


def test_year_prediction_msd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The year first; the rows after the training rows are held out; an excerpt is divided by share."""
    file = _write(tmp_path / "YearPredictionMSD.txt", [[1990 + i, *row] for i, row in enumerate(_rows(10, 90))])
    data = read_uci("year_prediction_msd", file, precision="float32", test_size=0.2)
    assert data.task == "regression"
    assert data.y.tolist() == [1990 + i for i in range(10)]
    assert data.X.tolist() == _rows(10, 90)
    assert data.X.dtype == np.float32
    assert data.held_out.sum() == 2
    assert LAYOUTS["year_prediction_msd"].train == 463_715
    columns = LAYOUTS["year_prediction_msd"].columns
    monkeypatch.setitem(LAYOUTS, "year_prediction_msd", Layout("MSD", columns, "first", "regression", train=7))
    assert read_uci("year_prediction_msd", file).held_out.tolist() == [False] * 7 + [True] * 3


def test_letter_in_both_orders(tmp_path: Path) -> None:
    """UCI's file has the letter first; LIBSVM's the same numbers as x / 7.5 − 1 and the letter's number."""
    bundled = load("letter")
    X, y = bundled.X[:300].astype(int), bundled.y[:300]
    file = _write(
        tmp_path / "letter-recognition.data", [[bundled.classes[k], *row] for k, row in zip(y, X.tolist(), strict=True)]
    )
    data = read_uci("letter", file, test_size=0)
    assert np.array_equal(data.X, X)
    assert np.array_equal(data.y, y)
    assert data.columns == bundled.columns
    assert data.classes == bundled.classes
    lines = (f"{k + 1} " + " ".join(f"{j + 1}:{v / 7.5 - 1:.6g}" for j, v in enumerate(row) if v != 7.5) + "\n"
             for k, row in zip(y, X, strict=True))  # fmt: skip
    scaled = tmp_path / "letter.scale"
    scaled.write_text("".join(lines))
    other = read_libsvm(scaled, scaling="none", test_size=0)
    assert (other.name, other.task, len(other.classes)) == ("letter", "multiclass", 26)
    assert np.array_equal(other.y, y)
    assert np.allclose((other.X + 1) * 7.5, X, atol=1e-4)


def test_radar_has_two_views(tmp_path: Path) -> None:
    """98 columns of radar, 76 optical; the header is checked."""
    header = "label," + ",".join(f"f{j}" for j in range(1, 175)) + "\n"
    rows = [[i % 7 + 1, *row] for i, row in enumerate(_rows(14, 174))]
    data = read_uci("radar", _write(tmp_path / "WinnipegDataset.txt", rows, head=header), test_size=0)
    assert data.X.tolist() == _rows(14, 174)
    assert data.y.tolist() == [i % 7 for i in range(14)]
    assert data.notes["views"] == ("radar",) * 98 + ("optical",) * 76
    assert (data.columns[97], data.columns[98]) == ("f98", "f99")
    bare = _write(tmp_path / "bare.txt", rows)
    with pytest.raises(ValueError, match=r"bare.txt must begin with the header label,f1,…,f174, got '1,0,1,2,"):
        read_uci("radar", bare)


def _gisette(folder: Path, part: str, labels: Sequence[int], n: int, above: bool = False) -> None:
    folder.mkdir(exist_ok=True)
    _write(folder / f"gisette_{part}.data", _rows(n, 5000), " ", end=" ")
    _write((folder.parent if above else folder) / f"gisette_{part}.labels", [[label] for label in labels])


@pytest.mark.parametrize("above", [False, True])
def test_gisette(tmp_path: Path, above: bool) -> None:
    """Labels in files of their own, each line ends in a blank; rows for validation are held out if they are there."""
    folder = tmp_path / "GISETTE"
    _gisette(folder, "train", [1, -1, -1, 1], 4)
    data = read_uci("gisette", folder, test_size=0.5)
    assert data.X.tolist() == _rows(4, 5000)
    assert (data.y.tolist(), data.classes) == ([1, 0, 0, 1], ("-1", "1"))
    assert data.held_out.sum() == 2
    assert data.notes["phantom_column"] is True
    _gisette(folder, "valid", [-1, 1], 2, above)
    both = read_uci("gisette", folder / "gisette_train.data")
    assert both.y.tolist() == [1, 0, 0, 1, 0, 1]
    assert both.X[4:].tolist() == _rows(2, 5000)
    assert both.held_out.tolist() == [False] * 4 + [True] * 2
    assert [source.rpartition("/")[2] for source in both.provenance.source.split(", ")] == [
        "gisette_train.data", "gisette_train.labels", "gisette_valid.data", "gisette_valid.labels"]  # fmt: skip


def test_gisette_that_lacks_labels(tmp_path: Path) -> None:
    """Fewer labels than rows; no file of labels; no folder."""
    _gisette(tmp_path, "train", [1, -1, -1], 4)
    with pytest.raises(ValueError, match=r"gisette_train.labels must have one label for each of the 4 rows of "
                                         r"gisette_train.data, got 3$"):  # fmt: skip
        read_uci("gisette", tmp_path)
    (tmp_path / "gisette_train.labels").unlink()
    with pytest.raises(ValueError, match=r"^path must be the labels beside the numbers, got '.*gisette_train.labels'$"):
        read_uci("gisette", tmp_path)
    with pytest.raises(
        ValueError, match=r"^path must be a file of UCI Gisette .*, got '/no/gisette/gisette_train.data'$"
    ):
        read_uci("gisette", "/no/gisette/gisette_train.data")


def _edited(line: int, old: str, new: str) -> str:
    lines = [",".join(map(str, [*row, label])) for row, label in zip(_rows(3, 54), (1, 2, 1), strict=True)]
    assert old in lines[line - 1]
    lines[line - 1] = lines[line - 1].replace(old, new, 1)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (_edited(2, "107,", ""), "line 2 of FILE must have 54 numbers beside the label, got 53"),
        (_edited(3, "207,", ","), "line 3 of FILE must have 54 numbers beside the label, got 53"),
        (_edited(3, "207,", "207,1,"), "line 3 of FILE must have 54 numbers beside the label, got 55"),
        (_edited(2, "107,", "seven,"), "line 2 of FILE must hold finite numbers, got 'seven'"),
        (_edited(2, "107,", "nan,"), "line 2 of FILE must hold finite numbers, got 'nan'"),
        ("", "FILE must have a row, got none"),
    ],
)
def test_a_line_that_does_not_fit(tmp_path: Path, text: str, message: str) -> None:
    """Too few cells, an empty one, too many, text, none at all."""
    file = tmp_path / "covtype.data"
    file.write_text(text)
    with pytest.raises(ValueError) as caught:
        read_uci("covtype", file)
    assert str(caught.value) == message.replace("FILE", str(file))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "iris"}, "name must be one of covtype, year_prediction_msd, gisette, letter, radar, got 'iris'"),
        ({"path": ""}, "path must be a file of UCI Covertype (Blackard 1998), got ''"),
        ({"path": "/no/covtype.data"}, "path must be a file of UCI Covertype (Blackard 1998), got '/no/covtype.data'"),
        ({"test_size": -0.1}, "test_size must be at least 0 and below 1, got -0.1"),
        ({"precision": "int8"}, "precision must be float64 or float32, got 'int8'"),
    ],
)  # fmt: skip
def test_arguments_that_do_not_fit(changes: dict[str, Any], message: str) -> None:
    """Before any file is opened."""
    with pytest.raises(ValueError) as caught:
        read_uci(**{"path": "covtype.data", **changes})
    assert str(caught.value) == message


def test_by_name_in_the_catalogue(tmp_path: Path) -> None:
    """The layout's name is an argument like any other."""
    file = _write(tmp_path / "l.data", [["B", *row] for row in _rows(3, 16)] + [["A", *row] for row in _rows(3, 16)])
    wanted = use("uci", name="letter", path=str(file))
    assert load("uci", **wanted.args).classes == ("A", "B")
