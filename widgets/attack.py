"""Attack and defend: accuracy by round without attackers, with them, and with a rule that withstands them."""

from __future__ import annotations

from typing import Any

import ipywidgets as w
from trustkit.widgets.attacked import Trio, drawing
from trustkit.widgets.guard import guarded
from trustkit.widgets.lab import Lab
from trustkit.widgets.more import offer
from trustkit.widgets.numbers import percent
from trustkit.widgets.page import Panel
from trustkit.widgets.slider import Slider
from trustkit.widgets.strings import say, say_html
from trustkit.widgets.translated import translated
from trustkit.widgets.view import View, card, tip

from trustkit import Experiment, RunRecord
from trustkit.catalogue import ALGORITHMS, ATTACKS, PANELS
from trustkit.comparison import DEFENCES, attackers_of
from trustkit.findings import client_names
from trustkit.rounds import partition_of

__all__ = ["SHARES", "AttackPanel"]

SHARES = tuple(k / 20 for k in range(1, 11))
_FEW = 10
"""Clients of a round below which one attacker weighs so much that the panel says so."""


@PANELS.enter("attack", title="Attack and defend")
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
        self.lab, self.trio = lab, Trio(lab, self._told)
        self._following = False
        self.attack = w.Dropdown(description=say("attack.menu"), options=[(say("page.none"), "")])
        self.share = Slider((0.2,), [percent(0.2)], 0.2, label=say("attack.share"))
        self.defence = w.Dropdown(description=say("attack.defence"), options=_rules(), value=self.trio.defence)
        self.compare = w.Button(description=say("attack.compare"), tooltip=say("attack.about_compare"))
        self.halt = w.Button(description=say("attack.halt"), tooltip=say("attack.about_halt"), disabled=True)
        self.compare.add_class("tk-primary")
        topics = ("setting", "progress", "outcome", "weights")
        self.head = View(lab, self._head, ("setting",), "attack")
        self.body = View(lab, drawing(self.trio), topics, "attacked")
        buttons = w.HBox([self.compare, self.halt])
        buttons.add_class("tk-buttons")
        choices = w.Box([self.attack, self.share, self.defence, buttons])
        choices.add_class("tk-choices")
        for widget, name in ((self.attack, "attack"), (self.share, "share"), (self.defence, "defence"),
                             (self.compare, "compare"), (self.halt, "halt")):  # fmt: skip
            widget.add_class(f"tk-a-{name}")
        self.box = Panel(lab, [self.head, choices, self.body], "attack")
        self.box.add_class("tk-framed")
        self.box.add_class("tk-attack")
        self._connect()
        lab.watch(self._hear)
        self._hear("setting")

    def _connect(self) -> None:
        self.attack.observe(guarded(self.lab, "attack", lambda event: self._move(attack=event.new)), "value")
        self.share.observe(guarded(self.lab, "attack", lambda _: self._slide()), "index")
        self.share.observe(guarded(self.lab, "attack", lambda _: self.lab.let_go()), "released")
        self.defence.observe(guarded(self.lab, "attack", lambda event: self._defend(event.new)), "value")
        self.compare.on_click(guarded(self.lab, "attack", lambda _: self.trio.playing.start()))
        self.halt.on_click(guarded(self.lab, "attack", lambda _: self.trio.playing.stop()))

    def _move(self, drag: str = "", **changes: Any) -> None:
        if not self._following:
            self.lab.change(drag, **changes)

    def _slide(self) -> None:
        self._move("share of attackers", more={**dict(self.lab.setting.more), "attack__share": self.share.value})

    def _defend(self, rule: str) -> None:
        self.trio.defence = rule
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
        if what in ("setting", "started", "progress", "outcome"):
            self._enable()

    def _enable(self) -> None:
        self.compare.disabled = self.trio.playing.busy or not self.trio.wanted()
        self.halt.disabled = not self.trio.playing.busy

    def _follow(self) -> None:
        setting, experiment = self.lab.setting, self.lab.experiment
        self.box.layout.display = "" if setting.across_rows else "none"
        attacks = [(translated(entry.title), name) for name, entry in ATTACKS.items()]
        offer(self.attack, [(say("page.none"), ""), *attacks], setting.attack)
        share = experiment.attack.args.get("share") if experiment is not None and experiment.attack else None
        for widget in (self.share, self.defence, self.compare, self.halt, self.body):
            widget.layout.display = "" if setting.attack else "none"
        self.share.layout.display = "" if share is not None else "none"
        if experiment is not None and share is not None:
            stops = SHARES if share in SHARES else tuple(sorted((*SHARES, share)))
            with self.share.hold_sync():
                self.share.offer(stops, [percent(stop) for stop in stops], share)
                who = attackers_of(experiment)
                clients = partition_of(experiment).parties
                self.share.hint = say("attack.who", attackers=0 if who is None else who.size, total=clients)

    def _head(self, lab: Lab) -> str:
        if not lab.setting.attack or not lab.setting.across_rows:
            return card(say("attack.title"), say("attack.choose"), "")
        if lab.experiment is None:
            return card(say("attack.title"), say("attack.unusable"), "")
        return card(say("attack.title"), _words(lab.experiment), "")


def _rules() -> list[tuple[str, str]]:
    """The algorithms across rows: those that defend first, with what they merge."""
    rows = {name: translated(entry.title) for name, entry in ALGORITHMS.items() if entry.axis == "rows"}
    able = [(say("attack.merges", rule=rows[name], merges=translated(merges)), name)
            for name, merges in DEFENCES.items() if name in rows]  # fmt: skip
    return able + [(say("attack.undefended", rule=title), name) for name, title in rows.items() if name not in DEFENCES]


def _listed(names: list[str], most: int = 12) -> str:
    if len(names) > most:
        return say("attack.more", names=", ".join(names[:most]), count=len(names) - most)
    if len(names) < 2:
        return "".join(names)
    return say("attack.both", names=", ".join(names[:-1]), last=names[-1])


def _words(experiment: Experiment) -> str:
    """Who attacks, what was asked and achieved, and how much one attacker weighs."""
    names, who = client_names(RunRecord(experiment)), attackers_of(experiment)
    text = say("attack.simulation")
    if who is not None and experiment.attack is not None:
        asked, total = experiment.attack.args["share"], len(names)
        told = _listed([translated(names[k]) for k in who]) or say("attack.nobody")
        text += say_html("attack.attacks", names=told, count=who.size)
        text += say("attack.achieved", asked=percent(asked), count=who.size, total=total)
        asked_in_a_round = max(1, round(experiment.participation * total))
        if asked_in_a_round < _FEW:
            text += say("attack.small", clients=asked_in_a_round, share=percent(1 / asked_in_a_round))
    defence = tip(say("attack.defence"), say("attack.about_defence"))
    return text + say_html("attack.differ", defence=defence)
