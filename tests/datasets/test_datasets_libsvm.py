"""LIBSVM's format: small files by hand, scikit-learn's reader as oracle, and what is wrong said with its line."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import tempfile
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from trustkit import data as nouns
from trustkit.catalogue import use
from trustkit.datasets import lines as reading
from trustkit.datasets import load, read_libsvm, read_vehicle
from trustkit.datasets.labels import numbered
from trustkit.experiment import Experiment
from trustkit.rounds import build

SMALL = "# a comment\n+1 2:0.5 4:-2 # why\n\n-1 1:3\n+1\n-1 4:1e-1 5:0\n"


def _file(folder: Path, text: str | bytes, name: str = "small.svm") -> Path:
    file = folder / name
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


def test_a_small_file_by_hand(tmp_path: Path) -> None:
    """Three of 4 × 5 cells are filled: sparse; index 5 occurs, though with a zero, which is not stored."""
    file = _file(tmp_path, SMALL)
    data = read_libsvm(file, test_size=0)
    assert isinstance(data.X, csr_array)
    assert data.X.toarray().tolist() == [[0, 0.5, 0, -2, 0], [3, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0.1, 0]]
    assert data.X.nnz == 4
    assert data.columns == ("x1", "x2", "x3", "x4", "x5")
    assert (data.y.tolist(), data.classes) == ([1, 0, 1, 0], ("-1", "1"))
    assert data.notes == {"labels": {"-1": 0, "1": 1}, "first_index": 1, "filled": 4 / 20}
    assert data.name == "small"
    assert data.provenance.source == str(file)
    assert data.provenance.licence == "the user's own"
    assert data.provenance.sha256 == hashlib.sha256(file.read_bytes()).hexdigest()
    assert not any(part.flags.writeable for part in (data.X.data, data.X.indices, data.X.indptr, data.y))


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_packed_files_whatever_their_name(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    """The first bytes say how a file is packed."""
    data = read_libsvm(_file(tmp_path, pack(SMALL.encode())), test_size=0)
    assert data.X.toarray().sum() == 0.5 - 2 + 3 + 0.1


def test_indices_count_from_zero_if_zero_occurs(tmp_path: Path) -> None:
    """In either file."""
    file, other = _file(tmp_path, "1 1:5\n2 2:6\n"), _file(tmp_path, "1 0:7\n", "small.t")
    assert read_libsvm(file, test_size=0).X.toarray().tolist() == [[5, 0], [0, 6]]
    both = read_libsvm(file, other)
    assert both.X.toarray().tolist() == [[0, 5, 0], [0, 0, 6], [7, 0, 0]]
    assert both.columns == ("x0", "x1", "x2")
    assert both.notes["first_index"] == 0


def test_rows_of_a_second_file_are_held_out(tmp_path: Path) -> None:
    """Padded to the wider of the two; the labels of both make the classes; the checksum is over both."""
    files = [_file(tmp_path, "a 1:1\nb 2:1\n"), _file(tmp_path, "c 4:1\na 1:2\n", "small.t")]
    data = read_libsvm(files[0], files[1], test_size=0.5)
    assert data.X.toarray().tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1], [2, 0, 0, 0]]
    assert data.held_out.tolist() == [False, False, True, True]
    assert (data.y.tolist(), data.classes) == ([0, 1, 2, 0], ("a", "b", "c"))
    sums = [hashlib.sha256(file.read_bytes()).hexdigest() for file in files]
    assert data.provenance.sha256 == hashlib.sha256("".join(sums).encode()).hexdigest()
    assert data.provenance.source == f"{files[0]}, {files[1]}"


def test_test_rows_by_share_and_seed(tmp_path: Path) -> None:
    """The same share of both classes; another seed, other rows."""
    file = _file(tmp_path, "".join(f"{1 if i % 2 else -1} {i % 7 + 1}:1\n" for i in range(200)))
    draws = [read_libsvm(file, test_size=0.25, seed=seed) for seed in (0, 0, 1)]
    assert np.bincount(draws[0].y[draws[0].held_out]).tolist() == [25, 25]
    assert np.array_equal(draws[0].held_out, draws[1].held_out)
    assert not np.array_equal(draws[0].held_out, draws[2].held_out)


@pytest.mark.parametrize(
    ("text", "classes"),
    [
        ("1 0.5 3\n2 2 1\n1 4 5\n", ("1", "2")),
        ("cat,0.5,3\ndog,2,1\ncat,4,5\n", ("cat", "dog")),
        ("1\t0.5\t3\t\n2\t2\t1\t\n1\t4\t5\t\n", ("1", "2")),
    ],
)
def test_lines_without_indices(tmp_path: Path, text: str, classes: tuple[str, ...]) -> None:
    """All cells are filled, so X is an array, unless a sparse one is asked for."""
    data = read_libsvm(_file(tmp_path, text), test_size=0)
    assert not data.sparse
    assert data.X.tolist() == [[0.5, 3], [2, 1], [4, 5]]
    assert (data.classes, data.columns) == (classes, ("x1", "x2"))
    assert read_libsvm(_file(tmp_path, text), test_size=0, dense=False).sparse


def test_more_than_half_filled_makes_an_array(tmp_path: Path) -> None:
    """Half is not more than half."""
    half, more = "1 1:1\n2 2:1\n", "1 1:1 2:1\n2 2:1\n"
    assert read_libsvm(_file(tmp_path, half), test_size=0).sparse
    assert not read_libsvm(_file(tmp_path, more), test_size=0).sparse
    assert read_libsvm(_file(tmp_path, more), test_size=0, dense=False).sparse
    assert read_libsvm(_file(tmp_path, half), test_size=0, dense=True).X.tolist() == [[1, 0], [0, 1]]
    wide = read_libsvm(_file(tmp_path, half), test_size=0, columns=5, precision="float32")
    assert wide.X.shape == (2, 5)
    assert wide.X.dtype == np.float32


@pytest.mark.parametrize(
    ("labels", "task", "classes"),
    [
        (["-1", "+1"], "auto", ("-1", "1")),
        ([str(k) for k in range(1, 27)], "auto", tuple(str(k) for k in range(1, 27))),
        ([str(k) for k in range(1922, 2011)], "auto", ()),
        ([str(k) for k in range(1922, 2011)], "classification", tuple(str(k) for k in range(1922, 2011))),
        ([str(k / 2) for k in range(20)], "auto", None),
        ([str(k / 2) for k in range(21)], "auto", ()),
        (["1", "2"], "regression", ()),
        (["10", "9", "x"], "auto", ("10", "9", "x")),
        (["10", "9", "9.0"], "auto", ("9", "10")),
    ],
)
def test_what_labels_are(labels: list[str], task: Any, classes: tuple[str, ...] | None) -> None:
    """Words, ±1, up to 20 numbers and 1 … C are classes; years are a regression, unless one says otherwise."""
    y, found, mapping = numbered(np.array([label.encode() for label in labels]), task)
    assert classes is None or found == classes
    if found:
        assert [float(found[k]) == float(label) if label != "x" and "x" not in labels else found[k] == label
                for k, label in zip(y, labels, strict=True)] == [True] * len(labels)  # fmt: skip
        assert mapping == {name: k for k, name in enumerate(found)}
    else:
        assert y.tolist() == [float(label) for label in labels]
        assert mapping == {}


@settings(derandomize=True, max_examples=25, deadline=None)
@given(st.integers(0, 2**31), st.integers(1, 30), st.integers(1, 12), st.booleans(), st.integers(8, 60))
def test_scikit_learn_reads_the_same(seed: int, n: int, m: int, zero_based: bool, piece: int) -> None:
    """Written by scikit-learn, read by both, ours in pieces of a few bytes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, m)).round(3) * (rng.random((n, m)) < 0.4)
    X[0, 0] = 1.0  # so that both see where indices begin
    y = np.arange(n) % 2 if n > 1 else np.array([0])
    buffer = io.BytesIO()
    dump_svmlight_file(X, y, buffer, zero_based=zero_based)
    expected, labels = load_svmlight_file(io.BytesIO(buffer.getvalue()), n_features=m, zero_based=zero_based)
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "PIECE", piece)
        file = _file(Path(folder), buffer.getvalue())
        data = read_libsvm(file, columns=m, task="regression", dense=False, test_size=0)
    assert np.array_equal(data.X.toarray(), expected.toarray())
    assert np.array_equal(data.y, labels)


