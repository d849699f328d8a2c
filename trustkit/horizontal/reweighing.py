"""Local reweighing: each client weighs its rows so that group and class are independent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from trustkit.catalogue import ALGORITHMS
from trustkit.data import FederatedDataset
from trustkit.horizontal.convnet import Convnet
from trustkit.horizontal.forms import Batch, Choice, Epochs, Rate
from trustkit.horizontal.models import Dense
from trustkit.horizontal.plan import Cohort, Local
from trustkit.horizontal.privacy import Gaussian
from trustkit.horizontal.protected import Attribute, Grouped, bind_groups
from trustkit.horizontal.trainer import RowTrainer
from trustkit.records import State, Tick

__all__ = ["Reweighing", "reweighing"]


@dataclass(frozen=True, eq=False)
class Reweighing(Grouped):
    """FedAvg on rows that clients weigh; see `reweighing`."""

    _refuses: ClassVar[Mapping[str, str]] = {
        "example": "what a row counts depends on its client's other rows, so one row changes more than its gradient"
    }

    def _play(self, state: State, plan: Cohort, tick: Tick) -> dict[str, np.ndarray]:
        return self._merge(state, self._train(state["params"], plan, tick, counts=self._reweights), plan)


@ALGORITHMS.enter("reweighing", title="Local reweighing", axis="rows")
def reweighing(
    fed: FederatedDataset, model: Dense | Convnet, privacy: Gaussian | None, participation: float, rounds: int, *,
    lr: Rate = 0.1, epochs: Epochs = 1, batch: Batch = 32,
    attribute: Attribute = "",
    selector: Choice = "random", seed: int = 0,
) -> RowTrainer:  # fmt: skip
    """Clients weigh their rows so that protected group and class are independent in each of them.

    Parameters
    ----------
    fed : FederatedDataset
        Over rows, features scaled, with a protected attribute.
    model : Dense or Convnet
        From the catalogue of models.
    privacy : Gaussian, optional
        A mechanism at the level of clients; ``None`` for none.
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
    attribute : str
        A protected attribute; empty for the data set's first.
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
        See `trustkit.horizontal.protected.protected` and `trustkit.horizontal.binding.bind`.

    Notes
    -----
    Client by client, row i counts P(a_i)·P(y_i) / P(a_i, y_i) in its training rows; see
    `trustkit.horizontal.protected.reweights`. Nothing is sent but models, so secure sums will do. Where group and class
    are independent already, this is FedAvg.


    Source
    ------
    Kamiran and Calders (2012), "Data preprocessing techniques for classification without discrimination"; by client as
    in the evaluation of FeDa4Fair (Heilmann et al. 2025).


    Deviations
    ----------
    Rows whose group is not known count 1.
    """
    return bind_groups(
        fed, model, privacy, participation, rounds, seed, Local(lr=lr, epochs=epochs, batch=batch), attribute,
        kind=Reweighing, selector=selector,
    )  # fmt: skip
