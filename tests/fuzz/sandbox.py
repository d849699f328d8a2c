"""What a reader may do: five seconds, one gigabyte, and no file outside the folder that it was given."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import resource
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

__all__ = ["MEMORY", "SECONDS", "Breach", "allowance", "watched"]

SECONDS = 5.0
"""Of processor time, for one input."""

MEMORY = 1 << 30
"""In bytes, beside what the process took before."""

_WATCH: dict[str, Any] = {"folder": None, "seen": []}
_INSTALLED = tuple(str(Path(place).resolve()) for place in {sys.prefix, sys.base_prefix, *sys.path} if place)
_SYSTEM = ("/proc/", "/sys/", "/dev/null", "/dev/urandom", "/usr/lib", "/usr/share/zoneinfo", "/etc/localtime")


class Breach(BaseException):
    """A reader took too long, or opened what it must not."""


def _too_long(_: int, __: FrameType | None) -> None:
    raise Breach(f"more than {SECONDS:g} seconds of processor time")


def _audit(event: str, args: tuple[Any, ...]) -> None:
    folder = _WATCH["folder"]
    if folder is None or event not in ("open", "os.listdir", "os.scandir", "os.system", "subprocess.Popen",
                                       "socket.connect"):  # fmt: skip
        return
    if event in ("os.system", "subprocess.Popen", "socket.connect"):
        _WATCH["seen"].append(f"{event} {args!r:.200}")
        return
    if not isinstance(args[0], (str, bytes)):
        return
    _WATCH["folder"] = None  # what is asked here is no reader's doing
    try:
        place = os.path.realpath(os.fsdecode(args[0]))
        if not place.startswith((folder, *_INSTALLED, *_SYSTEM)):
            _WATCH["seen"].append(f"{event} {place[:200]}")
    except (OSError, ValueError):
        pass
    finally:
        _WATCH["folder"] = folder


def allowance() -> None:
    """Limit this process's memory to what it has now and `MEMORY`, and begin to watch what it opens."""
    faulthandler.enable()
    with open("/proc/self/statm", encoding="ascii") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + MEMORY, resource.RLIM_INFINITY))
    signal.signal(signal.SIGPROF, _too_long)
    sys.addaudithook(_audit)


@contextlib.contextmanager
def watched(folder: Path) -> Iterator[None]:
    """Watch a reader at work.

    Parameters
    ----------
    folder : pathlib.Path
        What it may open, beside Python's own files.

    Yields
    ------
    None
        To run the reader.

    Raises
    ------
    Breach
        If it took longer than `SECONDS`, or opened something else.
    """
    _WATCH["seen"] = []
    began = time.process_time()
    faulthandler.dump_traceback_later(120, exit=True)  # stuck in compiled code
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    _WATCH["folder"] = os.path.realpath(folder)
    try:
        yield
    finally:
        _WATCH["folder"] = None
        signal.setitimer(signal.ITIMER_PROF, 0)
        faulthandler.cancel_dump_traceback_later()
    if _WATCH["seen"]:
        raise Breach(f"outside of the folder: {'; '.join(_WATCH['seen'][:3])}")
    if (took := time.process_time() - began) > SECONDS:
        raise Breach(f"{took:.1f} seconds of processor time")
