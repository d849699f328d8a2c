"""A network cut among parties: each turns its own columns into an embedding; the first party reads all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from trustkit.records import Tick
from trustkit.rng import stream
from trustkit.threads import one_thread
from trustkit.vertical.networks.layers import Shapes, chain, drawn, length, shapes_of, views

if TYPE_CHECKING:
    import torch

__all__ = ["SplitNetwork"]

_CHUNK = 8192
_NUMBERS = 2**24
"""Embeddings' numbers of the rows that are evaluated together: 64 MB in float32."""


@dataclass(frozen=True)
class SplitNetwork:
    """Sizes of a split network, and its functions of one flat vector of parameters.

    Parameters
    ----------
    columns : tuple of tuple of int
        The columns of each party; the first party also holds the labels.
    features : int
        How many columns there are, m.
    local : tuple of int
        Widths of each party's layers: ReLU between them, none after the last, which is the embedding.
    top : tuple of int
        Widths of the first party's layers over all embeddings, each with ReLU.
    outputs : int
        Scores of a row: C classes, or 1 number.
    dtype : {"float32", "float64"}
        What it computes in.
    rectified : bool
        Whether an embedding has ReLU too.
    """

    columns: tuple[tuple[int, ...], ...]
    features: int
    local: tuple[int, ...]
    top: tuple[int, ...]
    outputs: int
    dtype: str = "float32"
    rectified: bool = False

    @cached_property
    def shapes(self) -> Shapes:
        """The shape of each array: weights and offsets by turns, party by party, the upper layers last."""
        chains = [(len(own), *self.local) for own in self.columns]
        chains.append((len(self.columns) * self.local[-1], *self.top, self.outputs))
        return tuple(shape for widths in chains for shape in shapes_of(widths))

    @property
    def parameters(self) -> int:
        """How many numbers are learnt, P."""
        return length(self.shapes)

    def init(self, seed: int) -> np.ndarray:
        """Draw parameters to start from, uniformly within ±1/√fan-in.

        Parameters
        ----------
        seed : int
            The experiment's seed.

        Returns
        -------
        (P,) array
            All arrays, one after the other.
        """
        return drawn(self.shapes, stream(seed, "model")).astype(self.dtype)

    def leaves(self, flat: torch.Tensor) -> list[torch.Tensor]:
        """Return views of a flat tensor, one for each of `shapes`, that gradients can be taken by.

        Parameters
        ----------
        flat : torch.Tensor
            (P,).

        Returns
        -------
        list of torch.Tensor
            They share memory with ``flat``.
        """
        return views(flat, self.shapes)

    def part(self, leaves: Sequence[torch.Tensor], party: int) -> Sequence[torch.Tensor]:
        """Return the leaves of one party's own layers, or with ``party`` = K those of the upper layers.

        Parameters
        ----------
        leaves : sequence of torch.Tensor
            What `leaves` gives.
        party : int
            0 … K.

        Returns
        -------
        sequence of torch.Tensor
            Weights and offsets by turns.
        """
        each = 2 * len(self.local)
        return leaves[each * party : each * (party + 1)] if party < len(self.columns) else leaves[each * party :]

    def cut(self, X: np.ndarray) -> list[torch.Tensor]:
        """Copy rows into one tensor a party.

        Parameters
        ----------
        X : (n, m) float array
            Scaled rows.

        Returns
        -------
        list of torch.Tensor
            (n, columns of the party) each.
        """
        import torch

        return [torch.tensor(np.asarray(X[:, list(own)], self.dtype)) for own in self.columns]

    def embedded(self, owned: Sequence[torch.Tensor], x: torch.Tensor) -> torch.Tensor:
        """Run one party's own layers.

        Parameters
        ----------
        owned : sequence of torch.Tensor
            What `part` gives for the party.
        x : torch.Tensor
            (n, columns of the party).

        Returns
        -------
        torch.Tensor
            Embeddings (n, local[-1]).
        """
        found = chain(owned, x)
        return found.relu() if self.rectified else found

    def joint(self, leaves: Sequence[torch.Tensor], parts: Sequence[torch.Tensor]) -> torch.Tensor:
        """Run the whole network, as if nothing were split.

        Parameters
        ----------
        leaves : sequence of torch.Tensor
            What `leaves` gives.
        parts : sequence of torch.Tensor
            What `cut` gives.

        Returns
        -------
        torch.Tensor
            Scores (n, C).
        """
        import torch

        embeddings = [self.embedded(self.part(leaves, k), x) for k, x in enumerate(parts)]
        return chain(self.part(leaves, len(parts)), torch.cat(embeddings, dim=1))

    @property
    def together(self) -> int:
        """How many rows are evaluated at a time: 8192, or fewer where many parties' embeddings are wide."""
        return max(1, min(_CHUNK, _NUMBERS // (len(self.columns) * max(self.local))))

    def needs(self, batch: int) -> int:
        """Estimate what training holds: parameters, both of Adam's means, their gradient, and a batch.

        Parameters
        ----------
        batch : int
            Rows in a step.

        Returns
        -------
        int
            Bytes.

        Examples
        --------
        >>> SplitNetwork(((0,), (1,)), 2, (3,), (), 2).needs(10)
        1136
        """
        layers = len(self.columns) * sum(self.local) + sum(self.top)
        return 16 * self.parameters + 12 * batch * layers

    def logits(self, params: np.ndarray, X: np.ndarray, tick: Tick = lambda: None) -> np.ndarray:
        """Return unnormalised scores.

        Parameters
        ----------
        params : (P,) float array
            Parameters.
        X : (n, m) float array
            Scaled rows, all columns.
        tick : callable
            Called before each chunk of rows.

        Returns
        -------
        (n, C) float array
            One score a class.
        """
        import torch

        scores = np.empty((len(X), self.outputs), self.dtype)
        with one_thread(), torch.no_grad():
            leaves = self.leaves(torch.tensor(np.asarray(params, self.dtype)))
            for start in range(0, len(X), self.together):
                tick()
                chunk = slice(start, start + self.together)
                scores[chunk] = self.joint(leaves, self.cut(X[chunk])).numpy()
        return scores

    def gradient(self, params: np.ndarray, X: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return the gradient by each row of its logits weighted by ``weights``.

        Parameters
        ----------
        params : (P,) float array
            Parameters.
        X : (n, m) float array
            Scaled rows, all columns.
        weights : (n, C) float array
            How much each logit of each row counts.

        Returns
        -------
        (n, m) float array
            Σ_c weights[i, c] ∂z_c(x_i)/∂x_i; 0 in columns that nobody owns.
        """
        import torch

        slopes = np.zeros((len(X), self.features), self.dtype)
        with one_thread():
            leaves = self.leaves(torch.tensor(np.asarray(params, self.dtype)))
            for start in range(0, len(X), self.together):
                chunk = slice(start, start + self.together)
                parts = [part.requires_grad_() for part in self.cut(X[chunk])]
                wanted = torch.tensor(np.asarray(weights[chunk], self.dtype))
                found = torch.autograd.grad((self.joint(leaves, parts) * wanted).sum(), parts)
                for own, slope in zip(self.columns, found, strict=True):
                    slopes[chunk, list(own)] = slope.numpy()
        return slopes
