"""Tables that Apache Arrow wrote: IPC and Feather files, streams, and the folders of Hugging Face's data sets."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trustkit import jsonfile
from trustkit.datasets.listed import listed, repeated, said
from trustkit.datasets.ondisk import AnyPath, existing
from trustkit.datasets.packed import TooLarge, most_of
from trustkit.datasets.places import kind_of, within

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["STARTS", "arrow_frame", "parquet_frame", "table_files"]

STARTS = (b"ARRO", b"\xff\xff\xff\xff")
"""How a file and a stream of Arrow begin; Feather of the second version is such a file."""

_UNSOUND = (OSError, ValueError, TypeError, KeyError, NotImplementedError, OverflowError, AttributeError)
"""What pyarrow and pandas raise, beside Arrow's own errors, over what a damaged file says of its columns."""

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
    if not os.fspath(path) or kind_of(place) != "folder":
        return [existing(path, what)]
    if (place / "dataset_dict.json").is_file():
        inside = ", ".join(sorted(each.name for each in place.iterdir() if each.is_dir()))
        raise ValueError(f"path must be one data set of {place}, got the folder of all: {inside}")
    state = place / "state.json"
    if state.is_file():  # caches of transformations may lie beside the data
        listed = jsonfile.read(state)
        parts = listed.get("_data_files") if isinstance(listed, dict) else None
        told = [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
        names: list[Any] = [part.get("filename") for part in told]
        if not names or not all(isinstance(name, str) and Path(name).name for name in names):
            raise ValueError(f"{state} must list a data set's files, got none")
        files = [existing(place / Path(name).name, "an Arrow file", "a part") for name in names]
        return within(place, files)
    for pattern in _PARTS:
        if files := within(place, sorted(place.glob(pattern))):
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
            table.validate(full=True)  # what a damaged file says of its own places would else be believed
            frame: pd.DataFrame = table.to_pandas()
    except (pa.ArrowException, *_UNSOUND) as error:
        raise ValueError(f"{file} must be an Arrow file or stream, got: {said(error)}") from None
    frame = frame.rename(columns=str)
    if twice := repeated(list(frame.columns)):
        raise ValueError(f"{file} must have columns of different names, got twice: {listed(twice)}")
    for column, names in _labels(table.schema.metadata or {}).items():
        if column in frame and frame[column].dtype.kind in "iuf":
            known = frame[column].where(frame[column] >= 0)  # −1 stands for no label
            frame[column] = known.map(dict(enumerate(names)))
    return frame


def parquet_frame(file: Path) -> pd.DataFrame:
    """Read a Parquet file.

    Parameters
    ----------
    file : pathlib.Path
        One that exists.

    Returns
    -------
    pandas.DataFrame
        As it stands.

    Raises
    ------
    ValueError
        If it is cut off or damaged, would take more than `trustkit.datasets.packed.most_of` with eight bytes a value,
        as which a text counts that is there before, or pyarrow is not installed.
    """
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise ValueError("reading Parquet needs pyarrow, got none: pip install 'trustkit[parquet]'") from None
    try:
        with parquet.ParquetFile(file) as opened:
            _within(opened.metadata, most_of(file.stat().st_size))
            if twice := repeated([str(name) for name in opened.schema_arrow.names]):
                raise ValueError(f"columns of one name, {listed(twice)}")
            texts = [each.name for each in opened.schema_arrow if _is_text(each.type)]
        with parquet.ParquetFile(file, read_dictionary=texts) as opened:
            table = opened.read()  # in which a text that is there many times is held once
        table.validate(full=True)
        frame: pd.DataFrame = table.to_pandas()
        frame[texts] = frame[texts].astype(object)
    except (pa.ArrowException, *_UNSOUND) as error:
        raise ValueError(f"{file} must be a Parquet file, got: {said(error)}") from None
    return frame


def _within(told: Any, most: int) -> None:
    """Refuse a Parquet file that would take too much: values in lists count, and pages as they are unpacked."""
    groups = [told.row_group(group) for group in range(told.num_row_groups)]
    columns = [group.column(column) for group in groups for column in range(group.num_columns)]
    cells, values = told.num_rows * told.num_columns, sum(each.num_values for each in columns)
    size = max(8 * cells, 8 * values, sum(each.total_uncompressed_size for each in columns))
    what = f"{told.num_rows:,} rows × {told.num_columns:,} columns" if size == 8 * cells else f"{values:,} values"
    if size > most:
        raise TooLarge(f"{what} = {size:,} bytes, and it may take {most:,}")


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_binary(kind))


def _labels(metadata: Mapping[bytes, bytes]) -> dict[str, list[str]]:
    """Return the names of classes by column, from Hugging Face's description of a table."""
    try:
        features: Mapping[str, Any] = json.loads(metadata[b"huggingface"])["info"]["features"]
        found = {name: each for name, each in features.items() if each.get("_type") == "ClassLabel"}
    except (KeyError, ValueError, TypeError, AttributeError):
        return {}
    return {name: list(map(str, each["names"])) for name, each in found.items() if each.get("names")}
