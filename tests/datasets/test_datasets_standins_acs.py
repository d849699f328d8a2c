"""Generated census records: the shares and rates that they were made for, models' figures, files, repeatability."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from trustkit.catalogue import DATASETS
from trustkit.datasets import acs_synthetic, write_psam
from trustkit.datasets.acs import STATES, TASKS, races
from trustkit.datasets.acs_people import IN_WORK, persons

# Marginals of 686,505 unmodified rows of ACSIncome in 2018, 23 states.
SHARES = {
    "COW": {1: 0.659, 2: 0.086, 3: 0.068, 4: 0.05, 5: 0.036, 6: 0.061, 7: 0.038, 8: 0.003},
    "SCHL": {16: 0.208, 21: 0.222, 19: 0.153, 22: 0.1, 20: 0.092, 18: 0.075, 17: 0.034, 23: 0.025, 24: 0.018,
             14: 0.022, 15: 0.014, 13: 0.012},
    "RELP": {0: 0.5, 1: 0.252, 2: 0.103, 13: 0.034, 17: 0.03, 12: 0.019, 15: 0.01},
    "SEX": {2: 0.4806},
    "MAR": {1: 0.5553},
    "race": {1: 0.8013, 2: 0.1032, 3: 0.0426, 4: 0.0075, 5: 0.0453},
}  # fmt: skip
RATES: dict[str, tuple[dict[Any, float], float]] = {
    "SEX": ({1: 0.4507, 2: 0.2901}, 0.01),
    "race": ({1: 0.3948, 2: 0.2475, 3: 0.4669, 4: 0.2053, 5: 0.224}, 0.05),  # 700 persons of race 4: s.e. 0.015
    "married": ({True: 0.4827, False: 0.2371}, 0.01),
    "SCHL": ({16: 0.221, 18: 0.262, 19: 0.261, 20: 0.353, 21: 0.527, 22: 0.688, 23: 0.807, 24: 0.798}, 0.03),
    "years": ({"24": 0.032, "34": 0.288, "44": 0.449, "54": 0.486, "64": 0.470, "99": 0.466}, 0.015),
    "hours": ({"20": 0.087, "34": 0.132, "40": 0.376, "50": 0.598, "99": 0.618}, 0.015),
}  # fmt: skip
MODEL = ["AGEP", "COW", "SCHL", "OCCP", "POBP", "RELP", "WKHP"]


@cache
def workers(rows: int = 2000) -> pd.DataFrame:
    """Persons in work of all 51 states."""
    parts = [persons(state, rows, 0, 1.0) for state in STATES]
    frame = pd.DataFrame({name: np.concatenate([part[name] for part in parts]) for name in parts[0]})
    return frame.assign(
        y=frame.PINCP > 50_000,
        race=races(frame.RAC1P.to_numpy(), 5),
        married=frame.MAR == 1,
        years=pd.cut(frame.AGEP, [0, 24, 34, 44, 54, 64, 99], labels=["24", "34", "44", "54", "64", "99"]),
        hours=pd.cut(frame.WKHP, [0, 20, 34, 40, 50, 99], labels=["20", "34", "40", "50", "99"]),
    )


@pytest.mark.parametrize("name", SHARES)
def test_shares_of_codes(name: str) -> None:
    """Within a hundredth of the census's."""
    found = workers()[name].value_counts(normalize=True)
    for code, share in SHARES[name].items():
        assert found[code] == pytest.approx(share, abs=0.01), code


@pytest.mark.parametrize("name", RATES)
def test_rates_of_high_incomes(name: str) -> None:
    """By sex, race, marriage, schooling, age and hours; the tolerance beside each."""
    wanted, tolerance = RATES[name]
    found = workers().groupby(name, observed=True).y.mean()
    for value, rate in wanted.items():
        assert found[value] == pytest.approx(rate, abs=tolerance), value
    assert workers().y.mean() == pytest.approx(0.3735, abs=0.01)
    assert workers().y[workers().SCHL < 16].mean() == pytest.approx(0.1, abs=0.01)


