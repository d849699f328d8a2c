"""What parties over columns hold between them: rows cut into columns, labels with the first party, and their checks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from trustkit import memory
from trustkit.data import FederatedDataset
from trustkit.metrics.evaluate import count_groups, examine
from trustkit.records import Seen
from trustkit.vertical.channel import Channel

__all__ = ["ColumnTable", "laid_out"]


@dataclass(frozen=True, eq=False)
class ColumnTable:
    """Training and test rows, and which columns each party holds.

    Parameters
    ----------
    columns : tuple of tuple of int
        The columns of each party, K; the first party also holds the labels.
    X, y : (n, m) float32 array and (n,) array
        The training rows; labels are class numbers (int64), or numbers (float64) brought onto [0, 1] by
        ``low`` and ``span``.
    X_test, y_test : (n', m) float32 array and (n',) array
        The test rows; labels as the data set has them.
    classes : int
        C; 0 for a regression.
    codes : mapping of str to ((n',) int array, int)
        Protected groups of the test rows, and how many groups there are.
    positive : int
        The favourable class.
    low, span : float
        Smallest label of a regression's training rows, and how far the largest is from it.
    epsilon : float
        What the labels cost already, where they were answered at random; infinity else.
    """

    columns: tuple[tuple[int, ...], ...]
    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    classes: int
    codes: Mapping[str, tuple[np.ndarray, int]]
    positive: int = 1
    low: float = 0.0
    span: float = 1.0
    epsilon: float = math.inf

    @property
    def parties(self) -> int:
        """How many there are, K."""
        return len(self.columns)

    @property
    def outputs(self) -> int:
        """How many scores a row gets: C, or 1 for a regression."""
        return self.classes or 1

    @property
    def features(self) -> int:
        """How many columns there are, m, whoever holds them."""
        return int(self.X.shape[1])

    def told(self, scores: np.ndarray) -> np.ndarray:
        """Bring what was learnt on labels in [0, 1] back into the target's unit; logits stay as they are.

        Parameters
        ----------
        scores : (n, C) float array
            Of a model trained on ``y``.

        Returns
        -------
        (n, C) float array
            Logits, or (n, 1) numbers in the target's unit.
        """
        return scores if self.classes else scores * self.span + self.low

    def seen(self, scores: np.ndarray, wire: Channel, epsilon: float = math.inf) -> Seen:
        """Evaluate the joint model as that of one client who has all test rows, and read the counter.

        Parameters
        ----------
        scores : (n', C) float array
            Logits of the test rows, or (n', 1) numbers in the target's unit.
        wire : Channel
            What training sent in this round.
        epsilon : float
            Composed over all rounds so far.

        Returns
        -------
        Seen
            accuracy (1,), NaN for a regression or without test rows; loss (1,), the mean cross-entropy, or the mean
            squared error in the square of the target's unit.
        """
        everybody = np.array([0, self.y_test.size])
        traffic = wire.by_kind()
        sides = np.sum([*traffic.values(), np.zeros((2, self.parties))], axis=0)
        shared: dict[str, Any] = {"selected": np.ones(self.parties, bool), "bytes_up": sides[0], "bytes_down": sides[1],
                                  "epsilon": min(epsilon, self.epsilon), "traffic": traffic}  # fmt: skip
        if not self.classes:
            error = np.mean((scores[:, 0] - self.y_test) ** 2) if self.y_test.size else math.nan
            return Seen(accuracy=np.full(1, math.nan), loss=np.array([error], float), **shared)
        seen = examine(scores, self.y_test, everybody)
        groups = count_groups(seen.predicted, self.y_test, everybody, self.codes, self.positive)
        return Seen(accuracy=seen.accuracy, loss=seen.loss, groups=groups, **shared)


def laid_out(fed: FederatedDataset, name: str, participation: float = 1.0, copies: float = 4.0) -> ColumnTable:
    """Cut a federated data set for an algorithm over columns, after checking all that it takes for granted.

    Parameters
    ----------
    fed : FederatedDataset
        Over columns, features scaled; the first party holds the labels.
    name : str
        What a message calls the algorithm.
    participation : float
        Must be 1: every party is needed in every step.
    copies : float
        How many times the algorithm holds the table in float32, for the estimate of memory.

    Returns
    -------
    ColumnTable
        Ready to train on.

    Raises
    ------
    ValueError
        If the partition is over rows, there are fewer than two parties, a party holds no column, nothing is left to
        train on, a feature or label is not a finite number, the training rows have one class only, or the table will
        not fit into memory.
    """
    data, partition = fed.data, fed.partition
    if partition.axis != "columns":
        raise ValueError(f"{name} trains across columns, got a partition over {partition.axis}")
    if participation != 1:
        raise ValueError(f"participation must be 1 across columns, got {participation:g}")
    if len(fed) < 2:
        raise ValueError(f"{name} must have at least 2 parties, got {len(fed)}")
    columns = tuple(tuple(map(int, partition.members(k))) for k in range(len(fed)))
    empty = [str(k) for k, own in enumerate(columns) if not own]
    if empty:
        raise ValueError(f"every party must hold a column for {name}, got none for party {', '.join(empty[:5])}"
                         + (" and more" if len(empty) > 5 else ""))  # fmt: skip
    if data.held_out.all():
        raise ValueError(f"{data.name} must have training rows, got only held-out ones")
    memory.fits(f"{name} on {data.name}", int(4 * copies * data.X.shape[0] * data.X.shape[1]))
    X, y = _finite(fed), data.y.astype(np.int64 if data.classes else np.float64)
    test = data.held_out
    if data.classes and np.unique(y[~test]).size < 2:
        raise ValueError(f"the training rows of {data.name} must have at least two classes, got only "
                         f"{data.classes[y[~test][0]]!r}")  # fmt: skip
    low, span = 0.0, 1.0
    if not data.classes:
        low, span = float(y[~test].min()), float(np.ptp(y[~test])) or 1.0
    codes = {attribute: data.codes(attribute) for attribute in data.sensitive}
    groups = {attribute: (code[test], len(values)) for attribute, (code, values) in codes.items()}
    train = y[~test] if data.classes else (y[~test] - low) / span
    return ColumnTable(columns, X[~test], train, X[test], y[test], len(data.classes), groups, data.positive, low, span)


def _finite(fed: FederatedDataset) -> np.ndarray:
    """Return the features in float32, or say where one is missing."""
    data = fed.data
    with np.errstate(over="ignore"):  # what is beyond float32 is refused below
        X: np.ndarray = np.asarray(data.dense().X, np.float32)
    missing = np.count_nonzero(~np.isfinite(X), axis=0)
    if missing.any():
        at = int(np.flatnonzero(missing)[0])
        raise ValueError(f"features must be finite numbers, got {missing[at]} values that are not in column "
                         f"{data.columns[at]!r} of party {fed.partition.owner[at]}")  # fmt: skip
    wrong = 0 if data.classes else int(np.count_nonzero(~np.isfinite(data.y)))
    if wrong:
        raise ValueError(f"labels must be finite numbers, got {wrong} that are not")
    return X
