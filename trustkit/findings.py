"""What a person asks a run first: accuracy, the worst client's disparity, ε, traffic; each with its caveat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from trustkit.metrics.clients import disparity_interval, masking_gap
from trustkit.metrics.gaps import Rate
from trustkit.metrics.groups import disparity_from_counts, opportunity_from_counts, rates_from_counts
from trustkit.records import RunRecord
from trustkit.rounds import data_of, partition_of

__all__ = [
    "COMPARED", "SMALL", "THRESHOLD", "Compared", "Fairness", "Headline", "Quality", "client_names", "fairness_of",
    "headline_of", "quality_of",
]  # fmt: skip

THRESHOLD = 0.09
"""FeDa4Fair's line between a client that is called unfair and one that is not."""

SMALL = 30
"""Test rows below which a group is called small and marked."""


@dataclass(frozen=True)
class Compared:
    """What is compared between groups: its title, how it is written short, the rate, and the usual line."""

    title: str
    short: str
    rate: Rate
    formula: str
    ratio: bool = False
    line: float = THRESHOLD


COMPARED: Mapping[str, Compared] = {
    "demographic_disparity": Compared(
        "demographic disparity", "DD", "selection",
        "the largest minus the smallest share of favourable predictions between the groups. Source: FeDa4Fair",
    ),
    "equal_opportunity": Compared(
        "equal-opportunity difference", "EOD", "tpr",
        "the largest minus the smallest true positive rate between the groups. Source: Hardt et al. (2016); FeDa4Fair",
    ),
    "equalized_odds": Compared(
        "equalized-odds difference", "EO", "odds",
        "the larger of the gaps in true and in false positive rate. Source: Hardt et al. (2016); FeDa4Fair's code",
    ),
    "accuracy_gap": Compared(
        "accuracy gap", "AG", "accuracy",
        "the largest minus the smallest share of right predictions between the groups. Source: the recipe on "
        "FeDa4Fair's card",
    ),
    "parity_ratio": Compared(
        "demographic-parity ratio", "ratio", "selection",
        "the smallest share of favourable predictions between the groups divided by the largest; 1 is equal. Source: "
        "fairlearn; 0.8 is the four-fifths rule",
        ratio=True, line=0.8,
    ),
}  # fmt: skip
"""What can be compared, by name."""


@dataclass(frozen=True, eq=False)
class Fairness:
    """Group fairness of a run's last round, client by client; all arrays are (K,), NaN where undefined."""

    attribute: str
    groups: tuple[str, ...]
    names: tuple[str, ...]
    disparity: np.ndarray
    opportunity: np.ndarray
    low: np.ndarray
    high: np.ndarray
    small: np.ndarray
    pooled: float
    masking: float

    @property
    def over(self) -> int:
        """How many clients lie above the threshold."""
        return int((self.disparity > THRESHOLD).sum())

    @property
    def undefined(self) -> int:
        """For how many clients the disparity is not defined."""
        return int(np.isnan(self.disparity).sum())

    @property
    def worst(self) -> float:
        """The largest client's disparity; NaN if no client has one."""
        known = self.disparity[np.isfinite(self.disparity)]
        return float(known.max()) if known.size else float("nan")


@dataclass(frozen=True)
class Headline:
    """The numbers of a run's last round that a person reads first."""

    accuracy: float
    worst_accuracy: float
    epsilon: float
    bytes_up: float
    bytes_down: float
    rounds: int


@dataclass(frozen=True, eq=False)
class Quality:
    """How good a run's models are, round by round.

    Parameters
    ----------
    name : {"accuracy", "RMSE"}
        The measure; RMSE, in the target's unit, where the target is a number.
    values : (T, K) float array
        On each client's test rows; (T, 1) for one joint model; NaN where undefined.
    """

    name: str
    values: np.ndarray

    @property
    def higher(self) -> bool:
        """Whether larger values are better."""
        return self.name == "accuracy"

    @property
    def by_round(self) -> np.ndarray:
        """(T,) mean over the clients that have a value; NaN where none has."""
        known = np.isfinite(self.values)
        sums = np.where(known, self.values, 0).sum(axis=1)
        return np.where(known.any(axis=1), sums / np.maximum(known.sum(axis=1), 1), np.nan)

    @property
    def last(self) -> float:
        """The mean over clients after the last round; NaN without a round."""
        return float(self.by_round[-1]) if len(self.values) else float("nan")


def client_names(record: RunRecord) -> tuple[str, ...]:
    """Return how the clients are called.

    Parameters
    ----------
    record : RunRecord
        A run.

    Returns
    -------
    tuple of str
        The names of natural clients, else "client 1" …; the one name "joint model" across columns.
    """
    partition = partition_of(record.experiment)
    if partition.axis == "columns":
        return ("joint model",)
    names = partition.achieved.get("names")
    return tuple(map(str, names)) if names else tuple(f"client {k + 1}" for k in range(partition.parties))


def fairness_of(record: RunRecord, attribute: str | None = None) -> Fairness | None:
    """Measure group fairness by client on a run's last round.

    Parameters
    ----------
    record : RunRecord
        A run.
    attribute : str, optional
        A protected attribute; by default the data set's first.

    Returns
    -------
    Fairness or None
        ``None`` if the data set names no protected attribute.

    Raises
    ------
    KeyError
        If the attribute is unknown.
    """
    counts_by = record.groups
    if not counts_by:
        return None
    attribute = attribute or next(iter(counts_by))
    values = data_of(record.experiment).codes(attribute)[1]
    counts = counts_by[attribute]
    low, high = disparity_interval(counts)
    size = rates_from_counts(counts).size
    pooled = float(disparity_from_counts(counts.sum(0)[None])[0])
    return Fairness(
        attribute,
        values,
        client_names(record),
        disparity_from_counts(counts),
        opportunity_from_counts(counts),
        low,
        high,
        np.asarray(((size > 0) & (size < SMALL)).any(-1)),
        pooled,
        masking_gap(counts),
    )


def quality_of(record: RunRecord) -> Quality:
    """Read off a run how good its models are.

    Parameters
    ----------
    record : RunRecord
        A run, possibly without a round.

    Returns
    -------
    Quality
        Accuracy; or the root of the mean squared error, if one joint model has that loss and no accuracy.

    Examples
    --------
    >>> from trustkit import Experiment, run, use
    >>> told = quality_of(run(Experiment("wine", use("uniform", parties=2), "solo_trees", rounds=1)))
    >>> told.name, told.values.shape
    ('accuracy', (1, 1))
    """
    if not len(record):
        return Quality("accuracy", np.full((0, 1), np.nan))
    accuracy, loss = record.accuracy, record.loss
    if accuracy.shape[1] == 1 and not np.isfinite(accuracy).any() and np.isfinite(loss).any():
        return Quality("RMSE", np.sqrt(loss))
    return Quality("accuracy", accuracy)


def headline_of(record: RunRecord) -> Headline:
    """Read the headline numbers off a run.

    Parameters
    ----------
    record : RunRecord
        At least one round.

    Returns
    -------
    Headline
        Mean and worst accuracy over clients with test rows, composed ε, bytes over all rounds and parties.
    """
    accuracy = record.last.accuracy
    known = accuracy[np.isfinite(accuracy)]
    mean, worst = (float(known.mean()), float(known.min())) if known.size else (float("nan"), float("nan"))
    return Headline(
        mean,
        worst,
        float(record.last.epsilon),
        float(record.bytes_up.sum()),
        float(record.bytes_down.sum()),
        len(record),
    )
