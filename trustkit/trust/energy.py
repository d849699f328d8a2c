"""Energy and emissions: read from the processor's counters where it lets us, else reckoned from stated assumptions."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from trustkit.trust.counters import counters_of

__all__ = [
    "INTENSITY",
    "KWH_PER_BYTE",
    "WATTS_PER_CORE",
    "Energy",
    "EnergyMeter",
    "emissions",
    "sustainability",
    "traffic",
]

WATTS_PER_CORE = 10.0
"""Assumed power of a busy core, where nothing measures it: a server's 200 W over 20 cores."""

KWH_PER_BYTE = 2.24e-10
"""Assumed energy of sending a byte through the network, in kWh: what NEBULA's sustainability extension takes."""

INTENSITY = 475.0
"""Assumed emissions of electricity where nobody states them, in gCO2/kWh: the world's mean in 2018.

From the International Energy Agency's Global Energy and CO2 Status Report 2019, chapter Emissions; CodeCarbon's own
table holds the same number from the same report.
"""


@dataclass(frozen=True)
class Energy:
    """Energy in kWh, whether counters measured it, and in words how it was found and what that takes for granted."""

    kwh: float
    measured: bool
    words: str


class EnergyMeter:
    """Takes the energy of what runs inside a ``with`` block; ``energy`` holds it afterwards.

    Parameters
    ----------
    watts : float
        Above 0: power of a busy core, for where no counter can be read.
    counters : pathlib.Path, optional
        Folder of the counters (RAPL) of the processor's packages, which CodeCarbon reads if it is installed; by default
        where Linux has them.

    Raises
    ------
    ValueError
        If the power is not above 0 and finite.
    """

    def __init__(self, watts: float = WATTS_PER_CORE, counters: Path | None = None) -> None:
        if not 0 < watts < math.inf:
            raise ValueError(f"watts must be above 0 and finite, got {watts!r}")
        self.energy: Energy | None = None
        self._watts, self._counters = watts, counters_of(counters)
        self._cpu = 0.0

    def __enter__(self) -> EnergyMeter:
        if self._counters is not None:
            self._counters.start()
        self._cpu = time.process_time()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        seconds = time.process_time() - self._cpu
        kwh, packages = (0.0, 0) if self._counters is None else self._counters.stop()
        if kwh > 0:
            words = f"counters (RAPL) of {packages} processor packages, with all else that ran on them meanwhile"
            self.energy = Energy(kwh, True, words)
        else:
            words = f"assumed: {self._watts:g} W for each busy core, over {seconds:.3g} s of processor time"
            self.energy = Energy(self._watts * seconds / 3.6e6, False, words)


def _checked(**numbers: float) -> None:
    for name, number in numbers.items():
        if not 0 <= number < math.inf:
            raise ValueError(f"{name} must be at least 0 and finite, got {number!r}")


def emissions(kwh: float, intensity: float) -> float:
    """Return the emissions of some energy.

    Parameters
    ----------
    kwh : float
        Energy, in kWh, at least 0.
    intensity : float
        Of the electricity, in gCO2/kWh, at least 0.

    Returns
    -------
    float
        In gCO2.

    Raises
    ------
    ValueError
        If a number is negative or not finite.

    Examples
    --------
    >>> emissions(0.5, 400.0)
    200.0
    """
    _checked(kwh=kwh, intensity=intensity)
    return kwh * intensity


def traffic(size: float, intensity: float) -> float:
    """Return the emissions of sending bytes.

    Parameters
    ----------
    size : float
        In bytes, at least 0.
    intensity : float
        Of the electricity, in gCO2/kWh, at least 0.

    Returns
    -------
    float
        In gCO2: bytes times `KWH_PER_BYTE` times intensity.

    Raises
    ------
    ValueError
        If a number is negative or not finite.

    Examples
    --------
    >>> round(traffic(736152, 32.87), 14)
    0.00542019883776
    """
    _checked(size=size, intensity=intensity)
    return size * KWH_PER_BYTE * intensity


def sustainability(
    training: Energy, clients: float, server: float, upload: float | None = None, download: float | None = None
) -> dict[str, Any]:
    """State facts about energy for a fact sheet.

    Parameters
    ----------
    training : Energy
        Of the clients' training.
    clients, server : float
        Intensity of their electricity, in gCO2/kWh, at least 0.
    upload, download : float, optional
        Bytes that all clients together sent and received.

    Returns
    -------
    dict
        By ``sustainability/name``: intensities, and emissions in gCO2 of training and traffic as far as they are known.

    Raises
    ------
    ValueError
        If a number is negative or not finite.

    Examples
    --------
    >>> facts = sustainability(Energy(0.5, False, "assumed"), clients=400, server=50, upload=1e9)
    >>> facts["sustainability/emissions_training"], round(facts["sustainability/emissions_communication_uplink"], 6)
    (200.0, 89.6)
    """
    _checked(clients=clients, server=server)
    facts = {
        "carbon_intensity_clients": float(clients), "carbon_intensity_server": float(server),
        "emissions_training": emissions(training.kwh, clients),
        "emissions_communication_uplink": None if upload is None else traffic(upload, clients),
        "emissions_communication_downlink": None if download is None else traffic(download, server),
    }  # fmt: skip
    return {f"sustainability/{name}": value for name, value in facts.items() if value is not None}
