"""The course of a Flower run, as rounds of trustkit's own: who was asked, what became of it, what clients measured."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from trustkit.flower.wire import bytes_of
from trustkit.horizontal.faults import DELIVERED, DROPPED, FAILED, LATE, UNSELECTED
from trustkit.records import Round, RunRecord, Seen, State

__all__ = ["Course", "outcome_of"]

_GONE = (3, 4, 5)
"""Flower's codes of errors for messages, replies and nodes that are not available."""


def outcome_of(reply: Any) -> int:
    """Say what became of an update.

    Parameters
    ----------
    reply : flwr.app.Message
        An answer, or the error that came instead of one.

    Returns
    -------
    int
        A code of `trustkit.horizontal.faults`: delivered; left, where the node or its message is not available; failed,
        where the ClientApp did.
    """
    if not reply.has_error():
        return DELIVERED
    return DROPPED if reply.error.code in _GONE else FAILED


class Course:
    """Rounds as they happen.

    Parameters
    ----------
    nodes : iterable of int
        Node ids in the order of the clients, as far as they are known; others are numbered as they are met.
    observers : iterable of callable
        Each is called with every finished round.
    clock : callable
        Returns seconds.
    """

    def __init__(
        self, nodes: Iterable[int] = (), observers: Iterable[Callable[[Round], Any]] = (),
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:  # fmt: skip
        self.clients: dict[int, int] = {node: k for k, node in enumerate(nodes)}
        self._observers, self._clock = tuple(observers), clock
        self._rounds: list[Round] = []
        self._outcomes: list[dict[int, int]] = []
        self._open: dict[str, Any] | None = None

    def __len__(self) -> int:
        return len(self._rounds)

    def meet(self, nodes: Iterable[int]) -> None:
        """Number the nodes that were not met before.

        Parameters
        ----------
        nodes : iterable of int
            Node ids.
        """
        for node in nodes:
            self.clients.setdefault(node, len(self.clients))

    def begin(self, index: int, messages: Iterable[Any]) -> None:
        """Begin a round.

        Parameters
        ----------
        index : int
            From 1.
        messages : iterable of flwr.app.Message
            What goes out for training.
        """
        sent = {message.metadata.dst_node_id: bytes_of(message) for message in messages}
        self.meet(sent)
        self._open = {"index": index, "began": self._clock(), "outcome": dict.fromkeys(sent, LATE), "sent": {},
                      "received": sent, "accuracy": {}, "loss": {}}  # fmt: skip

    def deliver(self, node: int, outcome: int, size: float) -> None:
        """Note what became of an update; of whom nothing is noted is late.

        Parameters
        ----------
        node : int
            Whose.
        outcome : int
            A code of `trustkit.horizontal.faults`.
        size : float
            Bytes that arrived.
        """
        if self._open is not None:
            self.meet([node])
            self._open["outcome"][node] = outcome
            self._open["sent"][node] = self._open["sent"].get(node, 0.0) + size

    def receive(self, messages: Iterable[Any]) -> None:
        """Note what goes out for testing.

        Parameters
        ----------
        messages : iterable of flwr.app.Message
            One for each node that is asked.
        """
        if self._open is None:
            return
        received = self._open["received"]
        for message in messages:
            node = message.metadata.dst_node_id
            self.meet([node])
            received[node] = received.get(node, 0.0) + bytes_of(message)

    def test(self, node: int, accuracy: float, loss: float, size: float) -> None:
        """Note what a client measured.

        Parameters
        ----------
        node : int
            Which.
        accuracy, loss : float
            On its own test rows; NaN where it did not say.
        size : float
            Bytes that arrived.
        """
        if self._open is not None:
            self.meet([node])
            self._open["accuracy"][node], self._open["loss"][node] = accuracy, loss
            self._open["sent"][node] = self._open["sent"].get(node, 0.0) + size

    def close(self, state: State, summed: bool = True, epsilon: float = math.inf) -> None:
        """End a round, if one is open.

        Parameters
        ----------
        state : mapping of str to array
            The model after it.
        summed : bool
            Whether masked updates could be added up.
        epsilon : float
            Composed so far, where an accountant says so.
        """
        if self._open is None:
            return
        ended, self._open = self._open, None
        self._outcomes.append(ended["outcome"])
        marks = {"outcome": self._row(ended["outcome"], UNSELECTED, int), "outcomes": self.outcomes()}
        accuracy, loss = (self._row(ended[name], math.nan) for name in ("accuracy", "loss"))
        sent, received = (self._row(ended[name], 0.0) for name in ("sent", "received"))
        seen = Seen(marks["outcome"] != UNSELECTED, accuracy, loss, sent, received, epsilon)
        played = Round(
            ended["index"], {**state, **marks, "summed": np.array([summed])}, seen, self._clock() - ended["began"]
        )
        if self._rounds:
            self._rounds[-1] = replace(self._rounds[-1], state=None)  # only the last model is kept
        self._rounds.append(played)
        for observer in self._observers:
            observer(played)

    def outcomes(self) -> np.ndarray:
        """Count what became of updates.

        Returns
        -------
        (K, 4) int array
            In how many rounds each client delivered, left, failed and was late.
        """
        counts = np.zeros((len(self.clients), 4), np.int64)
        for row in self._outcomes:
            for node, outcome in row.items():
                counts[self.clients[node], outcome] += 1
        return counts

    def record(self, experiment: Any = None) -> RunRecord:
        """Stack the rounds.

        Parameters
        ----------
        experiment : Experiment, optional
            What was played, where it was one of trustkit's.

        Returns
        -------
        RunRecord
            Rows of all clients that were met, in every round; the last round has its model.
        """
        return RunRecord(experiment, [self._wide(each) for each in self._rounds])

    def _row(self, values: Mapping[int, Any], missing: Any, kind: Any = float) -> np.ndarray:
        row = np.full(len(self.clients), missing, kind)
        for node, value in values.items():
            row[self.clients[node]] = value
        return row

    def _wide(self, played: Round) -> Round:
        """Return a round with a place for every client, those met later among them."""
        seen, more = played.seen, len(self.clients) - played.selected.size
        if not more:
            return played
        gone = np.full(more, np.nan)
        return replace(played, seen=replace(
            seen, selected=np.concatenate([seen.selected, np.zeros(more, bool)]),
            accuracy=np.concatenate([seen.accuracy, gone]), loss=np.concatenate([seen.loss, gone]),
            bytes_up=np.concatenate([seen.bytes_up, np.zeros(more)]),
            bytes_down=np.concatenate([seen.bytes_down, np.zeros(more)]),
        ))  # fmt: skip
