"""The released client files of FeDa4Fair: a CSV file for each client, or one table with a column of clients."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from trustkit.catalogue import DATASETS, Interval
from trustkit.data import Dataset
from trustkit.datasets.acs import STATES, TASKS, people
from trustkit.datasets.listed import said
from trustkit.datasets.ondisk import UNREADABLE, AnyPath, no_page, owned, stem
from trustkit.datasets.packed import opened, room_for
from trustkit.datasets.places import kind_of, within
from trustkit.datasets.tablefile import frame_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_feda4fair"]

CLIENT = "client"
_FEATURES = TASKS["ACSIncome"].features
_LABEL = "PINCP"
_INDEX = re.compile(r"Unnamed: .*|__index_level_\d+__")
_NAME = re.compile(rf"({'|'.join(STATES)})(?:_(\d+))?")
_TRUTH = {True: 1, False: 0, "True": 1, "False": 0}  # and the numbers 1 and 0, which are keys like these


@DATASETS.enter("feda4fair_files", title="FeDa4Fair's released clients, from their files")
def read_feda4fair(
    path: Annotated[AnyPath, "the folder of STATE.csv or STATE_0.csv, or a file"] = "",
    keep_index: Annotated[bool, "leftover row numbers are features, as in the published results"] = False,
    one_hot: Annotated[tuple[str, ...], "codes that become columns of 0 and 1"] = (),
    keep_sensitive: Annotated[bool, "SEX, RAC1P and MAR are features too"] = False,
    test_size: Annotated[float, Interval(0, 0.9, step=0.05), "share of test rows"] = 0.2,
    seed: int = 0,
) -> Dataset:
    """Make a data set of FeDa4Fair's released clients: who earns more than 50,000 dollars, client by client.

    Parameters
    ----------
    path : str or path-like
        A folder of CSV files ``AL.csv`` or ``AL_0.csv``, one a client (other files in it are left alone); one such
        file; or one table of any kind that `read_table` knows, with a column "client" (without one it is one client's).
    keep_index : bool
        Whether row numbers that were left in the files stay, as features: the published numbers of some clients used
        them. Clients whose file has none have 0 there.
    one_hot : tuple of str
        Features that become a column for each code, as ("COW", "SCHL").
    keep_sensitive : bool
        Whether SEX, RAC1P and MAR are features; the protocol leaves them out.
    test_size : float
        The share of test rows, from 0 to 0.9, the same in both classes of every client.
    seed : int
        Of the choice of test rows.

    Returns
    -------
    Dataset
        Census codes as float64; protected attributes SEX, RAC1P and MAR, each value with code and meaning, as "4 AIAN";
        natural clients: client, in the order of the files (AL_2 before AL_10) and of their rows. ``notes``: "clients"
        (how many), "rows_read", "index_columns" (how many clients each leftover column has, whether kept or not),
        "RAC1P" (2, 5 or 9 values), "MAR" (2 or 5) and "origin".

    Raises
    ------
    ValueError
        If there is no such file, it is a web page, lacks a column, has a gap, a code out of range, or a PINCP other
        than True and False.

    Notes
    -----
    Of all rows together the largest RAC1P says how it was recoded: 2 for White or not, 5 for White, Black, Asian,
    American Indian or Alaska Native, other; else the census's nine.

    Source
    ------
    FeDa4Fair (Heilmann et al. 2025): the releases.

    Deviations
    ----------
    The published results of clients with a leftover ``__index_level_0__`` used it as a feature; here it is left out
    unless it is asked for.

    The baseline that trustkit's FedAvg is held against (15 rounds of 2 passes, batches of 512) was measured on features
    whose scaling is not stated: dividing each by its largest value meets it within 0.01. Its model has one score and
    steps of 1.0; trustkit's has a score for each class, so that steps of 0.5 move their difference as far.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> header = "AGEP,COW,SCHL,MAR,OCCP,POBP,RELP,WKHP,SEX,RAC1P,PINCP\\n"
    >>> rows = "40,1,21,1,430,56,0,40,1,1,True\\n20,1,16,2,4110,56,2,20,2,2,False\\n"
    >>> _ = (folder / "WY_0.csv").write_text(header + rows)
    >>> data = read_feda4fair(folder, test_size=0)
    >>> data.y.tolist(), data.sensitive["RAC1P"].tolist()
    ([1, 0], ['1 White', '2 not White'])
    """
    files = _files(path)
    room_for(*files)
    parts = [_part(file, keep_index) for file in files]
    index: dict[str, int] = {}
    for _, found in parts:
        index = {name: index.get(name, 0) + found.get(name, 0) for name in {**index, **found}}
    kept = sorted(index, key=lambda name: (name.startswith("__"), name)) if keep_index else []
    before = [name for name in kept if not name.startswith("__")]
    features = (*before, *_FEATURES, *(name for name in kept if name not in before))
    columns = (*features, "y", CLIENT)
    table = {name: np.concatenate([_column(part, name) for part, _ in parts]) for name in columns}
    races, marriages = (int(table[name].max()) for name in ("RAC1P", "MAR"))
    values = (2 if races <= 2 else 5 if races <= 5 else 9, 2 if marriages <= 2 else 5)
    clients = int(np.unique(table[CLIENT]).size)
    notes = {"clients": clients, "rows_read": table["y"].size, "index_columns": index,
             "RAC1P": values[0], "MAR": values[1]}  # fmt: skip
    name = Path(os.fspath(path)).name if len(files) > 1 else stem(files[0])
    return people(
        name, table, features, TASKS["ACSIncome"].classes,
        owned(*files, source="FeDa4Fair (Heilmann et al. 2025)", licence="GPL-3.0 (repository); US government work"),
        groups={CLIENT: table[CLIENT]}, values=values, keep_sensitive=keep_sensitive, one_hot=one_hot,
        test_size=test_size, seed=seed, notes=notes,
    )  # fmt: skip


def _files(path: AnyPath) -> list[Path]:
    """Return the clients' files in the order of state and number, or the one file."""
    place = Path(os.fspath(path))
    if os.fspath(path) and kind_of(place) == "file":
        return [place]
    found = []
    if os.fspath(path) and kind_of(place) == "folder":
        for file in within(place, place.glob("*.csv*")):
            if match := _NAME.fullmatch(stem(file)):
                found.append((match[1], int(match[2] or 0), file))
    if not found:
        raise ValueError(f"path must be a folder of FeDa4Fair's clients (STATE_0.csv) or a file, got {str(path)!r}")
    return [file for *_, file in sorted(found)]


def _part(file: Path, keep_index: bool) -> tuple[dict[str, np.ndarray], dict[str, int]]:
    """Read a file: its columns, checked, and how many clients have each leftover column."""
    no_page(file)
    frame = _frame(file)
    if lacking := [name for name in (*_FEATURES, _LABEL) if name not in frame]:
        raise ValueError(f"{file} must have the columns of FeDa4Fair's clients, got none called {', '.join(lacking)}")
    index = [name for name in map(str, frame) if _INDEX.fullmatch(name)]
    table = {name: _numbers(file, frame[name]) for name in _FEATURES}
    table |= {name: frame[name].fillna(0).to_numpy(dtype=np.float64) for name in index if keep_index}
    table["y"] = _labels(file, frame[_LABEL])
    table[CLIENT] = frame[CLIENT].to_numpy(dtype=str) if CLIENT in frame else np.full(len(frame), stem(file))
    having = {name: int(np.unique(table[CLIENT][frame[name].notna()]).size) for name in index}
    return table, having


def _frame(file: Path) -> pd.DataFrame:
    import pandas as pd

    if ".csv" not in file.suffixes:
        return frame_of(file)[0]
    try:
        with opened(file) as stream:
            return pd.read_csv(stream).rename(columns=str)
    except (ValueError, *UNREADABLE) as error:
        raise ValueError(f"{file} must be a table of comma-separated values, got: {said(error)}") from None


def _numbers(file: Path, column: pd.Series[Any]) -> np.ndarray:
    """Return a column of codes without gaps, the protected ones in their range."""
    try:
        codes = column.to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError):
        raise ValueError(f"{column.name} in {file} must be numbers, got {column.dtype}") from None
    last = {"SEX": 2, "RAC1P": 9, "MAR": 5}.get(str(column.name))
    wrong = ~np.isfinite(codes) if last is None else ~np.isin(codes, np.arange(1, last + 1))
    if wrong.any():
        rule = "known in every row" if last is None else f"between 1 and {last}"
        raise ValueError(f"{column.name} in {file} must be {rule}, got {codes[wrong][0]:g}")
    return codes


def _labels(file: Path, column: pd.Series[Any]) -> np.ndarray:
    known = column.map(_TRUTH)
    if (wrong := known.isna().to_numpy()).any():
        raise ValueError(f"{_LABEL} in {file} must be True or False, got {column[wrong].iloc[0]}")
    return known.to_numpy(dtype=np.int64)


def _column(part: Mapping[str, np.ndarray], name: str) -> np.ndarray:
    return part[name] if name in part else np.zeros(part["y"].size)
