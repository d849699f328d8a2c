"""What somebody hears who keeps every message that crosses the wire: the raw material of attacks on a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from trustkit.records import State

__all__ = ["Heard", "Overheard", "by_row", "ear", "listening"]

_EAR: ContextVar[list[Heard] | None] = ContextVar("ear", default=None)


@dataclass(frozen=True, eq=False)
class Heard:
    """One message as its receiver has it.

    Parameters
    ----------
    sender, receiver : int
        0 … K−1.
    kind : str
        What it is, for example "embedding".
    numbers : numpy.ndarray
        What it says.
    """

    sender: int
    receiver: int
    kind: str
    numbers: np.ndarray


class Overheard(Protocol):
    """A trainer whose messages can be asked for, row by row."""

    def overheard(self, state: State, rows: np.ndarray, index: int) -> list[Heard]:
        """Return what would cross the wire in round ``index`` for training rows, one line a row in each message."""


def ear() -> list[Heard] | None:
    """Return where new channels note their messages.

    Returns
    -------
    list of Heard or None
        ``None`` unless somebody is `listening`.
    """
    return _EAR.get()


@contextmanager
def listening() -> Iterator[list[Heard]]:
    """Hear every message of every channel that is made meanwhile.

    Yields
    ------
    list of Heard
        It grows, in the order of sending.
    """
    heard: list[Heard] = []
    token = _EAR.set(heard)
    try:
        yield heard
    finally:
        _EAR.reset(token)


def by_row(heard: Sequence[Heard], rows: int, order: np.ndarray | None = None) -> list[Heard]:
    """Join the batches of a pass into one message a sender, receiver and kind, with one line a row.

    Parameters
    ----------
    heard : sequence of Heard
        In the order of sending.
    rows : int
        How many rows the pass has, n.
    order : (n,) int array, optional
        Which row each line is about, where batches took them in another order.

    Returns
    -------
    list of Heard
        Line i is about row i; several whole passes of one kind stand side by side. A message whose last axis is n is
        turned round; messages whose lines do not add up to n are left out: they are about something else.

    Examples
    --------
    >>> halves = [Heard(1, 0, "embedding", np.ones((2, 3))), Heard(1, 0, "embedding", np.zeros((1, 3)))]
    >>> [(each.kind, each.numbers.shape) for each in by_row(halves, 3)], by_row(halves, 4)
    ([('embedding', (3, 3))], [])
    """
    parts: dict[tuple[int, int, str, tuple[int, ...]], list[np.ndarray]] = {}
    for each in heard:
        if each.numbers.ndim:
            key = each.sender, each.receiver, each.kind, each.numbers.shape[1:]
            parts.setdefault(key, []).append(each.numbers)
    found = []
    for (sender, receiver, kind, _), pieces in parts.items():
        lines = _joined(pieces, rows)
        if lines is not None:
            found.append(Heard(sender, receiver, kind, lines if order is None else lines[np.argsort(order)]))
    return found


def _joined(pieces: list[np.ndarray], rows: int) -> np.ndarray | None:
    """Return what one kind of message says of each row, (n, …); ``None`` where it is about something else."""
    if all(len(each) == rows for each in pieces):
        return np.hstack([each.reshape(rows, -1) for each in pieces])
    if sum(map(len, pieces)) == rows:
        return np.concatenate(pieces).reshape(rows, -1)
    if all(each.ndim > 1 and each.shape[-1] == rows for each in pieces):
        return np.hstack([np.moveaxis(each, -1, 0).reshape(rows, -1) for each in pieces])
    return None
