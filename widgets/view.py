"""A view is an HTML widget that draws itself from the lab; what goes wrong inside it is shown inside it."""

from __future__ import annotations

import html
from collections.abc import Callable, Collection, Hashable, Sequence
from typing import Any

import ipywidgets as w
from trustkit.widgets.drawn import note_view
from trustkit.widgets.guard import Fault
from trustkit.widgets.kept import Kept
from trustkit.widgets.lab import Lab
from trustkit.widgets.mending import capital, failure
from trustkit.widgets.page import alone, bundle
from trustkit.widgets.still import show
from trustkit.widgets.strings import Html, language, say
from trustkit.widgets.tables import with_tables

__all__ = ["View", "bar", "card", "fold", "pair", "table", "tip"]


def tip(text: str, explanation: str, spoken: bool = True) -> Html:
    """Return a number or a word with an explanation that shows on hover and on keyboard focus.

    Parameters
    ----------
    text : str
        HTML.
    explanation : str
        Plain text: formula and source.
    spoken : bool
        Whether a screen reader reads the explanation on passing, or only on focus.

    Returns
    -------
    Html
        To be put into a text.
    """
    words = html.escape(explanation, quote=True)
    if not spoken:
        return Html(f'<span class="tk-tip" tabindex="0" data-tip="{words}" aria-description="{words}">{text}</span>')
    unseen = f'<span class="tk-unseen">: {words}</span>'
    return Html(f'<span class="tk-tip" tabindex="0" data-tip="{words}">{text}{unseen}</span>')


def bar(name: str, done: int, total: int, words: str, state: str = "") -> str:
    """Return a bar of progress with a line of text below.

    Parameters
    ----------
    name : str
        What it counts, for a screen reader.
    done, total : int
        How many of how many.
    words : str
        HTML; read out when it changes.
    state : str
        Of the page, as idle or stale, which colours it.

    Returns
    -------
    str
        HTML.
    """
    coloured = f" tk-is-{state}" if state else ""
    return (
        f'<div class="tk-status{coloured}"><div class="tk-bar" role="progressbar" aria-label="{name}" '
        f'aria-valuemin="0" aria-valuemax="{total}" aria-valuenow="{done}">'
        f'<i style="width:{100 * done / max(total, 1):.1f}%"></i></div>'
        f'<div class="tk-state" role="status">{words}</div></div>'
    )


def card(title: str, subtitle: str, body: str, classes: str = "") -> str:
    """Return a card.

    Parameters
    ----------
    title, subtitle, body : str
        HTML; the subtitle says what to beware of.
    classes : str
        Further CSS classes.

    Returns
    -------
    str
        HTML.
    """
    return f'<section class="tk-card {classes}"><h2>{title}</h2><p class="tk-sub">{subtitle}</p>{body}</section>'


def pair(text: str, picture: str, beside: str) -> str:
    """Return a line of text over a picture with something beside it, or below it where there is no room.

    Parameters
    ----------
    text, picture, beside : str
        HTML.

    Returns
    -------
    str
        HTML.
    """
    return f'<p class="tk-sub">{text}</p><div class="tk-pair">{picture}<div>{beside}</div></div>'


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of numbers.

    Parameters
    ----------
    heads : sequence of str
        HTML: what stands over the columns, that of the names first.
    rows : sequence of sequence of str
        A name, as text, and cells, as HTML.

    Returns
    -------
    str
        HTML.
    """
    top = "".join(f'<th scope="col">{head}</th>' for head in heads)
    lines = "".join(
        f'<tr><th scope="row">{html.escape(name)}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
        for name, *cells in rows
    )
    return f'<table class="tk-table"><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table>'


def fold(title: str, *children: w.Widget) -> w.VBox:
    """Return widgets behind a button that shows and hides them; unlike an accordion's, a keyboard reaches it.

    Parameters
    ----------
    title : str
        What is inside.
    *children : ipywidgets.Widget
        Hidden at first.

    Returns
    -------
    ipywidgets.VBox
        The button, and a box of the children.
    """
    button, box = w.ToggleButton(description=f"▸ {title}", tooltip=say("card.show_hide")), w.VBox(children)
    box.layout.display = "none"

    def turn(event: Any) -> None:
        box.layout.display = "" if event.new else "none"
        button.description = f"{'▾' if event.new else '▸'} {title}"

    button.observe(turn, "value")
    button.add_class("tk-fold")
    return w.VBox([button, box])


class View(w.HTML):  # type: ignore[misc]
    """An HTML widget that follows the lab.

    Parameters
    ----------
    lab : Lab
        What it reads.
    draw : callable
        Lab in, HTML out.
    topics : collection of str
        The changes that concern it.
    name : str
        Its CSS class is ``tk-v-`` and the name; what it is called when it fails is the text ``view.`` and the name.
    of : callable, optional
        Lab in, all that `draw` reads out, or ``None`` while that changes by itself: what was drawn of the same is shown
        again as it is, for example when a change is taken back.
    """

    value: str

    def __init__(
        self,
        lab: Lab,
        draw: Callable[[Lab], str],
        topics: Collection[str],
        name: str,
        of: Callable[[Lab], Hashable] | None = None,
    ) -> None:
        super().__init__()
        self.lab, self.draw, self.topics, self.name, self.of = lab, draw, frozenset(topics), name, of
        self._kept = Kept()
        self.add_class("tk-view")
        self.add_class(f"tk-v-{name}")
        note_view(self)
        lab.watch(self.hear)
        self.refresh()

    def _repr_mimebundle_(self, **asked: Any) -> Any:
        return bundle(self.lab, self, **asked)

    def _ipython_display_(self) -> None:
        show(self.lab, alone(self.lab, self))

    def hear(self, what: str) -> None:
        """Redraw if a change concerns this view, and none that comes at once with it does.

        Parameters
        ----------
        what : str
            A topic.
        """
        if (what in self.topics or what == "tables") and self.topics.isdisjoint(self.lab.hearing.coming):
            self.refresh()

    @property
    def again(self) -> bool:
        """Whether it shows an earlier text again, so that what `draw` keeps may be of another one."""
        return self._kept.again

    def settle(self) -> None:
        """Let the figures be those of the text."""
        if self.again:
            self._kept.clear()
            self.refresh()

    def refresh(self) -> None:
        """Draw anew; an exception becomes a red card here and nowhere else."""
        guard = self.lab.hearing.guard
        try:
            value = self._drawn()
        except Exception as error:  # whatever it is, it belongs on the screen
            name = say(f"view.{self.name}")
            value = failure(error, name)
            if error is self.lab.error:  # the page has a card about it already
                value = card(capital(name), say("page.blank"), "")
                guard.end(self)
            else:
                guard.keep(self, Fault(self.name, error, self.refresh, shown=True))
        else:
            guard.end(self)
        if value != self.value:
            self.value = value

    def _drawn(self) -> str:
        """Draw, or find what was drawn of the same; what moves, in a run or under a slider, is drawn anew."""
        of = None if self.of is None or self.lab.player.busy or self.lab.drag.moving else self.of(self.lab)
        tabled = self.lab.tabled

        def draw() -> str:
            text = self.draw(self.lab)
            return with_tables(text) if tabled else text

        return self._kept.text(None if of is None else (self.draw, language(), tabled, of), draw)
