"""The American Community Survey's person records: codes, the two tasks of folktables, FeDa4Fair's recodings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from trustkit.data import Dataset, Provenance
from trustkit.datasets.ondisk import frozen
from trustkit.datasets.rows import hold_out

__all__ = ["RELP_OF", "STATES", "TASKS", "VALUES", "Columns", "Task", "census", "married", "people", "races", "shown"]

Columns = Mapping[str, np.ndarray]
"""Columns of one length by the census's names; a cell that is not there is NaN."""

STATES = {
    "AL": 1, "AK": 2, "AZ": 4, "AR": 5, "CA": 6, "CO": 8, "CT": 9, "DE": 10, "FL": 12, "GA": 13, "HI": 15, "ID": 16,
    "IL": 17, "IN": 18, "IA": 19, "KS": 20, "KY": 21, "LA": 22, "ME": 23, "MD": 24, "MA": 25, "MI": 26, "MN": 27,
    "MS": 28, "MO": 29, "MT": 30, "NE": 31, "NV": 32, "NH": 33, "NJ": 34, "NM": 35, "NY": 36, "NC": 37, "ND": 38,
    "OH": 39, "OK": 40, "OR": 41, "PA": 42, "RI": 44, "SC": 45, "SD": 46, "TN": 47, "TX": 48, "UT": 49, "VT": 50,
    "VA": 51, "WA": 53, "WV": 54, "WI": 55, "WY": 56, "PR": 72,
}  # fmt: skip
"""FeDa4Fair's 51 clients, the 50 states and Puerto Rico (not DC), with their FIPS codes."""

RELP_OF = {20: 0, 21: 1, 22: 13, 23: 1, 24: 13, 25: 2, 26: 3, 27: 4, 28: 5, 29: 6, 30: 7, 31: 8, 32: 9, 33: 10, 34: 12,
           35: 14, 36: 15, 37: 16, 38: 17}  # fmt: skip
"""The code of RELP (to 2018) for each of RELSHIPP (from 2019); couples of one sex join the others, roomers are gone."""

VALUES = {
    "SEX": {1: "male", 2: "female"},
    "RAC1P": {1: "White", 2: "Black", 3: "American Indian", 4: "Alaska Native", 5: "other AIAN", 6: "Asian",
              7: "Pacific", 8: "other", 9: "two or more"},
    "RAC1P of two": {1: "White", 2: "not White"},
    "RAC1P of five": {1: "White", 2: "Black", 3: "Asian", 4: "AIAN", 5: "other"},
    "MAR": {1: "married", 2: "widowed", 3: "divorced", 4: "separated", 5: "never married"},
    "MAR of two": {1: "married", 2: "not married"},
}  # fmt: skip
"""What the codes of the protected attributes mean, as they are or recoded; AIAN: American Indian or Alaska Native."""

_FIVE = np.array([0, 1, 2, 4, 4, 4, 3, 5, 5, 5])
_SENSITIVE = ("SEX", "RAC1P", "MAR")


@dataclass(frozen=True)
class Task:
    """A prediction task of folktables.

    Parameters
    ----------
    features : tuple of str
        Columns, in folktables' order.
    others : tuple of str
        Columns that filter and target need as well.
    kept : callable
        From columns to a (n,) bool array: which rows are in the task.
    favourable : callable
        From columns to a (n,) bool array: the target.
    classes : pair of str
        Names of its two values.
    """

    features: tuple[str, ...]
    others: tuple[str, ...]
    kept: Callable[[Columns], np.ndarray]
    favourable: Callable[[Columns], np.ndarray]
    classes: tuple[str, str]


def _earning(table: Columns) -> np.ndarray:
    found: np.ndarray = (table["AGEP"] > 16) & (table["PINCP"] > 100) & (table["WKHP"] > 0) & (table["PWGTP"] >= 1)
    return found


TASKS = {
    "ACSIncome": Task(
        ("AGEP", "COW", "SCHL", "MAR", "OCCP", "POBP", "RELP", "WKHP", "SEX", "RAC1P"),
        ("PINCP", "PWGTP"),
        _earning,
        lambda table: table["PINCP"] > 50_000,
        ("at most 50,000 USD", "more than 50,000 USD"),
    ),
    "ACSEmployment": Task(
        ("AGEP", "SCHL", "MAR", "RELP", "DIS", "ESP", "CIT", "MIG", "MIL", "ANC", "NATIVITY", "DEAR", "DEYE", "DREM",
         "SEX", "RAC1P"),
        ("ESR",),
        lambda table: np.ones(table["SEX"].size, bool),
        lambda table: table["ESR"] == 1,
        ("not employed", "employed"),
    ),
}  # fmt: skip
"""The tasks ACSIncome and ACSEmployment of folktables (Ding et al. 2021)."""


def races(codes: np.ndarray, values: int) -> np.ndarray:
    """Recode RAC1P, all values at once: one after the other, 6 → 3 and 3 → 4 would run into each other.

    Parameters
    ----------
    codes : (n,) array
        Census codes 1 … 9.
    values : {2, 5, 9}
        How many to keep apart: White or not; White, Black, Asian, American Indian or Alaska Native, other; all.

    Returns
    -------
    (n,) int array
        1 … values.

    Examples
    --------
    >>> races(np.array([1, 2, 3, 6, 9]), 5).tolist(), races(np.array([1, 2, 3, 6, 9]), 2).tolist()
    ([1, 2, 4, 3, 5], [1, 2, 2, 2, 2])
    """
    known = codes.astype(np.int64)
    return known if values == 9 else _FIVE[known] if values == 5 else np.minimum(known, 2)


