"""Small multiples: one scale where measures can be compared, measured numbers in words, no mark where there is none."""

from __future__ import annotations

import math
from typing import Any

import pytest

from trustkit import plot
from trustkit.plot import style
from trustkit.sidebyside import Measured

MEASURES = (
    Measured("accuracy", (0.8, 0.0, None), (0.8, 0.0, None)),
    Measured("fairness.pooled", (0.25, math.nan, 0.5), (0.75, math.nan, 0.5)),
    Measured("epsilon", (4.0, math.inf, 8.0), (1.0, 0.0, 0.5)),
)
RUNS = ("now (run 3)", "baseline (run 1)", "run 2")


def panels(figure: Any) -> list[dict[str, Any]]:
    """The artists of each small picture."""
    return list(style._ARTISTS[figure]["panels"])


def test_scales_titles_and_numbers() -> None:
    """From 0 to 1 for what lies there, from 0 to the largest finite value else; the arrow points to the better side."""
    accuracy, pooled, epsilon = panels(plot.run_multiples(MEASURES, RUNS, RUNS[1]))
    assert accuracy["axes"].get_xlim() == pooled["axes"].get_xlim() == (0, 1)
    assert epsilon["axes"].get_xlim() == (0, 8)
    titles = [each["title"].get_text() for each in (accuracy, pooled, epsilon)]
    assert titles == ["accuracy →", "DD, pooled ←", "ε spent ←"]
    assert [word.get_text() for word in accuracy["words"]] == ["0.800", "0.000", "–"]
    assert [word.get_text() for word in pooled["words"]] == ["0.250", "n/a", "0.500"]
    assert [word.get_text() for word in epsilon["words"]] == ["4", "∞", "8"]
    assert [len(dot.get_xdata()) for dot in accuracy["dots"]] == [1, 1, 0]  # a measured zero has a mark, unknown none
    assert [len(dot.get_xdata()) for dot in pooled["dots"]] == [1, 0, 1]
    assert [len(dot.get_xdata()) for dot in epsilon["dots"]] == [1, 0, 1]


def test_on_one_scale_the_numbers_stay() -> None:
    """Marks move to where more is better, and the title says how; words beside them are the measured values still."""
    figure = plot.run_multiples(MEASURES, RUNS, RUNS[1])
    before = [[word.get_text() for word in each["words"]] for each in panels(figure)]
    again = plot.run_multiples(MEASURES, RUNS, RUNS[1], scaled=True, figure=figure)
    assert again is figure
    assert [[word.get_text() for word in each["words"]] for each in panels(figure)] == before
    titles = [each["title"].get_text() for each in panels(figure)]
    assert titles == ["accuracy →", "1 − DD, pooled →", "min ÷ ε spent →"]
    assert {each["axes"].get_xlim() for each in panels(figure)} == {(0, 1)}
    assert [list(dot.get_xdata()) for dot in panels(figure)[2]["dots"]] == [[1.0], [0.0], [0.5]]


def test_runs_differ_by_more_than_colour() -> None:
    """Each has a mark of its own, the baseline a stroke; names stand once a line of pictures, long ones are cut."""
    shown = panels(plot.run_multiples(MEASURES, (*RUNS[:2], "a run with a very long name"), RUNS[1], across=2))
    assert len({dot.get_marker() for dot in shown[0]["dots"]}) == 3
    assert shown[0]["dots"][1].get_marker() == "|"
    assert [len(each["names"]) for each in shown] == [3, 0, 3]
    assert shown[2]["names"][2].get_text() == "a run with a very long …"


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (((), RUNS), "measures must be at least one, got none"),
        ((MEASURES, ()), "runs must be 1 to 9, got 0"),
        ((MEASURES, "0123456789"), "runs must be 1 to 9, got 10"),
        ((MEASURES, RUNS[:2]), "accuracy must have a value for each of 2 runs, got 3"),
        ((MEASURES, RUNS, "", False, 0), "across must be at least 1, got 0"),
    ],
)
def test_what_does_not_fit_is_refused(given: tuple[Any, ...], complaint: str) -> None:
    """In one sentence."""
    with pytest.raises(ValueError, match=complaint):
        plot.run_multiples(*given)
