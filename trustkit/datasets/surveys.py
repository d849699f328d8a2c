"""Surveys of people with protected attributes and natural clients: employment, household income, income.

In all three ``race`` has the two values of FeDa4Fair (Heilmann et al. 2025), "White" and "not White"; ``race5`` or
``race8`` has the finer ones. Both are for measurement; what a model sees are the columns of `Dataset.X`.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from trustkit.catalogue import DATASETS
from trustkit.data import Dataset, Provenance
from trustkit.datasets import shipped
from trustkit.datasets.bundled import TEST_SHARE
from trustkit.datasets.frame import from_frame
from trustkit.datasets.rows import hold_out

__all__ = ["ACS_FEATURES", "RACE5", "acs_employment", "adult", "cces"]

ACS_FEATURES = ("AGEP", "SCHL", "MAR", "RELP", "DIS", "ESP", "CIT", "MIG",
                "MIL", "ANC", "NATIVITY", "DEAR", "DEYE", "DREM", "SEX", "RAC1P")  # fmt: skip
"""The features of folktables' task ACSEmployment, in its order."""

RACE5 = {
    **{1: "White", 2: "Black", 6: "Asian"},
    **dict.fromkeys((3, 4, 5), "American Indian or Alaska Native"),
    **dict.fromkeys((7, 8, 9), "other"),
}
"""FeDa4Fair's five values of the census code RAC1P."""


@DATASETS.enter("acs_employment", title="Employment, Massachusetts 2015–2018")
def acs_employment() -> Dataset:
    """Who is employed: 16,000 persons of the American Community Survey in Massachusetts, 4,000 a year.

    Returns
    -------
    Dataset
        16,000 rows × 16 census codes (folktables' task ACSEmployment; SEX and RAC1P are among them, as there); classes
        "not employed" and "employed"; protected attributes sex, race and race5; natural clients: year. 20 % of each
        class held out. All ages are in it, children too.

    Source
    ------
    FeDa4Fair (Heilmann et al. 2025) for the recoding of RAC1P into two and five values.

    Deviations
    ----------
    FeDa4Fair has all states of 2018; this is one state in four years.

    Examples
    --------
    >>> data = acs_employment()
    >>> data
    Dataset('acs_employment', 16,000 rows × 16 columns, binary)
    >>> data.codes("race")[1]
    ('White', 'not White')
    """
    table, sha256 = shipped.numbers("acs_employment_ma_sample16k.csv.gz")
    y, race = table["employed"], table["RAC1P"]
    five = np.array([RACE5.get(code, "") for code in range(10)])
    return Dataset(
        name="acs_employment",
        X=np.column_stack([table[name] for name in ACS_FEATURES]).astype(np.float64),
        y=y,
        columns=ACS_FEATURES,
        classes=("not employed", "employed"),
        provenance=Provenance("US Census Bureau, ACS PUMS, Massachusetts 2015–2018; ACSEmployment (Ding et al. 2021)",
                              "public domain (US government work)", sha256),
        sensitive={"sex": np.where(table["SEX"] == 1, "male", "female"),
                   "race": np.where(race == 1, "White", "not White"), "race5": five[race]},
        groups={"year": table["year"].astype(str)},
        held_out=hold_out(y, TEST_SHARE, "acs_employment"),
        notes={"sample": "4,000 persons a year, drawn from 277,677"},
    )  # fmt: skip


@DATASETS.enter("cces", title="Household income, 50 states and DC")
def cces() -> Dataset:
    """Whose household has 50,000 US dollars a year: 58,079 persons of the election study CCES 2016.

    Returns
    -------
    Dataset
        58,079 rows × 20 columns: age, college, religion (ordinal answers as numbers; an unanswered one is the training
        median, with an indicator column), sex and race one-hot; protected attributes sex, race and race8 (the survey's
        own values); natural clients: state, 51 with 92 to 5,416 rows. 20 % of each class held out.
        ``notes["dropped_rows"]`` counts the 6,521 who did not say. Vote, party and ideology are left out.

    Examples
    --------
    >>> data = cces()
    >>> data.X.shape[0], data.notes["dropped_rows"]
    (58079, 6521)
    """
    import pandas as pd

    opened, sha256 = shipped.content("cces2016_income.csv.gz")
    frame = pd.read_csv(opened, compression="gzip", keep_default_na=False, na_values=[""])
    bracket = frame.pop("famincr")
    frame["income"] = (bracket >= 6).astype(float).where(bracket.notna())
    frame["sex"] = np.where(frame.pop("female") == 1, "female", "male")
    frame = frame.rename(columns={"racef": "race8"})
    data = from_frame(frame, "income", ("sex", "race8"), client="state", name="cces", test_size=TEST_SHARE)
    return dataclasses.replace(
        data,
        classes=("below 50,000 USD", "50,000 USD or more"),
        sensitive=_two_valued(data, "race8"),
        provenance=Provenance("Cooperative Congressional Election Study 2016 (Ansolabehere and Schaffner), as TV16 "
                              "of the R package stevedata", "CC0 (study), GPL-2 (package)", sha256),
    )  # fmt: skip


@DATASETS.enter("adult", title="Adult, census income 1994")
def adult() -> Dataset:
    """Who earned more than 50,000 US dollars: 32,561 persons of the Current Population Survey 1994.

    Returns
    -------
    Dataset
        32,561 rows × 107 columns, one-hot where they are text ("?" is a value of its own); protected attributes sex,
        race and race5 (the file's own values); natural clients: occupation and workclass, which are features as well.
        20 % of each class held out. The survey weight fnlwgt is left out.

    Examples
    --------
    >>> data = adult()
    >>> data.classes, sorted(data.groups)
    (('<=50K', '>50K'), ['occupation', 'workclass'])
    """
    import pandas as pd

    opened, sha256 = shipped.content("adult_train.csv.gz")
    frame = pd.read_csv(opened, compression="gzip", keep_default_na=False)
    frame = frame.rename(columns={"race": "race5"})
    data = from_frame(frame, "income-per-year", ("sex", "race5"), name="adult", test_size=TEST_SHARE)
    return dataclasses.replace(
        data,
        sensitive=_two_valued(data, "race5"),
        groups={name: frame[name].to_numpy(dtype=str) for name in ("occupation", "workclass")},
        provenance=Provenance("UCI Adult (Becker and Kohavi 1996), training part", "CC BY 4.0", sha256),
    )


def _two_valued(data: Dataset, own: str) -> dict[str, np.ndarray]:
    """Put ``race``, White or not, between the other protected attributes."""
    race = np.where(data.sensitive[own] == "White", "White", "not White")
    return {"sex": data.sensitive["sex"], "race": race, own: data.sensitive[own]}
