"""Census codes: recodings, filters, gaps, labels; one-hot columns and test rows of every client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustkit.data import Dataset, Provenance
from trustkit.datasets.acs import RELP_OF, STATES, TASKS, VALUES, census, married, people, races, shown

INCOME = TASKS["ACSIncome"]
CODES = st.lists(st.integers(1, 9), min_size=1).map(np.array)


def made(table: Mapping[str, np.ndarray], **more: Any) -> Dataset:
    """Make a data set of a table that has all columns of ACSIncome."""
    wanted: dict[str, Any] = {"values": (9, 5), "keep_sensitive": True, "one_hot": (), "test_size": 0.2, "seed": 0}
    groups = {"state": np.where(np.arange(table["y"].size) % 2, "AL", "AK")}
    return people("test", table, INCOME.features, INCOME.classes, Provenance("made up", "none"), groups=groups,
                  notes={}, **(wanted | more))  # fmt: skip


def table(rows: int = 40) -> dict[str, np.ndarray]:
    """Rows with every value of the protected attributes."""
    at = np.arange(rows)
    codes = {"AGEP": 17 + at, "COW": 1 + at % 8, "SCHL": 1 + at % 24, "MAR": 1 + at % 5, "OCCP": 10 + at, "POBP": at,
             "RELP": at % 18, "WKHP": 1 + at, "SEX": 1 + at % 2, "RAC1P": 1 + at % 9}  # fmt: skip
    return {name: column.astype(float) for name, column in codes.items()} | {"y": (at % 4 == 0).astype(int)}


def test_states_are_those_of_the_releases() -> None:
    """51 different codes in the census's order, with Puerto Rico and without DC (11)."""
    assert len(STATES) == 51
    assert list(STATES.values()) == sorted(set(STATES.values()))
    assert STATES["CA"] == 6
    assert STATES["PR"] == 72
    assert 11 not in STATES.values()


def test_races_by_hand() -> None:
    """All at once: raw Asian (6) becomes 3, and raw American Indian (3), Alaska Native (4) and tribes (5) become 4."""
    raw = np.arange(1.0, 10.0)
    assert races(raw, 5).tolist() == [1, 2, 4, 4, 4, 3, 5, 5, 5]
    assert races(raw, 2).tolist() == [1, 2, 2, 2, 2, 2, 2, 2, 2]
    assert races(raw, 9).tolist() == list(range(1, 10))
    assert married(np.arange(1.0, 6.0)).tolist() == [1, 2, 2, 2, 2]


@given(CODES)
def test_two_races_follow_from_five(codes: np.ndarray) -> None:
    """White stays White, whichever way it is recoded."""
    assert np.array_equal(races(races(codes, 5), 2), races(codes, 2))
    assert np.array_equal(races(races(codes, 2), 2), races(codes, 2))


@given(CODES)
def test_text_sorts_as_codes_do(codes: np.ndarray) -> None:
    """So that strata and ties come in the census's order."""
    text = shown(codes, VALUES["RAC1P"])
    assert np.array_equal(np.unique(text, return_inverse=True)[1], np.unique(codes, return_inverse=True)[1])
    assert [int(label.split()[0]) for label in text] == codes.tolist()


def test_a_code_without_a_meaning_says_so() -> None:
    """It is no group of the census."""
    assert shown(np.array([1.0, 7.0]), VALUES["SEX"]).tolist() == ["1 male", "? 7"]


def test_relationships_of_both_codes() -> None:
    """RELSHIPP 20 … 38 is mapped one by one; both kinds of spouse are spouses, both kinds of partner partners."""
    assert sorted(RELP_OF) == list(range(20, 39))
    assert RELP_OF[21] == RELP_OF[23] == 1
    assert RELP_OF[22] == RELP_OF[24] == 13
    assert set(RELP_OF.values()) == set(range(18)) - {11}


def test_the_filter_and_the_gaps() -> None:
    """By hand: over 16, over 100 dollars, some hours, some weight; then NaN is 0, as numpy.nan_to_num(x, -1) has it."""
    rows = {"AGEP": [17, 16, 40, 40, 40, 40], "PINCP": [101, 5e4, 100, 50_001, 5e4, np.nan],
            "WKHP": [1, 40, 40, 40, np.nan, 40], "COW": [np.nan, 1, 1, 1, 1, 1]}  # fmt: skip
    whole = {name: np.array(rows.get(name, [1] * 6), float) for name in (*INCOME.features, *INCOME.others)}
    kept, filled = census(whole, "ACSIncome")
    assert kept["AGEP"].tolist() == [17, 40]
    assert kept["y"].tolist() == [0, 1]
    assert kept["COW"].tolist() == np.nan_to_num(np.array([np.nan, 1.0]), -1).tolist()  # type: ignore[call-overload]
    assert filled == {"COW": 1}


def test_everybody_is_in_the_task_of_employment() -> None:
    """Children too: their ESR is not asked, so they are not employed."""
    task = TASKS["ACSEmployment"]
    whole = {name: np.ones(3) for name in (*task.features, *task.others)} | {"ESR": np.array([1, np.nan, 6])}
    assert census(whole, "ACSEmployment")[0]["y"].tolist() == [1, 0, 0]


def test_a_data_set_by_hand() -> None:
    """Codes as they are, labels with meaning, a fifth of both classes of each state held out, nothing writeable."""
    rows = table()
    data = made(rows)
    assert data.columns == INCOME.features
    assert np.array_equal(data.X, np.column_stack([rows[name] for name in INCOME.features]))
    assert data.X.dtype == np.float64
    assert data.sensitive["SEX"][:2].tolist() == ["1 male", "2 female"]
    assert data.codes("RAC1P")[1] == ("1 White", "2 Black", "3 American Indian", "4 Alaska Native", "5 other AIAN",
                                      "6 Asian", "7 Pacific", "8 other", "9 two or more")  # fmt: skip
    for state in ("AL", "AK"):
        for label in {*data.y[data.groups["state"] == state].tolist()}:
            where = (data.groups["state"] == state) & (data.y == label)
            assert data.held_out[where].sum() == round(0.2 * where.sum())
    with pytest.raises(ValueError, match="read-only"):
        data.X[0, 0] = 1


def test_one_hot_codes_and_hidden_attributes() -> None:
    """Codes that occur become columns; the protected attributes are no features; origin says what is what."""
    rows = table()
    data = made(rows, one_hot=("COW",), keep_sensitive=False)
    assert data.columns[:10] == ("AGEP", *(f"COW={code}" for code in range(1, 9)), "SCHL")
    assert np.array_equal(data.X[:, 1:9], np.eye(8)[rows["COW"].astype(int) - 1])
    assert data.notes["origin"][:10] == ("AGEP", *["COW"] * 8, "SCHL")
    assert not {"SEX", "RAC1P", "MAR"} & set(data.columns)
    assert set(data.sensitive) == {"SEX", "RAC1P", "MAR"}
    with pytest.raises(ValueError, match=r"^one_hot must name features, got 'SEX'; known are AGEP, COW, SCHL, OCCP"):
        made(rows, one_hot=("SEX",), keep_sensitive=False)
