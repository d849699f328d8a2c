"""Icor of many divisions at once by PyTorch, on a processor or, where there is one, on a graphics card."""

from __future__ import annotations

import numpy as np

from trustkit.devices import device_named
from trustkit.metrics.correlation import Definition
from trustkit.split.scores import scorer
from trustkit.split.seats import member_table

__all__ = ["icor_population"]

ENTRIES = 1 << 22  # of the blocks that are held at a time


def icor_population(
    corr: np.ndarray, owners: np.ndarray, definition: Definition = "paper", device: str = "cpu"
) -> np.ndarray:
    """Measure Icor of many divisions with the same party sizes.

    Parameters
    ----------
    corr : (m, m) float array
        Correlations of the columns in [−1, 1]: symmetric, without negative eigenvalues.
    owners : (R, m) int array
        The party of each column, 0 … K−1, in R divisions; party k has equally many columns, at least 1, in each.
    definition : {"paper", "package"}
        As for `trustkit.metrics.icor`.
    device : str
        "cpu", or where there is a graphics card "cuda" or "mps" (which computes with 4-byte floats).

    Returns
    -------
    (R,) float array
        Icor, equal to that of `trustkit.metrics.icor` to about 1e-8 with 8-byte floats.

    Raises
    ------
    ValueError
        If shapes or sizes do not fit, a party has no column, or there is no such device.

    Notes
    -----
    Blocks are decomposed in batches by ``torch.linalg.svdvals``; blocks of unlike shapes are filled up with zeros,
    which adds singular values of 0 only. Inside a party the singular values add up to the trace.

    Source
    ------
    VertiBench (Wu et al. 2023), equations 2 and 3.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> icor_population(np.ones((4, 4)), np.array([[0, 0, 1, 1], [0, 1, 0, 1]]), "package").round(9).tolist()
    [0.0, 0.0]
    """
    import torch

    corr, owners = np.asarray(corr, dtype=float), np.asarray(owners)
    if corr.ndim != 2 or corr.shape[0] != corr.shape[1]:
        raise ValueError(f"corr must be a square matrix, got shape {corr.shape}")
    if owners.ndim != 2 or owners.shape[1] != len(corr) or not len(owners) or owners.min() < 0:
        raise ValueError(f"owners must be (R, {len(corr)}) parties of the columns, got shape {owners.shape}")
    K = int(owners.max()) + 1
    counts = np.stack([np.bincount(one, minlength=K) for one in owners])
    if K < 2 or counts.min() < 1 or (counts != counts[0]).any():
        raise ValueError(
            f"owners must give each of 2 or more parties equally many columns, got sizes {counts.tolist()}"
        )
    where = device_named(device)
    score = scorer(corr, counts[0].tolist(), definition)
    short, long = score.depth
    left, right = torch.as_tensor(score.left), torch.as_tensor(score.right)
    number = torch.float32 if where.type == "mps" else torch.float64
    table = torch.zeros((len(corr) + 1, len(corr) + 1), dtype=number, device=where)
    table[:-1, :-1] = torch.as_tensor(corr, dtype=number)
    members = torch.as_tensor(member_table(owners, counts[0].tolist()), device=where)
    size, weight, inner = (
        torch.as_tensor(a, device=where).to(number) for a in (score.sizes, score.weight, score.inner)
    )
    answer = np.zeros(len(owners))
    pairs = max(1, ENTRIES // (short * long))
    for chain in range(0, len(owners), max(1, pairs // left.numel())):
        some = members[chain : chain + max(1, pairs // left.numel())]
        total = torch.zeros(len(some), dtype=number, device=where)
        for begin in range(0, left.numel(), pairs):
            one, two = left[begin : begin + pairs], right[begin : begin + pairs]
            block = table[some[:, one, :short, None], some[:, two, None, :]]
            d = torch.minimum(size[one], size[two])
            spread = (block**2).sum((-1, -2)) - torch.linalg.svdvals(block).sum(-1) ** 2 / d
            total += (weight[begin : begin + pairs] * spread.clamp(min=0).sqrt()).sum(1)
        for party in range(K if score.has_inner else 0):
            block = table[some[:, party, :, None], some[:, party, None, :]]
            trace = block.diagonal(dim1=-1, dim2=-2).sum(-1)
            total -= inner[party] * ((block**2).sum((-1, -2)) - trace**2 / size[party]).clamp(min=0).sqrt()
        answer[chain : chain + len(some)] = total.cpu().numpy()
    return answer
