"""Person records of the American Community Survey, generated: as a data set, or as files in folktables' layout."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np

from trustkit import jsonfile
from trustkit.catalogue import DATASETS, Interval
from trustkit.data import Dataset, Provenance
from trustkit.datasets.acs import RELP_OF, STATES, TASKS, Columns, census, people
from trustkit.datasets.acs_people import IN_WORK, persons
from trustkit.datasets.folktables import TaskName
from trustkit.datasets.ondisk import AnyPath

__all__ = ["acs_synthetic", "generated_income", "write_psam"]

STANDS_FOR = "American Community Survey, PUMS person files of 2018 (US Census Bureau)"
_WRITTEN = ("PWGTP", "AGEP", "CIT", "COW", "MAR", "MIG", "MIL", "RELP", "SCHL", "SEX", "WKHP", "ANC", "DEAR", "DEYE",
            "DIS", "DREM", "ESP", "ESR", "NATIVITY", "OCCP", "PINCP", "POBP", "RAC1P")  # fmt: skip


@DATASETS.enter("acs_synthetic", title="Income or employment in 51 states, in the ACS's columns (synthetic)")
def acs_synthetic(
    states: Annotated[int, Interval(1, 51), "how many states, the first by their letters' FIPS codes"] = 51,
    rows: Annotated[int, Interval(20, 100_000), "rows of each state"] = 500,
    task: Annotated[TaskName, "what is predicted"] = "ACSIncome",
    one_hot: Annotated[tuple[str, ...], "codes that become columns of 0 and 1"] = (),
    keep_sensitive: Annotated[bool, "SEX, RAC1P and MAR are features too"] = True,
    test_size: Annotated[float, Interval(0, 0.9, step=0.05), "share of test rows"] = 0.2,
    seed: int = 0,
) -> Dataset:
    """Persons of 51 states with income and employment: generated, in the columns of the ACS, with no row of it.

    Parameters
    ----------
    states : int
        How many, 1 to 51: the first of the 50 states and, last, Puerto Rico, by their FIPS codes.
    rows : int
        Rows of each state, 20 to 100,000.
    task : {"ACSIncome", "ACSEmployment"}
        As in `read_folktables`.
    one_hot : tuple of str
        Features that become a column for each code, as ("COW", "SCHL").
    keep_sensitive : bool
        Whether SEX, RAC1P and MAR are features.
    test_size : float
        The share of test rows, from 0 to 0.9, the same in both classes of every state.
    seed : int
        Of persons and test rows. A state's persons are the same whatever other states there are.

    Returns
    -------
    Dataset
        As `read_folktables` would give. Of ACSIncome all persons are in work; of ACSEmployment 51.5 % are.

    Raises
    ------
    TypeError, ValueError
        If a parameter is of a wrong type or out of range.

    Notes
    -----
    Shares of codes follow the ACS's: each code's odds are a weight times the pull of sex, age, race, schooling,
    marriage and occupation, and the weights are such that all states together have the wanted shares. The logarithm of
    an income is a sum of steps for bands of schooling, age, hours and more, and a normal noise. States differ in their
    mix of races, in pay, and in how far apart men and women, and races, are. Nobody shares a household with another.

    Whatever is measured on it says nothing about the United States.

    Source
    ------
    Columns, codes and tasks: folktables (Ding et al. 2021). Use: FeDa4Fair (Heilmann et al. 2025).

    Deviations
    ----------
    All states have as many rows. Only shares of single codes and of high incomes by sex, race, marriage, schooling, age
    and hours are near those of 2018.

    Examples
    --------
    >>> data = acs_synthetic(states=3, rows=100)
    >>> data, sorted(set(data.groups["state"].tolist()))
    (Dataset('acs_synthetic', synthetic, 300 rows × 10 columns, binary), ['AK', 'AL', 'AZ'])
    """
    DATASETS["acs_synthetic"].arguments({"states": states, "rows": rows, "task": task, "test_size": test_size})
    table = _drawn(list(STATES)[:states], rows, seed, 1.0 if task == "ACSIncome" else IN_WORK)
    kept, filled = census(table, task)
    chosen = TASKS[task]
    return people(
        "acs_synthetic", kept, chosen.features, chosen.classes, made(kept, chosen.features),
        groups={"state": kept["state"]}, values=(9, 5), keep_sensitive=keep_sensitive, one_hot=one_hot,
        test_size=test_size, seed=seed, notes={"filled": filled},
    )  # fmt: skip


def generated_income(rows: int, seed: int) -> dict[str, np.ndarray]:
    """Generate the rows of ACSIncome in all 51 states.

    Parameters
    ----------
    rows : int
        Rows of each state.
    seed : int
        Of the persons.

    Returns
    -------
    dict of str to (n,) array
        The columns of the task without gaps, "y" (0 or 1) and "state" (text).
    """
    return census(_drawn(list(STATES), rows, seed, 1.0), "ACSIncome")[0]


def made(table: Columns, features: Sequence[str]) -> Provenance:
    """Say that records are synthetic.

    Parameters
    ----------
    table : mapping of str to (n,) array
        What was generated.
    features : sequence of str
        The columns that the checksum is taken of, as float64, followed by "y".

    Returns
    -------
    Provenance
        With what they stand in for.
    """
    digest = hashlib.sha256()
    for name in (*features, "y"):
        digest.update(np.ascontiguousarray(table[name], dtype="<f8").data)
    return Provenance("generated by trustkit", "BSD-3-Clause", digest.hexdigest(), True, STANDS_FOR)


def write_psam(
    folder: AnyPath, states: Sequence[str] = tuple(STATES), rows: int = 2000, year: int = 2018, seed: int = 0
) -> list[Path]:
    """Write generated person files in folktables' layout, so that a script for the real ones can be tried out.

    Parameters
    ----------
    folder : str or path-like
        Where ``YEAR/1-Year/psam_pXX.csv`` are put; made if it is not there.
    states : sequence of str
        Two letters each.
    rows : int
        Persons in each file, at least 20; children and others out of work are among them.
    year : int
        2017 to 2100: the folder; from 2019 the column RELP is called RELSHIPP and has its codes.
    seed : int
        Of the persons.

    Returns
    -------
    list of pathlib.Path
        A file for each state: RT, SERIALNO, ST, PWGTP and the columns of both tasks. Every SERIALNO begins with
        the year and "SYNTHETIC".

    Raises
    ------
    KeyError
        If a state is unknown.
    ValueError
        If rows or year are out of range.

    Examples
    --------
    >>> import tempfile
    >>> [file.name for file in write_psam(tempfile.mkdtemp(), states=("CA",), rows=20)]
    ['psam_p06.csv']
    """
    import pandas as pd

    if unknown := [name for name in states if name not in STATES]:
        raise KeyError(f"states must be two letters of {', '.join(STATES)}, got {unknown[0]!r}")
    if rows < 20:
        raise ValueError(f"rows must be at least 20, got {rows}")
    if not 2017 <= year <= 2100:
        raise ValueError(f"year must be between 2017 and 2100, got {year}")
    place = Path(folder) / str(year) / "1-Year"
    place.mkdir(parents=True, exist_ok=True)
    files = []
    for name in states:
        table = persons(name, rows, seed)
        frame = pd.DataFrame({column: table[column] for column in _WRITTEN}).astype("Int64")
        if year >= 2019:
            newer = {old: code for code, old in reversed(RELP_OF.items())} | {11: 36}
            frame["RELP"] = frame["RELP"].map(newer)
            frame = frame.rename(columns={"RELP": "RELSHIPP"})
        numbers = [f"{year}SYNTHETIC{STATES[name]:02}{row:07}" for row in range(rows)]
        frame = pd.concat([pd.DataFrame({"RT": "P", "SERIALNO": numbers, "ST": STATES[name]}), frame], axis=1)
        files.append(jsonfile.write_text(place / f"psam_p{STATES[name]:02}.csv", frame.to_csv(index=False)))
    return files


def _drawn(states: Sequence[str], rows: int, seed: int, in_work: float) -> dict[str, np.ndarray]:
    parts = [persons(name, rows, seed, in_work) for name in states]
    table = {column: np.concatenate([part[column] for part in parts]) for column in parts[0]}
    return table | {"state": np.repeat(np.array(states), rows)}
