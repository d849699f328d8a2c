"""Parties that exist already: one file each, rows aligned by an id and checked, put together to one data set."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from trustkit.catalogue import DATASETS, Interval
from trustkit.data import Dataset
from trustkit.datasets.handed import MANIFEST, read_handed
from trustkit.datasets.labels import not_told, numbered
from trustkit.datasets.ondisk import AnyPath, existing, frozen, owned, stem
from trustkit.datasets.packed import room_for
from trustkit.datasets.partyfile import read_party
from trustkit.datasets.places import kind_of, within
from trustkit.datasets.rows import hold_out
from trustkit.shown import shown

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_parties"]

_HELD = 4.5  # times their size that files take while they are aligned, measured
_LAYOUT = re.compile(r"(?P<name>.+)_party(?P<number>\d+)_(?P<part>train|test)\.csv(\.gz|\.bz2)?")
_LABELS = ("y", "label", "target")


@dataclass(frozen=True, eq=False)
class _Table:
    """One party: its name, the file that messages name, and what is in it, a value a row."""

    party: str
    file: Path
    ids: pd.Index
    columns: tuple[str, ...]
    X: np.ndarray
    labels: np.ndarray | None
    held_out: np.ndarray | None


@DATASETS.enter("parties", title="A folder with a file for each party")
def read_parties(
    paths: Annotated[tuple[str, ...] | AnyPath | Sequence[AnyPath], "the folder, or the files"] = (),
    label: Annotated[str, "the column of the label, by default y, label or target"] = "",
    id: Annotated[str | None, "the column of the row ids; none if row i is the same everywhere"] = "id",
    name: Annotated[str, "what the data set is called, by default as the folder"] = "",
    test_size: Annotated[float, Interval(0, 0.9, step=0.05), "share of test rows, if the files do not say"] = 0.2,
    shared_labels: Annotated[bool, "several parties may have the label, if they agree"] = False,
    seed: int = 0,
) -> Dataset:
    """Put the tables of parties that share their rows together to one data set.

    Parameters
    ----------
    paths : path-like or sequence of path-like
        A folder that `trustkit.write_parties` wrote; a folder of files ``{name}_party{k}_{train|test}.csv``; any other
        folder of CSV files, one a party; or the CSV files themselves, packed by gzip or bzip2 or not.
    label : str
        The column of the label; by default "y", "label" or "target".
    id : str or None
        The column of the row ids, compared as text; None if row i is the same everywhere.
    name : str
        What the data set is called; by default as its folder or first file.
    test_size : float
        The share of test rows, from 0 to 0.9, if the files do not say: by their names, or by a column "split"
        that holds "train" and "test".
    shared_labels : bool
        Whether several parties may have the label, if they agree; in the layout with ``_party{k}_`` they may.
    seed : int
        Of the choice of test rows.

    Returns
    -------
    Dataset
        Its arrays are read-only. Columns stand party by party, the party with the label first (of several the first),
        and rows as in that party's file; so ``trustkit.split.by_views`` gives the parties back. A column name that
        several parties use gets the party's name before it. ``notes``: "views" (the party of each column), "parties"
        (their names), "labels_at" (who has the label), "ids" (n,), and of a folder with a manifest "numbers" (the place
        of each column in the table that was divided) and "split" (how).

    Raises
    ------
    ValueError
        If there is no such file; a file is not as its manifest says; ids are repeated or missing at one party; parties
        have different numbers of rows or other labels; nobody has a label, or several who should not; a cell is no
        finite number, a column has no name or that of another, or a column of 20 rows or more tells the label. The
        message names the file and the value.

    Notes
    -----
    Numbers of a file of 256 MB or more are kept as float32, others as float64.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "bank.csv").write_text("id,y,income\\n7,no,1\\n8,yes,5\\n")
    >>> _ = (folder / "shop.csv").write_text("id,spent\\n8,4\\n7,3\\n")
    >>> data = read_parties([folder / "bank.csv", folder / "shop.csv"], test_size=0)
    >>> data.X.tolist(), data.notes["views"]
    ([[1.0, 3.0], [5.0, 4.0]], ('bank', 'shop'))
    """
    if isinstance(paths, (str, os.PathLike)) and kind_of(Path(paths) / MANIFEST) == "file":
        return frozen(read_handed(Path(paths)))
    files = _files(paths)
    room_for(*(file for parts in files.values() for file in parts), held=_HELD)
    names = (label,) if label else _LABELS
    tables = [_table(party, parts, names, id) for party, parts in files.items()]
    first = next((table for table in tables if table.labels is not None), None)
    if first is None:
        raise ValueError(
            f"one party must have the label, a column {' or '.join(map(repr, names))}, got none in {', '.join(files)}"
        )
    aligned = [first, *(_aligned(table, first, id is not None) for table in tables if table is not first)]
    y, classes, mapping = _labels(aligned)
    holders = [table.party for table in tables if table.labels is not None]
    if len(holders) > 1 and not shared_labels and not _released(files):
        raise ValueError(
            f"one party must have the label, got it at {', '.join(holders)}: take it out of the others, or say "
            "shared_labels=True"
        )
    X, columns = np.hstack([table.X for table in aligned]), tuple(_columns(aligned))
    not_told(X, y, columns, regression=not classes)
    known = [(table, table.held_out) for table in aligned if table.held_out is not None]
    called = name or _called(paths, files)
    if known:
        held_out = _agreed("the test rows", [table for table, _ in known], [held for _, held in known])
    else:
        held_out = hold_out(y if classes else np.zeros(len(y)), test_size, called, seed)
    return frozen(
        Dataset(
            name=called,
            X=X,
            y=y,
            columns=columns,
            classes=classes,
            provenance=owned(*(file for parts in files.values() for file in parts)),
            held_out=held_out,
            notes={
                "views": tuple(table.party for table in aligned for _ in table.columns),
                "parties": tuple(table.party for table in aligned),
                "labels_at": tuple(table.party for table in aligned if table.labels is not None),
                "labels": mapping,
                "ids": first.ids.to_numpy(),
            },
        )
    )


def _files(paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> dict[str, list[Path]]:
    """Return the files of each party by its name: one, or that of its training rows and that of its test rows."""
    if not isinstance(paths, (str, os.PathLike)):
        files = [existing(path, "a CSV file of a party", "paths") for path in paths]
    elif kind_of(folder := Path(paths)) != "folder":
        raise ValueError(f"paths must be a folder of parties or a list of their files, got {str(paths)!r}")
    else:
        files = sorted(within(folder, (f for f in folder.iterdir() if ".csv" in f.suffixes)), key=_natural)
        if any(_LAYOUT.fullmatch(file.name) for file in files):
            return _laid_out(files)
    found: dict[str, list[Path]] = {}
    for file in files:
        if stem(file) in found:
            raise ValueError(
                f"the files of parties must have different names, got {file} beside {found[stem(file)][0]}"
            )
        found[stem(file)] = [file]
    if len(found) < 2:
        raise ValueError(f"there must be the CSV files of 2 parties or more, got {len(found)} at {paths}")
    return found


def _natural(file: Path) -> list[tuple[int, str]]:
    """Sort party10 after party2."""
    return [(int(word), "") if word.isdigit() else (-1, word) for word in re.split(r"(\d+)", file.name)]


def _laid_out(files: list[Path]) -> dict[str, list[Path]]:
    """Group files by the party's number; every party must have the same parts of one data set."""
    matches = [(match, file) for file in files if (match := _LAYOUT.fullmatch(file.name))]
    if len(names := sorted({match["name"] for match, _ in matches})) > 1:
        raise ValueError(f"{files[0].parent} must hold one data set, got the parties of {', '.join(names)}")
    parts: dict[int, dict[str, Path]] = defaultdict(dict)
    for match, file in matches:
        parts[int(match["number"])][match["part"]] = file
    wanted = [part for part in ("train", "test") if any(part in own for own in parts.values())]
    for number, own in parts.items():
        if lacking := [part for part in wanted if part not in own]:
            raise ValueError(
                f"{files[0].parent} must hold {names[0]}_party{number}_{lacking[0]}.csv, as of other parties"
            )
    if len(parts) < 2:
        raise ValueError(f"there must be the files of 2 parties or more, got 1 at {files[0].parent}")
    return {f"party{number}": [parts[number][part] for part in wanted] for number in sorted(parts)}


