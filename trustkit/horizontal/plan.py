"""Who trains in a round, and on which rows in which order: decided before any training, by named streams alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from trustkit.rng import stream

__all__ = ["Bend", "Cohort", "Local", "Relabel", "Sampling", "Tamper", "cohort", "participations", "select", "steps_of"]

Sampling = Literal["fixed", "poisson"]

Relabel = Callable[[np.ndarray, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
"""From all training rows (N, m), their classes (N,) and the clients' offsets (K + 1,) to the rows and classes used."""

Bend = Callable[[np.ndarray, np.ndarray, np.ndarray, slice], None]
"""Changes in place how a step's loss depends on its logits: given that gradient (m, B, C), the rows' chances (m, B, C),
their numbers (m, B) with −1 for padding, and which clients of the cohort these are."""


@dataclass(frozen=True)
class Local:
    """How a client trains: step size, passes, batch size, pull to the global model, and what protects single rows.

    Parameters
    ----------
    lr : float
        Step size.
    epochs : int
        Passes over the client's rows in a round.
    batch : int
        Rows in a step; under Poisson sampling the expected number.
    mu : float
        FedProx's pull to the global model.
    clip : float, optional
        Largest norm of one row's gradient; ``None`` for no clipping.
    noise : float
        Standard deviation of the noise in a step, in units of ``clip``.
    sampling : {"fixed", "poisson"}
        Shuffled disjoint batches, or each row by itself with the same probability in every step.
    """

    lr: float = 0.1
    epochs: int = 1
    batch: int = 32
    mu: float = 0.0
    clip: float | None = None
    noise: float = 0.0
    sampling: Sampling = "fixed"


@dataclass(frozen=True, eq=False)
class Cohort:
    """The clients of a round and their batches, step by step.

    Parameters
    ----------
    seed, index : int
        Where its streams are: the experiment's seed and the round.
    clients : (m,) int array
        Who trains, those with most steps first.
    steps : (m,) int array
        How many steps each takes, descending.
    rows : (S, m, B) int array
        Rows of the stacked training data; −1 where a batch is shorter than B.
    denominators : (S, m) float array
        What a step's sum of gradients is divided by: the batch's size, or its expected size.
    """

    seed: int
    index: int
    clients: np.ndarray
    steps: np.ndarray
    rows: np.ndarray
    denominators: np.ndarray

    def active(self, step: int) -> int:
        """Return how many clients, from the first, still train in a step.

        Parameters
        ----------
        step : int
            From 0.

        Returns
        -------
        int
            At most m.
        """
        return int(np.count_nonzero(self.steps > step))

    def only(self, step: int, times: int) -> Cohort:
        """Return the cohort of one step, taken several times on the same batch.

        Parameters
        ----------
        step : int
            From 0.
        times : int
            At least 1.

        Returns
        -------
        Cohort
            Of the clients that still train in it.
        """
        active = self.active(step)
        rows, sizes = (
            np.repeat(values[step : step + 1, :active], times, 0) for values in (self.rows, self.denominators)
        )
        return Cohort(self.seed, self.index, self.clients[:active], np.full(active, times), rows, sizes)


Tamper = Callable[[np.ndarray, np.ndarray, Cohort], np.ndarray]
"""From the global model (P,), the trained models (m, P) and the cohort to what the server receives (m, P)."""


def select(seed: int, index: int, eligible: np.ndarray, share: float, sampling: Sampling = "fixed") -> np.ndarray:
    """Draw the clients of a round.

    Parameters
    ----------
    seed : int
        The experiment's seed.
    index : int
        The round, from 1.
    eligible : (E,) int array
        The clients that have training rows.
    share : float
        In (0, 1]: the share q of them.
    sampling : {"fixed", "poisson"}
        max(1, round(q·E)) of them without replacement, or each by itself with probability q (possibly none).

    Returns
    -------
    (m,) int array
        Ascending clients.

    Examples
    --------
    >>> select(0, 1, np.arange(10), 0.4).size
    4
    """
    generator = stream(seed, index, "select")
    if sampling == "poisson":
        return eligible[generator.random(eligible.size) < share]
    if share == 1:
        return eligible
    size = max(1, round(share * eligible.size))
    return np.sort(generator.choice(eligible, size, replace=False))


