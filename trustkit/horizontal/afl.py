"""AFL: the model for the worst mixture of the clients, whose weights follow their losses."""

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

__all__ = ["Agnostic", "afl", "simplex"]


_LARGE = 1e6


def simplex(point: np.ndarray) -> np.ndarray:
    """Return the nearest point whose entries are at least 0 and add up to 1.

    Parameters
    ----------
    point : (n,) float array
        Any numbers, n at least 1.

    Returns
    -------
    (n,) float array
        max(0, x − τ), with the τ that makes the sum 1.

    Notes
    -----
    With x sorted downwards, τ = (Σ_{i≤r} x_i − 1)/r for the largest r at which x_r exceeds it.

    Source
    ------
    Duchi et al. (2008), "Efficient projections onto the l1-ball for learning in high dimensions", Figure 1.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> simplex(np.array([0.5, 1.0, -2.0])).tolist()
    [0.25, 0.75, 0.0]
    """
    if np.abs(point).max() > _LARGE:  # a 1 would be lost beside it; moving all points changes nothing
        point = point - point.max()
    ordered = np.sort(point)[::-1]
    above = (np.cumsum(ordered) - 1) / np.arange(1, point.size + 1)
    return np.asarray(np.maximum(point - above[np.flatnonzero(ordered > above)[-1]], 0))


@dataclass(frozen=True, eq=False)
class Agnostic(RowTrainer):
    """FedAvg with weights that follow the losses; see `afl`.

    Parameters
    ----------
    step_size : float
        How fast the weights follow, γ.
    """

    step_size: float = 0.1

    _refuses: ClassVar[Mapping[str, str]] = UNNOISED
    _singles: ClassVar[str] = "its server looks at each client's loss"

    def start(self) -> State:
        """Return the state before the first round.

        Returns
        -------
        mapping
            As in FedAvg, and mixture (K,): the clients' weights, at first their shares of the training rows.
        """
        return {**super().start(), "mixture": self.train.sizes / self.train.sizes.sum()}

    def _mean(self, state: State, trained: np.ndarray, plan: Cohort) -> np.ndarray:
        weights = state["mixture"][plan.clients]
        if not weights.sum() > 0:
            return np.asarray(state["params"])
        return self.aggregate(trained, weights)

    def _merge(self, state: State, trained: np.ndarray, plan: Cohort) -> dict[str, np.ndarray]:
        merged = super()._merge(state, trained, plan)
        if "params" not in merged:
            return merged
        mixture, able = state["mixture"].copy(), self.train.sizes > 0
        losses = tried(self, state, plan.clients).examined.loss
        mixture[plan.clients] += self.step_size * np.where(np.isfinite(losses), losses, 0)  # not defined: no move
        mixture[able] = simplex(mixture[able])
        return {**merged, "mixture": mixture}


@ALGORITHMS.enter("afl", title="AFL", axis="rows")
def afl(
    fed: FederatedDataset, model: Dense | Convnet, privacy: Gaussian | None, participation: float, rounds: int, *,
    lr: Rate = 0.1, epochs: Epochs = 1, batch: Batch = 32,
    step_size: Annotated[float, Interval(0, 10), "how fast weights follow the losses; 0 keeps them"] = 0.1,
    selector: Choice = "random", seed: int = 0,
) -> RowTrainer:  # fmt: skip
    """Clients count by weights that grow with their losses, so that the worst mixture is served.

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
    step_size : float
        0 to 10: γ; 0 keeps the weights at the clients' shares of the rows, which is FedAvg.
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
    For min_w max_λ Σ_k λ_k F_k(w), λ of at least 0 and adding up to 1: w ← Σ_k λ_k w_k / Σ_k λ_k over the round's
    clients, and λ ← Π(λ + γ F(w)), F the training losses on w as received and Π the `simplex`.


    Source
    ------
    Mohri, Sivek and Suresh (2019), "Agnostic federated learning", the stochastic algorithm.


    Deviations
    ----------
    Clients take whole rounds of local steps, where the paper takes one. The weights of clients that do not take part
    change by the projection only; while all the round's clients have weight 0, the model stays. The few numbers sent
    beside a model are not counted as traffic.
    """
    return bind(
        fed, model, privacy, participation, rounds, seed, Local(lr=lr, epochs=epochs, batch=batch),
        kind=Agnostic, selector=selector, step_size=step_size,
    )  # fmt: skip
