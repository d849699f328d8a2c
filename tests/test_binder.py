"""What Binder builds: repo2docker makes a Dockerfile of these files, and postBuild runs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml  # type: ignore[import-untyped]

from tests.badges import BADGES, address, badges, picture, write

ROOT = Path(__file__).parents[1]
BINDER = ROOT / "binder"
BIN = Path(sys.executable).parent


def repo2docker() -> str:
    """Return the command; it comes with the extra ``test``, or lies where TRUSTKIT_REPO2DOCKER says."""
    found = shutil.which("jupyter-repo2docker", path=f"{BIN}:{os.environ['PATH']}")
    path = os.environ.get("TRUSTKIT_REPO2DOCKER") or found
    if path is None:
        pytest.skip("no jupyter-repo2docker here, which the extra test installs")
    return path


def test_the_environment_asks_for_what_the_project_asks_for() -> None:
    """The same bounds of PyTorch, a Python that is allowed, and this project itself."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    content = yaml.safe_load((BINDER / "environment.yml").read_text(encoding="utf-8"))
    wanted = {re.split(r"[<>=]", name)[0]: name for name in content["dependencies"] if isinstance(name, str)}
    torch = next(name for name in project["dependencies"] if name.startswith("torch"))
    assert wanted["pytorch-cpu"].removeprefix("pytorch-cpu") == torch.removeprefix("torch")
    least = project["requires-python"].removeprefix(">=")
    assert [int(n) for n in wanted["python"].split("=")[1].split(".")] >= [int(n) for n in least.split(".")]
    (pip,) = (each["pip"] for each in content["dependencies"] if isinstance(each, dict))
    assert pip == [".."]
    assert (BINDER / pip[0] / "pyproject.toml").is_file()


def test_the_addresses_lead_to_notebooks() -> None:
    """Those that postBuild names."""
    text = (BINDER / "postBuild").read_text(encoding="utf-8")
    named = re.findall(r"[\w/]+\.ipynb", text)
    assert {name.split("/")[-1] for name in named} == {"workshop_00_preflight.ipynb", "00_tour.ipynb", "app.ipynb"}
    for name in named:
        assert (ROOT / "notebooks" / name.split("/")[-1]).is_file()
    assert "?urlpath=lab/tree/notebooks/" in text
    assert "?urlpath=voila/render/notebooks/app.ipynb" in text


def test_repo2docker_reads_them(tmp_path: Path) -> None:
    """Nothing is built: the Dockerfile installs the font, the environment and runs postBuild."""
    command = [repo2docker(), "--no-build", "--debug", "--ref", "none", str(ROOT)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    made = done.stdout + done.stderr
    assert "Building conda environment for python=3.11" in made
    assert re.search(r"apt-get install --yes --no-install-recommends fonts-dejavu-core\b", made)
    assert '--file "binder/environment.yml"' in made
    assert "RUN chmod +x binder/postBuild\nRUN ./binder/postBuild" in made


def test_post_build_runs() -> None:
    """Here, as there: both servers are enabled, the installation is sound, and the room's code is said."""
    assert os.access(BINDER / "postBuild", os.X_OK)
    environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "binder/postBuild"], cwd=ROOT, env=environment, capture_output=True, text=True,
                          timeout=240, check=False)  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert re.search(r"sound: your code is [A-Z2-7]{6}$", done.stdout.strip())


def test_the_badges_are_those_of_the_project_s_address() -> None:
    """README has the ones that the address in pyproject makes, which is none as long as there is none."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    line = badges(address())
    assert [each for each in readme.splitlines() if each.startswith("[![")] == ([line] if line else [])
    for file in BADGES if line else ():
        assert (ROOT / ".github" / f"{file}.svg").read_text(encoding="utf-8") == picture(BADGES[file][0])


@pytest.mark.parametrize(
    ("repository", "start"),
    [
        ("https://github.com/someone/trustkit", "https://mybinder.org/v2/gh/someone/trustkit/HEAD?urlpath="),
        ("https://github.com/someone/trust.kit.git", "https://mybinder.org/v2/gh/someone/trust.kit/HEAD?urlpath="),
        ("https://gitlab.com/someone/trustkit/", "https://mybinder.org/v2/gl/someone%2Ftrustkit/HEAD?urlpath="),
    ],
)
def test_badges_lead_to_notebooks_on_binder(repository: str, start: str) -> None:
    """One to JupyterLab on the tour, one to the app by Voilà, at the paths that postBuild names; each has its words."""
    found = re.findall(r"\[!\[([^\]]+)\]\(([^)]+)\)\]\(([^)]+)\)", badges(repository))
    assert [words for words, _, _ in found] == ["Open the notebooks in JupyterLab", "Open the app by Voilà"]
    assert [shown for _, shown, _ in found] == [".github/lab.svg", ".github/voila.svg"]
    text = (BINDER / "postBuild").read_text(encoding="utf-8")
    for _, _, link in found:
        assert link.startswith(start)
        path = link.removeprefix(start)
        assert (ROOT / path[path.index("notebooks/") :]).is_file()
        assert path in text or path.split("/")[-1] in text


def test_another_address_is_refused() -> None:
    """In one sentence; nothing is written before."""
    with pytest.raises(
        ValueError, match=r"^Repository must be https://github.com/OWNER/NAME .* got 'https://x.org/y'$"
    ):
        badges("https://x.org/y")


def test_badges_are_written_and_taken_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Below the title, once however often they are written; without an address README is as it was."""
    (tmp_path / ".github").mkdir()
    before = "# trustkit\n\nWords.\n"
    (tmp_path / "README.md").write_text(before, encoding="utf-8")
    monkeypatch.setattr("tests.badges.ROOT", tmp_path)
    for repository in ("https://github.com/a/b", "https://github.com/someone/trustkit"):
        write(repository)
    line = badges("https://github.com/someone/trustkit")
    assert (tmp_path / "README.md").read_text(encoding="utf-8") == f"# trustkit\n\n{line}\n\nWords.\n"
    shapes = [ElementTree.parse(tmp_path / ".github" / f"{file}.svg").getroot() for file in BADGES]
    assert [shape.get("aria-label") for shape in shapes] == ["open in JupyterLab", "open in Voilà"]
    write(None)
    assert (tmp_path / "README.md").read_text(encoding="utf-8") == before
