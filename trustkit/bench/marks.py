"""Does a printed number follow from what is printed beside it? Interval arithmetic over the paper's own rules.

A score is known as an interval: a printed one to half its last digit, one that the configuration fixes exactly, any
other from 0 to 1. A `Reading` is a way to get at a number from these.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from trustkit.bench.printed import STEP, Stated
from trustkit.metrics.privacy import global_privacy_risk
from trustkit.rng import stream
from trustkit.trust.federation import AGGREGATION
from trustkit.trust.normalise import complement, one_minus_cv, scale_steps, size_steps
from trustkit.trust.profiles import PROFILES
from trustkit.trust.tree import TRUST, check_weights, edges_of

__all__ = ["CONSISTENT", "CONTRADICTED", "REPRODUCED", "RULES", "Reading", "Span", "judge", "readings"]

REPRODUCED, CONSISTENT, CONTRADICTED = "reproduced", "consistent", "contradicted"

RULES = {
    REPRODUCED: "a rule of the paper, applied to its configuration and its other printed numbers alone, gives the "
    "printed number to its last digit (of a random choice: lies in the middle 90 % of 4,000 simulated runs); or, where "
    "the paper's own data are given, our run scores the same to the last digit.",
    CONTRADICTED: "no rule of the paper gives the printed number, whatever the numbers that it leaves open are (of a "
    "random choice: it lies outside all 4,000 simulated runs).",
    CONSISTENT: "neither: the number depends on data or on choices that the paper leaves open, and can be as printed.",
}
"""When a printed number gets which mark."""

_DRAWS = 4000
_SCALE_EDGES = (10, 10**2, 10**3, 10**4, 10**5, 10**6)
_CHECKS = {"details as 0": 4 / 5, "five checks": (1 / 3 + 4) / 5, "seven checks": (1 / 3 + 6) / 7}
"""Accountability of a sheet that lacks two of three project details: as 0/1, as shares, and as the authors' code."""


@dataclass(frozen=True)
class Span:
    """A score from low to high; ``known`` if only rounding makes it uncertain."""

    low: float
    high: float
    known: bool = True

    def meets(self, other: Span) -> bool:
        """Say whether two spans have a number in common.

        Parameters
        ----------
        other : Span
            Any.

        Returns
        -------
        bool
            With a tolerance of 1e-9, so that an end that is printed counts.
        """
        return self.low <= other.high + 1e-9 and other.low <= self.high + 1e-9

    def __str__(self) -> str:
        low, high = f"{self.low:.2f}", f"{self.high:.2f}"
        return low if low == high else f"{low} to {high}"


_OPEN = Span(0.0, 1.0, known=False)


@dataclass(frozen=True)
class Reading:
    """A way to get at a number: its rule, what that can give, what it does give if that is settled, what it takes."""

    rule: str
    possible: Span
    settled: Span | None = None
    needs: str = ""


def readings(part: str, stated: Stated, printed: Mapping[str, float]) -> tuple[Reading, ...]:
    """List the paper's ways to get at a number.

    Parameters
    ----------
    part : str
        "trust", or the id of a pillar or a metric of profile "paper".
    stated : Stated
        The experiment.
    printed : mapping of str to float
        Its printed scores by id.

    Returns
    -------
    tuple of Reading
        Empty where nothing in print determines the number.

    Examples
    --------
    >>> from trustkit.bench.printed import PRINTED, STATED
    >>> [str(reading.possible) for reading in readings("robustness", STATED[2], PRINTED[2])]
    ['0.33', '0.28 to 0.29']
    """
    target = _rounded(printed[part]) if part in printed else None
    if part == TRUST:
        return _of_trust(stated, printed)
    if part in PROFILES["paper"].taxonomy.pillars:
        return _of_pillar(part, stated, printed, target)
    return _of_metric(part, stated)


def judge(value: float, found: Sequence[Reading], ours: float | None = None, own: bool = False) -> tuple[str, str]:
    """Mark a printed number.

    Parameters
    ----------
    value : float
        As printed, in [0, 1].
    found : sequence of Reading
        What `readings` gives.
    ours : float, optional
        What our run scores.
    own : bool
        Whether our run had the paper's own data.

    Returns
    -------
    mark, reason : str
        One of `RULES`, and a sentence.

    Examples
    --------
    >>> from trustkit.bench.printed import PRINTED, STATED
    >>> judge(0.36, readings("robustness", STATED[1], PRINTED[1]))
    ('contradicted', 'The flat mean of its metrics gives 0.41, the mean of its notions 0.38 to 0.39.')
    """
    target = _rounded(value)
    settled = [each for each in found if each.settled is not None and each.settled.meets(target)]
    if settled:
        return REPRODUCED, _sentence(settled[0].rule, "gives", str(settled[0].settled))
    able = [each for each in found if each.possible.meets(target)]
    if found and not able:
        first, *rest = found
        more = "".join(f", {each.rule} {each.possible}" for each in rest)
        return CONTRADICTED, _sentence(first.rule, "gives", f"{first.possible}{more}")
    if own and ours is not None and Span(ours, ours).meets(target):
        return REPRODUCED, f"Our run on the paper's data scores {ours:.2f}."
    if able:
        return CONSISTENT, _sentence(able[0].rule, "can give it", able[0].needs)
    return CONSISTENT, "Nothing in print determines it: it depends on the data and on training."


def _sentence(*words: str) -> str:
    text = " ".join(word for word in words if word)
    return f"{text[0].upper()}{text[1:]}."


def _rounded(value: float) -> Span:
    return Span(value - STEP / 2, value + STEP / 2)


