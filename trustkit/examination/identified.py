"""How well a client's rows hide among each other, from somebody who knows a little of a person."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from trustkit import metrics
from trustkit.data import Dataset
from trustkit.examination.subject import Found, NotMeasured, Subject, Tell, measure
from trustkit.rounds import data_of

__all__ = ["COARSE", "anonymity", "columns_named"]

COARSE = 10
"""A column with at most so many values may single somebody out together with others: it is a quasi-identifier."""

_COLUMNS = 100  # coarse columns, above which somebody has to name the quasi-identifiers


@measure("anonymity", cost="counts", axes=("rows",))
def anonymity(subject: Subject, tell: Tell) -> Found:
    """Count how many rows of a client look the same, and how many labels they have.

    Parameters
    ----------
    subject : Subject
        A run over rows.
    tell : callable
        Told how far it is.

    Returns
    -------
    Found
        privacy/k_anonymity and l_diversity, the smallest over clients; privacy/quasi_identifiers.

    Raises
    ------
    NotMeasured
        If no column can be a quasi-identifier, or too many can.

    Notes
    -----
    Quasi-identifiers are those that were named, else the protected attributes and every column with 2 to 10 values. l
    counts distinct classes, the target being what must not be learnt. All rows of a client count.

    Source
    ------
    Samarati and Sweeney (1998); Machanavajjhala et al. (2007); FederatedTrust (Sánchez Sánchez et al. 2024),
    "Anonymization".

    Deviations
    ----------
    The paper measures neither. Which columns an outsider may know is for people to say; the default assumes much.
    """
    data, partition = data_of(subject.record.experiment), subject.built.fed.partition
    names = subject.quasi if subject.quasi is not None else tuple(_coarse(data))
    if not names:
        raise NotMeasured("no column has few values; name the quasi-identifiers")
    columns = columns_named(data, names)
    k, diverse = math.inf, math.inf
    for client in range(partition.parties):
        tell(client / partition.parties)
        own = partition.members(client)
        if own.size:
            table = [column[own] for column in columns]
            k = min(k, metrics.k_anonymity(table))
            diverse = min(diverse, metrics.l_diversity(table, data.y[own]))
    facts = {"privacy/k_anonymity": k, "privacy/l_diversity": diverse, "privacy/quasi_identifiers": list(names)}
    return Found(facts, "" if subject.quasi else "the quasi-identifiers are a guess: attributes and coarse columns")


def _coarse(data: Dataset) -> Iterator[str]:
    """Yield the protected attributes and the columns with few values."""
    if data.image is not None or data.sparse:
        raise NotMeasured("pixels and sparse columns are no quasi-identifiers; name some")
    varied = [len(np.unique(data.X[:1000, j])) <= COARSE and 2 <= len(np.unique(data.X[:, j])) <= COARSE
              for j in range(data.X.shape[1])]  # fmt: skip
    if sum(varied) > _COLUMNS:
        raise NotMeasured(f"{sum(varied)} columns have few values; name the quasi-identifiers")
    yield from data.sensitive
    yield from (name for name, few in zip(data.columns, varied, strict=True) if few and name not in data.sensitive)


def columns_named(data: Dataset, names: tuple[str, ...]) -> list[np.ndarray]:
    """Return columns by name.

    Parameters
    ----------
    data : Dataset
        Unscaled.
    names : tuple of str
        Protected attributes, natural groups or features.

    Returns
    -------
    list of (n,) array
        In the order of the names.

    Raises
    ------
    KeyError
        If there is no such column.
    """
    found = []
    for name in names:
        if name in data.sensitive or name in data.groups:
            found.append(np.asarray({**data.groups, **data.sensitive}[name]))
        elif name in data.columns:
            column = data.X[:, [data.columns.index(name)]]
            found.append((column.toarray() if data.sparse else np.asarray(column)).ravel())
        else:
            known = (*data.sensitive, *data.groups, *data.columns)
            raise KeyError(f"{data.name} has no column {name!r}; known are {', '.join(known[:50])}")
    return found
