"""Networks that parties fit by themselves to numbers which another party sent: one each, all of the same kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from trustkit.records import Tick
from trustkit.rng import stream
from trustkit.threads import one_thread
from trustkit.vertical.networks.adam import adam
from trustkit.vertical.networks.layers import Shapes, back, chain, drawn, forth, length, shapes_of, views

if TYPE_CHECKING:
    import torch

__all__ = ["LocalLearners"]

_CHUNK = 8192
_CLIP = 1.0
_FALLS = (50, 100)
"""After so many epochs the step size falls to a tenth."""


@dataclass(frozen=True)
class LocalLearners:
    """Sizes of the parties' own networks, how they are fitted, and what they say.

    Parameters
    ----------
    columns : tuple of tuple of int
        The columns of each party, K.
    hidden : tuple of int
        Widths of the layers with ReLU; without any a party fits a linear model.
    outputs : int
        How many numbers a row is to get, c.
    softmax : bool
        Whether the outputs of a row are made positive and add up to 1.
    lr, weight_decay : float
        Adam's.
    batch, epochs : int
        Rows in a step, and passes over the rows.
    dtype : {"float32", "float64"}
        What it computes in.
    device : str
        Where networks are fitted, see `trustkit.devices.device_named`; what they say is worked out on the processor.
    """

    columns: tuple[tuple[int, ...], ...]
    hidden: tuple[int, ...]
    outputs: int
    softmax: bool = False
    lr: float = 0.01
    weight_decay: float = 5e-4
    batch: int = 512
    epochs: int = 20
    dtype: str = "float32"
    device: str = "cpu"

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many numbers each party learns in a round, P₁ … P_K."""
        return tuple(length(self.shapes(k)) for k in range(len(self.columns)))

    def shapes(self, party: int) -> Shapes:
        """Return the shapes of a party's arrays.

        Parameters
        ----------
        party : int
            0 … K−1.

        Returns
        -------
        tuple of tuple of int
            Weights and offsets by turns.
        """
        return shapes_of((len(self.columns[party]), *self.hidden, self.outputs))

    def cut(self, party: int, X: np.ndarray) -> torch.Tensor:
        """Copy a party's own columns.

        Parameters
        ----------
        party : int
            0 … K−1.
        X : (n, m) float array
            Scaled rows, all columns.

        Returns
        -------
        torch.Tensor
            (n, columns of the party).
        """
        import torch

        return torch.tensor(np.asarray(X[:, list(self.columns[party])], self.dtype))

    def fit(
        self, party: int, x: torch.Tensor, target: np.ndarray, seed: int, index: int, tick: Tick
    ) -> np.ndarray:  # fmt: skip
        """Fit a new network to numbers by squared error.

        Parameters
        ----------
        party : int
            Who fits.
        x : torch.Tensor
            (n, columns of the party).
        target : (n, c) float array
            What the outputs are to be.
        seed, index : int
            The experiment's seed, and the round.
        tick : callable
            Called before each batch; may raise `trustkit.records.Stopped`.

        Returns
        -------
        (P_k,) array
            The fitted arrays, one after the other.

        Notes
        -----
        Adam on the mean over a batch's rows and outputs of (f(x) − r)²; a gradient longer than 1 is cut to length 1;
        the step size falls to a tenth after 50 and after 100 epochs.
        """
        import torch

        start = drawn(self.shapes(party), stream(seed, index, "model", party)).astype(self.dtype)
        params = torch.tensor(start, device=self.device)
        mean, square, steps = torch.zeros_like(params), torch.zeros_like(params), 0
        wanted, x = torch.tensor(np.asarray(target, self.dtype), device=self.device), x.to(self.device)
        batches = stream(seed, index, "batches", party)
        with one_thread(), torch.no_grad():
            layers = [leaf.detach() for leaf in views(params, self.shapes(party))]
            for epoch in range(self.epochs):
                lr = self.lr * 0.1 ** sum(epoch >= fall for fall in _FALLS)
                order = torch.tensor(batches.permutation(len(x)), device=self.device)
                rows, aims = x[order], wanted[order]
                for at in range(0, len(x), self.batch):
                    tick()
                    steps += 1
                    grad = _clipped(self._slope(layers, rows[at : at + self.batch], aims[at : at + self.batch]))
                    adam(params, mean, square, grad, steps, lr, self.weight_decay)
        return params.cpu().numpy()

    def _slope(self, layers: Sequence[torch.Tensor], x: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """Return the gradient of the mean squared error."""
        import torch

        out, inputs = forth(layers, x)
        if self.softmax:
            out = out.softmax(dim=1)
        slope = (out - target).mul_(2 / out.numel())
        if self.softmax:
            slope = out * (slope - (slope * out).sum(dim=1, keepdim=True))
        return torch.cat([grad.reshape(-1) for grad in back(layers, inputs, slope)[0]])

    def say(self, party: int, params: np.ndarray, x: torch.Tensor) -> torch.Tensor:
        """Return a network's outputs.

        Parameters
        ----------
        party : int
            Whose it is.
        params : (P_k,) float array
            What `fit` gave.
        x : torch.Tensor
            (n, columns of the party); gradients can be taken by it.

        Returns
        -------
        torch.Tensor
            (n, c).
        """
        import torch

        layers = views(torch.tensor(np.asarray(params, self.dtype)), self.shapes(party))
        out = chain([layer.requires_grad_(False) for layer in layers], x)
        return out.softmax(dim=1) if self.softmax else out

    def told(self, party: int, params: np.ndarray, x: torch.Tensor) -> np.ndarray:
        """Return a network's outputs as an array, as they are sent.

        Parameters
        ----------
        party : int
            Whose it is.
        params : (P_k,) float array
            What `fit` gave.
        x : torch.Tensor
            (n, columns of the party).

        Returns
        -------
        (n, c) float32 array
            4 bytes a number.
        """
        import torch

        out = np.empty((len(x), self.outputs), np.float32)
        with one_thread(), torch.no_grad():
            for at in range(0, len(x), _CHUNK):
                out[at : at + _CHUNK] = self.say(party, params, x[at : at + _CHUNK]).numpy()
        return out


def _clipped(grad: torch.Tensor) -> torch.Tensor:
    """Cut a gradient to length 1, as PyTorch's clip_grad_norm_ does."""
    return grad.mul_((_CLIP / (grad.norm() + 1e-6)).clamp(max=1.0))
