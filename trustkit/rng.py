"""Named random streams: the only source of randomness in trustkit.

A stream is addressed, not carried: ``stream(seed, round, "client", k)`` always yields the same numbers,
whatever ran before it, in whatever order, on however many workers.
"""

from __future__ import annotations

import hashlib

import numpy as np

__all__ = ["stream"]


def stream(seed: int, *path: int | str) -> np.random.Generator:
    """Return the random generator at an address.

    Parameters
    ----------
    seed : int
        The experiment's seed, any integer.
    *path : int or str
        The address below the seed, for example ``(round, "client", k)``. ``1`` and ``"1"`` are different steps.

    Returns
    -------
    numpy.random.Generator
        A Philox generator, keyed by a 128-bit BLAKE2 digest of the address.

    Raises
    ------
    TypeError
        If a step of the path is neither an integer nor a string.

    Examples
    --------
    >>> bool(stream(0, 3, "client", 1).random() == stream(0, 3, "client", 1).random())
    True
    >>> bool(stream(0, "a").random() == stream(0, "b").random())
    False
    """
    steps = []
    for step in (seed, *path):
        if isinstance(step, str):
            steps.append(f"s{len(step)}:{step}")
        elif isinstance(step, (int, np.integer)) and not isinstance(step, bool):
            steps.append(f"i{int(step)}")
        else:
            raise TypeError(f"a stream's address takes integers and strings, got {step!r}")
    digest = hashlib.blake2b("/".join(steps).encode(), digest_size=16).digest()
    return np.random.Generator(np.random.Philox(key=int.from_bytes(digest, "little")))
