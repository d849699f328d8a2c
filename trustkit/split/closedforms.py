"""How many favourable rows have to go, or to become unfavourable, so that rates of groups lie a given gap apart."""

from __future__ import annotations

import math

import numpy as np

__all__ = ["Change", "OutOfReachError", "drop_share", "flip_share", "lowered", "solve"]

Change = tuple[np.ndarray, np.ndarray]
"""Rows to drop and labels to flip, each (G,) int."""

_TIE = 1e-12


class OutOfReachError(ValueError):
    """A gap that cannot be reached.

    Parameters
    ----------
    group : int
        The group that is in the way.
    end : float
        The largest gap that can be reached, or the smallest.
    least : bool
        Whether it is the smallest.
    """

    def __init__(self, group: int, end: float, least: bool = False) -> None:
        super().__init__(f"the gap must be at {'least' if least else 'most'} {end:.4g}")
        self.group, self.end, self.least = group, end, least


def drop_share(rate: float, wanted: float) -> float:
    """Return what share of a group's favourable rows has to be dropped to lower its rate.

    Parameters
    ----------
    rate : float
        Favourable rows by all rows of the group, in (0, 1).
    wanted : float
        The lower rate, in [0, rate].

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    ValueError
        If a rate is out of range: where all rows are favourable, dropping some leaves the rate at 1.

    Notes
    -----
    From r' = (1 − d) r/(1 − d r) follows d = (r − r')/(r (1 − r')).

    Examples
    --------
    >>> round(drop_share(0.40, 0.25), 12)
    0.5
    """
    if not 0 < rate < 1:
        raise ValueError(f"rate must be strictly between 0 and 1, got {rate!r}")
    if not 0 <= wanted <= rate:
        raise ValueError(f"wanted must be between 0 and the rate {rate!r}, got {wanted!r}")
    return (rate - wanted) / (rate * (1 - wanted))


def flip_share(rate: float, wanted: float) -> float:
    """Return what share of a group's favourable labels has to become unfavourable to lower its rate.

    Parameters
    ----------
    rate : float
        Favourable rows by all rows of the group, in (0, 1].
    wanted : float
        The lower rate, in [0, rate].

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    ValueError
        If a rate is out of range.

    Notes
    -----
    From r' = (1 − f) r follows f = 1 − r'/r.

    Examples
    --------
    >>> round(flip_share(0.40, 0.25), 12)
    0.375
    """
    if not 0 < rate <= 1:
        raise ValueError(f"rate must be above 0 and at most 1, got {rate!r}")
    if not 0 <= wanted <= rate:
        raise ValueError(f"wanted must be between 0 and the rate {rate!r}, got {wanted!r}")
    return 1 - wanted / rate


def _dropped(size: int, favourable: int, wanted: float, below: bool) -> int:
    exact = favourable * drop_share(favourable / size, wanted)
    return _whole(exact, [(favourable - x) / (size - x) for x in _around(exact, favourable)], wanted, below)


def _flipped(size: int, favourable: int, wanted: float, below: bool) -> int:
    exact = favourable * flip_share(favourable / size, wanted)
    return _whole(exact, [(favourable - x) / size for x in _around(exact, favourable)], wanted, below)


def _around(exact: float, most: int) -> tuple[int, int]:
    low = min(math.floor(exact + _TIE), most)
    return low, min(low + 1, most)


def _whole(exact: float, rates: list[float], wanted: float, below: bool) -> int:
    """Choose the whole number whose rate is nearest, or the first whose rate is not above what is wanted."""
    low = math.floor(exact + _TIE)
    if below:
        return low if rates[0] <= wanted + _TIE else low + 1
    return low if rates[0] - wanted <= wanted - rates[1] + _TIE else low + 1


