"""What privacy costs: six ε and no noise, each with some seeds, played beside the page; and what ε means in words."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import Any

import ipywidgets as w
from trustkit.widgets.figures import to_svg
from trustkit.widgets.guard import guarded
from trustkit.widgets.lab import Lab
from trustkit.widgets.numbers import amount
from trustkit.widgets.page import Panel
from trustkit.widgets.player import Outcome
from trustkit.widgets.playing import Playing, Wanted
from trustkit.widgets.shapes import shaped
from trustkit.widgets.strings import Html, say, say_html
from trustkit.widgets.translated import english, translated
from trustkit.widgets.view import View, bar, card, table, tip

from trustkit import plot
from trustkit.catalogue import PANELS, PRIVACY
from trustkit.privacysweep import BudgetPoint, attack_bound, budget_points, epsilon_grid, posterior_bound

__all__ = ["MOST_SEEDS", "PrivacyPanel"]

MOST_SEEDS = 4
"""Seven budgets with so many seeds are kept together."""

_SUSPICION = 0.01

_DELTA = next(parameter.default for parameter in PRIVACY["gaussian"].parameters if parameter.name == "delta")
"""δ of the Gaussian mechanism where an experiment does not say it."""


@PANELS.enter("privacy", title="What privacy costs")
def PrivacyPanel(lab: Lab | None = None) -> w.VBox:  # noqa: N802 (a panel reads as a thing)
    """Play the experiment at six ε and without noise; show quality, gap and noise by ε, and what ε means in words.

    Parameters
    ----------
    lab : Lab, optional
        The shared state; by default one of its own.

    Returns
    -------
    ipywidgets.VBox
        A widget.
    """
    return _Budget(lab or Lab()).box


class _Budget:
    """The controls, the runs and what they show."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.playing = Playing(lab, self.wanted, self._told, lambda _: None, "privacy")
        self.seeds = w.BoundedIntText(
            2, min=1, max=MOST_SEEDS, description=say("budget.seeds"), tooltip=say("budget.seeds_tip")
        )
        self.start = w.Button(description=say("budget.start"), tooltip=say("budget.start_tip"))
        self.halt = w.Button(description=say("budget.halt"), tooltip=say("budget.halt_tip"), disabled=True)
        self.start.add_class("tk-primary")
        self._pictures: dict[str, Any] = {}
        self._drawn: tuple[Any, str] = (None, "")
        head = View(lab, self._head, ("setting", "outcome"), "privacy")
        self.view = View(lab, self._draw, ("setting", "progress", "outcome"), "swept")
        row = w.HBox([self.seeds, self.start, self.halt])
        row.add_class("tk-choices")
        self.view.add_class("tk-inner")
        self.box = Panel(lab, [head, row, self.view], "privacy")
        for name in ("tk-framed", "tk-privacy"):
            self.box.add_class(name)
        self.seeds.observe(guarded(lab, "privacy", lambda _: self._told()), "value")
        self.start.on_click(guarded(lab, "privacy", lambda _: self.playing.start()))
        self.halt.on_click(guarded(lab, "privacy", lambda _: self.playing.stop()))
        lab.watch(self._hear)
        self._enable()

    def wanted(self) -> Wanted:
        """Return all runs that are needed, by ε and seed; none where ε cannot be varied."""
        if self.lab.experiment is None:
            return {}
        try:
            return epsilon_grid(self.lab.experiment, seeds=self.seeds.value)
        except ValueError:
            return {}

    def _hear(self, what: str) -> None:
        if what in ("setting", "started", "progress", "outcome"):
            self._enable()

    def _told(self) -> None:
        self._enable()
        self.view.refresh()

    def _enable(self) -> None:
        self.start.disabled = self.playing.busy or not self.wanted()
        self.halt.disabled = not self.playing.busy

    def _head(self, lab: Lab) -> str:
        outcome = lab.outcome
        meaning = "" if outcome is None else f"<p>{_meaning(outcome)}</p>"
        return card(say("budget.title"), say("budget.about"), meaning)

    def _draw(self, lab: Lab) -> str:
        wanted = self.wanted()
        if not wanted:
            reason = "budget.nothing" if lab.experiment is None else "budget.columns"
            return f'<p class="tk-sub">{say(reason)}</p>'
        records = {key: self.playing.record(each) for key, each in wanted.items()}
        now = self._current()
        whole = {key: record for key, record in records.items() if record.complete}
        mark = frozenset((key, wanted[key].key) for key in whole), None if now is None else now.record
        if self._drawn[0] != mark:
            self._drawn = mark, self._pictured(budget_points(whole), now)
        return self._status(wanted, records) + self._drawn[1] + self._problems()

    def _current(self) -> Outcome | None:
        """The result on the page, if it is one of what the controls ask for."""
        outcome, here = self.lab.outcome, self.lab.experiment
        return outcome if outcome and here and outcome.record.complete and outcome.record.experiment == here else None

    def _status(self, wanted: Wanted, records: Any) -> str:
        done, total = sum(map(len, records.values())), sum(each.rounds for each in wanted.values())
        now = self.playing.now
        if now is not None:
            asked = next(epsilon for (epsilon, _), each in wanted.items() if each == now)
            words = say("budget.running", epsilon=_named(asked), seed=now.seed, done=len(self.playing.record(now)),
                        rounds=now.rounds)  # fmt: skip
        else:
            whole = sum(record.complete for record in records.values())
            words = say("budget.there" if whole == len(records) else "budget.rest", done=whole, total=len(records))
        return bar(say("budget.bar"), done, total, words)

    def _pictured(self, points: Sequence[BudgetPoint], now: Outcome | None) -> str:
        if not points:
            return ""
        current = None
        if now is not None:
            seed = now.record.experiment.seed
            current = budget_points({(float(now.record.last.epsilon), seed): now.record})[0]
        label = say("budget.label", points="; ".join(_said(point) for point in points))

        def drawn(shape: str) -> str:
            figure = plot.privacy_utility(points, current, shape == "wide", self._pictures.get(shape))
            self._pictures[shape] = figure
            return to_svg(figure, label)

        text = shaped(drawn)
        return f'<p class="tk-sub">{say_html("budget.reading")}</p>{text}{_table(points, self._delta())}'

    def _delta(self) -> float:
        private = next((each.privacy for each in self.wanted().values() if each.privacy is not None), None)
        return 0.0 if private is None else float(private.args.get("delta", _DELTA))

    def _problems(self) -> str:
        found = dict.fromkeys(map(str, self.playing.errors.values()))
        return "".join(
            f'<p class="tk-caveat" role="alert">{say_html("budget.refused", why=english(html.escape(why)))}</p>'
            for why in found
        )


