"""Success and defence rates by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustkit.metrics.defence import attack_success_rate, backdoor_success_rate, poisoning_defence


def test_success_counts_only_rows_that_were_right() -> None:
    """Rows 0, 1, 3 were right; the attack turns row 1. Row 2 was wrong before and does not count."""
    assert attack_success_rate([0, 1, 2, 1], [0, 0, 0, 1], [0, 1, 1, 1]) == pytest.approx(1 / 3)
    assert math.isnan(attack_success_rate([0], [0], [1]))


def test_a_backdoor_counts_rows_of_other_classes() -> None:
    """Rows 0, 1, 3 are not of class 2; two of them arrive there."""
    assert backdoor_success_rate([2, 1, 2, 2], [0, 1, 2, 1], target=2) == pytest.approx(2 / 3)
    assert math.isnan(backdoor_success_rate([2, 2], [2, 2], target=2))


def test_defence_by_hand() -> None:
    """(0.6 + 0.3) / 2 of 0.9 is one half; a client without test rows is left out on both sides."""
    assert poisoning_defence([0.6, 0.3], [0.9, 0.9]) == pytest.approx(0.5)
    assert poisoning_defence([0.6, math.nan, 0.3], [0.9, 0.1, 0.9]) == pytest.approx(0.5)
    assert poisoning_defence(0.45, 0.9) == pytest.approx(0.5)
    assert math.isnan(poisoning_defence([0.1], [0.0]))
    assert math.isnan(poisoning_defence([math.nan], 0.5))


@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=8))
def test_no_loss_is_one(values: list[float]) -> None:
    """The ratio of equal arrays, and half of it for half the accuracy."""
    assert poisoning_defence(values, values) == pytest.approx(1)
    assert poisoning_defence(np.array(values) / 2, values) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: attack_success_rate([0], [0, 1], [0]),
            "clean, attacked and y must be vectors of one length, got shapes (1,), (2,) and (1,)",
        ),
        (
            lambda: backdoor_success_rate([0], [0, 1], 0),
            "triggered and y must be vectors of one length, got shapes (1,) and (2,)",
        ),
        (
            lambda: poisoning_defence([0.5, 0.5], [0.5, 0.5, 0.5]),
            "clean must be one number or as many as attacked, got shapes (2,) attacked and (3,) clean",
        ),
        (lambda: poisoning_defence([0.5, 1.5], 0.5), "attacked must lie in 0 … 1, got 0.5 … 1.5"),
    ],
)
def test_bad_input(call: Any, message: str) -> None:
    """One sentence with the thing, the rule and what came."""
    with pytest.raises(ValueError) as error:
        call()
    assert str(error.value) == message
