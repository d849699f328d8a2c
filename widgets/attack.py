"""Attack and defend: accuracy by round without attackers, with them, and with a rule that withstands them."""

from __future__ import annotations

import html
from typing import Any

import ipywidgets as w
from trustkit.widgets.attacked import Trio, drawing
from trustkit.widgets.lab import Lab
from trustkit.widgets.more import offer
from trustkit.widgets.page import Panel
from trustkit.widgets.slider import Slider
from trustkit.widgets.view import View, card, tip

from trustkit import Experiment, RunRecord
from trustkit.catalogue import ALGORITHMS, ATTACKS, PANELS
from trustkit.comparison import DEFENCES, attackers_of
from trustkit.findings import client_names
from trustkit.rounds import partition_of

__all__ = ["SHARES", "AttackPanel"]

SHARES = tuple(k / 20 for k in range(1, 11))
_TITLE = "Attack and defend"
_FEW = 10
"""Clients of a round below which one attacker weighs so much that the panel says so."""

_CHOOSE = "Choose an attack: some of the clients then poison what they train on, or what they send. A simulation."
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
        self.lab, self.trio = lab, Trio(lab, self._told)
        self._following = False
        self.attack = w.Dropdown(description="attack", options=[("none", "")])
        self.share = Slider((0.2,), ["20%"], 0.2, label="share of attackers")
        self.defence = w.Dropdown(description="defence", options=_rules(), value=self.trio.defence)
        self.compare = w.Button(
            description="Compare", tooltip="train without attackers, with them, and with the defence"
        )
        self.halt = w.Button(description="Stop comparison", tooltip="what was trained is kept", disabled=True)
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
        self.box = Panel(lab, [self.head, choices, self.body])
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
        self.compare.on_click(lambda _: self.trio.playing.start())
        self.halt.on_click(lambda _: self.trio.playing.stop())

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
        if what in ("setting", "progress", "outcome"):
            self._enable()

    def _enable(self) -> None:
        self.compare.disabled = self.trio.playing.busy or not self.trio.wanted()
        self.halt.disabled = not self.trio.playing.busy

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


def _listed(names: list[str], most: int = 12) -> str:
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _words(experiment: Experiment) -> str:
    """Who attacks, what was asked and achieved, and how much one attacker weighs."""
    names, who = client_names(RunRecord(experiment)), attackers_of(experiment)
    text = "A simulation: "
    if who is not None and experiment.attack is not None:
        asked, total = experiment.attack.args["share"], len(names)
        told = _listed([names[k] for k in who])
        verb = "attacks" if who.size == 1 else "attack"
        text += f"{html.escape(told) or 'nobody'} {verb}; asked {asked:.0%}, achieved {who.size} of {total} clients. "
        asked_in_a_round = max(1, round(experiment.participation * total))
        if asked_in_a_round < _FEW:
            text += (f"† A small federation: in a round of {asked_in_a_round} one attacker is "
                     f"{1 / asked_in_a_round:.0%} of the clients. ")  # fmt: skip
    return text + f"The three runs differ in nothing but attack and {tip('defence', _TOLD)}."
