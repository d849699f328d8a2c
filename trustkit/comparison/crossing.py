"""Runs of algorithms over columns side by side: quality, bytes and time, by algorithm and split."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from trustkit.catalogue import ALGORITHMS
from trustkit.experiment import Experiment
from trustkit.findings import quality_of
from trustkit.records import RunRecord

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Crossing", "Place", "Run", "run_of"]

Place = tuple[str, float | None]
"""An algorithm's name and the split's value, ``None`` where splits are not varied."""


@dataclass(frozen=True)
class Run:
    """What one run gave.

    Parameters
    ----------
    quality : float
        After the last round: accuracy in [0, 1], or RMSE in the target's unit; NaN where undefined.
    sent : float
        Bytes that all parties sent in all rounds.
    most_in, most_out : float
        Bytes of the party that received, and of the one that sent, most.
    seconds : float
        That the simulation took; not what a network would take.
    rounds : int
        That were played.
    """

    quality: float
    sent: float
    most_in: float
    most_out: float
    seconds: float
    rounds: int


def run_of(record: RunRecord) -> Run:
    """Read a run's numbers off its record.

    Parameters
    ----------
    record : RunRecord
        At least one round.

    Returns
    -------
    Run
        Over all rounds.
    """
    up, down = record.bytes_up.sum(axis=0), record.bytes_down.sum(axis=0)
    return Run(quality_of(record).last, float(up.sum()), float(down.max()), float(up.max()),
               float(record.seconds.sum()), len(record))  # fmt: skip


@dataclass(frozen=True, eq=False)
class Crossing:
    """Algorithms times splits.

    Parameters
    ----------
    experiments : mapping of (str, float or None) to Experiment
        All that was asked for, by algorithm and value.
    records : mapping of (str, float or None) to RunRecord
        What was played; some may be missing, or not be whole yet.
    refused : mapping of (str, float or None) to str
        By place the sentence for which it was refused, of those that were.
    along : {"", "alpha", "beta"}
        What of the split varies.
    """

    experiments: Mapping[Place, Experiment]
    records: Mapping[Place, RunRecord]
    refused: Mapping[Place, str]
    along: str = ""

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Names, in the order asked for."""
        return tuple(dict.fromkeys(name for name, _ in self.experiments))

    @property
    def values(self) -> tuple[float | None, ...]:
        """Of the split, in the order asked for; ``(None,)`` where it is not varied."""
        return tuple(dict.fromkeys(value for _, value in self.experiments))

    @property
    def measure(self) -> str:
        """What quality is: "accuracy", or "RMSE" where the target is a number."""
        told = (quality_of(record).name for record in self.records.values() if len(record))
        return next(told, "accuracy")

    def runs(self) -> dict[Place, Run]:
        """Return the numbers of all runs that are whole.

        Returns
        -------
        dict of (str, float or None) to Run
            By algorithm and value.
        """
        return {place: run_of(record) for place, record in self.records.items() if len(record) and record.complete}

    def qualities(self) -> np.ndarray:
        """Return quality after the last round by algorithm and value.

        Returns
        -------
        (A, V) float array
            NaN where a run is missing, not whole, or has no quality.
        """
        runs = self.runs()
        return np.array([[runs[name, value].quality if (name, value) in runs else math.nan for value in self.values]
                         for name in self.algorithms])  # fmt: skip

    def titled(self, value: float | None = None) -> dict[str, RunRecord]:
        """Return the runs of one split by the algorithms' titles.

        Parameters
        ----------
        value : float, optional
            Of the split.

        Returns
        -------
        dict of str to RunRecord
            Those that have a round.
        """
        return {ALGORITHMS[name].title: record for (name, at), record in self.records.items()
                if at == value and len(record)}  # fmt: skip

    def frame(self) -> pd.DataFrame:
        """Return one line for each run.

        Returns
        -------
        pandas.DataFrame
            algorithm, the split's parameter if it varies, accuracy or RMSE, sent, most_in, most_out (bytes), seconds,
            rounds, refused; NaN where a run is missing.
        """
        import pandas as pd

        runs, lines, nothing = self.runs(), [], Run(math.nan, math.nan, math.nan, math.nan, math.nan, 0)
        for name, value in self.experiments:
            found = runs.get((name, value), nothing)
            lines.append({"algorithm": name, **({self.along: value} if self.along else {}),
                          self.measure: found.quality, "sent": found.sent, "most_in": found.most_in,
                          "most_out": found.most_out, "seconds": found.seconds, "rounds": found.rounds,
                          "refused": self.refused.get((name, value), "")})  # fmt: skip
        return pd.DataFrame(lines)

    def to_markdown(self) -> str:
        """Return a table of qualities: a line an algorithm, a column a value of the split.

        Returns
        -------
        str
            With n/a where there is none.
        """
        heads = [f"{self.along} = {value:g}" if value is not None else self.measure for value in self.values]
        lines = [["algorithm", *heads], ["---"] * (1 + len(heads))]
        for name, row in zip(self.algorithms, self.qualities(), strict=True):
            lines.append([ALGORITHMS[name].title, *("n/a" if math.isnan(each) else f"{each:.3f}" for each in row)])
        return "\n".join("| " + " | ".join(cells) + " |" for cells in lines) + "\n"
