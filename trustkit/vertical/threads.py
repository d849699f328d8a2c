"""PyTorch on one thread while small models train: more threads cost several times the work, and the order of sums."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["one_thread"]


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
