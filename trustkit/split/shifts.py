"""Clients that differ in what they see or in what it means: noise on features, other labels, rows held out client-wise.

Each changes the data, not who owns them, so each returns a data set.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from trustkit.data import Dataset
from trustkit.partition import Partition
from trustkit.rng import stream

__all__ = ["concept_shift", "feature_noise", "hold_out"]


def _clients(what: str, data: Dataset, partition: Partition) -> None:
    if partition.axis != "rows" or partition.owner.size != data.y.size:
        raise ValueError(
            f"{what} needs clients that hold the {data.y.size} rows of {data.name}, "
            f"got a partition of {partition.owner.size} {partition.axis}"
        )


def _within(what: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise ValueError(f"{what} must be between {low:g} and {high:g}, got {value!r}")


def _changed(data: Dataset, what: str, settings: dict[str, Any], **parts: Any) -> Dataset:
    source = f"{data.provenance.source} ({what} changed on purpose)"
    return dataclasses.replace(
        data, notes={**data.notes, **settings}, provenance=dataclasses.replace(data.provenance, source=source), **parts
    )


def feature_noise(data: Dataset, partition: Partition, sigma: float = 0.1, seed: int = 0) -> Dataset:
    """Add noise to the features that grows from client to client.

    Parameters
    ----------
    data : Dataset
        With a dense X.
    partition : Partition
        Over rows, K clients.
    sigma : float
        Standard deviation of the last client's noise, in standard deviations of each column, in [0, 100].
    seed : int
        Any integer.

    Returns
    -------
    Dataset
        X changed of training and held-out rows, unless nobody owns them; ``notes["feature_noise"]`` says how. Every
        client draws from a stream of its own.

    Raises
    ------
    ValueError
        If sigma is out of range, X is sparse, or the partition does not fit.

    Notes
    -----
    x + σ (k + 1)/K s_j z with z ~ N(0, 1), for client k = 0 … K−1 and the standard deviation s_j of column j over all
    training rows.

    Source
    ------
    The noise-based feature skew of Li et al. (2022).

    Deviations
    ----------
    There σ (k + 1)/K is the variance for features that are scaled already; here it is the standard deviation, in units
    of the column's own.

    Examples
    --------
    >>> from trustkit.data import Provenance
    >>> data = Dataset("d", np.eye(4), np.arange(4) % 2, tuple("abcd"), ("no", "yes"), Provenance("me", "CC0"))
    >>> noisy = feature_noise(data, Partition("rows", np.array([0, 0, 1, -1]), 2), sigma=0.5)
    >>> (noisy.X != data.X).any(axis=1).tolist()
    [True, True, True, False]
    """
    _clients("feature noise", data, partition)
    _within("sigma", sigma, 0, 100)
    if data.sparse:
        raise ValueError(f"feature noise needs a dense X, got the sparse one of {data.name}; see Dataset.dense")
    X = np.array(data.X, dtype=float)
    width = X[~data.held_out].std(axis=0)
    for k in range(partition.parties):
        own = partition.members(k)
        noise = stream(seed, "feature_noise", k).normal(size=(own.size, X.shape[1]))
        X[own] += sigma * (k + 1) / partition.parties * width * noise
    return _changed(data, "features", {"feature_noise": {"sigma": float(sigma), "seed": int(seed)}}, X=X)


def concept_shift(
    data: Dataset, partition: Partition, amount: float = 1.0, concepts: int = 2, seed: int = 0
) -> Dataset:
    """Let the same features mean other classes at some clients.

    Parameters
    ----------
    data : Dataset
        With C classes.
    partition : Partition
        Over rows, K clients.
    amount : float
        Which part of a client's rows has shifted labels, in [0, 1]; rounded to whole rows, drawn at random.
    concepts : int
        How many meanings there are, in [2, C]; client k has meaning k mod ``concepts``, and meaning 0 is the data's.
    seed : int
        Any integer. A larger amount shifts the rows of a smaller one and some more.

    Returns
    -------
    Dataset
        y changed of training and held-out rows alike, since a client is tested on what it means;
        ``notes["concept_shift"]`` says how.

    Raises
    ------
    ValueError
        If a number is out of range, there are no classes, or the partition does not fit.

    Notes
    -----
    Meaning c turns class y into (y + c) mod C.

    Source
    ------
    Clustered federated learning with swapped labels, as in Sattler et al. (2020).

    Deviations
    ----------
    Labels are turned round, not swapped in pairs, so that all meanings differ in every class.

    Examples
    --------
    >>> from trustkit.data import Provenance
    >>> data = Dataset("d", np.eye(4), np.arange(4) % 2, tuple("abcd"), ("no", "yes"), Provenance("me", "CC0"))
    >>> concept_shift(data, Partition("rows", np.array([0, 0, 1, 1]), 2)).y.tolist()
    [0, 1, 1, 0]
    """
    _clients("a concept shift", data, partition)
    if data.task == "regression":
        raise ValueError(f"a concept shift needs classes, but {data.name} has a number as its target (a regression)")
    _within("amount", amount, 0, 1)
    _within("concepts", concepts, 2, len(data.classes))
    chance, y = stream(seed, "concept_shift").random(data.y.size), np.array(data.y)
    for k in range(partition.parties):
        for part in (data.held_out, ~data.held_out):
            own = np.flatnonzero((partition.owner == k) & part)
            turned = own[np.argsort(chance[own], kind="stable")[: round(amount * own.size)]]
            y[turned] = (y[turned] + k % concepts) % len(data.classes)
    settings = {"amount": float(amount), "concepts": int(concepts), "seed": int(seed)}
    return _changed(data, "labels", {"concept_shift": settings}, y=y)


def hold_out(data: Dataset, partition: Partition, share: float = 0.2, seed: int = 0) -> Dataset:
    """Hold out rows of every client at random.

    Parameters
    ----------
    data : Dataset
        Whatever it holds out already is forgotten.
    partition : Partition
        Over rows, K clients.
    share : float
        Of each client's rows, in [0, 1); rounded to whole rows, a client keeps at least one for training.
    seed : int
        Any integer.

    Returns
    -------
    Dataset
        With other held-out rows. Rows that nobody owns are not held out.

    Raises
    ------
    ValueError
        If the share is out of range or the partition does not fit.

    Examples
    --------
    >>> from trustkit.data import FederatedDataset, Provenance
    >>> data = Dataset("d", np.eye(4), np.arange(4) % 2, tuple("abcd"), ("no", "yes"), Provenance("me", "CC0"))
    >>> part = Partition("rows", np.array([0, 0, 1, 1]), 2)
    >>> FederatedDataset(hold_out(data, part, share=0.5), part).stacked("test").sizes.tolist()
    [1, 1]
    """
    _clients("holding out", data, partition)
    if not 0 <= share < 1:
        raise ValueError(f"share must be at least 0 and below 1, got {share!r}")
    held, chance = np.zeros(data.y.size, bool), stream(seed, "hold_out").random(data.y.size)
    for k in range(partition.parties):
        own = partition.members(k)
        held[own[np.argsort(chance[own], kind="stable")[: min(round(share * own.size), max(own.size - 1, 0))]]] = True
    return dataclasses.replace(data, held_out=held)
