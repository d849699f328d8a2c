"""q-FedAvg: clients whose loss is large count more, the more so the larger q is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from trustkit.catalogue import ALGORITHMS, Interval
from trustkit.data import FederatedDataset
from trustkit.horizontal.binding import bind
from trustkit.horizontal.convnet import Convnet
from trustkit.horizontal.forms import Batch, Choice, Epochs, Rate
from trustkit.horizontal.models import Dense
from trustkit.horizontal.plan import Cohort, Local
from trustkit.horizontal.privacy import Gaussian
from trustkit.horizontal.protected import UNNOISED
from trustkit.horizontal.received import tried
from trustkit.horizontal.trainer import RowTrainer
from trustkit.records import State

__all__ = ["QFedAvg", "qfedavg"]

_TINY = 1e-10


@dataclass(frozen=True, eq=False)
class QFedAvg(RowTrainer):
    """FedAvg that raises losses to a power; see `qfedavg`.

    Parameters
    ----------
    q : float
        How much the larger losses count.
    """

    q: float = 1.0

    _refuses: ClassVar[Mapping[str, str]] = UNNOISED

    def _mean(self, state: State, trained: np.ndarray, plan: Cohort) -> np.ndarray:
        params, smooth = state["params"], 1 / self.local.lr
        loss = np.maximum(tried(self, state, plan.clients).examined.loss, _TINY)
        slopes = (params - trained) * smooth
        squared = np.einsum("mp,mp->m", slopes, slopes, dtype=float)
        bounds = self.q * loss ** (self.q - 1) * squared + smooth * loss**self.q
        return np.asarray(params - self._total(loss**self.q, slopes) / bounds.sum(), params.dtype)


@ALGORITHMS.enter("qfedavg", title="q-FedAvg", axis="rows")
def qfedavg(
    fed: FederatedDataset, model: Dense | Convnet, privacy: Gaussian | None, participation: float, rounds: int, *,
    lr: Rate = 0.1, epochs: Epochs = 1, batch: Batch = 32,
    q: Annotated[float, Interval(0, 10), "how much the larger losses count; 0 is an even mean"] = 1.0,
    selector: Choice = "random", seed: int = 0,
) -> RowTrainer:  # fmt: skip
    """Clients whose loss is large count more in the server's step.

    Parameters
    ----------
    fed : FederatedDataset
        Over rows, features scaled.
    model : Dense or Convnet
        From the catalogue of models.
    privacy : Gaussian, optional
        ``None``: clients send their losses without noise, which no ε would cover.
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
    q : float
        0 to 10: q; 0 is the mean of all models, each counted once.
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
    On Σ_k F_k^(q+1)/(q+1), with L = 1/η, F_k a client's training loss on w as received, Δ_k = L·(w − w_k) and h_k =
    q·F_k^(q−1)·‖Δ_k‖² + L·F_k^q: w ← w − Σ_k F_k^q·Δ_k / Σ_k h_k. The server needs sums only, so secure sums will do.


    Source
    ------
    Li et al. (2020), "Fair resource allocation in federated learning", Algorithm 2.


    Deviations
    ----------
    The paper draws clients in proportion to their rows, as the selector "size" does; others draw as they say, and each
    client counts once. F_k is at least 10⁻¹⁰. The few numbers sent beside a model are not counted as traffic.
    """
    return bind(
        fed, model, privacy, participation, rounds, seed, Local(lr=lr, epochs=epochs, batch=batch),
        kind=QFedAvg, selector=selector, q=q,
    )  # fmt: skip
