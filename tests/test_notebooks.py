"""Notebooks show and call; they hold no logic, and the tour is kept with the outputs that are checked.

That they are what their sources say is checked in `test_workshop_sources.py`.
"""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[1] / "notebooks"
NOTEBOOKS = sorted([*FOLDER.glob("*.ipynb"), *(FOLDER / "solutions").glob("*.ipynb")])
CHECKED = "# NBVAL_CHECK_OUTPUT"

Cell = dict[str, Any]


def cells(notebook: Path, kind: str = "code") -> list[Cell]:
    """Return the cells of one kind."""
    content = json.loads(notebook.read_text(encoding="utf-8"))
    return [cell for cell in content["cells"] if cell["cell_type"] == kind]


def source(cell: Cell) -> str:
    """Return a cell's text."""
    return "".join(cell["source"])


def test_there_are_an_app_and_a_tour() -> None:
    """By these names, which the command line and Binder open; others are numbered lessons and episodes."""
    found = [notebook.name for notebook in NOTEBOOKS]
    assert {"app.ipynb", "00_tour.ipynb"} <= set(found)
    assert all(name == "app.ipynb" or re.match(r"(workshop_)?\d\d_", name) for name in found)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: str(path.relative_to(FOLDER)))
def test_a_notebook_is_sound(notebook: Path) -> None:
    """As the format demands, on any Python 3, and small: pictures are drawn when it is run."""
    import nbformat

    content = nbformat.read(notebook, as_version=4)
    nbformat.validate(content)
    assert content.metadata.kernelspec.name == "python3"
    assert notebook.stat().st_size < 1_500_000


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: str(path.relative_to(FOLDER)))
def test_a_notebook_holds_no_logic(notebook: Path) -> None:
    """At most 20 cells of code; no class, no loop over lines of work, no function longer than five lines."""
    assert 1 <= len(cells(notebook)) <= 20
    for cell in cells(notebook):
        tree = ast.parse(source(cell))
        for node in ast.walk(tree):
            assert not isinstance(node, (ast.ClassDef, ast.While, ast.Try)), source(cell)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.For)):
                assert (node.end_lineno or 0) - node.lineno < 5, source(cell)
        assert len(source(cell).splitlines()) <= 20
        assert not source(cell).lstrip().startswith(("%", "!"))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: str(path.relative_to(FOLDER)))
def test_a_notebook_imports_only_what_comes_with_trustkit(notebook: Path) -> None:
    """And nothing by its inner path but the widgets, and in the app what serves it; no name of a private thing."""
    inner = {"app.ipynb": ("trustkit.widgets.served",)}.get(notebook.name, ("trustkit", "trustkit.widgets"))
    for cell in cells(notebook):
        for node in ast.walk(ast.parse(source(cell))):
            if isinstance(node, ast.ImportFrom):
                assert node.module in inner, source(cell)
            if isinstance(node, ast.Attribute):
                assert not node.attr.startswith("_"), source(cell)


def test_the_app_is_kept_without_outputs() -> None:
    """Voilà runs it anew; a line or two call the library."""
    code = cells(FOLDER / "app.ipynb")
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    assert sum(len(source(cell).splitlines()) for cell in code) <= 8
    assert "prepared()" in source(code[0])
    assert "served()" in source(code[-1])  # last: a preheated kernel waits there for its visitor


def test_the_tour_is_kept_with_the_outputs_that_are_checked() -> None:
    """Each marked cell has what it printed, no cell ended in an error, and they were run once, in order; a cell that
    shows widgets is kept unrun, as their state is not.
    """
    code = cells(FOLDER / "00_tour.ipynb")
    marked = [cell for cell in code if source(cell).startswith(CHECKED)]
    assert len(marked) >= 5
    for cell in marked:
        assert "print(" in source(cell)
        assert cell["outputs"], f"run the tour and keep it with its outputs: {source(cell)}"
        assert {output["output_type"] for output in cell["outputs"]} == {"stream"}, source(cell)
    kinds = {output["output_type"] for cell in code for output in cell["outputs"]}
    assert "error" not in kinds
    live = [cell for cell in code if "trustkit.widgets" in source(cell)]
    assert all(cell["outputs"] == [] for cell in live)
    assert [cell["execution_count"] for cell in code if cell not in live] == list(range(1, len(code) + 1 - len(live)))


def test_the_tour_leaves_out_what_differs_from_run_to_run() -> None:
    """No widget's state, no path, no time in what is kept."""
    content = json.loads((FOLDER / "00_tour.ipynb").read_text(encoding="utf-8"))
    assert "widgets" not in content["metadata"]
    for cell in cells(FOLDER / "00_tour.ipynb"):
        for output in cell["outputs"]:
            if output["output_type"] == "stream":
                assert output["name"] == "stdout", source(cell)
                assert not {"/tmp", "/root", "/home", "0x"} & set("".join(output["text"]).split())
            else:
                assert "application/vnd.jupyter.widget-state+json" not in output.get("data", {})


def test_the_tour_explains_itself() -> None:
    """Text before the first code, a heading for each part, and no address of another machine."""
    content = json.loads((FOLDER / "00_tour.ipynb").read_text(encoding="utf-8"))["cells"]
    assert content[0]["cell_type"] == "markdown"
    words = [source(cell) for cell in cells(FOLDER / "00_tour.ipynb", "markdown")]
    assert words[0].startswith("# ")
    assert sum(text.startswith("## ") for text in words) >= 6
    assert all("http" not in source(cell) for cell in content)
