"""What an audit takes and what it refuses: one sentence, before any model is fitted."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from trustkit.auditing import audit
from trustkit.auditing.table import table_of
from trustkit.data import FederatedDataset
from trustkit.datasets import from_frame, load
from trustkit.partition import Partition

QUICK = ("logistic", "tree")


def people(**columns: Any) -> pd.DataFrame:
    """Make 60 rows with two attributes and two clients."""
    n = np.arange(60)
    base = {"place": n % 2, "sex": n % 3 > 0, "age": n, "paid": n % 5 > 1}
    return pd.DataFrame(base | columns)


BAD: list[tuple[dict[str, Any], str]] = [
    ({"attributes": []}, "attributes must name at least one protected attribute, got none"),
    ({"attributes": None}, "attributes must name at least one protected attribute, got none"),
    ({"attributes": "sex"}, "attributes and leave_out must be lists of names, got one text"),
    ({"attributes": ["sexe"]}, "attributes must be a column's name or index, got 'sexe'; known are place, sex"),
    ({"target": ""}, "target must be a column's name or index, got ''"),
    ({"client": "state"}, "client must be a column's name or index, got 'state'"),
    ({"leave_out": ["x"]}, "leave_out must be a column's name or index, got 'x'"),
    ({"leave_out": ["sex"]}, "leave_out must not name the target, the client column or an attribute, got 'sex'"),
    ({"models": ["logistic"]}, "models must be at least 2, since one alone decides nothing, got 1"),
    ({"models": "logistic"}, "models must be a list of two or more, got 'logistic'"),
    ({"models": ["logistic", "forest"]}, "there is no model 'forest'; known are logistic, xgboost, tree"),
    ({"models": ["tree", "tree"]}, "models must have different names, got tree more than once"),
    ({"models": ["tree", 3]}, "a model must be a name or an estimator with fit and predict, got 3"),
    ({"threshold": 2}, "threshold must be between 0 and 1, got 2"),
    ({"threshold": "high"}, "threshold must be a number, got 'high'"),
    ({"threshold": float("nan")}, "threshold must be between 0 and 1, got nan"),
    ({"repeats": 1.5}, "repeats must be a whole number, got 1.5"),
    ({"min_group": "3"}, "min_group must be a whole number, got '3'"),
    ({"test_size": 1}, "test_size must be strictly between 0 and 1, got 1"),
    ({"repeats": 0}, "repeats must be at least 1, got 0"),
    ({"min_group": -1}, "min_group must be at least 0, got -1"),
    ({"seed": -1}, "seed must be at least 0, got -1"),
    ({"level": "pair"}, "level must be one of attribute, value, got 'pair'"),
    ({"measure": "dd"}, "measure must be one of demographic_disparity, equal_opportunity, .*, got 'dd'"),
    ({"division": "mine"}, "division must be one of protocol, held_out, got 'mine'"),
    ({"division": "held_out"}, "my table must have test rows for division 'held_out', got none"),
    ({"positive": "maybe"}, "positive must be one of False, True, got 'maybe'"),
]  # fmt: skip


@pytest.mark.parametrize(("wrong", "message"), BAD)
def test_bad_arguments(wrong: dict[str, Any], message: str) -> None:
    """Each in one sentence."""
    given = {"models": QUICK, "attributes": ["sex"], "target": "paid", "client": "place"} | wrong
    with pytest.raises((KeyError, TypeError, ValueError)) as error:
        audit(people(), **given)
    assert re.search(message, str(error.value)), error.value
    assert "\n" not in str(error.value)


TABLES: list[tuple[dict[str, Any], str]] = [
    ({"sex": "f"}, "the attribute 'sex' must have two values or more, got f only"),
    ({"sex": None}, "the attribute 'sex' must have two values or more, got no value only"),
    ({"paid": "yes"}, "the target 'paid' must have two classes or more, got yes"),
    ({"paid": np.arange(60) / 7}, "the target must be classes to be audited, got a regression"),
    ({"paid": np.arange(60) % 3}, "positive must name the favourable class of 3, each against all others"),
    ({"sex": [f"s{i}" for i in range(60)]}, "column 'sex' must have at most 50 different values, got 60"),
]


@pytest.mark.parametrize(("columns", "message"), TABLES)
def test_bad_tables(columns: dict[str, Any], message: str) -> None:
    """One value, no value, one class, numbers, three classes, as many groups as rows."""
    with pytest.raises(ValueError, match=message):
        audit(people(**columns), QUICK, ["sex"], target="paid", client="place")


def test_a_page_saved_as_a_table(tmp_path: Path) -> None:
    """What a server sends instead of a file is not read as one."""
    file = tmp_path / "psam_p06.csv"
    file.write_text("\n <!DOCTYPE html><html><head><title>403 Forbidden</title></head></html>", encoding="utf-8")
    with pytest.raises(ValueError, match=f"{re.escape(str(file))} must be a table, got an HTML page"):
        audit(file, QUICK, ["sex"], target="paid")
    with pytest.raises(ValueError, match=r"path must be a table .*, got 'nowhere\.csv'"):
        audit("nowhere.csv", QUICK, ["sex"], target="paid")
    with pytest.raises(TypeError, match="data must be a file, a data frame, a Dataset or a FederatedDataset, got int"):
        audit(3, QUICK, ["sex"], target="paid")


def test_data_sets_that_do_not_fit() -> None:
    """Unknown names, columns instead of rows, several kinds of clients, nothing left to learn from."""
    data = load("acs_employment")
    with pytest.raises(KeyError, match="acs_employment has no protected attribute 'age'; known are sex, race, race5"):
        audit(data, QUICK, ["age"])
    with pytest.raises(KeyError, match="acs_employment has no natural clients 'state'; known are year"):
        audit(data, QUICK, ["sex"], client="state")
    with pytest.raises(KeyError, match="leave_out must name features, got 'MARR'; known are AGEP, SCHL"):
        audit(data, QUICK, ["sex"], leave_out=["MARR"])
    with pytest.raises(ValueError, match="client must say which natural clients are meant, got none; known are "
                                         "occupation, workclass"):  # fmt: skip
        audit(load("adult"), QUICK, ["sex"])
    with pytest.raises(ValueError, match="attributes must name at least one protected attribute of wine, got none"):
        audit(load("wine"), QUICK)
    with pytest.raises(ValueError, match="target is for tables, got 'ESR' with the data set acs_employment"):
        audit(data, QUICK, ["sex"], target="ESR")
    columns = FederatedDataset(data, Partition("columns", np.zeros(len(data.columns), int), 1))
    with pytest.raises(ValueError, match="clients must hold rows to be audited, got a partition of the columns"):
        audit(columns, QUICK, ["sex"])
    with pytest.raises(ValueError, match="acs_employment must have a feature that is no protected attribute, got none"):
        audit(data, QUICK, ["sex"], leave_out=[name for name in data.columns if name != "SEX"])
    with pytest.raises(ValueError, match="division 'held_out' has one set of test rows, got repeats or again"):
        audit(data, QUICK, ["sex"], division="held_out", repeats=2)


def test_a_file_is_read_like_its_frame(tmp_path: Path) -> None:
    """Leftover row numbers are no features, and it is said; without a client column all rows are one client's."""
    file = tmp_path / "people.csv"
    people().to_csv(file, index=True, index_label="Unnamed: 0")
    read = table_of(file, ["sex"], "paid", "", None, (), False)
    assert read.facts["left_out"] == {"sex": "protected attribute", "Unnamed: 0": "row numbers"}
    assert read.facts["features"] == ("place", "age")
    assert read.clients == ("all rows",)
    assert read.name == "people"
    assert len(read.provenance.sha256) == 64
    kept = table_of(file, ["sex"], "paid", "place", None, ("age",), True)
    assert kept.facts["features"] == ("Unnamed: 0",)
    assert kept.clients == ("0", "1")
    np.testing.assert_array_equal(kept.owner, people().place)


