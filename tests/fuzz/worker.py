"""Feed readers with changed files, inside of a sandbox: ``python -m tests.fuzz.worker SECONDS COUNT TARGET …``.

Prints one JSON text: how many inputs there were by target, how many were read, and every finding with its recipe.
With SECONDS 0 there is no limit.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.fuzz.recipes import OPERATIONS, Recipe, changed
from tests.fuzz.sandbox import Breach, allowance, watched
from tests.fuzz.seeds import SEEDS
from tests.fuzz.targets import TARGETS, documented, sound

__all__ = ["LONGEST_MESSAGE", "fuzzed", "tried"]

LONGEST_MESSAGE = 4500
"""Characters of what an error says."""

STEP = st.tuples(st.integers(0, len(OPERATIONS) - 1), st.integers(0, 2**16 - 1), st.integers(0, 2**16 - 1))
RECIPE = st.lists(st.tuples(st.integers(0, 15), st.lists(STEP, min_size=1, max_size=3).map(tuple)), min_size=1,
                  max_size=3).map(tuple)  # fmt: skip


def tried(name: str, files: Mapping[str, bytes], recipe: Recipe) -> tuple[str, str]:
    """Read a changed folder.

    Parameters
    ----------
    name : str
        The target.
    files : mapping of str to bytes
        The valid folder.
    recipe : Recipe
        What is changed in it.

    Returns
    -------
    tuple of str
        "read" or "refused", and "" if that is fine; else what was found: the error and where in trustkit.
    """
    target = TARGETS[name]
    allowed = documented(target.function)
    folder = Path(tempfile.mkdtemp(prefix="fuzz-", dir=_MEMORY))
    try:
        for path, content in changed(files, recipe).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        with watched(folder), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = target.read(folder)
        return "read", sound(found)
    except Breach as error:
        return "refused", f"breach: {error} {_where(error)}"
    except allowed as error:
        return "refused", _said(error)
    except Exception as error:
        return "refused", f"{type(error).__name__}: {str(error)[:100]} {_where(error)}"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


_MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None


def _said(error: BaseException) -> str:
    """Say what is wrong with an error's words: they must be one line of a readable length."""
    words = str(error.args[0]) if error.args else ""
    if not words.strip():
        return f"no words: {type(error).__name__} {_where(error)}"
    if len(words) > LONGEST_MESSAGE:
        return f"too many words: {len(words):,} characters of {words[:60]!r} {_where(error)}"
    return f"several lines: {words[:100]!r} {_where(error)}" if "\n" in words.strip() else ""


def _same(one: str, other: str) -> bool:
    """Say whether two findings are of one kind at one place."""
    return all(one.split(mark)[end] == other.split(mark)[end] for mark, end in ((":", 0), ("(", -1)))


def _where(error: BaseException) -> str:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/trustkit/" in frame.filename]
    return f"({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""


def fuzzed(name: str, count: int, seconds: float, number: int = 20) -> dict[str, Any]:
    """Try many recipes on a target.

    Parameters
    ----------
    name : str
        The target.
    count : int
        How many.
    seconds : float
        After so many no more are tried; 0 for no such limit.
    number : int
        Of the draws.

    Returns
    -------
    dict
        tried, read, findings (recipes by what was found).
    """
    files, findings, outcomes = SEEDS[name](), dict[str, Any](), Counter[str]()
    kind, wrong = tried(name, files, ())
    if kind != "read" or wrong:
        return {"tried": 1, "read": 0, "findings": {f"the valid folder is {kind}: {wrong}": []}}
    end = time.monotonic() + (seconds or 1e9)

    @seed(number)
    @settings(max_examples=count, deadline=None, database=None, phases=[Phase.generate],
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(RECIPE)
    def check(recipe: Recipe) -> None:
        if time.monotonic() > end:
            return
        kind, wrong = tried(name, files, recipe)
        outcomes[kind] += 1
        if wrong and not any(_same(wrong, known) for known in findings):
            findings[wrong] = recipe

    check()
    return {"tried": outcomes.total(), "read": outcomes["read"], "findings": findings}


def main(seconds: float, count: int, names: list[str]) -> None:
    """Fuzz targets one after the other, with equal shares of the time that is left.

    Parameters
    ----------
    seconds : float
        For all together.
    count : int
        Of inputs to each.
    names : list of str
        Targets.
    """
    for name in names:  # what readers import on the way must not count as their memory
        tried(name, SEEDS[name](), ())
    allowance()
    end, told = time.monotonic() + seconds, {}
    for number, name in enumerate(names):
        began = time.monotonic()
        told[name] = fuzzed(name, count, (end - began) / (len(names) - number) if seconds else 0)
        told[name]["seconds"] = round(time.monotonic() - began, 1)
        print(name, json.dumps(told[name]), file=sys.stderr, flush=True)
    print(json.dumps(told))


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]), sys.argv[3:] or list(TARGETS))
