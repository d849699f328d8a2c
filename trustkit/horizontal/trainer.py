"""Horizontal training, round by round: what `play` drives for every algorithm over rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from trustkit.data import Stacked
from trustkit.horizontal import loop, stacked, vmapped
from trustkit.horizontal.aggregate import Aggregate
from trustkit.horizontal.arrived import arrived
from trustkit.horizontal.convnet import Convnet
from trustkit.horizontal.faults import DELIVERED, DROPPED, UNSELECTED, Faults
from trustkit.horizontal.models import Dense
from trustkit.horizontal.noise import privatise
from trustkit.horizontal.plan import Cohort, Local, Relabel, Sampling, Tamper, cohort, steps_of
from trustkit.horizontal.privacy import Ledger
from trustkit.horizontal.received import reported
from trustkit.horizontal.selectors import Selector, choose, judged, remembered
from trustkit.horizontal.summing import secure_mean, secure_total
from trustkit.horizontal.unreliable import counted, unasked, wasted
from trustkit.metrics.evaluate import count_groups, examine, softmax
from trustkit.records import Seen, State, Tick
from trustkit.rng import stream
from trustkit.threads import one_blas_thread

__all__ = ["RowTrainer"]


@dataclass(frozen=True, eq=False)
class RowTrainer:
    """An algorithm over rows bound to its data; implements `trustkit.records.Trainer`.

    It is FedAvg with any merge. An algorithm that keeps more than the global model, or trains otherwise, is a subclass:
    it adds to `start`, replaces what a round does (`_play`, `_merge`), and says with which scores clients are evaluated
    (`_scores`).

    Parameters
    ----------
    model : Dense or Convnet
        What is trained.
    train, test : Stacked
        All clients' rows, features in the model's dtype.
    codes : mapping of str to ((N,) int array, int)
        Protected groups of the test rows, and how many groups there are.
    positive : int
        The favourable class.
    aggregate : callable
        How the server merges.
    local : Local
        How clients train.
    share : float
        In (0, 1]: the share of clients in a round.
    ledger : Ledger, optional
        The privacy mechanism in use.
    seed : int
        The experiment's seed.
    facts : mapping
        What is known before training; see `trustkit.records.Trainer`.
    selector : str
        How the clients of a round are chosen; see `trustkit.horizontal.selectors.choose`.
    relabel, tamper : callable, optional
        Change the training rows and classes, as poisoned clients do, once and before any training; and the trained
        models, as malicious clients do, before the server merges them.
    faults : Faults, optional
        Lets clients leave, fail or be late; `Seen.selected` is who was asked. Only who delivers is merged and keeps
        what it learnt. Of who failed or was late ``participations`` changes: what was made counts for ε.
    secure : bool
        Whether models are added up as by secure aggregation, simulated; see `secure_mean`. Where too few deliver for
        their masks to come off, the server keeps its model.
    device : str, optional
        Where `trustkit.horizontal.vmapped` trains; by default the engines written for a processor do.
    """

    model: Dense | Convnet
    train: Stacked
    test: Stacked
    codes: Mapping[str, tuple[np.ndarray, int]]
    positive: int
    aggregate: Aggregate
    local: Local
    share: float
    ledger: Ledger | None
    seed: int
    facts: Mapping[str, Any]
    selector: Selector = "random"
    relabel: Relabel | None = None
    tamper: Tamper | None = None
    faults: Faults | None = None
    secure: bool = False
    device: str | None = None

    _copies: ClassVar[int] = 1  # vectors as long as the parameters that a client receives, and that it sends
    _personal: ClassVar[bool] = False
    _refuses: ClassVar[Mapping[str, str]] = {}  # levels of privacy, and why not
    _singles: ClassVar[str] = ""  # why a sum of models is not enough
    _by_hand: ClassVar[str] = ""  # why its gradients are a processor's only
    _pairs: ClassVar[float] = 0.0  # numbers that merging holds for every two clients

    def start(self) -> State:
        """Return the state before the first round.

        Returns
        -------
        mapping
            params (P,); participations (K,): rounds in which each trained; what the selector and `unasked` remember.
        """
        clients = self.train.sizes.size
        return {
            "params": self.model.init(self.seed), "participations": np.zeros(clients, np.int64),
            **remembered(self.selector, clients), **({} if self.faults is None else unasked(clients, self.secure)),
        }  # fmt: skip

    def step(self, state: State, index: int, tick: Tick) -> tuple[State, Seen]:
        """Play a round.

        Parameters
        ----------
        state : mapping
            The state before; not changed.
        index : int
            The round, from 1.
        tick : callable
            Called between steps; may raise `trustkit.records.Stopped`.

        Returns
        -------
        state, seen
            The state after, and what was seen.
        """
        begun, chosen = self._begin(state, index)
        plan = cohort(self.seed, index, chosen, self.train.offsets, self.local)
        with one_blas_thread():
            played = self._play(begun, plan, tick) if chosen.size or self._cohorts == "poisson" else {}
            after = {**begun, **played}
            if self.selector == "loss" and chosen.size:
                after["losses"] = reported(self, state, plan.clients)
            return after, self._look(after, plan)

    def _begin(self, state: State, index: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
        """Ask clients and count them; return the state with these counts, and whose update will arrive."""
        counts = state["participations"].copy()
        if self.faults is None:
            chosen = self._choose(state, index)
            counts[chosen] += 1
            return {**state, "participations": counts}, chosen
        asked = state["outcomes"].sum(axis=1)  # so that faults change no later choice
        chosen = self._choose({**state, "participations": asked}, index)
        delivery = self.faults.deliver(self.seed, index, chosen, steps_of(self.train.sizes[chosen], self.local))
        counts[chosen[delivery.outcome != DROPPED]] += 1
        return {**state, "participations": counts, **counted(state, delivery)}, chosen[delivery.delivered]

    def _served(self, state: State) -> np.ndarray:
        """Return who has taken part in full at least once (K,)."""
        return np.asarray((state["participations"] if self.faults is None else state["outcomes"][:, DELIVERED]) > 0)

    def _choose(self, state: State, index: int) -> np.ndarray:
        """Return the ascending clients of a round."""
        return choose(self.selector, self.seed, index, self.train.sizes, self.share, state, self._cohorts)

    @property
    def _cohorts(self) -> Sampling:
        return self.ledger.privacy.sampling if self.ledger and self.ledger.privacy.level == "client" else "fixed"

    @cached_property
    def _rows(self) -> tuple[np.ndarray, np.ndarray]:
        """The rows that clients train on, and their classes."""
        X, y = np.asarray(self.train.X), self.train.y
        return (X, y) if self.relabel is None else self.relabel(X, y, self.train.offsets)

    @cached_property
    def _placed(self) -> vmapped.Rows:
        return vmapped.Rows(*self._rows, self.device or "cpu")

    def _play(self, state: State, plan: Cohort, tick: Tick) -> dict[str, np.ndarray]:
        """Let the clients train and the server merge; return what changed in the state."""
        return self._merge(state, self._train(state["params"], plan, tick), plan)

    def _train(
        self, params: np.ndarray, plan: Cohort, tick: Tick, local: Local | None = None, **more: Any
    ) -> np.ndarray:
        """Return what clients make of the parameters (m, P)."""
        if self.device is not None:
            return vmapped.train(self.model, params, self._placed, plan, local or self.local, tick, **more)
        engine: Any = stacked if isinstance(self.model, Dense) else loop
        return np.asarray(engine.train(self.model, params, *self._rows, plan, local or self.local, tick, **more))

    def _merge(self, state: State, trained: np.ndarray, plan: Cohort) -> dict[str, np.ndarray]:
        """Make one model of what the clients send, and return what changed in the state."""
        params = state["params"]
        trained, told = arrived(trained, state, plan, self.tamper)
        if self.secure and self.faults is not None and not state["summed"][0]:
            return told
        if self.ledger is not None and self.ledger.privacy.level == "client":
            size = float(len(trained))
            if self._cohorts == "poisson":
                size = self.share * np.count_nonzero(self.train.sizes)
            noise = stream(self.seed, plan.index, "noise")
            clip = self.ledger.privacy.clip
            change = privatise(trained - params, clip, self.ledger.noise, size, noise, self._total)
            return {**told, "params": np.asarray(params + change)}
        return {**told, **self._combine(state, trained, plan)} if len(trained) else told

    def _combine(self, state: State, trained: np.ndarray, plan: Cohort) -> dict[str, np.ndarray]:
        """Aggregate what at least one client sent, and judge the clients if the selector asks for that."""
        params, merged = state["params"], self._mean(state, trained, plan)
        if self.selector != "reputation":
            return {"params": merged}
        return {"params": merged, **judged(state, plan.clients, (trained - params) @ (merged - params) > 0)}

    def _mean(self, state: State, trained: np.ndarray, plan: Cohort) -> np.ndarray:
        """Return the model (P,) that the server makes of what at least one client sent."""
        return (secure_mean if self.secure else self.aggregate)(trained, self._weights[plan.clients])

    def _total(self, weights: np.ndarray, stack: np.ndarray) -> np.ndarray:
        """Add up what clients send, each times its weight."""
        return np.asarray(secure_total(weights, stack) if self.secure else weights @ stack)

    @cached_property
    def _weights(self) -> np.ndarray:
        """What each client counts in a mean (K,): its rows, or the same as any other under a privacy mechanism."""
        return self.train.sizes if self.ledger is None else (self.train.sizes > 0).astype(float)

    def _scores(self, state: State) -> np.ndarray:
        """Return the logits of all test rows (N, C), each by the model that its client would use."""
        return self.logits(state, np.asarray(self.test.X))

    def _traffic(self, state: State, plan: Cohort) -> tuple[np.ndarray, np.ndarray]:
        """Return the bytes that each client sent and received (K,)."""
        params, each = state["params"], float(self._copies * state["params"].nbytes)
        sent, received = np.zeros((2, self.train.sizes.size)) if self.faults is None else wasted(state["outcome"], each)
        sent[plan.clients] = received[plan.clients] = each
        return sent * (8 / params.itemsize if self.secure else 1), received  # words of 64 bits, without keys and shares

    def _look(self, state: State, plan: Cohort) -> Seen:
        """Evaluate every client and add up what the round cost."""
        seen = examine(self._scores(state), self.test.y, self.test.offsets)
        selected = np.zeros(self.train.sizes.size, bool)
        selected[plan.clients if self.faults is None else state["outcome"] != UNSELECTED] = True
        epsilon = math.inf if self.ledger is None else self.ledger.spent(state["participations"], plan.index)
        groups = count_groups(seen.predicted, self.test.y, self.test.offsets, self.codes, self.positive)
        return Seen(selected, seen.accuracy, seen.loss, *self._traffic(state, plan), epsilon, groups)

    def logits(self, state: State, X: np.ndarray) -> np.ndarray:
        """Return unnormalised scores.

        Parameters
        ----------
        state : mapping
            Any state of this trainer.
        X : (n, m) float array
            Scaled rows.

        Returns
        -------
        (n, C) float array
            One score a class.
        """
        return self.model.logits(state["params"], X)

    def predict(self, state: State, X: np.ndarray) -> np.ndarray:
        """Return class probabilities.

        Parameters
        ----------
        state : mapping
            Any state of this trainer.
        X : (n, m) float array
            Scaled rows.

        Returns
        -------
        (n, C) float array
            In [0, 1], adding up to 1 by row.
        """
        return softmax(self.logits(state, X))

    def gradient(self, state: State, X: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return the gradient by each row of its logits weighted by ``weights``.

        Parameters
        ----------
        state : mapping
            Any state of this trainer.
        X : (n, m) float array
            Scaled rows.
        weights : (n, C) float array
            How much each logit of each row counts.

        Returns
        -------
        (n, m) float array
            Σ_c weights[i, c] ∂z_c(x_i)/∂x_i.
        """
        return self.model.gradient(state["params"], X, weights)