def test_ages_and_hours() -> None:
    """Mean, spread and quantiles."""
    frame, at = workers(), [0.05, 0.25, 0.5, 0.75, 0.95]
    assert frame.AGEP.mean() == pytest.approx(43.4, abs=0.5)
    assert frame.AGEP.std() == pytest.approx(15.4, abs=0.7)
    assert np.abs(frame.AGEP.quantile(at).to_numpy() - [20, 30, 43, 56, 68]).max() <= 1
    assert (frame.AGEP.min(), frame.AGEP.max()) == (17, 97)
    assert frame.WKHP.mean() == pytest.approx(38.3, abs=0.8)
    assert frame.WKHP.std() == pytest.approx(13.0, abs=0.5)
    assert np.abs(frame.WKHP.quantile(at).to_numpy() - [12, 35, 40, 45, 60]).max() <= 3


def test_codes_are_the_censuss() -> None:
    """OCCP from 10 to 9830 and POBP from 1 to 554, about as many different ones as there are (529 and 223)."""
    frame = workers()
    assert 10 <= frame.OCCP.min() <= frame.OCCP.max() <= 9830
    assert 1 <= frame.POBP.min() <= frame.POBP.max() <= 554
    assert 450 < frame.OCCP.nunique() < 600
    assert 180 < frame.POBP.nunique() < 260
    assert set(frame.RAC1P) == set(range(1, 10))
    assert (frame.PINCP % 10 == 0).all()
    assert not frame[list(TASKS["ACSIncome"].features)].isna().any().any()


