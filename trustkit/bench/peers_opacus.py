"""Opacus: DP-SGD at every client, by one model with gradients a sample and one optimiser, on the plan's batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from trustkit.bench.peers_network import batches, flat, network, put, rounds
from trustkit.bench.peers_worker import Arrays

__all__ = ["prepare"]


def prepare(work: str, arrays: Arrays) -> Callable[[], np.ndarray]:
    """Make private FedAvg ready.

    Parameters
    ----------
    work : str
        A private training; all are trained alike.
    arrays : mapping
        Of `trustkit.bench.peers_works.training`, with ``clip`` and ``noise``.

    Returns
    -------
    callable
        Trains from the start and returns the parameters (P,).
    """
    import torch
    from opacus import GradSampleModule
    from opacus.optimizers import DPOptimizer

    X, y = torch.from_numpy(arrays["X"]), torch.from_numpy(arrays["y"])
    plan, size = list(rounds(arrays)), int(arrays["batch"])
    model: Any = GradSampleModule(network(arrays))

    def client(params: np.ndarray, own: np.ndarray) -> np.ndarray:
        put(model._module, params)
        plain = torch.optim.SGD(model.parameters(), lr=float(arrays["lr"]))
        optimiser: Any = DPOptimizer(
            plain,
            noise_multiplier=float(arrays["noise"]),
            max_grad_norm=float(arrays["clip"]),
            expected_batch_size=size,
        )
        for batch in batches(own, size):
            optimiser.expected_batch_size = batch.size
            optimiser.zero_grad()
            torch.nn.functional.cross_entropy(model(X[batch]), y[batch]).backward()  # type: ignore[no-untyped-call]
            optimiser.step()
        return flat(model._module)

    def train() -> np.ndarray:
        params = arrays["params"]
        for clients in plan:
            params = np.mean([client(params, own) for own in clients], axis=0, dtype=params.dtype)
        return params

    return train
