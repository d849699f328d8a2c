"""Tables of the benchmark in one file: written, read and drawn again; and the file beside the notebook."""

from __future__ import annotations

from pathlib import Path

import pytest

from trustkit.bench import read_vertibench
from trustkit.bench.vertibench import PARTS, SEEDS
from trustkit.bench.vertibench_settings import METHODS
from trustkit.bench.vertibench_sheet import Plan, Sheet
from trustkit.bench.vertibench_stored import write_vertibench
from trustkit.serve import NOTEBOOKS

SHEETS = {
    "table2": (Sheet("table2", "Table 2", ("data", "ours"), (("letter", 95.9), ("msd", None)), ("a note",), 2),
               Sheet("table2-grid", "its own form", ("data", "α = 1"), ())),
}  # fmt: skip


def test_what_is_written_is_read(tmp_path: Path) -> None:
    """Text, numbers and what is not known; a table is a frame, found by its file's name."""
    path = tmp_path / "vertibench.json"
    write_vertibench(SHEETS, 3, 345, path)
    found = read_vertibench(path)
    assert (found.sheets, found.finished, found.wanted) == (SHEETS, 3, 345)
    assert list(found) == list(SHEETS["table2"])
    frame = found.frame("table2")
    assert frame["data"].tolist() == ["letter", "msd"]
    assert frame["ours"].isna().tolist() == [False, True]
    assert list(found.frame("table2-grid").columns) == ["data", "α = 1"]
    with pytest.raises(KeyError, match="there is no table 'table9'; known are table2, table2-grid"):
        found.sheet("table9")
    with pytest.raises(KeyError, match="there is no part 'solo'; known are table2"):
        found.picture("solo")


@pytest.mark.parametrize("content", ["[]", "{}", '{"finished": 1}'])
def test_another_file_is_refused(tmp_path: Path, content: str) -> None:
    """With its name."""
    path = tmp_path / "other.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=r"other\.json must be a file that trustkit bench vertibench wrote"):
        read_vertibench(path)


def test_the_file_beside_the_notebook_has_every_part() -> None:
    """And its pictures can be drawn; its tables have the columns that the notebook names."""
    stored = read_vertibench(NOTEBOOKS / "03_vertibench.json")
    assert set(stored.sheets) == set(PARTS)
    assert 0 < stored.finished <= stored.wanted
    assert {"data", "algorithm", "split", "seeds", "ours", "± ours", "printed", "mark", "why"} <= set(
        stored.frame("table2").columns
    )
    assert set(stored.frame("table2")["mark"]) & {"reproduced", "consistent"}
    for part in ("table2", "figures"):
        assert stored.picture(part).axes
    for stem in ("table2-grid", "figures3-6", "figures3-6-checked", "table6", "table7", "figure7"):
        assert stored.sheet(stem).notes or stored.sheet(stem).heads


def test_the_file_beside_the_notebook_says_what_the_code_says() -> None:
    """Titles, heads and notes are those of today: what is claimed below a stored table is not out of date."""
    stored, plan = read_vertibench(NOTEBOOKS / "03_vertibench.json"), Plan(False, SEEDS, tuple(METHODS))
    for part, sheets in stored.sheets.items():
        for sheet, now in zip(sheets, PARTS[part].sheets(plan, {}), strict=True):
            assert (sheet.stem, sheet.title, sheet.heads, sheet.notes) == (now.stem, now.title, now.heads, now.notes)


def test_what_is_no_accuracy_and_what_is_modelled_say_so() -> None:
    """In titles and heads, which a terminal shows too."""
    stored = read_vertibench(NOTEBOOKS / "03_vertibench.json")
    assert all("of msd 100 · RMSE" in stored.sheet(stem).title for stem in ("table2", "table2-grid"))
    assert "network seconds, modelled" in stored.sheet("table6").heads
    heads = ("data", "algorithm", "split", "ours", "± ours", "printed")
    lines = (("msd", "GAL", "α = 1", 12.0, None, 12.2), ("letter", "GAL", "α = 1", 51.0, None, 51.4))
    figure = PARTS["table2"].draw((Sheet("table2", "Table 2", heads, lines),))
    assert [axes.get_ylabel() for axes in figure.axes] == ["100 · RMSE", "accuracy, %"]


def test_bars_of_time_on_stand_ins_say_so() -> None:
    """A stand-in has another size, and other seconds."""
    heads = ("data", "algorithm", "rows", "CPU seconds", "network seconds, modelled")
    lines = (("msd", "GAL", "800 (synthetic)", 1.0, 2.0), ("letter", "GAL", "12,000", 1.0, 2.0))
    figure = PARTS["times"].draw((Sheet("table6", "Table 6", heads, lines),))
    assert [text.get_text() for text in figure.axes[0].get_xticklabels()] == ["msd (synthetic), GAL", "letter, GAL"]
