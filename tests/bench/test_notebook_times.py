"""How long the notebooks take: each at most a minute in fast mode, all of them at most six.

``TRUSTKIT_BENCH=1 pytest tests/bench/test_notebook_times.py -s``; without it one short episode is timed.
"""

from __future__ import annotations

import os
import time

import nbformat
import pytest

from tests.generate_notebooks import BOOK

LONG = os.environ.get("TRUSTKIT_BENCH") == "1"
ALL = [path for path in sorted(BOOK.glob("*.ipynb")) if path.name != "app.ipynb"]
ONE, WHOLE = 60.0, 360.0


def test_notebooks_keep_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run in a kernel of their own, one after the other, offline; a cell that must fail may."""
    from nbclient import NotebookClient

    monkeypatch.setenv("TRUSTKIT_FAST", "1")
    seconds = {}
    for path in ALL if LONG else [BOOK / "workshop_06_report.ipynb"]:
        notebook, began = nbformat.read(path, as_version=4), time.perf_counter()
        NotebookClient(notebook, timeout=180, resources={"metadata": {"path": str(BOOK)}}).execute()
        seconds[path.name] = time.perf_counter() - began
        print(f"{path.name:45} {seconds[path.name]:6.1f} s")
    print(f"{'all':45} {sum(seconds.values()):6.1f} s, load {os.getloadavg()[0]:.1f}")
    assert max(seconds.values()) <= ONE, seconds
    assert sum(seconds.values()) <= WHOLE, seconds
