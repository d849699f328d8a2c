"""Runs side by side: how far each number moved, whether that is better by its own direction, and all on one scale."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from trustkit.quantities import QUANTITIES, Quantity, Seen
from trustkit.trust import PROFILES

__all__ = ["MEASURES", "MOST_PINS", "SHORT", "SHOWN", "Delta", "Measured", "Rule", "deltas_of", "measured", "rule_of"]

MOST_PINS = 4
"""So many runs are pinned beside a baseline."""

SHOWN = ("trust", "trust.privacy", "trust.robustness", "trust.fairness", "trust.explainability",
         "trust.accountability", "trust.federation", "accuracy", "worst_accuracy", "rmse",
         "fairness.demographic_disparity", "fairness.equal_opportunity", "fairness.pooled", "fairness.masking_gap",
         "fairness.clients_over", "epsilon", "megabytes")  # fmt: skip
"""What is compared by default; what no result has is left out."""

_ROUNDING = 1e-9
"""Differences that are none."""


def _seconds(seen: Seen) -> float | None:
    record = seen.record
    return None if record is None or not len(record) else math.fsum(played.seconds for played in record)


_TIME = Quantity("training time in s", "run", _seconds, False)
"""Of a simulation, on the machine that played it: compared, but no goal is set on it."""

_KNOWN: Mapping[str, Quantity] = {**QUANTITIES, "seconds": _TIME}

MEASURES: Mapping[str, Quantity] = {name: each for name, each in _KNOWN.items() if each.source == "run"}
"""What can be compared: the quantities of `trustkit.quantities.QUANTITIES` that a run tells, and ``seconds``."""

_PILLARS = {name: title for profile in PROFILES.values() for name, title in profile.taxonomy.pillars.items()}

SHORT: Mapping[str, str] = {
    "trust": "trust", **{f"trust.{name}": title for name, title in _PILLARS.items()},
    "accuracy": "accuracy", "worst_accuracy": "worst accuracy", "rmse": "RMSE",
    "fairness.demographic_disparity": "worst DD", "fairness.equal_opportunity": "worst EOD",
    "fairness.equalized_odds": "worst EO", "fairness.accuracy_gap": "worst accuracy gap",
    "fairness.parity_ratio": "worst parity ratio", "fairness.pooled": "DD, pooled",
    "fairness.masking_gap": "masking gap", "fairness.clients_over": "clients, DD > 0.09", "epsilon": "ε spent",
    "megabytes": "traffic in MB", "seconds": "training time in s",
}  # fmt: skip
"""Names of `MEASURES` as they fit over a small picture."""

Rule = Literal["itself", "rest", "share"]
"""How a number becomes one from 0 to 1 of which more is better."""

_OPEN = frozenset({"rmse", "fairness.clients_over", "epsilon", "megabytes", "seconds"})
"""Measures without an upper end; less of each is better."""


@dataclass(frozen=True)
class Delta:
    """One number of two results.

    Parameters
    ----------
    name : str
        Of `MEASURES`, or another of `trustkit.quantities.QUANTITIES`.
    here, there : float or None
        The result's and the baseline's; ``None`` where it has none, NaN where it is not defined.
    """

    name: str
    here: float | None
    there: float | None

    @property
    def title(self) -> str:
        """What it is called."""
        return _KNOWN[self.name].title

    @property
    def difference(self) -> float:
        """The result's number minus the baseline's; NaN where one is missing or both are infinite."""
        if self.here is None or self.there is None:
            return math.nan
        return self.here - self.there

    @property
    def moved(self) -> bool | None:
        """Whether they differ by more than rounding; ``None`` where the difference is not defined."""
        if self.here is not None and self.here == self.there:
            return False
        return None if math.isnan(self.difference) else abs(self.difference) > _ROUNDING

    @property
    def better(self) -> bool | None:
        """Whether the result is the better one; ``None`` if they are equal, or neither direction is better."""
        higher = _KNOWN[self.name].higher
        return None if not self.moved or higher is None else (self.difference > 0) == higher


@dataclass(frozen=True)
class Measured:
    """One measure of several runs.

    Parameters
    ----------
    name : str
        Of `MEASURES`.
    values : (R,) tuple of float or None
        As measured; ``None`` where a run has none, NaN where it is not defined.
    scaled : (R,) tuple of float or None
        The same by `rule_of` in [0, 1], where more is better; ``None`` and NaN stay, they are no 0.
    """

    name: str
    values: tuple[float | None, ...]
    scaled: tuple[float | None, ...]

    @property
    def title(self) -> str:
        """What it is called."""
        return MEASURES[self.name].title

    @property
    def rule(self) -> Rule:
        """How `scaled` was made, see `rule_of`."""
        return rule_of(self.name)

    @property
    def higher(self) -> bool:
        """Whether more of the measured value is better."""
        return bool(MEASURES[self.name].higher)


def rule_of(name: str) -> Rule:
    """Return how a measure becomes a number from 0 to 1 of which more is better.

    Parameters
    ----------
    name : str
        Of `MEASURES`.

    Returns
    -------
    {"itself", "rest", "share"}
        ``itself``: it lies in [0, 1] and more is better. ``rest``: it lies in [0, 1] and less is better, so 1 minus it.
        ``share``: it has no upper end and less is better, so the least of the compared runs divided by it.

    Raises
    ------
    KeyError
        If there is no such measure.

    Examples
    --------
    >>> [rule_of(name) for name in ("accuracy", "fairness.demographic_disparity", "megabytes")]
    ['itself', 'rest', 'share']
    """
    if name not in MEASURES:
        raise KeyError(f"there is no measure {name!r}; known are {', '.join(MEASURES)}")
    if name in _OPEN:
        return "share"
    return "itself" if MEASURES[name].higher else "rest"


def measured(runs: Sequence[Seen], names: Sequence[str] = SHOWN) -> tuple[Measured, ...]:
    r"""Read the same measures off several runs, and bring each to one scale.

    Parameters
    ----------
    runs : (R,) sequence of Seen
        Results.
    names : sequence of str
        Of `MEASURES`.

    Returns
    -------
    tuple of Measured
        In the order of the names, without those that no run has.

    Raises
    ------
    KeyError
        If there is no such measure.

    Notes
    -----
    With x a run's value and m the least finite value of the runs: :math:`\min(\max(x, 0), 1)` for ``itself``,
    :math:`1 - \min(\max(x, 0), 1)` for ``rest``, and m / x for ``share``, where 0 / 0 is 1 and an infinite x gives 0.
    Unlike the distance from the worst to the best run, which makes 0 and 1 of any two runs, this keeps a small
    difference small. **Source**: ours. **Deviations**: none.

    Examples
    --------
    >>> from trustkit import Experiment, run
    >>> few, many = (Seen(None, run(Experiment("wine", "iid", model="logistic", rounds=n))) for n in (1, 2))
    >>> measured([few, many], ["megabytes"])[0].scaled
    (1.0, 0.5)
    """
    found = []
    for name in names:
        rule, read = rule_of(name), MEASURES[name].read
        values = tuple(read(each) for each in runs)
        if any(value is not None for value in values):
            found.append(Measured(name, values, _scaled(values, rule)))
    return tuple(found)


def _scaled(values: Sequence[float | None], rule: Rule) -> tuple[float | None, ...]:
    least = min((value for value in values if value is not None and math.isfinite(value)), default=math.inf)

    def scale(value: float | None) -> float | None:
        if value is None or math.isnan(value):
            return value
        if rule == "share":
            return 0.0 if math.isinf(value) else 1.0 if value == least else least / value
        within = min(max(value, 0.0), 1.0)
        return within if rule == "itself" else 1 - within

    return tuple(scale(value) for value in values)


def deltas_of(here: Seen, there: Seen, names: Sequence[str] = SHOWN) -> tuple[Delta, ...]:
    """Read the same numbers off two results.

    Parameters
    ----------
    here, there : Seen
        The result and the baseline.
    names : sequence of str
        Of `MEASURES`, or others of `trustkit.quantities.QUANTITIES`.

    Returns
    -------
    tuple of Delta
        In the order of the names, without those that neither result has.

    Raises
    ------
    KeyError
        If there is no such quantity.

    Examples
    --------
    >>> from trustkit.experiment import Experiment
    >>> few, many = (Seen(Experiment("wine", "iid", model="logistic", rounds=rounds)) for rounds in (2, 5))
    >>> [(delta.title, delta.difference, delta.better) for delta in deltas_of(many, few, ["rounds"])]
    [('rounds', 3.0, None)]
    """
    found = [Delta(name, _KNOWN[name].read(here), _KNOWN[name].read(there)) for name in names]
    return tuple(delta for delta in found if delta.here is not None or delta.there is not None)
