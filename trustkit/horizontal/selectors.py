"""Which clients a server asks: by chance, by size, by loss, by reputation, or whoever was asked least."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from trustkit.horizontal.plan import Sampling, participations, select
from trustkit.rng import stream

__all__ = ["TITLES", "Selector", "choose", "judged", "planned", "remembered", "reputation"]

Selector = Literal["random", "size", "loss", "reputation", "fair"]

TITLES: Mapping[Selector, str] = {
    "random": "random", "size": "by data size", "loss": "by loss", "reputation": "by reputation",
    "fair": "least selected first",
}  # fmt: skip
"""What a fact sheet calls each."""

_EXPLORE = 0.2
"""Chance of a seat to go to anybody rather than to the highest loss, so that old losses are renewed."""


def remembered(selector: Selector, clients: int) -> dict[str, np.ndarray]:
    """Return what a selector keeps in the state, before the first round.

    Parameters
    ----------
    selector : str
        Which.
    clients : int
        How many there are, K.

    Returns
    -------
    dict
        "loss": losses (K,), NaN for not known. "reputation": good and bad (K,) counts of updates. Else nothing:
        selections are counted in every state.

    Examples
    --------
    >>> sorted(remembered("reputation", 3))
    ['bad', 'good']
    """
    if selector == "loss":
        return {"losses": np.full(clients, np.nan)}
    if selector == "reputation":
        return {"good": np.zeros(clients, np.int64), "bad": np.zeros(clients, np.int64)}
    return {}


def reputation(good: np.ndarray, bad: np.ndarray) -> np.ndarray:
    """Expect how reliable clients are, from how often they were.

    Parameters
    ----------
    good, bad : (K,) int array
        How often each was found good and bad.

    Returns
    -------
    (K,) float array
        In (0, 1); ½ for whoever was never judged.

    Notes
    -----
    (g + 1)/(g + b + 2): the mean of the Beta distribution with parameters g + 1 and b + 1.

    Source
    ------
    Jøsang and Ismail (2002), "The Beta reputation system".

    Deviations
    ----------
    None: nothing is forgotten and every round counts the same.

    Examples
    --------
    >>> reputation(np.array([0, 8]), np.array([0, 0])).tolist()
    [0.5, 0.9]
    """
    return np.asarray((good + 1) / (good + bad + 2))


def judged(state: Mapping[str, np.ndarray], clients: np.ndarray, fine: np.ndarray) -> dict[str, np.ndarray]:
    """Count a round's verdicts on its clients.

    Parameters
    ----------
    state : mapping
        With good and bad (K,); not changed.
    clients : (m,) int array
        Who was judged.
    fine : (m,) bool array
        Whether the update was found good.

    Returns
    -------
    dict
        good and bad (K,), with these verdicts.

    Examples
    --------
    >>> state = {"good": np.array([0, 0]), "bad": np.array([0, 0])}
    >>> judged(state, np.array([1]), np.array([True]))["good"].tolist()
    [0, 1]
    """
    good, bad = state["good"].copy(), state["bad"].copy()
    good[clients] += fine
    bad[clients] += ~fine
    return {"good": good, "bad": bad}


def choose(
    selector: Selector, seed: int, index: int, sizes: np.ndarray, share: float, state: Mapping[str, np.ndarray],
    sampling: Sampling = "fixed",
) -> np.ndarray:  # fmt: skip
    """Draw the clients of a round by what the server knows of them.

    Parameters
    ----------
    selector : str
        "random"; "size": with probability in proportion to training rows; "loss": whose loss is unknown first, then the
        highest losses, but a fifth of the seats at random; "reputation": with probability in proportion to
        `reputation`; "fair": whoever was selected least, ties by chance.
    seed : int
        The experiment's seed.
    index : int
        The round, from 1.
    sizes : (K,) int array
        Training rows of each client; who has none is never drawn.
    share : float
        In (0, 1]: the share of the others.
    state : mapping
        participations (K,), and what `remembered` names.
    sampling : {"fixed", "poisson"}
        For "random" only; see `trustkit.horizontal.plan.select`.

    Returns
    -------
    (m,) int array
        Ascending clients, max(1, round(q·E)) of E, or all of them where the share is 1.

    Notes
    -----
    The stream ``(seed, index, "select")`` decides every draw. "fair" is the drift-plus-penalty rule without penalty:
    each client has a queue that grows by q a round and falls by 1 when it is selected, and the longest queues are
    served; the order of the queues is the opposite of that of the counts.

    Source
    ------
    "loss": Cho, Wang and Joshi (2022), "Towards understanding biased client selection in federated learning". "fair":
    Huang et al. (2021), "An efficiency-boosting client selection scheme for federated learning with fairness
    guarantee".

    Deviations
    ----------
    "loss" has no candidate set: it ranks the losses that clients reported when they last took part. "fair" has no
    penalty for slow clients.

    Examples
    --------
    >>> state = {"participations": np.array([3, 1, 2, 1])}
    >>> choose("fair", 0, 9, np.array([5, 5, 5, 5]), 0.5, state).tolist()
    [1, 3]
    """
    eligible = np.flatnonzero(sizes)
    if selector == "random" or share == 1:
        return select(seed, index, eligible, share, sampling)
    generator, seats = stream(seed, index, "select"), max(1, round(share * eligible.size))
    if selector in ("size", "reputation"):
        worth = sizes if selector == "size" else reputation(state["good"], state["bad"])
        chances = worth[eligible] / worth[eligible].sum()
        return np.sort(generator.choice(eligible, seats, replace=False, p=chances))
    order = generator.permutation(eligible)
    if selector == "fair":
        return np.sort(order[np.argsort(state["participations"][order], kind="stable")][:seats])
    losses = np.where(np.isnan(state["losses"]), np.inf, state["losses"])
    ranked = order[np.argsort(-losses[order], kind="stable")]
    best = seats - int(generator.binomial(seats, _EXPLORE))
    anybody = generator.choice(ranked[best:], seats - best, replace=False)
    return np.sort(np.concatenate([ranked[:best], anybody]))


def planned(selector: Selector, seed: int, sizes: np.ndarray, rounds: int, share: float) -> np.ndarray:
    """Count how often each client will be drawn, where that depends on no training.

    Parameters
    ----------
    selector : {"random", "size", "fair"}
        One that looks at no model.
    seed : int
        The experiment's seed.
    sizes : (K,) int array
        Training rows of each client.
    rounds : int
        How many rounds.
    share : float
        In (0, 1]: the share of clients in a round.

    Returns
    -------
    (K,) int array
        Rounds in which each trains.

    Examples
    --------
    >>> planned("fair", 0, np.array([4, 9, 1]), 6, 0.34).tolist()
    [2, 2, 2]
    """
    if selector == "random":
        return participations(seed, np.flatnonzero(sizes), sizes.size, rounds, share)
    counts = np.zeros(sizes.size, np.int64)
    for index in range(1, rounds + 1):
        counts[choose(selector, seed, index, sizes, share, {"participations": counts})] += 1
    return counts