def test_rows_of_nobody_are_left_out() -> None:
    """Those whose client is missing, and those that a partition gives nobody."""
    table = people(place=[None, *["a"] * 30, *["b"] * 29])
    read = audit(table, QUICK, ["sex"], target="paid", client="place")
    assert read.rows.tolist() == [30, 29]
    assert read.facts["unowned_rows"] == 1


def test_a_model_that_fails_says_where() -> None:
    """Its own words behind ours."""

    class Broken:
        def fit(self, X: np.ndarray, y: np.ndarray) -> Broken:
            raise ValueError("no such luck")

        def predict(self, X: np.ndarray) -> np.ndarray:
            return X[:, 0]

    with pytest.raises(ValueError, match="the model 'broken' must be able to fit every client, got: no such luck"):
        audit(people(), {"broken": Broken(), "tree": "tree"}, ["sex"], target="paid", client="place")


def test_an_attribute_that_one_client_lacks_is_said_there() -> None:
    """The other one decides the verdict; the reason names the first."""
    n = np.arange(60)
    table = people(tall=n % 4 > 1, sex=np.where(n % 2 == 0, "f", np.where(n % 3 > 0, "f", "m")))
    found = audit(table, QUICK, ["sex", "tall"], target="paid", client="place")
    first, second = found.verdicts()
    assert (first.reason, second.reason) == ("sex: one group only", "")
    assert first.leaning in ("tall", "")
    assert np.isnan(found.gaps("sex").gap[0, 0]).all()
    assert found.frame()["reason"].tolist() == ["sex: one group only", ""]


def test_rows_without_an_attribute_are_in_no_group() -> None:
    """Missing in a frame, or called so by a loader: the same audit, and the number of rows is told."""
    n = np.arange(60)
    holes = people(sex=[None if i % 5 == 0 else "f" if i % 3 else "m" for i in n], age=n % 7)
    found = audit(holes, QUICK, ["sex"], target="paid", client="place")
    assert found.attributes["sex"] == ("f", "m")
    assert found.missing["sex"].tolist() == found.frame()["sex missing"].tolist() == [6, 6]
    data = from_frame(holes, "paid", ["sex"], "place", "my table", test_size=0.0, keep_sensitive=False)
    again = audit(data, QUICK, ["sex"])
    np.testing.assert_array_equal(found.counts["sex"], again.counts["sex"])
