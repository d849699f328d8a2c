"""A form that makes a lesson link: what to do, what is hidden, which line is to be reached, and hints."""

from __future__ import annotations

import html
from typing import Any

import ipywidgets as w
from trustkit.widgets.goals import goal_words
from trustkit.widgets.guard import guarded
from trustkit.widgets.lab import Lab
from trustkit.widgets.lessons import judged
from trustkit.widgets.links import link_field
from trustkit.widgets.strings import say
from trustkit.widgets.translated import english, translated

from trustkit.lesson import HIDABLE, Goal, Lesson
from trustkit.quantities import QUANTITIES

__all__ = ["LessonForm"]


class LessonForm:
    """Boxes for the parts of a lesson, and the link that they make.

    Parameters
    ----------
    lab : Lab
        Whose state the link carries.
    """

    def __init__(self, lab: Lab) -> None:
        self.lab, self.goals = lab, list(lab.lesson.goals)
        self.task = w.Textarea(
            lab.lesson.task, description=say("lessonform.task"), placeholder=say("lessonform.about_task")
        )
        self.hidden = w.SelectMultiple(
            options=[(translated(words), name) for name, words in HIDABLE.items()], value=lab.lesson.hidden, rows=6,
            description=say("lessonform.hide"), tooltip=say("lessonform.about_hide"),
        )  # fmt: skip
        options = [(translated(quantity.title), name) for name, quantity in QUANTITIES.items()]
        self.metric = w.Dropdown(description=say("lessonform.goal"), options=options)
        ends = [(say("lessonform.at_least"), "at_least"), (say("lessonform.at_most"), "at_most")]
        self.end = w.Dropdown(options=ends, description=say("lessonform.is"))
        self.line = w.FloatText(0.8, description=say("lessonform.line"), step=0.01)
        self.add = w.Button(description=say("lessonform.add"))
        self.clear = w.Button(description=say("lessonform.clear"))
        hints = {"description": say("lessonform.hints"), "placeholder": say("lessonform.about_hints")}
        self.hints = w.Textarea("\n".join(lab.lesson.hints), **hints)
        self.said, self.link = w.HTML(), w.HTML()
        row = w.Box([self.metric, self.end, self.line, self.add, self.clear])
        for each in (row, *row.children):
            each.add_class("tk-lesson-part")
        row.add_class("tk-choices")
        self.box = w.VBox([self.task, self.hidden, row, self.said, self.hints, self.link])
        self.box.add_class("tk-lesson-form")
        for widget in (self.task, self.hidden, self.hints):
            widget.observe(guarded(lab, "lessonform", lambda _: self._show()), "value")
        self.add.on_click(guarded(lab, "lessonform", self._add))
        self.clear.on_click(guarded(lab, "lessonform", self._clear))
        lab.watch(self._hear)
        self._show()

    def lesson(self) -> Lesson:
        """Return the lesson that the boxes describe.

        Returns
        -------
        Lesson
            Checked.

        Raises
        ------
        ValueError
            If a text is too long, or there are too many.
        """
        hints = tuple(line.strip() for line in self.hints.value.splitlines() if line.strip())
        return Lesson(self.task.value.strip(), tuple(self.hidden.value), tuple(self.goals), hints)

    def _add(self, _: Any) -> None:
        try:
            goal = Goal(self.metric.value, **{self.end.value: self.line.value})
            Lesson(goals=(*self.goals, goal))
        except ValueError as error:
            self.said.value = f'<p class="tk-caveat" role="alert">{english(html.escape(str(error)))}</p>'
            return
        self.goals.append(goal)
        self._show()

    def _clear(self, _: Any) -> None:
        self.goals.clear()
        self._show()

    def _hear(self, what: str) -> None:
        if what in ("setting", "weights", "baseline", "outcome"):
            self._show()

    def _show(self) -> None:
        try:
            lesson = self.lesson()
        except ValueError as error:
            self.link.value = f'<p class="tk-caveat" role="alert">{english(html.escape(str(error)))}</p>'
            return
        now = judged(self.lab, lesson)
        lines = [f"<li>{html.escape(goal_words(goal))}</li>" for goal in self.goals]
        said = say("lessonform.goalless") if not lines else f"<ul>{''.join(lines)}</ul>"
        already = f" <b>{say('lessonform.already')}</b>" if now is not None and now.met else ""
        self.said.value = f'<div class="tk-sub">{said}{already}</div>'
        self.link.value = link_field(self.lab, lesson)
