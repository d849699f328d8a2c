"""What a text file looks like: each rule by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from trustkit.datasets.sniff import sniff


def _file(folder: Path, text: str) -> Path:
    file = folder / "some.txt"
    file.write_text(text)
    return file


@pytest.mark.parametrize(
    ("text", "delimiter", "width", "phantom"),
    [
        ("a,b;c\n1,2;3\n", ";", 2, False),  # both fit; the semicolon comes first
        ("a b,c\n1 2,3\n1 2,3\n", ",", 2, False),
        ("a,b c\n1,2,5 3\n", "blanks", 2, False),  # the commas are not even
        ("a;b;\n1;2;\n", ";", 2, True),
        ("a;b\n1;2;\n3;4;\n", ";", 2, True),
        ("a;b;c\n1;2;\n3;4;\n", ";", 3, False),  # the empty column has a name
        ("1;2;\n3;4;5\n", ";", 3, False),
        ("1 2 \n3 4 \n", "blanks", 2, False),
        ("\n\n1,2\n\n3,4\n", ",", 2, False),
    ],
)
def test_delimiter_and_width(tmp_path: Path, text: str, delimiter: str, width: int, phantom: bool) -> None:
    """The first delimiter that divides all lines alike; one at the end of every line adds no column."""
    layout = sniff(_file(tmp_path, text))
    assert (layout.delimiter, len(layout.names), layout.phantom) == (delimiter, width, phantom)


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("a,b\n1,2\n3,4\n", True),
        ("0,1,digit\n4,5,6\n7,8,9\n", True),  # names may be numbers, if one is none
        ("T,2,8\nI,5,12\n", False),
        ("1,2\n3,4\n", False),
        ("p,x\np,y\ne,x\n", False),  # the first cell occurs again below
        ("class,cap\np,x\ne,y\n", True),  # nothing but text, and nothing occurs again
        ("a,a\np,x\ne,y\n", False),
        ("?,x\n1,y\n2,x\n", False),  # a gap is no name
        (",x\n1,y\n2,x\n", False),
        ("a,b\n,\n,\n", True),
    ],
)
def test_what_is_a_header(tmp_path: Path, text: str, header: bool) -> None:
    """By the stated rule; saying so wins."""
    file = _file(tmp_path, text)
    assert sniff(file).header is header
    assert sniff(file, header="no").header is False


def test_a_line_longer_than_the_sample(tmp_path: Path) -> None:
    """100,000 columns: the first line alone has more than 256 kB."""
    m = 100_000
    text = ",".join(f"x{j}" for j in range(m)) + "\n" + ",".join(["1"] * m) + "\n" + ",".join(["0"] * m) + "\n"
    assert len(sniff(_file(tmp_path, text)).names) == m
