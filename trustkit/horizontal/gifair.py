"""GIFAIR: groups of clients whose loss is above that of others count more in training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

import numpy as np

from trustkit.catalogue import ALGORITHMS, Interval
from trustkit.data import FederatedDataset
from trustkit.horizontal.binding import bind
from trustkit.horizontal.convnet import Convnet
from trustkit.horizontal.forms import Batch, Choice, Epochs, Rate
from trustkit.horizontal.models import Dense
from trustkit.horizontal.plan import Cohort, Local
from trustkit.horizontal.privacy import Gaussian
from trustkit.horizontal.protected import UNNOISED, Attribute, protected
from trustkit.horizontal.received import tried
from trustkit.horizontal.trainer import RowTrainer
from trustkit.metrics.coding import Coded
from trustkit.records import State, Tick

__all__ = ["By", "Gifair", "gifair", "ranked"]

By = Literal["client", "attribute"]
"""Every client is a group, or those in which the same value of the protected attribute is most frequent are one."""


def ranked(loss: np.ndarray, sizes: np.ndarray, groups: np.ndarray, strength: float) -> np.ndarray:
    """Return what each client's loss counts, so that the losses of groups come together.

    Parameters
    ----------
    loss : (m,) float array
        The clients' mean losses F_k.
    sizes : (m,) int array
        Their rows, at least 1.
    groups : (m,) int array
        Which group each belongs to.
    strength : float
        In [0, 1): the share of the largest λ.

    Returns
    -------
    (m,) float array
        In (0, 2); 1 for all if there is one group.

    Notes
    -----
    Σ_k p_k F_k + λ Σ_{i<j} |L_i − L_j|, L_i the mean of F_k over the clients A_i of a group, has the slope p_k·(1 + λ
    r_k/(p_k |A_k|)) by F_k, where r_k = Σ_j sign(L_k − L_j) over the other groups. λ is ``strength`` times the least
    p_k |A_k| / (d − 1), beyond which a factor could become negative, for d groups.

    Source
    ------
    Yue, Nouiehed and Al Kontar (2021), "GIFAIR-FL: a framework for group and individual fairness in federated
    learning".

    Deviations
    ----------
    None.

    Examples
    --------
    >>> ranked(np.array([0.9, 0.5, 0.7]), np.array([10, 10, 10]), np.array([0, 1, 2]), 0.5).tolist()
    [1.5, 0.5, 1.0]
    """
    _, place, members = np.unique(groups, return_inverse=True, return_counts=True)
    if members.size < 2:
        return np.ones(loss.size)
    means = np.bincount(place, loss) / members
    rank = np.sign(means[:, None] - means).sum(axis=1)[place]
    room = sizes / sizes.sum() * members[place]
    return np.asarray(1 + strength * room.min() / (members.size - 1) * rank / room)


@dataclass(frozen=True, eq=False)
class Gifair(RowTrainer):
    """FedAvg whose clients' losses count by rank; see `gifair`.

    Parameters
    ----------
    strength : float
        Share of the largest λ.
    kinds : (K,) int array
        The group of each client.
    """

    strength: float = 0.5
    kinds: np.ndarray = field(default_factory=lambda: np.zeros(0, int))

    _refuses: ClassVar[Mapping[str, str]] = UNNOISED
    _singles: ClassVar[str] = "its server ranks the clients' losses"

    def _play(self, state: State, plan: Cohort, tick: Tick) -> dict[str, np.ndarray]:
        sizes, factors = self.train.sizes, np.ones(self.train.sizes.size)
        loss, kinds = tried(self, state, plan.clients).examined.loss, self.kinds[plan.clients]
        factors[plan.clients] = ranked(loss, sizes[plan.clients], kinds, self.strength)
        return self._merge(state, self._train(state["params"], plan, tick, counts=np.repeat(factors, sizes)), plan)


@ALGORITHMS.enter("gifair", title="GIFAIR-FL", axis="rows")
def gifair(
    fed: FederatedDataset, model: Dense | Convnet, privacy: Gaussian | None, participation: float, rounds: int, *,
    lr: Rate = 0.1, epochs: Epochs = 1, batch: Batch = 32,
    attribute: Attribute = "",
    by: Annotated[By, "what a group is: each client, or clients with the same most frequent value"] = "client",
    strength: Annotated[float, Interval(0, 0.99), "share of the largest weight of the gaps; 0 is FedAvg"] = 0.5,
    selector: Choice = "random", seed: int = 0,
) -> RowTrainer:  # fmt: skip
    """Clients train harder where their group's loss is above that of others.

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
    attribute : str
        A protected attribute, where groups are by attribute; empty for the data set's first.
    by : {"client", "attribute"}
        Every client is a group, or clients in whose training rows the same value is most frequent are one.
    strength : float
        0 to 0.99: λ as a share of the largest that keeps all factors positive; 0 is FedAvg.
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
        See `trustkit.horizontal.protected.protected`, if by attribute, and `trustkit.horizontal.binding.bind`.

    Notes
    -----
    Each client steps on its loss times the factor of `ranked`, which the server finds from the losses on w as received.


    Source
    ------
    Yue, Nouiehed and Al Kontar (2021), "GIFAIR-FL: a framework for group and individual fairness in federated
    learning", Algorithm 1.


    Deviations
    ----------
    Ranks are those of the round's clients on the model that they received, and λ is bounded anew for them. The few
    numbers sent beside a model are not counted as traffic.
    """
    kinds = np.arange(len(fed)) if by == "client" else _most_frequent(fed, protected(fed, attribute))
    return bind(
        fed, model, privacy, participation, rounds, seed, Local(lr=lr, epochs=epochs, batch=batch),
        kind=Gifair, selector=selector, strength=strength, kinds=kinds,
    )  # fmt: skip


def _most_frequent(fed: FederatedDataset, coded: Coded) -> np.ndarray:
    """Return the most frequent value (K,) in each client's training rows; G where none is known."""
    owner, G = fed.partition.owner, len(coded.values)
    if fed.partition.axis != "rows":
        raise ValueError("clients must hold rows to be grouped by an attribute, got a partition of the columns")
    kept = (owner >= 0) & (coded.codes >= 0) & ~fed.data.held_out
    held = np.bincount(owner[kept] * G + coded.codes[kept], minlength=len(fed) * G).reshape(-1, G)
    return np.where(held.any(axis=1), held.argmax(axis=1), G)
