"""From gaps to verdicts: which attribute, or which value of one, do all models find worst, and is it over the line?"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

__all__ = [
    "BELOW", "NOT_MEASURABLE", "NO_BIAS", "UNDECIDED", "Level", "Verdict", "called", "choices", "share_alike", "worded",
]  # fmt: skip

Level = Literal["attribute", "value"]

UNDECIDED = "undecided"
"""The models disagree about what is worst."""

BELOW = "below threshold"
"""The models agree, but the smaller of their gaps is not above the threshold."""

NOT_MEASURABLE = "not measurable"
"""No attribute has a gap for every model; the reason says why."""

NO_BIAS = (UNDECIDED, BELOW, NOT_MEASURABLE)
"""Verdicts that name no attribute."""

_DISAGREE, _NONE = -1, -2
_STEP = 1000
"""A value of an attribute has the number attribute × 1000 + value; an attribute has at most 50 values."""


class Verdict(NamedTuple):
    """What a client is said to be: ``verdict`` is an attribute, "attribute=value", or one of the three words.

    ``leaning`` is what the models agree on, over the threshold or not; ``strength`` the smallest of the models' largest
    gaps; ``stability`` the share of all divisions with the same verdict (None for one division); ``reason`` why the
    client, or one of the attributes there, could not be measured.
    """

    client: str
    verdict: str
    leaning: str
    strength: float
    stability: float | None
    reason: str


def choices(gaps: np.ndarray, worse: np.ndarray, level: Level) -> tuple[np.ndarray, np.ndarray]:
    """Say what all models find worst.

    Parameters
    ----------
    gaps : (…, M, A) float array
        By model and attribute; NaN where undefined.
    worse : (…, M, A) int array
        The group that is worse off.
    level : {"attribute", "value"}
        Whether models have to agree on the attribute only, or on the value that is worse off too.

    Returns
    -------
    choice : (…,) int array
        The attribute's number, at level "value" times 1000 plus the value's; −1 where models disagree, −2 where no
        attribute has a gap for all models.
    strength : (…,) float array
        The smallest of the models' largest gaps; NaN where there is none.

    Notes
    -----
    Of attributes with equal gaps the last is the worst: the protocol calls a client biased against the first of two
    only where its gap is larger for every model.

    Examples
    --------
    >>> choices(np.array([[0.2, 0.1], [0.3, 0.1]]), np.array([[1, 0], [1, 1]]), "value")
    (array(1), array(0.2))
    """
    usable = ~np.isnan(gaps).any(axis=-2, keepdims=True)
    seen = np.where(usable, gaps, -np.inf)
    worst = gaps.shape[-1] - 1 - seen[..., ::-1].argmax(axis=-1)
    unit = worst
    if level == "value":
        unit = worst * _STEP + np.take_along_axis(worse, worst[..., None], axis=-1)[..., 0]
    agreed = (unit == unit[..., :1]).all(axis=-1)
    defined = usable.any(axis=(-2, -1))
    choice = np.where(defined, np.where(agreed, unit[..., 0], _DISAGREE), _NONE)
    strength = np.where(defined, seen.max(axis=-1).min(axis=-1), np.nan)
    return choice, strength


def called(choice: int, attributes: dict[str, tuple[str, ...]], level: Level) -> str:
    """Return the name of a choice.

    Parameters
    ----------
    choice : int
        From `choices`.
    attributes : dict of str to tuple of str
        The values of each attribute, in the order of the gaps.
    level : {"attribute", "value"}
        As in `choices`.

    Returns
    -------
    str
        An attribute, or "attribute=value"; empty for none.
    """
    if choice < 0:
        return ""
    if level == "attribute":
        return list(attributes)[choice]
    name, values = list(attributes.items())[choice // _STEP]
    return f"{name}={values[choice % _STEP]}"


def worded(choice: int, strength: float, threshold: float, leaning: str) -> str:
    """Return the verdict in words.

    Parameters
    ----------
    choice : int
        From `choices`.
    strength : float
        From `choices`.
    threshold : float
        Strengths above it count.
    leaning : str
        The name of the choice.

    Returns
    -------
    str
        The leaning, `UNDECIDED`, `BELOW` or `NOT_MEASURABLE`.
    """
    if choice == _NONE:
        return NOT_MEASURABLE
    if choice == _DISAGREE:
        return UNDECIDED
    return leaning if strength > threshold else BELOW


def share_alike(choice: np.ndarray, strength: np.ndarray, threshold: float) -> np.ndarray:
    """Return how many divisions have the first one's verdict.

    Parameters
    ----------
    choice, strength : (R, K) array
        By division and client, from `choices`.
    threshold : float
        Strengths above it count.

    Returns
    -------
    (K,) float array
        In (0, 1].
    """
    verdict = np.where((choice >= 0) & ~(strength > threshold), -3, choice)
    return np.asarray((verdict == verdict[:1]).mean(axis=0))
