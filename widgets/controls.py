"""The controls: α, β, ε, K and the selection rate as sliders, menus read off the catalogues, and Run, Step, Stop."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import ipywidgets as w
from trustkit.widgets.guard import guarded
from trustkit.widgets.hints import hints, most_parties, parties
from trustkit.widgets.lab import Lab
from trustkit.widgets.more import More, offer
from trustkit.widgets.numbers import count, percent
from trustkit.widgets.paced import Paced
from trustkit.widgets.public import caps
from trustkit.widgets.runs import Runs
from trustkit.widgets.setting import Setting, choices
from trustkit.widgets.slider import Slider
from trustkit.widgets.strings import say
from trustkit.widgets.translated import translated
from trustkit.widgets.view import View
from trustkit.widgets.words import status

from trustkit.catalogue import DATASETS, MODELS
from trustkit.rng import stream

__all__ = ["ALPHAS", "BETAS", "CLIENTS", "EPSILONS", "ROUNDS", "SELECTIONS", "Controls"]

ALPHAS = (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100)
BETAS = tuple(k / 50 for k in range(51))
EPSILONS = (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50, math.inf)
CLIENTS = (*range(2, 21), *range(25, 101, 5))
SELECTIONS = tuple(k / 20 for k in range(1, 21))
ROUNDS = (1, 2, 3, 4, 5, 8, 10, 15, 20, 25, 30, 40, 50, 75, 100, 200)

MARKS = {"alpha": ["0.1", "1", "10", "100"], "beta": ["0.00", "0.30", "0.60", "1.00"]}
"""Stops with a tick: the values of VertiBench's experiments."""

_LATE = 0.8
"""Seconds after Run in which a slider's last move may still come in; nobody moves a slider so soon after a click."""


def another(seed: int) -> int:
    """Return a seed to play with instead of one: the same after the same, so that a lesson's numbers are known.

    Parameters
    ----------
    seed : int
        The one that the controls stand on.

    Returns
    -------
    int
        Another one, from 0 to 9999.
    """
    drawn = int(stream(seed, "another").integers(10_000))
    return drawn if drawn != seed else (drawn + 1) % 10_000


def _epsilon(value: float) -> str:
    return say("controls.off") if math.isinf(value) else f"{value:g}"


_STOPS: dict[str, tuple[tuple[Any, ...], Callable[[Any], str], str]] = {
    "alpha": (ALPHAS, "{:g}".format, "α"),
    "beta": (BETAS, "{:.2f}".format, "β"),
    "epsilon": (EPSILONS, _epsilon, "ε"),
    "clients": (CLIENTS, str, "K"),
    "selection": (SELECTIONS, percent, "q"),
    "rounds": (ROUNDS, str, "T"),
}
"""What each slider stops at, how that reads, and its symbol."""


def _caps() -> dict[str, float]:
    """The most that a slider offers on a public page."""
    most = caps()
    return {} if most is None else {"rounds": most.rounds}


def _tables(setting: Setting) -> list[tuple[str, str]]:
    """The data sets of the menu; a part of one is called after the whole."""
    titles = {name: translated(entry.title) for name, entry in DATASETS.items() if not entry.reads}
    name = setting.data if setting.across_rows else setting.table
    if name == "sampled":
        part = DATASETS[name].arguments(setting.further("data"))
        whole = titles.get(part["of"], part["of"])
        titles[name] = say("controls.part", data=whole, rows=count(part["rows"]))
    return [(title, name) for name, title in titles.items()]


def _place(name: str, slider: Slider, value: Any, most: float) -> None:
    """Put a slider on a value; one from elsewhere becomes a stop, so that it never shows what is not so."""
    stops, spell, _ = _STOPS[name]
    stops = tuple(stop for stop in stops if stop <= most)
    if isinstance(value, tuple):
        stops = (*stops, value)
    elif value not in stops:
        stops = tuple(sorted((*stops, value)))
    texts = [", ".join(f"{v:g}" for v in stop) if isinstance(stop, tuple) else spell(stop) for stop in stops]
    slider.offer(stops, texts, value)


