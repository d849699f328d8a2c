"""Commands as processes of their own that are killed or interrupted, and what may be left of them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd

from trustkit import cli, jsonfile, store
from trustkit.records import RunRecord
from trustkit.trust.chain import verify

__all__ = ["LONG", "called", "ended", "gone", "parts_of", "same_run", "started", "unfinished", "until", "whole_files"]

LONG = bool(os.environ.get("TRUSTKIT_FAULTS"))
"""Whether the long mode is asked for: 100 kills and 50 experiments instead of a few."""

_EAGER = """
import sys
from trustkit.bench import vertibench_runs
from trustkit.commands import run
run._KEEP_EVERY = vertibench_runs.SAVE_EVERY = 0.0
from trustkit.cli import main
main()
"""
"""The command line, which keeps unfinished runs as often as it may: more moments at which a kill could do harm."""


def started(words: tuple[str, ...], place: Path, **more: Any) -> subprocess.Popen[str]:
    """Start a command in a folder, as the first of a group of processes."""
    env, code = {**os.environ, **more.pop("env", {})}, more.pop("code", _EAGER)
    return subprocess.Popen(
        [sys.executable, "-c", code, *words], cwd=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True, env=env, **more,
    )  # fmt: skip


def ended(process: subprocess.Popen[str], seconds: float = 120.0) -> tuple[int, str, str]:
    """Wait for a command; return its status, standard output and standard error."""
    try:
        out, error = process.communicate(timeout=seconds)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    return process.returncode, out, error


def called(words: tuple[str, ...], place: Path) -> int:
    """Call a command in this process, in a folder; return its status."""
    before = sys.argv
    sys.argv = ["trustkit", *words]
    try:
        with contextlib.chdir(place):
            cli.main()
    except SystemExit as done:
        return int(done.code or 0)
    finally:
        sys.argv = before
    return 0


def until(what: Callable[[], object], seconds: float = 90.0) -> None:
    """Wait for something, and fail if it does not come."""
    ends = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < ends, "it did not come"
        time.sleep(0.005)


def gone(group: int) -> bool:
    """Say whether no process of a group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


def whole_files(folder: Path) -> dict[str, Any]:
    """Read every file of a folder by its ending, which fails for half a file; what is unfinished by name is no file."""
    found: dict[str, Any] = {}
    for file in sorted(folder.rglob("*")):
        inside = file.relative_to(folder)
        if file.is_file() and not any(part.endswith(".unfinished") for part in inside.parts):
            found[str(inside)] = _READ[file.suffix](file)
    return found


def unfinished(folder: Path) -> list[Path]:
    """List what writers that were killed left."""
    return list(folder.rglob("*.unfinished"))


def _text(file: Path) -> str:
    text = file.read_text(encoding="utf-8")
    assert text.strip(), file
    return text


def _html(file: Path) -> str:
    text = _text(file)
    assert text.rstrip().endswith("</html>"), file
    return text


def _log(file: Path) -> int:
    found = verify(file)
    assert found.sound, found
    return int(found.events or 0)


def _png(file: Path) -> bytes:
    content = file.read_bytes()
    assert content.endswith(b"IEND\xaeB`\x82"), file
    return content


_READ: Mapping[str, Callable[[Path], Any]] = {
    ".npz": store.load, ".json": jsonfile.read, ".jsonl": _log, ".md": _text, ".html": _html, ".png": _png,
    ".csv": pd.read_csv, ".svg": ElementTree.parse, ".toml": lambda file: tomllib.loads(_text(file)),
}  # fmt: skip


def parts_of(record: RunRecord) -> Iterator[tuple[str, np.ndarray]]:
    """Yield everything that a run holds but for the seconds that it took."""
    for name in ("index", "selected", "accuracy", "loss", "bytes_up", "bytes_down", "epsilon"):
        yield name, record.stack(name)
    yield from ((f"groups {name}", value) for name, value in record.groups.items())
    yield from ((f"traffic {name}", value) for name, value in record.traffic.items())
    yield from ((f"state {name}", np.asarray(value)) for name, value in sorted(record.last.state.items()))


def same_run(one: RunRecord, other: RunRecord) -> bool:
    """Say whether two runs are the same, bit for bit."""
    here, there = dict(parts_of(one)), dict(parts_of(other))
    return one.experiment == other.experiment and here.keys() == there.keys() and all(
        value.dtype == there[name].dtype and value.shape == there[name].shape
        and value.tobytes() == there[name].tobytes() for name, value in here.items()
    )  # fmt: skip
