"""What people install: source archive and wheel are built, the wheel is installed elsewhere and used from there."""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("trustkit", "widgets", "notebooks")


class Made(NamedTuple):
    """Names in the archives (without the archive's first folder), and where the wheel was installed."""

    source: set[str]
    from_source: set[str]
    from_tree: set[str]
    installed: Path


def _run(command: list[str], folder: Path, **environment: str) -> str:
    done = subprocess.run(command, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True,
                          timeout=240, check=False)  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout


def _copy(to: Path) -> Path:
    """Copy what setuptools reads, so that nothing it writes lands in the checkout."""
    to.mkdir()
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, to / folder, ignore=shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints"))
    for file in ROOT.iterdir():
        if file.is_file() and not file.name.startswith("."):
            shutil.copy(file, to)
    return to


def _isolation() -> list[str]:
    """Build with what is installed if it is new enough; else let ``build`` fetch it."""
    try:
        return ["--no-isolation"] if int(importlib.metadata.version("setuptools").split(".")[0]) >= 77 else []
    except importlib.metadata.PackageNotFoundError:
        return []


def _names(archive: Path) -> set[str]:
    if archive.suffix == ".whl":
        return set(zipfile.ZipFile(archive).namelist())
    with tarfile.open(archive) as file:
        return {member.name.partition("/")[2] for member in file.getmembers() if member.isfile()}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Build the source archive, a wheel from it and one from the tree, and install the first wheel."""
    place = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", *_isolation()]
    # without --wheel, the wheel is made from the source archive; each build has a tree of its own
    _run([*build, "--outdir", str(place / "dist"), str(_copy(place / "one"))], place)
    _run([*build, "--wheel", "--outdir", str(place / "direct"), str(_copy(place / "two"))], place)
    (wheel,), (direct,) = (place / "dist").glob("*.whl"), (place / "direct").glob("*.whl")
    (source,) = (place / "dist").glob("*.tar.gz")
    _run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-compile",
          "--target", str(place / "site"), str(wheel)], place)  # fmt: skip
    return Made(_names(source), _names(wheel), _names(direct), place / "site")


@pytest.fixture
def python(made: Made, tmp_path: Path) -> Callable[[str], str]:
    """Return a function that runs code in an empty folder with the installed wheel first on the path."""

    def run(code: str) -> str:
        return _run([sys.executable, "-c", code], tmp_path, PYTHONPATH=str(made.installed), MPLBACKEND="agg")

    return run


def _expected(*suffixes: str) -> set[str]:
    """Return the files of the packages on disk, by the name they have in a wheel."""
    found = set()
    for folder in FOLDERS:
        home = "trustkit" if folder == "trustkit" else f"trustkit/{folder}"
        for file in (ROOT / folder).rglob("*"):
            if file.suffix in suffixes and ".ipynb_checkpoints" not in file.parts:
                found.add(f"{home}/{file.relative_to(ROOT / folder).as_posix()}")
    return found


def test_the_wheel_has_all_files_and_no_others(made: Made) -> None:
    """Modules, data, recorded run, styles, notebooks, licence; no test, no cache, no second top-level name."""
    wanted = _expected(".py", ".css", ".js", ".ipynb", ".npz", ".gz", ".typed") | {"trustkit/datasets/PROVENANCE.md"}
    assert len(wanted) > 100
    assert wanted - made.from_source == set()
    tops = {name.split("/")[0] for name in made.from_source}
    assert {re.sub(r"-\d+(\.\d+)*", "", name) for name in tops} == {"trustkit", "trustkit.dist-info"}
    assert any(name.endswith("dist-info/licenses/LICENSE") for name in made.from_source)
    assert not [name for name in made.from_source if "__pycache__" in name or "/tests/" in name]


KINDS = {".py", ".css", ".js", ".ipynb", ".npz", ".gz", ".typed", ".md", ".json", ".yml", ".toml", ".j2", ".svg"}


def test_the_wheel_has_only_files_of_known_kinds(made: Made) -> None:
    """Nothing that lay about: every file is in the checkout, of a kind that is meant, and beside its package."""
    ours = {name for name in made.from_source if name.startswith("trustkit/")}
    assert {Path(name).suffix for name in ours} <= KINDS
    assert ours <= _expected(*KINDS)
    data = {name for name in ours if Path(name).suffix in {".npz", ".gz"}}
    assert {str(Path(name).parent) for name in data} == {
        "trustkit/datasets/files", "trustkit/widgets/recorded", "trustkit/workshop/recorded"}  # fmt: skip


def test_the_source_archive_makes_the_same_wheel(made: Made) -> None:
    """So it holds everything: also README, licence, data and notebooks under their names in the checkout."""
    assert made.from_source == made.from_tree
    for name in ("LICENSE", "README.md", "pyproject.toml", "notebooks/00_tour.ipynb", "widgets/theme.css",
                 "widgets/recorded/start.npz", "trustkit/datasets/PROVENANCE.md"):  # fmt: skip
        assert name in made.source, name
    files = {f"trustkit/datasets/files/{file.name}" for file in (ROOT / "trustkit" / "datasets" / "files").iterdir()}
    assert files <= made.source


def test_the_metadata_say_how_to_start(made: Made) -> None:
    """Licence, Python, the command, and the same requirements as pyproject."""
    (folder,) = made.installed.glob("trustkit-*.dist-info")
    metadata = (folder / "METADATA").read_text(encoding="utf-8")
    assert "License-Expression: BSD-3-Clause" in metadata
    assert "Requires-Python: >=3.11" in metadata
    assert (folder / "entry_points.txt").read_text(encoding="utf-8").split("\n")[:2] == [
        "[console_scripts]", "trustkit = trustkit.cli:main",
    ]  # fmt: skip
    required = re.findall(r"^Requires-Dist: ([\w-]+)(?!.*extra ==)", metadata, re.MULTILINE)
    assert {"numpy", "torch", "voila", "ipywidgets"} <= set(required)
    assert not {"pytest", "ruff", "mypy", "playwright", "adversarial-robustness-toolbox"} & set(required)


def test_it_is_used_from_where_it_was_installed(made: Made, python: Callable[[str], str]) -> None:
    """Not from the checkout; a bare ``import widgets`` or ``notebooks`` finds nothing."""
    out = python(
        "import trustkit, trustkit.widgets, trustkit.notebooks, importlib.util\n"
        "print(trustkit.__file__, trustkit.widgets.__file__, trustkit.notebooks.__file__)\n"
        "print([importlib.util.find_spec(name) for name in ('widgets', 'notebooks', 'tests')])"
    )
    files, found = out.strip().split("\n")
    assert all(Path(file).is_relative_to(made.installed) for file in files.split())
    assert found == "[None, None, None]"


QUIET = """
import socket
def refuse(*_):
    raise OSError("the network was asked")
