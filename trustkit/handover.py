"""Handing a federated data set over: a folder with a file for each party, and a manifest that says what is in them."""

from __future__ import annotations

import importlib.util
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from trustkit import jsonfile, whole
from trustkit.data import Dataset, FederatedDataset, Party
from trustkit.datasets.handed import FORMAT, MANIFEST
from trustkit.datasets.ondisk import checksum

__all__ = ["FileFormat", "check_folder", "write_parties"]

FileFormat = Literal["csv", "parquet", "npz"]

MOST_CELLS = 50_000_000
"""A sparse table with more cells than this, zeros included, is written as NPZ only."""


def check_folder(folder: str | os.PathLike[str], format: FileFormat = "csv", data: Dataset | None = None) -> Path:
    """Say whether `write_parties` could write there, before any work is done.

    Parameters
    ----------
    folder : path-like
        New, or empty.
    format : {"csv", "parquet", "npz"}
        Of the parties' files.
    data : Dataset, optional
        What is to be written, if that is known.

    Returns
    -------
    pathlib.Path
        The folder; nothing was made.

    Raises
    ------
    ValueError
        If the folder is in use or cannot be made there, the format is unknown, needs a package that is not installed or
        cannot hold the table, or names are used twice.

    Examples
    --------
    >>> check_folder("parties", "xls")
    Traceback (most recent call last):
    ValueError: format must be one of csv, parquet, npz, got 'xls'
    """
    if format not in get_args(FileFormat):
        raise ValueError(f"format must be one of {', '.join(get_args(FileFormat))}, got {format!r}")
    if format == "parquet" and importlib.util.find_spec("pyarrow") is None:
        raise ValueError(
            "format 'parquet' needs pyarrow (pip install 'trustkit[parquet]'), got an installation without"
        )
    target = Path(folder)
    if target.is_file():
        raise ValueError(f"folder must be new or empty, got {target}, which is a file")
    if target.exists() and any(target.iterdir()):
        raise ValueError(f"folder must be new or empty, got {target}, which has files")
    above = next(place for place in (target, *target.absolute().parents) if place.exists())
    if not above.is_dir() or not os.access(above, os.W_OK):
        raise ValueError(f"folder must be where files can be written, got {target}, and {above} takes none")
    if data is not None:
        _check_table(data, format)
    return target


def _check_table(data: Dataset, format: FileFormat) -> None:
    rows, columns = data.X.shape
    if data.sparse and format != "npz" and rows * columns > MOST_CELLS:
        raise ValueError(
            f"a sparse table must have at most {MOST_CELLS:,} cells to be written as {format}, got "
            f"{rows:,} × {columns:,}; format 'npz' keeps it sparse"
        )
    for what, names in (("columns", data.columns), ("classes", data.classes)):
        if twice := [name for name, count in Counter(names).items() if count > 1]:
            raise ValueError(f"{what} must have different names, got {', '.join(twice)} more than once")


def write_parties(fed: FederatedDataset, folder: str | os.PathLike[str], format: FileFormat = "csv") -> Path:
    """Write what each party holds to a file of its own, with a manifest.

    Parameters
    ----------
    fed : FederatedDataset
        Divided by columns; party 0 is the primary one.
    folder : path-like
        New, or empty. It is written whole or not at all.
    format : {"csv", "parquet", "npz"}
        Of the parties' files. Parquet needs pyarrow.

    Returns
    -------
    pathlib.Path
        The folder. `trustkit.datasets.read_parties` reads it.

    Raises
    ------
    ValueError
        If the data set is divided by rows, the folder is in use, the format is unknown or cannot hold the table, or
        names are used twice.

    Notes
    -----
    Party k has the file ``party_k``: all rows in the same order, with a row ``id`` (0 … n−1), ``split`` (train or test)
    and its own columns by name. The primary party's file alone has the ``label``, a class by its name, the protected
    attributes (``sensitive.sex``) and the natural clients (``group.state``). If a column of the table has one of these
    names, theirs ends in an underscore; the manifest has the names used. Columns that nobody owns are not written.

    ``manifest.json`` has the data set's name, provenance, task and classes; rows, sizes; the split, its arguments and
    what it achieved; for each party its columns, their numbers in the table and its file's SHA-256.

    An NPZ file has the arrays ``id``, ``held_out``, ``X`` and ``columns``, and at the primary party ``y`` (numbers of
    classes); instead of a sparse ``X`` it has ``data``, ``indices``, ``indptr`` and ``shape`` (CSR). A sparse table of
    more than 50 million cells, zeros included, is not written as CSV or Parquet, which would fill in the zeros.
    """
    target = check_folder(folder, format, fed.data)
    if fed.partition.axis != "columns":
        raise ValueError(
            f"a data set must be divided by columns to be handed over, got {fed.data.name}, divided by rows"
        )
    whole.tidy(target.parent, target.name)
    with whole.folder(target) as unfinished:
        parties = [_write(fed, k, unfinished / f"party_{k}.{format}", format) for k in range(len(fed))]
        jsonfile.write_text(unfinished / MANIFEST, jsonfile.dumps(_manifest(fed, parties, format)))
    return target


