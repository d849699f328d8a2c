"""A lesson on the page: the task, goals with an instant verdict, hints one after the other; and what a link brought."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

import ipywidgets as w
from trustkit.widgets.awaiting import awaiting
from trustkit.widgets.goals import goal_words, verdict_words
from trustkit.widgets.guard import guarded
from trustkit.widgets.lab import Lab
from trustkit.widgets.numbers import amount
from trustkit.widgets.strings import say, say_html
from trustkit.widgets.translated import english, translated
from trustkit.widgets.view import View

from trustkit.lesson import Checked, Lesson, Verdict, verdict_of
from trustkit.quantities import Seen

__all__ = ["arrival", "judged", "lesson_card"]

_TOPICS = ("setting", "outcome", "weights", "search", "progress")
_MARKS = {True: ("✓", "reached", "ok"), False: ("✗", "missed", "no"), None: ("–", "unknown", "open")}


def judged(lab: Lab, lesson: Lesson | None = None) -> Verdict | None:
    """Check the goals of a lesson against the page's state.

    Parameters
    ----------
    lab : Lab
        The page's state.
    lesson : Lesson, optional
        By default that of the page.

    Returns
    -------
    Verdict or None
        ``None`` while the split is looked for, or the controls describe no experiment.
    """
    goals = (lab.lesson if lesson is None else lesson).goals
    if lab.searching or lab.experiment is None:
        return None
    record = None if lab.outcome is None else lab.outcome.record
    return verdict_of(goals, Seen(lab.experiment, record, lab.report()))


def lesson_card(lab: Lab) -> w.VBox:
    """Show the lesson of a page.

    Parameters
    ----------
    lab : Lab
        The page's state; its lesson is not empty.

    Returns
    -------
    ipywidgets.VBox
        Task, goals, verdict and hints, as far as there are any.
    """
    lesson, box = lab.lesson, w.VBox()
    box.add_class("tk-card")
    box.add_class("tk-lesson")
    task = html.escape(lesson.task).replace("\n", "<br>")
    children: list[w.Widget] = [
        w.HTML(f"<h2>{say('lesson.task')}</h2><p>{task}</p>" if task else f"<h2>{say('lesson.title')}</h2>")
    ]
    if lesson.goals:
        children += [View(lab, _goals, _TOPICS, "goals"), View(lab, _verdict, _TOPICS, "verdict")]
    if lesson.hints:
        children += _hints(lab, lesson.hints)
    box.children = children
    return box


def _goals(lab: Lab) -> str:
    found = judged(lab)
    checks = [Checked(goal, None, None) for goal in lab.lesson.goals] if found is None else found.checks
    return f'<ul class="tk-goals">{"".join(map(_line, checks))}</ul>'


def _line(check: Checked) -> str:
    mark, words, kind = _MARKS[check.met]
    whole = check.value is not None and check.value.is_integer()
    now = "" if check.value is None else f" · {say('lesson.now', value=amount(check.value, 0 if whole else 3))}"
    return (
        f'<li class="tk-goal-{kind}"><b aria-hidden="true">{mark}</b> {html.escape(goal_words(check.goal))}'
        f"<span> · {say(f'lesson.{words}')}{now}</span></li>"
    )


def _verdict(lab: Lab) -> str:
    found = judged(lab)
    said = say("lesson.searching") if found is None else verdict_words(found)
    kind = "open" if found is None else _MARKS[found.met][2]
    return f'<p class="tk-verdict tk-goal-{kind}" role="status" aria-live="polite">{html.escape(said)}</p>'


def _hints(lab: Lab, hints: Sequence[str]) -> list[w.Widget]:
    """A button that shows one hint more, and the hints so far."""
    shown = w.HTML()
    button = w.Button(description=say("lesson.hint", number=1, total=len(hints)), tooltip=say("lesson.about_hint"))
    button.add_class("tk-c-hint")
    count = [0]

    def more(_: Any) -> None:
        count[0] = min(count[0] + 1, len(hints))
        lines = "".join(f"<li>{html.escape(hint)}</li>" for hint in hints[: count[0]])
        shown.value = f'<ol class="tk-hints" aria-live="polite">{lines}</ol>'
        button.description = say("lesson.hint", number=min(count[0] + 1, len(hints)), total=len(hints))
        button.disabled = count[0] == len(hints)

    button.on_click(guarded(lab, "lesson", more))
    return [button, shown]


def arrival(lab: Lab, notes: Sequence[str], problem: str) -> w.VBox:
    """Say what a link brought: that it cannot be read, what was brought into range, runs to play, a lesson.

    Parameters
    ----------
    lab : Lab
        The page's state.
    notes : sequence of str
        What was brought into range.
    problem : str
        Why the link cannot be read; else empty.

    Returns
    -------
    ipywidgets.VBox
        Empty if there is nothing to say.
    """
    children: list[w.Widget] = []
    if problem:
        said = english(html.escape(f"{problem[:1].upper()}{problem[1:]}"))
        text = f"<h2>{say('lesson.unopened')}</h2><p>{say_html('lesson.opens_on', problem=said)}</p>"
        children.append(w.HTML(f'<section class="tk-card tk-failed" role="alert">{text}</section>'))
    if notes:
        said = english(html.escape("; ".join(map(translated, notes))))
        children.append(w.HTML(f'<p class="tk-caveat" role="alert">{say_html("lesson.changed", notes=said)}</p>'))
    if lab.awaited.runs:
        children.append(awaiting(lab))
    if lab.lesson.task or lab.lesson.goals or lab.lesson.hints:
        children.append(lesson_card(lab))
    box = w.VBox(children)
    box.add_class("tk-arrival")
    return box
