"""Is it real? Two experiments played with several seeds, and their difference held against the noise of the seeds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from trustkit.experiment import Experiment
from trustkit.facts import facts_of
from trustkit.quantities import QUANTITIES, Seen
from trustkit.records import Progress
from trustkit.rounds import run
from trustkit.trust import assess

__all__ = ["MEASURED", "Effect", "effects_of", "measured_on", "replicas_of", "replicate", "welch_interval"]

MEASURED = ("accuracy", "worst_accuracy", "rmse", "fairness.demographic_disparity", "trust",
            "trust.privacy", "trust.robustness", "trust.fairness", "trust.explainability", "trust.accountability",
            "trust.federation")  # fmt: skip
"""What is compared by default; what a run does not have is left out."""

_ROUNDING = 1e-9
"""Differences that are none."""


@dataclass(frozen=True, eq=False)
class Effect:
    """A difference between two sets of runs, and how far seeds alone move it.

    Parameters
    ----------
    name : str
        Of `trustkit.quantities.QUANTITIES`.
    here, there : (n,) float array
        The values of the runs, and of the baseline's.
    difference : float
        Mean of the runs minus mean of the baseline's.
    low, high : float
        A 95 % interval of it.
    """

    name: str
    here: np.ndarray
    there: np.ndarray
    difference: float
    low: float
    high: float

    @property
    def title(self) -> str:
        """What it is called."""
        return QUANTITIES[self.name].title

    @property
    def beyond(self) -> bool | None:
        """Whether the interval leaves 0 out, by more than rounding; ``None`` where the difference is not defined."""
        if math.isnan(self.low) or math.isnan(self.high):
            return None
        return not self.low - _ROUNDING <= 0 <= self.high + _ROUNDING

    @property
    def said(self) -> str:
        """The verdict in words."""
        if self.beyond is None:
            return "n/a"
        return "beyond the noise of seeds" if self.beyond else "within the noise of seeds"


def welch_interval(here: np.ndarray, there: np.ndarray, level: float = 0.95) -> tuple[float, float, float]:
    """Return the difference of two means with an interval.

    Parameters
    ----------
    here, there : (n,), (m,) float array
        At least two values each.
    level : float
        In (0, 1).

    Returns
    -------
    difference, low, high : float
        Mean of the first minus mean of the second, and the ends; NaN where a value is not finite.

    Raises
    ------
    ValueError
        If one has fewer than two values, or the level is not in (0, 1).

    Notes
    -----
    d ± t(ν) · s with s² = v₁/n + v₂/m and ν = s⁴ ÷ (v₁²/(n²(n−1)) + v₂²/(m²(m−1))), v the sample variances. **Source**:
    Welch 1947, Biometrika 34. Without any variance the ends are the difference itself.

    Examples
    --------
    >>> [round(end, 4) for end in welch_interval(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0]))]
    [-2.0, -6.1554, 2.1554]
    """
    if min(len(here), len(there)) < 2:
        raise ValueError(f"both sides must have at least 2 seeds, got {len(here)} and {len(there)}")
    if not 0 < level < 1:
        raise ValueError(f"level must be above 0 and below 1, got {level!r}")
    from scipy.stats import t

    if not (np.isfinite(here).all() and np.isfinite(there).all()):
        return math.nan, math.nan, math.nan
    difference = float(np.mean(here) - np.mean(there))
    a, b = float(np.var(here, ddof=1)) / len(here), float(np.var(there, ddof=1)) / len(there)
    if a + b == 0:
        return difference, difference, difference
    freedom = (a + b) ** 2 / (a**2 / (len(here) - 1) + b**2 / (len(there) - 1))
    half = float(t.ppf((1 + level) / 2, freedom)) * math.sqrt(a + b)
    return difference, difference - half, difference + half


def replicas_of(experiment: Experiment, count: int) -> tuple[Experiment, ...]:
    """Return an experiment with its own seed and those after it.

    Parameters
    ----------
    experiment : Experiment
        Any.
    count : int
        At least 2.

    Returns
    -------
    tuple of Experiment
        Another seed deals the rows, starts the model and selects clients anew.

    Raises
    ------
    ValueError
        If there are fewer than two.

    Examples
    --------
    >>> [each.seed for each in replicas_of(Experiment("wine", "iid", model="logistic", seed=7), 3)]
    [7, 8, 9]
    """
    if count < 2:
        raise ValueError(f"count must be at least 2 seeds, got {count!r}")
    return tuple(experiment.change(seed=experiment.seed + k) for k in range(count))


def measured_on(seen: Seen, names: Sequence[str] = MEASURED) -> dict[str, float]:
    """Read off a result what is compared.

    Parameters
    ----------
    seen : Seen
        A whole result.
    names : sequence of str
        Of `trustkit.quantities.QUANTITIES`.

    Returns
    -------
    dict of str to float
        Without what the result does not have; NaN where it is not defined.
    """
    found = {name: QUANTITIES[name].read(seen) for name in names}
    return {name: float(value) for name, value in found.items() if value is not None}


def effects_of(here: Sequence[Mapping[str, float]], there: Sequence[Mapping[str, float]]) -> tuple[Effect, ...]:
    """Compare two sets of runs by all that both have.

    Parameters
    ----------
    here, there : sequence of mapping of str to float
        What `measured_on` gave, one for each seed; at least two each.

    Returns
    -------
    tuple of Effect
        One for each quantity that every run has.

    Raises
    ------
    ValueError
        If one side has fewer than two runs.
    """
    if min(len(here), len(there)) < 2:
        raise ValueError(f"both sides must have at least 2 seeds, got {len(here)} and {len(there)}")
    shared = [name for name in here[0] if all(name in each for each in (*here, *there))]
    effects = []
    for name in shared:
        a, b = (np.array([each[name] for each in side]) for side in (here, there))
        effects.append(Effect(name, a, b, *welch_interval(a, b)))
    return tuple(effects)


def replicate(
    experiment: Experiment, baseline: Experiment, count: int = 3, profile: str = "paper",
    progress: Progress | None = None,
) -> tuple[Effect, ...]:  # fmt: skip
    """Play two experiments with several seeds and compare them.

    Parameters
    ----------
    experiment, baseline : Experiment
        What is compared.
    count : int
        Seeds of each, at least 2.
    profile : str
        What scores trust.
    progress : callable, optional
        Told which run is played and how much of everything is done, 0 … 1; what it raises ends the comparison.

    Returns
    -------
    tuple of Effect
        Each with "within the noise of seeds", or "beyond" it.

    Notes
    -----
    Of many quantities one in twenty lies beyond by chance alone. Seeds move what the seed moves: which rows a client
    gets, where the model starts, who is selected; never which rows exist.
    """

    wanted = [each for side in (experiment, baseline) for each in replicas_of(side, count)]

    def measured(at: int, played: Experiment) -> dict[str, float]:
        def tell(part: float) -> None:
            if progress is not None:
                progress(f"run {at + 1} of {len(wanted)}, seed {played.seed}", (at + part) / len(wanted))

        tell(0.0)
        record = run(played, observers=[lambda each: tell(each.index / played.rounds)])
        return measured_on(Seen(played, record, assess(facts_of(record), profile)))

    found = [measured(at, each) for at, each in enumerate(wanted)]
    return effects_of(found[:count], found[count:])
