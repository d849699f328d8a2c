"""Notebooks and solutions from their sources in ``notebooks/src``: ``python -m tests.generate_notebooks`` writes them.

A source is a Python file in Jupytext's percent format. A cell tagged ``solution`` is in the solution only; one tagged
``exercise`` is in the notebook only, and a source with such cells makes both. Cells are numbered by ``<stem>-<n>``.
"""

from __future__ import annotations

from pathlib import Path

import jupytext  # type: ignore[import-untyped]
import nbformat
from nbformat import NotebookNode

from trustkit import jsonfile

BOOK = Path(__file__).parents[1] / "notebooks"
SOURCES, SOLUTIONS = BOOK / "src", BOOK / "solutions"
KEPT = ("00_tour",)
"""Notebooks that keep what their cells printed; all others have no outputs."""

_HEAD = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
_ONLY = ("exercise", "solution")


def sources() -> list[Path]:
    """Return all sources, in order."""
    return sorted(SOURCES.glob("*.py"))


def tags_of(cell: NotebookNode) -> list[str]:
    """Return a cell's tags."""
    return list(cell.metadata.get("tags", []))


def notebook_of(source: Path, solution: bool = False, before: NotebookNode | None = None) -> NotebookNode:
    """Make a notebook from its source, or its solution; from a notebook that is there, take what cells printed."""
    drop = _ONLY[0] if solution else _ONLY[1]
    read = jupytext.reads(source.read_text(encoding="utf-8"), fmt="py:percent")
    kept = {cell.source: cell for cell in (before.cells if before else []) if cell.cell_type == "code"}
    cells: list[NotebookNode] = []
    for cell in (each for each in read.cells if drop not in tags_of(each)):
        name = f"{source.stem}-{len(cells)}"
        shown = [tag for tag in tags_of(cell) if tag not in _ONLY]
        metadata = {"tags": shown} if shown else {}
        if cell.cell_type == "markdown":
            cells.append(nbformat.v4.new_markdown_cell(cell.source, id=name, metadata=metadata))
            continue
        old = kept.get(cell.source)
        cells.append(nbformat.v4.new_code_cell(cell.source, id=name, metadata=metadata))
        if old is not None and source.stem in KEPT:
            cells[-1].update(outputs=old.outputs, execution_count=old.execution_count)
    return nbformat.v4.new_notebook(cells=cells, metadata=_HEAD)


def has_solution(source: Path) -> bool:
    """Tell whether a source has cells that are in its solution only."""
    return any("solution" in tags_of(cell) for cell in jupytext.read(source, fmt="py:percent").cells)


def text_of(notebook: NotebookNode) -> str:
    """Write a notebook as it is kept."""
    return f"{nbformat.writes(notebook, version=4)}\n"


def wanted() -> dict[Path, str]:
    """Return all files that the sources make, with their content."""
    found = {}
    for source in sources():
        target = BOOK / f"{source.stem}.ipynb"
        before = nbformat.read(target, as_version=4) if target.exists() else None
        found[target] = text_of(notebook_of(source, before=before))
        if has_solution(source):
            found[SOLUTIONS / target.name] = text_of(notebook_of(source, solution=True))
    return found


def write() -> list[Path]:
    """Write all notebooks and solutions; a solution without a source is removed."""
    made = wanted()
    SOLUTIONS.mkdir(exist_ok=True)
    for stale in set(SOLUTIONS.glob("*.ipynb")) - set(made):
        stale.unlink()
    return [jsonfile.write_text(path, content) for path, content in made.items()]


if __name__ == "__main__":
    print(*(path.relative_to(BOOK) for path in write()), sep="\n")