def lowered(
    size: int, favourable: int, wanted: float, by_dropping: float = 1.0, below: bool = False
) -> tuple[int, int]:
    """Count the rows to drop and the labels to flip to lower one group's rate.

    Parameters
    ----------
    size : int
        Rows of the group, at least 1.
    favourable : int
        Those whose label is favourable, in [0, size].
    wanted : float
        The rate to reach, in [0, 1]; at or above the rate there is nothing to do.
    by_dropping : float
        Which part of the way is gone by dropping, which comes first, in [0, 1]; the rest by flipping.
    below : bool
        Whether to round so that the rate is at most what is wanted; otherwise to the nearest rate.

    Returns
    -------
    dropped, flipped : int
        Each at least 0, together at most the favourable rows.

    Raises
    ------
    ValueError
        If all rows are favourable and are to be dropped only, which leaves the rate at 1.

    Examples
    --------
    >>> lowered(100, 40, 0.25), lowered(100, 40, 0.25, by_dropping=0)
    ((20, 0), (0, 15))
    """
    rate = favourable / size
    if wanted >= rate - _TIE:
        return 0, 0
    if favourable == size and by_dropping == 1:
        raise ValueError("all rows are favourable, so dropping some leaves the rate at 1")
    dropped = flipped = 0
    if by_dropping > 0 and favourable < size:
        dropped = _dropped(size, favourable, rate - by_dropping * (rate - wanted), below and by_dropping == 1)
    left, rest = size - dropped, favourable - dropped
    if by_dropping < 1 and rest and wanted < rest / left - _TIE:
        flipped = _flipped(left, rest, wanted, below)
    return dropped, flipped


def solve(
    size: np.ndarray, favourable: np.ndarray, gap: float, low: int | None = None, at_most: bool = False,
    by_dropping: float = 1.0,
) -> Change:  # fmt: skip
    """Count the rows to drop and the labels to flip so that the groups of one client lie a given gap apart.

    Parameters
    ----------
    size, favourable : (G,) int array
        Rows of each group, and those whose label is favourable; a group without rows takes no part. At least two have.
    gap : float
        Largest minus smallest rate that is wanted, in [0, 1].
    low : int, optional
        The group that is to have the smallest rate; by default the one that has it.
    at_most : bool
        Whether a smaller gap will do.
    by_dropping : float
        As for `lowered`, in [0, 1].

    Returns
    -------
    dropped, flipped : (G,) int array
        Rates are only ever lowered: of the group ``low`` to widen a gap, of those above it to narrow one.

    Raises
    ------
    OutOfReachError
        If no other group has a rate as large as the gap, or a group to be lowered by dropping has favourable rows only.

    Notes
    -----
    No rate may stay above c = r_low + gap, and, if the gap is to be exact, above s + gap with s the smallest rate of
    the others: else another group would be the worst off. With t the largest rate of the others after that, r_low
    becomes t − gap. Rounded rates of the others are counted in, so that an exact gap is missed by at most ½ row of a
    group that was changed or compared, and one that may be smaller only where groups have fewer than 1/gap rows.

    Examples
    --------
    >>> [change.tolist() for change in solve(np.array([100, 100]), np.array([40, 45]), 0.2)]
    [[20, 0], [0, 0]]
    """
    there = np.flatnonzero(size > 0)
    rate = favourable[there] / size[there]
    if low is None:
        low = int(there[rate.argmin()])
    others = [g for g in there.tolist() if g != low]
    high = np.array([favourable[g] / size[g] for g in others])
    bound = favourable[low] / size[low] + gap
    if not at_most:
        if high.max() < gap - _TIE:
            raise OutOfReachError(others[int(high.argmax())], float(high.max()))
        bound = min(bound, high.min() + gap)
    dropped, flipped = np.zeros(size.size, np.int64), np.zeros(size.size, np.int64)

    def lower(group: int, wanted: float, end: float, least: bool) -> None:
        try:
            dropped[group], flipped[group] = lowered(
                int(size[group]), int(favourable[group]), wanted, by_dropping, at_most
            )
        except ValueError:
            raise OutOfReachError(group, end, least) from None

    for group in others:
        lower(group, bound, float(1 - bound + gap), least=True)  # at rate 1 it stays, and no rate is raised
    if not at_most:
        top = max((favourable[g] - dropped[g] - flipped[g]) / (size[g] - dropped[g]) for g in others)
        lower(low, max(float(top) - gap, 0.0), float(top - favourable[low] / size[low]), least=False)
    return dropped, flipped
