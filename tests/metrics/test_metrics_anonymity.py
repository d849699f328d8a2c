"""Anonymity: tables by hand, and plain loops as an oracle."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustkit.metrics.anonymity import equivalence_classes, k_anonymity, l_diversity

ZIP = ["130**", "130**", "130**", "148**", "148**", "148**", "148**", "130**"]
AGE = ["<30", "<30", "<30", ">40", ">40", ">40", ">40", "3*"]
WRONG: Any = "other"
ILL = ["heart", "heart", "flu", "cancer", "cancer", "cancer", "flu", "flu"]


def test_a_table_by_hand() -> None:
    """Groups of 3, 4 and 1; without the last row k = 3. Values by group: 2, 2 (and 1).

    Entropy of (2/3, 1/3): exp(0.6365) = 1.89; of (3/4, 1/4): exp(0.5623) = 1.755, the smallest without the last row.
    """
    assert equivalence_classes([ZIP, AGE]).tolist() == [1, 1, 1, 2, 2, 2, 2, 0]
    assert k_anonymity([ZIP, AGE]) == 1
    assert k_anonymity([ZIP[:7], AGE[:7]]) == 3
    assert l_diversity([ZIP, AGE], ILL) == 1
    assert l_diversity([ZIP[:7], AGE[:7]], ILL[:7]) == 2
    want = math.exp(-(0.75 * math.log(0.75) + 0.25 * math.log(0.25)))
    assert l_diversity([ZIP[:7], AGE[:7]], ILL[:7], kind="entropy") == pytest.approx(want)
    assert l_diversity([ZIP, AGE], ILL, kind="entropy") == 1


TABLES = st.lists(st.tuples(st.integers(0, 2), st.integers(-1, 1), st.integers(0, 3)), min_size=1, max_size=30)


@given(TABLES)
def test_plain_loops_agree(table: list[tuple[int, int, int]]) -> None:
    """Counting with dictionaries; entropy l never exceeds distinct l; one column fewer never lowers k."""
    groups: dict[Any, list[int]] = defaultdict(list)
    for a, b, value in table:
        groups[a, b].append(value)
    rows = np.array(table)
    assert k_anonymity(rows[:, :2]) == min(map(len, groups.values()))
    distinct = min(len(set(values)) for values in groups.values())
    assert l_diversity(rows[:, :2], rows[:, 2]) == distinct
    effective = []
    for values in groups.values():
        shares = [count / len(values) for count in Counter(values).values()]
        effective.append(math.exp(-sum(p * math.log(p) for p in shares)))
    assert l_diversity(rows[:, :2], rows[:, 2], kind="entropy") == pytest.approx(min(effective))
    assert min(effective) <= distinct + 1e-9
    assert k_anonymity(rows[:, :1]) >= k_anonymity(rows[:, :2])


def test_missing_values_are_one_value() -> None:
    """NaN among numbers, None and NaN among objects."""
    assert equivalence_classes([[1.0, math.nan, math.nan, 1.0]]).tolist() == [0, 1, 1, 0]
    mixed = np.array(["a", None, math.nan, 3, "a"], dtype=object)
    assert equivalence_classes([mixed]).tolist() == [0, 1, 1, 2, 0]


def test_many_columns_do_not_overflow() -> None:
    """Forty columns with 100 values each have 10⁸⁰ combinations; twins stay twins."""
    half = np.arange(4000).reshape(100, 40)
    assert k_anonymity(np.vstack([half, half])) == 2


def test_an_empty_table_has_none() -> None:
    """Nobody is in it."""
    assert math.isnan(k_anonymity(np.zeros((0, 2))))
    assert math.isnan(l_diversity(np.zeros((0, 2)), np.zeros(0)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: k_anonymity([]), "quasi must be columns of one length, got shapes []"),
        (lambda: k_anonymity([[1], [1, 2]]), "quasi must be columns of one length, got shapes [(1,), (2,)]"),
        (lambda: l_diversity([[1, 2]], [1]), "sensitive must have one value for each of the 2 rows, got 1"),
        (lambda: l_diversity([[1]], [1], kind=WRONG), "kind must be 'distinct' or 'entropy', got 'other'"),
    ],
)
def test_bad_input(call: Any, message: str) -> None:
    """One sentence with the thing, the rule and what came."""
    with pytest.raises(ValueError) as error:
        call()
    assert str(error.value) == message
