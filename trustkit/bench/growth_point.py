"""One point of a curve, measured in a process of its own, which may take only so much time and memory."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from trustkit import jsonfile
from trustkit.bench.growth_curves import CURVES, Curve
from trustkit.bench.growth_work import Work

__all__ = ["Point", "measured"]

_BATCH, _BATCHES, _LONG = 0.12, 3, 3.0
"""Work is done again and again in batches of 0.12 processor seconds, 3 of them or until 3 s were measured."""

_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


@dataclass(frozen=True)
class Point:
    """What a piece of work costs at one size.

    Parameters
    ----------
    axis, name : str
        Whose curve it is on.
    size : int
        How many of what grows.
    cpu : float or None
        Processor seconds of one time, on average over the quickest batch; None if it could not be measured.
    wall : float or None
        Seconds by the clock, of the same batch.
    repeats : int
        How many times it was done.
    memory : int or None
        Bytes: the most that the process held, less what it held after the same work at the least size. None where it
        was not measured, or the system does not say.
    why : str
        Why it could not be measured; empty if it was.
    """

    axis: str
    name: str
    size: int
    cpu: float | None = None
    wall: float | None = None
    repeats: int = 0
    memory: int | None = None
    why: str = ""


def measured(curve: Curve, size: int, seconds: float, room: int) -> Point:
    """Measure a point in a process of its own, on one thread.

    Parameters
    ----------
    curve : Curve
        One of `trustkit.bench.growth_curves.CURVES`.
    size : int
        How many of what grows.
    seconds : float
        Processor seconds that the process may take, from making the data to the last time; at least 1.
    room : int
        Bytes that it may take beyond what it holds at the least size.

    Returns
    -------
    Point
        With the reason, where the work did not fit into either.

    Raises
    ------
    RuntimeError
        If the process ended for another reason.
    """
    words = [curve.axis, curve.name, str(size), str(seconds), str(room)]
    done = subprocess.run([sys.executable, "-m", __name__, *words], env={**os.environ, **_ONE_THREAD}, check=False,
                          capture_output=True, text=True)  # fmt: skip
    if done.returncode == 0:
        return Point(**jsonfile.loads(done.stdout.splitlines()[-1]))
    why = {-signal.SIGXCPU: f"more than {seconds:g} s of processor time",
           -signal.SIGKILL: "ended by the system, as where memory runs out"}.get(done.returncode)  # fmt: skip
    if why is None:
        said = done.stderr.strip().splitlines()[-1:] or ["nothing"]
        raise RuntimeError(f"{curve.title} with {size:,} {curve.axis} ended with status {done.returncode}: {said[0]}")
    return Point(curve.axis, curve.name, size, why=why)


def _point(curve: Curve, size: int, seconds: float, room: int) -> Point:
    """Measure in this process, which is to end afterwards."""
    _may_take(seconds)
    curve.make(curve.sizes[0])()  # libraries are loaded and loops compiled
    before = _held("VmRSS")
    _forget()
    try:
        _may_hold(room)
        cpu, wall, repeats = _quickest(curve, size)
    except (ValueError, MemoryError, RuntimeError) as error:
        return Point(curve.axis, curve.name, size, why=_said(error))
    peak = _held("VmHWM")
    memory = None if before is None or peak is None else max(0, peak - before)
    return Point(curve.axis, curve.name, size, cpu, wall, repeats, memory)


def _said(error: Exception) -> str:
    """Return the first line of an error, without a place in a source."""
    text = re.sub(r"^\[.*?\] ", "", str(error).split("\n")[0]) or type(error).__name__
    return text if len(text) <= 200 else text[:199] + "…"


def _quickest(curve: Curve, size: int) -> tuple[float, float, int]:
    """Return processor seconds and seconds of one time, on average over the quickest batch, and times in all."""
    work = curve.make(size)
    batches = [_batch(work, 0.0 if curve.once else _BATCH)]
    while not curve.once and len(batches) < _BATCHES and sum(cpu * times for cpu, _, times in batches) < _LONG:
        batches.append(_batch(work, _BATCH))
    cpu, wall, _ = min(batches)
    return cpu, wall, sum(times for _, _, times in batches)


def _batch(work: Work, least: float) -> tuple[float, float, int]:
    """Do it again and again for so many processor seconds; a processor's clock may tick 250 times a second only."""
    began, cpu, times, spent = time.perf_counter(), time.process_time(), 0, 0.0
    while not times or spent < least:
        work()
        times += 1
        spent = time.process_time() - cpu
    return spent / times, (time.perf_counter() - began) / times, times


def _may_take(seconds: float) -> None:
    """Let the system end this process when it has taken so much processor time."""
    import resource

    used = time.process_time()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (int(used + seconds + 0.999), resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _may_hold(room: int) -> None:
    """Let asking for more memory fail, as it does where there is no more."""
    import resource

    mapped = _held("VmSize")
    if mapped is not None:
        resource.setrlimit(resource.RLIMIT_AS, (mapped + room, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _held(what: str) -> int | None:
    """Return a size of this process as Linux tells it: VmRSS now, VmHWM at most, VmSize mapped. In bytes."""
    with suppress(OSError):
        found = re.search(rf"^{what}:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="ascii"), re.MULTILINE)
        return int(found[1]) * 1024 if found else None
    return None


def _forget() -> None:
    """Let the system forget how much this process held at most."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def _main(words: list[str]) -> None:
    axis, name, size, seconds, room = words
    found: dict[str, Any] = asdict(_point(CURVES[axis, name], int(size), float(seconds), int(room)))
    print(jsonfile.dumps(found, indent=None))


if __name__ == "__main__":
    _main(sys.argv[1:])
