"""Ditto: beside FedAvg, each client trains a model of its own that is pulled towards the global one."""

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
from trustkit.horizontal.personal import Personal
from trustkit.horizontal.plan import Cohort, Local
from trustkit.horizontal.privacy import Gaussian
from trustkit.horizontal.trainer import RowTrainer
from trustkit.records import State, Tick

__all__ = ["Ditto", "ditto"]


@dataclass(frozen=True, eq=False)
class Ditto(Personal):
    """FedAvg and a personal model for each client; see `ditto`.

    Parameters
    ----------
    pull : float
        Weight λ of the pull to the global model.
    """

    pull: float = 0.1

    def _play(self, state: State, plan: Cohort, tick: Tick) -> dict[str, np.ndarray]:
        personal, own = state["personal"].copy(), replace(self.local, mu=self.pull)
        personal[plan.clients] = self._train(personal[plan.clients], plan, tick, own, anchor=state["params"])
        return {**super()._play(state, plan, tick), "personal": personal}


@ALGORITHMS.enter("ditto", title="Ditto", axis="rows")
def ditto(
    fed: FederatedDataset, model: Dense | Convnet, privacy: Gaussian | None, participation: float, rounds: int, *,
    lr: Rate = 0.1, epochs: Epochs = 1, batch: Batch = 32,
    pull: Annotated[float, Interval(0, 10), "pull of the personal models to the global one"] = 0.1,
    selector: Choice = "random", seed: int = 0,
) -> RowTrainer:  # fmt: skip
    """FedAvg, and for each client a model of its own that is pulled towards the global one.

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
    pull : float
        0 to 10: weight λ of the pull; 0 is local training.
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
    The global w is FedAvg's. A client's v steps on F_k(v) + λ/2·‖v − w‖², w as the client received it, and stays with
    the client. Clients are evaluated with v; only w is sent.

    Source
    ------
    Li et al. (2021), "Ditto: fair and robust federated learning through personalization", Algorithm 1.

    Deviations
    ----------
    The personal model takes as many steps as the global one, on the same batches. Who has not trained yet is evaluated
    with the global model.
    """
    return bind(
        fed, model, privacy, participation, rounds, seed, Local(lr=lr, epochs=epochs, batch=batch),
        weighted_mean, kind=Ditto, selector=selector, pull=pull,
    )  # fmt: skip
