"""Horizontal training, round by round: what `play` drives for every algorithm over rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from trustkit.data import FederatedDataset, Stacked
from trustkit.horizontal import loop, stacked
from trustkit.horizontal.aggregate import Aggregate, weighted_mean
from trustkit.horizontal.convnet import Convnet
from trustkit.horizontal.models import Dense
from trustkit.horizontal.noise import privatise
from trustkit.horizontal.plan import Cohort, Local, Sampling, cohort, participations, select
from trustkit.horizontal.privacy import Gaussian, Ledger, open_ledger
from trustkit.metrics.evaluate import count_groups, examine, softmax
from trustkit.records import Seen, State, Tick
from trustkit.rng import stream
from trustkit.threads import one_blas_thread

__all__ = ["RowTrainer", "bind"]


@dataclass(frozen=True, eq=False)
class RowTrainer:
    """An algorithm over rows bound to its data; implements `trustkit.records.Trainer`.

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

    def start(self) -> State:
        """Return the state before the first round.

        Returns
        -------
        mapping
            params (P,), and participations (K,): rounds in which each client trained.
        """
        return {"params": self.model.init(self.seed), "participations": np.zeros(self.train.sizes.size, np.int64)}

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
        chosen = select(self.seed, index, np.flatnonzero(self.train.sizes), self.share, self._cohorts)
        plan = cohort(self.seed, index, chosen, self.train.offsets, self.local)
        counts = state["participations"].copy()
        counts[chosen] += 1
        with one_blas_thread():
            params = self._merge(state["params"], self._train(state["params"], plan, tick), plan)
            return {"params": params, "participations": counts}, self._look(params, chosen, counts, index)

    @property
    def _cohorts(self) -> Sampling:
        return self.ledger.privacy.sampling if self.ledger and self.ledger.privacy.level == "client" else "fixed"

    def _train(self, params: np.ndarray, plan: Cohort, tick: Tick) -> np.ndarray:
        X, y = self.train.X, self.train.y
        if isinstance(self.model, Dense):
            return stacked.train(self.model, params, X, y, plan, self.local, tick)
        return loop.train(self.model, params, X, y, plan, self.local, tick)

    def _merge(self, params: np.ndarray, trained: np.ndarray, plan: Cohort) -> np.ndarray:
        if self.ledger is not None and self.ledger.privacy.level == "client":
            size = float(len(trained))
            if self._cohorts == "poisson":
                size = self.share * np.count_nonzero(self.train.sizes)
            noise = stream(self.seed, plan.index, "noise")
            change = privatise(trained - params, self.ledger.privacy.clip, self.ledger.noise, size, noise)
            return np.asarray(params + change)
        weights = self.train.sizes[plan.clients] if self.ledger is None else np.ones(len(trained))
        return self.aggregate(trained, weights)

    def _look(self, params: np.ndarray, chosen: np.ndarray, counts: np.ndarray, index: int) -> Seen:
        """Evaluate every client and add up what the round cost."""
        seen = examine(self.model.logits(params, self.test.X), self.test.y, self.test.offsets)
        selected = np.isin(np.arange(counts.size), chosen)
        traffic = selected * float(params.nbytes)
        epsilon = math.inf if self.ledger is None else self.ledger.spent(counts, index)
        groups = count_groups(seen.predicted, self.test.y, self.test.offsets, self.codes, self.positive)
        return Seen(selected, seen.accuracy, seen.loss, traffic, traffic.copy(), epsilon, groups)

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


def bind(
    fed: FederatedDataset, model: Dense | Convnet, privacy: Gaussian | None, participation: float, rounds: int,
    seed: int, local: Local, aggregate: Aggregate = weighted_mean,
) -> RowTrainer:  # fmt: skip
    """Bind an algorithm over rows to its data.

    Parameters
    ----------
    fed : FederatedDataset
        Over rows, features scaled.
    model : Dense or Convnet
        What to train.
    privacy : Gaussian, optional
        A mechanism; ``None`` for none.
    participation : float
        In (0, 1]: the share of clients in a round.
    rounds : int
        At least 1: over how many rounds ε is planned.
    seed : int
        The experiment's seed.
    local : Local
        How clients train.
    aggregate : callable
        How the server merges: `weighted_mean`, `median`, …

    Returns
    -------
    RowTrainer
        Ready to start.

    Raises
    ------
    ValueError
        If the partition is over columns, nobody has training rows, a number is out of range, or client-level privacy is
        asked for with another merge than the mean.
    """
    if not 0 < participation <= 1:
        raise ValueError(f"participation must be above 0 and at most 1, got {participation}")
    if rounds < 1:
        raise ValueError(f"rounds must be at least 1, got {rounds}")
    train, test = (_typed(fed.stacked("train"), model), _typed(fed.stacked("test"), model))
    eligible = np.flatnonzero(train.sizes)
    if not eligible.size:
        raise ValueError(f"some client must have training rows, got none of the {len(fed)} of {fed.data.name}")
    facts: dict[str, Any] = {"parameters": model.parameters, "tensors": model.tensors,
                             "model_bytes": model.parameters * np.dtype(model.dtype).itemsize}  # fmt: skip
    ledger = None
    if privacy is not None:
        if privacy.level == "client" and aggregate is not weighted_mean:
            raise ValueError(
                "client-level privacy must go with a strategy that averages the clients' updates, as FedAvg and "
                "FedProx do; its noise fits no median or trimmed mean"
            )
        planned = participations(seed, eligible, len(fed), rounds, participation)
        ledger = open_ledger(privacy, train.sizes, local, participation, planned, rounds)
        facts |= ledger.facts(planned, rounds)
        if privacy.level == "example":
            local = replace(local, clip=privacy.clip, noise=ledger.noise, sampling=privacy.sampling)
    codes = {name: _groups(fed, name, test.rows) for name in fed.data.sensitive}
    return RowTrainer(
        model, train, test, codes, fed.data.positive, aggregate, local, participation, ledger, seed, facts
    )


def _typed(rows: Stacked, model: Dense | Convnet) -> Stacked:
    return replace(rows, X=np.ascontiguousarray(rows.X, model.dtype), y=rows.y.astype(np.int64))


def _groups(fed: FederatedDataset, attribute: str, rows: np.ndarray) -> tuple[np.ndarray, int]:
    codes, values = fed.data.codes(attribute)
    return codes[rows], len(values)
