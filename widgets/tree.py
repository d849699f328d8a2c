"""The tree of scores: pillar, notion, metric, each with its numbers, its formula and a slider for its weight."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anywidget
import traitlets
from trustkit.widgets.guard import guarded
from trustkit.widgets.lab import Lab
from trustkit.widgets.reasons import about_metric, english_words, names_of, values_of
from trustkit.widgets.strings import say
from trustkit.widgets.translated import spoken

from trustkit.trust import TrustReport

__all__ = ["ScoreTree", "stops_of"]

_STEPS = 4
"""Stops of a slider for each time the weight that the profile gives."""


def stops_of(own: float, given: float) -> tuple[float, ...]:
    """Return the weights that a slider offers.

    Parameters
    ----------
    own : float
        The profile's weight, at least 0.
    given : float
        The weight that is in use, at least 0.

    Returns
    -------
    tuple of float
        From 0 to four times the profile's own in quarters, with the one in use, ascending; of 0, as of 1.

    Examples
    --------
    >>> stops_of(1.0, 1.0)[:6]
    (0.0, 0.25, 0.5, 0.75, 1.0, 1.25)
    """
    unit = own or 1.0
    return tuple(sorted({*(k / _STEPS * unit for k in range(4 * _STEPS + 1)), given}))


class ScoreTree(anywidget.AnyWidget):  # type: ignore[misc]
    """Open a score down to the facts that it was read from, and weigh its parts.

    Parameters
    ----------
    lab : Lab
        What it reads and moves.
    """

    _esm = Path(__file__).with_name("tree.js")
    rows = traitlets.List(traitlets.Dict()).tag(sync=True)
    values = traitlets.Dict().tag(sync=True)
    places = traitlets.Dict().tag(sync=True)
    held = traitlets.Unicode().tag(sync=True)
    released = traitlets.Int(0).tag(sync=True)
    words = traitlets.Dict().tag(sync=True)
    english = traitlets.List(traitlets.Unicode()).tag(sync=True)

    def __init__(self, lab: Lab) -> None:
        super().__init__(
            words={name: say(f"tree.{name}") for name in ("heads", "score", "raw", "share", "open", "close")},
            english=english_words(),
        )
        self.lab = lab
        self._stops: dict[str, tuple[float, ...]] = {}
        self._own: dict[str, float] = {}
        self._shown: TrustReport | None = None
        self._following = False
        self.observe(guarded(lab, "scores", self._moved), "places")
        self.observe(guarded(lab, "scores", lambda _: lab.let_go()), "released")
        lab.watch(self._hear)
        self._follow(True)

    def _hear(self, what: str) -> None:
        if what in ("outcome", "weights"):
            self._follow(what == "outcome")

    def _follow(self, anew: bool) -> None:
        """Show the lab's report; if it cannot be made, the sliders stay where they are, to be moved back."""
        try:
            report = self.lab.report()
        except (KeyError, TypeError, ValueError):  # the view beside says so
            return
        if report is None:
            return
        taxonomy = report.profile.taxonomy
        names = (*taxonomy.pillars, *taxonomy.notions, *taxonomy.metrics)
        self._own = {name: float(report.profile.weights.get(name, 1.0)) for name in names}
        same = self._shown is not None and report.profile is self._shown.profile
        known, given = self._stops if same else {}, report.weights
        stops = {n: k if given[n] in (k := known.get(n, ())) else stops_of(self._own[n], given[n]) for n in names}
        anew = anew or stops != known
        self._stops, self._shown, self._following = stops, report, True
        try:
            with self.hold_sync():
                if anew:
                    self.rows = self._rows(report)
                self.values = values_of(report)
                self.places = {name: stops[name].index(given[name]) for name in names}
        finally:
            self._following = False

    def _rows(self, report: TrustReport) -> list[dict[str, Any]]:
        """What does not change with the weights, parents first."""
        taxonomy, names = report.profile.taxonomy, names_of(report)

        def row(name: str, level: str, parent: str, about: Any = None) -> dict[str, Any]:
            weight = say("tree.weight", name=spoken(names[name]))
            return {"id": name, "level": level, "parent": parent, "name": names[name], "weight": weight,
                    "stops": len(self._stops[name]), "about": about}  # fmt: skip

        rows = [row(pillar, "pillar", "") for pillar in taxonomy.pillars]
        rows += [row(name, "notion", notion.pillar) for name, notion in taxonomy.notions.items()]
        for line in report.metrics:
            rows.append(row(line.metric, "metric", line.notion, about_metric(report, line)))
        return rows

    def _moved(self, event: Any) -> None:
        """Weigh as the sliders stand; what stands where the profile puts it is not said."""
        if self._following:
            return
        weights = dict(self.lab.setting.weights)
        for name, at in event.new.items():
            stops = self._stops.get(name, ())
            if at != event.old.get(name) and 0 <= at < len(stops):
                weights.pop(name, None)
                if stops[at] != self._own[name]:
                    weights[name] = stops[at]
        if weights != dict(self.lab.setting.weights):
            self.lab.change(f"weight of {self.held}" if self.held else "", weights=tuple(weights.items()))
