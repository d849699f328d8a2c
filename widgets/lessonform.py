"""A form that makes a lesson link: what to do, what is hidden, which line is to be reached, and hints."""

from __future__ import annotations

import html
from typing import Any

import ipywidgets as w
from trustkit.widgets.lab import Lab
from trustkit.widgets.lessons import judged
from trustkit.widgets.links import link_field

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
        self.task = w.Textarea(lab.lesson.task, description="task", placeholder="what to do, in a sentence or two")
        self.hidden = w.SelectMultiple(
            options=[(words, name) for name, words in HIDABLE.items()], value=lab.lesson.hidden, rows=6,
            description="hide", tooltip="hold Ctrl, or Shift, to choose several",
        )  # fmt: skip
        options = [(quantity.title, name) for name, quantity in QUANTITIES.items()]
        self.metric = w.Dropdown(description="goal", options=options)
        self.end = w.Dropdown(options=["at least", "at most"], description="is")
        self.line = w.FloatText(0.8, description="line", step=0.01)
        self.add, self.clear = w.Button(description="Add goal"), w.Button(description="Clear goals")
        self.hints = w.Textarea("\n".join(lab.lesson.hints), description="hints", placeholder="one a line")
        self.said, self.link = w.HTML(), w.HTML()
        row = w.Box([self.metric, self.end, self.line, self.add, self.clear])
        for each in (row, *row.children):
            each.add_class("tk-lesson-part")
        row.add_class("tk-choices")
        self.box = w.VBox([self.task, self.hidden, row, self.said, self.hints, self.link])
        self.box.add_class("tk-lesson-form")
        for widget in (self.task, self.hidden, self.hints):
            widget.observe(lambda _: self._show(), "value")
        self.add.on_click(self._add)
        self.clear.on_click(self._clear)
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
        name = "at_least" if self.end.value == "at least" else "at_most"
        try:
            goal = Goal(self.metric.value, **{name: self.line.value})
            Lesson(goals=(*self.goals, goal))
        except ValueError as error:
            self.said.value = f'<p class="tk-caveat" role="alert">{html.escape(str(error))}</p>'
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
            self.link.value = f'<p class="tk-caveat" role="alert">{html.escape(str(error))}</p>'
            return
        now = judged(self.lab, lesson)
        lines = [f"<li>{html.escape(goal.said)}</li>" for goal in self.goals]
        said = "No goal yet: the page then only hides and tells." if not lines else f"<ul>{''.join(lines)}</ul>"
        already = " <b>The page as it is reaches it already.</b>" if now is not None and now.met else ""
        self.said.value = f'<div class="tk-sub">{said}{already}</div>'
        self.link.value = link_field(self.lab, lesson)
