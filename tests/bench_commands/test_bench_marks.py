"""The rules that mark a printed number, on hand-made numbers and on the paper's."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustkit.bench.marks import CONSISTENT, CONTRADICTED, REPRODUCED, Reading, Span, judge, readings
from trustkit.bench.printed import FIGURES, PRINTED, STATED, Stated
from trustkit.trust.profiles import PROFILES

SMALL = Stated("made up", "FEMNIST", 10, 0.5, 5, "fedavg")


def _reading(low: float, high: float, settled: bool) -> Reading:
    span = Span(low, high, settled)
    return Reading("a rule", span, span if settled else None, "if something is 0.10")


@pytest.mark.parametrize(
    ("value", "found", "ours", "own", "mark", "reason"),
    [
        (0.36, [_reading(0.396, 0.414, True)], None, False, CONTRADICTED, "A rule gives 0.40 to 0.41."),
        (0.41, [_reading(0.4076, 0.4124, True)], None, False, REPRODUCED, "A rule gives 0.41."),
        (0.405, [_reading(0.41, 0.41, True)], None, False, REPRODUCED, "A rule gives 0.41."),  # half a digit away
        (0.40, [_reading(0.41, 0.41, True)], None, False, CONTRADICTED, "A rule gives 0.41."),
        (0.36, [_reading(0, 0.4, False)], None, False, CONSISTENT, "A rule can give it if something is 0.10."),
        (0.46, [_reading(0, 0.4, False)], None, False, CONTRADICTED, "A rule gives 0.00 to 0.40."),
        (0.36, [_reading(0.4, 0.4, True), _reading(0.36, 0.36, True)], None, False, REPRODUCED, "A rule gives 0.36."),
        (0.1, [_reading(0.4, 0.4, True), _reading(0.2, 0.2, True)], None, False, CONTRADICTED,
         "A rule gives 0.40, a rule 0.20."),
        (0.96, [], 0.956, True, REPRODUCED, "Our run on the paper's data scores 0.96."),
        (0.96, [], 0.94, True, CONSISTENT, "Nothing in print determines it: it depends on the data and on training."),
        (0.96, [], 0.96, False, CONSISTENT, "Nothing in print determines it: it depends on the data and on training."),
        (0.96, [], None, True, CONSISTENT, "Nothing in print determines it: it depends on the data and on training."),
    ],
)  # fmt: skip
def test_a_mark(value: float, found: list[Reading], ours: float | None, own: bool, mark: str, reason: str) -> None:
    """By hand: the printed number is known to ±0.005; stand-in data never reproduce what data determine."""
    assert judge(value, found, ours, own) == (mark, reason)


def _possible(part: str, printed: dict[str, float], stated: Stated = SMALL) -> list[tuple[float, float]]:
    return [(round(each.possible.low, 4), round(each.possible.high, 4)) for each in readings(part, stated, printed)]


def test_means_of_intervals() -> None:
    """Robustness: CLEVER 0.48 ± 0.005, accuracy 0.96 ± 0.005, no personalisation, 0.2 ± 0.005 for ten clients.

    Flat: (0.48 + 0.96 + 0 + 0.2) / 4 = 0.41 ± 0.00375. By notions: (0.48 + (0.96 + 0)/2 + 0.2) / 3 = 0.38667 ± 0.00417.
    """
    printed = {"certified_robustness": 0.48, "performance": 0.96, "federation_scale": 0.2}
    assert _possible("robustness", printed) == [(0.4062, 0.4138), (0.3825, 0.3908)]
    assert all(each.settled for each in readings("robustness", SMALL, printed))


def test_what_is_open_runs_from_0_to_1() -> None:
    """Without accuracy: (0.48 + [0, 1] + 0 + 0.2) / 4, and 0.36 needs 4 · 0.36 − 0.68 = 0.76 ± 0.03 of it."""
    printed = {"certified_robustness": 0.48, "federation_scale": 0.2, "robustness": 0.36}
    flat, nested = readings("robustness", SMALL, printed)
    assert flat.possible.low == pytest.approx(0.67 / 4)
    assert flat.possible.high == pytest.approx(1.69 / 4)
    assert flat.settled is None
    assert nested.settled is None
    assert flat.needs == "if Performance is 0.73 to 0.79"


@pytest.mark.parametrize(("number", "score"), [(1, 0.0), (2, 0.0), (3, 0.1970428), (4, 0.0), (5, 0.1277993)])
def test_global_privacy_risk(number: int, score: float) -> None:
    """1 − 1/(1 + (n − 1) e^−ε), as computed by hand for all five; 0 without a mechanism."""
    (found,) = readings("global_privacy_risk", STATED[number], {})
    assert found.possible.low == pytest.approx(score, abs=1.5e-7)
    assert found.settled == found.possible


def test_random_selection() -> None:
    """E[CV²] of choosing q of K clients T times is (1 − q)/(qT): 1 − √(0.4/(0.6 · 25)) = 0.837 is in the middle."""
    (found,) = readings("selection_variation", STATED[2], {})
    assert found.settled is not None
    assert found.possible.low < found.settled.low < 1 - math.sqrt(0.4 / 15) < found.settled.high < found.possible.high
    (few,) = readings("selection_variation", STATED[1], {})
    assert 0.15 < few.possible.low < 0.26  # the paper prints 0.08
    assert readings("selection_variation", STATED[4], {}) == ()  # no number of rounds is stated


def test_selection_of_everybody() -> None:
    """Nothing varies."""
    (found,) = readings("selection_variation", Stated("", "", 4, 1.0, 3, "fedavg"), {})
    assert (found.possible, found.settled) == (Span(1.0, 1.0), Span(1.0, 1.0))


@pytest.mark.parametrize(("clients", "score"), [(9, 0.0), (10, 0.0), (50, 0.2), (100, 0.2), (101, 0.4)])
def test_table_3_of_federation_scale(clients: int, score: float) -> None:
    """Edges 10, 100, … with scores 0, 0.2, …: an edge belongs to the step below."""
    (found,) = readings("federation_scale", Stated("", "", clients, 0.5, 5, "fedavg"), {})
    assert found.possible == Span(score, score)


def test_model_size() -> None:
    """115·50 + 50 + 50·50 + 50 + 50·2 + 2 = 8,452 parameters: below 10,000, so 0.4 falling; 29,002: 0.3."""
    for number, count, score in ((4, "8,452", 0.4), (5, "29,002", 0.3)):
        (found,) = readings("model_size", STATED[number], {})
        assert count in found.rule
        assert found.possible == Span(score, score)


def test_trust_needs_accountability() -> None:
    """(0.31 + 0.31 + 0.49 + 0.55 + 0.92 + (1/3 + 4)/5) / 6 = 0.5744; with 0.8 it is 0.5633."""
    found = readings("trust", STATED[4], PRINTED[4])
    middles = [(each.possible.low + each.possible.high) / 2 for each in found]
    assert middles == pytest.approx([0.56333, 0.57444, 0.58079], abs=1e-5)


def test_federation_of_the_median_is_open() -> None:
    """Table 3 has no value for it: (1 + [0.8477, 0.8765]) / 2."""
    assert _possible("federation", {}, STATED[5]) == [(0.9239, 0.9383)]
    (found,) = readings("federation", STATED[5], PRINTED[5])
    assert found.settled is None
    assert found.needs == "if Aggregation Algorithm is 0.87 to 0.89"


EXPECTED = {
    REPRODUCED: {(1, "trust"), (1, "global_privacy_risk"), (2, "global_privacy_risk"), (2, "robustness"),
                 (2, "federation_scale"), (2, "selection_variation"), (4, "trust"), (4, "global_privacy_risk"),
                 (4, "robustness"), (4, "federation"), (5, "trust"), (5, "robustness")},
    CONTRADICTED: {(1, "robustness"), (1, "federation_scale"), (1, "selection_variation"), (2, "trust"),
                   (3, "federation_scale"), (4, "model_size"), (5, "model_size"), (5, "global_privacy_risk")},
}  # fmt: skip


def test_the_papers_numbers() -> None:
    """What an earlier recalculation by hand found, number by number; everything else is consistent."""
    marks = {(number, part): judge(value, readings(part, STATED[number], printed))[0]
             for number, printed in PRINTED.items() for part, value in printed.items()}  # fmt: skip
    for mark, parts in EXPECTED.items():
        assert {key for key, got in marks.items() if got == mark} == parts
    assert sum(mark == CONSISTENT for mark in marks.values()) == len(marks) - 20 == 30


def test_tables_fit_together() -> None:
    """Every printed number is of something that profile "paper" scores, and in [0, 1]; every experiment is drawn."""
    taxonomy = PROFILES["paper"].taxonomy
    known = {"trust", *taxonomy.pillars, *taxonomy.metrics}
    assert set(PRINTED) == set(STATED) == {n for numbers in FIGURES.values() for n in numbers}
    assert all(set(printed) <= known for printed in PRINTED.values())
    assert all(0 <= value <= 1 for printed in PRINTED.values() for value in printed.values())


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.floats(0, 0.3))
def test_wider_readings_contradict_less(value: float, a: float, b: float, more: float) -> None:
    """What a reading allows, a wider one allows."""
    low, high = sorted((a, b))
    narrow, wide = (judge(value, [Reading("r", Span(low - d, high + d, False))])[0] for d in (0.0, more))
    assert (narrow, wide) != (CONSISTENT, CONTRADICTED)