BAD = [
    ("1 1:2\n2 3:\n", "line 2 of FILE must hold index:value with finite numbers after the label, got '3:'"),
    ("1 1:2\n2 3:4 5\n", "line 2 of FILE must hold index:value with finite numbers after the label, got '5'"),
    ("1 1:2\n\n2 :4\n", "line 3 of FILE must hold index:value with finite numbers after the label, got ':4'"),
    ("1 1:2\n2 3:4:5\n", "line 2 of FILE must hold index:value with finite numbers after the label, got '3:4:5'"),
    ("1 1:2\n2 3:\n2 4:5 6\n", "line 2 of FILE must hold index:value with finite numbers after the label, got '3:'"),
    ("1 1:x\n", "line 1 of FILE must hold index:value with finite numbers after the label, got '1:x'"),
    ("1 1:nan\n", "line 1 of FILE must hold index:value with finite numbers after the label, got '1:nan'"),
    ("1 1:2\n2 -3:4\n", "line 2 of FILE must hold index:value with finite numbers after the label, got '-3:4'"),
    ("1 1:2\n2 1.5:4\n", "line 2 of FILE must hold index:value with finite numbers after the label, got '1.5:4'"),
    ("1 qid:3 1:2\n", "line 1 of FILE must hold index:value with finite numbers after the label, got 'qid:3'"),
    ("1 1:2\n2 3:1 2:1\n", "line 2 of FILE must have rising indices, got 2 after 3"),
    ("1 1:2\n2 3:1 3:1\n", "line 2 of FILE must have rising indices, got 3 after 3"),
    ("1 1:2\n1:2 3:1\n", "line 2 of FILE must begin with one label, got '1:2'"),
    ("1 1:2\n1,2 3:1\n", "line 2 of FILE must begin with one label, got '1,2'"),
    ("1 1 2\n2 1\n", "line 2 of FILE must have 2 numbers beside the label, got 1"),
    ("1 1 2\n\n2 1 two\n", "line 3 of FILE must hold finite numbers, got 'two'"),
    ("", "FILE must have a row, got none"),
    ("# nothing\n", "FILE must have a row, got none"),
    ("1\n2\n", "FILE must have a value beside the labels, got none"),
    ("1 1:2\n1 2:2\n", "the labels must be of two classes or more, got 1"),
    (gzip.compress(b"1 1:2\n2 2:2\n", mtime=0)[:-9],
     "FILE must be a whole file, got: Compressed file ended before the end-of-stream marker was reached"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), BAD)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, text: str | bytes, message: str) -> None:
    """One sentence: the file, the line, the rule, what came."""
    file = _file(tmp_path, text)
    with pytest.raises(ValueError) as caught:
        read_libsvm(file)
    assert str(caught.value) == message.replace("FILE", str(file))