def participations(seed: int, eligible: np.ndarray, clients: int, rounds: int, share: float) -> np.ndarray:
    """Count how often each client is drawn in the first rounds under fixed-size selection.

    Parameters
    ----------
    seed : int
        The experiment's seed.
    eligible : (E,) int array
        The clients that have training rows.
    clients : int
        How many clients there are, K.
    rounds : int
        How many rounds.
    share : float
        In (0, 1]: the share of clients in a round.

    Returns
    -------
    (K,) int array
        Rounds in which each trains. Selection looks at no data, so this is known before training.

    Examples
    --------
    >>> participations(0, np.arange(5), 5, rounds=10, share=0.4).sum().item()
    20
    """
    drawn = [select(seed, index, eligible, share) for index in range(1, rounds + 1)]
    return np.bincount(np.concatenate(drawn), minlength=clients)


def steps_of(sizes: np.ndarray, local: Local) -> np.ndarray:
    """Return how many steps clients take in a round.

    Parameters
    ----------
    sizes : (K,) int array
        Training rows of each.
    local : Local
        How clients train.

    Returns
    -------
    (K,) int array
        epochs · ⌈n/batch⌉.

    Examples
    --------
    >>> steps_of(np.array([0, 32, 33]), Local(epochs=2, batch=32)).tolist()
    [0, 2, 4]
    """
    return local.epochs * -(-np.asarray(sizes) // local.batch)


def cohort(seed: int, index: int, chosen: np.ndarray, offsets: np.ndarray, local: Local) -> Cohort:
    """Lay out a round: the chosen clients, their batches, and what each step divides by.

    Parameters
    ----------
    seed : int
        The experiment's seed.
    index : int
        The round, from 1.
    chosen : (m,) int array
        Clients with at least one training row each.
    offsets : (K + 1,) int array
        Client k owns the stacked rows ``offsets[k]:offsets[k + 1]``.
    local : Local
        How clients train.

    Returns
    -------
    Cohort
        Client k's batches come from the stream ``(seed, index, "client", k)``, so nobody else changes them.

    Examples
    --------
    >>> plan = cohort(0, 1, np.array([0, 1]), np.array([0, 2, 5]), Local(batch=2))
    >>> plan.clients.tolist(), plan.steps.tolist(), plan.rows.shape
    ([1, 0], [2, 1], (2, 2, 2))
    """
    sizes = np.diff(offsets)
    order = chosen[np.argsort(-steps_of(sizes[chosen], local), kind="stable")]
    steps = steps_of(sizes[order], local)
    batches = [_batches(stream(seed, index, "client", int(k)), int(sizes[k]), local) for k in order]
    depth, width = (int(steps[0]), max(b.shape[1] for b in batches)) if order.size else (0, 0)
    rows = np.full((depth, order.size, width), -1)
    for i, block in enumerate(batches):
        rows[: block.shape[0], i, : block.shape[1]] = np.where(block < 0, -1, block + offsets[order[i]])
    if local.sampling == "poisson":
        expected = np.minimum(sizes[order], local.batch).astype(float)
        return Cohort(seed, index, order, steps, rows, np.broadcast_to(expected, (depth, order.size)))
    return Cohort(seed, index, order, steps, rows, np.maximum((rows >= 0).sum(axis=2), 1).astype(float))


def _batches(generator: np.random.Generator, size: int, local: Local) -> np.ndarray:
    """Return one client's batches (steps, width) as its own row numbers, −1 where a batch is shorter."""
    per_epoch = -(-size // local.batch)
    if local.sampling == "poisson":
        taken = generator.random((local.epochs * per_epoch, size)) < min(1.0, local.batch / size)
        counts = taken.sum(axis=1)
        rows = np.full((taken.shape[0], max(1, counts.max())), -1)
        rows[np.arange(rows.shape[1]) < counts[:, None]] = np.nonzero(taken)[1]
        return rows
    rows = np.full((local.epochs, per_epoch * local.batch), -1)
    for epoch in range(local.epochs):
        rows[epoch, :size] = generator.permutation(size)
    return rows.reshape(-1, local.batch)
