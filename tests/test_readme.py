"""What README, CHANGELOG and pyproject promise is there: commands, code, files, packages, words."""

from __future__ import annotations

import ast
import importlib.metadata
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import trustkit
from trustkit import doctor
from trustkit.cli import cli
from trustkit.preset import PRESETS
from trustkit.trust import FactSheet, assess

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
_LEFT = {".ipynb_checkpoints", "__pycache__"}
APP = "python -m venv .venv && .venv/bin/pip install . && .venv/bin/trustkit app"
TESTS = "python -m venv .venv && .venv/bin/pip install -e '.[test]' && .venv/bin/pytest"
OWN = re.compile(r"^https://(raw\.githubusercontent\.com/[^/]+/[^/]+|github\.com/[^/]+/[^/]+/(blob|raw|tree))/[^/]+/")
"""Where a file of this project is shown, with the branch."""


def blocks(language: str) -> list[str]:
    """Return README's code blocks in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def shipped() -> Iterator[Path]:
    """Yield the text files that people get: code, styles, notebooks, papers of the house."""
    for folder in ("trustkit", "widgets", "notebooks", "binder", ".github", ".ci"):
        for file in sorted((ROOT / folder).rglob("*")):
            if file.is_file() and file.suffix in (".py", ".md", ".css", ".js", ".ipynb", ".yml", ".txt", ".json", ""):
                yield file
    yield from (ROOT / name for name in ("README.md", "CHANGELOG.md", "pyproject.toml", "LICENSE"))


def test_the_two_commands_are_there_word_for_word() -> None:
    """Each on a line of its own, once; no other line makes a virtual environment."""
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    assert lines.count(APP) == 1
    assert lines.count(TESTS) == 1
    assert README.count(APP) == README.count(TESTS) == 1
    assert [line for line in README.splitlines() if "-m venv" in line] == [APP, TESTS]


def test_the_gate_runs_the_command_that_readme_gives() -> None:
    """It takes the line from README, and that line is the test command."""
    gate = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    taken = re.search(r"^test_command=\$\((grep .+ README\.md)\)$", gate, re.MULTILINE)
    assert taken
    found = subprocess.run(["bash", "-c", taken[1]], cwd=ROOT, capture_output=True, text=True, check=True)
    assert found.stdout == f"{TESTS}\n"
    assert re.search(r'^bash .*-c "\$test_command"$', gate, re.MULTILINE)


def test_the_python_of_readme_runs(tmp_path: Path) -> None:
    """All blocks, one after the other, in an empty folder and one process."""
    script = "\n".join(blocks("python"))
    environment = {**os.environ, "MPLBACKEND": "agg"}
    done = subprocess.run([sys.executable, "-W", "error::DeprecationWarning:__main__", "-c", script], cwd=tmp_path,
                          env=environment, capture_output=True, text=True, timeout=120, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_three_lines_are_three_lines() -> None:
    """From import to trust: the first block of Python, and each line is a statement."""
    first = blocks("python")[0]
    assert len(first.strip().splitlines()) == 3
    assert len(ast.parse(first).body) == 3
    assert first.startswith("import trustkit")
    assert "assess" in first


def test_the_trustkit_commands_of_readme_exist() -> None:
    """Every ``trustkit …`` in code names a command and, after run, a preset or a file."""
    code = [*blocks("sh"), *re.findall(r"`([^`\n]+)`", README)]
    calls = re.findall(r"(?<![\w.-])(?:\.venv/bin/)?trustkit ([a-z][\w| ./-]*)", "\n".join(code))
    known = {command.name or command.callback.__name__ for command in cli.registered_commands if command.callback}
    known |= {str(group.name) for group in cli.registered_groups}
    assert calls
    for call in calls:
        words = [word for word in re.split(r"[ |]+", call) if word]
        commands = words if "|" in call else words[:1]
        assert set(commands) <= known, call
        if commands == ["run"] and len(words) > 1:
            assert words[1] in PRESETS or words[1].endswith(".toml"), call


def test_linked_files_and_pictures_exist() -> None:
    """Relative links, and pictures that are shown from this project's own pages."""
    links = re.findall(r"!?\[[^\]]*\]\(([^)\s]+)\)", README)
    for link in links:
        own = OWN.sub("", link)
        if "://" not in own and not own.startswith(("#", "mailto:")):
            assert (ROOT / own.split("#")[0]).exists(), link
    for shown in re.findall(r'(?:src|srcset)="([^"]+)"', README):
        assert (ROOT / shown).is_file(), shown
    assert re.search(r'<img [^>]*alt="[^"]{20,}"', README), "a picture needs words for those who cannot see it"


