"""What vertical training makes small: cross-entropy of classes, squared error of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from trustkit.metrics.evaluate import softmax

if TYPE_CHECKING:
    import torch

__all__ = ["bounded", "loss", "mean_slope", "slope"]


def loss(scores: torch.Tensor, target: torch.Tensor, bound: bool = False) -> torch.Tensor:
    """Return the mean loss of a batch.

    Parameters
    ----------
    scores : torch.Tensor
        (n, C) logits, or (n, 1) numbers.
    target : torch.Tensor
        (n,): class numbers (int64), or numbers (float).
    bound : bool
        Whether numbers are read through `bounded`.

    Returns
    -------
    torch.Tensor
        (): cross-entropy in nats where targets are whole numbers, mean squared error where they are not.
    """
    from torch.nn import functional

    if target.is_floating_point():
        return functional.mse_loss(scores[:, 0].sigmoid() if bound else scores[:, 0], target)
    return functional.cross_entropy(scores, target)


def bounded(scores: np.ndarray) -> np.ndarray:
    """Bring numbers onto (0, 1) by a sigmoid.

    Parameters
    ----------
    scores : float array
        Any shape.

    Returns
    -------
    float array
        1 / (1 + e⁻ᶻ), of the same shape and type.

    Examples
    --------
    >>> bounded(np.array([0.0, -800.0])).tolist()
    [0.5, 0.0]
    """
    return np.asarray(0.5 + 0.5 * np.tanh(scores / 2), scores.dtype)


def slope(scores: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Return the gradient of each row's loss by its scores.

    Parameters
    ----------
    scores : (n, C) float array
        Logits, or (n, 1) numbers.
    target : (n,) array
        Class numbers (int), or numbers (float).

    Returns
    -------
    (n, C) float array
        softmax(z) − onehot(y), or 2 (z − y).

    Examples
    --------
    >>> slope(np.array([[0.0, 0.0]]), np.array([1])).tolist()
    [[0.5, -0.5]]
    >>> slope(np.array([[3.0]]), np.array([1.0])).tolist()
    [[4.0]]
    """
    if np.issubdtype(target.dtype, np.floating):
        return np.asarray(2 * (scores - target[:, None]))
    found = softmax(scores)
    found[np.arange(target.size), target] -= 1
    return found


def mean_slope(scores: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Return the gradient of the mean `loss` of a batch by its scores: `slope` by the number of rows, on any device.

    Parameters
    ----------
    scores : torch.Tensor
        (n, C) logits, or (n, 1) numbers; with autograd switched off.
    target : torch.Tensor
        (n,): class numbers (int64), or numbers (float).

    Returns
    -------
    torch.Tensor
        (n, C): (softmax(z) − onehot(y)) / n, or 2 (z − y) / n.

    Examples
    --------
    >>> import torch
    >>> mean_slope(torch.zeros(2, 2), torch.tensor([1, 0])).tolist()
    [[0.25, -0.25], [-0.25, 0.25]]
    """
    if target.is_floating_point():
        return (scores - target[:, None]).mul_(2 / len(scores))
    found = scores.softmax(dim=1)
    return found.scatter_add_(1, target[:, None], found.new_full((len(scores), 1), -1.0)).div_(len(scores))
