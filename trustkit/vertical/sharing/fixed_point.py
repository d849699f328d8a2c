"""Fixed-point numbers modulo 2^64, and the uniform numbers that hide them.

A number x stands as round(x · 2^bits) in a signed 64-bit integer. Sums and products of such integers wrap round modulo
2^64 and are exact there, so that shares always add up to what was shared.
"""

from __future__ import annotations

import numpy as np

__all__ = ["decoded", "encoded", "noise", "times"]

_LOW, _HIGH = -(2**63), 2**63 - 1


def encoded(values: np.ndarray, bits: int) -> np.ndarray:
    """Round to fixed-point numbers.

    Parameters
    ----------
    values : float array
        Below 2^(63 − bits) in size.
    bits : int
        How many stand after the point.

    Returns
    -------
    int64 array
        At most 2^(−bits − 1) off.

    Examples
    --------
    >>> encoded(np.array([0.75, -2.0]), 3).tolist()
    [6, -16]
    """
    return np.asarray(np.rint(np.asarray(values, np.float64) * 2.0**bits).astype(np.int64))


def decoded(numbers: np.ndarray, bits: int) -> np.ndarray:
    """Read fixed-point numbers.

    Parameters
    ----------
    numbers : int64 array
        Fixed-point numbers.
    bits : int
        How many stand after the point.

    Returns
    -------
    float64 array
        Exact below 2^53.

    Examples
    --------
    >>> decoded(np.array([6, -16]), 3).tolist()
    [0.75, -2.0]
    """
    return np.asarray(numbers.astype(np.float64) * 2.0**-bits)


def noise(generator: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Draw numbers that are uniform modulo 2^64: anything they are added to is uniform too, and says nothing.

    Parameters
    ----------
    generator : numpy.random.Generator
        Where from.
    shape : tuple of int
        How many.

    Returns
    -------
    int64 array
        In [−2^63, 2^63).
    """
    return generator.integers(_LOW, _HIGH, shape, np.int64, endpoint=True)


def times(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Multiply matrices modulo 2^64.

    Parameters
    ----------
    left, right : int64 array
        (a, b) and (b, c).

    Returns
    -------
    (a, c) int64 array
        Exact modulo 2^64.

    Notes
    -----
    PyTorch's product of whole numbers takes a sixth of the time of NumPy's here.

    Examples
    --------
    >>> times(np.array([[2**62, 3]]), np.array([[4], [5]])).tolist()
    [[15]]
    """
    import torch

    return np.asarray((torch.from_numpy(left) @ torch.from_numpy(right)).numpy())
