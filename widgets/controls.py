"""The controls: α, β, ε, K and the selection rate as sliders, menus read off the catalogues, and Run, Step, Stop."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import ipywidgets as w
from trustkit.widgets.hints import hints, most_parties, parties
from trustkit.widgets.lab import Lab
from trustkit.widgets.more import More, offer
from trustkit.widgets.numbers import BETA, EPSILON, NOISE, SELECTED
from trustkit.widgets.setting import choices
from trustkit.widgets.slider import Slider
from trustkit.widgets.view import View
from trustkit.widgets.words import status

from trustkit.catalogue import DATASETS, MODELS

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


def _epsilon(value: float) -> str:
    return "off" if math.isinf(value) else f"{value:g}"


_STOPS: dict[str, tuple[tuple[Any, ...], Callable[[Any], str], str]] = {
    "alpha": (ALPHAS, "{:g}".format, "α"),
    "beta": (BETAS, "{:.2f}".format, "β"),
    "epsilon": (EPSILONS, _epsilon, "ε"),
    "clients": (CLIENTS, str, "K"),
    "selection": (SELECTIONS, "{:.0%}".format, "q"),
    "rounds": (ROUNDS, str, "T"),
}
"""What each slider stops at, how that reads, and its symbol."""


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
        self.axis = w.ToggleButtons(options=[("across rows", "rows"), ("across columns", "columns")])
        self.data, self.split = w.Dropdown(description="data"), w.Dropdown(description="split")
        self.algorithm, self.model = w.Dropdown(description="training"), w.Dropdown(description="model")
        self.level = w.Dropdown(description="ε protects", options=[("one row", "example"), ("one client", "client")])
        self.sliders = {
            name: Slider((0,), [""], 0, symbol=symbol, marks=MARKS.get(name, []))
            for name, (_, _, symbol) in _STOPS.items()
        }
        for name, explanation in (("beta", BETA), ("epsilon", f"{EPSILON} {NOISE}"), ("selection", SELECTED)):
            self.sliders[name].about = explanation
        self.seed = w.BoundedIntText(description="seed", min=-(2**53), max=2**53)
        self.auto = w.Checkbox(description="run when a slider is let go", value=lab.auto, indent=False)
        self._more = More(self.seed, self._moved, self._further)
        self.more = self._more.box
        words = {"run": "train to the last round", "step": "train one round", "stop": "stop after the step in progress"}
        self.buttons = {name: w.Button(description=name.capitalize(), tooltip=text) for name, text in words.items()}
        self.buttons["run"].add_class("tk-primary")
        self.status = View(lab, status, ("progress", "outcome", "setting"), "status")
        self.box = self._lay()
        self._connect()
        self.follow()
        lab.watch(self._hear)

    def _lay(self) -> w.VBox:
        named = {
            **{"axis": self.axis, "data": self.data, "split": self.split, "training": self.algorithm},
            **{"model": self.model, "level": self.level, "seed": self.seed, "auto": self.auto, "more": self.more},
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
                self.status,
                self.more,
            ]
        )
        box.add_class("tk-card")
        box.add_class("tk-controls")
        return box

    def _connect(self) -> None:
        def on(widget: w.Widget, change: Callable[[Any], dict[str, Any]]) -> None:
            widget.observe(lambda event: self._moved(change(event.new)), "value")

        on(self.axis, lambda value: {"axis": value})
        on(self.data, lambda value: {"data" if self.lab.setting.across_rows else "table": value})
        on(self.split, lambda value: {"rows_split" if self.lab.setting.across_rows else "columns_split": value})
        on(self.algorithm, lambda value: {"strategy" if self.lab.setting.across_rows else "joint": value})
        on(self.model, lambda value: {"model": value})
        on(self.level, lambda value: {"level": value})
        on(self.seed, lambda value: {"seed": value})
        for name, slider in self.sliders.items():
            slider.observe(lambda _, name=name: self._moved(self._slid(name), name), "index")
            slider.observe(lambda _: self._released(), "released")
        self.auto.observe(lambda event: setattr(self.lab, "auto", event.new), "value")
        for name, button in self.buttons.items():
            button.on_click(lambda _, name=name: self._press(name))

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

    def _hear(self, what: str) -> None:
        if what == "setting":
            self.follow()
        if what in ("setting", "progress", "outcome"):
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
        tables = [(entry.title, name) for name, entry in DATASETS.items() if not entry.reads]
        offer(self.data, tables, setting.data if rows else setting.table)
        offer(self.split, splits, setting.rows_split if rows else setting.columns_split)
        offer(self.algorithm, algorithms, setting.strategy if rows else setting.joint)
        offer(self.model, [(entry.title, name) for name, entry in MODELS.items()], setting.model)
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
        most = {"clients": most_parties(self.lab)}
        for name, (label, hint, enabled) in hints(self.lab).items():
            slider = self.sliders[name]
            with slider.hold_sync():
                _place(name, slider, values[name], most.get(name, math.inf))
                slider.label, slider.hint, slider.enabled = label, hint, enabled