socket.socket.connect = socket.getaddrinfo = refuse
"""


def test_all_embedded_data_load(python: Callable[[str], str]) -> None:
    """From the installed files, without a network; their checksums are as recorded."""
    out = python(QUIET + "from trustkit import datasets, doctor\nfrom trustkit.catalogue import DATASETS\n"
                 "for name in datasets.names():\n"
                 "    if not DATASETS[name].reads: print(name, len(datasets.load(name).y))\n"
                 "print(doctor._data())")  # fmt: skip
    sizes = dict(line.split() for line in out.strip().split("\n")[:-1])
    assert {"letter", "acs_employment", "mnist", "mfeat", "cces", "adult", "digits", "nbaiot_synthetic"} <= set(sizes)
    assert sizes["letter"] == "15000"
    assert "checksums as recorded" in out


def test_the_app_opens_on_the_recorded_run(python: Callable[[str], str]) -> None:
    """No client trains, no network is asked; results, pictures and style are there at once."""
    out = python(QUIET + "from trustkit.horizontal.trainer import RowTrainer\n"
                 "RowTrainer.step = None\n"
                 "from trustkit.widgets import app\n"
                 "from trustkit.widgets.app import RECORDED\n"
                 "page = app()\n"
                 "print(RECORDED, page.lab.state, len(page.lab.outcome.record), page.lab.report().score)\n"
                 "print(len(page.children[0].value))")  # fmt: skip
    (recorded, state, rounds, score), style = out.split("\n")[0].split(), out.split("\n")[1]
    assert "/site/trustkit/widgets/recorded/" in Path(recorded).as_posix()
    assert (state, rounds) == ("idle", "20")
    assert 0.3 < float(score) < 0.9
    assert int(style) > 1000


def test_the_command_serves_what_was_installed(made: Made, tmp_path: Path) -> None:
    """The script that pip made: doctor is content with the installation, and the notebooks can be copied."""
    script = made.installed / "bin" / "trustkit"
    out = _run([sys.executable, str(script), "doctor"], tmp_path, PYTHONPATH=str(made.installed))
    assert out.strip().endswith("sound")
    copied = _run([sys.executable, "-c", "from trustkit.serve import *; from pathlib import Path; print(NOTEBOOKS);"
                   "print(*copy_notebooks(Path('own')))"], tmp_path, PYTHONPATH=str(made.installed))  # fmt: skip
    assert copied.startswith(str(made.installed))
    assert {"app.ipynb", "00_tour.ipynb"} <= {file.name for file in (tmp_path / "own").iterdir()}


def test_the_checkout_refuses_a_bare_import_of_widgets() -> None:
    """There the folder is in reach, but not under that name."""
    done = subprocess.run(
        [sys.executable, "-c", "import widgets"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.strip().endswith("ImportError: import trustkit.widgets, not widgets")
