"""Turns among the workers of a test run: many tests side by side, those that take times by themselves.

A reader-writer lock of two locked files. An ordinary test holds the room in common, a timed one alone. Both come in
through one door, so that a timed test at the door is not passed by others again and again.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def turn(folder: Path, alone: bool) -> Iterator[None]:
    """Wait for the room in `folder`, hold it (with others, or alone), and leave it."""
    with open(folder / "door.lock", "a") as door, open(folder / "room.lock", "a") as room:
        fcntl.flock(door, fcntl.LOCK_EX)
        try:
            fcntl.flock(room, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        finally:
            fcntl.flock(door, fcntl.LOCK_UN)
        try:
            yield
        finally:
            fcntl.flock(room, fcntl.LOCK_UN)
