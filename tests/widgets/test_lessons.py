"""A lesson on the page: goals follow the controls and the runs, hints come one by one, the form makes the link."""

from __future__ import annotations

from typing import Any

import ipywidgets as w
import pytest
from trustkit.widgets import Lab, app, opening
from trustkit.widgets.header import Header
from trustkit.widgets.lessonform import LessonForm
from trustkit.widgets.lessons import arrival, judged, lesson_card
from trustkit.widgets.links import landed, token_of
from trustkit.widgets.player import measure

import trustkit as tk
from tests.widgets.labs import PLAIN, setting_of, tree
from trustkit.lesson import Goal, Lesson

LESSON = Lesson("Fewer <clients>", ("alpha",), (Goal("clients", at_most=2), Goal("accuracy", at_least=0.1)), ("A", "B"))


def taught(lesson: Lesson = LESSON) -> Any:
    """Open a lab on a run, with a lesson."""
    lab = Lab(setting_of(PLAIN), measure(tk.run(PLAIN)))
    lab.lesson = lesson
    return lab


def view(box: w.Widget, name: str) -> str:
    """Return the HTML of one view of a card."""
    return next(str(each.value) for each in tree(box) if f"tk-v-{name}" in getattr(each, "_dom_classes", ()))


def test_the_verdict_follows() -> None:
    """A goal on the split at once, a goal on the result after a run; the words are read out when they change."""
    lab = taught()
    card = lesson_card(lab)
    assert "Fewer &lt;clients&gt;" in tree(card)[1].value
    assert 'role="status" aria-live="polite">1 of 2 goals reached so far.' in view(card, "verdict")
    assert "not reached · now 3<" in view(card, "goals")
    lab.change(clients=2)
    assert "Not decided yet: the controls have moved since, press Run." in view(card, "verdict")
    assert "not known yet" in view(card, "goals")
    lab.run(wait=True)
    assert "All 2 goals reached." in view(card, "verdict")
    lab.undo()
    assert "1 of 2 goals reached so far." in view(card, "verdict")


def test_nothing_is_decided_where_there_is_no_experiment() -> None:
    """The red card says why."""
    lab = taught()
    lab.change(clients=100, rows_split="shards", more={"split__shards_per_party": 20})
    if lab.experiment is None:
        assert judged(lab) is None


def test_hints_come_one_by_one() -> None:
    """Until there are no more."""
    card = lesson_card(taught())
    button = next(each for each in tree(card) if isinstance(each, w.Button))
    assert button.description == "Hint 1 of 2"
    button.click()
    hints = tree(card)[-1].value
    assert "<li>A</li></ol>" in hints
    assert 'aria-live="polite"' in hints
    assert not button.disabled
    button.click()
    assert "<li>A</li><li>B</li></ol>" in tree(card)[-1].value
    assert button.disabled


def test_without_a_lesson_nothing_is_there() -> None:
    """And a lesson that only hides has no card."""
    assert arrival(opening(), (), "").children == ()
    assert arrival(taught(Lesson(hidden=("alpha",))), (), "").children == ()
    assert len(arrival(taught(), ("rounds 999 → 200",), "").children) == 2


def test_the_form_makes_a_link() -> None:
    """Task, what is hidden, goals and hints; it says when the page reaches the goal already."""
    lab = taught(Lesson())
    form = LessonForm(lab)
    form.task.value, form.hidden.value, form.hints.value = " Do it ", ("alpha", "model"), "one\n\n two "
    form.metric.value, form.end.value, form.line.value = "accuracy", "at_least", 0.01
    form.add.click()
    assert "mean accuracy at least 0.01" in form.said.value
    assert "reaches it already" in form.said.value
    form.metric.value, form.end.value, form.line.value = "rounds", "at_most", 1.0
    form.add.click()
    assert "reaches it already" not in form.said.value
    wanted = Lesson("Do it", ("alpha", "model"), (Goal("accuracy", 0.01), Goal("rounds", at_most=1.0)), ("one", "two"))
    assert form.lesson() == wanted
    token = token_of(lab, wanted)
    assert token in form.link.value
    assert landed(token, opening())[0].lesson == wanted
    lab.change(seed=9)
    assert token not in form.link.value
    assert token_of(lab, wanted) in form.link.value


def test_the_form_says_what_is_too_much() -> None:
    """In the place of the link, or beside the goals; what was there stays."""
    form = LessonForm(taught(Lesson()))
    form.task.value = "x" * 700
    assert "the task must have at most 600 characters, got 700" in form.link.value
    form.task.value = ""
    form.line.value = float("inf")
    form.add.click()
    assert "must be finite" in form.said.value
    form.line.value = 0.5
    for _ in range(7):
        form.add.click()
    assert len(form.goals) == 6
    assert "at most 6 goals" in form.said.value
    form.clear.click()
    assert form.goals == []
    assert "No goal yet" in form.said.value


def test_the_header_opens_the_form_when_it_is_asked_for() -> None:
    """It is made then, kept, and starts from the lesson of the page."""
    header = Header(taught())
    assert len(header.box.children) == 3
    header.buttons["lesson"].click()
    form = header.box.children[3]
    assert [each.value for each in tree(form) if isinstance(each, w.Textarea)] == ["Fewer <clients>", "A\nB"]
    header.buttons["link"].click()
    assert len(header.box.children) == 3
    header.buttons["lesson"].click()
    assert header.box.children[3] is form


@pytest.mark.parametrize("metric", ["split.beta", "rmse"])
def test_a_goal_that_is_not_defined_here_stays_open(metric: str) -> None:
    """It is n/a, never 0."""
    lab = taught(Lesson(goals=(Goal(metric, at_least=0.0),)))
    assert "is not defined here" in view(lesson_card(lab), "verdict")
    page = app(token_of(lab))
    assert view(page, "verdict")
