"""What trustkit is made of: a bill of materials names every dependency, and embedded data bring their licences."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = ROOT / "trustkit" / "datasets" / "files"


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name.lower())


def required(name: str = "trustkit", seen: frozenset[str] = frozenset()) -> set[str]:
    """Return everything that a distribution needs here, without extras, as far as it is installed."""
    found: set[str] = set()
    for line in importlib.metadata.requires(name) or []:
        needed = _plain(re.match(r"[\w.-]+", line)[0])  # type: ignore[index]
        if "extra ==" in line or needed in seen | found:
            continue
        try:
            importlib.metadata.version(needed)
        except importlib.metadata.PackageNotFoundError:  # of another platform or Python
            continue
        found |= {needed} | required(needed, seen | found | {needed})
    return found


def test_the_bill_of_materials_names_every_dependency(tmp_path: Path) -> None:
    """In CycloneDX's format, with versions, as tests/supply.sh writes it; licences where the packages state them."""
    pytest.importorskip("cyclonedx_py", reason="the bill of materials is made by cyclonedx-bom")
    file = tmp_path / "sbom.json"
    done = subprocess.run([sys.executable, "-m", "cyclonedx_py", "environment", sys.executable, "--of", "JSON", "-o",
                           str(file)], capture_output=True, text=True, check=False, timeout=600)  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    content = json.loads(file.read_text(encoding="utf-8"))
    assert content["bomFormat"] == "CycloneDX"
    versions = {_plain(each["name"]): each.get("version") for each in content["components"]}
    assert required() - set(versions) == set()
    assert versions["numpy"] == importlib.metadata.version("numpy")


def test_dependencies_have_lower_bounds() -> None:
    """Each of them, so that tests/oldest.sh has a version to test."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = [*project["dependencies"], *(line for part in project["optional-dependencies"].values() for line in part)]
    assert [line for line in asked if ">=" not in line and "==" not in line and not line.startswith("trustkit[")] == []


@pytest.mark.parametrize("file", sorted(FILES.iterdir()), ids=lambda file: file.name)
def test_every_embedded_file_has_its_source_and_licence(file: Path) -> None:
    """In PROVENANCE.md, which the wheel carries beside the files: a row with the file, a licence and its checksum."""
    text = (FILES.parent / "PROVENANCE.md").read_text(encoding="utf-8")
    (row,) = [line for line in text.splitlines() if line.startswith("|") and f"| `{file.name}` |" in line]
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert len(cells) == 7
    assert re.search(r"CC BY|CC0|public domain", cells[4])
    assert cells[6] == f"`{hashlib.sha256(file.read_bytes()).hexdigest()}`"
