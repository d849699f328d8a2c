"""How far a client is to be relied on, from what its earlier updates did."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Opinion", "beta_reputation", "client_reputation", "interactions", "opinion"]


class Opinion(NamedTuple):
    """A subjective opinion of clients, each (K,) in [0, 1]; the three add up to 1."""

    belief: np.ndarray
    disbelief: np.ndarray
    uncertainty: np.ndarray


def _counts(positive: Any, negative: Any) -> tuple[np.ndarray, np.ndarray]:
    good, bad = np.asarray(positive, float), np.asarray(negative, float)
    if good.shape != bad.shape:
        raise ValueError(f"positive and negative must have one shape, got {good.shape} and {bad.shape}")
    for what, counts in (("positive", good), ("negative", bad)):
        if not (counts >= 0).all():
            raise ValueError(f"{what} must be at least 0, got {counts.min():g}")
    return good, bad


def interactions(
    outcomes: Any, *, elapsed: Any = None, window: float = math.inf, older: float = 2 / 3
) -> tuple[np.ndarray, np.ndarray]:
    """Count each client's good and bad interactions, old ones for less.

    Parameters
    ----------
    outcomes : (T, K) float array
        1 where a client's update was found reliable in a round, 0 where not, NaN where it sent none.
    elapsed : (T,) float array, optional
        How long ago each round was, at least 0; by default in rounds, 0 for the last.
    window : float
        Up to which age an interaction is recent, in the unit of ``elapsed``.
    older : float
        In [0, 1]: what an older interaction counts, where a recent one counts 1.

    Returns
    -------
    positive, negative : (K,) float array
        Weighted counts, at least 0.

    Raises
    ------
    ValueError
        If an outcome is neither 0, 1 nor NaN, or a number is out of range.

    Notes
    -----
    α_k = Σ_t ω_t [o_tk = 1], β_k = Σ_t ω_t [o_tk = 0]; ω_t = 1 within the window, else ``older``.

    Source
    ------
    Kang et al. (2020), "Reliable federated learning for mobile networks": recent and past interactions with weights 0.6
    and 0.4; FederatedTrust (Sánchez Sánchez et al. 2024), "Client Reputation".

    Deviations
    ----------
    Weights are divided by that of a recent interaction, which changes no belief and keeps counts in interactions.

    Examples
    --------
    >>> good, bad = interactions([[1, 0], [1, float("nan")], [0, 1]], window=1, older=0.5)
    >>> good.tolist(), bad.tolist()
    ([1.5, 1.0], [1.0, 0.5])
    """
    seen = np.asarray(outcomes, float)
    if seen.ndim != 2:
        raise ValueError(f"outcomes must be a matrix of rounds and clients, got shape {seen.shape}")
    if not np.isin(seen[~np.isnan(seen)], (0, 1)).all():
        raise ValueError("outcomes must be 0, 1 or NaN")
    age = np.arange(len(seen))[::-1] if elapsed is None else np.asarray(elapsed, float)
    if age.shape != seen.shape[:1] or (age < 0).any():
        raise ValueError(f"elapsed must have one age of at least 0 for each of the {len(seen)} rounds")
    if not 0 <= older <= 1:
        raise ValueError(f"older must be between 0 and 1, got {older!r}")
    weights = np.where(age <= window, 1.0, older)
    return weights @ (seen == 1), weights @ (seen == 0)


def opinion(positive: Any, negative: Any, *, uncertainty: Any = None, negative_weight: float = 0.6) -> Opinion:
    """Form an opinion of clients from their good and bad interactions.

    Parameters
    ----------
    positive, negative : (K,) float array
        Counts α and β of interactions, at least 0; see `interactions`.
    uncertainty : float or (K,) float array, optional
        In [0, 1]: how uncertain the evidence is, for example the share of messages that the link loses. By default it
        falls with the number of interactions.
    negative_weight : float
        In [0.5, 1]: the weight η of a bad interaction; a good one has κ = 1 − η.

    Returns
    -------
    Opinion
        Belief b, disbelief d and uncertainty u. Where nothing is known, u = 1.

    Raises
    ------
    ValueError
        If a number is out of range or the shapes differ.

    Notes
    -----
    b = (1 − u) κα / (κα + ηβ), d = (1 − u) ηβ / (κα + ηβ). By default u = 2 / (α + β + 2).

    Source
    ------
    Kang et al. (2020), "Reliable federated learning for mobile networks", subjective logic model; Jøsang (2001), "A
    logic for uncertain probabilities", for the default of u.

    Deviations
    ----------
    Kang et al. take u from the quality of the link alone; without one ours takes it from the evidence. A client without
    interactions has u = 1, whatever its link.

    Examples
    --------
    >>> opinion([3.0], [1.0], uncertainty=0.2, negative_weight=0.6).belief.round(4).tolist()
    [0.5333]
    """
    good, bad = _counts(positive, negative)
    if not 0.5 <= negative_weight <= 1:
        raise ValueError(f"negative_weight must be between 0.5 and 1, got {negative_weight!r}")
    unsure = (
        2 / (good + bad + 2) if uncertainty is None else np.broadcast_to(np.asarray(uncertainty, float), good.shape)
    )
    if not ((unsure >= 0) & (unsure <= 1)).all():
        raise ValueError(f"uncertainty must lie in 0 … 1, got {unsure.min():g} … {unsure.max():g}")
    for_it, against = (1 - negative_weight) * good, negative_weight * bad
    total = for_it + against
    known = good + bad > 0
    share = np.divide(for_it, total, out=np.zeros_like(total), where=total > 0)
    unsure = np.where(known, unsure, 1.0)
    return Opinion((1 - unsure) * share, np.where(known, (1 - unsure) * (1 - share), 0.0), unsure)


def client_reputation(
    positive: Any, negative: Any, *, uncertainty: Any = None, negative_weight: float = 0.6, influence: float = 0.5
) -> np.ndarray:
    """Return the reputation of clients by subjective logic.

    Parameters
    ----------
    positive, negative : (K,) float array
        Counts α and β of interactions, at least 0; see `interactions`.
    uncertainty : float or (K,) float array, optional
        In [0, 1]: how uncertain the evidence is; by default it falls with the number of interactions.
    negative_weight : float
        In [0.5, 1]: the weight η of a bad interaction; a good one has κ = 1 − η.
    influence : float
        In [0, 1]: how much of the uncertainty counts as belief, γ.

    Returns
    -------
    (K,) float array
        In [0, 1]; γ for a client without interactions.

    Raises
    ------
    ValueError
        If a number is out of range or the shapes differ.

    Notes
    -----
    b + γu; see `opinion`. With κ = η, u = 2 / (α + β + 2) and γ = 1/2 it is `beta_reputation`:
    (1 − u) α / (α + β) = α / (α + β + 2), and γu adds 1 / (α + β + 2).

    Source
    ------
    Kang et al. (2020), "Reliable federated learning for mobile networks"; FederatedTrust (Sánchez Sánchez et al. 2024),
    "Client Reputation".

    Deviations
    ----------
    Opinions of other servers are not combined: there is one server.

    Examples
    --------
    >>> client_reputation([3.0, 0.0], [1.0, 0.0], negative_weight=0.5).round(4).tolist()
    [0.6667, 0.5]
    """
    if not 0 <= influence <= 1:
        raise ValueError(f"influence must be between 0 and 1, got {influence!r}")
    belief, _, unsure = opinion(positive, negative, uncertainty=uncertainty, negative_weight=negative_weight)
    return np.asarray(belief + influence * unsure)


def beta_reputation(positive: Any, negative: Any) -> np.ndarray:
    """Return the expected share of good interactions after those seen, from a uniform prior.

    Parameters
    ----------
    positive, negative : (K,) float array
        Counts α and β of interactions, at least 0; see `interactions`.

    Returns
    -------
    (K,) float array
        In (0, 1); 1/2 for a client without interactions.

    Raises
    ------
    ValueError
        If a count is negative or the shapes differ.

    Notes
    -----
    (α + 1) / (α + β + 2), the mean of a Beta(α + 1, β + 1) distribution.

    Source
    ------
    Jøsang and Ismail (2002), "The beta reputation system".

    Deviations
    ----------
    None.

    Examples
    --------
    >>> beta_reputation([3.0, 0.0], [1.0, 0.0]).round(4).tolist()
    [0.6667, 0.5]
    """
    good, bad = _counts(positive, negative)
    return np.asarray((good + 1) / (good + bad + 2))
