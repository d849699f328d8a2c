"""What Binder builds: repo2docker makes a Dockerfile of these files, and postBuild runs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]

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
