"""What each client brought to a training: its share of the gains, and how often its update helped."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from trustkit.metrics.coalitions import members, shapley_exact

__all__ = ["completed_shapley", "data_quality", "round_utilities"]


def round_utilities(
    evaluate: Callable[[np.ndarray], float], before: np.ndarray, trained: np.ndarray, weights: np.ndarray,
    clients: np.ndarray, players: int,
) -> np.ndarray:  # fmt: skip
    """Measure what a round would have gained with the updates of each coalition of its clients.

    Parameters
    ----------
    evaluate : callable
        From parameters (P,) to how good they are on the server's rows, for example accuracy, or loss with a minus.
    before : (P,) float array
        The global parameters before the round.
    trained : (m, P) float array
        The parameters of the round's clients after training.
    weights : (m,) float array
        What each counts in the mean, above 0.
    clients : (m,) int array
        Who they are, 0 … K − 1.
    players : int
        How many clients there are in all, K, 1 to 12.

    Returns
    -------
    (2^K,) float array
        By coalition; NaN for coalitions with a client that was not in the round, 0 for none.

    Raises
    ------
    ValueError
        If there are too few or too many players.

    Notes
    -----
    U_t(S) = V(Σ_{k ∈ S} n_k x_k / Σ_{k ∈ S} n_k) − V(w_t).

    Source
    ------
    Wang et al. (2020), "A principled approach to data valuation for federated learning", Definition 2; Fan et al.
    (2022), "Improving fairness for data valuation in horizontal federated learning".

    Deviations
    ----------
    None.

    Examples
    --------
    >>> round_utilities(lambda w: float(w[0]), np.zeros(1), np.array([[2.0]]), np.ones(1), np.array([1]), 2).tolist()
    [0.0, nan, 2.0, nan]
    """
    found, start = np.full(len(members(players)), np.nan), float(evaluate(before))
    found[0] = 0.0
    for who in members(len(clients))[1:] if len(clients) else ():
        share = weights[who] / weights[who].sum()
        found[(1 << np.asarray(clients)[who]).sum()] = float(evaluate(share @ trained[who])) - start
    return found


def completed_shapley(utilities: Any, *, rank: int = 3, ridge: float = 1e-3, sweeps: int = 200) -> np.ndarray:
    """Share out a whole training among its clients, with what rounds would have gained with others filled in.

    Parameters
    ----------
    utilities : (T, 2^K) float array
        The gain of each round with each coalition, NaN where it was not measured: see `round_utilities`. K is 1 to 12.
    rank : int
        Of the matrix that fills the gaps, at least 1.
    ridge : float
        Above 0: how strongly it is kept small, relative to the mean square of the known gains.
    sweeps : int
        How often rows and columns are fitted in turn, at least 1.

    Returns
    -------
    (K,) float array
        Adds up to the gains of all clients together, measured or filled in, over all rounds. Without gaps it is the sum
        of the rounds' Shapley values.

    Raises
    ------
    ValueError
        If a number is out of range, or if a coalition was measured in no round.

    Notes
    -----
    min over A (T, r), B (2^K, r) of Σ_known (U_tS − a_t·b_S)² + λ(‖A‖² + ‖B‖²), by alternating least squares from the
    singular vectors of U with its column means in the gaps; then the Shapley value of Σ_t U_tS.

    Source
    ------
    Fan et al. (2022), "Improving fairness for data valuation in horizontal federated learning" (ComFedSV), named by
    FederatedTrust (Sánchez Sánchez et al. 2024), section 2.

    Deviations
    ----------
    Measured gains stay as they are; only gaps are filled. As there, all clients must have taken part in some round
    together.

    Examples
    --------
    >>> completed_shapley([[0.0, 1.0, 2.0, 5.0], [0.0, 0.5, 1.0, 2.5]]).tolist()
    [3.0, 4.5]
    """
    gains = np.asarray(utilities, float)
    for what, number in (("rank", rank), ("sweeps", sweeps)):
        if number < 1:
            raise ValueError(f"{what} must be at least 1, got {number!r}")
    if not ridge > 0:
        raise ValueError(f"ridge must be above 0, got {ridge!r}")
    if gains.ndim != 2 or not gains.size:
        raise ValueError(f"utilities must be a matrix of rounds and coalitions, got shape {gains.shape}")
    known = ~np.isnan(gains)
    if (unseen := int((~known.any(axis=0)).sum())) > 0:
        raise ValueError(f"every coalition must be measured in some round, got {unseen} that are in none")
    if not known.all():
        gains = np.where(known, gains, _completed(gains, known, rank, ridge, sweeps))
    return shapley_exact(gains.sum(axis=0))


def _completed(gains: np.ndarray, known: np.ndarray, rank: int, ridge: float, sweeps: int) -> np.ndarray:
    """Return a matrix of low rank near the known entries."""
    values = np.where(known, gains, 0.0)
    scale = math.sqrt(float((values**2).sum() / known.sum())) or 1.0
    values, rank = values / scale, min(rank, *gains.shape)
    start = np.where(known, values, values.sum(axis=0) / known.sum(axis=0))
    left, sizes, right = np.linalg.svd(start, full_matrices=False)
    A, B = left[:, :rank] * np.sqrt(sizes[:rank]), right[:rank].T * np.sqrt(sizes[:rank])
    penalty, weight = ridge * np.eye(rank), known.astype(float)
    for _ in range(sweeps):
        A = np.linalg.solve(_squares(weight, B) + penalty, (values @ B)[..., None])[..., 0]
        B = np.linalg.solve(_squares(weight.T, A) + penalty, (values.T @ A)[..., None])[..., 0]
    return np.asarray(scale * (A @ B.T))


def _squares(weight: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return Σ_s weight_ts rows_s rows_sᵀ for each t: (T, r, r)."""
    outer = rows[:, :, None] * rows[:, None, :]
    return np.asarray((weight @ outer.reshape(len(rows), -1)).reshape(-1, *outer.shape[1:]))


def data_quality(improvements: Any) -> np.ndarray:
    """Return how often each client's update would have improved the global model by itself.

    Parameters
    ----------
    improvements : (T, K) float array
        How much better the server's evaluation is with the client's update than with the model before the round; NaN
        where the client took no part.

    Returns
    -------
    (K,) float array
        In [0, 1]; NaN for a client that never took part.

    Raises
    ------
    ValueError
        If the shape is not that of a matrix.

    Notes
    -----
    #{t: improvement_tk > 0} / #{t: k took part}.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), "Data Quality", after Pejó and Biczók (2020), "Quality inference in
    federated learning with secure aggregation".

    Deviations
    ----------
    The paper counts improving rounds and gives no score; ours divides by the rounds in which the client took part. The
    second paper infers quality from sums alone; ours looks at each update.

    Examples
    --------
    >>> data_quality([[0.1, -0.2], [0.0, float("nan")]]).tolist()
    [0.5, 0.0]
    """
    gains = np.asarray(improvements, float)
    if gains.ndim != 2:
        raise ValueError(f"improvements must be a matrix of rounds and clients, got shape {gains.shape}")
    took_part = (~np.isnan(gains)).sum(axis=0)
    helped = (gains > 0).sum(axis=0)
    return np.asarray(np.divide(helped, took_part, out=np.full(helped.size, np.nan), where=took_part > 0))