def _of_trust(stated: Stated, printed: Mapping[str, float]) -> tuple[Reading, ...]:
    spans = {}
    for pillar in PROFILES["paper"].taxonomy.pillars:
        first = next(iter(_of_pillar(pillar, stated, printed, None)))
        spans[pillar] = _rounded(printed[pillar]) if pillar in printed else first.settled or first.possible
    found = []
    for words, value in _CHECKS.items():
        mean = _mean({**spans, "accountability": Span(value, value)}.values())
        found.append(_reading(f"the mean of the pillars with accountability {value:.2f} ({words})", mean))
    return tuple(found)


def _of_pillar(pillar: str, stated: Stated, printed: Mapping[str, float], target: Span | None) -> tuple[Reading, ...]:
    """The mean of its metrics, which the printed numbers follow, and that of its notions, which the text asks for."""
    taxonomy = PROFILES["paper"].taxonomy
    spans = {key: _rounded(printed[key]) if key in printed else _fixed(key, stated)
             for key, row in taxonomy.metrics.items() if row.pillar == pillar}  # fmt: skip
    edges = edges_of(taxonomy, "notions", check_weights(taxonomy, {}))
    notions = [_mean(spans[key] for key in edges[notion]) for notion in edges[pillar]]
    flat, nested = _mean(spans.values()), _mean(notions)
    unsure = [key for key, span in spans.items() if not span.known]
    needs = ""
    if target is not None and len(unsure) == 1:
        rest = [span for key, span in spans.items() if key != unsure[0]]
        low, high = (target.low * len(spans) - sum(span.high for span in rest),
                     target.high * len(spans) - sum(span.low for span in rest))  # fmt: skip
        needs = f"if {taxonomy.metrics[unsure[0]].name} is {Span(max(low, 0.0), min(high, 1.0))}"
    if len(notions) == len(spans):
        return (_reading("the mean of its metrics", flat, needs),)
    return (
        _reading("the flat mean of its metrics", flat, needs),
        _reading("the mean of its notions", nested, ""),
    )


def _of_metric(metric: str, stated: Stated) -> tuple[Reading, ...]:
    if metric == "selection_variation" and stated.rounds is not None:
        scores = _chosen(stated.clients, round(stated.share * stated.clients), stated.rounds)
        low, high = np.quantile(scores, (0.05, 0.95))
        rule = f"choosing {stated.share:.0%} of {stated.clients} clients at random in {stated.rounds} rounds"
        return (Reading(rule, Span(float(scores.min()), float(scores.max())), Span(float(low), float(high))),)
    if metric == "federation_scale":
        step = bisect_left(_SCALE_EDGES, stated.clients) / 5
        return (_reading(f"table 3 as printed for {stated.clients} clients", Span(step, step)),)
    if metric == "model_size" and stated.hidden:
        count = sum((inputs + 1) * outputs for inputs, outputs in pairwise((115, *stated.hidden, 2)))
        rule = f"table 3 in steps that fall with size, as section 6.2 says, for {count:,} parameters"
        return (_reading(rule, Span(size_steps(count), size_steps(count))),)
    if metric == "global_privacy_risk":
        rule = ("no mechanism, so a risk of 1," if stated.epsilon is None
                else f"1 − 1/(1 + (n − 1) e^−ε) for n = {stated.clients} and ε = {stated.epsilon:g}")  # fmt: skip
        return (_reading(rule, _fixed(metric, stated)),)
    return ()


def _fixed(metric: str, stated: Stated) -> Span:
    """What the configuration says of a metric's score; anything from 0 to 1 where it is silent."""
    epsilon = math.inf if stated.epsilon is None else stated.epsilon
    exact = {
        "differential_privacy": float(math.isfinite(epsilon)),
        "global_privacy_risk": complement(global_privacy_risk(epsilon, stated.clients)),
        "personalization": 0.0,
        "federation_scale": scale_steps(stated.clients),  # fits every printed one, where Table 3 does not
        "client_selector": 1.0,  # stated; what Table 2 means, not random, would give 0 and no printed pillar
    }  # fmt: skip
    if stated.benign is not None:
        exact["class_imbalance"] = one_minus_cv(abs(1 - 2 * stated.benign))
    if metric in exact:
        return Span(exact[metric], exact[metric])
    if metric == "aggregation_algorithm":
        value = {name.lower(): value for name, value in AGGREGATION.items()}.get(stated.algorithm)
        return (
            Span(min(AGGREGATION.values()), max(AGGREGATION.values()), False) if value is None else Span(value, value)
        )
    return Span(0.0, 0.2, known=False) if metric == "algorithmic_transparency" else _OPEN  # a mark of 1 of 5


def _reading(rule: str, span: Span, needs: str = "") -> Reading:
    return Reading(rule, span, span if span.known else None, needs)


def _mean(spans: Iterable[Span]) -> Span:
    each = list(spans)
    low, high = (sum(ends) / len(each) for ends in ([span.low for span in each], [span.high for span in each]))
    return Span(low, high, all(span.known for span in each))


@lru_cache
def _chosen(clients: int, many: int, rounds: int) -> np.ndarray:
    """Scores of participation variation in simulated runs (draws,)."""
    rng, counts = stream(0, "bench", "selection", clients, many, rounds), np.zeros((_DRAWS, clients))
    for _ in range(rounds):
        draws = rng.random(counts.shape)
        counts += draws <= np.partition(draws, many - 1, axis=1)[:, many - 1 : many]
    return np.asarray(1 - np.minimum(1, counts.std(1) / counts.mean(1)))
