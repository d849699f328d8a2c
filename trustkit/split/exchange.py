"""Two parties that exchange columns one by one: does the measure of correlation see how far they are apart?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from trustkit.metrics.correlation import Definition, mcor, pcor

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["exchange"]


def exchange(corr: np.ndarray, first: int, definition: Definition = "paper") -> pd.DataFrame:
    """Exchange the columns of two parties one for one, and measure both after every exchange.

    Parameters
    ----------
    corr : (m, m) float array
        Correlations of the columns, in [−1, 1], symmetric.
    first : int
        Columns of party 1, 1 to m − 1: at the beginning it holds the first ones, and party 2 the rest.
    definition : {"paper", "package"}
        Of Pcor, as for `trustkit.metrics.pcor`.

    Returns
    -------
    pandas.DataFrame
        One line for 0, 1, …, min(first, m − first) exchanges, the k-th of party 1's k-th column for party 2's. Columns:
        moved (int), pcor_11, pcor_12, pcor_22, mcor_11, mcor_12, mcor_22 (float). mcor_12 is NaN where the parties
        differ in size, and the mcor of a party with one column is NaN.

    Raises
    ------
    ValueError
        If the matrix is not square, a party has no column, or the definition is unknown.

    Notes
    -----
    pcor_ij is Pcor of the block of party i's and party j's columns. mcor_12 takes the singular values of the block in
    place of eigenvalues, which it has none of in general; so it equals Pcor in the package's definition.

    Source
    ------
    VertiBench (Wu et al. 2023), Appendix D.1 and Figure 4.

    Deviations
    ----------
    The paper does not say how mcor is taken of two different parties.

    Examples
    --------
    >>> two_and_two = np.kron(np.eye(2), np.ones((2, 2)))
    >>> exchange(two_and_two, first=2)[["moved", "pcor_11", "pcor_12"]].round(3).to_numpy().tolist()
    [[0.0, 0.707, 0.0], [1.0, 0.0, 0.0], [2.0, 0.707, 0.0]]
    """
    import pandas as pd

    corr = np.asarray(corr, float)
    if corr.ndim != 2 or corr.shape[0] != corr.shape[1]:
        raise ValueError(f"corr must be a square matrix, got shape {corr.shape}")
    m = len(corr)
    if not 1 <= first < m:
        raise ValueError(f"first must be between 1 and {m - 1}, so that both parties have columns, got {first}")
    one, two = np.arange(first), np.arange(first, m)
    rows = []
    for moved in range(min(first, m - first) + 1):
        if moved:
            one[moved - 1], two[moved - 1] = two[moved - 1], one[moved - 1]
        inner, across, other = (corr[np.ix_(a, b)] for a, b in ((one, one), (one, two), (two, two)))
        square = one.size == two.size > 1
        rows.append((moved, pcor(inner, definition), pcor(across, definition), pcor(other, definition),
                     mcor(inner), pcor(across, "package") if square else np.nan, mcor(other)))  # fmt: skip
    return pd.DataFrame(
        rows, columns=["moved", "pcor_11", "pcor_12", "pcor_22", "mcor_11", "mcor_12", "mcor_22"]
    )  # fmt: skip
