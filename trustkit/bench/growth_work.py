"""The work whose cost is followed: made ready for a size, then done again and again while the clock runs."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from trustkit import datasets
from trustkit.catalogue import Use, use
from trustkit.data import Dataset, Provenance
from trustkit.experiment import Experiment
from trustkit.facts import facts_of
from trustkit.metrics import by_client, demographic_disparity, icor, spearman
from trustkit.records import RunRecord
from trustkit.rng import stream
from trustkit.rounds import build, play
from trustkit.split import correlation, dirichlet, importance
from trustkit.trust import assess

__all__ = [
    "COLUMNS", "ROWS", "ROWS_A_CLIENT", "WIDE", "Work", "across", "among", "correlated", "dealt", "disparities",
    "divided", "ranked", "reported", "searched", "table", "weighed",
]  # fmt: skip

ROWS, COLUMNS, WIDE, ROWS_A_CLIENT = 1000, 16, 2048, 25
"""What does not grow: rows, columns, columns where parties grow, and rows of a client, 20 to train on and 5 to test."""

Work = Callable[[], object]
"""Takes nothing; what it returns is not looked at."""


def table(rows: int, columns: int, clients: int = 1) -> Dataset:
    """Make up normal features, and a label that a linear rule of at most 64 of them gives.

    Parameters
    ----------
    rows, columns : int
        At least 1.
    clients : int
        Whose the rows are, in equal parts one after the other.

    Returns
    -------
    Dataset
        Two classes, a protected attribute of two values, every fifth row held out; synthetic.

    Examples
    --------
    >>> made = table(100, 16, clients=4)
    >>> made.X.shape, int(made.held_out.sum()), made.groups["client"][[0, 99]].tolist(), made.provenance.synthetic
    ((100, 16), 20, ['0', '3'], True)
    """
    random = stream(0, "growth")
    X = random.standard_normal((rows, columns))
    heard = min(columns, 64)
    y = (X[:, :heard] @ random.standard_normal(heard) > 0).astype(int)
    return Dataset(
        "grown", X, y, tuple(f"x{at}" for at in range(columns)), ("0", "1"),
        Provenance("made for the bench of growth", "none", synthetic=True),
        sensitive={"group": np.where(random.random(rows) < 0.5, "A", "B")},
        groups={"client": (np.arange(rows) * clients // rows).astype(str)},
        held_out=np.arange(rows) % 5 == 0, scaling="none",
    )  # fmt: skip


def _played(experiment: Experiment) -> Work:
    """Load and split first: what is repeated is one round, with its evaluation."""
    build(experiment)
    return lambda: list(play(experiment))


def among(algorithm: str, clients: int, rows: int | None = None) -> Work:
    """Make ready one round among clients, who all train a logistic regression for one epoch and are evaluated.

    Parameters
    ----------
    algorithm : str
        A strategy over rows.
    clients : int
        How many.
    rows : int, optional
        Of all; by default 25 a client.

    Returns
    -------
    callable
        The round.
    """
    return _played(_crowd(algorithm, clients, rows))


def _crowd(algorithm: str, clients: int, rows: int | None = None) -> Experiment:
    datasets.add(table(rows or ROWS_A_CLIENT * clients, COLUMNS, clients))
    return Experiment("grown", use("by_group", group="client"), algorithm, "logistic", rounds=1)


def across(algorithm: Use, parties: int, columns: int, rows: int = ROWS) -> Work:
    """Make ready one round among parties that hold columns, equally many and at random.

    Parameters
    ----------
    algorithm : Use
        A vertical algorithm.
    parties, columns, rows : int
        How many.

    Returns
    -------
    callable
        The round.
    """
    datasets.add(table(rows, columns))
    return _played(Experiment("grown", use("uniform", parties=parties), algorithm, rounds=1))


def reported(clients: int) -> Work:
    """Make ready the fact sheet of a played round and the trust report of it.

    Parameters
    ----------
    clients : int
        Who trained.

    Returns
    -------
    callable
        From the record to the report.
    """
    record = RunRecord(_crowd("fedavg", clients))
    for each in play(record.experiment):
        record(each)
    return lambda: assess(facts_of(record))


def disparities(clients: int) -> Work:
    """Make ready the demographic disparity of every client's predictions.

    Parameters
    ----------
    clients : int
        How many.

    Returns
    -------
    callable
        The measure, client by client.
    """
    fed = build(_crowd("fedavg", clients)).fed
    rule = np.ones(COLUMNS)
    return lambda: by_client(demographic_disparity, fed, lambda X: (X @ rule > 0).astype(int), attribute="group")


def dealt(rows: int) -> Work:
    """Make ready a label-skewed split of rows among ten clients.

    Parameters
    ----------
    rows : int
        How many.

    Returns
    -------
    callable
        The split.
    """
    data = table(rows, COLUMNS)
    return lambda: dirichlet(data, parties=10, alpha=0.5, seed=0)


def ranked(rows: int, columns: int) -> Work:
    """Make ready the rank correlation of all columns.

    Parameters
    ----------
    rows, columns : int
        How many.

    Returns
    -------
    callable
        The matrix.
    """
    X = table(rows, columns).X
    return lambda: spearman(X)


@lru_cache(maxsize=1)
def correlated(columns: int) -> np.ndarray:
    """Return the rank correlation of a table's columns.

    Parameters
    ----------
    columns : int
        How many.

    Returns
    -------
    (columns, columns) ndarray
        Of 1,000 rows.
    """
    return spearman(table(ROWS, columns).X)


def divided(parties: int, columns: int) -> Work:
    """Make ready Icor of one division of columns, from their correlation.

    Parameters
    ----------
    parties, columns : int
        How many.

    Returns
    -------
    callable
        The measure.
    """
    corr, owner = correlated(columns), np.arange(columns) % parties
    return lambda: icor(corr, owner)


def searched(columns: int) -> Work:
    """Make ready the search for a division with β = 0.5 among four parties, correlation included.

    Parameters
    ----------
    columns : int
        How many.

    Returns
    -------
    callable
        The split.
    """
    data = table(ROWS, columns)
    return lambda: correlation(data, parties=4, beta=0.5, seed=0)


def weighed(parties: int) -> Work:
    """Make ready a division of columns by importance, with α = 1.

    Parameters
    ----------
    parties : int
        How many.

    Returns
    -------
    callable
        The split.
    """
    data = table(ROWS, WIDE)
    return lambda: importance(data, parties=parties, alpha=1.0, seed=0)
