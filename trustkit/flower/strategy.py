"""`TrustStrategy`: any strategy of Flower, and a fact sheet of what it did."""

from __future__ import annotations

import math
import os
import secrets
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from trustkit.flower import telling
from trustkit.flower.course import Course, outcome_of
from trustkit.flower.rollcall import Seat, counted, greeted
from trustkit.flower.wire import bytes_of, finite
from trustkit.horizontal.faults import DELIVERED, FAILED
from trustkit.records import RunRecord
from trustkit.trust import FactSheet
from trustkit.trust.events import EventLog

__all__ = ["TrustStrategy"]

_ACCURACY = ("accuracy", "acc", "eval_acc", "eval_accuracy", "test_acc", "test_accuracy")
_LOSS = ("loss", "eval_loss", "test_loss")
"""What apps call them in their MetricRecords."""


class TrustStrategy:
    """A strategy of Flower's message API around another one: it trains as that one does, and keeps facts.

    Parameters
    ----------
    strategy : flwr.serverapp.strategy.Strategy
        What configures and aggregates, as ``FedAvg()``.
    classes : int, optional
        How many classes the labels have: counts are asked for before the first round, and come as one masked sum. The
        ClientApp answers with `trustkit.flower.add_counts`. By default nothing is asked.
    log : path-like, optional
        A file of JSON lines for the event log; by default it is in memory.
    seats : mapping of int to Seat, optional
        Which SuperNode is which client, where that was asked already.
    **stated
        What a run cannot know, by name: ``project__purpose="…"``, ``privacy__encryption=0.5`` for TLS, or any other
        fact of the template.

    Raises
    ------
    KeyError, TypeError, ValueError
        If a stated fact does not fit, there is no class, or Flower is not installed.

    Notes
    -----
    What the server sees of single clients: whom it asks, their updates (unless a mod hides them), how many rows they
    say to have, accuracy and loss on their test rows. What it sees as a sum over at least three clients only: rows by
    class, and how many clients have rows of each. The fact sheet holds aggregates of both, and clients as keyed ids.

    An update with a number that is not finite is left out and counted as failed; Flower's mean of it would be NaN for
    all. Who failed, left or was late is in the event log and in ``system``. Only what is seen here is stated: a mod of
    the clients that adds noise is not, so without a differential privacy strategy nothing is said of ε.

    Examples
    --------
    In a ServerApp: ``strategy = TrustStrategy(FedAvg(), classes=10)``, then ``strategy.start(grid, …)`` as ever, then
    ``tk.assess(strategy.facts())``.
    """

    def __init__(
        self, strategy: Any, *, classes: int | None = None, log: str | os.PathLike[str] | None = None,
        seats: Mapping[int, Seat] | None = None, **stated: Any,
    ) -> None:  # fmt: skip
        if classes is not None and classes < 1:
            raise ValueError(f"classes must be at least 1, got {classes}")
        FactSheet().with_facts(**stated)  # refuses what does not fit before anything runs
        self.strategy, self.classes, self._stated = strategy, classes, stated
        self._seats = dict(seats or {})
        self._key, self._log_to = secrets.token_hex(16), log
        self.log: EventLog | None = None
        self.course = Course()
        self._counts: telling.Counts | None = None
        self._model: Any = None
        self._rounds = 0
        self._config: dict[str, Any] = {}

    def start(
        self, grid: Any, initial_arrays: Any, num_rounds: int = 3, timeout: float = 3600, train_config: Any = None,
        evaluate_config: Any = None, evaluate_fn: Any = None,
    ) -> Any:  # fmt: skip
        """Run the strategy, as Flower's own ``start``.

        Parameters
        ----------
        grid : flwr.serverapp.Grid
            The way to the SuperNodes.
        initial_arrays : flwr.app.ArrayRecord
            The model to begin with.
        num_rounds : int
            How many.
        timeout : float
            Seconds to wait for answers.
        train_config, evaluate_config : flwr.app.ConfigRecord, optional
            What clients are told.
        evaluate_fn : callable, optional
            Tests at the server.

        Returns
        -------
        flwr.serverapp.strategy.Result
            Flower's.
        """
        try:
            from flwr.serverapp.strategy import Strategy
        except ImportError:
            raise ValueError("a TrustStrategy needs flwr (pip install 'trustkit[flower]')") from None
        Strategy.register(TrustStrategy)
        about = {"rounds": num_rounds, "strategy": telling.rule_of(self.strategy)}
        self.log = EventLog(self._key, self._log_to, rule=telling.rule_of(self.strategy), about=about)
        self.course = Course(self._seats, [self.log])
        self._model, self._rounds, self._timeout = initial_arrays, num_rounds, timeout
        self._config = dict(train_config or {})
        result = Strategy.start(self, grid, initial_arrays, num_rounds, timeout, train_config, evaluate_config,
                                evaluate_fn)  # fmt: skip
        self._close()
        return result

    def summary(self) -> None:
        """Log what the inner strategy logs."""
        self.strategy.summary()

    def configure_train(self, server_round: int, arrays: Any, config: Any, grid: Any) -> Iterable[Any]:
        """Let the inner strategy choose, and note whom it asks.

        Parameters
        ----------
        server_round : int
            From 1.
        arrays : flwr.app.ArrayRecord
            The model.
        config : flwr.app.ConfigRecord
            What clients are told.
        grid : flwr.serverapp.Grid
            The way to them.

        Returns
        -------
        list of flwr.app.Message
            The inner strategy's.
        """
        self._close()
        messages = list(self.strategy.configure_train(server_round, arrays, config, grid))
        if self.classes is not None and self._counts is None:
            self._counts = self._counted(grid)
        self.course.meet(sorted(grid.get_node_ids()))
        self.course.begin(server_round, messages)
        return messages

    def aggregate_train(self, server_round: int, replies: Iterable[Any]) -> tuple[Any, Any]:
        """Let the inner strategy aggregate what is sound, and note what is not.

        Parameters
        ----------
        server_round : int
            From 1.
        replies : iterable of flwr.app.Message
            Answers and errors.

        Returns
        -------
        arrays, metrics
            The inner strategy's.
        """
        kept, spoilt = [], []
        for reply in replies:
            node, outcome = reply.metadata.src_node_id, outcome_of(reply)
            if outcome == DELIVERED and not finite(reply):
                outcome = FAILED
                spoilt.append(node)
            else:
                kept.append(reply)
            self.course.deliver(node, outcome, bytes_of(reply))
        if spoilt and self.log is not None:
            ids = [telling.id_of(self._key, self.course.clients[node]) for node in spoilt]
            self.log.append("update_left_out", round=server_round, reason="a number was not finite", clients=ids)
        arrays, metrics = self.strategy.aggregate_train(server_round, kept)
        self._model = self._model if arrays is None else arrays
        return arrays, metrics

    def configure_evaluate(self, server_round: int, arrays: Any, config: Any, grid: Any) -> Iterable[Any]:
        """Let the inner strategy choose who tests.

        Parameters
        ----------
        server_round : int
            From 1.
        arrays : flwr.app.ArrayRecord
            The model.
        config : flwr.app.ConfigRecord
            What clients are told.
        grid : flwr.serverapp.Grid
            The way to them.

        Returns
        -------
        list of flwr.app.Message
            The inner strategy's.
        """
        messages = list(self.strategy.configure_evaluate(server_round, arrays, config, grid))
        self.course.receive(messages)
        return messages

    def aggregate_evaluate(self, server_round: int, replies: Iterable[Any]) -> Any:
        """Note what each client measured, and let the inner strategy aggregate.

        Parameters
        ----------
        server_round : int
            From 1.
        replies : iterable of flwr.app.Message
            Answers and errors.

        Returns
        -------
        flwr.app.MetricRecord or None
            The inner strategy's.
        """
        found = list(replies)
        for reply in found:
            if not reply.has_error():
                told = {name: value for each in reply.content.metric_records.values() for name, value in each.items()}
                accuracy, loss = (_first(told, names) for names in (_ACCURACY, _LOSS))
                self.course.test(reply.metadata.src_node_id, accuracy, loss, bytes_of(reply))
        metrics = self.strategy.aggregate_evaluate(server_round, found)
        self._close()
        return metrics

    @property
    def record(self) -> RunRecord:
        """The rounds: who was asked, accuracy and loss by client, bytes; the last one with its model."""
        return self.course.record(getattr(getattr(self.strategy, "federation", None), "experiment", None))

    def facts(self, **stated: Any) -> FactSheet:
        """Fold the run into a fact sheet.

        Parameters
        ----------
        **stated
            Further facts that a run cannot know, as for the class.

        Returns
        -------
        FactSheet
            For `trustkit.assess`.

        Raises
        ------
        KeyError, TypeError, ValueError
            If nothing was run, or a stated fact does not fit.
        """
        if self.log is None or not len(self.course):
            raise ValueError("a strategy must have run before it has facts, got none started")
        found = telling.facts_of_course(
            self.record, self.course.outcomes(), self.log, self._key, telling.Told(
                self.strategy, self._rounds, self._config, self._model, self._counts
            ),
        )  # fmt: skip
        return FactSheet(found).with_facts(**{**self._stated, **stated})

    def _close(self) -> None:
        """End the round that is open."""
        state = getattr(self.strategy, "state", None)
        if state is None and self._model is not None:
            state = {name: array.numpy() for name, array in self._model.items()}
        spent = telling.spent_by(self.strategy)
        self.course.close(state or {}, getattr(self.strategy, "summed", True), math.inf if spent is None else spent[0])

    def _counted(self, grid: Any) -> telling.Counts:
        """Ask all SuperNodes for their label counts, as one masked sum."""
        keys = {node: seat.public for node, seat in self._seats.items()}
        wanted = sorted(grid.get_node_ids())
        if not keys:
            told = greeted(grid, wanted, self._timeout)
            keys = {node: bytes(told[node]["public"]) for node in wanted if node in told}
        total = None
        if len(keys) >= telling.MINIMUM:
            total = counted(grid, keys, "labels", self._timeout)
        return telling.Counts(self.classes or 0, len(wanted), len(keys), None if total is None else np.asarray(total))


def _first(told: Mapping[str, Any], names: tuple[str, ...]) -> float:
    """Return the first number that goes by one of the names; NaN if there is none."""
    return next((float(told[name]) for name in names if isinstance(told.get(name), (int, float))), math.nan)