def test_nothing_is_left_to_fill_in() -> None:
    """No placeholder in capitals, no to-do."""
    prose = re.sub(r"```.*?```|`[^`]*`|\]\([^)]*\)", "", README, flags=re.DOTALL)
    assert not re.findall(r"\b[A-Z]+_[A-Z_]+\b|\bTODO\b|\bTBD\b|\bXXX\b", prose)


def test_packages_are_those_on_disk() -> None:
    """Every folder with an ``__init__.py``, under the name it is imported by."""
    homes = {"trustkit": "trustkit", "trustkit.widgets": "widgets", "trustkit.notebooks": "notebooks"}
    assert PROJECT["tool"]["setuptools"]["package-dir"] == homes
    found = set()
    for package, folder in homes.items():
        for file in (ROOT / folder).rglob("__init__.py"):
            found.add(".".join([package, *file.parent.relative_to(ROOT / folder).parts]))
    listed = PROJECT["tool"]["setuptools"]["packages"]
    assert sorted(listed) == sorted(found)
    assert len(listed) == len(set(listed))


def test_every_file_of_a_package_is_shipped() -> None:
    """What is no Python and no note on a folder lies where a pattern of package-data finds it."""
    data = PROJECT["tool"]["setuptools"]["package-data"]
    wanted = {
        file
        for folder in ("trustkit", "widgets", "notebooks")
        for file in (ROOT / folder).rglob("*")
        if file.is_file() and file.suffix not in (".py", ".png") and not _LEFT & {*file.parts}
    }
    homes = {"trustkit.widgets": "widgets", "trustkit.notebooks": "notebooks"}
    kept = set()
    for package, patterns in data.items():
        folder = ROOT / homes.get(package, package.replace(".", "/"))
        for pattern in patterns:
            kept |= set(folder.glob(pattern))
    assert wanted - kept == set()


def test_the_version_is_one() -> None:
    """In pyproject, in the package, in the installation and at the top of the changes."""
    version = PROJECT["project"]["version"]
    assert trustkit.__version__ == version == importlib.metadata.version("trustkit")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\S+)", changes, re.MULTILINE)[0] == version


def test_the_doctor_asks_for_what_is_required() -> None:
    """Its libraries are pyproject's, the boosted trees apart, which come in one of two packages."""
    required = {re.split(r"[<>=; ]", line)[0] for line in PROJECT["project"]["dependencies"]}
    assert set(doctor._LIBRARIES) == required - {"xgboost", "xgboost-cpu"}


@pytest.mark.parametrize("word", ["unbiased", "debias", "solves fairness"])
def test_nothing_is_promised_that_cannot_be_kept(word: str) -> None:
    """These words occur nowhere in what is shipped."""
    files = list(shipped())
    assert len(files) > 100
    found = [str(file.relative_to(ROOT)) for file in files if word in file.read_text(encoding="utf-8").lower()]
    assert found == []


def addresses(text: str) -> list[str]:
    """Return web addresses; a name space is a name, and this machine is no other."""
    found = re.findall(r"(?:https?:)?//[\w.-]+\.[a-z]{2,}[^\s\"'<>)]*", text)
    return [address for address in found if "//www.w3.org/" not in address]


def test_a_page_of_somebody_else_is_recognised() -> None:
    """The check itself: a content network is found, a name space is not."""
    assert addresses('<script src="https://cdn.example.com/a.js">') == ["https://cdn.example.com/a.js"]
    assert addresses("@import url(//fonts.example.org/x.css)") == ["//fonts.example.org/x.css"]
    assert addresses('<svg xmlns="http://www.w3.org/2000/svg"> // a comment') == []


def test_widgets_and_reports_fetch_nothing() -> None:
    """No address of another machine in the app's files, nor in a report's page."""
    for folder in ("widgets", "trustkit/trust", "trustkit/plot", "notebooks"):
        for file in (ROOT / folder).rglob("*"):
            if file.suffix in (".py", ".js", ".css", ".ipynb"):
                assert addresses(file.read_text(encoding="utf-8")) == [], file
    report = assess(FactSheet({"participants/client_num": 10, "performance/test_acc_avg": 0.5}))
    for page in (report.to_html(), report.to_fragment()):
        assert addresses(page) == []
        assert not re.search(r"<(script|link|img|iframe)\b|@import", page)
