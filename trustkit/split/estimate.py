"""Where a division of columns stands: its α by the importance of the parties, its β by the correlation between them."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from trustkit.data import Dataset
from trustkit.metrics.correlation import Definition
from trustkit.metrics.importance import party_importance
from trustkit.partition import Partition
from trustkit.records import Progress
from trustkit.split.measured import column_correlation, width
from trustkit.split.scores import scorer
from trustkit.split.search import bounds
from trustkit.split.target import measured_icor

__all__ = ["BetaEstimate", "estimate_alpha", "estimate_beta"]

Reading = Literal["paper", "package"]


def _over_columns(partition: Partition) -> None:
    if partition.axis != "columns":
        raise ValueError(f"partition must divide columns, got one over {partition.axis}")


def estimate_alpha(importance: np.ndarray, partition: Partition, reading: Reading = "package") -> float:
    """Estimate the α of a division from how unequal the importance of its parties is.

    Parameters
    ----------
    importance : (m,) or (K,) float array
        Of each column, or of each party already; finite and at least 0, in any unit. If m = K, of each column.
    partition : Partition
        Over m columns, among K ≥ 2 parties. Columns of nobody are left out; a party without columns has importance 0.
    reading : {"paper", "package"}
        Which variance Proposition 2 is given, see Notes.

    Returns
    -------
    float
        "package": at least 0, which is all importance at one party; infinity if all parties are equal. "paper": at
        least 1/K, which is equal parties; infinity if all importance is at one party. NaN if all importance is 0.

    Raises
    ------
    ValueError
        If the partition or the lengths do not fit, or an importance is negative or not finite.

    Notes
    -----
    With s the parties' shares of all importance, α = (K − 1 − K²σ)/(K³σ), where σ is

    - "package": the variance of the shares across the parties, Σ(s_k − 1/K)²/K. One draw from a symmetric Dirichlet
      distribution stands for its variance. Few important parties give a small α, as `trustkit.split.importance` has it.
    - "paper": the shares are taken as parameters of a Dirichlet distribution, and σ is the mean variance of its K
      variables, Σ s_k(1 − s_k)/(2K), because they add up to 1. That is largest for equal parties: this reading is 1/K
      there and grows as they become unequal, against the sense of α in the split.

    Source
    ------
    VertiBench (Wu et al. 2023), section 5 and Proposition 2.

    Deviations
    ----------
    The text describes the second reading; the authors' code computes the first, and divides by 0 for equal parties.

    Examples
    --------
    >>> by_party = Partition("columns", np.arange(4), 4)
    >>> round(estimate_alpha([1, 1, 1, 3], by_party), 9), round(estimate_alpha([1, 1, 1, 3], by_party, "paper"), 9)
    (2.0, 0.3125)
    """
    if reading not in get_args(Reading):
        raise ValueError(f"reading must be 'paper' or 'package', got {reading!r}")
    _over_columns(partition)
    importance, K, m = np.asarray(importance, dtype=float), partition.parties, partition.owner.size
    if K < 2:
        raise ValueError(f"partition must have at least 2 parties, got {K}")
    if importance.shape not in ((m,), (K,)):
        raise ValueError(
            f"importance must have one value for each of {m} columns or {K} parties, got shape {importance.shape}"
        )
    wrong = importance[~np.isfinite(importance) | (importance < 0)]
    if wrong.size:
        raise ValueError(f"importance must be finite and at least 0, got {wrong[0]:g}")
    scores = party_importance(importance, partition.owner, K) if importance.size == m else importance
    if not scores.any():
        return math.nan
    scores = scores / scores.max()  # sums of very large or very small numbers stay finite
    if np.ptp(scores) <= 1e-12:
        return math.inf if reading == "package" else 1 / K
    shares = scores / scores.sum()
    variance = float(shares.var() if reading == "package" else (shares * (1 - shares)).sum() / (2 * K))
    return max((K - 1 - K**2 * variance) / (K**3 * variance), 0.0) if variance > 0 else math.inf


@dataclass(frozen=True)
class BetaEstimate:
    """Where the correlation between the parties of a division lies between its bounds.

    Parameters
    ----------
    beta : float
        In [0, 1]: 0 at the least and 1 at the greatest Icor found; NaN if all divisions score alike.
    unclipped : float
        The same, below 0 or above 1 if the division lies beyond what the search found.
    icor : float
        Of the division; NaN if fewer than two parties have columns.
    bounds : (float, float)
        The least and the greatest Icor for parties of these sizes.
    bounds_exact : bool
        Whether every division was tried.
    definition : {"paper", "package"}
        Of Icor.
    evaluations : int
        Divisions that the search scored.
    seconds : float
        How long the estimate took.
    approximated : str, optional
        What was estimated rather than computed, in a sentence: the singular values of very large blocks.
    """

    beta: float
    unclipped: float
    icor: float
    bounds: tuple[float, float]
    bounds_exact: bool
    definition: Definition
    evaluations: int
    seconds: float
    approximated: str | None = None


def estimate_beta(
    data: Dataset | np.ndarray,
    partition: Partition,
    definition: Definition = "paper",
    seed: int = 0,
    progress: Progress | None = None,
) -> BetaEstimate:
    """Estimate the β of a division from its correlation between parties.

    Parameters
    ----------
    data : Dataset or (n, m) float array
        Whose columns are divided; correlation is measured on training rows.
    partition : Partition
        Over the m columns. Columns of nobody and parties without columns are left out.
    definition : {"paper", "package"}
        Which Icor, as for `trustkit.metrics.icor`.
    seed : int
        Of the search for the bounds.
    progress : callable, optional
        Told of the search; may raise `trustkit.records.Stopped`.

    Returns
    -------
    BetaEstimate
        β, and all that it depends on. All values are NaN if fewer than two parties have columns.

    Raises
    ------
    ValueError
        If the partition does not fit the data, the definition is unknown, or a value is missing or infinite.

    Notes
    -----
    (Icor − min)/(max − min), clipped to [0, 1]. The bounds are those of parties of the same sizes, from the same search
    as in `trustkit.split.correlation`: a division made there with the same seed has the β that was noted down.

    Source
    ------
    VertiBench (Wu et al. 2023), section 5.

    Deviations
    ----------
    Bounds by annealing, see `trustkit.split.search.bounds`: they lie further apart than those of the authors' genetic
    search, so that β differs.

    Examples
    --------
    >>> x, y, z = np.array([1.0, 2, 3, 4]), np.array([1.0, -1, -1, 1]), np.array([1.0, -1, 1, -1])
    >>> estimate_beta(np.column_stack([x, x, y, z]), Partition("columns", np.array([0, 0, 1, 1]), 2)).beta
    0.0
    """
    begin = time.perf_counter()
    if definition not in get_args(Definition):
        raise ValueError(f"definition must be 'paper' or 'package', got {definition!r}")
    _over_columns(partition)
    if partition.owner.size != width(data):
        raise ValueError(f"partition must cover the {width(data)} columns of data, got {partition.owner.size}")
    corr, held = column_correlation(data), np.flatnonzero(partition.owner >= 0)
    if held.size < partition.owner.size:
        corr = corr[np.ix_(held, held)]
    parties, owner, sizes = np.unique(partition.owner[held], return_inverse=True, return_counts=True)
    if parties.size < 2:
        nan = math.nan
        return BetaEstimate(nan, nan, nan, (nan, nan), True, definition, 0, time.perf_counter() - begin)
    ends = bounds(corr, sizes.tolist(), seed, definition, progress=progress)
    value = measured_icor(scorer(corr, sizes.tolist(), definition), owner, definition)
    beta = ends.beta(value)
    return BetaEstimate(
        float(np.clip(beta, 0.0, 1.0)), beta, value, (ends.min, ends.max), ends.exact, definition, ends.evaluations,
        time.perf_counter() - begin, ends.approximated,
    )  # fmt: skip
