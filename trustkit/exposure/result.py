"""What attacks on a run found: one line an attack, each with its band over seeds and its floor."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["NOTE", "TARGETS", "Exposure", "Finding"]

NOTE = "Attacks are lower bounds: a better one may find more, and what is not found is not safe."

TARGETS = {"labels": "labels", "features": "features", "membership": "membership"}
"""What is looked for: the first party's labels, another party's columns, whether a row was trained on."""


@dataclass(frozen=True)
class Finding:
    """One attack.

    Parameters
    ----------
    target : {"labels", "features", "membership"}
        What is looked for.
    attack : str
        Which attack.
    attacker, victim : int
        Parties; −1 for whoever has the joint model, and for everybody's rows.
    moment : str
        When: on the messages of the "first round", the "last round" or "rounds averaged", or on the "model".
    measure : str
        "AUC", "accuracy" or "R²".
    values : tuple of S float
        By seed; empty where the attack has nothing to work on.
    floor : float
        What guessing achieves.
    own : float
        What the attacker achieves with its own columns and no run; NaN where that is no question.
    whole : float
        On all rows, where seeds only draw them anew to tell how sure it is; NaN where seeds are attacks of their own.
    reason : str
        Why there are no values.
    """

    target: str
    attack: str
    attacker: int
    victim: int
    moment: str
    measure: str
    values: tuple[float, ...] = ()
    floor: float = math.nan
    own: float = math.nan
    whole: float = math.nan
    reason: str = ""

    @property
    def known(self) -> np.ndarray:
        """The values that are defined."""
        values = np.array(self.values, float)
        return np.asarray(values[np.isfinite(values)])

    @property
    def mean(self) -> float:
        """The value on all rows, or the mean over seeds; NaN where there is no value."""
        if not math.isnan(self.whole):
            return self.whole
        return float(self.known.mean()) if self.known.size else math.nan

    @property
    def band(self) -> tuple[float, float]:
        """Smallest and largest value over seeds and on all rows; NaN where there is none."""
        values = self.known if math.isnan(self.whole) else np.append(self.known, self.whole)
        return (float(values.min()), float(values.max())) if values.size else (math.nan, math.nan)

    @property
    def without(self) -> float:
        """What the attacker achieves without the run: by guessing, or by its own columns if that is more."""
        return self.floor if math.isnan(self.own) else max(self.floor, self.own)

    @property
    def advantage(self) -> float:
        """How far above what takes no run, in [0, 1]: 0 is nothing, 1 finds everything; NaN where undefined."""
        return self.above(self.mean)

    def above(self, value: float) -> float:
        """Place a value between what takes no run and finding everything.

        Parameters
        ----------
        value : float
            Of this attack's measure.

        Returns
        -------
        float
            max(0, (value − w) / (1 − w)), in [0, 1], where w is `without`; NaN where undefined.
        """
        if math.isnan(value) or math.isnan(self.floor):
            return math.nan
        if self.without >= 1:
            return 0.0
        return max(0.0, (value - self.without) / (1 - self.without))


@dataclass(frozen=True, eq=False)
class Exposure:
    """All attacks on one run.

    Parameters
    ----------
    findings : tuple of Finding
        One an attack.
    seeds : tuple of S int
        Over which bands are taken.
    rows : int
        Training rows that were attacked.
    """

    findings: tuple[Finding, ...]
    seeds: tuple[int, ...]
    rows: int

    def worst(self, target: str) -> Finding | None:
        """Return the attack that found most of something.

        Parameters
        ----------
        target : {"labels", "features", "membership"}
            What was looked for.

        Returns
        -------
        Finding or None
            The largest advantage, of several without any the one that comes closest; ``None`` where no attack had
            anything to work on.

        Raises
        ------
        KeyError
            If nothing of that name is looked for.
        """
        if target not in TARGETS:
            raise KeyError(f"there is no target {target!r}; known are {', '.join(TARGETS)}")
        able = [each for each in self.findings if each.target == target and not math.isnan(each.advantage)]
        return max(able, key=lambda each: (each.advantage, each.mean - each.without), default=None)

    def share(self, target: str, seed: int | None = None) -> float:
        """Return how much is found above what takes no run.

        Parameters
        ----------
        target : {"labels", "features", "membership"}
            What was looked for.
        seed : int, optional
            One of ``seeds``; by default the mean over all.

        Returns
        -------
        float
            In [0, 1], of the attack that finds most on average; NaN where none applies.
        """
        found = self.worst(target)
        if found is None:
            return math.nan
        return found.advantage if seed is None else found.above(found.values[self.seeds.index(seed)])

    def frame(self) -> pd.DataFrame:
        """Return one line for each attack.

        Returns
        -------
        pandas.DataFrame
            target, attack, attacker, victim, moment, measure, mean, low, high, floor, own, advantage, reason.
        """
        import pandas as pd

        lines = [
            {"target": each.target, "attack": each.attack, "attacker": each.attacker, "victim": each.victim,
             "moment": each.moment, "measure": each.measure, "mean": each.mean, "low": each.band[0],
             "high": each.band[1], "floor": each.floor, "own": each.own, "advantage": each.advantage,
             "reason": each.reason}
            for each in self.findings
        ]  # fmt: skip
        return pd.DataFrame(lines)

    def __str__(self) -> str:
        words = []
        for target in TARGETS:
            found = self.worst(target)
            if found is None:
                reason = next((each.reason for each in self.findings if each.target == target), "not tried")
                words.append(f"{target}: n/a ({reason})")
            else:
                low, high = found.band
                words.append(f"{target}: {found.attack}, {found.measure} {found.mean:.2f} [{low:.2f}, {high:.2f}], "
                             f"without the run {found.without:.2f}")  # fmt: skip
        return "; ".join(words) + f". {NOTE}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON.

        Returns
        -------
        dict
            findings, seeds, rows.
        """
        return {"findings": [{**asdict(each), "values": list(each.values)} for each in self.findings],
                "seeds": list(self.seeds), "rows": self.rows}  # fmt: skip

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Exposure:
        """Read what `to_dict` wrote.

        Parameters
        ----------
        content : mapping
            findings, seeds, rows.

        Returns
        -------
        Exposure
            The same.
        """
        told = [{**each, "values": tuple(each["values"])} for each in content["findings"]]
        return cls(tuple(Finding(**each) for each in told), tuple(content["seeds"]), int(content["rows"]))
