"""One step of Adam on flat parameters: a run's optimiser is three arrays and a count, which a state can hold."""

from __future__ import annotations

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
        (P,): the gradient.
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
    import torch
    from torch.optim.adam import adam as fused

    count = torch.tensor(float(steps - 1), device=params.device)
    fused([params], [grad], [mean], [square], [], [count], fused=True, amsgrad=False, maximize=False, lr=lr,
          beta1=_BETAS[0], beta2=_BETAS[1], weight_decay=decay, eps=_TINY)  # fmt: skip
