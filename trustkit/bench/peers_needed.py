"""A stricter bound: the matrix products that training needs, without the first layer's gradient by its inputs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from trustkit.bench.peers_bound import products
from trustkit.bench.peers_worker import Arrays

__all__ = ["prepare"]


def prepare(work: str, arrays: Arrays) -> Callable[[], np.ndarray]:
    """Make the stricter bound ready.

    Parameters
    ----------
    work : str
        A federated training.
    arrays : mapping
        Of `trustkit.bench.peers_works.training`.

    Returns
    -------
    callable
        Multiplies, and returns how many operations that took (1,).
    """
    return products(arrays, first=False)
