"""How large a number and how long a label may be that is read from a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

__all__ = ["LONGEST_LABEL", "label_array", "narrowed"]

LONGEST_LABEL = 200
"""In bytes."""


def label_array(file: Path, labels: list[bytes]) -> np.ndarray:
    """Put labels side by side; each takes the room of the longest, so that one long one would fill the memory.

    Parameters
    ----------
    file : pathlib.Path
        Named in the message.
    labels : list of bytes
        One a row.

    Returns
    -------
    (n,) array of bytes
        As they are.

    Raises
    ------
    ValueError
        If one is longer than 200 bytes.
    """
    if (longest := max(map(len, labels), default=0)) > LONGEST_LABEL:
        raise ValueError(f"{file} must have labels of at most {LONGEST_LABEL} bytes, got one of {longest:,}")
    return np.array(labels, bytes)


def narrowed(file: Path, numbers: np.ndarray, dtype: np.dtype | type) -> np.ndarray:
    """Return finite numbers in another precision.

    Parameters
    ----------
    file : pathlib.Path
        Named in the message.
    numbers : float array
        Any shape.
    dtype : dtype
        A float's.

    Returns
    -------
    float array
        Of the same shape.

    Raises
    ------
    ValueError
        If one is too large for that precision.
    """
    with np.errstate(over="ignore"):
        found = numbers.astype(dtype, copy=False)
    if not np.isfinite(found).all():
        most = np.finfo(found.dtype).max
        raise ValueError(f"{file} must hold numbers of at most {most:.3g}, got {numbers[~np.isfinite(found)][0]:.3g}")
    return found
