"""PUFFLE: the gap between groups in a batch is part of the local loss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from trustkit.catalogue import ALGORITHMS, Interval
from trustkit.data import FederatedDataset
from trustkit.horizontal.convnet import Convnet
from trustkit.horizontal.forms import Batch, Choice, Epochs, Rate
from trustkit.horizontal.models import Dense
from trustkit.horizontal.plan import Cohort, Local
from trustkit.horizontal.privacy import Gaussian
from trustkit.horizontal.protected import Attribute, Grouped, bind_groups
from trustkit.horizontal.trainer import RowTrainer
from trustkit.records import State, Tick

__all__ = ["Puffle", "parity_penalty", "puffle"]


def parity_penalty(chances: np.ndarray, codes: np.ndarray, groups: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the largest gap between a group and the other rows of each client's batch, and its slope.

    Parameters
    ----------
    chances : (m, B, C) float array
        Softmax of m clients' batches.
    codes : (m, B) int array
        Protected groups 0 … G−1; −1 where not known, and for padding.
    groups : int
        G.

    Returns
    -------
    gap : (m,) float array
        In [0, 1]; NaN where no group can be compared with others.
    slope : (m, B, C) float array
        The gap's gradient by the logits; 0 where it is not defined.

    Notes
    -----
    max over classes c and groups z of |P(c | z) − P(c | not z)|, where P(c | rows) is the sum of the chances of c of
    those rows that are predicted c, divided by the number of rows. By the logit j of a row that is predicted c, its
    chance p_c has the slope p_c·(1{c = j} − p_j).

    Source
    ------
    Corbucci et al. (2024), "PUFFLE: balancing privacy, utility, and fairness in federated learning", the demographic
    parity loss.

    Deviations
    ----------
    A group that a batch lacks is not compared there, where the paper falls back on averages that a server has gathered.

    Examples
    --------
    >>> gap, slope = parity_penalty(np.array([[[0.8, 0.2], [0.4, 0.6]]]), np.array([[0, 1]]), 2)
    >>> gap.tolist(), slope[0, 0].round(3).tolist()
    ([0.8], [0.16, -0.16])
    """
    m, _, C = chances.shape
    member = codes[..., None] == np.arange(groups)
    predicted = chances.argmax(axis=2)
    soft = np.where(np.arange(C) == predicted[..., None], chances, 0).astype(float)
    inside = np.einsum("mbg,mbc->mgc", member.astype(float), soft)
    size = member.sum(axis=1)[..., None]
    others, rest = inside.sum(axis=1, keepdims=True) - inside, size.sum(axis=1, keepdims=True) - size
    fair = (size > 0) & (rest > 0)
    apart = np.where(fair, inside / np.maximum(size, 1) - others / np.maximum(rest, 1), 0)
    top = np.abs(apart).reshape(m, -1).argmax(axis=1)
    g, c, each = top // C, top % C, np.arange(m)
    known, chosen = codes >= 0, codes == g[:, None]
    part = np.where(chosen, 1 / np.maximum(size[each, g], 1), -1 / np.maximum(rest[each, g], 1))
    part = part * np.sign(apart[each, g, c])[:, None] * soft[each, :, c] * known
    slope = part[..., None] * ((np.arange(C) == c[:, None])[:, None] - chances)
    gap = np.where(fair.any(axis=(1, 2)), np.abs(apart[each, g, c]), np.nan)
    return gap, np.asarray(slope, chances.dtype)


class _Pull:
    """Mixes a round's losses with the gaps of their batches, client by client, and moves the weights of the gaps."""

    def __init__(self, trainer: Puffle, weight: np.ndarray, speed: np.ndarray, step_size: float) -> None:
        self.trainer, self.weight, self.speed, self.step_size = trainer, weight, speed, step_size

    def __call__(self, errors: np.ndarray, chances: np.ndarray, rows: np.ndarray, places: slice) -> None:
        trainer, weight = self.trainer, self.weight[places]
        codes = np.where(rows >= 0, trainer.groups[rows], -1)
        gap, slope = parity_penalty(chances, codes, len(trainer.values))
        errors *= (1 - weight).astype(errors.dtype)[:, None, None]
        errors += weight.astype(errors.dtype)[:, None, None] * slope
        if trainer.target is not None:
            known = ~np.isnan(gap)
            speed = np.where(known, trainer.momentum * self.speed[places] + trainer.target - gap, self.speed[places])
            self.speed[places] = speed
            self.weight[places] = np.where(known, np.clip(weight - self.step_size * speed, 0, 1), weight)


