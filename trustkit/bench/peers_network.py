"""A fully connected network in plain PyTorch, and the batches of a plan, for the sides that train with it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from trustkit.bench.peers_worker import Arrays

if TYPE_CHECKING:
    import torch

__all__ = ["batches", "flat", "network", "put", "rounds"]


def network(arrays: Arrays) -> torch.nn.Sequential:
    """Build the network of a work, with the parameters that it starts from.

    Parameters
    ----------
    arrays : mapping
        ``sizes`` (L + 1,), inputs to classes, and ``params`` (P,), weights (inputs, outputs) and offsets by layer.

    Returns
    -------
    torch.nn.Sequential
        Linear layers with ReLU between them.
    """
    import torch

    sizes = [int(size) for size in arrays["sizes"]]
    layers: list[torch.nn.Module] = []
    for inputs, outputs in pairwise(sizes):
        layers += [torch.nn.Linear(inputs, outputs), torch.nn.ReLU()]
    model = torch.nn.Sequential(*layers[:-1])
    put(model, arrays["params"])
    return model


def put(model: torch.nn.Module, params: np.ndarray) -> None:
    """Give a network its parameters.

    Parameters
    ----------
    model : torch.nn.Module
        Changed in place.
    params : (P,) float array
        As `flat` returns them.
    """
    import torch

    start = 0
    with torch.no_grad():
        for held in model.parameters():
            turned = held.T if held.ndim == 2 else held
            part = params[start : start + held.numel()].reshape(turned.shape)
            turned.copy_(torch.from_numpy(np.array(part)))
            start += held.numel()


def flat(model: torch.nn.Module) -> np.ndarray:
    """Return a network's parameters.

    Parameters
    ----------
    model : torch.nn.Module
        The network.

    Returns
    -------
    (P,) float array
        Weights (inputs, outputs) and offsets, layer by layer.
    """
    parts = [held.detach().T.numpy() if held.ndim == 2 else held.detach().numpy() for held in model.parameters()]
    return np.concatenate([part.ravel() for part in parts])


def rounds(arrays: Arrays) -> Iterator[list[np.ndarray]]:
    """Go through the rounds of a plan.

    Parameters
    ----------
    arrays : mapping
        ``rows_1`` (S, m, B), ``rows_2``, …: the rows of each step and client, −1 where a batch is shorter than B.

    Yields
    ------
    list of (n,) int array
        For each client of the round its rows, in the order in which it trains on them.
    """
    index = 1
    while f"rows_{index}" in arrays:
        rows = arrays[f"rows_{index}"]
        yield [own[own >= 0] for own in rows.transpose(1, 0, 2).reshape(rows.shape[1], -1)]
        index += 1


def batches(own: np.ndarray, size: int) -> list[np.ndarray]:
    """Cut a client's rows into its batches.

    Parameters
    ----------
    own : (n,) int array
        Its rows, in order.
    size : int
        Rows in a batch; the last may be shorter.

    Returns
    -------
    list of int array
        One a step.

    Examples
    --------
    >>> [batch.tolist() for batch in batches(np.arange(5), 2)]
    [[0, 1], [2, 3], [4]]
    """
    return [own[start : start + size] for start in range(0, own.size, size)]
