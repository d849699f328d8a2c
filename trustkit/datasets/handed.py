"""Folders that `trustkit.write_parties` wrote: a file for each party, and a manifest that says what must be in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from trustkit import jsonfile
from trustkit.data import Dataset, Provenance
from trustkit.datasets.arrowfile import parquet_frame
from trustkit.datasets.listed import said
from trustkit.datasets.ondisk import checksum
from trustkit.datasets.packed import arrays_in
from trustkit.datasets.places import within
from trustkit.shown import shown

__all__ = ["FORMAT", "MANIFEST", "read_handed"]

FORMAT = "trustkit-parties-1"
MANIFEST = "manifest.json"


@dataclass(frozen=True, eq=False)
class _Content:
    """What one party's file holds; `y`, `sensitive` and `groups` at the primary party only."""

    ids: np.ndarray
    held_out: np.ndarray
    X: Any
    y: np.ndarray | None
    labels: Mapping[str, np.ndarray]


def read_handed(folder: Path) -> Dataset:
    """Put the parties of a folder together again; for the rules see `trustkit.datasets.read_parties`.

    Parameters
    ----------
    folder : pathlib.Path
        With a ``manifest.json``.

    Returns
    -------
    Dataset
        Columns party by party.

    Raises
    ------
    ValueError
        If the manifest is none, or a file is not as the manifest says.
    """
    manifest = jsonfile.read(folder / MANIFEST)
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise ValueError(f"{folder / MANIFEST} must be a manifest of parties (format {FORMAT})")
    try:
        return _read(folder, manifest)
    except (KeyError, TypeError, AttributeError, IndexError, OverflowError) as error:
        raise ValueError(f"{folder / MANIFEST} must be a manifest of parties, got: {said(repr(error))}") from None


def _read(folder: Path, manifest: Mapping[str, Any]) -> Dataset:
    data, parties = manifest["data"], manifest["parties"]
    if not isinstance(parties, list) or not parties:
        raise TypeError("parties must be a list")
    for party in parties:
        _verify(folder, party)
    contents = [_checked(folder / party["file"], party, manifest) for party in parties]
    first = contents[0]
    for party, content in zip(parties, contents, strict=True):
        for what in ("ids", "held_out"):
            if not np.array_equal(getattr(content, what), getattr(first, what)):
                raise ValueError(
                    f"{folder / party['file']} must have the rows of {parties[0]['file']}, got other {what}"
                )
    if first.y is None:
        raise ValueError(f"{folder / parties[0]['file']} must have the label, got none")
    numbers = [number for party in parties for number in party["numbers"]]
    return Dataset(
        name=data["name"],
        X=_beside([content.X for content in contents]),
        y=first.y,
        columns=tuple(column for party in parties for column in party["columns"]),
        classes=tuple(data["classes"]),
        provenance=Provenance(**data["provenance"]),
        sensitive={name: first.labels[f"sensitive.{name}"] for name in data["sensitive"]},
        groups={name: first.labels[f"group.{name}"] for name in data["groups"]},
        held_out=first.held_out,
        scaling=data["scaling"],
        positive=data["positive"],
        notes={
            "views": tuple(party["name"] for party in parties for _ in party["columns"]),
            "parties": tuple(party["name"] for party in parties),
            "numbers": tuple(numbers),
            "ids": first.ids,
            "labels_at": (parties[0]["name"],),
            "split": manifest["split"],
        },
    )


def _verify(folder: Path, party: Mapping[str, Any]) -> None:
    """Refuse a file that is not there, or not the one that was written."""
    name = str(party["file"])
    file = folder / name
    if Path(name).name != name or not within(folder, [file]):
        raise ValueError(f"{folder} must hold the file that its manifest names, got no {name:.100}")
    if (found := checksum(file)) != party["sha256"]:
        raise ValueError(f"{file} must be as it was written (sha256 {str(party['sha256'])[:8]}…), got {found[:8]}…")


def _checked(file: Path, party: Mapping[str, Any], manifest: Mapping[str, Any]) -> _Content:
    """Read a party's file; its numbers are finite, or missing where the manifest says so, and its classes known."""
    content, classes = _file(file, party, manifest), manifest["data"]["classes"]
    cells = content.X.data if hasattr(content.X, "indptr") else content.X
    endless = np.isinf(cells) if party["missing"] or manifest["files"] == "npz" else ~np.isfinite(cells)
    if endless.any():
        raise ValueError(f"{file} must hold finite numbers, got {cells[endless][0]:g}")
    if content.y is None:
        return content
    if not (np.isfinite(content.y).all() and (not classes or np.isin(content.y, range(len(classes))).all())):
        raise ValueError(f"{file} must have a label that the manifest names in each row, or a finite number")
    return content


def _file(file: Path, party: Mapping[str, Any], manifest: Mapping[str, Any]) -> _Content:
    if manifest["files"] == "npz":
        return _arrays(file, party)
    import pandas as pd

    data, names = manifest["data"], manifest["columns"]
    labels = party["labels"]
    text = {names["split"], *([names["label"]] if data["classes"] else []), *labels.values()}
    if manifest["files"] == "parquet":
        frame = parquet_frame(file)
    else:
        X = dict.fromkeys(party["columns"], data["dtype"])
        label = {} if data["classes"] else {names["label"]: "float64"}
        try:
            frame = pd.read_csv(
                file,
                dtype=X | label | dict.fromkeys(text, "str"),
                keep_default_na=False,
                na_values={column: [""] for column in party["missing"]},
                encoding="utf-8",
                **_exact(),
            )
        except ValueError as error:
            raise ValueError(
                f"{file} must hold finite numbers and texts as its manifest says, got: {said(error)}"
            ) from None
    y = None
    if party["label"]:
        column = frame[names["label"]]
        numbers = {name: number for number, name in enumerate(data["classes"])}
        y = column.map(numbers).fillna(-1).to_numpy(np.int64) if numbers else column.to_numpy(np.float64)
    other = frame[names["split"]][~frame[names["split"]].isin(["train", "test"])]
    if len(other):
        raise ValueError(f"{file} must say train or test of each row, got {shown(other.iloc[0])}")
    return _Content(
        ids=frame[names["id"]].to_numpy(np.int64),
        held_out=(frame[names["split"]] == "test").to_numpy(bool),
        X=frame[list(party["columns"])].to_numpy(data["dtype"]),
        y=y,
        labels={key: frame[name].to_numpy(str).astype(data["kinds"][key]) for key, name in labels.items()},
    )


def _exact() -> dict[str, Any]:
    """Return what makes `pandas.read_csv` read every float exactly; from version 3.1 on it needs nothing."""
    import pandas as pd

    old = tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1)
    return {"float_precision": "round_trip"} if old else {}


def _arrays(file: Path, party: Mapping[str, Any]) -> _Content:
    arrays = arrays_in(file)
    if "indptr" in arrays:
        from scipy.sparse import csr_array

        X: Any = csr_array((arrays["data"], arrays["indices"], arrays["indptr"]), shape=tuple(arrays["shape"].tolist()))
    else:
        X = arrays["X"]
    return _Content(arrays["id"], arrays["held_out"], X, arrays.get("y"), {key: arrays[key] for key in party["labels"]})


def _beside(blocks: list[Any]) -> Any:
    if not any(hasattr(block, "indptr") for block in blocks):
        return np.hstack(blocks)
    from scipy.sparse import hstack

    return hstack(blocks, format="csr")
