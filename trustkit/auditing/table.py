"""What is audited: features without the protected attributes, labels, groups and clients, from whatever holds them."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from trustkit.data import Dataset, FederatedDataset, Provenance
from trustkit.datasets.frame import from_frame
from trustkit.datasets.ondisk import existing, owned, stem
from trustkit.datasets.tablefile import column_named, frame_of
from trustkit.metrics.coding import Coded, group_codes, intersection

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Table", "table_of"]

_ALL = "all rows"
_MOST_TELLING = 100
"""A feature with more values than this is not taken for a protected attribute in disguise."""


@dataclass(frozen=True, eq=False)
class Table:
    """Rows to audit.

    Parameters
    ----------
    name : str
        Of the data.
    X : (n, m) float array
        Features.
    y : (n,) bool array
        Whether the label is the favourable one.
    attributes : mapping of str to Coded
        Protected attributes; −1 where a row lacks it.
    owner : (n,) int array
        Clients 0 … K−1; −1 for rows of nobody.
    clients : (K,) tuple of str
        Their names.
    held_out : (n,) bool array
        Rows that the data themselves keep for testing.
    provenance : Provenance
        Where the data come from.
    facts : mapping
        target, positive, client, features, left_out (features that were not used, each with the reason), missing
        (values by column), dropped_rows.
    """

    name: str
    X: np.ndarray
    y: np.ndarray
    attributes: dict[str, Coded]
    owner: np.ndarray
    clients: tuple[str, ...]
    held_out: np.ndarray
    provenance: Provenance
    facts: dict[str, Any] = field(default_factory=dict)


def table_of(
    data: Any, attributes: Sequence[str] | None, target: str, client: str, positive: Any, leave_out: Sequence[str],
    keep_index: bool,
) -> Table:  # fmt: skip
    """Make a table to audit of a file, a data frame, a data set or a federated data set.

    Parameters
    ----------
    data : path-like, pandas.DataFrame, Dataset or FederatedDataset
        See `audit`.
    attributes : sequence of str or None
        Protected attributes; None for all that a data set names.
    target, client : str
        Columns of a file or a frame; of a data set ``client`` names its natural clients. May be empty.
    positive : object
        The favourable class, or None.
    leave_out : sequence of str
        Columns that are no features.
    keep_index : bool
        Whether leftover row numbers stay features.

    Returns
    -------
    Table
        With the rows as they came.

    Raises
    ------
    KeyError, TypeError, ValueError
        If something is missing, unknown or does not fit.
    """
    if isinstance(attributes, str) or isinstance(leave_out, str):
        raise TypeError("attributes and leave_out must be lists of names, got one text")
    wanted = None if attributes is None else list(dict.fromkeys(attributes))
    provenance, name = None, "my table"
    if isinstance(data, (str, os.PathLike)):
        file = existing(data, "a table (text, Parquet or NPZ)")
        data, name, provenance = frame_of(file)[0], stem(file), owned(file)
    known = set(map(str, data.columns)) if hasattr(data, "columns") else set()
    crossed = {each: each.split(" & ") for each in wanted or () if " & " in each and each not in known}
    single = wanted and list(dict.fromkeys(part for each in wanted for part in crossed.get(each, [each])))
    table = _table(data, single, target, client, positive, leave_out, keep_index, name, provenance)
    if not crossed:
        return table
    coded = {
        each: intersection(*(table.attributes[part] for part in crossed[each]))
        if each in crossed
        else table.attributes[each]
        for each in wanted or ()
    }
    return dataclasses.replace(table, attributes=coded)


def _table(
    data: Any, attributes: Sequence[str] | None, target: str, client: str, positive: Any, leave_out: Sequence[str],
    keep_index: bool, name: str, provenance: Provenance | None,
) -> Table:  # fmt: skip
    if isinstance(data, FederatedDataset):
        if data.partition.axis != "rows":
            raise ValueError("clients must hold rows to be audited, got a partition of the columns")
        if client or target:
            raise ValueError("client and target are for tables, got them with a federated data set, which has both")
        names = data.partition.achieved.get("names") or [f"client {k + 1}" for k in range(len(data))]
        return _of_dataset(data.data, attributes, positive, leave_out, data.partition.owner, tuple(map(str, names)), "")
    if isinstance(data, Dataset):
        if target:
            raise ValueError(f"target is for tables, got {target!r} with the data set {data.name}, which has one")
        owner, called, key = _natural(data, client)
        return _of_dataset(data, attributes, positive, leave_out, owner, called, key)
    return _of_frame(data, name, provenance, attributes, target, client, positive, leave_out, keep_index)


def _of_frame(
    frame: pd.DataFrame, name: str, provenance: Provenance | None, attributes: Sequence[str] | None, target: str,
    client: str, positive: Any, leave_out: Sequence[str], keep_index: bool,
) -> Table:  # fmt: skip
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise TypeError(
            f"data must be a file, a data frame, a Dataset or a FederatedDataset, got {type(frame).__name__}"
        )
    frame = frame.rename(columns=str)
    columns = list(frame.columns)
    target = column_named(columns, target, "target")
    client = column_named(columns, client, "client") if client else ""
    protected = [column_named(columns, each, "attributes") for each in dict.fromkeys(attributes or ())]
    if not protected:
        raise ValueError("attributes must name at least one protected attribute, got none")
    unused = [column_named(columns, each, "leave_out") for each in leave_out]
    if overlap := {target, client, *protected} & set(unused):
        raise ValueError(f"leave_out must not name the target, the client column or an attribute, got {min(overlap)!r}")
    index = [] if keep_index else [each for each in columns if each.startswith(("Unnamed: ", "__index_level_"))]
    index = [each for each in index if each not in {target, client, *protected}]
    table = frame.drop(columns=[*dict.fromkeys([*unused, *index])])
    data = from_frame(table, target, protected, client or None, name, test_size=0.0, keep_sensitive=False)
    if client:
        owner, names, _ = _natural(data, client)
    else:
        owner, names = np.zeros(len(data.y), int), (_ALL,)
    left_out = dict.fromkeys(protected, "protected attribute") | dict.fromkeys(unused, "asked for")
    left_out |= dict.fromkeys(index, "row numbers")
    facts = {"target": target, "client": client or None, "left_out": left_out,
             "missing": dict(data.notes["missing"]), "dropped_rows": data.notes["dropped_rows"]}  # fmt: skip
    label, chosen = _favourable(data, positive)
    return Table(name, data.X, label, {each: group_codes(data.sensitive[each]) for each in protected}, owner, names,
                 data.held_out, provenance or data.provenance,
                 facts | {"positive": chosen, "features": data.columns})  # fmt: skip


def _of_dataset(
    data: Dataset, attributes: Sequence[str] | None, positive: Any, leave_out: Sequence[str], owner: np.ndarray,
    names: tuple[str, ...], key: str,
) -> Table:  # fmt: skip
    data = data.dense()
    protected = list(dict.fromkeys(data.sensitive if attributes is None else attributes))
    if not protected:
        raise ValueError(f"attributes must name at least one protected attribute of {data.name}, got none")
    for attribute in protected:
        if attribute not in data.sensitive:
            known = ", ".join(data.sensitive) or "none"
            raise KeyError(f"{data.name} has no protected attribute {attribute!r}; known are {known}")
    label, chosen = _favourable(data, positive)
    coded = {attribute: group_codes(data.sensitive[attribute]) for attribute in protected}
    left_out = _left_out(data, coded, leave_out)
    used = [j for j, column in enumerate(data.columns) if column not in left_out]
    if not used:
        raise ValueError(f"{data.name} must have a feature that is no protected attribute, got none")
    facts = {"target": None, "client": key or None, "left_out": left_out, "positive": chosen,
             "features": tuple(data.columns[j] for j in used), "missing": dict(data.notes.get("missing", {})),
             "dropped_rows": int(data.notes.get("dropped_rows", 0))}  # fmt: skip
    X = data.X if len(used) == len(data.columns) else data.X[:, used]
    return Table(data.name, X, label, coded, np.asarray(owner), names, data.held_out, data.provenance, facts)


def _left_out(data: Dataset, coded: dict[str, Coded], leave_out: Sequence[str]) -> dict[str, str]:
    """Say which features are protected attributes, by name or because they tell one, and which are not wanted."""
    origin = [str(each) for each in data.notes.get("origin", data.columns)]
    wanted = set(leave_out)
    if unknown := [each for each in leave_out if each not in data.columns and each not in origin]:
        raise KeyError(f"leave_out must name features, got {unknown[0]!r}; known are {', '.join(data.columns[:20])}")
    called = {attribute.casefold() for attribute in data.sensitive}
    found = {}
    for j, (column, source) in enumerate(zip(data.columns, origin, strict=True)):
        if column in wanted or source in wanted:
            found[column] = "asked for"
        elif column.casefold() in called or source.casefold() in called:
            found[column] = "protected attribute"
        elif telling := [name for name, each in coded.items() if _tells(data.X[:, j], each)]:
            found[column] = f"tells {telling[0]}"
    return found


def _tells(feature: np.ndarray, coded: Coded) -> bool:
    """Whether every value of a feature goes with one group, and different groups with different values."""
    if len(coded.values) < 2 or np.unique(feature[:2000]).size > _MOST_TELLING:
        return False
    values, at = np.unique(feature, return_inverse=True)
    known = coded.codes >= 0
    if not 2 <= values.size <= _MOST_TELLING:
        return False
    seen = np.bincount(at[known] * len(coded.values) + coded.codes[known], minlength=values.size * len(coded.values))
    table = seen.reshape(values.size, -1) > 0
    return bool((table.sum(axis=1) <= 1).all() and (table.sum(axis=0) > 0).sum() > 1)


def _natural(data: Dataset, client: str) -> tuple[np.ndarray, tuple[str, ...], str]:
    """Return who owns which row, by natural clients."""
    if not client and len(data.groups) > 1:
        raise ValueError(
            f"client must say which natural clients are meant, got none; known are {', '.join(data.groups)}"
        )
    if client and client not in data.groups:
        known = ", ".join(data.groups) or "none"
        raise KeyError(f"{data.name} has no natural clients {client!r}; known are {known}")
    key = client or next(iter(data.groups), "")
    if not key:
        return np.zeros(len(data.y), int), (_ALL,), ""
    coded = group_codes(data.groups[key])
    return coded.codes, coded.values, key


def _favourable(data: Dataset, positive: Any) -> tuple[np.ndarray, str]:
    """Return whether each label is the favourable one, against all others; of several classes it has to be named."""
    if data.task == "regression":
        raise ValueError("the target must be classes to be audited, got a regression")
    if positive is None or positive == "":
        if len(data.classes) > 2:
            known = ", ".join(data.classes[:20])
            raise ValueError(
                f"positive must name the favourable class of {len(data.classes)}, each against all others, got none; "
                f"known are {known}"
            )
        chosen = data.positive
    elif str(positive) in data.classes:
        chosen = data.classes.index(str(positive))
    elif isinstance(positive, bool) and set(data.classes) == {"0", "1"}:
        chosen = int(positive)
    else:
        raise ValueError(f"positive must be one of {', '.join(data.classes[:20])}, got {positive!r}")
    return np.asarray(data.y == chosen), data.classes[chosen]
