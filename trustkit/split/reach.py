"""How far the gaps of clients can be widened."""

from __future__ import annotations

from typing import Any

import numpy as np

from trustkit.data import Dataset
from trustkit.partition import Partition
from trustkit.split.tables import Cohort, attribute_codes, check_clients

__all__ = ["reachable_gap"]


def reachable_gap(data: Dataset, partition: Partition, attribute: str, value: Any = None) -> np.ndarray:
    """Return the largest gap of the labels that every client can be given.

    Parameters
    ----------
    data : Dataset
        With classes and protected attributes.
    partition : Partition
        Over rows.
    attribute : str
        A protected attribute, or several crossed, as ``"sex & race"``.
    value : object, optional
        The group that shall be the worst off, by its value; by default the one that is.

    Returns
    -------
    (K,) float array
        In [0, 1]; NaN where a client has training rows of fewer than two groups, or none of that value.

    Raises
    ------
    KeyError
        If there is no such attribute.
    ValueError
        If the attribute has no such value, or the data have no classes.

    Notes
    -----
    The largest rate of the other groups: the worst off can come down to 0. Where all training rows of the worst off are
    favourable, flipping gets there, dropping does not.

    Examples
    --------
    >>> from trustkit.data import Provenance
    >>> made, sex = Provenance("made up", "CC0", synthetic=True), np.array(list("ffmm"))
    >>> data = Dataset("d", np.eye(4), np.array([0, 1, 1, 1]), tuple("abcd"), ("no", "yes"), made, {"sex": sex})
    >>> part = Partition("rows", np.zeros(4, int), 1)
    >>> reachable_gap(data, part, "sex").tolist(), reachable_gap(data, part, "sex", "m").tolist()
    ([1.0], [0.5])
    """
    check_clients(data, partition)
    coded = attribute_codes(data, attribute)
    if value is not None and str(value) not in coded.values:
        raise ValueError(f"{attribute} must be one of {', '.join(coded.values)}, got {str(value)!r}")
    cohort = Cohort(data, partition, np.zeros(data.y.size))
    most = np.full(partition.parties, np.nan)
    for k in range(partition.parties):
        table = cohort.table(k, coded)
        size = table.sum(axis=1)
        rate = np.divide(table[:, 1], size, out=np.full(size.size, np.nan), where=size > 0)
        low = coded.values.index(str(value)) if value is not None else int(np.argmin(np.where(size > 0, rate, 2.0)))
        others = np.delete(rate, low)
        if size[low] and not np.isnan(others).all():
            most[k] = np.nanmax(others)
    return most
