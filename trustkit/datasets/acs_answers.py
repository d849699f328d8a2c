"""What a census record says of persons out of work, and the questions that only the task ACSEmployment looks at."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping

import numpy as np

__all__ = ["answers", "out_of_work"]


def out_of_work(rng: np.random.Generator, table: MutableMapping[str, np.ndarray], out: np.ndarray) -> None:
    """Change the records of persons who are out of work: children, pensioners and others.

    Parameters
    ----------
    rng : numpy.random.Generator
        Where the draws come from.
    table : mutable mapping of str to (n,) float array
        Columns of persons as if all were in work; some are replaced.
    out : (n,) bool array
        Who is not.

    Notes
    -----
    Children of up to 16 years are at school by their age and live with their parents. A third of the others under 65
    said what they last worked as; one in twenty of these worked without pay.
    """
    n, age = out.size, table["AGEP"]
    child, young = out & (age <= 16), age < 15
    recent = out & ~child & (age < 65) & (rng.random(n) < 0.35)
    unpaid = recent & (rng.random(n) < 0.05)
    table["SCHL"] = np.where(child, np.where(age < 3, np.nan, np.clip(age - 3, 1, 14)), table["SCHL"])
    table["MAR"] = np.where(child, 5, table["MAR"])
    family = np.array([2, 2, 2, 2, 2, 2, 2, 2, 7, 7, 3, 4, 14])
    table["RELP"] = np.where(child, family[rng.integers(0, family.size, n)], table["RELP"])
    for column in ("COW", "OCCP"):
        table[column] = np.where(out & ~recent, np.nan, table[column])
    table["WKHP"] = np.where(out & ~unpaid, np.nan, table["WKHP"])
    pension = np.where(rng.random(n) < 0.25, 0, np.rint(rng.gamma(1.5, 13_000, n) / 10) * 10)
    pension = np.where(unpaid, rng.integers(0, 101, n), np.where(child, 0, pension))
    table["PINCP"] = np.where(out, np.where(young, np.nan, pension), table["PINCP"])


def answers(rng: np.random.Generator, table: Mapping[str, np.ndarray], works: np.ndarray) -> dict[str, np.ndarray]:
    """Answer the other questions of ACSEmployment.

    Parameters
    ----------
    rng : numpy.random.Generator
        Where the draws come from.
    table : mapping of str to (n,) float array
        Columns of persons.
    works : (n,) bool array
        Who earned by work in the last twelve months.

    Returns
    -------
    dict of str to (n,) float array
        DIS, ESP, CIT, MIG, MIL, ANC, NATIVITY, DEAR, DEYE, DREM and ESR; NaN where the question was not asked.
    """
    age, female, n = table["AGEP"], table["SEX"] == 2, works.size

    def drawn(codes: tuple[int, ...], shares: tuple[float, ...]) -> np.ndarray:
        return rng.choice(codes, n, p=shares).astype(float)

    odds = np.exp(-3.6 + 0.042 * age - 0.9 * works)
    hard = {name: rng.random(n) < share * odds / (1 + odds) for name, share in
            (("DEAR", 0.33), ("DEYE", 0.2), ("DREM", 0.38), ("other", 0.55))}  # fmt: skip
    hard["DREM"] &= age >= 5
    foreign = table["POBP"] >= 100
    served = rng.random(n) < np.where(female, 0.015, 0.03 + 0.0022 * age)
    employed = np.where(works, drawn((1, 2, 3, 4, 6), (0.925, 0.02, 0.018, 0.004, 0.033)),
                        drawn((1, 3, 6), (0.012, 0.06, 0.928)))  # fmt: skip
    return {
        "DIS": np.where(hard["DEAR"] | hard["DEYE"] | hard["DREM"] | hard["other"], 1.0, 2.0),
        "ESP": np.where((age < 18) & np.isin(table["RELP"], (2, 3, 4)),
                        drawn((1, 2, 3, 4, 5, 6, 7, 8), (0.43, 0.17, 0.04, 0.02, 0.07, 0.01, 0.19, 0.07)), np.nan),
        "CIT": np.where(foreign, drawn((3, 4, 5), (0.06, 0.46, 0.48)), np.where(table["POBP"] == 72, 2, 1)),
        "MIG": np.where(age < 1, np.nan, np.where(rng.random(n) < np.where(age < 35, 0.22, 0.09),
                                                  drawn((2, 3), (0.05, 0.95)), 1)),
        "MIL": np.where(age < 17, np.nan, np.where(served, drawn((1, 2, 3), (0.06, 0.79, 0.15)), 4)),
        "ANC": drawn((1, 2, 3, 4), (0.52, 0.26, 0.05, 0.17)),
        "NATIVITY": np.where(foreign & (table["POBP"] >= 100), 2.0, 1.0),
        "DEAR": 2.0 - hard["DEAR"],
        "DEYE": 2.0 - hard["DEYE"],
        "DREM": np.where(age < 5, np.nan, 2.0 - hard["DREM"]),
        "ESR": np.where(age < 16, np.nan, employed),
    }  # fmt: skip
