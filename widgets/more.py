"""More settings: attack, faults and secure sums, and forms of what every chosen part takes beside the sliders."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import ipywidgets as w
from trustkit.widgets.forms import close, form
from trustkit.widgets.guard import guarded
from trustkit.widgets.lab import Lab
from trustkit.widgets.setting import Setting
from trustkit.widgets.strings import say
from trustkit.widgets.translated import translated
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
    lab : Lab
        The page's state.
    seed : ipywidgets.Widget
        The seed's control.
    moved : callable
        Told the fields of a setting that a control moves, as ``{"attack": "label_flip"}``.
    changed : callable
        Told part, parameter and value, as ``("algorithm", "lr", 0.1)``.
    """

    def __init__(
        self,
        lab: Lab,
        seed: w.Widget,
        moved: Callable[[dict[str, Any]], None],
        changed: Callable[[str, str, Any], None],
    ) -> None:
        self._lab = lab
        self.attack = w.Dropdown(description=say("more.attack"), tooltip=say("more.about_attack"))
        self.faults = w.Dropdown(description=say("more.faults"), tooltip=say("more.about_faults"))
        self.secure = w.Checkbox(description=say("more.secure"), tooltip=say("more.about_secure"), indent=False)
        self.guard = w.Dropdown(description=say("more.guard"), tooltip=say("more.about_guard"))
        for name in ("attack", "faults", "secure", "guard"):
            box = getattr(self, name)
            box.observe(guarded(lab, "controls", lambda event, name=name: moved({name: event.new})), "value")
            box.add_class(f"tk-c-{name}")
        self._rows = (self.attack, self.faults, self.secure)
        self._first = (seed, *self._rows, self.guard)
        self.box = fold(say("more.title"), *self._first)
        self._changed, self._setting = changed, Setting()
        self._shown: dict[str, tuple[str, dict[str, Any]]] = {}
        self._forms: dict[str, w.VBox] = {}
        opened = guarded(lab, "controls", lambda _: self._form_parts())  # nobody sees forms before that
        self.box.children[0].observe(opened, "value")

    def follow(self, setting: Setting) -> None:
        """Show what a setting's parts take; forms that say so already are left alone, with the keyboard's focus.

        Parameters
        ----------
        setting : Setting
            Of the controls.
        """
        for menu, catalogue, value in ((self.attack, ATTACKS, setting.attack), (self.faults, FAULTS, setting.faults)):
            offer(
                menu,
                [(say("page.none"), ""), *((translated(entry.title), name) for name, entry in catalogue.items())],
                value,
            )
        able = [(translated(entry.title), name) for name, entry in PRIVACY.items() if entry.axis == "columns"]
        offer(self.guard, [(say("page.none"), ""), *able], setting.guard)
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
        return form(
            _CATALOGUES[part][name],
            given,
            guarded(self._lab, "controls", told),
            skip=_SPLIT if across_columns else _SLIDERS,
        )
