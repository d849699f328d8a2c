"""Text files of numbers: both ways of reading give the same, and pieces of any size give the same."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustkit.datasets import lines
from trustkit.datasets.labels import numbered
from trustkit.datasets.lines import floats, pieces, read_rows, starts_of
from trustkit.datasets.ondisk import existing, stem


def _file(folder: Path, text: str) -> Path:
    file = folder / "some.txt"
    file.write_text(text)
    return file


@settings(derandomize=True, max_examples=30, deadline=None)
@given(
    st.integers(1, 8),
    st.integers(1, 5),
    st.sampled_from([" ", ",", ";", "\t", "  ", ", "]),
    st.sampled_from(["first", "last", "none"]),
    st.booleans(),
    st.integers(3, 50),
)
def test_both_ways_of_reading_agree(n: int, m: int, delimiter: str, label: str, phantom: bool, piece: int) -> None:
    """By pandas at once, and piece by piece; labels are text, some with dots in them."""
    rows = [[f"{i * 1.5 - j:g}" for j in range(m)] for i in range(n)]
    names = [f"c.{i % 3}" for i in range(n)]
    cells = {"first": [[name, *row] for name, row in zip(names, rows, strict=True)],
             "last": [[*row, name] for name, row in zip(names, rows, strict=True)], "none": rows}[label]  # fmt: skip
    text = "".join(delimiter.join(row) + (delimiter if phantom else "") + "\n" for row in cells)
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        file = _file(Path(folder), text)
        quick = read_rows(file, label)  # type: ignore[arg-type]
        patch.setattr(lines, "_quickly", lambda *args: None)
        patch.setattr(lines, "PIECE", piece)
        slow = read_rows(file, label)  # type: ignore[arg-type]
    for found in (quick, slow):
        assert found.X.tolist() == [[float(cell) for cell in row] for row in rows]
        assert [name.decode() for name in found.labels] == (names if label != "none" else [])
        assert found.phantom is phantom


@settings(derandomize=True, max_examples=30, deadline=None)
@given(st.lists(st.text("ab \r", max_size=6), max_size=8), st.integers(1, 9))
def test_pieces_are_the_lines(text: list[str], piece: int) -> None:
    """Whatever their size; each piece knows the number of its first line."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "PIECE", piece)
        file = Path(folder) / "some.txt"
        file.write_bytes("\n".join(text).encode())
        found = list(pieces(file))
    whole = [line for _, part in found for line in part]
    expected = "\n".join(text).encode().split(b"\n")
    assert whole == (expected if expected[-1] else expected[:-1])
    assert [number for number, _ in found] == [1 + sum(len(part) for _, part in found[:i]) for i in range(len(found))]


@pytest.mark.parametrize(
    "text", [b"1 2 x", b"1 2.5abc", b"1 nan 2", b"1 inf 2", b"1 2", b"1 2 3 4", b" ", b"1 0x10 2", b"1 1_0 2"]
)
def test_what_is_not_three_finite_numbers(text: bytes) -> None:
    """Too few, too many, text, no number, hexadecimal."""
    assert floats(text, 3) is None


def test_words_by_hand() -> None:
    """Tabs and line feeds are blanks too; an empty text has one line without a word."""
    starts, counts = starts_of(b" a\tbb \n\n c")
    assert (starts.tolist(), counts.tolist()) == ([1, 3, 9], [2, 0, 1])
    starts, counts = starts_of(b"")
    assert (starts.tolist(), counts.tolist()) == ([], [0])


def test_a_file_is_no_folder_and_no_address(tmp_path: Path) -> None:
    """The argument is called by its name; a name that starts with a dot is kept."""
    for path in (tmp_path, "https://example.org/a.csv", ""):
        with pytest.raises(ValueError, match=r"^test must be a file, got "):
            existing(path, "a file", "test")
    assert [stem(Path(name)) for name in ("a/b.c.gz", ".hidden", "plain")] == ["b", ".hidden", "plain"]


def test_classes_need_two_labels() -> None:
    """And a task that is known."""
    with pytest.raises(ValueError, match=r"^the labels must be of two classes or more, got 7$"):
        numbered(np.array([b"7", b"7.0"]))
    with pytest.raises(ValueError, match=r"^the labels must be of two classes or more, got none$"):
        numbered(np.array([], bytes), "classification")
    with pytest.raises(ValueError, match=r"^task must be 'auto', 'classification' or 'regression', got 'x'$"):
        numbered(np.array([b"7"]), "x")  # type: ignore[arg-type]
