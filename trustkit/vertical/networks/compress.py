"""Tensors made smaller before they cross a border: some of the numbers, or few levels of each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    import torch

__all__ = ["Compressor", "Packet", "Squeeze", "kept_of", "largest", "opened", "picked", "quantised", "whole"]

Compressor = Literal["topk", "quantize", "none"]
"""Which numbers of a tensor cross: the largest, all in few levels, or all as they are."""


@dataclass(frozen=True, eq=False)
class Packet:
    """What crosses in the place of a tensor.

    Parameters
    ----------
    shape : tuple of int
        The tensor's.
    parts : tuple of torch.Tensor
        All numbers (1 part); places and values (2); packed codes, the lowest level and the step (3).
    levels : int
        How many levels codes have; 0 without codes.
    """

    shape: tuple[int, ...]
    parts: tuple[torch.Tensor, ...]
    levels: int = 0

    @property
    def size(self) -> int:
        """How many bytes it has."""
        return sum(part.numel() * part.element_size() for part in self.parts)


@dataclass(frozen=True)
class Squeeze:
    """How a run makes its messages smaller.

    Parameters
    ----------
    compressor : {"topk", "quantize", "none"}
        Which numbers are sent.
    levels : int
        Of a quantised number, 2 to 256; top-k keeps the share log₂(levels) / 32.
    """

    compressor: Compressor
    levels: int

    def embedding(
        self, rows: torch.Tensor, last: np.ndarray | None, shared: np.random.Generator
    ) -> tuple[torch.Tensor, int]:
        """Send an embedding.

        Parameters
        ----------
        rows : torch.Tensor
            (n, width).
        last : (width,) float array, optional
            The last gradient by dimension: top-k keeps those where it is largest, of equals the first; all without it.
        shared : numpy.random.Generator
            Sender and receivers draw the dither of quantised numbers from it.

        Returns
        -------
        torch.Tensor
            What the receiver makes of it.
        int
            Bytes that cross.
        """
        if self.compressor != "topk" or last is None:
            return self._all(rows, shared)
        count = kept_of(last.size, self.levels)
        packet = picked(rows, np.sort(np.argsort(-np.abs(last), kind="stable")[:count]))
        return opened(packet), packet.size

    def array(self, tensor: torch.Tensor, shared: np.random.Generator) -> tuple[torch.Tensor, int]:
        """Send one array of a model.

        Parameters
        ----------
        tensor : torch.Tensor
            Weights or offsets.
        shared : numpy.random.Generator
            As for an embedding.

        Returns
        -------
        torch.Tensor
            What the receiver makes of it.
        int
            Bytes that cross.
        """
        if self.compressor != "topk":
            return self._all(tensor, shared)
        packet = largest(tensor, kept_of(tensor.numel(), self.levels))
        return opened(packet), packet.size

    def _all(self, tensor: torch.Tensor, shared: np.random.Generator) -> tuple[torch.Tensor, int]:
        if self.compressor != "quantize":
            packet = whole(tensor)
            return opened(packet), packet.size
        dither = shared.random(tuple(tensor.shape)) - 0.5
        packet = quantised(tensor, self.levels, dither)
        return opened(packet, dither), packet.size


def kept_of(size: int, levels: int) -> int:
    """Say how many of a tensor's numbers are kept so that about as many bits cross as with so many levels of each.

    Parameters
    ----------
    size : int
        How many numbers there are.
    levels : int
        At least 2.

    Returns
    -------
    int
        ⌊size · log₂(levels) / 32⌋, at least 1.

    Examples
    --------
    >>> kept_of(100, 4), kept_of(80_000, 4), kept_of(26, 4), kept_of(3, 4)
    (6, 5000, 1, 1)
    """
    return max(1, math.floor(size * math.log2(levels) / 32))


def whole(tensor: torch.Tensor) -> Packet:
    """Leave a tensor as it is.

    Parameters
    ----------
    tensor : torch.Tensor
        Of any shape.

    Returns
    -------
    Packet
        4 bytes a number in float32.
    """
    return Packet(tuple(tensor.shape), (tensor.detach(),))


def picked(rows: torch.Tensor, columns: np.ndarray) -> Packet:
    """Keep some columns.

    Parameters
    ----------
    rows : torch.Tensor
        (n, width).
    columns : (k,) int array
        Which ones.

    Returns
    -------
    Packet
        For each row k places (int32) and k values: 8·n·k bytes in float32.

    Examples
    --------
    >>> import torch
    >>> packet = picked(torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), np.array([0, 2]))
    >>> packet.size, opened(packet).tolist()
    (32, [[1.0, 0.0, 3.0], [4.0, 0.0, 6.0]])
    """
    import torch

    places = torch.tensor(np.broadcast_to(columns.astype(np.int32), (len(rows), columns.size)).copy())
    return Packet(tuple(rows.shape), (places, rows.detach()[:, columns]))


def largest(tensor: torch.Tensor, count: int) -> Packet:
    """Keep the numbers that are furthest from 0.

    Parameters
    ----------
    tensor : torch.Tensor
        Of any shape.
    count : int
        How many, at most as there are; of equals the first ones.

    Returns
    -------
    Packet
        A place (int32) and a value each: 8·count bytes in float32.

    Examples
    --------
    >>> import torch
    >>> opened(largest(torch.tensor([[1.0, -3.0], [2.0, 0.5]]), 2)).tolist()
    [[0.0, -3.0], [2.0, 0.0]]
    """
    import torch

    flat = tensor.detach().reshape(1, -1)
    sizes = flat[0].abs().numpy()
    edge = np.partition(sizes, sizes.size - count)[sizes.size - count]
    above = np.flatnonzero(sizes > edge)
    equal = np.flatnonzero(sizes == edge)[: count - above.size]
    places = torch.from_numpy(np.sort(np.concatenate([above, equal])))
    return Packet(tuple(tensor.shape), (places[None].to(torch.int32), flat[:, places]))


def quantised(tensor: torch.Tensor, levels: int, dither: np.ndarray) -> Packet:
    """Round each number to one of a few levels between the lowest and the highest.

    Parameters
    ----------
    tensor : torch.Tensor
        Of any shape.
    levels : int
        2 to 256.
    dither : float array
        Of the same shape, in [−½, ½]: both ends draw it from a stream that they share, so that it does not cross.

    Returns
    -------
    Packet
        Codes packed at ⌈log₂(levels)⌉ bits a number, rounded up to whole bytes, and two numbers more.

    Notes
    -----
    code = clip(round((x − low) / step + dither), 0, levels − 1) with step = (high − low) / (levels − 1); it is opened
    as low + step · (code − dither). The error is at most step / 2: within the levels by rounding; where the code is
    clipped at 0 it is −step·dither − (x − low), which lies between −step·dither and 0 as x ≥ low; at the top likewise.

    Examples
    --------
    >>> import torch
    >>> packet = quantised(torch.tensor([0.0, 0.4, 1.1, 3.0]), 4, np.zeros(4))
    >>> packet.size, opened(packet, np.zeros(4)).tolist()
    (9, [0.0, 0.0, 1.0, 3.0])
    """
    import torch

    flat, noise = tensor.detach().reshape(-1), torch.from_numpy(np.asarray(dither).reshape(-1))
    low = flat.min()
    step = (flat.max() - low) / (levels - 1)
    scaled = (flat - low) / step if float(step) > 0 else torch.zeros_like(flat)
    codes = (scaled + noise).round().clamp(0, levels - 1).to(torch.uint8).numpy()
    bits = np.unpackbits(codes[:, None], axis=1)[:, 8 - _bits(levels) :]
    return Packet(tuple(tensor.shape), (torch.from_numpy(np.packbits(bits)), low, step), levels)


def opened(packet: Packet, dither: np.ndarray | None = None) -> torch.Tensor:
    """Make a tensor of what arrived.

    Parameters
    ----------
    packet : Packet
        Of any kind.
    dither : float array, optional
        What the sender added before rounding, where it did.

    Returns
    -------
    torch.Tensor
        Of the packet's shape; 0 where nothing was sent.
    """
    import torch

    if len(packet.parts) == 1:
        return packet.parts[0]
    if not packet.levels:
        places, values = packet.parts
        empty = torch.zeros(len(values), math.prod(packet.shape) // max(len(values), 1), dtype=values.dtype)
        return empty.scatter_(1, places.long(), values).view(packet.shape)
    packed, low, step = packet.parts
    size, bits = math.prod(packet.shape), _bits(packet.levels)
    each = np.unpackbits(packed.numpy(), count=size * bits).reshape(size, bits)
    codes = torch.from_numpy(each @ (1 << np.arange(bits - 1, -1, -1))).to(low.dtype)
    if dither is not None:
        codes = codes - torch.from_numpy(np.asarray(dither).reshape(-1)).to(low.dtype)
    return (low + step * codes).view(packet.shape)


def _bits(levels: int) -> int:
    return (levels - 1).bit_length()
