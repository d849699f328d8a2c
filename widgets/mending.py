"""What a page and a panel show when something has gone wrong: why, what to try, and the buttons to try it."""

from __future__ import annotations

import html
import os
import traceback
from collections.abc import Sequence

import ipywidgets as w
from trustkit.widgets.guard import Fault, guarded
from trustkit.widgets.lab import Lab
from trustkit.widgets.public import caps
from trustkit.widgets.strings import Html, say, say_html
from trustkit.widgets.translated import english

__all__ = ["DEBUG", "Mending", "failure"]

DEBUG = "TRUSTKIT_DEBUG"
"""The environment variable that is "1" where a red card says where in the code it came from; no public page does."""


def failure(error: BaseException, where: str) -> str:
    """Return a red card that says what went wrong and what to try.

    Parameters
    ----------
    error : Exception
        What happened.
    where : str
        What was being done.

    Returns
    -------
    str
        HTML with ``role="alert"``.
    """
    text = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error) or type(error).__name__
    title, remedy = say_html("card.failed", what=capital(where)), say_html("card.remedy", kind=type(error).__name__)
    return (
        f'<section class="tk-card tk-failed" role="alert"><h2>{title}</h2><p>{english(html.escape(text))}</p>'
        f'<p class="tk-sub">{remedy}</p>{_details(error)}</section>'
    )


def capital(text: str) -> str:
    """Return a text that begins with a capital.

    Parameters
    ----------
    text : str
        For example the name of a view.

    Returns
    -------
    str
        All else as it was.
    """
    return text[:1].upper() + text[1:]


def _details(error: BaseException) -> Html:
    """Where in the code it happened, for who develops a panel: files and their lines are nobody else's business."""
    if os.environ.get(DEBUG) != "1" or caps() is not None:
        return Html()
    lines = html.escape("".join(traceback.format_exception(error)))
    return Html(f'<details><summary>{say("card.details")}</summary><pre lang="en">{lines}</pre></details>')


class Mending(w.VBox):  # type: ignore[misc]
    """Red cards of what a guard has kept, with Retry and Reset; empty while nothing is wrong.

    Parameters
    ----------
    lab : Lab
        The page's state.
    where : str
        The panel whose faults are shown, which tells it to; by default all that no panel shows, and buttons under the
        page's own card.
    """

    def __init__(self, lab: Lab, where: str = "") -> None:
        super().__init__()
        self.lab, self.where = lab, where
        self.add_class("tk-mending")
        self._row: w.HBox | None = None
        if not where:
            lab.hearing.guard.watch(self.show)
            lab.watch(lambda what: self.show() if what in ("setting", "outcome", "started", "progress") else None)
        self.show()

    def show(self) -> None:
        """Show what is wrong now."""
        faults = self.lab.hearing.guard.faults(self.where)
        wrong = not self.where and self.lab.error is not None  # the page's view says why
        if faults or wrong:
            again = bool(faults) or self.lab.experiment is not None
            self.children = [*_cards(faults), self._buttons(again)]
        elif self.children:
            self.children = []

    def _buttons(self, again: bool) -> w.HBox:
        """Retry and Reset; for controls that fit nothing, which no trying mends, the way back instead of Retry."""
        if self._row is None:
            acts = {"retry": self._retry, "undo": self.lab.undo, "reset": self._reset}
            buttons = []
            for name, act in acts.items():
                button = w.Button(description=say(f"card.{name}"), tooltip=say(f"card.about_{name}"))
                button.on_click(guarded(self.lab, "mending", lambda _, act=act: act()))
                button.add_class(f"tk-c-{name}")
                buttons.append(button)
            self._row = w.HBox(buttons)
            self._row.add_class("tk-buttons")
        retry, undo, _ = self._row.children
        retry.layout.display, undo.layout.display = ("", "none") if again else ("none", "")
        return self._row

    def _retry(self) -> None:
        guard = self.lab.hearing.guard
        if guard.faults(self.where):
            guard.retry(self.where)
        else:
            self.lab.run()

    def _reset(self) -> None:
        self.lab.hearing.guard.forget(self.where)
        self.lab.reset()


def _cards(faults: Sequence[Fault]) -> list[w.HTML]:
    """A red card for each fault; those that have one where they happened are only named."""
    cards = [failure(each.error, say(f"view.{each.where}")) for each in faults if not each.shown]
    names = dict.fromkeys(say(f"view.{each.where}") for each in faults if each.shown)
    if names:
        cards.append(f'<p class="tk-sub">{say_html("card.undrawn", names=", ".join(names))}</p>')
    return list(map(w.HTML, cards))
