"""The loop that most people write first: a copy of the model a client, PyTorch's loader, PyTorch's optimiser."""

from __future__ import annotations

import copy
from collections.abc import Callable

import numpy as np

from trustkit.bench.peers_network import batches, flat, network, rounds
from trustkit.bench.peers_worker import Arrays

__all__ = ["prepare"]


def prepare(work: str, arrays: Arrays) -> Callable[[], np.ndarray]:
    """Make FedAvg ready.

    Parameters
    ----------
    work : str
        A federated training; all are trained alike.
    arrays : mapping
        Of `trustkit.bench.peers_works.training`.

    Returns
    -------
    callable
        Trains from the start and returns the parameters (P,).
    """
    import torch
    from torch.utils.data import DataLoader, TensorDataset

    rows = TensorDataset(torch.from_numpy(arrays["X"]), torch.from_numpy(arrays["y"]))
    plan, size, lr = list(rounds(arrays)), int(arrays["batch"]), float(arrays["lr"])

    def train() -> np.ndarray:
        model = network(arrays)
        for clients in plan:
            states = []
            for own in clients:
                client = copy.deepcopy(model)
                optimiser = torch.optim.SGD(client.parameters(), lr=lr)
                order = [batch.tolist() for batch in batches(own, size)]
                for X, y in DataLoader(rows, batch_sampler=order):
                    optimiser.zero_grad()
                    torch.nn.functional.cross_entropy(client(X), y).backward()  # type: ignore[no-untyped-call]
                    optimiser.step()
                states.append(client.state_dict())
            total = sum(own.size for own in clients)
            model.load_state_dict(
                {
                    name: sum(own.size / total * state[name] for own, state in zip(clients, states, strict=True))
                    for name in states[0]
                }
            )
        return flat(model)

    return train