@dataclass(frozen=True, eq=False)
class Puffle(Grouped):
    """FedAvg on a loss that the gap between groups is part of; see `puffle`.

    Parameters
    ----------
    weight : float
        What the gap counts, λ, at first.
    target : float, optional
        The gap that λ is tuned to; ``None`` keeps λ.
    step_size, momentum, decay : float
        How λ is tuned.
    """

    weight: float = 0.5
    target: float | None = None
    step_size: float = 0.05
    momentum: float = 0.5
    decay: float = 0.95

    _by_hand = "whose loss depends on a whole batch"
    _refuses: ClassVar[Mapping[str, str]] = {
        "example": "its loss couples the rows of a batch, so that one row changes more than its own clipped gradient"
    }

    def start(self) -> State:
        """Return the state before the first round.

        Returns
        -------
        mapping
            As in FedAvg, and each client's weight of the gap (K,) and how fast it moves, speed (K,).
        """
        clients = self.train.sizes.size
        return {**super().start(), "weight": np.full(clients, self.weight), "speed": np.zeros(clients)}

    def _play(self, state: State, plan: Cohort, tick: Tick) -> dict[str, np.ndarray]:
        weight, speed = state["weight"].copy(), state["speed"].copy()
        pull = _Pull(self, weight[plan.clients], speed[plan.clients], self.step_size * self.decay ** (plan.index - 1))
        trained = self._train(state["params"], plan, tick, bend=pull)
        weight[plan.clients], speed[plan.clients] = pull.weight, pull.speed
        return {**self._merge(state, trained, plan), "weight": weight, "speed": speed}


@ALGORITHMS.enter("puffle", title="PUFFLE", axis="rows")
def puffle(
    fed: FederatedDataset, model: Dense | Convnet, privacy: Gaussian | None, participation: float, rounds: int, *,
    lr: Rate = 0.1, epochs: Epochs = 1, batch: Batch = 32,
    attribute: Attribute = "",
    weight: Annotated[float, Interval(0, 1), "what the gap counts, at first; 0 is FedAvg"] = 0.5,
    target: Annotated[float | None, Interval(0, 1), "gap that the weight is tuned to; none keeps it"] = None,
    step_size: Annotated[float, Interval(0, 1), "how far the weight moves after a step"] = 0.05,
    momentum: Annotated[float, Interval(0, 0.999), "how much of the last move goes on"] = 0.5,
    decay: Annotated[float, Interval(0.1, 1), "what is left of the step size after a round"] = 0.95,
    selector: Choice = "random", seed: int = 0,
) -> RowTrainer:  # fmt: skip
    """The gap between groups in each batch is part of the local loss, with a fixed or a tuned weight.

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
    weight : float
        0 to 1: λ, at first; 0 is FedAvg.
    target : float, optional
        0 to 1: the gap T that each client tunes its λ to; ``None`` keeps λ.
    step_size : float
        0 to 1: α; unused without a target.
    momentum : float
        0 to 0.999: m; unused without a target.
    decay : float
        0.1 to 1: what α is multiplied by after each round; unused without a target.
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
    Each step is on (1 − λ)·F + λ·D, F the batch's mean loss and D its `parity_penalty`. With a target, after each step
    v ← m·v + T − D and λ ← λ − α·v, cut to [0, 1]: a gap above T makes λ grow. λ and v stay with the client, and
    nothing is sent but models, so secure sums will do, and noise at the level of clients protects all of a client.


    Source
    ------
    Corbucci et al. (2024), "PUFFLE: balancing privacy, utility, and fairness in federated learning".


    Deviations
    ----------
    Privacy at the level of rows is refused: a row changes the gap's slope for all rows of its batch, which clipping
    rows one by one does not bound. No statistics are sent, so that a batch compares those groups that it has.
    """
    return bind_groups(
        fed, model, privacy, participation, rounds, seed, Local(lr=lr, epochs=epochs, batch=batch), attribute,
        kind=Puffle, selector=selector, weight=weight, target=target, step_size=step_size, momentum=momentum,
        decay=decay,
    )  # fmt: skip
