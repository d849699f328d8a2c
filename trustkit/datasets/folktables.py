"""Person files of the American Community Survey on disk, as folktables lays them out: any year, any states."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from trustkit.catalogue import DATASETS, Interval
from trustkit.data import Dataset
from trustkit.datasets.acs import RELP_OF, STATES, TASKS, Columns, census, people
from trustkit.datasets.listed import listed, said
from trustkit.datasets.ondisk import UNREADABLE, AnyPath, owned
from trustkit.datasets.packed import opened, room_for, start_of
from trustkit.datasets.places import kind_of, within

__all__ = ["Horizon", "TaskName", "read_folktables", "records"]

TaskName = Literal["ACSIncome", "ACSEmployment"]
Horizon = Literal["1-Year", "5-Year"]

SOURCE, LICENCE = "US Census Bureau, ACS PUMS", "public domain (US government work)"
_FILE = re.compile(r"(?:psam_p(?P<fips>\d\d|us[a-d])|ss\d\dp(?P<state>[a-z]{2}))\.csv(\.gz|\.bz2|\.xz)?", re.IGNORECASE)
_NAMES = {code: name for name, code in STATES.items()} | {11: "DC"}
_HELD = 0.5  # times their size that files take, few of whose 280 columns are read
_LAST = {"SEX": 2, "RAC1P": 9, "MAR": 5}
_RELP = np.array([RELP_OF.get(code, -1) for code in range(39)])


@DATASETS.enter("folktables", title="American Community Survey, from its person files")
def read_folktables(
    path: Annotated[AnyPath, "the folder that holds the years, a folder of person files, or one of them"] = "",
    task: Annotated[TaskName, "what is predicted"] = "ACSIncome",
    states: Annotated[tuple[str, ...], "which states, as CA; none for all that are there"] = (),
    year: Annotated[int, Interval(0, 2100), "which year's folder; 0 for the only one"] = 0,
    horizon: Annotated[Horizon, "the survey's length"] = "1-Year",
    one_hot: Annotated[tuple[str, ...], "codes that become columns of 0 and 1"] = (),
    keep_sensitive: Annotated[bool, "SEX, RAC1P and MAR are features too"] = True,
    test_size: Annotated[float, Interval(0, 0.9, step=0.05), "share of test rows"] = 0.2,
    seed: int = 0,
) -> Dataset:
    """Make a data set of census person files: who earns more than 50,000 dollars, or who is employed, state by state.

    Parameters
    ----------
    path : str or path-like
        Folktables' folder (``2018/1-Year/psam_p06.csv`` in it), a folder of person files, or one file. To 2016 they are
        called ``ss16pca.csv``. They may be packed by gzip, bzip2 or xz.
    task : {"ACSIncome", "ACSEmployment"}
        ACSIncome: persons over 16 who work and have more than 100 dollars; PINCP > 50,000. ACSEmployment: everybody,
        children too; ESR = 1.
    states : tuple of str
        Two letters each, in the order wanted; none for all that are there, in the order of the files' names.
    year : int
        The folder to read; 0 if there is only one.
    horizon : {"1-Year", "5-Year"}
        The folder below it.
    one_hot : tuple of str
        Features that become a column for each code, as ("COW", "SCHL").
    keep_sensitive : bool
        Whether SEX, RAC1P and MAR are features, as they are in folktables.
    test_size : float
        The share of test rows, from 0 to 0.9, the same in both classes of every state.
    seed : int
        Of the choice of test rows.

    Returns
    -------
    Dataset
        Census codes as float64; protected attributes SEX, RAC1P and MAR, each value with code and meaning, as
        "2 female"; natural clients: state. ``notes``: "files", "year" (None if no folder says it), "rows_read",
        "rows_kept", "filtered" (rows that are not in the task), "filled" (gaps by column), "changes" (what was assumed
        or mapped, in words) and "origin".

    Raises
    ------
    KeyError
        If a state is unknown or not there.
    ValueError
        If there is no such file, it is a web page or lacks a column, a code is out of range, no row is in the task, or
        all have one class.

    Notes
    -----
    Gaps in the features become 0: folktables calls ``numpy.nan_to_num(x, -1)``, where the −1 is the argument ``copy``.
    From 2019 RELSHIPP takes the place of RELP and is mapped back to it. Without PWGTP every weight counts as 1. Income
    is in dollars of its year: ADJINC is left out, as in folktables.

    Source
    ------
    folktables (Ding et al. 2021): files, tasks, filters.

    Deviations
    ----------
    From 2019 on folktables' own tasks stop with an error, for want of RELP.

    Examples
    --------
    >>> import tempfile
    >>> from trustkit.datasets import write_psam
    >>> folder = tempfile.mkdtemp()
    >>> _ = write_psam(folder, states=("WY", "VT"), rows=500)
    >>> data = read_folktables(folder, states=("VT",))
    >>> data.notes["rows_read"], sorted(set(data.groups["state"].tolist()))
    (500, ['VT'])
    """
    table, files, notes = records(path, task, states, year, horizon)
    chosen = TASKS[task]
    return people(
        task, table, chosen.features, chosen.classes, owned(*files, source=SOURCE, licence=LICENCE),
        groups={"state": table["state"]}, values=(9, 5), keep_sensitive=keep_sensitive, one_hot=one_hot,
        test_size=test_size, seed=seed, notes=notes,
    )  # fmt: skip


def records(
    path: AnyPath, task: TaskName, states: Sequence[str] = (), year: int = 0, horizon: Horizon = "1-Year"
) -> tuple[dict[str, np.ndarray], list[Path], dict[str, Any]]:
    """Read the rows of a task from person files.

    Parameters
    ----------
    path : str or path-like
        As in `read_folktables`.
    task : {"ACSIncome", "ACSEmployment"}
        Which filter and target.
    states : sequence of str
        Which, in this order; none for all.
    year : int
        Which folder; 0 for the only one.
    horizon : {"1-Year", "5-Year"}
        Which folder below it.

    Returns
    -------
    table : dict of str to (n,) array
        The task's columns without gaps, "y" (0 or 1) and "state" (text).
    files : list of pathlib.Path
        What was read.
    notes : dict
        As in `read_folktables`, without "origin".

    Raises
    ------
    KeyError, ValueError
        As in `read_folktables`.
    """
    if task not in TASKS:
        raise ValueError(f"task must be one of {', '.join(TASKS)}, got {task!r}")
    wanted = (states,) if isinstance(states, str) else tuple(states)
    for name in wanted:
        if name not in _NAMES.values():
            raise KeyError(f"states must be two letters of {', '.join(_NAMES.values())}, got {name!r}")
    files, found_year = _files(path, year, horizon)
    files = _of_states(files, wanted)
    room_for(*files, held=_HELD)
    parts, read, filled, changes = [], 0, dict[str, int](), dict[str, None]()
    for file in files:
        table, said = _read(file, task)
        changes |= dict.fromkeys(said)
        read += table["SEX"].size
        keep = np.isin(table["state"], wanted) if wanted else np.ones(table["SEX"].size, bool)
        kept, gaps = census({name: column[keep] for name, column in table.items()}, task)
        _check(file, kept)
        parts.append(kept)
        filled = {name: filled.get(name, 0) + gaps.get(name, 0) for name in {**filled, **gaps}}
    whole = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    if missing := [name for name in wanted if name not in whole["state"]]:
        raise KeyError(f"states must be among the files in {path}, got {missing[0]!r}, of which there is no row")
    if wanted:
        order = np.argsort([wanted.index(name) for name in whole["state"]], kind="stable")
        whole = {name: column[order] for name, column in whole.items()}
    if np.unique(whole["y"]).size < 2:
        raise ValueError(
            f"{path} must have rows of both classes of {task}, got {whole['y'].size:,} of {read:,} rows in the task"
        )
    notes = {"files": len(files), "year": found_year, "rows_read": read, "rows_kept": whole["y"].size,
             "filtered": read - whole["y"].size, "filled": filled, "changes": tuple(changes)}  # fmt: skip
    return whole, files, notes


def _files(path: AnyPath, year: int, horizon: str) -> tuple[list[Path], int | None]:
    """Return the person files that are meant, in the order of their names, and the year that their folder names."""
    place = Path(os.fspath(path))
    if os.fspath(path) and kind_of(place) == "file":
        return [place], _year([place], year)
    if os.fspath(path) and kind_of(place) == "folder":
        for folder in (place, place / horizon):
            if files := _persons(folder):
                return files, _year(files, year)
        years = sorted(each.name for each in place.iterdir() if each.name.isdigit() and _persons(each / horizon))
        if years and (str(year) in years or (not year and len(years) == 1)):
            chosen = str(year) if year else years[0]
            return _persons(place / chosen / horizon), int(chosen)
        if years:
            raise ValueError(f"year must be one of {', '.join(years)}, got {year or 'none'}")
    raise ValueError(f"path must be a person file of the ACS (psam_pXX.csv) or a folder of them, got {str(path)!r}")


def _persons(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return within(folder, sorted(file for file in folder.glob("*.csv*") if _FILE.fullmatch(file.name)))


def _year(files: list[Path], year: int) -> int | None:
    """Return the year that a path of files has in it, which must be the one that is asked for."""
    named = [part.name for part in files[0].resolve().parents if re.fullmatch(r"20\d\d", part.name)]
    if year and named and int(named[0]) != year:
        raise ValueError(f"year must be that of the files in {files[0].parent}, got {year}")
    return int(named[0]) if named else year or None


def _state_of(file: Path) -> str:
    """Return the state that a file's name says, if it says one."""
    match = _FILE.fullmatch(file.name)
    if match is None:
        return ""
    return (match["state"] or "").upper() or (_NAMES.get(int(match["fips"]), "") if match["fips"].isdigit() else "")


