"""Goals are decided by what is there, and by nothing else; lessons say what they cannot hold."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import trustkit as tk
from trustkit import use
from trustkit.disparities import disparities_of
from trustkit.findings import COMPARED
from trustkit.lesson import HIDABLE, Checked, Goal, Lesson, Verdict, verdict_of
from trustkit.quantities import QUANTITIES, Seen, quantity_named
from trustkit.rounds import partition_of

ROWS = tk.Experiment("acs_employment", use("dirichlet", parties=3), model="logistic", rounds=1, participation=0.5)
COLUMNS = tk.Experiment("wine", use("correlation", parties=3, beta=0.5), "splitnn", rounds=1)


@pytest.fixture(scope="module")
def seen() -> Seen:
    """A whole result across rows."""
    record = tk.run(ROWS)
    return Seen(ROWS, record, tk.assess(tk.facts_of(record)))


def test_every_quantity_is_read_where_it_says(seen: Seen) -> None:
    """What a run, a split or the controls tell is a number or None, and None without them."""
    for name, quantity in QUANTITIES.items():
        value = quantity.read(seen)
        assert value is None or isinstance(value, float), name
        assert quantity.read(Seen()) is None
        if quantity.source == "run":
            assert quantity.read(Seen(ROWS)) is None
    assert {name for name, q in QUANTITIES.items() if q.source != "run" and q.read(Seen(ROWS)) is not None} == {
        "split.label_skew", "clients", "rounds", "participation",
    }  # fmt: skip


def test_quantities_are_those_of_the_page(seen: Seen) -> None:
    """Read off by the functions that draw the tiles."""
    record, report = seen.record, seen.report
    assert record is not None
    assert report is not None
    head, fair = tk.headline_of(record), tk.fairness_of(record)
    assert fair is not None
    wanted = {
        "accuracy": head.accuracy, "worst_accuracy": head.worst_accuracy, "epsilon": math.inf, "trust": report.score,
        "trust.privacy": report.pillars["privacy"], "fairness.demographic_disparity": fair.worst,
        "fairness.pooled": fair.pooled, "fairness.masking_gap": fair.masking, "fairness.clients_over": fair.over,
        "megabytes": (head.bytes_up + head.bytes_down) / 1e6, "rmse": None, "clients": 3.0, "participation": 0.5,
    }  # fmt: skip
    assert {name: QUANTITIES[name].read(seen) for name in wanted} == wanted
    ratio = disparities_of(record, compared="parity_ratio")
    assert ratio is not None
    assert QUANTITIES["fairness.parity_ratio"].read(seen) == np.nanmin(ratio.gap)
    assert {f"fairness.{name}" for name in COMPARED} <= set(QUANTITIES)


def test_a_split_across_columns_is_read_without_a_run() -> None:
    """β and Icor as the search achieved them; the largest share of importance where the split asks for one."""
    achieved = partition_of(COLUMNS).achieved
    assert QUANTITIES["split.beta"].read(Seen(COLUMNS)) == achieved["beta"]
    assert QUANTITIES["split.icor"].read(Seen(COLUMNS)) == achieved["icor"]
    shares = COLUMNS.change(split=use("importance", parties=3))
    assert QUANTITIES["split.largest_share"].read(Seen(shares)) == max(partition_of(shares).achieved["shares"])


def test_a_regression_has_an_error_and_no_accuracy() -> None:
    """Accuracy is not defined, RMSE is the root of the loss."""
    table = next(name for name in ("diabetes", "year_prediction_msd_synthetic", "msd_synthetic") if name in known())
    record = tk.run(tk.Experiment(table, use("uniform", parties=2), "splitnn", rounds=1))
    found = Seen(record.experiment, record)
    assert math.isnan(QUANTITIES["accuracy"].read(found) or 0.0)
    assert QUANTITIES["rmse"].read(found) == pytest.approx(math.sqrt(float(record.last.loss[0])))
    (check,) = verdict_of([Goal("accuracy", at_least=0.5)], found).checks
    assert (check.met, check.why) == (None, "mean accuracy is not defined here")


def known() -> set[str]:
    """Return the names of all data sets."""
    return set(tk.datasets.names())


@given(st.floats(-10, 10), st.floats(0, 5), st.floats(-20, 20))
def test_a_goal_is_a_closed_range(low: float, wide: float, value: float) -> None:
    """Both ends count; one end alone leaves the other side open."""
    both = Goal("accuracy", at_least=low, at_most=low + wide)
    assert both.holds(value) == (low <= value <= low + wide)
    assert both.holds(low)
    assert Goal("accuracy", at_least=low).holds(math.inf)
    assert Goal("accuracy", at_most=low).holds(value) == (value <= low)


def test_a_result_of_other_controls_decides_nothing(seen: Seen) -> None:
    """Nor does none, nor one that was stopped; a goal on the controls is decided at once."""
    goals = [Goal("accuracy", at_least=0.0), Goal("participation", at_most=0.3)]
    moved = verdict_of(goals, Seen(ROWS.change(participation=0.2), seen.record, seen.report))
    assert [check.met for check in moved.checks] == [None, True]
    assert moved.said == "Not decided yet: the controls have moved since, press Run."
    assert verdict_of(goals[:1], Seen(ROWS)).said == "Not decided yet: nothing has been trained, press Run."
    longer = ROWS.change(rounds=3)
    stopped = tk.RunRecord(longer, list(tk.run(longer))[:2])
    assert verdict_of(goals[:1], Seen(longer, stopped)).said == "Not decided yet: the run is not over, press Run."
    assert [check.met for check in verdict_of(goals, seen).checks] == [True, False]


@pytest.mark.parametrize(
    ("met", "said", "whole"),
    [
        ([True], "Goal reached.", True),
        ([False], "Not reached yet.", False),
        ([True, True], "All 2 goals reached.", True),
        ([True, False], "1 of 2 goals reached so far.", False),
        ([None, False], "0 of 2 goals reached so far.", False),
        ([True, None], "Not decided yet: nothing is measured.", None),
        ([], "Not decided yet: nothing is measured.", None),
    ],
)
def test_a_verdict_in_a_sentence(met: list[bool | None], said: str, whole: bool | None) -> None:
    """All have to be met; one that is missed decides; one that is not known keeps it open."""
    goal = Goal("accuracy", at_least=0.5)
    found = Verdict(tuple(Checked(goal, None, each) for each in met))
    assert (found.said, found.met) == (said, whole)


@pytest.mark.parametrize(
    ("made", "error", "said"),
    [
        (lambda: Goal("luck", at_least=1), KeyError, "there is no quantity 'luck'"),
        (lambda: quantity_named("trust.luck"), KeyError, "no quantity"),
        (lambda: Goal("accuracy"), ValueError, "must say at_least or at_most"),
        (lambda: Goal("accuracy", at_least=True), TypeError, "must be a number, got True"),
        (lambda: Goal("accuracy", at_least=math.nan), ValueError, "must be finite"),
        (lambda: Goal("accuracy", at_most=math.inf), ValueError, "must be finite"),
        (lambda: Goal("accuracy", 1, 0), ValueError, "at_least must not be above at_most, got 1 and 0"),
        (lambda: Lesson("x" * 601), ValueError, "the task must have at most 600 characters, got 601"),
        (lambda: Lesson(hidden=("run",)), KeyError, "'run' cannot be hidden; what can be is axis, "),
        (lambda: Lesson(hidden=("overview-section",)), KeyError, "'overview-section' cannot be hidden; what can be"),
        (lambda: Lesson(hidden=("fairnes-section",)), KeyError,
         "'fairnes-section' cannot be hidden; did you mean 'fairness-section'? what can be is axis, "),
        (lambda: Lesson(hints=("a",) * 7), ValueError, "at most 6 goals and 6 hints, got 0 and 7"),
        (lambda: Lesson(hints=("a" * 301,)), ValueError, "a hint must have at most 300 characters"),
        (lambda: Lesson.from_dict([]), TypeError, "a lesson must be a mapping, got list"),
        (lambda: Lesson.from_dict({"text": ""}), ValueError, "a lesson has no 'text'"),
        (lambda: Lesson.from_dict({"task": 3}), TypeError, "the task must be text, got int"),
        (lambda: Lesson.from_dict({"goals": {}}), TypeError, "goals of a lesson must be a list, got dict"),
        (lambda: Lesson.from_dict({"goals": [3]}), TypeError, "a goal must be a mapping, got int"),
    ],
)  # fmt: skip
def test_what_is_no_lesson_is_said(made: Any, error: type[Exception], said: str) -> None:
    """In one sentence with thing, rule and value."""
    with pytest.raises(error) as raised:
        made()
    assert said in str(raised.value)


def test_a_lesson_comes_back() -> None:
    """What is empty is left out; an empty lesson is none."""
    lesson = Lesson("Do it", tuple(HIDABLE), (Goal("accuracy", 0.8, 0.9), Goal("epsilon", at_most=2)), ("Try.",))
    assert Lesson.from_dict(lesson.to_dict()) == lesson
    assert Lesson().to_dict() == {}
    assert not Lesson()
    assert Goal("accuracy", 0.8, 0.9).said == "mean accuracy at least 0.8 and at most 0.9"
