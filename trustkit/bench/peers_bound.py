"""The least that a training can take: its matrix products alone, in batches large enough to fill the processor."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from trustkit.bench.peers_network import rounds
from trustkit.bench.peers_worker import Arrays

__all__ = ["prepare", "products"]

_ROWS = 4096


def prepare(work: str, arrays: Arrays) -> Callable[[], np.ndarray]:
    """Make the usual bound ready: three products a layer, six operations a weight and row.

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
    return products(arrays, first=True)


def products(arrays: Arrays, first: bool) -> Callable[[], np.ndarray]:
    """Make as many products ready as one pass forwards and one backwards over all rows of all rounds takes.

    Parameters
    ----------
    arrays : mapping
        Of `trustkit.bench.peers_works.training`.
    first : bool
        Whether the first layer's gradient by its inputs is one of them, which training does not need.

    Returns
    -------
    callable
        Multiplies, learns nothing, and returns how many multiplications and additions there were (1,).
    """
    sizes = [int(size) for size in arrays["sizes"]]
    total = sum(own.size for clients in rounds(arrays) for own in clients)
    layers = [
        tuple(np.ones(shape, np.float32) for shape in ((_ROWS, inputs), (inputs, outputs), (_ROWS, outputs)))
        for inputs, outputs in pairwise(sizes)
    ]
    made = [tuple(np.empty_like(each) for each in layer) for layer in layers]

    def multiply() -> np.ndarray:
        done = 0
        for start in range(0, total, _ROWS):
            rows = min(_ROWS, total - start)
            for depth, ((hidden, weights, error), (back, slope, forth)) in enumerate(zip(layers, made, strict=True)):
                np.matmul(hidden[:rows], weights, out=forth[:rows])
                np.matmul(hidden[:rows].T, error[:rows], out=slope)
                if depth or first:
                    np.matmul(error[:rows], weights.T, out=back[:rows])
                done += (6 if depth or first else 4) * rows * weights.size
        return np.array([float(done)])

    return multiply
