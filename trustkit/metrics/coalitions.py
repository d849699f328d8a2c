"""Shapley values: what each player brings, whatever a coalition is worth.

A coalition of K players is a row of booleans (K,), or a number whose binary digit k says whether player k is in it; so
the worth of all coalitions is a vector (2^K,).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from trustkit.rng import stream

__all__ = ["EXACT", "Worth", "coalition_values", "leave_one_out", "members", "shapley", "shapley_exact"]

Worth = Callable[[np.ndarray], float]
"""From a coalition (K,) bool to what it is worth."""

EXACT = 12
"""Up to so many players all coalitions are measured."""


def members(players: int) -> np.ndarray:
    """List all coalitions.

    Parameters
    ----------
    players : int
        K, 1 to 12.

    Returns
    -------
    (2^K, K) bool array
        Who is in each: row s has the binary digits of s.

    Raises
    ------
    ValueError
        If there are too few or too many players.

    Notes
    -----
    members[s, k] = binary digit k of s.

    Source
    ------
    Arithmetic.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> members(2).tolist()
    [[False, False], [True, False], [False, True], [True, True]]
    """
    if not 1 <= players <= EXACT:
        raise ValueError(f"players must be between 1 and {EXACT} for all coalitions, got {players!r}")
    return np.asarray((np.arange(2**players)[:, None] >> np.arange(players)) & 1 == 1)


def coalition_values(worth: Worth, players: int) -> np.ndarray:
    """Measure all coalitions.

    Parameters
    ----------
    worth : callable
        From a coalition (K,) bool to what it is worth, any real number.
    players : int
        K, 1 to 12.

    Returns
    -------
    (2^K,) float array
        By coalition: binary digit k of the place says whether player k is in it.

    Raises
    ------
    ValueError
        If there are too few or too many players.

    Notes
    -----
    v(S) for all S ⊆ {0, …, K − 1}.

    Source
    ------
    Shapley (1953), "A value for n-person games": the characteristic function.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> coalition_values(lambda who: float(who.sum()), 2).tolist()
    [0.0, 1.0, 1.0, 2.0]
    """
    return np.array([float(worth(who)) for who in members(players)])


def shapley_exact(values: Any) -> np.ndarray:
    """Share out what all players together are worth, from the worth of every coalition.

    Parameters
    ----------
    values : (..., 2^K) float array
        The worth of every coalition, K from 1 to 12: see `coalition_values`.

    Returns
    -------
    (..., K) float array
        Any sign; adds up to the worth of all players minus that of none.

    Raises
    ------
    ValueError
        If the last length is no power of 2 in range.

    Notes
    -----
    φ_k = Σ_{S ∌ k} |S|! (K − |S| − 1)! / K! · (v(S ∪ k) − v(S)).

    Source
    ------
    Shapley (1953), "A value for n-person games".

    Deviations
    ----------
    None.

    Examples
    --------
    >>> shapley_exact([0.0, 1.0, 2.0, 5.0]).tolist()
    [2.0, 3.0]
    """
    worth = np.asarray(values, float)
    players = max(worth.shape[-1:] or (0,)).bit_length() - 1
    if worth.ndim < 1 or worth.shape[-1] != 2 ** max(players, 0) or not 1 <= players <= EXACT:
        raise ValueError(f"values must have 2 to the power of 1 … {EXACT} coalitions, got shape {worth.shape}")
    size = members(players).sum(axis=1)
    weight = np.array([1 / (players * math.comb(players - 1, s)) for s in range(players)])
    every = np.arange(2**players)
    without = [every[(every >> k) & 1 == 0] for k in range(players)]
    parts = [(worth[..., rest | 1 << k] - worth[..., rest]) @ weight[size[rest]] for k, rest in enumerate(without)]
    return np.stack(parts, axis=-1)


def shapley(
    worth: Worth, players: int, *, permutations: int | None = None, truncation: float = 0.0, seed: int = 0
) -> np.ndarray:
    """Share out what all players together are worth.

    Parameters
    ----------
    worth : callable
        From a coalition (K,) bool to what it is worth; asked once for each coalition that is needed.
    players : int
        K, at least 1.
    permutations : int, optional
        How many orders of the players are sampled, at least 1. ``None``: all coalitions up to 12 players, else 200
        orders.
    truncation : float
        At least 0: an order is left off once its coalition is worth as much as all players, give or take this much; the
        rest of its players get 0 from it. For sampled orders only.
    seed : int
        The orders follow from it.

    Returns
    -------
    (K,) float array
        Any sign. Adds up to the worth of all players minus that of none, with truncation up to ``truncation``.

    Raises
    ------
    ValueError
        If a number is out of range.

    Notes
    -----
    The mean over orders π of v(P ∪ k) − v(P), P the players before k in π. Sampled orders come in pairs, each with its
    reverse, which lowers the variance; the mean is that of all orders still.

    Source
    ------
    Shapley (1953); Castro, Gómez and Tejada (2009), "Polynomial calculation of the Shapley value based on sampling";
    Ghorbani and Zou (2019), "Data Shapley", Algorithm 1, for truncation.

    Deviations
    ----------
    A fixed number of orders instead of a test of convergence.

    Examples
    --------
    >>> shapley(lambda who: float(who[0] and who[1]), 3).round(12).tolist()
    [0.5, 0.5, 0.0]
    """
    if players < 1:
        raise ValueError(f"players must be at least 1, got {players!r}")
    if permutations is not None and permutations < 1:
        raise ValueError(f"permutations must be at least 1, got {permutations!r}")
    if not truncation >= 0:
        raise ValueError(f"truncation must be at least 0, got {truncation!r}")
    if permutations is None and players <= EXACT:
        return shapley_exact(coalition_values(worth, players))
    known: dict[bytes, float] = {}

    def value(who: np.ndarray) -> float:
        key = who.tobytes()
        if key not in known:
            known[key] = float(worth(who.copy()))
        return known[key]

    count, rng = permutations or 200, stream(seed, "shapley")
    orders = [rng.permutation(players) for _ in range(-(-count // 2))]
    walks = [order for pair in ((order, order[::-1]) for order in orders) for order in pair][:count]
    total, everybody = np.zeros(players), value(np.ones(players, bool))
    for order in walks:
        who = np.zeros(players, bool)
        before = value(who)
        for k in order:
            if truncation and abs(everybody - before) <= truncation:
                break
            who[k] = True
            after = value(who)
            total[k] += after - before
            before = after
    return total / len(walks)


def leave_one_out(worth: Worth, players: int) -> np.ndarray:
    """Return what is lost without each player.

    Parameters
    ----------
    worth : callable
        From a coalition (K,) bool to what it is worth.
    players : int
        K, at least 1.

    Returns
    -------
    (K,) float array
        Any sign. Two players who can stand in for each other both get 0.

    Raises
    ------
    ValueError
        If there is no player.

    Notes
    -----
    v(all) − v(all without k).

    Source
    ------
    Cook (1977), "Detection of influential observation in linear regression": the deletion of one at a time.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> leave_one_out(lambda who: float(who @ [1, 2, 4]), 3).tolist()
    [1.0, 2.0, 4.0]
    """
    if players < 1:
        raise ValueError(f"players must be at least 1, got {players!r}")
    everybody = np.ones(players, bool)
    others = ~np.eye(players, dtype=bool)
    return float(worth(everybody)) - np.array([float(worth(who)) for who in others])
