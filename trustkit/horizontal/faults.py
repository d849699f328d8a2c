"""Faults on purpose: clients that leave, fail or are late, and how reliable a run was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from trustkit.rng import stream

__all__ = [
    "DELIVERED",
    "DROPPED",
    "FAILED",
    "LATE",
    "UNSELECTED",
    "Delivery",
    "Faults",
    "faults",
    "rates",
    "reliability",
]

UNSELECTED, DELIVERED, DROPPED, FAILED, LATE = -1, 0, 1, 2, 3
"""What became of a client in a round."""


@dataclass(frozen=True)
class Faults:
    """How often clients leave, fail or are late; see `faults`."""

    dropout: float
    error: float
    spread: float
    wait: float | None

    @property
    def possible(self) -> bool:
        """Whether anything can go wrong: somebody may leave or fail, or the server does not wait for ever."""
        return self.dropout > 0 or self.error > 0 or self.wait is not None

    def deliver(self, seed: int, index: int, clients: np.ndarray, work: np.ndarray) -> Delivery:
        """Say what becomes of each client of a round.

        Parameters
        ----------
        seed : int
            The experiment's seed.
        index : int
            The round.
        clients : (m,) int array
            Who was asked.
        work : (m,) array
            How long each takes on a device of speed 1, at least 0, in any unit, for example steps.

        Returns
        -------
        Delivery
            A client's fate follows from seed, round and client alone, not from who else was asked; only whether it is
            late depends on the others, through the time that the server waits.

        Raises
        ------
        ValueError
            If work is negative or its length differs.

        Notes
        -----
        A client leaves with probability ``dropout``; if it stays, it fails with probability ``error``. It takes
        work · exp(s·(ξ_k + ξ_kt)/√2), with s the ``spread``, ξ_k standard normal by client and ξ_kt by client and
        round. The server waits ``wait`` times the median time of the round's clients that are still there; later ones
        are late.

        Examples
        --------
        >>> faults(dropout=1.0).deliver(0, 1, np.arange(3), np.ones(3)).outcome.tolist()
        [1, 1, 1]
        """
        who, effort = np.asarray(clients), np.asarray(work, float)
        if effort.shape != who.shape:
            raise ValueError(f"work must have one entry for each of the {who.size} clients, got shape {effort.shape}")
        if effort.size and effort.min() < 0:
            raise ValueError(f"work must be at least 0, got {effort.min():g}")
        chances, tempo = np.zeros((who.size, 2)), np.zeros(who.size)
        for i, k in enumerate(who):
            rng = stream(seed, index, "fault", int(k))
            chances[i] = rng.random(2)
            tempo[i] = rng.standard_normal() + stream(seed, "speed", int(k)).standard_normal()
        time = effort * np.exp(self.spread * tempo / np.sqrt(2))
        outcome = np.full(who.size, DELIVERED)
        outcome[chances[:, 1] < self.error] = FAILED
        outcome[chances[:, 0] < self.dropout] = DROPPED
        there = outcome == DELIVERED
        if self.wait is not None and there.any():
            outcome[there & (time > self.wait * np.median(time[there]))] = LATE
        return Delivery(who, outcome, time)


@dataclass(frozen=True, eq=False)
class Delivery:
    """What became of the clients of a round.

    Parameters
    ----------
    clients : (m,) int array
        Who was asked.
    outcome : (m,) int array
        `DELIVERED` 0, `DROPPED` 1, `FAILED` 2 or `LATE` 3.
    time : (m,) float array
        How long each takes, in the unit of the work.
    """

    clients: np.ndarray
    outcome: np.ndarray
    time: np.ndarray

    @property
    def delivered(self) -> np.ndarray:
        """(m,) bool: whose update arrived in time."""
        return np.asarray(self.outcome == DELIVERED)

    def row(self, clients: int) -> np.ndarray:
        """Return the outcomes as one row over all clients.

        Parameters
        ----------
        clients : int
            How many there are, K.

        Returns
        -------
        (K,) int array
            `UNSELECTED` −1 for those who were not asked.

        Examples
        --------
        >>> faults().deliver(0, 1, np.array([2]), np.ones(1)).row(4).tolist()
        [-1, -1, 0, -1]
        """
        row = np.full(clients, UNSELECTED)
        row[self.clients] = self.outcome
        return row


def faults(dropout: float = 0.0, error: float = 0.0, spread: float = 0.0, wait: float | None = None) -> Faults:
    """Let clients leave, fail or be late, by named streams.

    Parameters
    ----------
    dropout : float
        In [0, 1]: the chance that a client leaves in a round.
    error : float
        In [0, 1]: the chance that a client that stays fails.
    spread : float
        0 to 3: the standard deviation of the logarithm of a client's time; 0 if all are equally fast.
    wait : float, optional
        0 to 100: how long the server waits, in units of the median time of the round; ``None`` for as long as it takes.

    Returns
    -------
    Faults
        Ask `Faults.deliver` in every round.

    Raises
    ------
    ValueError
        If a number is out of range.

    Examples
    --------
    >>> faults(dropout=0.1, wait=2.0)
    Faults(dropout=0.1, error=0.0, spread=0.0, wait=2.0)
    """
    for what, number, high in (
        ("dropout", dropout, 1),
        ("error", error, 1),
        ("spread", spread, 3),
        ("wait", wait, 100),
    ):
        if number is not None and not 0 <= number <= high:
            raise ValueError(f"{what} must be between 0 and {high}, got {number!r}")
    return Faults(dropout, error, spread, wait)


def rates(outcomes: Any) -> dict[str, float]:
    """Return how often clients left, failed and were late.

    Parameters
    ----------
    outcomes : (T, K) int array
        What became of every client in every round: −1 not asked, 0 delivered, 1 left, 2 failed, 3 late.

    Returns
    -------
    dict
        dropout: leavers of all asked; error: failures of those who stayed; timeout: late ones of those who finished.
        Each in [0, 1]; NaN where nobody is left to count.

    Raises
    ------
    ValueError
        If an outcome is unknown.

    Examples
    --------
    >>> rates([[0, 1, 2, 3], [0, 0, 0, 0]])
    {'dropout': 0.125, 'error': 0.14285714285714285, 'timeout': 0.16666666666666666}
    """
    codes = np.asarray(outcomes)
    if codes.size and (codes.min() < UNSELECTED or codes.max() > LATE):
        raise ValueError(f"outcomes must lie in {UNSELECTED} … {LATE}, got {codes.min()} … {codes.max()}")
    found, left = {}, int((codes != UNSELECTED).sum())
    for name, code in (("dropout", DROPPED), ("error", FAILED), ("timeout", LATE)):
        count = int((codes == code).sum())
        found[name] = count / left if left else float("nan")
        left -= count
    return found


def reliability(outcomes: Any) -> float:
    """Return how reliable a run was.

    Parameters
    ----------
    outcomes : (T, K) int array
        What became of every client in every round: −1 not asked, 0 delivered, 1 left, 2 failed, 3 late.

    Returns
    -------
    float
        In [0, 1]: 1 if all that was asked for arrived; NaN if nobody was asked.

    Raises
    ------
    ValueError
        If an outcome is unknown.

    Notes
    -----
    1 − (dropout + error + timeout) / 3, over the rates that are defined.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), "System Reliability", names the three rates.

    Deviations
    ----------
    The paper gives no formula for a score, takes failures by time and clients that left by clients; ours counts all
    three by client and round, each among those whom it could still befall.

    Examples
    --------
    >>> round(reliability([[0, 1, 2, 3], [0, 0, 0, 0]]), 4)
    0.8552
    """
    defined = [rate for rate in rates(outcomes).values() if not np.isnan(rate)]
    return 1 - sum(defined) / len(defined) if defined else float("nan")
