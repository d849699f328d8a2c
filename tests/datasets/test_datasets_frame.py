"""A user's own table: each rule by hand on a tiny frame, and each error."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustkit.data import Dataset
from trustkit.datasets import from_frame
from trustkit.datasets.rows import coded, hold_out


def people() -> pd.DataFrame:
    """Six persons with a gap in each kind of column; the fifth has no target."""
    return pd.DataFrame(
        {
            "age": [20, 30, np.nan, 50, 99, 60],
            "job": ["baker", None, "cook", "baker", "cook", "cook"],
            "member": [True, False, True, True, False, False],
            "sex": ["f", "m", "f", "m", "f", None],
            "town": ["A", "A", "B", "B", "A", "B"],
            "paid": ["no", "yes", "yes", "no", None, "no"],
        }
    )


def make(df: pd.DataFrame | None = None, **changes: Any) -> Dataset:
    """All six persons as a data set, without test rows."""
    args: dict[str, Any] = {"target": "paid", "sensitive": ["sex"], "client": "town", "test_size": 0.0} | changes
    return from_frame(people() if df is None else df, **args)


def test_category_rule_by_hand() -> None:
    """The fifth row goes; the median of 20, 30, 50, 60 is 40; gaps in text are a value of their own."""
    data = make()
    assert data.columns == ("age", "age is missing", "job=baker", "job=cook", "job=missing", "member=False",
                            "member=True", "sex=f", "sex=m", "sex=missing")  # fmt: skip
    assert data.X.tolist() == [
        [20, 0, 1, 0, 0, 0, 1, 1, 0, 0],
        [30, 0, 0, 0, 1, 1, 0, 0, 1, 0],
        [40, 1, 0, 1, 0, 0, 1, 1, 0, 0],
        [50, 0, 1, 0, 0, 0, 1, 0, 1, 0],
        [60, 0, 0, 1, 0, 1, 0, 0, 0, 1],
    ]
    assert data.y.tolist() == [0, 1, 1, 0, 0]
    assert data.classes == ("no", "yes")
    assert data.sensitive["sex"].tolist() == ["f", "m", "f", "m", "missing"]
    assert data.groups["town"].tolist() == ["A", "A", "B", "B", "B"]
    assert data.notes["missing"] == {"age": 1, "job": 1, "sex": 1, "paid": 1}
    assert data.notes["dropped_rows"] == 1
    assert data.notes["one_hot"] == {
        "job": ("baker", "cook", "missing"),
        "member": ("False", "True"),
        "sex": ("f", "m", "missing"),
    }


def test_drop_rule_by_hand() -> None:
    """Only the first and the fourth row are complete; both say no, so a row with yes is added."""
    more = pd.DataFrame([{"age": 41, "job": "cook", "member": True, "sex": "f", "town": "B", "paid": "yes"}])
    data = make(pd.concat([people(), more]), missing="drop")
    assert data.X[:, 0].tolist() == [20, 50, 41]
    assert data.columns == ("age", "job=baker", "job=cook", "member=True", "sex=f", "sex=m")
    assert data.notes["dropped_rows"] == 4
    assert data.notes["missing"] == {"age": 1, "job": 1, "sex": 1, "paid": 1}


def test_median_is_of_training_rows_only() -> None:
    """Test rows hold a million, training rows 1 … 16 in order: their median 8.5 fills every gap."""
    y = ["a", "b"] * 11
    held = from_frame(pd.DataFrame({"v": range(22), "y": y}), target="y").held_out
    assert 0 < held.sum() < 8
    values = np.full(22, 1e6)
    train = np.flatnonzero(~held)
    values[train[:16]] = np.arange(1, 17)
    values[train[16:]] = np.nan
    values[np.flatnonzero(held)[0]] = np.nan
    data = from_frame(pd.DataFrame({"v": values, "y": y}), target="y")
    assert np.array_equal(data.held_out, held)
    assert set(data.X[data.X[:, 1] == 1, 0].tolist()) == {8.5}
    assert data.X[:, 1].sum() == np.isnan(values).sum()


def test_empty_column_is_left_out_and_noted() -> None:
    """A number that no training row has cannot have a median."""
    data = make(people().assign(empty=np.nan))
    assert data.notes["left_out"] == ("empty",)
    assert data.notes["missing"]["empty"] == 6
    assert data.columns == make().columns


def test_protected_attributes_can_be_kept_from_the_model() -> None:
    """They stay for measurement."""
    data = make(keep_sensitive=False)
    assert not any(column.startswith("sex") for column in data.columns)
    codes, values = data.codes("sex")
    assert values == ("f", "m")
    assert (codes == -1).tolist() == (data.sensitive["sex"] == "missing").tolist()
    assert (codes == -1).sum() == data.notes["missing"]["sex"] == 1


@pytest.mark.parametrize(
    ("target", "classes", "y"),
    [
        ([10, 9, 9, 10], ("9", "10"), [1, 0, 0, 1]),
        ([1.5, 0.0, 1.5, 2.0], ("0", "1.5", "2"), [1, 0, 1, 2]),
        ([True, False, True, True], ("False", "True"), [1, 0, 1, 1]),
        (["b", "a", "10", "9"], ("10", "9", "a", "b"), [3, 2, 0, 1]),
        (pd.Categorical(["low", "high", "low", "high"]), ("high", "low"), [1, 0, 1, 0]),
        (pd.array([2, 1, 2, 1], dtype="Int64"), ("1", "2"), [1, 0, 1, 0]),
    ],
)
def test_classes_are_sorted_as_numbers_or_as_text(target: Any, classes: tuple[str, ...], y: list[int]) -> None:
    """9 comes before 10 as a number and after it as text."""
    data = from_frame(pd.DataFrame({"v": range(4), "t": target}), target="t", test_size=0)
    assert (data.classes, data.y.tolist()) == (classes, y)


def test_numeric_target_with_21_values_is_a_regression() -> None:
    """Twenty are classes still."""
    numbers = np.repeat(np.arange(21) / 2, 5)
    table = pd.DataFrame({"v": numbers // 3, "t": numbers})
    data = from_frame(table, target="t")
    assert data.task == "regression"
    assert np.array_equal(data.y, numbers)
    assert data.held_out.sum() == 21
    twenty = from_frame(table[numbers < 10], target="t")
    assert len(twenty.classes) == 20


def test_positive_class_by_label() -> None:
    """By its text, whatever the type in the table."""
    assert make(positive="no").positive == 0
    assert make().positive == 1
    assert from_frame(pd.DataFrame({"v": [1, 2], "t": [7, 8]}), "t", positive=7, test_size=0).positive == 0
    with pytest.raises(ValueError, match="positive must be one of no, yes, got 'maybe'"):
        make(positive="maybe")


def test_provenance_tells_tables_apart() -> None:
    """The checksum follows values and column names."""
    first = make().provenance
    assert (first.source, first.licence, first.synthetic) == ("data frame", "the user's own", False)
    assert first.sha256 == make().provenance.sha256
    others = [make(people().assign(age=1)), make(people().rename(columns={"age": "years"}))]
    assert len({first.sha256, *(other.provenance.sha256 for other in others)}) == 3


def test_the_users_frame_is_untouched() -> None:
    """Loading changes neither the table nor anything that shares its memory."""
    table = people()
    make(table)
    pd.testing.assert_frame_equal(table, people())


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        (
            {"target": "wage"},
            KeyError,
            "target must name a column of the table, got 'wage'; known are age, job, member",
        ),
        ({"sensitive": ["race"]}, KeyError, "sensitive must name a column .* got 'race'"),
        ({"client": "city"}, KeyError, "client must name a column .* got 'city'"),
        ({"sensitive": ["paid"]}, ValueError, "target must not be a protected attribute .* got 'paid'"),
        ({"client": "paid"}, ValueError, "target must not be a protected attribute or the client column"),
        ({"test_size": 1.0}, ValueError, "test_size must be at least 0 and below 1, got 1.0"),
        ({"missing": "guess"}, ValueError, "missing must be 'category' or 'drop', got 'guess'"),
        ({"df": people().iloc[:0]}, ValueError, "must have rows and columns, got 0 rows and 6 columns"),
        ({"df": people().assign(paid="yes")}, ValueError, "'paid' must have two classes or more, got yes"),
        ({"df": people().assign(paid=None)}, ValueError, "'paid' must have two classes or more, got no row"),
        (
            {"df": people().assign(age=[1, 2, np.inf, 4, 5, 6])},
            ValueError,
            "'age' must be finite, got infinity in 1 rows",
        ),
        (
            {"df": people().assign(day=pd.Timestamp("2020-01-01"))},
            TypeError,
            "'day' must hold text, numbers or booleans",
        ),
        (
            {"df": people().assign(job=pd.Series([[1]] * 6, dtype=object))},
            TypeError,
            "'job' must hold text, numbers or booleans",
        ),
        ({"df": people()[["paid", "town", "sex"]], "keep_sensitive": False}, ValueError, "must have a feature beside"),
        ({"df": people().assign(**{"job=cook": 1})}, ValueError, "features must have different names, got job=cook"),
        (
            {"df": pd.concat([people(), people()[["age"]]], axis=1)},
            ValueError,
            "names must differ, got age more than once",
        ),
    ],
)
def test_errors_name_thing_rule_and_value(changes: dict[str, Any], error: type[Exception], message: str) -> None:
    """What a user typed wrong is answered before any work."""
    with pytest.raises(error, match=message):
        make(**changes)


def test_text_with_51_values_is_refused() -> None:
    """Fifty are fine; the message names the column and the number."""
    rows = pd.DataFrame({"id": [f"p{i}" for i in range(51)], "t": [0, 1, 1] * 17})
    with pytest.raises(ValueError, match="column 'id' must have at most 50 different values, got 51"):
        from_frame(rows, target="t")
    assert from_frame(rows[:50], target="t").X.shape == (50, 50)
    with pytest.raises(ValueError, match="column 'id' must have at most 50"):
        from_frame(rows.rename(columns={"t": "v"}), target="id")


def test_a_list_is_no_table() -> None:
    """Only data frames are taken."""
    table: Any = [[1, 2]]
    with pytest.raises(TypeError, match="must be a pandas data frame, got list"):
        from_frame(table, target="a")


@settings(derandomize=True, max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 40), min_size=1, max_size=6), st.floats(0, 0.9), st.integers(0, 3))
def test_law_of_held_out_rows(sizes: list[int], share: float, seed: int) -> None:
    """The nearest whole number to the share of each class, but one row always stays for training."""
    y = np.repeat(np.arange(len(sizes)), sizes)
    held = hold_out(y, share, "law", seed)
    expected = [min(round(share * size), size - 1) for size in sizes]
    assert np.bincount(y[held], minlength=len(sizes)).tolist() == expected
    assert np.array_equal(held, hold_out(y, share, "law", seed))


def test_held_out_rows_depend_on_seed_and_name() -> None:
    """Two draws of 500 from 1,000 agree by chance with probability below 1e-290."""
    y = np.zeros(1000, int)
    draws = {hold_out(y, 0.5, name, seed).tobytes() for name in "ab" for seed in (0, 1)}
    assert len(draws) == 4


@settings(derandomize=True, max_examples=40, deadline=None)
@given(st.lists(st.one_of(st.none(), st.sampled_from("xyz")), min_size=1, max_size=20))
def test_law_of_coded_values(column: list[str | None]) -> None:
    """Codes read back give the column, with "missing" for None; values are sorted and all occur."""
    codes, values = coded(pd.Series(column, dtype=object))
    assert values[codes].tolist() == ["missing" if value is None else value for value in column]
    assert values.tolist() == sorted(set(values[codes].tolist()))
