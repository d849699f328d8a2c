"""The runs of the page so far, in a menu: choosing one brings back its settings, and with them its result."""

from __future__ import annotations

from collections.abc import Hashable

import ipywidgets as w
from trustkit.widgets.awaiting import unplayed
from trustkit.widgets.guard import guarded
from trustkit.widgets.lab import Lab
from trustkit.widgets.more import offer
from trustkit.widgets.numbers import amount
from trustkit.widgets.player import Outcome
from trustkit.widgets.setting import Setting
from trustkit.widgets.strings import say

from trustkit.plot.style import short

__all__ = ["Runs", "run_name"]

_LISTED = 20
"""So many of the newest results are offered."""

_KEPT = 400
"""Names of them that are kept, under different weights, before they are made anew."""


def run_name(lab: Lab, outcome: Outcome, longest: int = 56) -> str:
    """Return what a run is called in a menu: its number, and what it differs in from what the page opened on.

    Parameters
    ----------
    lab : Lab
        The page's state.
    outcome : Outcome
        The run's result.
    longest : int
        Characters, at most.

    Returns
    -------
    str
        Plain text.
    """
    changed = unplayed(lab, outcome.record.experiment)
    return short(say("compare.run", number=lab.results.number(outcome), changed=changed), longest)


class Runs:
    """The menu; it is hidden while there is nothing to choose among.

    Parameters
    ----------
    lab : Lab
        Whose results it offers.
    """

    def __init__(self, lab: Lab) -> None:
        self.lab, self._following = lab, False
        self.menu = w.Dropdown(description=say("runs.label"), tooltip=say("runs.tip"), options=[("", "")])
        self.menu.observe(guarded(lab, "controls", lambda event: self._choose(event.new)), "value")
        self._names: dict[Hashable, str] = {}
        lab.watch(self._hear)
        self._follow()

    def _hear(self, what: str) -> None:
        if what in ("outcome", "setting", "weights", "still") and not self.lab.drag.moving:
            self._follow()

    def _choose(self, key: str) -> None:
        """Go where a run was played; the weights stay, as trust is scored by them whatever is shown."""
        chosen = self._listed().get(key)
        if chosen is not None and not self._following:
            self.lab.go(Setting.of(chosen.record.experiment).change(weights=self.lab.setting.weights))

    def _listed(self) -> dict[str, Outcome]:
        return {each.record.experiment.key: each for each in self.lab.results.newest(_LISTED)}

    def _follow(self) -> None:
        """Offer what there is, and stand on the run that the controls stand on."""
        lab, listed = self.lab, self._listed()
        here = "" if lab.experiment is None or lab.experiment.key not in listed else lab.experiment.key
        self._following = True
        try:
            if len(self._names) > _KEPT:
                self._names.clear()
            names = [(self._name(each), key) for key, each in listed.items()]
            offer(self.menu, names if here else [(say("runs.none"), ""), *names], here)
            self.menu.layout.display = "" if len(listed) > 1 else "none"
        finally:
            self._following = False

    def _name(self, outcome: Outcome) -> str:
        """What a run is called and scores; it is assessed once for each profile and weights."""
        lab, record = self.lab, outcome.record
        mark = record.experiment.key, len(record), lab.profile, lab.setting.weights
        if mark not in self._names:
            trust = amount(_score(lab, outcome))
            self._names[mark] = say("runs.name", name=run_name(lab, outcome, 44), trust=trust)
        return self._names[mark]


def _score(lab: Lab, outcome: Outcome) -> float | None:
    """What a run scores; nothing where the weights leave no metric, which the trust panel says."""
    try:
        report = lab.report(outcome)
    except ValueError:
        return None
    return None if report is None else report.score
