"""More settings: attack, faults and secure sums, and forms of what every chosen part takes beside the sliders."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import ipywidgets as w
from trustkit.widgets.forms import close, form
from trustkit.widgets.setting import Setting
from trustkit.widgets.view import fold

from trustkit.catalogue import ALGORITHMS, ATTACKS, FAULTS, MODELS, PRIVACY, SPLITS, Catalogue

__all__ = ["More", "offer"]

_SLIDERS = frozenset({"alpha", "beta", "parties", "epsilon", "level", "noise"})
"""What a slider or a menu moves already."""

_SPLIT = frozenset({"alpha", "beta", "parties"})
"""Of them those that do something across columns."""

_CATALOGUES: Mapping[str, Catalogue] = {
    "split": SPLITS, "algorithm": ALGORITHMS, "model": MODELS, "privacy": PRIVACY, "attack": ATTACKS, "faults": FAULTS,
}  # fmt: skip


def _parts(setting: Setting) -> dict[str, str]:
    """The entries that are in use, by part of the experiment."""
    if not setting.across_rows:
        return {"split": setting.columns_split, "algorithm": setting.joint, "privacy": setting.guard}
    parts = {"split": setting.rows_split, "algorithm": setting.strategy, "model": setting.model}
    private = {"privacy": "gaussian"} if setting.private else {}
    return {**parts, **private, "attack": setting.attack, "faults": setting.faults}


def offer(menu: w.Dropdown, options: list[tuple[str, str]], value: str) -> None:
    """Put a menu on a value, which it offers in any case; change it only if it has to be, or a page loses its place.

    Parameters
    ----------
    menu : ipywidgets.Dropdown
        The menu.
    options : list of (title, name)
        What it offers.
    value : str
        The name to stand on.
    """
    known = value in (name for _, name in options)
    offered = tuple(options) if known else (*options, (value, value))
    if menu.options != offered:
        menu.options = offered
    menu.value = value


class More:
    """A fold with the seed, what goes wrong on purpose, secure sums, and a form for each part.

    Parameters
    ----------
    seed : ipywidgets.Widget
        The seed's control.
    moved : callable
        Told the fields of a setting that a control moves, as ``{"attack": "label_flip"}``.
    changed : callable
        Told part, parameter and value, as ``("algorithm", "lr", 0.1)``.
    """

    def __init__(
        self, seed: w.Widget, moved: Callable[[dict[str, Any]], None], changed: Callable[[str, str, Any], None]
    ) -> None:
        self.attack = w.Dropdown(description="attack", tooltip="what some clients do on purpose; a simulation")
        self.faults = w.Dropdown(description="faults", tooltip="clients that leave, fail or are late; a simulation")
        self.secure = w.Checkbox(
            description="secure sums", tooltip="the server learns sums of models only", indent=False
        )
        self.guard = w.Dropdown(description="privacy", tooltip="noise on what parties tell each other of one row")
        for name in ("attack", "faults", "secure", "guard"):
            box = getattr(self, name)
            box.observe(lambda event, name=name: moved({name: event.new}), "value")
            box.add_class(f"tk-c-{name}")
        self._rows = (self.attack, self.faults, self.secure)
        self._first = (seed, *self._rows, self.guard)
        self.box = fold("more settings", *self._first)
        self._changed, self._setting = changed, Setting()
        self._shown: dict[str, tuple[str, dict[str, Any]]] = {}
        self._forms: dict[str, w.VBox] = {}
        self.box.children[0].observe(lambda _: self._form_parts(), "value")  # nobody sees forms before it is opened

    def follow(self, setting: Setting) -> None:
        """Show what a setting's parts take; forms that say so already are left alone, with the keyboard's focus.

        Parameters
        ----------
        setting : Setting
            Of the controls.
        """
        for menu, catalogue, value in ((self.attack, ATTACKS, setting.attack), (self.faults, FAULTS, setting.faults)):
            offer(menu, [("none", ""), *((entry.title, name) for name, entry in catalogue.items())], value)
        able = [(entry.title, name) for name, entry in PRIVACY.items() if entry.axis == "columns"]
        offer(self.guard, [("none", ""), *able], setting.guard)
        self.guard.layout.display = "none" if setting.across_rows else ""
        self.secure.value = setting.secure
        for box in self._rows:
            box.layout.display = "" if setting.across_rows else "none"
        self._setting = setting
        self._form_parts()

    def _form_parts(self) -> None:
        """Show a form for each part that is in use, once the fold has been opened."""
        if not (self.box.children[0].value or self._forms):
            return
        setting = self._setting
        wanted = {part: (name, setting.further(part)) for part, name in _parts(setting).items()}
        if wanted == self._shown:
            return
        same = {part for part, now in wanted.items() if self._shown.get(part) == now}
        self._shown, old = wanted, self._forms
        self._forms = {part: old[part] if part in same and part in old else self._form(part, name, given)
                       for part, (name, given) in wanted.items() if name in _CATALOGUES[part]}  # fmt: skip
        self.box.children[1].children = [*self._first, *self._forms.values()]
        for part, widget in old.items():
            if self._forms.get(part) is not widget:
                close(widget)

    def _form(self, part: str, name: str, given: dict[str, Any]) -> w.VBox:
        def told(parameter: str, value: Any) -> None:
            entry, known = self._shown[part]
            self._shown = {**self._shown, part: (entry, {**known, parameter: value})}
            self._changed(part, parameter, value)

        across_columns = _CATALOGUES[part][name].axis == "columns"
        return form(_CATALOGUES[part][name], given, told, skip=_SPLIT if across_columns else _SLIDERS)
