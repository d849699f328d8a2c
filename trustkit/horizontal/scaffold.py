"""SCAFFOLD: control variates take the drift out of the clients' steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from trustkit.catalogue import ALGORITHMS, Interval
from trustkit.data import FederatedDataset
from trustkit.horizontal.aggregate import weighted_mean
from trustkit.horizontal.binding import bind
from trustkit.horizontal.convnet import Convnet
from trustkit.horizontal.forms import Batch, Choice, Epochs, Rate
from trustkit.horizontal.models import Dense
from trustkit.horizontal.plan import Cohort, Local
from trustkit.horizontal.privacy import Gaussian
from trustkit.horizontal.trainer import RowTrainer
from trustkit.records import State, Tick

__all__ = ["Scaffold", "scaffold"]


@dataclass(frozen=True, eq=False)
class Scaffold(RowTrainer):
    """FedAvg with control variates; see `scaffold`.

    Parameters
    ----------
    server_lr : float
        Step size of the server.
    """

    server_lr: float = 1.0

    _copies: ClassVar[int] = 2
    _kept: ClassVar[int] = 1
    _refuses: ClassVar[Mapping[str, str]] = {
        "client": "its clients send control variates too, which would need noise of their own"
    }

    def start(self) -> State:
        """Return the state before the first round.

        Returns
        -------
        mapping
            As in FedAvg, and the control variates: server_control (P,), control (K, P).
        """
        state = super().start()
        params = state["params"]
        control = np.zeros((self.train.sizes.size, params.size), params.dtype)
        return {**state, "server_control": np.zeros_like(params), "control": control}

    def _play(self, state: State, plan: Cohort, tick: Tick) -> dict[str, np.ndarray]:
        params, common, own = state["params"], state["server_control"], state["control"][plan.clients]
        trained = self._train(params, plan, tick, drift=common - own)
        slopes = (params - trained) / (self.local.lr * plan.steps[:, None]).astype(params.dtype)
        change = slopes - common
        merged = self._merge(state, trained, plan)
        if "params" not in merged:
            return merged
        if self.server_lr != 1:
            merged["params"] = params + self.server_lr * (merged["params"] - params)
        control = state["control"].copy()
        control[plan.clients] = own + change
        shares = (self._weights[plan.clients] / self._weights.sum()).astype(params.dtype)
        return {
            **merged,
            "control": control,
            "server_control": np.asarray(common + self._total(shares, change), params.dtype),
        }


@ALGORITHMS.enter("scaffold", title="SCAFFOLD", axis="rows")
def scaffold(
    fed: FederatedDataset, model: Dense | Convnet, privacy: Gaussian | None, participation: float, rounds: int, *,
    lr: Rate = 0.1, epochs: Epochs = 1, batch: Batch = 32,
    server_lr: Annotated[float, Interval(0.01, 10, log=True), "step size of the server"] = 1.0,
    selector: Choice = "random", seed: int = 0,
) -> RowTrainer:  # fmt: skip
    """FedAvg whose clients correct their steps by how their gradients differ from everybody's.

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
    server_lr : float
        0.01 to 10: the server's step size η_s; 1 takes the mean model.
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
    Steps are w ← w − η(g − c_k + c). After s of them from w₀, c_k changes by (w₀ − w)/(sη) − c; the server adds its
    mean of these changes to c, so that c stays the mean of all c_k. Both directions carry the model and a control
    variate: twice the bytes of FedAvg.

    Source
    ------
    Karimireddy et al. (2020), "SCAFFOLD: stochastic controlled averaging for federated learning", Algorithm 1, option
    II.

    Deviations
    ----------
    Means count clients by their rows, as in FedAvg; the paper's count them evenly, which is the same for clients of
    equal size.
    """
    return bind(
        fed, model, privacy, participation, rounds, seed, Local(lr=lr, epochs=epochs, batch=batch),
        weighted_mean, kind=Scaffold, selector=selector, server_lr=server_lr,
    )  # fmt: skip
