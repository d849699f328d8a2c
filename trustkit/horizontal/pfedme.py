"""pFedMe: clients step on the Moreau envelope of their loss, and keep the model at which it is reached."""

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

__all__ = ["PFedMe", "pfedme"]


@dataclass(frozen=True, eq=False)
class PFedMe(Personal):
    """Personal models by Moreau envelopes; see `pfedme`.

    Parameters
    ----------
    pull : float
        Weight λ of the pull to the local model.
    inner : int
        Steps on a batch towards the personal model.
    inner_lr : float
        Their size.
    mix : float
        In (0, 1]: β, how far the server moves to the clients' mean.
    """

    pull: float = 15.0
    inner: int = 5
    inner_lr: float = 0.05
    mix: float = 1.0

    def _play(self, state: State, plan: Cohort, tick: Tick) -> dict[str, np.ndarray]:
        params, personal = state["params"], state["personal"].copy()
        models = np.repeat(params[None], len(plan.clients), axis=0)
        solver = replace(self.local, lr=self.inner_lr, mu=self.pull)
        for step in range(len(plan.rows)):
            part = plan.only(step, self.inner)
            here = models[: len(part.clients)]
            solved = self._train(here, part, tick, solver)
            personal[part.clients] = solved
            here -= self.local.lr * self.pull * (here - solved)
        merged = self._merge(state, models, plan)
        if self.mix != 1 and "params" in merged:
            merged["params"] = params + self.mix * (merged["params"] - params)
        return {**merged, "personal": personal}


@ALGORITHMS.enter("pfedme", title="pFedMe", axis="rows")
def pfedme(
    fed: FederatedDataset, model: Dense | Convnet, privacy: Gaussian | None, participation: float, rounds: int, *,
    lr: Rate = 0.05, epochs: Epochs = 1, batch: Batch = 32,
    pull: Annotated[float, Interval(0.01, 100, log=True), "pull of the personal model to the common one"] = 15.0,
    inner: Annotated[int, Interval(1, 100), "steps on a batch towards the personal model"] = 5,
    inner_lr: Annotated[float, Interval(1e-4, 10, log=True), "size of these steps"] = 0.05,
    mix: Annotated[float, Interval(0.01, 1), "how far the server moves to the clients' mean"] = 1.0,
    selector: Choice = "random", seed: int = 0,
) -> RowTrainer:  # fmt: skip
    """Clients keep personal models near a common one, which steps on their Moreau envelopes.

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
        0.0001 to 10: step size η of the common model.
    epochs : int
        1 to 100: passes over a client's rows in a round.
    batch : int
        1 to 4096: rows in a step.
    pull : float
        0.01 to 100: λ; the larger, the nearer the personal models to the common one.
    inner : int
        1 to 100: steps on a batch towards the personal model, s.
    inner_lr : float
        0.0001 to 10: their size; times λ it must stay below 2, or they diverge.
    mix : float
        0.01 to 1: β.
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
        If the inner steps would diverge; else see `trustkit.horizontal.binding.bind`.

    Notes
    -----
    For each batch B: θ ≈ argmin F_B(θ) + λ/2·‖θ − w_k‖² by s gradient steps from w_k, then w_k ← w_k − ηλ(w_k − θ). The
    server takes (1−β)w + β·mean of the w_k. Clients are evaluated with their last θ; w is sent.

    Source
    ------
    T. Dinh, Tran and Nguyen (2020), "Personalized federated learning with Moreau envelopes", Algorithm 1.

    Deviations
    ----------
    The mean is by rows, as in FedAvg; the paper's is even. Batches are those of an epoch; the paper draws each anew.
    Who has not trained yet is evaluated with the common model.
    """
    if not inner_lr * pull < 2:
        raise ValueError(
            f"inner_lr times pull must be below 2, or the personal models diverge, got {inner_lr * pull:g}"
        )
    return bind(
        fed, model, privacy, participation, rounds, seed, Local(lr=lr, epochs=epochs, batch=batch),
        weighted_mean, kind=PFedMe, selector=selector, pull=pull, inner=inner, inner_lr=inner_lr, mix=mix,
    )  # fmt: skip
