"""Where PyTorch computes: the processor, or a graphics card where there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

__all__ = ["device_named"]


def device_named(name: str) -> torch.device:
    """Return a device that can be used here.

    Parameters
    ----------
    name : str
        As PyTorch has it: "cpu", "cuda", "cuda:1", "mps".

    Returns
    -------
    torch.device
        One that took a number.

    Raises
    ------
    ValueError
        If there is no such device; the message lists those there are.

    Examples
    --------
    >>> device_named("cpu").type
    'cpu'
    """
    import torch

    try:
        where = torch.device(name)
        torch.zeros(1, device=where)
    except (RuntimeError, AssertionError, TypeError) as error:
        raise ValueError(f"device must be one of {', '.join(_here())} here, got {name!r}") from error
    return where


def _here() -> list[str]:
    import torch

    cards = [f"cuda:{place}" for place in range(torch.cuda.device_count())]
    return ["cpu", *(["cuda", *cards] if cards else []), *(["mps"] if torch.backends.mps.is_available() else [])]
