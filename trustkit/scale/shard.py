"""What a worker does with its shard of the clients: train, add up, hand on columns, evaluate.

A shard is plain values: the rows of some clients that stand next to each other, and offsets over all clients, among
whom the others own nothing. So a client draws the same batches wherever it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from trustkit import memory
from trustkit.horizontal import stacked
from trustkit.horizontal.aggregate import median, trimmed_mean
from trustkit.horizontal.models import Dense
from trustkit.horizontal.plan import Local, cohort, steps_of
from trustkit.horizontal.trainer import RowTrainer
from trustkit.metrics.evaluate import count_groups, examine
from trustkit.threads import one_blas_thread

__all__ = ["columns_of", "merged", "seen_by", "shard_of", "sum_of", "trained_by"]

_TOGETHER = 2_000
"""Clients whose models a worker has at once where only their sum is wanted."""


def shard_of(trainer: RowTrainer, first: int, end: int) -> dict[str, Any]:
    """Cut out what belongs to the clients from ``first`` to before ``end``.

    Parameters
    ----------
    trainer : RowTrainer
        Of a dense model, bound to all rows.
    first, end : int
        Clients, 0 to K.

    Returns
    -------
    dict
        Numbers, text and arrays.
    """
    train, test = trainer.train, trainer.test
    rows, tested = (slice(*part.offsets[[first, end]].tolist()) for part in (train, test))
    return {
        "sizes": list(trainer.model.sizes) if isinstance(trainer.model, Dense) else [], "dtype": trainer.model.dtype,
        "local": asdict(trainer.local), "seed": trainer.seed, "positive": trainer.positive, "clients": [first, end],
        "X": np.asarray(train.X)[rows], "y": train.y[rows], "offsets": _own(train.offsets, rows),
        "test_X": np.asarray(test.X)[tested], "test_y": test.y[tested],
        "test_offsets": _own(test.offsets, tested)[first : end + 1],
        "codes": {name: (code[tested], groups) for name, (code, groups) in trainer.codes.items()},
    }  # fmt: skip


def _own(offsets: np.ndarray, rows: slice) -> np.ndarray:
    """Return offsets (K + 1,) to the rows of a shard; clients of other shards own none."""
    return np.asarray(np.clip(offsets, rows.start, rows.stop) - rows.start)


def _never() -> None:
    """Never stop."""


def trained_by(shard: Mapping[str, Any], params: np.ndarray, index: int, chosen: np.ndarray) -> np.ndarray:
    """Train some clients of a shard.

    Parameters
    ----------
    shard : mapping
        From `shard_of`.
    params : (P,) float array
        The model that they receive.
    index : int
        The round, from 1.
    chosen : (m,) int array
        Which, in the order of all clients.

    Returns
    -------
    (m, P) float array
        Their models, those with most steps first.

    Raises
    ------
    ValueError
        If they will not fit into the memory that is free where they are trained.
    """
    model, local = Dense(tuple(shard["sizes"]), shard["dtype"]), Local(**shard["local"])
    memory.fits(f"{chosen.size:,} clients of a worker", 3 * chosen.size * model.parameters * params.itemsize)
    plan = cohort(shard["seed"], index, chosen, shard["offsets"], local)
    with one_blas_thread():
        return stacked.train(model, params, shard["X"], shard["y"], plan, local, _never)


def sum_of(
    shard: Mapping[str, Any], params: np.ndarray, index: int, chosen: np.ndarray, weights: np.ndarray
) -> np.ndarray:  # fmt: skip
    """Train some clients of a shard and add up their models.

    Parameters
    ----------
    shard, params, index, chosen
        As for `trained_by`.
    weights : (m,) float array
        What each counts.

    Returns
    -------
    (P,) float array
        In double precision.
    """
    total = np.zeros(params.size)
    sizes = np.diff(shard["offsets"])
    for start in range(0, chosen.size, _TOGETHER):
        some, worth = chosen[start : start + _TOGETHER], weights[start : start + _TOGETHER]
        order = _order(sizes[some], Local(**shard["local"]))
        with one_blas_thread():
            total += worth[order] @ trained_by(shard, params, index, some).astype(float)
    return total


def _order(sizes: np.ndarray, local: Local) -> np.ndarray:
    """Return the order in which `cohort` has clients of these sizes: most steps first."""
    return np.argsort(-steps_of(sizes, local), kind="stable")


def columns_of(stack: np.ndarray, start: int, end: int) -> np.ndarray:
    """Return some columns of the models.

    Parameters
    ----------
    stack : (m, P) float array
        From `trained_by`.
    start, end : int
        Which, from 0.

    Returns
    -------
    (m, end − start) float array
        A copy, so that nothing else travels.
    """
    return stack[:, start:end].copy()


def merged(rule: str, share: float, blocks: Sequence[np.ndarray]) -> np.ndarray:
    """Merge the same columns of all shards by a rule that looks at each column by itself.

    Parameters
    ----------
    rule : str
        "median" or "trimmed_mean".
    share : float
        Of the trimmed mean.
    blocks : sequence of (m_s, B) float array
        One a shard.

    Returns
    -------
    (B,) float array
        The merged columns.

    Examples
    --------
    >>> merged("median", 0.0, [np.array([[0.0], [9.0]]), np.array([[1.0]])]).tolist()
    [1.0]
    """
    stack = np.concatenate(blocks)
    equal = np.ones(len(stack))
    return median(stack, equal) if rule == "median" else trimmed_mean(stack, equal, share)


def seen_by(shard: Mapping[str, Any], params: np.ndarray) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Evaluate a model on the test rows of a shard.

    Parameters
    ----------
    shard : mapping
        From `shard_of`.
    params : (P,) float array
        The model.

    Returns
    -------
    accuracy, loss, groups
        Each by client of the shard, as in `trustkit.records.Seen`.
    """
    model = Dense(tuple(shard["sizes"]), shard["dtype"])
    with one_blas_thread():
        seen = examine(model.logits(params, shard["test_X"]), shard["test_y"], shard["test_offsets"])
    groups = count_groups(seen.predicted, shard["test_y"], shard["test_offsets"], shard["codes"], shard["positive"])
    return seen.accuracy, seen.loss, groups
