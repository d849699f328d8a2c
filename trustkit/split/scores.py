"""Icor of many divisions at once: the score that the search for a correlation moves up and down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from trustkit.metrics.correlation import Definition

__all__ = ["Scorer", "scorer"]


@dataclass(frozen=True, eq=False)
class Scorer:
    """A correlation matrix, prepared for scoring divisions into parties of given sizes.

    Parameters
    ----------
    table : (m + 1, m + 1) float array
        Correlations; the last row and column are zero, so that short lists of members can be filled up with m.
    sizes : (K,) int array
        Columns of each party, each at least 1.
    left, right : (P,) int array
        The pairs of parties; the left one is not the larger.
    weight : (P,) float array
        What a pair's sqrt(‖B‖² − N²/d) counts in Icor, with N the sum of the singular values of its block B.
    inner : (K,) float array
        What a party's own sqrt(‖B‖² − trace²/d) takes off Icor; 0 throughout in the paper's definition.
    """

    table: np.ndarray
    sizes: np.ndarray
    left: np.ndarray
    right: np.ndarray
    weight: np.ndarray
    inner: np.ndarray

    @property
    def has_inner(self) -> bool:
        """Whether correlation inside the parties counts."""
        return bool(self.inner.any())

    @cached_property
    def depth(self) -> tuple[int, int]:
        """The second largest and the largest party size: what every block is filled up to."""
        ordered = np.sort(self.sizes)
        return int(ordered[-2]), int(ordered[-1])

    @cached_property
    def _touched(self) -> dict[int, np.ndarray]:
        return {}

    def touched(self, pair: int) -> np.ndarray:
        """Return the pairs whose block changes when two parties swap columns.

        Parameters
        ----------
        pair : int
            The two parties, as a pair, 0 … P−1.

        Returns
        -------
        (2K − 3,) int array
            That pair and all that share a party with it.
        """
        if pair not in self._touched:
            p, q = self.left[pair], self.right[pair]
            shared = (self.left == p) | (self.right == p) | (self.left == q) | (self.right == q)
            self._touched[pair] = np.flatnonzero(shared)
        return self._touched[pair]

    def draw_pairs(self, rng: np.random.Generator, steps: int) -> np.ndarray:
        """Draw the pair of parties that swaps columns in each step.

        Parameters
        ----------
        rng : numpy.random.Generator
            Where from.
        steps : int
            How many, at least 0.

        Returns
        -------
        (steps,) int array
            Pairs, 0 … P−1, as often as they have columns to swap.
        """
        swaps = (self.sizes[self.left] * self.sizes[self.right]).astype(float)
        return rng.choice(self.left.size, steps, p=swaps / swaps.sum())

    def pairs(self, members: np.ndarray, which: np.ndarray) -> np.ndarray:
        """Return what some pairs of parties add to Icor.

        Parameters
        ----------
        members : (R, K, k) int array
            Columns of each party in R divisions, filled up with m.
        which : (p,) int array
            Pairs, 0 … P−1.

        Returns
        -------
        (R, p) float array
            Weighted Pcor, at least 0.
        """
        short, _ = self.depth
        rows = members[:, self.left[which], :short]
        columns = members[:, self.right[which]]
        block = self.table.take(rows[..., None] * len(self.table) + columns[..., None, :])
        gram = block @ block.swapaxes(-1, -2)
        squares = np.trace(gram, axis1=-2, axis2=-1)
        d = np.minimum(self.sizes[self.left[which]], self.sizes[self.right[which]])
        return np.asarray(self.weight[which] * np.sqrt(np.maximum(squares - _nuclear(gram) ** 2 / d, 0.0)))

    def inners(self, members: np.ndarray, which: np.ndarray) -> np.ndarray:
        """Return what the correlation inside some parties takes off Icor.

        Parameters
        ----------
        members : (R, K, k) int array
            Columns of each party in R divisions, filled up with m.
        which : (p,) int array
            Parties, 0 … K−1.

        Returns
        -------
        (R, p) float array
            At most 0. The singular values of a correlation matrix add up to its trace, so none are computed.
        """
        own = members[:, which]
        block = self.table.take(own[..., None] * len(self.table) + own[..., None, :])
        squares = np.einsum("...ab,...ab->...", block, block)
        trace = np.trace(block, axis1=-2, axis2=-1)
        return np.asarray(-self.inner[which] * np.sqrt(np.maximum(squares - trace**2 / self.sizes[which], 0.0)))

    def terms(self, members: np.ndarray) -> np.ndarray:
        """Return all terms of Icor; their sum is Icor.

        Parameters
        ----------
        members : (R, K, k) int array
            Columns of each party in R divisions, filled up with m.

        Returns
        -------
        (R, P + K) float array
            First the pairs, then the parties.
        """
        pairs = self.pairs(members, np.arange(self.left.size))
        if not self.has_inner:
            return np.concatenate([pairs, np.zeros((len(members), self.sizes.size))], axis=1)
        return np.concatenate([pairs, self.inners(members, np.arange(self.sizes.size))], axis=1)


def _nuclear(gram: np.ndarray) -> np.ndarray:
    """Return the sums of the square roots of the eigenvalues of positive semidefinite matrices."""
    if gram.shape[-1] == 2:  # (√a + √b)² = a + b + 2√(ab)
        determinant = gram[..., 0, 0] * gram[..., 1, 1] - gram[..., 0, 1] ** 2
        return np.asarray(np.sqrt(gram[..., 0, 0] + gram[..., 1, 1] + 2 * np.sqrt(np.maximum(determinant, 0.0))))
    return np.asarray(np.sqrt(np.maximum(np.linalg.eigvalsh(gram), 0.0)).sum(axis=-1))


def scorer(corr: np.ndarray, sizes: Sequence[int], definition: Definition = "paper") -> Scorer:
    """Prepare a correlation matrix for scoring.

    Parameters
    ----------
    corr : (m, m) float array
        Correlations in [−1, 1]: symmetric, without negative eigenvalues.
    sizes : sequence of int
        Columns of each party, each at least 1; they add up to m.
    definition : {"paper", "package"}
        As for `trustkit.metrics.icor`.

    Returns
    -------
    Scorer
        Scores divisions to about 1e-8; a result is measured again by `trustkit.metrics.icor`.

    Notes
    -----
    With σ the singular values of a block, Σ(σ − σ̄)² = ‖B‖² − (Σσ)²/d, and σ² are the eigenvalues of B Bᵀ.

    Source
    ------
    VertiBench (Wu et al. 2023), equations 2 and 3.

    Deviations
    ----------
    None: the identities are exact.

    Examples
    --------
    >>> prepared = scorer(np.ones((4, 4)), [2, 2], "package")
    >>> prepared.terms(np.array([[[0, 1], [2, 3]]])).sum().item()
    0.0
    """
    m, K, count = len(corr), len(sizes), np.array(sizes)
    table = np.zeros((m + 1, m + 1))
    table[:m, :m] = corr
    one, two = np.triu_indices(K, 1)
    swap = count[one] > count[two]
    left, right = np.where(swap, two, one), np.where(swap, one, two)

    def scale(d: np.ndarray) -> np.ndarray:
        divisor = d if definition == "paper" else np.sqrt(np.maximum(d * (d - 1), 1))
        return np.where(d > 1, 1.0 / divisor, 0.0)  # a single singular value has no spread

    inner = scale(count) / K if definition == "package" else np.zeros(K)
    return Scorer(table, count, left, right, 2 / (K * (K - 1)) * scale(count[left]), inner)
