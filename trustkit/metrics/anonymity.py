"""How well the rows of a table hide among each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

__all__ = ["equivalence_classes", "k_anonymity", "l_diversity"]

Columns = np.ndarray | Sequence[Any]
"""A matrix (n, q), or q columns (n,) of any kinds."""


def _codes(column: Any) -> np.ndarray:
    """Number the values of a column; NaN is a value like any other."""
    values = np.asarray(column)
    if values.dtype.kind != "O":
        return np.unique(values, return_inverse=True)[1]
    seen: dict[Any, int] = {}
    return np.array([seen.setdefault(None if v != v else v, len(seen)) for v in values], int)


def equivalence_classes(quasi: Columns) -> np.ndarray:
    """Number the groups of rows that nothing tells apart.

    Parameters
    ----------
    quasi : (n, q) array or sequence of q columns (n,)
        The quasi-identifiers: what an outsider may know of a person. Missing values are one value.

    Returns
    -------
    (n,) int array
        0 … G − 1: rows with equal quasi-identifiers have one number.

    Raises
    ------
    ValueError
        If there is no column, or if columns differ in length.

    Notes
    -----
    Columns are combined one after the other and renumbered each time, so that no product of their sizes overflows.

    Source
    ------
    Samarati and Sweeney (1998), "Protecting privacy when disclosing information": quasi-identifier groups.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> equivalence_classes([["a", "a", "b"], [30, 30, 30]]).tolist()
    [0, 0, 1]
    """
    columns = list(quasi.T) if isinstance(quasi, np.ndarray) and quasi.ndim == 2 else list(quasi)
    lengths = {np.shape(column) for column in columns}
    if len(lengths) != 1 or len(next(iter(lengths))) != 1:
        raise ValueError(f"quasi must be columns of one length, got shapes {sorted(lengths)}")
    group = _codes(columns[0])
    for column in columns[1:]:
        code = _codes(column)
        group = np.unique(group * (int(code.max(initial=0)) + 1) + code, return_inverse=True)[1]
    return group


def k_anonymity(quasi: Columns) -> float:
    """Return the size of the smallest group of rows that nothing tells apart.

    Parameters
    ----------
    quasi : (n, q) array or sequence of q columns (n,)
        The quasi-identifiers: what an outsider may know of a person. Missing values are one value.

    Returns
    -------
    float
        k, a whole number from 1 (somebody stands alone) to n; NaN for an empty table.

    Raises
    ------
    ValueError
        If there is no column, or if columns differ in length.

    Notes
    -----
    k = min over groups of their number of rows: each row is one of at least k that look the same.

    Source
    ------
    Samarati and Sweeney (1998), "Protecting privacy when disclosing information"; FederatedTrust (Sánchez Sánchez et
    al. 2024), "Anonymization".

    Deviations
    ----------
    None. Columns of real numbers make nearly every row a group of its own: generalise them first, as the definition
    assumes.

    Examples
    --------
    >>> k_anonymity([["a", "a", "b", "b", "b"], [30, 30, 40, 40, 40]])
    2.0
    """
    group = equivalence_classes(quasi)
    return float(np.bincount(group).min()) if group.size else float("nan")


def l_diversity(quasi: Columns, sensitive: Any, kind: Literal["distinct", "entropy"] = "distinct") -> float:
    """Return how many sensitive values the least diverse group of rows has.

    Parameters
    ----------
    quasi : (n, q) array or sequence of q columns (n,)
        The quasi-identifiers: what an outsider may know of a person. Missing values are one value.
    sensitive : (n,) array
        What must not be learnt.
    kind : {"distinct", "entropy"}
        "distinct" counts values; "entropy" counts them by how evenly they occur.

    Returns
    -------
    float
        l, from 1 (a group gives its value away) to the number of values; whole for "distinct"; NaN for an empty table.

    Raises
    ------
    ValueError
        If there is no column, if lengths differ, or if the kind is unknown.

    Notes
    -----
    min over groups of the number of values, or of exp(−Σ p log p) with p a value's share of the group's rows. The
    second never exceeds the first.

    Source
    ------
    Machanavajjhala et al. (2007), "l-diversity: privacy beyond k-anonymity", Definitions 3.1 and 4.1; FederatedTrust
    (Sánchez Sánchez et al. 2024), "Anonymization".

    Deviations
    ----------
    Entropy l-diversity is stated as the largest l for which it holds.

    Examples
    --------
    >>> round(l_diversity([["a", "a", "b", "b"]], ["flu", "cold", "flu", "cold"], kind="entropy"), 6)
    2.0
    """
    if kind not in ("distinct", "entropy"):
        raise ValueError(f"kind must be 'distinct' or 'entropy', got {kind!r}")
    group = equivalence_classes(quasi)
    value = _codes(sensitive)
    if value.shape != group.shape:
        raise ValueError(f"sensitive must have one value for each of the {group.size} rows, got {value.size}")
    if not group.size:
        return float("nan")
    width = int(value.max()) + 1
    cells, counts = np.unique(group.astype(np.int64) * width + value, return_counts=True)
    of = cells // width
    if kind == "distinct":
        return float(np.bincount(of).min())
    shares = counts / np.bincount(group)[of]
    return float(np.exp(np.bincount(of, -shares * np.log(shares)).min()))
