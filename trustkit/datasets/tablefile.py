"""A table in a file as a data frame: text with any usual delimiter, Parquet, Arrow, or NumPy's NPZ."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trustkit.datasets.arrowfile import STARTS, arrow_frame, parquet_frame
from trustkit.datasets.listed import listed, said
from trustkit.datasets.ondisk import UNREADABLE, no_page
from trustkit.datasets.packed import arrays_in, is_zip, opened, room_for
from trustkit.datasets.sniff import BLANKS, Delimiter, Header, sniff

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["column_named", "frame_of"]


def frame_of(file: Path, header: Header = "auto", delimiter: Delimiter = "auto") -> tuple[pd.DataFrame, dict[str, Any]]:
    """Read a file as a data frame, as it stands.

    Parameters
    ----------
    file : pathlib.Path
        Text, Parquet, Arrow (IPC, Feather, stream) or NPZ, told apart by their first bytes.
    header, delimiter : str
        As in `read_table`.

    Returns
    -------
    frame : pandas.DataFrame
        Columns are called by text.
    notes : dict
        Of a text: delimiter, header, phantom_column.

    Raises
    ------
    ValueError
        If it is none of these, a page of HTML, or Parquet or Arrow and pyarrow is not installed.
    """
    no_page(file)
    room_for(file)
    with file.open("rb") as stream:
        start = stream.read(4)
    if start == b"PAR1":
        return parquet_frame(file).rename(columns=str), {}
    if start in STARTS:
        return arrow_frame(file), {}
    if is_zip(file):
        return _npz(file), {}
    return _text(file, header, delimiter)


def column_named(columns: Sequence[str], wanted: str | int, what: str) -> str:
    """Find a column by its name, or else by its index.

    Parameters
    ----------
    columns : sequence of str
        The names there are.
    wanted : str or int
        A name, or an index from 0 or (negative) from the end; a text that is no name may be an index.
    what : str
        The argument, for the message.

    Returns
    -------
    str
        The name.

    Raises
    ------
    KeyError
        If there is no such column; the message lists the first 20.

    Examples
    --------
    >>> column_named(["a", "b", "c"], "b", "target"), column_named(["a", "b", "c"], "-1", "target")
    ('b', 'c')
    """
    names = list(columns)
    if wanted in names:
        return str(wanted)
    try:
        return names[int(wanted)]
    except (ValueError, IndexError, OverflowError):
        raise KeyError(f"{what} must be a column's name or index, got {wanted!r}; known are {listed(names)}") from None


def _text(file: Path, header: Header, delimiter: Delimiter) -> tuple[pd.DataFrame, dict[str, Any]]:
    import pandas as pd

    layout = sniff(file, delimiter, header)
    names = [*layout.names, *(["\0"] if layout.phantom and layout.delimiter != BLANKS else [])]

    def read(encoding: str) -> pd.DataFrame:
        with opened(file) as stream:
            return pd.read_csv(stream, names=names, header=0 if layout.header else None, index_col=False,
                               sep=r"\s+" if layout.delimiter == BLANKS else layout.delimiter, encoding=encoding,
                               skipinitialspace=True, na_values=["?"], low_memory=False)  # fmt: skip

    try:
        try:
            frame = read(layout.encoding)
        except UnicodeDecodeError:
            frame = read("latin-1")
    except (ValueError, *UNREADABLE) as error:
        raise ValueError(f"{file} must be a table of {len(names)} columns, got: {said(error)}") from None
    if "\0" in names:
        behind = frame.pop("\0")
        if behind.notna().any():
            raise ValueError(f"{file} must have nothing behind the last delimiter, got {behind.dropna().iloc[0]}")
    return frame, {"delimiter": layout.delimiter, "header": layout.header, "phantom_column": layout.phantom}


def _npz(file: Path) -> pd.DataFrame:
    """Read ``X`` and ``y``, or one array a column."""
    import pandas as pd

    arrays = arrays_in(file)
    if not arrays or any(array.ndim == 0 for array in arrays.values()):
        raise ValueError(f"{file} must hold X and y, or equally long columns, got {listed(list(arrays)) or 'no array'}")
    if "X" in arrays and arrays["X"].ndim == 2:
        X = arrays["X"]
        names = list(map(str, arrays.get("columns", [f"x{j}" for j in range(X.shape[1])])))
        if len(names) != X.shape[1] or "y" not in arrays or arrays["y"].shape != X.shape[:1]:
            shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
            raise ValueError(f"{file} must hold X (n, m), y (n,) and perhaps columns (m,), got {shapes}")
        return pd.DataFrame(X, columns=names).assign(y=arrays["y"])
    lengths = {array.shape for array in arrays.values()}
    if len(lengths) != 1 or len(next(iter(lengths))) != 1:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ValueError(f"{file} must hold X and y, or equally long columns, got {shapes or 'no array'}")
    return pd.DataFrame(arrays)
