"""One configuration that was tried: what it gave by seed, and how it differs from another by more than noise."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.special import stdtrit

from trustkit.experiment import Experiment
from trustkit.trust import TrustReport
from trustkit.trust.profiles import Profile

__all__ = ["COSTS", "Point", "Raise", "measures_of", "nondominated", "objectives_of"]

COSTS = ("bytes", "trainings")
"""Measures of which less is better: bytes that all parties sent and received, and clients that trained, by round."""

_LEVEL = 0.975  # of the t distribution: two-sided at 5 %


def measures_of(profile: Profile) -> tuple[str, ...]:
    """List what points can be compared by.

    Parameters
    ----------
    profile : Profile
        Its pillars are among them.

    Returns
    -------
    tuple of str
        trust, the pillars, accuracy, bytes, trainings.

    Examples
    --------
    >>> from trustkit.trust.profiles import PROFILES
    >>> measures_of(PROFILES["paper"])[:2], measures_of(PROFILES["paper"])[-3:]
    (('trust', 'privacy'), ('accuracy', 'bytes', 'trainings'))
    """
    return ("trust", *profile.taxonomy.pillars, "accuracy", *COSTS)


def objectives_of(names: Iterable[str], profile: Profile) -> tuple[str, ...]:
    """Check what points are to be compared by.

    Parameters
    ----------
    names : iterable of str
        Of `measures_of`; "pillars" stands for all pillars.
    profile : Profile
        Its pillars can be named.

    Returns
    -------
    tuple of str
        At least one, each once.

    Raises
    ------
    ValueError
        If one is unknown or given twice, or there is none.

    Examples
    --------
    >>> from trustkit.trust.profiles import PROFILES
    >>> objectives_of(["trust", "bytes"], PROFILES["paper"])
    ('trust', 'bytes')
    """
    known = measures_of(profile)
    found = [each for name in names for each in (profile.taxonomy.pillars if name == "pillars" else [name])]
    for name in found:
        if name not in known:
            raise ValueError(f"objectives must be pillars or of {', '.join(known)}; got {name!r}")
    if not found or len(set(found)) != len(found):
        raise ValueError(f"objectives must be at least one and differ, got {', '.join(found) or 'none'}")
    return tuple(found)


def nondominated(costs: np.ndarray) -> np.ndarray:
    """Find the rows that no other row dominates: that is, is nowhere worse than, and somewhere better.

    Parameters
    ----------
    costs : (n, d) float array
        Less is better.

    Returns
    -------
    (n,) bool array
        Equal rows are all in or all out. A row with NaN is out, and dominates nothing.

    Examples
    --------
    >>> nondominated(np.array([[1, 4], [2, 2], [3, 3], [4, 1]])).tolist()
    [True, True, False, True]
    """
    known = ~np.isnan(costs).any(axis=1)
    held = np.where(known[:, None], costs, np.inf)
    below = (held[:, None] <= held).all(axis=2) & (held[:, None] < held).any(axis=2) & known[:, None]
    return np.asarray(known & ~below.any(axis=0))


@dataclass(frozen=True, eq=False)
class Point:
    """One configuration that was tried.

    Parameters
    ----------
    experiment : Experiment
        With the first of the seeds.
    report : TrustReport
        Of that run.
    each : tuple of mapping of str to float or None
        By seed: the measures by name; None is not known.
    changes : tuple of str
        What differs from the start, in words; empty for the start.
    seconds, kwh : float
        Simulated training of all seeds, as it was taken on the machine; reported, never compared by.
    """

    experiment: Experiment
    report: TrustReport = field(repr=False)
    each: tuple[Mapping[str, float | None], ...] = field(repr=False)
    changes: tuple[str, ...]
    seconds: float
    kwh: float

    def by_seed(self, name: str) -> np.ndarray:
        """Return a measure for each seed.

        Parameters
        ----------
        name : str
            One of `measures_of`.

        Returns
        -------
        (seeds,) float array
            NaN where it is not known or not defined.
        """
        return np.array([each[name] for each in self.each], float)

    @cached_property
    def values(self) -> Mapping[str, float]:
        """Mean over the seeds by name; NaN where a seed has none."""
        return {name: float(self.by_seed(name).mean()) for name in self.each[0]}

    @cached_property
    def spread(self) -> Mapping[str, float]:
        """Standard deviation over the seeds by name; NaN for one seed."""
        several = len(self.each) > 1
        return {name: float(self.by_seed(name).std(ddof=1)) if several else math.nan for name in self.each[0]}

    def apart(self, other: Point, name: str) -> bool:
        """Whether two points differ in a measure by more than their seeds do.

        Parameters
        ----------
        other : Point
            With the same seeds.
        name : str
            One of `measures_of`.

        Returns
        -------
        bool
            For one seed, whether they differ at all.

        Notes
        -----
        Runs of the same seed share their split, so they are compared in pairs: |mean| > t · sd / √n of the differences,
        with the 97.5 % point t of Student's distribution with n − 1 degrees of freedom. It is about two points, not
        about all pairs at once.
        """
        gaps = self.by_seed(name) - other.by_seed(name)
        if len(gaps) < 2:
            return bool(gaps[0] != 0)
        reach = stdtrit(len(gaps) - 1, _LEVEL) * gaps.std(ddof=1) / math.sqrt(len(gaps))
        return not abs(gaps.mean()) <= reach


@dataclass(frozen=True, eq=False)
class Raise:
    """A change that raises a measure: by how much, whether that is more than noise, and what else it moves.

    ``clear`` is None where one seed was played. ``moves`` holds the other measures' changes by name, bytes and
    trainings as factors.
    """

    name: str
    point: Point
    gain: float
    clear: bool | None
    moves: Mapping[str, float] = field(repr=False)

    @property
    def lost(self) -> float:
        """The sum of what pillars and accuracy lose."""
        return sum(max(0.0, -move) for name, move in self.moves.items() if name not in (*COSTS, "trust"))

    @property
    def price(self) -> tuple[float, ...]:
        """What is weighed first, second …: how much is changed, what pillars and accuracy lose, traffic."""
        return len(self.point.changes), self.lost, self.moves["bytes"], -self.gain

    def __str__(self) -> str:
        was = self.point.values[self.name] - self.gain
        falls = [f"{name} {move:+.3f}" for name, move in self.moves.items() if name not in COSTS and move <= -0.0005]
        factors = [f"{name} ×{self.moves[name]:.2g}" for name in COSTS if self.moves[name] > 1.005]
        costs = ", ".join([*falls, *factors]).replace("-", "−") or "nothing that was measured"
        noise = "" if self.clear is not False else " (within noise)"
        return f"{self.name} {was:.3f} → {was + self.gain:.3f}{noise} by {'; '.join(self.point.changes)}; costs {costs}"
