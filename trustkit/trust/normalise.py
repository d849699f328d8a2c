"""From raw values to scores in [0, 1]: the functions of the paper's Table 3, by name."""

from __future__ import annotations

from bisect import bisect_right

__all__ = ["capped", "clever_steps", "complement", "documented", "fifth", "identity", "one_minus_cv", "scale_steps",
           "size_steps"]  # fmt: skip

_CLEVER_EDGES = tuple(k / 5 for k in range(21))
_SCALE_EDGES = (10, 10**2, 10**3, 10**4, 10**5, 10**6)
_SIZE_EDGES = (1, 10, 50, 100, 500, 1_000, 5_000, 10_000, 50_000, 100_000, 500_000)


def identity(value: float) -> float:
    """Take a value in [0, 1] as its score.

    Parameters
    ----------
    value : float
        In [0, 1]; what rounding moved outside is cut off.

    Returns
    -------
    float
        The score, in [0, 1].

    Examples
    --------
    >>> identity(0.3)
    0.3
    """
    return min(1.0, max(0.0, float(value)))


def complement(value: float) -> float:
    """Score a risk: 1 − x.

    Parameters
    ----------
    value : float
        In [0, 1].

    Returns
    -------
    float
        The score, in [0, 1].

    Examples
    --------
    >>> complement(0.25)
    0.75
    """
    return 1.0 - identity(value)


def capped(value: float) -> float:
    """Score a non-negative number by itself up to 1: min(1, x).

    Parameters
    ----------
    value : float
        At least 0.

    Returns
    -------
    float
        The score, in [0, 1].

    Examples
    --------
    >>> capped(1.7)
    1.0
    """
    return identity(value)


def one_minus_cv(value: float) -> float:
    """Score a coefficient of variation: 1 − min(1, CV).

    Parameters
    ----------
    value : float
        At least 0.

    Returns
    -------
    float
        The score, in [0, 1]; 0 from CV = 1 on.

    Notes
    -----
    1 − min(1, CV).

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), Table 3, Fairness.

    Deviations
    ----------
    The table writes the range of the variations as [0, 1]; larger ones score 0, as in the authors' code.

    Examples
    --------
    >>> one_minus_cv(0.5), one_minus_cv(1.44)
    (0.5, 0.0)
    """
    return 1.0 - min(1.0, float(value))


def clever_steps(value: float) -> float:
    """Score a CLEVER value: 0.05 for every full 0.2, up to 1 at 4.0.

    Parameters
    ----------
    value : float
        At least 0, in units of the scaled features.

    Returns
    -------
    float
        The score, one of 0, 0.05, …, 1.

    Notes
    -----
    0.05 · min(20, ⌊x / 0.2⌋).

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), Table 3, Certified Robustness.

    Deviations
    ----------
    The authors' code takes min(1, x).

    Examples
    --------
    >>> clever_steps(0.6), clever_steps(5)
    (0.15, 1.0)
    """
    return (bisect_right(_CLEVER_EDGES, value) - 1) / 20


def scale_steps(value: float) -> float:
    """Score a number of clients: 0.2 for every full power of ten, at least 0.2 and at most 1.

    Parameters
    ----------
    value : float
        At least 1 client.

    Returns
    -------
    float
        The score, one of 0.2, 0.4, …, 1.

    Notes
    -----
    0.2 · min(5, max(1, ⌊log₁₀ n⌋)).

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), Table 3, Federation Scale.

    Deviations
    ----------
    One step above the table, as in the paper's text (0.2 for 10 and 50 clients, 0.4 for 100); the code falls with n.

    Examples
    --------
    >>> [scale_steps(n) for n in (9, 10, 50, 100)]
    [0.2, 0.2, 0.2, 0.4]
    """
    return min(5, max(1, bisect_right(_SCALE_EDGES, value))) / 5


def size_steps(value: float) -> float:
    """Score a number of parameters: 1 below 10, and 0.1 less at each of 10, 50, 100, 500, … 500,000.

    Parameters
    ----------
    value : float
        At least 0 parameters.

    Returns
    -------
    float
        The score, one of 1, 0.9, …, 0.

    Notes
    -----
    1 − 0.1 · (number of edges up to x, less 1), over the table's edges 1, 10, 50, …, 500,000.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), Table 3, Model Size.

    Deviations
    ----------
    The table rises with size; ours falls, as the paper's text asks.

    Examples
    --------
    >>> size_steps(5), size_steps(20), size_steps(600_000)
    (1.0, 0.9, 0.0)
    """
    return (11 - max(1, bisect_right(_SIZE_EDGES, value))) / 10


def fifth(value: float) -> float:
    """Score an expert's mark from 1 to 5: x / 5.

    Parameters
    ----------
    value : float
        In [1, 5].

    Returns
    -------
    float
        The score, in [0.2, 1].

    Notes
    -----
    x / 5.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), Table 3, Algorithmic Transparency.

    Deviations
    ----------
    The scores printed in the table follow no rule; x / 5 fits the paper's figures. The authors' code takes (x − 1) / 4.

    Examples
    --------
    >>> fifth(3.5)
    0.7
    """
    return identity(float(value) / 5)


def documented(value: float) -> float:
    """Score that something is stated at all, whatever it says: 1.

    Parameters
    ----------
    value : float
        Any number.

    Returns
    -------
    float
        1.

    Examples
    --------
    >>> documented(0.0)
    1.0
    """
    return 1.0
