"""The book as a site: ``python -m tests.book FOLDER`` builds it offline, with warnings as errors and links checked.

`notebooks/myst.yml` is read for the contents, so that Sphinx with myst-nb builds the pages that MyST would; MyST's own
theme has to be fetched from its makers, Sphinx's comes with it. Where MyST is installed, it reads all pages as well, as
strictly as it can, without a theme. Notebooks are shown as they are stored, not run: other tests run them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from tests.badges import BADGES, address, badges, picture

__all__ = ["build", "contents", "prepare", "read_by_myst"]

BOOK = Path(__file__).parents[1] / "notebooks"

_SETTINGS = """\
project = "trustkit"
author = "The trustkit authors"
extensions = ["myst_nb"]
root_doc = "index"
html_theme = "sphinx_book_theme"
html_title = "trustkit"
html_show_sphinx = False
nb_execution_mode = "off"
myst_heading_anchors = 0
myst_enable_extensions = []
linkcheck_ignore = [r"https?://"]
exclude_patterns = ["app.ipynb"]
"""


def contents() -> Iterator[tuple[str, list[str]]]:
    """Yield the parts of the book: a title, and the files in it."""
    for entry in yaml.safe_load((BOOK / "myst.yml").read_text(encoding="utf-8"))["project"]["toc"]:
        if "children" in entry:
            yield entry["title"], list(_files(entry["children"]))


def _files(entries: list[dict[str, Any]]) -> Iterator[str]:
    for entry in entries:
        if "file" in entry:
            yield entry["file"]
        yield from _files(entry.get("children", []))


def prepare(folder: Path) -> Path:
    """Copy the book's files, and write the contents and the settings that Sphinx needs.

    Parameters
    ----------
    folder : pathlib.Path
        New.

    Returns
    -------
    pathlib.Path
        The folder.
    """
    folder.mkdir(parents=True)
    for file in ["index.md", *(file for _, files in contents() for file in files)]:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(BOOK / file, folder / file)
    for drawn in BOOK.glob("*.svg"):
        shutil.copy(drawn, folder / drawn.name)
    trees = [f"```{{toctree}}\n:hidden:\n:caption: {title}\n\n" + "\n".join(files) + "\n```\n"
             for title, files in contents()]  # fmt: skip
    text = (folder / "index.md").read_text(encoding="utf-8")
    if line := badges(address(os.environ), ""):
        text = text.replace("\n\n", f"\n\n{line}\n\n", 1)
        for name, (word, _, _) in BADGES.items():
            (folder / f"{name}.svg").write_text(picture(word), encoding="utf-8")
    (folder / "index.md").write_text(text + "\n" + "\n".join(trees), encoding="utf-8")
    (folder / "conf.py").write_text(_SETTINGS, encoding="utf-8")
    return folder


def build(out: Path) -> None:
    """Build the site, and follow every link between its pages.

    Parameters
    ----------
    out : pathlib.Path
        Where the site is written to.

    Raises
    ------
    subprocess.CalledProcessError
        If there is any warning, or a link that leads nowhere.
    """
    with tempfile.TemporaryDirectory() as folder:
        source = prepare(Path(folder) / "book")
        for kind, target in (("html", out), ("linkcheck", Path(folder) / "links")):
            subprocess.run([sys.executable, "-m", "sphinx", "-b", kind, "-W", "--keep-going", "-q", "-j", "auto",
                            str(source), str(target)], check=True)  # fmt: skip


def read_by_myst(myst: str) -> None:
    """Let MyST read all pages and the links between them, with warnings as errors; its theme stays where it is.

    Parameters
    ----------
    myst : str
        The command.

    Raises
    ------
    subprocess.CalledProcessError
        If there is any warning, or a link that leads nowhere.
    """
    with tempfile.TemporaryDirectory() as folder:
        book = Path(folder) / "book"
        shutil.copytree(BOOK, book, ignore=shutil.ignore_patterns("__pycache__", "_build", ".ipynb_checkpoints"))
        settings = yaml.safe_load((book / "myst.yml").read_text(encoding="utf-8"))
        settings["site"]["template"] = "./bare"
        (book / "myst.yml").write_text(yaml.safe_dump(settings, sort_keys=False), encoding="utf-8")
        (book / "bare").mkdir()
        (book / "bare" / "template.yml").write_text("jtex: v1\nkind: site\ntitle: bare\n", encoding="utf-8")
        subprocess.run([myst, "build", "--site", "--strict", "--ci"], cwd=book, check=True)


if __name__ == "__main__":
    build(Path(sys.argv[1]))
    if command := shutil.which("myst", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"):
        read_by_myst(command)
