"""Row splits with one number each: skewed attributes, label and attribute together, features, and sizes.

Training and held-out rows are divided by the same rule with the same shares, so that clients are tested on their kind.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from trustkit.catalogue import SPLITS, Interval, Use
from trustkit.data import Dataset
from trustkit.metrics.coding import Coded, intersection
from trustkit.metrics.distances import total_variation
from trustkit.metrics.heterogeneity import label_distribution
from trustkit.metrics.unlike import distance_to_pool, quantile_bins
from trustkit.partition import Partition
from trustkit.rng import stream
from trustkit.split.dealing import Alpha, Clients, MinRows, asked_for, deal, filled, report
from trustkit.split.shares import dirichlet_shares
from trustkit.split.tables import attribute_codes

__all__ = ["attribute_skew", "feature_skew", "joint_skew"]

Attribute = Annotated[str, "which protected attribute, or several crossed as sex & race; empty for the first"]


def _dealt(
    asked: Use, data: Dataset, coded: Coded, seed: int, measured: str, path: str
) -> tuple[np.ndarray, dict[str, Any]]:
    """Deal the rows of every value in Dirichlet shares; rows that lack a value are dealt as a value of their own."""
    K, C = asked.args["parties"], len(coded.values)
    code = np.where(coded.codes < 0, C, coded.codes)
    chance = stream(seed, path, "rows").random(data.y.size)
    shares = dirichlet_shares(np.full(K, asked.args["alpha"]), stream(seed, path, "shares").random((C + 1, K)))
    owner = deal(code + (C + 1) * data.held_out, np.tile(shares, (2, 1)), chance)
    owner, moved = filled(data, owner, asked.args, chance)
    counts = label_distribution(code, np.where(data.held_out, -1, owner), K, C + 1)
    apart = distance_to_pool(counts[:, :C], total_variation)
    known = apart[~np.isnan(apart)]
    achieved = report(
        data, owner, K, seed, moved=moved, alpha=_alpha(counts[:, :C]),
        **{measured: float(known.mean()) if known.size else float("nan")},
    )  # fmt: skip
    return owner, achieved


def _alpha(counts: np.ndarray) -> float:
    """Estimate α from the variance of the clients' shares of each value, (K − 1)/(K² (Kα + 1)); infinite if it is 0."""
    K, total = len(counts), counts.sum(axis=0)
    shares = counts[:, total > 0] / total[total > 0]
    variance = float(((shares - 1 / K) ** 2).mean()) if shares.size else float("nan")
    if variance == 0:
        return float("inf")
    return max(((K - 1) / (K * K * variance) - 1) / K, 0.0)


def _attribute(data: Dataset, attribute: str) -> Coded:
    """Number the values of a protected attribute, by default the first."""
    if not data.sensitive:
        raise ValueError(f"a skew of an attribute needs a protected attribute, got {data.name}, which has none")
    chosen = attribute or next(iter(data.sensitive))
    coded = attribute_codes(data, chosen)
    if len(coded.values) < 2:
        raise ValueError(f"{chosen} of {data.name} must have at least 2 values, got {len(coded.values)}")
    return coded