def _of_states(files: list[Path], wanted: tuple[str, ...]) -> list[Path]:
    """Leave out the files of states that are not wanted; a file that names none may have any."""
    return [file for file in files if not wanted or not _state_of(file) or _state_of(file) in wanted] or files[:1]


def _read(file: Path, task: TaskName) -> tuple[dict[str, np.ndarray], list[str]]:
    """Read the columns of a task and each row's state; say what had to be assumed."""
    import pandas as pd

    start = start_of(file).lstrip().lower()
    if start.startswith(("<", "pk\x03\x04")):
        what = "an HTML page" if start.startswith("<") else "a ZIP archive; unpack it first"
        raise ValueError(f"{file} must be a table of persons, got {what}")
    needed = [*TASKS[task].features, *TASKS[task].others]
    known = {*needed, "RELSHIPP", "ST", "STATE"}
    try:
        with opened(file) as stream:
            frame = pd.read_csv(stream, usecols=lambda name: name in known, dtype=np.float32)
    except (ValueError, *UNREADABLE) as error:
        raise ValueError(f"{file} must be a table of persons in the census's codes, got: {said(error)}") from None
    changes = []
    table = {str(name): frame[name].to_numpy() for name in frame}
    if endless := [name for name, codes in table.items() if np.isinf(codes).any()]:
        raise ValueError(f"{file} must hold finite codes or blanks, got an infinite one in {listed(endless)}")
    if "RELP" not in table and "RELSHIPP" in table:
        table["RELP"] = _relp(file, table["RELSHIPP"])
        changes.append("RELSHIPP (from 2019) mapped to RELP")
    if "PWGTP" in needed and "PWGTP" not in table:
        table["PWGTP"] = np.ones(len(frame), np.float32)
        changes.append("PWGTP absent: every weight taken as 1")
    if lacking := [name for name in needed if name not in table]:
        raise ValueError(f"{file} must have the columns of {task}, got none called {', '.join(lacking)}")
    table = {name: table[name] for name in needed} | {"state": _states(file, table, len(frame))}
    return table, changes


