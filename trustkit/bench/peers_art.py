"""The Adversarial Robustness Toolbox: CLEVER of each row against all other classes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle
from typing import Any

import numpy as np

from trustkit.bench.peers_network import network
from trustkit.bench.peers_worker import Arrays

__all__ = ["prepare"]


def prepare(work: str, arrays: Arrays) -> Callable[[], np.ndarray]:
    """Make the scores ready, from the pool and the draws of the other side: the toolbox would draw others.

    Parameters
    ----------
    work : str
        All are scored alike.
    arrays : mapping
        Of `trustkit.bench.peers_works.robustness`.

    Returns
    -------
    callable
        Returns the scores (n,).
    """
    import torch
    from art.estimators.classification import PyTorchClassifier
    from art.metrics import metrics

    sizes, rows = arrays["sizes"], arrays["rows"].astype(np.float32)
    classifier = PyTorchClassifier(
        network(arrays), torch.nn.CrossEntropyLoss(), (int(sizes[0]),), int(sizes[-1]), device_type="cpu"
    )
    pool, draws, radius = arrays["pool"], arrays["draws"], float(arrays["radius"])
    metrics.random_sphere = lambda **_: pool.copy()
    metrics.np = _Draws(cycle(draws))  # the toolbox draws from its NumPy

    def score() -> np.ndarray:
        count, size = draws.shape
        return np.array(
            [
                metrics.clever_u(classifier, row, count, size, radius, 2, pool_factor=len(pool) // size, verbose=False)
                for row in rows
            ]
        )

    return score


class _Draws:
    """NumPy, but for one function that answers what it is told to."""

    def __init__(self, draws: Any) -> None:
        self.random = self
        self.draws = draws

    def choice(self, points: int, size: int) -> Any:
        return next(self.draws)

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)
