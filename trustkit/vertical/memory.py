"""Whether what is to be done fits into memory, asked before it is begun."""

from __future__ import annotations

import os

__all__ = ["fits", "free"]


def free() -> int | None:
    """Return how much memory is free now.

    Returns
    -------
    int or None
        Bytes; ``None`` where the system does not say.
    """
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            told = {line.split(":")[0]: int(line.split()[1]) * 1024 for line in lines if line.strip()}
        return told["MemAvailable"]
    except (OSError, KeyError, ValueError, IndexError):
        try:
            return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        except (ValueError, OSError, AttributeError):
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
