"""Which measures are compared: boxes to tick, by what they are about, behind a button."""

from __future__ import annotations

from collections.abc import Mapping

import ipywidgets as w
from trustkit.widgets.guard import guarded
from trustkit.widgets.lab import Lab
from trustkit.widgets.strings import say
from trustkit.widgets.translated import translated
from trustkit.widgets.view import fold

from trustkit.sidebyside import MEASURES, SHOWN

__all__ = ["Measures"]

_GROUPS: Mapping[str, tuple[str, ...]] = {
    "trust": tuple(name for name in MEASURES if name.startswith("trust")),
    "quality": ("accuracy", "worst_accuracy", "rmse"),
    "fairness": tuple(name for name in MEASURES if name.startswith("fairness")),
    "cost": ("epsilon", "megabytes", "seconds"),
}


class Measures:
    """The choice of measures; the boxes are made when they are asked for first.

    Parameters
    ----------
    lab : Lab
        Its ``pins`` keep the choice.
    """

    def __init__(self, lab: Lab) -> None:
        self._lab, self._following = lab, False
        self.boxes: dict[str, w.Checkbox] = {}
        self.all = w.Button(description=say("compare.all"), tooltip=say("compare.all_tip"))
        self.usual = w.Button(description=say("compare.usual"), tooltip=say("compare.usual_tip"))
        self.none = w.Button(description=say("compare.no_measure"), tooltip=say("compare.no_measure_tip"))
        self.all.on_click(guarded(lab, "compare", lambda _: self._take(frozenset(MEASURES))))
        self.usual.on_click(guarded(lab, "compare", lambda _: self._take(frozenset(SHOWN))))
        self.none.on_click(guarded(lab, "compare", lambda _: self._take(frozenset())))
        self.box = fold(say("compare.measures"))
        self.box.add_class("tk-measures")
        self.box.children[0].observe(guarded(lab, "compare", lambda _: self._fill()), "value")

    @property
    def names(self) -> tuple[str, ...]:
        """What is chosen, of `trustkit.sidebyside.MEASURES`: the usual ones in their order, then the others."""
        chosen = self._chosen
        return tuple(name for name in dict.fromkeys((*SHOWN, *MEASURES)) if name in chosen)

    @property
    def usually(self) -> bool:
        """Whether nothing else is chosen than by default."""
        return self._lab.pins.measures is None

    @property
    def _chosen(self) -> frozenset[str]:
        kept = self._lab.pins.measures
        return frozenset(SHOWN if kept is None else kept)

    def follow(self) -> None:
        """Tick what is chosen."""
        self._following = True
        try:
            for name, box in self.boxes.items():
                box.value = name in self._chosen
        finally:
            self._following = False

    def _fill(self) -> None:
        if self.boxes:
            return
        groups = []
        for group, names in _GROUPS.items():
            ticks = [self._box(name) for name in names]
            row = w.Box([w.HTML(f"<h3>{say(f'compare.group_{group}')}</h3>"), *ticks])
            row.add_class("tk-ticks-row")
            groups.append(row)
        buttons = w.HBox([self.all, self.usual, self.none])
        buttons.add_class("tk-buttons")
        self.box.children[1].children = [buttons, *groups]

    def _box(self, name: str) -> w.Checkbox:
        box = w.Checkbox(name in self._chosen, description=translated(MEASURES[name].title), indent=False)
        box.observe(guarded(self._lab, "compare", lambda _: self._tick()), "value")
        self.boxes[name] = box
        return box

    def _tick(self) -> None:
        if not self._following:
            self._take(frozenset(name for name, box in self.boxes.items() if box.value))

    def _take(self, chosen: frozenset[str]) -> None:
        usual = chosen == frozenset(SHOWN)
        self._lab.pins.look(
            None if usual else tuple(each for each in MEASURES if each in chosen), self._lab.pins.scaled
        )
