"""FairFed: clients whose gap between groups is far from everybody's count less."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from trustkit.catalogue import ALGORITHMS, Interval
from trustkit.data import FederatedDataset
from trustkit.horizontal.convnet import Convnet
from trustkit.horizontal.forms import Batch, Choice, Epochs, Rate
from trustkit.horizontal.models import Dense
from trustkit.horizontal.plan import Cohort, Local
from trustkit.horizontal.privacy import Gaussian
from trustkit.horizontal.protected import UNNOISED, Attribute, Grouped, bind_groups, protected
from trustkit.horizontal.received import tried
from trustkit.horizontal.summing import secure_mean
from trustkit.horizontal.trainer import RowTrainer
from trustkit.metrics.gaps import group_rate
from trustkit.records import State, Tick

__all__ = ["FairFed", "Measure", "fairfed"]

Measure = Literal["opportunity", "parity"]
"""The gap in true positive rate, or in selection rate."""


@dataclass(frozen=True, eq=False)
class FairFed(Grouped):
    """FedAvg whose weights follow the clients' gaps; see `fairfed`.

    Parameters
    ----------
    group : int
        The group that is compared with all others.
    beta : float
        How fast the weights follow.
    measure : {"opportunity", "parity"}
        Which gap.
    reweigh : bool
        Whether clients weigh their rows.
    """

    group: int = 0
    beta: float = 1.0
    measure: Measure = "opportunity"
    reweigh: bool = False

    _refuses: ClassVar[Mapping[str, str]] = UNNOISED

    def start(self) -> State:
        """Return the state before the first round.

        Returns
        -------
        mapping
            As in FedAvg, and shares (K,): the clients' weights in rows, at first those that they have.
        """
        return {**super().start(), "shares": self.train.sizes.astype(float)}

    def _distances(self, state: State, clients: np.ndarray) -> np.ndarray:
        """Return how far each client's gap (m,) is from that of all; of accuracies where there is none."""
        seen = tried(self, state, clients)
        counts = self._group_counts(seen)
        pair = np.stack([counts[:, self.group], counts.sum(axis=1) - counts[:, self.group]], axis=1)
        rate: Literal["tpr", "selection"] = "tpr" if self.measure == "opportunity" else "selection"
        gaps, overall = (np.diff(group_rate(each, rate), axis=-1)[..., 0] for each in (pair, pair.sum(axis=0)))
        accuracy, sizes = seen.examined.accuracy, np.diff(seen.offsets)
        apart = np.abs(accuracy - accuracy @ sizes / sizes.sum())
        return np.asarray(np.where(np.isnan(gaps - overall), apart, np.abs(gaps - overall)))

    def _play(self, state: State, plan: Cohort, tick: Tick) -> dict[str, np.ndarray]:
        shares, distances = state["shares"].copy(), self._distances(state, plan.clients)
        before, total = shares[plan.clients], self.train.sizes.sum()
        moved = np.maximum(before - self.beta * total * (distances - distances.mean()), 0)
        shares[plan.clients] = moved * (before.sum() / moved.sum()) if moved.any() else before
        trained = self._train(state["params"], plan, tick, counts=self._reweights if self.reweigh else None)
        merged = self._merge({**state, "shares": shares}, trained, plan)
        return {**merged, "shares": shares} if "params" in merged else merged

    def _mean(self, state: State, trained: np.ndarray, plan: Cohort) -> np.ndarray:
        weights = state["shares"][plan.clients]
        if not weights.any():
            return np.asarray(state["params"])
        return (secure_mean if self.secure else self.aggregate)(trained, weights)


@ALGORITHMS.enter("fairfed", title="FairFed", axis="rows")
def fairfed(
    fed: FederatedDataset, model: Dense | Convnet, privacy: Gaussian | None, participation: float, rounds: int, *,
    lr: Rate = 0.1, epochs: Epochs = 1, batch: Batch = 32,
    attribute: Attribute = "",
    group: Annotated[str, "value compared with all others; empty for the first of two"] = "",
    beta: Annotated[float, Interval(0, 10), "how fast weights follow the gaps; 0 is FedAvg"] = 1.0,
    measure: Annotated[Measure, "gap in true positive rate or in selection rate"] = "opportunity",
    reweigh: Annotated[bool, "clients weigh rows so that group and class are independent"] = False,
    selector: Choice = "random", seed: int = 0,
) -> RowTrainer:  # fmt: skip
    """Clients count less the further their gap between groups is from the gap over all clients.

    Parameters
    ----------
    fed : FederatedDataset
        Over rows, features scaled, with a protected attribute.
    model : Dense or Convnet
        From the catalogue of models.
    privacy : Gaussian, optional
        ``None``: clients send counts of their rows without noise, which no ε would cover.
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
    group : str
        The value that is compared with all others; empty for the first of two.
    beta : float
        0 to 10: β; 0 is FedAvg.
    measure : {"opportunity", "parity"}
        The gap in true positive rate, or in selection rate, of the favourable class against all others.
    reweigh : bool
        Whether clients train as in `trustkit.horizontal.reweighing.reweighing`, as the paper's authors advise.
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
    F_k is the rate of the other rows minus that of the group, on a client's training rows by w as received; F that of
    all the round's clients. With Δ_k = |F − F_k|, or the distance of accuracies where F or F_k is not defined:
    ω_k ← ω_k − β·(Δ_k − mean Δ), cut at 0 and scaled to the sum before, from ω_k = n_k/Σ_j n_j on; then w ← Σ_k ω_k w_k
    / Σ_k ω_k. Clients can find their own ω_k from sums, so secure sums will do.


    Source
    ------
    Ezzeldin et al. (2023), "FairFed: enabling group fairness in federated learning", Algorithm 1.


    Deviations
    ----------
    Weights are cut at 0, below which the published rule can fall. Clients that take no part keep theirs. A binary
    attribute of more values is one of them against all others. The few numbers sent beside a model are not counted as
    traffic.
    """
    values = protected(fed, attribute).values
    if group not in values and (group or len(values) > 2):
        raise ValueError(f"group must be one of {', '.join(values)}, got {group!r}")
    return bind_groups(
        fed, model, privacy, participation, rounds, seed, Local(lr=lr, epochs=epochs, batch=batch), attribute,
        kind=FairFed, selector=selector, group=values.index(group) if group else 0, beta=beta, measure=measure,
        reweigh=reweigh,
    )  # fmt: skip
