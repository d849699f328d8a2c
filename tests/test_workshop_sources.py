"""Notebooks and solutions are what their sources say, cell by cell; episodes are short and say their limits."""

from __future__ import annotations

import ast
import re
from itertools import pairwise
from pathlib import Path

import nbformat
import pytest

from tests.generate_notebooks import BOOK, KEPT, SOLUTIONS, has_solution, notebook_of, sources, text_of, wanted
from trustkit.workshop import EPISODES

MADE = wanted()
EPISODE_FILES = [BOOK / f"{episode.notebook}.ipynb" for episode in EPISODES.values()]


def test_every_notebook_has_a_source_and_every_source_a_notebook() -> None:
    """But the app's, which is served and not read."""
    there = {path.stem for path in BOOK.glob("*.ipynb")} - {"app"}
    assert {source.stem for source in sources()} == there
    assert {path.name for path in SOLUTIONS.iterdir()} == {f"{s.stem}.ipynb" for s in sources() if has_solution(s)}


@pytest.mark.parametrize("path", MADE, ids=lambda path: str(path.relative_to(BOOK)))
def test_a_notebook_is_what_its_source_says(path: Path) -> None:
    """If this fails, a source has changed, or a notebook was edited: ``python -m tests.generate_notebooks``."""
    assert path.read_text(encoding="utf-8") == MADE[path]


@pytest.mark.parametrize("path", MADE, ids=lambda path: str(path.relative_to(BOOK)))
def test_cells_are_numbered_and_hold_no_output(path: Path) -> None:
    """Ids follow the file's name, so that a build is no difference; only the tour keeps what it printed."""
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert [cell.id for cell in notebook.cells] == [f"{path.stem}-{n}" for n in range(len(notebook.cells))]
    for cell in notebook.cells:
        assert set(cell.metadata) <= {"tags"}
        if cell.cell_type == "code" and path.stem not in KEPT:
            assert cell.outputs == []
            assert cell.execution_count is None


def test_exercise_and_solution_go_to_one_notebook_each(tmp_path: Path) -> None:
    """The learner's has the question, the solution's the answer, both have the rest; the tags are gone."""
    source = tmp_path / "made_up.py"
    cells = ["# %% [markdown]\n# # Text", '# %% tags=["parameters"]\nseed = 1', '# %% tags=["exercise"]\nmine = 0',
             '# %% tags=["solution"]\nmine = seed', "# %%\nprint(mine)"]  # fmt: skip
    source.write_text("\n\n".join(cells) + "\n", encoding="utf-8")
    learner, solution = notebook_of(source), notebook_of(source, solution=True)
    assert [cell.source for cell in learner.cells] == ["# Text", "seed = 1", "mine = 0", "print(mine)"]
    assert [cell.source for cell in solution.cells] == ["# Text", "seed = 1", "mine = seed", "print(mine)"]
    assert [cell.metadata for cell in learner.cells] == [{}, {"tags": ["parameters"]}, {}, {}]
    assert has_solution(source)
    assert text_of(learner) == text_of(notebook_of(source))


def test_outputs_are_kept_where_they_are_meant_to_be(tmp_path: Path) -> None:
    """The tour keeps what a cell printed as long as the cell is the same."""
    source = tmp_path / "00_tour.py"
    source.write_text("# %%\nprint(1)\n\n# %%\nprint(2)\n", encoding="utf-8")
    before = notebook_of(source)
    for cell in before.cells:
        cell.update(execution_count=1, outputs=[nbformat.v4.new_output("stream", text=cell.source)])
    source.write_text("# %%\nprint(1)\n\n# %%\nprint(3)\n", encoding="utf-8")
    after = notebook_of(source, before=before)
    assert [len(cell.outputs) for cell in after.cells] == [1, 0]


@pytest.mark.parametrize("path", EPISODE_FILES, ids=lambda path: path.name)
def test_an_episode_is_short_and_says_its_limits(path: Path) -> None:
    """At most twelve cells of at most eight lines; minutes as in the table; a prediction, an exercise, a box."""
    episode = next(each for each in EPISODES.values() if each.notebook == path.stem)
    notebook = nbformat.read(path, as_version=4)
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    text = "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert len(code) <= 12
    assert all(len(cell.splitlines()) <= 8 for cell in code), [cell for cell in code if len(cell.splitlines()) > 8]
    assert text.startswith(f"# Workshop {int(episode.number)}: ")
    assert f"*Minutes {episode.begins} to {episode.ends} of 90." in text
    assert "> **What this does not show.**" in text
    assert re.search(r"\*\*Exercise \d", text)
    assert f'tk.check("{episode.number}"' in "\n".join(code)
    assert "**Predict" in text or "## Predict" in text or episode.number in ("00", "06")
    for cell in code:
        for node in ast.walk(ast.parse(cell)):
            assert not isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.While, ast.Try, ast.If)), cell


@pytest.mark.parametrize("path", EPISODE_FILES, ids=lambda path: path.name)
def test_links_of_an_episode_lead_somewhere(path: Path) -> None:
    """To notebooks beside it."""
    text = path.read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        assert (BOOK / link).is_file(), link


def test_the_workshop_fills_ninety_minutes() -> None:
    """One episode after the other, with a break of five minutes; the first page has the same table."""
    episodes = list(EPISODES.values())
    assert episodes[0].begins == 0
    assert episodes[-1].ends == 90
    gaps = [after.begins - before.ends for before, after in pairwise(episodes)]
    assert sorted(gaps) == [0] * 5 + [5]
    table = (BOOK / f"{episodes[0].notebook}.ipynb").read_text(encoding="utf-8")
    assert all(f"| {episode.begins} to {episode.ends} |" in table for episode in episodes)
