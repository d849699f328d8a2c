"""Icor of many divisions at once: the score that the search for a correlation moves up and down."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import get_args

import numpy as np

from trustkit.metrics.correlation import Definition
from trustkit.split.nuclear import nuclear_estimate, nuclear_norms

__all__ = ["Scorer", "scorer"]

BATCHED = 64  # parties up to so many columns are scored in batches, larger ones block by block
ESTIMATED = 1536  # from so many columns of the smaller party on, singular values are estimated
CHUNK = 1 << 21  # entries of the blocks that are held at a time
MIXED = 1 << 14  # up to so many entries, blocks of unlike sizes are filled up to the largest


@dataclass(frozen=True, eq=False)
class Scorer:
    """A correlation matrix, prepared for scoring divisions into parties of given sizes.

    Parameters
    ----------
    corr : (m, m) float array
        Correlations, of 4 or 8 bytes each.
    sizes : (K,) int array
        Columns of each party, each at least 1.
    left, right : (P,) int array
        The pairs of parties; the left one is not the larger.
    weight : (P,) float array
        What a pair's sqrt(‖B‖² − N²/d) counts in Icor, with N the sum of the singular values of its block B.
    inner : (K,) float array
        What a party's own sqrt(‖B‖² − trace²/d) takes off Icor; 0 throughout in the paper's definition.
    """

    corr: np.ndarray
    sizes: np.ndarray
    left: np.ndarray
    right: np.ndarray
    weight: np.ndarray
    inner: np.ndarray

    @cached_property
    def has_inner(self) -> bool:
        """Whether correlation inside the parties counts."""
        return bool(self.inner.any())

    @cached_property
    def depth(self) -> tuple[int, int]:
        """The second largest and the largest party size: what every block is filled up to."""
        ordered = np.sort(self.sizes)
        return int(ordered[-2]), int(ordered[-1])

    @property
    def estimates(self) -> bool:
        """Whether some blocks are so large that their singular values are estimated."""
        return self.depth[0] >= ESTIMATED

    @property
    def work(self) -> int:
        """About how many steps a score takes: cubes of block sizes, at least what a small block costs all the same."""
        return int((np.maximum(self.sizes[self.left], 12).astype(float) ** 3).sum())

    @cached_property
    def _table(self) -> np.ndarray:
        """Correlations with a last row and column of zeros, so that short lists of members can be filled up with m."""
        return np.pad(self.corr, (0, 1))

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
        spread = np.zeros((len(members), which.size))
        short, long = self.sizes[self.left[which]], self.sizes[self.right[which]]
        for at in _alike(short, long):
            first, second = self.left[which[at]], self.right[which[at]]
            a, b = int(short[at].max()), int(long[at].max())
            if a == 1:
                continue  # a single singular value has no spread
            if a > BATCHED:
                for chain, pair in np.ndindex(len(members), at.size):
                    rows = members[chain, first[pair], : short[at[pair]]]
                    columns = members[chain, second[pair], : long[at[pair]]]
                    spread[chain, at[pair]] = _deep(self.corr[np.ix_(rows, columns)])
                continue
            step = max(1, CHUNK // (len(members) * a * b))
            for some in range(0, at.size, step):
                now = slice(some, some + step)
                block = self._blocks(members[:, first[now], :a], members[:, second[now], :b])
                gram = block @ block.swapaxes(-1, -2)
                squares = np.trace(gram, axis1=-2, axis2=-1)
                spread[:, at[now]] = squares - nuclear_norms(gram) ** 2 / short[at[now]]
        return np.asarray(self.weight[which] * np.sqrt(np.maximum(spread, 0.0)))

    def _blocks(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        table = self._table
        block = table.take(rows[..., None] * len(table) + columns[..., None, :])
        return np.asarray(block, dtype=float)

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
        spread = np.zeros((len(members), which.size))
        size = self.sizes[which]
        for at in _alike(size, size):
            a = int(size[at].max())
            if a > BATCHED:
                for chain, party in np.ndindex(len(members), at.size):
                    own = members[chain, which[at[party]], : size[at[party]]]
                    trace = float(self.corr[own, own].sum(dtype=float))
                    spread[chain, at[party]] = _squares(self.corr, own, own) - trace**2 / own.size
                continue
            step = max(1, CHUNK // (len(members) * a * a))
            for some in range(0, at.size, step):
                now = at[some : some + step]
                own = members[:, which[now], :a]
                block = self._blocks(own, own)
                trace = np.trace(block, axis1=-2, axis2=-1)
                spread[:, now] = np.einsum("...ab,...ab->...", block, block) - trace**2 / size[now]
        return np.asarray(-self.inner[which] * np.sqrt(np.maximum(spread, 0.0)))

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


def _alike(short: np.ndarray, long: np.ndarray) -> Iterator[np.ndarray]:
    """Yield places of blocks of about the same shape; all at once if filling them up costs little."""
    if short.size * int(short.max()) * int(long.max()) <= MIXED:
        yield np.arange(short.size)
        return
    level = np.ceil(np.log2(short)).astype(int) * 64 + np.ceil(np.log2(long)).astype(int)
    for one in np.unique(level):
        yield np.flatnonzero(level == one)


def _squares(corr: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> float:
    """Add up squared correlations, a few rows at a time."""
    step = max(1, CHUNK // columns.size)
    parts = (corr[np.ix_(rows[some : some + step], columns)] for some in range(0, rows.size, step))
    return float(sum(np.sum(part.astype(float) ** 2) for part in parts))


def _deep(block: np.ndarray) -> float:
    """Return ‖B‖² − N²/d of one block; of a very large one, N is estimated."""
    d = len(block)
    if d < ESTIMATED:
        block = block.astype(float, copy=False)
        gram = block @ block.T
        return float(np.trace(gram) - nuclear_norms(gram) ** 2 / d)
    squares = float(np.einsum("ab,ab->a", block, block).sum(dtype=float))
    return squares - nuclear_estimate(block) ** 2 / d


def scorer(corr: np.ndarray, sizes: Sequence[int], definition: Definition = "paper") -> Scorer:
    """Prepare a correlation matrix for scoring.

    Parameters
    ----------
    corr : (m, m) float array
        Correlations in [−1, 1]: symmetric, without negative eigenvalues; 4-byte floats are kept as they are.
    sizes : sequence of int
        Columns of each party, each at least 1; they add up to m.
    definition : {"paper", "package"}
        As for `trustkit.metrics.icor`.

    Returns
    -------
    Scorer
        Scores divisions to about 1e-8; a result is measured again by `trustkit.metrics.icor`. Where the smaller party
        of a pair has 1,536 columns or more, its singular values are estimated: ``estimates`` is True.

    Raises
    ------
    ValueError
        If there is no such definition.

    Notes
    -----
    With σ the singular values of a block, Σ(σ − σ̄)² = ‖B‖² − (Σσ)²/d, and σ² are the eigenvalues of B Bᵀ.

    Source
    ------
    VertiBench (Wu et al. 2023), equations 2 and 3.

    Deviations
    ----------
    None up to 1,536 columns: the identities are exact. Beyond, see `trustkit.split.nuclear.nuclear_estimate`.

    Examples
    --------
    >>> prepared = scorer(np.ones((4, 4)), [2, 2], "package")
    >>> prepared.terms(np.array([[[0, 1], [2, 3]]])).sum().item()
    0.0
    """
    if definition not in get_args(Definition):
        raise ValueError(f"definition must be 'paper' or 'package', got {definition!r}")
    K, count = len(sizes), np.array(sizes)
    one, two = np.triu_indices(K, 1)
    swap = count[one] > count[two]
    left, right = np.where(swap, two, one), np.where(swap, one, two)

    def scale(d: np.ndarray) -> np.ndarray:
        divisor = d if definition == "paper" else np.sqrt(np.maximum(d * (d - 1), 1))
        return np.where(d > 1, 1.0 / divisor, 0.0)

    inner = scale(count) / K if definition == "package" else np.zeros(K)
    kept = corr if corr.dtype in (np.float32, np.float64) else corr.astype(float)
    return Scorer(kept, count, left, right, 2 / (K * (K - 1)) * scale(count[left]), inner)
