"""How far a trust score depends on choices that could have been others: the weights and the normalisers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from trustkit.rng import stream
from trustkit.trust.assessment import assess
from trustkit.trust.factsheet import FactSheet
from trustkit.trust.profiles import PROFILES, Profile
from trustkit.trust.report import Score, TrustReport
from trustkit.trust.tree import TRUST, edges_of, means

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Sensitivity", "outranks", "sensitivity"]

_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """Scores under sampled weights and normalisers.

    Parameters
    ----------
    report : TrustReport
        Whose scores they are.
    samples : mapping of str to numpy.ndarray
        By "trust" and pillar: scores in [0, 1], shape (D,), float64; a pillar without evidence is left out.
    """

    report: TrustReport
    samples: Mapping[str, np.ndarray] = field(repr=False)

    def interval(self, name: str = TRUST, level: float = 0.9) -> tuple[float, float]:
        """Return the middle of the samples.

        Parameters
        ----------
        name : str
            "trust", or a pillar with evidence.
        level : float
            Share of the samples inside, in (0, 1].

        Returns
        -------
        low, high : float
            In [0, 1].

        Raises
        ------
        KeyError
            If nothing of that name was sampled.
        ValueError
            If the level is out of range.
        """
        if not 0 < level <= 1:
            raise ValueError(f"level must be above 0 and at most 1, got {level!r}")
        if name not in self.samples:
            raise KeyError(f"there are no samples of {name!r}; known are {', '.join(self.samples)}")
        low, high = np.quantile(self.samples[name], [(1 - level) / 2, (1 + level) / 2])
        return float(low), float(high)

    def frame(self, level: float = 0.9) -> pd.DataFrame:
        """Return trust and the pillars, a line each.

        Parameters
        ----------
        level : float
            Share of the samples between low and high, in (0, 1].

        Returns
        -------
        pandas.DataFrame
            id, score, low, median, high.
        """
        import pandas as pd

        scores = {TRUST: self.report.score, **self.report.pillars}
        lines = []
        for name, values in self.samples.items():
            low, high = self.interval(name, level)
            lines.append((name, scores[name], low, float(np.median(values)), high))
        return pd.DataFrame(lines, columns=["id", "score", "low", "median", "high"])


def _checked(draws: int, concentration: float) -> None:
    if isinstance(draws, bool) or not isinstance(draws, int) or draws < 1:
        raise ValueError(f"draws must be a whole number, at least 1, got {draws!r}")
    if isinstance(concentration, bool) or not 0 < concentration < math.inf:
        raise ValueError(f"concentration must be above 0 and finite, got {concentration!r}")


def _edges(report: TrustReport, draws: int, concentration: float, seed: int) -> dict[str, dict[str, Any]]:
    """The weights of all children, (D,) each: gamma variables, which are Dirichlet shares once they are divided."""
    profile = report.profile
    sampled: dict[str, dict[str, Any]] = {}
    for parent, children in edges_of(profile.taxonomy, profile.aggregation, report.weights).items():
        total = sum(children.values())
        sampled[parent] = {
            child: 0.0 if weight == 0 else np.maximum(
                _TINY, stream(seed, "sensitivity", parent, child).gamma(concentration * weight / total, size=draws)
            )
            for child, weight in children.items()
        }  # fmt: skip
    return sampled


def _rivals(line: Score, profile: Profile) -> list[Profile]:
    """The other profiles that score the same metric."""
    others = (p for p in PROFILES.values() if p.name != profile.name)
    return [p for p in others if p.taxonomy.metrics.get(line.metric) is line.row]


def _scores(report: TrustReport, draws: int, seed: int, normalisers: bool) -> dict[str, Any]:
    scores: dict[str, Any] = {}
    for line in report.metrics:
        rivals = _rivals(line, report.profile) if normalisers else []
        if line.score is None or line.raw is None or math.isnan(line.raw) or not rivals:
            scores[line.metric] = line.score
            continue
        rng = stream(seed, "sensitivity", "normaliser", line.metric)
        other = np.array([rival.score(line.metric, line.raw) for rival in rivals])[
            rng.integers(len(rivals), size=draws)
        ]
        scores[line.metric] = line.score + rng.random(draws) * (other - line.score)
    return scores


def sensitivity(
    report: TrustReport | FactSheet,
    draws: int = 1000,
    concentration: float = 20.0,
    seed: int = 0,
    normalisers: bool = True,
) -> Sensitivity:
    """Score a project again under many weights and normalisers.

    Parameters
    ----------
    report : TrustReport or FactSheet
        A fact sheet is scored by profile "paper" first.
    draws : int
        How many, at least 1.
    concentration : float
        Above 0: how close sampled weights stay to the given ones. A share s has variance s (1 − s) / (c + 1).
    seed : int
        Of the draws; the same seed gives the same draws for every report of a profile.
    normalisers : bool
        Whether scores move towards those of other profiles that have the same metric.

    Returns
    -------
    Sensitivity
        Samples of trust and of every pillar with evidence, not rounded.

    Raises
    ------
    ValueError
        If a number is out of range, or the report has no trust score.

    Notes
    -----
    The weights of the children of a node follow a Dirichlet distribution with parameters c · w / Σ w; a weight of 0
    stays 0. A metric's score is (1 − t) s + t s′ with t uniform in [0, 1] and s′ its score under another profile that
    has the same metric, drawn at random.

    Source
    ------
    Global sensitivity of composite indicators by sampled weights: OECD, Handbook on Constructing Composite Indicators
    (2008), section on uncertainty and sensitivity analysis.

    Deviations
    ----------
    FederatedTrust takes weights and normalisers as given.

    Examples
    --------
    >>> found = sensitivity(FactSheet({"performance/test_acc_avg": 0.8, "participants/client_num": 100}), draws=200)
    >>> low, high = found.interval("robustness")
    >>> 0.4 <= low < 0.6 < high <= 0.8
    True
    """
    _checked(draws, concentration)
    known = assess(report) if isinstance(report, FactSheet) else report
    if known.score is None or math.isnan(known.score):
        raise ValueError("the report must have a trust score, got none")
    found = means(_edges(known, draws, concentration, seed), _scores(known, draws, seed, normalisers))
    names = (TRUST, *known.profile.taxonomy.pillars)
    full = {
        name: np.broadcast_to(np.asarray(value, float), draws) for name in names if (value := found[name]) is not None
    }
    return Sensitivity(known, full)


def outranks(
    a: TrustReport, b: TrustReport, draws: int = 1000, concentration: float = 20.0, seed: int = 0,
    normalisers: bool = True,
) -> float:  # fmt: skip
    """Estimate how likely one run is trusted more than another, whatever the weights and normalisers.

    Parameters
    ----------
    a, b : TrustReport
        Of the same profile, with the same weights.
    draws : int
        How many, at least 1; both runs are scored under the same ones.
    concentration : float
        Above 0: how close sampled weights stay to the given ones.
    seed : int
        Of the draws.
    normalisers : bool
        Whether scores move towards those of other profiles.

    Returns
    -------
    float
        In [0, 1]: the share of draws in which a has the higher trust; ties count half.

    Raises
    ------
    ValueError
        If profiles or weights differ, a number is out of range, or a report has no trust score.

    Notes
    -----
    (#{T_a > T_b} + ½ #{T_a = T_b}) / D, where differences up to 1e-12 are ties.

    Source
    ------
    Probability of superiority under common random numbers.

    Deviations
    ----------
    FederatedTrust compares runs by one number each.

    Examples
    --------
    >>> run = assess(FactSheet({"performance/test_acc_avg": 0.8}))
    >>> outranks(run, run)
    0.5
    """
    same = a.profile.name == b.profile.name and a.profile.aggregation == b.profile.aggregation
    if not same or a.weights != b.weights:
        raise ValueError(f"both reports must be of one profile with the same weights, got {a.profile} and {b.profile}")
    one, two = (sensitivity(r, draws, concentration, seed, normalisers).samples[TRUST] for r in (a, b))
    difference = one - two
    return float(np.mean((difference > 1e-12) + 0.5 * (np.abs(difference) <= 1e-12)))
