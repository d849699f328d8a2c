"""How unlike clients are: each pair of them, and each of them and all together."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from trustkit.metrics.coding import Coded, group_codes, intersection
from trustkit.metrics.distances import hellinger, jensen_shannon, kl_divergence, total_variation
from trustkit.metrics.heterogeneity import label_distribution
from trustkit.metrics.transport import earth_movers

if TYPE_CHECKING:
    from trustkit.data import FederatedDataset

__all__ = ["DISTANCES", "Spread", "client_distributions", "distance_matrix", "distance_to_pool", "quantile_bins"]

Distance = Callable[..., Any]

DISTANCES: dict[str, Distance] = {
    "hellinger": hellinger, "jensen_shannon": jensen_shannon, "total_variation": total_variation,
    "earth_movers": earth_movers, "kl_divergence": kl_divergence,
}  # fmt: skip
"""The distances by name."""


class Spread(NamedTuple):
    """Rows by client and value: ``counts`` (K, C) int; ``values``, the C values as text."""

    counts: np.ndarray
    values: tuple[str, ...]


def quantile_bins(x: Any, bins: int = 10, reference: Any = None) -> np.ndarray:
    """Number the bins of a feature that hold about equally many rows each.

    Parameters
    ----------
    x : (n,) float array
        The feature.
    bins : int
        At least 1. Equal values share a bin, so that there may be fewer.
    reference : (r,) float array, optional
        The rows whose quantiles are the edges; by default x.

    Returns
    -------
    (n,) int array
        0 … bins−1, ascending with x; the last one for NaN.

    Raises
    ------
    ValueError
        If bins are below 1, or if x is no vector.

    Notes
    -----
    Bin j holds the x from the quantile j/bins (included) to the quantile (j + 1)/bins (not included).

    Source
    ------
    Textbook definition.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> quantile_bins([3.0, 1.0, 2.0, 4.0], bins=2).tolist()
    [1, 0, 0, 1]
    """
    if bins < 1:
        raise ValueError(f"bins must be at least 1, got {bins!r}")
    values = np.asarray(x, dtype=float)
    if values.ndim != 1:
        raise ValueError(f"x must be a vector, got shape {values.shape}")
    known = np.asarray(values if reference is None else reference, dtype=float)
    known = known[~np.isnan(known)]
    if not known.size:
        return np.zeros(values.size, int)
    edges = np.quantile(known, np.arange(1, bins) / bins)
    return np.asarray(np.searchsorted(edges, values, side="right"))


def client_distributions(
    fed: FederatedDataset, *of: str, bins: int = 10, part: Literal["train", "test"] = "train"
) -> Spread:
    """Count the rows of every client by label, attribute, feature, or several of these crossed.

    Parameters
    ----------
    fed : FederatedDataset
        K clients that hold rows.
    *of : str
        ``"label"``, a protected attribute or a column; several are crossed: ``"label", "sex"``. By default the label.
    bins : int
        A column, or a label that is a number, is cut at its quantiles over the rows that count; at least 1.
    part : {"train", "test"}
        Which rows count: those for training, or those held out.

    Returns
    -------
    Spread
        Counts and what they count. Rows that lack a value are not counted.

    Raises
    ------
    KeyError
        If there is no such attribute or column; the message lists the attributes.
    ValueError
        If the data are divided by columns, or the part is another.

    Source
    ------
    Counting; nothing is defined by it.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> from trustkit.data import Dataset, FederatedDataset, Partition, Provenance
    >>> made = Provenance("made up", "CC0", synthetic=True)
    >>> data = Dataset("d", np.eye(4), np.array([0, 1, 1, 1]), tuple("abcd"), ("no", "yes"), made,
    ...                sensitive={"sex": np.array(list("fmfm"))})
    >>> fed = FederatedDataset(data, Partition("rows", np.array([0, 0, 1, 1]), 2))
    >>> client_distributions(fed, "label", "sex").counts.tolist()
    [[1, 0, 0, 1], [0, 0, 1, 1]]
    """
    if fed.partition.axis != "rows":
        raise ValueError("clients must hold rows to be compared, got a partition of the columns")
    if part not in ("train", "test"):
        raise ValueError(f"part must be 'train' or 'test', got {part!r}")
    counted = (fed.data.held_out == (part == "test")) & (fed.partition.owner >= 0)
    codes, values = intersection(*(_coded(fed, name, bins, counted) for name in of or ("label",)))
    owner = np.where(counted & (codes >= 0), fed.partition.owner, -1)
    return Spread(label_distribution(np.maximum(codes, 0), owner, len(fed), len(values)), values)


def _coded(fed: FederatedDataset, name: str, bins: int, counted: np.ndarray) -> Coded:
    data = fed.data
    if name == "label" and data.classes:
        return Coded(np.asarray(data.y), data.classes)
    if name in data.sensitive:
        return group_codes(data.sensitive[name])
    if name != "label" and name not in data.columns:
        known = ", ".join(["label", *data.sensitive])
        raise KeyError(f"{data.name} has no attribute or column {name!r}; besides its columns it has {known}")
    if name == "label":
        x = np.asarray(data.y, dtype=float)
    else:
        column = data.X[:, [data.columns.index(name)]]
        x = np.asarray(column.toarray() if data.sparse else column, dtype=float)[:, 0]
    codes = np.where(np.isnan(x), -1, quantile_bins(x, bins, x[counted]))
    return Coded(codes, tuple(f"bin {j + 1}" for j in range(bins)))


def _measure(distance: str | Distance) -> Distance:
    if callable(distance):
        return distance
    if distance not in DISTANCES:
        raise ValueError(f"distance must be a function or one of {', '.join(DISTANCES)}, got {distance!r}")
    return DISTANCES[distance]


def _table(counts: Any) -> np.ndarray:
    table = np.asarray(counts, dtype=float)
    if table.ndim != 2:
        raise ValueError(f"counts must be a table of clients and outcomes, got shape {table.shape}")
    return table


def distance_matrix(counts: Any, distance: str | Distance = "hellinger", **settings: Any) -> np.ndarray:
    """Return the distance between every two clients.

    Parameters
    ----------
    counts : (K, C) array
        Counts or probabilities by client, for example of `client_distributions`.
    distance : str or callable
        One of `DISTANCES`, or a function of p (…, C) and q (…, C).
    **settings
        Passed on: ``base``, ``cost``, ``smoothing``.

    Returns
    -------
    (K, K) float array
        Row k is the distance from client k; NaN where a client has no rows.

    Raises
    ------
    ValueError
        If the counts are no table or the distance is unknown; or as the distance.

    Notes
    -----
    D_kl = d(p_k, p_l), each client's counts divided by their sum.

    Source
    ------
    The distance's own.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> distance_matrix([[2, 0], [0, 1], [1, 1]], "total_variation").tolist()
    [[0.0, 1.0, 0.5], [1.0, 0.0, 0.5], [0.5, 0.5, 0.0]]
    """
    table, measure = _table(counts), _measure(distance)
    return np.array([measure(row, table, **settings) for row in table]).reshape(len(table), len(table))


def distance_to_pool(counts: Any, distance: str | Distance = "hellinger", **settings: Any) -> np.ndarray:
    """Return the distance of every client from all clients together, itself among them.

    Parameters
    ----------
    counts : (K, C) array
        Counts by client, for example of `client_distributions`: a client with more rows weighs more in the pool.
    distance : str or callable
        One of `DISTANCES`, or a function of p (…, C) and q (…, C).
    **settings
        Passed on: ``base``, ``cost``, ``smoothing``.

    Returns
    -------
    (K,) float array
        d(client, pool); NaN where a client has no rows.

    Raises
    ------
    ValueError
        If the counts are no table or the distance is unknown; or as the distance.

    Notes
    -----
    d(p_k, p) with p = Σ_k counts_k / Σ counts.

    Source
    ------
    The distance's own.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> distance_to_pool([[2, 0], [0, 1], [1, 0]], "total_variation").tolist()
    [0.25, 0.75, 0.25]
    """
    table, measure = _table(counts), _measure(distance)
    return np.asarray(measure(table, table.sum(axis=0), **settings)).reshape(len(table))
