"""One thread while small models train: more cost several times the work here, and may change the order of sums."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

__all__ = ["one_blas_thread", "one_thread"]


@contextmanager
def one_thread() -> Iterator[None]:
    """Let PyTorch use one thread, and give it back what it had.

    Yields
    ------
    None
        While one thread is in use.
    """
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let NumPy's matrix products use one thread, and give them back what they had.

    Yields
    ------
    None
        While one thread is in use.
    """
    with _libraries().limit(limits=1, user_api="blas"):
        yield


@lru_cache(maxsize=1)
def _libraries() -> Any:
    """Find the loaded libraries once: looking takes milliseconds."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
