"""Strategies side by side, played as real runs: accuracy, gaps between groups, and bytes."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import Any

import ipywidgets as w
from trustkit.widgets.lab import Lab
from trustkit.widgets.more import offer
from trustkit.widgets.numbers import amount, bytes_text
from trustkit.widgets.playing import Playing, Wanted
from trustkit.widgets.view import View, bar, tip

from trustkit import Experiment, RunRecord
from trustkit.catalogue import ALGORITHMS
from trustkit.comparison import STRATEGIES, THRESHOLDS, Comparison, Outcome, adjust_thresholds, lineup
from trustkit.comparison.result import THRESHOLD, Band
from trustkit.plot import to_svg
from trustkit.plot.strategies import strategy_dots
from trustkit.rounds import data_of

__all__ = ["MOST_RUNS", "Strategies"]

MOST_RUNS = 30
"""So many results are kept beside others."""

_WAITING = "not played yet"
_FIRST = ("fedavg", "reweighing", "fairfed", THRESHOLDS)
_DRAWN, _NARROW = ("accuracy", "pooled_dd", "worst_dd", "worst_eod"), ("accuracy", "worst_dd")
_WRITTEN = ("accuracy", "worst_accuracy", "pooled_dd", "worst_dd", "worst_eod", "masking_gap")
_MASKED = "The worst client's DD minus that of all rows together, in the mean over the seeds. Source: FeDa4Fair."
_SENT = "Sent and received by all clients in all rounds, in the mean over the seeds. Source: counted as it is sent."
_SAME = (
    "Same clients, rows, model, rounds and seeds; step size, passes, batch and selector are those of the training. "
    "Another seed deals the rows anew. A difference inside the bands is noise of the seeds."
)


class Strategies:
    """The menu, the buttons and what came of it.

    Parameters
    ----------
    lab : Lab
        What plays.
    """

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.playing = Playing(lab, self.wanted, self._told, self._adjust)
        self._adjusted: dict[tuple[str, str], Outcome] = {}
        options = _offered()
        self.menu = w.SelectMultiple(
            options=options, value=[name for name in _FIRST if name in {key for _, key in options}], rows=6,
            description="strategies", tooltip="hold Ctrl, or Shift, to choose several",
        )  # fmt: skip
        self.groups = w.Dropdown(description="groups by", options=[("", "")])
        self.seeds = w.BoundedIntText(1, min=1, max=10, description="seeds", tooltip="runs of each strategy")
        self.compare = w.Button(description="Compare strategies", tooltip="train with each that is not there yet")
        self.halt = w.Button(description="Stop strategies", tooltip="what was trained is kept", disabled=True)
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
        self.box = w.VBox([w.HTML("<h3>Strategies compared</h3>"), choices, self.picture])
        for widget in (self.menu, self.groups, self.seeds):
            widget.observe(lambda _: self._told(), "value")
        self.compare.on_click(lambda _: self.playing.start())
        self.halt.on_click(lambda _: self.playing.stop())
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
            offer(self.groups, [(name, name) for name in names] or [("none", "")], value)
        if what in ("setting", "progress", "outcome"):
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
    rows = {name: entry.title for name, entry in ALGORITHMS.items() if entry.axis == "rows"}
    titles = {**rows, THRESHOLDS: "Thresholds by group"}
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
            label = f"Strategies by {found.attribute}: {_said(found)}"
            text = ""
            for name, measures in (("wide", _DRAWN), ("narrow", _NARROW)):
                pictures[name] = strategy_dots(found, measures, pictures.get(name), stacked=name == "narrow")
                text += f'<div class="tk-only-{name}">{to_svg(pictures[name], label)}</div>'
            drawn.update(marks=marks, text=text + _table(found))
        return str(drawn["text"])

    def draw(lab: Lab) -> str:
        found = parts.comparison()
        if found is None:
            return f'<p class="tk-sub">{_nothing(parts)}</p>'
        text = f"Gaps by {html.escape(found.attribute)} on held-out rows · {tip('what differs', _SAME)}"
        body = picture(found) if len(found.outcomes) - len(found.refused) > 1 else ""
        return f'<p class="tk-sub">{text}</p>{_status(parts)}{body}{_problems(found)}'

    return draw


def _said(found: Comparison) -> str:
    bands = {name: found.bands(name) for name in found.outcomes if name not in found.refused}
    return "; ".join(
        f"{name}: accuracy {amount(band['accuracy'].mean, 3)}, DD worst client {amount(band['worst_dd'].mean, 3)}"
        for name, band in bands.items()
    )


def _nothing(parts: Strategies) -> str:
    if not parts.lab.setting.across_rows or not parts.attribute:
        return "n/a: this data set names no protected attribute"
    if not parts.menu.value:
        return "Choose at least one strategy."
    return f"Choose fewer strategies or seeds: at most {MOST_RUNS} runs are kept."


def _status(parts: Strategies) -> str:
    """Which run is being played and how many are there."""
    wanted = dict.fromkeys(parts.wanted().values())
    records = [parts.playing.record(each) for each in wanted]
    done, total = sum(len(record) for record in records), sum(each.rounds for each in wanted)
    now = parts.playing.now
    if now is not None:
        rule, played = ALGORITHMS[now.algorithm.name].title, len(parts.playing.record(now))
        words = f"{html.escape(rule)}, seed {now.seed}: round {played} of {now.rounds}"
    elif parts.playing.busy:
        words = "measuring …"
    elif done == total:
        words = "all runs are there"
    else:
        whole = sum(record.complete for record in records)
        words = f"{whole} of {len(records)} runs are there; Compare strategies plays the rest"
    return bar("rounds of strategies", done, total, words)


def _cell(band: Band, seeds: int) -> str:
    if band.mean != band.mean:
        return "n/a"
    wide = f'<br><span class="tk-sub">{band.low:.3f}–{band.high:.3f}</span>' if seeds > 1 else ""
    return f"{band.mean:.3f}{wide}"


def _table(found: Comparison) -> str:
    heads = ["accuracy", "worst client", "DD pooled", "DD worst client", "EOD worst client",
             tip("masking gap", _MASKED), f"DD over {THRESHOLD:g}", tip("traffic", _SENT)]  # fmt: skip
    lines = ""
    for name in found.outcomes:
        if name in found.refused:
            continue
        bands, n = found.bands(name), len(found.seeds)
        cells = [_cell(bands[each], n) for each in _WRITTEN]
        cells += [f"{bands['over'].mean:.0%}" if bands["over"].mean == bands["over"].mean else "n/a",
                  bytes_text(1e6 * bands["megabytes"].mean)]  # fmt: skip
        row = "".join(f"<td>{cell}</td>" for cell in cells)
        lines += f'<tr><th scope="row">{html.escape(name)}</th>{row}</tr>'
    top = "".join(f'<th scope="col">{head}</th>' for head in ("", *heads))
    table = f'<table class="tk-table"><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table>'
    return f'<div class="tk-across" tabindex="0" role="region" aria-label="strategies compared">{table}</div>'


def _problems(found: Comparison) -> str:
    """What cannot be played, in the library's words."""
    return "".join(f'<p class="tk-caveat" role="alert">{html.escape(name)}: {html.escape(why)}</p>'
                   for name, why in found.refused.items() if why != _WAITING)  # fmt: skip
