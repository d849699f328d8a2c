"""Tables that Apache Arrow wrote: IPC and Feather files, streams, and the folders of Hugging Face's data sets."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trustkit import jsonfile
from trustkit.datasets.ondisk import AnyPath, existing

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["STARTS", "arrow_frame", "table_files"]

STARTS = (b"ARRO", b"\xff\xff\xff\xff")
"""How a file and a stream of Arrow begin; Feather of the second version is such a file."""

_PARTS = ("*.arrow", "*.parquet", "*.feather")


def table_files(path: AnyPath, what: str) -> list[Path]:
    """Return the files of a table: the one that is named, or the parts in a folder, in the order of their names.

    Parameters
    ----------
    path : str or path-like
        A file; or a folder of ``.arrow``, ``.parquet`` or ``.feather`` parts, such as ``datasets.save_to_disk`` writes.
    what : str
        What a file should be, as "a table".

    Returns
    -------
    list of pathlib.Path
        One or more.

    Raises
    ------
    ValueError
        If there is no such file or folder, a folder has no parts, or it holds several data sets (as train and test).
    """
    place = Path(os.fspath(path))
    if not os.fspath(path) or not place.is_dir():
        return [existing(path, what)]
    if (place / "dataset_dict.json").is_file():
        inside = ", ".join(sorted(each.name for each in place.iterdir() if each.is_dir()))
        raise ValueError(f"path must be one data set of {place}, got the folder of all: {inside}")
    state = place / "state.json"
    if state.is_file():  # caches of transformations may lie beside the data
        listed = jsonfile.read(state)
        parts = listed.get("_data_files") if isinstance(listed, dict) else None
        if not parts:
            raise ValueError(f"{state} must list a data set's files, got none")
        return [existing(place / Path(part["filename"]).name, "an Arrow file", "a part") for part in parts]
    for pattern in _PARTS:
        if files := sorted(place.glob(pattern)):
            return files
    raise ValueError(f"path must be a folder with .arrow, .parquet or .feather files in it, got {str(path)!r}")


def arrow_frame(file: Path) -> pd.DataFrame:
    """Read an Arrow file or stream.

    Parameters
    ----------
    file : pathlib.Path
        One that begins with one of `STARTS`.

    Returns
    -------
    pandas.DataFrame
        Columns are called by text. A column that Hugging Face's description calls a class label has the classes' names.

    Raises
    ------
    ValueError
        If it is cut off or damaged, or pyarrow is not installed.
    """
    try:
        import pyarrow as pa
        from pyarrow import ipc
    except ImportError:
        raise ValueError("reading Arrow needs pyarrow, got none: pip install 'trustkit[parquet]'") from None
    try:
        with pa.memory_map(str(file)) as source:
            start = source.read(4)
            source.seek(0)
            table = (ipc.open_file if start == STARTS[0] else ipc.open_stream)(source).read_all()
            frame: pd.DataFrame = table.to_pandas()
    except (pa.ArrowException, OSError, ValueError) as error:
        raise ValueError(f"{file} must be an Arrow file or stream, got: {error}") from None
    frame = frame.rename(columns=str)
    for column, names in _labels(table.schema.metadata or {}).items():
        if column in frame:
            known = frame[column].where(frame[column] >= 0)  # −1 stands for no label
            frame[column] = known.map(dict(enumerate(names)))
    return frame


def _labels(metadata: Mapping[bytes, bytes]) -> dict[str, list[str]]:
    """Return the names of classes by column, from Hugging Face's description of a table."""
    try:
        features: Mapping[str, Any] = json.loads(metadata[b"huggingface"])["info"]["features"]
        found = {name: each for name, each in features.items() if each.get("_type") == "ClassLabel"}
    except (KeyError, ValueError, TypeError, AttributeError):
        return {}
    return {name: list(map(str, each["names"])) for name, each in found.items() if each.get("names")}