def married(codes: np.ndarray) -> np.ndarray:
    """Recode MAR: 1 stays, married; 2 … 5 become 2, not married.

    Parameters
    ----------
    codes : (n,) array
        Census codes 1 … 5.

    Returns
    -------
    (n,) int array
        1 or 2.

    Examples
    --------
    >>> married(np.array([1, 3, 5])).tolist()
    [1, 2, 2]
    """
    return np.minimum(codes.astype(np.int64), 2)


def shown(codes: np.ndarray, meaning: Mapping[int, str]) -> np.ndarray:
    """Write codes as code and meaning, such as "2 female", so that their order as text is that of the codes.

    Parameters
    ----------
    codes : (n,) array
        Whole numbers.
    meaning : mapping
        Of each code.

    Returns
    -------
    (n,) str array
        A code without a meaning, and NaN, become "? " and the code.

    Examples
    --------
    >>> shown(np.array([2, 1]), VALUES["SEX"]).tolist()
    ['2 female', '1 male']
    """
    found, places = np.unique(codes, return_inverse=True)
    names = [f"{code:g} {meaning[int(code)]}" if code in meaning else f"? {code:g}" for code in found.astype(float)]
    return np.array(names, dtype=str)[places]


def census(table: Columns, task: str) -> tuple[dict[str, np.ndarray], dict[str, int]]:
    """Keep the rows of a task, and put 0 where there is no value, as folktables does.

    Parameters
    ----------
    table : mapping of str to (n,) float array
        The task's columns; others are kept too.
    task : str
        A key of `TASKS`.

    Returns
    -------
    columns : dict
        The same columns, filtered, and "y" (0 or 1); gaps in the features are 0.
    filled : dict
        How many gaps each feature had.

    Notes
    -----
    folktables calls ``numpy.nan_to_num(x, -1)``; the −1 is taken as ``copy``, so that its gaps become 0 and not −1.
    """
    chosen = TASKS[task]
    rows = chosen.kept(table)
    kept = {name: column[rows] for name, column in table.items()}
    kept["y"] = chosen.favourable(kept).astype(np.int64)
    gaps = {name: np.isnan(kept[name]) for name in chosen.features}
    for name, gap in gaps.items():
        kept[name] = np.where(gap, 0, kept[name])
    return kept, {name: int(gap.sum()) for name, gap in gaps.items() if gap.any()}


def people(
    name: str, table: Columns, features: Sequence[str], classes: tuple[str, str], provenance: Provenance, *,
    groups: Mapping[str, np.ndarray], values: tuple[int, int], keep_sensitive: bool, one_hot: Sequence[str],
    test_size: float, seed: int, notes: Mapping[str, Any],
) -> Dataset:  # fmt: skip
    """Make a data set of census records, with SEX, RAC1P and MAR as protected attributes.

    Parameters
    ----------
    name : str
        Of the data set.
    table : mapping of str to (n,) array
        Features without gaps, and "y".
    features : sequence of str
        Columns that may become features, in this order.
    classes : pair of str
        Names of the target's values 0 and 1.
    provenance : Provenance
        Where the records are from.
    groups : mapping of str to (n,) str array
        Natural clients; of each value of the first, and of either class of it, the same share is held out.
    values : pair of int
        How many values RAC1P (2, 5 or 9) and MAR (2 or 5) have.
    keep_sensitive : bool
        Whether SEX, RAC1P and MAR are features as well.
    one_hot : sequence of str
        Features that become a column of 0 and 1 for each value.
    test_size : float
        The share of test rows, 0 ≤ test_size < 1.
    seed : int
        Of the choice of test rows.
    notes : mapping
        What loading did; "origin" (m,) is added, the census's column that each feature was made of.

    Returns
    -------
    Dataset
        float64 codes as they are. Its arrays are read-only.

    Raises
    ------
    ValueError
        If a column that is to be one-hot is no feature.
    """
    used = [column for column in features if keep_sensitive or column not in _SENSITIVE]
    if unknown := [column for column in one_hot if column not in used]:
        raise ValueError(f"one_hot must name features, got {unknown[0]!r}; known are {', '.join(used)}")
    blocks: list[np.ndarray] = []
    names: list[str] = []
    origin: list[str] = []
    for column in used:
        codes = np.unique(table[column]) if column in one_hot else None
        blocks.append(table[column][:, None] if codes is None else table[column][:, None] == codes)
        names += [column] if codes is None else [f"{column}={code:g}" for code in codes]
        origin += [column] * (len(names) - len(origin))
    meaning = {"SEX": VALUES["SEX"], "RAC1P": VALUES[{9: "RAC1P", 5: "RAC1P of five", 2: "RAC1P of two"}[values[0]]],
               "MAR": VALUES["MAR" if values[1] == 5 else "MAR of two"]}  # fmt: skip
    y = table["y"]
    first = np.unique(next(iter(groups.values())), return_inverse=True)[1]
    return frozen(
        Dataset(
            name=name,
            X=np.hstack(blocks, dtype=np.float64),
            y=y,
            columns=tuple(names),
            classes=classes,
            provenance=provenance,
            sensitive={column: shown(table[column], meaning[column]) for column in _SENSITIVE},
            groups=groups,
            held_out=hold_out(2 * first + y, test_size, name, seed),
            notes={**notes, "origin": tuple(origin)},
        )
    )
