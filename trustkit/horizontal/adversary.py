"""What an attack is: who attacks, what they train on, and what they send.

An attack is a value. `Attack.relabel` changes the stacked training rows once, `Attack.tamper` the stack of trained
parameters in every round; a trainer calls both and needs to know no more:
``dataclasses.replace(trainer, relabel=attack.relabel, tamper=attack.tamper)``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from trustkit.data import Dataset
from trustkit.horizontal.plan import Cohort, Relabel, Tamper
from trustkit.rng import stream

__all__ = ["Attack", "Trigger", "attackers", "check_class", "flip", "plant", "sends", "trigger_for"]


@dataclass(frozen=True, eq=False)
class Trigger:
    """A pattern that a backdoor listens to.

    Parameters
    ----------
    columns : (c,) int array
        Which features (pixels) carry it.
    value : float
        What they are set to, in the units that the model takes.
    target : int
        The class that it is to lead to.
    """

    columns: np.ndarray
    value: float
    target: int

    def stamp(self, X: np.ndarray) -> np.ndarray:
        """Return rows that carry the pattern.

        Parameters
        ----------
        X : (n, m) float array
            Scaled rows; not changed.

        Returns
        -------
        (n, m) float array
            A copy with the trigger's columns set.

        Examples
        --------
        >>> Trigger(np.array([1]), 3.0, 0).stamp(np.zeros((1, 3))).tolist()
        [[0.0, 3.0, 0.0]]
        """
        stamped = np.array(X)
        stamped[:, self.columns] = self.value
        return stamped


@dataclass(frozen=True, eq=False)
class Attack:
    """Who attacks, and how.

    Parameters
    ----------
    clients : (a,) int array
        The attackers, ascending; possibly none.
    relabel : callable, optional
        What they train on; ``None`` if their rows stay as they are.
    tamper : callable, optional
        What they send; ``None`` if they send what they trained.
    trigger : Trigger, optional
        The pattern of a backdoor, for stamping test rows.
    """

    clients: np.ndarray
    relabel: Relabel | None = None
    tamper: Tamper | None = None
    trigger: Trigger | None = None


def attackers(clients: int, share: float, seed: int) -> np.ndarray:
    """Draw the clients that attack.

    Parameters
    ----------
    clients : int
        How many there are, K, at least 1.
    share : float
        In [0, 1]: which share of them attacks, rounded to whole clients; at least one if above 0.
    seed : int
        The experiment's seed; the stream is ``(seed, "attackers")``.

    Returns
    -------
    (a,) int array
        Ascending. Whoever attacks at a share attacks at every larger one.

    Raises
    ------
    ValueError
        If a number is out of range.

    Examples
    --------
    >>> attackers(10, 0.3, seed=0).size
    3
    """
    if clients < 1:
        raise ValueError(f"clients must be at least 1, got {clients!r}")
    if not 0 <= share <= 1:
        raise ValueError(f"share must be between 0 and 1, got {share!r}")
    count = max(1, round(share * clients)) if share else 0
    return np.sort(stream(seed, "attackers").permutation(clients)[:count])


def check_class(data: Dataset, what: str, number: int | None) -> None:
    """Refuse a class that a data set does not have.

    Parameters
    ----------
    data : Dataset
        Gives the classes.
    what : str
        What the number is called in the message.
    number : int, optional
        A class; ``None`` passes.

    Raises
    ------
    ValueError
        If there is no such class.
    """
    last = len(data.classes) - 1
    if number is not None and not 0 <= number <= last:
        raise ValueError(f"{what} must be one of the classes 0 … {last} of {data.name}, got {number!r}")


def trigger_for(data: Dataset, target: int, columns: tuple[int, ...], value: float) -> Trigger:
    """Return the pattern of a backdoor on a data set.

    Parameters
    ----------
    data : Dataset
        Gives features and classes, and an image's size.
    target : int
        The class that the pattern is to lead to.
    columns : tuple of int
        The features that carry it. None given: the 3 × 3 pixels of an image's last corner in every channel, the last
        three columns of a table.
    value : float
        What they are set to, in the units that the model takes.

    Returns
    -------
    Trigger
        The pattern.

    Raises
    ------
    ValueError
        If the class or a column does not exist.
    """
    check_class(data, "target", target)
    m = data.X.shape[1]
    if columns and (min(columns) < 0 or max(columns) >= m):
        raise ValueError(f"columns must be among 0 … {m - 1} of {data.name}, got {min(columns)} … {max(columns)}")
    where = np.array(columns, int) if columns else np.arange(max(0, m - 3), m)
    if not columns and data.image is not None:
        where = np.arange(m).reshape(data.image)[..., -3:, -3:].ravel()
    return Trigger(where, value, target)


def _rows_of(who: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Return the stacked rows of some clients."""
    blocks = [np.arange(offsets[k], offsets[k + 1]) for k in who]
    return np.concatenate(blocks) if blocks else np.zeros(0, int)


def flip(who: np.ndarray, classes: int, source: int | None, target: int | None) -> Relabel:
    """Return a change of the labels of some clients.

    Parameters
    ----------
    who : (a,) int array
        The clients.
    classes : int
        How many classes there are, C.
    source : int, optional
        The class whose labels are changed; ``None`` for every class.
    target : int, optional
        The class that they get; ``None`` for C − 1 − y.

    Returns
    -------
    callable
        A `Relabel` that leaves X as it is.
    """

    def relabel(X: np.ndarray, y: np.ndarray, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        rows, flipped = _rows_of(who, offsets), np.array(y)
        if source is not None:
            rows = rows[flipped[rows] == source]
        flipped[rows] = classes - 1 - flipped[rows] if target is None else target
        return X, flipped

    return relabel


def plant(who: np.ndarray, trigger: Trigger, poisoned: float, seed: int) -> Relabel:
    """Return a change that stamps a share of the rows of some clients and gives them the target's label.

    Parameters
    ----------
    who : (a,) int array
        The clients.
    trigger : Trigger
        The pattern.
    poisoned : float
        In [0, 1]: which share of each client's rows.
    seed : int
        The rows of client k come from the stream ``(seed, "backdoor", k)``.

    Returns
    -------
    callable
        A `Relabel` that works on copies.
    """

    def relabel(X: np.ndarray, y: np.ndarray, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        stamped, labels = np.array(X), np.array(y)
        for k in who:
            size = int(offsets[k + 1] - offsets[k])
            chosen = stream(seed, "backdoor", int(k)).permutation(size)[: round(poisoned * size)] + offsets[k]
            stamped[chosen] = trigger.stamp(stamped[chosen])
            labels[chosen] = trigger.target
        return stamped, labels

    return relabel


def sends(who: np.ndarray, change: Callable[[np.ndarray, np.ndarray, Cohort, int], np.ndarray]) -> Tamper:
    """Return a change of what some clients send.

    Parameters
    ----------
    who : (a,) int array
        The clients.
    change : callable
        From the global parameters (P,), the trained ones (m, P), the cohort, and a client's place in it, to what this
        client sends (P,).

    Returns
    -------
    callable
        A `Tamper` that works on a copy and leaves the other clients alone.
    """

    def tamper(params: np.ndarray, trained: np.ndarray, plan: Cohort) -> np.ndarray:
        sent = np.array(trained)
        for place in np.flatnonzero(np.isin(plan.clients, who)):
            sent[place] = change(params, trained, plan, int(place))
        return sent

    return tamper
