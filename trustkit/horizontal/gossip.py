"""FedAvg without a server: clients mix their models with their neighbours'."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from trustkit.catalogue import ALGORITHMS, Interval
from trustkit.data import FederatedDataset
from trustkit.horizontal.arrived import arrived
from trustkit.horizontal.binding import bind
from trustkit.horizontal.convnet import Convnet
from trustkit.horizontal.forms import Batch, Epochs, Rate
from trustkit.horizontal.models import Dense
from trustkit.horizontal.personal import own_logits
from trustkit.horizontal.plan import Cohort, Local
from trustkit.horizontal.privacy import Gaussian
from trustkit.horizontal.topology import Topology, consensus_distance, links, mixing
from trustkit.horizontal.trainer import RowTrainer
from trustkit.records import State, Tick
from trustkit.rng import stream

__all__ = ["Gossip", "gossip"]


@dataclass(frozen=True, eq=False)
class Gossip(RowTrainer):
    """Decentralised FedAvg; see `gossip`.

    Parameters
    ----------
    topology : {"ring", "random", "complete"}
        Who is linked to whom.
    density : float
        In [0, 1]: chance of a further link in a random graph.
    """

    topology: Topology = "ring"
    density: float = 0.2

    _kept: ClassVar[int] = 1
    _pairs: ClassVar[float] = 2.0
    _refuses: ClassVar[Mapping[str, str]] = {"client": "there is no server that could add noise to a mean"}
    _singles: ClassVar[str] = "each client mixes the models of its neighbours"

    def start(self) -> State:
        """Return the state before the first round.

        Returns
        -------
        mapping
            As in FedAvg, and models (K, P), all at the same start; params is their mean over clients with training
            rows, and consensus (1,) how far they are apart.
        """
        state = super().start()
        return {**state, "models": np.tile(state["params"], (self.train.sizes.size, 1)), "consensus": np.zeros(1)}

    def _linked(self, plan: Cohort) -> np.ndarray:
        """Return the links (m, m) of a round's clients, in the order of the cohort."""
        order = np.argsort(np.argsort(plan.clients))  # the ring goes by number, whatever the order of the cohort
        linked = links(self.topology, order.size, self.density, stream(self.seed, plan.index, "topology"))
        return linked[np.ix_(order, order)]

    def _play(self, state: State, plan: Cohort, tick: Tick) -> dict[str, np.ndarray]:
        models = state["models"].copy()
        sent, told = arrived(self._train(models[plan.clients], plan, tick), state, plan, self.tamper)
        models[plan.clients] = mixing(self._linked(plan)).astype(models.dtype) @ sent
        trained = models[self.train.sizes > 0]
        consensus = np.array([consensus_distance(trained)])
        return {**told, "models": models, "params": trained.mean(axis=0), "consensus": consensus}

    def _scores(self, state: State) -> np.ndarray:
        """Score by the clients' own models; who has no training rows uses the mean."""
        models = np.where(self.train.sizes[:, None] > 0, state["models"], state["params"])
        return own_logits(self.model, models, np.asarray(self.test.X), self.test.offsets)

    def _traffic(self, state: State, plan: Cohort) -> tuple[np.ndarray, np.ndarray]:
        sent = np.zeros(self.train.sizes.size)
        sent[plan.clients] = self._linked(plan).sum(axis=1) * state["params"].nbytes
        return sent, sent.copy()


@ALGORITHMS.enter("gossip", title="Gossip", axis="rows")
def gossip(
    fed: FederatedDataset, model: Dense | Convnet, privacy: Gaussian | None, participation: float, rounds: int, *,
    lr: Rate = 0.1, epochs: Epochs = 1, batch: Batch = 32,
    topology: Annotated[Topology, "who is linked to whom"] = "ring",
    density: Annotated[float, Interval(0, 1), "chance of a further link in a random graph"] = 0.2,
    seed: int = 0,
) -> RowTrainer:  # fmt: skip
    """FedAvg without a server: each client mixes its model with those of its neighbours.

    Parameters
    ----------
    fed : FederatedDataset
        Over rows, features scaled.
    model : Dense or Convnet
        From the catalogue of models.
    privacy : Gaussian, optional
        A mechanism at the level of examples; ``None`` for none.
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
    topology : {"ring", "random", "complete"}
        How the clients of a round are linked.
    density : float
        0 to 1: in a random graph, the chance of a pair that is not linked by its ring.
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
    Each of a round's clients trains its own model, sends it to its neighbours and takes Σ_j w_kj w_j, with the
    Metropolis weights of `trustkit.horizontal.topology.mixing`. Clients are evaluated with their own models. On a
    complete graph, all taking part, this is FedAvg with equal weights.

    Source
    ------
    Lian et al. (2017), "Can decentralized algorithms outperform centralized algorithms?", Algorithm 1; local steps as
    in Sun, Li and Wang (2022), "Decentralized federated averaging", Algorithm 1.

    Deviations
    ----------
    Clients take whole rounds of local steps before they mix. With participation below 1, the links are those of the
    clients that take part; a random graph is drawn anew in each round.
    """
    return bind(
        fed, model, privacy, participation, rounds, seed, Local(lr=lr, epochs=epochs, batch=batch),
        kind=Gossip, topology=topology, density=density,
    )  # fmt: skip
