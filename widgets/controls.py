"""The controls: α, β, ε, K and the selection rate as sliders, menus read off the catalogues, and Run, Step, Stop."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets as w
from trustkit.widgets.forms import form
from trustkit.widgets.lab import Lab
from trustkit.widgets.setting import choices
from trustkit.widgets.slider import Slider
from trustkit.widgets.view import View
from trustkit.widgets.words import amount, status

from trustkit.catalogue import ALGORITHMS, DATASETS, MODELS
from trustkit.rounds import build

__all__ = ["ALPHAS", "BETAS", "CLIENTS", "EPSILONS", "ROUNDS", "SELECTIONS", "Controls"]

ALPHAS = (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100)
BETAS = tuple(k / 50 for k in range(51))
EPSILONS = (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50, math.inf)
CLIENTS = (*range(2, 21), *range(25, 101, 5))
SELECTIONS = tuple(k / 20 for k in range(1, 21))
ROUNDS = (1, 2, 3, 4, 5, 8, 10, 15, 20, 25, 30, 40, 50, 75, 100, 200)


def _texts(stops: Sequence[float], spell: Callable[[float], str]) -> list[str]:
    return [spell(stop) for stop in stops]


def _epsilon(value: float) -> str:
    return "off" if math.isinf(value) else f"{value:g}"


class Controls:
    """The control card.

    Parameters
    ----------
    lab : Lab
        What it moves.
    """

    def __init__(self, lab: Lab) -> None:
        self.lab, self._following = lab, False
        self._form: tuple[str, dict[str, Any]] | None = None
        start = lab.setting
        self.axis = w.ToggleButtons(options=[("across rows", "rows"), ("across columns", "columns")], value=start.axis)
        self.data, self.split = w.Dropdown(description="data"), w.Dropdown(description="split")
        self.algorithm, self.model = w.Dropdown(description="training"), w.Dropdown(description="model")
        self.level = w.Dropdown(description="ε protects", options=[("one row", "example"), ("one client", "client")])
        self.model.options = [(entry.title, name) for name, entry in MODELS.items()]
        self.sliders = {
            "alpha": Slider(ALPHAS, _texts(ALPHAS, "{:g}".format), start.skew, symbol="α"),
            "beta": Slider(BETAS, _texts(BETAS, "{:.2f}".format), start.beta, symbol="β"),
            "epsilon": Slider(EPSILONS, _texts(EPSILONS, _epsilon), start.epsilon, symbol="ε", label="privacy budget"),
            "clients": Slider(CLIENTS, _texts(CLIENTS, str), start.clients, symbol="K", label="clients"),
            "selection": Slider(SELECTIONS, _texts(SELECTIONS, "{:.0%}".format), start.selection, symbol="q"),
            "rounds": Slider(ROUNDS, _texts(ROUNDS, str), start.rounds, symbol="T", label="rounds"),
        }  # fmt: skip
        self.seed = w.BoundedIntText(description="seed", value=start.seed, min=0, max=2**31 - 1)
        self.auto = w.Checkbox(description="run when a slider is let go", indent=False)
        self.more = w.Accordion(children=[w.VBox()], titles=("more settings",), selected_index=None)
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
            slider.observe(lambda _, name=name: self._moved(self._slid(name)), "index")
            slider.observe(lambda _: self._released(), "released")
        self.auto.observe(lambda event: setattr(self.lab, "auto", event.new), "value")
        for name, button in self.buttons.items():
            button.on_click(lambda _, name=name: getattr(self.lab, name)())

    def _slid(self, name: str) -> dict[str, Any]:
        rows, value = self.lab.setting.across_rows, self.sliders[name].value
        field = {
            "alpha": "skew" if rows else "alpha",
            "clients": "clients" if rows else "parties",
            "rounds": "rounds" if rows else "epochs",
        }.get(name, name)
        return {field: value}

    def _moved(self, changes: dict[str, Any]) -> None:
        if not self._following:
            self.lab.change(**changes)

    def _released(self) -> None:
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
        self.data.options = [(entry.title, name) for name, entry in DATASETS.items() if name != "csv"]
        self.data.value = setting.data if rows else setting.table
        self.split.options, self.algorithm.options = splits, algorithms
        self.split.value = setting.rows_split if rows else setting.columns_split
        self.algorithm.value = setting.strategy if rows else setting.joint
        self.model.value, self.level.value, self.seed.value = setting.model, setting.level, setting.seed
        self.model.layout.display = "" if rows else "none"
        self.level.layout.display = "" if rows and not math.isinf(setting.epsilon) else "none"
        self._place_sliders()
        self._follow_form(setting.strategy if rows else setting.joint, setting.further("algorithm"))

    def _follow_form(self, algorithm: str, given: dict[str, Any]) -> None:
        if self._form != (algorithm, given):
            self._form = (algorithm, given)
            self.more.children = [w.VBox([self.seed, form(ALGORITHMS[algorithm], given, self._further)])]

    def _further(self, name: str, value: Any) -> None:
        self._moved({"more": {**dict(self.lab.setting.more), f"algorithm__{name}": value}})

    def _place_sliders(self) -> None:
        setting, sliders = self.lab.setting, self.sliders
        rows = setting.across_rows
        most = 100 if rows else min(16, self._columns())
        stops = tuple(k for k in CLIENTS if k <= most)
        sliders["alpha"].value = setting.skew if rows else setting.alpha
        sliders["beta"].value, sliders["epsilon"].value = setting.beta, setting.epsilon
        sliders["selection"].value = setting.selection if rows else 1.0
        sliders["clients"].offer(stops, _texts(stops, str), setting.clients if rows else setting.parties)
        sliders["rounds"].value = setting.rounds if rows else setting.epochs
        for name, (label, hint, enabled) in self._words().items():
            with sliders[name].hold_sync():
                sliders[name].label, sliders[name].hint, sliders[name].enabled = label, hint, enabled

    def _columns(self) -> int:
        try:
            return int(self.lab.data().X.shape[1])
        except (KeyError, TypeError, ValueError):
            return max(CLIENTS)

    def _words(self) -> dict[str, tuple[str, str, bool]]:
        setting = self.lab.setting
        rows, takes = setting.across_rows, setting.takes
        chosen = max(1, round(setting.selection * setting.clients))
        skew = (
            "Dirichlet; small: each client sees few classes"
            if rows
            else "Dirichlet; small: one party holds most columns"
        )
        return {
            "alpha": (
                "label skew" if rows else "importance",
                skew if takes("alpha") else "not used by this split",
                takes("alpha"),
            ),
            "beta": ("correlation between parties", self._beta_hint(), takes("beta")),
            "epsilon": ("privacy budget", self._epsilon_hint(), rows),
            "clients": (
                "clients" if rows else "parties",
                "2 to 100" if rows else "who share the columns",
                takes("parties"),
            ),
            "selection": (
                "selected each round",
                f"{chosen} of {setting.clients} clients" if rows else "all parties, always",
                rows,
            ),
            "rounds": ("rounds" if rows else "passes over the data", "", True),
        }

    def _beta_hint(self) -> str:
        if self.lab.setting.across_rows:
            return "moves columns: switch to across columns"
        if not self.lab.setting.takes("beta"):
            return "not used by this split"
        if self.lab.searching:
            return "searching …"
        try:
            achieved = self.lab.federated().partition.achieved
        except (KeyError, TypeError, ValueError):
            return ""
        return f"asked {amount(achieved.get('asked_beta'))} · achieved {amount(achieved.get('beta'), 3)}"

    def _epsilon_hint(self) -> str:
        if not self.lab.setting.across_rows:
            return "across rows only: this algorithm adds no noise"
        if math.isinf(self.lab.setting.epsilon):
            return "off: no noise, no bound"
        if self.lab.experiment is None:
            return ""
        noise = build(self.lab.experiment).trainer.facts.get("noise_multiplier")
        return f"smaller: more noise · noise multiplier σ = {amount(noise)}"
