"""Chains of linear layers as one flat vector of numbers: how long it is, how it is drawn, and what it computes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import torch

__all__ = ["Shapes", "back", "chain", "drawn", "forth", "length", "shapes_of", "views"]

Shapes = tuple[tuple[int, ...], ...]
"""The shape of each array of a chain: weights (outputs, inputs) and offsets (outputs,) by turns."""


def shapes_of(widths: Sequence[int]) -> Shapes:
    """Return the shapes of a chain's arrays.

    Parameters
    ----------
    widths : sequence of int
        Inputs, hidden units, outputs.

    Returns
    -------
    tuple of tuple of int
        Weights and offsets by turns.

    Examples
    --------
    >>> shapes_of([4, 3, 2])
    ((3, 4), (3,), (2, 3), (2,))
    """
    return tuple(shape for inputs, outputs in pairwise(widths) for shape in ((outputs, inputs), (outputs,)))


def length(shapes: Shapes) -> int:
    """Count the numbers in all arrays.

    Parameters
    ----------
    shapes : tuple of tuple of int
        What `shapes_of` gives.

    Returns
    -------
    int
        P.
    """
    return sum(int(np.prod(shape)) for shape in shapes)


def drawn(shapes: Shapes, generator: np.random.Generator) -> np.ndarray:
    """Draw a chain to start from, uniformly within ±1/√fan-in.

    Parameters
    ----------
    shapes : tuple of tuple of int
        Weights and offsets by turns; offsets are drawn within the bounds of their weights.
    generator : numpy.random.Generator
        Where from.

    Returns
    -------
    (P,) float64 array
        All arrays, one after the other.
    """
    fans = [shape[1] for shape in shapes[::2] for _ in range(2)]
    parts = [generator.uniform(-1, 1, int(np.prod(shape))) / np.sqrt(max(fan, 1))
             for shape, fan in zip(shapes, fans, strict=True)]  # fmt: skip
    return np.concatenate(parts)


def views(flat: torch.Tensor, shapes: Shapes) -> list[torch.Tensor]:
    """Return views of a flat tensor, one for each shape, that gradients can be taken by.

    Parameters
    ----------
    flat : torch.Tensor
        (P,).
    shapes : tuple of tuple of int
        What it holds.

    Returns
    -------
    list of torch.Tensor
        They share memory with ``flat``.
    """
    import torch

    parts = torch.split(flat, [int(np.prod(shape)) for shape in shapes])
    return [part.view(shape).detach().requires_grad_() for part, shape in zip(parts, shapes, strict=True)]


def chain(layers: Sequence[torch.Tensor], x: torch.Tensor) -> torch.Tensor:
    """Run a chain with ReLU between its layers and none after the last.

    Parameters
    ----------
    layers : sequence of torch.Tensor
        Weights and offsets by turns.
    x : torch.Tensor
        (n, inputs).

    Returns
    -------
    torch.Tensor
        (n, outputs).
    """
    from torch.nn import functional

    for at in range(0, len(layers), 2):
        x = functional.linear(x, layers[at], layers[at + 1])
        x = functional.relu(x) if at < len(layers) - 2 else x
    return x


def forth(layers: Sequence[torch.Tensor], x: torch.Tensor) -> tuple[torch.Tensor, list[torch.Tensor]]:
    """Run a chain as `chain` does and keep what `back` needs.

    Parameters
    ----------
    layers : sequence of torch.Tensor
        Weights and offsets by turns; with autograd switched off.
    x : torch.Tensor
        (n, inputs).

    Returns
    -------
    out : torch.Tensor
        (n, outputs).
    inputs : list of torch.Tensor
        What each layer read, ``x`` first.
    """
    from torch.nn import functional

    inputs = [x]
    for at in range(0, len(layers) - 2, 2):
        inputs.append(functional.linear(inputs[-1], layers[at], layers[at + 1]).relu_())
    return functional.linear(inputs[-1], layers[-2], layers[-1]), inputs


def back(
    layers: Sequence[torch.Tensor],
    inputs: Sequence[torch.Tensor],
    slope: torch.Tensor,
    *,
    through: bool = False,
    into: Sequence[torch.Tensor] | None = None,
) -> tuple[Sequence[torch.Tensor], torch.Tensor]:
    """Carry a gradient down a chain by the chain rule written out, which takes four fifths of autograd's time.

    Parameters
    ----------
    layers : sequence of torch.Tensor
        Weights and offsets by turns; with autograd switched off.
    inputs : sequence of torch.Tensor
        What `forth` kept.
    slope : torch.Tensor
        (n, outputs): the gradient by what comes out.
    through : bool
        Whether the gradient by what goes in is wanted too.
    into : sequence of torch.Tensor, optional
        Where the gradients are written, shaped as ``layers``; by default they are new.

    Returns
    -------
    grads : sequence of torch.Tensor
        One for each of ``layers``: ``into``, where it was given.
    slope : torch.Tensor
        (n, inputs) if ``through``, else by what the first layer gives.

    Examples
    --------
    >>> import torch
    >>> layers = [torch.tensor([[2.0]]), torch.tensor([1.0])]
    >>> out, inputs = forth(layers, torch.tensor([[3.0]]))
    >>> grads, below = back(layers, inputs, torch.ones(1, 1), through=True)
    >>> out.tolist(), [grad.tolist() for grad in grads], below.tolist()
    ([[7.0]], [[[3.0]], [1.0]], [[2.0]])
    """
    import torch

    grads = [torch.empty_like(layer) for layer in layers] if into is None else into
    for at in range(len(layers) - 2, -1, -2):
        below = inputs[at // 2]
        if below.shape[1] < slope.shape[1]:  # a product is faster with its longer side last
            grads[at].copy_((below.t() @ slope).t())
        else:
            torch.mm(slope.t(), below, out=grads[at])
        torch.sum(slope, dim=0, out=grads[at + 1])
        if at:
            slope = (slope @ layers[at]).mul_(below.sign())
    return grads, slope @ layers[0] if through else slope