def _called(paths: Any, files: dict[str, list[Path]]) -> str:
    first = next(iter(files.values()))[0]
    if match := _LAYOUT.fullmatch(first.name):
        return match["name"]
    return Path(paths).resolve().name if isinstance(paths, (str, os.PathLike)) else stem(first)


def _table(party: str, files: list[Path], labels: Sequence[str], id: str | None) -> _Table:
    """Read one party."""
    import pandas as pd

    read = [read_party(file, labels, id) for file in files]
    for file, one in zip(files, read, strict=True):
        if one.columns != read[0].columns or (one.labels is None) != (read[0].labels is None):
            raise ValueError(f"{file} must have the columns of {files[0]}, got others")
    named = [match["part"] for file in files if (match := _LAYOUT.fullmatch(file.name))]
    held = [np.full(len(one.X), part == "test") for part, one in zip(named, read, strict=False)]
    held = held or [one.held_out for one in read if one.held_out is not None]
    found = [one.labels for one in read if one.labels is not None]
    rows = sum(len(one.X) for one in read)
    ids = pd.RangeIndex(rows) if id is None else pd.Index(np.concatenate([one.ids for one in read]))
    if not ids.is_unique:
        raise ValueError(f"{files[0]}: ids must differ, got {ids[ids.duplicated()][0]!r} more than once")
    return _Table(
        party,
        files[0],
        ids,
        read[0].columns,
        np.concatenate([one.X for one in read]),
        np.concatenate(found) if found else None,
        np.concatenate(held) if held else None,
    )