def _named(epsilon: float) -> str:
    return say("budget.off") if math.isinf(epsilon) else f"ε = {epsilon:g}"


def _said(point: BudgetPoint) -> str:
    return f"{_named(point.asked)}: {translated(point.measure)} {amount(point.quality.mean, 3)}"


def _meaning(outcome: Outcome) -> Html:
    """What the ε of a run bounds, for whom and against whom; or that nothing is bounded."""
    facts = outcome.facts
    epsilon, delta = float(outcome.record.last.epsilon), facts.get("privacy", "delta")
    if math.isinf(epsilon):
        return say_html("budget.unbounded")
    level = {"example": say("budget.row"), "client": say("budget.client")}.get(str(facts.get("privacy", "level")))
    exceptions = float(delta or 0.0)
    words = say_html(
        "budget.meaning",
        epsilon=amount(epsilon),
        delta=f"{exceptions:g}",
        unit=level or str(facts.get("privacy", "level")),
        right=tip(_percent(attack_bound(epsilon, exceptions)), say("budget.right_tip")),
        suspicion=f"{100 * _SUSPICION:g} %",
        risen=tip(_percent(posterior_bound(epsilon, _SUSPICION)), say("budget.risen_tip")),
    )
    return Html(f"{words} {tip(say('budget.assumed'), str(facts.get('privacy', 'assumption') or ''))}.")


def _table(points: Sequence[BudgetPoint], delta: float) -> str:
    heads = (
        say("budget.asked"), say("budget.spent"), tip("σ", say("about.noise")),
        tip(say("budget.right"), say("budget.right_tip")), translated(points[0].measure), say("budget.gap"),
        say("budget.runs"),
    )  # fmt: skip
    rows, none = [], say("page.undefined")
    for point in points:
        bounded = not math.isinf(point.epsilon)
        rows.append((
            _named(point.asked), amount(point.epsilon) if bounded else none,
            none if point.noise is None else amount(point.noise),
            _percent(attack_bound(point.epsilon, delta)) if bounded else none, _band(point.quality),
            none if point.gap is None else _band(point.gap), str(point.seeds),
        ))  # fmt: skip
    label = say("budget.table")
    return f'<div class="tk-across" tabindex="0" role="region" aria-label="{label}">{table(heads, rows)}</div>'


def _percent(share: float) -> str:
    """A bound in per cent; it is never 100 where there is noise, so 99.9996 reads as above 99.9."""
    return f"{100 * share:.3g} %" if share < 0.9995 else "> 99.9 %"


def _band(band: Any) -> str:
    ends = (
        "" if band.low == band.high else f'<br><span class="tk-sub">{amount(band.low, 3)}–{amount(band.high, 3)}</span>'
    )
    return f"{amount(band.mean, 3)}{ends}"
