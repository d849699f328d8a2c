"""FedEM: clients mix a few common models, each by weights of its own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from trustkit.catalogue import ALGORITHMS, Interval
from trustkit.data import FederatedDataset
from trustkit.horizontal.aggregate import weighted_mean
from trustkit.horizontal.binding import bind
from trustkit.horizontal.convnet import Convnet
from trustkit.horizontal.forms import Batch, Choice, Epochs, Rate
from trustkit.horizontal.models import Dense
from trustkit.horizontal.personal import UNACCOUNTED
from trustkit.horizontal.plan import Cohort, Local
from trustkit.horizontal.privacy import Gaussian
from trustkit.horizontal.trainer import RowTrainer
from trustkit.metrics.evaluate import softmax
from trustkit.records import State, Tick
from trustkit.rng import stream

__all__ = ["FedEM", "fedem"]

_TINY = 1e-30


@dataclass(frozen=True, eq=False)
class FedEM(RowTrainer):
    """Expectation–maximisation over several models; see `fedem`.

    Parameters
    ----------
    components : int
        How many models are mixed, M.
    """

    components: int = 3

    _personal = True
    _refuses = UNACCOUNTED

    def start(self) -> State:
        """Return the state before the first round.

        Returns
        -------
        mapping
            As in FedAvg, but params holds the models one after the other (M·P,); mixture (K, M) starts even. The first
            model starts as FedAvg's, the others elsewhere: equal ones would stay equal.
        """
        state = super().start()
        seeds = [int(stream(self.seed, "component", m).integers(2**31)) for m in range(1, self.components)]
        params = np.concatenate([state["params"], *(self.model.init(seed) for seed in seeds)])
        mixture = np.full((self.train.sizes.size, self.components), 1 / self.components)
        return {**state, "params": params, "mixture": mixture}

    def _chances(self, params: np.ndarray, X: np.ndarray) -> np.ndarray:
        """Return each model's probabilities (M, n, C)."""
        models = params.reshape(self.components, -1)
        return np.stack([softmax(self.model.logits(one, X)) for one in models])

    def _play(self, state: State, plan: Cohort, tick: Tick) -> dict[str, np.ndarray]:
        (X, y), params = self._rows, state["params"]
        rows = np.concatenate([np.arange(*self.train.offsets[k : k + 2]) for k in plan.clients])
        sizes = self.train.sizes[plan.clients]
        fit = self._chances(params, X[rows])[:, np.arange(rows.size), y[rows]].astype(float)
        blame = np.repeat(state["mixture"][plan.clients], sizes, axis=0) * np.maximum(fit.T, _TINY)
        blame /= blame.sum(axis=1, keepdims=True)
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        mixture = state["mixture"].copy()
        mixture[plan.clients] = np.add.reduceat(blame, starts) / sizes[:, None]
        counts, trained = np.zeros(len(y)), list[np.ndarray]()
        for m, one in enumerate(params.reshape(self.components, -1)):
            counts[rows] = blame[:, m]
            trained.append(self._train(one, plan, tick, counts=counts))
        return {**self._merge(state, np.concatenate(trained, axis=1), plan), "mixture": mixture}

    def _scores(self, state: State) -> np.ndarray:
        """Return logarithms of each client's own mixture."""
        chances = self._chances(state["params"], np.asarray(self.test.X))
        mixture = np.repeat(state["mixture"], self.test.sizes, axis=0)
        return np.asarray(np.log(np.maximum(np.einsum("nm,mnc->nc", mixture, chances), _TINY)))

    def _everybody(self, state: State) -> np.ndarray:
        """Return the mixture (M,) of all training rows, for whoever is no client."""
        sizes = self.train.sizes
        return np.asarray(sizes @ state["mixture"] / sizes.sum())

    def logits(self, state: State, X: np.ndarray) -> np.ndarray:
        """Return logarithms of the probabilities that the clients' mean mixture gives.

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
        mixed = np.einsum("m,mnc->nc", self._everybody(state), self._chances(state["params"], X))
        return np.asarray(np.log(np.maximum(mixed, _TINY)), self.model.dtype)

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
        chances, mixture = self._chances(state["params"], X), self._everybody(state)
        parts = mixture[:, None, None] * chances
        parts *= weights / np.maximum(parts.sum(axis=0), _TINY)  # by log p_m: weights times each model's part in p
        parts -= chances * parts.sum(axis=2, keepdims=True)  # by the logits of model m
        models = state["params"].reshape(self.components, -1)
        slopes = [self.model.gradient(one, X, part) for one, part in zip(models, parts, strict=True)]
        return np.asarray(sum(slopes))


@ALGORITHMS.enter("fedem", title="FedEM", axis="rows")
def fedem(
    fed: FederatedDataset, model: Dense | Convnet, privacy: Gaussian | None, participation: float, rounds: int, *,
    lr: Rate = 0.1, epochs: Epochs = 1, batch: Batch = 32,
    components: Annotated[int, Interval(1, 10), "models that are mixed"] = 3,
    selector: Choice = "random", seed: int = 0,
) -> RowTrainer:  # fmt: skip
    """Clients mix a few common models, each by weights of its own.

    Parameters
    ----------
    fed : FederatedDataset
        Over rows, features scaled.
    model : Dense or Convnet
        From the catalogue of models.
    privacy : Gaussian, optional
        ``None``: clients keep models to themselves that no mechanism accounts for.
    participation : float
        In (0, 1]: the share of clients in a round.
    rounds : int
        At least 1: over how many rounds ε is planned.
    lr : float
        0.0001 to 10: step size η.
    epochs : int
        1 to 100: passes over a client's rows in a round.
    batch : int
        1 to 4096: rows in a step.
    components : int
        1 to 10: M, the models that are mixed; 1 is FedAvg.
    selector : {"random", "size", "loss", "reputation", "fair"}
        How the clients of a round are chosen; see `trustkit.horizontal.selectors.choose`.
    seed : int
        The experiment's seed.

    Returns
    -------
    RowTrainer
        Ready to start.

    Raises
    ------
    ValueError
        See `trustkit.horizontal.binding.bind`.

    Notes
    -----
    Client k gives its row i to model m with q_im ∝ π_km·p_m(y_i | x_i), sets π_km to the mean of q_im, and trains every
    model on its rows weighted by q. The server averages each model. Clients are evaluated with Σ_m π_km p_m. Both
    directions carry M models.

    Source
    ------
    Marfoq et al. (2021), "Federated multi-task learning under a mixture of distributions", Algorithm 1.

    Deviations
    ----------
    Who has not trained yet mixes evenly; whoever is no client mixes as the clients do on average.
    """
    trainer = bind(
        fed, model, privacy, participation, rounds, seed, Local(lr=lr, epochs=epochs, batch=batch),
        weighted_mean, kind=FedEM, selector=selector, components=components,
    )  # fmt: skip
    counted = ("parameters", "tensors", "model_bytes")
    facts = {**trainer.facts, **{name: components * trainer.facts[name] for name in counted}}
    return replace(trainer, facts=facts)