@SPLITS.enter("attribute_skew", title="attribute skew (Dirichlet α)", axis="rows")
def attribute_skew(
    data: Dataset, parties: Clients = 10, alpha: Alpha = 0.5, attribute: Attribute = "", min_rows: MinRows = 5,
    seed: int = 0,
) -> Partition:  # fmt: skip
    """Deal the rows of each value of a protected attribute in shares drawn from a Dirichlet distribution.

    Parameters
    ----------
    data : Dataset
        With protected attributes.
    parties : int
        Clients K, in [2, 100].
    alpha : float
        Concentration, in [0.01, 100]: at 100 clients are much alike, at 0.01 a value goes almost whole to one client.
    attribute : str
        A protected attribute, or several crossed as "sex & race"; empty for the first.
    min_rows : int
        Training rows that every client gets at least, in [1, 1000]; K·min_rows at most the training rows.
    seed : int
        Any integer.

    Returns
    -------
    Partition
        Over rows. ``achieved``: counts and test_counts (K,), label_skew, attribute_skew in [0, 1] (mean total variation
        from all clients together), alpha (estimated from the shares that clients have), moved, seed.

    Raises
    ------
    ValueError, TypeError
        If a parameter is out of range, the rows are too few, or there is no attribute with two values.
    KeyError
        If there is no such attribute.

    Notes
    -----
    For each value a, (p_a1, …, p_aK) ~ Dirichlet(α, …, α); client k gets the part p_ak of its rows.

    Source
    ------
    The label-skew split of Hsu et al. (2019), with the attribute in the place of the label.

    Deviations
    ----------
    As for `dirichlet`. With few values a small α makes sizes unequal as well: some clients get next to nothing.

    Examples
    --------
    >>> from trustkit.data import Provenance
    >>> made, sex = Provenance("me", "CC0"), {"sex": np.repeat(["f", "m"], 100)}
    >>> data = Dataset("d", np.zeros((200, 1)), np.arange(200) % 2, ("a",), ("no", "yes"), made, sensitive=sex)
    >>> made = [attribute_skew(data, parties=4, alpha=alpha, seed=1) for alpha in (0.01, 100)]
    >>> [round(each.achieved["attribute_skew"], 2) for each in made]
    [0.5, 0.03]
    """
    asked = asked_for(
        "attribute_skew", data, parties=parties, alpha=alpha, attribute=attribute, min_rows=min_rows
    )  # fmt: skip
    coded = _attribute(data, attribute)
    owner, achieved = _dealt(asked, data, coded, seed, "attribute_skew", "attribute_skew")
    return Partition("rows", owner, asked.args["parties"], asked, achieved)


@SPLITS.enter("joint_skew", title="label × attribute skew (Dirichlet α)", axis="rows")
def joint_skew(
    data: Dataset, parties: Clients = 10, alpha: Alpha = 0.5, attribute: Attribute = "", min_rows: MinRows = 5,
    seed: int = 0,
) -> Partition:  # fmt: skip
    """Deal the rows of each pair of class and attribute value in shares drawn from a Dirichlet distribution.

    Parameters
    ----------
    data : Dataset
        With classes and protected attributes.
    parties : int
        Clients K, in [2, 100].
    alpha : float
        Concentration, in [0.01, 100]: if small, which group is the worse off differs from client to client.
    attribute : str
        A protected attribute, or several crossed as "sex & race"; empty for the first.
    min_rows : int
        Training rows that every client gets at least, in [1, 1000]; K·min_rows at most the training rows.
    seed : int
        Any integer.

    Returns
    -------
    Partition
        Over rows. ``achieved``: counts and test_counts (K,), label_skew, joint_skew in [0, 1] (mean total variation
        from all clients together), alpha (estimated from the shares that clients have), moved, seed.

    Raises
    ------
    ValueError, TypeError
        If a parameter is out of range, the rows are too few, or there are no classes or no attribute with two values.
    KeyError
        If there is no such attribute.

    Notes
    -----
    For each pair (y, a), (p_1, …, p_K) ~ Dirichlet(α, …, α); client k gets the part p_k of its rows.

    Source
    ------
    The label-skew split of Hsu et al. (2019), with pairs in the place of labels.

    Deviations
    ----------
    As for `dirichlet`.

    Examples
    --------
    >>> from trustkit.data import Provenance
    >>> made, sex = Provenance("me", "CC0"), {"sex": np.repeat(["f", "m"], 100)}
    >>> data = Dataset("d", np.zeros((200, 1)), np.arange(200) % 2, ("a",), ("no", "yes"), made, sensitive=sex)
    >>> joint_skew(data, parties=4, alpha=0.01).achieved["joint_skew"] > 0.4
    True
    """
    asked = asked_for(
        "joint_skew", data, labels=True, parties=parties, alpha=alpha, attribute=attribute, min_rows=min_rows
    )
    coded = intersection(Coded(np.asarray(data.y), data.classes), _attribute(data, attribute))
    owner, achieved = _dealt(asked, data, coded, seed, "joint_skew", "joint_skew")
    return Partition("rows", owner, asked.args["parties"], asked, achieved)


