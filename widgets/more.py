"""More settings: forms of whatever the chosen split, training, model and mechanism take beside the sliders."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import ipywidgets as w
from trustkit.widgets.forms import close, form
from trustkit.widgets.setting import Setting
from trustkit.widgets.view import fold

from trustkit.catalogue import ALGORITHMS, MODELS, PRIVACY, SPLITS, Catalogue

__all__ = ["More"]

_SLIDERS = frozenset({"alpha", "beta", "parties", "epsilon", "level", "noise"})
"""What a slider or a menu moves already."""

_CATALOGUES: Mapping[str, Catalogue] = {"split": SPLITS, "algorithm": ALGORITHMS, "model": MODELS, "privacy": PRIVACY}


def _parts(setting: Setting) -> dict[str, str]:
    """The entries that are in use, by part of the experiment."""
    if not setting.across_rows:
        return {"split": setting.columns_split, "algorithm": setting.joint}
    parts = {"split": setting.rows_split, "algorithm": setting.strategy, "model": setting.model}
    return {**parts, "privacy": "gaussian"} if setting.private else parts


class More:
    """A fold with the seed and a form for each part.

    Parameters
    ----------
    seed : ipywidgets.Widget
        The seed's control.
    changed : callable
        Told part, parameter and value, as ``("algorithm", "lr", 0.1)``.
    """

    def __init__(self, seed: w.Widget, changed: Callable[[str, str, Any], None]) -> None:
        self.box = fold("more settings", seed)
        self._seed, self._changed = seed, changed
        self._shown: dict[str, tuple[str, dict[str, Any]]] = {}

    def follow(self, setting: Setting) -> None:
        """Show what a setting's parts take; forms that say so already are left alone, with the keyboard's focus.

        Parameters
        ----------
        setting : Setting
            Of the controls.
        """
        wanted = {part: (name, setting.further(part)) for part, name in _parts(setting).items()}
        if wanted == self._shown:
            return
        self._shown = wanted
        forms = [self._form(part, name, given) for part, (name, given) in wanted.items() if name in _CATALOGUES[part]]
        inside = self.box.children[1]
        old, inside.children = inside.children[1:], [self._seed, *forms]
        for widget in old:
            close(widget)

    def _form(self, part: str, name: str, given: dict[str, Any]) -> w.VBox:
        def told(parameter: str, value: Any) -> None:
            entry, known = self._shown[part]
            self._shown = {**self._shown, part: (entry, {**known, parameter: value})}
            self._changed(part, parameter, value)

        return form(_CATALOGUES[part][name], given, told, skip=_SLIDERS)
