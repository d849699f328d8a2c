"""Every reader on thousands of changed files: only documented errors, five seconds, one gigabyte, no file outside.

A subprocess reads them, since a limit of memory holds for a whole process. 2,000 inputs in all, 100,000 with
``TRUSTKIT_FUZZ=1``. What is found is printed with its recipe, which gives the files again:
``changed(SEEDS[target](), recipe)``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.recipes import OPERATIONS, changed, recipe_from
from tests.fuzz.seeds import SEEDS
from tests.fuzz.targets import TARGETS, documented

ROOT = Path(__file__).parents[2]
LONG = os.environ.get("TRUSTKIT_FUZZ") == "1"
EACH = -(-(100_000 if LONG else 2_000) // len(TARGETS))
SLOW = ("gisette", "nuswide", "folktables")
"""Whose smallest file is large: of them the short mode takes a quarter."""

GROUPS = (slice(0, None, 2), slice(1, None, 2))


def fuzz(names: list[str], count: int) -> dict[str, Any]:
    """Fuzz some targets in a process of their own."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
                   "ARROW_DEFAULT_MEMORY_POOL": "system", "MPLBACKEND": "agg"}  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.worker", "0", str(count), *names], cwd=ROOT, env=environment,
        capture_output=True, text=True, check=False, timeout=24 * 3600 if LONG else 900,
    )  # fmt: skip
    assert done.returncode == 0, f"the process ended with {done.returncode}:\n{done.stderr[-4000:]}"
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def test_every_reader_has_a_valid_folder() -> None:
    """And every reader says what it raises."""
    assert list(SEEDS) == list(TARGETS)
    for target in TARGETS.values():
        assert ValueError in documented(target.function)
        assert not {OSError, MemoryError, Exception, RecursionError} & set(documented(target.function))


@pytest.mark.parametrize("group", GROUPS, ids=["even", "odd"])
def test_readers_survive_changed_files(group: slice) -> None:
    """The valid folder is read; of the changed ones each is read or refused as the docstring says."""
    quick = [name for name in TARGETS if LONG or name not in SLOW][group]
    told = fuzz(quick, EACH)
    if slow := [name for name in SLOW if not LONG][group]:
        told |= fuzz(slow, EACH // 4)
    found = {name: each["findings"] for name, each in told.items() if each["findings"]}
    assert not found, json.dumps(found, indent=1)
    assert sum(each["tried"] for each in told.values()) >= 0.9 * EACH * len(quick)
    assert all(each["tried"] > each["read"] for each in told.values())  # something was refused everywhere


def test_recipes_change_files() -> None:
    """Each operation changes some file, whatever is in it; a recipe from bytes does the same each time."""
    for files in (SEEDS["csv"](), SEEDS["npz"](), SEEDS["experiment json"]()):
        for number in range(len(OPERATIONS)):
            made = [changed(files, ((0, ((number, at, what),)),)) for at in (0, 30000) for what in (1, 7, 20)]
            assert all(len(each) == len(files) for each in made)
    content = SEEDS["npz"]()
    recipe = recipe_from(bytes(range(36)))
    assert len(recipe) == 6
    assert changed(content, recipe) == changed(content, recipe) != content
