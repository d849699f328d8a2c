"""The energy counters of the processor, read by CodeCarbon where it is installed and they may be read."""

from __future__ import annotations

import importlib.util
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

__all__ = ["INTERVAL", "Counters", "counters_of"]

INTERVAL = 60.0
"""Seconds between readings: a counter starts over after some 262 kJ, which a package of 100 W takes in 44 minutes."""

_PACKAGE = "Energy Delta"


class Counters:
    """Adds up what the counters of the processor's packages count between `start` and `stop`.

    Parameters
    ----------
    rapl : codecarbon.core.cpu.IntelRAPL
        Reads them: it leaves out parts of a package, counters that show another's number, and knows when one has
        started over.

    Source
    ------
    CodeCarbon 3 (MIT), ``codecarbon.core.cpu.IntelRAPL``.

    Deviations
    ----------
    Only CodeCarbon's reader is used, not its tracker: that would ask the network where the machine is, write files, and
    fill in an estimate where nothing can be measured.
    """

    def __init__(self, rapl: Any) -> None:
        self._rapl, self._lock = rapl, Lock()
        self._kwh, self._packages = 0.0, 0
        self._clock: Any = None

    def start(self) -> None:
        """Begin to count."""
        from codecarbon.external.scheduler import PeriodicScheduler

        self._kwh, self._packages = 0.0, 0
        with _quiet():
            self._rapl.start()
        self._clock = PeriodicScheduler(INTERVAL, self._read)
        self._clock.start()

    def stop(self) -> tuple[float, int]:
        """End, and return what was counted.

        Returns
        -------
        (float, int)
            Energy in kWh, and of how many packages; 0 if nothing could be read.
        """
        self._clock.stop()
        self._read()
        return self._kwh, self._packages

    def _read(self) -> None:
        from codecarbon.core.units import Time

        with self._lock, _quiet():
            found = self._rapl.get_cpu_details(Time(INTERVAL))  # the time makes watts of it, which nobody asks for
            packages = [value for name, value in found.items() if _PACKAGE in name]
            self._kwh += sum(packages)
            self._packages = max(self._packages, len(packages))


def counters_of(folder: Path | None = None) -> Counters | None:
    """Open the counters, if CodeCarbon is installed and they may be read.

    Parameters
    ----------
    folder : pathlib.Path, optional
        Where they are, in the layout of Linux's powercap; by default where Linux has them.

    Returns
    -------
    Counters or None
        None without CodeCarbon (the extra ``energy``), without counters, and where only an administrator may read them.

    Examples
    --------
    >>> counters_of(Path("nowhere")) is None
    True
    """
    if importlib.util.find_spec("codecarbon") is None:
        return None
    from codecarbon.core.cpu import IntelRAPL, is_rapl_available

    where = {} if folder is None else {"rapl_dir": str(folder)}
    with _quiet():
        try:
            rapl = IntelRAPL(**where) if is_rapl_available(**where) else None
        except (OSError, SystemError):  # no such folder; not Linux
            rapl = None
    return None if rapl is None else Counters(rapl)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep CodeCarbon's log from the screen: what could not be measured is said in the fact sheet."""
    log = logging.getLogger("codecarbon")
    before = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(before)