class Controls:
    """The control card.

    Parameters
    ----------
    lab : Lab
        What it moves.
    """

    def __init__(self, lab: Lab) -> None:
        self.lab, self._following = lab, False
        self._pressed = ("stop", 0.0)
        self.axis = w.ToggleButtons(options=[(say("controls.rows"), "rows"), (say("controls.columns"), "columns")])
        self.data = w.Dropdown(description=say("controls.data"))
        self.split = w.Dropdown(description=say("controls.split"))
        self.algorithm = w.Dropdown(description=say("controls.training"))
        self.model = w.Dropdown(description=say("controls.model"))
        protected = [(say("controls.one_row"), "example"), (say("controls.one_client"), "client")]
        self.level = w.Dropdown(description=say("controls.level"), options=protected)
        self.sliders = {
            name: Slider((0,), [""], 0, symbol=symbol, marks=MARKS.get(name, []))
            for name, (_, _, symbol) in _STOPS.items()
        }
        self.sliders["beta"].about = say("about.beta")
        self.sliders["epsilon"].about = f"{say('about.epsilon')} {say('about.noise')}"
        self.sliders["selection"].about = say("about.selected")
        self.seed = w.BoundedIntText(description=say("controls.seed"), min=-(2**53), max=2**53)
        self.auto = w.Checkbox(description=say("controls.auto"), value=lab.auto, indent=False)
        if not isinstance(lab.player.work, Paced):
            lab.player.work = Paced(lab.player.work)
        pace: Paced = lab.player.work
        self.slow = w.Checkbox(
            pace.slow, description=say("controls.slow"), tooltip=say("controls.about_slow"), indent=False
        )
        self.slow.observe(guarded(lab, "controls", lambda event: setattr(pace, "slow", event.new)), "value")
        self.dice = w.Button(description=say("controls.dice"), tooltip=say("controls.about_dice"))
        self.dice.on_click(guarded(lab, "controls", lambda _: self._moved({"seed": another(self.seed.value)})))
        seeded = w.HBox([self.seed, self.dice])
        seeded.add_class("tk-seeded")
        self._more = More(lab, seeded, self._moved, self._further)
        self.more = self._more.box
        self.buttons = {name: w.Button(description=say(f"controls.{name}"), tooltip=say(f"controls.about_{name}"))
                        for name in ("run", "step", "stop")}  # fmt: skip
        self.buttons["run"].add_class("tk-primary")
        self.status = View(lab, status, ("started", "beat", "progress", "outcome", "setting"), "status")
        self.runs = Runs(lab)
        self.box = self._lay()
        self._connect()
        self.follow()
        lab.hearing.watch(self._hear_first, first=True)
        lab.watch(self._hear)

    def _lay(self) -> w.VBox:
        named = {
            **{"axis": self.axis, "data": self.data, "split": self.split, "training": self.algorithm},
            **{"model": self.model, "level": self.level, "seed": self.seed, "auto": self.auto, "slow": self.slow},
            **{"more": self.more, "history": self.runs.menu},
            **self.sliders,
            **self.buttons,
        }
        for name, widget in named.items():
            widget.add_class(f"tk-c-{name}")
        row = w.HBox(list(self.buttons.values()))
        row.add_class("tk-buttons")
        box = w.VBox(
            [
                self.axis,
                self.data,
                self.split,
                *self.sliders.values(),
                self.level,
                self.algorithm,
                self.model,
                row,
                self.auto,
                self.slow,
                self.status,
                self.runs.menu,
                self.more,
            ]
        )
        box.add_class("tk-card")
        box.add_class("tk-controls")
        return box

    def _connect(self) -> None:
        def on(widget: w.Widget, change: Callable[[Any], dict[str, Any]]) -> None:
            widget.observe(guarded(self.lab, "controls", lambda event: self._moved(change(event.new))), "value")

        on(self.axis, lambda value: {"axis": value})
        on(self.data, lambda value: {"data" if self.lab.setting.across_rows else "table": value})
        on(self.split, lambda value: {"rows_split" if self.lab.setting.across_rows else "columns_split": value})
        on(self.algorithm, lambda value: {"strategy" if self.lab.setting.across_rows else "joint": value})
        on(self.model, lambda value: {"model": value})
        on(self.level, lambda value: {"level": value})
        on(self.seed, lambda value: {"seed": value})
        for name, slider in self.sliders.items():
            slider.observe(
                guarded(self.lab, "controls", lambda _, name=name: self._moved(self._slid(name), name)), "index"
            )
            slider.observe(guarded(self.lab, "controls", lambda _: self._released()), "released")
        self.auto.observe(guarded(self.lab, "controls", lambda event: setattr(self.lab, "auto", event.new)), "value")
        for name, button in self.buttons.items():
            button.on_click(guarded(self.lab, "controls", lambda _, name=name: self._press(name)))

    def _slid(self, name: str) -> dict[str, Any]:
        rows, value = self.lab.setting.across_rows, self.sliders[name].value
        field = {
            "alpha": "skew" if rows else "alpha",
            "clients": "clients" if rows else "parties",
            "rounds": "rounds" if rows else "epochs",
        }.get(name, name)
        return {field: value}

    def _press(self, name: str) -> None:
        getattr(self.lab, name)()
        self._pressed = (name, time.monotonic())

    def _moved(self, changes: dict[str, Any], drag: str = "") -> None:
        if self._following:
            return
        name, at = self._pressed
        late = drag and name != "stop" and self.lab.player.busy and time.monotonic() - at < _LATE
        self.lab.change(drag, **changes)
        if late:  # it was moved before Run was pressed, but a busy browser sent it after
            getattr(self.lab, name)()

    def _released(self) -> None:
        self.lab.let_go()
        if self.lab.auto and self.lab.state in ("stale", "running", "stopping"):
            self.lab.run()

    def _hear_first(self, what: str) -> None:
        """Follow a preset before pictures of it are drawn; only under a slider that is held they come first."""
        if what == "setting" and not self.lab.drag.moving:
            self.follow()

    def _hear(self, what: str) -> None:
        if what == "setting" and self.lab.drag.moving:
            self.follow()
        if what in ("setting", "started", "progress", "outcome"):
            self._enable()

    def _enable(self) -> None:
        busy = self.lab.player.busy
        self.buttons["stop"].disabled = not busy
        self.buttons["step"].disabled = busy or self.lab.state == "idle"

    def follow(self) -> None:
        """Put every control where the lab's setting is."""
        self._following = True
        try:
            self._follow()
        finally:
            self._following = False
        self._enable()

    def _follow(self) -> None:
        setting = self.lab.setting
        rows = setting.across_rows
        splits, algorithms = choices(setting.axis)
        self.axis.value = setting.axis
        offer(self.data, _tables(setting), setting.data if rows else setting.table)
        offer(self.split, splits, setting.rows_split if rows else setting.columns_split)
        offer(self.algorithm, algorithms, setting.strategy if rows else setting.joint)
        offer(self.model, [(translated(entry.title), name) for name, entry in MODELS.items()], setting.model)
        self.level.value, self.seed.value = setting.level, setting.seed
        self.model.layout.display = "" if rows else "none"
        self.level.layout.display = "" if rows and not math.isinf(setting.epsilon) else "none"
        self._place_sliders()
        self._more.follow(setting)

    def _further(self, part: str, name: str, value: Any) -> None:
        self._moved({"more": {**dict(self.lab.setting.more), f"{part}__{name}": value}})

    def _place_sliders(self) -> None:
        setting, rows = self.lab.setting, self.lab.setting.across_rows
        wanted = setting.clients if rows else setting.parties
        values = {
            "alpha": setting.skew if rows else setting.alpha,
            "beta": setting.beta,
            "epsilon": setting.epsilon,
            "clients": wanted if setting.takes("parties") else parties(self.lab) or wanted,
            "selection": setting.selection if rows else 1.0,
            "rounds": setting.rounds if rows else setting.epochs,
        }
        most = {"clients": most_parties(self.lab), **_caps()}
        for name, (label, hint, enabled) in hints(self.lab).items():
            slider = self.sliders[name]
            with slider.hold_sync():
                _place(name, slider, values[name], most.get(name, math.inf))
                slider.label, slider.hint, slider.enabled = label, hint, enabled
