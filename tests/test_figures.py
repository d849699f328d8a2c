"""A figure's files: readable by whoever opens them, and small enough for a link."""

from __future__ import annotations

import base64
import io
import struct
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from trustkit import export, figures, plot

KEY = "1a2b3c4d5e6f"
SVG = "{http://www.w3.org/2000/svg}"


def radar() -> Figure:
    """A picture with a word that SVG must hold as text."""
    return plot.pillar_radar({"privacy": 0.25, "fair <& square>": 0.5, "c": None})


def test_three_files_by_name() -> None:
    """Named after the run and the view, in the order in which people ask for them."""
    names = [file.name for file in figures.files_of(radar(), "radar", KEY)]
    assert names == [f"trustkit_1a2b3c4d_radar.{suffix}" for suffix in ("svg", "png", "csv")]


def test_the_svg_parses_and_has_text() -> None:
    """Words stay words, on white, without a date and without a reference to elsewhere."""
    content = figures.files_of(radar(), "radar", KEY)[0].content
    root = ET.fromstring(content)
    words = "".join("".join(node.itertext()) for node in root.iter(f"{SVG}text"))
    assert "privacy" in words
    assert "fair" in words
    assert "0.25" in words
    assert b"<dc:date>" not in content
    assert b"fill: #ffffff" in content  # on white: black words can be read in a dark viewer too
    assert content == figures.files_of(radar(), "radar", KEY)[0].content


def test_the_png_has_192_dots_an_inch() -> None:
    """As its own header says, and in pixels; white, not see-through."""
    from PIL import Image

    figure = radar()
    content = figures.files_of(figure, "radar", KEY)[1].content
    at = content.index(b"pHYs") + 4
    across, up, unit = struct.unpack(">IIB", content[at : at + 9])
    assert unit == 1
    assert round(across * 0.0254) == round(up * 0.0254) == 192 == export.DOTS
    with Image.open(io.BytesIO(content)) as picture:
        assert picture.size == tuple(int(192 * inches) for inches in figure.get_size_inches())
        assert picture.convert("RGBA").getpixel((0, 0)) == (255, 255, 255, 255)


def test_the_csv_is_the_table() -> None:
    """As `trustkit.plot.to_csv`."""
    figure = radar()
    assert figures.files_of(figure, "radar", KEY)[2].content.decode() == plot.to_csv(figure)


def test_making_files_leaves_the_figure_as_it_was() -> None:
    """A panel goes on drawing on it."""
    figure = radar()
    before = plot.to_svg(figure, "a")
    figures.files_of(figure, "radar", KEY)
    assert plot.to_svg(figure, "a") == before


def test_links_hold_their_files() -> None:
    """Read back byte for byte."""
    for file in figures.files_of(radar(), "radar", KEY):
        head, _, body = file.url.partition(",")
        kind = {"svg": "image/svg+xml", "png": "image/png", "csv": "text/csv"}[file.suffix]
        assert head == f"data:{kind};base64"
        assert base64.b64decode(body) == file.content
        assert not file.too_large


def test_a_file_that_is_too_large_says_so() -> None:
    """With both numbers, and what to do; a link is refused."""
    room = (figures.LARGEST - len("data:text/csv;base64,")) // 4 * 3
    assert len(figures.FigureFile("a.csv", b"x" * room).url) <= figures.LARGEST
    file = figures.FigureFile("a.csv", b"x" * (room + 1))
    assert file.too_large == (
        "a.csv is 2,000,001 characters as a link, and at most 2,000,000 fit; tk.export.write writes it"
    )
    with pytest.raises(ValueError, match=r"a.csv is 2,000,001 characters as a link"):
        _ = file.url


@pytest.mark.parametrize(
    ("view", "key", "text"),
    [
        ("a/b", KEY, "view must be letters, digits, _ and -, got 'a/b'"),
        ("", KEY, "view must be letters, digits, _ and -, got ''"),
        ("a", "../x", "key must be letters, digits, _ and -, got '../x'"),
    ],
)
def test_names_that_are_no_names(view: str, key: str, text: str) -> None:
    """Nothing that a browser's or a system's path would read otherwise."""
    with pytest.raises(ValueError) as caught:
        figures.files_of(radar(), view, key)
    assert str(caught.value) == text
    with pytest.raises(ValueError, match="suffix must be of svg, png, csv, got 'exe'"):
        figures.file_name("a", KEY, "exe")


def test_several_figures() -> None:
    """One after the other, by view."""
    found = list(figures.files_of_all({"one": radar(), "two": radar()}, KEY))
    assert [file.name.split("_")[2] for file in found] == [
        "one.svg", "one.png", "one.csv", "two.svg", "two.png", "two.csv"]  # fmt: skip


@pytest.mark.parametrize("suffix", ["svg", "png", "csv"])
def test_export_writes_the_same(suffix: str, tmp_path: Path) -> None:
    """`tk.export.write` of a figure, by suffix."""
    figure = radar()
    expected = {file.suffix: file.content for file in figures.files_of(figure, "radar", KEY)}
    assert export.write(figure, tmp_path / f"a.{suffix}").read_bytes() == expected[suffix]


def test_a_figure_of_somebody_else(tmp_path: Path) -> None:
    """Its own looks, its words as text; but no table, since nobody told one."""
    own = Figure(figsize=(2, 1))
    own.add_subplot().set_title("mine")
    text = export.write(own, tmp_path / "a.svg").read_text(encoding="utf-8")
    assert ">mine</text>" in text
    with pytest.raises(ValueError, match=r"must come from a function of trustkit\.plot"):
        export.write(own, tmp_path / "a.csv")
    with pytest.raises(ValueError, match="dots must be at least 150 an inch, got 72"):
        export.figure_bytes(own, ".png", 72)