def _manifest(fed: FederatedDataset, parties: list[dict[str, Any]], format: FileFormat) -> dict[str, Any]:
    data, partition = fed.data, fed.partition
    return {
        "format": FORMAT,
        "files": format,
        "data": {
            "name": data.name, "rows": data.X.shape[0], "columns": data.X.shape[1], "dtype": str(data.X.dtype),
            "task": data.task, "classes": data.classes, "positive": data.positive, "scaling": data.scaling,
            "test_rows": int(data.held_out.sum()), "provenance": asdict(data.provenance),
            "sensitive": list(data.sensitive), "groups": list(data.groups),
            "kinds": {key: str(np.asarray(values).dtype) for key, values in _labels(fed).items()},
        },
        "split": {
            "made_by": None if partition.made_by is None else partition.made_by.to_dict(),
            "seed": partition.achieved.get("seed"), "sizes": partition.sizes, "achieved": partition.achieved,
        },
        "columns": _names(fed),
        "parties": parties,
        "owned_by_nobody": [data.columns[j] for j in np.flatnonzero(partition.owner < 0)],
    }  # fmt: skip


def _labels(fed: FederatedDataset) -> dict[str, np.ndarray]:
    """Return the protected attributes and natural clients by the name that their column has."""
    data = fed.data
    found = {f"sensitive.{name}": values for name, values in data.sensitive.items()}
    found |= {f"group.{name}": values for name, values in data.groups.items()}
    return {key: values.astype(str) if values.dtype == object else values for key, values in found.items()}


def _names(fed: FederatedDataset) -> dict[str, str]:
    """Return what the columns beside the features are called."""
    taken = set(fed.data.columns)

    def free(name: str) -> str:
        while name in taken:
            name += "_"
        taken.add(name)
        return name

    return {key: free(key) for key in ("id", "split", "label", *_labels(fed))}


def _write(fed: FederatedDataset, k: int, file: Path, format: FileFormat) -> dict[str, Any]:
    """Write one party's file and return what the manifest says of it."""
    party, numbers = fed[k], fed.partition.members(k)
    called = fed.partition.achieved.get("names", ())
    columns, names = [fed.data.columns[j] for j in numbers], _names(fed)
    own = dict(_labels(fed)) if k == 0 else {}
    missing: Iterable[int] = []
    if format == "npz":
        _write_arrays(party, columns, own, file)
    else:
        X = party.X.toarray() if hasattr(party.X, "toarray") else party.X
        missing = np.flatnonzero(np.isnan(X).any(axis=0))
        _write_table(fed, party, X, columns, {names[key]: values for key, values in own.items()}, file, format)
    return {
        "name": str(called[k]) if len(called) == len(fed) else f"party_{k}", "file": file.name,
        "columns": columns, "numbers": numbers, "label": k == 0, "labels": {key: names[key] for key in own},
        "missing": [columns[j] for j in missing], "sha256": checksum(file),
    }  # fmt: skip


def _write_arrays(party: Party, columns: list[str], own: dict[str, np.ndarray], file: Path) -> None:
    arrays: dict[str, Any] = {
        "id": np.arange(party.held_out.size), "held_out": party.held_out, "columns": np.array(columns, dtype=str)
    }  # fmt: skip
    if hasattr(party.X, "indptr"):
        arrays |= {name: getattr(party.X, name) for name in ("data", "indices", "indptr")}
        arrays["shape"] = np.array(party.X.shape)
    else:
        arrays["X"] = party.X
    arrays |= own | ({} if party.y is None else {"y": party.y})
    np.savez(file, allow_pickle=False, **arrays)


def _write_table(
    fed: FederatedDataset, party: Party, X: np.ndarray, columns: list[str], own: dict[str, Any], file: Path, format: str
) -> None:
    import pandas as pd

    data, names = fed.data, _names(fed)
    head: dict[str, Any] = {
        names["id"]: np.arange(len(X)),
        names["split"]: np.where(party.held_out, "test", "train"),
    }
    if party.y is not None:
        head[names["label"]] = np.array(data.classes)[party.y] if data.classes else party.y
    frame = pd.concat([pd.DataFrame(head | own), pd.DataFrame(X, columns=columns)], axis=1)
    if format == "parquet":
        frame.to_parquet(file, engine="pyarrow", index=False)
    else:
        frame.to_csv(file, index=False, lineterminator="\n", encoding="utf-8")