def _relp(file: Path, codes: np.ndarray) -> np.ndarray:
    whole = np.nan_to_num(codes).astype(np.int64)
    mapped = np.where((whole >= 0) & (whole < _RELP.size), _RELP[np.clip(whole, 0, _RELP.size - 1)], -1)
    if (wrong := (mapped < 0) & ~np.isnan(codes)).any():
        raise ValueError(f"RELSHIPP in {file} must be between 20 and 38, got {codes[wrong][0]:g}")
    return np.where(np.isnan(codes), np.nan, mapped).astype(np.float32)


def _states(file: Path, table: Columns, rows: int) -> np.ndarray:
    """Return each row's state, by its column or else by the file's name."""
    column = table.get("ST", table.get("STATE"))
    if column is None:
        if not _state_of(file):
            raise ValueError(f"{file} must have a column ST or a state's code in its name, got neither")
        return np.full(rows, _state_of(file))
    codes, place = np.unique(column, return_inverse=True)
    if unknown := [code for code in codes if code not in _NAMES]:
        raise ValueError(f"ST in {file} must be a state's FIPS code, got {unknown[0]:g}")
    return np.array([_NAMES[int(code)] for code in codes], dtype="U2")[place]


def _check(file: Path, table: Columns) -> None:
    for name, last in _LAST.items():
        wrong = ~np.isin(table[name], np.arange(1, last + 1))
        if wrong.any():
            raise ValueError(f"{name} in {file} must be between 1 and {last}, got {table[name][wrong][0]:g}")
