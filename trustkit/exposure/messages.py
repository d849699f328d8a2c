"""What crosses the wire about some training rows, whatever algorithm sends it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from trustkit.records import State, Tick
from trustkit.threads import one_thread
from trustkit.vertical.boosted.turns_at_splits import sides
from trustkit.vertical.overheard import Heard, by_row, listening

__all__ = ["averaged", "made_of", "messages_of"]


def _never() -> None:
    """Do nothing: nobody stops this round."""


def messages_of(
    trainer: Any, state: State, rows: np.ndarray, index: int, size: int, tick: Tick = _never
) -> list[Heard]:
    """Return what crosses the wire about some training rows.

    Parameters
    ----------
    trainer : Trainer
        Over columns. One that can be asked (`trustkit.vertical.Overheard`) is; of another a whole round is played, and
        what it sends of all rows in their own order is listened to; instance sets of trees are read row by row.
    state : mapping
        Of this trainer.
    rows : (n,) int array
        Training rows.
    index : int
        The round, from 1.
    size : int
        How many training rows there are.
    tick : callable, optional
        Called between the steps of a round that is played; it may raise `trustkit.records.Stopped`.

    Returns
    -------
    list of Heard
        One message a sender, receiver and kind, with one line for each of ``rows``.
    """
    if hasattr(trainer, "overheard"):
        return [*trainer.overheard(state, rows, index), *_told(trainer, rows)]
    with listening() as heard:
        after, _ = trainer.step(state, index, tick)
    found = [Heard(each.sender, each.receiver, each.kind, each.numbers[rows]) for each in by_row(heard, size)]
    if "feature" in after and hasattr(trainer, "parties"):  # trees: packed bits of every level, read as turns of rows
        told = sorted({each.sender for each in heard if each.kind == "instance set" and each.receiver == 0})
        found += [Heard(k, 0, "instance set", sides(after, trainer.parties, k, rows)) for k in told]
    return found + _told(trainer, rows)


def averaged(trainer: Any, states: Sequence[State], rows: np.ndarray, first: int) -> list[Heard]:
    """Return what somebody has who hears the same rows round after round, and averages.

    Fresh noise averages out, what the rows themselves say stays: noise on a message hides less than one round shows.

    Parameters
    ----------
    trainer : Trainer
        One that can be asked (`trustkit.vertical.Overheard`).
    states : sequence of R mapping
        Before each round that is heard.
    rows : (n,) int array
        Training rows.
    first : int
        The round that follows on the first of the states, from 1.

    Returns
    -------
    list of Heard
        One message a sender, receiver and kind: the mean of its lines over the rounds, without labels that are told.
    """
    sums: dict[tuple[int, int, str], np.ndarray] = {}
    for index, state in enumerate(states, first):
        for each in trainer.overheard(state, rows, index):
            place = (each.sender, each.receiver, each.kind)
            sums[place] = sums.get(place, 0.0) + np.nan_to_num(each.numbers.astype(float))
    return [Heard(*place, total / len(states)) for place, total in sums.items()]


def made_of(trainer: Any, state: State, rows: np.ndarray, party: int) -> np.ndarray | None:
    """Return what a party's own layers make of its columns, which it knows before cut, noise and compression.

    Parameters
    ----------
    trainer : Trainer
        Over columns.
    state : mapping
        Of this trainer.
    rows : (n,) int array
        Training rows.
    party : int
        0 … K−1.

    Returns
    -------
    (n, w) float array or None
        ``None`` where a party has no layers that it alone knows; what it sends is then all there is.
    """
    if not hasattr(trainer, "overheard") or "params" not in state:  # BlindFL's first layers are shares
        return None
    import torch

    network = trainer.network
    with one_thread(), torch.no_grad():
        owned = network.part(network.leaves(torch.tensor(state["params"])), party)
        found = network.embedded(owned, network.cut(trainer.table.X[rows])[party]).numpy()
    return np.asarray(found, float)


def _told(trainer: Any, rows: np.ndarray) -> list[Heard]:
    """Return labels as messages where a protocol gives them to every party."""
    if trainer.facts.get("labels") != "told to every party":
        return []
    lines = trainer.table.y[rows][:, None]
    return [Heard(0, k, "label", lines) for k in range(1, trainer.table.parties)]
