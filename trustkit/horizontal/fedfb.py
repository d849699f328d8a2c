"""FedFB: rows count by weights of their group and label that all clients together move."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, ClassVar

import numpy as np

from trustkit.catalogue import ALGORITHMS, Interval
from trustkit.data import FederatedDataset
from trustkit.horizontal.convnet import Convnet
from trustkit.horizontal.fairfed import Measure
from trustkit.horizontal.forms import Batch, Choice, Epochs, Rate
from trustkit.horizontal.models import Dense
from trustkit.horizontal.plan import Cohort, Local
from trustkit.horizontal.privacy import Gaussian
from trustkit.horizontal.protected import UNNOISED, Attribute, Grouped, bind_groups
from trustkit.horizontal.received import tried
from trustkit.horizontal.trainer import RowTrainer
from trustkit.metrics.evaluate import examine, softmax
from trustkit.records import State, Tick

__all__ = ["FedFB", "fedfb"]


@dataclass(frozen=True, eq=False)
class FedFB(Grouped):
    """FedAvg on rows that count by group and label; see `fedfb`.

    Parameters
    ----------
    alpha : float
        How far the weights move in a round.
    measure : {"opportunity", "parity"}
        Which gap they are to close.
    """

    alpha: float = 0.1
    measure: Measure = "opportunity"

    _refuses: ClassVar[Mapping[str, str]] = UNNOISED

    def start(self) -> State:
        """Return the state before the first round.

        Returns
        -------
        mapping
            As in FedAvg, and emphasis (2, G): what a row counts by favourable label and group, 1 at first.
        """
        return {**super().start(), "emphasis": np.ones((2, len(self.values)))}

    @cached_property
    def _cells(self) -> np.ndarray:
        """(2, G): all training rows by favourable label and group."""
        known = self.groups >= 0
        at = (self._rows[1][known] == self.positive) * len(self.values) + self.groups[known]
        return np.bincount(at, minlength=2 * len(self.values)).reshape(2, -1)

    def _behind(self, state: State, clients: np.ndarray) -> np.ndarray:
        """Return how far each group (G,) is worse off than the mean of the groups; NaN without rows."""
        seen = tried(self, state, clients)
        codes, G = self.groups[seen.rows], len(self.values)
        if self.measure == "opportunity":
            kept = (codes >= 0) & (seen.y == self.positive)
            worse = examine(seen.logits, seen.y, np.arange(seen.y.size + 1)).loss
        else:
            kept, worse = codes >= 0, -softmax(seen.logits)[:, self.positive].astype(float)
        size = np.bincount(codes[kept], minlength=G)
        means = np.divide(np.bincount(codes[kept], worse[kept], G), size, out=np.full(G, np.nan), where=size > 0)
        return np.asarray(means - np.nanmean(means) if (size > 0).any() else means)

    def _moved(self, emphasis: np.ndarray, behind: np.ndarray) -> np.ndarray:
        """Return the weights after a step that gives groups which are behind more of the favourable label's weight."""
        largest = np.nanmax(np.abs(behind), initial=0)
        if not largest > 0:
            return emphasis
        step = self.alpha * np.where(np.isnan(behind), 0, behind) / largest
        cells, totals = self._cells, self._cells.sum(axis=1)
        each = np.divide(totals[:, None], len(self.values) * cells, out=np.zeros(cells.shape), where=cells > 0)
        signs = np.array([[-1.0 if self.measure == "parity" else 0.0], [1.0]])
        moved = np.maximum(emphasis + signs * step * each, 0)
        mass = (moved * cells).sum(axis=1)
        return np.asarray(moved * np.divide(totals, mass, out=np.ones(2), where=mass > 0)[:, None])

    def _play(self, state: State, plan: Cohort, tick: Tick) -> dict[str, np.ndarray]:
        emphasis = self._moved(state["emphasis"], self._behind(state, plan.clients))
        favourable = (self._rows[1] == self.positive).astype(int)
        counts = np.where(self.groups >= 0, emphasis[favourable, self.groups], 1.0)
        merged = self._merge(state, self._train(state["params"], plan, tick, counts=counts), plan)
        return {**merged, "emphasis": emphasis} if merged else {}


@ALGORITHMS.enter("fedfb", title="FedFB", axis="rows")
def fedfb(
    fed: FederatedDataset, model: Dense | Convnet, privacy: Gaussian | None, participation: float, rounds: int, *,
    lr: Rate = 0.1, epochs: Epochs = 1, batch: Batch = 32,
    attribute: Attribute = "",
    alpha: Annotated[float, Interval(0, 1), "how far weights move in a round; 0 is FedAvg"] = 0.1,
    measure: Annotated[Measure, "gap in true positive rate or in selection rate"] = "opportunity",
    selector: Choice = "random", seed: int = 0,
) -> RowTrainer:  # fmt: skip
    """Rows count by group and label; all clients together move these weights to close the gap.

    Parameters
    ----------
    fed : FederatedDataset
        Over rows, features scaled, with a protected attribute.
    model : Dense or Convnet
        From the catalogue of models.
    privacy : Gaussian, optional
        ``None``: clients send sums over their rows without noise, which no ε would cover.
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
    alpha : float
        0 to 1: α; 0 is FedAvg.
    measure : {"opportunity", "parity"}
        By the losses of the favourable rows, or by the chances of being selected.
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
    Clients step on Σ_i v(y_i, a_i)·ℓ_i, y favourable or not and a the group; v starts at 1. In each round they send the
    sums of ℓ over the favourable rows of each group ("opportunity") or of minus the chance of the favourable class over
    all rows of each group ("parity"), on w as received. With d_a the mean of group a minus the mean over groups, and
    λ(y, a) = n(y, a)·v(y, a)/n(y), which adds up to 1 over a: λ(1, a) ← λ(1, a) + α·d_a / (G·max |d|), and for "parity"
    λ(0, a) ← λ(0, a) − α·d_a / (G·max |d|), both cut at 0 and scaled to add up to 1. The server needs sums only, so
    secure sums will do.


    Source
    ------
    Zeng, Chen and Lee (2021), "Improving fairness via federated learning" (FedFB); Roh et al. (2021), "FairBatch".


    Deviations
    ----------
    The sums are those of the round's clients. Steps are scaled by the largest distance, so that α means the same for
    losses and rates; several groups are compared with their mean. The favourable class is compared with all others. The
    few numbers sent beside a model are not counted as traffic.
    """
    return bind_groups(
        fed, model, privacy, participation, rounds, seed, Local(lr=lr, epochs=epochs, batch=batch), attribute,
        kind=FedFB, selector=selector, alpha=alpha, measure=measure,
    )  # fmt: skip
