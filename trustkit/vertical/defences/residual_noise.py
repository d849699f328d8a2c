"""Gaussian noise on residuals, the one place where labels enter an ensemble: all that follows is made of noisy ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from trustkit.rng import stream
from trustkit.vertical.defences.column_noise import ColumnLedger, open_ledger

__all__ = ["LabelNoise", "label_noise", "least_squares_rate", "reach", "spent_by"]


@dataclass(frozen=True)
class LabelNoise:
    """Noise for the residuals of a run.

    Parameters
    ----------
    ledger : ColumnLedger
        Of labels.
    sensitivity : float
        Above 0: how far a row's residual moves, in Euclidean norm, where its label is replaced.
    seed : int
        The experiment's seed.
    """

    ledger: ColumnLedger
    sensitivity: float
    seed: int

    def __call__(self, residual: np.ndarray, index: int) -> np.ndarray:
        """Return residuals with the noise of a round.

        Parameters
        ----------
        residual : float array
            One line, or one column, a row.
        index : int
            The round, from 1.

        Returns
        -------
        float array
            The same shape and kind.
        """
        drawn = stream(self.seed, index, "noise", "labels").standard_normal(residual.shape)
        return np.asarray(residual + self.ledger.labels * self.sensitivity * drawn, residual.dtype)


def label_noise(privacy: Any, name: str, rounds: int, sensitivity: float, seed: int) -> LabelNoise | None:
    """Find the noise on residuals for a planned run.

    Parameters
    ----------
    privacy : ColumnNoise, optional
        The mechanism.
    name : str
        What a message calls the algorithm.
    rounds : int
        All rounds, at least 1.
    sensitivity : float
        Above 0: see `LabelNoise`.
    seed : int
        The experiment's seed.

    Returns
    -------
    LabelNoise or None
        ``None`` without a mechanism.

    Raises
    ------
    ValueError
        If the mechanism is one for rows, or for features.
    """
    ledger = open_ledger(privacy, name, rounds)
    if ledger is None:
        return None
    if ledger.privacy.protects != "labels":
        raise ValueError(f"{name} trains without a privacy mechanism for features, got protects="
                         f"{ledger.privacy.protects!r}")  # fmt: skip
    return LabelNoise(ledger, sensitivity, seed)


def reach(classes: int, width: int, scale: float) -> float:
    """Return how far a row's residual moves where its label is replaced.

    Parameters
    ----------
    classes : int
        C; 0 for a regression with labels in [0, 1].
    width : int
        How many scores a row has inside.
    scale : float
        Of a regression the residual is 2 · scale · (y − z).

    Returns
    -------
    float
        √2 between one-hot labels, 1 with one score for two classes, 2 · scale for numbers.

    Examples
    --------
    >>> reach(2, 1, 1.0), reach(0, 1, 0.5), round(reach(3, 3, 1.0), 3)
    (1.0, 1.0, 1.414)
    """
    if not classes:
        return 2 * scale
    return 1.0 if width == 1 else math.sqrt(2)


def spent_by(noise: LabelNoise | None, rounds: int) -> float:
    """Return ε after some rounds.

    Parameters
    ----------
    noise : LabelNoise, optional
        A run's.
    rounds : int
        At least 0.

    Returns
    -------
    float
        Infinity without noise.
    """
    return math.inf if noise is None else noise.ledger.spent(rounds)


def least_squares_rate(step: np.ndarray, residual: np.ndarray) -> float:
    """Return how far to go along a step by a noisy residual alone, without a look at labels.

    Parameters
    ----------
    step, residual : (n, c) float array
        What the ensemble would grow by, and what it was to come close to.

    Returns
    -------
    float
        max(0, ⟨step, residual⟩ / ⟨step, step⟩); 0 for no step.

    Examples
    --------
    >>> least_squares_rate(np.array([[2.0]]), np.array([[3.0]]))
    1.5
    """
    length = float((step.astype(float) ** 2).sum())
    return max(0.0, float((step.astype(float) * residual).sum()) / length) if length > 0 else 0.0
