"""Faults by name: clients that leave, and slow ones; and what a run's state remembers of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import numpy as np

from trustkit.catalogue import FAULTS, Interval
from trustkit.horizontal.faults import FAILED, LATE, UNSELECTED, Delivery, Faults, faults
from trustkit.horizontal.secure import recoverable

__all__ = ["counted", "dropout", "mixed", "outcomes_of", "stragglers", "unasked", "wasted"]

_KINDS = 4


@FAULTS.enter("mixed", title="Leaving, failing and late clients")
def mixed(
    dropout: Annotated[float, Interval(0, 1, step=0.01), "chance that a client leaves in a round"] = 0.1,
    error: Annotated[float, Interval(0, 1, step=0.01), "chance that a client that stays fails"] = 0.05,
    spread: Annotated[float, Interval(0, 3, step=0.1), "how unequal the clients' speeds are"] = 0.0,
    wait: Annotated[float | None, Interval(0, 100), "how long the server waits, in medians; none for ever"] = None,
) -> Faults:
    """Let clients leave, fail or be late.

    Parameters
    ----------
    dropout : float
        In [0, 1]: the chance that a client leaves in a round.
    error : float
        In [0, 1]: the chance that a client that stays fails.
    spread : float
        0 to 3: the standard deviation of the logarithm of a client's time; 0 if all are equally fast.
    wait : float, optional
        0 to 100: how long the server waits, in units of the median time of the round; ``None`` for as long as it
        takes, so that nobody is late.

    Returns
    -------
    Faults
        See `trustkit.horizontal.faults.faults`.

    Raises
    ------
    ValueError
        If a number is out of range, or nothing could go wrong.

    Examples
    --------
    >>> mixed()
    Faults(dropout=0.1, error=0.05, spread=0.0, wait=None)
    """
    made = faults(dropout, error, spread, wait)
    if not made.possible:
        raise ValueError("faults must be able to happen: dropout or error above 0, or a wait, got 0, 0 and none")
    return made


@FAULTS.enter("dropout", title="Leaving clients")
def dropout(
    chance: Annotated[float, Interval(0, 1, step=0.01), "chance that a client leaves in a round"] = 0.1,
) -> Faults:
    """Let clients leave before they train.

    Parameters
    ----------
    chance : float
        In [0, 1]: the chance that a client leaves in a round.

    Returns
    -------
    Faults
        Nobody fails and nobody is late.

    Raises
    ------
    ValueError
        If the chance is out of range, or 0, with which nobody leaves.
    """
    if chance == 0:
        raise ValueError(f"chance must be above 0 for clients to leave, got {chance!r}")
    return faults(dropout=chance)


@FAULTS.enter("stragglers", title="Slow clients")
def stragglers(
    spread: Annotated[float, Interval(0, 3, step=0.1), "how unequal the clients' speeds are"] = 1.0,
    wait: Annotated[float, Interval(0, 100), "how long the server waits, in medians"] = 2.0,
) -> Faults:
    """Let slow clients miss the end of a round.

    Parameters
    ----------
    spread : float
        0 to 3: the standard deviation of the logarithm of a client's time; 0 if all are equally fast.
    wait : float
        0 to 100: how long the server waits, in units of the median time of the round.

    Returns
    -------
    Faults
        Nobody leaves and nobody fails.

    Raises
    ------
    ValueError
        If a number is out of range.
    """
    return faults(spread=spread, wait=wait)


def unasked(clients: int, secure: bool = False) -> dict[str, np.ndarray]:
    """Return what a state holds of deliveries before the first round.

    Parameters
    ----------
    clients : int
        How many there are, K.
    secure : bool
        Whether models are added up by secure aggregation, which too few clients make impossible.

    Returns
    -------
    dict
        outcome (K,): what became of each client in the last round, −1 for not asked. outcomes (K, 4): in how many
        rounds each delivered, left, failed and was late. With secure sums also summed (1,): whether there was one.

    Examples
    --------
    >>> unasked(2)["outcome"].tolist()
    [-1, -1]
    """
    state = {"outcome": np.full(clients, UNSELECTED), "outcomes": np.zeros((clients, _KINDS), np.int64)}
    return {**state, "summed": np.array([True])} if secure else state


def counted(state: Mapping[str, np.ndarray], delivery: Delivery) -> dict[str, np.ndarray]:
    """Add a round's delivery to what a state holds.

    Parameters
    ----------
    state : mapping
        With what `unasked` names; not changed.
    delivery : Delivery
        What became of the round's clients.

    Returns
    -------
    dict
        outcome (K,), outcomes (K, 4) and, where it is held, summed (1,), with this round.

    Examples
    --------
    >>> counted(unasked(2), faults(dropout=1.0).deliver(0, 1, np.array([1]), np.ones(1)))["outcomes"].tolist()
    [[0, 0, 0, 0], [0, 1, 0, 0]]
    """
    outcomes = state["outcomes"].copy()
    outcomes[delivery.clients, delivery.outcome] += 1
    marks = {"outcome": delivery.row(len(outcomes)), "outcomes": outcomes}
    return {**marks, "summed": np.array([recoverable(delivery.delivered)])} if "summed" in state else marks


def wasted(outcome: np.ndarray, size: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the bytes of a round that led to nothing.

    Parameters
    ----------
    outcome : (K,) int array
        What became of each client in the round.
    size : float
        Bytes of what goes to a client, and back.

    Returns
    -------
    sent, received : (K,) float array
        Who failed had received a model, who was late sent one too; who left did neither.

    Examples
    --------
    >>> [part.tolist() for part in wasted(np.array([-1, 0, 1, 2, 3]), 8.0)]
    [[0.0, 0.0, 0.0, 0.0, 8.0], [0.0, 0.0, 0.0, 8.0, 8.0]]
    """
    return size * (outcome == LATE), size * np.isin(outcome, (FAILED, LATE))


def outcomes_of(counts: np.ndarray) -> np.ndarray:
    """Write counts of outcomes out one by one, as `trustkit.horizontal.faults.rates` takes them.

    Parameters
    ----------
    counts : (K, 4) int array
        In how many rounds each client delivered, left, failed and was late.

    Returns
    -------
    (n,) int array
        Ascending codes.

    Examples
    --------
    >>> outcomes_of(np.array([[2, 1, 0, 0], [1, 0, 0, 1]])).tolist()
    [0, 0, 0, 1, 3]
    """
    return np.repeat(np.arange(_KINDS), np.asarray(counts).sum(axis=0))
