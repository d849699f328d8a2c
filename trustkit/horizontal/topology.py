"""Who talks to whom without a server, and with which weights models are mixed."""

from __future__ import annotations

from typing import Literal

import numpy as np

__all__ = ["Topology", "consensus_distance", "links", "mixing"]

Topology = Literal["ring", "random", "complete"]


def links(topology: Topology, clients: int, density: float, generator: np.random.Generator) -> np.ndarray:
    """Link clients to one another.

    Parameters
    ----------
    topology : {"ring", "random", "complete"}
        Each with the next, and the last with the first; a ring in random order and every other pair by chance; all.
    clients : int
        How many, m; at least 1.
    density : float
        In [0, 1]: the chance of a further pair in a random graph.
    generator : numpy.random.Generator
        For the random graph.

    Returns
    -------
    (m, m) bool array
        Symmetric, without self-links; the graph is connected.

    Examples
    --------
    >>> from trustkit.rng import stream
    >>> links("ring", 4, 0.0, stream(0)).sum(axis=1).tolist()
    [2, 2, 2, 2]
    """
    if topology == "complete":
        return ~np.eye(clients, dtype=bool)
    order = np.arange(clients) if topology == "ring" else generator.permutation(clients)
    linked = np.zeros((clients, clients), bool)
    linked[order, np.roll(order, -1)] = True
    if topology == "random":
        linked |= np.triu(generator.random((clients, clients)) < density, 1)
    linked |= linked.T
    np.fill_diagonal(linked, False)
    return linked


def mixing(linked: np.ndarray) -> np.ndarray:
    """Weigh neighbours so that mixing keeps the mean of the models.

    Parameters
    ----------
    linked : (m, m) bool array
        Symmetric, without self-links.

    Returns
    -------
    (m, m) float array
        Non-negative and symmetric; rows and columns add up to 1.

    Notes
    -----
    w_ij = 1/(1 + max(d_i, d_j)) for neighbours of degrees d_i and d_j; the rest of a row is w_ii.

    Source
    ------
    Metropolis weights: Xiao, Boyd and Kim (2007), "Distributed average consensus with least-mean-square deviation".

    Deviations
    ----------
    None.

    Examples
    --------
    >>> mixing(np.array([[False, True, False], [True, False, True], [False, True, False]])).round(2).tolist()
    [[0.67, 0.33, 0.0], [0.33, 0.33, 0.33], [0.0, 0.33, 0.67]]
    """
    degrees = linked.sum(axis=1)
    weights = linked / (1.0 + np.maximum(degrees[:, None], degrees))
    np.fill_diagonal(weights, 1 - weights.sum(axis=1))
    return np.asarray(weights)


def consensus_distance(models: np.ndarray) -> float:
    """Measure how far models are apart.

    Parameters
    ----------
    models : (m, P) float array
        One model a client, m at least 1.

    Returns
    -------
    float
        At least 0; 0 if all are equal.

    Notes
    -----
    √(1/m Σ_k ‖w_k − w̄‖²), w̄ the mean of the models.

    Source
    ------
    Kong et al. (2021), "Consensus control for decentralized deep learning".

    Deviations
    ----------
    None.

    Examples
    --------
    >>> consensus_distance(np.array([[0.0, 1.0], [0.0, 3.0]]))
    1.0
    """
    away = models - models.mean(axis=0)
    return float(np.sqrt(np.einsum("mp,mp->", away, away, dtype=float) / len(models)))
