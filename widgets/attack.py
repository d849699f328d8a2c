"""Attack and defend: accuracy by round without attackers, with them, and with a rule that withstands them."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping
from typing import Any

import ipywidgets as w
import numpy as np
from trustkit.widgets.comparison import DEFENCES, Comparison, attackers_of
from trustkit.widgets.lab import Lab
from trustkit.widgets.more import offer
from trustkit.widgets.numbers import amount
from trustkit.widgets.slider import Slider
from trustkit.widgets.view import View, card, tip

from trustkit import Experiment, RunRecord, metrics, plot
from trustkit.catalogue import ALGORITHMS, ATTACKS, PANELS
from trustkit.findings import client_names
from trustkit.rounds import partition_of

__all__ = ["SHARES", "AttackPanel"]

SHARES = tuple(k / 20 for k in range(1, 11))
_TITLE = "Attack and defend"
_FEW = 10
"""Clients of a round below which one attacker weighs so much that the panel says so."""

_CHOOSE = "Choose an attack: some of the clients then poison what they train on, or what they send. A simulation."
_KEPT = (
    "Mean accuracy over clients under attack ÷ without the attack, at most 1, after the same round. Guessing keeps "
    "much of a low accuracy, so read it beside the accuracy. Source: FederatedTrust, Poisoning Defense."
)
_SUCCESS = (
    "Share of held-out rows of other classes that the model gives the attackers' class once they carry the pattern; at "
    "most 1,000 evenly spread rows, after the last round. Source: Gu et al. (2017); Bagdasaryan et al. (2020)."
)
_TOLD = (
    "Learning rate, passes, batch and selector are those of the training. A rule that has to know how many attackers "
    "there are is told the attack's share, up to the most that it takes: the best case for the defence."
)


@PANELS.enter("attack", title=_TITLE)
def AttackPanel(lab: Lab | None = None) -> w.VBox:  # noqa: N802 (a panel reads as a thing)
    """Choose an attack, its share of the clients and a defence; compare accuracy by round and what is kept of it.

    Parameters
    ----------
    lab : Lab, optional
        The shared state; by default one of its own.

    Returns
    -------
    ipywidgets.VBox
        A widget; hidden across columns.
    """
    return _Panel(lab or Lab()).box


class _Panel:
    """The controls and the two views, and what they tell one another."""

    def __init__(self, lab: Lab) -> None:
        self.lab, self.comparison = lab, Comparison(lab, self._told)
        self._following = False
        self.attack = w.Dropdown(description="attack", options=[("none", "")])
        self.share = Slider((0.2,), ["20%"], 0.2, label="share of attackers")
        self.defence = w.Dropdown(description="defence", options=_rules(), value=self.comparison.defence)
        self.compare = w.Button(
            description="Compare", tooltip="train without attackers, with them, and with the defence"
        )
        self.halt = w.Button(description="Stop comparison", tooltip="what was trained is kept", disabled=True)
        self.compare.add_class("tk-primary")
        topics = ("setting", "progress", "outcome")
        self.head = View(lab, self._head, ("setting",), "attack")
        self.body = View(lab, _drawing(self.comparison), topics, "attacked")
        buttons = w.HBox([self.compare, self.halt])
        buttons.add_class("tk-buttons")
        choices = w.Box([self.attack, self.share, self.defence, buttons])
        choices.add_class("tk-choices")
        for widget, name in ((self.attack, "attack"), (self.share, "share"), (self.defence, "defence"),
                             (self.compare, "compare"), (self.halt, "halt")):  # fmt: skip
            widget.add_class(f"tk-a-{name}")
        self.box = w.VBox([self.head, choices, self.body])
        self.box.add_class("tk-framed")
        self.box.add_class("tk-attack")
        self._connect()
        lab.watch(self._hear)
        self._hear("setting")

    def _connect(self) -> None:
        self.attack.observe(lambda event: self._move(attack=event.new), "value")
        self.share.observe(lambda _: self._slide(), "index")
        self.share.observe(lambda _: self.lab.let_go(), "released")
        self.defence.observe(lambda event: self._defend(event.new), "value")
        self.compare.on_click(lambda _: self.comparison.start())
        self.halt.on_click(lambda _: self.comparison.stop())

    def _move(self, drag: str = "", **changes: Any) -> None:
        if not self._following:
            self.lab.change(drag, **changes)

    def _slide(self) -> None:
        self._move("share of attackers", more={**dict(self.lab.setting.more), "attack__share": self.share.value})

    def _defend(self, rule: str) -> None:
        self.comparison.defence = rule
        self._told()

    def _told(self) -> None:
        self._enable()
        self.head.refresh()
        self.body.refresh()

    def _hear(self, what: str) -> None:
        if what == "setting":
            self._following = True
            try:
                self._follow()
            finally:
                self._following = False
        if what in ("setting", "progress", "outcome"):
            self._enable()

    def _enable(self) -> None:
        self.compare.disabled = bool(self.comparison.now) or not self.comparison.wanted()
        self.halt.disabled = not self.comparison.now

    def _follow(self) -> None:
        setting, experiment = self.lab.setting, self.lab.experiment
        self.box.layout.display = "" if setting.across_rows else "none"
        offer(self.attack, [("none", ""), *((entry.title, name) for name, entry in ATTACKS.items())], setting.attack)
        share = experiment.attack.args.get("share") if experiment is not None and experiment.attack else None
        for widget in (self.share, self.defence, self.compare, self.halt, self.body):
            widget.layout.display = "" if setting.attack else "none"
        self.share.layout.display = "" if share is not None else "none"
        if experiment is not None and share is not None:
            stops = SHARES if share in SHARES else tuple(sorted((*SHARES, share)))
            with self.share.hold_sync():
                self.share.offer(stops, [f"{stop:.0%}" for stop in stops], share)
                who = attackers_of(experiment)
                clients = partition_of(experiment).parties
                self.share.hint = f"{0 if who is None else who.size} of {clients} clients"

    def _head(self, lab: Lab) -> str:
        if not lab.setting.attack or not lab.setting.across_rows:
            return card(_TITLE, _CHOOSE, "")
        if lab.experiment is None:
            return card(_TITLE, "nothing to compare: the red card above says why", "")
        return card(_TITLE, _words(lab.experiment), "")


def _rules() -> list[tuple[str, str]]:
    """The algorithms across rows: those that defend first, with what they merge."""
    rows = {name: entry.title for name, entry in ALGORITHMS.items() if entry.axis == "rows"}
    able = [(f"{rows[name]}: {merges}", name) for name, merges in DEFENCES.items() if name in rows]
    return able + [(f"{title} (no defence)", name) for name, title in rows.items() if name not in DEFENCES]


def _words(experiment: Experiment) -> str:
    """Who attacks, what was asked and achieved, and how much one attacker weighs."""
    names, who = client_names(RunRecord(experiment)), attackers_of(experiment)
    text = "A simulation: "
    if who is not None and experiment.attack is not None:
        asked, total = experiment.attack.args["share"], len(names)
        told = ", ".join(names[k] for k in who[:12]) + (" …" if who.size > 12 else "")
        verb = "attacks" if who.size == 1 else "attack"
        text += f"{html.escape(told) or 'nobody'} {verb}; asked {asked:.0%}, achieved {who.size} of {total} clients. "
        asked_in_a_round = max(1, round(experiment.participation * total))
        if asked_in_a_round < _FEW:
            text += (f"† A small federation: in a round of {asked_in_a_round} one attacker is "
                     f"{1 / asked_in_a_round:.0%} of the clients. ")  # fmt: skip
    return text + f"The three runs differ in nothing but attack and {tip('defence', _TOLD)}."


def _kept(record: RunRecord, clean: RunRecord) -> float | None:
    """Accuracy kept after the last round that both have; ``None`` if there is none."""
    last = min(len(record), len(clean))
    if not last:
        return None
    return float(np.minimum(1.0, metrics.poisoning_defence(record.accuracy[last - 1], clean.accuracy[last - 1])))


def _drawing(comparison: Comparison) -> Callable[[Lab], str]:
    pictures: dict[str, Any] = {}
    drawn: dict[str, Any] = {"marks": None}

    def picture(runs: Mapping[str, RunRecord], experiment: Experiment) -> str:
        """Drawn anew only if a run has gone on, or is another one."""
        marks = tuple((name, record.experiment.key, len(record)) for name, record in runs.items())
        if drawn["marks"] != marks:
            said = [f"{name} {amount(_mean(run))} after round {len(run)}" for name, run in runs.items() if len(run)]
            label = "Accuracy by round: " + (", ".join(said) or "no round yet")
            parts = []
            for name in ("wide", "narrow"):
                figure = plot.accuracy_under_attack(runs, attackers_of(experiment), name == "wide", pictures.get(name))
                pictures[name] = figure
                parts.append(f'<div class="tk-only-{name}">{plot.to_svg(figure, label)}</div>')
            drawn.update(marks=marks, text="".join(parts))
        return str(drawn["text"])

    def draw(lab: Lab) -> str:
        trio = comparison.wanted()
        if not trio or not lab.setting.across_rows:
            return ""
        runs = {name: comparison.record(experiment) for name, experiment in trio.items()}
        if not any(len(record) for record in runs.values()) and not comparison.now:
            text = '<p class="tk-sub">Nothing compared yet: press Compare.</p>'
        else:
            beside = _table(comparison, trio, runs)
            text = f'<div class="tk-compared">{picture(runs, trio["attacked"])}<div>{beside}</div></div>'
        return f'<div class="tk-inner">{_status(comparison, runs)}{text}{_problems(comparison, trio)}</div>'

    return draw


def _mean(record: RunRecord) -> float:
    known = record.last.accuracy[np.isfinite(record.last.accuracy)]
    return float(known.mean()) if known.size else float("nan")


def _status(comparison: Comparison, runs: Mapping[str, RunRecord]) -> str:
    """Which run is being played and how far all of them are."""
    total = sum(record.experiment.rounds for record in runs.values())
    done = sum(len(record) for record in runs.values())
    now = comparison.now
    if now in runs:
        played = f"round {len(runs[now])} of {runs[now].experiment.rounds}"
        words = f"{list(runs).index(now) + 1} of {len(runs)}: {now}, {played}"
    elif done == total:
        words = "all runs are there"
    else:
        words = f"{done} of {total} rounds are there; Compare plays the rest"
    return (
        '<div class="tk-status"><div class="tk-bar" role="progressbar" aria-label="rounds compared" aria-valuemin="0" '
        f'aria-valuemax="{total}" aria-valuenow="{done}"><i style="width:{100 * done / max(total, 1):.1f}%"></i></div>'
        f'<div class="tk-state" role="status">{words}</div></div>'
    )


def _table(comparison: Comparison, trio: Mapping[str, Experiment], runs: Mapping[str, RunRecord]) -> str:
    backdoor = any(comparison.success(name) is not None for name in runs)
    heads = ["", "accuracy", tip("kept", _KEPT)] + ([tip("backdoor", _SUCCESS)] if backdoor else [])
    lines = ""
    for name, record in runs.items():
        rule = ALGORITHMS[trio[name].algorithm.name].title
        cells = [amount(_mean(record) if len(record) else None, 3)]
        kept = None if name == "clean" else _kept(record, runs["clean"])
        cells.append("" if name == "clean" else "–" if kept is None else "n/a" if kept != kept else f"{kept:.0%}")
        success = comparison.success(name)
        cells += ["–" if success is None else "n/a" if success != success else f"{success:.0%}"] if backdoor else []
        lines += f'<tr><th scope="row">{name}<br><span class="tk-sub">{html.escape(rule)}</span></th>'
        lines += "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
    top = "".join(f'<th scope="col">{head}</th>' for head in heads)
    marks = '<p class="tk-sub">× a round in which attackers took part</p>'
    return f'<table class="tk-table"><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table>{marks}'


def _problems(comparison: Comparison, trio: Mapping[str, Experiment]) -> str:
    """What cannot be played, in the library's words; the other runs are there all the same."""
    found = {name: comparison.errors.get(experiment.key) for name, experiment in trio.items()}
    text = "".join(f'<p class="tk-caveat" role="alert">{name}: {html.escape(str(error))}</p>'
                   for name, error in found.items() if error is not None)  # fmt: skip
    return text if "defended" in trio else f'{text}<p class="tk-sub">The training is this rule already.</p>'