@SPLITS.enter("feature_skew", title="feature skew (Dirichlet α over quantiles)", axis="rows")
def feature_skew(
    data: Dataset, parties: Clients = 10, alpha: Alpha = 0.5,
    column: Annotated[str, "which feature; empty for the mean of all, each scaled"] = "",
    bins: Annotated[int, Interval(2, 50), "quantiles that the feature is cut at"] = 10,
    min_rows: MinRows = 5, seed: int = 0,
) -> Partition:  # fmt: skip
    """Deal the rows of each quantile of a feature in shares drawn from a Dirichlet distribution.

    Parameters
    ----------
    data : Dataset
        With a feature that varies.
    parties : int
        Clients K, in [2, 100].
    alpha : float
        Concentration, in [0.01, 100]: at 100 clients are much alike, at 0.01 a range goes almost whole to one client.
    column : str
        A feature's name; empty for the mean over all features, each divided by its standard deviation.
    bins : int
        Ranges with about equally many training rows, in [2, 50]; equal values stay together.
    min_rows : int
        Training rows that every client gets at least, in [1, 1000]; K·min_rows at most the training rows.
    seed : int
        Any integer.

    Returns
    -------
    Partition
        Over rows. ``achieved``: counts and test_counts (K,), label_skew, feature_skew in [0, 1] (mean total variation
        over the ranges from all clients together), alpha (estimated from clients' shares), moved, seed.

    Raises
    ------
    ValueError, TypeError
        If a parameter is out of range, the rows are too few, or the feature is constant.
    KeyError
        If there is no such feature.

    Notes
    -----
    For each range b, (p_b1, …, p_bK) ~ Dirichlet(α, …, α); client k gets the part p_bk of its rows.

    Source
    ------
    The feature skew of FedArtML that deals a histogram's bins.

    Deviations
    ----------
    As for `dirichlet`; features are scaled before their mean is taken.

    Examples
    --------
    >>> from trustkit.data import Provenance
    >>> X, y = np.arange(200.0)[:, None], np.arange(200) % 2
    >>> data = Dataset("d", X, y, ("a",), ("no", "yes"), Provenance("me", "CC0"))
    >>> skews = [feature_skew(data, parties=4, alpha=alpha).achieved["feature_skew"] for alpha in (0.01, 100)]
    >>> skews[0] > 0.5, skews[1] < 0.15
    (True, True)
    """
    asked = asked_for(
        "feature_skew", data, parties=parties, alpha=alpha, column=column, bins=bins, min_rows=min_rows
    )  # fmt: skip
    values = _feature(data, column)
    codes = quantile_bins(values, bins, values[~data.held_out])
    if np.unique(codes[~data.held_out]).size < 2:
        raise ValueError(f"{column or 'the mean of the features'} of {data.name} must vary, got one value or almost")
    coded = Coded(codes, tuple(f"bin {j + 1}" for j in range(bins)))
    owner, achieved = _dealt(asked, data, coded, seed, "feature_skew", "feature_skew")
    return Partition("rows", owner, asked.args["parties"], asked, achieved)


def _feature(data: Dataset, column: str) -> np.ndarray:
    """Return one feature, or the mean of all, each scaled by the training rows."""
    if column and column not in data.columns:
        raise KeyError(f"{data.name} has no column {column!r}; it has {len(data.columns)}, from {data.columns[0]} on")
    if column:
        one = data.X[:, [data.columns.index(column)]]
        return np.asarray(one.toarray() if data.sparse else one, dtype=float)[:, 0]
    scaled = data.scaled().X if data.scaling != "none" else data.X
    return np.asarray(scaled.mean(axis=1), dtype=float).ravel()
