"""Apple's pfl: FedAvg in its simulated backend, in one process, on the batches of the plan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from trustkit.bench.peers_network import flat, network, rounds
from trustkit.bench.peers_worker import Arrays

__all__ = ["prepare"]


def prepare(work: str, arrays: Arrays) -> Callable[[], np.ndarray]:
    """Make pfl's FedAvg ready; the rows of each client and round lie in order before the clock runs.

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
    from pfl.aggregate.simulate import SimulatedBackend  # type: ignore[import-not-found]
    from pfl.aggregate.weighting import WeightByDatapoints  # type: ignore[import-not-found]
    from pfl.algorithm.base import NNAlgorithmParams  # type: ignore[import-not-found]
    from pfl.algorithm.federated_averaging import FederatedAveraging  # type: ignore[import-not-found]
    from pfl.data.dataset import Dataset  # type: ignore[import-not-found]
    from pfl.data.federated_dataset import FederatedDataset  # type: ignore[import-not-found]
    from pfl.hyperparam import NNTrainHyperParams  # type: ignore[import-not-found]
    from pfl.model.pytorch import PyTorchModel  # type: ignore[import-not-found]

    class Network(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = network(arrays)

        def loss(self, X: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            return torch.nn.functional.cross_entropy(self.layers(X), y)

        def metrics(self, X: torch.Tensor, y: torch.Tensor) -> dict[str, Any]:
            return {}

    plan = list(rounds(arrays))
    X, y = torch.from_numpy(arrays["X"]), torch.from_numpy(arrays["y"])
    users = [(X[own], y[own]) for clients in plan for own in clients]
    how = NNTrainHyperParams(
        local_batch_size=int(arrays["batch"]), local_num_epochs=1, local_learning_rate=float(arrays["lr"])
    )
    cohort = len(plan[0])
    lasts = NNAlgorithmParams(
        central_num_iterations=len(plan) + 1, evaluation_frequency=len(plan) + 2, train_cohort_size=cohort,
        val_cohort_size=None,
    )  # fmt: skip

    def train() -> np.ndarray:
        module, turn = Network(), iter(range(len(users)))
        model = PyTorchModel(module, torch.optim.SGD, torch.optim.SGD(module.parameters(), lr=1.0))
        data = FederatedDataset(lambda user: Dataset(users[user], user_id=str(user)), lambda: next(turn))
        algorithm = FederatedAveraging()
        algorithm._current_central_iteration = 1  # at 0 it would evaluate every client, which nobody else does here
        backend = SimulatedBackend(training_data=data, val_data=None, postprocessors=[WeightByDatapoints()])
        algorithm.run(lasts, backend, model, how, send_metrics_to_platform=False)
        return flat(module)

    return train
