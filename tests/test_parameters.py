"""Parameters read off a signature: what they accept, what they turn it into, and what they say."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustkit.parameters import Interval, Parameter, parameters_of, spelt


def _entry(
    data: object,
    parties: Annotated[int, Interval(2, 100), "how many"] = 10,
    alpha: Annotated[float, Interval(0.01, 100, log=True), "skew"] = 0.5,
    hidden: Annotated[tuple[int, ...], Interval(1, 4096)] = (64,),
    sizes: int | tuple[int, ...] = 4,
    definition: Literal["paper", "package"] = "paper",
    group: str = "",
    exact: bool = False,
    noise: Annotated[float | None, Interval(0, math.inf)] = None,
    seed: int = 0,
) -> None:
    """Take one parameter of every kind."""


P = {parameter.name: parameter for parameter in parameters_of(_entry)}


def test_parameters_are_those_with_a_default_but_the_seed() -> None:
    """In the order of the signature."""
    assert list(P) == ["parties", "alpha", "hidden", "sizes", "definition", "group", "exact", "noise"]


def test_what_is_read() -> None:
    """Type, default, range, choices and the line of text."""
    assert P["alpha"] == Parameter("alpha", float, 0.5, Interval(0.01, 100, log=True), None, "skew")
    assert P["definition"].choices == ("paper", "package")
    assert P["group"].interval is None
    assert P["group"].about == ""
    assert [name for name, p in P.items() if p.optional] == ["noise"]


def test_a_function_without_annotations() -> None:
    """Its parameters are text."""

    def plain(x="a"):  # type: ignore[no-untyped-def]
        return x

    assert parameters_of(plain)[0].check("b") == "b"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (".5", 0.5), ("-.5", -0.5), ("+.5", 0.5), ("5.", 5.0), ("+3", 3), (".5e1", 5.0), ("0.5", 0.5), ("1e-3", 1e-3),
        (".5,1", [0.5, 1]), ("[.5, 2.]", [0.5, 2.0]), ("8,4,4", [8, 4, 4]), ("[.5]", [0.5]), ("true", True),
        ("007", "007"), ("1_0", "1_0"), (".", "."), ("a,.5", "a,.5"), ("1.2.3", "1.2.3"), ("fedavg", "fedavg"),
        ("", ""), ('"a,b",1', ["a,b", 1]), ("٣", "٣"),
    ],
)  # fmt: skip
def test_what_a_text_stands_for(text: str, value: Any) -> None:
    """Numbers as people write them, with their type; whatever is none of them stays text."""
    assert spelt(text) == value
    assert type(spelt(text)) is type(value)


@pytest.mark.parametrize(
    ("name", "given_", "kept"),
    [
        ("parties", 7, 7), ("parties", 7.0, 7), ("parties", np.int32(7), 7), ("parties", np.float64(7), 7),
        ("alpha", 1, 1.0), ("alpha", np.float32(0.5), 0.5), ("alpha", np.array(0.5), 0.5), ("alpha", np.int64(2), 2.0),
        ("hidden", [8, 4.0], (8, 4)), ("hidden", (), ()), ("sizes", 3, 3), ("sizes", [3, 4], (3, 4)),
        ("definition", "package", "package"), ("group", "state", "state"), ("exact", True, True),
        ("exact", np.bool_(True), True), ("noise", None, None), ("noise", 2, 2.0), ("noise", math.inf, math.inf),
    ],
)  # fmt: skip
def test_what_is_accepted_and_what_it_becomes(name: str, given_: Any, kept: Any) -> None:
    """Conversions that lose nothing; the type is the declared one, so that equal meanings become equal values."""
    got = P[name].check(given_)
    assert got == kept
    assert type(got) is type(kept)


@pytest.mark.parametrize(
    ("name", "value", "error", "text"),
    [
        ("parties", 1, ValueError, "parties must be between 2 and 100, got 1"),
        ("parties", 101, ValueError, "parties must be between 2 and 100, got 101"),
        ("parties", 2.5, TypeError, "parties must be a whole number, got 2.5"),
        ("parties", True, TypeError, "parties must be a whole number, got True"),
        ("parties", "many", TypeError, "parties must be a whole number, got 'many'"),
        ("parties", None, TypeError, "parties must be given, got None"),
        ("parties", [1, 2], TypeError, "parties must be a whole number, got [1, 2]"),
        ("alpha", math.nan, ValueError, "alpha must be between 0.01 and 100, got nan"),
        ("alpha", 0, ValueError, "alpha must be between 0.01 and 100, got 0.0"),
        ("hidden", [8, 0], ValueError, "hidden must be between 1 and 4096, got 0"),
        ("hidden", [8, "x"], TypeError, "hidden must be a whole number, got 'x'"),
        ("definition", "ours", ValueError, "definition must be one of paper, package, got 'ours'"),
        ("group", 3, TypeError, "group must be text, got 3"),
        ("exact", 1, TypeError, "exact must be true or false, got 1"),
        ("noise", -1, ValueError, "noise must be at least 0, got -1.0"),
        ("noise", "none", TypeError, "noise must be a number or nothing, got 'none'"),
    ],
)
def test_what_is_refused_and_how(name: str, value: Any, error: type[Exception], text: str) -> None:
    """The message names the parameter, the rule and the value."""
    with pytest.raises(error) as caught:
        P[name].check(value)
    assert str(caught.value) == text


@given(st.floats(), st.floats(), st.floats())
def test_an_interval_has_both_its_ends(low: float, high: float, value: float) -> None:
    """And never NaN."""
    assert (value in Interval(low, high)) == (low <= value <= high)
    assert math.nan not in Interval(low, high)
    assert low in Interval(low, math.inf) or math.isnan(low)


@given(st.sampled_from(sorted(P)), st.integers(-3, 5000) | st.floats() | st.booleans() | st.text(max_size=3))
def test_checking_twice_is_checking_once(name: str, value: Any) -> None:
    """What a check returns passes it, unchanged."""
    try:
        once = P[name].check(value)
    except (TypeError, ValueError):
        return
    twice = P[name].check(once)
    assert twice == once
    assert type(twice) is type(once)
