"""The best split of a node whose sums nobody knows: gains are compared as fractions of shared numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trustkit.vertical.boosted.histograms import Rules
from trustkit.vertical.sharing.secret_comparison import both, chosen, negative, numbers, quotient
from trustkit.vertical.sharing.shares import Talk

__all__ = ["Scale", "best_split", "leaf_weights", "scale_of"]

_EPSILON = 1e-6


@dataclass(frozen=True)
class Scale:
    """Public numbers in fixed point, and how long secret ones may be.

    Parameters
    ----------
    fraction : int
        Bits behind the point.
    value_bits : int
        Length of any sum of g, or of h and λ, the sign's bit included: a multiple of 8.
    ring_bits : int
        Length of shares, so that a product of five such sums has room.
    reg_lambda, least_gain, min_child_weight : int
        `Rules` in fixed point.
    whole : int
        Bits before the point of a leaf's weight.
    """

    fraction: int
    value_bits: int
    ring_bits: int
    reg_lambda: int
    least_gain: int
    min_child_weight: int
    whole: int


def scale_of(rules: Rules, rows: int, largest: float, fraction: int) -> Scale:
    """Choose lengths by what is public.

    Parameters
    ----------
    rules : Rules
        What makes a split worth it.
    rows : int
        n.
    largest : float
        Bound of the magnitudes of g and h.
    fraction : int
        Bits behind the point.

    Returns
    -------
    Scale
        Lengths are those of n sums of the bound and λ.

    Examples
    --------
    >>> scale = scale_of(Rules(), 143, 1.0, 30)
    >>> scale.value_bits, scale.ring_bits, scale.whole
    (40, 200, 7)
    """
    one = 1 << fraction
    reg, gain, least = (round(v * one) for v in (rules.reg_lambda, max(rules.gamma, _EPSILON), rules.min_child_weight))
    most = max(int(rows * largest * one) + rows + reg, gain)
    bits = most.bit_length() + 1
    lowest = max(rules.reg_lambda + rules.min_child_weight, 2.0**-10)
    return Scale(
        fraction, _bytes(bits), _bytes(5 * bits + 3), reg, gain, least, int(rows * largest / lowest + 1).bit_length()
    )


def _bytes(bits: int) -> int:
    """Round up to whole bytes."""
    return -(-bits // 8) * 8


def best_split(talk: Talk, left: np.ndarray, total: np.ndarray, scale: Scale) -> int:
    """Find the best of some splits; which one it is becomes known, and nothing else.

    Parameters
    ----------
    talk : Talk
        The parties.
    left : (K, T, 2) array of int objects
        Shares of the sums of g and h on the left of each split.
    total : (K, 2) array of int objects
        Shares of the node's sums.
    scale : Scale
        Public numbers.

    Returns
    -------
    int
        0 … T − 1, the first one of equals; −1 if none is worth it.

    Notes
    -----
    A gain is the fraction N/D with N = G_L² (H_R + λ) + G_R² (H_L + λ) and D = (H_L + λ)(H_R + λ); no split is
    (G² + least (H + λ))/(H + λ). Where a side is too light, N becomes 0 and D one more, so that D is never 0. Fractions
    are compared by N_b D_a > N_a D_b, two at a time, and the better one goes on without anybody knowing which.
    """
    ring, none = talk.ring, total[:, None]
    G, H = np.concatenate([none, left], axis=1).transpose(2, 0, 1)
    other = ring.reduced(np.stack([none[:, :, 0] - G, none[:, :, 1] - H]))
    A, B = talk.offset(H, scale.reg_lambda), talk.offset(other[1], scale.reg_lambda)
    A[:, :1] = B[:, :1] = talk.offset(none[:, :, 1], scale.reg_lambda)
    squares = _times(talk, np.stack([G, other[0]], axis=1), np.stack([G, other[0]], axis=1))
    crossed = _times(talk, squares[:, :, 1:], np.stack([B, A], axis=1)[:, :, 1:])
    heavy = _heavy(talk, H[:, 1:], other[1][:, 1:], scale)
    above = _times(talk, ring.reduced(crossed.sum(axis=1)), heavy)
    alone = ring.reduced(squares[:, 0, :1] + scale.least_gain * A[:, :1])
    N = np.concatenate([alone, above], axis=1)
    D = np.concatenate([A[:, :1], talk.offset(ring.reduced(_times(talk, A[:, 1:], B[:, 1:]) - heavy), 1)], axis=1)
    names = np.zeros(N.shape, object)
    names[0] = np.arange(N.shape[1]).astype(object)
    return int(talk.opened(_first_of_best(talk, np.stack([N, D, names], axis=1)))[0]) - 1


def _times(talk: Talk, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return talk.times(np.ascontiguousarray(x), np.ascontiguousarray(y))


def _heavy(talk: Talk, left: np.ndarray, right: np.ndarray, scale: Scale) -> np.ndarray:
    """Return shares of 1 where both sides have enough, else of 0."""
    light = negative(talk, talk.offset(np.concatenate([left, right], axis=1), -scale.min_child_weight))
    light[0] ^= 1
    half = left.shape[1]
    return numbers(talk, both(talk, light[:, :half], light[:, half:]))


def _first_of_best(talk: Talk, field: np.ndarray) -> np.ndarray:
    """Let neighbours of the field (K, 3, T) meet until one is left; return shares (K, 1) of its name."""
    while field.shape[2] > 1:
        odd = field.shape[2] % 2
        low, high = field[:, :, odd::2], field[:, :, odd + 1 :: 2]
        cross = _times(talk, np.stack([low[:, 0], high[:, 0]], axis=1), np.stack([high[:, 1], low[:, 1]], axis=1))
        later = numbers(talk, negative(talk, talk.ring.reduced(cross[:, 0] - cross[:, 1])))
        won = chosen(talk, np.repeat(later[:, None], 3, axis=1), low, high)
        field = np.concatenate([field[:, :, :odd], won], axis=2)
    return field[:, 2]


def leaf_weights(talk: Talk, total: np.ndarray, scale: Scale) -> np.ndarray:
    """Open the weights of leaves, and nothing else of them.

    Parameters
    ----------
    talk : Talk
        The parties.
    total : (K, L, 2) array of int objects
        Shares of the leaves' sums of g and h.
    scale : Scale
        Public numbers.

    Returns
    -------
    (L,) float64 array
        −G/(H + λ), off by less than 2^−fraction; 0 where H is less than the least weight.
    """
    light = negative(talk, talk.offset(np.ascontiguousarray(total[:, :, 1]), -scale.min_child_weight))
    light[0] ^= 1
    below = talk.offset(np.ascontiguousarray(total[:, :, 1]), scale.reg_lambda)
    found = quotient(talk, np.ascontiguousarray(total[:, :, 0]), below, scale.whole, scale.fraction)
    told = talk.opened(talk.times(found, numbers(talk, light)))
    return np.array([-float(v) for v in talk.ring.signed(told)]) / 2.0**scale.fraction
