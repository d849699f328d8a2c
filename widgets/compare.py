"""Runs compared: the one under the controls, a baseline and up to four pins; which of them, which measures, and how."""

from __future__ import annotations

import html
from typing import Any

import ipywidgets as w
from trustkit.widgets.awaiting import awaiting, unplayed
from trustkit.widgets.compared import Columns, pillars, set_otherwise, small, tabled, title_of
from trustkit.widgets.guard import guarded
from trustkit.widgets.lab import Lab
from trustkit.widgets.measures import Measures
from trustkit.widgets.more import offer
from trustkit.widgets.page import Panel
from trustkit.widgets.player import Outcome
from trustkit.widgets.runs import run_name
from trustkit.widgets.strings import say
from trustkit.widgets.view import View, card, pair

from trustkit import Experiment
from trustkit.catalogue import PANELS
from trustkit.plot.style import short
from trustkit.sidebyside import MOST_PINS

__all__ = ["ComparePanel"]

_LISTED = 20
"""So many of the newest results can be chosen among."""

_TOPICS = ("outcome", "baseline", "weights", "pins")


@PANELS.enter("compare", title="Runs compared")
def ComparePanel(lab: Lab | None = None) -> w.VBox:  # noqa: N802 (a panel reads as a thing)
    """Choose a baseline, up to four other results of this page and the measures; compare numbers, pillars, settings.

    Parameters
    ----------
    lab : Lab, optional
        The shared state; by default one of its own.

    Returns
    -------
    ipywidgets.VBox
        A widget.
    """
    return _Compare(lab or Lab()).box


class _Compare:
    """The menus, the choice of measures, and the view."""

    def __init__(self, lab: Lab) -> None:
        self.lab, self._following = lab, False
        self._pictures: dict[str, Any] = {}
        self.baseline = w.Dropdown(
            description=say("compare.baseline"), options=[("", "")], tooltip=say("compare.baseline_tip")
        )
        self.pins = w.SelectMultiple(description=say("compare.pins"), rows=5, tooltip=say("compare.pins_tip"))
        head = View(lab, lambda _: card(say("compare.title"), say("compare.about"), ""), (), "compare")
        self.scaled = w.Checkbox(description=say("compare.scaled"), tooltip=say("compare.scaled_tip"), indent=False)
        self.scaled.add_class("tk-s-scaled")
        self.measures = Measures(lab)
        self.view = View(lab, self._draw, _TOPICS, "compared")
        options = w.Box([self.scaled, self.measures.box])
        options.add_class("tk-options")
        choices = w.Box([self.baseline, self.pins])
        choices.add_class("tk-choices")
        self.view.add_class("tk-inner")
        self.box = Panel(lab, [head, choices, awaiting(lab, listed=True), options, self.view], "compare")
        for name in ("tk-framed", "tk-compare"):
            self.box.add_class(name)
        self.baseline.observe(guarded(lab, "compare", lambda event: self._lay_base(event.new)), "value")
        self.pins.observe(guarded(lab, "compare", lambda event: self._pin(event.new)), "value")
        self.scaled.observe(guarded(lab, "compare", lambda _: self._scale()), "value")
        lab.watch(lambda what: self._follow() if what in _TOPICS else None)
        # boxes before pictures: a box that is ticked meanwhile would be unticked again
        lab.hearing.watch(lambda what: self.measures.follow() if what == "pins" else None, first=True)
        self._follow()

    def _runs(self) -> dict[str, Outcome]:
        """What can be chosen, by key: the newest results, and whatever is held already."""
        lab = self.lab
        held = [each for each in (lab.outcome, lab.baseline, *lab.pins.held) if each is not None]
        return {each.record.experiment.key: each for each in (*lab.results.newest(_LISTED), *held)}

    def _follow(self) -> None:
        """Offer the runs that there are, and stand on those that are held."""
        self._following = True
        try:
            self.scaled.value = self.lab.pins.scaled
            self.measures.follow()
            runs, base = self._runs(), self.lab.baseline
            awaited = self.lab.awaited
            listed = [(run_name(self.lab, each), key) for key, each in runs.items()]
            later = {each.key: self._later(each) for each in awaited.runs if each.key not in runs}
            listed += [(title, key) for key, title in later.items()]
            first = "" if awaited.baseline is None else awaited.baseline.key
            offer(self.baseline, [(say("page.none"), ""), *listed], base.record.experiment.key if base else first)
            if self.pins.options != tuple(listed):
                self.pins.value = ()
                self.pins.options = listed
            held = [each.record.experiment.key for each in self.lab.pins.held]
            self.pins.value = (*held, *(each.key for each in awaited.pins))
        finally:
            self._following = False

    def _scale(self) -> None:
        if not self._following:
            self.lab.pins.look(self.lab.pins.measures, self.scaled.value)

    def _later(self, experiment: Experiment) -> str:
        return short(say("compare.later", changed=unplayed(self.lab, experiment)), 56)

    def _lay_base(self, key: str) -> None:
        if self._following:
            return
        lab, chosen = self.lab, self._runs().get(key)
        if lab.awaited.baseline is not None and lab.awaited.baseline.key != key:
            lab.awaited.leave_baseline()
        if chosen is not lab.baseline:
            lab.pin(chosen or lab.baseline)
        self._follow()

    def _pin(self, keys: tuple[str, ...]) -> None:
        if self._following:
            return
        before, awaited = self.lab.pins.held, self.lab.awaited
        awaited.drop_pins(each.key for each in awaited.pins if each.key not in keys)
        kept = [each for each in before if each.record.experiment.key in keys]  # in the order of pinning
        waits = [each.key for each in awaited.pins]  # also of one that was stopped, whose rounds are here
        runs = {key: each for key, each in self._runs().items() if key not in waits}
        self.lab.pins.hold((*kept, *(runs[key] for key in keys if key in runs and runs[key] not in kept)))
        self._follow()  # of more than four the first ones are let go

    def columns(self) -> dict[str, Outcome]:
        """Return what is compared, by heading: the result on the page, the baseline, and the pins."""
        lab, found = self.lab, dict[str, Outcome]()
        named = [("compare.now", lab.outcome), ("compare.base", lab.baseline),
                 *(("compare.pin", each) for each in lab.pins.held)]  # fmt: skip
        for word, each in named:
            if each is not None and each not in found.values():
                found[say(word, number=lab.results.number(each))] = each
        return found

    def _draw(self, lab: Lab) -> str:
        runs = self.columns()
        if not runs:
            return f'<p class="tk-sub">{say("page.unmeasured_run")}</p>'
        base = next((title for title, each in runs.items() if each is lab.baseline), "")
        columns, scaled, names = Columns(lab, runs, base), lab.pins.scaled, self.measures.names
        hint = "compare.choose" if not base else "compare.alone" if len(runs) < 2 else "compare.reading"
        if lab.awaited.baseline is not None:
            hint = "compare.no_base_yet"
        top = pair(say(hint, most=MOST_PINS), pillars(columns, self._pictures), set_otherwise(columns))
        rows = columns.measured(names)
        missing = [title_of(name) for name in names if name not in [row.name for row in rows]]
        words = [say("compare.about_scaled")] if scaled else []
        words += [say("compare.about_time")] if "seconds" in [row.name for row in rows] else []
        words += [say("compare.absent", names=", ".join(missing))] if missing and not self.measures.usually else []
        words += [] if names else [say("compare.nothing")]
        said = "".join(f'<p class="tk-sub">{html.escape(word)}</p>' for word in words)
        if not rows:
            return top + said
        return f"{top}{said}{small(columns, rows, scaled, self._pictures)}{tabled(columns, rows, scaled)}"
