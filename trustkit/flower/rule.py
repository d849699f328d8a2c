"""An experiment's algorithm as a strategy of Flower: it chooses and merges as `trustkit.play` does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from trustkit.flower.federation import Federation
from trustkit.flower.masks import unmasked
from trustkit.flower.rollcall import Seat
from trustkit.flower.wire import params_of, recorded
from trustkit.horizontal.binding import equip
from trustkit.horizontal.plan import cohort
from trustkit.horizontal.summing import FRACTION
from trustkit.records import State

__all__ = ["ExperimentStrategy"]


class ExperimentStrategy:
    """A strategy of Flower's message API that plays an experiment, for `trustkit.flower.TrustStrategy`.

    Parameters
    ----------
    federation : Federation
        The experiment, and how many clients there are.
    seats : mapping of int to Seat
        Which SuperNode is which client, by node id.

    Raises
    ------
    ValueError
        If a round has too few clients for the rule or for secure sums.

    Notes
    -----
    The clients of a round and their batches follow from the experiment's seed; models are merged by the experiment's
    own rule, over those that arrived. Where updates are masked, a round in which one is missing has no sum: the model
    stays. Weights equal those of a simulation up to the rounding of single precision.
    """

    def __init__(self, federation: Federation, seats: Mapping[int, Seat]) -> None:
        self.federation, self.seats = federation, dict(seats)
        self._nodes = {seat.client: node for node, seat in self.seats.items()}
        sizes = np.zeros(federation.parties, int)
        sizes[list(self._nodes)] = [self.seats[node].rows for node in self._nodes.values()]
        trainer = federation.trainer(sizes)
        if federation.experiment.secure:
            equip(trainer, federation.experiment.algorithm.name, secure=True)  # refuses what has no sum
        self.trainer = trainer
        self.state: State = trainer.start()
        self.summed = True

    def initial(self) -> Any:
        """Return the model before the first round.

        Returns
        -------
        flwr.app.ArrayRecord
            For ``start``.
        """
        return recorded(self.state["params"])

    def summary(self) -> None:
        """Say nothing: the experiment says it all."""

    def configure_train(self, server_round: int, arrays: Any, config: Any, grid: Any) -> Iterable[Any]:
        """Ask the clients of a round.

        Parameters
        ----------
        server_round : int
            From 1.
        arrays : flwr.app.ArrayRecord
            The model.
        config : flwr.app.ConfigRecord
            What else clients are told.
        grid : flwr.serverapp.Grid
            Not used.

        Returns
        -------
        iterable of flwr.app.Message
            One for each.
        """
        self.state, chosen = self.trainer._begin(self.state, server_round)
        config["server-round"] = server_round
        self._asked = [int(k) for k in chosen]
        if self.federation.experiment.secure:
            config["keys"] = [self.seats[self._nodes[k]].public for k in self._asked]
        return self._messages("train", arrays, config, self._asked)

    def aggregate_train(self, server_round: int, replies: Iterable[Any]) -> tuple[Any, Any]:
        """Merge what arrived.

        Parameters
        ----------
        server_round : int
            From 1.
        replies : iterable of flwr.app.Message
            Errors among them are left out.

        Returns
        -------
        flwr.app.ArrayRecord or None, None
            The new model; ``None`` if none was made.
        """
        came = {
            self.seats[reply.metadata.src_node_id].client: params_of(reply)
            for reply in replies
            if not reply.has_error()
        }
        self.summed = not self.federation.experiment.secure or set(came) == set(self._asked)
        if not came or not self.summed:
            return None, None
        trainer, chosen = self.trainer, np.array(sorted(came))
        if self.federation.experiment.secure:
            total = unmasked([came[k] for k in self._asked], FRACTION)
            mean = np.asarray(total / trainer.train.sizes[chosen].sum(), trainer.model.dtype)
            came, chosen = {self._asked[0]: mean}, chosen[:1]  # the mean stands for all: a rule for sums needs no more
        plan = cohort(trainer.seed, server_round, chosen, trainer.train.offsets, trainer.local)
        stack = np.stack([came[int(k)] for k in plan.clients]).astype(trainer.model.dtype)
        self.state = {**self.state, **trainer._merge(self.state, stack, plan)}
        return recorded(self.state["params"]), None

    def configure_evaluate(self, server_round: int, arrays: Any, config: Any, grid: Any) -> Iterable[Any]:
        """Ask all clients to test the model.

        Parameters
        ----------
        server_round : int
            From 1.
        arrays : flwr.app.ArrayRecord
            The model.
        config : flwr.app.ConfigRecord
            What else clients are told.
        grid : flwr.serverapp.Grid
            Not used.

        Returns
        -------
        iterable of flwr.app.Message
            One for each.
        """
        config["server-round"] = server_round
        return self._messages("evaluate", arrays, config, list(self._nodes))

    def aggregate_evaluate(self, server_round: int, replies: Iterable[Any]) -> Any:
        """Add nothing up: `TrustStrategy` keeps what each client measured.

        Parameters
        ----------
        server_round : int
            From 1.
        replies : iterable of flwr.app.Message
            Not used.

        Returns
        -------
        None
            No common number.
        """
        return None

    def _messages(self, kind: str, arrays: Any, config: Any, clients: list[int]) -> list[Any]:
        from flwr.app import ConfigRecord, Message, RecordDict

        content = RecordDict({"arrays": arrays, "config": ConfigRecord(dict(config))})
        return [Message(content=content, message_type=kind, dst_node_id=self._nodes[k]) for k in clients]
