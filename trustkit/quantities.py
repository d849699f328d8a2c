"""Numbers of a run, of its split and of the controls, by name: goals are set on them, seeds compared by them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from trustkit.disparities import disparities_of
from trustkit.experiment import Experiment
from trustkit.findings import COMPARED, fairness_of, headline_of, quality_of
from trustkit.records import RunRecord
from trustkit.rounds import partition_of
from trustkit.trust import PROFILES, TrustReport

__all__ = ["QUANTITIES", "Quantity", "Seen", "quantity_named"]


@dataclass(frozen=True, eq=False)
class Seen:
    """What there is to read numbers off.

    Parameters
    ----------
    experiment : Experiment, optional
        What the controls ask for now.
    record : RunRecord, optional
        The newest result.
    report : TrustReport, optional
        The score of that result.
    """

    experiment: Experiment | None = None
    record: RunRecord | None = None
    report: TrustReport | None = None


@dataclass(frozen=True, eq=False)
class Quantity:
    """A number that can be asked for by name.

    Parameters
    ----------
    title : str
        What it is called in a sentence.
    source : {"run", "split", "controls"}
        Whether a run, a split, or the controls alone tell it.
    read : callable
        Returns it; ``None`` where there is none, NaN where it is not defined.
    higher : bool, optional
        Whether more is better; ``None`` where neither is.
    """

    title: str
    source: str
    read: Callable[[Seen], float | None]
    higher: bool | None = None


def _run(read: Callable[[RunRecord], float | None]) -> Callable[[Seen], float | None]:
    return lambda seen: None if seen.record is None or not len(seen.record) else read(seen.record)


def _setup(read: Callable[[Experiment], float | None]) -> Callable[[Seen], float | None]:
    return lambda seen: None if seen.experiment is None else read(seen.experiment)


def _achieved(name: str) -> Callable[[Seen], float | None]:
    """A number that a split states of itself; of a list the largest."""

    def read(experiment: Experiment) -> float | None:
        found = partition_of(experiment).achieved.get(name)
        if isinstance(found, (list, tuple)):
            found = max(found, default=None)
        return None if found is None else float(found)

    return _setup(read)


def _gap(name: str) -> Callable[[Seen], float | None]:
    """The worst client's gap: the largest, of a ratio the smallest."""

    def read(record: RunRecord) -> float | None:
        found = disparities_of(record, compared=name)
        if found is None:
            return None
        known = found.gap[np.isfinite(found.gap)]
        if not known.size:
            return math.nan
        return float(known.min() if found.compared.ratio else known.max())

    return _run(read)


def _fair(name: str) -> Callable[[Seen], float | None]:
    def read(record: RunRecord) -> float | None:
        found = fairness_of(record)
        return None if found is None else float(getattr(found, name))

    return _run(read)


def _rmse(record: RunRecord) -> float | None:
    quality = quality_of(record)
    return None if quality.higher else quality.last


def _trust(seen: Seen) -> float | None:
    return None if seen.report is None else seen.report.score


def _pillar(name: str) -> Callable[[Seen], float | None]:
    return lambda seen: None if seen.report is None else seen.report.pillars.get(name)


_PILLARS = tuple(dict.fromkeys(pillar for profile in PROFILES.values() for pillar in profile.taxonomy.pillars))

QUANTITIES: Mapping[str, Quantity] = {
    "accuracy": Quantity("mean accuracy", "run", _run(lambda record: headline_of(record).accuracy), True),
    "worst_accuracy": Quantity(
        "worst client's accuracy", "run", _run(lambda record: headline_of(record).worst_accuracy), True
    ),
    "rmse": Quantity("RMSE", "run", _run(_rmse), False),
    "epsilon": Quantity("ε spent", "run", _run(lambda record: headline_of(record).epsilon), False),
    "megabytes": Quantity(
        "traffic in MB", "run", _run(lambda r: 1e-6 * float(r.bytes_up.sum() + r.bytes_down.sum())), False
    ),
    "trust": Quantity("trust", "run", _trust, True),
    **{f"trust.{name}": Quantity(f"{name.replace('_', ' ')} pillar", "run", _pillar(name), True) for name in _PILLARS},
    **{
        f"fairness.{name}": Quantity(f"worst client's {compared.title}", "run", _gap(name), compared.ratio)
        for name, compared in COMPARED.items()
    },
    "fairness.pooled": Quantity("demographic disparity of all rows", "run", _fair("pooled"), False),
    "fairness.masking_gap": Quantity("masking gap", "run", _fair("masking"), False),
    "fairness.clients_over": Quantity("clients above the line of 0.09", "run", _fair("over"), False),
    "split.beta": Quantity("β achieved", "split", _achieved("beta")),
    "split.icor": Quantity("Icor", "split", _achieved("icor")),
    "split.largest_share": Quantity("largest party's share of importance", "split", _achieved("shares")),
    "split.label_skew": Quantity("label skew", "split", _achieved("label_skew")),
    "clients": Quantity("clients or parties", "split", _setup(lambda e: float(partition_of(e).parties))),
    "rounds": Quantity("rounds", "controls", _setup(lambda e: float(e.rounds))),
    "participation": Quantity("share selected each round", "controls", _setup(lambda e: e.participation)),
}
"""Quantities by name; ``trust.`` and a pillar's id, ``fairness.`` and a name of `trustkit.findings.COMPARED`."""


def quantity_named(name: str) -> Quantity:
    """Return a quantity by its name.

    Parameters
    ----------
    name : str
        One of `QUANTITIES`.

    Returns
    -------
    Quantity
        Its title, and how it is read.

    Raises
    ------
    KeyError
        If there is none.

    Examples
    --------
    >>> quantity_named("fairness.demographic_disparity").title
    "worst client's demographic disparity"
    >>> quantity_named("trust.privacy").higher
    True
    """
    if name not in QUANTITIES:
        raise KeyError(f"there is no quantity {name!r}; known are {', '.join(QUANTITIES)}")
    return QUANTITIES[name]