def test_two_models_find_what_they_find_in_the_census() -> None:
    """Fitted to one draw, tried on another: accuracies of 0.77 and 0.80, gaps of both attributes near the census's."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from xgboost import XGBClassifier

    train, test = workers(2000), workers(1900)
    white = np.where(test.RAC1P == 1, 1, 2)
    for model, accuracy in ((make_pipeline(StandardScaler(), LogisticRegression()), 0.77),
                            (XGBClassifier(eval_metric="logloss", n_jobs=1), 0.80)):  # fmt: skip
        model.fit(train[MODEL], train.y)
        chosen = pd.Series(model.predict(test[MODEL])).astype(bool)
        assert (chosen.to_numpy() == test.y.to_numpy()).mean() == pytest.approx(accuracy, abs=0.02)
        sexes, groups = (chosen.groupby(by).mean() for by in (test.SEX.to_numpy(), white))
        assert 0.05 <= sexes[1] - sexes[2] <= 0.15
        assert 0.10 <= groups[1] - groups[2] <= 0.13


def test_states_differ() -> None:
    """In the mix of races, in incomes and in the gap between men and women, so that clients differ."""
    frame = workers().assign(state=np.repeat(list(STATES), 2000))
    mix = frame.assign(white=frame.race == 1).groupby("state").white.mean()
    rate = frame.groupby("state").y.mean()
    gap = frame.groupby(["state", "SEX"]).y.mean().unstack()
    assert mix.min() < 0.6 < 0.95 < mix.max()
    assert rate.max() - rate.min() > 0.1
    assert (gap[1] - gap[2]).min() < 0.1 < 0.2 < (gap[1] - gap[2]).max()


@pytest.mark.parametrize("task", TASKS)
def test_a_data_set_that_says_that_it_is_synthetic(task: str) -> None:
    """Rows, columns, clients, provenance; the checksum is of what was generated."""
    data = acs_synthetic(states=4, rows=50, task=task)  # type: ignore[arg-type]
    assert data.X.shape == (200, len(TASKS[task].features))
    assert data.columns == TASKS[task].features
    assert "(synthetic)" in DATASETS["acs_synthetic"].title
    assert "synthetic" in repr(data)
    assert data.provenance.synthetic
    assert data.provenance.stands_in_for.startswith("American Community Survey")
    content = b"".join(np.ascontiguousarray(column, dtype="<f8").tobytes() for column in (*data.X.T, data.y))
    assert data.provenance.sha256 == hashlib.sha256(content).hexdigest()
    assert np.unique(data.groups["state"], return_counts=True)[1].tolist() == [50] * 4


def test_the_same_arguments_give_the_same_rows() -> None:
    """Whatever other states there are; another seed gives other persons."""
    few, many, other = acs_synthetic(2, 40), acs_synthetic(9, 40), acs_synthetic(2, 40, seed=1)
    assert np.array_equal(few.X, many.X[:80])
    assert np.array_equal(few.X, acs_synthetic(2, 40).X)
    assert not np.array_equal(few.X, other.X)


def test_persons_out_of_work() -> None:
    """Questions are asked by age, as the census does: no ESR below 16, no MIL below 17, no PINCP below 15."""
    frame = pd.DataFrame(persons("TX", 20_000, 0))
    assert set(TASKS["ACSEmployment"].features) | set(TASKS["ACSIncome"].features) <= set(frame)
    for column, age in (("ESR", 16), ("MIL", 17), ("PINCP", 15), ("DREM", 5), ("SCHL", 3), ("MIG", 1)):
        assert np.array_equal(frame[column].isna(), frame.AGEP.lt(age)), column
    task = TASKS["ACSIncome"].kept({name: frame[name].to_numpy() for name in ("AGEP", "PINCP", "WKHP", "PWGTP")})
    assert task.mean() == pytest.approx(IN_WORK, abs=0.01)
    assert (frame.ESR == 1).mean() == pytest.approx(0.48, abs=0.02)
    assert (frame[frame.AGEP < 17].MAR == 5).all()
    assert set(frame.NATIVITY[frame.POBP >= 100]) == {2}
    assert (frame.DIS[(frame.DEAR == 1) | (frame.DEYE == 1) | (frame.DREM == 1)] == 1).all()
    for column, most in (("ESP", 8), ("CIT", 5), ("MIG", 3), ("MIL", 4), ("ANC", 4), ("DIS", 2), ("ESR", 6)):
        assert frame[column].dropna().isin(range(1, most + 1)).all(), column


def test_files_in_folktables_layout(tmp_path: Path) -> None:
    """One a state, by its FIPS code: whole numbers, empty cells for gaps, all columns of both tasks."""
    files = write_psam(tmp_path, states=("WY", "PR"), rows=300)
    assert [str(file.relative_to(tmp_path)) for file in files] == [f"2018/1-Year/psam_p{code}.csv" for code in (56, 72)]
    frame = pd.read_csv(files[0])
    table = persons("WY", 300, 0)
    for column in {*table}:
        assert np.array_equal(frame[column].to_numpy(float), table[column], equal_nan=True), column
    assert {"RT", "SERIALNO", "ST", "PWGTP"} <= set(frame)
    assert set(frame.RT) == {"P"}
    assert frame.SERIALNO.is_unique
    assert frame.SERIALNO.str.startswith("2018SYNTHETIC").all()
    assert not list(tmp_path.rglob("*.tmp"))
    newer = pd.read_csv(write_psam(tmp_path, states=("WY",), rows=300, year=2019)[0])
    assert "RELP" not in newer
    assert newer.RELSHIPP.isin(range(20, 39)).all()


def test_bad_arguments(tmp_path: Path) -> None:
    """Before anything is drawn or written."""
    with pytest.raises(ValueError, match=r"^acs_synthetic: states must be between 1 and 51, got 52$"):
        acs_synthetic(states=52)
    with pytest.raises(ValueError, match=r"^acs_synthetic: rows must be between 20 and 100000, got 19$"):
        acs_synthetic(rows=19)
    with pytest.raises(ValueError, match=r"^acs_synthetic: task must be one of ACSIncome, ACSEmployment, got 'ACS'$"):
        acs_synthetic(task="ACS")  # type: ignore[arg-type]
    with pytest.raises(KeyError, match=r"states must be two letters of AL, .*, got 'DC'"):
        write_psam(tmp_path, states=("DC",))
    with pytest.raises(ValueError, match=r"^rows must be at least 20, got 3$"):
        write_psam(tmp_path, rows=3)
    with pytest.raises(ValueError, match=r"^year must be between 2017 and 2100, got 2016$"):
        write_psam(tmp_path, year=2016)
    assert not list(tmp_path.iterdir())
