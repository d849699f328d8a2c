"""A timed test is alone in the room; ordinary ones share it."""

from __future__ import annotations

import threading
from pathlib import Path

from tests.turns import turn


def _held(folder: Path, alone: bool) -> tuple[threading.Thread, threading.Event, threading.Event]:
    """A thread that takes the room, says so, and leaves when told."""
    inside, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with turn(folder, alone):
            inside.set()
            leave.wait(10)

    thread = threading.Thread(target=hold)
    thread.start()
    return thread, inside, leave


def test_ordinary_tests_share(tmp_path: Path) -> None:
    """Two are inside at once."""
    first, second = _held(tmp_path, False), _held(tmp_path, False)
    assert first[1].wait(5)
    assert second[1].wait(5)
    for thread, _, leave in (first, second):
        leave.set()
        thread.join()


def test_a_timed_one_is_alone(tmp_path: Path) -> None:
    """It waits for those inside, those after it wait for it."""
    before = _held(tmp_path, False)
    assert before[1].wait(5)
    timed = _held(tmp_path, True)
    assert not timed[1].wait(0.2)
    after = _held(tmp_path, False)
    assert not after[1].wait(0.2)
    before[2].set()
    assert timed[1].wait(5)
    assert not after[1].wait(0.2)
    timed[2].set()
    assert after[1].wait(5)
    after[2].set()
    for thread, _, _ in (before, timed, after):
        thread.join()
