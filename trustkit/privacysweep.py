"""What privacy costs: one experiment at several ε and seeds; what each ε bounds, and what was lost to its noise."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from trustkit.catalogue import PRIVACY, Use, use
from trustkit.comparison.result import Band
from trustkit.experiment import Experiment
from trustkit.findings import fairness_of, quality_of
from trustkit.frontier.points import nondominated
from trustkit.records import RunRecord
from trustkit.rounds import build

__all__ = ["EPSILONS", "BudgetPoint", "attack_bound", "budget_points", "epsilon_grid", "on_budget_front",
           "posterior_bound", "swept_mechanism"]  # fmt: skip

EPSILONS = (0.1, 0.35, 1.2, 4.2, 14.0, 50.0)
"""Six ε at equal steps of a logarithm from 0.1 to 50, rounded to two digits."""


@dataclass(frozen=True, eq=False)
class BudgetPoint:
    """What several seeds gave at one ε.

    Parameters
    ----------
    asked : float
        The ε that was asked for; infinity for no mechanism.
    epsilon : float
        The ε that all rounds spent together, in the mean over the seeds; infinity without noise.
    noise : float or None
        Noise multiplier σ, in the mean over the seeds; ``None`` where there is no mechanism.
    measure : {"accuracy", "RMSE"}
        What quality is.
    quality : Band
        Mean over the clients after the last round: mean, smallest and largest value over the seeds.
    gap : Band or None
        The worst client's demographic disparity over the seeds; ``None`` where no protected attribute is named.
    seeds : int
        How many runs these are.
    """

    asked: float
    epsilon: float
    noise: float | None
    measure: str
    quality: Band
    gap: Band | None
    seeds: int


def swept_mechanism(experiment: Experiment) -> Use | None:
    """Return the mechanism whose ε can be varied.

    Parameters
    ----------
    experiment : Experiment
        Any.

    Returns
    -------
    Use or None
        Its own mechanism if that takes an ε, else across rows the Gaussian one with its usual arguments; ``None``
        across columns without such a mechanism, where it has to be said first what is protected.

    Examples
    --------
    >>> swept_mechanism(Experiment("wine", "iid", model="logistic")).name
    'gaussian'
    >>> swept_mechanism(Experiment("wine", use("uniform", parties=2), "splitnn")) is None
    True
    """
    own = experiment.privacy
    if own is not None and "epsilon" in {parameter.name for parameter in PRIVACY[own.name].parameters}:
        return own
    return use("gaussian") if experiment.axis == "rows" else None


def epsilon_grid(
    experiment: Experiment, epsilons: Sequence[float] = EPSILONS, seeds: int = 2, without: bool = True
) -> dict[tuple[float, int], Experiment]:
    """Return an experiment at several ε, each with several seeds.

    Parameters
    ----------
    experiment : Experiment
        All else is as in it; its mechanism keeps level, δ, clipping norm and sampling.
    epsilons : sequence of float
        Each above 0.
    seeds : int
        How many, from the experiment's own on; at least 1.
    without : bool
        Whether a run without any mechanism is among them, as ε = ∞.

    Returns
    -------
    dict of (float, int) to Experiment
        By ε and seed, all seeds of the smallest ε first.

    Raises
    ------
    ValueError
        If there are no seeds, an ε is not above 0, or the experiment names no mechanism across columns.

    Examples
    --------
    >>> grid = epsilon_grid(Experiment("wine", "iid", model="logistic", seed=7), [1.0, 4.0], seeds=2)
    >>> [key for key in grid]
    [(1.0, 7), (1.0, 8), (4.0, 7), (4.0, 8), (inf, 7), (inf, 8)]
    """
    if seeds < 1:
        raise ValueError(f"seeds must be at least 1, got {seeds!r}")
    mechanism = swept_mechanism(experiment)
    if mechanism is None:
        raise ValueError("an experiment across columns must name its mechanism before ε can be varied, got none")
    for epsilon in epsilons:
        if not epsilon > 0:
            raise ValueError(f"every epsilon must be above 0, got {epsilon!r}")
    noise = {"noise": None} if "noise" in mechanism.args else {}
    asked = {epsilon: use(mechanism.name, **{**mechanism.args, **noise, "epsilon": epsilon})
             for epsilon in sorted(set(epsilons)) if math.isfinite(epsilon)}  # fmt: skip
    found: dict[tuple[float, int], Experiment] = {}
    for epsilon, private in [*asked.items(), *([(math.inf, None)] if without else [])]:
        for seed in range(experiment.seed, experiment.seed + seeds):
            found[epsilon, seed] = experiment.change(privacy=private, seed=seed)
    return found


def _band(values: Sequence[float]) -> Band:
    known = np.array([value for value in values if math.isfinite(value)])
    return Band(float(known.mean()), float(known.min()), float(known.max())) if known.size else Band(*[math.nan] * 3)


def _noise(experiment: Experiment) -> float | None:
    found = build(experiment).trainer.facts.get("noise_multiplier")
    return None if found is None else float(found)


def _point(asked: float, records: Sequence[RunRecord]) -> BudgetPoint:
    spent = [float(record.last.epsilon) for record in records]
    noise = [sigma for record in records if (sigma := _noise(record.experiment)) is not None]
    qualities = [quality_of(record) for record in records]
    gaps = [found.worst for record in records if (found := fairness_of(record)) is not None]
    return BudgetPoint(
        asked,
        float(np.mean(spent)),
        float(np.mean(noise)) if noise else None,
        qualities[0].name,
        _band([quality.last for quality in qualities]),
        _band(gaps) if gaps else None,
        len(records),
    )


def budget_points(runs: Mapping[tuple[float, int], RunRecord]) -> tuple[BudgetPoint, ...]:
    """Gather runs at several ε and seeds.

    Parameters
    ----------
    runs : mapping of (float, int) to RunRecord
        By the ε asked for and the seed; runs that are not whole are left out.

    Returns
    -------
    tuple of BudgetPoint
        By ascending ε, without noise last.
    """
    whole: dict[float, list[RunRecord]] = {}
    for (asked, _), record in runs.items():
        if record.complete:
            whole.setdefault(asked, []).append(record)
    return tuple(_point(asked, whole[asked]) for asked in sorted(whole))


def on_budget_front(points: Sequence[BudgetPoint]) -> np.ndarray:
    """Find the points that no other one beats in both ε and quality.

    Parameters
    ----------
    points : sequence of BudgetPoint
        Of one experiment.

    Returns
    -------
    (n,) bool array
        By the means over the seeds; a point whose quality is not defined is out.
    """
    if not points:
        return np.zeros(0, bool)
    worse = -1.0 if points[0].measure == "accuracy" else 1.0
    return nondominated(np.array([[point.epsilon, worse * point.quality.mean] for point in points]))


def posterior_bound(epsilon: float, prior: float = 0.5) -> float:
    """Return how sure an attacker can become at most that a unit was among the data.

    Parameters
    ----------
    epsilon : float
        At least 0.
    prior : float
        How sure the attacker was before, in [0, 1].

    Returns
    -------
    float
        In [0, 1]; 1 for an infinite ε, unless the prior is 0.

    Raises
    ------
    ValueError
        If ε is below 0, or the prior is not in [0, 1].

    Notes
    -----
    posterior ≤ e^ε · prior ÷ (e^ε · prior + 1 − prior): the odds are multiplied by at most e^ε. It holds for δ = 0,
    whatever else the attacker knows.

    Source
    ------
    Bayes' rule on the definition of Dwork, McSherry, Nissim and Smith (2006), "Calibrating noise to sensitivity".

    Deviations
    ----------
    None.

    Examples
    --------
    >>> round(posterior_bound(1.0), 3), round(posterior_bound(1.0, prior=0.01), 3)
    (0.731, 0.027)
    """
    _check(epsilon, prior)
    return 0.0 if prior == 0 else 1 / (1 + math.exp(-epsilon) * (1 - prior) / prior)


def attack_bound(epsilon: float, delta: float = 0.0, prior: float = 0.5) -> float:
    """Return how often an attacker is right at most who guesses whether a unit was among the data.

    Parameters
    ----------
    epsilon : float
        At least 0.
    delta : float
        In [0, 1].
    prior : float
        How often the unit is among the data, in [0, 1].

    Returns
    -------
    float
        In [0.5, 1].

    Raises
    ------
    ValueError
        If ε is below 0, or δ or the prior is not in [0, 1].

    Notes
    -----
    max of (e^ε + δ) ÷ (e^ε + 1), 1 − p + p δ and p + (1 − p) δ, p the prior: the corners of the region of false
    positive and false negative rates that (ε, δ) leaves.

    Source
    ------
    Kairouz, Oh and Viswanath (2015), "The composition theorem for differential privacy", Theorem 2.1 and Figure 1.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> round(attack_bound(1.0), 3), round(attack_bound(0.0, delta=1e-5), 6), attack_bound(1.0, prior=0.01)
    (0.731, 0.500005, 0.99)
    """
    _check(epsilon, prior)
    if not 0 <= delta <= 1:
        raise ValueError(f"delta must be between 0 and 1, got {delta!r}")
    few = math.exp(-epsilon)  # never overflows
    middle = 1 - (1 - delta) * few / (1 + few)
    return max(middle, 1 - prior + prior * delta, prior + (1 - prior) * delta)


def _check(epsilon: float, prior: float) -> None:
    if not epsilon >= 0:
        raise ValueError(f"epsilon must be at least 0, got {epsilon!r}")
    if not 0 <= prior <= 1:
        raise ValueError(f"prior must be between 0 and 1, got {prior!r}")
