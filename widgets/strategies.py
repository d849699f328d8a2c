"""Strategies side by side, played as real runs: accuracy, gaps between groups, and bytes."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import Any

import ipywidgets as w
from trustkit.widgets.figures import to_svg
from trustkit.widgets.guard import guarded
from trustkit.widgets.lab import Lab
from trustkit.widgets.more import offer
from trustkit.widgets.numbers import amount, bytes_text, percent
from trustkit.widgets.playing import Playing, Wanted
from trustkit.widgets.shapes import shaped
from trustkit.widgets.strings import say, say_html
from trustkit.widgets.translated import english, translated
from trustkit.widgets.view import View, bar, tip

from trustkit import Experiment, RunRecord
from trustkit.catalogue import ALGORITHMS
from trustkit.comparison import STRATEGIES, THRESHOLDS, Comparison, Outcome, adjust_thresholds, lineup
from trustkit.comparison.result import THRESHOLD, Band
from trustkit.plot.strategies import strategy_dots
from trustkit.rounds import data_of

__all__ = ["MOST_RUNS", "Strategies"]

MOST_RUNS = 30
"""So many results are kept beside others."""

_WAITING = "waiting"
"""Instead of a reason, where a run is still to be played; not shown."""

_FIRST = ("fedavg", "reweighing", "fairfed", THRESHOLDS)
_MEASURES = {"wide": ("accuracy", "pooled_dd", "worst_dd", "worst_eod"), "narrow": ("accuracy", "worst_dd")}
_WRITTEN = ("accuracy", "worst_accuracy", "pooled_dd", "worst_dd", "worst_eod", "masking_gap")


class Strategies:
    """The menu, the buttons and what came of it.

    Parameters
    ----------
    lab : Lab
        What plays.
    """

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.playing = Playing(lab, self.wanted, self._told, self._adjust, "groups")
        self._adjusted: dict[tuple[str, str], Outcome] = {}
        options = _offered()
        self.menu = w.SelectMultiple(
            options=options, value=[name for name in _FIRST if name in {key for _, key in options}], rows=6,
            description=say("strategies.menu"), tooltip=say("strategies.about_menu"),
        )  # fmt: skip
        self.groups = w.Dropdown(description=say("strategies.groups"), options=[("", "")])
        words = {"description": say("strategies.seeds"), "tooltip": say("strategies.about_seeds")}
        self.seeds = w.BoundedIntText(1, min=1, max=10, **words)
        self.compare = w.Button(description=say("strategies.compare"), tooltip=say("strategies.about_compare"))
        self.halt = w.Button(description=say("strategies.halt"), tooltip=say("strategies.about_halt"), disabled=True)
        self.compare.add_class("tk-primary")
        named = {"menu": self.menu, "groups": self.groups, "seeds": self.seeds, "compare": self.compare,
                 "halt": self.halt}  # fmt: skip
        for name, widget in named.items():
            widget.add_class(f"tk-s-{name}")
        self.picture = View(lab, _drawing(self), ("setting", "progress", "outcome"), "strategies")
        buttons = w.HBox([self.compare, self.halt])
        buttons.add_class("tk-buttons")
        choices = w.Box([self.menu, self.groups, self.seeds, buttons])
        choices.add_class("tk-choices")
        self.box = w.VBox([w.HTML(f"<h3>{say('strategies.title')}</h3>"), choices, self.picture])
        for widget in (self.menu, self.groups, self.seeds):
            widget.observe(guarded(lab, "groups", lambda _: self._told()), "value")
        self.compare.on_click(guarded(lab, "groups", lambda _: self.playing.start()))
        self.halt.on_click(guarded(lab, "groups", lambda _: self.playing.stop()))
        lab.watch(self._hear)
        self._hear("setting")

    @property
    def attribute(self) -> str:
        """The attribute that strategies care for, and that gaps are about; empty where the data have none."""
        known = () if self.lab.experiment is None else tuple(data_of(self.lab.experiment).sensitive)
        return self.groups.value if self.groups.value in known else next(iter(known), "")

    def wanted(self) -> dict[Any, Experiment]:
        """Return what the menus ask for.

        Returns
        -------
        dict of (str, int) to Experiment
            As `trustkit.comparison.lineup`; empty if nothing can be compared.
        """
        experiment, names = self.lab.experiment, tuple(self.menu.value)
        if not self.attribute or not names or not self.lab.setting.across_rows or experiment is None:
            return {}
        seeds = range(experiment.seed, experiment.seed + self.seeds.value)
        wanted = lineup(experiment, names, seeds, self.attribute)
        return wanted if len(set(wanted.values())) <= MOST_RUNS else {}

    def comparison(self) -> Comparison | None:
        """Return what is there of it.

        Returns
        -------
        Comparison or None
            A strategy that has not been played for every seed yet, or cannot be, is in it with the reason; ``None`` if
            nothing is wanted.
        """
        wanted = self.wanted()
        if not wanted or self.lab.experiment is None:
            return None
        titles = {name: title for title, name in self.menu.options}
        seeds = dict.fromkeys(seed for _, seed in wanted)
        found = {titles[name]: tuple(self._outcome(name, wanted[name, seed]) for seed in seeds)
                 for name in self.menu.value}  # fmt: skip
        return Comparison(self.lab.experiment, self.attribute, tuple(seeds), found)

    def _outcome(self, name: str, experiment: Experiment) -> Outcome:
        record = self.playing.record(experiment)
        if experiment.key in self.playing.errors:
            return Outcome(refused=str(self.playing.errors[experiment.key]))
        if not record.complete:
            return Outcome(refused=_WAITING)
        if name != THRESHOLDS:
            return Outcome(record.last.accuracy, record.groups, _sent(record))
        return self._adjusted.get((experiment.key, self.attribute), Outcome(refused=_WAITING))

    def _adjust(self, asked: Wanted) -> None:
        """Choose thresholds on the runs that ask for them; it runs in a thread."""
        for (name, _), experiment in asked.items():
            record, mark = self.playing.record(experiment), (experiment.key, self.attribute)
            if name == THRESHOLDS and record.complete and mark not in self._adjusted:
                try:
                    found = adjust_thresholds(record, self.attribute)
                    self._adjusted[mark] = Outcome(found.accuracy, found.groups, _sent(record))
                except ValueError as error:
                    self._adjusted[mark] = Outcome(refused=str(error))

    def _hear(self, what: str) -> None:
        if what == "setting" and self.lab.experiment is not None:
            names, value = tuple(data_of(self.lab.experiment).sensitive), self.attribute
            offer(self.groups, [(name, name) for name in names] or [(say("page.none"), "")], value)
        if what in ("setting", "started", "progress", "outcome"):
            self._enable()

    def _told(self) -> None:
        self._enable()
        self.picture.refresh()

    def _enable(self) -> None:
        self.compare.disabled = self.playing.busy or not self.wanted()
        self.halt.disabled = not self.playing.busy


def _sent(record: RunRecord) -> float:
    return float(record.bytes_up.sum() + record.bytes_down.sum())


def _offered() -> list[tuple[str, str]]:
    """Titles and names: those that care for groups or clients first, then all others across rows."""
    rows = {name: translated(entry.title) for name, entry in ALGORITHMS.items() if entry.axis == "rows"}
    titles = {**rows, THRESHOLDS: say("strategies.thresholds")}
    first = [name for name in STRATEGIES if name in titles]
    return [(titles[name], name) for name in (*first, *(name for name in rows if name not in first))]


def _drawing(parts: Strategies) -> Callable[[Lab], str]:
    pictures: dict[str, Any] = {}
    drawn: dict[str, Any] = {"marks": None, "text": ""}

    def picture(found: Comparison) -> str:
        """Drawn anew only if another run is there."""
        keys = tuple((name, seed, each.key) for (name, seed), each in parts.wanted().items())
        marks = found.attribute, keys, tuple(found.refused.items())
        if drawn["marks"] != marks:
            label = say("strategies.label", attribute=found.attribute, said=_said(found))

            def shape_of(shape: str) -> str:
                measures, narrow = _MEASURES[shape], shape == "narrow"
                pictures[shape] = figure = strategy_dots(found, measures, pictures.get(shape), stacked=narrow)
                return to_svg(figure, label)

            drawn.update(marks=marks, text=shaped(shape_of) + _table(found))
        return str(drawn["text"])

    def draw(lab: Lab) -> str:
        found = parts.comparison()
        if found is None:
            return f'<p class="tk-sub">{_nothing(parts)}</p>'
        differs = tip(say("strategies.differs"), say("strategies.about_differs"))
        text = say_html("strategies.gaps", attribute=found.attribute, differs=differs)
        body = picture(found) if len(found.outcomes) - len(found.refused) > 1 else ""
        return f'<p class="tk-sub">{text}</p>{_status(parts)}{body}{_problems(found)}'

    return draw


def _said(found: Comparison) -> str:
    bands = {name: found.bands(name) for name in found.outcomes if name not in found.refused}
    return "; ".join(
        say(
            "strategies.said",
            name=name,
            accuracy=amount(band["accuracy"].mean, 3),
            gap=amount(band["worst_dd"].mean, 3),
        )
        for name, band in bands.items()
    )


def _nothing(parts: Strategies) -> str:
    if not parts.lab.setting.across_rows or not parts.attribute:
        return say("fairness.none")
    if not parts.menu.value:
        return say("strategies.choose")
    return say("strategies.fewer", most=MOST_RUNS)


def _status(parts: Strategies) -> str:
    """Which run is being played and how many are there."""
    wanted = dict.fromkeys(parts.wanted().values())
    records = [parts.playing.record(each) for each in wanted]
    done, total = sum(len(record) for record in records), sum(each.rounds for each in wanted)
    now = parts.playing.now
    if now is not None:
        rule, played = translated(ALGORITHMS[now.algorithm.name].title), len(parts.playing.record(now))
        words: str = say_html("strategies.playing", rule=rule, seed=now.seed, done=played, total=now.rounds)
    elif parts.playing.busy:
        words = say("strategies.measuring")
    elif done == total:
        words = say("strategies.done")
    else:
        whole = sum(record.complete for record in records)
        words = say("strategies.partly", whole=whole, total=len(records))
    return bar(say("strategies.bar"), done, total, words)


def _cell(band: Band, seeds: int) -> str:
    if band.mean != band.mean:
        return say("page.undefined")
    wide = f'<br><span class="tk-sub">{band.low:.3f}–{band.high:.3f}</span>' if seeds > 1 else ""
    return f"{band.mean:.3f}{wide}"


def _table(found: Comparison) -> str:
    heads = [say("strategies.accuracy"), say("strategies.worst"), say("strategies.dd_pooled"),
             say("strategies.dd_worst"), say("strategies.eod_worst"),
             tip(say("strategies.masking"), say("strategies.about_masking")),
             say("strategies.dd_over", line=f"{THRESHOLD:g}"),
             tip(say("strategies.traffic"), say("strategies.about_traffic"))]  # fmt: skip
    lines = ""
    for name in found.outcomes:
        if name in found.refused:
            continue
        bands, n = found.bands(name), len(found.seeds)
        cells = [_cell(bands[each], n) for each in _WRITTEN]
        over = bands["over"].mean
        cells += [percent(over) if over == over else say("page.undefined"), bytes_text(1e6 * bands["megabytes"].mean)]
        row = "".join(f"<td>{cell}</td>" for cell in cells)
        lines += f'<tr><th scope="row">{html.escape(name)}</th>{row}</tr>'
    top = "".join(f'<th scope="col">{head}</th>' for head in ("", *heads))
    table = f'<table class="tk-table"><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table>'
    return f'<div class="tk-across" tabindex="0" role="region" aria-label="{say("strategies.table")}">{table}</div>'


def _problems(found: Comparison) -> str:
    """What cannot be played, in the library's words."""
    return "".join(f'<p class="tk-caveat" role="alert">{html.escape(name)}: {english(html.escape(why))}</p>'
                   for name, why in found.refused.items() if why != _WAITING)  # fmt: skip
