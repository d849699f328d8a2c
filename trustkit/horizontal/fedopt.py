"""FedOpt: the server takes the clients' mean change for a gradient and steps with Adam, Yogi or Adagrad."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

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
from trustkit.records import State

__all__ = ["FedOpt", "Optimiser", "fedopt"]

Optimiser = Literal["adam", "yogi", "adagrad"]


@dataclass(frozen=True, eq=False)
class FedOpt(RowTrainer):
    """FedAvg whose server steps adaptively; see `fedopt`.

    Parameters
    ----------
    optimiser : {"adam", "yogi", "adagrad"}
        How the second moment is kept.
    server_lr : float
        Step size of the server.
    beta1, beta2 : float
        In [0, 1]: how much of the first and of the second moment stays from round to round.
    tau : float
        Above 0: what is added to the root of the second moment.
    """

    optimiser: Optimiser = "adam"
    server_lr: float = 0.03
    beta1: float = 0.9
    beta2: float = 0.99
    tau: float = 1e-3

    def start(self) -> State:
        """Return the state before the first round.

        Returns
        -------
        mapping
            As in FedAvg, and the server's moments: first (P,), second (P,).
        """
        state = super().start()
        params = state["params"]
        return {**state, "first": np.zeros_like(params), "second": np.full_like(params, self.tau**2)}

    def _merge(self, state: State, trained: np.ndarray, plan: Cohort) -> dict[str, np.ndarray]:
        merged = super()._merge(state, trained, plan)
        if "params" not in merged:
            return merged
        change = merged["params"] - state["params"]
        first = self.beta1 * state["first"] + (1 - self.beta1) * change
        second, squared = state["second"], change * change
        if self.optimiser == "adagrad":
            second = second + squared
        elif self.optimiser == "yogi":
            second = second - (1 - self.beta2) * squared * np.sign(second - squared)
        else:
            second = self.beta2 * second + (1 - self.beta2) * squared
        params = state["params"] + self.server_lr * first / (np.sqrt(second) + self.tau)
        return {**merged, "params": params, "first": first, "second": second}


@ALGORITHMS.enter("fedopt", title="FedOpt", axis="rows")
def fedopt(
    fed: FederatedDataset, model: Dense | Convnet, privacy: Gaussian | None, participation: float, rounds: int, *,
    lr: Rate = 0.1, epochs: Epochs = 1, batch: Batch = 32,
    optimiser: Annotated[Optimiser, "how the server steps"] = "adam",
    server_lr: Annotated[float, Interval(1e-4, 10, log=True), "step size of the server"] = 0.03,
    beta1: Annotated[float, Interval(0, 0.999), "first moment kept from round to round"] = 0.9,
    beta2: Annotated[float, Interval(0, 0.9999), "second moment kept from round to round"] = 0.99,
    tau: Annotated[float, Interval(1e-8, 1, log=True), "how far steps adapt: the larger, the less"] = 1e-3,
    selector: Choice = "random", seed: int = 0,
) -> RowTrainer:  # fmt: skip
    """FedAvg whose server steps with Adam, Yogi or Adagrad along the clients' mean change.

    Parameters
    ----------
    fed : FederatedDataset
        Over rows, features scaled.
    model : Dense or Convnet
        From the catalogue of models.
    privacy : Gaussian, optional
        A mechanism at either level; ``None`` for none.
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
    optimiser : {"adam", "yogi", "adagrad"}
        How the server keeps the second moment.
    server_lr : float
        0.0001 to 10: the server's step size η_s.
    beta1 : float
        0 to 0.999: β₁.
    beta2 : float
        0 to 0.9999: β₂; unused by Adagrad.
    tau : float
        1e-8 to 1: τ; the larger, the less the step adapts.
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
    With Δ the mean change: m ← β₁m + (1−β₁)Δ, and w ← w + η_s·m/(√v + τ), where v ← v + Δ² (Adagrad), v −
    (1−β₂)Δ²·sign(v − Δ²) (Yogi) or β₂v + (1−β₂)Δ² (Adam). v starts at τ², m at 0.

    Source
    ------
    Reddi et al. (2021), "Adaptive federated optimization", Algorithm 2.

    Deviations
    ----------
    Clients are averaged by rows, as in FedAvg; the paper averages evenly. As there, moments are not corrected for their
    start.
    """
    return bind(
        fed, model, privacy, participation, rounds, seed, Local(lr=lr, epochs=epochs, batch=batch),
        weighted_mean, kind=FedOpt, selector=selector, optimiser=optimiser,
        server_lr=server_lr, beta1=beta1, beta2=beta2, tau=tau,
    )  # fmt: skip
