"""One step of Adam on flat parameters: a run's optimiser is three arrays and a count, which a state can hold."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

__all__ = ["adam"]

_BETAS = (0.9, 0.999)
_TINY = 1e-8


def adam(
    params: torch.Tensor, mean: torch.Tensor, square: torch.Tensor, grad: torch.Tensor, steps: int, lr: float,
    decay: float,
) -> None:  # fmt: skip
    """Move flat parameters one step, in place.

    Parameters
    ----------
    params, mean, square : torch.Tensor
        (P,) each: parameters, and the running means of gradient and squared gradient; all are changed.
    grad : torch.Tensor
        (P,): the gradient; it is used up.
    steps : int
        Which step this is, from 1.
    lr : float
        Step size.
    decay : float
        Weight decay, added to the gradient as ``decay`` · params.

    Notes
    -----
    m ← 0.9 m + 0.1 g; s ← 0.999 s + 0.001 g²; params ← params − lr · m̂ / (√ŝ + 10⁻⁸), where m̂ and ŝ are m and s
    divided by 1 − 0.9ᵗ and 1 − 0.999ᵗ.

    Source
    ------
    Kingma and Ba (2015), "Adam: a method for stochastic optimization", algorithm 1.

    Deviations
    ----------
    Weight decay enters the gradient, as in PyTorch's Adam; the paper has none.
    """
    grad.add_(params, alpha=decay)
    mean.lerp_(grad, 1 - _BETAS[0])
    square.mul_(_BETAS[1]).addcmul_(grad, grad, value=1 - _BETAS[1])
    spread = square.sqrt().div_(math.sqrt(1 - _BETAS[1] ** steps)).add_(_TINY)
    params.addcdiv_(mean, spread, value=-lr / (1 - _BETAS[0] ** steps))
