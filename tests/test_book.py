"""The book becomes a site: every page, no warning, no link that leads nowhere."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests import book
from tests.badges import address, badges
from tests.book import prepare


def _needs_sphinx() -> None:
    """Skip where the site's builder is not installed, unless TRUSTKIT_DOCS=required."""
    missing = [name for name in ("sphinx", "myst_nb", "sphinx_book_theme") if importlib.util.find_spec(name) is None]
    if missing:
        reason = f"not installed: {', '.join(missing)}; they are in trustkit[docs]"
        if os.environ.get("TRUSTKIT_DOCS") == "required":
            pytest.fail(reason)
        pytest.skip(reason)


def test_sources_are_the_books_files_in_its_order(tmp_path: Path) -> None:
    """All files of the contents, none twice; the first page leads to all of them, and is otherwise as it is."""
    folder = book.prepare(tmp_path / "book")
    files = [file for _, part in book.contents() for file in part]
    assert len(files) == len(set(files)) > 15
    there = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert there == {"index.md", "conf.py", "growth.svg", *files}
    index = (folder / "index.md").read_text(encoding="utf-8")
    assert index.startswith((book.BOOK / "index.md").read_text(encoding="utf-8"))
    assert re.findall(r"^:caption: (\w+)$", index, re.MULTILINE) == ["Try", "Learn", "Use", "Understand"]
    assert [line for line in index.splitlines() if line in files] == files


def test_the_first_page_opens_binder_where_a_forge_builds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    """With a badge for JupyterLab and one for Voilà, of the repository that it is built from; elsewhere with none."""
    monkeypatch.delenv("GITHUB_REPOSITORY", raising=False)
    monkeypatch.delenv("GITHUB_SERVER_URL", raising=False)
    none = badges(address(), "")
    assert (prepare(tmp_path / "here") / "index.md").read_text(encoding="utf-8").count("[![") == (2 if none else 0)
    monkeypatch.setenv("GITHUB_REPOSITORY", "someone/trustkit")
    folder = prepare(tmp_path / "there")
    line = (folder / "index.md").read_text(encoding="utf-8").splitlines()[2]
    assert line == (none or badges("https://github.com/someone/trustkit", ""))
    for shown in re.findall(r"\]\(([^)]+\.svg)\)", line):
        assert (folder / shown).is_file()
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://forge.example")
    assert address(os.environ) == address()


def test_the_site_is_built(tmp_path: Path) -> None:
    """A page a file, with the first door's words."""
    _needs_sphinx()
    book.build(tmp_path / "site")
    for _, files in book.contents():
        for file in files:
            assert (tmp_path / "site" / Path(file).with_suffix(".html")).is_file()
    assert "four doors" in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")


def test_a_broken_link_stops_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page, or a place on a page, that is not there."""
    _needs_sphinx()
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "myst.yml").write_text("project: {toc: [{title: Try, children: [{file: a.md}]}]}\n")
    monkeypatch.setattr(book, "BOOK", tmp_path / "small")
    for number, (text, sound) in enumerate((("[a](a.md)", True), ("[b](b.md)", False), ("[c](#nowhere)", False))):
        (tmp_path / "small" / "a.md").write_text("# A page\n", encoding="utf-8")
        (tmp_path / "small" / "index.md").write_text(f"# All\n\n{text}\n", encoding="utf-8")
        if sound:
            book.build(tmp_path / f"site-{number}")
        else:
            with pytest.raises(subprocess.CalledProcessError):
                book.build(tmp_path / f"site-{number}")
