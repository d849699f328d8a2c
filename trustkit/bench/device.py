"""The same work on the processor and on a graphics card: equal results first, then seconds."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from trustkit import datasets
from trustkit.catalogue import use
from trustkit.devices import device_named
from trustkit.experiment import Experiment
from trustkit.metrics import spearman
from trustkit.rng import stream
from trustkit.rounds import build, data_of, play
from trustkit.split import icor_population

__all__ = ["Timed", "time_device"]

_TOLERANCE = 1e-3
"""Of 4-byte floats whose sums run in another order, over some rounds of training, as a share of the largest number."""


@dataclass(frozen=True)
class Timed:
    """One piece of work on both.

    Parameters
    ----------
    work : str
        What was done.
    here, there : float
        Seconds by the engine of the processor, and on the device, the first time left out.
    apart : float
        The largest difference of the results, as a share of the largest number.
    """

    work: str
    here: float
    there: float
    apart: float

    @property
    def equal(self) -> bool:
        """Whether the results are the same but for the order of sums."""
        return self.apart <= _TOLERANCE

    @property
    def ratio(self) -> float:
        """How many times as fast the device is."""
        return self.here / self.there


def time_device(device: str, quick: bool = False) -> Iterator[Timed]:
    """Measure Icor of many divisions, FedAvg with many clients, and SplitNN, here and on a device.

    Parameters
    ----------
    device : str
        As `trustkit.devices.device_named` takes it.
    quick : bool
        A tenth of the work.

    Yields
    ------
    Timed
        A piece of work.

    Raises
    ------
    ValueError
        If there is no such device.
    """
    device_named(device)
    return _timed(device, quick)


def _timed(device: str, quick: bool) -> Iterator[Timed]:
    chains, clients, rounds = (64, 100, 1) if quick else (2048, 1000, 5)
    across = Experiment("letter", use("importance", parties=4), use("splitnn", lr=0.003), rounds=rounds)
    yield _pair(f"Icor of {chains:,} divisions of letter's columns", *_divisions(chains, device))
    yield _pair(f"FedAvg, {clients:,} clients, {rounds} rounds", *_runs(_among(clients, rounds), device))
    yield _pair(f"SplitNN on letter, 4 parties, {rounds} rounds", *_runs(across, device))


def _among(clients: int, rounds: int) -> Experiment:
    """Deal the rows of acs_employment to many clients, more than a split over rows allows."""
    data = datasets.load("acs_employment")
    owner = stream(0, "bench", clients).permutation(np.arange(len(data.y)) % clients)
    datasets.add(dataclasses.replace(data, name=f"acs_employment among {clients}", groups={"client": owner}))
    return Experiment(f"acs_employment among {clients}", use("by_group", group="client"), use("fedavg", lr=0.02),
                      use("mlp", hidden=[64]), rounds=rounds)  # fmt: skip


Work = Callable[[], np.ndarray]


def _divisions(chains: int, device: str) -> tuple[Work, Work]:
    data = data_of(Experiment("letter", use("importance", parties=4), "splitnn"))
    corr = spearman(np.asarray(data.X))
    seats = np.arange(len(corr)) % 4
    owners = np.stack([stream(0, "bench", k).permutation(seats) for k in range(chains)])
    return lambda: icor_population(corr, owners), lambda: icor_population(corr, owners, device=device)


def _runs(experiment: Experiment, device: str) -> tuple[Work, Work]:
    build(experiment)  # loading and splitting are the same on both

    def done(place: str | None) -> np.ndarray:
        state = [played.state for played in play(experiment, device=place)][-1]
        return np.asarray((state or {})["params"])

    return lambda: done(None), lambda: done(device)


def _pair(work: str, here: Work, there: Work) -> Timed:
    """Do both once, compare, and time both again, so that nothing is loaded or compiled while the clock runs."""
    one, two = here(), there()
    apart = float(np.abs(one - two).max() / max(float(np.abs(one).max()), 1e-12))
    seconds = []
    for each in (here, there):
        began = time.perf_counter()
        each()
        seconds.append(time.perf_counter() - began)
    return Timed(work, seconds[0], seconds[1], apart)
