"""MNIST's digits as if each client had a hand of its own: real pixels, simulated writers."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Annotated

import numpy as np

from trustkit.catalogue import DATASETS, Interval
from trustkit.data import Dataset, Provenance
from trustkit.datasets.bundled import mnist
from trustkit.rng import stream

__all__ = ["mnist_writers"]

_SIDE = 28


@DATASETS.enter("mnist_writers", title="MNIST digits by simulated writers (synthetic)")
def mnist_writers(
    writers: Annotated[int, Interval(2, 200), "how many hands"] = 100,
    alpha: Annotated[float, Interval(0.1, 100, log=True), "evenness of each writer's digits (Dirichlet)"] = 1.0,
) -> Dataset:
    """Deal MNIST's digits to writers, each of whom turns, slants, stretches and inks them in one fixed way.

    Parameters
    ----------
    writers : int
        2 to 200.
    alpha : float
        0.1 to 100: the Dirichlet parameter of each writer's shares of the ten digits; small for uneven.

    Returns
    -------
    Dataset
        10,000 rows × 784 float32 pixels from 0 (paper) to 1 (ink), in `mnist`'s order, with natural clients: writer.
        MNIST's own test images are held out; a writer has the same shares of them as of the training images.

    Raises
    ------
    TypeError, ValueError
        If a parameter is of a wrong type or out of range.

    Notes
    -----
    A pixel of writer w shows ink(x)^γ at the place A_w (p − c) + c of the original, between pixels linearly, with the
    image's centre c and A_w = rotation(a) · [[s, h], [0, t]]; a and h ~ N(0, 0.15²), log s and log t ~ N(0, 0.08²),
    log γ ~ N(0, 0.25²). The same arguments give the same rows.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), section 6.1, uses FEMNIST (Caldas et al. 2018), for which this stands
    in.

    Deviations
    ----------
    Ten classes and not 62; the hands are made up, so accuracy on it says nothing about FEMNIST.

    Examples
    --------
    >>> mnist_writers(writers=10)
    Dataset('mnist_writers', synthetic, 10,000 rows × 784 columns, multiclass)
    """
    given = DATASETS["mnist_writers"].arguments({"writers": writers, "alpha": alpha})
    writers, alpha, plain = given["writers"], given["alpha"], mnist()
    owner = _dealt(plain, writers, alpha)
    X = np.empty_like(plain.X)
    for w in range(writers):
        X[owner == w] = _written(plain.X[owner == w], stream(0, "mnist_writers", "hand", w))
    sha256 = hashlib.sha256(np.ascontiguousarray(X, "<f4").tobytes() + plain.y.astype("<i8").tobytes()).hexdigest()
    source = f"{plain.provenance.source}, redrawn by trustkit for simulated writers"
    provenance = Provenance(source, plain.provenance.licence, sha256, True, "FEMNIST (LEAF, Caldas et al. 2018)")
    names = np.array([f"w{w:03d}" for w in range(writers)])
    return replace(plain, name="mnist_writers", X=X, provenance=provenance, groups={"writer": names[owner]})


def _dealt(data: Dataset, writers: int, alpha: float) -> np.ndarray:
    """Whose each row is (n,): of every digit, for training and for testing, each writer gets the same share."""
    classes = len(data.classes)
    shares = stream(0, "mnist_writers", "shares").dirichlet(np.full(classes, alpha), writers)
    owner = np.empty(len(data.y), np.int64)
    for c in range(classes):
        ends = np.cumsum(shares[:, c]) / shares[:, c].sum()
        for test in (False, True):
            rows = np.flatnonzero((data.y == c) & (data.held_out == test))
            order = stream(0, "mnist_writers", "rows", c, int(test)).permutation(rows)
            owner[order] = np.searchsorted(ends, (np.arange(rows.size) + 0.5) / rows.size)
    return owner


def _written(images: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Images (n, 784) as one hand would write them."""
    turn, slant = rng.normal(0, 0.15, 2)
    tall, wide = np.exp(rng.normal(0, 0.08, 2))
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    centre = (_SIDE - 1) / 2
    grid = np.stack(np.meshgrid(np.arange(_SIDE), np.arange(_SIDE), indexing="ij")).reshape(2, -1) - centre
    place = rotation @ np.array([[tall, slant], [0.0, wide]]) @ grid + centre + 1  # one blank pixel on each side
    place = place.clip(0, _SIDE + 0.999)
    row, column = place.astype(int)
    down, right = (place - (row, column)).astype(images.dtype)
    padded = np.pad(images.reshape(-1, _SIDE, _SIDE), ((0, 0), (1, 1), (1, 1)))
    upper = padded[:, row, column] * (1 - right) + padded[:, row, column + 1] * right
    lower = padded[:, row + 1, column] * (1 - right) + padded[:, row + 1, column + 1] * right
    ink = (upper * (1 - down) + lower * down).clip(0, 1)
    return np.asarray(ink ** np.exp(rng.normal(0, 0.25)), images.dtype)
