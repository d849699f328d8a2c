"""AFA: the server leaves out models that point elsewhere, and remembers whose they were."""

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
from trustkit.horizontal.selectors import judged, remembered
from trustkit.horizontal.trainer import RowTrainer
from trustkit.records import State

__all__ = ["Afa", "afa", "blocked", "reliability", "similar"]

_PRIOR = 3
"""α₀ and β₀: the verdicts of either kind that every client starts with."""

_TINY = 1e-300


def reliability(good: np.ndarray, bad: np.ndarray) -> np.ndarray:
    """Expect how often a client's model will be found good.

    Parameters
    ----------
    good, bad : (K,) int array
        How often it was found good and bad.

    Returns
    -------
    (K,) float array
        In (0, 1).

    Notes
    -----
    (α₀ + g)/(α₀ + β₀ + g + b) with α₀ = β₀ = 3: the mean of the Beta distribution after these verdicts.

    Source
    ------
    Muñoz-González, Co and Lupu (2019), the update of a client's reliability.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> reliability(np.array([0, 3]), np.array([0, 1])).tolist()
    [0.5, 0.6]
    """
    return np.asarray((_PRIOR + good) / (2 * _PRIOR + good + bad))


def blocked(good: np.ndarray, bad: np.ndarray, confidence: float) -> np.ndarray:
    """Say which clients are to be asked no more.

    Parameters
    ----------
    good, bad : (K,) int array
        How often each was found good and bad.
    confidence : float
        In (0, 1): how sure one must be that a client is found bad more often than good.

    Returns
    -------
    (K,) bool array
        Whether P(p < ½) exceeds the confidence for p ~ Beta(3 + g, 3 + b).

    Notes
    -----
    The distribution function is the regularised incomplete beta function.

    Source
    ------
    Muñoz-González, Co and Lupu (2019), the rule that blocks clients.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> blocked(np.array([0, 0]), np.array([5, 6]), 0.95).tolist()
    [False, True]
    """
    from scipy.special import betainc

    return np.asarray(betainc(_PRIOR + good, _PRIOR + bad, 0.5) > confidence)


def similar(stack: np.ndarray, weights: np.ndarray, width: float, widening: float) -> np.ndarray:
    """Find the clients whose models point where the others' do.

    Parameters
    ----------
    stack : (m, P) float array
        One row a client, m at least 1.
    weights : (m,) float array
        Positive: what each counts.
    width : float
        How many standard deviations from the median similarity a client may lie, at first.
    widening : float
        By how much this grows each time that clients are left out.

    Returns
    -------
    (m,) bool array
        Who stays; at least one does. Rows that are not finite leave first, if any other is there.

    Notes
    -----
    The similarity of a row is the cosine of its angle to the weighted mean of those that stay. If their mean is below
    their median, rows of too small a similarity leave, else those of too large a one; this repeats until none leaves.

    Source
    ------
    Muñoz-González, Co and Lupu (2019), "Byzantine-robust federated machine learning through adaptive model
    averaging", Algorithm 1.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> rows = np.array([[1.0, 0.0], [1.0, 0.1], [1.0, -0.1], [-1.0, 0.0]])
    >>> similar(rows, np.ones(4), width=2.0, widening=0.5).tolist()
    [True, True, True, False]
    """
    stays = np.isfinite(stack).all(axis=1)
    if not stays.any():
        return np.ones(len(stack), bool)
    values = np.where(stays[:, None], stack, 0).astype(float)
    directions = values / np.maximum(np.linalg.norm(values, axis=1), _TINY)[:, None]
    while True:
        mean = (weights * stays) @ values
        cosines = directions @ (mean / max(float(np.linalg.norm(mean)), _TINY))
        inside = cosines[stays]
        middle, reach = np.median(inside), width * inside.std() + 1e-12
        low = inside.mean() < middle
        leaves = stays & (cosines < middle - reach if low else cosines > middle + reach)
        if not leaves.any():
            return np.asarray(stays)
        stays, width = stays & ~leaves, width + widening


@dataclass(frozen=True, eq=False)
class Afa(RowTrainer):
    """FedAvg that judges models and remembers; see `afa`.

    Parameters
    ----------
    width : float
        Standard deviations from the median similarity that a client may lie away, at first.
    widening : float
        By how much this grows.
    confidence : float
        When a client is blocked.
    """

    width: float = 2.0
    widening: float = 0.5
    confidence: float = 0.95

    _refuses: ClassVar[Mapping[str, str]] = {"client": "its server leaves clients out, which the noise does not cover"}
    _singles: ClassVar[str] = "its server compares the clients' models"

    def start(self) -> State:
        """Return the state before the first round.

        Returns
        -------
        mapping
            As in FedAvg, and good and bad (K,): how often each client's model was found so.
        """
        return {**super().start(), **remembered("reputation", self.train.sizes.size)}

    def _choose(self, state: State, index: int) -> np.ndarray:
        chosen = super()._choose(state, index)
        shut = blocked(state["good"], state["bad"], self.confidence)
        return np.asarray(chosen[~shut[chosen]])

    def _combine(self, state: State, trained: np.ndarray, plan: Cohort) -> dict[str, np.ndarray]:
        weights = self._weights[plan.clients] * reliability(state["good"], state["bad"])[plan.clients]
        fine = similar(trained, weights, self.width, self.widening)
        return {"params": self.aggregate(trained[fine], weights[fine]), **judged(state, plan.clients, fine)}


@ALGORITHMS.enter("afa", title="AFA", axis="rows")
def afa(
    fed: FederatedDataset, model: Dense | Convnet, privacy: Gaussian | None, participation: float, rounds: int, *,
    lr: Rate = 0.1, epochs: Epochs = 1, batch: Batch = 32,
    width: Annotated[float, Interval(0.5, 10), "standard deviations that a client may lie away"] = 2.0,
    widening: Annotated[float, Interval(0, 5), "by how much this grows after each exclusion"] = 0.5,
    confidence: Annotated[float, Interval(0.5, 0.9999), "how sure one must be to block a client"] = 0.95,
    selector: Choice = "random", seed: int = 0,
) -> RowTrainer:  # fmt: skip
    """FedAvg whose server leaves out models that point elsewhere, and blocks whoever sends them often.

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
    width : float
        0.5 to 10: ξ, standard deviations from the median similarity that a client may lie away, at first.
    widening : float
        0 to 5: by how much ξ grows after each exclusion.
    confidence : float
        0.5 to 0.9999: how sure one must be to block a client.
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
    Models are averaged by rows times reliability (3 + good)/(6 + good + bad). Cosines to this mean are compared as
    `similar` says, the mean is taken anew without those left out, and verdicts are counted. A
    client is blocked once P(p < ½) exceeds the confidence, p ~ Beta(3 + good, 3 + bad): after five bad verdicts and no
    good one.

    Source
    ------
    Muñoz-González, Co and Lupu (2019), "Byzantine-robust federated machine learning through adaptive model averaging",
    Algorithm 1.

    Deviations
    ----------
    A blocked client that is drawn leaves its place empty, so that whom the others are drawn with does not depend on
    verdicts.
    """
    return bind(
        fed, model, privacy, participation, rounds, seed, Local(lr=lr, epochs=epochs, batch=batch),
        weighted_mean, kind=Afa, selector=selector, width=width, widening=widening, confidence=confidence,
    )  # fmt: skip