def test_a_line_far_into_a_file_has_its_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read in pieces of 100 bytes, with comments and empty lines between."""
    monkeypatch.setattr(reading, "PIECE", 100)
    file = _file(tmp_path, "1 1:2\n# c\n\n2 2:2\n" * 300 + "2 2:x\n")
    with pytest.raises(ValueError, match=r"^line 1201 of .* got '2:x'$"):
        read_libsvm(file)
    dense = _file(tmp_path, "1 1 2\n# c\n\n2 2 2\n" * 300 + "2 2 x\n")
    with pytest.raises(ValueError, match=r"^line 1201 of .* must hold finite numbers, got 'x'$"):
        read_libsvm(dense)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"path": ""}, "path must be a LIBSVM file, got ''"),
        ({"path": "/no/epsilon_normalized"}, "path must be a LIBSVM file, got '/no/epsilon_normalized'"),
        ({"test": "small.t"}, "test must be a LIBSVM file, got 'small.t'"),
        ({"task": "ranking"}, "task must be 'auto', 'classification' or 'regression', got 'ranking'"),
        ({"scaling": "log"}, "scaling must be one of standard, minmax, none, got 'log'"),
        ({"precision": "int8"}, "precision must be one of float64, float32, got 'int8'"),
        ({"test_size": 1.0}, "test_size must be at least 0 and below 1, got 1.0"),
        ({"columns": 3}, "columns must be at least 5, as many as FILE have, got 3"),
    ],
)  # fmt: skip
def test_arguments_that_do_not_fit(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    """A path that does not exist is answered at once."""
    file = _file(tmp_path, SMALL)
    with pytest.raises(ValueError) as caught:
        read_libsvm(**{"path": str(file), **changes})
    assert str(caught.value) == message.replace("FILE", str(file))


def test_an_array_is_not_made_at_any_price(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """4 rows × 5 columns of 8 bytes are 160."""
    monkeypatch.setattr(nouns, "DENSE_LIMIT", 159)
    with pytest.raises(ValueError, match=r"^small must take at most 159 bytes as a dense array, got 4 rows × 5 "
                                         r"columns = 160 bytes$"):  # fmt: skip
        read_libsvm(_file(tmp_path, SMALL), dense=True)


def test_labels_of_a_regression_are_numbers(tmp_path: Path) -> None:
    """The first that is none is named."""
    with pytest.raises(ValueError, match=r"^labels of a regression must be finite numbers, got 'a'$"):
        read_libsvm(_file(tmp_path, "a 1:1\n2 1:1\n"), task="regression")


def test_vehicle_is_a_federation_of_two(tmp_path: Path) -> None:
    """Columns 1–50 were heard, 51–100 felt; two rows suffice to see it."""
    data = read_vehicle(_file(tmp_path, "1 1:0.5 100:2\n3 50:1 51:4\n", "combined"), test_size=0)
    assert data.X.shape == (2, 100)
    assert not data.sparse
    assert [data.notes["views"][j] for j in (0, 49, 50, 99)] == ["acoustic", "acoustic", "seismic", "seismic"]
    assert data.X[:, [0, 49, 50, 99]].tolist() == [[0.5, 0, 0, 2], [0, 1, 4, 0]]
    assert data.classes == ("1", "3")
    with pytest.raises(ValueError, match=r"columns must be at least 101, .*, got 100$"):
        read_vehicle(_file(tmp_path, "1 101:1\n2 1:1\n"))


def test_a_sparse_file_is_named_by_an_experiment_and_trained_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Training gets an array of the scaled table; a table too large to be one is refused, in one sentence."""
    rows = "".join(f"{k % 2} {k % 7 + 1}:{k % 5 + 1} {k % 7 + 20}:2\n" for k in range(60))
    data = use("libsvm", path=str(_file(tmp_path, rows)))
    experiment = Experiment(data, use("iid", parties=2), use("fedavg"), "logistic", rounds=1)
    assert load("libsvm", path=data.args["path"]).sparse
    fed = build(experiment).fed
    assert isinstance(fed.data.X, np.ndarray)
    assert np.array_equal(fed.data.X, load("libsvm", path=data.args["path"]).scaled().X.toarray())
    monkeypatch.setattr(nouns, "DENSE_LIMIT", 47_999)
    with pytest.raises(ValueError, match=r"^small must take at most 47,999 bytes as a dense array, got 60 rows × 100 "
                                         r"columns = 48,000 bytes$"):  # fmt: skip
        build(experiment.change(data__columns=100))


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_a_label_among_the_features_is_refused(tmp_path: Path, task: Any) -> None:
    """Column 3 is 1 + 2y, which tells the class, but is not the number that a regression would look for."""
    lines = [f"{y} 1:{row} 3:{1 + 2 * y}" for row, y in enumerate([0, 1, 2] * 10, 1)]
    file = _file(tmp_path, "\n".join(lines))
    if task == "regression":
        assert read_libsvm(file, task=task).X.shape == (30, 3)
        file = _file(tmp_path, "\n".join(f"{y}.5 1:{row} 3:{y}.5" for row, y in enumerate([0, 1, 2] * 10, 1)))
    with pytest.raises(ValueError, match=r"^features must not tell the target, got 'x3', which has the values of the"):
        read_libsvm(file, task=task)
    few = _file(tmp_path, "\n".join(file.read_text().splitlines()[:19]), "few.svm")
    assert read_libsvm(few, task=task).X.shape == (19, 3)  # few rows may agree by chance


def test_a_label_is_looked_for_in_a_wide_sparse_table_without_filling_it(tmp_path: Path) -> None:
    """Most of 40,000 columns are empty in the first rows; as an array the table would take 480 MB."""
    lines = [f"{row % 2} {1 + 20 * row}:1 40000:{row}" for row in range(1500)]
    tracemalloc.start()
    assert read_libsvm(_file(tmp_path, "\n".join(lines))).X.shape == (1500, 40000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60e6
