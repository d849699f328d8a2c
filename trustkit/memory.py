"""Whether what is to be done fits into memory, asked before it is begun."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

__all__ = ["fits", "free", "keeps", "limit"]

_GROUPS = Path("/sys/fs/cgroup")
_LIMITS = (
    ("memory.max", "memory.current", "inactive_file"),
    ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "total_inactive_file"),
)
"""A container's limit and use by version 2 and 1 of Linux's control groups, and what of the use can be given back."""
_MINE: list[int] = []
"""What this process may hold, if it was told."""


def limit(size: int) -> None:
    """Tell this process how much it may hold, as one of several that share a machine.

    Parameters
    ----------
    size : int
        Bytes.
    """
    _MINE[:] = [size]


def free() -> int | None:
    """Return how much memory is free now.

    Returns
    -------
    int or None
        Bytes: the least of what the machine has left, what the container may still take, and what this process may;
        ``None`` where the system does not say.
    """
    told = [size for size in (_machine(), *_container(), _process(), _share()) if size is not None]
    return max(0, min(told)) if told else None


def _share() -> int | None:
    """Return what this process may still take of what it was told, if it was."""
    try:
        held = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        held = 0
    return _MINE[0] - held if _MINE else None


def _machine() -> int | None:
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            told = {line.split(":")[0]: int(line.split()[1]) * 1024 for line in lines if line.strip()}
        return told["MemAvailable"]
    except (OSError, KeyError, ValueError, IndexError):
        try:
            return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        except (ValueError, OSError, AttributeError):
            return None


def _container() -> Iterator[int]:
    """Yield what is left of the limit of this process's control group, as a container sees it."""
    for limit, use, part in _LIMITS:
        with suppress(OSError, ValueError):  # "max" is no number, and no limit
            most, used = (int((_GROUPS / name).read_text(encoding="ascii")) for name in (limit, use))
            lines = (_GROUPS / Path(use).with_name("memory.stat")).read_text(encoding="ascii").splitlines()
            kept = {name: int(size) for name, size in (line.split() for line in lines)}
            yield most - used + kept.get(part, 0)


def _process() -> int | None:
    """Return how much more this process may map, where that is limited (``ulimit -v``)."""
    try:
        import resource

        most = resource.getrlimit(resource.RLIMIT_AS)[0]
        if most == resource.RLIM_INFINITY:
            return None
        used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        return most - used * os.sysconf("SC_PAGE_SIZE")
    except (ImportError, OSError, ValueError):
        return None


def fits(what: str, size: int) -> None:
    """Refuse what will not fit.

    Parameters
    ----------
    what : str
        Who needs it and for what, as the subject of a sentence: "splitnn with 2,048 parties".
    size : int
        Bytes, estimated.

    Raises
    ------
    ValueError
        If less than that is free.
    """
    there = free()
    if there is not None and size > there:
        raise ValueError(f"{what} must fit into the {there / 1e9:.1f} GB of memory that are free, got about "
                         f"{size / 1e9:.1f} GB to hold")  # fmt: skip


def keeps(state: Mapping[str, Any], rounds: int) -> None:
    """Refuse rounds that will not fit into memory together, as a record of a run keeps every state.

    Parameters
    ----------
    state : mapping of str to array
        What is carried from round to round.
    rounds : int
        How many rounds will be played.

    Raises
    ------
    ValueError
        If less is free than so many states take.
    """
    size = sum(int(getattr(value, "nbytes", 0)) for value in state.values())
    fits(f"{rounds:,} rounds, each with a state of {size:,} bytes,", rounds * size)