def _aligned(table: _Table, first: _Table, by_id: bool) -> _Table:
    """Return a party's table with its rows in the order of the first one's."""
    if len(table.ids) != len(first.ids) and not by_id:
        raise ValueError(f"{table.file} must have the {len(first.ids)} rows of {first.file}, got {len(table.ids)}")
    if table.ids.equals(first.ids):
        return table
    for one, other in ((table, first), (first, table)):
        if (missing := other.ids.difference(one.ids, sort=False)).size:
            raise ValueError(
                f"{one.file} must have the ids of {other.file}, got {len(one.ids)} rows without {shown(missing[0])}"
            )
    rows = table.ids.get_indexer(first.ids)
    return dataclasses.replace(
        table,
        ids=first.ids,
        X=table.X[rows],
        labels=None if table.labels is None else table.labels[rows],
        held_out=None if table.held_out is None else table.held_out[rows],
    )


def _agreed(what: str, tables: list[_Table], values: list[np.ndarray]) -> np.ndarray:
    """Return what several parties say of each row, if they say the same."""
    for table, said in zip(tables, values, strict=True):
        if (differ := said != values[0]).any():
            row = int(differ.argmax())
            raise ValueError(
                f"{table.file}: {what} must be that of {tables[0].file}, got {said[row]} for row id "
                f"{tables[0].ids[row]} instead of {values[0][row]}"
            )
    return values[0]


def _released(files: Mapping[str, list[Path]]) -> bool:
    """Say whether files are in the layout in which every party has the labels."""
    return all(_LAYOUT.fullmatch(file.name) for parts in files.values() for file in parts)


def _labels(tables: list[_Table]) -> tuple[np.ndarray, tuple[str, ...], dict[str, int]]:
    """Return class numbers, classes and the mapping; numbers are compared as numbers: 1 and 1.0 are the same."""
    having = [(table, table.labels) for table in tables if table.labels is not None]
    values = [labels for _, labels in having]
    with contextlib.suppress(ValueError):
        values = [labels.astype(float) for labels in values]
    _agreed("the label", [table for table, _ in having], values)
    return numbered(having[0][1])


def _columns(tables: list[_Table]) -> list[str]:
    """Return all columns' names; those that several parties use with the party's name before it."""
    uses = Counter(column for table in tables for column in table.columns)
    return [column if uses[column] == 1 else f"{table.party}.{column}" for table in tables for column in table.columns]
