"""Whether a normaliser scores in the direction in which a metric deserves more trust."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

from trustkit.trust.stairs import Map
from trustkit.trust.taxonomy import Metric

__all__ = ["against", "samples"]

_TINY = 1e-12
_GRID = 64
_DECADES = tuple(10.0 ** (k / 2) for k in range(-12, 25))


def samples(metric: Metric, normaliser: Callable[[float], float]) -> list[float]:
    """Return the raw values at which a normaliser is looked at.

    Parameters
    ----------
    metric : Metric
        Its range counts.
    normaliser : callable
        From raw values to scores.

    Returns
    -------
    list of float
        Ascending: the ends of the range, a grid or half decades between, and the numbers of the rule itself. Of a list,
        its values alone.

    Examples
    --------
    >>> from trustkit.trust import METRICS
    >>> samples(METRICS["algorithmic_transparency"], Map(values=(1, 5, 9), scores=(0, 1, 1)))
    [1.0, 5.0]
    """
    low, high = metric.range.low, metric.range.high
    if isinstance(normaliser, Map):  # a list says nothing of what lies between its values
        return sorted(value for value in normaliser.values if low <= value <= high)
    named = [getattr(normaliser, name, None) for name in ("zero", "one", "limit", "half")]
    edges = list(getattr(normaliser, "edges", ()))
    steps = [*edges, *(a + (b - a) / 2 for a, b in pairwise(edges)), *(2 * edge for edge in edges[-1:])]
    if math.isinf(high):
        between = [low + step for step in _DECADES]
    else:
        between = [low + (high - low) * k / _GRID for k in range(_GRID + 1)]
    points = [low, *between, *steps, *(value for value in named if value is not None)]
    return sorted({value for value in points if low <= value <= high})


def against(metric: Metric, normaliser: Callable[[float], float]) -> tuple[float, float] | None:
    """Look for two raw values of which the one that deserves more trust scores lower.

    Parameters
    ----------
    metric : Metric
        Its range and its better direction count.
    normaliser : callable
        From raw values to scores.

    Returns
    -------
    tuple of float or None
        The two raw values, ascending; None if there are none at the ends of the range, at the rule's own numbers and
        on a grid between.

    Examples
    --------
    >>> from trustkit.trust import METRICS, Linear
    >>> against(METRICS["performance"], Linear(zero=0, one=1)), against(METRICS["performance"], Linear(zero=1, one=0.5))
    (None, (0.5, 0.515625))
    """
    sign = 1 if metric.better == "higher" else -1
    scored = [(value, sign * normaliser(value)) for value in samples(metric, normaliser)]
    return next(((a, b) for (a, before), (b, after) in pairwise(scored) if after < before - _TINY), None)
